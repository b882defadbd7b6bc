// Calls whose results nobody reads: derivatives do without them if the callee has no effects, and
// make them if it has one. In: recursive functions, which are not inlined. Oracle: the statement.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const SILENT: Readonly<Record<string, string>> = {
  "reads its argument": "",
  "makes a list and fills it": "const own = [n, n]; own[0] = v[0]!; own.push(n);",
  "makes a record": "const own = { n, v }; own.n += v[1]!;",
  "loops over its argument": "let s = 0; for (const x of v) s += x; n -= s * 0;",
};
const HEARD: Readonly<Record<string, string>> = {
  "writes its argument": "v[1] = v[0]! * n;",
  "writes it under another name": "const w = v; w[1] = v[0]! * n;",
  "writes what holds it": "const own = { v }; own.v[1] = v[0]! * n;",
  "writes what the module holds": "log[0] = n;",
  "grows what the module holds": "log.push(n);",
  "calls what writes": "write(v);",
  throws: "if (v[1]! > 1e9) throw new RangeError(`${n}`);",
  prints: "console.log(n);",
  "draws a random number": "n -= Math.random() * 0;",
};
const bodies = [
  ...Object.entries(SILENT).map(([name, body]) => [name, body, false] as const),
  ...Object.entries(HEARD).map(([name, body]) => [name, body, true] as const),
];

it.each(bodies)("%s", (_name, body, isKept) => {
  const { edits, diagnostics } = analyse(
    programOf({
      "input.ts": `import { grad } from "tsgrad";
const log: number[] = [];
function write(v: number[]): void { if (v[0]! > 1e9) write(v); v[1] = 1; }
function callee(v: number[], n: number): number { if (n <= 0) return v[0]!; ${body} return callee(v, n - 1) + 1; }
export const g = grad((x: number): number => { const v = [3, 2]; callee(v, 3); return x * v[1]! + log.length * 0; });
`,
    }),
  );
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const emitted = [...edits.values()]
    .flat()
    .map(({ text }) => text)
    .join("\n");
  expect(emitted).toContain("g$grad");
  expect(emitted.includes("callee(v, 3)")).toBe(isKept);
});
