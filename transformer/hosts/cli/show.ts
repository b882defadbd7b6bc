// `tsgrad emit` and `tsgrad explain`: the derivative code of a file or a function, and how it was
// made.

import path from "node:path";
import type ts from "typescript";
import { analyse, type Host, type TypeScript } from "../../analyse.ts";
import type { Diagnostic } from "../../diagnostics/report.ts";
import { explain, sourceOf } from "../../explain.ts";
import { analyseProgram, withFiles } from "../core.ts";
import { printed, toCompiler } from "../diagnostics.ts";
import { type NamedFunction, functionNamed, functionsOf } from "../function-lookup.ts";
import { formatHost } from "../print.ts";
import { syntaxErrors } from "../project.ts";
import { type Process, print, printJson, WrongWords } from "./command.ts";
import { fromCompiler, fromCore } from "./json.ts";
import { isCodeLike, printPage } from "./page.ts";
import { suggested, type Words } from "./words.ts";

/** What a command is about, and how it answers. */
interface Target {
  readonly name: string;
  readonly fn: string | undefined;
  readonly project: string | undefined;
  readonly isJson: boolean;
}

function targetOf(command: "emit" | "explain", words: Words): Target {
  const [target, ...more] = words.names;
  if (target === undefined || more.length > 0)
    throw new WrongWords(
      `${command} takes one argument: <file>${command === "emit" ? "[#fn]" : "#fn"}`,
    );
  const [name = "", fn] = target.split("#", 2);
  if (command === "explain" && (fn === undefined || fn === ""))
    throw new WrongWords(
      /\.\w+$/.test(name)
        ? `'${target}' names no function: write ${name}#fn`
        : `'${target}' is neither a function, <file>#fn, nor the code of a diagnostic`,
    );
  return {
    name,
    fn: fn === "" ? undefined : fn,
    project: words.value("project"),
    isJson: words.has("json"),
  };
}

export function runEmit(words: Words, process: Process): number {
  return show("emit", targetOf("emit", words), process.typescript());
}

export function runExplain(words: Words, process: Process): number {
  const [first = ""] = words.names;
  if (isCodeLike(first) && words.names.length === 1) return printPage(first, words.has("json"));
  return show("explain", targetOf("explain", words), process.typescript());
}

function show(command: "emit" | "explain", target: Target, api: TypeScript): number {
  const { name, fn, project } = target;
  const config = configFor(api, path.resolve(name), project);
  if (project !== undefined && config === undefined)
    throw new WrongWords(`no tsconfig.json found at '${project}'`);
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
  if (wrong.length > 0) return failed(api, wrong, target.isJson);
  const host = withFiles({ ts: api, program });
  if (fn === undefined) return emitted(host, file, target);
  const found = functionNamed(host, file, fn);
  if (command === "explain") return explained(host, found, target.isJson);
  return emitted(host, found.file, { ...target, fn: found.fn });
}

/** Prints errors of the compiler. */
function failed(api: TypeScript, errors: readonly ts.Diagnostic[], isJson: boolean): number {
  if (isJson) printJson({ diagnostics: errors.map((one) => fromCompiler(api, one)) });
  else process.stderr.write(api.formatDiagnostics(errors, formatHost(api)));
  return 1;
}

function explained(host: Host, { file, fn }: NamedFunction, isJson: boolean): number {
  const text = explain(host, file.fileName, fn);
  const isExplained = text.startsWith(`${fn} `); // otherwise it is an error message
  const shown = isExplained ? text : withNames(host, file, fn, text);
  if (isJson) {
    const engine = isExplained ? (/^engine +(\w+)/m.exec(text)?.[1] ?? null) : null;
    printJson({ file: file.fileName, function: fn, engine, text: shown });
  } else print(shown);
  return isExplained ? 0 : 1;
}

/** An unknown name may be misspelt, so the nearest and the file's functions follow. */
function withNames(host: Host, file: ts.SourceFile, fn: string, text: string): string {
  const names = functionsOf(host, file);
  return names.length === 0 || names.includes(fn)
    ? text
    : `${text}\nFunctions of the file: ${names.join(", ")}${suggested(fn, names)}`;
}

function emitted(host: Host, file: ts.SourceFile, { fn, isJson }: Target): number {
  const source = sourceOf(host, file.fileName, fn);
  const isFound = source !== "" && fn !== undefined;
  const told = isFound ? [] : analyseProgram(analyse, host).diagnostics.filter(isAbout(file));
  const code = !isFound && (source === "" || told.some((d) => d.severity === "error")) ? 1 : 0;
  if (isJson) {
    const diagnostics = told.map((one) => fromCore(host.program, one));
    printJson({ file: file.fileName, function: fn ?? null, source, diagnostics });
    return code;
  }
  if (source !== "") print(source);
  const views = {
    ts: host.ts,
    of: () => undefined,
    originalOf: (name: string) => host.program.getSourceFile(name),
    isPlain: true,
  };
  process.stderr.write(
    host.ts.formatDiagnostics(
      told.map((d) => printed(toCompiler(views, d))),
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
  return code;
}

const isAbout =
  ({ fileName }: ts.SourceFile) =>
  ({ span, chain }: Diagnostic): boolean =>
    span.file === fileName || chain.some((link) => link.span.file === fileName);

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
