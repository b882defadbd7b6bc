// The run-time test whether two values are one object. Typed arrays that share bytes count as one.
// Their static types may differ, since one object can have both: a pair and an array of numbers.

import { BOOL, type Builder } from "./build.ts";
import { sameType } from "./print.ts";
import type { Atom, Type } from "./types.ts";

export const isTypedArray = (type: Type): boolean =>
  type.kind === "array" && type.store !== "Array";

// x === z, Object.is(x, z), or
// x.buffer === z.buffer && x.byteOffset < z.byteOffset + z.byteLength && …
export function areOneObject(b: Builder, x: Atom, z: Atom): Atom {
  if (!isTypedArray(x.type) || !isTypedArray(z.type)) {
    if (sameType(x.type, z.type)) return b.op("eq", x, z);
    return testByText(b, ["Object.is(", ", ", ")"], [x, z]);
  }
  const text = [
    "",
    ".buffer === ",
    ".buffer && ",
    ".byteOffset < ",
    ".byteOffset + ",
    ".byteLength && ",
    ".byteOffset < ",
    ".byteOffset + ",
    ".byteLength",
  ];
  return testByText(b, text, [x, z, x, z, z, z, x, x]);
}

/** A test that is written as text with gaps for its operands, none of whose numbers matter. */
export const testByText = (b: Builder, text: readonly string[], args: readonly Atom[]): Atom =>
  b.let("t", BOOL, { kind: "extern", text, args, effect: "reads", inert: true });
