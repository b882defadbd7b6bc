// Source maps of edited files, alone and composed with a compiler's map.
// Invariant: user text maps to itself, token by token; generated text maps to its origin.

import { GenMapping, addSegment, setSourceContent, toEncodedMap } from "@jridgewell/gen-mapping";
import remapping from "@jridgewell/remapping";
import { originOf, type EditedText } from "./apply.ts";

export interface SourceMap {
  version: 3;
  file?: string | null;
  sourceRoot?: string;
  sources: (string | null)[];
  sourcesContent?: (string | null)[];
  names: string[];
  mappings: string;
}

/** The text of an original file, by its name in edits and origins. */
export type TextOf = (file: string) => string | undefined;

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds the line of an offset, with line ends as in TypeScript. */
function locator(text: string): (offset: number) => Position {
  const starts = [0];
  for (const found of text.matchAll(/\r\n|\n|\r/g)) starts.push(found.index + found[0].length);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, column: offset - (starts[low] ?? 0) };
  };
}

/** Offsets at which a compiler may start a segment: tokens, gaps and lines. */
const TOKENS = /[\p{L}\p{N}_$]+|[^\S\r\n]+|\r\n|[^]/gu;

/** The map from `edited.text` to its files; `nameOf` gives a file's name in `sources`. */
export function mapOf(
  edited: EditedText,
  textOf: TextOf,
  nameOf: (file: string) => string,
): SourceMap {
  const map = new GenMapping();
  const here = locator(edited.text);
  const locators = new Map([[edited.file, locator(edited.original)]]);
  setSourceContent(map, nameOf(edited.file), edited.original);
  const locate = (file: string): ((offset: number) => Position) | undefined => {
    const known = locators.get(file);
    if (known !== undefined) return known;
    const text = textOf(file);
    if (text === undefined) return undefined;
    const made = locator(text);
    locators.set(file, made);
    setSourceContent(map, nameOf(file), text);
    return made;
  };
  const add = (offset: number, file: string, from: number): void => {
    const at = here(offset);
    const original = locate(file)?.(from);
    if (original === undefined) addSegment(map, at.line, at.column);
    else addSegment(map, at.line, at.column, nameOf(file), original.line, original.column);
  };
  for (const chunk of edited.chunks) {
    const text = edited.text.slice(chunk.start, chunk.end);
    if (chunk.kind === "user") {
      for (const token of text.matchAll(TOKENS))
        add(chunk.start + token.index, edited.file, chunk.from + token.index);
      continue;
    }
    const offsets = new Set([0, ...chunk.edit.mappings.map((m) => m.offset)]);
    for (const found of text.matchAll(/\r\n|\n|\r/g)) offsets.add(found.index + found[0].length);
    for (const offset of [...offsets].filter((o) => o < text.length).sort((a, b) => a - b)) {
      const origin = originOf(edited, chunk.edit, offset);
      add(chunk.start + offset, origin.file, origin.start);
    }
  }
  return asSourceMap(toEncodedMap(map));
}

/** A source of a compiler's map: its edited text, and names of original files beside it. */
export interface EditedSource {
  readonly edited: EditedText;
  readonly nameOf: (file: string) => string;
}

/** JS -> edited text composed with edited text -> original; other sources stay. */
export function composeMap(
  outer: SourceMap,
  sourceAt: (source: string, index: number) => EditedSource | undefined,
  textOf: TextOf,
): SourceMap {
  // remapping resolves paths against each other, so sources get opaque names
  const opaque: string[] = [];
  const contents = new Map<string, string>();
  const key = (name: string): string => {
    const at = opaque.indexOf(name);
    return `s${at < 0 ? opaque.push(name) - 1 : at}`;
  };
  const inner = new Map<string, SourceMap>();
  const sources = outer.sources.map((source, index) => {
    const name = source ?? "";
    const found = sourceAt(name, index);
    if (found === undefined) return key(name);
    const map = mapOf(found.edited, textOf, (file) =>
      key(file === found.edited.file ? name : found.nameOf(file)),
    );
    map.sources.forEach((s, i) => contents.set(s ?? "", map.sourcesContent?.[i] ?? ""));
    inner.set(`e${index}`, map);
    return `e${index}`;
  });
  const { sourceRoot, sourcesContent, ...rest } = outer;
  outer.sources.forEach((source, i) => {
    const content = sourcesContent?.[i];
    if (!inner.has(`e${i}`) && content != null) contents.set(key(source ?? ""), content);
  });
  const composed = remapping(JSON.stringify({ ...rest, sources }), (file) => {
    const map = inner.get(file);
    return map === undefined ? null : JSON.stringify(map);
  });
  const result = asSourceMap(composed);
  const keys = result.sources;
  result.sources = keys.map((s) => opaque[Number((s ?? "").slice(1))] ?? s);
  delete result.sourcesContent;
  return {
    ...result,
    ...(outer.file == null ? {} : { file: outer.file }),
    ...(sourceRoot === undefined ? {} : { sourceRoot }),
    ...(sourcesContent === undefined
      ? {}
      : { sourcesContent: keys.map((s) => contents.get(s ?? "") ?? null) }),
  };
}

/** Composes our map with `before`, the map of an earlier tool to its own source. */
export function composedWith(ours: SourceMap, before: unknown): SourceMap {
  if (typeof before !== "object" || before === null) return ours;
  const own = ours.sources[0];
  return asSourceMap(
    remapping(JSON.stringify(ours), (source, { depth }) =>
      depth === 1 && source === own ? JSON.stringify(before) : null,
    ),
  );
}

interface Encoded {
  readonly sources: readonly (string | null)[];
  readonly sourcesContent?: readonly (string | null)[];
  readonly names: readonly string[];
  readonly mappings: string | readonly unknown[];
}

function asSourceMap(map: Encoded): SourceMap {
  const mappings = typeof map.mappings === "string" ? map.mappings : "";
  const content =
    map.sourcesContent === undefined ? {} : { sourcesContent: [...map.sourcesContent] };
  return { version: 3, sources: [...map.sources], names: [...map.names], mappings, ...content };
}

const INLINE =
  /(\/\/[#@] sourceMappingURL=data:application\/json;(?:charset=utf-8;)?base64,)([\w+/=]+)/g;

/** The last inline map of a JavaScript text, with the text before and after its comment. */
export function inlineMapIn(text: string): {
  readonly json: string;
  readonly before: string;
  readonly head: string;
  readonly behind: string;
} | null {
  const last = [...text.matchAll(INLINE)].at(-1);
  if (last === undefined) return null;
  const [all, head = "", base64 = ""] = last;
  return {
    json: Buffer.from(base64, "base64").toString("utf8"),
    before: text.slice(0, last.index),
    head,
    behind: text.slice(last.index + all.length),
  };
}

/** Replaces the last inline map of a JavaScript text. */
export function replaceInlineMap(text: string, replace: (map: string) => string): string {
  const found = inlineMapIn(text);
  return found === null
    ? text
    : found.before +
        found.head +
        Buffer.from(replace(found.json), "utf8").toString("base64") +
        found.behind;
}

/** The comment that contains a map, at the end of the text. */
export const inlineComment = (map: SourceMap): string =>
  `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map), "utf8").toString("base64")}\n`;
