// Analyses that one process leaves for the next. In: the core's entry, and what it is made of. Out: the same, but a project's first analysis in a process is read
// where nothing has changed since another process made it, and begins with what that one kept where files of the project have. Invariant: an analysis that is read
// is what the core would give; whatever else differs, is damaged or cannot be read leaves the work to the core.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import type ts from "typescript";
import type { Analysis, Host, Kept } from "../analyse.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import type { Edit } from "../ir/facts.ts";
import type { Analyse } from "./core.ts";
import { digest, keep, keptFolder, readKept } from "./cache-folder.ts";
import { programKey, type ProgramKey } from "./cache-key.ts";
import { answersAll, recorded, type Reading } from "./tracked-file-system.ts";

const PREFIX = "analysis-";

/** Analyses that stay in one folder, each of a project under its options: the newest. */
const MOST_KEPT = 32;

/** `file`: where the code of this module is run from. */
export function remembered(core: Analyse, file: string): Analyse {
  let code: string | null | undefined;
  const seen = new WeakSet<object>();
  return (host, request) => {
    // of the programs behind the first one, more is kept in memory
    if (host.kept === undefined || request !== undefined || seen.has(host.kept))
      return core(host, request);
    seen.add(host.kept);
    const folder = keptFolder(folderOf(host.program));
    if (folder === null) return core(host);
    code ??= codeOf(file);
    const key = code === null ? null : programKey(host, code);
    return key === null ? core(host) : readOrMade(core, { ...host, kept: host.kept }, folder, key);
  };
}

/** What tsgrad is made of: the bundle that holds this module, or all of those that share it; null where it is not bundled, or cannot be read. */
function codeOf(file: string): string | null {
  const folder = path.dirname(file);
  const ending = path.extname(file);
  try {
    const files =
      ending === ".cjs"
        ? [path.basename(file)]
        : ending === ".js"
          ? readdirSync(folder)
              .filter((name) => name.endsWith(".js"))
              .sort()
          : [];
    return files.length === 0
      ? null
      : digest(
          ...files.flatMap((name) => [name, "\n", readFileSync(path.join(folder, name))]),
        ).toString("hex");
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
  const before = readKept(path.join(folder, `${PREFIX}${project}`));
  const known = before === null ? null : recordIn(before);
  if (known !== null && known.head === head && answersAll(known.readings, host.system)) {
    const { found } = known;
    const analysis =
      "units" in found
        ? host.kept.resume(found, print)
        : {
            edits: new Map(found.edits),
            diagnostics: found.diagnostics,
            dependencies: new Map(found.dependencies),
          };
    if (known.key === key) return analysis;
  }
  const record = host.system === undefined ? null : recorded(host.system);
  const made = core(record === null ? host : { ...host, system: record.system });
  const found = host.kept.stored(print) ?? {
    edits: [...made.edits],
    diagnostics: made.diagnostics,
    dependencies: [...made.dependencies],
  };
  const stored: Stored = { head, key, readings: record?.readings() ?? [], found };
  keep(folder, PREFIX, project, Buffer.from(JSON.stringify(stored)), MOST_KEPT);
  return made;
}

interface Stored {
  readonly head: string;
  readonly key: string;
  readonly readings: readonly Reading[];
  /** All of an analysis, or the units of its program. */
  readonly found: StoredAnalysis | NonNullable<ReturnType<Kept["stored"]>>;
}

interface StoredAnalysis {
  readonly edits: readonly (readonly [string, readonly Edit[]])[];
  readonly diagnostics: readonly Diagnostic[];
  readonly dependencies: readonly (readonly [string, readonly string[]])[];
}

function recordIn(bytes: Buffer): Stored | null {
  try {
    return JSON.parse(bytes.toString("utf8")) as Stored; // behind its digest, and used only where its head says that this very code has written it
  } catch {
    return null;
  }
}
