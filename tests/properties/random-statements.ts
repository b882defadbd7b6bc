// Random statements. In: dice, expressions and a scope. Out: lines, and the scope behind them. Invariant: loops end, every array keeps at least
// three elements, and what runs in a loop is damped, so that values stay small. The kinds of statements are in the files beside this one.

import { CONTROL } from "./random-control.ts";
import { EDGES } from "./random-edges.ts";
import { ESCAPES } from "./random-escapes.ts";
import type { Expressions } from "./random-expressions.ts";
import { GROWTH } from "./random-growth.ts";
import { HELD } from "./random-held.ts";
import { HOSTILE } from "./random-hostile.ts";
import { MEMORY } from "./random-memory.ts";
import { OBJECTS } from "./random-objects.ts";
import { PARTS } from "./random-parts.ts";
import type { Dice, Feature, Scope } from "./random-scope.ts";
import { SWEEPS } from "./random-sweeps.ts";
import { TABLES } from "./random-tables.ts";

export interface Written {
  readonly lines: readonly string[];
  readonly scope: Scope;
}

/** What a kind of statement is written with. */
export interface Pen {
  readonly d: Dice;
  readonly e: Expressions;
  readonly on: ReadonlySet<Feature>;
  name(base: string): string;
  /** A number: damped where it runs often. */
  value(scope: Scope, depth?: number): string;
  /** The lines of an inner block. */
  inner(scope: Scope, count: number, depth: number, changed?: Partial<Scope>): readonly string[];
}

/** Makes statements of one kind, or null where the scope has nothing for it. */
export type Maker = (pen: Pen, scope: Scope, depth: number) => Written | null;

export interface Choice {
  /** The feature that it belongs to; null: every program's. */
  readonly feature: Feature | null;
  readonly make: Maker;
  /** How often it is tried, where it can be chosen at all. */
  readonly weight: number;
  /** It has blocks inside. */
  readonly nested?: true;
}

const CHOICES: readonly Choice[] = [
  ...MEMORY,
  ...OBJECTS,
  ...PARTS,
  ...CONTROL,
  ...EDGES,
  ...HELD,
  ...TABLES,
  ...ESCAPES,
  ...SWEEPS,
  ...GROWTH,
  ...HOSTILE,
];

/** Names that generated code uses for its own, or that lowering means something by. */
export const TAKEN: readonly string[] = [
  "t",
  "tape",
  "refs",
  "bog",
  "packed",
  "zeros",
  "both",
  "result",
  "into",
  "ran",
  "last",
  "first",
  "max",
  "rows$",
  "made",
  "s$bar",
  "f$bar",
  "x$id",
  "$d",
  "f$grad",
  "z$dot",
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "list$1",
  "bog$1",
];

/** `taken`: names to use, too, each once. */
export function blockOf(
  d: Dice,
  e: Expressions,
  on: ReadonlySet<Feature>,
  taken: readonly string[] = [],
): (scope: Scope, count: number, depth: number) => Written {
  let names = 0;
  const free = [...taken];
  const usable = CHOICES.filter(({ feature }) => feature === null || on.has(feature));
  const spread = (nested: boolean): readonly Maker[] =>
    usable
      .filter((one) => (one.nested ?? false) === nested)
      .flatMap(({ make, weight }) => Array.from({ length: weight }, () => make));
  const [flat, nested] = [spread(false), spread(true)];
  const pen: Pen = {
    d,
    e,
    on,
    name: (base) =>
      (d.chance(0.25) ? free.splice(d.chance(0.4) ? 0 : d.below(free.length), 1)[0] : undefined) ??
      `${base}${names++}`,
    value: (scope, depth = 3) => {
      const value = e.number(scope, Math.max(1, depth - scope.loops));
      return scope.loops > 0 ? `Math.${d.of(["tanh", "sin"], "tanh")}(${value})` : value;
    },
    inner: (scope, count, depth, changed = {}) =>
      block({ ...scope, ...changed }, count, depth - 1).lines.map((line) => `  ${line}`),
  };
  const statement = (scope: Scope, depth: number): Written => {
    for (let tries = 0; tries < 8; tries++) {
      const made = d.of(depth > 0 && d.chance(0.5) ? nested : flat, () => null)(pen, scope, depth);
      if (made !== null) return made;
    }
    return { lines: [], scope };
  };
  const block = (outer: Scope, count: number, depth: number): Written => {
    let scope = outer;
    const lines: string[] = [];
    for (let i = 0; i < count; i++) {
      const made = statement(scope, depth);
      lines.push(...made.lines);
      scope = made.scope;
    }
    return { lines, scope };
  };
  return block;
}

/** One line that declares nothing. */
export const line = (scope: Scope, text: string): Written => ({ lines: [text], scope });
