// The package entry `tsgrad/register`: `node --import tsgrad/register main.ts` runs a program with
// its derivatives. Imports go through Node's module hooks, synchronous ones where Node has them.
// `require` goes through Node's table of extensions, as other loaders of TypeScript do it.

import Module, * as node from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  isTypeScript,
  type LoadContext,
  type Loaded,
  loader,
  loadSync,
  otherwise,
  ownFile,
  resolveSync,
} from "./module-hooks.ts";

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
      const file = ownFile(name);
      const isUnknown = before === undefined && isTypeScript(name);
      const made =
        file === null
          ? null
          : (loader().derived(file) ?? (isUnknown ? loader().plain(file) : null));
      if (made !== null) module._compile(made.source, name, made.format);
      else (before ?? extensions[".js"])?.(module, name);
    };
    ours.add(extension);
    extensions[ending] = extension;
  }
}

/** The synchronous hook `resolve`, for `require` in a Node without it. */
function resolveRequired(): void {
  const before = internals._resolveFilename.bind(internals);
  internals._resolveFilename = (name, parent, ...rest) => {
    extend();
    try {
      return before(name, parent, ...rest);
    } catch (error) {
      const parentURL = parent?.filename == null ? undefined : pathToFileURL(parent.filename).href;
      return fileURLToPath(otherwise(name, { parentURL }, error).url);
    }
  };
}

const { registerHooks } = node as {
  readonly registerHooks?: (hooks: object) => void;
}; // absent in Node 20

extend();
if (registerHooks === undefined) {
  node.register(pathToFileURL(path.join(__dirname, "register-hooks.cjs")).href);
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
