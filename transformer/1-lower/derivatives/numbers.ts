// Visits the numbers of a plain value, as runtime/tree/numbers.ts does, but unrolled by type.
// Input: a type and a value with its lengths. Output: loops, in the order of fields and elements.
// Parts without numbers are skipped.

import { BOOL, field, index, NUM, num } from "../../ir/build.ts";
import { hasNumbers, isScalarType, shadowType } from "../../ir/shadow.ts";
import type { ArrayStore, Atom, Key, Type } from "../../ir/types.ts";
import { mayBeOne } from "../builtins/clone.ts";
import { inert, inertWith } from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Frame } from "../frame.ts";

/** Position of a number in a value: fields and indices, outermost first. */
export type Path = readonly Key[];

const shadowOf = (f: Frame, type: Type): Type => shadowType(type, f.ctx.types) ?? type;

/** Zeros with the shape of a value. */
export const zerosOf = (f: Frame, like: Atom): Atom =>
  isScalarType(like.type) ? num(0) : f.let("t", shadowOf(f, like.type), { kind: "zeros", like });

/** Calls `visit` at each number, once per emitted loop. */
export const forEachNumber = (f: Frame, like: Atom, visit: (path: Path) => void): void => {
  eachNumberIn({ f, visit, enter: (_, within) => within() }, like.type, like, []);
};

/** The same, but of an object that is at several places only at the first. */
export function forEachNumberOnce(f: Frame, like: Atom, visit: (path: Path) => void): void {
  if (!mayRepeat(f, like.type)) return forEachNumber(f, like, visit);
  const met = f.let("met", SET, { kind: "extern", text: ["new Set()"], args: [], effect: "reads" });
  const enter = (object: Atom, within: () => void): void => {
    if (!mayRepeat(f, like.type, object.type)) return within();
    f.when(
      inert(f, "t", BOOL, ["", ".has(", ")"], [met, object]),
      () => {},
      () => {
        inertWith(f, "t", SET, { text: ["", ".add(", ")"], args: [met, object], effect: "io" });
        within();
      },
    );
  };
  eachNumberIn({ f, visit, enter }, like.type, like, []);
}

const SET: Type = { kind: "leaf", text: "Set<unknown>" };

/** Whether a value of the type may hold an object twice; `within`: one of that type. */
export function mayRepeat(f: Frame, type: Type, within?: Type): boolean {
  const places = placesOf(f, type, false);
  const isRepeated = (part: Type): boolean => {
    const own = places.filter((place) => mayBeOne(f, place.type, part));
    return own.length > 1 || own.some(({ isMany }) => isMany);
  };
  return within === undefined ? places.some((place) => isRepeated(place.type)) : isRepeated(within);
}

/** The aggregates within a plain type. `isMany`: in an array, so that there may be several. */
function placesOf(
  f: Frame,
  type: Type,
  isMany: boolean,
): readonly { readonly type: Type; readonly isMany: boolean }[] {
  const shape = f.shape(type);
  const own = { type, isMany };
  if (!hasNumbers(type, f.ctx.types)) return [];
  if (shape.kind === "array") return [own, ...placesOf(f, shape.elem, true)];
  if (shape.kind === "tuple")
    return [own, ...shape.elems.flatMap((elem) => placesOf(f, elem, isMany))];
  if (shape.kind === "record")
    return [own, ...shape.fields.flatMap((each) => placesOf(f, each.type, isMany))];
  return [];
}

interface Walk {
  readonly f: Frame;
  readonly visit: (path: Path) => void;
  /** Surrounds the visit of an aggregate's parts. */
  readonly enter: (object: Atom, within: () => void) => void;
}

function eachNumberIn(walk: Walk, type: Type, like: Atom, path: Path): void {
  const { f } = walk;
  if (!hasNumbers(type, f.ctx.types)) return;
  const shape = f.shape(type);
  const inside = (inner: Type, key: Key): void => {
    if (!hasNumbers(inner, f.ctx.types)) return;
    const part = isScalarType(inner) ? like : f.b.load("t", inner, like, key);
    eachNumberIn(walk, inner, part, [...path, key]);
  };
  if (shape.kind === "num") return walk.visit(path);
  walk.enter(like, () => {
    if (shape.kind === "array")
      emitFor(
        f,
        f.label("loop"),
        f.b.length(like),
        (at) => {
          inside(shape.elem, index(at));
        },
        "k",
      );
    if (shape.kind === "tuple") shape.elems.forEach((elem, i) => inside(elem, field(String(i))));
    if (shape.kind === "record")
      for (const { name, type } of shape.fields) inside(type, field(name));
  });
}

