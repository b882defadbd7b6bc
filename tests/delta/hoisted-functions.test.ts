// Functions that are declared behind what hands them on. In: places of such a declaration, with and
// without semicolons. Oracle: f(x) = 3 x², whose derivative at 2 is 12. What is linked too late has
// no derivative.

import { expect, test } from "vitest";
import { built } from "../nested/compiled.ts";

/** `try` leaves it to the Delta engine. */
const AT = "function at(x: number): number { try { return 3 * x * x; } catch { return 0; } }";
const D = "export const d = grad((x: number): number => f(x));";

const PLACES: Readonly<Record<string, string>> = {
  "behind a return": `const make = () => { return at; ${AT} }; const f = make(); ${D}`,
  "in a function declaration": `function make() { return { at }; ${AT} } const f = make().at; ${D}`,
  "behind a directive": `function make() { "use strict"; return at; ${AT} } const f = make(); ${D}`,
  "in a branch": `function make(k: number) { if (k > 0) { return at; ${AT} } return Math.sin; } const f = make(1); ${D}`,
  "in a case": `function make(k: number) { switch (k) { case 1: { return at; ${AT} } default: return Math.sin; } } const f = make(1); ${D}`,
  "two, one of which calls the other": `function make() { const out = [at, other]; return out; ${AT} function other(x: number): number { return at(x) + 1; } } const f = make()[1]!; ${D}`,
  "at the end of the module": `const fs = [at]; const f = fs[0]!; ${D} export const early = d(2); ${AT}`,
  "first of the module": `${AT} const fs = [at]; const f = fs[0]!; ${D}`,
  "a comment before it": `/** Doc. */ ${AT} const fs = [at]; const f = fs[0]!; ${D}`,
};

test.each(Object.entries(PLACES))("%s", (_, code) => {
  const text = `import { grad } from "tsgrad"; ${code}`;
  const lines = text.replace(/; (?!catch)/gu, ";\n");
  for (const written of [text, lines, lines.replace(/;$/gmu, "")]) {
    const { exports } = built(written);
    const d = exports["d"] as (x: number) => number;
    expect([d(2), d(2), exports["early"] ?? 12]).toEqual([12, 12, 12]);
  }
});
