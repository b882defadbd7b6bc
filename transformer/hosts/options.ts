// Checks the options of a plugin as it is created: a misspelt one would else be ignored silently.

import { suggested } from "./cli/words.ts";

/** Options that every plugin has: whether a value is right, and what is. */
const COMMON: ReadonlyMap<string, readonly [(value: unknown) => boolean, string]> = new Map([
  ["tsconfig", [(value) => typeof value === "string", "a string"]],
  ["cwd", [(value) => typeof value === "string", "a string"]],
  [
    "packages",
    [
      (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
      "an array of package names",
    ],
  ],
  ["engine", [(value) => value === "static", '"static"']],
  ["debug", [(value) => value === "nan", '"nan"']],
]);

/** Returns the options. Throws if one is unknown or of another type; `host` is for the message. */
export function checkedOptions<O extends object>(
  host: string,
  options: O,
  more: readonly string[] = [],
): O {
  const known = [...COMMON.keys(), ...more];
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name))
      throw wrong(
        host,
        `has no option '${name}'${suggested(name, known)}\nIt takes ${known.join(", ")}.`,
      );
    const [isRight, wanted] = COMMON.get(name) ?? [];
    if (value !== undefined && isRight?.(value) === false)
      throw wrong(host, `needs ${wanted} as its option '${name}'`);
  }
  return options;
}

const wrong = (host: string, what: string): Error =>
  Object.assign(new Error(`${host} ${what}`), { stack: "" });
