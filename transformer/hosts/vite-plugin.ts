// The Vite plugin, also for Rollup and Rolldown. Invariant: no cache of the tool serves stale text.
// A module whose key has changed, because of another file, is transformed again.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { DevEnvironment, Environment, Plugin } from "vite";
import { isComponent } from "./components.ts";
import { mentionsTsgrad, type Analyse } from "./core.ts";
import { findingText } from "./diagnostic-text.ts";
import { type Answer, type Finding, importsForms } from "./findings.ts";
import type { AskHost } from "./loaded-modules.ts";
import { packageFileOf, sourceFileOf, type ServiceOptions } from "./program-service.ts";
import type { SourceMap } from "./source-map.ts";
import { Environments } from "./vite-modules.ts";
import {
  askingBuild,
  askingServer,
  askingWorkers,
  hookedWorkers,
  isOutdated,
  optimiserSettings,
  runTimeFor,
} from "./vite-packages.ts";

type DefineCacheKey = (
  key: (context: {
    readonly id: string;
    readonly sourceCode: string;
    readonly environment?: Environment;
  }) => string | undefined,
) => void;

/** Settings of vitest's workers. */
interface WorkerSettings {
  execArgv?: string[];
}

/** The part of vitest that is used. Its disk cache identifies a module by its own text. */
interface Vitest {
  readonly project?: {
    readonly config: WorkerSettings & {
      readonly pool?: unknown;
      readonly browser?: { readonly enabled?: boolean };
      /** Before vitest 4. */
      readonly poolOptions?: Partial<Record<Pool, WorkerSettings>>;
    };
  };
  readonly vitest?: { readonly config?: { readonly coverage?: { readonly enabled?: boolean } } };
  readonly defineCacheKeyGenerator?: DefineCacheKey;
  /** The name in vitest 4. */
  readonly experimental_defineCacheKeyGenerator?: DefineCacheKey;
}

/** Hooks of other tools than Vite. */
interface OtherTools {
  readonly shouldTransformCachedModule: (module: { readonly id: string }) => boolean;
  readonly configureVitest: (context: Vitest) => void;
}

export function vitePlugin(core: Analyse, options: ServiceOptions): Plugin {
  const environments = new Environments(core, options);
  let isSecond = false;
  let isCompiling = false;
  const plugin: Plugin = {
    name: NAME,
    enforce: "pre",
    // workers are bundled separately, with plugins of their own
    config: ({ worker }) =>
      worker?.plugins !== undefined && isAmong(worker.plugins())
        ? null
        : { worker: { plugins: () => [plugin] } },
    configResolved({ plugins, root, command }) {
      isSecond = isOther(plugins.find(({ name }) => name === NAME) ?? plugin, plugin);
      if (root === environments.root) return;
      environments.root = root;
      environments.isServed = command === "serve";
      environments.reset();
    },
    buildStart(started) {
      for (const modules of environments.all()) modules.service.begin();
      // Vite's dev server passes no plugins
      const given = started as Partial<typeof started> | undefined;
      isCompiling = given?.plugins?.some((each) => isNamed(each, "typescript")) === true;
    },
    watchChange(id) {
      for (const modules of environments.all()) {
        modules.service.begin();
        modules.invalidate(moduleFileOf(id));
      }
    },
    // in Rollup before plugins that strip types, whatever their order
    transform: {
      order: "pre",
      async handler(code, id) {
        if (isSecond) return null;
        const modules = environments.of(environmentOf(this));
        const ask = askerFor(environments, this);
        const inPackage = packageFileOf(id);
        if (inPackage !== null) return modules.extend(inPackage, code, ask);
        const file = moduleFileOf(id);
        refuseUnseen(this, id, code, isCompiling ? file : null);
        const answer = file === null ? null : await modules.give(file, code, ask);
        if (file === null || answer === null) return null;
        await isBundledAgain(environments, environmentOf(this));
        return told(this, answer, { file, id, isServed: environments.server !== null });
      },
    },
  };
  return Object.assign(
    plugin,
    serverHooks(environments, () => isSecond),
    otherTools(environments),
  );
}

