// Which members of prototypes of the language are not there. modules.ts sets it while it evaluates
// a copy of a module; otherwise nothing is hidden.

import type { Value } from "./value.ts";

type Hides = (o: Value, member: Value) => boolean;

export let hides: Hides | null = null;

export function hideBy(by: Hides | null): void {
  hides = by;
}
