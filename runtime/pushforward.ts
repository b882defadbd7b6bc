// Calls of forward derivatives `f$fwd`. Omitted arguments are passed as undefined. User tangents
// are never written, and a tangent that does not fit its argument is an error.

import type { Derived } from "./added.ts";
import { tangentOf } from "./tree/build.ts";
import { eachNumber, holdsNumbers, numbersAlong, numbersOf } from "./tree/numbers.ts";
import { enter, inside, isView, type Layout, pathTo } from "./tree/parts.ts";

export interface Push {
  readonly value: unknown;
  readonly tangent: unknown;
  readonly aux: unknown;
}

/** `asked`: the number of tangents that `fwd` takes; "all" for one per argument. */
export function push(
  fwd: Derived,
  args: readonly unknown[],
  tangents: readonly unknown[],
  asked: number | "all",
  hasAux: boolean,
): Push | PromiseLike<Push> {
  return later(called(fwd, args, tangents, asked), (result): Push => {
    const [value, tangent] = pairOf(result);
    if (!hasAux) return { value, tangent, aux: undefined };
    const [own, aux] = pairOf(value);
    return { value: own, tangent: pairOf(tangent)[0], aux };
  });
}

/**
 * The tangents as a forward derivative takes them: copied, with the arguments' aliasing, if it
 * writes them, or if one lacks a field, which is 0 then. It would inherit `constructor`.
 * @throws Error with the place if a tangent does not fit its argument.
 */
export function givenTangents(
  primals: readonly unknown[],
  tangents: readonly unknown[],
  { copies }: Layout,
  nameOf: (i: number) => string,
): readonly unknown[] {
  const isWhole = primals.map((primal, i) => checkTangent(primal, tangents[i], nameOf(i)));
  if (copies !== true && isWhole.every(Boolean)) return tangents;
  const numbers = numbersAlong(primals, tangents, {}, 0);
  return tangentOf(primals, (i) => numbers[i] ?? 0) as readonly unknown[];
}

function called(
  fwd: Derived,
  args: readonly unknown[],
  tangents: readonly unknown[],
  asked: number | "all",
): unknown {
  // The Delta engine takes two arrays.
  if (fwd.length === 0) return fwd([...args], [...tangents]);
  const count = asked === "all" ? fwd.length / 2 : fwd.length - asked;
  return fwd(...exactly(args, count), ...exactly(tangents, asked === "all" ? count : asked));
}

/** Pads with undefined, or cuts: `xs.map(df)` passes more than `df` takes. */
const exactly = (values: readonly unknown[], count: number): readonly unknown[] =>
  values.length === count ? values : Array.from({ length: count }, (_, i) => values[i]);

function pairOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error("a forward derivative did not return a pair");
  return value;
}

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" &&
  value !== null &&
  "then" in value &&
  typeof value.then === "function";

/** `next(value)`, now or when the promise is fulfilled. */
export function later<A, B>(
  value: A | PromiseLike<A>,
  next: (value: A) => B | PromiseLike<B>,
): B | PromiseLike<B> {
  return isThenable(value) ? value.then(next) : next(value);
}
const isThenable = <A>(value: A | PromiseLike<A>): value is PromiseLike<A> => isPromise(value);

/** `next(i)` for each `i` below `count`, sequentially, so that runs do not overlap. */
export function inTurn(count: number, next: (i: number) => unknown): unknown {
  for (let i = 0; i < count; i++) {
    const done = next(i);
    if (isPromise(done)) return done.then(() => inTurn(count - i - 1, (k) => next(i + 1 + k)));
  }
  return undefined;
}

/**
 * Throws if a tangent does not fit its argument. It may lack fields, which the argument's type may
 * not have either. Returns whether it has all.
 */
function checkTangent(primal: unknown, tangent: unknown, name: string): boolean {
  if (typeof primal === "number" && typeof tangent === "number") return true;
  const met = new Set<unknown>();
  let isWhole = true;
  const todo: Pair[] = [{ at: primal, other: tangent, path: name }];
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const { at, other, path } = pair;
    if (met.has(at) || !holdsNumbers(at)) continue;
    if (typeof at === "number") {
      if (typeof other !== "number") throw misfit(path, "a number", other);
    } else if (isView(at) || Array.isArray(at)) {
      const parts = elementPairs(at, other, path);
      // an array of numbers alone contains no cycle
      if (parts.length > 0) met.add(at);
      enter(todo, parts);
    } else if (typeof at === "object" && at !== null) {
      met.add(at);
      if (lacksPart(at, other, path)) isWhole = false;
      enter(todo, partPairs(at, other, path));
    }
  }
  return isWhole;
}

/** A part of the argument with that of the tangent. */
interface Pair {
  readonly at: unknown;
  readonly other: unknown;
  readonly path: string;
}

/** Whether a tangent lacks a number of its argument, or a key, which it would inherit. */
function lacksPart(at: object, other: unknown, path: string): boolean {
  const isMap = at instanceof Map;
  if (isMap ? !(other instanceof Map) : typeof other !== "object" || other === null)
    throw misfit(path, isMap ? "a Map" : "an object", other);
  return (
    !isMap &&
    Object.keys(at).some(
      (key) =>
        !owns(other, key) &&
        (key in {} || (!(key in (other as object)) && holdsNumbers(inside(at, key)))),
    )
  );
}

const owns = (o: unknown, key: string): boolean => Object.prototype.hasOwnProperty.call(o, key);

function partPairs(at: object, other: unknown, path: string): Pair[] {
  const keys: unknown[] =
    at instanceof Map
      ? Array.from(at.keys())
      : Object.keys(at).filter(
          (key) => owns(other, key) || (!(key in {}) && key in (other as object)),
        );
  return keys.map((key) => ({
    at: inside(at, key),
    other: inside(other, key),
    path: pathTo(path, key, at),
  }));
}

function elementPairs(at: ArrayLike<unknown>, other: unknown, path: string): Pair[] {
  // an empty array may have string elements, without a tangent
  if (at.length === 0 && other === undefined) return [];
  if (!isView(other) && !Array.isArray(other))
    throw misfit(path, `an array of ${at.length}`, other);
  if (other.length !== at.length)
    throw misfit(path, `an array of ${at.length}`, `an array of ${other.length}`);
  // the elements of typed arrays are numbers on both sides
  if (isView(at) && isView(other)) return [];
  const pairs: Pair[] = [];
  for (let i = 0; i < at.length; i++)
    // skips the paths of plain numbers, of which there may be many
    if (typeof at[i] !== "number" || typeof other[i] !== "number")
      pairs.push({ at: at[i], other: other[i], path: `${path}[${i}]` });
  return pairs;
}

const misfit = (path: string, expected: string, found: unknown): Error =>
  new Error(
    `the tangent does not have the shape of its argument: \`${path}\` has to be ${expected}, and is ${typeof found === "string" ? found : found === null ? "null" : typeof found}`,
  );

/** Records the numbers in arguments. Returns a check that they are unchanged. */
export function unwritten(args: readonly unknown[], message: string): () => void {
  const before = args.map((arg) => numbersOf(arg));
  return () => {
    args.forEach((arg, i) => {
      const numbers = before[i] ?? [];
      let at = 0;
      eachNumber(arg, arg, (number, _, path) => {
        if (!Object.is(number, numbers[at++]))
          throw new Error(`argument ${i} was written at \`args[${i}]${path()}\`: ${message}`);
      });
      if (at !== numbers.length)
        throw new Error(
          `argument ${i} was written, it has ${at} numbers and had ${numbers.length}: ${message}`,
        );
    });
  };
}
