// Stores at places that are no elements: before the first one, at a fraction, beyond the end. In:
// ways to compute the place. Out: gradients by both engines, pullbacks, tangents. Oracle: central
// differences of the same code; the gradient is as long as the argument. Blind to what is added to
// a place that is missing, which makes it NaN.

import { describe, expect, it } from "vitest";
import { variantsOf } from "./variants.ts";

const FIRST = "return a[0]! * x + a[1]!;";
/** Code of a function of `x`, `a`, which has three elements, and `k`. */
const CODE: Readonly<Record<string, string>> = {
  "a variable": `let at = -1; a[at] = x; ${FIRST}`,
  "a variable that is read": "let at = -1; a[at] = x; return a[at]! * x + a[0]! * a[0]!;",
  "a sum there": `let at = -1; a[at]! += x; ${FIRST}`,
  "a branch": `let at = -1; if (x > 100) at = 0; a[at] = x; ${FIRST}`,
  "a choice": `const at = x > 100 ? 0 : -1; a[at] = x; ${FIRST}`,
  "an index that is not found": `a[a.indexOf(77)] = x; ${FIRST}`,
  "an element that is not found": `a[a.findIndex((y) => y > 77)] = x * x; ${FIRST}`,
  "a search": `let at = -1; for (let i = 0; i < a.length; i++) if (a[i]! > 77) at = i; a[at] = x * x; ${FIRST}`,
  "a store in a search": `let at = -1; for (let i = 0; i < 3; i++) { if (a[i]! > 1) a[at] = x; at = i - 2; } ${FIRST}`,
  "a loop": `for (let i = -1; i < 2; i++) a[i] = x * (i + 2); ${FIRST}`,
  "a loop of products": `for (let i = -1; i < 2; i++) a[i]! *= x; ${FIRST}`,
  "a difference": `a[k - 5] = x; ${FIRST}`,
  "a negation": `a[-k] = x * 2; ${FIRST}`,
  "a quotient": `a[k / 7] = x * 2; ${FIRST}`,
  "a quotient and a sum": `a[k / 7 + 1] = x * 2; ${FIRST}`,
  "a helper": `put(a, k - 5, x); ${FIRST}`,
  "a helper, of a constant": `put(a, -1, x); ${FIRST}`,
  "a typed array": `const b = Float64Array.from(a); let at = -1; if (x > 100) at = 0; b[at] = x; return b[0]! * x + b[1]!;`,
  "a quotient of a typed array": `const b = Float64Array.from(a); b[k / 7] = x; return b[0]! * x + b[1]!;`,
  "an exchange": "const t = a[k]!; a[k] = a[0]!; a[0] = t; return x * x * a[1]!;",
  "counted up": "for (let i = 0; i < k; i++) a[i]! += 1; return a[0]! * a[1]! * x;",
  "counted up from an offset":
    "for (let i = 0; i < 2; i++) a[k + i] = x; return a[0]! * x * a[1]!;",
};

const programs = Object.fromEntries(
  Object.entries(CODE).map(([name, code]) => [
    name,
    `import { grad, jvp, vjp } from "tsgrad";
const put = (xs: number[], at: number, y: number): void => { xs[at] = y; };
void put;
export function f(x: number, a: number[], k: number): number { ${code} }
export const g = grad(f, { argnums: [0, 1] }), j = jvp(f), p = vjp(f);
export const d = grad(f, { argnums: [0, 1], engine: "delta" });`,
  ]),
);

type Call = (...args: readonly unknown[]) => unknown;
const A = [1.2, 0.7, 0.3];
const X = 1.3;
const STEP = 1e-5;

describe("a store at a place that is no element", () => {
  const variants = variantsOf(programs);
  it.each(Object.keys(CODE).flatMap((name) => [2, 3, 4, 9].map((k) => [name, k] as const)))(
    "%s, %i",
    (name, k) => {
      const { errors, exports } = variants(name);
      expect(errors).toEqual([]);
      const { f, g, d, j, p } = exports() as Readonly<Record<"f" | "g" | "d" | "j" | "p", Call>>;
      // how the value changes with x (at 0) and with each element
      const moved = (place: number, by: number): number =>
        Number(
          f(
            place === 0 ? X + by : X,
            A.map((y, i) => (i + 1 === place ? y + by : y)),
            k,
          ),
        );
      const slopes = [0, 1, 2, 3].map((place) =>
        expect.closeTo((moved(place, STEP) - moved(place, -STEP)) / (2 * STEP), 7),
      );
      const [ofX, ...ofA] = slopes;
      expect(g(X, [...A], k)).toEqual([ofX, ofA]);
      expect(d(X, [...A], k)).toEqual([ofX, ofA]);
      const [value, pull] = p(X, [...A], k) as readonly [number, (seed: number) => unknown[]];
      expect(value).toBe(moved(0, 0));
      expect(pull(1).slice(0, 2)).toEqual([ofX, ofA]);
      const tangents = slopes.map((_, place) =>
        (
          j(
            [X, [...A], k],
            [place === 0 ? 1 : 0, A.map((__, i) => (i + 1 === place ? 1 : 0)), 0],
          ) as number[]
        ).at(1),
      );
      expect(tangents).toEqual(slopes);
    },
  );
});
