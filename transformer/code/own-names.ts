// Names of generated variables while code is made. Several variables may print the same name, so
// each has a key behind it until `printed`. Invariant: keys are letters of identifiers, so that a
// name with its key is one word.

import { type Code, unchecked } from "./code.ts";
import { KEY } from "./marks.ts";

/** The name of one variable: no other has the same key. */
export const keyed = (name: string, key: number): Code => unchecked(`${name}${KEY}${key}`);

/** The text as it is emitted. */
export const printed = (text: string): Code =>
  unchecked(text.replaceAll(new RegExp(`${KEY}\\d+`, "g"), ""));

const READS = new RegExp(
  `[\\p{ID_Continue}$]+${KEY}\\d+(?![\\p{ID_Continue}$]|: any\\b|\\s*=(?!=))`,
  "gu",
);

/** The keyed names that the text reads, other than where it declares them or assigns to them. */
export function keyedReads(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(READS), ([name]) => name));
}
