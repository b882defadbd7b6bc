// Derivatives of programs of numbers, lists and records: functions whose result is a number by their types, in whose code nothing else has a derivative. In: a rewritten function,
// arguments, what is asked for. Out: cotangents, as run.ts gives them. Invariant: what is neither after all throws.

import { unforeseen } from "./families.ts";
import { id, setId } from "./register.ts";
import { begin, end } from "./runs.ts";
import { evaluateOne, giveBack, next, stretch, unwritten } from "./tape.ts";
import { noNumber, takeFailure, type DeltaFunction, type Id, type Value } from "./value.ts";

/** Positions asked for; a list of them gives a list. Absent: argument 0. */
type Argnums = number | readonly number[];

/** Gives the numbers of the objects asked for ids, and says what makes cotangents of adjoints, by position; `start` is the id of the first. `depths`: how many objects stand in each other, by argument. */
export type Cotangents = (args: readonly Value[], places: readonly number[], depths: readonly number[] | undefined) => readonly ((adjoints: Float64Array, start: Id) => Value)[];

type Builds = ReturnType<Cotangents> | undefined;

/** A list for the ids of the next run's arguments: nobody keeps it behind the call. */
let spare: Id[] | undefined;

/** The arguments' ids: numbers asked for are inputs. */
function idsOf(args: readonly Value[], places: readonly number[], builds: Builds): Id[] {
  const ids = spare ?? [];
  spare = undefined;
  for (let k = 0; k < args.length || k < ids.length; k++) ids[k] = 0;
  for (let k = 0; k < places.length; k++) {
    const place = places[k] ?? 0, arg = args[place];
    if (typeof arg === "number") ids[place] = unwritten();
    else if (typeof arg === "object" && arg !== null && builds?.[place] === undefined) throw unforeseen("an object");
  }
  return ids;
}

/** `f(...args)` and its cotangents, or those alone. */
function derived(f: DeltaFunction, args: Value[], argnums: Argnums, withValue: boolean, walk?: Cotangents, depths?: readonly number[]): Value {
  const outer = takeFailure(), own = begin();
  try {
    const isOne = typeof argnums === "number", places = isOne ? [argnums] : argnums;
    const builds = walk?.(args, places, depths), ids = idsOf(args, places, builds);
    own.computed = next();
    setId(0);
    const value = f(ids, ...args), to = id;
    // the user's code may have caught an error of the derivative, and gone on without
    const failed = takeFailure();
    if (failed !== null) throw failed;
    if (typeof value !== "number") throw noNumber(value);
    const nodes = stretch(own.from, own.computed), { start } = nodes, adjoints = evaluateOne(nodes, to);
    const made: Value[] = [];
    for (let k = 0; k < places.length; k++) {
      const place = places[k] ?? 0, own = ids[place] ?? 0;
      // one call for both would make an object of each number
      if (own !== 0) made.push(adjoints[own - start]);
      else made.push(builds?.[place]?.(adjoints, start));
    }
    spare = ids;
    giveBack(adjoints);
    const cotangent = isOne ? made[0] : made;
    return withValue ? [value, cotangent] : cotangent;
  } finally {
    takeFailure(outer);
    end(own);
  }
}

export const valueAndGradOf = (f: DeltaFunction, args: Value[], argnums: Argnums = 0, walk?: Cotangents, depths?: readonly number[]): Value => derived(f, args, argnums, true, walk, depths);
export const gradOf = (f: DeltaFunction, args: Value[], argnums: Argnums = 0, walk?: Cotangents, depths?: readonly number[]): Value => derived(f, args, argnums, false, walk, depths);
