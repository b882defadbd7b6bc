// The module around a random function: types, and helpers that it may call. In: dice and features. Out: declarations by name; a program has those that
// it mentions, directly or through others. Invariant: helpers terminate, write their arguments, recur, and exit early.

import { expressions } from "./random-expressions.ts";
import { type Dice, type Feature, type Scope, scopeOf } from "./random-scope.ts";
import { blockOf } from "./random-statements.ts";

type Declarations = Readonly<Record<string, string>>;

const FIXED: Declarations = {
  customVjp: 'import { customVjp } from "tsgrad";',
  WORDS:
    'const WORDS = ["constructor", "toString", "", "a-b", "valueOf", "hasOwnProperty", "__proto__", "a"];',
  squaredPlain:
    "const squaredPlain = (g: (u: number) => number, p: number): number => Math.tanh(g(p) * g(p));",
  squared: `const squared = customVjp(squaredPlain, (g, p) => {
  const [y, pull] = g.vjp(p);
  const v = Math.tanh(y * y);
  return [v, (b) => { const [dp, self] = pull(2 * y * (1 - v * v) * b); return [self, dp]; }];
});`,
  R: "interface R { a: number; b: number; v: number[] }",
  TABLE: "const TABLE = [0.7, -0.3, 1.1];",
  KEYS: 'const KEYS = ["a", "b", "c"];',
  scaleInPlace: `function scaleInPlace(t: number[], k: number): void {
  for (let i = 0; i < t.length; i++) t[i] *= k;
}`,
  blend: `function blend(t: number[], s: number[], k: number): number[] {
  for (let i = 0; i < t.length; i++) t[i] = t[i] * (1 - k) + s[i % s.length] * k;
  return t;
}`,
  nudge: `function nudge(one: R, k: number): void {
  if (k > 0.9) return;
  one.a += 0.3 * k;
  one.v[0] = Math.sin(one.b + k);
}`,
  moved:
    "const moved = (one: R, k: number): R => ({ ...one, a: Math.sin(one.a + k), v: [...one.v.slice(0, 2), k] });",
  pickOf:
    "const pickOf = (yes: boolean, value: number): number | undefined => (yes ? value : undefined);",
  opt: `function opt(p: number, q?: number, k = 0.5 * p): number {
  return q === undefined ? Math.sin(p) + k : Math.sin(p * q + k);
}`,
  Shape:
    'type Shape = { kind: "dot"; x: number } | { kind: "box"; w: number; h: number } | { kind: "poly"; pts: number[]; k: number };',
  dot: 'const dot = (x: number): Shape => ({ kind: "dot", x });',
  box: 'const box = (w: number, h: number): Shape => ({ kind: "box", w, h });',
  poly: 'const poly = (pts: number[], k: number): Shape => ({ kind: "poly", pts, k });',
  widthOf:
    'const widthOf = (s: Shape, otherwise: number): number => (s.kind === "box" ? s.w : otherwise);',
  isDot: 'const isDot = (s: Shape): boolean => s.kind === "dot";',
  grown: `function grown(s: Shape, k: number): Shape {
  switch (s.kind) {
    case "dot": return { ...s, x: Math.sin(s.x + k) };
    case "box": return box(s.h, s.w * Math.tanh(k));
    case "poly": return { kind: "poly", pts: s.pts.map((p) => 0.5 * p), k };
  }
}`,
  Tree: "interface Tree { left: Tree | null; right: Tree | null; value: number }",
  grow: `function grow(depth: number, x: number): Tree | null {
  return depth <= 0 ? null : { left: grow(depth - 1, 0.5 * x), right: grow(depth - 2, Math.sin(x)), value: x };
}`,
  sumTree: `function sumTree(t: Tree | null, k: number): number {
  if (t === null) return 0.1 * k;
  return Math.tanh(t.value + 0.5 * sumTree(t.left, k) - sumTree(t.right, 0.5 * k));
}`,
  Cell: `class Cell {
  static count = 0;
  total: number;
  items: number[];
  constructor(total: number, items: number[]) {
    this.total = total;
    this.items = items;
  }
  static of(x: number): Cell {
    return new Cell(x, [x, 0.5 * x, 0.2]);
  }
  get mean(): number {
    return (this.items[0] + this.items[1]) / 2;
  }
  set mean(m: number) {
    this.items[1] = 2 * m - this.items[0];
  }
  add(v: number): this {
    this.total = Math.sin(this.total + this.weight(v));
    this.items[0] += 0.1 * v;
    return this;
  }
  weight(v: number): number {
    return 0.5 * v;
  }
}`,
  Damped: `class Damped extends Cell {
  rate = 0.3;
  override weight(v: number): number {
    return this.rate * super.weight(v) + 0.1 * this.total;
  }
}`,
  Options:
    'interface Options { lo?: number; inner?: { k: number; w?: number[] } | null; mode: "up" | "down" | "flat" }',
  Step: 'type Step = readonly ["add", number] | readonly ["scale", number, number?] | readonly ["mix", { lo?: number; hi: number }];',
  stepped: `function stepped(steps: readonly Step[], x: number): number {
  for (const step of steps) {
    switch (step[0]) {
      case "add": x += step[1]; break;
      case "scale": { const [, k, shift = 0.2] = step; x = Math.sin(x * k) + shift; break; }
      case "mix": { const [, { lo = -0.3, hi }] = step; x = Math.tanh(lo * x + hi); }
    }
  }
  return x;
}`,
  counter: `function counter(start: number) {
  let total = start;
  const seen: number[] = [];
  const self = { scale: 0.5, add(v: number): void { total = Math.sin(total + self.scale * v); seen.push(total); }, peek: (): number => total * self.scale, mean: (): number => seen.reduce((p, q) => p + q, total) / (seen.length + 1) };
  return self;
}`,
  Gauge: `class Gauge extends Cell {
  #level: number;
  limit = 1.2;
  constructor(level: number, items: number[]) {
    super(0.5 * level, items);
    this.#level = level;
  }
  get level(): number { return this.#level * this.limit; }
  set level(v: number) { this.#level = v > this.limit ? this.limit + 0.1 * v : v; this.total += 0.1 * v; }
  override get mean(): number { return super.mean + this.level; }
  override set mean(m: number) { this.items[2] = m; this.level = m; }
  override weight(v: number): number { this.level += 0.1 * v; return this.level * v; }
}`,
  Part: "interface Part { x: number; y?: number; z: number | null; w: number[] | null; u: number | undefined }",
  part: "const part = (x: number) => ({ x, z: null, w: null, u: undefined });",
  bare: "function bare(x: number) {\n  return { x, z: null, w: null, u: undefined, extra: 0.5 * x };\n}",
  half: "const half = (x: number, k = 0.2) => ({ x, z: x > k ? x * k : null, w: null, u: undefined });",
  complete: `function complete(one: Part, k: number): void {
  if (k > 0.9) return;
  one.z = Math.sin(one.x + k);
  one.w ??= [k, one.x];
}`,
  worth: `function worth(one: Part, k: number): number {
  const { y = 0.3, z, w } = one;
  return Math.sin(one.x * y + (z ?? k) + (w?.[0] ?? 0.2) * (w?.[1] ?? k) + (one.u ?? 0.1 * k));
}`,
  twice: "const twice = (g: (u: number) => number, x: number): number => g(g(x));",
  compose:
    "const compose = (g: (u: number) => number, h: (u: number) => number) => (x: number): number => g(h(x));",
  scaled: "const scaled = (k: number) => (x: number): number => Math.sin(k * x);",
  integrate: `function integrate(g: (u: number) => number, to: number, steps: number): number {
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += g(((i + 0.5) / steps) * to);
  return (sum * to) / steps;
}`,
  foldr: `function foldr<T, A>(items: readonly T[], g: (item: T, acc: A) => A, start: A): A {
  let acc = start;
  for (let i = items.length - 1; i >= 0; i--) acc = g(items[i], acc);
  return acc;
}`,
  first: "const first = (t: number[], k: number): number => t[0] * k;",
  walk: `function* walk(t: number[], k: number): Generator<number> {
  for (const one of t) yield Math.sin(one * k);
  yield k;
}`,
  total:
    "const total = (...all: number[]): number => all.reduce((p, q, k) => 0.5 * p + q * (k + 1), 0);",
  spread: `function spread({ lo = 0.2, hi = lo + 0.5 }: { lo?: number; hi?: number }, [head, ...rest]: number[]): number {
  return Math.sin(lo * head) + rest.reduce((sum, one) => sum + hi * one, 0);
}`,
  Link: "interface Link { v: number; w: number[]; next: Link | null; prev: Link | null }",
  Unit: "interface Unit { k: number; act: (u: number) => number }",
  soft: "const soft = (u: number): number => Math.log(1 + Math.exp(u));",
  cubed: "function cubed(u: number): number {\n  return Math.tanh(u * u * u);\n}",
  Soft: `class Soft implements Unit {
  calls = 0;
  constructor(public k: number) {}
  act(u: number): number {
    this.calls++;
    return Math.tanh(this.k * u);
  }
}`,
  Own: "class Own implements Unit {\n  constructor(public k: number, readonly act: (u: number) => number) {}\n}",
  unitFrom: "const unitFrom = (k: number): Unit => ({ k, act: (u) => Math.sin(u + k) });",
  apply: "const apply = (one: Unit, x: number): number => one.act(x) * one.k;",
  tune: `function tune(one: Unit, by: number): void {
  if (by > 0.8) return;
  one.k = Math.sin(one.k + one.act(by));
}`,
  chain: `function chain(all: readonly Unit[], x: number): number {
  for (const one of all) x = Math.sin(one.act(x) * one.k);
  return x;
}`,
  Dial: `class Dial {
  constructor(public low: number) {}
  get level(): number { return Math.sin(this.low); }
  set level(v: number) { this.low = v > 0.6 ? 0.6 + 0.1 * v : v; }
}`,
  dialOf: `function dialOf(low: number) {
  return { low, get level(): number { return this.low * 0.7; }, set level(v: number) { this.low = Math.tanh(v); } };
}`,
  read: `function read(one: { low: number; level: number }): number {
  one.level = one.level * 0.5 + one.low;
  return one.level;
}`,
  memo: `function memo(known: Map<number, number>, at: number, x: number): number {
  const found = known.get(at);
  if (found !== undefined) return found;
  const made = at <= 0 ? Math.sin(x) : 0.5 * memo(known, at - 1, x) + Math.sin(memo(known, at - 2, x));
  known.set(at, made);
  return made;
}`,
  sift: `function sift(t: number[], k: number, at: number): number {
  if (at >= t.length) return k;
  t[at] = Math.sin(t[at] * k + (t[at - 1] ?? 0.2));
  const rest = sift(t, t[at], at + 1);
  t[at] += 0.3 * rest;
  return 0.5 * rest + t[at];
}`,
  halves: `function halves(t: number[], from: number, to: number): number {
  if (to - from < 2) return t[from];
  const middle = (from + to) >> 1;
  const sum = halves(t, from, middle) - halves(t, middle, to);
  t[from] = Math.sin(sum);
  return sum * 0.5 + t[middle];
}`,
  eliminate: `function eliminate(t: number[], k: number, found: number[]): number[] {
  if (t.length <= 1 || found.length > 4) return found;
  const [head, ...rest] = t;
  found.unshift(Math.sin(head * k));
  t[0] = found[0];
  return eliminate(rest, found[0], found);
}`,
  deepen: `function deepen(one: R, k: number, left: number): R {
  if (left <= 0) return one;
  one.a = Math.sin(one.a + k);
  one.v[0] *= 0.5 * k;
  return left % 2 === 0 ? deepen({ ...one, b: k }, one.a, left - 1) : deepen(one, Math.sin(one.b), left - 1);
}`,
  spun: `function spun(t: Float64Array, k: number, left: number): number {
  if (left <= 0) return t[0];
  t[left % t.length] = Math.sin(t[0] * k);
  return k * spun(t.subarray(0), t[1], left - 1) + t[2];
}`,
  mixed: "const mixed = (p: number, q: number): number => p * q - 0.3 * Math.sin(p);",
  smoothed: `function smoothed(t: number[] | Float64Array, s: ArrayLike<number>, at: number, k: number): void {
  t[at] = Math.sin(t[at] + k * s[at + 1]);
  for (let j = 0; j < 2; j++) t[at + j] -= 0.1 * s[j] * t[at];
}`,
  OPS: "const OPS: ((p: number, q: number) => number)[] = [(p, q) => 0.5 * p * q, (p, q) => Math.sin(p + q)];",
};

