// `tsgrad build`: tsc with derivatives. It takes tsc's command line and returns tsc's exit code.
// Every program that emits is an overlay program, in one-shot, incremental, -b and watch builds.

import type ts from "typescript";
import type { TypeScript } from "../analyse.ts";
import { incremental, type Analyse } from "./core.ts";
import { overlay, overlayOf } from "./overlay.ts";
import { printJson, WrongWords } from "./cli/command.ts";
import { fromCompiler } from "./cli/json.ts";
import { type Progress, startProgress } from "./cli/progress.ts";
import { formatHost, isPretty } from "./print.ts";

interface Build {
  readonly api: TypeScript;
  readonly core: Analyse;
  readonly report: (diagnostic: ts.Diagnostic) => void;
  /** Whether diagnostics have colours and source lines. */
  readonly pretty: boolean;
  readonly progress: Progress;
}

interface Inputs {
  readonly rootNames: readonly string[];
  readonly options: ts.CompilerOptions;
  readonly host: ts.CompilerHost;
  readonly oldProgram?: ts.Program | undefined;
  readonly errors: readonly ts.Diagnostic[] | undefined;
  readonly references: readonly ts.ProjectReference[] | undefined;
}

const FAILED = 1;

/** Steps of the progress line, indices of STEPS. */
const READING = 0;
const DIFFERENTIATING = 1;
const CHECKING = 2;
const WRITING = 3;

/** Flags of `-b` that the compiler's public parser does not accept. */
const SOLUTION_FLAGS = new Set([
  "-b",
  "--build",
  "--force",
  "-f",
  "--dry",
  "-d",
  "--clean",
  "--verbose",
  "-v",
]);

/** tsc's exit code, or null while it watches. */
export function build(api: TypeScript, core: Analyse, args: readonly string[]): number | null {
  const isJson = args.includes("--json");
  const own = args.filter((word) => word !== "--json");
  const found: ts.Diagnostic[] = [];
  try {
    const code = buildReported(api, core, own, isJson ? (one) => void found.push(one) : null);
    if (isJson)
      printJson({ exitCode: code, diagnostics: found.map((one) => fromCompiler(api, one)) });
    return code;
  } catch (error) {
    if (!(error instanceof WrongWords)) throw error;
    if (isJson) printJson({ exitCode: FAILED, error: error.message, diagnostics: [] });
    else api.sys.write(`tsgrad: ${error.message}\n`);
    return FAILED;
  }
}

/** `collect` takes diagnostics instead of the terminal. */
function buildReported(
  api: TypeScript,
  core: Analyse,
  args: readonly string[],
  collect: ((diagnostic: ts.Diagnostic) => void) | null,
): number | null {
  const solution = args.includes("-b") || args.includes("--build");
  const command = withProject(
    api,
    api.parseCommandLine(solution ? args.filter((a) => !SOLUTION_FLAGS.has(a)) : args),
    solution,
  );
  if (collect !== null && command.options.watch === true)
    throw new WrongWords("--json does not go with --watch");
  const pretty = collect === null && isPretty(api, command.options);
  const progress = startProgress();
  const report = (diagnostic: ts.Diagnostic): void => {
    progress.end();
    const format = pretty ? api.formatDiagnosticsWithColorAndContext : api.formatDiagnostics;
    if (collect !== null) collect(diagnostic);
    else api.sys.write(format([diagnostic], formatHost(api)));
  };
  const task: Build = { api, core: incremental(core), report, pretty, progress };
  try {
    return run(task, command, new Set(args), solution);
  } finally {
    progress.end();
  }
}

/** `build .` and `build folder/tsconfig.json` mean the same as with `-p`. */
function withProject(
  api: TypeScript,
  command: ts.ParsedCommandLine,
  solution: boolean,
): ts.ParsedCommandLine {
  const [name, ...more] = command.fileNames;
  if (solution || name === undefined || more.length > 0 || command.options.project !== undefined)
    return command;
  if (!api.sys.directoryExists(name) && !name.endsWith(".json")) return command;
  return { ...command, fileNames: [], options: { ...command.options, project: name } };
}

