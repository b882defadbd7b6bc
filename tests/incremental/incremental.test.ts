// What is kept from one analysis to the next. In: a project whose files change at random, among texts that reach other files in every way that lowering knows.
// Out: each analysis with what was kept is the one without, in edits, diagnostics and dependencies; and what nothing reaches is not compiled again.

import type ts from "typescript";
import { expect, test } from "vitest";
import { analyse, Kept, type Analysis } from "../../transformer/analyse.ts";
import { compile, type Part } from "../../transformer/pipeline.ts";
import { programOf } from "../program.ts";

/** Texts that each file may have. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  "alone.ts": [
    `import { grad } from "tsgrad";\nexport function f(x: number): number { return x * x; }\nexport const df = grad(f);\n`,
    `import { grad } from "tsgrad";\n// moved\nexport function f(x: number): number { return x * x * 3; }\nexport const df = grad(f);\n`,
    `export function f(x: number): number { return x * x; }\nexport const df = f;\n`,
    // an error
    `import { grad } from "tsgrad";\nexport function f(x: string): number { return x.length; }\nexport const df = grad(f);\n`,
    // a warning
    `import { grad } from "tsgrad";\nexport function f(x: number, k: number): number { return 2 * k; }\nexport const df = grad(f);\n`,
  ],
  // a type and a function that others use, and a constant that others may write into
  "shared.ts": [
    `export interface Point { x: number; y: number }\nexport const table = { k: (x: number) => x * 2 };\nexport function norm(p: Point): number { return p.x * p.x + p.y * p.y; }\n`,
    `export interface Point { x: number; y: number; z?: number }\nexport const table = { k: (x: number) => x * 3 };\nexport function norm(p: Point): number { return Math.hypot(p.x, p.y); }\n`,
  ],
  "one.ts": [
    `import { grad } from "tsgrad";\nimport { norm, type Point } from "./shared.ts";\nexport const g = grad((p: Point) => norm(p) * 2);\n`,
    `import { grad } from "tsgrad";\nimport { table } from "./shared.ts";\nexport function h(x: number): number { return table.k(x) * x; }\nexport const g = grad(h);\n`,
  ],
  // whoever is home to a derivative that two files ask for
  "two.ts": [
    `import { grad } from "./passed.ts";\nimport { norm } from "./shared.ts";\nexport const g = grad(norm);\n`,
    `import { grad } from "./passed.ts";\nexport function f(x: number): number { return Math.sin(x); }\nexport const g = grad(f);\n`,
    `export const g = 1;\n`,
  ],
  // passes a form on, or something else of that name
  "passed.ts": [
    `export { grad } from "tsgrad";\n`,
    `export const grad = <T>(f: T): T => f;\n`,
    `export * from "tsgrad";\n`,
    `export { jvp as other } from "tsgrad";\nexport const grad = <T>(f: T): T => f;\n`,
  ],
  // no import leads from here to what it decides about
  "shape.ts": [
    `import { grad } from "tsgrad";\nexport class Base { constructor(public r: number) {} area(): number { return this.r * this.r; } }\nexport function f(b: Base): number { return b.area(); }\nexport const df = grad(f);\n`,
    `import { grad } from "tsgrad";\nexport class Base { constructor(public r: number) {} area(): number { return this.r; } }\nexport interface Sized { size(k: number): number }\nexport class Own { constructor(public h: number) {} size(k: number): number { return this.h + k; } }\nexport function f(b: Sized, k: number): number { return b.size(k) * k; }\nexport const df = grad(f, { argnums: 1 });\n`,
  ],
  "derived.ts": [
    `export const nothing = 0;\n`,
    `import { Base } from "./shape.ts";\nexport class Derived extends Base { override area(): number { return this.r * 3; } }\n`,
    `export class Fits { constructor(public w: number) {} size(k: number): number { return this.w * k; } }\n`,
  ],
  "writer.ts": [
    `import { table } from "./shared.ts";\nexport const use = table.k(1);\n`,
    `import { table } from "./shared.ts";\ntable.k = (x) => x;\n`,
    // brings two files together
    `import "./shape.ts";\nimport "./derived.ts";\n`,
  ],
  "globals.ts": [`export {};\n`, `declare global { interface Number { extra: 1 } }\nexport {};\n`],
};

const texts = (at: Readonly<Record<string, number>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(FILES).map(([name, list]) => [name, list[at[name] ?? 0] ?? ""]),
  );

/** By versions of the files: what is found with nothing kept. */
const known = new Map<string, unknown>();

