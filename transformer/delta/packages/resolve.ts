// Resolves a specifier as at run time. In: a specifier and the importing file. Out: JavaScript or
// TypeScript source, a module of Node, JSON, or nothing. Invariant: never a declaration file; it is
// the file that Node, or else a bundler, executes.

import type ts from "typescript";
import type { PackageSystem } from "./package-source.ts";

export type Resolved =
  /** `inPlace`: its host extends the module itself. */
  | { readonly kind: "source"; readonly file: string; readonly inPlace: boolean }
  | { readonly kind: "json"; readonly file: string }
  /** Of Node, or tsgrad, whose rules the run time knows by their functions. */
  | { readonly kind: "node"; readonly specifier: string }
  | { readonly kind: "none" };

const NONE: Resolved = { kind: "none" };

/** Built-in modules of Node. An installed package of a bare name has priority. */
const NODE = new Set([
  "assert",
  "async_hooks",
  "buffer",
  "child_process",
  "cluster",
  "console",
  "constants",
  "crypto",
  "dgram",
  "dns",
  "domain",
  "events",
  "fs",
  "http",
  "http2",
  "https",
  "inspector",
  "module",
  "net",
  "os",
  "path",
  "perf_hooks",
  "process",
  "punycode",
  "querystring",
  "readline",
  "repl",
  "stream",
  "string_decoder",
  "timers",
  "tls",
  "tty",
  "url",
  "util",
  "v8",
  "vm",
  "worker_threads",
  "zlib",
]);

export const isNodeModule = (specifier: string): boolean =>
  specifier.startsWith("node:") || NODE.has(specifier.split("/")[0] ?? "");

export interface Resolver {
  /** `isRequired`: by `require`, not by `import`. */
  resolve(specifier: string, fromFile: string, isRequired: boolean): Resolved;
  /** Whether TypeScript finds types for it in the user's configuration. */
  isTyped(specifier: string, fromFile: string): boolean;
}

/** `@scope/name/deep/file` -> `@scope/name`. */
export function packageNameOf(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
}

/** Whether Node takes a file without imports and exports for an ES module. */
export function isModuleByName(file: string, read: (file: string) => string | undefined): boolean {
  if (/\.[mc]js$/.test(file)) return file.endsWith(".mjs");
  for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
    const text = read(`${file.slice(0, end)}/package.json`);
    if (text !== undefined) return /"type"\s*:\s*"module"/.test(text);
  }
  return false;
}

/** `noDtsResolution` finds executed files and is missing in TypeScript's public types. */
interface RuntimeOptions extends ts.CompilerOptions {
  noDtsResolution?: boolean;
}

export function resolverOf(
  api: typeof ts,
  own: ts.CompilerOptions,
  system: PackageSystem,
): Resolver {
  const { paths: _, ...rest } = own; // they map to user files or types
  const forNode = isForNode(api, own);
  const runtime: RuntimeOptions = {
    ...rest,
    noDtsResolution: true,
    allowJs: true,
    resolveJsonModule: true,
    resolvePackageJsonExports: true,
    resolvePackageJsonImports: true,
    module: api.ModuleKind.ESNext,
    moduleResolution: api.ModuleResolutionKind.Bundler,
    customConditions: [...(own.customConditions ?? []), ...(forNode ? ["node"] : [])],
  };
  const cache = api.createModuleResolutionCache("/", (name) => name, runtime);
  const found = (specifier: string, fromFile: string, isRequired: boolean): Resolved => {
    if (specifier === "tsgrad") return { kind: "node", specifier };
    const mode = isRequired ? api.ModuleKind.CommonJS : api.ModuleKind.ESNext;
    const module = specifier.startsWith("node:")
      ? undefined
      : api.resolveModuleName(specifier, fromFile, runtime, system, cache, undefined, mode)
          .resolvedModule;
    if (module === undefined) return isNodeModule(specifier) ? { kind: "node", specifier } : NONE;
    const prefersModule =
      !forNode &&
      !isRequired &&
      specifier === packageNameOf(specifier) &&
      !specifier.startsWith(".");
    const file = asExecuted(module.resolvedFileName, specifier, system);
    return fileKind(prefersModule ? (moduleBuild(file, specifier, system) ?? file) : file);
  };
  const find = (specifier: string, fromFile: string, isRequired: boolean): Resolved => {
    const usual = found(specifier, fromFile, isRequired);
    if (system.loaded === undefined || !("file" in usual)) return usual;
    const { file, inPlace } = system.loaded(specifier, fromFile, isRequired, usual.file);
    const own = file === null ? usual : fileKind(file);
    return own.kind === "source" ? { ...own, inPlace } : own;
  };
  return {
    resolve: find,
    isTyped: (specifier, fromFile) => {
      const found = api.resolveModuleName(specifier, fromFile, own, system).resolvedModule;
      return found !== undefined && /\.[cm]?tsx?$/.test(found.resolvedFileName);
    },
  };
}

/** TypeScript prefers `index.ts` beside `index.js`; Node and bundlers execute what is named. */
function asExecuted(file: string, specifier: string, system: PackageSystem): string {
  const written = /\.([cm]?)tsx?$/.exec(file);
  if (written === null || !file.includes("/node_modules/") || /\.[cm]?tsx?$/.test(specifier))
    return file;
  const path = file.slice(0, written.index);
  return (
    [`.${written[1] ?? ""}js`, ".jsx"]
      .map((ending) => `${path}${ending}`)
      .find((one) => system.fileExists(one)) ?? file
  );
}

function isForNode(api: typeof ts, { module, moduleResolution }: ts.CompilerOptions): boolean {
  const { Bundler, Classic } = api.ModuleResolutionKind;
  if (moduleResolution !== undefined)
    return moduleResolution !== Bundler && moduleResolution !== Classic;
  return (
    module !== undefined &&
    (module === api.ModuleKind.CommonJS ||
      (module >= api.ModuleKind.Node16 && module <= api.ModuleKind.NodeNext))
  );
}

function fileKind(file: string): Resolved {
  if (/\.d\.[cm]?ts$/.test(file)) return NONE;
  if (/\.[cm]?[jt]sx?$/.test(file)) return { kind: "source", file, inPlace: false };
  return file.endsWith(".json") ? { kind: "json", file } : NONE;
}

/** The `module` field of a package without `exports`: what bundlers execute. */
function moduleBuild(main: string, name: string, system: PackageSystem): string | null {
  const folder = folderOfPackage(main, name);
  const text = folder === null ? undefined : system.readFile(`${folder}/package.json`);
  if (folder === null || text === undefined) return null;
  const described = fieldsOf(text);
  if (described === null || "exports" in described || typeof described["module"] !== "string")
    return null;
  const path = `${folder}/${described["module"].replace(/^\.\//, "")}`;
  return (
    [path, `${path}.js`, `${path}.mjs`, `${path}/index.js`].find(
      (file) => /\.[cm]?js$/.test(file) && system.fileExists(file),
    ) ?? null
  );
}

/** The package folder that contains a file: up to the last `node_modules/name`. */
function folderOfPackage(file: string, name: string): string | null {
  const at = file.lastIndexOf(`/node_modules/${name}/`);
  return at < 0 ? null : file.slice(0, at + `/node_modules/${name}`.length);
}

function fieldsOf(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value))
      : null;
  } catch {
    return null; // an unreadable package.json
  }
}

/** A machine-independent short name: after the last `node_modules/`, or the last two parts. */
export function shownName(file: string): string {
  const at = file.lastIndexOf("/node_modules/");
  return at < 0 ? file.split("/").slice(-2).join("/") : file.slice(at + "/node_modules/".length);
}
