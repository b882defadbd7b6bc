// The Delta engine in the pipeline: forced and chosen, over declarations, classes, literals and modules. In: small programs. Out: gradients.

import type ts from "typescript";
import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { idle, run } from "../../runtime/delta/store.ts";
import { loader } from "../programs/modules.ts";
import { programOf, typeErrors } from "../program.ts";

/** Builds, type-checks what is emitted, and runs `/src/input.ts`. */
function built(
  files: Readonly<Record<string, string>>,
  options: ts.CompilerOptions = {},
): {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly codes: readonly string[];
  readonly texts: Readonly<Record<string, string>>;
} {
  const host = programOf(files, { allowJs: true, ...options });
  const { edits, diagnostics } = analyse(host);
  const texts = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text,
    ]),
  );
  const codes = diagnostics.map(({ code, message }) => `${code} ${message}`);
  // what is emitted holds what was written
  expect(
    typeErrors(codes.length > 0 ? host : programOf(texts, { allowJs: true, ...options })),
  ).toEqual([]);
  if (codes.length > 0) return { exports: {}, codes, texts };
  return {
    exports: loader(
      new Map(
        Object.entries(texts).map(([name, text]) => [`/src/${name.replace(/\.js$/, ".ts")}`, text]),
      ),
      undefined,
      options,
    )("/src/input.ts"),
    codes,
    texts,
  };
}

const value = (files: Readonly<Record<string, string>>): unknown => {
  const { exports, codes } = built(files);
  expect(codes).toEqual([]);
  return exports["value"];
};

const HEAD = `import { grad, valueAndGrad } from "tsgrad";\n`;

test("forced by the option", () => {
  expect(
    value({
      "input.ts": `${HEAD}const f = (x: number): number => x * x;\nexport const value = grad(f, { engine: "delta" })(3);\n`,
    }),
  ).toBe(6);
});

test("in place", () => {
  expect(
    value({
      "input.ts": `${HEAD}export const value = grad((x: number) => x * x * x, { engine: "delta" })(2);\n`,
    }),
  ).toBe(12);
});

test("in place, calling itself by a name of its own", () => {
  // 3.5 * 2.5 * 1.5 * 0.5 by the product rule
  expect(
    value({
      "input.ts": `${HEAD}export const value = grad(function falling(x: number): number { const again = falling; return x < 1 ? x : x < 3 ? x * again(x - 1) : x * falling(x - 1); })(3.5);\n`,
    }),
  ).toBeCloseTo(2.5 * 1.5 * 0.5 + 3.5 * 1.5 * 0.5 + 3.5 * 2.5 * 0.5 + 3.5 * 2.5 * 1.5, 12); // of four products, each right to the last bits
});

test("chosen where there is try", () => {
  expect(
    value({
      "input.ts": `${HEAD}function f(x: number): number { try { if (x > 1) throw new Error("no"); return x; } catch { return x * x; } }\nexport const value = valueAndGrad(f)(3);\n`,
    }),
  ).toEqual([9, 6]);
});

test("across modules", () => {
  expect(
    value({
      "input.ts": `${HEAD}import { g } from "./g.ts";\nfunction f(x: number): number { return g(x) * 2; }\nexport const value = grad(f, { engine: "delta" })(3);\n`,
      "g.ts": `const inner = (x: number): number => x * x;\nexport function g(x: number): number { return inner(x) + 1; }\n`,
    }),
  ).toBe(12);
});

test("through namespaces of namespaces", () => {
  expect(
    value({
      "input.ts": `${HEAD}import * as all from "./all.ts";\nexport const value = grad((x: number): number => all.inner.deep.cube(x) * all.inner.deep.k, { engine: "delta" })(2);\n`,
      "all.ts": `export * as inner from "./inner.ts";\n`,
      "inner.ts": `export * as deep from "./deep.ts";\n`,
      "deep.ts": `export const k = 5;\nexport function cube(x: number): number { return x * x * x; }\n`,
    }),
  ).toBe(60);
});

test("members with decorators: what stands in their place is not theirs", () => {
  const CLASSES =
    `function twice(_target: object, _key: string, own: PropertyDescriptor): void { const run = own.value; own.value = function (this: object, x: number): number { return 2 * run.call(this, x); }; }\n` +
    `class Base { run(x: number): number { return x; } }\nclass Square extends Base { @twice override run(x: number): number { return x * x; } @twice static cube(x: number): number { return x ** 3; } }\n` +
    `function f(b: Base, x: number): number { return b.run(x); }\nconst square = new Square();\n`;
  const asked = (call: string): ReturnType<typeof built> =>
    built(
      { "input.ts": `${HEAD}${CLASSES}export const value = (): number => ${call};\n` },
      { experimentalDecorators: true },
    );
  const run = ({ codes, exports }: ReturnType<typeof built>): unknown => {
    expect(codes).toEqual([]);
    return (exports["value"] as () => number)();
  };
  expect(run(asked(`grad(f, { argnums: 1 })(new Base(), 3)`))).toBe(1);
  expect(() => run(asked(`grad(f, { argnums: 1 })(square, 3)`))).toThrow("TSG0010");
  expect(() => run(asked(`grad((x: number) => square.run(x))(3)`))).toThrow("TSG0010");
  expect(asked(`grad((x: number) => new Square().run(x))(3)`).codes).toEqual([
    expect.stringMatching(/^TSG1301 .*run.*a decorator/),
    expect.stringMatching(/^TSG1301 .*cube.*a decorator/),
  ]);
  expect(asked(`grad(Square.cube)(3)`).codes).toEqual([
    expect.stringMatching(/^TSG1107 .*`Square`/),
  ]);
});