/** Hooks of Vite's server alone. */
const serverHooks = (
  environments: Environments,
  isSecond: () => boolean,
): Pick<Plugin, "configEnvironment" | "configureServer" | "hotUpdate"> => ({
  configEnvironment(name) {
    // Vite 6 passes nothing
    const { meta } = (this as Partial<typeof this> | undefined) ?? {};
    return optimiserSettings(() => {
      const environment = environments.server?.environments[name];
      return environment === undefined
        ? null
        : { environment, modules: environments.of(environment) };
    }, meta?.rolldownVersion !== undefined);
  },
  async configureServer(server) {
    if (isSecond()) return;
    environments.server = server;
    const all = (server as Partial<typeof server>).environments; // absent in Vite 5
    for (const environment of Object.values<DevEnvironment>(all ?? {}))
      if (environment.depsOptimizer !== undefined)
        await isOutdated(environment, environments.of(environment));
  },
  async hotUpdate({ modules: changed }) {
    if (await isBundledAgain(environments, this.environment)) return [];
    const more = environments.of(this.environment).staleIn(this.environment.moduleGraph);
    return more.length === 0 ? undefined : [...new Set([...changed, ...more])];
  },
});

/** Absent in Rollup. */
const environmentOf = (context: { readonly environment: Environment }): Environment | undefined =>
  (context as Partial<typeof context>).environment;

function askerFor(
  environments: Environments,
  context: Parameters<typeof askingBuild>[0] & Parameters<typeof environmentOf>[0],
): AskHost {
  const environment = environmentOf(context);
  if (environment?.mode !== "dev") return askingBuild(context);
  return environments.workers !== null && environments.isInNode(environment)
    ? askingWorkers(context)
    : askingServer(environment);
}

/** Whether Vite bundles packages again, since they have other twins. It loads the page again. */
async function isBundledAgain(
  environments: Environments,
  environment: Environment | undefined,
): Promise<boolean> {
  if (environment?.mode !== "dev" || environment.depsOptimizer === undefined) return false;
  const isOld = await isOutdated(environment, environments.of(environment));
  if (!isOld) return false;
  // what is named by settings alone is bundled when a server starts
  if (environment.depsOptimizer.options.noDiscovery === true)
    void environments.server?.restart(true);
  else environment.depsOptimizer.run();
  return true;
}

/** The tool may have copied the plugin object, and objects in it. */
const isOther = (one: Plugin, other: Plugin): boolean => handlerOf(one) !== handlerOf(other);

const handlerOf = ({ transform }: Pick<Plugin, "transform">): unknown =>
  typeof transform === "object" ? transform.handler : transform;

const otherTools = (environments: Environments): OtherTools & Pick<Plugin, "resolveId"> => ({
  resolveId: {
    order: "pre",
    handler(source, importer) {
      return runTimeFor(environments.of(environmentOf(this)), this, source, importer);
    },
  },
  shouldTransformCachedModule({ id }) {
    const file = packageFileOf(id) ?? moduleFileOf(id);
    return file !== null && environments.all().some((modules) => modules.isStale(file));
  },
  configureVitest({
    vitest,
    project,
    defineCacheKeyGenerator,
    experimental_defineCacheKeyGenerator,
  }) {
    const workers = project === undefined ? [] : workersOf(project.config);
    if (workers.length > 0) {
      const { flags, publish } = hookedWorkers(isVm(project?.config.pool));
      environments.workers = publish;
      environments.reset();
      for (const settings of workers) settings.execArgv = [...(settings.execArgv ?? []), ...flags];
    }
    const isCovered = vitest?.config?.coverage?.enabled === true;
    environments.isCovered = isCovered;
    const define = defineCacheKeyGenerator ?? experimental_defineCacheKeyGenerator;
    define?.(({ id, sourceCode, environment }) => {
      const file = moduleFileOf(id);
      return file === null
        ? undefined
        : `tsgrad${isCovered ? " covered" : ""}:${environments.of(environment).key(file, sourceCode)}`;
    });
  },
});

const POOLS = ["forks", "threads", "vmForks", "vmThreads"] as const;
type Pool = (typeof POOLS)[number];

const isPool = (pool: unknown): pool is Pool => POOLS.some((each) => each === pool);
/** In which vitest loads packages itself. */
const isVm = (pool: unknown): boolean => pool === "vmForks" || pool === "vmThreads";

/** Settings of the processes and threads where Node itself loads packages. */
function workersOf(config: NonNullable<Vitest["project"]>["config"]): readonly WorkerSettings[] {
  const { pool, browser, poolOptions, execArgv } = config;
  if (browser?.enabled === true || !isPool(pool)) return [];
  if (execArgv !== undefined) return [config];
  if (poolOptions === undefined) return [];
  return [(poolOptions[pool] ??= {})];
}

