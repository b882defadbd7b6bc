// The error TSG0001 of a stub whose call was not replaced by a build step.

import { codedError } from "./coded-error.ts";

export function uncompiled(form: string, f: unknown): Error {
  const name = typeof f === "function" && f.name !== "" ? f.name : "…";
  return codedError(
    `TSG0001: no build step has replaced this call of \`${form}(${name})\`, or one has reported an error of it, so there is no derivative to run.
\`npx tsgrad doctor\` finds out why, \`npx tsgrad init\` sets the build up.
more: npx tsgrad explain TSG0001`,
  );
}
