// The identifiers in TypeScript source text. Words in quoted strings do not count; all words of
// templates do, since their holes contain code.

const QUOTED = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gu;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

export const identifiersIn = (text: string): readonly string[] =>
  text.replace(QUOTED, '""').match(WORD) ?? [];
