// The bin `tsgrad`: runs the command line of this process. It loads compiler.ts, bundled as
// compiler.cjs beside this file, and tsgrad's own TypeScript.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { startCompileCache } from "./compile-cache.ts";
import type { Compiler } from "./compiler.ts";
import { ownTypeScript } from "./typescript.ts";

startCompileCache();
// the file that the build makes of compiler.ts
const { command } = createRequire(import.meta.url)("./compiler.cjs") as Compiler;
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
