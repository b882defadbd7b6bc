// How Vite loads packages: its server bundles them before, or Node loads them, or they come through
// the plugin as any module. In: an environment of the server. Out: what it loads for an import, and
// plugins and hooks by which its modules get their twins. Invariant: one instance of each module,
// and one of the run time.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";
import type { Plugin as Esbuild } from "esbuild";
import type { DevEnvironment, Environment, Rolldown } from "vite";
import { packageModule } from "./esbuild-plugin.ts";
import type { AskHost } from "./loaded-modules.ts";
import type { LoadedModule } from "./module-loader.ts";
import { loadedByNode } from "./node-resolution.ts";
import { isOfPackage, packageFileOf, sourceFileOf } from "./program-service.ts";
import { RUN_TIME } from "./run-time.ts";
import { loadedBefore, ownFolder, twinWriter } from "./twin-files.ts";
import type { Modules } from "./vite-modules.ts";
import { runTimeIn } from "./vm-run-time.ts";

type Publish = (modules: ReadonlyMap<string, LoadedModule>) => void;

/** `isWorker`: in the processes and threads of vitest. */
export function loadsInNode(environment: Environment, isWorker: boolean): boolean {
  if (environment.mode !== "dev") return false;
  if (isWorker) return environment.depsOptimizer === undefined;
  const { consumer, resolve } = environment.config;
  return consumer === "server" && resolve.noExternal !== true;
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

const NOTHING = { file: null, inPlace: false };

const found = (id: string): Awaited<ReturnType<AskHost>> => {
  const plain = id.split("?", 1)[0] ?? id;
  const file = packageFileOf(plain);
  return { file: file ?? sourceFileOf(plain), inPlace: file !== null };
};

/** What a build resolves imports to. */
export const askingBuild =
  (context: Resolving): AskHost =>
  async ({ specifier, fromFile }) => {
    const resolved = await context.resolve(specifier, fromFile);
    return resolved === null || (resolved.external ?? false) !== false
      ? NOTHING
      : found(resolved.id);
  };

/** What a server loads, asked in a way that bundles nothing. */
function askingVite(environment: DevEnvironment): AskHost {
  const config = environment.getTopLevelConfig();
  const [imported, required] = [false, true].map((isRequire) =>
    config.createResolver({ asSrc: false, scan: true, isRequire }),
  );
  const isServer = environment.config.consumer === "server";
  return async ({ specifier, fromFile, isRequired }) => {
    const id = await (isRequired ? required : imported)?.(specifier, fromFile, false, isServer);
    return id === undefined ? NOTHING : found(id);
  };
}

/** What Node loads, but for the packages that go through the plugin. */
function askingNode(environment: DevEnvironment, asksVite: AskHost): AskHost {
  const { noExternal, externalConditions } = environment.config.resolve;
  const own = [noExternal].flat().filter((each) => typeof each !== "boolean");
  const load = loadedByNode(() => false, externalConditions);
  return async (question) => {
    const { specifier, fromFile, isRequired } = question;
    const isOwn = own.some((each) =>
      typeof each === "string" ? matches(each, specifier) : each.test(specifier),
    );
    return isOwn ? await asksVite(question) : load(specifier, fromFile, isRequired, "");
  };
}

/** Whether a pattern means the package of a specifier. */
function matches(pattern: string, specifier: string): boolean {
  const [name = ""] = /^(?:@[^/]*\/)?[^/]*/.exec(specifier) ?? [];
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]*")}$`).test(name);
}

const askers = new WeakMap<DevEnvironment, AskHost>();

export function askingServer(environment: DevEnvironment): AskHost {
  const known = askers.get(environment);
  if (known !== undefined) return known;
  const asksVite = askingVite(environment);
  const made = loadsInNode(environment, false) ? askingNode(environment, asksVite) : asksVite;
  askers.set(environment, made);
  return made;
}

/** Vite resolves what is in a file of the program. What is in a package, Node does. */
export function askingWorkers(context: Resolving): AskHost {
  const asksVite = askingBuild(context);
  const load = loadedByNode(() => false);
  return async (question) => {
    const { specifier, fromFile, isRequired } = question;
    return isOfPackage(fromFile)
      ? load(specifier, fromFile, isRequired, "")
      : await asksVite(question);
  };
}

/** The run time of the project, for modules of packages. */
export const runTimeFor = async <R>(
  { service }: Modules,
  context: { resolve(source: string, importer: string): Promise<R | null> },
  source: string,
  importer: string | undefined,
): Promise<R | null> =>
  RUN_TIME.test(source) && importer !== undefined && isOfPackage(importer)
    ? context.resolve(source, path.join(service.folder(), "x.js"))
    : null;

/** What is bundled, and for which environment; null before a server has started. */
export type FindBundled = () => {
  readonly environment: DevEnvironment;
  readonly modules: Modules;
} | null;

const PACKAGES = "tsgrad:packages";
/** A name that Rolldown replaces: its value is part of the version of what Vite bundles. */
const VERSION = "__TSGRAD_PACKAGES__";

/** Settings by which Vite bundles packages with their twins, since Vite 8 by Rolldown. */
export const optimiserSettings = (find: FindBundled, isRolldown: boolean): object => ({
  optimizeDeps: isRolldown
    ? {
        rolldownOptions: {
          plugins: [rolldownPlugin(find)],
          transform: { define: { [VERSION]: '""' } },
        },
      }
    : { esbuildOptions: { plugins: [esbuildPlugin(find)] } },
});

