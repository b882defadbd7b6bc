// The package's entry `tsgrad/transform`, which ts-patch loads. It passes programs to compiler.ts,
// bundled as compiler.cjs beside this file.

import { createRequire } from "node:module";
import path from "node:path";
import { startCompileCache } from "./compile-cache.ts";
import type { Compiler } from "./compiler.ts";

startCompileCache();
const file = path.join(__dirname, "compiler.cjs");
// the file that the build makes of compiler.ts
const { transformProgram } = createRequire(file)(file) as Compiler;
export default transformProgram;
