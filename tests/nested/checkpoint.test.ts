// Loops that are reversed by a schedule. Oracle: the same function without it, to the last bit for values and to rounding for gradients; and counts of what runs and of what is kept.

import { describe, expect, it } from "vitest";
import { built, emittedErrors, loaded } from "./compiled.ts";

type Call = (...args: readonly unknown[]) => unknown;
const callOf = (value: unknown): Call => {
  if (typeof value !== "function") throw new Error("no function");
  return (...args) => Reflect.apply(value, undefined, args);
};
const numbersIn = (value: unknown): readonly number[] =>
  typeof value === "number"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(numbersIn)
      : [];

/** A tangent: 0.5 in place of each number. */
function halves(value: unknown): unknown {
  if (typeof value === "number") return 0.5;
  if (value instanceof Float64Array) return value.map(() => 0.5);
  if (Array.isArray(value)) return value.map(halves);
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, halves(inner)]))
    : value;
}

const IMPORT = `import { checkpoint, grad, hvp, jvp, valueAndGrad, vjp } from "tsgrad";\n`;

/** Each declares \`run\`, a function with a loop that carries state; \`args\`: what its gradient is asked at. */
const PROGRAMS: Readonly<Record<string, { readonly program: string; readonly args: string }>> = {
  "one number": {
    program: `function run(x: number, n: number): number { let s = x; for (let i = 0; i < n; i++) s = Math.sin(s * x) + 0.1 * i; return s * x; }`,
    args: "0.7, N",
  },
  "two numbers that depend on each other": {
    program: `function run(x: number, n: number): number { let a = x, b = 1; for (let i = 0; i < n; i++) { const c = a * 0.9 + Math.sin(b); b = b * Math.cos(a) + x; a = c; } return a * b; }`,
    args: "0.4, N",
  },
  "an array that is written in place": {
    program: `function run(x: number[], n: number): number { const u = x.slice(); for (let k = 0; k < n; k++) for (let i = 1; i < u.length - 1; i++) u[i] += 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) + 0.01 * u[i] * u[i]; let s = 0; for (const v of u) s += v * v; return s; }`,
    args: "[1, 0.5, -0.3, 0.8, 0.2], N",
  },
  "a record that is written in place": {
    program: `interface P { x: number; v: number }\nfunction run(p0: P, k: number, n: number): number { const p = { x: p0.x, v: p0.v }; for (let i = 0; i < n; i++) { p.v -= k * Math.sin(p.x) * 0.1; p.x += p.v * 0.1; } return p.x * p.v; }`,
    args: "{ x: 1, v: 0.3 }, 1.3, N",
  },
  "an array that is assigned anew": {
    program: `function run(x: number[], n: number): number { let s = x; for (let i = 0; i < n; i++) s = s.map((v, j) => Math.tanh(v + 0.5 * s[(j + 1) % s.length])); return s[0] * s[1]; }`,
    args: "[0.3, -0.4, 0.9], N",
  },
  "weights that every round reads": {
    program: `function run(w: number[], x: number, n: number): number { let h = x; for (let i = 0; i < n; i++) { let z = 0; for (let j = 0; j < w.length; j++) z += w[j] * h ** j; h = Math.tanh(z + w[0] * w[0]); } return h; }`,
    args: "[0.2, 0.7, -0.3], 0.5, N",
  },
  "the argument itself is written": {
    program: `function run(x: number[], n: number): number { for (let i = 0; i < n; i++) x[i % x.length] *= 1 + 0.01 * x[(i + 1) % x.length]; return x[0] * x[1] * x[2]; }`,
    args: "[1.1, 0.9, 1.3], N",
  },
  "an early exit": {
    program: `function run(x: number, n: number): number { let s = x; for (let i = 0; i < n; i++) { s = s * 1.01 + 0.01; if (s > 3) break; } return s * s * x; }`,
    args: "0.7, N",
  },
  "a loop that asks": {
    program: `function run(x: number, n: number): number { let s = x, k = 0; while (k < n && s < 50) { s = s * 1.02 + 0.01 * Math.sin(s); k++; } return s * x; }`,
    args: "0.7, N",
  },
  "downwards by three": {
    program: `function run(x: number, n: number): number { let s = x; for (let i = 3 * n; i > 0; i -= 3) s = Math.sin(s * x) + 0.01 * i; return s; }`,
    args: "0.7, N",
  },
  "a function is called": {
    program: `function step(s: number, x: number, k: number): number { let z = s; for (let j = 0; j < k; j++) z = Math.sin(z + x); return z; }\nfunction run(x: number, n: number): number { let s = x; for (let i = 0; i < n; i++) s = step(s, x, i % 4) * 1.1; return s; }`,
    args: "0.7, N",
  },
  "an early return": {
    program: `function run(x: number, n: number): number { let s = x; for (let i = 0; i < n; i++) { s = s * 1.01 + 0.01; if (s > 2) return s * s * x; } return Math.sin(s); }`,
    args: "0.7, N",
  },
  "a variable that has no value at first": {
    program: `function run(x: number, n: number): number { let last: number | undefined; let s = x; for (let i = 0; i < n; i++) { last = s; s = Math.sin(s * 1.1); } return last === undefined ? x : last * s; }`,
    args: "0.7, N",
  },
  "for … of": {
    program: `function run(w: number[], x: number, n: number): number { let s = x; const rounds = new Array<number>(n).fill(0.5); for (const v of rounds) { s = Math.sin(s * v + w[0]); s += w[1] * s; } for (const v of w) s = Math.cos(s + v); return s; }`,
    args: "[0.3, 0.4], 0.7, N",
  },
  "do … while": {
    program: `function run(x: number, n: number): number { let s = x, i = 0; do { s = Math.sin(s * x) + 1; i++; } while (i < n); return s; }`,
    args: "0.7, N",
  },
  "a matrix": {
    program: `function run(m0: number[][], n: number): number { const m = m0.map((row) => row.slice()); for (let k = 0; k < n; k++) for (let i = 0; i < 2; i++) for (let j = 0; j < 2; j++) m[i][j] = Math.tanh(m[i][j] + 0.3 * m[j][i] * m[0][0]); return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }`,
    args: "[[1, 0.4], [-0.3, 0.6]], N",
  },
  "a sometimes assigned array": {
    program: `function run(x: number[], n: number): number { let s = x; for (let i = 0; i < n; i++) if (i % 3 !== 1) s = s.map((v) => Math.sin(v + s[0])); return s[0] * s[1]; }`,
    args: "[0.3, 0.9], N",
  },
  "words and flags beside the numbers": {
    program: `function run(x: number, n: number): number { let s = x, mode = "up", seen = false; for (let i = 0; i < n; i++) { s = mode === "up" ? s * 1.1 : s * 0.8; if (s > 1.5) { mode = "down"; seen = true; } else if (s < 1) mode = "up"; } return seen ? s * s : s; }`,
    args: "0.7, N",
  },
  "typed arrays": {
    program: `function run(x: Float64Array, n: number): number { const u = x.slice(), v = new Float64Array(x.length); for (let k = 0; k < n; k++) { for (let i = 0; i < u.length; i++) v[i] = Math.sin(u[i] + u[(i + 1) % u.length]); for (let i = 0; i < u.length; i++) u[i] = v[i] * 0.9; } return u[0] * u[1] + v[0]; }`,
    args: "new Float64Array([0.4, 0.8, -0.2]), N",
  },
  "two loops": {
    program: `function run(x: number, n: number): number { let s = x; for (let i = 0; i < n; i++) s = Math.sin(s + x); for (let i = 0; i < n; i++) s = Math.cos(s * x); return s; }`,
    args: "0.7, N",
  },
  "the loop is in a branch": {
    program: `function run(x: number, n: number): number { let s = x; if (x > 0) { for (let i = 0; i < n; i++) s = Math.sin(s + x); } return s * s; }`,
    args: "0.7, N",
  },
};

