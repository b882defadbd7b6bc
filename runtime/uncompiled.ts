// The error TSG0001 of a stub whose call was not replaced by a build step.

import { codedError } from "./coded-error.ts";

/** Of engines that can cut traces: Node shows the first line that is left, the user's. */
interface Traces {
  readonly captureStackTrace?: (error: Error, above: unknown) => void;
}

/** `above`: the function that the user calls. */
export function uncompiled(form: string, f: unknown, above: unknown): Error {
  const name = typeof f === "function" && f.name !== "" ? f.name : "…";
  const error = codedError(
    `TSG0001: this call of \`${form}(${name})\` has no derivative: no build step replaced it, or one reported an error.
Plain \`tsc\` replaces none: run \`npx tsgrad build\`, or a build with tsgrad's plugin.
\`npx tsgrad doctor\` finds out why, \`npx tsgrad init\` sets it up.
more: npx tsgrad explain TSG0001`,
  );
  // ES2015, whose types are used here, does not have it
  (Error as Traces).captureStackTrace?.(error, above);
  return error;
}
