// A random TypeScript program of the accepted language. In: a seed. Out: a module that exports `f` and `args`, as the corpus has them.
// Invariant: f is smooth at most points, bounded, and terminates; a program has some features, so that they meet each other.

import type { Source } from "../programs/corpus.ts";
import { expressions } from "./random-expressions.ts";
import { HELPERS, preludeOf, WALKERS } from "./random-prelude.ts";
import {
  type Dice,
  dice,
  type Feature,
  FEATURES,
  type Kind,
  type Scope,
  scopeOf,
} from "./random-scope.ts";
import { blockOf, TAKEN } from "./random-statements.ts";
import { renamed } from "./renamed.ts";

/** A parameter of f: what it is in the scope, and how a value of it is written. */
interface Parameter {
  readonly name: string;
  /** What of it is in the scope; absent: the parameter itself. */
  readonly part?: string;
  readonly type: string;
  readonly kinds: readonly Kind[];
  readonly make: (d: Dice) => string;
}

/** Numbers with many digits, so that ties and kinks are not hit. */
const number = (d: Dice): string => ((d.below(2 ** 20) / 2 ** 19 - 1) * 1.5).toFixed(5);
const list = (d: Dice): string =>
  `[${Array.from({ length: 3 + d.below(2) }, () => number(d)).join(", ")}]`;
const record = (d: Dice): string => `{ a: ${number(d)}, b: ${number(d)}, v: ${list(d)} }`;
const shape = (d: Dice): string =>
  d.of(
    [
      `{ kind: "dot", x: ${number(d)} }`,
      `{ kind: "box", w: ${number(d)}, h: ${number(d)} }`,
      `{ kind: "poly", pts: ${list(d)}, k: ${number(d)} }`,
    ],
    "",
  );

const always: readonly Parameter[] = [
  { name: "x", type: "number", kinds: ["number"], make: number },
  { name: "y", type: "number", kinds: ["number", "variable"], make: number },
];

const some: readonly (readonly [Feature, Parameter])[] = [
  ["arrays", { name: "xs", type: "number[]", kinds: ["array"], make: list }],
  ["records", { name: "r", type: "R", kinds: ["record"], make: record }],
  [
    "records",
    {
      name: "many",
      type: "R[]",
      kinds: ["records"],
      make: (d) => `[${record(d)}, ${record(d)}, ${record(d)}]`,
    },
  ],
  [
    "typed",
    {
      name: "fs",
      type: "Float64Array",
      kinds: ["typed"],
      make: (d) => `Float64Array.of(${list(d).slice(1, -1)})`,
    },
  ],
  ["unions", { name: "sh", type: "Shape", kinds: ["shape"], make: shape }],
  [
    "unions",
    {
      name: "shs",
      type: "Shape[]",
      kinds: ["shapes"],
      make: (d) => `[${shape(d)}, ${shape(d)}, ${shape(d)}]`,
    },
  ],
  [
    "matrix",
    {
      name: "rows",
      type: "number[][]",
      kinds: ["matrix"],
      make: (d) => `[${list(d)}, ${list(d)}, ${list(d)}]`,
    },
  ],
  [
    "tree",
    {
      name: "tree",
      type: "Tree | null",
      kinds: ["tree"],
      make: (d) =>
        `{ left: { left: null, right: null, value: ${number(d)} }, right: null, value: ${number(d)} }`,
    },
  ],
];

/** What statements lengthen, and give further keys and fields. */
const growing: readonly (readonly [Feature, Parameter])[] = [
  [
    "stack",
    {
      name: "log",
      type: "number[]",
      kinds: ["stack"],
      make: (d) => (d.chance(0.3) ? "[]" : list(d)),
    },
  ],
  [
    "stack",
    {
      name: "book",
      part: "book.page.log",
      type: "{ page: { log: number[] }; k: number }",
      kinds: ["stack"],
      make: (d) => `{ page: { log: ${d.chance(0.3) ? "[]" : list(d)} }, k: ${number(d)} }`,
    },
  ],
  [
    "map",
    {
      name: "freq",
      type: "Map<string, number>",
      kinds: ["map"],
      make: (d) => `new Map([["a", ${number(d)}], ["d", ${number(d)}]])`,
    },
  ],
  [
    "keyed",
    {
      name: "kw",
      type: "Record<string, number>",
      kinds: ["keyed"],
      make: (d) => `{ a: ${number(d)}, b: ${number(d)}, c: ${number(d)} }`,
    },
  ],
  [
    "pattern",
    {
      name: "pairs",
      type: "[number, number][]",
      kinds: ["tuples"],
      make: (d) => `[[${number(d)}, ${number(d)}], [${number(d)}, ${number(d)}]]`,
    },
  ],
  [
    "optional",
    {
      name: "opts",
      type: "Options",
      kinds: ["options"],
      make: (d) => `{ lo: ${number(d)}, mode: "up", inner: { k: ${number(d)}, w: ${list(d)} } }`,
    },
  ],
  [
    "parts",
    {
      name: "bits",
      type: "Part[]",
      kinds: ["parts"],
      make: (d) =>
        `[{ x: ${number(d)}, z: null, w: null, u: undefined }, { x: ${number(d)}, y: ${number(d)}, z: ${number(d)}, w: ${list(d)}, u: ${number(d)} }]`,
    },
  ],
  [
    "classes",
    {
      name: "meter",
      type: "Cell",
      kinds: ["cell"],
      make: (d) => `new Cell(${number(d)}, ${list(d)})`,
    },
  ],
];

/** Written arguments are the norm in libraries. */
const WRITTEN: Readonly<Record<string, Kind>> = { array: "ownArray", record: "ownRecord" };

