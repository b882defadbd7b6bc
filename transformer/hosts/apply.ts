// Applies edits to the text of a user file. Keeps track of which parts are the user's.
// Invariant: each user character outside the edits occurs once in the edited text, in order.

import type { Edit } from "../ir/facts.ts";
import type { Origin } from "../ir/types.ts";

/** A stretch of edited text: the user's, from offset `from` of the original, or an edit's. */
export type Chunk =
  | { readonly kind: "user"; readonly start: number; readonly end: number; readonly from: number }
  | {
      readonly kind: "generated";
      readonly start: number;
      readonly end: number;
      readonly edit: Edit;
    };

export interface EditedText {
  readonly file: string;
  readonly original: string;
  readonly text: string;
  /** Ascending, without gaps; no chunk is empty. */
  readonly chunks: readonly Chunk[];
}

export function applyEdits(file: string, original: string, edits: readonly Edit[]): EditedText {
  const chunks: Chunk[] = [];
  let text = "";
  let read = 0;
  const copy = (to: number): void => {
    if (to === read) return;
    chunks.push({ kind: "user", start: text.length, end: text.length + to - read, from: read });
    text += original.slice(read, to);
    read = to;
  };
  for (const edit of edits) {
    if (edit.start < read || edit.end < edit.start || edit.end > original.length) {
      throw new Error(
        `tsgrad: edits of ${file} overlap or are out of order at offset ${edit.start}. Please report this.`,
      );
    }
    copy(edit.start);
    read = edit.end;
    if (edit.text === "") continue;
    chunks.push({
      kind: "generated",
      start: text.length,
      end: text.length + edit.text.length,
      edit,
    });
    text += edit.text;
  }
  copy(original.length);
  return { file, original, text, chunks };
}

/** The chunk of the character at `offset` of the edited text; at its end the last chunk. */
export function chunkAt(edited: EditedText, offset: number): Chunk | undefined {
  const { chunks } = edited;
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const chunk = chunks[middle];
    if (chunk !== undefined && chunk.start <= offset) low = middle;
    else high = middle - 1;
  }
  return chunks[low];
}

/** Edited offset -> original offset; null inside generated text. */
export function toOriginal(edited: EditedText, offset: number): number | null {
  if (offset >= edited.text.length) return edited.original.length;
  const chunk = chunkAt(edited, offset);
  return chunk?.kind === "user" ? chunk.from + offset - chunk.start : null;
}

/** The original end of a span from original offset `start` to edited offset `end`. */
export function endToOriginal(edited: EditedText, start: number, end: number): number {
  for (let at = end; at > 0;) {
    const chunk = chunkAt(edited, at - 1);
    if (chunk === undefined) break;
    if (chunk.kind === "user") return Math.max(start, chunk.from + at - chunk.start);
    at = chunk.start;
  }
  return start;
}

/** The user code that generated text comes from, or by default the place of the edit. */
export function originOf(edited: EditedText, edit: Edit, offset: number): Origin {
  let origin: Origin = { file: edited.file, start: edit.start, end: edit.end };
  for (const mapping of edit.mappings) {
    if (mapping.offset > offset) break;
    origin = mapping.origin;
  }
  return origin;
}
