// `f$jacrev`: the Jacobian of a function whose result is a known number of numbers. In: a derivative that takes the result's cotangent, optimised. Out: a function that
// returns the whole Jacobian: one forward sweep, and one reverse sweep that carries a cotangent for each number of the result, started with 1 there and 0 elsewhere.
// Invariant: of the shape that runtime/jacobian.ts gives; the objects of a row are its own. Null where the form has to walk at run time.

import { Builder, num, NUM } from "../../ir/build.ts";
import { shadowType, type Types } from "../../ir/shadow.ts";
import type { Func, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { dependenceOf } from "./dependence.ts";
import { atomsIn, isList, part, several, sizeOf, unpacked } from "./several.ts";
import { packed, placesOf, shaped, unit } from "./shape.ts";

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
export const MOST_STATEMENTS = 1500;

export function rowsOf({
  pull,
  name,
  value,
  hasAux,
  bars,
  tuple,
  types,
}: RowsRequest): Func | null {
  const places = placesOf(value, types);
  const seed = pull.params.at(-1);
  const params = pull.params.slice(0, -1);
  if (
    places === null ||
    places.length === 0 ||
    seed === undefined ||
    places.length * sizeOf(pull) > MOST_STATEMENTS
  )
    return null;
  const { body, returned } = unpacked(pull.body);
  const cotangents = part(returned, hasAux ? 0 : null);
  const aux = hasAux ? part(returned, 1) : null;
  if (
    cotangents === null ||
    !isList(cotangents) ||
    cotangents.length !== bars.length ||
    (aux !== null && isList(aux)) ||
    (hasAux && aux === null)
  )
    return null;
  const depends = dependenceOf({ ...pull, body }, [seed], atomsIn(cotangents));
  if (depends === null || (aux !== null && depends(aux))) return null;
  const names = namesOf(pull);
  const b = new Builder(names, pull.origin, true);
  const seeds = places.map((place) => [unit(b, seed.type, place, types)]);
  const sweep = several(body, [seed.name], seeds, depends, names);
  b.stmts.push(...sweep.stmts);
  const by = cotangents.map((bar, k) => {
    const rows = places.map((_, time) =>
      packed(b, bar, bars[k] ?? value, (atom) => sweep.at(atom, time), types),
    );
    return shaped(b, value, types, () => rows.shift() ?? num(0));
  });
  const jacobian = tuple
    ? b.let("t", { kind: "tuple", elems: by.map(({ type }) => type) }, { kind: "tuple", elems: by })
    : (by[0] ?? num(0));
  const result =
    aux === null
      ? jacobian
      : b.let(
          "t",
          { kind: "tuple", elems: [jacobian.type, aux.type] },
          { kind: "tuple", elems: [jacobian, aux] },
        );
  return {
    ...pull,
    name,
    params,
    result: result.type,
    body: b.body([result]),
    ...(pull.paramText === undefined ? {} : { paramText: pull.paramText.slice(0, -1) }),
  };
}

/** Types of the cotangents of arguments. */
export const barTypes = (
  params: readonly Var[],
  asked: readonly number[],
  types: Types,
): readonly Type[] =>
  asked.map((i) => {
    const type = params[i]?.type ?? NUM;
    return shadowType(type, types) ?? type;
  });
