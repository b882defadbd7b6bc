// What of a module a derivative may read before its call has written it (TSG3016). Each program is a function f of its own module; the name that is refused stands beside it, null where none is.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const CELLS =
  "interface Cell { v: number }\nconst s: { prev: Cell; cur: Cell } = { prev: { v: 0 }, cur: { v: 0 } };\n";
const GRIDS =
  "const g = { a: new Float64Array(3), b: new Float64Array(3) };\nconst flip = (): void => { const t = g.a; g.a = g.b; g.b = t; };\nconst start = (x: number): void => { for (let i = 0; i < 3; i++) g.a[i] = x * i; };\n";
const PAIR = "const t: [number, number] = [NaN, 0];\n";
const BUFFERS =
  "const t: [Float64Array, Float64Array] = [new Float64Array(2), new Float64Array(2)];\n";

const PROGRAMS: readonly (readonly [what: string, code: string, refused: string | null])[] = [
  [
    "the object of an earlier call, moved",
    `${CELLS}function f(x: number): number { s.prev = s.cur; s.cur = { v: x * x }; return s.prev.v + s.cur.v; }`,
    "s",
  ],
  [
    "the same, under a name",
    `${CELLS}function f(x: number): number { const old = s.cur; s.cur = { v: x * x }; return old.v * x; }`,
    "s",
  ],
  [
    "an object that is written, then moved",
    `${CELLS}function f(x: number): number { s.cur.v = x; s.prev = s.cur; s.cur = { v: x * x }; return s.prev.v + s.cur.v; }`,
    null,
  ],
  [
    "the same, under a name",
    `${CELLS}function f(x: number): number { s.cur.v = x; const old = s.cur; s.cur = { v: x * x }; return old.v * s.cur.v; }`,
    null,
  ],
  [
    "an object that may be missing",
    "const s: { last: { v: number } | null } = { last: null };\nfunction f(x: number): number { const before = s.last; s.last = { v: x * x }; return before === null ? x : before.v * x; }",
    "s",
  ],
  [
    "buffers that a call flips as often as it fills them",
    `${GRIDS}function f(x: number): number { start(x); for (let k = 0; k < 4; k++) { for (let i = 0; i < 3; i++) g.b[i] = Math.sin(g.a[i]! + k); flip(); } return g.a[0]! + g.a[1]!; }`,
    null,
  ],
  [
    "a buffer that came back",
    `${GRIDS}function f(x: number): number { start(x); flip(); return g.a[1]! * x; }`,
    "g",
  ],
  [
    "the buffer that went",
    `${GRIDS}function f(x: number): number { start(x); flip(); return g.b[1]! * x; }`,
    null,
  ],
  [
    "a tuple, written at a computed position",
    `${PAIR}function f(x: number): number { for (let i = 0; i < 2; i++) t[i] = x * (i + 1); return t[0] * t[1]; }`,
    null,
  ],
  [
    "a tuple that remembers",
    `${PAIR}function f(x: number): number { if (t[0] === x) return t[1]; for (let i = 0; i < 2; i++) t[i] = i === 0 ? x : x * x; return t[1]; }`,
    "t",
  ],
  [
    "a tuple, read at a computed position",
    `${PAIR}function f(x: number, k: 0 | 1): number { const y = t[k] * x; t[0] = x * x; return y; }`,
    "t",
  ],
  [
    "one of two positions",
    `${PAIR}function f(x: number, on: boolean): number { if (on) t[0] = x; else t[1] = x * x; return t[0] * x; }`,
    "t",
  ],
  [
    "two buffers by turns",
    `${BUFFERS}function f(x: number): number { t[0][1] = x; let p = 0; for (let k = 0; k < 4; k++) { t[1 - p]![1] = t[p]![1]! * x; p = 1 - p; } return t[p]![1]!; }`,
    null,
  ],
  [
    "a record, written at computed names",
    'const r = { a: 1, b: 2 };\nfunction f(x: number): number { for (const k of ["a", "b"] as const) r[k] = x; return r.a * r.b; }',
    null,
  ],
];

const file = (i: number): string => `/p${i}.ts`;
const ERRORS = analyse(
  programOf(
    Object.fromEntries(
      PROGRAMS.map(([, code], i) => [
        file(i),
        `import { grad } from "tsgrad";\n${code}\nexport const d = grad(f, { engine: "static" });\n`,
      ]),
    ),
  ),
).diagnostics.filter(({ severity }) => severity === "error");

test.each(PROGRAMS.map(([what, , refused], i) => [what, i, refused] as const))(
  "%s (%i)",
  (_what, i, refused) => {
    const found = ERRORS.filter(({ span }) => span.file === file(i)).map(
      ({ code, message }) => `${code} ${/`(\w+)`/.exec(message)?.[1] ?? ""}`,
    );
    expect(found).toEqual(refused === null ? [] : [`TSG3016 ${refused}`]);
  },
);
