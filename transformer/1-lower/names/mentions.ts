// Which parts of a file can hold a word. In: a file and words. Out: whether a node's text has one of them. Invariant: never says no where it has; a word may be
// written with escapes, so in a file with any of those each node may.

import type ts from "typescript";

export function mentions(file: ts.SourceFile, words: Iterable<string>): (node: ts.Node) => boolean {
  const { text } = file;
  if (/\\[ux]/.test(text)) return () => true;
  const places: number[] = [];
  for (const word of words)
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) places.push(at);
  return ({ pos, end }) => places.some((at) => pos <= at && at < end);
}
