// The Vite plugin, also for Rollup and Rolldown. Invariant: no cache of the tool serves stale text.
// A module whose key has changed, because of another file, is transformed again.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin, ViteDevServer } from "vite";
import { isComponent } from "./components.ts";
import { mentionsTsgrad, type Analyse } from "./core.ts";
import { findingText } from "./diagnostic-text.ts";
import { type Answer, type Finding, importsForms } from "./findings.ts";
import type { AskHost } from "./loaded-modules.ts";
import {
  isOfPackage,
  packageFileOf,
  ProgramService,
  sourceFileOf,
  type ServiceOptions,
} from "./program-service.ts";
import { modulesOf as modulesOfPackages } from "./module-loader.ts";
import { ownFolder, twinWriter } from "./twin-files.ts";
import type { SourceMap } from "./source-map.ts";

type DefineCacheKey = (
  key: (context: { readonly id: string; readonly sourceCode: string }) => string | undefined,
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
      readonly poolOptions?: { forks?: WorkerSettings; threads?: WorkerSettings };
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
  let modules = new Modules(serviceIn(core, options, options.cwd, true));
  let root: string | undefined;
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
    configResolved({ plugins, root: found, command }) {
      isSecond = isOther(plugins.find(({ name }) => name === NAME) ?? plugin, plugin);
      if (found === root) return;
      root = found;
      // a server bundles packages before, or leaves them to Node
      modules = modules.of(serviceIn(core, options, options.cwd ?? found, command === "build"));
    },
    configureServer(server) {
      modules.servers.push(server);
    },
    buildStart(started) {
      modules.service.begin();
      // Vite's dev server passes no plugins
      const given = started as Partial<typeof started> | undefined;
      isCompiling = given?.plugins?.some((each) => isNamed(each, "typescript")) === true;
    },
    watchChange(id) {
      modules.service.begin();
      modules.invalidate(moduleFileOf(id));
    },
    hotUpdate({ modules: changed }) {
      const more = modules.staleIn(this.environment.moduleGraph);
      return more.length === 0 ? undefined : [...new Set([...changed, ...more])];
    },
    // in Rollup before plugins that strip types, whatever their order
    transform: {
      order: "pre",
      async handler(code, id) {
        const ask = asking(this);
        const inPackage = isSecond ? null : packageFileOf(id);
        if (inPackage !== null) return modules.extend(inPackage, code, ask);
        const file = isSecond ? null : moduleFileOf(id);
        if (!isSecond) refuseUnseen(this, id, code, isCompiling ? file : null);
        const answer = file === null ? null : await modules.give(file, code, ask);
        if (file === null || answer === null) return null;
        return told(this, answer, { file, id, isServed: modules.servers.length > 0 });
      },
    },
  };
  return Object.assign(
    plugin,
    otherTools(
      () => modules,
      () => {
        const cwd = options.cwd ?? root;
        modules = modules.of(serviceIn(core, { ...options, seesAll: true }, cwd, true));
      },
    ),
  );
}

const serviceIn = (
  core: Analyse,
  options: ServiceOptions,
  cwd: string | undefined,
  loadsPackages: boolean,
): ProgramService =>
  new ProgramService(core, { ...options, cwd, hasComponents: true, loadsPackages });

/** The tool may have copied the plugin object, and objects in it. */
const isOther = (one: Plugin, other: Plugin): boolean => handlerOf(one) !== handlerOf(other);

const handlerOf = ({ transform }: Pick<Plugin, "transform">): unknown =>
  typeof transform === "object" ? transform.handler : transform;

/** `loadPackages`: modules of packages have their twins from now on. */
const otherTools = (
  modules: () => Modules,
  loadPackages: () => void,
): OtherTools & Pick<Plugin, "resolveId"> => ({
  resolveId: {
    order: "pre",
    handler(source, importer) {
      return runTimeFor(modules().service, this, source, importer);
    },
  },
  shouldTransformCachedModule({ id }) {
    const file = packageFileOf(id) ?? moduleFileOf(id);
    return file !== null && modules().isStale(file);
  },
  configureVitest({
    vitest,
    project,
    defineCacheKeyGenerator,
    experimental_defineCacheKeyGenerator,
  }) {
    const workers = project === undefined ? [] : workersOf(project.config);
    if (workers.length > 0) {
      loadPackages();
      const flags = modules().share();
      for (const settings of workers) settings.execArgv = [...(settings.execArgv ?? []), ...flags];
    }
    const isCovered = vitest?.config?.coverage?.enabled === true;
    modules().service.isCovered = isCovered;
    const define = defineCacheKeyGenerator ?? experimental_defineCacheKeyGenerator;
    define?.(({ id, sourceCode }) => {
      const file = moduleFileOf(id);
      return file === null
        ? undefined
        : `tsgrad${isCovered ? " covered" : ""}:${modules().key(file, sourceCode)}`;
    });
  },
});