const scheduled = (program: string): string => `${IMPORT}${program}
const kept = checkpoint(run, { schedule: "log" });
export const value = run, valueKept = kept, plain = grad(run), log = grad(kept), pair = vjp(run), pairKept = vjp(kept), forward = jvp(run), forwardKept = jvp(kept);
`;

/** A recorded loop may carry a cotangent as a product (4-optimise/algebra/factor-carried.ts): a few roundings more or less in each of up to 100 rounds. */
function toRounding(found: readonly number[], wanted: readonly number[]): void {
  expect(found).toHaveLength(wanted.length);
  found.forEach((number, i) => {
    expect(Math.abs(number - (wanted[i] ?? NaN))).toBeLessThanOrEqual(
      1e-12 * Math.abs(wanted[i] ?? NaN),
    );
  });
}

describe("the same as without", () => {
  it.each(Object.entries(PROGRAMS))("%s", (_, { program, args }) => {
    const { exports, text } = built(scheduled(program));
    expect(emittedErrors(text)).toEqual([]);
    for (const n of [0, 1, 2, 3, 7, 64, 100]) {
      const given = (): readonly unknown[] => {
        const found: unknown = new Function(`return [${args.replaceAll("N", String(n))}];`)();
        return Array.isArray(found) ? found : [];
      };
      const call = (name: string): unknown => callOf(exports[name])(...given());
      expect(call("valueKept")).toBe(call("value"));
      const plain = numbersIn(call("plain"));
      toRounding(numbersIn(call("log")), plain);
      expect(plain.every(Number.isFinite)).toBe(true);
      const pulled = (name: string): readonly (readonly number[])[] => {
        const [, pullback] = Object.values(call(name) ?? {});
        return [1, 2, 1].map((seed) => numbersIn(callOf(pullback)(seed)));
      };
      const pair = pulled("pair");
      pulled("pairKept").forEach((numbers, i) => {
        toRounding(numbers, pair[i] ?? []);
      });
      // an argument that is written has a tangent that is
      const ones = (): readonly unknown[] => given().map(halves);
      expect(callOf(exports["forwardKept"])(given(), ones())).toEqual(
        callOf(exports["forward"])(given(), ones()),
      );
    }
  });
});

