// Loads a CommonJS file through V8's code cache: what one process has compiled, the next one need not. In: the file, and a folder to keep code in. Out: its exports.
// Invariant: the exports are those of the file as it is now; code of another text, another Node or another machine, or a damaged file, is not used.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire, wrap } from "node:module";
import path from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";

export interface Loaded {
  readonly exports: unknown;
  readonly isFromCache: boolean;
  /** Writes what is compiled by now for the next process, where nothing is kept yet. */
  readonly keep: () => void;
}

/** What of the builds of other versions of the package stays, the newest of them. */
const MOST_KEPT = 3;

/** The folder for a process that works in `from`: in the nearest `node_modules`, as other tools have it; null where there is none, or `TSGRAD_CODE_CACHE` is "off". */
export function cacheFolder(from: string, environment: Readonly<Record<string, string | undefined>> = process.env): string | null {
  if (environment["TSGRAD_CODE_CACHE"] === "off") return null;
  const modules = path.join(from, "node_modules");
  if (existsSync(modules)) return path.join(modules, ".cache", "tsgrad");
  const above = path.dirname(from);
  return above === from ? null : cacheFolder(above, environment);
}

export function loadThrough(folder: string | null, file: string): Loaded {
  if (folder === null) return { exports: createRequire(file)(file), isFromCache: false, keep: () => {} };
  const source = readFileSync(file, "utf8");
  const prefix = `${path.basename(file)}-`;
  // V8 itself compares lengths of texts only
  const kept = path.join(folder, `${prefix}${digest(source, process.version, process.arch, String(cachedDataVersionTag())).toString("hex")}`);
  const cachedData = read(kept);
  const script = new Script(wrap(source), { filename: file, ...(cachedData === null ? {} : { cachedData }) });
  const isFromCache = cachedData !== null && script.cachedDataRejected !== true;
  const module: { readonly exports: unknown } = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
  const keep = (): void => { if (!isFromCache) write(folder, prefix, kept, script.createCachedData()); };
  return { exports: module.exports, isFromCache, keep };
}

function digest(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const DIGEST = 20;

/** Code behind its own digest: V8 believes what it reads. */
function read(kept: string): Buffer | null {
  try {
    const bytes = readFileSync(kept);
    const code = bytes.subarray(DIGEST);
    return digest(code).equals(bytes.subarray(0, DIGEST)) ? code : null;
  } catch {
    return null;
  }
}

function write(folder: string, prefix: string, kept: string, code: Buffer): void {
  try {
    mkdirSync(folder, { recursive: true });
    // whole or not at all, whoever else writes it now
    const own = `${kept}.${process.pid}`;
    writeFileSync(own, Buffer.concat([digest(code), code]));
    renameSync(own, kept);
    const all = readdirSync(folder).filter((name) => name.startsWith(prefix)).map((name) => path.join(folder, name));
    for (const old of all.toSorted((x, z) => statSync(z).mtimeMs - statSync(x).mtimeMs).slice(MOST_KEPT)) rmSync(old, { force: true });
  } catch {
    // a folder that cannot be written: the next process compiles, too
  }
}
