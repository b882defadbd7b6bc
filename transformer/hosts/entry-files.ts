// The files that a bundler begins with. In: its entry points, as they are written. Out: those that hold modules of the program. Invariant: a pattern, a name
// without ending and a folder stand for all files that the bundler may take them for; one too many does no harm.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { sourceFileOf } from "./program-service.ts";

const ENDINGS = [".tsx", ".ts", ".jsx", ".js"];

export const entryFiles = (names: readonly string[], cwd: string): string[] =>
  names
    .flatMap((name) => meant(path.resolve(cwd, name)))
    .map(sourceFileOf)
    .filter((file) => file !== null);

function meant(name: string): readonly string[] {
  if (name.includes("*")) return matching(name);
  return sourceFileOf(name) !== null
    ? [name]
    : [name, path.join(name, "index")]
        .flatMap((stem) => ENDINGS.map((ending) => stem + ending))
        .filter((file) => existsSync(file));
}

/** `*` is any text within one name, `**` any text. */
function matching(pattern: string): readonly string[] {
  const folder = path.dirname(pattern.slice(0, pattern.indexOf("*") + 1));
  if (!existsSync(folder)) return [];
  const text = pattern
    .split(/(\*\*\/|\*\*|\*)/)
    .map((part) =>
      part === "**/"
        ? "(?:.*/)?"
        : part === "**"
          ? ".*"
          : part === "*"
            ? "[^/]*"
            : part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"),
    )
    .join("");
  const isMeant = new RegExp(`^${text}$`);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => isMeant.test(file));
}
