// What transform.ts and tsgrad.ts load through V8's code cache: the build makes compiler.cjs of this file. In: what ts-patch, or a command line, gives. Out: what ts-patch.ts and cli.ts do.
// Invariant: one core for both, which remembers what another process has found out.

import { analyse } from "../analyse.ts";
import { main, type Process } from "./cli.ts";
import { remembered } from "./analysis-cache.ts";
import { programTransformer, type ProgramTransformer } from "./ts-patch.ts";

/** The exports of compiler.cjs. */
export interface Compiler {
  readonly transformProgram: ProgramTransformer;
  readonly command: (args: readonly string[], process: Omit<Process, "core">) => number | null;
}

// CommonJS, once it is bundled
const core = remembered(analyse, typeof __filename === "string" ? __filename : "");
export const transformProgram: Compiler["transformProgram"] = programTransformer(core);
export const command: Compiler["command"] = (args, process) => main(args, { ...process, core });
