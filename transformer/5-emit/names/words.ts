// Keywords, which no identifier may be.

export const WORDS: ReadonlySet<string> = new Set([
  ..."arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for".split(
    " ",
  ),
  ..."function if implements import in instanceof interface let new null package private protected public return static super switch".split(
    " ",
  ),
  ..."this throw true try typeof undefined var void while with yield async of".split(" "),
]);
