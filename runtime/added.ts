// The last argument of a call that the build has replaced. In: the form, the function, what stands behind it. Out: what the build added.
// Invariant: without it TSG0001, never a value.

import { uncompiled } from "./uncompiled.ts";

/** What the build has added behind the user's own arguments. */
export function derivativeIn(form: string, f: unknown, added: readonly unknown[]): unknown {
  const last = added[added.length - 1];
  if (typeof last !== "function") throw uncompiled(form, f);
  return last;
}
