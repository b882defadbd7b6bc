// The webpack plugin. It edits modules before all other loaders, those of packages, too. Invariant:
// caches serve no stale text. A module whose key has changed, because of another file, is rebuilt.

import path from "node:path";
import { entryFiles } from "./entry-files.ts";
import { findingText } from "./diagnostic-text.ts";
import type { AskHost } from "./loaded-modules.ts";
import {
  isOfPackage,
  packageFileOf,
  ProgramService,
  sourceFileOf,
  type ServiceOptions,
} from "./program-service.ts";
import { RUN_TIME } from "./run-time.ts";
import { composedWith, inlineComment } from "./source-map.ts";
import type { Analyse } from "./core.ts";

interface Hook<A extends readonly unknown[]> {
  readonly tap: (name: string, run: (...args: A) => void) => void;
}

interface Module {
  readonly type: string;
  readonly identifier: () => string;
  /** The specifier of what stays outside. */
  readonly userRequest?: string;
  /** Path and query; absent if the module has no file. */
  readonly resource?: string;
  /** The part of a module that webpack caches. */
  readonly buildInfo?: Record<string, unknown>;
}

/** What webpack is about to resolve. */
interface Wanted {
  readonly request: string;
  readonly contextInfo: { readonly issuer: string };
  context: string;
}

interface ModuleFactory {
  readonly hooks: { readonly beforeResolve: Hook<[Wanted]> };
}

interface Compilation {
  readonly hooks: {
    readonly finishModules: {
      readonly tapPromise: (
        name: string,
        run: (modules: Iterable<Module>) => Promise<void>,
      ) => void;
    };
  };
  readonly rebuildModule: (module: Module, done: (error?: unknown) => void) => void;
}

/** The part of webpack that is used. */
interface Compiler {
  readonly context: string;
  readonly options: { readonly entry: unknown; readonly module: { readonly rules: unknown[] } };
  readonly hooks: {
    readonly beforeRun: Hook<[]>;
    readonly watchRun: Hook<[]>;
    readonly compilation: Hook<[Compilation, { readonly normalModuleFactory: ModuleFactory }]>;
  };
}

/** The context of a loader. */
export interface LoaderContext {
  readonly resource: string;
  readonly sourceMap: boolean;
  readonly _module?: Module;
  /** All loaders of the module; the last one runs first. */
  readonly loaders?: readonly { readonly path: string }[];
  readonly loaderIndex?: number;
  readonly getOptions: () => LoaderOptions;
  readonly getResolve: (options: {
    readonly dependencyType: "esm" | "commonjs";
  }) => (folder: string, specifier: string) => Promise<string | false | undefined>;
  readonly addDependency: (file: string) => void;
  readonly emitError: (error: Error) => void;
  readonly emitWarning: (warning: Error) => void;
  readonly async: () => (error: unknown, text?: string, map?: unknown) => void;
}

/** A module's text, and its source map if that is another one. */
interface Given {
  readonly text: string;
  readonly map: unknown;
}

interface LoaderOptions {
  readonly load: (context: LoaderContext, given: Given) => Promise<Given>;
}

const NAME = "tsgrad";

/** `loader`: the file of webpack-loader.ts, as JavaScript. */
export function webpackPlugin(
  core: Analyse,
  options: ServiceOptions,
  loader: string,
): { readonly apply: (compiler: { readonly context: string }) => void } {
  // webpack's own
  return { apply: (compiler) => join(compiler as Compiler, core, options, loader) };
}

function join(
  {
    context,
    options: {
      entry,
      module: { rules },
    },
    hooks,
  }: Compiler,
  core: Analyse,
  options: ServiceOptions,
  loader: string,
): void {
  // a second instance of the plugin does nothing
  if (rules.some(isOurs)) return;
  const service = new ProgramService(core, {
    ...options,
    cwd: options.cwd ?? context,
    loadsPackages: true,
  });
  const begin = (): void => service.begin(entryFiles(namesIn(entry), context));
  hooks.beforeRun.tap(NAME, begin);
  hooks.watchRun.tap(NAME, begin);
  hooks.compilation.tap(NAME, (compilation, { normalModuleFactory }) => {
    normalModuleFactory.hooks.beforeResolve.tap(NAME, (wanted) => {
      // the run time of the project, for modules of packages
      if (RUN_TIME.test(wanted.request) && isOfPackage(wanted.contextInfo.issuer))
        wanted.context = service.folder();
    });
    compilation.hooks.finishModules.tapPromise(NAME, (modules) =>
      buildStale(modules, compilation, service),
    );
  });
  const use = {
    loader,
    ident: NAME,
    options: {
      load: (...args: Parameters<LoaderOptions["load"]>): Promise<Given> => load(service, ...args),
    },
  };
  // `new URL("./a.ts", import.meta.url)` refers to an asset, not to a module
  rules.push({
    test: /\.[cm]?[jt]sx?$/,
    dependency: { not: ["url"] },
    enforce: "pre",
    use: [use],
  });
}