describe("where it is called", () => {
  it.each([
    [
      "in a loop that is recorded",
      ``,
      `(x: number): number => { let s = x; for (let i = 0; i < 4; i++) s = KEPT(s, 5 + i) + x; return s; }`,
    ],
    [
      "in a derivative",
      ``,
      `(x: number): number => grad((y: number): number => KEPT(y * x, 6))(x) * x`,
    ],
    [
      "in a function with a schedule",
      ``,
      `checkpoint((x: number): number => { let s = x; for (let i = 0; i < 5; i++) s = KEPT(s, 3) * x; return s; }, { schedule: "log" })`,
    ],
    [
      "in a recursion",
      `function down(x: number, n: number, f: (y: number, k: number) => number): number { return n === 0 ? x : f(x, n) * 1.1; }`,
      `(x: number): number => down(x, 4, KEPT) + down(x, 0, KEPT)`,
    ],
    [
      "on an array that is written later",
      ``,
      `(x: number): number => { const a = [x, 2 * x]; const s = ARRAY(a, 5); a[0] = x * x; return s * a[0] + ARRAY(a, 3); }`,
    ],
    [
      "with a captured array that is written",
      ``,
      `(x: number): number => { const a = [x, 2 * x]; const f = WITH((n: number): number => { for (let i = 0; i < n; i++) a[i % 2] = Math.sin(a[0] + a[1]); return a[0]; }); return f(5) * a[1] + f(2); }`,
    ],
  ])("%s", (_, more, f) => {
    const { exports, text } = built(`${IMPORT}${more}
function run(x: number, n: number): number { let s = x; for (let i = 0; i < n; i++) s = Math.sin(s * x) + 0.1 * i; return s * x; }
function array(x: number[], n: number): number { const u = x.slice(); for (let k = 0; k < n; k++) for (let i = 0; i < u.length; i++) u[i] = Math.sin(u[i] + u[0]); return u[0] * u[1]; }
const kept = checkpoint(run, { schedule: "log" }), arrayKept = checkpoint(array, { schedule: "log" });
export const plain = grad(${f
      .replaceAll("KEPT", "run")
      .replaceAll("ARRAY", "array")
      .replaceAll(/WITH\((.*)\); return/g, "$1; return")}), log = grad(${f
      .replaceAll("KEPT", "kept")
      .replaceAll("ARRAY", "arrayKept")
      .replaceAll(/WITH\((.*)\); return/g, `checkpoint($1, { schedule: "log" }); return`)});
`);
    expect(emittedErrors(text)).toEqual([]);
    const [plain, log] = ["plain", "log"].map((name) => Number(callOf(exports[name])(0.7)));
    expect(Number.isFinite(plain)).toBe(true);
    // more or less is inlined, and sums are simplified across it
    expect(log).toBeCloseTo(plain ?? NaN, 12);
  });
});

