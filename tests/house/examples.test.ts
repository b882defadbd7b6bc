// The examples of README.md and docs/ hold. Each `ts` block is a module, or goes on with the block
// before it where it begins without an import. It is built with tsgrad, its emitted code is
// type-checked, and it runs. What stands in a trailing comment behind a statement is checked:
// - `// value` behind an expression, behind `console.log(…)` of one, or behind a `const` of one name,
//   is its value: numbers exactly, or by the digits shown where they end in `…`; prose may follow
//   behind a comma or a colon; indented comment lines below go on with it, as a text;
// - `// TSG1009` or `// TS2345` is what the build, or TypeScript, reports in this line; there is
//   nothing else that they report;
// - `// throws TSG0004`, `// throws "text"`: an error of the run, with this in its message.
// An example without a check fails, and so does an expression whose value is not undefined and that
// no comment states.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import * as runtime from "../../runtime/index.ts";
import { root } from "../golden.ts";
import { apiExamples } from "../../scripts/api.ts";
import { documentsOf } from "../../scripts/documents.ts";
import { examplesOf, faultsOf } from "./examples.ts";

const FORMS = "docs/forms";
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");
const forms = readdirSync(path.join(root, FORMS)).sort();
// Its pieces of code are lines of fixtures/errors, which tests/diagnostics compiles.
const DIAGNOSTICS = "docs/diagnostics.md";
const pages = documentsOf(root).filter((name) => name !== DIAGNOSTICS);
/** Pages whose readers come for examples. */
const mustShow = (page: string): boolean =>
  /^docs\/(?:forms|guide|coming-from)\//.test(page) && !page.endsWith("/how-it-works.md");

describe.each(pages)("%s", (page) => {
  const examples = examplesOf(read(page));
  it("has examples where it should", () => {
    if (mustShow(page)) expect(examples.length).toBeGreaterThan(0);
  });
  it.each(examples)("line $line", ({ code, declarations }) => {
    const faults = faultsOf(code, declarations);
    expect(faults, faults.join("\n")).toEqual([]);
  });
});

describe("docstrings", () => {
  it.each(apiExamples(root))("$name", ({ code }) => {
    const faults = faultsOf(code);
    expect(faults, faults.join("\n")).toEqual([]);
  });
});

it("each form has a page, and the reference a link to it", () => {
  // what is exported and not a form, and is on the page of one
  const others = ["LinearMap", "addCotangents", "scaleCotangent"];
  const names = Object.keys(runtime)
    .filter((name) => !others.includes(name))
    .sort();
  expect(forms.map((name) => name.replace(".md", ""))).toEqual(expect.arrayContaining(names));
  const reference = read("docs/reference.md");
  expect(forms.filter((page) => !reference.includes(`](forms/${page})`))).toEqual([]);
});

describe("the check itself", () => {
  const square = `import { grad } from "tsgrad";\nconst square = (x: number): number => x * x;\n`;
  it.each([
    ["a wrong value", `${square}grad(square)(3); // 7\n`, /it is 6/],
    ["wrong digits", `${square}grad(square)(3.05); // 6.2…\n`, /it is 6\.1/],
    ["the sign of zero", `${square}grad(square)(0); // -0\n`, /it is 0/],
    ["a wrong shape", `${square}[grad(square)(3)]; // { x: 6 }\n`, /it is \[6\]/],
    ["a value that nobody states", `${square}grad(square)(3);\n`, /nobody says/],
    ["no check", `${square}export const d = grad(square);\n`, /no check/],
    ["prose for a value", `${square}grad(square)(3); // six\n`, /no value/],
    ["no error", `${square}grad(square)(3); // throws "x"\n`, /throws nothing/],
    [
      "no diagnostic",
      `${square}export const d = grad(square); // TSG1009\n`,
      /there is no TSG1009/,
    ],
    [
      "a diagnostic of which nothing is said",
      `${square}grad(square, { argnums: [0, 0] })(3); // [6, 6]\n`,
      /TSG1005 in line 3, which no comment says/,
    ],
    [
      "a wrong type",
      `import type { Cotangent } from "tsgrad";\ntype D = Cotangent<{ w: number }>; // { w: number; b: number }\n`,
      /Property 'b' is missing/,
    ],
    ["a wrong line of output", `${square}console.log(grad(square)(3)); // 7\n`, /it is 6/],
    ["a type error", `${square}grad(square)("3"); // 6\n`, /TS2345 in line 3/],
  ])("sees %s", (_, code, fault) => {
    expect(faultsOf(code).join("\n")).toMatch(fault);
  });
  it("and nothing where all holds", () => {
    expect(
      faultsOf(
        `${square}grad(square)(3); // 6: twice x\nconst y = grad(square)(3.1); // 6.…\nString(1 + "\\n" + y); // 1\n                   // 6.2\n`,
      ),
    ).toEqual([]);
  });
});
