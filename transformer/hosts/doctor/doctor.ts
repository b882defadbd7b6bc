// `tsgrad doctor`: says for each call site whether a build step reaches it and which engine takes
// it, and what is wrong with versions and config.

import path from "node:path";
import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";
import { print, printJson, type Process, WrongWords } from "../cli/command.ts";
import type { Words } from "../cli/words.ts";
import { withFiles } from "../core.ts";
import { ProjectFiles } from "../init/project-files.ts";
import { readProject, syntaxErrors } from "../project.ts";
import { compilerRuns, isOutput } from "./compiler-runs.ts";
import { plainFindings } from "./plain-output.ts";
import { buildSteps, setUpFindings, type SetUpFinding } from "./set-up.ts";
import { type Site, sitesOf } from "./sites.ts";

export function runDoctor(words: Words, { typescript, version }: Process): number {
  const [word = words.value("project") ?? ".", ...more] = words.names;
  if (more.length > 0) throw new WrongWords("doctor takes one folder at most");
  const api = typescript();
  const place = path.resolve(word);
  const file = place.endsWith(".json") ? place : path.join(place, "tsconfig.json");
  if (!api.sys.fileExists(place) && !api.sys.directoryExists(place))
    throw new WrongWords(`there is no '${word}'`);
  const project = new ProjectFiles(path.dirname(file));
  const config = api.sys.fileExists(file) ? parsed(api, file) : undefined;
  const steps = buildSteps(project);
  const runs = compilerRuns(api, project);
  const sites =
    config === undefined
      ? []
      : sitesOf(hostOf(api, config, file), project, steps, isOutput(api, runs));
  const findings = [
    ...setUpFindings(api, project, config),
    ...plainFindings(api, project, runs, sites),
  ];
  const isFine = !sites.some(isBad) && !findings.some(isError);
  const versions = {
    tsgrad: version(),
    node: process.versions.node,
    typescript: project.version("typescript"),
    own: api.version,
    "ts-patch": project.version("ts-patch"),
  };
  if (words.has("json")) printJson({ isFine, versions, steps, findings, sites });
  else print(report(versions, steps, findings, sites));
  return isFine ? 0 : 1;
}

const isBad = ({ state }: Site): boolean => state === "bad";
const isError = ({ severity }: SetUpFinding): boolean => severity === "error";

const parsed = (api: TypeScript, file: string): ts.ParsedCommandLine | undefined =>
  api.getParsedCommandLineOfConfigFile(
    file,
    {},
    { ...api.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );

/** A solution tsconfig, which has only references, means the projects that it refers to. */
function hostOf(api: TypeScript, config: ts.ParsedCommandLine, file: string) {
  const isSolution = config.fileNames.length === 0 && syntaxErrors(api, config).length === 0;
  const { files, options } = isSolution
    ? readProject(api, path.dirname(file), file)
    : { files: config.fileNames, options: config.options };
  return withFiles({ ts: api, program: api.createProgram(files, options) });
}

type Versions = Readonly<Record<string, string | null>>;

function report(
  versions: Versions,
  steps: ReturnType<typeof buildSteps>,
  findings: readonly SetUpFinding[],
  sites: readonly Site[],
): string {
  const { tsgrad, node, typescript, own, "ts-patch": patch } = versions;
  const ready = steps.map(
    ({ host, isReady }) => `${host} ${isReady ? "is set up" : "is NOT set up"}`,
  );
  const head = [
    `tsgrad ${tsgrad ?? ""}, Node ${node ?? ""}, TypeScript ${typescript ?? "none"} (tsgrad's own: ${own ?? ""})${patch === null || patch === undefined ? "" : `, ts-patch ${patch}`}`,
    `Build steps: ${ready.join(", ")}`,
  ];
  const rows = sites.length === 0 ? ["No call of tsgrad was found."] : sites.map(rowOf);
  const problems = findings.map(
    ({ severity, text, remedy }) => `${severity}: ${text}\n  ${remedy}`,
  );
  return [head.join("\n"), rows.join("\n"), ...problems, summary(findings, sites)].join("\n\n");
}

function summary(findings: readonly SetUpFinding[], sites: readonly Site[]): string {
  const wrong = sites.filter(isBad).length + findings.filter(isError).length;
  const warned = findings.length - findings.filter(isError).length;
  const unchecked = sites.filter(({ state }) => state === "unchecked").length;
  if (wrong + warned + unchecked === 0) return "All is well.";
  const parts = [
    wrong === 0 ? "No problem was found" : counted(wrong, "problem"),
    ...(warned === 0 ? [] : [counted(warned, "warning")]),
    ...(unchecked === 0 ? [] : [`${counted(unchecked, "file")} not checked`]),
  ];
  return `${parts.join(", ")}.`;
}

const counted = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? "" : "s"}`;

/** The first column of a row. */
const MARKS = { ok: "ok ", bad: "BAD", unchecked: "?  " } as const;

function rowOf({ file, line, call, engine, steps, reasons, state }: Site): string {
  const by = steps.length === 0 ? "" : `, by ${steps.join(" and ")}`;
  const what = engine === null ? "no derivative" : `${engine} engine`;
  return [
    `${MARKS[state]} ${file}${line === null ? "" : `:${line}`}  ${call}  ${line === null ? "not checked" : what}${by}`,
    ...reasons.map((reason) => `      ${reason}`),
  ].join("\n");
}
