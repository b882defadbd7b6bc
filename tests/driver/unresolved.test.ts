// Types that TypeScript does not find, which bundlers do not report: the Delta engine takes the call, and a warning says why. Each way
// to name what is missing, in each place where a function may have it from; and functions of which nothing is missing.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

type Files = Readonly<Record<string, string>>;

const HEAD = `import { grad } from "tsgrad";\n`;
const BODY = "{ return p.x * p.x; }";
const CALL = "export const g = grad(f);\n";

/** How a file names a type that is not there: lines, the type, and what is missing. */
const WAYS: readonly (readonly [lines: string, type: string, missing: string, more?: Files])[] = [
  [`import type { P } from "./missing";`, "P", "the module `./missing`"],
  [`import { type P } from "./missing";`, "P", "the module `./missing`"],
  [`import type { Q as P } from "some-package";`, "P", "the module `some-package`"],
  [`import type P from "./missing";`, "P", "the module `./missing`"],
  [`import type * as all from "./missing";`, "all.P", "the module `./missing`"],
  ["", `import("./missing").P`, "the module `./missing`"],
  ["", "P", "the type `P`"],
  [
    `import type { P } from "./barrel";`,
    "P",
    "the module `./missing`",
    { "/src/barrel.ts": `export type { P } from "./missing";\n` },
  ],
  [
    `import type { P } from "./barrel";`,
    "P",
    '`P` in "/src/barrel"',
    { "/src/barrel.ts": `export * from "./missing";\nexport const one = 1;\n` },
  ],
];

/** Where the function has the type from. */
const PLACES: Readonly<Record<string, (lines: string, type: string) => Files>> = {
  "its parameter": (lines, type) => ({
    "/src/input.ts": `${HEAD}${lines}\nfunction f(p: ${type}): number ${BODY}\n${CALL}`,
  }),
  "a field of its parameter": (lines, type) => ({
    "/src/input.ts": `${HEAD}${lines}\ninterface M { p: ${type} }\nfunction f({ p }: M): number ${BODY}\n${CALL}`,
  }),
  "a type of another file": (lines, type) => ({
    "/src/model.ts": `${lines}\nexport type M = ${type}[];\n`,
    "/src/input.ts": `${HEAD}import type { M } from "./model";\nfunction f(m: M): number { const p = m[0]; ${BODY} }\n${CALL}`,
  }),
  "a function that it calls": (lines, type) => ({
    "/src/model.ts": `${lines}\nexport const made = (x: number): ${type} => ({ x });\n`,
    "/src/input.ts": `${HEAD}import { made } from "./model";\nconst f = (x: number): number => { const p = made(x); return p.x * x; };\n${CALL}`,
  }),
};

const missingIn = (files: Files, engine?: "static"): readonly string[] => {
  const { diagnostics } = analyse(
    programOf(files, { noUnusedLocals: false }),
    engine === undefined ? {} : { engine },
  );
  return diagnostics.map(({ code, message }) => `${code} ${message}`);
};

describe.each(Object.entries(PLACES))("%s", (_, place) => {
  const all = WAYS.map(
    ([lines, type, missing, more = {}]) => [lines, type, missing, more] as const,
  );
  test.each(all)("%s %s: %s", (lines, type, missing, more) => {
    const files = { ...more, ...place(lines, type) };
    const wanted = `TSG8005 TypeScript does not find ${missing}, so the Delta engine, which is slower, differentiates \`f\``;
    expect(missingIn(files)).toEqual([wanted]);
    expect(missingIn(files, "static")[0]).toMatch(/^TSG2/);
  });
});

test.each([
  // nothing of the import is in the function
  `import picture from "./picture.svg";\nexport const shown = picture;\nfunction f(p: any): number ${BODY}\n`,
  // the program says itself that nothing is known
  `import { P } from "open";\nfunction f(p: P): number ${BODY}\n`,
  `interface P { x: number }\nfunction f(p: P): number { try ${BODY} catch { return 0; } }\n`,
  `import type { Missing } from "./missing";\ninterface P { x: number }\nexport let other: Missing;\nfunction f(p: P): number ${BODY}\n`,
])("no warning: %s", (lines) => {
  expect(
    missingIn({
      "/src/open.d.ts": `declare module "open";\n`,
      "/src/input.ts": `${HEAD}${lines}${CALL}`,
    }).filter((line) => line.startsWith("TSG8005")),
  ).toEqual([]);
});

test.each([
  ["node:fs", /@types\/node.*"types": \["node"\]/],
  ["fs", /@types\/node/],
  ["fs/promises", /@types\/node/],
  ["some-package", /install `some-package`, and its types/],
  ["@scope/some", /install `@scope\/some`/],
  ["./missing", /"module": "nodenext"/],
  ["../missing", /"allowJs": true/],
  ["#missing", /mend the import/],
])("the remedy for %s", (specifier, remedy) => {
  const text = `${HEAD}import type { P } from "${specifier}";\nfunction f(p: P): number ${BODY}\n${CALL}`;
  const { diagnostics } = analyse(programOf({ "/src/input.ts": text }));
  const [found] = diagnostics.filter(({ code }) => code === "TSG8005");
  expect(found?.help).toMatch(remedy);
  expect(found?.help.includes("@types/node")).toBe(/fs/.test(specifier));
});
