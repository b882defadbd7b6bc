// Programs of numbers, whose derivatives know nothing else (transformer/delta/lean.ts). In: small programs, with a run time of their own, so that nothing is there
// that they did not ask for. Out: closed forms, and what is refused.

import { describe, expect, test, vi } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { type Exports, loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad, valueAndGrad } from "tsgrad";\n`;

function built(source: string): string {
  const { edits, diagnostics } = analyse(programOf({ "input.ts": HEAD + source }));
  expect(diagnostics).toEqual([]);
  return applyEdits("/src/input.ts", HEAD + source, edits.get("/src/input.ts") ?? []).text;
}

/** Other test files may have used families in theirs. */
async function fresh(): Promise<Exports> {
  vi.resetModules();
  const made = await import("../../runtime/delta/index.ts");
  vi.resetModules();
  return made;
}
const delta = await fresh();

const valueOf = (source: string): unknown => {
  const text = built(source);
  expect(text).toMatch(/\$d\.(?:grad|valueAndGrad)Of\(/);
  return loader(new Map([["/src/input.ts", text]]), delta)("/src/input.ts")["value"];
};

/** `x`, or 0 where it throws. */
const TRY = "try { if (x > 100) throw new Error(`at ${x}`); y = x; } catch { y = 0; }";

const PROGRAMS: readonly (readonly [string, string, unknown])[] = [
  ["its value too", `export const value = valueAndGrad((x: number): number => { let y = 0; ${TRY} return y * y; })(3);`, [9, 6]],
  ["a list of positions", `export const value = grad((x: number, z: number): number => { let y = 0; ${TRY} return y * z; }, { argnums: [1, 0] })(3, 5);`, [3, 5]],
  ["a position", `export const value = grad((x: number, z: number): number => { let y = 0; ${TRY} return y * z * z; }, { argnums: 1 })(3, 5);`, 30],
  ["what does not depend on it", `export const value = grad((x: number): number => { let y = 0; ${TRY} return 4; })(3);`, 0],
  ["the caught branch", `export const value = grad((x: number): number => { let y = 0; ${TRY} return y * y + x; })(200);`, 1],
  ["an error of the user's", `const d = grad((x: number): number => { let y = 0; ${TRY} if (y < 0) throw new RangeError("negative"); return y * y; });
let met: unknown; try { d(-1); } catch (e) { met = e instanceof RangeError; }\nexport const value = [met, d(3)];`, [true, 6]],
  ["a thrown number", `export const value = grad((x: number): number => { try { throw x * x; } catch (e) { return (e as number); } })(3);`, 6],
  ["a number that a finally passes", `export const value = grad((x: number): number => { let z = 0; try { return x * x; } finally { z = x * 7; } })(3);`, 6],
  ["recursion, by a function called by name", `function power(x: number, n: number): number { try { return n === 0 ? 1 : x * power(x, n - 1); } finally { void 0; } }\nexport const value = grad(power)(2, 5);`, 80],
  ["functions of Math, remainders, powers", `export const value = grad((x: number): number => { let y = 0; ${TRY} return Math.max(y, 1) * Math.hypot(y, 0) + (y % 2) + y ** 3 + Math.atan2(0, y); })(3);`, 6 + 1 + 27],
  ["NaN", `export const value = grad((x: number): number => { let y = 0; ${TRY} return Math.sqrt(-y); })(3);`, NaN],
  ["an infinite slope", `export const value = grad((x: number): number => { let y = 0; ${TRY} return Math.sqrt(y); })(0);`, Infinity],
  ["a derivative inside, which is a constant to the outer one", `const inner = grad((x: number): number => { let y = 0; ${TRY} return y * y; });
const slope = inner(3);\nexport const value = grad((x: number): number => { let y = 0; ${TRY} return y * slope; })(5);`, 6],
  ["called many times", `const d = grad((x: number): number => { let y = 0; ${TRY} return y * y; });\nlet s = 0;\nfor (let k = 0; k < 100; k++) s += d(k);\nexport const value = s;`, 9900],
  ["more nodes than a chunk of the tape", `export const value = grad((x: number): number => { let y = 0; ${TRY} for (let k = 0; k < 600000; k++) y = y * 1 + 1; return y; })(3);`, 1],
  ["an argument that is not differentiated may be anything", `export const value = grad((x: number, _o: { a: number[] }): number => { let y = 0; ${TRY} return y * y; })(3, { a: [1] });`, 6],
];

describe("closed forms", () => {
  test.each(PROGRAMS)("%s", (_what, source, expected) => {
    expect(valueOf(source)).toEqual(expected);
  });
});

describe("what the types did not say throws", () => {
  test.each([
    ["an object as an argument", `[3], 3`],
    ["an object that a function of numbers meets", `3, { valueOf: () => 3 }`],
  ])("%s", (what, args) => {
    const source = `const d = grad((x: number, z: number): number => { let y = 0; ${TRY} return Math.sin(z) * y; });\nexport const value = (d as (...args: unknown[]) => unknown)(${args});`;
    expect(() => valueOf(source), what).toThrow(/^TSG0021/);
  });

  test("and a catch of the user's makes no number of it", () => {
    expect(() => valueOf(`const d = grad((x: number): number => { try { return Math.sin(x); } catch { return 0; } }) as (x: unknown) => number;\nexport const value = d([1]);`)).toThrow(/^TSG0021/);
  });

  test("a result that is no number", () => {
    expect(() => valueOf(`export const value = grad((x: number): number => { try { return "3" as unknown as number; } catch { return x; } })(3);`)).toThrow(/^TSG0013/);
  });
});

describe("what is not certain to know numbers only is left to the whole engine", () => {
  test.each([
    ["an argument that is no number", `export const d = grad((xs: number[]): number => { try { return 3; } catch { return 0; } });`],
    ["`any`", `export const d = grad((x: any): number => { try { return x * x; } catch { return 0; } });`],
    ["a call of a value", `export const d = grad((x: number, f: (x: number) => number): number => { try { return f(x); } catch { return 0; } });`],
    ["an operand that may be text", `export const d = grad((x: number, z: number | string): number => { try { return Math.abs(z as any) * x; } catch { return 0; } });`],
    ["a field", `export const d = grad((x: number, o: { k: number }): number => { try { return x * o.k; } catch { return 0; } });`],
    ["a promise", `export const d = grad(async (x: number): Promise<number> => x * x);`],
    ["a function of the program's that is no program of numbers", `const table = [1, 2];\nfunction f(x: number): number { return x * (table[1] ?? 0); }\nexport const d = grad((x: number): number => { try { return f(x); } catch { return 0; } });`],
  ])("%s", (_what, source) => {
    const text = built(source);
    expect(text).toMatch(/\$d\.grad\(/);
    expect(text).not.toMatch(/\$d\.gradOf\(/);
  });
});
