// Rules where their derivatives are differentiated. The rule is run on arguments with ids, and its
// pullback once for each number of the result, so that the partials have ids. In: a call of a
// function with a rule. Out: its value, each number of which is a node.

import { namedSeeds, valueAround } from "../captures.ts";
import { applied, deltaOf } from "../dispatch.ts";
import { copied, isSame } from "../copy.ts";
import { idsOf, planOf, seedAt, type Plan } from "../inputs.ts";
import { ret } from "../register.ts";
import { barOf, givenTo, refused, valueOf, type Ruled } from "../rule.ts";
import { reading } from "../run.ts";
import type { DeltaFunction, Id, Value } from "../value.ts";
import { copiedWithIds, seedsWithIds, vjp } from "./nested.ts";
import { CapturedPairs, givenFunction } from "./given-functions.ts";
import { higherN } from "./nodes.ts";
import type { Seed } from "./sweeps.ts";

/** The cotangents of the arguments, as a list with ids. */
type Pull = (bar: Value) => Value;

export function byRule(own: Ruled, ids: Id[], given: Value[]): Value {
  const { args, active } = givenTo(own, given);
  const plain: Value[] = copied(args);
  const met = new Map();
  plain.forEach((arg) => planOf(arg, 0, reading, met));
  const around = own.captures === undefined ? null : valueAround(own, plain);
  const value: Value = around === null ? valueOf(own, plain, met) : around.value;
  if (!isSame(plain, args)) throw refused(own, "writes its arguments; let it write copies of them");
  const plans = args.map((arg, k) =>
    planOf(arg, typeof arg === "number" ? (ids[k] ?? 0) : 0, reading, new Map()),
  );
  const isAround = (around?.captures.older.length ?? 0) > 0;
  if (
    !isAround &&
    !active.some(Boolean) &&
    !plans.some((plan) => idsOf(plan).some((each) => each !== 0))
  )
    return ret(value, 0);
  const copies = copiedWithIds(args, ids);
  given.forEach((each, k) => {
    if (typeof each === "function") copies[k] = givenFunction(each);
  });
  const pull = own.mode === "vjp" ? pullbackOf(own, copies, ids) : transposeOf(own, copies, ids);
  return recorded(value, (bar) => {
    const bars = pull(bar);
    const seeds = seedsOfArguments(own, plans, active, bars);
    if (around === null) return nodeOf(seeds);
    const record: Value = bars[plans.length];
    const named = namedSeeds(own, around.captures, record, (plan, name) => {
      const bar: Value = record[name];
      return seedsWithIds(plan, bar, typeof bar === "number" ? reading.at(record, name, "key") : 0);
    });
    return nodeOf([...seeds, ...named]);
  });
}

function pullbackOf(own: Ruled, copies: Value[], ids: Id[]): Pull {
  const pair: Value = applied(own.rule, undefined, copies, ids);
  const pullback: Value = Array.isArray(pair) ? pair[1] : undefined;
  if (typeof pullback !== "function")
    throw refused(own, "the rule returned something else than `[value, pullback]`");
  return (bar) => applied(pullback, undefined, [bar], [0]);
}

/** The rule of `customJvp` is linear in the tangents. */
function transposeOf(own: Ruled, copies: Value[], ids: Id[]): Pull {
  copies.forEach((copy, k) => {
    if (typeof copy === "number" && ids[k] !== undefined) seedAt(copies, k, "key", ids[k]);
  });
  const zeros = copied(copies, 0).map((tangent: Value) =>
    idsOf(planOf(tangent, 0, reading, new Map())).length === 0 ? undefined : tangent,
  );
  const rule: DeltaFunction =
    deltaOf(own.rule) ?? ((inner, ...args) => applied(own.rule, undefined, args, inner));
  const pullback: Value = vjp(rule, [copies, zeros], [0, 0], { argnums: 1 })[1];
  return (bar) => applied(pullback, undefined, [[undefined, bar]], [0]);
}

/** The cotangents of the arguments for one number of the result. */
function seedsOfArguments(
  own: Ruled,
  plans: readonly Plan[],
  active: readonly boolean[],
  bars: Value,
): readonly Seed[] {
  if (!Array.isArray(bars)) throw refused(own, "its pullback returned no list");
  return plans.flatMap((plan, k) => {
    if (bars[k] instanceof CapturedPairs) return bars[k].seeds();
    const isFunction = active[k] === true;
    if (!isFunction && !idsOf(plan).some((each) => each !== 0)) return [];
    if (isFunction || bars[k] === undefined || bars[k] === null)
      throw refused(own, `its pullback returned no cotangent of argument ${k}`);
    return seedsWithIds(
      plan,
      bars[k],
      typeof bars[k] === "number" ? reading.at(bars, k, "key") : 0,
    );
  });
}

/** The node of a number of the result. */
function nodeOf(seeds: readonly Seed[]): Id {
  const nonzero = seeds.filter(([, amount, amountId]) => amount !== 0 || amountId !== 0);
  return higherN(
    nonzero.map(([to]) => to),
    nonzero.map(([, amount]) => amount),
    nonzero.map(([, , amountId]) => amountId),
  );
}

function recorded(value: Value, nodeFor: (bar: Value) => Id): Value {
  if (typeof value === "number") {
    const own = nodeFor(1);
    return ret(value, own);
  }
  const places: (readonly [o: Value, key: Value, kind: "key" | "view" | "entry"])[] = [];
  planOf(value, 0, { number: () => 0, at: (...place) => places.push(place) }, new Map());
  const like: Value = copied([value])[0];
  const order = places.map((_, k) => k + 1);
  const nodes = order.map((k) => nodeFor(barOf(like, order, (at) => (at === k ? 1 : 0))));
  places.forEach((place, k) => {
    seedAt(...place, nodes[k] ?? 0);
  });
  return ret(value, 0);
}
