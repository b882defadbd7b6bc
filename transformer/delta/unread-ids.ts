// Removes unused ids of variables that share their name with another. In: lines of rewritten code.
// Out: the lines that remain. Invariant: a removed name does not occur again in its block.

import type { RewrittenLine } from "./scope.ts";

/** Matches a declaration of an id without other effects. */
const DECLARED =
  /^(?:let|const) ([\p{ID_Continue}$]+\$id)(?:: any)? = (?:\$d\.id|0|[\w$]+\[\d+\] \?\? 0|[\w$]+\.ids\[[\w$]+(?:\+\+)?\] \?\? 0);$/u;

export function withoutUnreadIds(lines: readonly RewrittenLine[]): readonly RewrittenLine[] {
  if (lines.some(({ text }) => text.includes("`"))) return lines;
  return lines.filter(({ text }, k) => {
    const name = DECLARED.exec(text)?.[1];
    return name === undefined || isMentioned(name, lines, k);
  });
}

/** Whether the block of line `k` mentions the name again, inner redeclarations excepted. */
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

/** Whether line `i` is in the block of line `k`. Functions precede what they read. */
function isWithin(lines: readonly RewrittenLine[], k: number, i: number): boolean {
  const indent = lines[k]?.indent ?? 0;
  const between = i < k ? lines.slice(i, k) : lines.slice(k + 1, i + 1);
  return between.every((line) => line.indent >= indent);
}
