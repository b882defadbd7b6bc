// Wraps a core with a disk cache, for the first analysis of a project in a process.
// Invariant: the result is what the core would return; any other cache is ignored.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import type ts from "typescript";
import type { Analysis, Host, Kept } from "../analyse.ts";
import { shown } from "../diagnostics/ignored.ts";
import { isInternal } from "../diagnostics/internal.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import type { Edit } from "../ir/facts.ts";
import type { Analyse } from "./core.ts";
import { digest, writeCacheFile, cacheFolder, readCacheFile } from "./cache-folder.ts";
import { programKey, type ProgramKey } from "./cache-key.ts";
import { hasSameAnswers, recordQueries, type Query } from "./tracked-file-system.ts";

const PREFIX = "analysis-";

/** The number of analyses in a folder, one per project and options; older ones are removed. */
const MOST_KEPT = 32;

/** `file`: the file of this module. */
export function withAnalysisCache(core: Analyse, file: string): Analyse {
  let code: string | null | undefined;
  const seen = new WeakSet<object>();
  return (host, request) => {
    // later analyses of the project resume from memory
    if (host.kept === undefined || request !== undefined || seen.has(host.kept))
      return core(host, request);
    seen.add(host.kept);
    const folder = cacheFolder(folderOf(host.program));
    if (folder === null) return core(host);
    code ??= codeOf(file);
    const key = code === null ? null : programKey(host, code);
    return key === null ? core(host) : readOrMade(core, { ...host, kept: host.kept }, folder, key);
  };
}

/** A digest of tsgrad's bundled code; null if it is not bundled or unreadable. */
function codeOf(file: string): string | null {
  const folder = path.dirname(file);
  const ending = path.extname(file);
  try {
    const all = ending === ".js" ? readdirSync(folder).filter((name) => name.endsWith(".js")) : [];
    const files = ending === ".cjs" ? [path.basename(file)] : all.sort();
    if (files.length === 0) return null;
    const parts = files.flatMap((name) => [name, "\n", readFileSync(path.join(folder, name))]);
    return digest(...parts).toString("hex");
  } catch {
    return null;
  }
}

function folderOf(program: ts.Program): string {
  const { configFilePath } = program.getCompilerOptions();
  return typeof configFilePath === "string"
    ? path.dirname(configFilePath)
    : program.getCurrentDirectory();
}

function readOrMade(
  core: Analyse,
  host: Host & { readonly kept: Kept },
  folder: string,
  { project, head, key, print }: ProgramKey,
): Analysis {
  const before = readCacheFile(path.join(folder, `${PREFIX}${project}`));
  const known = before === null ? null : recordIn(before);
  if (known !== null && known.head === head && hasSameAnswers(known.readings, host.system)) {
    const { found } = known;
    const analysis =
      "units" in found
        ? host.kept.resume(found, print)
        : {
            edits: new Map(found.edits),
            diagnostics: found.diagnostics,
            dependencies: new Map(found.dependencies),
          };
    const textOf = (file: string): string | undefined => host.program.getSourceFile(file)?.text;
    if (known.key === key) return { ...analysis, diagnostics: shown(analysis.diagnostics, textOf) };
  }
  const record = host.system === undefined ? null : recordQueries(host.system);
  const made = core(record === null ? host : { ...host, system: record.system });
  // what failed may not fail in the next process
  if (made.diagnostics.some(isInternal)) return made;
  const found = host.kept.stored(print) ?? {
    edits: [...made.edits],
    diagnostics: made.diagnostics,
    dependencies: [...made.dependencies],
  };
  const stored: Stored = { head, key, readings: record?.readings() ?? [], found };
  writeCacheFile(folder, PREFIX, project, Buffer.from(JSON.stringify(stored)), MOST_KEPT);
  return made;
}

interface Stored {
  readonly head: string;
  readonly key: string;
  readonly readings: readonly Query[];
  /** A whole analysis, or the results for the units of the program. */
  readonly found: StoredAnalysis | NonNullable<ReturnType<Kept["stored"]>>;
}

interface StoredAnalysis {
  readonly edits: readonly (readonly [string, readonly Edit[]])[];
  readonly diagnostics: readonly Diagnostic[];
  readonly dependencies: readonly (readonly [string, readonly string[]])[];
}

function recordIn(bytes: Buffer): Stored | null {
  try {
    return JSON.parse(bytes.toString("utf8")) as Stored; // the digest and the head guarantee its type
  } catch {
    return null;
  }
}
