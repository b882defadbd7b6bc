// When V8 optimises what a build runs. Out: a flag of this process. Invariant: nothing is changed but when functions are optimised; a process that is no build of ours or of a command line compiler
// keeps its flags.

import path from "node:path";
import { setFlagsFromString } from "node:v8";

/**
 * What a function runs, in bytes of bytecode, until V8 optimises it; 67,584 by itself. A build ends soon after most of its functions have come that far: optimised six times later, it takes less than two thirds
 * of the processor's time (transformer/ARCHITECTURE.md), and what runs long is optimised all the same.
 */
const INTERRUPT_BUDGET = 400_000;

/** To be called in front of what is loaded through the code cache: V8 tells compiled code by the flags, too. */
export const optimiseLater = (): void =>
  setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);

/** Whether a process runs a compiler's command line, by the words it was started with. */
export const isCompilerProcess = ([, script]: readonly string[]): boolean =>
  script !== undefined && /^tsp?c(\.[cm]?js)?$/.test(path.basename(script));
