// The bin `tsgrad`: runs the command line of this process. It loads compiler.ts, bundled as
// compiler.cjs beside this file, and tsgrad's own TypeScript through the code cache.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { codeCacheFolder, type Loaded, loadThrough } from "./code-cache.ts";
import type { Compiler } from "./compiler.ts";
import { asTypeScript } from "./typescript.ts";

const folder = codeCacheFolder(process.cwd());
const loaded: Loaded[] = [];

function load(file: string): unknown {
  const made = loadThrough(folder, file);
  loaded.push(made);
  return made.exports;
}

// the file that the build makes of compiler.ts
const { command } = load(fileURLToPath(new URL("./compiler.cjs", import.meta.url))) as Compiler;
const code = command(process.argv.slice(2), {
  typescript: () => asTypeScript(load(createRequire(import.meta.url).resolve("typescript"))),
  version: () =>
    (
      JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
        version: string;
      }
    ).version, // the package's own manifest
  // a build that has derived something has compiled most of what the next one runs
  derived: () => {
    process.once("exit", () => {
      for (const each of loaded) each.keep();
    });
  },
});
if (code !== null) process.exitCode = code;
