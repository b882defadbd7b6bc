// What classes of packages have from their bases: static methods by `this.constructor`, generators,
// fields of a base that is not exported, methods that are declared to return `this`. In: one package
// with a change at a time. Out: gradients against central differences of the package's own functions,
// and which engine takes the package as it is.

import { beforeAll, describe, expect, test } from "vitest";
import { type Built, built, engineOf, expectGradient, type Program, programOf } from "./built.ts";

const AT = [0.7, 1.9];

const CODE = `const toString = Object.prototype.toString;
function isList(v) { const tag = toString.call(v); return tag.endsWith("Array]"); }
class Grid {
  static from(a, to) { for (const [i, v] of a.entries()) to.set(i, v); return to; }
  static check(v) { return Grid.isGrid(v) ? v : new Dense(v); }
  static isGrid(v) { return v != null && v.kind === "grid"; }
  *entries() { for (let i = 0; i < this.size; i++) yield [i, this.get(i)]; }
  clone() { return this.constructor.from(this, new Dense(this.size)); }
  total() { let s = 0; for (let i = 0; i < this.size; i++) s += this.get(i) ** (i + 1); return s; }
}
Grid.prototype.kind = "grid";
class Dense extends Grid {
  data;
  constructor(n) {
    super();
    if (Grid.isGrid(n)) { this.size = n.size; this.data = new Float64Array(n.size); Grid.from(n, this); }
    else if (Number.isInteger(n)) { this.size = n; this.data = new Float64Array(n); }
    else if (isList(n)) { this.size = n.length; this.data = Float64Array.from(n); }
    else throw new TypeError("no grid");
  }
  get(i) { return this.data[i]; }
  set(i, v) { this.data[i] = v; return this; }
}
class View extends Grid {
  constructor(grid, size) { super(); this.grid = grid; this.size = size; }
}
class Tail extends View {
  constructor(grid, start) { super(grid, grid.size - start); this.start = start; }
  get(i) { return this.grid.get(i + this.start); }
  set(i, v) { this.grid.set(i + this.start, v); return this; }
}
class Never extends Grid { get size() { return 1; } get() { return 5; } set() { return this; } }
class Twice {
  constructor(grid) { grid = Grid.check(grid); this.copy = grid.clone(); this.first = grid.get(0); }
  get total() { return this.copy.total() * this.first; }
}
function tailTotal(grid) { grid = Grid.check(grid); return grid.size < 2 ? grid.total() : tailTotal(new Tail(grid, 1)) + grid.get(0); }
function listTotal(v) { if (!isList(v)) throw new TypeError("no list"); return new Dense(v).total(); }
const never = () => new Never();
`;

const DECLARED = `export abstract class Grid {
  static from<G extends Grid>(a: Grid, to: G): G;
  static check(v: any): Dense;
  static isGrid(v: any): v is Grid;
  readonly kind: "grid";
  readonly size: number;
  get(i: number): number;
  set(i: number, v: number): this;
  entries(): Generator<[number, number], void, void>;
  clone(): this;
  total(): number;
}
export class Dense extends Grid { constructor(n: number); constructor(n: ArrayLike<number>); constructor(n: Grid); }
export class Tail extends Grid { constructor(grid: Grid, start: number); }
export class Never extends Grid {}
export class Twice { constructor(grid: Grid | number[]); readonly total: number; }
export function tailTotal(grid: Grid | number[]): number;
export function listTotal(v: ArrayLike<number>): number;
export function never(): Grid;
`;

const NAMES = "Grid, Dense, Tail, Never, Twice, tailTotal, listTotal, never";
const LIST = "[x[0]!, x[1]!, x[0]! * x[1]!]";
const MINE =
  "class Mine extends Dense { static from<G extends Grid>(a: Grid, to: G): G { for (let i = 0; i < a.size; i++) to.set(i, 3 * a.get(i)); return to; } }";

const BODIES: readonly {
  readonly what: string;
  readonly body: string;
  readonly before?: string;
  readonly engine?: "delta";
}[] = [
  { what: "a copy", body: `new Dense(${LIST}).clone().total()` },
  { what: "a copy of a view", body: `new Tail(new Dense(${LIST}), 1).clone().total()` },
  { what: "a constructor that copies", body: `new Twice(new Dense(${LIST})).total` },
  { what: "a constructor that is given a list", body: `new Twice(${LIST}).total` },
  { what: "recursion over views", body: `tailTotal(${LIST})` },
  { what: "a test by tags", body: `listTotal(${LIST})` },
  {
    what: "the program's own class",
    body: `new Mine(${LIST}).clone().total()`,
    before: MINE,
    engine: "delta",
  },
  {
    what: "a class made elsewhere",
    body: "never().total() * x[0]! + new Dense([x[1]!]).clone().total()",
    engine: "delta", // its size is an accessor
  },
];

