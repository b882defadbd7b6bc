// Loads a CommonJS file through V8's code cache: code that one process compiled is not compiled by
// the next one. Input: the file and a cache folder. Output: its exports.
// Invariant: cached code of another text, Node version or machine, or a damaged file, is not used.

import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { digest, writeCacheFile as keepFile, cacheFolder, readCacheFile } from "./cache-folder.ts";

export interface Loaded {
  readonly exports: unknown;
  readonly isFromCache: boolean;
  /** Writes what is compiled by now for the next process, where nothing is kept yet. */
  readonly keep: () => void;
}

/** What of the builds of other versions of the package stays, the newest of them. */
const MOST_KEPT = 3;

/**
 * The folder for a process that works in `from`; null where nothing is kept, or `TSGRAD_CODE_CACHE`
 * is "off".
 */
export const codeCacheFolder = (
  from: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null =>
  environment["TSGRAD_CODE_CACHE"] === "off" ? null : cacheFolder(from, environment);

export function loadThrough(folder: string | null, file: string): Loaded {
  if (folder === null)
    return { exports: createRequire(file)(file), isFromCache: false, keep: () => {} };
  const source = readFileSync(file, "utf8");
  const prefix = `${path.basename(file)}-`;
  // V8 itself compares lengths of texts only
  const name = digest(
    source,
    process.version,
    process.arch,
    String(cachedDataVersionTag()),
  ).toString("hex");
  const cachedData = readCacheFile(path.join(folder, `${prefix}${name}`));
  const script = new Script(Module.wrap(source), {
    filename: file,
    ...(cachedData === null ? {} : { cachedData }),
  });
  const isFromCache = cachedData !== null && script.cachedDataRejected !== true;
  const module: { readonly exports: unknown } = { exports: {} };
  // the wrapper of a CommonJS module
  const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file, path.dirname(file));
  const keep = (): void => {
    if (!isFromCache) keepFile(folder, prefix, name, script.createCachedData(), MOST_KEPT);
  };
  return { exports: module.exports, isFromCache, keep };
}
