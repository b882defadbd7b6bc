// Functions of namespaces, by the static engine and, where code outside calls them, by the Delta engine. In: programs as those of the corpus. Out: what its oracles say of
// them, and the codes of what has no derivative.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { corpusOf, type Source } from "./corpus.ts";
import { loader } from "./modules.ts";
import { problemsOf } from "./run.ts";
import { newProblems } from "./strict.ts";

/** Exported and not, recursive, nested, in constants, merged with a function, beside names of the module that are theirs, too. */
const ONE = `namespace Vec {
  export const EPS = 1e-3, offsets = [0.5, 2];
  const scale = 1.5;
  export let calls = 1;
  export interface Pair { a: number; b: number }
  export function dot(a: readonly number[], b: readonly number[]): number {
    let s = EPS;
    for (let i = 0; i < a.length; i++) s += (a[i] ?? 0) * (b[i] ?? 0) + (offsets[i] ?? 0);
    return s * scale;
  }
  export const norm = (a: readonly number[]): number => Math.sqrt(dot(a, a)) * calls;
  export const pair = ({ a, b }: Pair): Pair => ({ a: a * b, b });
  function power(x: number, n: number): number { return n === 0 ? scale : x * power(x, n - 1); }
  export function cube(x: number): number { return power(x, 3); }
  export namespace Deep {
    export const half = (x: number): number => x / 2 + EPS;
    export function fold(xs: readonly number[], at = 0): number { return at >= xs.length ? calls : (xs[at] ?? 0) * half(fold(xs, at + 1)); }
  }
}
Vec.calls = 3;
const EPS = 7, scale = (x: number): number => Scale.by * x;
function Scale(x: number): number { return Scale.by * x; }
namespace Scale { export const by = 2; }
function power(x: number): number { return x + EPS; }
export function f(xs: number[], x: number): number {
  const { a, b } = Vec.pair({ a: x, b: xs[0] ?? 1 });
  return Vec.norm(xs) + Vec.dot(xs, xs) * Vec.EPS + Vec.cube(x) * power(x) + Vec.Deep.fold(xs) * Vec.Deep.half(a) + b + Scale(x) * scale(x) * (Vec.offsets[1] ?? 0);
}
export const args: Parameters<typeof f>[] = [[[0.5, 1.2, 0.8], 1.3], [[], 0.4]];
`;
const MODULE = `export namespace Vec {
  export const EPS = 1e-3, w = [1, 2];
  const half = 0.5;
  export function dot(a: readonly number[], b: readonly number[]): number { let s = EPS; for (let i = 0; i < a.length; i++) s += (a[i] ?? 0) * (b[i] ?? 0) * (w[i] ?? 1); return s * half; }
  export function pow(x: number, n: number): number { return n === 0 ? EPS : x * pow(x, n - 1); }
  function sub(x: number, n: number): number { return n === 0 ? half : x * sub(x, n - 1); }
  export const subs = (x: number): number => sub(x, 2);
  export namespace In { export function p(x: number, n: number): number { return n === 0 ? EPS : x * p(x, n - 1); } }
}
namespace Hidden { export const K = 4; export function pow(x: number, n: number): number { return n === 0 ? K : x * pow(x, n - 1); } }
export const viaHidden = (x: number): number => Hidden.pow(x, 2) * x;
`;
const IMPORTING = `import { Vec, viaHidden } from "./vec.ts";
import * as all from "./vec.ts";
export function f(xs: number[], x: number): number { return Vec.dot(xs, xs) * Vec.pow(x, 3) + Vec.subs(x) + Vec.In.p(x, 2) + viaHidden(x) + all.Vec.pow(x, 2) + all.Vec.In.p(x, 3) + Vec.EPS * x; }
export const args: Parameters<typeof f>[] = [[[0.5, 1.2, 0.8], 1.3]];
`;

const SOURCES: readonly Source[] = [
  { name: "one", main: "one.ts", files: { "one.ts": ONE } },
  {
    name: "several",
    main: "several/main.ts",
    files: { "several/main.ts": IMPORTING, "several/vec.ts": MODULE },
  },
];

test("functions of namespaces have the derivatives that differences say, and type-check", () => {
  const corpus = corpusOf(SOURCES);
  expect([...corpus.programs.values()].flatMap(problemsOf)).toEqual([]);
  expect(newProblems(corpus)).toEqual([]);
});

