// The program of `tsgrad lsp`: a language server on the standard streams. The compiler is
// compiler.cjs beside this file.

import { createRequire } from "node:module";
import path from "node:path";
import type { Compiler } from "./compiler.ts";
import { startServer } from "./editor/lsp.ts";
import { asTypeScript } from "./typescript.ts";

const file = path.join(__dirname, "compiler.cjs");
const load = createRequire(file);
// the file that the build makes of compiler.ts
const { newSession } = load(file) as Compiler;
startServer(asTypeScript(load("typescript")), newSession);
