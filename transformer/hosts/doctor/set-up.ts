// What is wrong with a project's set-up: versions, tsconfig.json, configs of its tools. Each
// finding has a remedy.

import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";
import { usesPlugin } from "../init/config-text.ts";
import { bunPreloads, configEdit, type HostName, hostsOf, usesTurbopack } from "../init/hosts.ts";
import { patchFor } from "../init/plan.ts";
import type { ProjectFiles } from "../init/project-files.ts";
import { isOurs, readTsconfig } from "../init/settings.ts";
import { syntaxErrors } from "../project.ts";

export interface SetUpFinding {
  readonly severity: "error" | "warning";
  readonly text: string;
  readonly remedy: string;
}

/** A build step of the project, and whether it writes derivatives. */
export interface BuildStep {
  readonly host: HostName;
  readonly isReady: boolean;
}

export const error = (text: string, remedy: string): SetUpFinding => ({
  severity: "error",
  text,
  remedy,
});
export const warning = (text: string, remedy: string): SetUpFinding => ({
  severity: "warning",
  text,
  remedy,
});

export function buildSteps(project: ProjectFiles): readonly BuildStep[] {
  return hostsOf(project).map((host) => ({ host, isReady: isReady(project, host) }));
}

function isReady(project: ProjectFiles, host: HostName): boolean {
  if (host === "tsc") return hasTsgradBuild(project) || hasTspc(project);
  if (host === "node") return project.script(/\btsgrad\/register\b/);
  const file = configEdit(host, project)?.file ?? null;
  // its own bundler takes no plugins
  if (host === "next" && usesTurbopack(project))
    return file !== null && project.read(file)?.includes("tsgrad/loader") === true;
  // vitest without a config of its own reads Vite's
  const more = host === "vitest" ? [project.config("vite.config")] : [];
  const all = [file, ...more, ...(host === "bun" ? bunPreloads(project) : [])];
  return all.some((one) => one !== null && usesPlugin(project.read(one) ?? ""));
}

const hasTsgradBuild = (project: ProjectFiles): boolean => project.script(/\btsgrad build\b/);

const pluginOf = (project: ProjectFiles): unknown => {
  const { compilerOptions = {} } = readTsconfig(project.read("tsconfig.json") ?? "{}");
  const { plugins } = compilerOptions;
  return Array.isArray(plugins) ? plugins.find(isOurs) : undefined;
};

/** Whether ts-patch runs the plugin: `tspc`, or a compiler that `ts-patch install` patched. */
const hasTspc = (project: ProjectFiles): boolean =>
  pluginOf(project) !== undefined &&
  project.version("ts-patch") !== null &&
  (project.script(/\btspc\b/) || project.script(/\bts-patch install\b/));

/** For tools without a config. */
const NOT_READY: Readonly<Partial<Record<HostName, readonly [text: string, remedy: string]>>> = {
  tsc: [
    "no script of package.json builds with derivatives",
    "build by `npx tsgrad build -p .`; `npx tsgrad init` adds a script",
  ],
  node: [
    "no script of package.json loads tsgrad/register",
    "run programs with `node --import tsgrad/register src/main.ts`",
  ],
};

/** Versions, the config's text, and tools that are not set up. */
export function setUpFindings(
  api: TypeScript,
  project: ProjectFiles,
  config: ts.ParsedCommandLine | undefined,
): readonly SetUpFinding[] {
  return [
    ...nodeFindings(),
    ...patchFindings(project),
    ...configFindings(api, project, config),
    ...buildSteps(project).flatMap(({ host, isReady: ready }) =>
      ready
        ? []
        : [
            error(
              ...(NOT_READY[host] ?? [
                `${host} is not set up: its config does not use tsgrad's plugin`,
                `run \`npx tsgrad init --host ${host}\``,
              ]),
            ),
          ],
    ),
  ];
}

/** As `engines` of package.json says. */
function nodeFindings(node = process.versions.node): readonly SetUpFinding[] {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? []
    : [error(`Node ${node} is too old`, "use Node 20.19 or newer")];
}

function patchFindings(project: ProjectFiles): readonly SetUpFinding[] {
  const patch = project.version("ts-patch");
  const compiler = project.version("typescript");
  const usesPatch = project.script(/\b(?:tspc|ts-patch)\b/);
  const found: SetUpFinding[] = [];
  if (usesPatch && patch === null)
    found.push(
      error(
        "a script calls ts-patch, which is not installed",
        `npm install --save-dev ts-patch@${patchFor(project) ?? 3}`,
      ),
    );
  if (patch === null) return found;
  if (compiler !== null && Number(compiler.split(".", 1)[0]) >= 7)
    found.push(
      error(
        `TypeScript ${compiler} has no plugins, so ts-patch ${patch} cannot run`,
        "build by `npx tsgrad build -p .`, which brings its own compiler",
      ),
    );
  else if (patch.startsWith("4.") && compiler?.startsWith("5.") === true)
    found.push(
      error(
        `ts-patch ${patch} does not take TypeScript ${compiler}`,
        "npm install --save-dev ts-patch@3",
      ),
    );
  const plugin = pluginOf(project);
  if (usesPatch && plugin === undefined)
    found.push(
      error(
        "tsconfig.json does not name the plugin for ts-patch",
        "run `npx tsgrad init --host tsc`",
      ),
    );
  if (isOurs(plugin) && (plugin as { transformProgram?: unknown }).transformProgram !== true)
    // isOurs has checked that it is an object
    found.push(
      error(
        "the plugin in tsconfig.json lacks `transformProgram`",
        'write { "transform": "tsgrad/transform", "transformProgram": true }',
      ),
    );
  return found;
}

function configFindings(
  api: TypeScript,
  project: ProjectFiles,
  config: ts.ParsedCommandLine | undefined,
): readonly SetUpFinding[] {
  if (config === undefined) return [error("there is no tsconfig.json", "run `npx tsgrad init`")];
  const wrong = syntaxErrors(api, config).map(({ messageText }) =>
    error(
      `tsconfig.json: ${api.flattenDiagnosticMessageText(messageText, " ")}`,
      "correct the file",
    ),
  );
  const { options } = config;
  const isCommon = project.manifest.type !== "module";
  const isNode =
    options.module !== undefined &&
    options.module >= api.ModuleKind.Node16 &&
    options.module <= api.ModuleKind.NodeNext;
  if (isNode && isCommon && options.verbatimModuleSyntax === true)
    wrong.push(
      warning(
        'files are CommonJS, as package.json has no "type": "module", but `verbatimModuleSyntax` wants modules as written',
        'add "type": "module" to package.json',
      ),
    );
  if (options.strict === false)
    wrong.push(warning("`strict` is off: types say less of what is a number", "turn it on"));
  return wrong;
}