// 2 n^4 with n = 1.5
test("asked for by their name, in place and inside, in other modes", () => {
  const text =
    "namespace N { export const k = 2; export function g(x: number): number { return k * x ** 4; } export const inside = grad(g); }\n" +
    "export const got = [grad(N.g)(1.5), N.inside(1.5), grad((x: number): number => N.g(x))(1.5), hessian(N.g)(1.5), jvp(N.g)([1.5], [2])[1]];\n";
  const program = { "a.ts": `import { grad, hessian, jvp } from "tsgrad";\n${text}` };
  const { edits, diagnostics } = analyse(programOf(program), { engine: "static" });
  expect(diagnostics).toEqual([]);
  const edited = new Map([
    ["/src/a.ts", applyEdits("/src/a.ts", program["a.ts"], edits.get("/src/a.ts") ?? []).text],
  ]);
  expect(loader(edited)("/src/a.ts")["got"]).toEqual([27, 27, 27, 54, 54]);
});

test.each([
  [
    "a list that is not exported",
    "TSG1011",
    "const k = [1]; export function g(x: number): number { return (k[0] ?? 0) * x; }",
  ],
  [
    "a variable that is not exported",
    "TSG1011",
    "let k = 1; export const set = (v: number): void => { k = v; }; export function g(x: number): number { return k * x; }",
  ],
  [
    "a variable that it assigns",
    "TSG1115",
    "export let k = 1; export function g(x: number): number { k = x; return k * x; }",
  ],
  [
    "a class",
    "TSG2002",
    "class P { constructor(readonly x: number) {} } const p = (x: number, n: number): P => (n > 0 ? p(x, n - 1) : new P(x)); export function g(x: number): number { return p(x, 1).x; }",
  ],
  [
    "a try",
    "TSG1110",
    "export function g(x: number): number { try { return x * x; } finally { x = 0; } }",
  ],
])("what uses %s of its namespace has a derivative by the Delta engine", (_, code, text) => {
  const program = {
    "a.ts": `import { grad } from "tsgrad";\nnamespace N { ${text} }\nexport const got = grad((x: number): number => N.g(x))(1.5);\nexport const difference = (N.g(1.5 + 1e-4) - N.g(1.5 - 1e-4)) / 2e-4;\n`,
  };
  expect(
    analyse(programOf(program), { engine: "static" }).diagnostics.map((each) => each.code),
  ).toContain(code);
  const { edits, diagnostics } = analyse(programOf(program));
  expect(diagnostics).toEqual([]);
  const { got, difference } = loader(
    new Map([
      ["/src/a.ts", applyEdits("/src/a.ts", program["a.ts"], edits.get("/src/a.ts") ?? []).text],
    ]),
  )("/src/a.ts");
  expect(got).toBeCloseTo(Number(difference), 6);
});

test.each([
  [
    "by its name, outside",
    ["TSG1110", "TSG1011"],
    "export function g(x: number): number { try { return x * x; } finally { x = 0; } }",
    "grad(N.g)",
  ],
  [
    "with a variable of the namespace that is assigned outside",
    ["TSG1301"],
    "export let k = 1; export function g(x: number): number { return k * x; }",
    "grad((x: number): number => { try { N.k = x; return N.g(x); } finally { void 0; } })",
  ],
  [
    "with a variable of the namespace that is assigned inside",
    ["TSG1115"],
    "export let k = 1; export function g(x: number): number { k = x; return k * x; }",
    "grad((x: number): number => N.g(x) * N.k)",
  ],
])(
  "the build refuses a function that the Delta engine would have to take %s",
  (_, codes, text, call) => {
    const { diagnostics } = analyse(
      programOf({
        "a.ts": `import { grad } from "tsgrad";\nnamespace N { ${text} }\nexport const d = ${call};\n`,
      }),
    );
    expect(diagnostics.map((each) => each.code)).toEqual(codes);
  },
);

// `N.P` is no name that derivatives at the end of the module have for it
test("classes of namespaces go to the Delta engine", () => {
  const files = {
    "held.ts":
      "namespace N { export class P { x: number; constructor(x: number) { this.x = x; } } }\nconst p = (x: number, n: number): N.P => (n > 0 ? p(x * x, n - 1) : new N.P(x));\nexport const f = (x: number): number => p(x, 2).x;\nexport const args: Parameters<typeof f>[] = [[1.1]];\n",
  };
  const corpus = corpusOf([{ name: "held", main: "held.ts", files }]);
  expect([...corpus.programs.values()].flatMap(problemsOf)).toEqual([]);
  expect(newProblems(corpus)).toEqual([]);
});
