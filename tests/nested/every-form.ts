// Every form of every way to write a function. In: ways of writing x₀³ x₁ + sin(x₀ x₁), and forms
// of first to third order. Out: a module for each cell, with the numbers that it should give, by
// hand, or the code by which it is refused; and the tables of docs/every-form.md.

/** `either`: the form names none. */
export type Engine = "static" | "delta" | "either";

export interface Way {
  readonly way: string;
  /** Declares `f`, and what it needs. */
  readonly code: string;
  /** What `f` takes; an array of two numbers where it is absent. */
  readonly takes?: Taken;
  readonly isAsync?: true;
  /** Packages of one module: their source, and whether they are built with their derivatives. */
  readonly packages?: Readonly<
    Record<string, { readonly source: string; readonly ships: boolean }>
  >;
}

interface Taken {
  readonly type: string;
  /** The point, and a direction, `(1, 0.5)`. */
  readonly point: string;
  readonly along: string;
  /** How the two numbers of a cotangent are read. */
  readonly parts: readonly [first: string, second: string];
}

const [A, B] = [1.1, 0.7];
const LIST: Taken = {
  type: "number[]",
  point: `[${A}, ${B}]`,
  along: "[1, 0.5]",
  parts: ["[0]!", "[1]!"],
};

const WHOLE = "x[0]! ** 3 * x[1]! + Math.sin(x[0]! * x[1]!)";
const body = (statements: string): string => `function f(x: number[]): number { ${statements} }`;
/** With the cube as a function that is written in some way. */
const cubed = (cube: string): string =>
  `${cube}\n${body("return cube(x[0]!) * x[1]! + Math.sin(x[0]! * x[1]!);")}`;
const RULE = `(x) => { const [a, b] = [x[0]!, x[1]!]; return [a ** 3 * b + Math.sin(a * b), (bar: number) => [[bar * (3 * a * a * b + b * Math.cos(a * b)), bar * (a ** 3 + a * Math.cos(a * b))]]]; }`;
const FORWARD_RULE = `([x], [d]) => { const [a, b] = [x[0]!, x[1]!]; return [a ** 3 * b + Math.sin(a * b), (3 * a * a * b + b * Math.cos(a * b)) * d[0]! + (a ** 3 + a * Math.cos(a * b)) * d[1]!]; }`;
const SOURCE = `/** @differentiable */
export function cube(a: number): number { return a * a * a; }
/** @differentiable */
export function whole(x: number[]): number { return ${WHOLE}; }
/** @differentiable */
export function applied(g: (a: number) => number, a: number): number { return g(a) * a; }
`;
const FOLLOWED = SOURCE.replaceAll("/** @differentiable */\n", "");
const RULES = `import { customVjp } from "tsgrad";
export const cube = customVjp((a: number): number => a * a * a, (a) => [a * a * a, (bar) => [3 * a * a * bar]]);
/** @differentiable */
export const applied = customVjp(
  (g: (a: number) => number, a: number): number => g(a),
  (g, a) => { const [y, back] = g.vjp(a); return [y, (bar) => { const [da, dg] = back(bar); return [dg, da]; }]; },
);
`;

