// Lines of code: the blocks that they are in, and the user's code that each comes from. A line may
// hold line breaks until `decoded`, where a block ends up as several.

import { type Code, code, list, NOTHING, unchecked } from "./code.ts";
import { SPAN, SPAN_END } from "./marks.ts";

export const indented = (lines: readonly Code[]): Code[] =>
  lines.flatMap((line) => line.split("\n")).map((line) => unchecked(`  ${line}`));

/** `head { … }` */
export function block(head: Code, lines: readonly Code[]): Code {
  const lead = head === NOTHING ? NOTHING : code`${head} `;
  return lines.length === 0
    ? code`${lead}{}`
    : list([code`${lead}{`, ...indented(lines), code`}`], "\n");
}

const SPANS = new RegExp(`${SPAN}([^${SPAN_END}]*)${SPAN_END}`, "g");

/** Code from a span of the user's. */
export const spanned = (start: number, end: number, line: Code): Code =>
  unchecked(`${SPAN}${start},${end}${SPAN_END}${line}`);

/** Whether it, or a part with a span of its own, begins so. */
export const beginsWith = (line: Code, text: string): boolean =>
  line.startsWith(text) || line.includes(`${SPAN_END}${text}`);

/** The same without its span. */
export const unspanned = (line: Code): Code =>
  unchecked(line.replace(new RegExp(`^${SPANS.source}`), ""));

/** The last span in a line, and the line without any. */
export function spanIn(line: string): { readonly span: readonly number[] | null; text: string } {
  const last = [...line.matchAll(SPANS)].at(-1)?.[1];
  return { span: last?.split(",").map(Number) ?? null, text: line.replace(SPANS, "") };
}

/** An expression as a statement: what would parse as a block or declaration is parenthesised. */
export const statementOf = (part: Code): Code =>
  /^(?:\{|function\b|class\b|let\b)/.test(part) ? code`(${part})` : part;

/** What the only line returns; null for other lines. */
export function returnedBy(lines: readonly Code[]): Code | null {
  const value = lines.length === 1 ? /^return ([^\n]*);$/.exec(lines[0] ?? "")?.[1] : undefined;
  return value === undefined ? null : unchecked(value);
}
