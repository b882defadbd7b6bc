// The bin `tsgrad`: runs the command line of this process. It loads compiler.ts, bundled as
// compiler.cjs beside this file, and tsgrad's own TypeScript.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { startCompileCache } from "./compile-cache.ts";
import type { Compiler } from "./compiler.ts";
import { ownTypeScript } from "./typescript.ts";

startCompileCache();
const load = createRequire(import.meta.url);
const [word, ...rest] = process.argv.slice(2);
// the language server is a program of its own, which begins when it is loaded
if (word === "lsp" && !rest.some((one) => one === "--help" || one === "-h")) load("./lsp.cjs");
else run();

function run(): void {
  // the file that the build makes of compiler.ts
  const { command } = load("./compiler.cjs") as Compiler;
  const code = command(process.argv.slice(2), {
    typescript: ownTypeScript,
    version: () =>
      (
        JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
          version: string;
        }
      ).version, // the package's own manifest
  });
  if (code !== null) process.exitCode = code;
}
