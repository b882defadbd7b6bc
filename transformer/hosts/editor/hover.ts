// What an editor shows over the name of a form: engine, cost bound, and the first lines of the
// derivative, as Markdown.

import type { SiteFacts } from "../../explain/sites.ts";

/** Lines of code that a hover shows. */
const SHOWN = 12;

export function hoverText({ engine, reasons, cost, source }: SiteFacts): string {
  const lines = source.split("\n");
  const more = lines.length - SHOWN;
  const because = reasons.map((reason) => `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`);
  return [
    `**tsgrad** ${engine} engine: ${cost}.`,
    ...because,
    ["```ts", ...lines.slice(0, SHOWN), "```"].join("\n"),
    ...(more > 0 ? [`… and ${more} more ${more === 1 ? "line" : "lines"}`] : []),
  ].join("\n\n");
}
