// The error TSG0001 of a stub whose call has no derivative. The build appends `undefined` to a call
// that it reported errors for.

import { codedError } from "./coded-error.ts";

export function uncompiled(form: string, f: unknown, added: readonly unknown[] = []): Error {
  const name = typeof f === "function" && f.name !== "" ? f.name : "…";
  const isReported = added.length > 0 && added[added.length - 1] === undefined;
  const [why, next] = isReported
    ? ["the build reported errors for", "Build again, and mend what it says of this call."]
    : [
        "no build step has replaced",
        "`npx tsgrad doctor` finds out why, `npx tsgrad init` sets the build up.",
      ];
  return codedError(
    `TSG0001: ${why} this call of \`${form}(${name})\`, so there is no derivative to run.
${next}
more: npx tsgrad explain TSG0001`,
  );
}
