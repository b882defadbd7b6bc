// Combines writes to one place in straight-line cotangent code.
//   a$bar.x += u; …; a$bar.x += v     ->   …; a$bar.x += u + v
//   a$bar[i] = u; …; a$bar[i] += v    ->   …; a$bar[i] = u + v
//   a$bar[i] = u; …; a$bar[i] = v     ->   …; a$bar[i] = v
//   a$bar[i] = u; b$bar[j] += w; a$bar[i] += v   ->   a$bar[i] = u + v; b$bar[j] += w
// In the last, b may be a, and v is computed before or can move up. Invariant: between the two
// writes nothing reads the place, and only accumulations may write it.

import { Builder } from "../../ir/build.ts";
import { withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Names } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Accum, Atom, Body, Expr, Func, Key, Stmt, Store } from "../../ir/types.ts";
import { exprAtoms, mapBodies, namesOf, stmtBinds } from "../../ir/visit.ts";
import { accesses, interfere, ownAccesses } from "./access.ts";
import { atomKey, isValue } from "../atoms.ts";
import { Memory } from "./memory.ts";

type Write = Store | Accum;

export function localAccumulators(func: Func, types: Types): Func {
  const names = namesOf(func);
  return withBody(func, sumBody(func.body, Memory.of(func, types), names));
}

/** Earlier writes by place; nothing has read the place since. */
interface Earlier {
  /** Writes that a later one may absorb. */
  readonly open: Map<string, Write>;
  /** Stores after which sums may have hit the place. A later sum may be added where they stand. */
  readonly fixed: Map<string, Write>;
}

function sumBody(body: Body, memory: Memory, names: Names): Body {
  const stmts: Stmt[] = [];
  const { open, fixed }: Earlier = { open: new Map(), fixed: new Map() };
  for (const stmt of body.stmts) {
    if (!isWrite(stmt)) {
      close({ open, fixed }, stmt, memory);
      stmts.push(mapBodies(stmt, (nested) => sumBody(nested, memory, names)));
      continue;
    }
    const place = placeKey(stmt);
    const start = fixed.get(place);
    const at = start === undefined ? -1 : stmts.lastIndexOf(start);
    const early =
      start !== undefined && stmt.kind === "accum"
        ? movedBefore(stmt.value, stmts.slice(at), memory)
        : null;
    if (start !== undefined && early !== null) {
      const joined = takeOver(start, stmt, names);
      stmts.splice(at, stmts.length - at, ...early.moved, ...joined, ...early.rest);
      const last = joined.at(-1);
      if (last !== undefined && isWrite(last)) fixed.set(place, last);
      continue;
    }
    const earlier = open.get(place);
    open.delete(place);
    close({ open, fixed }, stmt, memory);
    const written = earlier === undefined ? [stmt] : takeOver(earlier, stmt, names);
    if (earlier !== undefined) stmts.splice(stmts.lastIndexOf(earlier), 1);
    stmts.push(...written);
    const last = written.at(-1);
    if (last !== undefined && isWrite(last)) open.set(place, last);
  }
  return withStmts(body, stmts);
}

const isWrite = (stmt: Stmt): stmt is Write =>
  (stmt.kind === "store" || stmt.kind === "accum") &&
  stmt.adjoint === true &&
  stmt.object.kind === "var";

const keyText = (key: Key): string =>
  key.kind === "field" ? `.${key.name}` : `[${atomKey(key.at)}]`;
const placeKey = (stmt: Write): string => `${atomKey(stmt.object)}${keyText(stmt.key)}`;

/** A string for the place that the statement writes a cotangent to, or null. */
export const writtenPlace = (stmt: Stmt): string | null => (isWrite(stmt) ? placeKey(stmt) : null);

/** Splits the statements after the first: those that compute `value` can move up. Null if not. */
function movedBefore(
  value: Atom,
  [, ...later]: readonly Stmt[],
  memory: Memory,
): { readonly moved: readonly Stmt[]; readonly rest: readonly Stmt[] } | null {
  const needed = new Set(value.kind === "var" ? [value.name] : []);
  const moved = new Set<Stmt>();
  for (const [at, stmt] of [...later.entries()].reverse()) {
    if (!stmtBinds(stmt).some(({ name }) => needed.has(name))) continue;
    if (stmt.kind !== "let" || !isMovable(stmt.expr)) return null;
    const reads = ownAccesses(stmt);
    if (
      reads.length > 0 &&
      later
        .slice(0, at)
        .flatMap(accesses)
        .some((one) => reads.some((read) => interfere(read, one, memory)))
    )
      return null;
    moved.add(stmt);
    for (const atom of exprAtoms(stmt.expr)) if (atom.kind === "var") needed.add(atom.name);
  }
  return {
    moved: later.filter((stmt) => moved.has(stmt)),
    rest: later.filter((stmt) => !moved.has(stmt)),
  };
}

const isMovable = ({ kind }: Expr): boolean =>
  kind === "op" || kind === "copy" || kind === "load" || kind === "length";

/** Fixes writes that the statement reads or may change: they stay before it. Two sums commute. */
function close({ open, fixed }: Earlier, stmt: Stmt, memory: Memory): void {
  if (stmt.kind === "throw") for (const writes of [open, fixed]) writes.clear();
  const done = accesses(stmt);
  if (done.length === 0) return;
  const isSum = stmt.kind === "accum" && stmt.adjoint === true;
  const meets = (write: Write): boolean =>
    ownAccesses(write).some((own) => done.some((one) => interfere(own, one, memory)));
  if (!isSum) for (const [place, write] of fixed) if (meets(write)) fixed.delete(place);
  for (const [place, write] of open) {
    if ((isSum && write.kind === "accum") || !meets(write)) continue;
    open.delete(place);
    if (isSum) fixed.set(place, write);
  }
}

/** The later write, with the value of the earlier one included. */
function takeOver(earlier: Write, later: Write, names: Names): readonly Stmt[] {
  const { kind } = earlier;
  const lengthens =
    kind === "store" && earlier.lengthens === true ? { lengthens: true as const } : {};
  const defines = kind === "store" && earlier.defines === true ? { defines: true as const } : {};
  if (later.kind === "store") return [{ ...later, ...lengthens, ...defines }];
  const initial = kind === "store" && earlier.initial === true ? { initial: true as const } : {};
  const write = (value: Write["value"]): Stmt =>
    kind === "store"
      ? {
          kind,
          object: later.object,
          key: later.key,
          value,
          origin: later.origin,
          adjoint: true,
          ...initial,
          ...lengthens,
          ...defines,
        }
      : { ...later, value };
  if (isValue(earlier.value, 0)) return [write(later.value)];
  const builder = new Builder(names, later.origin, true);
  const sum = builder.add(earlier.value, later.value);
  return [...builder.stmts, write(sum)];
}
