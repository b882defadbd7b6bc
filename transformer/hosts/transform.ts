// The package's entry `tsgrad/transform`. In: what ts-patch gives a program transformer. Out: what that of compiler.ts does, which the build puts into
// compiler.cjs beside this file. Invariant: without a folder for compiled code it is the same, and takes longer to start.

import path from "node:path";
import { codeCacheFolder, loadThrough } from "./code-cache.ts";
import type { Compiler } from "./compiler.ts";
import type { ProgramTransformer } from "./ts-patch.ts";

const { exports: loaded, keep } = loadThrough(
  codeCacheFolder(process.cwd()),
  path.join(__dirname, "compiler.cjs"),
);
const { transformProgram: transform } = loaded as Compiler; // the file that the build makes of compiler.ts
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