const plain = ({ edits, diagnostics, dependencies }: Analysis): unknown => ({
  edits: Object.fromEntries([...edits].sort()),
  diagnostics,
  dependencies: Object.fromEntries([...dependencies].sort()),
});

/** Numbers in [0, 1), the same for a seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const print = (file: ts.SourceFile): string =>
  JSON.stringify([file.text, file.impliedNodeFormat, file.languageVariant]);

/** What another process begins with; null where it begins with nothing. */
function inNextProcess(kept: Kept): { readonly kept: Kept; readonly found: Analysis } | null {
  const stored = kept.stored(print);
  const next = new Kept();
  return stored === null
    ? null
    : { kept: next, found: next.resume(JSON.parse(JSON.stringify(stored)), print) };
}

/** `isPassedOn`: between processes, before each edit. */
test.each([false, true])(
  "random edits: what is kept changes nothing (in another process: %s)",
  (isPassedOn) => {
    const next = random(20);
    const pick = <T>(list: readonly T[]): T =>
      list[Math.floor(next() * list.length)] ?? expect.fail("empty");
    let kept = new Kept();
    const at: Record<string, number> = {};
    let reused = 0;
    let before: Analysis | null = null;
    for (let step = 0; step < 20; step++) {
      for (let change = next() < 0.3 ? 2 : 1; change > 0; change--) {
        const name = pick(Object.keys(FILES));
        at[name] = Math.floor(next() * (FILES[name]?.length ?? 0));
      }
      const key = JSON.stringify(
        Object.entries(at)
          .filter(([, version]) => version !== 0)
          .sort(),
      );
      const host = programOf(texts(at));
      const passed = isPassedOn ? inNextProcess(kept) : null;
      if (passed !== null) {
        expect(plain(passed.found)).toEqual(plain(before ?? expect.fail("nothing was found")));
        ({ kept, found: before } = passed);
      }
      const found = analyse({ ...host, kept });
      if (!known.has(key)) known.set(key, plain(analyse(host)));
      expect(plain(found), `step ${step}: ${key}`).toEqual(known.get(key));
      reused += [...found.edits].filter(([file, list]) => before?.edits.get(file) === list).length;
      before = found;
    }
    // of some 80 files with edits
    expect(reused).toBeGreaterThan(8);
  },
);

/** What no import of the asking file says: each pair of versions changes what is emitted elsewhere, or what is asked for. */
test.each([
  ["a name becomes a form", { "passed.ts": 1 }, { "passed.ts": 0 }],
  ["a name of a whole module becomes a form", { "passed.ts": 3 }, { "passed.ts": 2 }],
  ["a form becomes another function", { "passed.ts": 0 }, { "passed.ts": 1 }],
  ["a class derives from one", { "derived.ts": 0 }, { "derived.ts": 1 }],
  [
    "a class fits an interface",
    { "shape.ts": 1, "writer.ts": 2 },
    { "shape.ts": 1, "derived.ts": 2, "writer.ts": 2 },
  ],
  [
    "a class fits it no more",
    { "shape.ts": 1, "derived.ts": 2, "writer.ts": 2 },
    { "shape.ts": 1, "writer.ts": 2 },
  ],
  [
    "a class is imported together with it",
    { "shape.ts": 1, "derived.ts": 2 },
    { "shape.ts": 1, "derived.ts": 2, "writer.ts": 2 },
  ],
  ["a constant is written into", { "one.ts": 1 }, { "one.ts": 1, "writer.ts": 1 }],
  ["a type that two files see", { "shared.ts": 0 }, { "shared.ts": 1 }],
])("%s", (_, before, after) => {
  const kept = new Kept();
  const first = analyse({ ...programOf(texts(before)), kept });
  const passed = inNextProcess(kept) ?? expect.fail("nothing is stored");
  const cold = plain(analyse(programOf(texts(after))));
  expect(plain(first)).not.toEqual(cold);
  for (const each of [kept, passed.kept])
    expect(plain(analyse({ ...programOf(texts(after)), kept: each }))).toEqual(cold);
});

