// Fields that code sets to null or undefined: `n.next = null`.
// TypeScript narrows such a field, so a later read of it needs a cast.

import type { Atom, Key } from "../../ir/types.ts";
import { type Code, walkLines } from "../code.ts";

/** `n.next` with the IR's name of n; "" for other places. */
export const placeName = (object: Atom, key: Key): string =>
  object.kind === "var" && key.kind === "field" ? `${object.name} ${key.name}` : "";

export function nulledFieldsIn({ block }: Code): ReadonlySet<string> {
  const found = new Set<string>();
  walkLines(block, (line) => {
    if (line.kind !== "store" || (line.value.kind !== "const" && line.value.kind !== "undef"))
      return;
    const name = placeName(line.object, line.key);
    if (
      name !== "" &&
      (line.value.kind === "undef" || line.value.value === null || line.value.value === undefined)
    )
      found.add(name);
  });
  return found;
}
