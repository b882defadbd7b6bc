// Functions that are made from text (TSG8007). In: programs that hold and call one in many ways.
// Oracle: the derivative runs, and throws TSG0010 where there has to be a warning.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const F = "(x: number) => number";
const MAKERS = [
  `new Function("x", "return x * x") as ${F}`,
  `Function("x", "return x * x") as ${F}`,
  `new globalThis.Function("x", "return x * x") as ${F}`,
  `<${F}>new Function("x", "return x * x")`,
];
const EVALS = [
  `(0, eval)("(x) => x * x") as ${F}`,
  `globalThis.eval("(x) => x * x") as ${F}`,
  `eval("(x) => x * x") as ${F}`,
];

/** Ways to hold a function, and to call it. */
const HELD: Readonly<Record<string, (made: string) => Record<string, string>>> = {
  "a constant": (made) => ({ outer: `const t = ${made};`, body: "return t(x) + x;" }),
  "a variable": (made) => ({ outer: `let t: ${F}; t = ${made};`, body: "return t(x) + x;" }),
  "a field": (made) => ({ outer: `const o = { t: ${made} };`, body: "return o.t(x) + x;" }),
  "a static field": (made) => ({
    outer: `class C { static t = ${made}; }`,
    body: "return C.t(x) + x;",
  }),
  "a list": (made) => ({ outer: `const l = [${made}];`, body: "return l[0](x) + x;" }),
  "another module": (made) => ({
    outer: `import { t as s } from "./more.js";`,
    body: "return s(x) + x;",
    more: `export const t = ${made};`,
  }),
  "a namespace": (made) => ({
    outer: `import * as m from "./more.js";`,
    body: "return m.t(x) + x;",
    more: `export const t = ${made};`,
  }),
  "a callee": (made) => ({
    outer: `const t = ${made}; const u = (x: number): number => 2 * t(x);`,
    body: "return u(x) + x;",
  }),
};
/** Those that are inside of what is differentiated, where `eval` itself is an error. */
const INSIDE: Readonly<Record<string, (made: string) => Record<string, string>>> = {
  "a local": (made) => ({ outer: "", body: `const t = ${made}; return t(x) + x;` }),
  "no name": (made) => ({ outer: "", body: `return (${made})(x) + x;` }),
  "a function around it": (made) => ({
    outer: `function make() { const t = ${made}; return (x: number): number => t(x); }\nconst u = make();`,
    body: "return u(x) + x;",
  }),
};

const filesOf = (
  { outer = "", body = "", more = "" }: Record<string, string>,
  form = "grad(f)",
): Record<string, string> => ({
  "input.ts": `import { grad, jvp, stopGradient } from "tsgrad";\n${outer}\nfunction f(x: number): number { try { ${body} } finally { f.name; } }\nexport const run = (): unknown => ${form}(${form.startsWith("jvp") ? "[3], [1]" : "3"});\nexport { jvp, grad, stopGradient };\n`,
  ...(more === "" ? {} : { "more.ts": more }),
});

/** What the build says, and whether the derivative throws TSG0010. */
function outcome(files: Record<string, string>): { told: readonly string[]; throws: boolean } {
  const { edits, diagnostics } = analyse(programOf(files));
  const texts = new Map(
    Object.entries(files).map(([name, text]) => {
      const file = `/src/${name}`;
      return [file, applyEdits(file, text, edits.get(file) ?? []).text];
    }),
  );
  const { run } = loader(texts)("/src/input.ts");
  let throws = false;
  try {
    // a function of no arguments, as written above
    (run as () => unknown)();
  } catch (error) {
    throws = String(error).includes("TSG0010");
  }
  const told = diagnostics.map(({ code, span }) => {
    const [line = ""] = (files[span.file.slice("/src/".length)] ?? "")
      .slice(span.start)
      .split("\n");
    return `${code} ${line}`;
  });
  return { told, throws };
}

const HELD_VARIANTS = [...MAKERS, ...EVALS].flatMap((made) =>
  Object.entries(HELD).map(([way, parts]) => ({ way, made, parts })),
);
const INSIDE_VARIANTS = MAKERS.flatMap((made) =>
  Object.entries(INSIDE).map(([way, parts]) => ({ way, made, parts })),
);

describe("a derivative that will throw is announced", () => {
  test.each([...HELD_VARIANTS, ...INSIDE_VARIANTS])("$way: $made", ({ made, parts }) => {
    for (const form of ["grad(f)", "jvp(f)"]) {
      const { told, throws } = outcome(filesOf(parts(made), form));
      expect(throws).toBe(true);
      expect(told).toEqual([expect.stringMatching(/^TSG8007 .*(?:Function|eval)/)]);
    }
  });
});

describe("no warning", () => {
  const SHADOWED = `class Function { constructor(readonly a: string) {} }\nconst n = new Function("x").a.length;`;
  test.each<[string, Record<string, string>]>([
    ["of a constant", { outer: `const t = ${MAKERS[0]};`, body: "return t(2) * x;" }],
    [
      "of a stopped gradient",
      { outer: `const t = ${MAKERS[0]};`, body: "return t(stopGradient(x)) * x;" },
    ],
    [
      "of a function that is not called",
      { outer: `export const t = ${MAKERS[0]};`, body: "return x;" },
    ],
    ["of a class of that name", { outer: SHADOWED, body: "return x * n;" }],
    [
      "that is answered",
      {
        outer: `// tsgrad-ignore TSG8007\nconst t = ${MAKERS[0]};`,
        body: "return t(1 + n) * x;",
        more: "",
      },
    ],
  ])("%s", (_, parts) => {
    const outer = `const n: number = 1;\n${parts["outer"] ?? ""}`;
    const { told, throws } = outcome(
      filesOf({ ...parts, outer: parts["outer"] === SHADOWED ? SHADOWED : outer }),
    );
    expect([told, throws]).toEqual([[], false]);
  });
});
