// Plain code around a derivative that is taken in place. In: where a function keeps a number that the derivative captures, who assigns it, and who asks for derivatives of
// the function itself. Out: the value of a plain call, which is the same whoever asks.

import { expect, it } from "vitest";
import { variantsOf } from "../programs/variants.ts";

/** How x^1 is put into what `slope` reads: a declaration, the update, and the number. */
const PLACES: Readonly<Record<string, readonly [declared: string, update: string, read: string]>> =
  {
    "a variable": ["let total = 1;", "total *= x;", "total"],
    "a variable by its own value": ["let total = 1;", "total = total * x;", "total"],
    "a variable in a loop": ["let total = 1;", "for (let i = 0; i < 1; i++) total *= x;", "total"],
    "a variable in a branch": ["let total = 1;", "if (x > 0) { total *= x; }", "total"],
    "a var": ["var total = 1;", "total *= x;", "total"],
    "a variable that a closure assigns": [
      "let total = 1; const add = (): void => { total *= x; };",
      "add();",
      "total",
    ],
    "a variable that a declaration assigns": [
      "let total = 1; function add(y: number): void { total *= y; }",
      "add(x);",
      "total",
    ],
    "a destructured variable": ["let [total] = [1];", "total *= x;", "total"],
    "a field of a variable": ["let s = { total: 1 };", "s = { total: s.total * x };", "s.total"],
    "a field": ["const s = { total: 1 };", "s.total *= x;", "s.total"],
    "an element": ["const s = [1];", "s[0]! *= x;", "s[0]!"],
    "an element of a typed array": ["const s = new Float64Array([1]);", "s[0]! *= x;", "s[0]!"],
    "a Map's value": ["const s = new Map<string, number>();", 's.set("a", x);', 's.get("a")!'],
    "a field of an instance": [
      "class S { total = 1; } const s = new S();",
      "s.total *= x;",
      "s.total",
    ],
  };
const SLOPES: Readonly<Record<string, string>> = {
  grad: "grad((k: number) => k * k * READ)(2)",
  valueAndGrad: "valueAndGrad((k: number) => k * k * READ)(2)[1]",
  vjp: "vjp((k: number) => k * k * READ)(2)[1](1)[0]",
  jvp: "jvp((k: number) => k * k * READ)([2], [1])[1]",
  "grad of what may throw":
    "grad((k: number) => { try { return k * k * READ; } catch { return 0; } })(2)",
};
const OTHERS: Readonly<Record<string, string>> = {
  "nobody else": "",
  "a caller's gradient":
    "export const A = grad((x: number): number => { try { return f(x); } catch { return 0; } });",
  "its own gradient by Delta": 'export const A = grad(f, { engine: "delta" });',
  "a gradient of a list of functions":
    'export const A = grad((x: number): number => { let s = 0; for (const g of [f]) s += g(x); return s; }, { engine: "delta" });',
};
const cases = Object.keys(PLACES).flatMap((place) =>
  Object.keys(SLOPES).flatMap((form) =>
    Object.keys(OTHERS).map((other) => [place, form, other] as const),
  ),
);
const nameOf = (each: readonly string[]): string => each.join("; ");
const variants = variantsOf(
  Object.fromEntries(
    cases.map((each) => {
      const [declared, update, read] = PLACES[each[0]] ?? ["", "", ""];
      const slope = (SLOPES[each[1]] ?? "").replace("READ", read);
      return [
        nameOf(each),
        `import { grad, jvp, valueAndGrad, vjp } from "tsgrad";
export function f(x: number): number { ${declared} ${update} const slope = ${slope}; return ${read} + slope; }
export const safe = (x: number): number => { try { return f(x); } catch { return 0; } };
${OTHERS[each[2]] ?? ""}`,
      ];
    }),
  ),
);

// the slope of k k x at k = 2 is 4 x
it.each(cases)("%s, %s, %s", (...each) => {
  const { errors, exports } = variants(nameOf(each));
  expect(errors).toEqual([]);
  const { f, safe } = exports() as Record<"f" | "safe", (x: number) => number>;
  expect([f(3), safe(3), f(2)]).toEqual([15, 15, 10]);
});
