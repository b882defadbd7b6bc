// Reads the words of a command line by the command's table of flags. Unknown words are errors that
// name the nearest known one.

import { parseArgs } from "node:util";
import { distance } from "fastest-levenshtein";
import { type Command, type Flag, WrongWords } from "./command.ts";

export interface Words {
  /** Words that are no flags. */
  readonly names: readonly string[];
  readonly has: (flag: string) => boolean;
  readonly value: (flag: string) => string | undefined;
  /** Everything as it was written, for flags of the compiler. */
  readonly all: readonly string[];
}

export function readWords(name: string, command: Command, args: readonly string[]): Words {
  const flags: Readonly<Record<string, Flag>> = {
    help: { short: "h", about: "" },
    ...command.flags,
  };
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(flags).map(([flag, { short, value }]) => [
        flag,
        {
          type: value === undefined ? "boolean" : "string",
          ...(short === undefined ? {} : { short }),
        },
      ]),
    ),
  });
  const given = new Map<string, string>();
  const names: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") names.push(token.value);
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (flag === undefined && command.takesCompilerFlags === true) continue;
    if (flag === undefined)
      throw new WrongWords(
        `unknown flag '${token.rawName}' of ${name}${suggested(
          token.rawName,
          Object.keys(flags).map((known) => `--${known}`),
        )}`,
      );
    if (flag.value !== undefined && (token.value === undefined || token.value === ""))
      throw new WrongWords(`${token.rawName} needs ${described(flag.value)}`);
    if (flag.value === undefined && token.value !== undefined)
      throw new WrongWords(`${token.rawName} takes no value`);
    given.set(token.name, token.value ?? "");
  }
  return {
    names,
    has: (flag) => given.has(flag),
    value: (flag) => given.get(flag),
    all: args,
  };
}

const described = (value: string | undefined): string =>
  value === "<tsconfig>" ? "the name of a tsconfig" : `a value: ${value ?? ""}`;

/** `; did you mean 'build'?`, if a known word is near. */
export function suggested(word: string, known: readonly string[]): string {
  const [nearest] = known
    .map((each) => ({ each, far: distance(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, far }) => far <= Math.max(2, Math.floor(each.length / 3)))
    .sort((one, other) => one.far - other.far);
  return nearest === undefined ? "" : `; did you mean '${nearest.each}'?`;
}
