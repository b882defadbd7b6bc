// Variables without a type that are given what may be missing: `let top; while ((top = stack.pop())) …`. In: declarations, ways in which a value may be missing,
// kinds of values. Out: derivatives of both engines against differences; what is emitted type-checks.

import { beforeAll, describe, expect, test } from "vitest";
import { slopeOf } from "./differences.ts";
import { loadedText } from "./one-text.ts";

interface Kind {
  readonly type: string;
  readonly make: (of: string) => string;
  readonly read: (of: string) => string;
  /** A statement that changes the value. */
  readonly write: (of: string) => string;
}

const KINDS: Readonly<Record<string, Kind>> = {
  number: { type: "number", make: (x) => x, read: (q) => q, write: () => "" },
  tuple: {
    type: "[number, { v: number }]",
    make: (x) => `[${x}, { v: ${x} * y }]`,
    read: (q) => `${q}[0] * ${q}[1].v`,
    write: (q) => `${q}[1].v *= x;`,
  },
  record: {
    type: "{ v: number; l?: number[] }",
    make: (x) => `{ v: ${x}, l: [${x}, y] }`,
    read: (q) => `(${q}.v + (${q}.l?.[1] ?? 0))`,
    write: (q) => `${q}.v *= x;`,
  },
  tree: {
    type: "Tree",
    make: (x) => `{ v: ${x}, kids: [{ v: y }] }`,
    read: (q) => `(${q}.v * (${q}.kids?.[0]?.v ?? 1))`,
    write: (q) => `${q}.v += x * y;`,
  },
  instance: {
    type: "Box",
    make: (x) => `new Box(${x})`,
    read: (q) => `${q}.size()`,
    write: (q) => `${q}.v *= y;`,
  },
  list: {
    type: "number[]",
    make: (x) => `[${x}, y]`,
    read: (q) => `(${q}[0]! * ${q}[1]!)`,
    write: (q) => `${q}[0]! *= x;`,
  },
};

/** Code with `top`, whose declaration it begins with. */
type Way = (declared: string, kind: Kind) => string;
const listOf = ({ type, make }: Kind): string =>
  `const list: (${type})[] = [${make("x")}, ${make("y")}, ${make("(x + y)")}];`;
const used = ({ read, write }: Kind): string => `${write("top")} s = s * x + ${read("top")};`;

const WAYS: Readonly<Record<string, Way>> = {
  "a stack": (declared, kind) =>
    `${listOf(kind)} ${declared} while ((top = list.pop()) !== undefined) { ${used(kind)} }`,
  "a loop's variable": (declared, kind) =>
    `${listOf(kind)} for (${declared} (top = list.shift()) !== undefined; ) { ${used(kind)} }`,
  find: (declared, kind) =>
    `${listOf(kind)} ${declared} top = list.find((one) => ${kind.read("one")} > 1); if (top !== undefined) { ${used(kind)} }`,
  "a Map": (declared, kind) =>
    `const all = new Map<string, ${kind.type}>([["a", ${kind.make("x")}], ["b", ${kind.make("y")}]]); ${declared} for (const key of ["a", "c", "b"]) { top = all.get(key); if (top === undefined) continue; ${used(kind)} }`,
  "a loop over a list": (declared, kind) =>
    `const all: (${kind.type} | undefined)[] = [${kind.make("x")}, undefined, ${kind.make("y")}]; ${declared} for (top of all) { if (top !== undefined) { ${used(kind)} } }`,
  "a pattern": (declared, kind) =>
    `${listOf(kind)} ${declared} [top] = [list.find((one) => ${kind.read("one")} > 1)]; if (top !== undefined) { ${used(kind)} }`,
  "a pattern of fields": (declared, kind) =>
    `const held: { top?: ${kind.type}; l: [${kind.type} | null] } = { top: ${kind.make("x")}, l: [${kind.make("y")}] }; ${declared} ({ top } = held); if (top !== undefined) { ${used(kind)} } ({ l: [top] } = held); if (top !== null) { ${used(kind)} }`,
  null: (declared, kind) =>
    `const pick = (i: number): ${kind.type} | null => (i % 2 === 0 ? ${kind.make("x")} : null); ${declared} for (let i = 0; i < 4; i++) { top = pick(i); if (top !== null) { ${used(kind)} } }`,
  "null and undefined": (declared, kind) =>
    `${listOf(kind)} const pick = (i: number): ${kind.type} | null | undefined => (i < 1 ? null : list[i]); ${declared} for (let i = 0; i < 5; i++) { top = pick(i); if (top != null) { ${used(kind)} } }`,
  "an earlier value": (declared, kind) =>
    `${listOf(kind)} ${declared} for (let i = 0; i < 3; i++) { if (i === 1) top = list.at(-1); if (i > 1 && top !== undefined) { ${used(kind)} } }`,
};
const DECLARATIONS = ["let top;", "var top;", "let top = null;"];

const CASES = Object.entries(KINDS).flatMap(([kind, of]) =>
  Object.entries(WAYS).flatMap(([way, code]) =>
    DECLARATIONS.filter((declared) => declared !== "let top = null;" || way.includes("null")).map(
      (declared) => ({ what: `${kind}, ${way}, ${declared}`, code: code(declared, of) }),
    ),
  ),
);

const TEXT = `import { grad, jvp } from "tsgrad";
interface Tree { v: number; kids?: Tree[] }
class Box { v: number; constructor(v: number) { this.v = v; } size(): number { return this.v * this.v; } }
${CASES.map(({ code }, i) => `export function f${i}(x: number, y: number): number { let s = x; ${code} return s; }\nexport const s${i} = grad(f${i}, { argnums: [0, 1] }), d${i} = grad(f${i}, { argnums: [0, 1], engine: "delta" }), j${i} = jvp(f${i});`).join("\n")}
`;

type Called = (...args: readonly unknown[]) => unknown;
let made: ReturnType<typeof loadedText>;
beforeAll(() => {
  made = loadedText(TEXT, { noUncheckedIndexedAccess: true });
});

const called = (name: string, ...args: readonly unknown[]): unknown =>
  (made.exports[name] as Called)(...args); // the module's exports are made above

test("is accepted, and what is emitted type-checks", () => {
  expect([made.errors, made.problems]).toEqual([[], []]);
});

/** Extrapolated differences of polynomials of low degree. */
const DIGITS = 7;

describe.each(CASES.map(({ what }, i) => [what, i] as const))("%s", (_, i) => {
  test("agrees with differences", () => {
    const [x, y] = [1.25, 0.75];
    const value = (a: number, b: number): number => Number(called(`f${i}`, a, b));
    const slopes = [
      slopeOf((t) => value(x + t, y), x).value,
      slopeOf((t) => value(x, y + t), y).value,
    ];
    for (const form of ["s", "d"]) {
      const found = called(`${form}${i}`, x, y) as readonly number[]; // both argnums
      slopes.forEach((slope, k) => {
        expect(found[k]).toBeCloseTo(slope, DIGITS);
      });
    }
    const pushed = called(`j${i}`, [x, y], [1, 0]) as readonly number[]; // value and tangent
    expect(pushed[1]).toBeCloseTo(slopes[0] ?? NaN, DIGITS);
  });
});
