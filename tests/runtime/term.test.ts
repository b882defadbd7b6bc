// `delta(f)`: the Delta term of a run. The program of Krawiec et al. Figure 12 records the figure's term; `fixtures/papers/krawiec-figure-12.figure.txt` is the figure,
// with plain minus signs, `krawiec-figure-12.term.txt` what is printed. Evaluation by Figure 10, written out here, gives the seven derivatives.

import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { expectFile, root } from "../golden.ts";
import { type Exports, loader } from "../programs/modules.ts";
import { slopeOf } from "../programs/differences.ts";
import { programOf, typeErrors } from "../program.ts";

const FOLDER = "fixtures/papers";
const read = (name: string): string => readFileSync(path.join(root, FOLDER, name), "utf8");

function built(text: string): Exports {
  const host = programOf({ "input.ts": text });
  const { edits, diagnostics } = analyse(host);
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  expect(typeErrors(host)).toEqual([]);
  const edited = applyEdits("/src/input.ts", text, edits.get("/src/input.ts") ?? []).text;
  expect(typeErrors(programOf({ "input.ts": edited }))).toEqual([]);
  return loader(new Map([["/src/input.ts", edited]]))("/src/input.ts");
}

// ----------------------------------------------------------------------------------------- the figure's notation

type Term =
  | { readonly kind: "Zero" }
  | { readonly kind: "Var"; readonly name: string }
  | { readonly kind: "Scale"; readonly by: number; readonly of: Term }
  | { readonly kind: "Add"; readonly left: Term; readonly right: Term };
interface Lets {
  readonly bindings: readonly (readonly [name: string, of: Term])[];
  readonly body: Term;
}

function parsed(text: string): Lets {
  const lines = text.trim().split("\n");
  const bindings = lines.slice(0, -1).map((line) => {
    const [, name = "", right = ""] = /^Let (\S+) = (.*) in$/.exec(line) ?? [];
    return [name, termOf(right)] as const;
  });
  return { bindings, body: termOf(lines.at(-1) ?? "") };
}

function termOf(text: string): Term {
  const words = text.match(/[()]|[^\s()]+/g) ?? [];
  const next = (): string => words.shift() ?? "";
  const number = (word: string): number => {
    if (word !== "(") return Number(word);
    const inner = Number(next());
    expect(next()).toBe(")");
    return inner;
  };
  const operand = (): Term => {
    if (words[0] !== "(") return whole();
    next();
    const inner = whole();
    expect(next()).toBe(")");
    return inner;
  };
  const whole = (): Term => {
    const word = next();
    if (word === "Zero") return { kind: "Zero" };
    if (word === "Var") return { kind: "Var", name: next() };
    if (word === "Scale") return { kind: "Scale", by: number(next()), of: operand() };
    expect(word).toBe("Add");
    return { kind: "Add", left: operand(), right: operand() };
  };
  const term = whole();
  expect(words).toEqual([]);
  return term;
}

/**
 * Each binding with the variables that are not inputs replaced by what they are bound to: names and the order of the `Let`s are gone (OCaml evaluates from right to left).
 * Coefficients to 12 digits: the figure's are rounded. Constants have a `Zero` in the figure, and no `Let` in tsgrad.
 */
function unfolded({ bindings, body }: Lets): {
  readonly all: readonly string[];
  readonly body: string;
} {
  const known = new Map<string, string>();
  const shown = (term: Term): string => {
    if (term.kind === "Zero") return "Zero";
    if (term.kind === "Var")
      return (
        known.get(term.name) ??
        term.name.replace(/^[qv]\.?(?=[xyzw]$)/, (word) => word.replace(".", ""))
      );
    if (term.kind === "Scale")
      return shown(term.of) === "Zero"
        ? "Zero"
        : `${Number(term.by.toPrecision(12))} ${shown(term.of)}`;
    const [left, right] = [shown(term.left), shown(term.right)];
    return left === "Zero" ? right : right === "Zero" ? left : `(${left} + ${right})`;
  };
  for (const [name, of] of bindings) known.set(name, shown(of));
  return { all: [...known.values()].filter((one) => one !== "Zero").sort(), body: shown(body) };
}

