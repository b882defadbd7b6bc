// `f$jacfwd` and `f$hessian`: a Jacobian by a known number of numbers. In: forward mode of the function, or of its gradient, optimised. Out: a function that gives the whole
// matrix: one pass that carries a tangent for each number of the arguments asked for, 1 there and 0 elsewhere.
// Invariant: of the shape that runtime/jacobian.ts gives. Null where the form has to walk at run time: an argument that holds objects may hold one of them twice.

import { Builder, field, index, NUM, num } from "../../ir/build.ts";
import { hasNumbers, isScalarType, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Key, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { dependenceOf } from "./dependence.ts";
import { MOST_STATEMENTS } from "./rows.ts";
import { part, several, sizeOf, unpacked } from "./several.ts";
import { packed, placesOf, shaped, unit } from "./shape.ts";

export interface ColumnsRequest {
  /** `(...args, ...tangents) => [value, tangent]`. */
  readonly push: Func;
  readonly name: string;
  /** Types of the arguments that have tangents, in the order of those. */
  readonly by: readonly Type[];
  /** What is differentiated: the value's type; with `hasAux` of the first of two. */
  readonly value: Type;
  readonly hasAux: boolean;
  /** The value is a gradient; where `tuple` holds a list of them, of which each is differentiated alone. */
  readonly isHessian: boolean;
  readonly tuple: boolean;
  readonly types: Types;
}

export function columnsOf(request: ColumnsRequest): Func | null {
  const { push, by, value, types } = request;
  const places = by.map((type) => (isFlat(type, types) ? placesOf(type, types) : null));
  const count = places.reduce((sum, own) => sum + (own?.length ?? 0), 0);
  if (
    count === 0 ||
    places.includes(null) ||
    !isKnown(value, types) ||
    count * sizeOf(push) > MOST_STATEMENTS
  )
    return null;
  const seeds = push.params.slice(push.params.length - by.length);
  const params = push.params.slice(0, push.params.length - by.length);
  const { body, returned } = unpacked(push.body);
  const primal = part(returned, 0);
  const tangent = part(returned, 1);
  const [type, dotType] = push.result.kind === "tuple" ? push.result.elems : [];
  if (primal === null || tangent === null || type === undefined || dotType === undefined)
    return null;
  const depends = dependenceOf({ ...push, body }, seeds, []);
  if (depends === null) return null;
  const names = namesOf(push);
  const b = new Builder(names, push.origin, true);
  const tangents = places.flatMap((own, a) =>
    (own ?? []).map((place) =>
      seeds.map((seed, k) => unit(b, seed.type, k === a ? place : NOWHERE, types)),
    ),
  );
  const sweep = several(
    body,
    seeds.map(({ name }) => name),
    tangents,
    depends,
    names,
  );
  b.stmts.push(...sweep.stmts);
  const like = packed(b, primal, type, (atom) => sweep.at(atom, 0), types);
  const dots = tangents.map((_, time) =>
    packed(b, tangent, dotType, (atom) => sweep.at(atom, time), types),
  );
  const result = matrix(
    b,
    request,
    like,
    dots,
    places.map((own) => own?.length ?? 0),
  );
  return {
    ...push,
    name: request.name,
    params,
    result: result.type,
    body: b.body([result]),
    ...(push.paramText === undefined ? {} : { paramText: push.paramText.slice(0, params.length) }),
  };
}

const NOWHERE: readonly Key[] = [field("")];

/** A number, or numbers in one object. */
function isFlat(type: Type, types: Types): boolean {
  const shape = resolve(type, types);
  const inner =
    shape.kind === "tuple"
      ? shape.elems
      : shape.kind === "record"
        ? shape.fields.map((one) => one.type)
        : [];
  return inner.every((one) => isScalarType(one) || !hasNumbers(one, types));
}

/** Whether each number has one place: in tuples, records and arrays of any length. */
function isKnown(type: Type, types: Types): boolean {
  if (type.kind === "named" && types.get(type.name)?.instance !== undefined) return false;
  const shape = resolve(type, types);
  switch (shape.kind) {
    case "num":
      return true;
    case "array":
      return isKnown(shape.elem, types);
    case "tuple":
      return shape.elems.every((elem) => isKnown(elem, types));
    case "record":
      return (
        shape.tagged !== true &&
        shape.fields.every((one) => !hasNumbers(one.type, types) || isKnown(one.type, types))
      );
    case "bool":
    case "leaf":
    case "opt":
    case "dict":
    case "union":
    case "named":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      return false;
  }
}

/** The blocks by each argument, of each part. */
function matrix(
  b: Builder,
  { value, hasAux, by, isHessian, tuple, types }: ColumnsRequest,
  like: Atom,
  dots: readonly Atom[],
  counts: readonly number[],
): Atom {
  const first = (atom: Atom): Atom =>
    b.load("t", shadowType(value, types) ?? value, atom, field("0"));
  const own = hasAux ? b.load("t", value, like, field("0")) : like;
  const tangents = hasAux ? dots.map(first) : dots;
  const columns = (a: number): readonly Atom[] => {
    const start = counts.slice(0, a).reduce((sum, count) => sum + count, 0);
    return tangents.slice(start, start + (counts[a] ?? 0));
  };
  const list = (elems: readonly Atom[]): Atom =>
    b.let("t", { kind: "tuple", elems: elems.map(({ type }) => type) }, { kind: "tuple", elems });
  const parts: readonly (Key | null)[] =
    isHessian && tuple ? by.map((_, i) => field(String(i))) : [null];
  const blocks = parts.map((key) =>
    by.map((arg, a) => {
      const of = (atom: Atom): Atom =>
        key === null ? atom : b.load("t", partType(atom.type, key, types), atom, key);
      return new Shape(types, arg).of(
        b,
        key === null ? value : partType(value, key, types),
        of(own),
        columns(a).map(of),
      );
    }),
  );
  const rows = blocks.map((row) => (tuple ? list(row) : (row[0] ?? num(0))));
  const whole = isHessian && tuple ? list(rows) : (rows[0] ?? num(0));
  if (!hasAux) return whole;
  const second = resolve(like.type, types);
  return list([
    whole,
    b.load("t", (second.kind === "tuple" ? second.elems[1] : undefined) ?? NUM, like, field("1")),
  ]);
}

function partType(type: Type, key: Key, types: Types): Type {
  const shape = resolve(type, types);
  const name = key.kind === "field" ? key.name : "";
  if (shape.kind === "array") return shape.elem;
  if (shape.kind === "tuple") return shape.elems[Number(name)] ?? NUM;
  return (
    (shape.kind === "record" ? shape.fields.find((one) => one.name === name)?.type : undefined) ??
    NUM
  );
}

/** A value with the shape of `arg` in place of each number. */
class Shape {
  readonly #types: Types;
  readonly #arg: Type;

  constructor(types: Types, arg: Type) {
    this.#types = types;
    this.#arg = arg;
  }

  /** `like`: a value of the type, which says how long arrays are. `columns`: its tangents. */
  of(b: Builder, type: Type, like: Atom, columns: readonly Atom[]): Atom {
    const shape = resolve(type, this.#types);
    const inside = (into: Builder, inner: Type, key: Key): Atom => {
      const part = (atom: Atom): Atom =>
        into.load("t", partType(atom.type, key, this.#types), atom, key);
      return this.of(into, inner, isScalarType(inner) ? like : part(like), columns.map(part));
    };
    if (shape.kind === "tuple") {
      const elems = shape.elems.map((elem, i) => inside(b, elem, field(String(i))));
      return b.let(
        "t",
        { kind: "tuple", elems: elems.map((elem) => elem.type) },
        { kind: "tuple", elems },
      );
    }
    if (shape.kind === "record") {
      const fields = shape.fields.flatMap(({ name, type: inner }) =>
        hasNumbers(inner, this.#types) ? [{ name, value: inside(b, inner, field(name)) }] : [],
      );
      return b.let(
        "t",
        { kind: "record", fields: fields.map(({ name, value }) => ({ name, type: value.type })) },
        { kind: "record", fields },
      );
    }
    if (shape.kind === "array")
      return this.#array(b, like, (into, at) => inside(into, shape.elem, index(at)));
    const rest = [...columns];
    return shaped(b, this.#arg, this.#types, () => rest.shift() ?? num(0));
  }

  #array(b: Builder, like: Atom, element: (into: Builder, at: Var) => Atom): Atom {
    const length = b.let("t", NUM, { kind: "length", object: like });
    const at: Var = { kind: "var", name: b.names.fresh("k"), type: NUM };
    const inner = b.nested();
    const value = element(inner, at);
    const made = b.let(
      "t",
      { kind: "array", store: "Array", elem: value.type },
      { kind: "alloc", length, fill: null },
    );
    inner.emit({ kind: "store", object: made, key: index(at), value, initial: true });
    b.emit({
      kind: "for",
      index: at,
      from: num(0),
      test: "<",
      to: length,
      step: 1,
      carried: [],
      body: inner.body(),
      binds: [],
    });
    return made;
  }
}
