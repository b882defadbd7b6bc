// Breaks a long line of code into several, the later ones indented.
// Invariant: a break follows a comma, an arrow or a binary operator, so it never ends a statement.

import { BREAK } from "../code/marks.ts";

const LONGEST = 140;
const CONTINUED = "  ";

interface Gap {
  /** Offset of the text after the gap. */
  readonly at: number;
  readonly depth: number;
}

export const wrap = (text: string, indent: number): readonly string[] =>
  text.split(BREAK).flatMap((line) => wrapped(line, indent));

function wrapped(text: string, indent: number): readonly string[] {
  const room = LONGEST - indent;
  if (text.length <= room || text.includes("`")) return [text];
  const lines: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const best = gaps(rest)
      .filter((gap) => gap.at > room / 3 && gap.at <= room)
      .reduce<Gap | null>((a, b) => (a === null || b.depth <= a.depth ? b : a), null);
    if (best === null) break;
    lines.push(rest.slice(0, best.at).trimEnd());
    rest = CONTINUED + rest.slice(best.at);
  }
  return [...lines, rest];
}

/** Gaps with the number of brackets that are open there. */
function gaps(text: string): readonly Gap[] {
  const found: Gap[] = [];
  let depth = 0;
  let typeArguments = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"' || char === "'") i = closingQuote(text, i);
    else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (opensTypeArguments(text, i)) {
      depth++;
      typeArguments++;
    } else if (char === ">" && typeArguments > 0 && !/[ =]/.test(text.charAt(i - 1))) {
      depth--;
      typeArguments--;
    } else if (char === "," || (char === ";" && depth > 0))
      found.push({ at: pastSpace(text, i + 1), depth });
    else if (char === " ") {
      const operator = /^ (?:[-+*/%?:=]|&&|\|\||\?\?|=>|[-+*/]=) /.exec(text.slice(i, i + 4));
      if (operator !== null) found.push({ at: i + operator[0].length, depth: depth + 0.5 });
    }
  }
  return found;
}

const pastSpace = (text: string, i: number): number => (text.charAt(i) === " " ? i + 1 : i);

/** `<` directly after a name; the operator has a space before it. */
const opensTypeArguments = (text: string, i: number): boolean =>
  text.charAt(i) === "<" && /\w/.test(text.charAt(i - 1));

/** Index of the quote that ends the string which starts at `start`, or past the text. */
export function closingQuote(text: string, start: number): number {
  const quote = text.charAt(start);
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === "\\" ? 2 : 1;
  return at;
}
