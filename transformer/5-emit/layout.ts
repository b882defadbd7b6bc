// Lines of emitted code: the braces around blocks, and the layout of lines as one string.
// Invariant: a mapping's offset is where a line's code begins, so source maps are ascending.

import type { Edit } from "../ir/facts.ts";
import type { Origin } from "../ir/types.ts";
import type { Block } from "./code.ts";
import { wrap } from "./wrap.ts";

export interface TextLine {
  readonly indent: number;
  readonly text: string;
  readonly origin: Origin;
}

/** A branch and its lines. */
export interface Arm {
  readonly block: Block;
  readonly lines: readonly TextLine[];
}

/** Longest line on which a statement follows its `if` or `for` without braces. */
const ONE_LINE = 100;

const STEP = "  ";

/** The lines separated by newlines, all but the first after `margin`. */
export function layout(
  lines: readonly TextLine[],
  margin: string,
): { readonly text: string; readonly mappings: Edit["mappings"] } {
  let text = "";
  const mappings: { offset: number; origin: Origin }[] = [];
  for (const line of lines) {
    const indent = margin + STEP.repeat(line.indent);
    wrap(line.text, indent.length).forEach((piece, i) => {
      if (text !== "") text += `\n${piece === "" ? "" : indent}`;
      if (i === 0 && piece !== "") mappings.push({ offset: text.length, origin: line.origin });
      text += piece;
    });
  }
  return { text, mappings };
}

export const deeper = (lines: readonly TextLine[]): TextLine[] =>
  lines.map((line) => ({ ...line, indent: line.indent + 1 }));

/** `if (c) x = 1;` where that fits on a line, else a block in braces. */
export function braced(
  head: string,
  body: readonly TextLine[],
  origin: Origin,
  mayFit = true,
): TextLine[] {
  const [only] = body;
  const isPlain =
    only !== undefined &&
    body.length === 1 &&
    !/^(?:let|const|if|for|while) /.test(only.text.replace("(", " "));
  if (mayFit && isPlain && head.length + only.text.length < ONE_LINE)
    return [{ indent: 0, text: `${head} ${only.text}`, origin }];
  if (body.length === 0) return [{ indent: 0, text: `${head} {}`, origin }];
  return [
    { indent: 0, text: `${head} {`, origin },
    ...deeper(body),
    { indent: 0, text: "}", origin },
  ];
}

/** Whether the branch is one `if` statement, which may follow `else` without braces. */
export const isOneIf = ({ block, lines: [first, ...rest] }: Arm): boolean =>
  block.lines.length === 1 &&
  first?.text.startsWith("if (") === true &&
  rest.every((one) => one.indent > 0 || one.text.startsWith("}"));

/** `if (c) { … } else { … }` or `if (c) { … } else if (d) { … }` */
export function ifElse(cond: string, then: Arm, other: Arm, origin: Origin): readonly TextLine[] {
  const head = braced(`if (${cond})`, then.lines, origin, false).slice(0, -1);
  if (isOneIf(other))
    return [
      ...head,
      ...other.lines.map((one, i) => (i === 0 ? { ...one, text: `} else ${one.text}` } : one)),
    ];
  return [
    ...head,
    { indent: 0, text: "} else {", origin },
    ...deeper(other.lines),
    { indent: 0, text: "}", origin },
  ];
}
