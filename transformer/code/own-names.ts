// Names of generated variables while code is made. Several variables may print the same name, so
// each has a key behind it until `printed`. Invariant: keys are letters of identifiers, so that a
// name with its key is one word.

import { type Code, unchecked } from "./code.ts";

/** A letter that no name of ours has, and that `keyed` alone writes. */
const KEY = "\u01C1";

/** The name of one variable: no other has the same key. */
export const keyed = (name: string, key: number): Code => unchecked(`${name}${KEY}${key}`);

/** The text as it is emitted. */
export const printed = (text: string): Code => unchecked(text.replaceAll(/\u01C1\d+/g, ""));

/** The keyed names that the text reads, other than where it declares them or assigns to them. */
export function keyedReads(text: string): ReadonlySet<string> {
  const reads = text.matchAll(
    /[\p{ID_Continue}$]+\u01C1\d+(?![\p{ID_Continue}$]|: any\b|\s*=(?!=))/gu,
  );
  return new Set(Array.from(reads, ([name]) => name));
}
