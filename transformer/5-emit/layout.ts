// Puts lines together. In: lines with origins. Out: text and the mappings of an Edit. Invariant: each mapping's offset is where
// a line's code begins, so a source map built from them is ascending.

import type { Edit } from "../ir/facts.ts";
import type { TextLine } from "./statement.ts";
import { wrap } from "./wrap.ts";

export interface Laid {
  readonly text: string;
  readonly mappings: Edit["mappings"];
}

const STEP = "  ";

/** `margin` stands before every line but the first; lines are separated by newlines, and none ends the text. */
export function layout(lines: readonly TextLine[], margin: string): Laid {
  let text = "";
  const mappings: { offset: number; origin: TextLine["origin"] }[] = [];
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
