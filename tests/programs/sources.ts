// The shared corpus as it stands on disk. In: fixtures/programs (a file each, or a folder with main.ts). Out: its sources, by name.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Source } from "./corpus.ts";

const FOLDER = fileURLToPath(new URL("../../fixtures/programs", import.meta.url));

export function corpusSources(wanted: (name: string) => boolean = () => true): readonly Source[] {
  return fs
    .readdirSync(FOLDER)
    .sort()
    .map(sourceOf)
    .filter(({ name }) => wanted(name));
}

/** One half of the corpus, by the programs' names. */
export const isForModes = (name: string): boolean =>
  Array.from(name).reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 2 === 0;

function sourceOf(entry: string): Source {
  const read = (file: string): string => fs.readFileSync(path.join(FOLDER, file), "utf8");
  if (entry.endsWith(".ts"))
    return { name: entry.slice(0, -3), main: entry, files: { [entry]: read(entry) } };
  const files = fs.readdirSync(path.join(FOLDER, entry)).map((file) => `${entry}/${file}`);
  return {
    name: entry,
    main: `${entry}/main.ts`,
    files: Object.fromEntries(files.map((file) => [file, read(file)])),
  };
}
