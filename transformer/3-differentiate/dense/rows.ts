// `f$jacrev`: the Jacobian of a function whose result is a known number of numbers. In: a derivative that takes the result's cotangent, optimised. Out: a function that
// returns the whole Jacobian: one forward sweep, and one reverse sweep that carries a cotangent for each number of the result, started with 1 there and 0 elsewhere.
// Invariant: of the shape that runtime/jacobian.ts gives; the objects of a row are its own. Null where the form has to walk at run time.

import { Builder, field, num } from "../../ir/build.ts";
import { hasNumbers, resolve, shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Key, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { dependenceOf } from "./dependence.ts";
import { atomsIn, isList, type Returned, several, sizeOf, unpacked } from "./several.ts";

export interface RowsRequest {
  /** `(...args, seed) => [...cotangents]`, with `hasAux` `[[...cotangents], aux]`. */
  readonly pull: Func;
  readonly name: string;
  /** Of the result that is differentiated: with `hasAux` of its value. */
  readonly value: Type;
  readonly hasAux: boolean;
  /** Types of the cotangents, as they are asked for. */
  readonly bars: readonly Type[];
  /** Whether the Jacobians by each argument come as a tuple. */
  readonly tuple: boolean;
  readonly types: Types;
}

/** Statements up to which reverse code is written once for each number of the result. */
const MOST_STATEMENTS = 1500;

export function rowsOf({ pull, name, value, hasAux, bars, tuple, types }: RowsRequest): Func | null {
  const places = placesOf(value, types);
  const seed = pull.params.at(-1), params = pull.params.slice(0, -1);
  if (places === null || places.length === 0 || seed === undefined || places.length * sizeOf(pull) > MOST_STATEMENTS) return null;
  const { body, returned } = unpacked(pull.body);
  const cotangents = part(returned, hasAux ? 0 : null), aux = hasAux ? part(returned, 1) : null;
  if (cotangents === null || !isList(cotangents) || cotangents.length !== bars.length || (aux !== null && isList(aux)) || (hasAux && aux === null)) return null;
  const depends = dependenceOf({ ...pull, body }, [seed], atomsIn(cotangents));
  if (depends === null || (aux !== null && depends(aux))) return null;
  const names = namesOf(pull), b = new Builder(names, pull.origin, true);
  const seeds = places.map((place) => [unit(b, seed.type, place, types)]);
  const sweep = several(body, [seed.name], seeds, depends, names);
  b.stmts.push(...sweep.stmts);
  const by = cotangents.map((bar, k) => {
    const rows = places.map((_, time) => packed(b, bar, bars[k] ?? value, (atom) => sweep.at(atom, time), types));
    return shaped(b, value, types, () => rows.shift() ?? num(0));
  });
  const jacobian = tuple ? b.let("t", { kind: "tuple", elems: by.map(({ type }) => type) }, { kind: "tuple", elems: by }) : (by[0] ?? num(0));
  const result = aux === null ? jacobian : b.let("t", { kind: "tuple", elems: [jacobian.type, aux.type] }, { kind: "tuple", elems: [jacobian, aux] });
  return { ...pull, name, params, result: result.type, body: b.body([result]), ...(pull.paramText === undefined ? {} : { paramText: pull.paramText.slice(0, -1) }) };
}

/** What is returned, with its tuples made once more. */
function packed(b: Builder, returned: Returned, type: Type, at: (atom: Atom) => Atom, types: Types): Atom {
  if (!isList(returned)) return at(returned);
  const shape = resolve(type, types);
  return b.let("t", type, { kind: "tuple", elems: returned.map((one, i) => packed(b, one, (shape.kind === "tuple" ? shape.elems[i] : undefined) ?? type, at, types)) });
}

/** An element of what is returned; all of it for null. */
function part(returned: Returned, i: number | null): Returned | null {
  if (i === null) return returned;
  return isList(returned) ? (returned[i] ?? null) : null;
}

/** The numbers of a value of tuples and records, in order; null for what has other parts. */
export function placesOf(type: Type, types: Types): readonly (readonly Key[])[] | null {
  if (type.kind === "named" && types.get(type.name)?.instance !== undefined) return null;
  const shape = resolve(type, types);
  const inside = (key: Key, inner: Type): readonly (readonly Key[])[] | null => placesOf(inner, types)?.map((path) => [key, ...path]) ?? null;
  switch (shape.kind) {
    case "num": return [[]];
    case "tuple": return joined(shape.elems.map((elem, i) => inside(field(String(i)), elem)));
    case "record": return shape.tagged === true ? null : joined(shape.fields.flatMap(({ name, type: inner }) => (hasNumbers(inner, types) ? [inside(field(name), inner)] : [])));
    case "bool": case "leaf": case "array": case "opt": case "dict": case "union": case "named": case "tape": case "func": case "cotangent": case "void": return null;
  }
}

const joined = <T>(parts: readonly (readonly T[] | null)[]): readonly T[] | null => (parts.some((one) => one === null) ? null : parts.flatMap((one) => one ?? []));

/** A shadow that is 1 at one place and 0 elsewhere. */
function unit(b: Builder, type: Type, place: readonly Key[], types: Types): Atom {
  const next = (name: string, inner: Type): Atom => {
    const [first, ...rest] = place;
    return unit(b, inner, first?.kind === "field" && first.name === name ? rest : [field("")], types);
  };
  const shape = resolve(type, types);
  if (shape.kind === "tuple") return b.let("t", type, { kind: "tuple", elems: shape.elems.map((elem, i) => next(String(i), elem)) });
  if (shape.kind === "record") return b.let("t", type, { kind: "record", fields: shape.fields.map(({ name, type: inner }) => ({ name, value: next(name, inner) })) });
  return num(place.length === 0 ? 1 : 0);
}

/** A value of the shape of another, with the next atom in place of each number; fields without numbers drop out. */
function shaped(b: Builder, type: Type, types: Types, next: () => Atom): Atom {
  const shape = resolve(type, types);
  if (shape.kind === "tuple") {
    const elems = shape.elems.map((elem) => shaped(b, elem, types, next));
    return b.let("t", { kind: "tuple", elems: elems.map((elem) => elem.type) }, { kind: "tuple", elems });
  }
  if (shape.kind === "record") {
    const fields = shape.fields.flatMap(({ name, type: inner }) => (hasNumbers(inner, types) ? [{ name, value: shaped(b, inner, types, next) }] : []));
    return b.let("t", { kind: "record", fields: fields.map(({ name, value }) => ({ name, type: value.type })) }, { kind: "record", fields });
  }
  return next();
}

/** Types of the cotangents of arguments. */
export const barTypes = (params: readonly Var[], asked: readonly number[], types: Types): readonly Type[] =>
  asked.map((i) => { const type = params[i]?.type ?? num(0).type; return shadowType(type, types) ?? type; });