test("methods that are replaced are not what their class says", () => {
  const CLASSES =
    `class Base { k = 3; constructor() { this.own = this.own.bind(this); } run(x: number): number { return this.k * x; } own(x: number): number { return this.k * x * x; } static sq(x: number): number { return x * x; } }\n` +
    `class Sub extends Base { override run(x: number): number { return x * x; } other(x: number): number { return x ** 3; } }\nconst base = new Base(), sub = new Sub();\n`;
  const run = (replaced: string, asked: string): unknown =>
    (
      built({
        "input.ts": `${HEAD}${CLASSES}${replaced}\nexport const value = (): number => grad((x: number) => ${asked})(2);\n`,
      }).exports["value"] as () => number
    )();
  expect(run("Base.prototype.run = (x) => 7 * x;", "sub.own(x)")).toBe(12);
  expect(run("Base.prototype.run = (x) => 7 * x;", "sub.other(x)")).toBe(12);
  expect(run("Object.assign(sub, base, { k: 2 });", "base.own(x)")).toBe(12);
  // what stands there now
  for (const [replaced, asked] of [
    ["Base.prototype.run = (x) => 7 * x;", "base.run(x)"],
    ["sub.run = (x) => 7 * x;", "sub.run(x)"],
    ["const b: Base = sub; b.run = (x) => 7 * x;", "sub.run(x)"],
    ["Base.sq = (x) => 7 * x;", "Base.sq(x)"],
    [`sub["other"] = (x) => 7 * x;`, "sub.other(x)"],
    ["Object.assign(Sub.prototype, { other: (x: number) => 7 * x });", "sub.other(x)"],
    [
      `Object.defineProperty(Sub.prototype, "other", { value: (x: number) => 7 * x });`,
      "sub.other(x)",
    ],
    ["Object.assign(sub, { other: (x: number) => 7 * x });", "sub.other(x)"],
    [`Object.defineProperty(sub, "other", { value: (x: number) => 7 * x });`, "sub.other(x)"],
  ] as const)
    expect(run(replaced, asked), replaced).toBe(7);
});

test("a part of a literal that a later one replaces, or that stands elsewhere, is not what it has", () => {
  const run = (table: string, asked: string): unknown =>
    (
      built({
        "input.ts":
          `${HEAD}const square = { act: (x: number): number => x * x } as { act?: (x: number) => number };\nconst listed = [(x: number): number => x * x, (x: number): number => x ** 3];\n` +
          `const key = "act" as string;\nconst table = ${table};\nexport const value = (): number => grad((x: number) => ${asked})(2);\n`,
      }).exports["value"] as () => number
    )();
  const right = (table: string, asked: string, slope: number): void => {
    let found: unknown;
    try {
      found = run(table, asked);
    } catch (error) {
      found = String(error).slice(0, 14);
    }
    expect(["Error: TSG0010", slope], `${table} ${asked}: ${String(found)}`).toContain(found);
  };
  right("{ act: (x: number): number => x * 7, ...square }", "table.act(x)", 4);
  right(
    "{ act: (x: number): number => x * 7, ...square, other: 1 }",
    "table.act(x) * (square.act?.(1) ?? 0)",
    4,
  );
  right(
    "{ act: (x: number): number => x * 7, [key]: (x: number): number => x * x }",
    "table.act(x)",
    4,
  );
  right("[...listed, (x: number): number => x * 7]", "table[1]!(x) + 0 * listed[1]!(1)", 12);
  expect(run("{ ...square, act: (x: number): number => x * 7 }", "table.act(x)")).toBe(7);
});

test("chosen where numbers are kept among other values", () => {
  // d/dx of (3x + 3) x, by hand
  expect(
    value({
      "input.ts":
        `${HEAD}type Token = number | "x" | "*";\nfunction run(tokens: readonly Token[], x: number): number {\n  const stack: number[] = [];\n  for (const token of tokens) {\n    if (typeof token === "number") stack.push(token);\n` +
        `    else if (token === "x") stack.push(x);\n    else { const b = stack.pop()!, a = stack.pop()!; stack.push(a * b + b); }\n  }\n  return stack[0]!;\n}\nconst code: Token[] = ["x", 3, "*"];\nexport const value = grad((x: number): number => run(code, x) * x)(2);\n`,
    }),
  ).toBe(15);
  expect(
    value({
      "input.ts": `${HEAD}function f(x: number): number { const cells: (number | string)[] = ["a"]; cells.push(x * x); const cell = cells[1]; return typeof cell === "number" ? [cell, 1][0]! * x : 0; }\nexport const value = grad(f)(2);\n`,
    }),
  ).toBe(12);
});

