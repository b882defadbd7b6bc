// Redirects the source maps of an overlay to the user's text. Other output stays as it is.

import path from "node:path";
import type ts from "typescript";
import type { Views } from "./diagnostics.ts";
import { composeMap, replaceInlineMap, type EditedSource, type SourceMap } from "./source-map.ts";

const { posix } = path;

export function mappingWriter(views: Views, write: ts.WriteFileCallback): ts.WriteFileCallback {
  return (file, text, ...rest) => {
    const [, , sources = []] = rest;
    const names = sources.map((s) => s.fileName);
    const isAny = names.some((name) => isEdited(views, name));
    write(file, isAny ? moveMaps(views, file, text, names) : text, ...rest);
  };
}

const isEdited = (views: Views, file: string): boolean =>
  views.of(file)?.edited.chunks.some((c) => c.kind === "generated") ?? false;

function moveMaps(views: Views, file: string, text: string, names: readonly string[]): string {
  const compose = (map: string): string => {
    const outer = JSON.parse(map) as SourceMap; // the compiler's own
    return JSON.stringify(
      composeMap(
        outer,
        (source) => sourceAt(views, source, names),
        (name) => views.originalOf(name)?.text,
      ),
    );
  };
  if (file.endsWith(".map")) return compose(text);
  return /\.[cm]?jsx?$/.test(file) ? replaceInlineMap(text, compose) : text;
}

/** Source names are relative to `sourceRoot` or `mapRoot`, but always end with the file's name. */
function sourceAt(
  views: Views,
  source: string,
  names: readonly string[],
): EditedSource | undefined {
  const tail = posix.normalize(source).replace(/^(?:\.\.?\/)+/, "");
  const name =
    names.length === 1 ? names[0] : names.find((n) => n === source || n.endsWith(`/${tail}`));
  const view = name === undefined ? undefined : views.of(name);
  if (name === undefined || view === undefined) return undefined;
  const nameOf = (file: string): string =>
    posix.join(posix.dirname(source), posix.relative(posix.dirname(name), file));
  return { edited: view.edited, nameOf };
}
