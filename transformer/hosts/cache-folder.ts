// Files that one process leaves for the next, in `node_modules/.cache/tsgrad` of the project.
// Invariant: what somebody else could have written is not read. Files are private to the user, as
// no file of a check-out is. A missing or damaged file is computed again.

import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import path from "node:path";

/** Files that mark the folder of a project. */
const MARKS: readonly string[] = [
  "package.json",
  "package-lock.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
];

/** The project's own folder for caches; null without a project or with TSGRAD_CACHE=off. */
export function cacheFolder(
  from: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  if (environment["TSGRAD_CACHE"] === "off") return null;
  if (MARKS.some((name) => existsSync(path.join(from, name))))
    return path.join(from, "node_modules", ".cache", "tsgrad");
  const above = path.dirname(from);
  return above === from ? null : cacheFolder(above, environment);
}

export function digest(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const DIGEST = 20;

/** Bits of a mode: others may write; others may do anything. */
const WRITABLE = 0o022;
const PUBLIC = 0o077;

/** Whether it is the user's, without these bits. Windows has access lists in place of modes. */
const isOwn = ({ uid, mode }: Stats, bits: number): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & bits) === 0);

/** Creates the folder if need be; whether nobody but the user can write it. */
export function isOwnFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    return found.isDirectory() && isOwn(found, WRITABLE);
  } catch {
    return false;
  }
}

/** The content of a cache file, after the digest; null if it is missing, damaged or not private. */
export function readCacheFile(file: string): Buffer | null {
  if (!isOwnFolder(path.dirname(file))) return null;
  try {
    const opened = openSync(file, "r");
    try {
      const found = fstatSync(opened);
      if (!found.isFile() || !isOwn(found, PUBLIC)) return null;
      const bytes = readFileSync(opened);
      const kept = bytes.subarray(DIGEST);
      return digest(kept).equals(bytes.subarray(0, DIGEST)) ? kept : null;
    } finally {
      closeSync(opened);
    }
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
  if (!isOwnFolder(folder)) return;
  try {
    const file = path.join(folder, `${prefix}${name}`);
    // atomically, also if another process writes it now
    const own = `${file}.${process.pid}`;
    rmSync(own, { force: true });
    writeFileSync(own, Buffer.concat([digest(bytes), bytes]), { mode: 0o600, flag: "wx" });
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
