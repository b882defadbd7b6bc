// What Node's module hooks do with a module: `load` gives it its derivatives, `resolve` finds
// TypeScript where an import names the JavaScript that tsc makes of it, and the run time for
// modules of packages. Each hook exists for Node's synchronous and its asynchronous hooks.

import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Compiler } from "./compiler.ts";
import type { LoadedModule, ModuleLoader } from "./module-loader.ts";
import { RUN_TIME } from "./run-time.ts";
import { twinReader, twinWriter } from "./twin-files.ts";

export interface Resolved {
  readonly url: string;
  readonly format?: string | null | undefined;
  readonly shortCircuit?: boolean | undefined;
}

export interface Loaded {
  readonly format: string | null | undefined;
  readonly source?: unknown;
  readonly shortCircuit?: boolean | undefined;
}

export interface ResolveContext {
  readonly parentURL?: string | undefined;
}

export interface LoadContext {
  readonly format?: string | null | undefined;
  readonly importAttributes?: Readonly<Record<string, string | undefined>> | undefined;
}

type Next<C, R> = (name: string, context?: C) => R;

let made: ModuleLoader | undefined;

/** From the file that the build makes of compiler.ts, at first use. */
export function loader(): ModuleLoader {
  if (made !== undefined) return made;
  const file = path.join(__dirname, "compiler.cjs");
  const { newModuleLoader } = createRequire(file)(file) as Compiler; // made of compiler.ts
  return (made = newModuleLoader());
}

type Extended = (file: string) => LoadedModule | null;

let isForPackages = false;
let shared: Extended | null = null;
let publish: ReturnType<typeof twinWriter> | null = null;

/** Twins of packages come from a folder that another thread or process writes. */
export function readTwins(folder: string): void {
  shared = twinReader(folder);
}

/** The program's own files are left to another tool, which writes the twins. */
export function leaveProgram(): void {
  isForPackages = true;
}

/** Another thread reads the twins of packages from there. */
export function writeTwins(folder: string): void {
  publish = twinWriter(folder);
}

/** A module of a package with its twins; null if it has none. */
export const extended: Extended = (file) => made?.extended(file) ?? shared?.(file) ?? null;

export function derived(file: string): LoadedModule | null {
  const found = loader().derived(file);
  publish?.(loader().packageModules());
  return found;
}

/** The JavaScript file of a package; null for other names. */
export const packageFile = (name: string): string | null =>
  /\.[cm]?js$/.test(name) && /[\\/]node_modules[\\/]/.test(name) && path.dirname(name) !== __dirname
    ? name.split(path.sep).join("/")
    : null;

/** The user's source file of that name; null for packages, among them tsgrad and what it loads. */
export const ownFile = (name: string): string | null =>
  !isForPackages &&
  /(?<!\.d)\.[cm]?[jt]sx?$/.test(name) &&
  !/[\\/]node_modules[\\/]/.test(name) &&
  path.dirname(name) !== __dirname
    ? name.split(path.sep).join("/")
    : null;

export const isTypeScript = (file: string): boolean => /\.[cm]?tsx?$/.test(file);

/** The file of a module's address; null for JSON and built-in modules. */
const fileOf = (url: string, { importAttributes = {} }: LoadContext): string | null =>
  url.startsWith("file:") && importAttributes["type"] === undefined ? fileURLToPath(url) : null;

/** CommonJS has no source here: `require` loads it, by the extensions of register.ts. */
const answerOf = ({ format, source }: LoadedModule): Loaded =>
  format === "commonjs"
    ? { format, source: null, shortCircuit: true }
    : { format, source, shortCircuit: true };

export function loadSync(
  url: string,
  context: LoadContext,
  next: Next<LoadContext, Loaded>,
): Loaded {
  const made = derivedAt(url, context);
  if (made !== null) return answerOf(made);
  const file = ownFile(fileOf(url, context) ?? "");
  if (file === null) return next(url, context);
  try {
    return readable(file, next(url, context));
  } catch (error) {
    return unreadable(file, error);
  }
}