test("functions of a const object, and consts made by calls", () => {
  expect(
    value({
      "input.ts":
        `${HEAD}const ops = { sq: (x: number): number => x * x };\nconst twice = (h: (x: number) => number) => (x: number): number => h(h(x));\nconst fourth = twice(ops.sq);\n` +
        `function f(x: number, key: "sq"): number { return ops[key](x) + fourth(x); }\nexport const value = grad(f, { engine: "delta" })(2, "sq");\n`,
    }),
  ).toBe(36);
});

test("classes", () => {
  expect(
    value({
      "input.ts":
        `${HEAD}class A { k: number; constructor(k: number) { this.k = k; } at(x: number): number { return this.k * x; } }\nclass B extends A { override at(x: number): number { return super.at(x) * x; } }\n` +
        `function f(x: number): number { const a: A = new B(x); return a.at(x); }\nexport const value = grad(f, { engine: "delta" })(2);\n`,
    }),
  ).toBe(12);
});

/** Members of a class of which `k` is 3 and `c` 5, whose base squares and multiplies by `k`. */
const WITH_THIS: Readonly<Record<string, readonly [string, number]>> = {
  "in place": [
    "at(x: number): number { return grad((y: number): number => this.of(y) * this.c)(x); }",
    60,
  ],
  "under a name": [
    "at(x: number): number { const f = (y: number): number => this.of(y) + g(y); const g = (y: number): number => this.c * y; return grad(f)(x); }",
    17,
  ],
  "beside a method that has its own": [
    "at(x: number): number { const o = { k: 100, f: (y: number): number => this.k * y, g(y: number): number { return this.k * y; } }; return grad((y: number): number => o.f(y) + o.g(y))(x); }",
    103,
  ],
  super: [
    "override of(x: number): number { return grad((y: number): number => super.of(y) * y)(x); } at(x: number): number { return this.of(x); }",
    36,
  ],
  "a field": ["at = grad((y: number): number => this.of(y) * this.c);", 60],
  "a static method": [
    "static s = 7; static of(x: number): number { return grad((y: number): number => y * y * this.s)(x); } at(x: number): number { return Scaled.of(x); }",
    28,
  ],
};

test.each(Object.entries(WITH_THIS))(
  "an arrow function with the `this` of a method around it: %s",
  (_, [members, expected]) => {
    expect(
      value({
        "input.ts":
          `${HEAD}class Squared { constructor(readonly k: number, readonly c: number) {} of(x: number): number { return x * x * this.k; } }\n` +
          `class Scaled extends Squared { ${members} }\nexport const value = new Scaled(3, 5).at(2);\n`,
      }),
    ).toBe(expected);
  },
);

test("fields that begin with a parameter property, where these come first", () => {
  const { codes, exports } = built(
    {
      "input.ts":
        `${HEAD}class A { #twice = this.k * 2; sum = this.k + this.#twice; constructor(readonly k: number) {} }\n` +
        `class B extends A { own = this.of(); constructor(k: number, readonly m = k * 3) { super(k * k); } of(): number { return this.m * this.sum; } }\n` +
        `const f = (x: number): number => new B(x).own;\nexport const value = grad(f, { engine: "delta" })(2);\n`,
    },
    { useDefineForClassFields: false },
  );
  expect(codes).toEqual([]);
  // of 3 x * 3 x²
  expect(exports["value"]).toBe(108);
});

test("`arguments` of the function around an arrow function: of a method, a function, an asynchronous one", async () => {
  const [method, nested, later] = value({
    "input.ts":
      `${HEAD}class A { k = 2; e(x: number): number { return (() => this.k * x * arguments.length * (arguments[0] as number))(); } }\nconst a = new A();\n` +
      "function h(x: number): number { const g = (): number => { const inner = (): number => (arguments[0] as number) * x; return inner(); }; return g(); }\nasync function l(x: number): Promise<number> { await null; return (() => (arguments[0] as number) * x)(); }\n" +
      'export const value = [grad((x: number) => a.e(x), { engine: "delta" })(3), grad(h, { engine: "delta" })(3), grad(l)(3)];\n',
  }) as readonly unknown[]; // exports are unknown
  expect([method, nested, await later]).toEqual([12, 6, 6]);
  expect(
    built({
      "input.ts": `${HEAD}function outer(): number { return grad((x: number): number => x * (arguments[0] as number), { engine: "delta" })(3); }\nexport const value = outer();\n`,
    }).codes.join(),
  ).toContain("`arguments` of the function around it");
});

test("a field that another module sets is a setting there, not what an earlier call has left", () => {
  expect(
    value({
      "input.ts": `${HEAD}import { m } from "./model.ts";\nconst d = grad((x: number) => m.step(x), { engine: "delta" });\nm.scale = Math.sqrt(4);\nexport const value = d(3);\n`,
      "model.ts":
        "class Model { scale = 1; step(x: number): number { const y = this.scale * x; this.scale = y; return y; } }\nexport const m = new Model();\n",
    }),
  ).toBe(2);
});

test("a module variable that is written", () => {
  expect(
    value({
      "input.ts": `${HEAD}let last = 0;\nfunction put(x: number): void { last = x * x; }\nfunction f(x: number): number { put(x); return last * x; }\nexport const value = grad(f, { engine: "delta" })(2);\n`,
    }),
  ).toBe(12);
});

