// Derivatives within derivatives: a run on the tape of the run around it, whose sweep is recorded
// there. Its inputs are nodes of their own for the numbers that it is given, so that it passes
// through them alone. Numbers of results have ids, as those of any other rewritten function.

import { copied } from "../copy.ts";
import { link } from "../dispatch.ts";
import { cotangents, idsOf, planOf, seedAt, type Places, type Plan } from "../inputs.ts";
import { id, ret, setId } from "../register.ts";
import {
  entryOf,
  isPromise,
  jvp,
  listed,
  planAt,
  plansOf,
  reading,
  resultOf,
  type Activated,
  type Spec,
} from "../run.ts";
import { note, promiseId } from "../async.ts";
import { beginInner, end } from "../runs.ts";
import { seedsOf } from "../seeds.ts";
import { resume, run, type Run } from "../store.ts";
import { keep, next, stretch } from "../tape.ts";
import { noNumber, throwCaught, type DeltaFunction, type Id, type Value } from "../value.ts";
import { idTree } from "./id-trees.ts";
import { again } from "./nodes.ts";
import { sweptBack, sweptOn, type Older, type Pairs, type Seed } from "./sweeps.ts";

/** A place of a number, with the id that it had before and the one that it got. */
type Separated = readonly [
  o: Value,
  key: Value,
  kind: "key" | "view" | "entry",
  before: Id,
  own: Id,
];

/** Each number of the arguments gets a node of its own. */
const separating = (places: Separated[]): Places => ({
  number: () => 0,
  at: (o, key, kind) => {
    const before = reading.at(o, key, kind);
    const to = again(before);
    seedAt(o, key, kind, to);
    places.push([o, key, kind, before, to]);
    return to;
  },
});

/** An object that outlives the outer run keeps no id of it, unless it was written. */
function joinAgain(places: readonly Separated[]): void {
  for (const [o, key, kind, before, own] of places)
    if (reading.at(o, key, kind) === own) seedAt(o, key, kind, before);
}

type Finish = (value: Value, own: Id, given: Activated, run: Run) => Value;

function within(
  f: DeltaFunction,
  args: Value[],
  ids: readonly Id[],
  spec: Spec & { readonly active: readonly number[] },
  finish: Finish,
): Value {
  const own = beginInner(run.depth + 1);
  const places: Separated[] = [];
  let isWaiting = false;
  try {
    own.args = args;
    const given = args.map((arg, k) =>
      typeof arg === "number" && spec.active.includes(k) ? again(ids[k] ?? 0) : (ids[k] ?? 0),
    );
    const plans = plansOf(args, spec.active, spec.isShared === true, separating(places));
    const active = {
      ids: given.map((each, k) => (spec.active.includes(k) ? each : 0)),
      plans,
    };
    own.computed = next();
    const value = f(given, ...args);
    const at = id;
    throwCaught(own);
    if (!isPromise(value)) return finish(value, at, active, own);
    isWaiting = true;
    own.suspended = true;
    if (own.outer !== undefined) resume(own.outer);
    return settled(value, { own, places }, (result, to) => finish(result, to, active, own));
  } finally {
    if (!isWaiting) {
      const at = id;
      end(own);
      joinAgain(places);
      setId(at);
    }
  }
}

/** The derivative as a promise. The run around it goes on while the function waits. */
function settled(
  value: Promise<Value>,
  { own, places }: { readonly own: Run; readonly places: readonly Separated[] },
  finish: (value: Value, at: Id) => Value,
): Value {
  const later = async (): Promise<Value> => {
    try {
      const result: Value = await value;
      resume(own);
      throwCaught(own);
      const derived: Value = finish(result, typeof result === "number" ? promiseId(value) : 0);
      note(own.outer ?? own, promise, derived, id);
      return derived;
    } finally {
      end(own);
      joinAgain(places);
    }
  };
  const promise = later();
  return promise;
}

/** A copy of values with the ids of their numbers. `ids`: of values that are numbers. */
export function copiedWithIds(values: Value[], ids: readonly Id[]): Value[] {
  const at: Id[] = [];
  const visiting = (visit: Places["at"]): Places => ({ number: () => 0, at: visit });
  const walk = (all: Value[], places: Places): void => {
    const met = new Map();
    all.forEach((each, k) => planOf(each, ids[k] ?? 0, places, met));
  };
  walk(
    values,
    visiting((o, key, kind) => at[at.push(reading.at(o, key, kind)) - 1] ?? 0),
  );
  const copies: Value[] = copied(values);
  let k = 0;
  walk(
    copies,
    visiting((o, key, kind) => {
      const to = at[k++] ?? 0;
      if (to !== 0) seedAt(o, key, kind, to);
      return to;
    }),
  );
  return copies;
}

/** Seeds with ids, by the plan of the numbers. */
export function seedsWithIds(
  plan: Plan,
  seed: Value,
  own: Id,
  name?: string,
  tags?: readonly string[],
): readonly Seed[] {
  const ids = seedsOf(plan, idTree(seed, own), name, tags);
  return seedsOf(plan, seed, name, tags).map(([at, value], k): Seed => [
    at,
    value,
    ids[k]?.[1] ?? 0,
  ]);
}

/** Builds what the sweep found for a plan. */
function building(
  pairs: Pairs,
  leaves?: readonly string[],
  tags?: readonly string[],
): (plan: Plan | undefined) => Value {
  const { values, start } = pairs;
  const build = cotangents(
    {
      values,
      start,
      built: (o, key, kind, of) => {
        const own = pairs.idOf(of);
        if (own !== 0) seedAt(o, key, kind, own);
      },
    },
    leaves,
    tags,
  );
  return (plan) => ret(entryOf(plan, build), plan?.kind === "number" ? pairs.idOf(plan.id) : 0);
}

