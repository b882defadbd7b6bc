// A project that refers to another is not built again where only code of that one changes (`tsc -b` looks at declarations), so code of the other is not copied
// into it: the copy's derivative would be that of what the code was.

import { symlinkSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { sandbox } from "../hosts/sandbox.ts";

const options = {
  target: "es2022",
  module: "nodenext",
  composite: true,
  rootDir: "src",
  outDir: "dist",
  strict: true,
  types: [],
};

test.each([
  [
    "refers to it",
    `import { square } from "library";`,
    "library",
    [{ path: "../library" }],
    ["TSG1301"],
  ],
  ["does not", `import { square } from "library";`, "library", [], []],
  [
    "imports its files",
    `import { square } from "../../library/src/index.js";`,
    "index.d.ts",
    [{ path: "../library" }],
    ["TSG1301"],
  ],
  [
    "imports all of a file",
    `import * as all from "../../library/src/index.js";\nconst square = all.square;`,
    "index.d.ts",
    [{ path: "../library" }],
    ["TSG1301"],
  ],
])("where the project %s", (_, imported, shown, references, codes) => {
  const box = sandbox({
    "library/package.json": JSON.stringify({
      name: "library",
      type: "module",
      exports: { types: "./dist/index.d.ts", default: "./dist/index.js" },
    }),
    "library/tsconfig.json": JSON.stringify({ compilerOptions: options, include: ["src"] }),
    "library/src/index.ts": "export const square = (x: number): number => x * x;\n",
    "library/dist/index.js": "export const square = (x) => x * x;\n",
    "library/dist/index.d.ts": "export declare const square: (x: number) => number;\n",
    "user/tsconfig.json": JSON.stringify({
      compilerOptions: options,
      include: ["src"],
      references,
    }),
    "user/src/main.ts": `import { grad } from "tsgrad";\n${imported}\nexport const d = grad((x: number) => square(x) * x);\n`,
  });
  symlinkSync("../library", box.at("node_modules/library"));
  const parsed = ts.getParsedCommandLineOfConfigFile(
    box.at("user/tsconfig.json"),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: () => {
        throw new Error("no tsconfig");
      },
    },
  );
  const program = ts.createProgram({
    rootNames: parsed?.fileNames ?? [],
    options: parsed?.options ?? {},
    projectReferences: parsed?.projectReferences ?? [],
  });
  const { diagnostics } = analyse({ ts, program, system: ts.sys });
  expect(diagnostics.map(({ code }) => code)).toEqual(codes);
  for (const { message } of diagnostics)
    expect(message).toMatch(new RegExp(`square\` of the project behind \`${shown}\``));
});
