// Classes behind interfaces in files that have nothing to do with each other. In: one text many
// times over, with an interface of its own or one that all share. Out: the derivative of a file is
// the same however many others there are, and imports none of them. Where instances do go from file
// to file, derivatives agree with central differences.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf, type TestHost } from "../program.ts";

/** What files declare themselves, or share. */
const TYPES = `export interface Layer { forward(x: number): number }
export interface Net { first: Layer; rest: Layer | null; shift: Point }
export interface Point { x: number; y: number }
export interface Chain { value: number; next: Chain | null }
export const length = (p: Point): number => Math.hypot(p.x, p.y);
export const total = (c: Chain | null): number => (c === null ? 0 : c.value + total(c.next));
`;

/** Layers of a local list, of a field of a record, of a map, as an argument; records beside them. */
const BODIES: Readonly<Record<string, string>> = {
  list: `const layers: Layer[] = [new Affine$(w), new Tanh$(), new Affine$(x)];
  let y = x;
  for (const layer of layers) y = layer.forward(y);
  return y;`,
  record: `const net: Net = { first: new Affine$(w), rest: x > 0 ? new Tanh$() : null, shift: { x: w, y: x } };
  return net.first.forward(x) + (net.rest?.forward(w) ?? 0) + length(net.shift);`,
  argument: `const layer: Layer = x > 1 ? new Affine$(w) : new Tanh$();
  return apply(layer, x) * total({ value: w, next: { value: x, next: null } });`,
  map: `const layers = new Map<string, Layer>([["a", new Affine$(w)], ["b", new Tanh$()]]);
  let y = x;
  for (const layer of layers.values()) y = layer.forward(y);
  return y;`,
};

function textOf(body: string, at: number, types: string): string {
  return `import { grad } from "tsgrad";
${types}
class Affine$ implements Layer { constructor(private w: number) {} forward(x: number): number { return this.w * x; } }
class Tanh$ implements Layer { forward(x: number): number { return Math.tanh(x); } }
function apply(layer: Layer, x: number): number { return layer.forward(x) * layer.forward(2 * x); }
export function f(w: number, x: number): number {
  ${body}
}
void [apply, length, total];
export const df = grad(f, { argnums: [0, 1] });
`.replaceAll("$", String(at));
}

const SHARED = `import { length, total, type Chain, type Layer, type Net, type Point } from "./types.ts";`;

function editsOf(body: string, count: number, isShared: boolean): readonly string[] {
  const files = Array.from(
    { length: count },
    (_, i) =>
      [`p${i}.ts`, textOf(body, i, isShared ? SHARED : TYPES.replaceAll("export ", ""))] as const,
  );
  const { edits, diagnostics } = analyse(
    programOf({ ...Object.fromEntries(files), "types.ts": TYPES }),
  );
  expect(diagnostics).toEqual([]);
  return files.map(([name]) =>
    (edits.get(`/src/${name}`) ?? []).map(({ text }) => text).join("\n"),
  );
}

/** Without the number of the file. */
const plain = (text: string, at: number): string =>
  text.replaceAll(new RegExp(`(?<=Affine|Tanh)${at}`, "g"), "0");

for (const isShared of [false, true])
  test.each(Object.keys(BODIES))(`${isShared ? "one interface" : "own interfaces"}: %s`, (name) => {
    const body = BODIES[name] ?? "";
    const [alone = ""] = editsOf(body, 1, isShared);
    expect(alone).toContain("tanh");
    const all = editsOf(body, 5, isShared);
    expect(all.map(plain)).toEqual(all.map(() => plain(alone, 0)));
    for (const each of all) expect(each).not.toMatch(/from "\.\/p\d/);
  });

/** Instances that go from file to file, beside files that have their own. */
const TOGETHER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a list of another file": {
    "all.ts": `import type { Layer } from "./types.ts";\nexport const all: Layer[] = [];`,
    "b.ts": `import { all } from "./all.ts";\nexport class Square { forward(x: number): number { return x * x; } }\nall.push(new Square());`,
    "main.ts": `import "./b.ts";\nimport { all } from "./all.ts";\nimport { grad } from "tsgrad";\nexport class Half { forward(x: number): number { return x / 2; } }\nall.push(new Half());
export function f(w: number, x: number): number { let y = x * w; for (const layer of all) y = layer.forward(y); return y; }\nexport const df = grad(f, { argnums: [0, 1] });`,
  },
  "a function of another file": {
    "run.ts": `import type { Net } from "./types.ts";\nexport const run = (net: Net, x: number): number => net.first.forward(x) * (net.rest?.forward(x) ?? 1) + net.shift.x;`,
    "b.ts": `import { run } from "./run.ts";\nexport class Cube { constructor(readonly k: number) {} forward(x: number): number { return this.k * x ** 3; } }\nexport const cube = (k: number, x: number): number => run({ first: new Cube(k), rest: null, shift: { x: k, y: 0 } }, x);`,
    "main.ts": `import { cube } from "./b.ts";\nimport { run } from "./run.ts";\nimport { grad } from "tsgrad";\nclass Shift { constructor(readonly k: number) {} forward(x: number): number { return this.k + x; } }
export function f(w: number, x: number): number { return cube(w, x) * run({ first: new Shift(w), rest: new Shift(x), shift: { x, y: w } }, x); }\nexport const df = grad(f, { argnums: [0, 1] });`,
  },
  "a factory of another file": {
    "b.ts": `import type { Layer } from "./types.ts";\nclass Sine { constructor(readonly k: number) {} forward(x: number): number { return Math.sin(this.k * x); } }\nexport const make = (k: number): Layer => new Sine(k);`,
    "main.ts": `import { make } from "./b.ts";\nimport type { Layer } from "./types.ts";\nimport { grad } from "tsgrad";\nclass Twice { constructor(readonly of: Layer) {} forward(x: number): number { return this.of.forward(this.of.forward(x)); } }
export function f(w: number, x: number): number { const layer: Layer = new Twice(make(w)); return layer.forward(x); }\nexport const df = grad(f, { argnums: [0, 1] });`,
  },
};

function compiled(host: TestHost): ReadonlyMap<string, string> {
  const { edits, diagnostics } = analyse(host);
  expect(diagnostics).toEqual([]);
  return new Map(
    host.program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith("/src/"))
      .map(({ fileName, text }) => [
        fileName,
        applyEdits(fileName, text, edits.get(fileName) ?? []).text,
      ]),
  );
}

test.each(Object.keys(TOGETHER))("instances that go from file to file: %s", (name) => {
  const others = [0, 1].map(
    (i) => [`p${i}.ts`, textOf(BODIES["record"] ?? "", i, SHARED)] as const,
  );
  const host = programOf({ ...Object.fromEntries(others), "types.ts": TYPES, ...TOGETHER[name] });
  const { f, df } = loader(compiled(host))("/src/main.ts") as {
    readonly f: (w: number, x: number) => number;
    readonly df: (w: number, x: number) => readonly [number, number];
  };
  const [w, x, h] = [0.7, 1.3, 1e-5];
  // the error of central differences is about h² times a third derivative
  expect(df(w, x)[0]).toBeCloseTo((f(w + h, x) - f(w - h, x)) / (2 * h), 7);
  expect(df(w, x)[1]).toBeCloseTo((f(w, x + h) - f(w, x - h)) / (2 * h), 7);
});
