// The package entry `tsgrad/register`: `node --import tsgrad/register main.ts` runs a program with
// its derivatives. Imports go through Node's module hooks, synchronous ones where Node has them.
// `require` goes through Node's table of extensions, as other loaders of TypeScript do it.

import Module, * as node from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isTypeScript, loader, loadSync, ownFile, resolveSync } from "./module-hooks.ts";

/** A module of `require`, as far as it is used. */
interface CommonJs {
  readonly _compile: (code: string, file: string, format?: string) => void;
}

type Extension = (module: CommonJs, file: string) => void;

const { registerHooks } = node as {
  readonly registerHooks?: (hooks: object) => void;
}; // absent in Node 20

if (registerHooks === undefined)
  node.register(pathToFileURL(path.join(__dirname, "register-hooks.cjs")).href);
else registerHooks({ load: loadSync, resolve: resolveSync });

const { _extensions: extensions } = Module as unknown as {
  readonly _extensions: Record<string, Extension | undefined>;
}; // Node's own, without types
for (const ending of [".js", ".ts", ".tsx", ".cts", ".mts"]) {
  const before = extensions[ending];
  extensions[ending] = (module, name) => {
    const file = ownFile(name);
    const made =
      file === null
        ? null
        : (loader().derived(file) ??
          (before === undefined && isTypeScript(file) ? loader().plain(file) : null));
    if (made !== null) module._compile(made.source, name, made.format);
    else (before ?? extensions[".js"])?.(module, name);
  };
}
