// Ids of variables that nobody reads, where another variable has the same name. In: the lines of rewritten code. Out: those lines without the declarations.
// Invariant: a declaration goes only where its block does not mention the name again; where a text goes over lines, nothing does.

import type { RewrittenLine } from "./scope.ts";

/** What declares an id and does nothing else. */
const DECLARED = /^(?:let|const) ([\p{ID_Continue}$]+\$id)(?:: any)? = (?:\$d\.id|0|[\w$]+\[\d+\] \?\? 0|[\w$]+\.ids\[[\w$]+(?:\+\+)?\] \?\? 0);$/u;

export function withoutUnreadIds(lines: readonly RewrittenLine[]): readonly RewrittenLine[] {
  if (lines.some(({ text }) => text.includes("`"))) return lines;
  return lines.filter(({ indent, text }, k) => {
    const name = DECLARED.exec(text)?.[1];
    return name === undefined || mentions(name, blockAround(lines, k, indent));
  });
}

/** The other lines of the block: functions stand at its beginning, before what they read. */
function blockAround(lines: readonly RewrittenLine[], k: number, indent: number): readonly RewrittenLine[] {
  const start = lines.slice(0, k).findLastIndex((line) => line.indent < indent);
  const end = lines.findIndex((line, i) => i > k && line.indent < indent);
  return [...lines.slice(start + 1, k), ...lines.slice(k + 1, end < 0 ? lines.length : end)];
}

const mentions = (name: string, lines: readonly RewrittenLine[]): boolean => lines.some(({ text }) => text.includes(name));
