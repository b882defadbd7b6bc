// Texts of files, and versions that differ exactly if the texts do. Dates and sizes only say when a
// file need not be read again. Those of a file that has just changed do not, as in Git's index: a
// further change within the resolution of its dates leaves them as they are.

import { readFileSync, statSync, type Stats } from "node:fs";
import { digest } from "./cache-folder.ts";

interface Known {
  readonly version: string;
  readonly stamp: string;
  /** Whether any later change of the file changes its stamp. */
  readonly isSettled: boolean;
}

/** The coarsest resolution of the dates of a file system, in milliseconds. */
const RESOLUTION_MS = 2000;

export class FileTexts {
  readonly #known = new Map<string, Known>();
  /** Texts that differ from the disk. */
  readonly #held = new Map<string, { readonly text: string; readonly version: string }>();

  /** Retains the text that a tool has, which may be another plugin's output. */
  hold(file: string, text: string): void {
    if (this.#read(file) === text) this.#held.delete(file);
    else this.#held.set(file, { text, version: versionOf(text) });
  }

  /** The file has the text of the disk again. */
  release(file: string): void {
    this.#held.delete(file);
  }

  isHeld(file: string): boolean {
    return this.#held.has(file);
  }

  text(file: string): string | undefined {
    return this.#held.get(file)?.text ?? this.#read(file);
  }

  version(file: string): string {
    const held = this.#held.get(file);
    if (held !== undefined) return held.version;
    const known = this.#known.get(file);
    if (known?.isSettled === true && known.stamp === stampOf(statsOf(file))) return known.version;
    this.#read(file);
    return this.#known.get(file)?.version ?? MISSING;
  }

  #read(file: string): string | undefined {
    const now = Date.now();
    const stats = statsOf(file);
    const text = stats === undefined ? undefined : textOf(file);
    this.#known.set(file, {
      version: text === undefined ? MISSING : versionOf(text),
      stamp: stampOf(stats),
      isSettled: stats === undefined || stats.ctimeMs < now - RESOLUTION_MS,
    });
    return text;
  }
}

const MISSING = "none";

const versionOf = (text: string): string => digest(text).toString("hex");

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, as in `model.js/package.json`
  }
}

/** Programs that copy files set `mtime`, but not `ctime`. */
const stampOf = (stats: Stats | undefined): string =>
  stats === undefined ? MISSING : `${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino} ${stats.size}`;

function textOf(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8");
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  } catch {
    return undefined;
  }
}
