// Applies the core's edits to one user file. In: a file's text and its edits. Out: the edited text, and which of its parts are
// the user's and which are generated. Invariant: every user character outside the edits stands in the edited text once, in order.

import type { Edit } from "../ir/facts.ts";
import type { Origin } from "../ir/types.ts";

/** A stretch of edited text: copied from the user (`from` is its offset there) or put there by an edit. */
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

/** The chunk that the character at `offset` of the edited text belongs to; the last one at the text's end. */
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

/** Where a span that starts at original offset `start` and ended at `end` in the edited text ends in the original text. */
export function endToOriginal(edited: EditedText, start: number, end: number): number {
  for (let at = end; at > 0;) {
    const chunk = chunkAt(edited, at - 1);
    if (chunk === undefined) break;
    if (chunk.kind === "user") return Math.max(start, chunk.from + at - chunk.start);
    at = chunk.start;
  }
  return start;
}

/** Original offset -> edited offset; null where an edit replaced the character. */
export function toEdited(edited: EditedText, offset: number): number | null {
  if (offset >= edited.original.length) return edited.text.length;
  for (const chunk of edited.chunks) {
    if (
      chunk.kind === "user" &&
      chunk.from <= offset &&
      offset < chunk.from + chunk.end - chunk.start
    )
      return chunk.start + offset - chunk.from;
  }
  return null;
}

/** The user code that generated text comes from; the place of the edit where the emitter named none. */
export function originOf(edited: EditedText, edit: Edit, offset: number): Origin {
  let origin: Origin = { file: edited.file, start: edit.start, end: edit.end };
  for (const mapping of edit.mappings) {
    if (mapping.offset > offset) break;
    origin = mapping.origin;
  }
  return origin;
}