export const WAYS: readonly Way[] = [
  { way: "plain code", code: body(`return ${WHOLE};`) },
  {
    way: "array methods",
    code: body(
      `return x.map((v, k) => (k === 0 ? v ** 3 : v)).reduce((a, b) => a * b, 1) + Math.sin(x.reduce((a, b) => a * b));`,
    ),
  },
  {
    way: "typed array",
    takes: {
      ...LIST,
      type: "Float64Array",
      point: `Float64Array.of(${A}, ${B})`,
      along: "Float64Array.of(1, 0.5)",
    },
    code: `function f(x: Float64Array): number { const own = x.slice(); own[0] = own[0]! * own[0]! * own[0]!; return own[0]! * own[1]! + Math.sin(x[0]! * x[1]!); }`,
  },
  {
    way: "`customVjp`",
    code: cubed(
      `const cube = customVjp((a: number): number => a * a * a, (a) => [a * a * a, (bar) => [3 * a * a * bar]]);`,
    ),
  },
  {
    way: "`customVjp`, named to the form",
    code: `const f = customVjp((x: number[]): number => ${WHOLE}, ${RULE});`,
  },
  {
    way: "`customVjp` of arrays",
    code: `const both = customVjp((a: number[]): number[] => [a[0]! ** 3 * a[1]!, a[0]! * a[1]!], (a) => [[a[0]! ** 3 * a[1]!, a[0]! * a[1]!], (bar) => [[3 * a[0]! ** 2 * a[1]! * bar[0]! + a[1]! * bar[1]!, a[0]! ** 3 * bar[0]! + a[0]! * bar[1]!]]]);\n${body("const [p, q] = both(x); return p! + Math.sin(q!);")}`,
  },
  {
    way: "`customVjp` of a closure that captures",
    code: body(
      `const scaled = customVjp((a: number): number => a * a * a * x[1]!, (a) => [a * a * a * x[1]!, (bar) => [3 * a * a * x[1]! * bar, { x: [0, a * a * a * bar] }]]); return scaled(x[0]!) + Math.sin(x[0]! * x[1]!);`,
    ),
  },
  {
    way: "`customVjp` of a function that takes functions",
    code: `const applied = customVjp(\n  (g: (a: number) => number, a: number): number => g(a),\n  (g, a) => { const [y, back] = g.vjp(a); return [y, (bar) => { const [da, dg] = back(bar); return [dg, da]; }]; },\n);\n${body("return applied((a) => a ** 3 * x[1]!, x[0]!) + Math.sin(x[0]! * x[1]!);")}`,
  },
  {
    way: "`customJvp`",
    code: cubed(
      `const cube = customJvp((a: number): number => a * a * a, ([a], [da]) => [a * a * a, 3 * a * a * da]);`,
    ),
  },
  {
    way: "`customJvp`, named to the form",
    code: `const f = customJvp((x: number[]): number => ${WHOLE}, ${FORWARD_RULE});`,
  },
  {
    way: "`checkpoint`",
    code: cubed(`const cube = checkpoint((a: number): number => a * a * a);`),
  },
  {
    way: "`checkpoint`, named to the form",
    code: `const f = checkpoint((x: number[]): number => ${WHOLE});`,
  },
  {
    way: "`tsgrad/implicit`",
    code: `import { rootFind } from "tsgrad/implicit";\n${cubed("const cube = (a: number): number => rootFind((y) => y ** 3 - a ** 9, 1.5);")}`,
  },
  {
    way: "`tsgrad/vector`",
    code: `import { dot, map, prod, sum } from "tsgrad/vector";\n${body("return prod(map((v) => v, [x[0]!, x[0]!, dot([x[0]!], [x[1]!])])) + sum(map((v) => Math.sin(v * x[1]!), [x[0]!]));")}`,
  },
  {
    way: "a package, followed",
    packages: { cubes: { source: FOLLOWED, ships: false } },
    code: `import { cube } from "cubes";\n${cubed("")}`,
  },
  {
    way: "a package, named to the form",
    packages: { cubes: { source: FOLLOWED, ships: false } },
    code: `import { whole as f } from "cubes";`,
  },
  {
    way: "a package's function that takes functions",
    packages: { cubes: { source: FOLLOWED, ships: false } },
    code: `import { applied } from "cubes";\n${body("return applied((a) => a * a * x[1]!, x[0]!) + Math.sin(x[0]! * x[1]!);")}`,
  },
  {
    way: "a package's rule",
    packages: { rules: { source: RULES, ships: false } },
    code: `import { cube } from "rules";\n${cubed("")}`,
  },
  {
    way: "a package's rule of a function that takes functions",
    packages: { rules: { source: RULES, ships: true } },
    code: `import { applied } from "rules";\n${body("return applied((a) => a ** 3 * x[1]!, x[0]!) + Math.sin(x[0]! * x[1]!);")}`,
  },
  {
    way: "shipped derivatives",
    packages: { cubes: { source: SOURCE, ships: true } },
    code: `import { cube } from "cubes";\n${cubed("")}`,
  },
  {
    way: "shipped derivatives, named to the form",
    packages: { cubes: { source: SOURCE, ships: true } },
    code: `import { whole as f } from "cubes";`,
  },
  {
    way: "shipped: a function that takes functions",
    packages: { cubes: { source: SOURCE, ships: true } },
    code: `import { applied } from "cubes";\n${body("return applied((a) => a * a * x[1]!, x[0]!) + Math.sin(x[0]! * x[1]!);")}`,
  },
  {
    way: "class instance",
    code: `class Point { #a: number; b: number; constructor(a: number, b: number) { this.#a = a; this.b = b; } get a(): number { return this.#a; } product(): number { return this.#a * this.b; } }\n${body("const p = new Point(x[0]!, x[1]!); return p.a ** 3 * p.b + Math.sin(p.product());")}`,
  },
  {
    way: "class instance as argument",
    takes: {
      type: "Point",
      point: `new Point(${A}, ${B})`,
      along: "{ a: 1, b: 0.5 }",
      parts: [".a", ".b"],
    },
    code: `class Point { a: number; b: number; constructor(a: number, b: number) { this.a = a; this.b = b; } product(): number { return this.a * this.b; } }\nfunction f(p: Point): number { return p.a ** 3 * p.b + Math.sin(p.product()); }`,
  },
  {
    way: "`Map`",
    code: `class Box { v: number; constructor(v: number) { this.v = v; } }\n${body(`const m = new Map<string, Box>(); m.set("a", new Box(x[0]!)); m.set("b", new Box(x[1]!)); let s = 1; for (const { v } of m.values()) s *= v; return m.get("a")!.v ** 3 * m.get("b")!.v + Math.sin(s);`)}`,
  },
  {
    way: "`Map` as argument",
    takes: {
      type: "Map<string, number>",
      point: `new Map([["a", ${A}], ["b", ${B}]])`,
      along: `new Map([["a", 1], ["b", 0.5]])`,
      parts: [`.get("a")!`, `.get("b")!`],
    },
    code: `function f(m: Map<string, number>): number { const a = m.get("a")!, b = m.get("b")!; return a ** 3 * b + Math.sin(a * b); }`,
  },
  {
    way: "union",
    code: `type S = { kind: "a"; r: number } | { kind: "b"; q: number };\n${body(`const parts: S[] = [{ kind: "a", r: x[0]! }, { kind: "b", q: x[1]! }]; let s = 1; for (const p of parts) s *= p.kind === "a" ? p.r : p.q; return s * x[0]! * x[0]! + Math.sin(s);`)}`,
  },
  {
    way: "union as argument",
    takes: {
      type: "S",
      point: `at`,
      along: `{ kind: "a", a: 1, b: 0.5 }`,
      parts: [".a", ".b"],
    },
    code: `interface Two { kind: "a"; a: number; b: number }\ninterface One { kind: "b"; a: number; b: number; c: number[] }\ntype S = One | Two;\nconst at: S = { kind: "a", a: ${A}, b: ${B} };\nfunction f(s: S): number { return s.kind === "a" ? s.a ** 3 * s.b + Math.sin(s.a * s.b) : s.c[0]!; }`,
  },
  {
    way: "missing optional field",
    code: `interface Options { readonly scale?: number; readonly shift?: number }\nconst scaled = (a: number, o: Options): number => a * (o.scale ?? 1) + (o.shift ?? 0);\n${body("return scaled(x[0]! ** 3, { scale: x[1]! }) + Math.sin(scaled(x[0]!, { scale: x[1]! }));")}`,
  },
  {
    way: "missing optional field of the argument",
    takes: {
      type: "Options",
      point: `{ a: ${A}, b: ${B} }`,
      along: "{ a: 1, b: 0.5, shift: 0 }",
      parts: [".a", ".b"],
    },
    code: `interface Options { a: number; b: number; shift?: number }\nfunction f(o: Options): number { return o.a ** 3 * o.b + Math.sin(o.a * o.b + (o.shift ?? 0)); }`,
  },
  {
    way: "closure returned",
    code: `const power = (n: number) => (a: number): number => a ** n;\n${body("const cube = power(3); return cube(x[0]!) * x[1]! + Math.sin(x[0]! * x[1]!);")}`,
  },
  {
    way: "closures that a recursion returns",
    code: `const power = (n: number) => (a: number): number => (n === 0 ? 1 : a * power(n - 1)(a));\n${body("return power(3)(x[0]!) * x[1]! + Math.sin(x[0]! * x[1]!);")}`,
  },
  {
    way: "function from a list",
    code: `const chosen: readonly ((a: number) => number)[] = [Math.sin, Math.cos];\n${body("return x[0]! ** 3 * x[1]! + chosen[0]!(x[0]! * x[1]!);")}`,
  },
  {
    way: "`try`",
    code: body(`try { return ${WHOLE}; } finally { void 0; }`),
  },
  {
    way: "generator",
    code: `function* cubes(a: number): Generator<number> { let p = 1; for (let k = 0; k < 3; k++) { p *= a; yield p; } }\n${body("let last = 0; for (const p of cubes(x[0]!)) last = p; return last * x[1]! + Math.sin(x[0]! * x[1]!);")}`,
  },
  {
    way: "`async`",
    isAsync: true,
    code: `const later = async (a: number): Promise<number> => { await Promise.resolve(); return a * a * a; };\nasync function f(x: number[]): Promise<number> { const p = await later(x[0]!); return p * x[1]! + Math.sin(x[0]! * x[1]!); }`,
  },
  {
    way: "a derivative inside",
    code: body(
      "return grad((a: number): number => a ** 4 * x[1]!)(x[0]!) / 4 + Math.sin(x[0]! * x[1]!);",
    ),
  },
];

