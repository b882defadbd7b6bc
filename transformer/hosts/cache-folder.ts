// The cache in `node_modules/.cache/tsgrad`: files that one process leaves for the next.
// A file is read whole or not at all. Damaged files and I/O errors are ignored.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

/** The folder in the nearest `node_modules`; null if there is none or TSGRAD_CACHE=off. */
export function cacheFolder(
  from: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  if (environment["TSGRAD_CACHE"] === "off") return null;
  const modules = path.join(from, "node_modules");
  if (existsSync(modules)) return path.join(modules, ".cache", "tsgrad");
  const above = path.dirname(from);
  return above === from ? null : cacheFolder(above, environment);
}

export function digest(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const DIGEST = 20;

/** The content of a cache file, after the digest; null if it is missing or damaged. */
export function readCacheFile(file: string): Buffer | null {
  try {
    const bytes = readFileSync(file);
    const kept = bytes.subarray(DIGEST);
    return digest(kept).equals(bytes.subarray(0, DIGEST)) ? kept : null;
  } catch {
    return null;
  }
}

/** Writes a file, and removes all but the `most` newest files whose names begin with `prefix`. */
export function writeCacheFile(
  folder: string,
  prefix: string,
  name: string,
  bytes: Buffer,
  most: number,
): void {
  try {
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${prefix}${name}`);
    // atomically, also if another process writes it now
    const own = `${file}.${process.pid}`;
    writeFileSync(own, Buffer.concat([digest(bytes), bytes]));
    renameSync(own, file);
    const all = readdirSync(folder)
      .filter((each) => each.startsWith(prefix))
      .map((each) => path.join(folder, each));
    for (const old of all.toSorted((x, z) => statSync(z).mtimeMs - statSync(x).mtimeMs).slice(most))
      rmSync(old, { force: true });
  } catch {
    // the next process computes it again
  }
}
