// What names of enclosing scopes mean: one variable under several names, several under one name, in one module and across modules, read and written. Oracles:
// the program's own exports as plain JavaScript, by extrapolated differences, each on a fresh load, since writes stay.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { slopeOf } from "./differences.ts";
import { loader, type Exports } from "./modules.ts";
import { errorsOf } from "./strict.ts";

const BUFFER = `export const buf = [5, 7];
export function square(x: number): number { buf[0] = x * x; return buf[0]; }
export function scaled(x: number): number { return buf[0]! * x; }
`;
const OTHER = `const buf = [1, 1];
export function wave(x: number): number { buf[0] = Math.sin(x); buf[1] = buf[0] * x; return buf[1] + buf[0]; }
export class Cell { static items = [1, 2]; static put(x: number): number { Cell.items[0] = x * x; return Cell.items[0] + Cell.items[1]!; } }
const shared = [3, 4];
export default shared;
export function reads(x: number): number { return shared[0]! * x; }
`;
const INDEX = `export { default as table, Cell as Zelle, reads } from "./other.ts";\nexport * as Other from "./other.ts";\nexport { buf as again } from "./buffer.ts";\n`;
const HEAD = `import { grad, vjp } from "tsgrad";
import { buf as scratch, scaled, square } from "./buffer.ts";
import { wave } from "./other.ts";
import { again, Other, reads, table, Zelle } from "./index.ts";
import * as Buffer from "./buffer.ts";
const buf = [0, 0];
function own(x: number): number { buf[0] = x * x * x; return buf[0]; }
const state = { buf: [1, 2], rest: 3 };
void [scratch, scaled, square, wave, again, Other, reads, table, Zelle, Buffer, own, state];
`;

/** Declares f and its derivative df. */
const CASES: Readonly<Record<string, string>> = {
  "two modules have one of the name":
    "export const f = (x: number): number => { buf[0] = 3 * x; return square(x) * buf[0]; };\nexport const df = grad(f);",
  "it is imported under another name":
    "export const f = (x: number): number => { scratch[0] = 3 * x; return scaled(x) * scratch[0]; };\nexport const df = grad(f);",
  "another module's is written there alone":
    "export const f = (x: number): number => square(x) * x;\nexport const df = grad(f);",
  "three modules' in one function":
    "export const f = (x: number): number => own(x) * square(x) * wave(x) * buf[0]!;\nexport const df = grad(f);",
  "a namespace, a name and a re-export":
    "export const f = (x: number): number => { Buffer.buf[0] = x * x; return scaled(x) * scratch[0]! + again[0]!; };\nexport const df = grad(f);",
  "a default export":
    "export const f = (x: number): number => { table[0] = Math.exp(x); return reads(x) * table[0] + Other.reads(x); };\nexport const df = grad(f);",
  "static fields":
    "export const f = (x: number): number => { Other.Cell.items[1] = x * x; return Zelle.items[1]! * Other.Cell.put(x) + Zelle.items[0]!; };\nexport const df = grad(f);",
  "static fields of classes without a name":
    "const One = class { static items = [1, 2]; }, Two = class { static items = [3, 4]; };\nexport const f = (x: number): number => { One.items[0] = x * x; Two.items[0] = 5 * x; return One.items[0]! * Two.items[0]! * x + Two.items[1]!; };\nexport const df = grad(f);",
  "static fields of classes whose names are their own":
    "const One = class K { static items = [1, 2]; }, Two = class K { static items = [3, 4]; };\nconst put = (x: number): number => { Two.items[0] = 5 * x; return Two.items[0]; };\nexport const f = (x: number): number => { One.items[0] = x * x; return put(x) * One.items[0]! * Two.items[0]!; };\nexport const df = grad(f);",
  "a parameter hides it":
    "export const f = (buf: number): number => own(buf) * buf;\nexport const df = grad(f);",
  "a captured parameter hides it":
    "const made = (buf: number[]) => { const f = (x: number): number => own(x) * buf[0]! * x; return [f, grad(f)] as const; };\nexport const [f, df] = made([2]);",
  "a block hides it, and writes its own":
    "function made(n: number) {\n  const buf = [1, 2];\n  const local = (x: number): number => { buf[0] = x * x; return buf[0] * own(x); };\n  const f = (x: number): number => local(x) * buf[0]! * square(x) * n;\n  return [f, grad(f)] as const;\n}\nexport const [f, df] = made(3);",
  "an inner block hides a block's":
    "function made(n: number) {\n  const kept = [1, 2];\n  const local = (x: number): number => { kept[0] = x * x; return kept[0] * n; };\n  {\n    const kept = [4];\n    const f = (x: number): number => local(x) * kept[0]! * x;\n    return [f, grad(f)] as const;\n  }\n}\nexport const [f, df] = made(3);",
  "a loop hides it":
    "const made = () => { for (const buf of [[2], [3]]) { const f = (x: number): number => own(x) * buf[0]! * x; return [f, grad(f)] as const; } throw new Error(); };\nexport const [f, df] = made();",
  "a record's":
    "export const f = (x: number): number => { state.buf[0] = x * x; return state.buf[0] * x * state.rest; };\nexport const df = grad(f);",
  "another call site writes what is read":
    "function writes(x: number): number { buf[0] = x; return buf[0] * x; }\nexport const dw = grad(writes);\nexport function f(x: number): number { let s = x; for (const w of buf) s = Math.sin(s * (w + 1.5)); return s; }\nexport const df = grad(f);",
  "its gradient is differentiated":
    "function writes(x: number): number { buf[0] = x; return buf[0] * x; }\nexport const dw = grad(writes);\nfunction g(x: number): number { let s = x; for (const w of buf) s = Math.sin(s * (w + 1.5)); return s; }\nexport const f = grad(g);\nexport const df = (x: number): number => vjp(f)(x)[1](1)[0];\nexport const again2 = grad(grad(g));",
};

