// Words of TypeScript text. In: text of user code. Out: the identifiers in it.
// Invariant: what stands in a quoted string is no identifier; of a template all words count, since its holes hold code.

const QUOTED = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gu;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

export const wordsOf = (text: string): readonly string[] =>
  text.replace(QUOTED, '""').match(WORD) ?? [];
