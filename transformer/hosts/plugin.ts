// The package's `main`, which tsserver loads for `"plugins": [{ "name": "tsgrad" }]`: it resolves
// names without `exports`, and takes only a CommonJS function. The compiler is compiler.cjs beside
// it.

import { createRequire } from "node:module";
import path from "node:path";
import type { Compiler } from "./compiler.ts";

const file = path.join(__dirname, "compiler.cjs");
// the file that the build makes of compiler.ts
const { languageServicePlugin } = createRequire(file)(file) as Compiler;
export default languageServicePlugin;
