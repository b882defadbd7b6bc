// Derivatives of lean programs, in which only numbers, arrays and records have derivatives by type.
// Gives cotangents as run.ts does, with less code. Anything else at run time throws.

import { evaluateOne, giveBack } from "./evaluate.ts";
import { unforeseen } from "./families.ts";
import { id, setId } from "./register.ts";
import { setGiving } from "./object-data.ts";
import { begin, end } from "./runs.ts";
import { type Run } from "./store.ts";
import { next, unwritten } from "./tape.ts";
import { noNumber, throwCaught, type DeltaFunction, type Id, type Value } from "./value.ts";

/** Requested positions; an array requests an array. Default: argument 0. */
type Argnums = number | readonly number[];

/**
 * Gives ids to the requested objects' numbers and returns builders of cotangents by position.
 * `start`: the id of the first adjoint. `depths`: nesting depth by argument.
 */
export type Cotangents = (
  args: readonly Value[],
  places: readonly number[],
  depths: readonly number[] | undefined,
) => readonly ((adjoints: Float64Array, start: Id) => Value)[];

type Builds = ReturnType<Cotangents> | undefined;

/** A reusable array for arguments' ids. No call retains it. */
let spare: Id[] | undefined;

/** The arguments' ids. Requested numbers are inputs. */
function idsOf(args: readonly Value[], places: readonly number[], builds: Builds): Id[] {
  const ids = spare ?? [];
  spare = undefined;
  for (let k = 0; k < args.length || k < ids.length; k++) ids[k] = 0;
  for (let k = 0; k < places.length; k++) {
    const place = places[k] ?? 0;
    const arg = args[place];
    if (typeof arg === "number") ids[place] = unwritten(1);
    else if (builds?.[place] === undefined && isObject(arg)) throw unforeseen("an object");
  }
  return ids;
}

const isObject = (arg: Value): boolean => typeof arg === "object" && arg !== null;

/** Adjoints for the `value` just computed. The first `computed` nodes are inputs. */
function adjointsOf(value: Value, own: Run, computed: Id): Float64Array {
  const to = id;
  throwCaught(own);
  if (typeof value !== "number") throw noNumber(value);
  return evaluateOne(own.from, computed, to);
}

function walked(
  walk: Cotangents | undefined,
  own: Run,
  args: Value[],
  places: readonly number[],
  depths: readonly number[] | undefined,
): Builds {
  if (walk === undefined) return undefined;
  own.args = args;
  const before = setGiving(true);
  try {
    return walk(args, places, depths);
  } finally {
    setGiving(before);
  }
}

/** `f(...args)` and its cotangents, or the cotangents alone. */
function derived(
  f: DeltaFunction,
  args: Value[],
  argnums: Argnums,
  withValue: boolean,
  walk?: Cotangents,
  depths?: readonly number[],
): Value {
  const own = begin();
  try {
    const isOne = typeof argnums === "number";
    const places = isOne ? [argnums] : argnums;
    const start = own.from.node;
    const builds = walked(walk, own, args, places, depths);
    const ids = idsOf(args, places, builds);
    const computed = next();
    setId(0);
    const value = f(ids, ...args);
    const adjoints = adjointsOf(value, own, computed);
    const made: Value[] = [];
    for (let k = 0; k < places.length; k++) {
      const place = places[k] ?? 0;
      const own = ids[place] ?? 0;
      // Separate calls, since a common one would box each number.
      if (own !== 0) made.push(adjoints[own - start]);
      else made.push(builds?.[place]?.(adjoints, start));
    }
    spare = ids;
    giveBack(adjoints);
    const cotangent = isOne ? made[0] : made;
    return withValue ? [value, cotangent] : cotangent;
  } finally {
    end(own);
  }
}

export const valueAndGradOf = (
  f: DeltaFunction,
  args: Value[],
  argnums: Argnums = 0,
  walk?: Cotangents,
  depths?: readonly number[],
): Value => derived(f, args, argnums, true, walk, depths);
export const gradOf = (
  f: DeltaFunction,
  args: Value[],
  argnums: Argnums = 0,
  walk?: Cotangents,
  depths?: readonly number[],
): Value => derived(f, args, argnums, false, walk, depths);

/** Calls the function. The requested arguments have consecutive ids from `first` on. */
type Call = (first: Id) => Value;
/** Builds the requested cotangents from consecutive adjoints. */
type FromAdjoints = (bar: Float64Array) => Value;

/** The same for requested numbers: the call site knows the places, so no arrays are allocated. */
function ofNumbers(
  asked: readonly Value[],
  call: Call,
  cotangents: FromAdjoints,
  withValue: boolean,
): Value {
  const own = begin();
  try {
    for (let k = 0; k < asked.length; k++) if (isObject(asked[k])) throw unforeseen("an object");
    const first = unwritten(asked.length);
    const computed = next();
    setId(0);
    const value = call(first);
    const adjoints = adjointsOf(value, own, computed);
    const behind = first - own.from.node;
    // A full chunk is moved out before the first input, so the inputs are contiguous.
    const cotangent = cotangents(behind === 0 ? adjoints : adjoints.subarray(behind));
    giveBack(adjoints);
    return withValue ? [value, cotangent] : cotangent;
  } finally {
    end(own);
  }
}

/** `(x, y) => $d.gradOfNumbers([x], (i) => f$delta([i, 0], x, y), (bar) => bar[0])` */
export const gradOfNumbers = (
  asked: readonly Value[],
  call: Call,
  cotangents: FromAdjoints,
): Value => ofNumbers(asked, call, cotangents, false);
export const valueAndGradOfNumbers = (
  asked: readonly Value[],
  call: Call,
  cotangents: FromAdjoints,
): Value => ofNumbers(asked, call, cotangents, true);