/** Figures 10 and 11. */
function evaluated({ bindings, body }: Lets): ReadonlyMap<string, number> {
  const map = new Map<string, number>();
  const evaluate = (x: number, term: Term): void => {
    if (term.kind === "Var") map.set(term.name, (map.get(term.name) ?? 0) + x);
    else if (term.kind === "Scale") evaluate(x * term.by, term.of);
    else if (term.kind === "Add") {
      evaluate(x, term.left);
      evaluate(x, term.right);
    }
  };
  evaluate(1, body);
  for (const [name, of] of [...bindings].reverse()) {
    const x = map.get(name);
    map.delete(name);
    if (x !== undefined) evaluate(x, of);
  }
  return map;
}

// -------------------------------------------------------------------------------------------------------- tests

const Q = { x: 1.1, y: 2.2, z: 3.3, w: 4.4 };
const V = { x: 5.5, y: 6.6, z: 7.7 };

/** d/dq and d/dv of  2 (u·v) u.x + (w² - u·u) v.x + 2 w (u.y v.z - u.z v.y)  with u = (q.x, q.y, q.z) */
const closedForm = (q: typeof Q, v: typeof V): Readonly<Record<string, number>> => ({
  "q.x": 2 * v.x * q.x + 2 * (q.x * v.x + q.y * v.y + q.z * v.z) - 2 * q.x * v.x,
  "q.y": 2 * v.y * q.x - 2 * q.y * v.x + 2 * q.w * v.z,
  "q.z": 2 * v.z * q.x - 2 * q.z * v.x - 2 * q.w * v.y,
  "q.w": 2 * q.w * v.x + 2 * (q.y * v.z - q.z * v.y),
  "v.x": 2 * q.x * q.x + q.w * q.w - (q.x * q.x + q.y * q.y + q.z * q.z),
  "v.y": 2 * q.y * q.x - 2 * q.w * q.z,
  "v.z": 2 * q.z * q.x + 2 * q.w * q.y,
});

describe("rotate_vec_by_quat of Figure 12", () => {
  const exports = built(`import { delta, grad } from "tsgrad";\n${read("krawiec-figure-12.ts")}
const q = ${JSON.stringify(Q)}, v = ${JSON.stringify(V)};
export const recorded = delta(firstOfRotated)(q, v);
export const text: string = String(recorded.term);
export const value: number = recorded.value;
export const primal: number = firstOfRotated(q, v);
export const forced = grad(firstOfRotated, { argnums: [0, 1], engine: "delta" })(q, v);
export const written = grad(firstOfRotated, { argnums: [0, 1], engine: "static" })(q, v);
export const at = (all: readonly number[]): number => firstOfRotated({ x: all[0] ?? 0, y: all[1] ?? 0, z: all[2] ?? 0, w: all[3] ?? 0 }, { x: all[4] ?? 0, y: all[5] ?? 0, z: all[6] ?? 0 });
`);
  const term = parsed(String(exports["text"]));
  const figure = parsed(read("krawiec-figure-12.figure.txt"));

  test("prints", () => {
    expectFile(`${FOLDER}/krawiec-figure-12.term.txt`, `${String(exports["text"])}\n`);
  });

  test("computes the value", () => {
    expect(exports["value"]).toBe(exports["primal"]);
  });

  test("has the figure's structure and coefficients", () => {
    expect(figure.bindings.length).toBe(40);
    // the figure's two constants are `Zero`
    expect(term.bindings.length).toBe(38);
    expect(unfolded(term)).toEqual(unfolded(figure));
  });

  test("gives the seven derivatives", () => {
    const mine = evaluated(term);
    const theirs = evaluated(figure);
    const closed = closedForm(Q, V);
    expect(mine.size).toBe(7);
    const all = [...Object.values(Q), ...Object.values(V)];
    const differences = Object.keys(closed).map(
      (_, k) =>
        slopeOf((t) => {
          const f = exports["at"];
          return typeof f === "function"
            ? Number(f(all.map((x, i) => (i === k ? x + t : x))))
            : NaN;
        }, all[k] ?? 0).value,
    );
    Object.entries(closed).forEach(([name, expected], k) => {
      // sums of some twenty products: rounding alone
      const near = (got: unknown, digits: number): void => {
        expect(Math.abs(Number(got) - expected)).toBeLessThan(digits * Math.abs(expected));
      };
      near(mine.get(name), 1e-13);
      near(theirs.get(name.replace(".", "")), 1e-13);
      // differences of a polynomial of degree 3, extrapolated
      near(differences[k], 1e-9);
      const [holder = "", key = ""] = name.split(".");
      for (const gradient of [exports["forced"], exports["written"]])
        near(
          Reflect.get(Object(Reflect.get(Object(gradient), holder === "q" ? "0" : "1")), key),
          1e-13,
        );
    });
  });
});

