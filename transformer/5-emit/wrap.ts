// Breaks a long line of code. In: one statement's text. Out: lines, the later ones indented. Invariant: a break stands behind a
// comma, an arrow or a binary operator, inside the statement, so it never ends a statement early.

const LONGEST = 140;
const CONTINUED = "  ";

interface Gap {
  /** Offset of the text behind the gap. */
  readonly at: number;
  readonly depth: number;
}

/** A place where the text asks for a new line, with the spaces that it wants in front. */
export const BREAK = "\u0002";

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

/** Places where a break may stand, with how many brackets are open there. */
function gaps(text: string): readonly Gap[] {
  const found: Gap[] = [];
  let depth = 0;
  let quote = "";
  // operators stand between spaces, the brackets of type arguments do not
  let typed = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (quote !== "") {
      if (char === "\\") i++;
      else if (char === quote) quote = "";
      continue;
    }
    if (char === '"' || char === "'") quote = char;
    else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (char === "<" && /\w/.test(text.charAt(i - 1))) {
      depth++;
      typed++;
    } else if (char === ">" && typed > 0 && !/[ =]/.test(text.charAt(i - 1))) {
      depth--;
      typed--;
    } else if (char === "," || (char === ";" && depth > 0)) found.push({ at: i + 2, depth });
    else if (char === " ") {
      const operator = /^ (?:[-+*/%?:=]|&&|\|\||\?\?|=>|[-+*/]=) /.exec(text.slice(i, i + 4));
      if (operator !== null) found.push({ at: i + operator[0].length, depth: depth + 0.5 });
    }
  }
  return found;
}
