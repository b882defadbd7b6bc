// Characters that mark parts of code while it is made. Out: the characters, and how a string spells
// them. Invariant: no source of the user's that is rewritten holds one (`rewrite.ts` checks).

/** Letters, so that a name with its mark is one word: a variable's key, a `$d` of the user's. */
export const KEY = "\uA7FB";
export const USERS = "\uA7FC";

/**
 * Noncharacters of Unicode, around the user's span that a line comes from. Temporaries have U+FDD0
 * to U+FDD6.
 */
export const SPAN = "\uFDD7";
export const SPAN_END = "\uFDD8";

/** A line break that the text requires, followed by its indentation. */
export const BREAK = "\uFDD9";

const RESERVED = /[\uFDD0-\uFDD9\uA7FB\uA7FC]/;

export const holdsMarks = (text: string): boolean => RESERVED.test(text);

/** The same text in a string literal, where an escape stands for each of them. */
export const withoutMarks = (text: string): string =>
  text.replaceAll(
    new RegExp(RESERVED, "g"),
    (mark) => `\\u${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
