// Marks generated functions so that coverage leaves them out. Input: edits. Output: the same with a
// comment before each function, on its line; vitest and Jest read it with either provider.
// `@preserve` keeps it where types are stripped.

import type { Edit } from "../ir/facts.ts";

const IGNORED = "/* istanbul ignore next -- @preserve */ /* v8 ignore next -- @preserve */ ";

/** The begin of a function, or of a constant that holds one. */
const FUNCTION =
  /^[ \t]*(?=(?:export )?(?:(?:async )?function\b|(?:const|let|var) [\p{ID_Continue}$]+[^\n]*=>))/gmu;

export const uncovered = (edits: readonly Edit[]): readonly Edit[] => edits.map(marked);

function marked(edit: Edit): Edit {
  const places = [...edit.text.matchAll(FUNCTION)].map(
    ({ 0: indent, index }) => index + indent.length,
  );
  if (places.length === 0) return edit;
  let text = "";
  let read = 0;
  for (const place of places) {
    text += edit.text.slice(read, place) + IGNORED;
    read = place;
  }
  const shift = (offset: number): number =>
    offset + IGNORED.length * places.filter((place) => place < offset).length;
  return {
    ...edit,
    text: text + edit.text.slice(read),
    mappings: edit.mappings.map((one) => ({ ...one, offset: shift(one.offset) })),
  };
}
