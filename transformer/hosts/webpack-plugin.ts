// The webpack plugin. It edits modules before all other loaders. Invariant: caches serve no stale
// text. A module whose key has changed, because of another file, is rebuilt.

import { entryFiles } from "./entry-files.ts";
import { findingText } from "./diagnostic-text.ts";
import { ProgramService, sourceFileOf, type ServiceOptions } from "./program-service.ts";
import { composedWith, inlineComment } from "./source-map.ts";
import type { Analyse } from "./core.ts";

interface Hook<A extends readonly unknown[]> {
  readonly tap: (name: string, run: (...args: A) => void) => void;
}

interface Module {
  readonly type: string;
  /** Path and query; absent if the module has no file. */
  readonly resource?: string;
  /** The part of a module that webpack caches. */
  readonly buildInfo?: Record<string, unknown>;
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
    readonly compilation: Hook<[Compilation]>;
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
  readonly addDependency: (file: string) => void;
  readonly emitError: (error: Error) => void;
  readonly emitWarning: (warning: Error) => void;
  readonly callback: (error: null, text: string, map?: unknown) => void;
}

interface LoaderOptions {
  readonly load: (context: LoaderContext, text: string, map: unknown) => void;
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
  const service = new ProgramService(core, { ...options, cwd: options.cwd ?? context });
  const begin = (): void => service.begin(entryFiles(namesIn(entry), context));
  hooks.beforeRun.tap(NAME, begin);
  hooks.watchRun.tap(NAME, begin);
  hooks.compilation.tap(NAME, (compilation) =>
    compilation.hooks.finishModules.tapPromise(NAME, (modules) =>
      buildStale(modules, compilation, service),
    ),
  );
  const use = {
    loader,
    ident: NAME,
    options: { load: (...args: Parameters<LoaderOptions["load"]>): void => load(service, ...args) },
  };
  // `new URL("./a.ts", import.meta.url)` refers to an asset, not to a module
  rules.push({
    test: /\.[cm]?[jt]sx?$/,
    exclude: /[\\/]node_modules[\\/]/,
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

function load(
  service: ProgramService,
  context: LoaderContext,
  text: string,
  before: unknown,
): void {
  const file = sourceFileOf(context.resource);
  const answer = file === null ? null : service.answer(file, text);
  if (context._module?.buildInfo !== undefined)
    context._module.buildInfo[NAME] = file === null || answer === null ? "" : service.key(file);
  if (answer === null) return context.callback(null, text, before);
  for (const dependency of answer.dependencies) context.addDependency(dependency);
  for (const finding of answer.findings) {
    const found = Object.assign(new Error(findingText(finding)), { stack: "" });
    if (finding.severity === "error") context.emitError(found);
    else context.emitWarning(found);
  }
  if (answer.code === null) return context.callback(null, text, before);
  if (!context.sourceMap || answer.map === null) return context.callback(null, answer.code);
  const map = composedWith(answer.map, before);
  return context.callback(
    null,
    readsMapInText(context) ? answer.code + inlineComment(map) : answer.code,
    map,
  );
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
      resource === undefined || !type.startsWith("javascript") ? null : sourceFileOf(resource);
    return file !== null && service.key(file) !== (buildInfo?.[NAME] ?? "");
  };
  for (
    let stale = [...modules].filter(isStale);
    stale.length > 0;
    stale = [...modules].filter(isStale)
  ) {
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
