// What `tsgrad explain` says of array programs: fixtures/explain/<name>.txt.

import { expect, test } from "vitest";
import { explain } from "../../transformer/explain.ts";
import { expectFile } from "../golden.ts";
import { programOf } from "../program.ts";

const TEXT = `import { grad } from "tsgrad";
import { build, dot, map2, prod, sum } from "tsgrad/vector";

function geometric(a: number[]): number {
  return Math.exp(sum(map2((x, y) => Math.log(x) * y, a, a)));
}

function spread(w: number[], rows: number[][]): number {
  return sum(rows.map((row) => dot(w, row))) * prod(w);
}

function built(x: number, n: number): number {
  return sum(build(n, (i) => x ** i));
}

export const gradients = [grad(geometric), grad(spread), grad(built)];
`;

const host = programOf({ "arrays.ts": TEXT });

test.each(["geometric", "spread", "built"])("%s", (name) => {
  expectFile(`fixtures/explain/${name}.txt`, `${explain(host, "/src/arrays.ts", name)}\n`);
});

test("nothing of arrays where tsgrad/vector is not used", () => {
  const plain = programOf({
    "a.ts": "export function square(x: number): number { return x * x; }",
  });
  expect(explain(plain, "/src/a.ts", "square")).not.toContain("array");
});