test("another module's variable that is written: by its name, or not at all", () => {
  const state = `export let last = 0;\nexport function put(x: number): void { last = x * x; }\n`;
  const asks = (imported: string, body: string): Readonly<Record<string, string>> => ({
    "state.ts": state,
    "input.ts": `${HEAD}import ${imported} from "./state.ts";\nfunction f(x: number): number { ${body} }\nexport const value = grad(f, { engine: "delta" })(2);\n`,
  });
  expect(value(asks("{ last, put }", "put(x); return last * x;"))).toBe(12);
  expect(built(asks("* as state", "state.put(x); return state.last * x;")).codes).toMatchObject([
    expect.stringContaining("`state.last`, a variable that is assigned to (import it by its name)"),
  ]);
});

test("a JavaScript source", () => {
  expect(
    value({
      "input.ts": `${HEAD}import { g } from "./g.js";\nexport const value = grad(g)(3);\n`,
      "g.js": `/** @param {number} x */\nexport function g(x) { return x * x; }\n`,
    }),
  ).toBe(6);
});

test("static only", () => {
  expect(
    built({
      "input.ts": `${HEAD}function f(x: number): number { try { return x; } finally { void 0; } }\nexport const d = grad(f, { engine: "static" });\n`,
    }).codes.length,
  ).toBe(1);
});

test("asynchronous functions give promises", async () => {
  const given = value({
    "input.ts": `${HEAD}const later = async (x: number): Promise<number> => x * x;\nasync function f(x: number): Promise<number> { const y = await later(x); return y * x; }\nexport const value = grad(f)(2);\n`,
  });
  expect(await given).toBe(12);
});

const TIMER =
  "const { setTimeout } = globalThis as unknown as { setTimeout(f: () => void, ms: number): number };\nconst after = (ms: number): Promise<null> => new Promise<null>((done) => setTimeout(() => done(null), ms));\n";
/** Its pullback throws TSG0015 when it is called again; whoever calls `failing` has caught that. */
const FAILING =
  "let kept = 1;\nfunction keeping(x: number): number { const before = kept; kept = x * x; return before * x; }\nfunction failing(): number { try { grad(keeping)(1); grad(keeping)(2); return 0; } catch { return 1; } }\n" +
  "const back = (): number => { const [, pull] = vjp(keeping)(2); try { pull(1); return 0; } catch { return 1; } };\n";

test("what goes wrong outside of an asynchronous derivative is no part of it: before it, and while it waits", async () => {
  const given = value({
    "input.ts":
      `import { grad, vjp } from "tsgrad";\n${TIMER}${FAILING}async function f(x: number): Promise<number> { await after(1); const y = x * x; await after(9); return y * x; }\n` +
      "export const value = (async () => { const first = [failing(), back()]; const waiting = grad(f)(2); setTimeout(() => { first.push(failing(), back()); }, 4); return [await waiting, ...first]; })();\n",
  });
  expect(await given).toEqual([12, 1, 1, 1, 1]);
  expect(run).toBe(idle);
});

test("an error that an asynchronous function catches between two waits is thrown behind it", async () => {
  const given = value({
    "input.ts":
      `${HEAD}${TIMER}let kept = 1;\nasync function f(x: number): Promise<number> { await after(1); const before = kept; kept = x * x; try { const inner = grad((y: number) => y * before)(2); await after(1); return inner * x; } catch { return x; } }\n` +
      'export const value = (async () => { await grad(f)(1); return grad(f)(2).then(() => "a number", (error: Error) => error.message.slice(0, 7)); })();\n',
  });
  expect(await given).toBe("TSG0015");
  expect(run).toBe(idle);
});

test("a derivative that begins while another one waits ends behind it", async () => {
  const given = value({
    "input.ts":
      `${HEAD}${TIMER}const slow = (ms: number) => async (x: number): Promise<number> => { await after(1); const y = x * x; await after(ms); const z = await after(ms).then(() => y * x); return z; };\n` +
      "const one = slow(8), other = slow(16);\n" +
      "export const value = (async () => { const first = grad(one)(2); const second = new Promise<number>((done) => setTimeout(() => done(grad(other)(3)), 5)); return [await first, await second]; })();\n",
  });
  expect(await given).toEqual([12, 27]);
  expect(run).toBe(idle);
});

