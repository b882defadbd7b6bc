// Objects of a module that have several names there, or stand in lists of it: who writes one and reads another has its derivative, or an error of the run. In: bodies of functions of x that write 3x
// (or x) by one name and read it by another. Out: the derivative where the one name stands for the other, TSG0004 when another derivative of the static engine runs, the derivative, 3, of the Delta engine, and no warning that it is zero.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const HEAD = `import { grad } from "tsgrad";
const list = [{ v: 1 }, { v: 2 }], first = list[0]!, byId = new Map(list.map((q, i) => [i, q])), named: Record<string, { v: number }> = { a: first };
const row = [1, 2], mat = [row, [3, 4]], book = { pages: [{ lines: row }] }, views = new Float64Array(4), middle = views.subarray(1, 3), end = views.subarray(3);
const base = { n: 0, l: [0, 0] }, alias = base;
class Kept { static readonly all: Kept[] = []; v = 0; constructor() { Kept.all.push(this); } }
const kept = new Kept();
const pairs: [number[], { "a-b": number[] }][] = [[row, { "a-b": row }]];
`;

function ran(
  body: string,
  engine: "static" | "delta",
): { readonly codes: readonly string[]; readonly run: () => unknown } {
  const text = `${HEAD}function f(x: number): number { ${body} }\nexport const run = (): number => grad(f, { engine: "${engine}" })(2);\n`;
  const { edits, diagnostics } = analyse(programOf({ "a.ts": text }));
  const run = loader(
    new Map([["/src/a.ts", applyEdits("/src/a.ts", text, edits.get("/src/a.ts") ?? []).text]]),
  )("/src/a.ts")["run"];
  return {
    codes: diagnostics.map(({ code }) => code),
    run: () => (typeof run === "function" ? run() : null),
  };
}

describe.each<[string, string]>([
  ["an element of a list that has a name", "first.v = 3 * x; return list[0]!.v;"],
  ["the other way round", "for (const each of list) each.v = x; return first.v + 2 * list[1]!.v;"],
  ["a copy of a list", "const s = list.slice(0, 1); s[0]!.v = 3 * x; return first.v;"],
  ["a Map of what is in a list", "byId.get(0)!.v = 3 * x; return list[0]!.v;"],
  ["a dictionary", "named['a']!.v = 3 * x; return first.v;"],
  ["a row", "row[0] = 3 * x; return mat[0]![0]!;"],
  ["fields of elements", "row[0] = 3 * x; return book.pages[0]!.lines[0]!;"],
  ["fields of elements, and elements", "mat[0]![0] = 3 * x; return book.pages[0]!.lines[0]!;"],
  ["a view of a buffer", "middle[0] = 3 * x; return views[1]!;"],
  ["what a constructor keeps", "kept.v = 3 * x; return Kept.all[0]!.v;"],
  ["tuples in a list", "row[0] = 3 * x; return pairs[0]![0][0]!;"],
  ["names that are no words", 'row[0] = 3 * x; return pairs[0]![1]["a-b"][0]!;'],
])("%s", (_, body) => {
  test("throws, and is no zero", () => {
    const { codes, run } = ran(body, "static");
    expect(codes).toEqual([]);
    expect(run).toThrow(
      /^TSG0004: .* (?:are the same object|share memory), and the function writes it/,
    );
  });
  test("is known to the Delta engine", () => {
    expect(ran(body, "delta").run()).toBe(3);
  });
});

test.each<[string, string]>([
  ["two names", "alias.n = 3 * x; return base.n;"],
  [
    "two names of which one is read in between",
    "base.l[0] = x; const before = alias.l[0]!; alias.l[0] = 2 * x; return base.l[0]! + before;",
  ],
  ["elements that have no other name", "list[1]!.v = 3 * x; return list[1]!.v;"],
  ["views that do not overlap", "end[0] = 3 * x; return end[0]! + 0 * middle[0]!;"],
])("%s", (_, body) => {
  const { codes, run } = ran(body, "static");
  expect([codes, run()]).toEqual([[], 3]);
});
