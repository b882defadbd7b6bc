// Fixed-point arithmetic of about 780 digits, and the functions that slopes are made of. In and
// out: multiples of 2^-BITS as integers; every double is one exactly. Invariant: nothing of
// transformer/ is imported. Squares of the smallest doubles still have 400 bits.

export type Fixed = bigint;

const BITS = 2600n;
export const ONE = 1n << BITS;

export const mul = (a: Fixed, b: Fixed): Fixed => (a * b) >> BITS;
export const div = (a: Fixed, b: Fixed): Fixed => (a << BITS) / b;
export const square = (a: Fixed): Fixed => mul(a, a);
export const abs = (a: bigint): bigint => (a < 0n ? -a : a);

/** A double, exactly. */
export function fixed(value: number): Fixed {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = bits >> 52n;
  const digits = (bits & ((1n << 52n) - 1n)) + (exponent === 0n ? 0n : 1n << 52n);
  const size = digits << (BITS - 1075n + (exponent === 0n ? 1n : exponent));
  return value < 0 ? -size : size;
}

const lengthOf = (a: bigint): number => abs(a).toString(2).length;

/** The distance of neighbouring doubles at `a`, at least that of the denormal ones. */
export const ulp = (a: Fixed): Fixed =>
  1n << BigInt(Math.max(lengthOf(a) - 53, Number(BITS) - 1074));

/** 2^1024, where doubles end. */
export const OVERFLOW = ONE << 1024n;

export function sqrt(a: Fixed): Fixed {
  const of = a << BITS;
  if (of === 0n) return 0n;
  let root = 1n << BigInt((lengthOf(of) + 1) >> 1);
  for (;;) {
    const next = (root + of / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** The sum of `first`, and of what `next` makes of each term, until nothing is left. */
function series(first: Fixed, next: (term: Fixed, k: bigint) => Fixed): Fixed {
  let sum = 0n;
  let term = first;
  for (let k = 1n; abs(term) > 1n; k++) {
    sum += term;
    term = next(term, k);
  }
  return sum;
}

/** Halvings of an argument before a series. */
const HALVINGS = 24n;

/** Beyond 3000 the result is as large or small as there. */
export function exp(x: Fixed): Fixed {
  const limit = 3000n * ONE;
  if (x < 0n) return div(ONE, exp(-x));
  const small = (x > limit ? limit : x) >> HALVINGS;
  let power = series(ONE, (term, k) => mul(term, small) / k);
  for (let i = 0n; i < HALVINGS; i++) power = square(power);
  return power;
}

/** The inverse of a hyperbolic or circular tangent, of a small number. */
function arctangent(x: Fixed, sign: 1n | -1n): Fixed {
  const factor = sign * square(x);
  let sum = 0n;
  let power = x;
  for (let k = 1n; power !== 0n && abs(power) > 1n; k += 2n) {
    sum += power / k;
    power = mul(power, factor);
  }
  return sum;
}

export const LN2 = 2n * arctangent(ONE / 3n, 1n);
const PI = 16n * arctangent(ONE / 5n, -1n) - 4n * arctangent(ONE / 239n, -1n);

export function log(x: Fixed): Fixed {
  const exponent = BigInt(lengthOf(x) - 1) - BITS;
  const digits = exponent < 0n ? x << -exponent : x >> exponent;
  return 2n * arctangent(div(digits - ONE, digits + ONE), 1n) + exponent * LN2;
}

export function cos(x: Fixed): Fixed {
  const small = (abs(x) % (2n * PI)) >> HALVINGS;
  let result = series(ONE, (term, k) => -mul(mul(term, small), small) / (2n * k * (2n * k - 1n)));
  for (let i = 0n; i < HALVINGS; i++) result = 2n * square(result) - ONE;
  return result;
}

export const sin = (x: Fixed): Fixed => cos(x - PI / 2n);
export const LN10 = log(10n * ONE);
