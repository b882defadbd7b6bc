// Shipped derivatives are first derivatives, in reverse mode. In: a package that ships `f$revf` and
// `f$revr`, and whose source cannot be read. Out: other modes are TSG1017 at the call, alone, and no
// failure. Where there is source, it is followed: every-form.test.ts.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const PACKAGE = {
  "/src/node_modules/mylib/package.json": JSON.stringify({
    name: "mylib",
    version: "1.0.0",
    type: "module",
    main: "index.js",
    types: "index.d.ts",
  }),
  "/src/node_modules/mylib/index.d.ts": `export declare function softplus(x: number): number;
export declare const softplus$shipped = "tsgrad 1";
export declare function softplus$revf(x: number): [softplus: number, x: number];
export declare function softplus$revr(bog: [softplus: number, x: number], softplus$bar: number): number;
`,
};

const MODES: readonly (readonly [request: string, codes: readonly string[]])[] = [
  ["grad(f)", []],
  ["valueAndGrad(f)", []],
  ["vjp(f)", []],
  ["jacrev(f)", []],
  ["grad(softplus)", []],
  ["jvp(f)", ["TSG1017"]],
  ["linearize(f)", ["TSG1017"]],
  ["jacfwd(f)", ["TSG1017"]],
  ["hvp(f)", ["TSG1017"]],
  ["hessian(f)", ["TSG1017"]],
  ["grad(grad(f))", ["TSG1017"]],
  ["jvp(grad(f))", ["TSG1017"]],
  ["hvp(softplus)", ["TSG1017"]],
];

test.each(MODES)("%s", (request, codes) => {
  const forms = ["grad", "valueAndGrad", "vjp", "jacrev", "jvp", "linearize", "jacfwd", "hvp"];
  const text = `import { ${[...forms, "hessian"].join(", ")} } from "tsgrad";
import { softplus } from "mylib";
export const f = (x: number): number => softplus(x) * x;
export const made = ${request};
`;
  const { diagnostics } = analyse(programOf({ ...PACKAGE, "a.ts": text }));
  expect(diagnostics.map(({ code }) => code)).toEqual(codes);
});
