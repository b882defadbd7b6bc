// Command line compilers in the tests' own process. In: a command's words and the folder it is called in. Out: its exit code and what it prints. A process of its own reads, compiles and patches TypeScript before it
// does anything, which takes most of its time. Invariant: each call has a compiler evaluated anew and a transformer loaded anew, and ends where the command would end its process. What it cannot see: what is lost where
// a process ends before its output is written; one call of each command is a process.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Script } from "node:vm";
import type ts from "typescript";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
}

/** What a command says instead of ending this process. */
class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** `command` has its words in `process.argv`, gives the exit code or ends the process. */
export function calledHere(
  cwd: string,
  words: readonly string[],
  command: () => number | null,
): Ended {
  const { argv, exit, exitCode } = process;
  const from = process.cwd();
  const [output, errors] = [process.stdout.write, process.stderr.write];
  let out = "";
  const write = (text: string | Uint8Array): boolean => {
    out += String(text);
    return true;
  };
  process.chdir(cwd);
  Object.assign(process, {
    argv: [process.execPath, "command", ...words],
    exitCode: undefined,
    exit: (code: number) => {
      throw new Exit(code);
    },
  });
  Object.assign(process.stdout, { write });
  Object.assign(process.stderr, { write });
  try {
    return { code: command(), out };
  } catch (error) {
    if (error instanceof Exit) return { code: error.code, out };
    throw error;
  } finally {
    Object.assign(process, { argv, exit, exitCode });
    Object.assign(process.stdout, { write: output });
    Object.assign(process.stderr, { write: errors });
    process.chdir(from);
    pause();
  }
}

/** `-b` tells what has changed by the times of files, which move on by ticks: no process that ends and begins is as fast. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);

type Evaluated = (
  exports: object,
  require: NodeJS.Require,
  module: object,
  file: string,
  folder: string,
) => void;

/** Compiled code of a CommonJS file, which V8 keeps for all evaluations. */
interface Code {
  readonly file: string;
  readonly script: Script;
}

const codeOf = (file: string, text: string): Code => ({
  file,
  script: new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: file,
  }),
});

function evaluated({ file, script }: Code, require: NodeJS.Require): unknown {
  const module = { exports: {} };
  const run: Evaluated = script.runInThisContext();
  run(module.exports, require, module, file, path.dirname(file));
  return module.exports;
}

const own = createRequire(import.meta.url);
let plain: Code | null = null;
let patched: Code | null = null;

/** What a process of its own would import: TypeScript asks for the working directory once. */
export function newTypeScript(): typeof ts {
  const file = own.resolve("typescript");
  const made = evaluated((plain ??= codeOf(file, readFileSync(file, "utf8"))), createRequire(file));
  if (!isTypeScript(made)) throw new Error(`${file} is not TypeScript`);
  return made;
}

const isTypeScript = (made: unknown): made is typeof ts =>
  typeof made === "object" && made !== null && "createProgram" in made;

/** TypeScript's command line as ts-patch makes it. */
function patchedCode(): Code {
  const {
    js,
    tsModule,
  }: { readonly js: string; readonly tsModule: { readonly modulePath: string } } =
    own("ts-patch").getLiveModule("tsc.js");
  return codeOf(tsModule.modulePath, js);
}

/** `tspc`, called in a folder. */
export function tspc(cwd: string, ...words: readonly string[]): Ended {
  patched ??= patchedCode();
  const code = patched;
  const require = createRequire(own.resolve("ts-patch/compiler/tsc.js"));
  for (const name of Object.keys(require.cache))
    if (name.startsWith(cwd)) delete require.cache[name];
  return calledHere(cwd, words, () => {
    evaluated(code, require);
    return typeof process.exitCode === "number" ? process.exitCode : 0;
  });
}
