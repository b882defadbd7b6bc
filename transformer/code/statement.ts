// Where a statement may begin in text of the user's. In: text, and the offset where a statement
// ends. Out: what must stand before a statement of ours, so that the two stay apart.

import { code, type Code, NOTHING } from "./code.ts";

/**
 * `;` after a statement that a line break ends. `isClosed`: a brace ends it, or nothing is there.
 */
export const statementEnd = (text: string, at: number, isClosed = false): Code =>
  isClosed || text.charAt(at - 1) === ";" ? NOTHING : code`;`;