/** A change of the package; without one, the static engine takes what has no remark. */
const CHANGES: readonly (readonly [what: string, from: string, to: string])[] = [
  ["nothing", "", ""],
  [
    "a key by Symbol.for",
    "",
    `Grid.prototype[Symbol.for("inspect")] = function () { return "Grid"; };`,
  ],
  [
    "the view copies otherwise",
    "class Tail extends View {",
    "class Tail extends View { static from(a, to) { for (const [i, v] of a.entries()) to.set(i, 2 * v); return to; }",
  ],
  [
    "the middle copies otherwise",
    "class View extends Grid {",
    "class View extends Grid { static from(a, to) { for (const [i, v] of a.entries()) to.set(i, 2 * v); return to; }",
  ],
  [
    "copies by `this`",
    "to.set(i, v); return to; }",
    "to.set(i, this.factor * v); return to; } static factor = 3;",
  ],
  [
    "a static that is replaced",
    "",
    "Tail.from = (a, to) => { for (const [i, v] of a.entries()) to.set(i, v * v); return to; };",
  ],
  [
    "a static of the base that is replaced",
    "",
    "Grid.from = (a, to) => { for (const [i, v] of a.entries()) to.set(i, v * v); return to; };",
  ],
  [
    "another constructor on a prototype",
    "",
    "class Other { static from(a, to) { for (let i = 0; i < a.size; i++) to.set(i, 4 * a.get(i)); return to; } }\nTail.prototype.constructor = Other;",
  ],
  [
    "another constructor of an instance",
    "this.start = start;",
    "this.start = start; this.constructor = { from: (a, to) => { for (let i = 0; i < a.size; i++) to.set(i, 4 * a.get(i)); return to; } };",
  ],
  [
    "other entries of the view",
    "class Tail extends View {",
    "class Tail extends View { *entries() { for (let i = 0; i < this.size; i++) yield [i, 2 * this.get(i)]; }",
  ],
  [
    "entries of the view as a list",
    "class Tail extends View {",
    "class Tail extends View { entries() { return [[0, this.get(0) ** 2]]; }",
  ],
  [
    "a view that is made itself",
    "const never = () => new Never();",
    "const never = () => new (class extends View { get() { return 2; } set() { return this; } })(null, 1);",
  ],
  [
    "the middle class is made",
    "function listTotal(v) {",
    "function listTotal(v) { if (v.length === 9) return new View(null, 0).total();",
  ],
  [
    "a field that has two types",
    "this.copy = grid.clone();",
    "this.copy = grid.size > 1 ? grid.clone() : new Tail(grid, 0);",
  ],
  [
    "a method that is borrowed",
    "return new Dense(v).total(); }",
    "const { get } = Never.prototype; return new Dense(v).total() * get.call(v); }",
  ],
  [
    "a member by a name that code makes",
    "return new Dense(v).total(); }",
    `return new Dense(v)["to" + "tal"](); }`,
  ],
  [
    "a type that a tag hides",
    "function listTotal(v) {",
    "function listTotal(v) { if (toString.call(v) !== '[object Array]') return 0;",
  ],
];

const textOf = (i: number, change: (typeof CHANGES)[number]): string =>
  `${change[1] === "" ? CODE : CODE.replace(change[1], () => change[2])}${change[1] === "" ? change[2] : ""}\nexport { ${NAMES} };\n`.replaceAll(
    "\r",
    String(i),
  );

const CASES = CHANGES.flatMap((change, i) =>
  BODIES.map((use, j) => ({ change, use, from: `grids${i}`, file: `src/case${i}-${j}.ts` })),
);

