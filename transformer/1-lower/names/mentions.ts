// Tells which nodes of a file may contain one of some words, from their positions in the source
// text. Invariant: there are no false negatives. A word may be written with escapes, so in a file
// with escapes every node may contain it.

import type ts from "typescript";

export function mentions(file: ts.SourceFile, words: Iterable<string>): (node: ts.Node) => boolean {
  const { text } = file;
  if (/\\[ux]/.test(text)) return () => true;
  const places: number[] = [];
  for (const word of words)
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) places.push(at);
  return ({ pos, end }) => places.some((at) => pos <= at && at < end);
}
