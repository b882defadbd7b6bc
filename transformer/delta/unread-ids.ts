// Ids of variables that nobody reads, where another variable has the same name. In: the lines of rewritten code. Out: those lines without the declarations.
// Invariant: a declaration goes only where its block does not mention the name again; where a text goes over lines, nothing does.

import type { RewrittenLine } from "./scope.ts";

/** What declares an id and does nothing else. */
const DECLARED =
  /^(?:let|const) ([\p{ID_Continue}$]+\$id)(?:: any)? = (?:\$d\.id|0|[\w$]+\[\d+\] \?\? 0|[\w$]+\.ids\[[\w$]+(?:\+\+)?\] \?\? 0);$/u;

export function withoutUnreadIds(lines: readonly RewrittenLine[]): readonly RewrittenLine[] {
  if (lines.some(({ text }) => text.includes("`"))) return lines;
  return lines.filter(({ text }, k) => {
    const name = DECLARED.exec(text)?.[1];
    return name === undefined || isMentioned(name, lines, k);
  });
}

/** Whether the block of line `k` says the name once more, but where a block inside has a variable of that name of its own. */
function isMentioned(name: string, lines: readonly RewrittenLine[], k: number): boolean {
  const mentions = [...lines.keys()].filter(
    (i) => i !== k && lines[i]?.text.includes(name) === true && isWithin(lines, k, i),
  );
  const declared = mentions.filter(
    (j) => isDeclaration(lines[j], name) && (lines[j]?.indent ?? 0) > (lines[k]?.indent ?? 0),
  );
  return mentions.some((i) => !declared.some((j) => isWithin(lines, j, i)));
}

const isDeclaration = (line: RewrittenLine | undefined, name: string): boolean =>
  line !== undefined && DECLARED.exec(line.text)?.[1] === name;

/** Whether line `i` stands in the block of line `k`: functions stand at its beginning, before what they read. */
function isWithin(lines: readonly RewrittenLine[], k: number, i: number): boolean {
  const indent = lines[k]?.indent ?? 0;
  const between = i < k ? lines.slice(i, k) : lines.slice(k + 1, i + 1);
  return between.every((line) => line.indent >= indent);
}