/** Loads the value at a path. */
export function loadPath(f: Frame, object: Atom, path: Path): Atom {
  return path.reduce<Atom>((at, key) => f.b.load("t", partType(f, at.type, key), at, key), object);
}

export function storePath(f: Frame, object: Atom, path: Path, value: Atom): void {
  const key = path.at(-1);
  if (key !== undefined)
    f.b.emit({ kind: "store", object: loadPath(f, object, path.slice(0, -1)), key, value });
}

function partType(f: Frame, type: Type, key: Key): Type {
  const shape = f.shape(type);
  if (shape.kind === "array") return shape.elem;
  const name = key.kind === "field" ? key.name : "";
  if (shape.kind === "tuple") return shape.elems[Number(name)] ?? NUM;
  return (
    (shape.kind === "record" ? shape.fields.find((each) => each.name === name)?.type : undefined) ??
    NUM
  );
}

export interface Filling {
  /** Typed arrays stay typed arrays, rather than becoming plain ones. */
  readonly keepsViews?: boolean;
}

/** A value with the shape of another, where `make` gives each number. */
export function mapNumbers(
  f: Frame,
  type: Type,
  like: Atom,
  make: (path: Path) => Atom,
  options: Filling = {},
): Atom {
  return filledAt(f, type, like, { make, keepsViews: options.keepsViews === true }, []);
}

interface Maker {
  readonly make: (path: Path) => Atom;
  readonly keepsViews: boolean;
}

function filledAt(f: Frame, type: Type, like: Atom, maker: Maker, path: Path): Atom {
  const shape = f.shape(type);
  const inside = (inner: Type, key: Key): Atom => {
    const isWhole = !hasNumbers(inner, f.ctx.types);
    const part = isScalarType(inner) ? like : f.b.load("t", inner, like, key);
    return isWhole ? part : filledAt(f, inner, part, maker, [...path, key]);
  };
  if (shape.kind === "array")
    return filledArray(f, shape, like, inside, maker.keepsViews ? shape.store : "Array");
  if (shape.kind === "tuple") {
    const elems = shape.elems.map((elem, i) => inside(elem, field(String(i))));
    return f.let(
      "t",
      { kind: "tuple", elems: elems.map((elem) => elem.type) },
      { kind: "tuple", elems },
    );
  }
  if (shape.kind === "record") {
    const fields = shape.fields.flatMap(({ name, type: inner }) =>
      hasNumbers(inner, f.ctx.types) ? [{ name, value: inside(inner, field(name)) }] : [],
    );
    return f.let(
      "t",
      { kind: "record", fields: fields.map(({ name, value }) => ({ name, type: value.type })) },
      { kind: "record", fields },
    );
  }
  return maker.make(path);
}

function filledArray(
  f: Frame,
  { elem }: Type & { readonly kind: "array" },
  like: Atom,
  inside: (inner: Type, key: Key) => Atom,
  store: ArrayStore,
): Atom {
  const length = f.b.length(like);
  const at = f.b.stmts.length;
  let type: Type = NUM;
  const name = f.names.fresh("t");
  // the element type is known only after the first element is lowered
  emitFor(
    f,
    f.label("loop"),
    length,
    (k) => {
      const value = inside(elem, index(k));
      type = value.type;
      f.b.emit({
        kind: "store",
        object: { kind: "var", name, type: { kind: "array", store, elem: type } },
        key: index(k),
        value,
        initial: true,
      });
    },
    "k",
  );
  const made = { kind: "var" as const, name, type: { kind: "array" as const, store, elem: type } };
  f.b.stmts.splice(at, 0, {
    kind: "let",
    bind: made,
    expr: { kind: "alloc", length, fill: null },
    origin: f.b.origin,
  });
  return made;
}