function loaded(text: string): {
  readonly exports: () => Exports;
  readonly wrong: readonly string[];
} {
  const texts = new Map([
    ["/src/buffer.ts", BUFFER],
    ["/src/other.ts", OTHER],
    ["/src/index.ts", INDEX],
    ["/src/main.ts", HEAD + text],
  ]);
  const options = { noUncheckedIndexedAccess: true, allowImportingTsExtensions: true };
  const { edits, diagnostics } = analyse(programOf(Object.fromEntries(texts), options));
  const emitted = new Map(
    [...texts].map(([file, own]) => [file, applyEdits(file, own, edits.get(file) ?? []).text]),
  );
  const errors = diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, message }) => `${code} ${message}`);
  return {
    exports: () => loader(emitted)("/src/main.ts"),
    wrong: [
      ...errors,
      ...errorsOf(programOf(Object.fromEntries(emitted), options).program).map(
        ({ message }) => message,
      ),
    ],
  };
}

const called = (value: unknown, x: number): number => {
  if (typeof value !== "function") throw new Error("no function");
  return Number(value(x));
};

test.each(Object.entries(CASES))("%s", (_, text) => {
  const { exports, wrong } = loaded(text);
  expect(wrong).toEqual([]);
  const derived = exports();
  for (const x of [0.7, 1.3, 0.7]) {
    const { f } = exports();
    // extrapolated differences of a smooth function are good to about 1e-9 of its size
    const slope = slopeOf((t) => called(f, x + t), 0);
    expect(Math.abs(called(derived["df"], x) - slope.value)).toBeLessThan(
      1e-7 * Math.max(1, Math.abs(slope.value)),
    );
  }
});

describe("one object under two names, and written, is an error of the run", () => {
  test.each<[string, string, readonly unknown[]]>([
    [
      "a field and a constant",
      "const { buf: taken } = state;\nexport const df = grad((x: number): number => { state.buf[0] = x * x; return taken[0]! * x; });",
      [2],
    ],
    [
      "two arguments, of which the one is written and the other read",
      "const s = [0, 0];\nconst d = grad((x: number, a: number[], b: number[]): number => { a[0] = x * x; return b[0]! * x; });\nexport const df = (x: number): number => d(x, s, s);",
      [2],
    ],
    [
      "an argument and a constant",
      "const d = grad((x: number, a: number[]): number => { buf[0] = x * x; return a[0]! * x; });\nexport const df = (x: number): number => d(x, buf);",
      [2],
    ],
    [
      "two captured parameters",
      "const made = (a: number[], b: number[]) => { return grad((x: number): number => { a[0] = x * x; return b[0]! * x; }); };\nconst s = [1];\nexport const df = made(s, s);",
      [2],
    ],
  ])("%s", (_, text, args) => {
    const { exports, wrong } = loaded(text);
    expect(wrong).toEqual([]);
    const { df } = exports();
    expect(() => {
      if (typeof df === "function") df(...args);
    }).toThrow(/^TSG0004: .* are the same object, and the function writes it/);
  });
});
