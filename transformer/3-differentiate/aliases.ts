// Refuses aliased arguments at run time. Input: a function and its facts. Output: statements at the
// start of its derivatives that throw if two places that must not alias are the same object.
// Invariant: only calls that would get a wrong derivative are refused.

import { Builder, field } from "../ir/build.ts";
import type { AliasHazard, ArgumentPlace, FunctionFacts } from "../ir/facts.ts";
import { baseName, type Names } from "../ir/names.ts";
import { stringText } from "../code/quote.ts";
import type { Atom, Func, Stmt } from "../ir/types.ts";
import { areOneObject, isTypedArray, testByText } from "../ir/overlap.ts";
import { when, whenDefined } from "./fragments.ts";

/** The same object in two places has one shadow. If it is written, its cotangent is ambiguous. */
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
            `TSG0004: ${hazardText({ x, z }, func)}, and the function writes it; ${remedy(x, z)}`,
          ),
        );
    whereDefined(x, b, (first, here) => {
      if (z === null) refuse((at) => holdsOneTwice({ ...x, atom: first }, at))(here);
      else
        whereDefined(z, here, (second, inner) =>
          refuse((at) => areOne({ ...x, atom: first }, { ...z, atom: second }, at))(inner),
        );
    });
  }
  return b.stmts;
}

/** Module variables cannot be copied; the Delta engine has one shadow per object. */
const remedy = (x: ArgumentPlace, z: ArgumentPlace | null): string =>
  x.root.kind === "global" && z?.root.kind === "global"
    ? 'keep it under one name, or ask for { engine: "delta" }'
    : "pass a copy";

/** Writes code for the object at a place, under tests that all objects on the path are defined. */
function whereDefined(
  { root, path }: Pick<ArgumentPlace, "root" | "path">,
  b: Builder,
  write: (atom: Atom, here: Builder) => void,
): void {
  const [first, ...rest] = path;
  const { type } = root;
  const inside = (object: Atom, here: Builder): void => {
    if (first === undefined) return write(object, here);
    const part = here.load("t", first.type, object, field(first.name));
    whereDefined({ root: part, path: rest }, here, write);
  };
  if (type.kind !== "opt") return inside(root, b);
  whenDefined(b, root, (then) =>
    inside(then.let("t", type.of, { kind: "unwrap", value: root }), then),
  );
}

interface Located extends Pick<ArgumentPlace, "within" | "type"> {
  readonly atom: Atom;
}

/** A test whether two places, or elements of them, alias. */
function areOne(x: Located, z: Located, b: Builder): Atom {
  if (x.within.length === 0 && z.within.length === 0) return areOneObject(b, x.atom, z.atom);
  const [first, second] = [enumerationText(x), enumerationText(z)];
  if (x.within.length > 0 && z.within.length > 0) {
    // undefined elements do not alias
    const defined = ".filter(Boolean)";
    const begin = "new Set<unknown>(";
    const end = `${defined}).size`;
    const both = [
      `new Set<unknown>([...${first[0]}`,
      `${first[1]}${defined}, ...${second[0]}`,
      `${second[1]}${defined}]).size < ${begin}${first[0]}`,
    ];
    return testByText(
      b,
      [...both, `${first[1]}${end} + ${begin}${second[0]}`, `${second[1]}${end}`],
      [x.atom, z.atom, x.atom, z.atom],
    );
  }
  const [[before, after], list, one] =
    x.within.length > 0 ? ([first, x.atom, z.atom] as const) : ([second, z.atom, x.atom] as const);
  return testByText(b, [`new Set<unknown>(${before}`, `${after}).has(`, ")"], [list, one]);
}

/** The source text around an array or dict that enumerates the objects in it. */
function enumerationText({ within }: Located): readonly [before: string, after: string] {
  const [first, ...rest] = within;
  const inside = first?.kind === "elements" ? first.of : "array";
  let [before, after] = inside === "Map" ? ["[...", ".values()]"] : ["", ""];
  if (inside === "Object") [before, after] = eachIn("Object", ["[", "]"]);
  for (const step of rest)
    if (step.kind === "elements") [before, after] = eachIn(step.of, [before, after]);
    else after += `.map((each) => each?.[${stringText(step.field.name)}])`;
  return [before, after];
}

/** What is in the lists or dicts of a list. Libraries of some users lack `flatMap` and `values`. */
function eachIn(
  of: "array" | "Map" | "Object",
  [before, after]: readonly [string, string],
): readonly [before: string, after: string] {
  const elements = {
    array: "yield* each ?? [];",
    Map: "yield* each?.values() ?? [];",
    Object: "for (const key of Object.keys(each ?? {})) yield each?.[key];",
  }[of];
  return [`[...(function* () { for (const each of ${before}`, `${after}) ${elements} })()]`];
}

/** A test whether two places hold one object, undefined elements aside. */
function holdsOneTwice(x: Located, b: Builder): Atom {
  const filter = x.within.length === 1 && x.type.kind !== "opt" ? "" : ".filter(Boolean)";
  const [before, after] = enumerationText(x);
  const all = `${after}${filter}`;
  return testByText(
    b,
    [`new Set(${before}`, `${all}).size < ${before}`, `${all}.length`],
    [x.atom, x.atom],
  );
}

const isView = ({ type }: ArgumentPlace): boolean =>
  isTypedArray(type.kind === "opt" ? type.of : type);

function hazardText({ x, z }: AliasHazard, { params }: Func): string {
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
    : `${part(x)} and ${part(z)} ${isView(x) && isView(z) ? "share memory" : "are the same object"}`;
}