const printed = (text: string): unknown =>
  built(`import { delta } from "tsgrad";\n${text}\n`)["text"];

test("the example of the documentation", () => {
  expect(
    printed(
      "export const text = String(delta((x: number, y: number): number => x * y + x)(3, 4).term);",
    ),
  ).toBe(
    "Let x1 = Add (Scale 4 (Var x)) (Scale 3 (Var y)) in\nLet x2 = Add (Var x1) (Var x) in\nVar x2",
  );
});

describe("functions with a rule: Figure 14", () => {
  const VJP = "(x, y) => [x * y, (b) => [b * y, b * x]]";
  const JVP = "([x, y], [dx, dy]) => [x * y, dx * y + x * dy]";
  const RULES: Readonly<Record<string, string>> = {
    vjp: `const product = customVjp((x: number, y: number): number => x * y, ${VJP});`,
    jvp: `const product = customJvp((x: number, y: number): number => x * y, ${JVP});`,
    "vjp of a list": `const of = customVjp((a: number[]): number => a[0]! * a[1]!, (a) => [a[0]! * a[1]!, (b) => [[b * a[1]!, b * a[0]!]]]);
const product = (x: number, y: number): number => of([x, y]);`,
    "jvp of a list": `const of = customJvp((a: number[]): number => a[0]! * a[1]!, ([a], [d]) => [a[0]! * a[1]!, d[0]! * a[1]! + a[0]! * d[1]!]);
const product = (x: number, y: number): number => of([x, y]);`,
    "vjp to a list": `const of = customVjp((x: number, y: number): number[] => [x * y, y], (x, y) => [[x * y, y], (b) => [b[0]! * y, b[0]! * x + b[1]!]]);
const product = (x: number, y: number): number => of(x, y)[0]!;`,
    "vjp to a record": `const of = customVjp((x: number, y: number): { p: number; q: number } => ({ p: x * y, q: x }), (x, y) => [{ p: x * y, q: x }, (b) => [b.p * y + b.q, b.p * x]]);
const product = (x: number, y: number): number => of(x, y).p;`,
    "vjp of a record": `const of = customVjp((o: { x: number; y: number }): number => o.x * o.y, (o) => [o.x * o.y, (b) => [{ x: b * o.y, y: b * o.x }]]);
const product = (x: number, y: number): number => of({ x, y });`,
  };
  // closed forms at (3, 4)
  const USES: Readonly<Record<string, readonly [code: string, dx: number, dy: number]>> = {
    alone: ["product(x, y)", 4, 3],
    twice: ["product(product(x, y), y)", 16, 24],
    "in a sum": ["product(x, y) + x * x", 10, 3],
    "of one argument": ["product(x, x) * y", 24, 9],
    "of a constant": ["product(x, 5) + y", 5, 1],
  };
  const cases = Object.entries(RULES).flatMap(([rule, declared]) =>
    Object.entries(USES).map(([use, [code, dx, dy]]) => ({ rule, declared, use, code, dx, dy })),
  );
  test.each(cases)("$rule, $use", ({ declared, code, dx, dy }) => {
    const text = built(
      `import { customJvp, customVjp, delta } from "tsgrad";\n${declared}\nexport const text = String(delta((x: number, y: number): number => ${code})(3, 4).term);`,
    )["text"];
    const found = evaluated(parsed(String(text)));
    expect([found.get("x"), found.get("y")]).toEqual([dx, dy]);
  });

  test("the figure's term", () => {
    const text = built(
      `import { customVjp, delta } from "tsgrad";\n${RULES["vjp"] ?? ""}\nexport const text = String(delta((x: number, y: number): number => product(x, y))(3, 4).term);`,
    )["text"];
    expect(text).toBe("Let x1 = Add (Scale 4 (Var x)) (Scale 3 (Var y)) in\nVar x1");
  });
});

test("a constant, an input, and what ran without inputs", () => {
  expect(
    printed(
      "export const text = [1, 2].map((k) => String(delta((x: number, k: number): number => (k > 1 ? x : Math.sin(1)))(3, k).term));",
    ),
  ).toEqual(["Zero", "Var x"]);
});

