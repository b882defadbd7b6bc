// Finds locals that nested functions see. In: a variable. Out: whether a function nested in its own
// names it. Invariant: when unsure, yes: any equal name in a nested function counts.

import type ts from "typescript";
import type { Variable } from "./binding.ts";

const known = new WeakMap<Variable, boolean>();

/** Whether a call may read or write it. */
export function capturesOf(api: typeof ts, variable: Variable): boolean {
  const before = known.get(variable);
  if (before !== undefined) return before;
  const around = functionOf(api, variable.declaration);
  const found = mentions(api, around, variable.name, false);
  known.set(variable, found);
  return found;
}

/** The function, static block or file that contains a node. */
export function functionOf(api: typeof ts, node: ts.Node): ts.Node {
  let at = node.parent;
  while (!api.isFunctionLike(at) && !api.isClassStaticBlockDeclaration(at) && !api.isSourceFile(at))
    at = at.parent;
  return at;
}

function mentions(api: typeof ts, node: ts.Node, name: string, isInside: boolean): boolean {
  if (isInside && api.isIdentifier(node) && node.text === name) return true;
  return (
    api.forEachChild(
      node,
      (child) =>
        mentions(
          api,
          child,
          name,
          isInside || api.isFunctionLike(child) || api.isClassLike(child),
        ) || undefined,
    ) ?? false
  );
}

/** Whether a loop surrounds `node`, inside its function and after the declaration. */
export function isInLoop(api: typeof ts, node: ts.Node, declaration: ts.Node): boolean {
  for (let at = node.parent; !api.isSourceFile(at) && !api.isFunctionLike(at); at = at.parent) {
    if (api.isIterationStatement(at, false))
      return !(at.pos <= declaration.pos && declaration.end <= at.end);
  }
  return false;
}