const FACADE = "\0tsgrad-run-time:";
const OF_PACKAGE = /[\\/]node_modules[\\/]/;

const rolldownPlugin = (find: FindBundled): Rolldown.Plugin => ({
  name: PACKAGES,
  resolveId: {
    filter: { id: RUN_TIME },
    async handler(source, importer = "") {
      if (importer.startsWith(FACADE)) return { id: source, external: "absolute" };
      if (!isOfPackage(importer)) return null;
      return { id: (await bundledRunTime(find(), source)) ?? FACADE + source };
    },
  },
  load: {
    filter: { id: /^\0tsgrad-run-time:/ },
    handler: (id) => facadeOf(id.slice(FACADE.length)),
  },
  transform: {
    filter: { id: OF_PACKAGE },
    async handler(code, id) {
      const at = find();
      const file = packageFileOf(id);
      return at === null || file === null
        ? null
        : await at.modules.extend(file, code, askingServer(at.environment));
    },
  },
});

const esbuildPlugin = (find: FindBundled): Esbuild => ({
  name: PACKAGES,
  setup(build) {
    build.onResolve({ filter: RUN_TIME }, async ({ path: source, importer, namespace }) => {
      if (namespace === FACADE) return { path: source, external: true };
      if (!isOfPackage(importer)) return undefined;
      const file = await bundledRunTime(find(), source);
      return file === null ? { path: source, namespace: FACADE } : { path: file };
    });
    build.onLoad({ filter: RUN_TIME, namespace: FACADE }, ({ path: source }) => ({
      contents: facadeOf(source),
    }));
    build.onLoad({ filter: OF_PACKAGE, namespace: "file" }, async ({ path: name, suffix }) => {
      const at = find();
      return at === null || suffix !== "" || packageFileOf(name) === null
        ? undefined
        : await packageModule(at.modules.service, name, askingServer(at.environment));
    });
  },
});

/** `require` of what is outside would stay in the text. */
const facadeOf = (specifier: string): string => `export * from ${JSON.stringify(specifier)};`;

/** The file of the run time; null if the program's own import of it is not bundled. */
async function bundledRunTime(at: ReturnType<FindBundled>, source: string): Promise<string | null> {
  if (at === null) return null;
  const { environment, modules } = at;
  const { exclude = [], include = [], noDiscovery } = environment.config.optimizeDeps;
  if (exclude.some((each) => each === "tsgrad" || each === source)) return null;
  if (noDiscovery === true && !include.includes(source)) return null;
  const fromFile = path.join(modules.service.folder(), "x.js");
  const question = { specifier: source, fromFile, isRequired: false };
  const { file } = await askingServer(environment)(question);
  return file !== null && isOfPackage(file) ? file : null;
}

/** The modules of packages that had twins when Vite bundled. */
const bundled = new WeakMap<DevEnvironment, ReadonlyMap<string, string>>();

/**
 * Makes the version of what Vite bundles follow the twins of packages. True if it has to bundle
 * again.
 */
export async function isOutdated(
  environment: DevEnvironment,
  { service }: Modules,
): Promise<boolean> {
  const wanted = await service.settled(askingServer(environment), () => service.packageModules());
  const before = bundled.get(environment);
  if ([...wanted].every(([file, text]) => before?.get(file) === text)) return false;
  bundled.set(environment, new Map([...(before ?? []), ...wanted]));
  const texts = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  const { rolldownOptions, esbuildOptions } = environment.config.optimizeDeps;
  const define = rolldownOptions?.transform?.define;
  if (define !== undefined) define[VERSION] = JSON.stringify(hash);
  for (const plugin of esbuildOptions?.plugins ?? [])
    if (plugin.name.startsWith(PACKAGES)) plugin.name = `${PACKAGES}:${hash}`;
  return true;
}

/** A file of this package that puts Node's hooks into a process; see twins.ts. */
interface Twins {
  readonly start: (folder: string) => void;
}

/** Node loads packages in this process: it has hooks once there are twins. */
export function hookedHere(warn: (text: string) => void): Publish {
  let folder: string | null = null;
  let write: ReturnType<typeof twinWriter> | null = null;
  return (modules) => {
    if (folder === null || write === null) {
      if (modules.size === 0) return;
      folder = ownFolder();
      write = twinWriter(folder);
      write(modules);
      const load = createRequire(import.meta.url);
      (load("./twins.cjs") as Twins).start(folder); // made of twins.ts
    } else if (write(modules)) for (const file of loadedBefore(folder)) warn(onceOnly(file));
  };
}

const onceOnly = (file: string): string =>
  `tsgrad: Node has loaded ${file} before, and loads no module again\n` +
  "start the server again where a derivative is new in it: until then it is missing (TSG0010)";

/** Flags for processes that load packages: they get what is made here. `isVm`: of a vm pool. */
export function hookedWorkers(isVm: boolean): {
  readonly flags: readonly string[];
  readonly publish: Publish;
} {
  const folder = ownFolder();
  const starter = new URL("./twins.cjs", import.meta.url).href;
  const start = isVm ? "startReading" : "start";
  const text = `import twins from ${JSON.stringify(starter)}; twins.${start}(${JSON.stringify(folder)});`;
  const write = twinWriter(folder);
  const more = isVm ? runTimeIn(folder) : new Map<string, LoadedModule>();
  return {
    flags: ["--import", `data:text/javascript,${encodeURIComponent(text)}`],
    publish: (modules) => {
      write(new Map([...modules, ...more]));
    },
  };
}