/** `compiled`: a file whose types another plugin may have stripped. */
function refuseUnseen(
  context: {
    warn(log: { message: string; id: string }): void;
    error(log: { message: string; id: string }): never;
  },
  id: string,
  code: string,
  compiled: string | null,
): void {
  if (isUnseen(id, code)) context.warn({ message: UNSEEN, id });
  if (compiled !== null && mentionsTsgrad(code) && isCompiled(compiled, code))
    context.error({ message: COMPILED, id });
}

/** Reports the findings of an answer; its code if it has any. */
function told(
  context: Parameters<typeof report>[0] & { addWatchFile(file: string): void },
  { code, map, findings, dependencies }: Answer,
  {
    file,
    id,
    isServed,
  }: { readonly file: string; readonly id: string; readonly isServed: boolean },
): { readonly code: string; readonly map: SourceMap } | null {
  for (const dependency of dependencies) context.addWatchFile(dependency);
  report(context, findings, (finding) => placed(finding, file, id, isServed));
  return code === null || map === null ? null : { code, map: { ...map, file } };
}

type Place = ReturnType<typeof placed>;

/** Reports warnings, and all errors as one, since the tool stops at the first. */
function report(
  context: {
    warn(log: { message: string } & Place): void;
    error(log: { message: string; stack: string } & Place): never;
  },
  findings: readonly Finding[],
  placeOf: (finding: Finding) => Place,
): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  for (const finding of findings)
    if (!errors.includes(finding))
      context.warn({ message: findingText(finding), ...placeOf(finding) });
  if (errors[0] !== undefined)
    context.error({
      message: errors.map(findingText).join("\n"),
      stack: "",
      ...placeOf(errors[0]),
    });
}

const NAME = "tsgrad";

/** The file of a module or component, or a name for a script of an Astro page; null for others. */
const moduleFileOf = (id: string): string | null => {
  const [, page, index] = /^([^?]*\.astro)\?astro&type=script&index=(\d+)/.exec(id) ?? [];
  if (page !== undefined) return sourceFileOf(`${page}.${index}.ts`);
  if (!isComponent(id)) return sourceFileOf(id);
  const file = path.normalize(id).split(path.sep).join("/");
  return file.includes("/node_modules/") || id.includes("\0") ? null : file;
};

/** Code that no part of the plugin changes: in HTML, or in a language of its own. */
const isUnseen = (id: string, code: string): boolean =>
  moduleFileOf(id) === null &&
  /[?&]html-proxy\b|[?&]type=script\b|\.(?:mdx|marko|riot|imba|civet|coffee)$/.test(id) &&
  importsForms(code) &&
  !/\$(?:grad|rev[fr]|jvp)\b/.test(code);

const UNSEEN =
  "tsgrad does not see the calls in this code: they have no derivative\n" +
  "move them to a module in TypeScript, and import that";

const COMPILED =
  "tsgrad: @rollup/plugin-typescript has compiled this file while it was loaded, and nothing is left of its types\n" +
  "strip types by a plugin that transforms what is loaded, as rollup-plugin-esbuild, @rollup/plugin-swc or @rollup/plugin-sucrase do";

/** Whether the text of a TypeScript file differs from the disk. */
const isCompiled = (file: string, text: string): boolean =>
  /\.[cm]?tsx?$/.test(file) && existsSync(file) && readFileSync(file, "utf8") !== text;

/** Whether this plugin is in a nested array of plugins. */
function isAmong(plugins: unknown): boolean {
  if (Array.isArray(plugins)) return plugins.some(isAmong);
  return isNamed(plugins, NAME);
}

const isNamed = (plugin: unknown, name: string): boolean =>
  typeof plugin === "object" && plugin !== null && "name" in plugin && plugin.name === name;

/** The place of a finding. Builds print only its line, so theirs is in the module itself. */
function placed(
  { at, notes }: Finding,
  file: string,
  id: string,
  isServed: boolean,
): { id: string; loc?: { file: string; line: number; column: number } } {
  const place =
    isServed || at?.file === file ? at : (notes.find((note) => note.at?.file === file)?.at ?? null);
  return place === null
    ? { id }
    : { id, loc: { file: place.file, line: place.line, column: place.column } };
}