const [S, C] = [Math.sin(A * B), Math.cos(A * B)];
const VALUE = A ** 3 * B + S;
const GRADIENT = [3 * A * A * B + B * C, A ** 3 + A * C];
const MIXED = 3 * A * A + C - A * B * S;
const HESSIAN = [
  [6 * A * B - B * B * S, MIXED],
  [MIXED, -A * A * S],
];
const along = (rows: readonly (readonly number[])[]): readonly number[] =>
  rows.map(([a = 0, b = 0]) => a + b / 2);
const ALONG = along(HESSIAN);
const [XXY, XYY] = [6 * A - 2 * B * S - A * B * B * C, -2 * A * S - A * A * B * C];
/** The derivatives of the first number of `ALONG`. */
const THIRD = along([
  [6 * B - B ** 3 * C, XXY],
  [XXY, XYY],
]);

/** Cells that are refused, by the way. `forms`: all of them where it is absent. */
interface Refusal {
  readonly engine: Engine;
  readonly code: string;
  readonly forms?: readonly string[];
  readonly because: string;
}

const OF_PULLBACK: Refusal = {
  engine: "static",
  code: "TSG1009",
  forms: ["grad ∘ vjp", "grad ∘ linearize"],
  because: "a pullback inside of a differentiated function is of numbers, arrays and plain records",
};
const OF_GRADIENT: Refusal = {
  engine: "static",
  code: "TSG1009",
  forms: ["vjp ∘ grad", "jacrev ∘ grad", "linearize ∘ grad"],
  because: "a gradient is reversed if it is made of numbers, arrays and plain records",
};