/** Functions of x with the derivative at 2, each of which runs while others do. */
const LATER: Readonly<Record<string, readonly [string, number]>> = {
  "for await of a list": [
    "async (x: number) => { let s = 0; for await (const k of [x, x * x]) s += k; return s; }",
    5,
  ],
  "for await of promises": [
    "async (x: number) => { let s = 0; for await (const k of [Promise.resolve(x), (async () => x * x)()]) s += k; return s * x; }",
    16,
  ],
  "for await of patterns, with a label": [
    "async (x: number) => { let s = 0; out: for await (const { a, b = a } of [{ a: x }, Promise.resolve({ a: 3, b: x * x })] as { a: number; b?: number }[]) { for (const k of [1, 2]) { if (k > 1) continue out; s += a * b; await null; } } return s; }",
    16,
  ],
  "for await into a variable, and what rejects": [
    'async (x: number) => { let q = 0, s = 0; try { for await (q of [x, Promise.resolve(2 * x), Promise.reject(new Error("no"))]) s += q * x; } catch { s *= x; } return s + q; }',
    38,
  ],
  "for await of an iterator, which is left": [
    "async (x: number) => { let s = 0, closed = 1; const all = { [Symbol.asyncIterator]() { let k = 0; return { next: async () => { await null; return { done: false as const, value: x * ++k }; }, return: async () => { closed++; return { done: true as const, value: undefined }; } }; } };" +
      " for await (const v of all) { if (v > 5) break; s += v * v; await null; } return s * closed; }",
    40,
  ],
  "a promise that is resolved at once": [
    "async (x: number) => { const y = await new Promise<number>((done) => done(x * x)); return y * x; }",
    12,
  ],
  timers: [
    "async (x: number) => { let s = x; for (let i = 0; i < 3; i++) { await new Promise<void>((done) => setTimeout(done, 3 - i)); s *= x; } return new Promise<number>((done) => setTimeout((a: number, b: number) => done(a * b), 1, s, x)); }",
    80,
  ],
  "a microtask": [
    "async (x: number) => { const later = (v: number) => new Promise<number>((done) => queueMicrotask(() => done(v * x))); return later(2).then((v) => v * x); }",
    8,
  ],
};

test("asynchronous functions that run at once are apart: loops, promises, timers", async () => {
  const list = Object.values(LATER)
    .map(([text]) => `grad(${text} )(2)`)
    .join(",\n  ");
  const timers =
    "const { setTimeout, queueMicrotask } = globalThis as unknown as { setTimeout<A extends unknown[]>(f: (...args: A) => void, ms: number, ...more: A): number; queueMicrotask(f: () => void): void };\n";
  const given = value({
    "input.ts": `${HEAD}${timers}export const value = Promise.all([\n  ${list}\n]);\n`,
  });
  expect(await given).toEqual(Object.values(LATER).map(([, expected]) => expected));
});

test("an assignment through super, of a class expression that a constant names", () => {
  // 3 x² at 2
  const source = `class A { v(): number { return 1; } }
const B = class extends A { put(x: number): number { super.v = () => x ** 3; return this.v(); } };
export const value = grad((x: number): number => new B().put(x), { engine: "delta" })(2);`;
  expect(value({ "input.ts": `${HEAD}${source}\n` })).toBe(12);
});

test.each([
  [
    "an assignment through super",
    "class A { v(): number { return 1; } }\nconst f = (x: number): number => new (class extends A { put(x: number): number { super.v = () => x; return this.v(); } })().put(x);",
    "TSG1301 cannot differentiate `super.v` with the Delta engine: an assignment through `super`",
  ],
  [
    "super in a literal",
    "const f = (x: number): number => { const o = { v: () => x, toString(): string { return super.toString() + this.v(); } }; return o.toString().length * o.v(); };",
    "TSG1301 cannot differentiate `super.toString` with the Delta engine: `super` in a method of an object literal",
  ],
  [
    "a static private accessor",
    "class A { static get #k() { return 2; } static of(x: number): number { return A.#k * x; } }\nconst f = (x: number): number => A.of(x);",
    "TSG1301 cannot differentiate `#k` with the Delta engine: a static private accessor",
  ],
])("%s is refused", (_, source, message) => {
  const { codes } = built({
    "input.ts": `${HEAD}${source}\nexport const d = grad(f, { engine: "delta" });\n`,
  });
  expect(codes.map((code) => code.slice(0, message.length))).toEqual([message]);
});

test.each([
  ["a parameter", "const f = ($d: number): number => $d * $d;"],
  ["beside the function", "const $d = 2;\nconst f = (x: number): number => ($d * x * x) / 2;"],
  [
    "a field and a string",
    'const f = (x: number): number => { const o = { $d: x, get: "$d.get" }; return o.$d * x + o.get.length - 6; };',
  ],
  [
    "around the function",
    'const f = (x: number): number => x * x;\nexport function h($d: number): number { return grad(f, { engine: "delta" })($d); }\nexport const other = ($d: number): number => $d;',
  ],
  [
    "an object with methods of the run-time",
    "const f = (x: number): number => { const $d = { get: (y: number): number => y * x, ret: 1, $e: 0 }; return $d.get(x) * $d.ret + $d.$e; };",
  ],
])("the run-time gives way to a `$d` of the user's: %s", (_, source) => {
  expect(
    value({
      "input.ts": `${HEAD}${source}\nexport const value = grad(f, { engine: "delta" })(3);\n`,
    }),
  ).toBe(6);
});

test("a function that is passed on with its derivative", () => {
  expect(
    value({
      "input.ts":
        `import { differentiable, grad } from "tsgrad";\nconst square = differentiable((x: number): number => x * x);\nconst all: ((x: number) => number)[] = [square];\n` +
        `function f(x: number, hs: ((x: number) => number)[]): number { let s = 0; for (const h of hs) s += h(x); return s; }\nexport const value = grad(f, { engine: "delta" })(3, all);\n`,
    }),
  ).toBe(6);
});

