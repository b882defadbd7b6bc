// Inserts temporaries. In: source text with marks around names, writes and declarations. Out: plain
// source text without unused pieces. Invariant: evaluated values stay in order.

import { type Code, id, NOTHING, unchecked } from "./code.ts";
import { spanIn } from "./lines.ts";

/** Noncharacters of Unicode, which no source may contain (marks.ts). */
const READ = "\uFDD0";
const WRITE = "\uFDD1";
const IF_READ = "\uFDD2";
const OF = "\uFDD3";
const LET = "\uFDD4";
const END = "\uFDD5";
const PARAMETER = "\uFDD6";
export const MARKS: RegExp = /[\uFDD0-\uFDD6]/;

/** A name where it is read. */
export const reading = (name: Code): Code => unchecked(`${READ}${name}${END}`);
const nameOf = (read: Code): string => read.slice(1, -1);

/** `t = value`, or the value alone where `t` is unused. */
export const put = (read: Code, value: Code): Code =>
  unchecked(`${WRITE}${nameOf(read)}${END}${value}`);

/** Source text that is dropped where the name is unused. */
export const ifRead = (read: Code, text: Code): Code =>
  unchecked(`${IF_READ}${nameOf(read)}${OF}${text}${END}`);

/** `let t, …;` of the used ones, or nothing. */
export const letText = (reads: readonly Code[], any: Code): Code =>
  reads.length === 0 ? NOTHING : unchecked(`${LET}${reads.map(nameOf).join(",")}${OF}${any}${END}`);

/** A parameter, which begins with `_` where nothing reads it. */
export const parameter = (name: Code): Code => unchecked(`${PARAMETER}${name}${END}`);

/** Source text with all pieces retained. */
export const shown = (text: Code): string => text.replace(/[\uFDD0\uFDD5]/g, "");

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "read" | "write" | "parameter"; readonly name: string }
  | {
      readonly kind: "ifRead";
      readonly name: string;
      readonly inner: readonly Piece[];
    }
  | {
      readonly kind: "let";
      readonly names: readonly string[];
      readonly any: string;
    };

/** Lines without marks, and without the lines that become empty. */
export function tidied(lines: readonly Code[]): Code[] {
  const pieces = piecesOf(lines.join("\n"));
  const read = new Set<string>();
  for (let before = -1; before < read.size;) {
    before = read.size;
    collect(pieces, read);
  }
  return withParameters(textOf(pieces, read))
    .split("\n")
    .filter((line) => spanIn(line).text.trim() !== "")
    .map(unchecked);
}

const PARAMETERS = new RegExp(`${PARAMETER}([^${END}]*)${END}`, "g");

/** Parameters by their uses. Each has a name of its own. */
function withParameters(text: string): string {
  if (!text.includes(PARAMETER)) return text;
  const words = new Set(text.replaceAll(PARAMETERS, "").split(/[^\p{ID_Continue}$]+/u));
  return text.replaceAll(PARAMETERS, (_, name: string) => (words.has(name) ? name : `_${name}`));
}

function piecesOf(text: string): readonly Piece[] {
  const tokens = text.split(/([\uFDD0-\uFDD6])/);
  let at = 0;
  const next = (): string => tokens[at++] ?? "";
  const until = (end: boolean): Piece[] => {
    const pieces: Piece[] = [];
    while (at < tokens.length) {
      const token = next();
      if (token === END && end) break;
      pieces.push(pieceFrom(token, next, () => until(true)));
    }
    return pieces;
  };
  return until(false);
}

function pieceFrom(token: string, next: () => string, inside: () => readonly Piece[]): Piece {
  if (!MARKS.test(token) || token === OF || token === END) return { kind: "text", text: token };
  const name = next();
  next(); // END of a name that is read or written, OF before what follows
  if (token === IF_READ) return { kind: "ifRead", name, inner: inside() };
  if (token === PARAMETER) return { kind: "parameter", name };
  if (token !== LET) return { kind: token === READ ? "read" : "write", name };
  const any = next();
  next();
  return { kind: "let", names: name.split(","), any };
}

/** Collects the names that the pieces read, as far as known. */
function collect(pieces: readonly Piece[], read: Set<string>): void {
  for (const piece of pieces) {
    if (piece.kind === "read") read.add(piece.name);
    else if (piece.kind === "ifRead" && read.has(piece.name)) collect(piece.inner, read);
  }
}

function textOf(pieces: readonly Piece[], read: ReadonlySet<string>): string {
  return pieces
    .map((piece) => {
      switch (piece.kind) {
        case "text":
          return piece.text;
        case "read":
          return piece.name;
        case "parameter":
          return parameter(id(piece.name));
        case "write":
          return read.has(piece.name) ? `${piece.name} = ` : "";
        case "ifRead":
          return read.has(piece.name) ? textOf(piece.inner, read) : "";
        case "let": {
          const names = piece.names.filter((name) => read.has(name));
          return names.length === 0
            ? ""
            : `let ${names.map((name) => `${name}${piece.any}`).join(", ")};`;
        }
      }
    })
    .join("");
}
