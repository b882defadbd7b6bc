// Collects the edits of user files. Invariant: insertions only, ascending, at most one per offset
// beside calls around user code; user lines keep their numbers unless generated code is inside a
// block.

import type { CallSite, Edit, Import } from "../ir/facts.ts";
import { importText, stringText } from "../code/quote.ts";
import type { Home, Origin } from "../ir/types.ts";
import { layout, type TextLine } from "./layout.ts";

/** Lines to insert at a home, in the order of emission. */
export interface Placed {
  readonly home: Home;
  readonly lines: readonly TextLine[];
}

type Files = (file: string) => string;

export class Edits {
  readonly #files: Files;
  readonly #byFile = new Map<string, Map<string, Edit>>();

  constructor(files: Files) {
    this.#files = files;
  }

  insert(file: string, edit: Edit): void {
    const edits = this.#byFile.get(file) ?? new Map<string, Edit>();
    this.#byFile.set(file, edits);
    const key = `${edit.start} ${edit.around ?? ""}`;
    const before = edits.get(key);
    edits.set(key, before === undefined ? edit : appended(before, edit));
  }

  /** `x  ->  before x after`, inside of all other code around it. */
  around(origin: Origin, before: string, after: string): void {
    const { file, start, end } = origin;
    const mappings = [{ offset: 0, origin }];
    this.insert(file, { around: "before", start, end: start, text: before, mappings });
    this.insert(file, { around: start, start: end, end, text: after, mappings });
  }

  /** `grad(f)  ->  grad(f, f$grad)` */
  argument(site: CallSite, text: string): void {
    const { insertAt } = site;
    this.insert(site.origin.file, {
      start: insertAt,
      end: insertAt,
      text: `, ${text}`,
      mappings: [{ offset: 0, origin: site.origin }],
    });
  }

  /** Inserts generated code; all homes have the same offset. */
  code(placed: readonly Placed[]): void {
    const [first] = placed;
    if (first === undefined) return;
    const { home } = first;
    const blank: TextLine = { indent: 0, text: "", origin: home.origin };
    const lines = placed.flatMap((one, i) => (i === 0 ? one.lines : [blank, ...one.lines]));
    const text = this.#files(home.file);
    const { before, after } = home.scope === "module" ? atModuleEnd(text) : inBlock(text, home);
    const laid = layout(lines, home.scope === "module" ? "" : home.indent);
    const mappings = laid.mappings.map((one) => ({ ...one, offset: one.offset + before.length }));
    this.insert(home.file, {
      start: home.at,
      end: home.at,
      text: before + laid.text + after,
      mappings,
    });
  }

  /** Import declarations, before the file's first statement and on its line. */
  imports(file: string, wanted: readonly Import[], origin: Origin): void {
    const keyOf = (one: Import): string => `${one.typeOnly ? "type " : ""}${one.specifier}`;
    const keys = new Set(wanted.map(keyOf));
    const text = [...keys]
      .map((key) => importOf(wanted.filter((one) => keyOf(one) === key)))
      .join("");
    const at = firstStatement(this.#files(file));
    if (text !== "")
      this.insert(file, { start: at, end: at, text, mappings: [{ offset: 0, origin }] });
  }

  /** Code before the first statement and its JSDoc, which gives types in JavaScript. */
  head(file: string, text: string, origin: Origin): void {
    const first = firstStatement(this.#files(file));
    const at =
      first -
      (/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(this.#files(file).slice(0, first))?.[0].length ??
        0);
    // on the import's own line the JSDoc would document the import
    if (text !== "")
      this.insert(file, {
        start: at,
        end: at,
        text: at === first ? text : `${text}\n`,
        mappings: [{ offset: 0, origin }],
      });
  }

  all(): ReadonlyMap<string, readonly Edit[]> {
    return new Map(
      [...this.#byFile].map(([file, edits]) => [
        file,
        [...edits.values()].toSorted((a, b) => a.start - b.start || placeOf(a) - placeOf(b)),
      ]),
    );
  }
}

/** At one offset: ends of code around, the innermost first, then other code, then beginnings. */
const placeOf = ({ around }: Edit): number =>
  around === undefined ? 0 : around === "before" ? 1 : -1 - around;

const appended = (first: Edit, second: Edit): Edit => ({
  ...first,
  text: first.text + second.text,
  mappings: [
    ...first.mappings,
    ...second.mappings.map((one) => ({ ...one, offset: one.offset + first.text.length })),
  ],
});

function atModuleEnd(text: string): { before: string; after: string } {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  return {
    before: text.endsWith("\n") || text === "" ? newline : newline + newline,
    after: newline,
  };
}

/** Before the closing brace. Code on the same line before the brace stays on its line. */
function inBlock(text: string, home: Home): { before: string; after: string } {
  const lineStart = text.lastIndexOf("\n", home.at - 1) + 1;
  const lead = text.slice(lineStart, home.at);
  if (lead.trim() !== "") return { before: `\n${home.indent}`, after: "\n" };
  return {
    before: home.indent.startsWith(lead) ? home.indent.slice(lead.length) : `\n${home.indent}`,
    after: `\n${lead}`,
  };
}

function importOf(names: readonly Import[]): string {
  const [first] = names;
  if (first === undefined) return "";
  const list = [...new Set(names.map((one) => one.name))];
  if (first.isRequired === true) {
    const own = list.map((one) => one.replace(" as ", ": ")).join(", ");
    return `const { ${own} } = require(${stringText(first.specifier)}); `;
  }
  return importText(list, first.specifier, first.typeOnly);
}

/** Offset of the first statement, after a byte order mark, `#!`, comments and directives. */
export function firstStatement(text: string): number {
  const skip =
    /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?:"use [^"\n]*"|'use [^'\n]*')[ \t]*(?:;|(?=\r?\n|\/\/|$)))/uy;
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  if (text.startsWith("#!", at)) at = text.includes("\n") ? text.indexOf("\n") : text.length;
  for (;;) {
    skip.lastIndex = at;
    const found = skip.exec(text);
    if (found === null || found[0] === "") return at;
    at += found[0].length;
  }
}