test("a function that is passed without its derivative is an error, not a zero", () => {
  expect(() =>
    value({
      "input.ts":
        `import { grad } from "tsgrad";\nconst all: ((x: number) => number)[] = JSON.parse("[]");\nall.push(Function("x", "return x * x") as never);\n` +
        `function f(x: number, hs: ((x: number) => number)[]): number { let s = 0; for (const h of hs) s += h(x); return s; }\nexport const value = grad(f, { engine: "delta" })(3, all);\n`,
    }),
  ).toThrow("TSG0010");
});

test("an error of the derivative that the user's code catches is an error, not a zero; the next call is as new", async () => {
  const text =
    `import { grad } from "tsgrad";\nconst all: ((x: number) => number)[] = JSON.parse("[]");\nall.push(Function("x", "return x * x") as never);\n` +
    `function f(x: number, on: boolean): number { try { return on ? all[0](x) : x * x; } catch { return x; } }\n` +
    `async function later(x: number): Promise<number> { await null; try { return all[0](x); } catch { return x; } }\nexport const value = { d: grad(f), e: grad(later) };\n`;
  const { d, e } = value({ "input.ts": text }) as {
    d: (x: number, on: boolean) => number;
    e: (x: number) => Promise<number>;
  }; // exports are unknown
  expect(() => d(3, true)).toThrow("TSG0010");
  expect(d(3, false)).toBe(6);
  await expect(e(3)).rejects.toThrow("TSG0010");
  expect(d(3, false)).toBe(6);
});

test("operators: a constant, what is computed again, and a rule", () => {
  const text =
    `import { checkpoint, customVjp, grad, stopGradient } from "tsgrad";\nconst again = checkpoint((x: number): number => x * x);\nconst ruled = customVjp((x: number): number => x, (x) => [x, (bar) => [2 * bar]]);\n` +
    `export const value = { a: grad((x: number): number => x * stopGradient(x) * 2, { engine: "delta" }), b: grad((x: number): number => again(x), { engine: "delta" }), c: grad((x: number): number => ruled(x), { engine: "delta" }) };\n`;
  const { a, b, c } = value({ "input.ts": text }) as Readonly<
    Record<"a" | "b" | "c", (x: number) => number>
  >; // exports are unknown
  expect([a(3), b(3), c(3)]).toEqual([6, 6, 2]);
});

test("generators", () => {
  expect(
    value({
      "input.ts": `${HEAD}function* powers(x: number): Generator<number> { let p = 1; for (let i = 0; i < 3; i++) { p *= x; yield p; } }\nfunction f(x: number): number { let s = 0; for (const p of powers(x)) s += p; return s; }\nexport const value = grad(f)(2);\n`,
    }),
  ).toBe(1 + 4 + 12);
});

const LAST =
  "const lastOf = (g: (x: number) => number) => { let at = NaN, value = 0; return (x: number): number => { if (x !== at) { at = x; value = g(x); } return value; }; };\nconst square = lastOf((x) => x * x);\n";

test("a closure that remembers an earlier run is no constant of the next one", () => {
  const f = "function f(x: number): number { return x * 10 + square(x); }\n";
  expect(
    value({
      "input.ts": `${HEAD}${LAST}${f}const g = grad(f, { engine: "delta" });\nexport const value = [g(3), g(4), g(3)];\n`,
    }),
  ).toEqual([16, 18, 16]);
  expect(
    value({
      "input.ts": `${HEAD}${LAST}${f}const g = grad(f, { engine: "delta" });\nlet said = "";\ng(3);\ntry { g(3); } catch (e) { said = String(e); }\nexport const value = said;\n`,
    }),
  ).toMatch(/TSG0015/);
});

const KEPT: readonly (readonly [what: string, code: string])[] = [
  [
    "an object",
    "const s = { at: NaN, value: 0 };\nfunction slow(x: number): number { if (s.at !== x) { s.at = x; s.value = x * x; } return s.value; }",
  ],
  [
    "an object of a closure",
    "const slow = (() => { const s = { at: NaN, value: 0 }; return (x: number): number => { if (s.at !== x) { s.at = x; s.value = x * x; } return s.value; }; })();",
  ],
  [
    "a new object in it",
    "const s: { last: { at: number; value: number } | null } = { last: null };\nfunction slow(x: number): number { if (s.last === null || s.last.at !== x) s.last = { at: x, value: x * x }; return s.last.value; }",
  ],
  [
    "an instance",
    "class Memo { at = NaN; value = 0; of(x: number): number { if (this.at !== x) { this.at = x; this.value = x * x; } return this.value; } }\nconst memo = new Memo();\nconst slow = (x: number): number => memo.of(x);",
  ],
  [
    "what only a class sees",
    "class Memo { #at = NaN; #value = 0; of(x: number): number { if (this.#at !== x) { this.#at = x; this.#value = x * x; } return this.#value; } }\nconst memo = new Memo();\nconst slow = (x: number): number => memo.of(x);",
  ],
  [
    "a class",
    "class Memo { static at = NaN; static value = 0; static of(x: number): number { if (Memo.at !== x) { Memo.at = x; Memo.value = x * x; } return Memo.value; } }\nconst slow = (x: number): number => Memo.of(x);",
  ],
  [
    "a list",
    "const last = [NaN, 0];\nfunction slow(x: number): number { if (last[0] !== x) { last[0] = x; last[1] = x * x; } return last[1]!; }",
  ],
  [
    "a typed array",
    "const last = new Float64Array([NaN, 0]);\nfunction slow(x: number): number { if (last[0] !== x) { last[0] = x; last[1] = x * x; } return last[1]!; }",
  ],
  [
    "a table",
    "const known = new Map<number, number>();\nfunction slow(x: number): number { let y = known.get(x); if (y === undefined) { y = x * x; known.set(x, y); } return y; }",
  ],
  [
    "a table by text",
    "const known: Record<string, number> = {};\nfunction slow(x: number): number { return (known[x.toFixed(3)] ??= x * x); }",
  ],
  [
    "the argument alone",
    "const s = { x: NaN };\nfunction slow(x: number): number { if (s.x !== x) s.x = x; return s.x * s.x; }",
  ],
];

