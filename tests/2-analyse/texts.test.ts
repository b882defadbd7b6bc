// Texts behind calls that are not inlined. In: functions of a number. Out: what is refused: a number that comes back out of a text made of the argument
// has no derivative that could be written, and a text that only names things does not matter.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const HELPERS = `
interface Item { s: string; w: number }
function parsed(text: string, times: number): number { return times <= 0 ? Number(text) : parsed(text, times - 1); }
function itemValue(item: Item, times: number): number { return times <= 0 ? Number(item.s) + item.w : itemValue(item, times - 1); }
function firstValue(list: { t: string[]; w: number }, times: number): number { return times <= 0 ? parseFloat(list.t[0]) * list.w : firstValue(list, times - 1); }
function made(x: number, times: number): Item { return times <= 0 ? { s: String(x), w: x } : made(x * 2, times - 1); }
function checked(x: number, label: string, times: number): number { if (x < 0) throw new Error(label); return times <= 0 ? x : checked(x * x, label, times - 1); }
function weight(item: Item, times: number): number { return times <= 0 ? item.w * item.s.length : weight({ s: item.s + "a", w: item.w * 2 }, times - 1); }
`;

it.each([
  ["a text", "return parsed(String(x), 3) * x;", "parsed(String(x), 3)"],
  [
    "a text in a record",
    `const item: Item = { s: "1", w: x }; item.s = String(x); return itemValue(item, 3) * x;`,
    "itemValue(item, 3)",
  ],
  [
    "a text in a list",
    "const t: string[] = []; t.push(x.toString()); return firstValue({ t, w: x }, 2);",
    "firstValue({ t, w: x }, 2)",
  ],
  [
    "a text in a result",
    "const item = made(x, 2); return Number(item.s) * item.w;",
    "Number(item.s)",
  ],
  ["a label", "return checked(x, `at ${x}`, 2);", null],
  ["a text in an argument", `return weight({ s: "ab", w: x }, 2);`, null],
])("%s", (_, body, refused) => {
  const text = `import { grad } from "tsgrad";\n${HELPERS}export const d = grad((x: number): number => { ${body} }, { engine: "static" });\n`;
  const errors = analyse(programOf({ "/src/a.ts": text })).diagnostics.filter(
    ({ severity }) => severity === "error",
  );
  expect(errors.map(({ code, span }) => `${code} ${text.slice(span.start, span.end)}`)).toEqual(
    refused === null ? [] : [`TSG3001 ${refused}`],
  );
});

// keys stand on a tape beside shadows, which vary
it.each([
  ["a Map of its own", "new Map<string, number>()"],
  ["the Map that came in", "g"],
])("keys that rounds leave for the second derivative: %s", (_, first) => {
  const text = `import { hvp } from "tsgrad";
function table(g: Map<string, number>, k: number): Map<string, number> {
  let rank = ${first};
  for (let i = 0; i < 3; i++) {
    const next = new Map<string, number>();
    for (const [key, x] of g) next.set(key, (rank.get(key) ?? 1) * k * x);
    rank = next;
  }
  return rank;
}
function f(g: Map<string, number>, k: number): number { let s = 0; for (const v of table(g, k).values()) s += v * v; return s; }
export const d = hvp(f, { argnums: [0, 1], engine: "static" });\n`;
  expect(analyse(programOf({ "/src/a.ts": text })).diagnostics.map(({ code }) => code)).toEqual([]);
});
