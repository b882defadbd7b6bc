// Files that one process leaves for the next, in `node_modules/.cache/tsgrad`. In: a folder, names, bytes. Out: the bytes as they were written, or null.
// Invariant: a file is whole or not there, whoever else writes it; a damaged one is not believed; a folder that cannot be read or written is no error.

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

/** The folder for what is kept of a project in `from`: in the nearest `node_modules`, as other tools have it; null where there is none, or `TSGRAD_CACHE` is "off". */
export function keptFolder(
  from: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  if (environment["TSGRAD_CACHE"] === "off") return null;
  const modules = path.join(from, "node_modules");
  if (existsSync(modules)) return path.join(modules, ".cache", "tsgrad");
  const above = path.dirname(from);
  return above === from ? null : keptFolder(above, environment);
}

export function digest(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const DIGEST = 20;

/** What stands behind its own digest. */
export function readKept(file: string): Buffer | null {
  try {
    const bytes = readFileSync(file);
    const kept = bytes.subarray(DIGEST);
    return digest(kept).equals(bytes.subarray(0, DIGEST)) ? kept : null;
  } catch {
    return null;
  }
}

/** Of the files whose names begin with `prefix`, the `most` newest stay. */
export function keep(
  folder: string,
  prefix: string,
  name: string,
  bytes: Buffer,
  most: number,
): void {
  try {
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${prefix}${name}`);
    // whole or not at all, whoever else writes it now
    const own = `${file}.${process.pid}`;
    writeFileSync(own, Buffer.concat([digest(bytes), bytes]));
    renameSync(own, file);
    const all = readdirSync(folder)
      .filter((each) => each.startsWith(prefix))
      .map((each) => path.join(folder, each));
    for (const old of all.toSorted((x, z) => statSync(z).mtimeMs - statSync(x).mtimeMs).slice(most))
      rmSync(old, { force: true });
  } catch {
    // the next process does the work again
  }
}
