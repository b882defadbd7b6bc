// Arithmetic of whole values: `tsgrad/tree`. A tree is what can have a cotangent. Results are
// copies of the first tree with other numbers. There are no dependencies and no build step.

import type { Cotangent } from "../cotangent.ts";
import { along, product } from "./along.ts";
import { copied } from "./build.ts";
import { eachNumber, numbersOf } from "./numbers.ts";
import type { Layout } from "./parts.ts";

/** What may stand beside a tree of type `T`: another one, its gradient or its tangent. */
export type Beside<T> = T | Cotangent<T>;

/** A list of trees that may stand beside one of type `T`, one number each. */
type NumberOfEach<B extends readonly unknown[]> = { readonly [K in keyof B]: number };

/**
 * Which numbers are none: the names of fields such as `kind: 1 | 2`, which tell the members of a
 * union apart by a number. They stay as they are.
 */
export interface TreeOptions {
  readonly tags?: readonly string[];
}

/**
 * A copy of a tree with `f(x)` in place of each number `x`.
 *
 * The copy has the same classes, strings and other fields. A shared object stays shared, and `f` is
 * called once for each of its numbers. Numbers come in the order of {@link ravel}.
 *
 * @example
 * map((x) => 2 * x, { w: [1, 2], name: "a" }); // { w: [2, 4], name: "a" }
 * map(() => 0, { w: Float64Array.of(1, 2) }); // { w: Float64Array [0, 0] }
 */
export function map(f: (x: number) => number, tree: number, options?: TreeOptions): number;
export function map<T>(f: (x: number) => number, tree: T, options?: TreeOptions): T;
export function map(f: (x: number) => number, tree: unknown, options: Layout = {}): unknown {
  return copied(tree, (_, x) => f(x), options);
}

/**
 * A copy of the first tree with `f(x, y, …)` in place of each number `x`: `y` is the number that
 * the next tree has there.
 *
 * The other trees are of the same type, or gradients of the first. A number that one of them does
 * not have stays as it is: a gradient leaves out what has no derivative. Where the first tree
 * shares an object and a gradient has a part for each place, `f` gets the sum of the parts.
 *
 * @throws TypeError if another tree has something else at a place. RangeError if an array has
 * another length.
 * @example
 * const tree = { w: [1, 2], name: "a" };
 * zip((p, g) => p - 0.5 * g, [tree, { w: [2, 2] }]); // { w: [0, 1], name: "a" }
 */
export function zip<B extends readonly number[]>(
  f: (first: number, ...others: NumberOfEach<B>) => number,
  trees: readonly [first: number, ...others: B],
  options?: TreeOptions,
): number;
export function zip<T, B extends readonly Beside<NoInfer<T>>[]>(
  f: (first: number, ...others: NumberOfEach<B>) => number,
  trees: readonly [first: T, ...others: B],
  options?: TreeOptions,
): T;
export function zip(
  f: (...numbers: number[]) => number,
  [first, ...others]: readonly unknown[],
  options: Layout = {},
): unknown {
  return zipped(f, first, others, options);
}

function zipped(
  f: (...numbers: number[]) => number,
  first: unknown,
  others: readonly unknown[],
  layout: Layout,
): unknown {
  const columns = others.map((other) => along(first, other, layout));
  const [second = [], third = []] = columns;
  const numbers: number[] = [];
  const at = (i: number, x: number): number => {
    const y = second[i];
    if (columns.length === 0) return f(x);
    if (y === undefined) return x;
    if (columns.length === 1) return f(x, y);
    const z = third[i];
    if (z === undefined) return x;
    if (columns.length === 2) return f(x, y, z);
    for (let k = 0; k < columns.length; k++) {
      const number = columns[k]?.[i];
      if (number === undefined) return x;
      numbers[k + 1] = number;
    }
    numbers[0] = x;
    return f(...numbers);
  };
  return copied(first, at, layout);
}

/**
 * The numbers of a tree, combined from first to last: `f(… f(f(initial, x0), x1) …)`.
 *
 * Numbers come in the order of {@link ravel}. A shared object counts once.
 *
 * @example
 * reduce((sum, x) => sum + x, 0, { w: [1, 2], b: 3 }); // 6
 * reduce((most, x) => Math.max(most, Math.abs(x)), 0, [[1], [-4]]); // 4
 */
export function reduce<A>(
  f: (so: A, x: number) => A,
  initial: A,
  tree: unknown,
  options: TreeOptions = {},
): A {
  let so = initial;
  eachNumber(
    tree,
    tree,
    (x) => {
      so = f(so, x);
    },
    options,
  );
  return so;
}

