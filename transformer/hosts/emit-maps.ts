// Source maps of an overlay's output. In: the compiler's writeFile. Out: a writeFile that leads every map, in a file of its own or
// inline, back to the user's text. Invariant: files that stem from no edited file are written as they are, byte for byte.

import path from "node:path";
import type ts from "typescript";
import type { Views } from "./diagnostics.ts";
import { composeMap, replaceInlineMap, type EditedSource, type SourceMap } from "./source-map.ts";

const { posix } = path;

export function mappingWriter(views: Views, write: ts.WriteFileCallback): ts.WriteFileCallback {
  return (file, text, mark, onError, sources, data) => {
    const names = (sources ?? []).map((s) => s.fileName);
    const moved = names.some((name) => isEdited(views, name))
      ? moveMaps(views, file, text, names)
      : text;
    write(file, moved, mark, onError, sources, data);
  };
}

const isEdited = (views: Views, file: string): boolean =>
  views.of(file)?.edited.chunks.some((c) => c.kind === "generated") ?? false;

function moveMaps(views: Views, file: string, text: string, names: readonly string[]): string {
  const compose = (map: string): string => {
    const outer: SourceMap = JSON.parse(map);
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

/** A map names its sources relative to a place that depends on `sourceRoot` and `mapRoot`; the tail of the name is always the file's own. */
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
