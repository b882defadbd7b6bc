// The text of a copy. In: a declaration and what changes in its text. Out: the text, and where each
// stretch of it comes from. Invariant: unchanged text keeps its order, so places can be mapped both
// ways.

import type ts from "typescript";

/** What replaces the text from `start` to `end` of the package's file. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `length` characters at `at` of the copy stand at `from` in the package's file. */
interface Stretch {
  readonly at: number;
  readonly from: number;
  readonly length: number;
}

export interface Rendered {
  readonly text: string;
  readonly stretches: readonly Stretch[];
}

/** The text of a node with changes, between a head and a tail of our own. */
export function render(
  source: ts.SourceFile,
  { start, end }: { readonly start: number; readonly end: number },
  changes: readonly Change[],
  [head, tail]: readonly [string, string],
): Rendered {
  let text = head;
  const stretches: Stretch[] = [];
  const keep = (from: number, to: number): void => {
    if (to <= from) return;
    stretches.push({ at: text.length, from, length: to - from });
    text += source.text.slice(from, to);
  };
  let read = start;
  for (const change of [...changes].sort(inOrder)) {
    // it is within what another change replaces
    if (change.start < read) continue;
    keep(read, change.start);
    // so that what replaces a name is found at the name
    stretches.push({ at: text.length, from: change.start, length: 0 });
    text += change.text;
    read = change.end;
  }
  keep(read, end);
  return { text: text + tail, stretches };
}

/** Of changes at one place, insertions first, then what replaces most. */
const inOrder = (x: Change, z: Change): number =>
  x.start - z.start || +(x.end > x.start) - +(z.end > z.start) || z.end - x.end;

/** The offset in the package's file of an offset in the copy. */
export function toPackage({ stretches }: Rendered, offset: number): number {
  let found = stretches[0];
  for (const stretch of stretches) if (stretch.at <= offset) found = stretch;
  // the head comes before all of it
  return found === undefined
    ? 0
    : found.from + Math.max(0, Math.min(offset - found.at, found.length));
}

/** The offset in the copy of what stands at an offset of the package's file; null if it is gone. */
export function fromPackage({ stretches }: Rendered, offset: number): number | null {
  const replaced = stretches.find(({ from, length }) => length === 0 && from === offset);
  if (replaced !== undefined) return replaced.at;
  const kept = stretches.find(({ from, length }) => from <= offset && offset < from + length);
  return kept === undefined ? null : kept.at + offset - kept.from;
}
