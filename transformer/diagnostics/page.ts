// Prints the registry as the Markdown page of all diagnostics, one section a code, and says where
// the page of one is.

import type { Entry } from "./entry.ts";
import { isCode, REGISTRY } from "./registry.ts";

/** The address of the documentation's site; empty while there is none. */
const SITE: string = "";

/** Where the page of a diagnostic is: the last line of what is printed of it. */
export const pageLine = (code: string): string =>
  SITE === "" ? `more: npx tsgrad explain ${code}` : `more: ${SITE}/diagnostics#${anchorOf(code)}`;

const anchorOf = (code: string): string =>
  isCode(code) ? `${code}-${REGISTRY[code].slug}`.toLowerCase() : "";

const HEAD = `# Diagnostics

After this page you know what a message of tsgrad means, and what to do about it. \`npx tsgrad explain TSG1103\` prints the part for one
code. Errors stop the build; warnings do not. This page is generated from \`transformer/diagnostics\`; run \`npx vitest run tests/diagnostics -u\` after a change there.
`;

export function pageOf(registry: Readonly<Record<string, Entry>>): string {
  const sections = Object.entries(registry)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, entry]) => sectionOf(code, entry));
  return `${HEAD}\n${sections.join("\n")}`;
}

export function sectionOf(code: string, entry: Entry): string {
  const refused =
    entry.delta === true ? "The static engine refuses this (Delta may take it):" : "Not accepted:";
  const blocks = [block(refused, entry.bad), block("Instead:", entry.good)].filter(
    (text) => text !== "",
  );
  return (
    [
      `## ${code} ${entry.slug}`,
      `${entry.severity}: ${named(entry.message)}`,
      entry.page,
      `What to do: ${named(pageHelpOf(entry))}.`,
      ...blocks,
    ].join("\n\n") + "\n"
  );
}

/** The remedy, as pages have it. */
export const pageHelpOf = ({ help, pageHelp = help }: Entry): string => pageHelp;

/** On the page the arguments of a message are `…`. */
const named = (template: string): string => template.replace(/\{\d\}/g, "…");

const block = (title: string, code: string): string =>
  code === "" ? "" : `${title}\n\n\`\`\`${languageOf(code)}\n${code}\n\`\`\``;

function languageOf(code: string): "sh" | "json" | "ts" {
  if (/^np[mx] /.test(code)) return "sh";
  return code.startsWith('{ "') ? "json" : "ts";
}
