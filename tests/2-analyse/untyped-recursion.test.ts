// Recursive data whose type has no name, since it is stored as `any`
// (2-analyse/memory/points-to.ts). In: containers × builders that call themselves. Oracle: the
// closed form of the sum.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

/** The type of what holds the child `c`, the holder, and how it is read. */
const HOLDERS: Readonly<Record<string, readonly [type: string, made: string, read: string]>> = {
  "an array": ["any[]", "[c]", "t.kids[0]"],
  "an array of unknown": ["unknown[]", "[c]", "(t.kids[0] as Tree)"],
  "a field": ["any", "c", "t.kids"],
  "a record": ["{ a: any }", "{ a: c }", "t.kids.a"],
  "a dictionary": ["Record<string, any>", "{ a: c }", `t.kids["a"]`],
  "a Map": ["Map<string, any>", `new Map([["a", c as any]])`, `t.kids.get("a")`],
  "a tuple": ["[any, number]", "[c, 1]", "t.kids[0]"],
  "nested arrays": ["any[][]", "[[c]]", "t.kids[0]![0]"],
  object: ["object", "[c]", "(t.kids as Tree[])[0]!"],
};

test.each(Object.entries(HOLDERS))("%s", (_, [type, made, read]) => {
  const tree = `{ v: number; n: number; kids: ${type} }`; // an alias would be a name
  const source = `import { grad } from "tsgrad";
export const f = (v: number): number => {
  const tree = (n: number, v: number): ${tree} => { const c: any = n === 0 ? undefined : tree(n - 1, 2 * v); return { v, n, kids: ${made} }; };
  const sum = (t: ${tree}): number => t.v * t.v + (t.n === 0 ? 0 : sum(${read.replace("Tree", tree)}));
  return sum(tree(3, v));
};
export const g = grad(f);
`;
  const { edits, diagnostics } = analyse(programOf({ "p.ts": source }));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const text = applyEdits("/src/p.ts", source, edits.get("/src/p.ts") ?? []).text;
  const { f, g } = loader(new Map([["/src/p.ts", text]]))("/src/p.ts") as Record<
    "f" | "g",
    (v: number) => number
  >;
  for (const v of [1.5, 0, 1.5]) {
    expect(f(v)).toBe(85 * v * v); // 1 + 4 + 16 + 64, exact in doubles
    expect(g(v)).toBe(170 * v);
  }
});