/**
 * The sum of the products of the numbers at the same place of two trees.
 *
 * One of them may be the gradient of the other. What only one of them has contributes nothing. Two
 * objects that are shared together count once.
 *
 * @throws TypeError if the other tree has something else at a place. RangeError if an array has
 * another length.
 * @example
 * dot({ w: [1, 2], b: 3 }, { w: [4, 5], b: 6 }); // 32
 */
export function dot<T>(x: T, y: NoInfer<Beside<T>>, options?: TreeOptions): number;
export function dot<T>(x: NoInfer<Beside<T>>, y: T, options?: TreeOptions): number;
export function dot(x: unknown, y: unknown, options: Layout = {}): number {
  return product(x, y, options);
}

/**
 * `a * x + y` as a copy of the tree `y`: one step of gradient descent if `x` is a gradient.
 *
 * Numbers that `x` does not have stay as they are in `y`.
 *
 * @throws TypeError if `x` has something else at a place. RangeError if an array has another
 * length.
 * @example
 * axpy(-0.5, { w: [2, 4] }, { w: [1, 2], name: "a" }); // { w: [0, 0], name: "a" }
 */
export function axpy(a: number, x: number, y: number, options?: TreeOptions): number;
export function axpy<T>(a: number, x: NoInfer<Beside<T>>, y: T, options?: TreeOptions): T;
export function axpy(a: number, x: unknown, y: unknown, options: Layout = {}): unknown {
  return zipped((own = 0, change = 0) => a * change + own, y, [x], options);
}

/**
 * The Euclidean length of a tree: the root of the sum of the squares of its numbers.
 *
 * A shared object counts once. Squares do not overflow.
 *
 * @example
 * norm({ w: [3], b: 4 }); // 5
 */
export function norm(tree: unknown, options: TreeOptions = {}): number {
  const squares = reduce((sum, x) => sum + x * x, 0, tree, options);
  if (squares > 1e-280 && squares < 1e280) return Math.sqrt(squares);
  const most = reduce((so, x) => Math.max(so, Math.abs(x)), 0, tree, options);
  if (!(most > 0 && most < Infinity)) return most;
  return most * Math.sqrt(reduce((sum, x) => sum + (x / most) ** 2, 0, tree, options));
}

/**
 * The numbers of a tree as one vector, for optimisers that take vectors.
 *
 * The order is that of the fields, elements and Map entries, depth first. A shared object has its
 * numbers once. With a second tree, the vector has an element for each number of that tree: write
 * `ravel(gradient, parameters)`. Then 0 stands for what the gradient leaves out, and parts for the
 * places of a shared object are summed. {@link unravel} goes back.
 *
 * @throws TypeError if `tree` has something else at a place of `like`. RangeError if an array has
 * another length.
 * @example
 * ravel({ w: [1, 2], b: 3 }); // Float64Array [1, 2, 3]
 * ravel({ w: [1, 2] }, { name: "a", w: [5, 6] }); // Float64Array [1, 2]
 */
export function ravel<T>(
  tree: NoInfer<Beside<T>>,
  like: T,
  options?: TreeOptions,
): Float64Array<ArrayBuffer>;
export function ravel(tree: unknown): Float64Array<ArrayBuffer>;
export function ravel(
  tree: unknown,
  like: unknown = tree,
  options: Layout = {},
): Float64Array<ArrayBuffer> {
  return Float64Array.from(
    like === tree
      ? numbersOf(tree, options)
      : along(like, tree, options).map((number) => number ?? 0),
  );
}

/**
 * A copy of a tree with the numbers of a vector, in the order of {@link ravel}.
 *
 * @throws RangeError if the vector has another length than `ravel(like)`.
 * @example
 * unravel([7, 8, 9], { w: [1, 2], b: 3, name: "a" }); // { w: [7, 8], b: 9, name: "a" }
 */
export function unravel(numbers: ArrayLike<number>, like: number, options?: TreeOptions): number;
export function unravel<T>(numbers: ArrayLike<number>, like: T, options?: TreeOptions): T;
export function unravel(numbers: ArrayLike<number>, like: unknown, options: Layout = {}): unknown {
  let count = 0;
  const tree = copied(like, () => numbers[count++] ?? NaN, options);
  if (count !== numbers.length)
    throw new RangeError(`the vector has ${numbers.length} numbers, the tree ${count}`);
  return tree;
}
