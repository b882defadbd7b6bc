// What a command of `tsgrad` is: its words, its flags, and what it does. Help and errors are made
// from this, so they never differ from what is accepted.

import type { TypeScript } from "../../analyse.ts";
import type { Analyse } from "../core.ts";
import type { Words } from "./words.ts";

/** The environment of a command. */
export interface Process {
  readonly core: Analyse;
  /** tsgrad's own TypeScript, loaded at first use. */
  readonly typescript: () => TypeScript;
  /** tsgrad's own version. */
  readonly version: () => string;
  /** Starts the language server, a program of its own. */
  readonly startServer: () => void;
}

/** The exit code, or null while the command watches. */
export type ExitCode = number | null;

export interface Flag {
  readonly short?: string;
  /** What its value is, as `<tsconfig>`; absent for a flag without one. */
  readonly value?: string;
  readonly about: string;
}

export interface Command {
  /** The words after the command's name, as `<file>[#fn]`. */
  readonly usage: string;
  readonly about: string;
  /** Further lines of `--help`. */
  readonly details?: readonly string[];
  readonly examples: readonly string[];
  readonly flags: Readonly<Record<string, Flag>>;
  /** Whether flags that are not listed are the compiler's. */
  readonly takesCompilerFlags?: true;
  /** The meaning of each exit code. */
  readonly codes: Readonly<Record<number, string>>;
  readonly run: (words: Words, process: Process) => ExitCode | Promise<ExitCode>;
}

/** A mistake in the words of a command. */
export class WrongWords extends Error {}

export const print = (text: string): void =>
  void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

export const PROJECT: Flag = {
  short: "p",
  value: "<tsconfig>",
  about: "the project's tsconfig, or its folder; by default the nearest tsconfig.json",
};

export const JSON_FLAG: Flag = { about: "print one JSON value instead of text" };