const isOurs = (rule: unknown): boolean =>
  typeof rule === "object" &&
  rule !== null &&
  "use" in rule &&
  Array.isArray(rule.use) &&
  rule.use.some(
    (use: unknown) =>
      typeof use === "object" && use !== null && "ident" in use && use.ident === NAME,
  );

/** webpack's static entry points; those that a function returns are unknown. */
function namesIn(entry: unknown): string[] {
  if (typeof entry !== "object" || entry === null) return [];
  return Object.values(entry)
    .flatMap((each: unknown) =>
      typeof each === "object" && each !== null && "import" in each && Array.isArray(each.import)
        ? (each.import as unknown[]) // any[]
        : [],
    )
    .filter((name: unknown) => typeof name === "string");
}

/** What webpack resolves imports of packages to. */
const asking =
  (context: LoaderContext): AskHost =>
  async ({ specifier, fromFile, isRequired }) => {
    const resolve = context.getResolve({ dependencyType: isRequired ? "commonjs" : "esm" });
    const found = await resolve(path.dirname(fromFile), specifier).catch(() => false);
    const file = typeof found === "string" ? packageFileOf(found) : null;
    return {
      file: file ?? (typeof found === "string" ? sourceFileOf(found) : null),
      inPlace: file !== null,
    };
  };

async function load(service: ProgramService, context: LoaderContext, given: Given): Promise<Given> {
  const { resource } = context;
  if (isOfPackage(resource)) return extend(service, context, given);
  const file = sourceFileOf(resource);
  const answer =
    file === null
      ? null
      : await service.settled(asking(context), () => service.answer(file, given.text));
  note(context, file === null || answer === null ? "" : service.key(file));
  if (answer === null) return given;
  for (const dependency of answer.dependencies) context.addDependency(dependency);
  for (const finding of answer.findings) {
    const found = Object.assign(new Error(findingText(finding)), { stack: "" });
    if (finding.severity === "error") context.emitError(found);
    else context.emitWarning(found);
  }
  if (answer.code === null) return given;
  if (!context.sourceMap || answer.map === null) return { text: answer.code, map: undefined };
  const map = composedWith(answer.map, given.map);
  const text = readsMapInText(context) ? answer.code + inlineComment(map) : answer.code;
  return { text, map };
}

/** A module of a package. */
async function extend(
  service: ProgramService,
  context: LoaderContext,
  given: Given,
): Promise<Given> {
  const file = packageFileOf(context.resource);
  if (file === null) return given;
  const made = await service.settled(asking(context), () => service.extended(file, given.text));
  note(context, made === null ? "" : service.key(file));
  return made === null || made.code === null
    ? given
    : { text: made.code, map: context.sourceMap ? made.map : undefined };
}

function note({ _module }: LoaderContext, key: string): void {
  if (_module?.buildInfo !== undefined) _module.buildInfo[NAME] = key;
}

/** esbuild-loader passes only the text to esbuild, which reads an inline map from it. */
const readsMapInText = ({ loaders = [], loaderIndex = 0 }: LoaderContext): boolean =>
  /[\\/]esbuild-loader[\\/]/.test(loaders[loaderIndex - 1]?.path ?? "");

/** Rebuilds modules whose output a file found later has changed. */
async function buildStale(
  modules: Iterable<Module>,
  compilation: Compilation,
  service: ProgramService,
): Promise<void> {
  const isStale = ({ type, resource, buildInfo }: Module): boolean => {
    const file =
      resource === undefined || !type.startsWith("javascript")
        ? null
        : (packageFileOf(resource) ?? sourceFileOf(resource));
    return file !== null && service.key(file) !== (buildInfo?.[NAME] ?? "");
  };
  const all = [...modules];
  service.leave(
    all.flatMap((module) =>
      module.identifier().startsWith("external ") ? (module.userRequest ?? []) : [],
    ),
  );
  for (let stale = all.filter(isStale); stale.length > 0; stale = all.filter(isStale)) {
    await Promise.all(
      stale.map(
        (module) =>
          new Promise<void>((resolve, reject) =>
            compilation.rebuildModule(module, (error) =>
              /* eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors --
                 webpack's own error */
              error == null ? resolve() : reject(error),
            ),
          ),
      ),
    );
  }
}