const ofRule = (code: string): Refusal => ({
  engine: "static",
  code,
  because: "a constant of a package holds the function, which the Delta engine finds when it runs",
});

export const REFUSALS: Readonly<Record<string, readonly Refusal[]>> = {
  "`try`": [
    {
      engine: "static",
      code: "TSG1110",
      because: "what is thrown, and where it is caught, is known when the code runs",
    },
  ],
  "`async`": [
    {
      engine: "static",
      code: "TSG1101",
      because: "code that waits has to be resumed, which the Delta engine's record allows",
    },
    {
      engine: "delta",
      code: "TSG0014",
      forms: ["delta"],
      because: "a term is given at once, when the function has not ended",
    },
  ],
  "closures that a recursion returns": [
    {
      engine: "static",
      code: "TSG1123",
      because: "each call makes another function, and their number is known when the code runs",
    },
  ],
  "a package's rule": [ofRule("TSG1002")],
  "a package's rule of a function that takes functions": [ofRule("TSG1113")],
  "class instance as argument": [OF_PULLBACK],
  "`Map` as argument": [OF_PULLBACK, OF_GRADIENT],
  "missing optional field of the argument": [OF_PULLBACK],
  "union as argument": [OF_PULLBACK, OF_GRADIENT],
};

export const refusalOf = ({ way }: Way, { form }: Form, engine: Engine): Refusal | undefined =>
  REFUSALS[way]?.find(
    (one) => one.engine === engine && (one.forms === undefined || one.forms.includes(form)),
  );

/** How a cell is written: `o` the engine, `w` waits, `a` makes a function that waits. */
interface Words extends Taken {
  readonly o: string;
  readonly w: string;
  readonly a: string;
}

export interface Form {
  readonly form: string;
  readonly write: (words: Words) => string;
  readonly expected: unknown;
  readonly order: 1 | 2 | 3;
  /** `delta` is of one engine. */
  readonly alone?: Engine;
}

const gradient = ({ type, a, w, o }: Words, form: string, result: string): string =>
  `${form}(${a}(z: ${type}) => { ${result.replaceAll("WAIT ", w)} }${o})`;

