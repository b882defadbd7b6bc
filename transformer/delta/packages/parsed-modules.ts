// Modules of packages, each parsed once for an analysis. In: its reader of files, and a file. Out:
// the parsed module and its surface. Invariant: nobody changes them.

import type ts from "typescript";
import { surfaceOf, type Surface } from "./surface.ts";

type Read = (file: string) => string | undefined;

interface ParsedModule {
  readonly source: ts.SourceFile;
  readonly surface: Surface;
}

/** By the reader, which an analysis has one of. */
const all = new WeakMap<Read, Map<string, ParsedModule>>();

export function parsedModule(api: typeof ts, read: Read, file: string): ParsedModule {
  const parsed = all.get(read) ?? new Map<string, ParsedModule>();
  all.set(read, parsed);
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const source = api.createSourceFile(file, read(file) ?? "", api.ScriptTarget.ESNext, true);
  const made = { source, surface: surfaceOf(api, source) };
  parsed.set(file, made);
  return made;
}
