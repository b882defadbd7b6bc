// Runs a function before and after a pass. In: a program, the changed function, arguments. Out: what each gave back and left
// in its arguments, ready to be compared. Invariant: each run gets arguments of its own.

import { run } from "../../transformer/ir/eval.ts";
import type { Func, Program } from "../../transformer/ir/types.ts";

export interface Seen {
  readonly value: unknown;
  readonly args: readonly unknown[];
  readonly thrown: string | null;
}

export function seen(program: Program, func: Func, args: () => unknown[]): Seen {
  const own = args();
  const changed: Program = { ...program, funcs: new Map([...program.funcs, [func.name, func]]) };
  try {
    return { value: run(changed, func.name, own).value, args: own, thrown: null };
  } catch (error) {
    return { value: undefined, args: own, thrown: String(error) };
  }
}

/** The same without the sign of zero, which cotangent algebra does not keep. */
export function unsigned(value: unknown): unknown {
  if (typeof value === "number") return value === 0 ? 0 : value;
  if (value instanceof Float64Array)
    return Float64Array.from(value, (one) => (one === 0 ? 0 : one));
  if (Array.isArray(value)) return value.map(unsigned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unsigned(one)]));
}