export const FORMS: readonly Form[] = [
  { form: "grad", order: 1, write: ({ o, w }) => `return ${w}grad(f${o})(x);`, expected: GRADIENT },
  {
    form: "valueAndGrad",
    order: 1,
    write: ({ o, w }) => `return ${w}valueAndGrad(f${o})(x);`,
    expected: [VALUE, GRADIENT],
  },
  {
    form: "vjp",
    order: 1,
    write: ({ o, w }) => `const [y, back] = ${w}vjp(f${o})(x); return [y, ${w}back(1)];`,
    expected: [VALUE, GRADIENT],
  },
  {
    form: "jvp",
    order: 1,
    write: ({ o, w }) => `return ${w}jvp(f${o})([x], [v]);`,
    expected: [VALUE, along([GRADIENT])],
  },
  {
    form: "linearize",
    order: 1,
    write: ({ o, w }) =>
      `const [y, map] = ${w}linearize(f${o})(x); return [y, map.apply([v]), map.transpose().apply(1)];`,
    expected: [VALUE, along([GRADIENT]), GRADIENT],
  },
  {
    form: "jacfwd",
    order: 1,
    write: ({ o, w }) => `return ${w}jacfwd(f${o})(x);`,
    expected: GRADIENT,
  },
  {
    form: "jacrev",
    order: 1,
    write: ({ o, w }) => `return ${w}jacrev(f${o})(x);`,
    expected: GRADIENT,
  },
  {
    form: "delta",
    order: 1,
    alone: "delta",
    write: ({ w }) =>
      `const { value, term } = ${w}delta(f)(x); return [value, [...term.evaluate(1)].sort(([p], [q]) => (p < q ? -1 : 1)).map(([, d]) => d)];`,
    expected: [VALUE, GRADIENT],
  },
  {
    form: "hessian",
    order: 2,
    write: ({ o, w }) => `return ${w}hessian(f${o})(x);`,
    expected: HESSIAN,
  },
  { form: "hvp", order: 2, write: ({ o, w }) => `return ${w}hvp(f${o})([x], v);`, expected: ALONG },
  {
    form: "grad ∘ grad",
    order: 2,
    write: (words) =>
      `return ${words.w}${gradient(words, "grad", `const g = WAIT grad(f)(z); return g${words.parts[0]} + g${words.parts[1]} / 2;`)}(x);`,
    expected: ALONG,
  },
  {
    form: "jvp ∘ grad",
    order: 2,
    write: (words) =>
      `return (${words.w}${gradient(words, "jvp", "return grad(f)(z);")}([x], [v]))[1];`,
    expected: ALONG,
  },
  {
    form: "vjp ∘ grad",
    order: 2,
    write: (words) =>
      `const [, back] = ${words.w}${gradient(words, "vjp", "return grad(f)(z);")}(x); return ${words.w}back(v);`,
    expected: ALONG,
  },
  {
    form: "jacrev ∘ grad",
    order: 2,
    write: (words) => `return ${words.w}${gradient(words, "jacrev", "return grad(f)(z);")}(x);`,
    expected: HESSIAN,
  },
  {
    form: "linearize ∘ grad",
    order: 2,
    write: (words) =>
      `return (${words.w}${gradient(words, "linearize", "return grad(f)(z);")}(x))[1].apply([v]);`,
    expected: ALONG,
  },
  {
    form: "grad ∘ linearize",
    order: 2,
    write: (words) =>
      `return ${words.w}${gradient(words, "grad", `const [, map] = WAIT linearize(f)(z); const [g] = map.transpose().apply(1); return g${words.parts[0]} + g${words.parts[1]} / 2 + 3 * map.apply([v]);`)}(x);`,
    expected: ALONG.map((x) => 4 * x),
  },
  {
    form: "grad ∘ jvp",
    order: 2,
    write: (words) =>
      `return ${words.w}${gradient(words, "grad", "return (WAIT jvp(f)([z], [v]))[1];")}(x);`,
    expected: ALONG,
  },
  {
    form: "grad ∘ vjp",
    order: 2,
    write: (words) =>
      `return ${words.w}${gradient(words, "grad", `const [, back] = WAIT vjp(f)(z); const [g] = WAIT back(1); return g${words.parts[0]} + g${words.parts[1]} / 2;`)}(x);`,
    expected: ALONG,
  },
  {
    form: "third order",
    order: 3,
    write: (words) =>
      `return ${words.w}${gradient(words, "grad", `return (WAIT hvp(f)([z], v))${words.parts[0]};`)}(x);`,
    expected: THIRD,
  },
];

