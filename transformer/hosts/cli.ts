// The command `tsgrad`. In: its arguments. Out: what it prints and its exit code. Invariant: it works without ts-patch and
// beside any TypeScript of the user's, because it brings its own.

import path from "node:path";
import type ts from "typescript";
import { analyse, type Host, type TypeScript } from "../analyse.ts";
import { explain, sourceOf } from "../explain.ts";
import { type Asked, askedFunction, functionsOf } from "./function-lookup.ts";
import { build } from "./build.ts";
import { type Analyse, analyseProgram } from "./core.ts";
import { toCompiler } from "./diagnostics.ts";
import { formatHost } from "./print.ts";

/** What a command is given by whoever starts it. */
export interface Process {
  readonly core: Analyse;
  /** tsgrad's own TypeScript, loaded when it is asked for. */
  readonly typescript: () => TypeScript;
  /** tsgrad's own version. */
  readonly version: () => string;
  /** Called once a build has derived something. */
  readonly derived: () => void;
}

const USAGE = `tsgrad: derivatives of TypeScript functions, at build time

  tsgrad build -p <tsconfig>    compile a project as tsc does, with every grad(f) replaced by derivative code;
                                takes tsc's flags (--noEmit, --watch, --outDir, ...) and its -b
  tsgrad emit <file>[#fn]       print the derivative code of a file, or of one function in it
  tsgrad explain <file>#fn      say how fn is differentiated: activity, residuals, loops
  tsgrad --version, --help

  -p <tsconfig> works with every command; without it the nearest tsconfig.json is used.
`;

const print = (text: string): void =>
  void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);

function fail(message: string): number {
  process.stderr.write(`tsgrad: ${message}\n\n${USAGE}`);
  return 1;
}

/** Gives the exit code; `null` while a watch goes on. */
export function main(args: readonly string[], process: Process): number | null {
  const [command, ...rest] = args;
  switch (command) {
    case "build":
      if (rest.some((word) => word === "--help" || word === "-h")) {
        print(USAGE);
        return 0;
      }
      return build(process.typescript(), process.core, rest, process.derived);
    case "emit":
    case "explain":
      return show(command, rest, process.typescript);
    case "--version":
    case "-v":
      print(`tsgrad ${process.version()} (TypeScript ${process.typescript().version})`);
      return 0;
    case "--help":
    case "-h":
    case "help":
      print(USAGE);
      return 0;
    case undefined:
      return fail("no command given");
    default:
      return fail(`unknown command '${command}'`);
  }
}

function show(
  command: "emit" | "explain",
  args: readonly string[],
  typescript: Process["typescript"],
): number {
  const at = args.findIndex((a) => a === "-p" || a === "--project");
  const project = at < 0 ? undefined : args[at + 1];
  if (at >= 0 && project === undefined)
    return fail(`${args[at] ?? "-p"} needs the name of a tsconfig`);
  const [target, ...more] = at < 0 ? args : args.filter((_, i) => i !== at && i !== at + 1);
  if (target === undefined || more.length > 0)
    return fail(`${command} takes one argument: <file>${command === "emit" ? "[#fn]" : "#fn"}`);
  const [name = "", fn] = target.split("#", 2);
  if (command === "explain" && (fn === undefined || fn === ""))
    return fail("explain needs a function: tsgrad explain <file>#fn");
  const api = typescript();
  const config = configFor(api, path.resolve(name), project);
  if (project !== undefined && config === undefined)
    return fail(`no tsconfig.json found at '${project}'`);
  const program = programFor(api, path.resolve(name), config);
  const file = program.getSourceFile(path.resolve(name));
  if (file === undefined) {
    process.stderr.write(`tsgrad: there is no file ${name}\n`);
    return 1;
  }
  const host = { ts: api, program };
  if (fn === undefined || fn === "") return emitted(host, file, undefined);
  const asked = askedFunction(host, file, fn);
  return command === "explain" ? explained(host, asked) : emitted(host, asked.file, asked.fn);
}

function explained(host: Host, { file, fn }: Asked): number {
  const text = explain(host, file.fileName, fn);
  const isExplained = text.startsWith(`${fn} `); // else it says why there is nothing to explain
  print(isExplained ? text : withNames(host, file, fn, text));
  return isExplained ? 0 : 1;
}

/** A name that is not there is often another's, misspelt. */
function withNames(host: Host, file: ts.SourceFile, fn: string, text: string): string {
  const names = functionsOf(host, file);
  return names.length === 0 || names.includes(fn)
    ? text
    : `${text}\nFunctions of the file: ${names.join(", ")}.`;
}

function emitted(host: Host, file: ts.SourceFile, fn: string | undefined): number {
  const source = sourceOf(host, file.fileName, fn);
  if (source !== "") print(source);
  if (source !== "" && fn !== undefined) return 0;
  const views = {
    ts: host.ts,
    of: () => undefined,
    originalOf: (name: string) => host.program.getSourceFile(name),
    isPlain: true,
  };
  const told = analyseProgram(analyse, host).diagnostics.filter(
    (d) =>
      d.span.file === file.fileName || d.chain.some((link) => link.span.file === file.fileName),
  );
  process.stderr.write(
    host.ts.formatDiagnostics(
      told.map((d) => toCompiler(views, d)),
      formatHost(host.ts),
    ),
  );
  if (source === "" && told.length === 0) {
    process.stderr.write(
      fn === undefined
        ? "tsgrad: nothing asks for a derivative of a function of this file\n"
        : `${withNames(host, file, fn, explain(host, file.fileName, fn))}\n`,
    );
  }
  return source === "" || told.some((d) => d.severity === "error") ? 1 : 0;
}

const configFor = (
  api: TypeScript,
  file: string,
  project: string | undefined,
): string | undefined =>
  project === undefined
    ? api.findConfigFile(path.dirname(file), api.sys.fileExists)
    : [project, `${project}/tsconfig.json`].find((f) => api.sys.fileExists(f));

/** The project that `file` belongs to, or a program of `file` alone. */
function programFor(api: TypeScript, file: string, config: string | undefined): ts.Program {
  const parsed =
    config === undefined
      ? undefined
      : api.getParsedCommandLineOfConfigFile(
          config,
          {},
          { ...api.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
        );
  const options = parsed?.options ?? {
    strict: true,
    target: api.ScriptTarget.ES2022,
    module: api.ModuleKind.NodeNext,
    moduleResolution: api.ModuleResolutionKind.NodeNext,
  };
  return api.createProgram([...new Set([...(parsed?.fileNames ?? []), file])], options);
}
