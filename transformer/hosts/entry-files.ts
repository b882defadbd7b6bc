// The source files of a bundler's entry points: patterns, folders, or names without ending.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { sourceFileOf } from "./program-service.ts";

const ENDINGS = [".tsx", ".ts", ".jsx", ".js"];

export const entryFiles = (names: readonly string[], cwd: string): string[] =>
  names
    .flatMap((name) => candidates(path.resolve(cwd, name)))
    .map(sourceFileOf)
    .filter((file) => file !== null);

function candidates(name: string): readonly string[] {
  if (name.includes("*")) return matching(name);
  return sourceFileOf(name) !== null
    ? [name]
    : [name, path.join(name, "index")]
        .flatMap((stem) => ENDINGS.map((ending) => stem + ending))
        .filter((file) => existsSync(file));
}

/** `*` matches within a name, `**` across folders. */
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
  const isMatch = new RegExp(`^${text}$`);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => isMatch.test(file));
}
