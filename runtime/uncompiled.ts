// The error TSG0001 of a stub whose call was not replaced by a build step.

import { codedError } from "./coded-error.ts";

export function uncompiled(form: string, f: unknown): Error {
  const name = typeof f === "function" && f.name !== "" ? f.name : "…";
  return codedError(
    `TSG0001: this call of \`${form}(${name})\` has no derivative: no build step replaced it, or one reported an error.
Plain \`tsc\` replaces none: run \`npx tsgrad build\`, or a build with tsgrad's plugin.
\`npx tsgrad doctor\` finds out why, \`npx tsgrad init\` sets it up.
more: npx tsgrad explain TSG0001`,
  );
}
