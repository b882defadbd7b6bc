// Which arguments a function is said to write (TSG8003). In: functions of rows and of matrices. Out: whether there is a warning. Oracle: each function is run, and its argument compared with what it was.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

/** Bodies of `(xs: Row[]) => number`. */
const BODIES: Readonly<Record<string, string>> = {
  "sorts a copy": "return [...xs].sort((p, q) => p.v - q.v).reduce((s, e, i) => s + e.v * i, 0);",
  "sorts a slice": "return xs.slice().sort((p, q) => p.v - q.v)[0].v;",
  sorts: "return xs.sort((p, q) => p.v - q.v).reduce((s, e, i) => s + e.v * i, 0);",
  "exchanges rows of a copy":
    "const c = xs.map((row) => row); [c[0], c[1]] = [c[1], c[0]]; return c[0].v;",
  "writes a row of a copy": "const c = [...xs]; c[0].v *= 2; return c[1].v * c[0].v;",
  "fills a list of its own with rows":
    "const c: Row[] = []; for (const row of xs) if (row.v > 1) c.push(row); c.pop(); return c.reduce((s, row) => s + row.v, 0);",
  "takes a row off": "const last = xs.pop(); return last === undefined ? 0 : last.v * xs.length;",
  "lets a helper write a copy":
    "const first = (c: Row[]): number => { c[0] = c[1]; return c[0].v; }; return first([...xs]);",
  "lets a helper write a row":
    "const first = (row: Row): number => { row.v += 1; return row.v; }; return first([...xs][0]);",
  "gives back what it got or a list of its own that it has filled":
    "const either = (c: Row[]): Row[] => { if (c.length < 3) return c; const own: Row[] = []; for (const row of c) own.push(row); return own; }; return either(xs).length * either(xs)[0].v;",
  "merges sorted halves":
    "const sorted = (c: Row[]): Row[] => { if (c.length < 2) return c; const l = sorted(c.slice(0, 1)), r = sorted(c.slice(1)), own: Row[] = []; while (l.length + r.length > own.length) own.push(own.length % 2 === 0 ? l[0] : r[0]); return own; }; return sorted(xs).reduce((s, row, i) => s + row.v * i, 0);",
  "writes either its argument or a list of its own":
    "const own = [{ v: 1 }, ...xs]; const either = xs[0].v > 2 ? xs : own; either[1] = { v: 5 }; return xs[1].v + own[1].v;",
  "writes a row that a list of its own holds":
    "const own: Row[][] = []; own.push(xs); const [first] = own; first[0] = { v: 7 }; return xs[0].v;",
  "lets a recursion write a row":
    "const down = (k: number): void => { if (k < 0) return; xs[k].v *= 2; down(k - 1); }; down(1); return xs[0].v;",
  "keeps rows in a record of its own":
    "const kept = { row: xs[0] }; kept.row = xs[1]; return kept.row.v;",
};

/** Bodies of `(xs: number[][]) => number`. */
const MATRICES: Readonly<Record<string, string>> = {
  "steps from buffer to buffer":
    "let u = xs; for (let k = 0; k < 2; k++) { const next = u.map((row) => row.slice()); next[1][0] = u[0][0] + u[1][1]; u = next; } return u[1][0];",
  "steps by rows that are spread":
    "let u = xs; for (let k = 0; k < 2; k++) { const next = u.map((row) => [...row, 0]); next[0][0] *= 2; u = next; } return u[0][0];",
  "steps in a copy of the list alone":
    "let u = xs; for (let k = 0; k < 2; k++) { const next = u.slice(); next[1][0] = u[0][0] + 1; u = next; } return u[1][0];",
  "keeps its numbers in a list of its own":
    "const own: number[] = []; for (const row of xs) for (const x of row) own.push(x); own[0] = 5; return own[0] * own[1];",
  "keeps its rows in a list of its own":
    "const own: number[][] = []; for (const row of xs) own.push(row); own[0][1] = 5; return xs[0][1];",
  "spreads a row into it": "xs.push([...xs[0]]); return xs[2][0];",
  clones: "const own = structuredClone(xs); own[0][0] = 2; return own[0][0] * xs[0][0];",
};

const ROWS = [[{ v: 3 }, { v: 1 }, { v: 2 }]] as const;
const MATRIX = [
  [
    [3, 1],
    [2, 4],
  ],
] as const;
const cases = [
  ...Object.entries(BODIES).map(([name, body]) => ({ name, body, type: "Row[]", args: ROWS })),
  ...Object.entries(MATRICES).map(([name, body]) => ({
    name,
    body,
    type: "number[][]",
    args: MATRIX,
  })),
];

it.each(cases)("$name", ({ body, type, args }) => {
  const text = `import { grad } from "tsgrad";\nexport interface Row { v: number }\nexport function f(xs: ${type}): number { ${body} }\nexport const d = grad(f);\n`;
  const { f } = loader(new Map([["/src/a.ts", text.replace("grad(f)", "0")]]))("/src/a.ts");
  if (typeof f !== "function") throw new Error("no function");
  const given: readonly unknown[] = structuredClone(args);
  f(...given);
  const isWritten = JSON.stringify(given) !== JSON.stringify(args);
  expect(analyse(programOf({ "/src/a.ts": text })).diagnostics.map(({ code }) => code)).toEqual(
    isWritten ? ["TSG8003"] : [],
  );
});
