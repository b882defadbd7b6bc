// Script blocks of single-file components (Vue, Svelte, Astro). A block is analysed as a module of
// its own: the component's text with everything else blank, so that offsets are the component's.
// Edits outside of all blocks move to one of them.

import type { Edit } from "../ir/facts.ts";

/** A component's code as a module. */
export interface Scripts {
  /** `App.vue.ts`, a file that does not exist. */
  readonly module: string;
  readonly text: string;
  /** Where code stands: offsets of its start and end, ascending. */
  readonly blocks: readonly Block[];
}

interface Block {
  readonly start: number;
  readonly end: number;
}

const COMPONENT = /\.(?:vue|svelte|astro)$/;

export const isComponent = (file: string): boolean => COMPONENT.test(file);

/** The component of a module that `scriptsOf` has named; other names stay. */
export const componentOf = (module: string): string =>
  module.replace(/(\.(?:vue|svelte|astro))\.[jt]sx?$/, "$1");

const COMMENT = /<!--[^]*?-->/g;
const SCRIPT = /(<script\b((?:"[^"]*"|'[^']*'|[^"'>])*)>)([^]*?)<\/script\s*>/gi;
const FRONTMATTER = /^(\s*---[^\S\r\n]*\r?\n)([^]*?)^---/m;

/** The script blocks of a component; null if there are none. */
export function scriptsOf(file: string, text: string): Scripts | null {
  const found = file.endsWith(".astro") ? frontmatter(text) : elements(text);
  const [first] = found;
  if (first === undefined) return null;
  const language = found.map((each) => each.language).find((each) => each !== "js") ?? "js";
  let module = "";
  let read = 0;
  for (const { start, end } of found) {
    module += blank(text.slice(read, start)) + text.slice(start, end);
    read = end;
  }
  return {
    module: `${file}.${language}`,
    text: module + blank(text.slice(read)),
    blocks: found,
  };
}

const blank = (text: string): string => text.replace(/[^\r\n]/g, " ");

type Found = Block & { readonly language: string };

function frontmatter(text: string): Found[] {
  const [, head, code] = FRONTMATTER.exec(text) ?? [];
  if (head === undefined || code === undefined || !text.startsWith(head)) return [];
  return [{ start: head.length, end: head.length + code.length, language: "ts" }];
}

function elements(text: string): Found[] {
  return [...text.replace(COMMENT, blank).matchAll(SCRIPT)]
    .filter(([, , attributes = ""]) => !/(?:^|\s)src\s*=/.test(attributes))
    .map(({ index, 1: head = "", 2: attributes = "", 3: code = "" }) => ({
      start: index + head.length,
      end: index + head.length + code.length,
      language: languageOf(attributes),
    }));
}

function languageOf(attributes: string): string {
  const [, name = "js"] = /(?:^|\s)lang\s*=\s*["']?([\w/]+)/.exec(attributes) ?? [];
  return name === "typescript" || name === "text/typescript" ? "ts" : name;
}

/**
 * The edits of a component's module, each within a block; null if code of two blocks is edited,
 * since neither is the place of what is shared.
 */
export function withinBlocks(blocks: readonly Block[], edits: readonly Edit[]): Edit[] | null {
  const blockOf = ({ start, end }: Edit): Block | undefined =>
    blocks.find((block) => block.start <= start && end <= block.end && start < block.end);
  // imports stand before the first statement, whichever block needs them
  const own = edits.filter(({ text }) => !/^\s*import\b/.test(text));
  const edited = new Set(own.map(blockOf).filter((block) => block !== undefined));
  const outside = edits.filter((edit) => blockOf(edit) === undefined);
  if (outside.length === 0) return [...edits];
  const [home = blocks.at(-1), second] = edited;
  if (home === undefined || second !== undefined) return null;
  return edits
    .map((edit) => {
      if (blockOf(edit) !== undefined) return edit;
      const at = edit.start < home.start ? home.start : home.end;
      return { ...edit, start: at, end: at };
    })
    .sort((a, b) => a.start - b.start || a.end - b.end);
}
