// Objects that an assertion calls numbers. In: small programs. Out: their derivatives where operators ask the objects for numbers; elsewhere an error, never a 0.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad } from "tsgrad";
class Money { readonly amount: number; constructor(amount: number) { this.amount = amount; } valueOf(): number { return this.amount; } }
const money = (x: number): number => new Money(x * x) as unknown as number;
`;

/** The gradient of a function of one number, by its body, or the code of what the compiler says. */
function gradient(body: string, options: string): unknown {
  const source = `${HEAD}const f = (x: number): number => { ${body} };\nexport const value = grad(f${options})(3);\n`;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": source }));
  if (diagnostics.length > 0) throw new Error(diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  return loader(new Map([["/src/input.ts", applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []).text]]))("/src/input.ts")["value"];
}

const ENGINES = ["", `, { engine: "delta" }`];
const MADE = "(new Money(x * x) as unknown as number)";

describe.each(ENGINES)("engine%s", (options) => {
  test.each([
    [`return ${MADE} * 2;`, 12],
    [`const m = ${MADE}; return m * 2 + m;`, 18],
    [`let m = ${MADE}; m = ${MADE}; return -m;`, -6],
    [`return Math.max(${MADE}, 1) + Number(${MADE});`, 12],
    [`return [x, x * x].map((each) => ((each as unknown) as number) * 2)[1]!;`, 12],
    [`const xs: unknown = [x * x]; return (xs as unknown as number[])[0]!;`, 6],
  ])("%s", (body, expected) => {
    expect(gradient(body, options)).toBe(expected);
  });

  test.each([
    `return ${MADE};`,
    `const m = ${MADE}; return m;`,
    `return [x].map((each) => new Money(each * each) as unknown as number)[0]! * 2;`,
    `const all = [${MADE}]; return all[0]! * 2;`,
    `const all: number[] = []; all.push(${MADE}); return all[0]! * 2;`,
    `const o = { a: ${MADE} }; return o.a * 2;`,
    `const twice = (m: number): number => m * 2; return twice(${MADE});`,
    `let m = 0; m = ${MADE}; return m * 2;`,
    `const m = x > 0 ? ${MADE} : x; return m * 2;`,
    `const [m] = [${MADE}]; return m! * 2;`,
    `const number = <T>(each: T): number => each as unknown as number; return number(new Money(x * x)) * 2;`,
    "return money(x) * 2;",
  ])("%s", (body) => {
    expect(() => gradient(body, options)).toThrow(/^TSG0021: an object that is asserted to be a number/);
  });

  test.each([
    "const all = [new Money(x * x)] as unknown as number[]; return all[0]! * 2;",
    "const o = { a: new Money(x * x) } as unknown as { a: number }; return o.a * 2;",
    "const o = { all: [new Money(x * x)] } as unknown as { all: number[] }; return o.all[0]! * 2;",
  ])("%s", (body) => {
    expect(() => gradient(body, options)).toThrow(/^TSG\d+ .*assertion `/);
  });
});