function pulledBack(
  pairs: Pairs,
  given: Activated,
  places: number | readonly number[],
  { leaves, tags }: Spec,
): Value {
  const build = building(pairs, leaves, tags);
  if (typeof places === "number") return build(planAt(given, places));
  return listOf(places.map((place) => [build(planAt(given, place)), id]));
}

/** A list of numbers with ids, or of other values. */
export function listOf(pairs: readonly (readonly [Value, Id])[]): Value[] {
  const list = pairs.map(([value]): Value => value);
  pairs.forEach(([value, own], k) => {
    if (typeof value === "number" && own !== 0) seedAt(list, k, "key", own);
  });
  return ret(list, 0);
}

/** `pick`: what is wanted of the value and the gradient. */
function gradient(
  f: DeltaFunction,
  args: Value[],
  ids: readonly Id[],
  spec: Spec,
  pick: (both: Value) => Value,
): Value {
  const argnums = spec.argnums ?? 0;
  return within(f, args, ids, { ...spec, active: listed(argnums, []) }, (value, at, given, own) => {
    const isPair = spec.hasAux === true;
    const result: Value = isPair ? value?.[0] : value;
    const to = isPair ? reading.at(value, 0, "key") : at;
    if (typeof result !== "number") throw noNumber(result);
    const pairs = sweptBack(stretch(own.from, own.computed), to === 0 ? [] : [[to, 1, 0]]);
    const cotangent = pulledBack(pairs, given, argnums, spec);
    return pick(
      listOf([
        [value, at],
        [cotangent, id],
      ]),
    );
  });
}

type Derive = (f: DeltaFunction, args: Value[], ids: readonly Id[], spec: Spec) => Value;

export const valueAndGrad: Derive = (f, args, ids, spec) =>
  gradient(f, args, ids, spec, (both) => both);

export const grad: Derive = (f, args, ids, spec) =>
  gradient(f, args, ids, spec, (both) => gradientIn(both, spec));

function gradientIn(both: Value, spec: Spec): Value {
  const own = reading.at(both, 1, "key");
  if (spec.hasAux !== true) return ret(both[1], typeof both[1] === "number" ? own : 0);
  const aux: Value = both[0][1];
  return listOf([
    [both[1], own],
    [aux, typeof aux === "number" ? reading.at(both[0], 1, "key") : 0],
  ]);
}

/**
 * The value, and a pullback that is a rewritten function. `captured`: makes what the pullback
 * returns last, the cotangent of older nodes.
 */
export function vjp(
  f: DeltaFunction,
  args: Value[],
  ids: readonly Id[],
  spec: Spec,
  captured?: () => Older,
): Value {
  const all = [...args.keys()];
  const active = listed(spec.argnums, all);
  return within(f, args, ids, { ...spec, active }, (value, at, given, own) => {
    const result = resultOf({ value, id: typeof value === "number" ? at : 0 }, spec);
    const nodes = keep(own.from, own.computed);
    const delta = ([barId]: Id[], bar: Value): Value => {
      const older = captured?.();
      const pairs = sweptBack(nodes, seedsWithIds(result.result, bar, barId ?? 0), older);
      const bars = pulledBack(pairs, given, spec.argnums ?? all, spec);
      if (older !== undefined) bars.push(older);
      return bars;
    };
    const pullback = link((bar: Value): Value => delta([0], bar), delta);
    const of =
      typeof result.value !== "number"
        ? 0
        : spec.hasAux === true
          ? reading.at(value, 0, "key")
          : at;
    const pair: [Value, Id][] = [
      [result.value, of],
      [pullback, 0],
    ];
    return listOf(spec.hasAux === true ? [...pair, [value[1], reading.at(value, 1, "key")]] : pair);
  });
}

/** `[value, tangent]`. `tangentIds`: of tangents that are numbers. */
export function pushed(
  f: DeltaFunction,
  args: Value[],
  ids: readonly Id[],
  tangents: readonly [values: Value[], ids: readonly Id[]],
  spec: Spec,
): Value {
  const active = listed(spec.argnums, [...args.keys()]);
  return within(f, args, ids, { ...spec, active }, (value, at, given, own) => {
    const of = typeof value === "number" ? at : 0;
    const { result } = resultOf({ value, id: of }, spec);
    const seeds = active.flatMap((place, k) => {
      const plan = planAt(given, place);
      return plan === undefined
        ? []
        : seedsWithIds(plan, tangents[0][k], tangents[1][k] ?? 0, `tangent ${k}`, spec.tags);
    });
    const dots = sweptOn(stretch(own.from, own.computed), seeds, idsOf(result));
    const tangent = building(dots, spec.result?.leaves, spec.result?.tags)(result);
    const pair = id;
    return listOf([
      [value, of],
      spec.hasAux === true
        ? [
            listOf([
              [tangent, pair],
              [undefined, 0],
            ]),
            0,
          ]
        : [tangent, pair],
    ]);
  });
}

/** The gradient and its tangent, as `jvp` gives them: forward over reverse. */
export function second(f: DeltaFunction, args: Value[], tangents: Value[], spec: Spec = {}): Value {
  const { hasAux, isShared, leaves = [], tags = [] } = spec;
  const argnums = spec.argnums ?? 0;
  return jvp((ids, ...all) => grad(f, all, ids, spec), args, tangents, {
    argnums: listed(argnums, []),
    ...(hasAux === undefined ? {} : { hasAux }),
    ...(isShared === undefined ? {} : { isShared }),
    tags,
    result: { leaves, tags },
  });
}
