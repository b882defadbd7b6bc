// Fields that code sets to nothing: `n.next = null`. In: lines. Out: their names. Invariant: a field that is not among them is never narrowed to nothing by an assignment.

import type { Atom, Key } from "../../ir/types.ts";
import { type Code, walkLines } from "../code.ts";

/** `n.next`, of a name of the IR. */
export const placeName = (object: Atom, key: Key): string =>
  object.kind === "var" && key.kind === "field" ? `${object.name} ${key.name}` : "";

export function emptiedIn({ block }: Code): ReadonlySet<string> {
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