describe("without a schedule", () => {
  it.each([
    [
      "an argument is written",
      `(x: number[]): number => { x[0] *= 2; return x[1]; }`,
      `const b = G(a); return b * a[0];`,
    ],
    [
      "an argument is handed back",
      `(x: number[]): number[] => { x[0] *= 2; return x; }`,
      `const b = G(a); b[1] *= k; return b[0] * a[1];`,
    ],
  ])("%s", (_, g, use) => {
    const { exports } = built(`${IMPORT}const g = ${g};\nconst again = checkpoint(g);
export const plain = grad((k: number): number => { const a = [k, k]; ${use.replace("G(", "g(")} }), log = grad((k: number): number => { const a = [k, k]; ${use.replace("G(", "again(")} });\n`);
    expect(callOf(exports["log"])(0.7)).toBe(callOf(exports["plain"])(0.7));
    // 2 k^2, and 2 k^3
    expect(callOf(exports["log"])(0.7)).toBeCloseTo(use.includes("k;") ? 6 * 0.49 : 2.8, 12);
  });
});

it("what is seen outside happens once", () => {
  const { exports } = built(`${IMPORT}export const seen: string[] = [];
const note = (word: string): void => { seen.push(word); };
const g = checkpoint((x: number): number => { note("g"); let s = x; for (let i = 0; i < 3; i++) s = Math.sin(s * x); return s; });
export const d = grad((x: number): number => g(x) * x);
`);
  expect(Number.isFinite(callOf(exports["d"])(0.7))).toBe(true);
  expect(exports["seen"]).toEqual(["g"]);
});

describe("second derivatives", () => {
  it("of numbers, and of an array that is written in place", () => {
    const { exports, text } = built(`${IMPORT}
function run(x: number, n: number): number { let s = x; for (let i = 0; i < n; i++) s = Math.sin(s * x) + 0.1 * i; return s * x; }
const kept = checkpoint(run, { schedule: "log" });
function heat(x: number[]): number { const u = x.slice(); for (let k = 0; k < 9; k++) for (let i = 1; i < u.length - 1; i++) u[i] += 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) + 0.05 * u[i] * u[i]; let s = 0; for (const v of u) s += v * v; return s; }
const heatKept = checkpoint(heat, { schedule: "log" });
export const plain = grad(grad((x: number): number => run(x, 9))), log = grad(grad((x: number): number => kept(x, 9)));
export const h = hvp(heat), hKept = hvp(heatKept);
`);
    expect(emittedErrors(text)).toEqual([]);
    const [plain, log] = ["plain", "log"].map((name) => Number(callOf(exports[name])(0.7)));
    // the plain one is simplified across rounds: other roundings
    expect(log).toBeCloseTo(plain ?? NaN, 10);
    const [h, hKept] = ["h", "hKept"].map((name) =>
      numbersIn(callOf(exports[name])([[1, 0.5, -0.3, 0.8, 0.2]], [1, 2, 3, 4, 5])),
    );
    expect(h?.length).toBe(5);
    h?.forEach((value, i) => {
      expect(hKept?.[i]).toBeCloseTo(value, 10);
    });
  });
});

interface Count {
  readonly calls: number;
  readonly deepest: number;
}

/** The module, and for each of its functions whose name ends so: how often it has been called, and how many of its calls were open at once. */
function counted(
  program: string,
  endings: readonly string[],
): {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly count: (ending: string) => Count;
  readonly clear: () => void;
} {
  const { text } = built(program);
  let marked = text;
  for (const ending of endings) {
    const [, name] =
      new RegExp(`function ([\\w$]*\\$${ending.replace("$", "\\$")}[\\w$]*)\\(`).exec(text) ?? [];
    if (name === undefined) throw new Error(`no function $${ending}`);
    marked =
      marked.replace(`function ${name}(`, () => `function ${name}$counted(`) +
      `\nexport var count$${ending} = { calls: 0, open: 0, deepest: 0 };\nfunction ${name}(...args: any): any { const all = count$${ending}; all.calls++; all.deepest = Math.max(all.deepest, ++all.open); try { return ${name}$counted(...args); } finally { all.open--; } }\n`;
  }
  const exports = loaded(marked);
  const of = (ending: string): { calls: number; deepest: number } => {
    const found = exports[`count$${ending}`];
    if (typeof found !== "object" || found === null || !("calls" in found) || !("deepest" in found))
      throw new Error("no count");
    return found as { calls: number; deepest: number };
  };
  return {
    exports,
    count: of,
    clear: () => {
      for (const ending of endings) {
        const all = of(ending);
        all.calls = 0;
        all.deepest = 0;
      }
    },
  };
}

