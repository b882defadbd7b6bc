// Typed arrays that may share a buffer are refused: what is written through one of them would change the other unseen.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const codesOf = (head: string, body: string): readonly string[] => {
  const source = `import { grad } from "tsgrad";\n${head}\nfunction f(x: number): number {\n${body}\n}\nexport const g = grad(f);\n`;
  return analyse(programOf({ "main.ts": source }), { engine: "static" })
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);
};

test.each([
  [
    "two views of the module",
    "const b = new ArrayBuffer(8);\nconst p = new Float64Array(b);\nconst q = new Float64Array(b);",
    "p[0] = x; return q[0] * x;",
    ["TSG1206"],
  ],
  [
    "a view of another array's buffer",
    "const p = new Float64Array(2);\nconst q = new Float64Array(p.buffer);",
    "p[0] = x; return q[0] * x;",
    ["TSG1206"],
  ],
  [
    "a view made inside",
    "",
    "const p = new Float64Array(1); const q = new Float64Array(p.buffer as ArrayBuffer, 0, 1); p[0] = x; return q[0];",
    ["TSG1206"],
  ],
  ["an array of a length", "const p = new Float64Array(2);", "p[0] = x; return p[0] * x;", []],
  ["an array of numbers", "const p = new Float64Array([1, 2]);", "return p[1] * x;", []],
])("%s", (_name, head, body, codes) => {
  expect(codesOf(head, body)).toEqual(codes);
});
