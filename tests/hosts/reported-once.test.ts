// A mistake in the call of a form is reported once, though TypeScript and tsgrad both see it. In:
// calls, each in a line of its own. Out: the one code that `tsgrad build` prints for the line.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { overlay } from "../../transformer/hosts/overlay.ts";
import { programOf, systemOf } from "../program.ts";

const CALLS: readonly (readonly [string, string])[] = [
  // ours says more
  ["grad(f(1, 2))", "TSG1026"],
  ["jvp(f(1, 2))", "TSG1026"],
  ["vmap(f(1, 2))", "TSG1026"],
  ["grad(list)", "TSG2003"],
  ["hessian(list)", "TSG2003"],
  ["grad(named)", "TSG2004"],
  ["grad(named, { argnums: 0 })", "TSG2004"],
  ["grad(f, { argnums: 4 })", "TSG1004"],
  ["grad(f, { argnums: [0, 4] })", "TSG1004"],
  ["grad(f, { argnums: n })", "TSG1003"],
  ['grad(f, { "argnums": "x" })', "TSG1003"],
  ["grad(f, { argnum: 1 })", "TSG1006"],
  ["grad(f, { hasAux: true })", "TSG2006"],
  ["grad(f, 3)", "TSG1003"],
  ["grad()", "TSG1007"],
  // TypeScript's says why
  ["grad(missing)", "TS2304"],
  ["grad((x: number) => missing(x))", "TS2304"],
  ["grad((x: number) => x.missing * 2)", "TS2339"],
];

const HEAD = `import { grad, jvp, hessian, vmap } from "tsgrad";
const f = (x: number, y: number): number => x * y;
const list = (xs: number[]): number[] => xs.map((x) => x * x);
const named = (name: string, x: number): number => name.length * x;
const n = Number("1");
`;

test("each mistake is reported once", () => {
  const lines = CALLS.map(([call], i) => `export const d${i} = ${call};\n`);
  const texts = { "a.ts": HEAD + lines.join("") };
  const { ts, program } = programOf(texts);
  const made = overlay(ts, analyse, program, systemOf(texts)).program;
  const first = HEAD.split("\n").length - 1;
  const found = made
    .getSemanticDiagnostics()
    .map(({ file, start, code }) => [
      CALLS[(file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0) - first]?.[0],
      `TS${code}`,
    ]);
  const calls = CALLS.map(([call]) => call);
  expect(found.toSorted((a, b) => calls.indexOf(a[0] ?? "") - calls.indexOf(b[0] ?? ""))).toEqual(
    CALLS,
  );
});
