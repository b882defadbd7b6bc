// Reads the root files and compiler options of a bundler's program. A solution tsconfig (references
// only) means the projects that it refers to.

import path from "node:path";
import type ts from "typescript";
import type { TypeScript } from "../analyse.ts";
import { isComponent } from "./components.ts";
import { formatHost } from "./print.ts";

export interface Project {
  readonly files: readonly string[];
  readonly options: ts.CompilerOptions;
  /** Components of Vue, Svelte and Astro. */
  readonly components?: readonly string[];
}

export function readProject(api: TypeScript, cwd: string, tsconfig: string | undefined): Project {
  const config =
    tsconfig === undefined
      ? api.findConfigFile(cwd, api.sys.fileExists)
      : path.resolve(cwd, tsconfig);
  if (tsconfig !== undefined && config !== undefined && !api.sys.fileExists(config))
    throw new Error(
      `tsgrad finds no tsconfig at ${config}. Correct the plugin's option 'tsconfig'.`,
    );
  const parsed = config === undefined ? undefined : parse(api, config);
  if (parsed === undefined)
    return { files: [], options: bundled(api, { allowJs: true }), components: [] };
  const projects = [
    parsed,
    ...(parsed.projectReferences ?? []).map((r) => parse(api, api.resolveProjectReferencePath(r))),
  ].filter((p) => p !== undefined);
  const main = projects.find((p) => p.fileNames.length > 0) ?? parsed;
  const files = [...new Set(projects.flatMap((p) => p.fileNames))];
  return {
    files: files.filter((file) => !isComponent(file)),
    options: bundled(api, main.options),
    components: files.filter(isComponent),
  };
}

/** Throws if the text of a config is no JSON; other mistakes are left to tsc. */
function parse(api: TypeScript, config: string): ts.ParsedCommandLine | undefined {
  const parsed = api.getParsedCommandLineOfConfigFile(
    config,
    {},
    {
      ...api.sys,
      onUnRecoverableConfigFileDiagnostic: (d) => {
        throw new Error(
          `tsgrad cannot read ${config}: ${api.flattenDiagnosticMessageText(d.messageText, "\n")}`,
        );
      },
    },
    undefined,
    undefined,
    ["vue", "svelte", "astro"].map((extension) => ({
      extension,
      isMixedContent: true,
      scriptKind: api.ScriptKind.Deferred,
    })),
  );
  const wrong = parsed === undefined ? [] : syntaxErrors(api, parsed);
  if (wrong.length > 0) {
    const text = api.formatDiagnostics(wrong, formatHost(api)).trimEnd();
    throw Object.assign(new Error(`tsgrad cannot read ${config}\n${text}`), { stack: "" });
  }
  return parsed;
}

/** The compiler's numbers of syntax errors. */
const isSyntax = ({ code }: ts.Diagnostic): boolean => code >= 1000 && code < 2000;

/** Errors in the JSON of a config and of those that it extends. */
export const syntaxErrors = (api: TypeScript, parsed: ts.ParsedCommandLine): ts.Diagnostic[] =>
  api.getConfigFileParsingDiagnostics(parsed).filter(isSyntax);

/** Options for a program of a bundler's sources, which emits nothing. */
function bundled(api: TypeScript, options: ts.CompilerOptions): ts.CompilerOptions {
  const {
    incremental: _incremental,
    composite: _composite,
    tsBuildInfoFile: _info,
    outFile: _out,
    ...rest
  } = options;
  return {
    strict: true,
    target: api.ScriptTarget.ES2022,
    ...(options.module === undefined
      ? { module: api.ModuleKind.ESNext, moduleResolution: api.ModuleResolutionKind.Bundler }
      : {}),
    ...rest,
    noEmit: true,
    declaration: false,
    // other plugins are for editors
    plugins: Array.isArray(rest["plugins"]) ? rest["plugins"].filter(isOwnPlugin) : [],
  };
}

const isOwnPlugin = (plugin: unknown): plugin is ts.PluginImport =>
  typeof plugin === "object" &&
  plugin !== null &&
  "transform" in plugin &&
  plugin.transform === "tsgrad/transform";
