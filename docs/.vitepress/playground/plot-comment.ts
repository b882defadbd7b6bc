// Reads the comment `// @plot f x=-2..2 y=-1..3 from=-1.2,1` of a program. Every part may be absent.

import type { Plottable, Range } from "./messages.ts";

export interface PlotView {
  readonly plottable: Plottable;
  readonly x: Range;
  readonly y: Range;
  readonly from: Range;
}

const NUMBER = "-?\\d+(?:\\.\\d+)?(?:e-?\\d+)?";

function pairIn(text: string, name: string, separator: string): Range | null {
  const found = new RegExp(`\\b${name}=(${NUMBER})${separator}(${NUMBER})`).exec(text);
  const pair: Range = [Number(found?.[1]), Number(found?.[2])];
  return found !== null && pair.every(Number.isFinite) ? pair : null;
}

const isRange = (pair: Range | null): pair is Range => pair !== null && pair[0] < pair[1];

/** What to plot: as the comment says, or else the last function that can be. */
export function viewOf(
  text: string,
  plottable: readonly Plottable[],
  name?: string,
): PlotView | null {
  const comments = [...text.matchAll(/^\s*\/\/\s*@plot\s+([\w$]+)(.*)$/gm)];
  const wanted =
    name ??
    comments.map(([, each]) => each).find((each) => plottable.some((one) => one.name === each));
  const found = plottable.find((one) => one.name === wanted) ?? plottable.at(-1);
  if (found === undefined) return null;
  const options = comments.find(([, each]) => each === found.name)?.[2] ?? "";
  const x = pairIn(options, "x", "\\.\\.");
  const y = pairIn(options, "y", "\\.\\.");
  return {
    plottable: found,
    x: isRange(x) ? x : [-3, 3],
    y: isRange(y) ? y : [-3, 3],
    from: pairIn(options, "from", ",") ?? [-1, 1],
  };
}
