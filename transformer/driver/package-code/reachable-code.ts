// Declarations of packages that a program can reach. In: what its files import. Out: these, and all
// that they mention, however far; null where that is not known, since a module is passed on or
// leads to code that cannot be read.

import type ts from "typescript";
import type { Declared, Found, Modules } from "./modules.ts";
import { referencesOf } from "./references.ts";

export function reachableFrom(
  api: typeof ts,
  modules: Modules,
  roots: readonly Found[],
): ReadonlySet<ts.Node> | null {
  const reached = new Map<ts.Node, Declared>();
  const todo: (Found | null)[] = [...roots];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (next?.kind === "global") continue;
    if (next?.kind !== "declared") return null;
    if (reached.has(next.node)) continue;
    reached.set(next.node, next);
    const { outer } = referencesOf(api, modules, next, next.node);
    todo.push(...outer.map(({ target }) => target));
  }
  return new Set([...reached.keys(), ...[...reached.values()].flatMap(loadedWith)]);
}

/** Statements of a module that run when it is loaded. */
const loadedWith = ({ module: { source, declared } }: Declared): readonly ts.Node[] => {
  const nodes = new Set<ts.Node>(declared.values());
  return source.statements.filter((node) => !nodes.has(node) && !("declarationList" in node));
};
