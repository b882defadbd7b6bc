// Copies of nodes and arrays with changed parts. If nothing changes, the result is the same object,
// so memoised facts about it stay valid.

import type { Atom, Body, Func, Stmt } from "./types.ts";

export function rebuilt<T extends object>(node: T, parts: Partial<T>): T {
  for (const key in parts) if (parts[key] !== node[key]) return withParts(node, parts);
  return node;
}

/** No spread: it gives its result a new V8 shape, and code that meets many shapes is slow. */
export const withParts = <T extends object>(node: T, parts: Partial<T>): T =>
  Object.assign({}, node, parts);

export function mapList<T>(list: readonly T[], fn: (one: T) => T): readonly T[] {
  let mapped: T[] | null = null;
  let at = 0;
  for (const one of list) {
    const next = fn(one);
    if (mapped === null && next !== one) mapped = list.slice(0, at);
    if (mapped !== null) mapped.push(next);
    at++;
  }
  return mapped ?? list;
}

/** `mapList`, with any number of results per element. */
export function flatMapList<T>(list: readonly T[], fn: (one: T) => readonly T[]): readonly T[] {
  const mapped: T[] = [];
  for (const one of list) for (const next of fn(one)) mapped.push(next);
  return isSameList(mapped, list) ? list : mapped;
}

function isSameList(x: readonly unknown[], z: readonly unknown[]): boolean {
  if (x.length !== z.length) return false;
  for (let i = 0; i < x.length; i++) if (x[i] !== z[i]) return false;
  return true;
}

export const withBody = (func: Func, body: Body): Func => rebuilt(func, { body });

export function withStmts(
  body: Body,
  stmts: readonly Stmt[],
  result: readonly Atom[] = body.result,
): Body {
  const isSame = isSameList(stmts, body.stmts) && isSameList(result, body.result);
  return isSame ? body : { stmts, result };
}
