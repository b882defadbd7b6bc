// `f$jacfwd` and `f$hessian`: a Jacobian with respect to a known number of numbers. Input: the
// simplified forward mode of a function, or of its gradient. Output: a function that gives the
// whole matrix in one pass. The pass carries a tangent for each number of the requested arguments:
// 1 there and 0 elsewhere.
// Invariant: the shape is that of runtime/jacobian.ts. Null where the form has to walk at run time:
// an argument that holds objects may hold one of them twice.

import { Builder, field, index, NUM, num } from "../../ir/build.ts";
import { hasNumbers, isScalarType, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Key, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { dependenceOf } from "./dependence.ts";
import { MOST_STATEMENTS } from "./rows.ts";
import { part, forSeveralSeeds, sizeOf, unpacked } from "./several-seeds.ts";
import { repackTuples, placesOf, shaped, unit } from "./shape.ts";
import { countTo, freshNumber, record, tuple } from "../fragments.ts";

export interface ColumnsRequest {
  /** `(...args, ...tangents) => [value, tangent]`. */
  readonly push: Func;
  readonly name: string;
  /** Types of the arguments that have tangents, in the order of those. */
  readonly by: readonly Type[];
  /** The type of what is differentiated: the value, or its first element with `hasAux`. */
  readonly value: Type;
  readonly hasAux: boolean;
  /** Whether the value is a gradient; with `tuple`, a tuple of independent ones. */
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
  const sweep = forSeveralSeeds(
    body,
    seeds.map(({ name }) => name),
    tangents,
    depends,
    names,
  );
  b.stmts.push(...sweep.stmts);
  const like = repackTuples(b, primal, type, (atom) => sweep.at(atom, 0), types);
  const dots = tangents.map((_, time) =>
    repackTuples(b, tangent, dotType, (atom) => sweep.at(atom, time), types),
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

/** Whether a type is a number, or one object whose parts are numbers. */
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

/** Whether each number has one place, in tuples, records and arrays of any length. */
// eslint-disable-next-line complexity -- flat exhaustive switch over type kinds
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

/** The matrix in blocks: for each part of the value, one block per argument. */
function matrix(
  b: Builder,
  { value, hasAux, by, isHessian, tuple: isTuple, types }: ColumnsRequest,
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
  const parts: readonly (Key | null)[] =
    isHessian && isTuple ? by.map((_, i) => field(String(i))) : [null];
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
  const rows = blocks.map((row) => (isTuple ? tuple(b, row) : (row[0] ?? num(0))));
  const whole = isHessian && isTuple ? tuple(b, rows) : (rows[0] ?? num(0));
  if (!hasAux) return whole;
  const second = resolve(like.type, types);
  return tuple(b, [
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

/** Makes values with the shape of `arg` in place of each number. */
class Shape {
  readonly #types: Types;
  readonly #arg: Type;

  constructor(types: Types, arg: Type) {
    this.#types = types;
    this.#arg = arg;
  }

  /** `like`: a value of the type, which gives the lengths of arrays. `columns`: its tangents. */
  of(b: Builder, type: Type, like: Atom, columns: readonly Atom[]): Atom {
    const shape = resolve(type, this.#types);
    const inside = (into: Builder, inner: Type, key: Key): Atom => {
      const part = (atom: Atom): Atom =>
        into.load("t", partType(atom.type, key, this.#types), atom, key);
      return this.of(into, inner, isScalarType(inner) ? like : part(like), columns.map(part));
    };
    if (shape.kind === "tuple") {
      const elems = shape.elems.map((elem, i) => inside(b, elem, field(String(i))));
      return tuple(b, elems);
    }
    if (shape.kind === "record") {
      const fields = shape.fields.flatMap(({ name, type: inner }) =>
        hasNumbers(inner, this.#types) ? [{ name, value: inside(b, inner, field(name)) }] : [],
      );
      return record(b, fields);
    }
    if (shape.kind === "array")
      return this.#array(b, like, (into, at) => inside(into, shape.elem, index(at)));
    const rest = [...columns];
    return shaped(b, this.#arg, this.#types, () => rest.shift() ?? num(0));
  }

  #array(b: Builder, like: Atom, element: (into: Builder, at: Var) => Atom): Atom {
    const length = b.length(like);
    const at = freshNumber(b.names, "k");
    const inner = b.nested();
    const value = element(inner, at);
    const made = b.let(
      "t",
      { kind: "array", store: "Array", elem: value.type },
      { kind: "alloc", length, fill: null },
    );
    inner.emit({ kind: "store", object: made, key: index(at), value, initial: true });
    b.emit(countTo(at, length, inner.body()));
    return made;
  }
}
