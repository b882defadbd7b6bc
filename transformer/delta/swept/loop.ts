// The types of loops that are one tape node, and their bounds. Invariants: only array elements are
// written; indices are arithmetic of unchanged values, of loop counters and of `at++`.

import type { Variable } from "../binding.ts";
import { plainly } from "../run/expression.ts";
import type { Num } from "../run/graph.ts";
import type { Run } from "../run/state.ts";
import type { List, Place } from "../run/values.ts";
import type { Strip } from "./strip.ts";

/** `a[i] = e` */
export interface Write {
  readonly kind: "write";
  readonly place: Place;
  readonly value: Num;
  /** Counters that the statement increments. */
  readonly counted: readonly string[];
  /** The array is filled by consecutive pushes: `a.push(e)`. */
  readonly isPushed: boolean;
}

/** `for (let i = from; i < below; i++)` */
export interface Loop {
  readonly kind: "loop";
  readonly counter: string;
  readonly from: string;
  readonly below: string;
  /** The extreme bounds over all iterations of outer loops; null where they are unknown. */
  readonly low: string | null;
  readonly high: string | null;
  readonly range: { readonly from: Num; readonly below: Num };
  readonly steps: readonly Step[];
}

export type Step = Write | Loop | Strip;

/** An array that the stretch allocates: `const a = xs.map((x, i) => e);` */
export interface Made {
  readonly variable: Variable;
  /** Its number of elements, as source text. */
  readonly length: string;
  /** Whether code after the stretch uses it. */
  readonly isSeen: boolean;
}

/** A stretch of loops that is one tape node. */
export interface Swept {
  readonly run: Run;
  readonly steps: readonly Step[];
  readonly lists: readonly List[];
  readonly written: ReadonlySet<List>;
  readonly variables: ReadonlyMap<List, Variable>;
  /** Arrays that are allocated before the loops and used only by them. */
  readonly scratch: ReadonlyMap<List, Variable>;
  readonly made: ReadonlyMap<List, Made>;
  /** Unchanged values: a name, and the source text before the loops. */
  readonly kept: ReadonlyMap<string, string>;
  /** Variables that `at++` increments. */
  readonly counters: ReadonlySet<string>;
  /** The elements that are read. */
  readonly places: ReadonlyMap<Num, Place>;
  /** Float64Arrays, by their types. */
  readonly doubles: ReadonlySet<List>;
  /** Keys of unchanged values, by name: values with the same key are equal. */
  readonly bounds: ReadonlyMap<string, string>;
  /** The conditions that are tested before the loops. */
  readonly guards: readonly string[];
  /** The condition, tested after the loops, that all indices were in bounds. */
  readonly inside: string;
}

export const reads = (number: Num, names: ReadonlySet<string>): boolean =>
  number.op === null ? names.has(number.text) : number.args.some((arg) => reads(arg, names));

/** Whether it is an integer from 0: a counter, a literal, or a sum of these. */
export function isWhole({ op, args: [a, b], text, value }: Num): boolean {
  if (op === null)
    return value === null
      ? /^[\p{ID_Continue}$]+$/u.test(text) && !text.startsWith("t$")
      : Number.isInteger(value) && value >= 0;
  return op === "add" && a !== undefined && b !== undefined && isWhole(a) && isWhole(b);
}

/** The value of a sum of counters and numbers where each counter is at its end `of` the range. */
export function extreme(bound: Num, of: ReadonlyMap<string, string | null>): string | null {
  const {
    op,
    args: [a, b],
    text,
  } = bound;
  if (!reads(bound, new Set(of.keys())))
    return op === null ? plainly(bound) : `(${plainly(bound)})`;
  if (op === null) return of.get(text) ?? null;
  const parts =
    op === "add" && a !== undefined && b !== undefined ? [extreme(a, of), extreme(b, of)] : [null];
  if (parts.includes(null)) return null;
  return parts.every((part) => /^\d+$/.test(part ?? ""))
    ? String(parts.reduce((all, part) => all + Number(part), 0))
    : `(${parts.join(" + ")})`;
}