const ASKS = `import { grad } from "tsgrad";\n`;
const TABLE = `export const table = { k: (x: number) => x * 2 };\n`;
const READS = `${ASKS}import { table } from "./table.ts";\nexport function f(x: number): number { return table.k(x) * x; }\nexport const d = grad(f);\n`;
const SCALED = `${ASKS}import { scale } from "./dir";\nexport const d = grad((x: number) => scale(x) * x);\n`;
const POINT = (imported: string): string =>
  `${ASKS}${imported}\nexport function f(p: P): number { return p.x * p.x; }\nexport const d = grad(f);\n`;
const KEEPS_ASKED = `import { kept } from "./keeps.ts";\nexport const f = (x: number): number => x * x;\nexport const d = kept.grad(f);\n`;
const KEEPS = (kept: string): string =>
  `import * as ad from "tsgrad";\nexport const kept = ${kept};\nexport const d = ad.vjp((x: number) => x);\n`;
const BASE = `export class Base { run(x: number): number { return x * x; } }\n`;
const TAKES = `${ASKS}import { Base } from "./base.ts";\nexport const d = grad((x: number, base: Base) => base.run(x));\n`;
/** One edit each, made where the file that asks does not look itself. */
test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
  [
    "a type alias that another file passes on",
    {
      "asks.ts": POINT(`import type { P } from "./passed.ts";`),
      "passed.ts": `export type { P } from "./types.ts";\n`,
      "types.ts": `export type P = { x: number };\n`,
    },
    { "types.ts": `export type P = { x: number; y: number[] };\n` },
  ],
  [
    "a type that is imported where it stands",
    {
      "asks.ts": POINT(`type P = import /* here */ ("./types.ts").P;`),
      "types.ts": `export type P = { x: number };\n`,
    },
    { "types.ts": `export type P = { x: number; y: number[] };\n` },
  ],
  [
    "an interface that another module adds to",
    {
      "asks.ts": POINT(`import type { P } from "./types.ts";`),
      "types.ts": `export interface P { x: number }\n`,
      "adds.ts": `export {};\n`,
    },
    { "adds.ts": `declare module "./types.ts" { interface P { y: number[] } }\nexport {};\n` },
  ],
  [
    "a member of a constant that is written under another name",
    {
      "asks.ts": READS,
      "table.ts": TABLE,
      "passed.ts": `export { table as other } from "./table.ts";\n`,
      "writes.ts": `export {};\n`,
    },
    { "writes.ts": `import { other } from "./passed.ts";\nother.k = (x) => x;\n` },
  ],
  [
    "… where it is imported",
    {
      "asks.ts": READS,
      "table.ts": TABLE,
      "writes.ts": `import { table as own } from "./table.ts";\nexport const k = own.k;\n`,
    },
    { "writes.ts": `import { table as own } from "./table.ts";\nown.k = (x) => x;\n` },
  ],
  [
    "… as what its module exports by default",
    {
      "asks.ts": READS,
      "table.ts": `${TABLE}export default table;\n`,
      "writes.ts": `export {};\n`,
    },
    { "writes.ts": `import any from "./table.ts";\nany.k = (x) => x;\n` },
  ],
  [
    "a namespace of forms that another file keeps",
    {
      "asks.ts": KEEPS_ASKED,
      "keeps.ts": KEEPS("{ grad: <T>(f: T): T => f }"),
      "other.ts": `${ASKS}export const d = grad((x: number) => x);\n`,
    },
    { "keeps.ts": KEEPS("ad") },
  ],
  [
    "a method that another file replaces",
    {
      "asks.ts": `${ASKS}import { Base } from "./base.ts";\nconst base = new Base();\nexport const d = grad((x: number) => base.run(x));\n`,
      "base.ts": `export class Base { run(x: number): number { return x * x; } }\n`,
      "other.ts": `export {};\n`,
    },
    { "other.ts": `import { Base } from "./base.ts";\nBase.prototype.run = (x) => x;\n` },
  ],
  [
    "a class that is like another",
    { "asks.ts": TAKES, "base.ts": BASE, "other.ts": `import "./base.ts";\nexport {};\n` },
    {
      "other.ts": `import "./base.ts";\nexport class Other { run(x: number): number { return x; } }\n`,
    },
  ],
  [
    "… and an import that brings them together",
    {
      "asks.ts": TAKES,
      "base.ts": BASE,
      "like.ts": `export class Other { run(x: number): number { return x; } }\n`,
      "other.ts": `import "./base.ts";\n`,
    },
    { "other.ts": `import "./base.ts";\nimport "./like.ts";\n` },
  ],
  [
    "a literal that has what a class has",
    { "asks.ts": TAKES, "base.ts": BASE, "other.ts": `import "./base.ts";\nexport {};\n` },
    { "other.ts": `import "./base.ts";\nexport const own = { run: (x: number): number => x };\n` },
  ],
  [
    "an instance that another file brings",
    {
      "asks.ts": `${ASKS}import { all } from "./all.ts";\nexport const d = grad((x: number) => { let y = x; for (const each of all) y = each.run(y); return y; });\n`,
      "all.ts": `export interface Run { run(x: number): number }\nclass Twice { run(x: number): number { return 2 * x; } }\nexport const all: Run[] = [new Twice()];\n`,
      "like.ts": `class Other { run(x: number): number { return x * x; } }\nexport const other = new Other();\n`,
      "other.ts": `import { all } from "./all.ts";\nimport { other } from "./like.ts";\nexport const both = [all, other];\n`,
    },
    {
      "other.ts": `import { all } from "./all.ts";\nimport { other } from "./like.ts";\nall.push(other);\n`,
    },
  ],
  [
    "a method that another file copies over",
    { "asks.ts": TAKES, "base.ts": BASE, "other.ts": `export {};\n` },
    {
      "other.ts": `import { Base } from "./base.ts";\nexport const own = Object.assign(new Base(), { run: (x: number): number => x });\n`,
    },
  ],
  [
    "a file that is found before a folder",
    { "asks.ts": SCALED, "dir/index.ts": `export const scale = (x: number): number => x * 2;\n` },
    { "dir.ts": `export const scale = (x: number): number => x * x;\n` },
  ],
])("an edit elsewhere: %s", (_, files, edit) => {
  const [before, after] = [programOf(files), programOf({ ...files, ...edit })];
  const cold = plain(analyse(after));
  expect(plain(analyse(before))).not.toEqual(cold);
  const kept = new Kept();
  analyse({ ...before, kept });
  const passed = inNextProcess(kept);
  for (const each of [kept, ...(passed === null ? [] : [passed.kept])])
    expect(plain(analyse({ ...after, kept: each }))).toEqual(cold);
});

