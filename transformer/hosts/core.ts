// How every host calls the core. In: the core's entry. Out: its analysis, where a crash of the core is a diagnostic, too.
// Invariant: one analysis per program; a host never sees an exception of the core.

import type ts from "typescript";
import { Kept, type Analysis, type Host, type Request } from "../analyse.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import { Sink } from "../diagnostics/sink.ts";

export type Analyse = (host: Host, request?: Request) => Analysis;

/** A core that keeps what it can from one program of a project to the next; for hosts that make several. */
export function keeping(core: Analyse): Analyse {
  const projects = new Map<unknown, Kept>();
  return (host, request) => {
    const { configFilePath } = host.program.getCompilerOptions();
    const kept = projects.get(configFilePath) ?? new Kept();
    projects.set(configFilePath, kept);
    return core({ ...host, kept }, request);
  };
}

/** Whether a file's text may contain a form of tsgrad's: it names the package, or marks a function whose derivatives are shipped. */
export const mentionsTsgrad = (text: string): boolean =>
  text.includes("tsgrad") || text.includes("@differentiable");

/** Whether any file outside node_modules mentions the package; a program without one has nothing to differentiate. */
export const usesTsgrad = (program: ts.Program): boolean =>
  program
    .getSourceFiles()
    .some((sf) => !sf.fileName.includes("/node_modules/") && mentionsTsgrad(sf.text));

export const NOTHING: Analysis = { edits: new Map(), diagnostics: [], dependencies: new Map() };

export function analyseProgram(analyse: Analyse, host: Host): Analysis {
  if (!usesTsgrad(host.program)) return NOTHING;
  try {
    return analyse(withFiles(host));
  } catch (error) {
    return { ...NOTHING, diagnostics: [crashed(host.program, error)] };
  }
}

/** The compiler's own file system, and the option `packages` of the plugin in tsconfig.json. */
function withFiles(host: Host): Host {
  // absent in a browser, whatever its type says
  const system: ts.System | undefined = host.ts.sys;
  return {
    ...(system === undefined ? {} : { system }),
    ...host,
    packages: [...namedPackages(host.program.getCompilerOptions()), ...(host.packages ?? [])],
  };
}

/** `"plugins": [{ "transform": "tsgrad/transform", "packages": ["name"] }]` */
function namedPackages({ plugins }: ts.CompilerOptions): readonly string[] {
  if (!Array.isArray(plugins)) return [];
  return plugins.flatMap((plugin: unknown) => {
    if (
      typeof plugin !== "object" ||
      plugin === null ||
      !("transform" in plugin) ||
      plugin.transform !== "tsgrad/transform" ||
      !("packages" in plugin)
    )
      return [];
    return Array.isArray(plugin.packages)
      ? plugin.packages.filter((name) => typeof name === "string")
      : [];
  });
}

/** A crash has no span of its own; it is put on the first file that asks for a derivative. */
function crashed(program: ts.Program, error: unknown): Diagnostic {
  const user = program
    .getSourceFiles()
    .filter((sf) => !sf.isDeclarationFile && !sf.fileName.includes("/node_modules/"));
  const file = user.find((sf) => mentionsTsgrad(sf.text)) ?? user[0];
  const start = Math.max(0, file?.text.indexOf("tsgrad") ?? 0);
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Sink().report("TSG9001", { file: file?.fileName ?? "", start, end: start }, [], what);
}
