// Derivatives of programs of numbers: functions whose arguments asked for and whose result are numbers by their types, in whose code nothing else has a
// derivative. In: a rewritten function, arguments, what is asked for. Out: cotangents, as run.ts gives them. Invariant: what is no number after all throws.

import { unforeseen } from "./families.ts";
import { id, setId } from "./register.ts";
import { begin, end } from "./runs.ts";
import { evaluate, giveBack, input, next, stretch } from "./tape.ts";
import { noNumber, takeFailure, type DeltaFunction, type Id, type Value } from "./value.ts";

/** Positions asked for; a list of them gives a list. Absent: argument 0. */
type Argnums = number | readonly number[];

/** The arguments' ids: those asked for are inputs. */
function idsOf(args: readonly Value[], argnums: readonly number[]): Id[] {
  const ids: Id[] = args.map(() => 0);
  for (const place of argnums) {
    const arg = args[place];
    if (typeof arg === "object" && arg !== null) throw unforeseen("an object as an argument");
    if (typeof arg === "number" && ids[place] === 0) ids[place] = input();
  }
  return ids;
}

/** `f(...args)` and its cotangents. */
export function valueAndGradOf(f: DeltaFunction, args: Value[], argnums: Argnums = 0): [Value, Value] {
  const outer = takeFailure(), own = begin();
  try {
    const places = typeof argnums === "number" ? [argnums] : argnums, ids = idsOf(args, places);
    own.computed = next();
    setId(0);
    const value = f(ids, ...args), to = id;
    // the user's code may have caught an error of the derivative, and gone on without
    const failed = takeFailure();
    if (failed !== null) throw failed;
    if (typeof value !== "number") throw noNumber(value);
    const nodes = stretch(own.from, own.computed), adjoints = evaluate(nodes, to === 0 ? [] : [[to, 1]]);
    const cotangents = places.map((place) => (ids[place] === 0 ? undefined : adjoints[(ids[place] ?? 0) - nodes.start]));
    giveBack(adjoints);
    return [value, typeof argnums === "number" ? cotangents[0] : cotangents];
  } finally {
    takeFailure(outer);
    end(own);
  }
}

export const gradOf = (f: DeltaFunction, args: Value[], argnums?: Argnums): Value => valueAndGradOf(f, args, argnums)[1];
