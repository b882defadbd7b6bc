// Scalar operators as functions, to pass to vector functions. They compute what the operators do,
// bit for bit.

/**
 * `x + y`
 *
 * @example
 * reduce(add, 0, [1, 2]); // 3
 */
export function add(x: number, y: number): number {
  return x + y;
}

/**
 * `x * y`
 *
 * @example
 * map2(mul, [1, 2], [3, 4]); // [3, 8]
 */
export function mul(x: number, y: number): number {
  return x * y;
}
