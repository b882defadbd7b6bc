// Arguments, and objects of enclosing scopes, that are one object. In: a function and its facts. Out: statements that stand before everything else in its derivatives.
// Invariant: only what would be wrong is refused.

import { BOOL, Builder, field } from "../ir/build.ts";
import type { AliasHazard, ArgumentPlace, FunctionFacts } from "../ir/facts.ts";
import { baseName, type Names } from "../ir/names.ts";
import type { Atom, Func, Stmt } from "../ir/types.ts";

/** Places that are one object and are written have one shadow; to which of them its cotangent belongs is not defined. */
export function refuseAliases({ func, facts }: { readonly func: Func; readonly facts: FunctionFacts }, names: Names): readonly Stmt[] {
  const b = new Builder(names, func.origin, false);
  for (const { x, z } of facts.aliasHazards()) {
    const [first, second] = [atomOf(x, b), z === null ? null : atomOf(z, b)];
    const isSame = second === null
      ? b.let("t", BOOL, { kind: "extern", text: ["new Set(", ").size < ", ".length"], args: [first, first], effect: "reads", inert: true })
      : b.op("eq", first, second);
    const then = b.nested();
    then.raise("Error", `TSG0004: ${textOf({ x, z }, func)}, and the function writes it; pass a copy`);
    b.emit({ kind: "if", cond: isSame, then: then.body(), else: b.nested().body(), binds: [] });
  }
  return b.stmts;
}

const atomOf = ({ root, path }: ArgumentPlace, b: Builder): Atom =>
  path.reduce<Atom>((object, { name, type }) => b.load("t", type, object, field(name)), root);

function textOf({ x, z }: AliasHazard, { params }: Func): string {
  const nameOf = (root: ArgumentPlace["root"]): string => (root.kind === "global" ? root.name : baseName(root.name));
  const shown = ({ root, path }: ArgumentPlace): string =>
    (path.length === 0 && root.kind === "var" ? `argument ${params.findIndex(({ name }) => name === root.name)}` : `\`${[nameOf(root), ...path.map(({ name }) => name)].join(".")}\``);
  return z === null ? `${shown(x)} holds one object twice` : `${shown(x)} and ${shown(z)} are the same object`;
}
