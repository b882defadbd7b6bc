// Runs of a compiler in the scripts of package.json, and the JavaScript that each writes. Plain
// `tsc` writes no derivatives; its output is known by calls that are as the source has them.

import path from "node:path";
import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";
import type { ProjectFiles } from "../init/project-files.ts";

export interface CompilerRun {
  /** Its name in package.json, or null for the project's tsconfig.json, which any run may read. */
  readonly script: string | null;
  /** Whether it is `tsc` without tsgrad. */
  readonly isPlain: boolean;
  /** The project and those that it refers to, as far as they write JavaScript. */
  readonly configs: readonly ts.ParsedCommandLine[];
}

const COMPILER =
  /^(?:[\w-]+=\S*\s+)*(?:(?:npx|bunx|pnpm|yarn)\s+(?:exec\s+)?)?(tsc|tspc|tsgrad build)(?:\s+(.*))?$/;

export function compilerRuns(api: TypeScript, project: ProjectFiles): readonly CompilerRun[] {
  const isPatched = project.script(/\bts-patch install\b/);
  const runs = Object.entries(project.manifest.scripts ?? {}).flatMap(([script, line]) =>
    line.split(/&&|\|\|?|;/).flatMap((command): readonly CompilerRun[] => {
      const [, compiler, flags = ""] = COMPILER.exec(command.trim()) ?? [];
      if (compiler === undefined) return [];
      const configs = configsOf(api, project, flags);
      return [{ script, isPlain: compiler === "tsc" && !isPatched, configs }];
    }),
  );
  return [{ script: null, isPlain: false, configs: configsOf(api, project, "") }, ...runs];
}

function configsOf(
  api: TypeScript,
  project: ProjectFiles,
  flags: string,
): readonly ts.ParsedCommandLine[] {
  const words = flags.split(/\s+/).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
  const isBuild = words.some((word) => /^--?b(?:uild)?$/.test(word));
  const { options, fileNames } = api.parseCommandLine(
    words.filter((word) => word !== "" && !/^--?b(?:uild)?$/.test(word)),
  );
  const named = options.project ?? (isBuild ? fileNames[0] : undefined) ?? ".";
  const seen = new Set<string>();
  const found: ts.ParsedCommandLine[] = [];
  const visit = (place: string): void => {
    const file = place.endsWith(".json") ? place : path.join(place, "tsconfig.json");
    if (seen.has(file) || !api.sys.fileExists(file)) return;
    seen.add(file);
    const parsed = api.getParsedCommandLineOfConfigFile(file, options, {
      ...api.sys,
      onUnRecoverableConfigFileDiagnostic: () => undefined,
    });
    if (parsed === undefined) return;
    if (parsed.options.noEmit !== true) found.push(parsed);
    for (const reference of parsed.projectReferences ?? []) visit(reference.path);
  };
  visit(path.resolve(project.folder, named));
  return found;
}

/** The JavaScript that a compiler writes of a file. */
export function outputOf(
  api: TypeScript,
  config: ts.ParsedCommandLine,
  file: string,
): string | undefined {
  if (config.options.emitDeclarationOnly === true || !config.fileNames.includes(file))
    return undefined;
  return api
    .getOutputFileNames(config, file, !api.sys.useCaseSensitiveFileNames)
    .find((name) => /\.[cm]?jsx?$/.test(name) && name !== file);
}

/** Folders of output, and files of output beside their sources. */
export function isOutput(api: TypeScript, runs: readonly CompilerRun[]): (file: string) => boolean {
  const configs = runs.flatMap((run) => run.configs);
  const folders = configs.flatMap(({ options: { outDir } }) =>
    outDir === undefined ? [] : [`${path.resolve(outDir)}${path.sep}`],
  );
  const files = new Set(
    configs
      .filter(({ options }) => options.outDir === undefined)
      .flatMap((config) => config.fileNames.map((file) => outputOf(api, config, file))),
  );
  return (file) => files.has(file) || folders.some((folder) => file.startsWith(folder));
}
