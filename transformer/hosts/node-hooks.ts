// Puts module hooks into this process: synchronous ones where Node has them, else asynchronous
// ones, which run in a thread of their own, and Node's table of extensions for `require`, as other
// loaders of TypeScript do it. See module-hooks.ts for what they do.

import Module, * as node from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  derived,
  extended,
  isTypeScript,
  type LoadContext,
  type Loaded,
  loader,
  loadSync,
  otherwise,
  ownFile,
  packageFile,
  readTwins,
  resolveSync,
  runTimeFor,
} from "./module-hooks.ts";
import type { LoadedModule } from "./module-loader.ts";
import { ownFolder } from "./twin-files.ts";

/** What the thread of the asynchronous hooks is told. */
export interface HookData {
  /** The folder of twins. */
  readonly folder: string;
  /** Whether another process writes there, which has the program's own files. */
  readonly isReader: boolean;
}

/** A module of `require`, as far as it is used. */
interface CommonJs {
  readonly filename?: string | null;
  readonly _compile: (code: string, file: string, format?: string) => void;
}

type Extension = (module: CommonJs, file: string) => void;

/** Node's own functions for `require`, without types. */
interface Internals {
  readonly _extensions: Record<string, Extension | undefined>;
  _resolveFilename(name: string, parent: CommonJs | undefined, ...rest: unknown[]): string;
}

const internals = Module as unknown as Internals; // Node's own, without types
const ours = new WeakSet<Extension>();

/** Before other loaders, also those that have come later. */
function extend(): void {
  const { _extensions: extensions } = internals;
  for (const ending of [".js", ".ts", ".tsx", ".cts", ".mts"]) {
    const before = extensions[ending];
    if (before !== undefined && ours.has(before)) continue;
    const extension: Extension = (module, name) => {
      const made = requiredModule(name, before === undefined);
      if (made !== null) module._compile(made.source, name, made.format);
      else (before ?? extensions[".js"])?.(module, name);
    };
    ours.add(extension);
    extensions[ending] = extension;
  }
}

function requiredModule(name: string, isUnknown: boolean): LoadedModule | null {
  const inPackage = packageFile(name);
  if (inPackage !== null) return extended(inPackage);
  const file = ownFile(name);
  if (file === null) return null;
  return derived(file) ?? (isUnknown && isTypeScript(name) ? loader().plain(file) : null);
}

/** The synchronous hook `resolve`, for `require` in a Node without it. */
function resolveRequired(): void {
  const before = internals._resolveFilename.bind(internals);
  internals._resolveFilename = (name, parent, ...rest) => {
    extend();
    const parentURL = parent?.filename == null ? undefined : pathToFileURL(parent.filename).href;
    const own = runTimeFor(name, { parentURL });
    if (own !== null) return fileURLToPath(own.url);
    try {
      return before(name, parent, ...rest);
    } catch (error) {
      return fileURLToPath(otherwise(name, { parentURL }, error).url);
    }
  };
}

const { registerHooks } = node as {
  readonly registerHooks?: (hooks: object) => void;
}; // absent in Node 20

/** `folder`: of the twins of packages, if another process makes them. */
export function hookModules(folder: string | null): void {
  extend();
  if (folder !== null) readTwins(folder);
  if (registerHooks === undefined) {
    hookThread(folder);
    resolveRequired();
  } else {
    registerHooks({
      load: (url: string, context: LoadContext, next: (url: string) => Loaded): Loaded => {
        extend();
        return loadSync(url, context, next);
      },
      resolve: resolveSync,
    });
  }
}

/** The thread makes twins for `import`; what it makes is there for `require`, too. */
function hookThread(given: string | null): void {
  const folder = given ?? ownFolder();
  if (given === null) readTwins(folder);
  const data: HookData = { folder, isReader: given !== null };
  node.register(pathToFileURL(path.join(__dirname, "register-hooks.cjs")).href, { data });
}
