// Keys that a plain object used as a dictionary inherits from `Object.prototype`. `constructor`
// reads as a function without being a key; writing `__proto__` sets the prototype.

import { membersOf } from "./literal-types.ts";
import { resolve, type Types } from "./shadow.ts";
import type { Atom, Key, Type } from "./types.ts";

export const isInherited = (name: string): boolean => name in {};

/** Whether a dictionary that is a plain object may inherit the key. */
export function mayBeInherited(dict: Type, key: Key, types: Types): boolean {
  const shape = resolve(dict, types);
  if (shape.kind !== "dict" || shape.store !== "Object" || shape.key.kind === "num") return false;
  const at: Atom | string = key.kind === "field" ? key.name : key.at;
  if (typeof at === "string") return isInherited(at);
  if (at.kind === "const") return typeof at.value === "string" && isInherited(at.value);
  return at.type.kind === "leaf" && !listsOthers(at.type.text);
}

/** Whether a type lists strings, none of which is inherited. */
function listsOthers(text: string): boolean {
  const isQuoted = (member: string): boolean => /^"(?:[^"\\]|\\.)*"$/u.test(member);
  return membersOf(text).every((member) => isQuoted(member) && !isInherited(member.slice(1, -1)));
}
