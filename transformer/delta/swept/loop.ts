// Loops that are swept as a whole: what they consist of. In: nothing. Out: the types, and questions about bounds. Invariants: nothing but elements is written; each place is arithmetic of what stays as it is, of the
// loops' own counters and of `at++`.

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
  /** Counters that the statement moves on. */
  readonly counted: readonly string[];
  /** The list is made of such writes, one behind the other: `a.push(e)`. */
  readonly isPushed: boolean;
}

/** `for (let i = from; i < below; i++)` */
export interface Loop {
  readonly kind: "loop";
  readonly counter: string;
  readonly from: string;
  readonly below: string;
  /** Where it begins and ends at most, whichever rounds those of the loops around are; null where that is not known. */
  readonly low: string | null;
  readonly high: string | null;
  readonly range: { readonly from: Num; readonly below: Num };
  readonly steps: readonly Step[];
}

export type Step = Write | Loop | Strip;

/** A list that the stretch makes: `const a = xs.map((x, i) => e);` */
export interface Made {
  readonly variable: Variable;
  /** How many elements it has, as text. */
  readonly length: string;
  /** Whether somebody names it behind the stretch. */
  readonly isSeen: boolean;
}

/** A stretch of loops and what it is made of. */
export interface Swept {
  readonly run: Run;
  readonly steps: readonly Step[];
  readonly lists: readonly List[];
  readonly written: ReadonlySet<List>;
  /** The locals that they are. */
  readonly variables: ReadonlyMap<List, Variable>;
  /** Those of them that are made before the loops, and that nothing reads but these. */
  readonly scratch: ReadonlyMap<List, Variable>;
  readonly made: ReadonlyMap<List, Made>;
  /** What stays: a name, and what it is before the loops. */
  readonly kept: ReadonlyMap<string, string>;
  /** Locals that `at++` moves. */
  readonly counters: ReadonlySet<string>;
  /** Elements that are read: where they stand. */
  readonly places: ReadonlyMap<Num, Place>;
  /** Lists of doubles, by their types. */
  readonly doubles: ReadonlySet<List>;
  /** Of what stays, by name: numbers for which it says the same are equal, as far as declarations tell. */
  readonly bounds: ReadonlyMap<string, string>;
  /** What is asked before the loops. */
  readonly guards: readonly string[];
  /** Whether they go beyond no list's end, when they are over. */
  readonly inside: string;
}

/** Whether a number reads one of these names. */
export const reads = (number: Num, names: ReadonlySet<string>): boolean =>
  number.op === null ? names.has(number.text) : number.args.some((arg) => reads(arg, names));

/** A counter that begins at a whole number, or that and a literal: `i`, `i + 1`, `3`. */
export function isWhole({ op, args: [a, b], text, value }: Num): boolean {
  if (op === null)
    return value === null
      ? /^[\p{ID_Continue}$]+$/u.test(text) && !text.startsWith("t$")
      : Number.isInteger(value) && value >= 0;
  return op === "add" && a !== undefined && b !== undefined && isWhole(a) && isWhole(b);
}

/** What a sum of counters and numbers comes to where each counter is at its end `of` the range. */
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
