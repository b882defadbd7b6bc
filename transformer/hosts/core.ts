// How hosts call the core: once per program. A crash of the core becomes a diagnostic.

import type ts from "typescript";
import { Kept, type Analysis, type Host, type Request } from "../analyse.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import { reportInternal } from "../diagnostics/internal.ts";
import { Sink } from "../diagnostics/sink.ts";

export type Analyse = (host: Host, request?: Request) => Analysis;

/** Reuses results from one program of a project for the next, for hosts that create several. */
export function incremental(core: Analyse): Analyse {
  const projects = new Map<unknown, Kept>();
  return (host, request) => {
    const { configFilePath } = host.program.getCompilerOptions();
    const kept = projects.get(configFilePath) ?? new Kept();
    projects.set(configFilePath, kept);
    return core({ ...host, kept }, request);
  };
}

/** Whether a file may call a form: it names the package, or marks a shipped function. */
export const mentionsTsgrad = (text: string): boolean =>
  text.includes("tsgrad") || text.includes("@differentiable");

/** Whether a file outside node_modules mentions tsgrad, so that there may be derivatives. */
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
    return { ...NOTHING, diagnostics: [crashed(host, error)] };
  }
}

/** Adds the compiler's file system, and the options of the plugin in tsconfig.json. */
export function withFiles(host: Host): Host {
  const system: ts.System | undefined = host.ts.sys;
  const plugins = ownPlugins(host.program.getCompilerOptions());
  return {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- absent in a browser
    ...(system === undefined ? {} : { system }),
    ...(plugins.some(({ engine }) => engine === "static") ? { engine: "static" } : {}),
    ...(plugins.some(({ debug }) => debug === "nan") ? { debug: "nan" } : {}),
    ...host,
    packages: [...plugins.flatMap(({ packages }) => stringsIn(packages)), ...(host.packages ?? [])],
  };
}

interface OwnPlugin {
  readonly transform: unknown;
  readonly packages?: unknown;
  readonly engine?: unknown;
  readonly debug?: unknown;
}

/** `"plugins": [{ "transform": "tsgrad/transform", "packages": ["name"], "engine": "static" }]` */
function ownPlugins({ plugins }: ts.CompilerOptions): readonly OwnPlugin[] {
  const all: readonly unknown[] = Array.isArray(plugins) ? plugins : [];
  return all.filter(
    (plugin): plugin is OwnPlugin =>
      typeof plugin === "object" &&
      plugin !== null &&
      "transform" in plugin &&
      plugin.transform === "tsgrad/transform",
  );
}

const stringsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

/** An error outside of all functions is reported where the first file imports tsgrad. */
function crashed({ ts: api, program }: Host, error: unknown): Diagnostic {
  const user = program
    .getSourceFiles()
    .filter((sf) => !sf.isDeclarationFile && !sf.fileName.includes("/node_modules/"));
  const file = user.find((sf) => mentionsTsgrad(sf.text)) ?? user[0];
  const found = file?.statements.find(
    (node) =>
      api.isImportDeclaration(node) &&
      api.isStringLiteral(node.moduleSpecifier) &&
      mentionsTsgrad(node.moduleSpecifier.text),
  );
  const [start, end] = found === undefined ? [0, 0] : [found.getStart(file), found.end];
  const span = { file: file?.fileName ?? "", start, end };
  return reportInternal(new Sink(), error, { name: "this program", span });
}
