// Modules that cannot export derivatives: CommonJS files and modules with `export =`. Every other
// module gets `export function f$grad` at its end. Output: the groups of sites without those that
// would import code from such a module.

import type ts from "typescript";
import type { Diagnostic } from "../diagnostics/report.ts";
import { Sink } from "../diagnostics/sink.ts";
import type { CallSite, Edit } from "../ir/facts.ts";

/** The reason, as "`b.cts` {…}"; null if the module can have more exports. */
export function whyClosed(
  file: ts.SourceFile,
  api: typeof ts,
  checker: ts.TypeChecker,
): string | null {
  // internal to TypeScript: the statement that makes it a CommonJS module
  if ("commonJsModuleIndicator" in file && file.commonJsModuleIndicator !== undefined)
    return "is a CommonJS file, not an ES module";
  return checker.getSymbolAtLocation(file)?.exports?.has(api.InternalSymbolName.ExportEquals) ===
    true
    ? "exports one thing alone, by `export =`"
    : null;
}

const EXPORTED = /^export (?:(?:async )?function |const |type |\{ )([\p{ID_Continue}$]+)/mu;

/** The user's name for what generated code of a file exports; null if that is nothing. */
function exportedBy(edits: readonly Edit[]): string | null {
  const found = edits
    .map(({ text }) => EXPORTED.exec(text)?.[1])
    .find((name) => name !== undefined);
  return found?.split("$", 1)[0] ?? null;
}

/** The emitted text of one group of sites. */
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
      const why = file === undefined ? null : whyClosed(file, api, program.getTypeChecker());
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