export async function load(
  url: string,
  context: LoadContext,
  next: Next<LoadContext, Promise<Loaded>>,
): Promise<Loaded> {
  const made = derivedAt(url, context);
  if (made !== null) return answerOf(made);
  const file = ownFile(fileOf(url, context) ?? "");
  if (file === null) return next(url, context);
  try {
    return readable(file, await next(url, context));
  } catch (error) {
    return unreadable(file, error);
  }
}

function derivedAt(url: string, context: LoadContext): LoadedModule | null {
  const name = fileOf(url, context) ?? "";
  const own = ownFile(name);
  if (own !== null) return derived(own);
  const inPackage = packageFile(name);
  return inPackage === null ? null : extended(inPackage);
}

/** Whether this Node strips types; absent before Node 22.10. */
const stripsTypes = (): boolean =>
  "typescript" in process.features && process.features.typescript !== false;

/** A Node that strips no types passes TypeScript through as it is. */
function readable(file: string, found: Loaded): Loaded {
  if (!isTypeScript(file) || stripsTypes() || found.source == null) return found;
  const isRaw = asText(found.source) === readFileSync(file, "utf8");
  return isRaw ? answerOf(loader().plain(file)) : found;
}

const asText = (source: unknown): unknown =>
  source instanceof Uint8Array ? Buffer.from(source).toString() : source;

/** Node itself does not know the endings of TypeScript's files. */
function unreadable(file: string, error: unknown): Loaded {
  if (!isTypeScript(file) || codeOf(error) !== "ERR_UNKNOWN_FILE_EXTENSION") throw error;
  return answerOf(loader().plain(file));
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

export function resolveSync(
  name: string,
  context: ResolveContext,
  next: Next<ResolveContext, Resolved>,
): Resolved {
  const own = runTimeFor(name, context);
  if (own !== null) return own;
  try {
    return next(name, context);
  } catch (error) {
    return otherwise(name, context, error);
  }
}

export async function resolve(
  name: string,
  context: ResolveContext,
  next: Next<ResolveContext, Promise<Resolved>>,
): Promise<Resolved> {
  const own = runTimeFor(name, context);
  if (own !== null) return own;
  try {
    return await next(name, context);
  } catch (error) {
    return otherwise(name, context, error);
  }
}

/** The run time, which a package with twins imports. */
export function runTimeFor(name: string, { parentURL }: ResolveContext): Resolved | null {
  if (!RUN_TIME.test(name) || parentURL?.startsWith("file:") !== true) return null;
  return packageFile(fileURLToPath(parentURL)) === null
    ? null
    : {
        url: pathToFileURL(path.join(__dirname, `${path.basename(name)}.js`)).href,
        shortCircuit: true,
      };
}

/** `./a.js` where there is only `./a.ts`, and `./a` or `./folder`, as TypeScript resolves them. */
export function otherwise(name: string, { parentURL }: ResolveContext, error: unknown): Resolved {
  const isMissing =
    codeOf(error) === "ERR_MODULE_NOT_FOUND" ||
    codeOf(error) === "MODULE_NOT_FOUND" ||
    codeOf(error) === "ERR_UNSUPPORTED_DIR_IMPORT";
  if (
    isForPackages ||
    !isMissing ||
    !/^\.\.?(?:\/|$)/.test(name) ||
    parentURL?.startsWith("file:") !== true
  )
    throw error;
  const target = path.resolve(path.dirname(fileURLToPath(parentURL)), name);
  const found = candidates(target).find((file) => existsSync(file));
  if (found === undefined) throw error;
  return { url: pathToFileURL(found).href, shortCircuit: true };
}

const candidates = (target: string): string[] => [
  ...(/\.[cm]?jsx?$/.test(target)
    ? [target.replace(/js(x?)$/, "ts$1"), target.replace(/js$/, "tsx")]
    : []),
  ...[".ts", ".tsx", "/index.ts", "/index.tsx"].map((ending) => target + ending),
];