/** "small": a program of about twenty lines, of which thousands are compiled in a minute. "mixed": larger ones, too. */
export type Size = "small" | "mixed";

/** Features that every program has, others being rare: `FEATURES=held,edges npm run fuzz`. */
const WANTED: readonly string[] | undefined = process.env["FEATURES"]?.split(",");

export function randomProgram(seed: number, size: Size = "mixed"): Source {
  const d = dice(seed * 7919 + (size === "small" ? 5 : 17));
  const name = `${size === "small" ? "small" : "random"}-${seed}`;
  const on = new Set(FEATURES.filter((one) => d.chance(often(one, size))));
  const chosen = (from: typeof some, often: number): readonly Parameter[] =>
    from.filter(([feature]) => on.has(feature) && d.chance(often)).map(([, one]) => one);
  const parameters = [...always, ...chosen(some, 0.6), ...chosen(growing, 0.3)];
  const e = expressions(
    d,
    on,
    on.has("recursion") ? [...HELPERS, "rec"] : HELPERS,
    WALKERS,
    size === "small" ? 2 : 3,
  );
  const block = blockOf(d, e, on, TAKEN);
  const large = size === "mixed" && d.chance(0.08);
  const body = block(
    withIndex(parameters, d),
    large ? 7 : (size === "small" ? 1 : 2) + d.below(3),
    large ? 3 : 1 + d.below(2),
  );
  const head = `export function f(${parameters.map((one) => `${one.name}: ${one.type}`).join(", ")}, n: number): number {`;
  const main = [
    head,
    ...body.lines.map((one) => `  ${one}`),
    `  return ${resultOf(d, body.scope)} + ${e.number(body.scope, 2)};`,
    "}",
  ].join("\n");
  const points = [0, 1].map(
    () => `[${[...parameters.map((one) => one.make(d)), String(1 + d.below(4))].join(", ")}]`,
  );
  const text = [
    preludeOf(d, on, main),
    main,
    `export const args: Parameters<typeof f>[] = [${points.join(", ")}];`,
    `export const argnums = [${parameters.map((_, i) => i).join(", ")}];`,
  ].join("\n");
  // dice of their own: the program is the same under its other names
  const own = dice(seed * 131 + 29);
  const written = own.chance(0.35) ? renamed(text, own) : text;
  return { name, main: `${name}.ts`, files: { [`${name}.ts`]: `${written}\n` } };
}

/** What the static engine leaves to Delta, or refuses where it is mixed with others, and what takes its time. */
const RARE: ReadonlySet<Feature> = new Set(["beyond", "map", "free", "tasks", "sweeps"]);

function often(one: Feature, size: Size): number {
  if (WANTED !== undefined) return WANTED.includes(one) ? 1 : RARE.has(one) ? 0 : 0.1;
  return RARE.has(one) ? 0.06 : size === "small" ? 0.19 : 0.3;
}

/** The parameters, each of its kinds, and the written ones of these that may be. */
function withIndex(parameters: readonly Parameter[], d: Dice): Scope {
  const named = (kind: Kind): readonly string[] =>
    parameters.filter((one) => one.kinds.includes(kind)).map((one) => one.part ?? one.name);
  const written = (kind: string): readonly string[] =>
    WRITTEN[kind] !== undefined && d.chance(0.25)
      ? parameters.filter((one) => one.kinds[0] === kind).map((one) => one.name)
      : [];
  return scopeOf({
    number: named("number"),
    variable: named("variable"),
    array: [...named("array"), "TABLE"],
    ownArray: written("array"),
    record: named("record"),
    ownRecord: written("record"),
    records: named("records"),
    typed: named("typed"),
    shape: named("shape"),
    shapes: named("shapes"),
    matrix: named("matrix"),
    tree: named("tree"),
    stack: named("stack"),
    map: named("map"),
    keyed: named("keyed"),
    tuples: named("tuples"),
    options: named("options"),
    cell: named("cell"),
    parts: named("parts"),
  });
}

/** Something of everything that is in scope at the end. */
function resultOf(d: Dice, { names }: Scope): string {
  const parts = [
    ...names.variable.map((one) => `Math.sin(${one})`),
    ...names.number.slice(-2).map((one) => `Math.sin(${one})`),
    ...names.ownArray.map((one, i) => `${one}.reduce((s, e, k) => s + e * (k + ${i + 1}), 0)`),
    ...names.matrix.map((one) => `${one}.reduce((s, row, k) => s + row[1] * k + row[0], 0)`),
    ...names.typed.map((one, i) => `${one}[0] * ${i + 2} + ${one}[2]`),
    ...names.ownRecord.map((one) => `${one}.a * ${one}.b + ${one}.v[1]`),
    ...names.records.map((one) => `${one}[0].a + ${one}[1].b * ${one}[1].v[0]`),
    ...names.stack.map((one) => `${one}.reduce((s, e) => 0.5 * s + e, 0)`),
    ...names.cell.map((one) => `${one}.total + ${one}.mean`),
    ...names.keyed.map((one) => `${one}.a + ${one}["b"] * 0.5`),
    ...names.map.map((one) => `(${one}.get("a") ?? 0) + 0.5 * (${one}.get("b") ?? 0.1)`),
    ...names.optional.map((one) => `(${one} ?? 0.2)`),
    ...names.shape.map((one) => `measure(${one}, 0.4)`),
    ...names.tree.map((one) => `sumTree(${one}, 0.3)`),
    ...names.parts.map((one) => `${one}.reduce((s, each) => 0.5 * s + worth(each, 0.4), 0)`),
    ...names.closure.map((one) => `${one}(0.3)`),
  ];
  const kept = parts.filter((_, i) => i === 0 || d.chance(0.75));
  return kept.join(" + ") || "0";
}
