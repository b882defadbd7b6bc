// The value of an uninitialised variable: `undefined` if its type includes that value, so that it
// may be read; else `undef`, which nothing reads.

import { resolve, type Types } from "../ir/shadow.ts";
import type { Atom, Type } from "../ir/types.ts";

export function unset(type: Type, types: Types): Atom {
  const { kind } = resolve(type, types);
  return kind === "opt" || kind === "leaf"
    ? { kind: "const", type, value: undefined }
    : { kind: "undef", type };
}
