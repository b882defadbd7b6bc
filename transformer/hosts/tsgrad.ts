// The bin `tsgrad`: runs the command line of this process. It loads compiler.ts, bundled as
// compiler.cjs beside this file, and tsgrad's own TypeScript.

import { createRequire } from "node:module";
import { startCompileCache } from "./compile-cache.ts";
import type { Compiler } from "./compiler.ts";
import { ownTypeScript } from "./typescript.ts";

startCompileCache();
const load = createRequire(import.meta.url);
// the file that the build makes of compiler.ts
const { command } = load("./compiler.cjs") as Compiler;
// a reader such as `head` closes the pipe once it has enough
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
void command(process.argv.slice(2), {
  typescript: ownTypeScript,
  version: () => (load("../package.json") as { version: string }).version, // the package's manifest
  startServer: () => void load("./lsp.cjs"),
}).then((code) => {
  if (code !== null) process.exitCode = code;
});