test.each(KEPT)("nor is %s that does", (_what, code) => {
  const f = `${code}\nfunction f(x: number): number { return x * 10 + slow(x); }\nconst g = grad(f, { engine: "delta" });\n`;
  expect(
    value({
      "input.ts": `${HEAD}${f}let said = "";\nconst first = [g(3), g(4)];\ntry { g(4); } catch (e) { said = String(e).slice(0, 14); }\nexport const value = [...first, said];\n`,
    }),
  ).toEqual([16, 18, "Error: TSG0015"]);
});

test("what a caller gives is a constant, whoever computed it, and so is what was handed out", () => {
  // h.v = tanh(w h.v + 1)
  const f =
    'function f(w: number, h: { v: number }): number { h.v = Math.tanh(w * h.v + 1); return h.v; }\nconst g = grad(f, { engine: "delta" });\nconst d = (w: number, v: number): number => (1 - Math.tanh(w * v + 1) ** 2) * v;\nconst h = { v: 0.5 };\nconst first = g(0.3, h), v = h.v;\n';
  expect(
    value({
      "input.ts": `${HEAD}${f}const second = g(0.3, h);\nexport const value = Math.abs(first - d(0.3, 0.5)) + Math.abs(second - d(0.3, v)) < 1e-12;\n`,
    }),
  ).toBe(true);
  const aux =
    'const now = { h: { v: 1 } };\nfunction f(x: number): [number, { v: number }] { const v = x * now.h.v; return [v, { v }]; }\nconst g = valueAndGrad(f, { hasAux: true, engine: "delta" });\nconst said: number[] = [];\nfor (let k = 0; k < 3; k++) { const [[, h], slope] = g(2); now.h = h; said.push(slope); }\n';
  expect(value({ "input.ts": `${HEAD}${aux}export const value = said;\n` })).toEqual([1, 2, 4]);
});

test("what a pullback or a tangent was returned with is a constant where others read it", () => {
  const step = `interface S { pos: number; tail: number[]; grid: Float64Array; by: Map<string, number> }
function step(s: number, k: number): S { const v = s - k * s; return { pos: s + v, tail: [s * k, v], grid: new Float64Array([v]).map((x) => x * 2), by: new Map([["v", v]]) }; }
const [one] = vjp(step, { engine: "delta" })(1, 0.5), [other] = jvp(step, { engine: "delta" })([2, 0.5], [1, 0]);
const g = grad((x: number): number => { let s = 0; for (const t of one.tail) s += t * x; return s + x * x * other.pos + x * one.grid[0]! + x * one.by.get("v")!; }, { engine: "delta" });\n`;
  // tail 0.5 and 0.5, pos 3, grid 1, v 0.5
  expect(
    value({
      "input.ts": `import { grad, jvp, vjp } from "tsgrad";\n${step}export const value = [g(2), g(2)];\n`,
    }),
  ).toEqual([0.5 + 0.5 + 2 * 2 * 3 + 1 + 0.5, 14.5]);
});

test("nor is a module's variable that does, as long as it holds what that run has put there", () => {
  const f =
    "let at = NaN, last = 0;\nfunction f(x: number): number { if (x !== at) { at = x; last = x * x; } return x * 10 + last; }\nconst g = grad(f);\n";
  expect(value({ "input.ts": `${HEAD}${f}export const value = [g(3), g(4), g(3)];\n` })).toEqual([
    16, 18, 16,
  ]);
  expect(
    value({
      "input.ts": `${HEAD}${f}let said = "";\ng(3);\ntry { g(3); } catch (e) { said = String(e); }\nexport const value = said;\n`,
    }),
  ).toMatch(/TSG0015/);
  // scale * x, which leaves x^2 in scale
  const s =
    "let scale = 2;\nfunction s(x: number): number { const y = scale * x; scale = x * x; return y; }\nconst g = grad(s);\nconst first = g(3);\nscale = 4;\n";
  expect(value({ "input.ts": `${HEAD}${s}export const value = [first, g(3)];\n` })).toEqual([2, 4]);
});