/** Functions of two numbers, one that recurs, two that walk an array. */
export const HELPERS = ["h0", "h1"];
export const WALKERS = ["w0", "w1"];

/** What helpers are made of: few things, so that a program stays small. */
const PLAIN: ReadonlySet<Feature> = new Set([
  "arrays",
  "exits",
  "pattern",
  "inline",
  "callbacks",
  "switch",
  "closures",
  "stack",
  "optional",
]);

/** Random ones, each of which may exit early. */
function drawn(d: Dice, all: ReadonlySet<Feature>): Declarations {
  const on = new Set([...all].filter((one) => PLAIN.has(one) || d.chance(0.1)));
  const scope: Scope = {
    ...scopeOf({ number: ["p", "q"], variable: ["q"], array: ["TABLE"] }),
    loops: 1,
  };
  const walked: Scope = {
    ...scopeOf({
      number: ["m"],
      variable: ["m"],
      array: ["t"],
      ownArray: d.chance(0.3) ? ["t"] : [],
    }),
    loops: 1,
  };
  const build = (
    head: string,
    known: readonly string[],
    start: Scope,
    result: (e: (s: Scope) => string, s: Scope) => string,
  ): string => {
    const e = expressions(d, on, known, ["first"]);
    const body = blockOf(d, e, on)(start, 1 + d.below(2), d.below(2));
    const text = body.lines.map((one) => `  ${one}`);
    return [
      `${head} {`,
      ...(/\bn\b/.test(text.join("\n")) ? ["  const n: number = 2;"] : []),
      ...text,
      `  return Math.sin(${result((s) => e.number(s, 2), body.scope)});`,
      "}",
    ].join("\n");
  };
  const clause = (start: Scope): string => expressions(d, on, ["h0"], ["first"]).number(start, 2);
  return {
    h0: build(
      "function h0(p: number, q: number): number",
      ["Math.hypot", "Math.atan2"],
      scope,
      (e, s) => e(s),
    ),
    h1: build("const h1 = (p: number, q: number): number =>", ["h0"], scope, (e, s) =>
      e(s),
    ).replace(/\}$/, "};"),
    rec: `function rec(p: number, q: number): number {\n  return deep(p, q, ${1 + d.below(3)});\n}`,
    deep: build(
      "function deep(p: number, q: number, left: number): number",
      ["h0"],
      scope,
      (e, s) => `(left > 0 ? deep(${e(s)}, p, left - 1) * q : p) + ${e(s)}`,
    ),
    w0: build("function w0(t: number[], m: number): number", ["h0"], walked, (e, s) => e(s)),
    w1: build(
      "function w1(t: number[], m: number): number",
      ["h0"],
      walked,
      (e, s) => `w0(t, m) + ${e(s)}`,
    ),
    measure: `function measure(s: Shape, k: number): number {
  switch (s.kind) {
    case "dot": return Math.sin(${clause(scopeOf({ number: ["s.x", "k"], array: ["TABLE"] }))});
    case "box": k *= s.h;${d.chance(0.4) ? " break;" : " return Math.tanh(k + s.w);"}
    case "poly":
      for (const p of s.pts) k = Math.sin(k + p * s.k);
  }
  return Math.sin(k);
}`,
  };
}

/** The declarations that a text mentions, and those that these mention. */
export function preludeOf(d: Dice, on: ReadonlySet<Feature>, text: string): string {
  const all: Declarations = { ...FIXED, ...drawn(d, on) };
  const wanted = new Set<string>();
  const words = (one: string): void => {
    for (const [word] of one.matchAll(/\w+/g)) {
      const declared = Object.hasOwn(all, word) ? all[word] : undefined;
      if (declared === undefined || wanted.has(word)) continue;
      wanted.add(word);
      words(declared);
    }
  };
  words(text);
  return Object.entries(all)
    .filter(([name]) => wanted.has(name))
    .map(([, one]) => one)
    .join("\n");
}
