// `f$jacrev`: the Jacobian of a function whose result has a known number of numbers. Input: a
// simplified derivative that takes the result's cotangent. Output: a function that returns the
// whole Jacobian. It has one forward sweep, and one reverse sweep that carries a cotangent for each
// number of the result: 1 there and 0 elsewhere.
// Invariant: the shape is that of runtime/jacobian.ts; no two rows share objects. Null where the
// form has to walk objects at run time.

import { Builder, num, NUM } from "../../ir/build.ts";
import { shadowType, type Types } from "../../ir/shadow.ts";
import type { Atom, Func, Type, Var } from "../../ir/types.ts";
import { namesOf } from "../../ir/visit.ts";
import { dependenceOf } from "./dependence.ts";
import {
  atomsIn,
  isList,
  part,
  type Returned,
  forSeveralSeeds,
  sizeOf,
  unpacked,
} from "./several-seeds.ts";
import { repackTuples, placesOf, shaped, unit } from "./shape.ts";
import { tuple } from "../fragments.ts";

export interface RowsRequest {
  /** `(...args, seed) => [...cotangents]`, with `hasAux` `[[...cotangents], aux]`. */
  readonly pull: Func;
  readonly name: string;
  /** The type of the differentiated part of the result: with `hasAux`, its first element. */
  readonly value: Type;
  readonly hasAux: boolean;
  /** The types of the requested cotangents. */
  readonly bars: readonly Type[];
  /** Whether the Jacobians by each argument are returned as a tuple. */
  readonly tuple: boolean;
  readonly types: Types;
}

/** The size up to which reverse code is repeated for each number of the result. */
export const MOST_STATEMENTS = 1500;

export function rowsOf(request: RowsRequest): Func | null {
  const { pull, name, value, bars, types } = request;
  const places = placesOf(value, types);
  const seed = pull.params.at(-1);
  if (
    places === null ||
    places.length === 0 ||
    seed === undefined ||
    places.length * sizeOf(pull) > MOST_STATEMENTS
  )
    return null;
  const { body, returned } = unpacked(pull.body);
  const parts = partsOf(returned, request);
  if (parts === null) return null;
  const { cotangents, aux } = parts;
  const depends = dependenceOf({ ...pull, body }, [seed], atomsIn(cotangents));
  if (depends === null || (aux !== null && depends(aux))) return null;
  const names = namesOf(pull);
  const b = new Builder(names, pull.origin, true);
  const seeds = places.map((place) => [unit(b, seed.type, place, types)]);
  const sweep = forSeveralSeeds(body, [seed.name], seeds, depends, names);
  b.stmts.push(...sweep.stmts);
  const by = cotangents.map((bar, k) => {
    const rows = places.map((_, time) =>
      repackTuples(b, bar, bars[k] ?? value, (atom) => sweep.at(atom, time), types),
    );
    return shaped(b, value, types, () => rows.shift() ?? num(0));
  });
  const jacobian = request.tuple ? tuple(b, by) : (by[0] ?? num(0));
  const result = aux === null ? jacobian : tuple(b, [jacobian, aux]);
  return {
    ...pull,
    name,
    params: pull.params.slice(0, -1),
    result: result.type,
    body: b.body([result]),
    ...(pull.paramText === undefined ? {} : { paramText: pull.paramText.slice(0, -1) }),
  };
}

/** The returned cotangents and aux; null if they are not returned one by one. */
function partsOf(
  returned: Returned,
  { hasAux, bars }: RowsRequest,
): { readonly cotangents: readonly Returned[]; readonly aux: Atom | null } | null {
  const cotangents = part(returned, hasAux ? 0 : null);
  if (cotangents === null || !isList(cotangents) || cotangents.length !== bars.length) return null;
  if (!hasAux) return { cotangents, aux: null };
  const aux = part(returned, 1);
  return aux === null || isList(aux) ? null : { cotangents, aux };
}

/** The types of the cotangents of arguments. */
export const barTypes = (
  params: readonly Var[],
  asked: readonly number[],
  types: Types,
): readonly Type[] =>
  asked.map((i) => {
    const type = params[i]?.type ?? NUM;
    return shadowType(type, types) ?? type;
  });