test("arrays, rest parameters, patterns; variables that are called as the Lets are", () => {
  expect(
    printed(
      "function f(x1: number[], ...ys: number[]): number { return -(x1[1] ?? 0) * (ys[1] ?? 0); }\nexport const text = String(delta(f)([1, 2], 3, 4).term);",
    ),
  ).toBe(
    "Let d1 = Scale (-1) (Var x1[1]) in\nLet d2 = Add (Scale 4 (Var d1)) (Scale (-2) (Var ys[1])) in\nVar d2",
  );
  expect(
    printed(
      "const f = (x1: number, { y }: { y: number }): number => x1 / y;\nexport const text = String(delta(f)(1, { y: 2 }).term);",
    ),
  ).toBe("Let d1 = Add (Scale 0.5 (Var x1)) (Scale (-0.25) (Var argument1.y)) in\nVar d1");
});

test("results that are no number", () => {
  expect(
    printed(
      'const f = (x: number): { twice: number; all: number[]; name: string } => ({ twice: 2 * x, all: [x, 1], name: "f" });\nexport const text = String(delta(f)(3).term);',
    ),
  ).toBe("Let x1 = Scale 2 (Var x) in\n{ twice: Var x1, all: [Var x, Zero], name: _ }");
});

test("asynchronous functions give promises", async () => {
  const text = printed(
    "async function f(x: number): Promise<number> { await null; return x * x; }\nexport const text: Promise<string> = delta(f)(3).then(({ value, term }) => `${value} ${String(term)}`);",
  );
  expect(await text).toBe("9 Let x1 = Add (Scale 3 (Var x)) (Scale 3 (Var x)) in\nVar x1");
});

describe("evaluated from a seed: Figure 10", () => {
  // each of the engine's operations, sharing, rules, and an adjoint that is 0
  const BODIES: Readonly<Record<string, string>> = {
    "of arithmetic": "Math.sin(x * y) / (x - y) + x * x * x",
    "of shared parts": "(t => t * t + Math.exp(t) * t)(x * y + x)",
    "of a loop": "[1, 2, 3].reduce((so, k) => Math.tanh(so * y + k * x), 0.1)",
    "of a rule": "product(product(x, y), Math.cos(x))",
    "of a product that is 0": "(x - x) * Math.sqrt(y - y) + x",
    "without one of the inputs": "y * y * 3",
  };
  const text = Object.entries(BODIES).map(
    ([, body], i) => `const f${i} = (x: number, y: number): number => ${body};
export const r${i} = (x: number, y: number, seed: number): unknown => {
  const adjoints = delta(f${i})(x, y).term.evaluate(seed);
  return [[adjoints.get("x") ?? 0, adjoints.get("y") ?? 0], vjp(f${i}, { engine: "delta" })(x, y)[1](seed)];
};`,
  );
  const exports = built(`import { customVjp, delta, vjp } from "tsgrad";
const product = customVjp((x: number, y: number): number => x * y, (x, y) => [x * y, (b) => [b * y, b * x]]);
${text.join("\n")}
const parts = (x: number, y: number): { p: [number, number]; name: string } => ({ p: [x * y, Math.sin(y)], name: "a" });
export const rest = (): unknown => {
  const { term } = delta(parts)(3, 4);
  return [{ p: [1, 0] }, { p: [0, 2] }, { p: [1, 2] }, {}].map((seed) => [...term.evaluate(seed)]);
};`);
  test.each(Object.keys(BODIES).map((name, i) => ({ name, i })))("$name", ({ i }) => {
    const run = exports[`r${i}`];
    if (typeof run !== "function") throw new Error("no function");
    for (const seed of [1, -2.5, 0]) {
      const [mine, theirs] = run(0.7, 1.3, seed) as readonly [number[], number[]];
      expect(mine).toEqual(theirs.map((x) => x + 0));
    }
  });
  test("a seed of the result's shape", () => {
    const run = exports["rest"];
    if (typeof run !== "function") throw new Error("no function");
    const slope = 2 * Math.cos(4);
    expect(run()).toEqual([
      [
        ["x", 4],
        ["y", 3],
      ],
      [["y", slope]],
      [
        ["y", slope + 3],
        ["x", 4],
      ],
      [],
    ]);
  });
});
