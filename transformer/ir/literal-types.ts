// The members of a union type as TypeScript writes it: `"a | b" | 0` -> `"a | b"`, `0`. Quoted
// text may contain anything.

const MEMBER = /(?:"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|(?! \| )[^])+/gu;

export const membersOf = (text: string): readonly string[] =>
  (text.match(MEMBER) ?? []).map((member) => member.replace(/^\| /u, ""));