function run(
  task: Build,
  command: ts.ParsedCommandLine,
  flags: ReadonlySet<string>,
  solution: boolean,
): number | null {
  const { api, report } = task;
  command.errors.forEach(report);
  if (command.errors.length > 0) return FAILED;
  const wrong = otherThanBuild(command, solution);
  if (wrong !== null) throw new WrongWords(wrong);
  if (solution) return buildSolution(task, command, flags);
  const config = findConfig(api, command);
  if (config === undefined) {
    const { project } = command.options;
    throw new WrongWords(
      project === undefined
        ? "no tsconfig.json found. Write one by `npx tsgrad init`, or name one: tsgrad build -p <tsconfig>"
        : `no tsconfig.json found at '${project}'`,
    );
  }
  return command.options.watch === true
    ? watch(task, config, command.options)
    : buildOnce(task, config, command.options);
}

/** Options that make tsc do something else than build a project. */
const OTHER_TASKS = ["init", "showConfig", "listFilesOnly", "version", "help", "all"];

/** The reason why a command line is no build of a project; null if it is one. */
function otherThanBuild(
  { options, fileNames }: ts.ParsedCommandLine,
  solution: boolean,
): string | null {
  const other = OTHER_TASKS.find((name) => options[name] === true);
  if (other !== undefined)
    return `build does not take --${other}, which builds nothing: npx tsc --${other}`;
  const [file] = fileNames;
  return solution || file === undefined
    ? null
    : `build takes projects, not files such as ${file}. Name a project: tsgrad build -p <tsconfig>`;
}

function findConfig(api: TypeScript, command: ts.ParsedCommandLine): string | undefined {
  const { project } = command.options;
  if (project === undefined)
    return api.findConfigFile(api.sys.getCurrentDirectory(), api.sys.fileExists);
  const file = api.sys.resolvePath(project);
  return [file, `${file}/tsconfig.json`].find((f) => api.sys.fileExists(f));
}

function buildOnce(task: Build, config: string, overrides: ts.CompilerOptions): number {
  const { api, report } = task;
  let fatal = false;
  const parsed = api.getParsedCommandLineOfConfigFile(config, overrides, {
    ...api.sys,
    onUnRecoverableConfigFileDiagnostic: (d) => {
      report(d);
      fatal = true;
    },
  });
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the callback changes it
  if (parsed === undefined || fatal) return FAILED;
  const { options, fileNames, projectReferences: references } = parsed;
  const errors = api.getConfigFileParsingDiagnostics(parsed);
  if (options.incremental !== true && options.composite !== true) {
    const host = api.createCompilerHost(options);
    const inputs = { rootNames: fileNames, options, host, errors, references };
    return emitAndReport(task, overlaid(task, inputs));
  }
  const host = api.createIncrementalCompilerHost(options);
  const old = api.readBuilderProgram(options, host);
  return emitAndReport(task, builderFor(task)(fileNames, options, host, old, errors, references));
}

function overlaid(task: Build, inputs: Inputs): ts.Program {
  const { rootNames, options, host, oldProgram, errors, references } = inputs;
  task.progress.begin(READING);
  const first = task.api.createProgram({
    rootNames,
    options,
    host,
    ...(oldProgram === undefined ? {} : { oldProgram }),
    ...(errors === undefined ? {} : { configFileParsingDiagnostics: errors }),
    ...(references === undefined ? {} : { projectReferences: references }),
  });
  task.progress.begin(DIFFERENTIATING);
  return overlay(task.api, task.core, first, host).program;
}