test("another process begins with what nothing has touched, and with nothing after a mistake", () => {
  const kept = new Kept();
  analyse({ ...programOf(texts({})), kept });
  const next = inNextProcess(kept) ?? expect.fail("nothing is stored");
  const found = analyse({ ...programOf(texts({ "alone.ts": 1 })), kept: next.kept });
  expect(
    [...found.edits]
      .filter(([file, list]) => next.found.edits.get(file) === list)
      .map(([file]) => file)
      .sort(),
  ).toEqual(["/src/one.ts", "/src/shape.ts", "/src/shared.ts", "/src/two.ts"]);
  expect(inNextProcess(next.kept)).not.toBeNull();
  analyse({ ...programOf(texts({ "alone.ts": 3 })), kept: next.kept });
  expect(inNextProcess(next.kept)).toBeNull();
});

test("a file that no site sees leaves everything as it is, and one that a site sees does not", () => {
  const kept = new Kept();
  const first = analyse({ ...programOf(texts({})), kept });
  const other = analyse({ ...programOf(texts({ "derived.ts": 2 })), kept });
  expect([...other.edits].map(([file, list]) => first.edits.get(file) === list)).toEqual(
    [...other.edits].map(() => true),
  );
  const shared = analyse({ ...programOf(texts({ "shared.ts": 1, "derived.ts": 2 })), kept });
  expect(
    Object.fromEntries(
      [...shared.edits].map(([file, list]) => [file, first.edits.get(file) === list]),
    ),
  ).toEqual({
    "/src/alone.ts": true,
    "/src/shape.ts": true,
    "/src/shared.ts": false,
    "/src/one.ts": false,
    "/src/two.ts": false,
  });
});

test("after a mistake is mended, what it did not touch is still there", () => {
  const kept = new Kept();
  const first = analyse({ ...programOf(texts({})), kept });
  expect(analyse({ ...programOf(texts({ "alone.ts": 3 })), kept }).diagnostics).toHaveLength(1);
  const mended = analyse({ ...programOf(texts({ "alone.ts": 1 })), kept });
  expect(mended.edits.get("/src/shape.ts")).toBe(first.edits.get("/src/shape.ts"));
  expect(mended.edits.get("/src/alone.ts")).not.toEqual(first.edits.get("/src/alone.ts"));
});

