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
    const refuse = (isSame: (here: Builder) => Atom) => (here: Builder): void =>
      when(here, isSame(here), (then) => then.raise("Error", `TSG0004: ${textOf({ x, z }, func)}, and the function writes it; pass a copy`));
    whereThere(x, b, (first, here) => {
      if (z === null) refuse((at) => holdsOneTwice(first, at))(here);
      else whereThere(z, here, (second, inner) => refuse((at) => at.op("eq", first, second))(inner));
    });
  }
  return b.stmts;
}

function when(b: Builder, cond: Atom, write: (then: Builder) => void): void {
  const then = b.nested();
  write(then);
  b.emit({ kind: "if", cond, then: then.body(), else: b.nested().body(), binds: [] });
}

/** What stands at a place, where that and what leads to it is there: two that are missing are not one object. */
function whereThere({ root, path }: ArgumentPlace, b: Builder, write: (atom: Atom, here: Builder) => void): void {
  const [first, ...rest] = path, { type } = root;
  const inside = (object: Atom, here: Builder): void => {
    if (first === undefined) return write(object, here);
    const part = here.load("t", first.type, object, field(first.name));
    whereThere({ root: part.kind === "var" ? part : root, path: rest, type: first.type }, here, write);
  };
  if (type.kind !== "opt") return inside(root, b);
  when(b, b.let("t", BOOL, { kind: "present", value: root }), (then) => inside(then.let("t", type.of, { kind: "unwrap", value: root }), then));
}

/** An array that may hold nothing at a place holds that more than once. */
function holdsOneTwice(array: Atom, b: Builder): Atom {
  const mayMiss = array.type.kind === "array" && array.type.elem.kind === "opt";
  const text = mayMiss ? ["new Set(", ".filter(Boolean)).size < ", ".filter(Boolean).length"] : ["new Set(", ").size < ", ".length"];
  return b.let("t", BOOL, { kind: "extern", text, args: [array, array], effect: "reads", inert: true });
}

function textOf({ x, z }: AliasHazard, { params }: Func): string {
  const nameOf = (root: ArgumentPlace["root"]): string => (root.kind === "global" ? root.name : baseName(root.name));
  const shown = ({ root, path }: ArgumentPlace): string =>
    (path.length === 0 && root.kind === "var" ? `argument ${params.findIndex(({ name }) => name === root.name)}` : `\`${[nameOf(root), ...path.map(({ name }) => name)].join(".")}\``);
  return z === null ? `${shown(x)} holds one object twice` : `${shown(x)} and ${shown(z)} are the same object`;
}
