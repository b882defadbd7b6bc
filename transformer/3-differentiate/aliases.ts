// Arguments, and objects of enclosing scopes, that are one object. In: a function and its facts. Out: statements that stand before everything else in its derivatives.
// Invariant: only what would be wrong is refused.

import { BOOL, Builder, field } from "../ir/build.ts";
import type { AliasHazard, ArgumentPlace, FunctionFacts } from "../ir/facts.ts";
import { baseName, type Names } from "../ir/names.ts";
import type { Atom, Func, Stmt } from "../ir/types.ts";

/** Places that are one object and are written have one shadow; to which of them its cotangent belongs is not defined. */
export function refuseAliases(
  { func, facts }: { readonly func: Func; readonly facts: FunctionFacts },
  names: Names,
): readonly Stmt[] {
  const b = new Builder(names, func.origin, false);
  for (const { x, z } of facts.aliasHazards()) {
    const refuse =
      (isSame: (here: Builder) => Atom) =>
      (here: Builder): void =>
        when(here, isSame(here), (then) =>
          then.raise(
            "Error",
            `TSG0004: ${textOf({ x, z }, func)}, and the function writes it; ${remedy(x, z)}`,
          ),
        );
    whereThere(x, b, (first, here) => {
      if (z === null) refuse((at) => holdsOneTwice(first, at))(here);
      else
        whereThere(z, here, (second, inner) =>
          refuse((at) => areOne({ ...x, atom: first }, { ...z, atom: second }, at))(inner),
        );
    });
  }
  return b.stmts;
}

/** What two variables of a module hold cannot be passed. The other engine has one shadow for each object. */
const remedy = (x: ArgumentPlace, z: ArgumentPlace | null): string =>
  x.root.kind === "global" && z?.root.kind === "global"
    ? 'keep it under one name, or ask for { engine: "delta" }'
    : "pass a copy";

function when(b: Builder, cond: Atom, write: (then: Builder) => void): void {
  const then = b.nested();
  write(then);
  b.emit({ kind: "if", cond, then: then.body(), else: b.nested().body(), binds: [] });
}

/** What stands at a place, where that and what leads to it is there: two that are missing are not one object. */
function whereThere(
  { root, path }: Pick<ArgumentPlace, "root" | "path">,
  b: Builder,
  write: (atom: Atom, here: Builder) => void,
): void {
  const [first, ...rest] = path;
  const { type } = root;
  const inside = (object: Atom, here: Builder): void => {
    if (first === undefined) return write(object, here);
    const part = here.load("t", first.type, object, field(first.name));
    whereThere({ root: part.kind === "var" ? part : root, path: rest }, here, write);
  };
  if (type.kind !== "opt") return inside(root, b);
  when(b, b.let("t", BOOL, { kind: "present", value: root }), (then) =>
    inside(then.let("t", type.of, { kind: "unwrap", value: root }), then),
  );
}

interface Stand extends Pick<ArgumentPlace, "root" | "within"> {
  readonly atom: Atom;
}

/** Whether two places have one object, or one of the places that are meant. A `Set` of unknown, for the places may be declared with types that TypeScript does not compare. */
function areOne(x: Stand, z: Stand, b: Builder): Atom {
  const bool = (text: readonly string[], args: readonly Atom[]): Atom =>
    b.let("t", BOOL, { kind: "extern", text, args, effect: "reads", inert: true });
  const isView = ({ root, atom: { type } }: Stand): boolean =>
    root.kind === "global" && type.kind === "array" && type.store !== "Array";
  if (x.within.length === 0 && z.within.length === 0) {
    if (!isView(x) || !isView(z)) return b.op("eq", x.atom, z.atom);
    // two views of one buffer, where they overlap
    const text = [
      "",
      ".buffer === ",
      ".buffer && ",
      ".byteOffset < ",
      ".byteOffset + ",
      ".byteLength && ",
      ".byteOffset < ",
      ".byteOffset + ",
      ".byteLength",
    ];
    return bool(text, [x.atom, z.atom, x.atom, z.atom, z.atom, z.atom, x.atom, x.atom]);
  }
  const [first, second] = [listText(x), listText(z)];
  if (x.within.length > 0 && z.within.length > 0) {
    // empty places are not one object
    const there = ".filter(Boolean)";
    const begin = "new Set<unknown>(";
    const end = `${there}).size`;
    const both = [
      `new Set<unknown>([...${first[0]}`,
      `${first[1]}${there}, ...${second[0]}`,
      `${second[1]}${there}]).size < ${begin}${first[0]}`,
    ];
    return bool(
      [...both, `${first[1]}${end} + ${begin}${second[0]}`, `${second[1]}${end}`],
      [x.atom, z.atom, x.atom, z.atom],
    );
  }
  const [[before, after], list, one] =
    x.within.length > 0 ? ([first, x.atom, z.atom] as const) : ([second, z.atom, x.atom] as const);
  return bool([`new Set<unknown>(${before}`, `${after}).has(`, ")"], [list, one]);
}

/** What stands in front of and behind a list or a dict, so that both together list what is meant in it. */
function listText({ within }: Stand): readonly [before: string, after: string] {
  const [first, ...rest] = within;
  const start =
    first?.kind !== "elements" || first.of === "array"
      ? ["", ""]
      : first.of === "Map"
        ? ["[...", ".values()]"]
        : ["Object.values(", ")"];
  const steps = rest.map((step) =>
    step.kind === "elements"
      ? ".flatMap((each) => each ?? [])"
      : `.map((each) => each?.[${JSON.stringify(step.field.name)}])`,
  );
  return [start[0] ?? "", `${start[1] ?? ""}${steps.join("")}`];
}

/** An array that may hold nothing at a place holds that more than once. */
function holdsOneTwice(array: Atom, b: Builder): Atom {
  const mayMiss = array.type.kind === "array" && array.type.elem.kind === "opt";
  const text = mayMiss
    ? ["new Set(", ".filter(Boolean)).size < ", ".filter(Boolean).length"]
    : ["new Set(", ").size < ", ".length"];
  return b.let("t", BOOL, {
    kind: "extern",
    text,
    args: [array, array],
    effect: "reads",
    inert: true,
  });
}

function textOf({ x, z }: AliasHazard, { params }: Func): string {
  const nameOf = (root: ArgumentPlace["root"]): string =>
    root.kind === "global" ? root.name : baseName(root.name);
  const shown = ({ root, path }: ArgumentPlace): string =>
    path.length === 0 && root.kind === "var"
      ? `argument ${params.findIndex(({ name }) => name === root.name)}`
      : `\`${[nameOf(root), ...path.map(({ name }) => name)].join(".")}\``;
  const part = (place: ArgumentPlace): string =>
    place.within.length === 0 ? shown(place) : `something in ${shown(place)}`;
  return z === null
    ? `${shown(x)} holds one object twice`
    : `${part(x)} and ${part(z)} are the same object`;
}