const READ_BACK: readonly (readonly [string, string])[] = [
  ["toFixed", "Number(x.toFixed(3))"],
  ["parseFloat", "parseFloat(x.toPrecision(12))"],
  ["template", "+`${x * x}`"],
  ["concatenation", "+(x + '')"],
  ["String", "Number(String(x)) * 2"],
  ["join", "[x, 2].join(',').split(',').reduce((s, t) => s + Number(t), 0)"],
  ["toString", "(x.toString() as any) * 2"],
  ["JSON of a number", "Number(JSON.stringify(x))"],
  ["JSON of a record", "Number(JSON.stringify({ x }).slice(5, -1))"],
  ["JSON of a list", "parseFloat(JSON.stringify([x, 2]).slice(1))"],
  ["JSON of rows", "Number(JSON.stringify({ rows: [[x]] }).replace(/[^0-9.]/g, ''))"],
  ["JSON that is put together", 'JSON.parse(`{"rows": [${x}, 2]}`).rows[0]'],
  ["a list that is parsed", "Number.parseFloat([x, 2].join(','))"],
  ["a list's text", "Number([x].toString())"],
  ["a list in a template", "Number(`${[x]}`)"],
  ["String of a list", "Number(String([x]))"],
  ["String of an object", "Number(String({ toString: () => x.toFixed(2) }))"],
  ["an object in a template", "Number(`${{ toString: () => x.toFixed(2) }}`)"],
  ["joined by nothing", "Number([x].join())"],
  ["join of rows", "Number([[x]].join())"],
  ["a list as people write it", "Number([x].toLocaleString())"],
  ["a typed array", "Number(Float64Array.of(x).join())"],
  ["a unit behind it", "parseFloat(`${x}px`)"],
  ["concat", "Number(''.concat(x as any))"],
  ...[
    "''.concat((x as any))",
    "''.concat('', x as any)",
    "''['concat'](x as any)",
    "String('')?.concat(x as any)",
    "''.concat((x as any)!)",
    "''.padEnd(3, x as any)",
    "''.padStart(3, x as any)",
    "'aa'.replaceAll('aa', x as any)",
    "'a'.replace(/a/, x as any)",
    "'a'.trim().replace('a', <any>x)",
  ].map((text) => [`any: ${text}`, `Number(${text})`] as const),
  ["padded", "Number(String(x).padStart(9))"],
  ["replaced", "Number('a'.replace('a', x as any))"],
  ["raw", "Number(String.raw`${x}`)"],
];

/** One program for all: a closure for each. */
let readBack: Readonly<Record<string, () => number>> | null = null;

test.each(READ_BACK)("a number read back from text is refused: %s", (name) => {
  const parts = READ_BACK.map(
    ([key, text]) =>
      `${JSON.stringify(key)}: () => grad((x: number): number => ${text}, { engine: "delta" })(3.5)`,
  );
  readBack ??= value({
    "input.ts": `${HEAD}export const value = { ${parts.join(", ")} };\n`,
  }) as Readonly<Record<string, () => number>>; // as the text above has it
  expect(readBack[name]).toThrow(/TSG0012.*as text/);
});

test("text that is a key, or is read back as something else, does no harm; a copy by way of JSON keeps derivatives", () => {
  // 2 x + 5 + 2 x at 3.5
  const f =
    "(x: number): number => { const memo: Record<string, number> = {}, key = JSON.stringify([x]) + `${[x]}` + String([x]); memo[key] = x * x; const copy = JSON.parse(JSON.stringify({ rows: [[x]] })).rows[0][0]; return memo[key]! + Number(JSON.parse('[5]')[0]) * x + copy * copy; }";
  expect(
    value({ "input.ts": `${HEAD}export const value = grad(${f}, { engine: "delta" })(3.5);\n` }),
  ).toBe(19);
});

test("an instance may be taken for one of a class whose method only an interface of its own class declares", () => {
  const classes =
    "class Spring { k = 2; force(x: number): number { return this.k * x; } }\ninterface Rope { force(x: number): number }\nclass Rope { k = 3; }\nRope.prototype.force = function (x) { return this.k * x * x; };\n";
  const f = "const link: Spring = new Rope();\nconst f = (x: number): number => link.force(x);\n";
  // the assigned function is not in reach of f: an error, where the method of Spring would give 2
  expect(() =>
    built({ "input.ts": `${HEAD}${classes}${f}export const value = grad(f)(3);\n` }),
  ).toThrow(/TSG0010/);
});

test("what is read as no number is none that was written", () => {
  expect(
    value({
      "input.ts": `${HEAD}const f = (x: number): number => { const key = JSON.stringify({ x }); return x * x + (key === "" ? 1 : Number("none")); };\nexport const value = grad(f, { engine: "delta" })(3.5);\n`,
    }),
  ).toBe(7);
});

test("what a template writes out may run code that assigns what stands before it", () => {
  // x * 1 + 9, by x
  const text = `${HEAD}const f = (x: number): number => { let b = x; const o = { toString: () => { b = 9; return "z"; } }; return b * \`\${o}\`.length + b; };\nexport const value = grad(f, { engine: "delta" })(0.7);\n`;
  expect(value({ "input.ts": text })).toBe(1);
});
