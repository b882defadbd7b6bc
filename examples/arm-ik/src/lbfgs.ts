// L-BFGS (Liu and Nocedal 1989) for parameters of any type: all arithmetic is tsgrad/tree.

import type { Cotangent } from "tsgrad";
import { axpy, dot, map, norm } from "tsgrad/tree";

/** A step and what it did to the gradient. */
interface Memory<G> {
  readonly step: G;
  readonly change: G;
  readonly scale: number;
}

/** Minus an estimate of the inverse Hessian times the gradient: the two loops over the memory. */
function direction<G>(gradient: G, memory: readonly Memory<G>[]): G {
  let d = map((x) => -x, gradient);
  const weights: number[] = [];
  for (const { step, change, scale } of memory) {
    const weight = scale * dot(step, d);
    weights.push(weight);
    d = axpy(-weight, change, d);
  }
  const [last] = memory;
  if (last !== undefined) {
    const size = 1 / (last.scale * dot(last.change, last.change));
    d = map((x) => size * x, d);
  }
  for (const { step, change, scale } of [...memory].reverse())
    d = axpy((weights.pop() ?? 0) - scale * dot(change, d), step, d);
  return d;
}

/** The parameters where the gradient is small. `tell` hears of each step. */
export function lbfgs<P>(
  both: (p: P) => readonly [value: number, gradient: Cotangent<P>],
  start: P,
  tell: (step: number, value: number, p: P) => void,
): P {
  let p = start;
  let [value, gradient] = both(p);
  let memory: Memory<Cotangent<P>>[] = [];
  for (let step = 0; step < 500 && norm(gradient) > 1e-9; step++) {
    tell(step, value, p);
    let d = direction(gradient, memory);
    if (dot(gradient, d) >= 0) [memory, d] = [[], map((x) => -x, gradient)];
    const slope = dot(gradient, d);
    // The first step has no memory to take its length from.
    let length = memory.length === 0 ? Math.min(1, 0.1 / norm(gradient)) : 1;
    let next = axpy(length, d, p);
    while (both(next)[0] > value + 1e-4 * length * slope && length > 1e-12) {
      length /= 2;
      next = axpy(length, d, p);
    }
    const [nextValue, nextGradient] = both(next);
    const change = axpy(-1, gradient, nextGradient);
    const moved = map((x) => length * x, d);
    const bend = dot(change, moved);
    if (bend > 0) memory = [{ step: moved, change, scale: 1 / bend }, ...memory.slice(0, 9)];
    [p, value, gradient] = [next, nextValue, nextGradient];
    if (length <= 1e-12) break;
  }
  return p;
}
