// Modules of packages with their twins, passed from the process that makes them to those that load
// them. In: texts by file. Out: a folder with an index. Invariant: an index names only whole files.

import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { LoadedModule } from "./module-loader.ts";

type Modules = ReadonlyMap<string, LoadedModule>;
type Index = Readonly<Record<string, { readonly format: LoadedModule["format"]; name: string }>>;

const indexOf = (folder: string): string => path.join(folder, "index.json");
/** A line for each module that was read: its file, and the name of its text or nothing. */
const logOf = (folder: string): string => path.join(folder, "loaded.txt");

/** A new folder that only this user can read, for as long as this process runs. */
export function ownFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "tsgrad-"));
  process.on("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Writes what differs from before; false if nothing does. */
export function twinWriter(folder: string): (modules: Modules) => boolean {
  const written = new Map<string, { readonly source: string; readonly name: string }>();
  let before = "";
  let count = 0;
  return (modules) => {
    const index: Record<string, Index[string]> = {};
    for (const [file, { format, source }] of modules) {
      const known = written.get(file);
      const name = known?.source === source ? known.name : `${count++}.txt`;
      if (known?.name !== name) writeFileSync(path.join(folder, name), source);
      written.set(file, { source, name });
      index[file] = { format, name };
    }
    const text = JSON.stringify(index);
    if (text === before) return false;
    before = text;
    const made = path.join(folder, `${count++}.json`);
    writeFileSync(made, text);
    renameSync(made, indexOf(folder));
    return true;
  };
}

/** The module of a package with its twins; null if it has none. */
export function twinReader(folder: string): (file: string) => LoadedModule | null {
  let stamp = "";
  let index: Index = {};
  return (file) => {
    const stats = statSync(indexOf(folder), { throwIfNoEntry: false });
    const now = stats === undefined ? "" : `${stats.mtimeMs} ${stats.ino}`;
    if (now !== stamp)
      index = now === "" ? {} : (JSON.parse(readFileSync(indexOf(folder), "utf8")) as Index); // ours
    stamp = now;
    const found = Object.hasOwn(index, file) ? index[file] : undefined;
    appendFileSync(logOf(folder), `${file}\n${found?.name ?? ""}\n`);
    return found === undefined
      ? null
      : { format: found.format, source: readFileSync(path.join(folder, found.name), "utf8") };
  };
}

/** The files that were loaded with other twins than they have now. */
export function loadedBefore(folder: string): readonly string[] {
  if (!existsSync(logOf(folder))) return [];
  const lines = readFileSync(logOf(folder), "utf8").split("\n");
  const loaded = new Map(
    lines.flatMap((file, k) => (k % 2 === 0 ? [[file, lines[k + 1] ?? ""] as const] : [])),
  );
  const index = JSON.parse(readFileSync(indexOf(folder), "utf8")) as Index; // ours
  return Object.entries(index).flatMap(([file, { name }]) =>
    (loaded.get(file) ?? name) === name ? [] : [file],
  );
}
