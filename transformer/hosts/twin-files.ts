// Modules of packages with their twins, passed from the process that makes them to those that load
// them. In: texts by file. Out: a folder with an index. Invariant: an index names only whole files.

import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { LoadedModule } from "./module-loader.ts";

type Modules = ReadonlyMap<string, LoadedModule>;
type Index = Readonly<Record<string, { readonly format: LoadedModule["format"]; name: string }>>;

const indexOf = (folder: string): string => path.join(folder, "index.json");

/** A new folder that only this user can read, for as long as this process runs. */
export function ownFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "tsgrad-"));
  process.on("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Writes what differs from before. */
export function twinWriter(folder: string): (modules: Modules) => void {
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
    if (text === before) return;
    before = text;
    const made = path.join(folder, `${count++}.json`);
    writeFileSync(made, text);
    renameSync(made, indexOf(folder));
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
    return found === undefined
      ? null
      : { format: found.format, source: readFileSync(path.join(folder, found.name), "utf8") };
  };
}
