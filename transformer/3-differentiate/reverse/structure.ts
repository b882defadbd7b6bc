// Loops over the whole of a shadow, written out by its type. In: a type and shadows of it. Out: statements. Invariant: a seed is read, never written.

import { type Builder, BOOL, field, index, num } from "../../ir/build.ts";
import { resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Key, Type, Var } from "../../ir/types.ts";

/** `into += from` for all numbers of a value of type `type`. */
export function addInto(b: Builder, type: Type, into: Atom, from: Atom, types: Types): void {
  if (type.kind === "opt") return whenPresent(b, type, into, types, (then, unwrapped, inner) => addInto(then, inner, unwrapped, from, types));
  eachPlace(b, type, into, types, (inner, key, placeType) => {
    if (placeType.kind === "num") {
      inner.accum(key.object, key.key, inner.load("t", placeType, withSame(key, from, into), key.key));
      return;
    }
    const source = inner.load("t", shadowType(placeType, types) ?? placeType, withSame(key, from, into), key.key);
    const target = inner.load("t", shadowType(placeType, types) ?? placeType, key.object, key.key);
    whenPresent(inner, placeType, target, types, (then, unwrapped, unwrappedType) => addInto(then, unwrappedType, unwrapped, source, types));
  });
}

/** Sets all numbers of a shadow to 0. */
export function zeroInto(b: Builder, type: Type, shadow: Atom, types: Types): void {
  if (type.kind === "opt") return whenPresent(b, type, shadow, types, (then, unwrapped, inner) => zeroInto(then, inner, unwrapped, types));
  const shape = resolve(type, types);
  if (shape.kind === "array" && isNumber(shape.elem)) {
    b.emit({ kind: "fill", object: shadow, value: num(0), from: null, to: null });
    return;
  }
  eachPlace(b, type, shadow, types, (inner, key, placeType) => {
    if (placeType.kind === "num") { inner.store(key.object, key.key, num(0)); return; }
    const target = inner.load("t", shadowType(placeType, types) ?? placeType, key.object, key.key);
    whenPresent(inner, placeType, target, types, (then, unwrapped, unwrappedType) => zeroInto(then, unwrappedType, unwrapped, types));
  });
}

const isNumber = (type: Type): boolean => type.kind === "num" || (type.kind === "opt" && isNumber(type.of));

interface Place {
  readonly object: Atom;
  readonly key: Key;
}

const withSame = (place: Place, from: Atom, into: Atom): Atom => (place.object === into ? from : place.object);

/** Calls `visit` for each place that holds numbers, in a loop for arrays. */
function eachPlace(b: Builder, type: Type, shadow: Atom, types: Types, visit: (b: Builder, place: Place, type: Type) => void): void {
  const shape = resolve(type, types);
  const at = (inner: Builder, key: Key, placeType: Type): void => {
    if (shadowType(placeType, types) !== null) visit(inner, { object: shadow, key }, isNumber(placeType) ? num(0).type : placeType);
  };
  switch (shape.kind) {
    case "array": {
      if (shadowType(shape.elem, types) === null) return;
      const k: Var = { kind: "var", name: b.names.fresh("k"), type: num(0).type };
      const length = b.let("t", num(0).type, { kind: "length", object: shadow });
      const inner = b.nested();
      at(inner, index(k), shape.elem);
      b.emit({ kind: "for", index: k, from: num(0), test: "<", to: length, step: 1, carried: [], body: inner.body(), binds: [] });
      return;
    }
    case "tuple": return shape.elems.forEach((elem, i) => at(b, field(String(i)), elem));
    case "record": return shape.fields.forEach((f) => at(b, field(f.name), f.type));
    case "num": case "bool": case "leaf": case "opt": case "named": case "cotangent": case "tape": case "func": case "void": return;
  }
}

/** Goes inside an optional value where it is there. */
function whenPresent(b: Builder, type: Type, shadow: Atom, types: Types, write: (b: Builder, shadow: Atom, type: Type) => void): void {
  if (type.kind !== "opt") return write(b, shadow, type);
  const isPresent = b.let("t", BOOL, { kind: "present", value: shadow });
  const then = b.nested();
  const inside = then.let("t", shadowType(type.of, types) ?? type.of, { kind: "unwrap", value: shadow });
  write(then, inside, type.of);
  b.emit({ kind: "if", cond: isPresent, then: then.body(), else: b.nested().body(), binds: [] });
}
