// Checks the options of a plugin as it is created: a misspelt one would else be ignored silently.

import { suggested } from "./cli/words.ts";

/** Options that every plugin has. */
const COMMON = ["tsconfig", "cwd", "packages"];

/** Returns the options. Throws if one is unknown or of another type; `host` is for the message. */
export function checkedOptions<O extends object>(
  host: string,
  options: O,
  more: readonly string[] = [],
): O {
  const known = [...COMMON, ...more];
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name))
      throw wrong(
        host,
        `has no option '${name}'${suggested(name, known)}\nIt takes ${known.join(", ")}.`,
      );
    if (value === undefined || more.includes(name)) continue;
    const isRight = name === "packages" ? isStrings(value) : typeof value === "string";
    if (!isRight)
      throw wrong(
        host,
        `needs ${name === "packages" ? "an array of package names" : "a string"} as its option '${name}'`,
      );
  }
  return options;
}

const isStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const wrong = (host: string, what: string): Error =>
  Object.assign(new Error(`${host} ${what}`), { stack: "" });