const NAMES =
  "checkpoint, customJvp, customVjp, delta, grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, valueAndGrad, vjp".split(
    ", ",
  );

/** A module whose `run` gives the numbers. */
export function moduleOf({ code, takes = LIST, isAsync }: Way, form: Form, engine: Engine): string {
  const [w, a] = isAsync === true ? ["await ", "async "] : ["", ""];
  const o = engine === "either" ? "" : `, { engine: "${engine}" }`;
  const written = form.write({ ...takes, o, w, a });
  const text = `${code}\nexport const run = ${a}(): ${isAsync === true ? "Promise<unknown>" : "unknown"} => { const x: ${takes.type} = ${takes.point}; const v = ${takes.along}${takes.along.startsWith("{ kind") ? " as const" : ""}; ${/\bv\b/.test(written) ? "" : "void v; "}${written} };\n`;
  const used = NAMES.filter((name) => new RegExp(`\\b${name}\\(`).test(text));
  return `import { ${used.join(", ")} } from "tsgrad";\n${text}`;
}

const enginesOf = ({ alone }: Form): readonly Engine[] =>
  alone === undefined ? ["static", "delta"] : [alone];

export interface Cell {
  readonly way: Way;
  readonly form: Form;
  readonly engine: Engine;
  readonly file: string;
}

const cellsOf = (engines: (form: Form) => readonly Engine[]): readonly Cell[] =>
  WAYS.flatMap((way, k) =>
    FORMS.flatMap((form, n) =>
      engines(form).map((engine) => ({ way, form, engine, file: `/src/w${k}f${n}${engine}.ts` })),
    ),
  );

export const CELLS = cellsOf(enginesOf);
/** Where the static engine refuses, and an engine is not named. */
export const LEFT_TO_CHOICE = cellsOf(() => ["either"]).filter(
  ({ way, form }) => refusalOf(way, form, "static") !== undefined,
);

/** `S D`: both engines; `–`: none. */
function stateOf(way: Way, form: Form): string {
  const able = enginesOf(form).filter((engine) => refusalOf(way, form, engine) === undefined);
  return able.map((engine) => (engine === "static" ? "S" : "D")).join(" ") || "–";
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The table, and the reasons of what is refused. */
export function page(): string {
  const refused = CELLS.filter(({ way, form, engine }) => refusalOf(way, form, engine));
  const anywhere = WAYS.flatMap((way) => FORMS.filter((form) => stateOf(way, form) === "–"));
  const reasons = WAYS.flatMap(({ way }) =>
    (REFUSALS[way] ?? []).map(({ engine, code, forms, because }) => {
      const what = forms === undefined ? "every form" : forms.join(", ");
      return `- ${way}, ${engine === "static" ? "static" : "Delta"} engine, ${what}: ${because} (${code}).`;
    }),
  );
  return [
    "# Every form of everything",
    "",
    "After this page you know which derivatives you can take of which code, and by which engine.",
    "",
    "One function of two numbers is written in many ways: with a rule, with a class, in a package, and so on. Of each way every form is taken, up to third order. The tests compare all numbers with the derivatives by hand.",
    "",
    '`S` says that the [static engine](accepted.md#two-engines) takes it, `D` that the Delta engine does, and `–` that neither does. You need not choose: without the option `engine` the static engine is asked first, then Delta. `grad ∘ jvp` is the gradient of a function in which `jvp` is taken; "third order" is the gradient of an `hvp`. [`delta`](forms/delta.md) is a form of the Delta engine alone.',
    "",
    `Of ${CELLS.length} cells, each by one engine, ${CELLS.length - refused.length} work and ${refused.length} are refused. ${anywhere.length === 0 ? "Nothing is refused by both." : `Both engines refuse ${anywhere.length}.`}`,
    "",
    row(["", ...FORMS.map(({ form }) => form)]),
    row(["---", ...FORMS.map(() => "---")]),
    ...WAYS.map((way) => row([way.way, ...FORMS.map((form) => stateOf(way, form))])),
    "",
    "## What is refused, and why",
    "",
    "A refusal is an error with a code and a place, when the code is built or when it runs. It is never a wrong number.",
    "",
    ...reasons,
    "",
  ].join("\n");
}