/** Settings of the processes and threads where Node itself loads packages. */
function workersOf(config: NonNullable<Vitest["project"]>["config"]): readonly WorkerSettings[] {
  const { pool, browser, poolOptions, execArgv } = config;
  if ((pool !== "forks" && pool !== "threads") || browser?.enabled === true) return [];
  if (execArgv !== undefined) return [config];
  if (poolOptions === undefined) return [];
  return [(poolOptions[pool] ??= {})];
}

interface Resolving {
  readonly resolve: (
    specifier: string,
    importer: string,
  ) => Promise<{
    readonly id: string;
    /** Absent in Vite's server. */
    readonly external?: boolean | "absolute" | "relative";
  } | null>;
}

/** What the tool resolves imports of packages to. */
const asking =
  (context: Resolving): AskHost =>
  async ({ specifier, fromFile }) => {
    const found = await context.resolve(specifier, fromFile);
    if (found === null || (found.external ?? false) !== false)
      return { file: null, inPlace: false };
    const id = found.id.split("?", 1)[0] ?? found.id;
    const file = packageFileOf(id);
    return { file: file ?? sourceFileOf(id), inPlace: file !== null };
  };

/** The run time of the project, for modules of packages. */
const runTimeFor = async (
  service: ProgramService,
  context: Resolving,
  source: string,
  importer: string | undefined,
): ReturnType<Resolving["resolve"]> =>
  (source === "tsgrad/delta" || source === "tsgrad/delta-higher") &&
  importer !== undefined &&
  isOfPackage(importer)
    ? context.resolve(source, path.join(service.folder(), "x.js"))
    : null;

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

/** The transformed modules with the keys of their outputs, and the servers with these. */
class Modules {
  readonly service: ProgramService;
  readonly servers: ViteDevServer[] = [];
  readonly #given: Map<string, string>;
  /** Writes the twins of packages for the processes that load them. */
  #publish: ReturnType<typeof twinWriter> | null = null;
  /** Keys at which a module was invalidated, so that it is not loaded under two dates. */
  readonly #old = new Map<string, string>();

  constructor(service: ProgramService, given: Map<string, string> = new Map()) {
    this.service = service;
    this.#given = given;
  }

  /** The same modules with another service. */
  of(service: ProgramService): Modules {
    const made = new Modules(service, this.#given);
    made.servers.push(...this.servers);
    return made;
  }

  /** Flags for processes that load packages: they get the twins that are made here. */
  share(): readonly string[] {
    const folder = ownFolder();
    this.#publish = twinWriter(folder);
    const starter = new URL("./twins.cjs", import.meta.url).href;
    const text = `import twins from ${JSON.stringify(starter)}; twins.start(${JSON.stringify(folder)});`;
    return ["--import", `data:text/javascript,${encodeURIComponent(text)}`];
  }

  key(file: string, text: string): string {
    const key = this.service.key(file, text);
    this.#publish?.(modulesOfPackages(this.service));
    return key;
  }

  isStale(file: string): boolean {
    return (this.#given.get(file) ?? "") !== this.service.key(file);
  }

  staleIn(graph: ModuleGraph): ReturnType<typeof modulesOf> {
    return this.#stale().flatMap((file) => modulesOf(file, graph));
  }

  #stale(): string[] {
    return [...this.#given.keys()].filter((file) => this.isStale(file));
  }

  /** In all environments: one's transform makes the modules of the others stale. */
  invalidate(except: string | null): void {
    if (this.servers.length === 0) return;
    const graphs = this.servers
      .flatMap((server) => Object.values(server.environments))
      .map((environment) => environment.moduleGraph);
    for (const file of this.#stale()) {
      const key = this.service.key(file);
      if (file === except || this.#old.get(file) === key) continue;
      this.#old.set(file, key);
      for (const graph of graphs)
        for (const module of modulesOf(file, graph))
          graph.invalidateModule(module, new Set(), Date.now(), true);
    }
  }

  /** A module of a package with its twins. */
  async extend(
    file: string,
    code: string,
    ask: AskHost,
  ): Promise<{ readonly code: string; readonly map: SourceMap | null } | null> {
    const made = await this.service.settled(ask, () => this.service.extended(file, code));
    this.#given.set(file, made === null ? "" : this.service.key(file));
    return made === null || made.code === null ? null : { code: made.code, map: made.map };
  }

  async give(file: string, code: string, ask: AskHost): Promise<Answer | null> {
    const answer = await this.service.settled(ask, () => this.service.answer(file, code));
    this.#given.set(file, answer === null ? "" : this.service.key(file));
    this.#publish?.(modulesOfPackages(this.service));
    this.#old.delete(file);
    if (answer !== null) this.invalidate(file);
    return answer;
  }
}

type ModuleGraph = ViteDevServer["environments"][string]["moduleGraph"];

const modulesOf = (file: string, graph: ModuleGraph) => [...(graph.getModulesByFile(file) ?? [])];

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
