// The command `tsgrad`. It uses its own TypeScript, so it works beside any version of the user's.

import path from "node:path";
import type ts from "typescript";
import { analyse, type Host, type TypeScript } from "../analyse.ts";
import { explain, sourceOf } from "../explain.ts";
import { type NamedFunction, functionNamed, functionsOf } from "./function-lookup.ts";
import { build } from "./build.ts";
import { type Analyse, analyseProgram, withFiles } from "./core.ts";
import { toCompiler } from "./diagnostics.ts";
import { formatHost } from "./print.ts";
import { syntaxErrors } from "./project.ts";

/** The environment of a command. */
export interface Process {
  readonly core: Analyse;
  /** tsgrad's own TypeScript, loaded at first use. */
  readonly typescript: () => TypeScript;
  /** tsgrad's own version. */
  readonly version: () => string;
}

const USAGE = `tsgrad: derivatives of TypeScript functions, at build time

  tsgrad build -p <tsconfig>    compile a project as tsc does, with every grad(f) replaced by derivative code;
                                takes tsc's flags (--noEmit, --watch, --outDir, ...) and its -b
  tsgrad emit <file>[#fn]       print the derivative code of a file, or of one function in it
  tsgrad explain <file>#fn      say how fn is differentiated: activity, residuals, loops
  tsgrad lsp                    start a language server on the standard streams, for editors with TypeScript 7
  tsgrad --version, --help

  -p <tsconfig> works with every command; without it the nearest tsconfig.json is used.
`;

const print = (text: string): void =>
  void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);

function fail(message: string): number {
  process.stderr.write(`tsgrad: ${message}\n\n${USAGE}`);
  return 1;
}

/** Returns the exit code, or null while it watches. */
export function main(args: readonly string[], process: Process): number | null {
  const [command, ...rest] = args;
  switch (command) {
    case "build":
      if (rest.some((word) => word === "--help" || word === "-h")) {
        print(USAGE);
        return 0;
      }
      return build(process.typescript(), process.core, rest);
    case "emit":
    case "explain":
      return show(command, rest, process.typescript);
    case "lsp": // with --help; tsgrad.ts starts the server
      print(USAGE);
      return 0;
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

/** The parsed arguments of `emit` and `explain`. */
interface Target {
  readonly name: string;
  readonly fn: string | undefined;
  readonly project: string | undefined;
}

/** The arguments, or the message for wrong ones. */
function parseTarget(command: "emit" | "explain", args: readonly string[]): Target | string {
  const at = args.findIndex((a) => a === "-p" || a === "--project");
  const project = at < 0 ? undefined : args[at + 1];
  if (at >= 0 && project === undefined) return `${args[at] ?? "-p"} needs the name of a tsconfig`;
  const [target, ...more] = at < 0 ? args : args.filter((_, i) => i !== at && i !== at + 1);
  if (target === undefined || more.length > 0)
    return `${command} takes one argument: <file>${command === "emit" ? "[#fn]" : "#fn"}`;
  const [name = "", fn] = target.split("#", 2);
  if (command === "explain" && (fn === undefined || fn === ""))
    return "explain needs a function: tsgrad explain <file>#fn";
  return { name, fn: fn === "" ? undefined : fn, project };
}

function show(
  command: "emit" | "explain",
  args: readonly string[],
  typescript: Process["typescript"],
): number {
  const target = parseTarget(command, args);
  if (typeof target === "string") return fail(target);
  const { name, fn, project } = target;
  const api = typescript();
  const config = configFor(api, path.resolve(name), project);
  if (project !== undefined && config === undefined)
    return fail(`no tsconfig.json found at '${project}'`);
  const parsed = config === undefined ? undefined : parsedConfig(api, config);
  const program = programFor(api, path.resolve(name), parsed);
  const file = program.getSourceFile(path.resolve(name));
  if (file === undefined) {
    process.stderr.write(`tsgrad: there is no file ${name}\n`);
    return 1;
  }
  // the build stops there, too
  const wrong = [
    ...(parsed === undefined ? [] : syntaxErrors(api, parsed)),
    ...program.getSyntacticDiagnostics().filter((one) => !one.file.isDeclarationFile),
  ];
  if (wrong.length > 0) return failed(api, wrong);
  const host = withFiles({ ts: api, program });
  if (fn === undefined) return emitted(host, file, undefined);
  const found = functionNamed(host, file, fn);
  return command === "explain" ? explained(host, found) : emitted(host, found.file, found.fn);
}

/** Prints errors of the compiler. */
function failed(api: TypeScript, errors: readonly ts.Diagnostic[]): number {
  process.stderr.write(api.formatDiagnostics(errors, formatHost(api)));
  return 1;
}

function explained(host: Host, { file, fn }: NamedFunction): number {
  const text = explain(host, file.fileName, fn);
  const isExplained = text.startsWith(`${fn} `); // otherwise it is an error message
  print(isExplained ? text : withNames(host, file, fn, text));
  return isExplained ? 0 : 1;
}

/** An unknown name may be misspelt, so the file's functions follow. */
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

const parsedConfig = (api: TypeScript, config: string): ts.ParsedCommandLine | undefined =>
  api.getParsedCommandLineOfConfigFile(
    config,
    {},
    { ...api.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );

/** A program of the project that contains `file`, or of `file` alone. */
function programFor(
  api: TypeScript,
  file: string,
  parsed: ts.ParsedCommandLine | undefined,
): ts.Program {
  const options = parsed?.options ?? {
    strict: true,
    target: api.ScriptTarget.ES2022,
    module: api.ModuleKind.NodeNext,
    moduleResolution: api.ModuleResolutionKind.NodeNext,
  };
  return api.createProgram([...new Set([...(parsed?.fileNames ?? []), file])], options);
}
