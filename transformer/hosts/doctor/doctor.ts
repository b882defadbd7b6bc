// `tsgrad doctor`: says for each call site whether a build step reaches it and which engine takes
// it, and what is wrong with versions and config.

import path from "node:path";
import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";
import { print, printJson, type Process, WrongWords } from "../cli/command.ts";
import type { Words } from "../cli/words.ts";
import { withFiles } from "../core.ts";
import { ProjectFiles } from "../init/project-files.ts";
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
  const findings = setUpFindings(api, project, config);
  const sites = config === undefined ? [] : sitesOf(hostOf(api, config), project, steps);
  const isFine = sites.every((site) => site.isFine) && !findings.some(isError);
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

const isError = ({ severity }: SetUpFinding): boolean => severity === "error";

const parsed = (api: TypeScript, file: string): ts.ParsedCommandLine | undefined =>
  api.getParsedCommandLineOfConfigFile(
    file,
    {},
    { ...api.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );

const hostOf = (api: TypeScript, { fileNames, options }: ts.ParsedCommandLine) =>
  withFiles({ ts: api, program: api.createProgram(fileNames, options) });

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
  const wrong = sites.filter((site) => !site.isFine).length + findings.filter(isError).length;
  const end = wrong === 0 ? "All is well." : `${wrong} problem${wrong === 1 ? "" : "s"}.`;
  return [head.join("\n"), rows.join("\n"), ...problems, end].join("\n\n");
}

function rowOf({ file, line, call, engine, steps, reasons, isFine }: Site): string {
  const by = steps.length === 0 ? "" : `, by ${steps.join(" and ")}`;
  const what = engine === null ? "no derivative" : `${engine} engine`;
  return [
    `${isFine ? "ok " : "BAD"} ${file}${line === null ? "" : `:${line}`}  ${call}  ${line === null ? "not checked" : what}${by}`,
    ...reasons.map((reason) => `      ${reason}`),
  ].join("\n");
}
