// The command `tsgrad`. It uses its own TypeScript, so it works beside any version of the user's.

import { build } from "./build.ts";
import {
  type Command,
  type ExitCode,
  JSON_FLAG,
  print,
  type Process,
  PROJECT,
  WrongWords,
} from "./cli/command.ts";
import { helpOf, overview } from "./cli/help.ts";
import { runEmit, runExplain } from "./cli/show.ts";
import { runDoctor } from "./doctor/doctor.ts";
import { HOSTS } from "./init/hosts.ts";
import { runInit } from "./init/init.ts";
import { readWords, suggested } from "./cli/words.ts";

export type { Process } from "./cli/command.ts";

export const COMMANDS: Readonly<Record<string, Command>> = {
  init: {
    usage: "[folder]",
    about: "set a project up: its config, its packages, an example",
    details: [
      "It finds what compiles the project, shows each change as a diff, and asks.",
      `Hosts: ${HOSTS.join(", ")}.`,
    ],
    examples: [
      "tsgrad init",
      "tsgrad init --yes --example",
      "tsgrad init --host vite,jest --dry-run",
    ],
    flags: {
      yes: { short: "y", about: "do not ask" },
      example: { about: "write src/tsgrad-example.ts" },
      host: { value: "<names>", about: "set up for these hosts, not for those that are found" },
      "dry-run": { about: "only show what would change" },
      "no-install": { about: "install no package, only say which" },
      json: JSON_FLAG,
    },
    codes: {
      0: "the project is set up",
      1: "nothing was changed, an installation failed, or wrong words",
    },
    run: runInit,
  },
  doctor: {
    usage: "[folder]",
    about: "check each call, the versions and the config of a project",
    details: [
      "It says of each call whether a build step reaches it, and which engine takes it. It also",
      "finds scripts that run plain tsc, and JavaScript that was written without derivatives.",
    ],
    examples: ["tsgrad doctor", "tsgrad doctor packages/model --json"],
    flags: { project: PROJECT, json: JSON_FLAG },
    codes: { 0: "no problem was found", 1: "something is wrong, as printed; or wrong words" },
    run: runDoctor,
  },
  build: {
    usage: "[-p <tsconfig>]",
    about: "compile a project as tsc does, with derivatives",
    details: [
      "Every grad(f) is replaced by derivative code. It takes tsc's flags (--noEmit, --watch,",
      "--outDir, ...) and its -b.",
    ],
    examples: ["tsgrad build", "tsgrad build -p tsconfig.app.json --watch", "tsgrad build -b"],
    flags: { project: PROJECT, json: JSON_FLAG },
    takesCompilerFlags: true,
    codes: {
      0: "no errors",
      1: "errors, and no file was written; or wrong words",
      2: "errors, but files were written",
    },
    run: (words, { typescript, core }) => build(typescript(), core, words.all),
  },
  emit: {
    usage: "<file>[#fn]",
    about: "print the derivative code of a file, or of one function in it",
    examples: ["tsgrad emit src/model.ts", "tsgrad emit src/model.ts#loss"],
    flags: { project: PROJECT, json: JSON_FLAG },
    codes: { 0: "code was printed", 1: "errors, nothing to print, or wrong words" },
    run: runEmit,
  },
  explain: {
    usage: "<file>#fn | <code>",
    about: "say how fn is differentiated, or what a diagnostic means",
    details: [
      "Of a function: engine, activity, residuals, loops. Of a code: the reason and the way out.",
    ],
    examples: ["tsgrad explain src/model.ts#loss", "tsgrad explain TSG1103"],
    flags: { project: PROJECT, json: JSON_FLAG },
    codes: { 0: "explained", 1: "errors, no such function or code, or wrong words" },
    run: runExplain,
  },
  lsp: {
    usage: "",
    about: "start a language server on the standard streams, for editors with TypeScript 7",
    examples: ["tsgrad lsp"],
    flags: { stdio: { about: "the default, which some editors name" } },
    codes: { 0: "the editor has closed it" },
    run: (_words, { startServer }) => {
      startServer();
      return null;
    },
  },
};

function fail(message: string, command?: string): number {
  const known = command === undefined ? undefined : COMMANDS[command];
  const usage =
    command === undefined || known === undefined
      ? `\n${overview(COMMANDS)}`
      : `  tsgrad ${command} ${known.usage}\n  tsgrad ${command} --help says more.\n`;
  process.stderr.write(`tsgrad: ${message}\n${usage}`);
  return 1;
}

/** Returns the exit code, or null while it watches. */
export async function main(args: readonly string[], process: Process): Promise<ExitCode> {
  const [name, ...rest] = args;
  switch (name) {
    case "--version":
    case "-v":
      print(`tsgrad ${process.version()} (TypeScript ${process.typescript().version})`);
      return 0;
    case "--help":
    case "-h":
    case "help":
      return help(rest[0]);
    case undefined:
      return fail("no command given");
  }
  const command = commandNamed(name);
  if (command === undefined)
    return fail(`unknown command '${name}'${suggested(name, Object.keys(COMMANDS))}`);
  try {
    const words = readWords(name, command, rest);
    return words.has("help") ? help(name) : await command.run(words, process);
  } catch (error) {
    if (error instanceof WrongWords) return fail(error.message, name);
    throw error;
  }
}

const commandNamed = (name: string): Command | undefined =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;

function help(name: string | undefined): number {
  const command = name === undefined ? undefined : commandNamed(name);
  if (name !== undefined && command === undefined)
    return fail(`unknown command '${name}'${suggested(name, Object.keys(COMMANDS))}`);
  print(name === undefined || command === undefined ? overview(COMMANDS) : helpOf(name, command));
  return 0;
}