/** Creates the programs of incremental, -b and watch builds. */
const builderFor =
  (task: Build): ts.CreateProgram<ts.EmitAndSemanticDiagnosticsBuilderProgram> =>
  (...args) => {
    const [rootNames = [], options = {}, given, old, errors, references] = args;
    const host = given ?? task.api.createCompilerHost(options);
    const before = old as
      // getProgram throws on state read from disk
      (ts.BuilderProgram & { getProgramOrUndefined?(): ts.Program | undefined }) | undefined;
    const oldProgram = before?.getProgramOrUndefined?.();
    const program = overlaid(task, { rootNames, options, host, oldProgram, errors, references });
    const builder = task.api.createEmitAndSemanticDiagnosticsBuilderProgram(
      program,
      host,
      old,
      errors,
    );
    warn(task, program);
    return builder;
  };

function warn(task: Build, program: ts.Program): void {
  for (const warning of overlayOf(program)?.warnings ?? []) task.report(warning);
}

type Emitter = ts.Program | ts.EmitAndSemanticDiagnosticsBuilderProgram;

/** tsc's order: later kinds are only computed if the earlier ones are empty. */
function errorsOf(program: Emitter): ts.Diagnostic[] {
  const options = program.getCompilerOptions();
  const found = [...program.getConfigFileParsingDiagnostics()];
  const config = found.length;
  found.push(...program.getSyntacticDiagnostics());
  if (found.length > config) return found;
  found.push(...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics());
  if (found.length === config) found.push(...program.getSemanticDiagnostics());
  if (options.noEmit === true && options.declaration === true && found.length === config)
    found.push(...program.getDeclarationDiagnostics());
  return found;
}

function emitAndReport(task: Build, program: Emitter): number {
  const { api } = task;
  task.progress.begin(CHECKING);
  const found = errorsOf(program);
  task.progress.begin(WRITING);
  const result = program.emit();
  task.progress.end();
  found.push(...result.diagnostics);
  const diagnostics = api.sortAndDeduplicateDiagnostics(found);
  if (!("getProgram" in program)) warn(task, program);
  for (const file of result.emittedFiles ?? [])
    api.sys.write(`TSFILE: ${api.sys.resolvePath(file)}\n`);
  if (program.getCompilerOptions().listFiles === true)
    for (const { fileName } of program.getSourceFiles()) api.sys.write(`${fileName}\n`);
  diagnostics.forEach(task.report);
  if (task.pretty && diagnostics.length > 0)
    api.sys.write(`\nFound ${diagnostics.length} error${diagnostics.length === 1 ? "" : "s"}.\n\n`);
  if (diagnostics.length === 0) return api.ExitStatus.Success;
  return result.emitSkipped
    ? api.ExitStatus.DiagnosticsPresent_OutputsSkipped
    : api.ExitStatus.DiagnosticsPresent_OutputsGenerated;
}

function buildSolution(
  task: Build,
  command: ts.ParsedCommandLine,
  flags: ReadonlySet<string>,
): number | null {
  const { api, report } = task;
  const projects =
    command.fileNames.length > 0 ? command.fileNames : [command.options.project ?? "."];
  const has = (...names: string[]): boolean => names.some((n) => flags.has(n));
  const options: ts.BuildOptions = {
    force: has("--force", "-f"),
    dry: has("--dry", "-d"),
    verbose: has("--verbose", "-v"),
    ...command.options,
  };
  if (command.options.watch === true) {
    const host = api.createSolutionBuilderWithWatchHost(api.sys, builderFor(task), report);
    api.createSolutionBuilderWithWatch(host, projects, options).build();
    return null;
  }
  const host = api.createSolutionBuilderHost(api.sys, builderFor(task), report);
  const solution = api.createSolutionBuilder(host, projects, options);
  return has("--clean") ? solution.clean() : solution.build();
}

function watch(task: Build, config: string, overrides: ts.CompilerOptions): null {
  const { api, report } = task;
  api.createWatchProgram(
    api.createWatchCompilerHost(config, overrides, api.sys, builderFor(task), report),
  );
  return null;
}