test("types that no import leads to: everything is compiled again", () => {
  const ambient = {
    "types.d.ts": 'interface Shape { kind: "round"; r: number }\n',
    "asks.ts": `import { grad } from "tsgrad";\nexport function f(s: Shape): number { return s.r * s.r; }\nexport const df = grad(f);\n`,
  };
  // another file makes it a member of a union, whose cotangents say which member they are of
  const union = (size: string): string =>
    `import { grad } from "tsgrad";\nexport function f(s: ${size}): number { return s.kind === "round" ? s.r : s.w; }\nexport const df = grad(f);\n`;
  const kept = new Kept();
  for (const size of [
    'Shape | { kind: "flat"; w: number }',
    '{ kind: "round"; r: number } | { kind: "flat"; w: number }',
  ]) {
    const host = programOf({ ...ambient, "union.ts": union(size) });
    expect(plain(analyse({ ...host, kept }))).toEqual(plain(analyse(host)));
  }
});

test("other options, other files: everything is compiled again", () => {
  const kept = new Kept();
  const first = analyse({ ...programOf(texts({})), kept });
  expect(
    analyse({ ...programOf(texts({}), { noUncheckedIndexedAccess: true }), kept }).edits.get(
      "/src/alone.ts",
    ),
  ).not.toBe(first.edits.get("/src/alone.ts"));
  const before = analyse({ ...programOf(texts({})), kept });
  expect(
    analyse({ ...programOf({ ...texts({}), "more.ts": "export {};\n" }), kept }).edits.get(
      "/src/alone.ts",
    ),
  ).not.toBe(before.edits.get("/src/alone.ts"));
});

/** One file that is edited around what is differentiated: texts of which each may follow each. */
const EDITED: readonly string[] = (() => {
  const above = `import { grad } from "tsgrad";\n`;
  const body =
    "export function f(xs: number[]): number { let s = 0; for (const x of xs) s += x * x; return s; }\nexport const d = grad(f);\n";
  return [
    above + body,
    `${above}${body}// behind\n`,
    `${above}${body}export function other(x: number): number { return x + 1; }\n`,
    // what is emitted has other names
    `${above}${body}export const f$grad = 1, i$bar = 2, xs$bar = 3;\n`,
    `${above}${body}export type Readonly2 = readonly number[];\n`,
    `${above}${body}export const e = grad((x: number) => f([x, x]));\n`,
    `// in front\n${above}${body}`,
    above + body.replace("x * x;", "x * x * 2;"),
    above + body.replace("x * x;", "x + x;"),
    above + body.replace("grad(f)", "grad(f, { argnums: [0] })"),
    above + body.replace("xs: number[]", "xs: readonly number[]"),
    // an error, and none of it
    above + body.replace("x * x;", "parseFloat(String(x));"),
    body.replace("grad(f)", "f"),
  ];
})();

test("while a file is edited, what it leads to is what it leads to without what is kept", () => {
  const host = (at: number): ReturnType<typeof programOf> =>
    programOf({ "asks.ts": EDITED[at] ?? "" });
  const cold = EDITED.map((_, at) => plain(analyse(host(at))));
  const next = random(7);
  const kept = new Kept();
  analyse({ ...host(0), kept });
  for (let step = 0, last = 0; step < 120; step++) {
    // half of the time what was there two edits ago, as one takes back what one has tried
    const at = next() < 0.5 ? last : Math.floor(next() * EDITED.length);
    last = Math.floor(next() * EDITED.length);
    expect(plain(analyse({ ...host(at), kept })), `step ${step}: ${at}`).toEqual(cold[at]);
  }
});

test("a group that says the same in the same places is not compiled again", () => {
  const of = (at: number, before: readonly Part[] = []): readonly Part[] =>
    compile(programOf({ "asks.ts": EDITED[at] ?? "" }), { files: ["/src/asks.ts"] }, before).parts;
  const parts = of(0);
  expect(parts.length).toBe(1);
  for (const at of [1, 2, 3, 4])
    expect(of(at, parts)[0]?.derived === parts[0]?.derived, EDITED[at]).toBe(true);
  for (const at of [5, 6, 7, 8, 9])
    expect(of(at, parts)[0]?.derived === parts[0]?.derived, EDITED[at]).toBe(false);
});