/** What another package makes of the classes of the first one. */
const MORE = `import { Dense, Grid, Never, Tail } from "grids0";
class Odd extends Dense { static from(a, to) { for (const [i, v] of a.entries()) to.set(i, 2 * v); return to; } }
export const odd = (v) => new Odd(v);
export const nothing = () => new Never();
export const inner = (v) => new (class extends Tail { *entries() { yield [0, 7 * this.get(0)]; } })(new Dense(v), 1);
export const changed = (v) => { const g = new Dense(v); g.constructor = Odd; return g; };
export const borrowed = () => Never.prototype.get.call(null);
export const hooked = (v) => { const g = new Dense(v); g.total = () => 3 * v[0] ** 2; return g; };
export const other = (v) => { const g = new Dense(v); g.kind = "other"; g.from = 3; return g; };
export const copied = (g) => g.constructor.from(g, new Dense(g.size)).total();
`;
const MORE_DECLARED = `import { Dense, Grid } from "grids0";
export function odd(v: number[]): Dense;
export function nothing(): Grid;
export function inner(v: number[]): Grid;
export function changed(v: number[]): Dense;
export function borrowed(): number;
export function hooked(v: number[]): Dense;
export function other(v: number[]): Dense;
export function copied(g: Grid): number;
`;
const OF_MORE = [
  `odd(${LIST}).clone().total()`,
  "nothing().total() * x[0]! * x[1]!",
  `inner(${LIST}).clone().total()`,
  `changed(${LIST}).clone().total()`,
  `hooked(${LIST}).total() + hooked(${LIST}).clone().total()`,
  `other(${LIST}).clone().total() * (Grid.isGrid(other(${LIST})) ? 1 : x[1]!)`,
  `borrowed() * new Dense(${LIST}).clone().total()`,
  `copied(new Tail(new Dense(${LIST}), 1))`,
].map((body, i) => ({ body, file: `src/more${i}.ts` }));

let result: Built = { errors: [], made: new Map() };

beforeAll(async () => {
  const packages = CHANGES.flatMap((change, i) => [
    [`grids${i}/index.js`, textOf(i, change)] as const,
    [`grids${i}/index.d.ts`, DECLARED] as const,
    [
      `grids${i}/package.json`,
      `{ "name": "grids${i}", "type": "module", "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
    ] as const,
  ]);
  const groups = CASES.map(({ from, file, use: { body, before = "" } }): readonly Program[] => {
    const names = NAMES.split(", ").filter((each) =>
      new RegExp(`\\b${each}\\b`).test(`${before} ${body}`),
    );
    return [programOf(file, `import { ${names.join(", ")} } from "${from}";`, body, before)];
  });
  const more = {
    "more/index.js": MORE,
    "more/index.d.ts": MORE_DECLARED,
    "more/package.json": `{ "name": "more", "type": "module", "dependencies": { "grids0": "1" }, "exports": { ".": { "types": "./index.d.ts", "default": "./index.js" } } }`,
  };
  const names = [...MORE_DECLARED.matchAll(/function (\w+)/g)].map(([, name]) => name).join(", ");
  const ofMore = OF_MORE.map(({ body, file }) => [
    programOf(
      file,
      `import { ${names} } from "more";\nimport { Dense, Grid, Tail } from "grids0";`,
      body,
      `export const all = [${names}, Dense, Grid, Tail];`,
    ),
  ]);
  const alone = OF_MORE.map(({ body, file }) => {
    const [name = ""] = /^\w+/.exec(body) ?? [];
    const classes = ["Dense", "Grid", "Tail"]
      .filter((each) => new RegExp(`\\b${each}\\b`).test(body))
      .join(", ");
    const imports = `import { ${name} } from "more";\n${classes === "" ? "" : `import { ${classes} } from "grids0";`}`;
    return [programOf(file.replace("more", "alone"), imports, body)];
  });
  result = await built({ ...Object.fromEntries(packages), ...more }, [
    ...groups,
    ...ofMore,
    ...alone,
  ]);
});

test("everything builds", () => {
  expect(result.errors).toEqual([]);
});

describe.each(CASES.map((one) => [`${one.change[0]}: ${one.use.what}`, one] as const))(
  "%s",
  (_, one) => {
    test("the gradient", () => {
      const { module, text } = result.made.get(one.file) ?? {};
      if (module === undefined || text === undefined) throw new Error("not built");
      expectGradient(module, AT);
      if (one.change[0] === "nothing") expect(engineOf(text)).toBe(one.use.engine ?? "static");
    });
  },
);

describe.each(OF_MORE.map((one) => [one.body, one] as const))(
  "a package beside it: %s",
  (_, one) => {
    test.each([one.file, one.file.replace("more", "alone")])("the gradient in %s", (file) => {
      const { module } = result.made.get(file) ?? {};
      if (module === undefined) throw new Error("not built");
      expectGradient(module, AT);
    });
  },
);
