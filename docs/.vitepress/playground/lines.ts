// Which lines of compiled code come from which lines of the user's program. Lines count from 1.

import type { MappedText } from "../../../transformer/hosts/browser.ts";

export interface LineLinks {
  /** User line -> compiled lines. */
  readonly compiledOf: (line: number) => readonly number[];
  readonly sourceOf: (line: number) => readonly number[];
}

export function linksOf(compiled: MappedText, source: string): LineLinks {
  const lineOfCompiled = lineCounter(compiled.text);
  const lineOfSource = lineCounter(source);
  const forwards = new Map<number, Set<number>>();
  const backwards = new Map<number, Set<number>>();
  for (const { start, end, origin } of compiled.mappings) {
    const text = compiled.text.slice(start, end);
    if (text.trim() === "") continue;
    const first = lineOfCompiled(start + text.length - text.trimStart().length);
    const last = lineOfCompiled(start + text.trimEnd().length - 1);
    const from = lineOfSource(origin.start);
    for (let line = first; line <= last; line++) {
      add(forwards, from, line);
      add(backwards, line, from);
    }
  }
  return {
    compiledOf: (line) => sorted(forwards.get(line)),
    sourceOf: (line) => sorted(backwards.get(line)),
  };
}

const sorted = (lines: ReadonlySet<number> = new Set()): readonly number[] =>
  [...lines].sort((a, b) => a - b);

function add(map: Map<number, Set<number>>, key: number, value: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (const { index } of text.matchAll(/\n/g)) starts.push(index + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
