// Derivatives of a function of two numbers at (0.7, 1.9). In: the plain function, its gradients by several forms, and its second derivative
// by the first number. Out: each compared with central differences of the plain function.

import { expect } from "vitest";

export interface TwoNumbers {
  readonly f: (a: number, b: number) => number;
  readonly grads: readonly (() => readonly number[])[];
  readonly second: () => number;
}

export function expectSlopes({ f, grads, second }: TwoNumbers): void {
  // the differences of step 1e-5 are good to about 1e-8, those of step 1e-3 to 1e-5, rounding included
  const [h, d] = [1e-5, 1e-3];
  const slopes = [
    (f(0.7 + h, 1.9) - f(0.7 - h, 1.9)) / (2 * h),
    (f(0.7, 1.9 + h) - f(0.7, 1.9 - h)) / (2 * h),
  ];
  for (const gradient of grads)
    gradient().forEach((slope, k) => {
      expectNear(slope, slopes[k] ?? NaN, 6);
    });
  expectNear(second(), (f(0.7 + d, 1.9) - 2 * f(0.7, 1.9) + f(0.7 - d, 1.9)) / d ** 2, 3);
}

/** `digits`: behind the point, of what is larger than 1 in relation to it. */
function expectNear(found: number, expected: number, digits: number): void {
  const size = Math.max(1, Math.abs(expected));
  expect(found / size).toBeCloseTo(expected / size, digits);
}
