// Calls of forward derivatives `f$fwd`. Omitted arguments are passed as undefined. User tangents
// are never written, and a tangent that does not fit its argument is an error.

import type { Derived } from "./added.ts";
import { tangentOf } from "./tree/build.ts";
import { eachNumber, holdsNumbers, numbersAlong, numbersOf } from "./tree/numbers.ts";
import { inside, isView, type Layout, pathTo } from "./tree/parts.ts";

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
 * writes them, or if one lacks a key such as `constructor`, which it would inherit.
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
 * Throws if a tangent does not fit its argument. It may lack fields that the argument's type does
 * not have. Returns whether it inherits none of the argument's keys.
 */
function checkTangent(primal: unknown, tangent: unknown, name: string): boolean {
  if (typeof primal === "number" && typeof tangent === "number") return true;
  const met = new Set<unknown>();
  let isWhole = true;
  const walk: TangentWalk = (at, other, path) => {
    if (met.has(at) || !holdsNumbers(at)) return;
    if (typeof at === "number") {
      if (typeof other !== "number") throw misfit(path, "a number", other);
      return;
    }
    if (isView(at) || Array.isArray(at)) {
      checkElements(at, other, path, (inner, innerTangent, innerPath) => {
        // an array of numbers alone contains no cycle
        met.add(at);
        walk(inner, innerTangent, innerPath);
      });
      return;
    }
    met.add(at);
    if (at instanceof Map) {
      if (!(other instanceof Map)) throw misfit(path, "a Map", other);
      for (const [key, inner] of at) walk(inner, other.get(key), pathTo(path, key, at));
    } else if (typeof at === "object" && at !== null)
      isWhole = checkFields(at, other, path, walk) && isWhole;
  };
  walk(primal, tangent, name);
  return isWhole;
}

function checkFields(at: object, other: unknown, path: string, walk: TangentWalk): boolean {
  if (typeof other !== "object" || other === null) throw misfit(path, "an object", other);
  let isWhole = true;
  for (const key of Object.keys(at))
    if (key in {} && !Object.prototype.hasOwnProperty.call(other, key)) isWhole = false;
    else if (key in other) walk(inside(at, key), inside(other, key), pathTo(path, key, at));
  return isWhole;
}

type TangentWalk = (at: unknown, other: unknown, path: string) => void;

function checkElements(
  at: ArrayLike<unknown>,
  other: unknown,
  path: string,
  walk: TangentWalk,
): void {
  // an empty array may have string elements, without a tangent
  if (at.length === 0 && other === undefined) return;
  if (!isView(other) && !Array.isArray(other))
    throw misfit(path, `an array of ${at.length}`, other);
  if (other.length !== at.length)
    throw misfit(path, `an array of ${at.length}`, `an array of ${other.length}`);
  // the elements of typed arrays are numbers on both sides
  if (isView(at) && isView(other)) return;
  for (let i = 0; i < at.length; i++)
    // skips the paths of plain numbers, of which there may be many
    if (typeof at[i] !== "number" || typeof other[i] !== "number")
      walk(at[i], other[i], `${path}[${i}]`);
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
