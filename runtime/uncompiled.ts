// The error TSG0001 of a stub whose call was not replaced by a build step.

import { codedError } from "./coded-error.ts";

export function uncompiled(form: string, f: unknown): Error {
  const name = typeof f === "function" && f.name !== "" ? f.name : "…";
  return codedError(
    `TSG0001: no build step has replaced this call of \`${form}(${name})\`, so there is no derivative to run.

tsgrad writes derivatives when the program is built. Build this file with one of
  - ts-patch:      { "compilerOptions": { "plugins": [{ "transform": "tsgrad/transform", "transformProgram": true }] } }
                   in tsconfig.json, then \`npx tspc -p .\` (plain \`tsc\` ignores plugins, and TypeScript 7 has no ts-patch)
  - the CLI:       \`npx tsgrad build -p .\` (with TypeScript 7, too)
  - bundlers, vitest, Jest: "tsgrad/esbuild", "tsgrad/vite", "tsgrad/webpack", "tsgrad/jest"
If one runs, look for its errors in this file; JavaScript needs \`allowJs\` in tsconfig.json.`,
  );
}
