// Quotes user code for `tsgrad explain`: line numbers and short excerpts. Also lays out tables.

import type { Host } from "../analyse.ts";
import { knownCodeOf } from "../driver/package-code/package-code.ts";
import { placeIn } from "../driver/package-code/restored.ts";
import type { Origin } from "../ir/types.ts";

/** The longest quotation. */
const LONGEST = 64;

export class Places {
  readonly #host: Host;
  readonly #file: string;

  /** `file`: the file that is not named in positions. */
  constructor(host: Host, file: string) {
    this.#host = host;
    this.#file = file;
  }

  #text(file: string): string {
    const { program, system } = this.#host;
    return program.getSourceFile(file)?.text ?? system?.readFile(file) ?? "";
  }

  /** Code of a package stands in the package's file. */
  #real(origin: Origin): Origin {
    const code = knownCodeOf(this.#host.program);
    return code === null ? origin : placeIn(code, origin);
  }

  /** `line 12`, or `model.ts:12` in another file. */
  line(given: Origin): string {
    const origin = this.#real(given);
    const number = this.#text(origin.file).slice(0, origin.start).split("\n").length;
    return origin.file === this.#file ? `line ${number}` : this.at(origin);
  }

  /** `model.ts:12` */
  at(given: Origin): string {
    const origin = this.#real(given);
    const number = this.#text(origin.file).slice(0, origin.start).split("\n").length;
    return `${origin.file.split("/").at(-1) ?? origin.file}:${number}`;
  }

  /** The user code of a span, on one line. */
  code(given: Origin): string {
    const origin = this.#real(given);
    const text = this.#text(origin.file).slice(origin.start, origin.end).replace(/\s+/g, " ");
    return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
  }

  /** The head of a loop or branch, without its body. */
  head(given: Origin): string {
    const origin = this.#real(given);
    return this.code({
      ...origin,
      end: origin.start + headLength(this.#text(origin.file).slice(origin.start, origin.end)),
    });
  }
}

/** The length of `for (…)`, `while (…)` or `if (…)`; else of all the text. */
function headLength(text: string): number {
  if (!/^(?:for|while|if)\b/.test(text)) return text.length;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")" && --depth === 0) return i + 1;
  }
  return text.length;
}

/** Rows with aligned columns. */
export function table(rows: readonly (readonly string[])[], indent: string): readonly string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => {
      if (i < row.length - 1) widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  return rows.map(
    (row) =>
      indent +
      row
        .map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i] ?? 0) : cell))
        .join("  ")
        .trimEnd(),
  );
}
