// Remedies of mistakes in calls of forms: they name what the user can write. In: a call and its
// function. Out: what the message has to say.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const said = (call: string): string =>
  analyse(
    programOf({
      "a.ts": `import { grad, hessian, jacrev, vmap } from "tsgrad";
const f = (x: number, y: number): number => x * y;
const text = (x: number): string => \`\${x}\`;
const flag = (x: number): boolean => x > 1;
const list = (xs: number[]): number[] => xs.map((x) => x * x);
// @ts-expect-error: a mistake
export const d = ${call};
`,
    }),
  )
    .diagnostics.map(({ code, message, help }) => `${code} ${message} ${help ?? ""}`)
    .join("\n");

test.each([
  ['grad(f, { argnums: "y" })', "TSG1003", "`argnums: [0, 2]`"],
  ['grad(f, { engine: "fast" })', "TSG1003", '`engine: "static"` or `engine: "delta"`'],
  ['grad(f, { debug: "all" })', "TSG1003", '`debug: "nan"`'],
  ["grad(f, { hasAux: 1 })", "TSG1003", "`hasAux: true` or `hasAux: false`"],
  ["grad(f, 2, 3)", "TSG1003", "`grad(f)(x, y)`"],
  ["grad(f, { argnum: 1 })", "TSG1006", "did you mean `argnums`?"],
  ['grad(f, { wrt: "y" })', "TSG1006", "did you mean `argnums`?"],
  ["grad(f, { has_aux: true })", "TSG1006", "the options are"],
  ["hessian(list)", "TSG2003", "`jacrev(list)` or `jacfwd(list)`"],
  ["grad(list)", "TSG2003", "`jacrev(list)` or `jacfwd(list)`"],
])("%s: %s says %s", (call, code, remedy) => {
  expect(said(call)).toContain(code);
  expect(said(call)).toContain(remedy);
});

test.each(["text", "flag"])("no form differentiates %s", (name) => {
  expect(said(`grad(${name})`)).toContain("TSG2003");
  expect(said(`grad(${name})`)).not.toContain("jacrev");
});