describe("what is kept and what is run", () => {
  const { exports, count, clear } = counted(
    `${IMPORT}
function run(x: number, n: number): number { let s = x; for (let i = 0; i < n; i++) s = Math.sin(s * x); return s; }
const kept = checkpoint(run, { schedule: "log" });
export const log = grad((x: number, n: number): number => kept(x, n));
`,
    ["rewind", "round", "round$revf"],
  );

  it.each([1, 2, 16, 1000, 4096, 100_000])("%i rounds", (n) => {
    clear();
    callOf(exports["log"])(0.7, n);
    const halvings = Math.ceil(Math.log2(n));
    // each open call holds one copy of the state; nothing else is kept
    expect(count("rewind").deepest).toBe(halvings + 1);
    expect(count("round$revf").calls).toBe(n);
    expect(count("round$revf").deepest).toBe(1);
    // once forwards, and again up to each middle: half of the rounds for each halving
    expect(count("round").calls).toBeGreaterThanOrEqual(n);
    expect(count("round").calls).toBeLessThanOrEqual(n + (n * halvings) / 2);
  });
});

describe("what is refused", () => {
  it.each([
    [
      "an array that grows",
      `(x: number): number => { const seen: number[] = []; let s = x; for (let i = 0; i < 9; i++) { s = Math.sin(s); seen.push(s); } return s + seen[0]; }`,
    ],
    [
      "a round that is seen outside",
      `(x: number): number => { let s = x; for (let i = 0; i < 9; i++) { s = Math.sin(s); console.log(s); } return s; }`,
    ],
    [
      "rows that change places",
      `(x: number): number => { const m = [[x, 1], [2, x]]; for (let i = 0; i < 9; i++) { const r = m[0]; m[0] = m[1]; m[1] = r; m[0][0] *= 0.5; } return m[0][0]; }`,
    ],
    [
      "two buffers that change places",
      `(x: number): number => { let a = [x, 1], b = [0, 0]; for (let i = 0; i < 9; i++) { for (let j = 0; j < 2; j++) b[j] = a[j] * 0.5 + a[1 - j]; [a, b] = [b, a]; } return a[0]; }`,
    ],
    [
      "two names of one row",
      `(x: number): number => { const m = [[x, 1], [2, x]], r = m[0]; for (let i = 0; i < 9; i++) { m[0][0] *= 0.5; m[1][0] += r[0]; } return m[1][0]; }`,
    ],
    [
      "an array that is not there at first",
      `(x: number): number[] => { let s = [x]; for (let i = 0; i < 9; i++) { s = s.map((v) => Math.sin(v)); if (s[0] < 0.1) return s; } return s; }`,
    ],
    [
      "a Map",
      `(x: number): number => { const m = new Map([["a", x]]); for (let i = 0; i < 9; i++) m.set("a", (m.get("a") ?? 0) * 0.5); return m.get("a") ?? 0; }`,
    ],
  ])("%s", (_, f) => {
    expect(() =>
      built(`${IMPORT}export const d = vjp(checkpoint(${f}, { schedule: "log" }));`),
    ).toThrow(/TSG3004|TSG3001/);
  });

  it.each([
    ["another word", `{ schedule: "linear" as "log" }`, /TSG1003/],
    ["no literal", `options`, /TSG1003/],
  ])("%s", (_, options, code) => {
    expect(() =>
      built(
        `${IMPORT}const options = { schedule: "log" } as const;\nexport const d = grad(checkpoint((x: number): number => { let s = x; for (let i = 0; i < 9; i++) s = s * x; return s; }, ${options}));\nexport const used = options;`,
      ),
    ).toThrow(code);
  });

  it("an array that a store lengthens, when it runs", () => {
    const { exports } = built(
      `${IMPORT}export const d = grad(checkpoint((x: number[], n: number): number => { let s = 1; for (let i = 0; i < n; i++) { x[i] = Math.sin(s); s = s * x[i]; } return s; }, { schedule: "log" }));`,
    );
    expect(() => callOf(exports["d"])([1, 2], 3)).toThrow(/TSG3004/);
    expect(callOf(exports["d"])([1, 2], 2)).toEqual([0, 0]);
  });
});
