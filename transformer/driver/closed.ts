// Modules beside whose code nothing can be exported. In: files, and groups of sites as text. Out: what a file is that is such a module, and the groups without those whose
// code another module would import from one. Invariant: every other module takes `export function f$grad` at its end.

import type ts from "typescript";
import type { Diagnostic } from "../diagnostics/report.ts";
import { Sink } from "../diagnostics/sink.ts";
import type { CallSite, Edit } from "../ir/facts.ts";

/** "`b.cts` {…}"; null where the module can export more than it does. */
export function closedAs(
  file: ts.SourceFile,
  api: typeof ts,
  checker: ts.TypeChecker,
): string | null {
  // what the compiler keeps to itself: the statement that makes it one
  if ("commonJsModuleIndicator" in file && file.commonJsModuleIndicator !== undefined)
    return "is a CommonJS file, not an ES module";
  return checker.getSymbolAtLocation(file)?.exports?.has(api.InternalSymbolName.ExportEquals) ===
    true
    ? "exports one thing alone, by `export =`"
    : null;
}

const EXPORTED = /^export (?:(?:async )?function |const |type |\{ )([\p{ID_Continue}$]+)/mu;

/** What generated code of a file exports, under the user's own name for it; null where that is nothing. */
function exportedBy(edits: readonly Edit[]): string | null {
  const found = edits
    .map(({ text }) => EXPORTED.exec(text)?.[1])
    .find((name) => name !== undefined);
  return found?.split("$", 1)[0] ?? null;
}

/** One group of sites as text. */
export interface Written {
  readonly source: (func: string) => string;
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
}

export function withoutClosed(
  groups: readonly { readonly sites: readonly CallSite[] }[],
  made: readonly Written[],
  { ts: api, program }: { readonly ts: typeof ts; readonly program: ts.Program },
): { readonly made: readonly Written[]; readonly found: readonly Diagnostic[] } {
  const sink = new Sink();
  const kept = made.map((one, i): Written => {
    const closed = [...one.edits].flatMap(([name, edits]): [string, string, string][] => {
      const exported = exportedBy(edits);
      const file = exported === null ? undefined : program.getSourceFile(name);
      const why = file === undefined ? null : closedAs(file, api, program.getTypeChecker());
      return exported === null || why === null
        ? []
        : [[exported, name.slice(name.lastIndexOf("/") + 1), why]];
    });
    const [first] = closed;
    if (first === undefined) return one;
    for (const { origin } of groups[i]?.sites ?? []) sink.report("TSG1015", origin, [], ...first);
    return { ...one, edits: new Map() };
  });
  return { made: kept, found: sink.diagnostics };
}
