// The package's entry `tsgrad/transform`, which ts-patch loads. It passes programs to compiler.ts,
// bundled as compiler.cjs beside this file and loaded through the code cache.

import path from "node:path";
import { codeCacheFolder, loadThrough } from "./code-cache.ts";
import type { Compiler } from "./compiler.ts";
import type { ProgramTransformer } from "./ts-patch.ts";

const { exports: loaded, keep } = loadThrough(
  codeCacheFolder(process.cwd()),
  path.join(__dirname, "compiler.cjs"),
);
// the file that the build makes of compiler.ts
const { transformProgram: transform } = loaded as Compiler;
let isKept = false;

const transformProgram: ProgramTransformer = (program, ...rest) => {
  const made = transform(program, ...rest);
  // a build that has derived something has compiled most of what the next one runs
  if (made !== program && !isKept) {
    isKept = true;
    process.once("exit", keep);
  }
  return made;
};
export default transformProgram;
