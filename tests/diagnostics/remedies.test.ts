// Remedies of mistakes in calls of forms: they name what the user can write. In: a call and its
// function. Out: what the message has to say.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const said = (call: string): string =>
  analyse(
    programOf({
      "a.ts": `import * as ad from "tsgrad";
import { grad, hessian, jacrev } from "tsgrad";
import { checkGrads } from "tsgrad/testing";
const f = (x: number, y: number): number => x * y;
const text = (x: number): string => \`\${x}\`;
const flag = (x: number): boolean => x > 1;
const list = (xs: number[]): number[] => xs.map((x) => x * x);
const size = f(2, 3);
declare const either: number | ((x: number) => number);
declare const maybe: ((x: number) => number) | undefined;
declare const unknown: unknown;
declare const any: any;
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

/** What was meant by a form of `f(2, 3)`. */
const MEANT: Readonly<Record<string, string>> = {
  jvp: "jvp(f)([2, 3], tangents)",
  hvp: "hvp(f)([2, 3], tangent)",
  vmap: "vmap(f)([2], [3])",
  checkGrads: "checkGrads(f, [2, 3])",
  differentiable: "differentiable(f)",
};
const FORMS = ["grad", "valueAndGrad", "vjp", "linearize", "jacfwd", "jacrev", "hessian", "delta"];

describe.each([...FORMS, "transpose", "checkpoint", ...Object.keys(MEANT)])("%s", (form) => {
  const called = form === "checkGrads" ? form : `ad.${form}`;
  const meant = `write \`${MEANT[form] ?? `${form}(f)(2, 3)`}\``;

  test.each([
    ["a result", `${called}(f(2, 3))`, "`f(2, 3)` is the result of `f`, of type `number`", meant],
    ["a list", `${called}(list([1]))`, "of type `number[]`", `${form}(list`],
    ["in parentheses", `${called}((f(2, 3)))`, "`f(2, 3)` is the result of `f`", meant],
    ["a number", `${called}(size)`, "`size` is of type `number`", `write \`${form}(f)`],
    ["a string", `${called}("f")`, '`"f"` is of type `"f"`', `write \`${form}(f)`],
    [
      "in a differentiated function",
      `grad((x: number): number => x * ${called}(f(2, 3)))`,
      "`f(2, 3)` is the result of `f`",
      meant,
    ],
  ])("takes a function, not %s", (_what, call, fact, remedy) => {
    const lines = said(call).split("\n");
    // a function that is differentiated may not hold these at all
    const isRefused = call !== `${called}(f(2, 3))` && /^delta$|^checkGrads$/.test(form);
    expect(lines.length).toBeLessThanOrEqual(isRefused ? 2 : 1);
    expect(lines[0]).toContain(`TSG1026 \`${form}\` takes a function, but `);
    expect(lines[0]).toContain(fact);
    expect(lines[0]).toContain(remedy);
  });

  test.each(["f", "unknown", "either", "maybe!", "(f)", "any", "Reflect.get(f, 'x')"])(
    "takes %s, which may be a function",
    (given) => {
      expect(said(`${called}(${given})`)).not.toContain("TSG1026");
    },
  );
});
