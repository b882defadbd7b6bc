// The call sites of a project, and what happens to each: which build step reaches it, which engine
// takes it, or why none does.

import type ts from "typescript";
import type { Host } from "../../analyse.ts";
import type { Diagnostic, Span } from "../../diagnostics/report.ts";
import { SiteReader } from "../../explain/sites.ts";
import { mentionsTsgrad } from "../core.ts";
import type { HostName } from "../init/hosts.ts";
import type { ProjectFiles } from "../init/project-files.ts";
import type { BuildStep } from "./set-up.ts";

export interface Site {
  readonly file: string;
  /** 1-based; null for a file that was not read. */
  readonly line: number | null;
  /** The call, as `grad(loss)`. */
  readonly call: string;
  readonly engine: "static" | "delta" | null;
  /** Build steps that write its derivative. */
  readonly steps: readonly HostName[];
  /** Why there is no derivative, or why the Delta engine takes it. */
  readonly reasons: readonly string[];
  /** "unchecked" of a file that is not read here: only a build tells what becomes of it. */
  readonly state: "ok" | "bad" | "unchecked";
}

const SOURCE = /(?<!\.d)\.[cm]?[jt]sx?$/;
const COMPONENT = /\.(?:vue|svelte|astro)$/;
const TEST = /(?:^|\/)(?:tests?|__tests__)\/|\.(?:test|spec)\.[cm]?[jt]sx?$/;
const CONFIG = /\.config\.[cm]?[jt]s$/;

export function sitesOf(
  host: Host,
  project: ProjectFiles,
  steps: readonly BuildStep[],
  isOutput: (file: string) => boolean,
): readonly Site[] {
  const reader = new SiteReader();
  const user = host.program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && !file.fileName.includes("/node_modules/"))
    .filter((file) => mentionsTsgrad(file.text) && !CONFIG.test(file.fileName));
  const seen = new Set(user.map(({ fileName }) => fileName));
  const others = project
    .sources(new RegExp(`${SOURCE.source}|${COMPONENT.source}`))
    .filter((name) => !seen.has(project.at(name)) && !CONFIG.test(name))
    .filter((name) => !isOutput(project.at(name)))
    .filter((name) => importsForms(project.read(name) ?? ""));
  return [
    ...user.flatMap((file) => inProgram(host, project, file, reader, steps)),
    ...others.map((name) => outside(name, steps)),
  ];
}

const importsForms = (text: string): boolean => /from ["']tsgrad(?:\/testing)?["']/.test(text);

function inProgram(
  host: Host,
  project: ProjectFiles,
  file: ts.SourceFile,
  reader: SiteReader,
  steps: readonly BuildStep[],
): readonly Site[] {
  const { sites, diagnostics } = reader.read(host, file.fileName);
  const name = relative(project, file.fileName);
  const reaching = stepsFor(name, steps, true);
  const found = sites.map(({ span, form, name: fn, engine, reasons }): Site => ({
    file: name,
    line: lineOf(file, span.start),
    call: `${form}(${fn})`,
    engine,
    steps: reaching,
    reasons: [
      ...(reaching.length === 0 ? [UNREACHED] : []),
      ...reasons,
      ...diagnostics.filter((one) => warnsOf(one, span)).map(toldOf),
    ],
    state: reaching.length > 0 ? "ok" : "bad",
  }));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return [...found, ...errors.map((one) => refused(host, project, file, one, reaching))];
}

const UNREACHED = "no build step that is set up compiles this file";

/** Whether it is a warning of the call there. */
const warnsOf = ({ severity, chain }: Diagnostic, { file, start }: Span): boolean =>
  severity === "warning" && chain.some(({ span }) => span.file === file && span.start === start);

const toldOf = ({ code, message }: Diagnostic): string =>
  `${code}: ${message} (npx tsgrad explain ${code})`;

function refused(
  host: Host,
  project: ProjectFiles,
  file: ts.SourceFile,
  diagnostic: Diagnostic,
  steps: readonly HostName[],
): Site {
  const { span, chain } = diagnostic;
  const call = chain.find((link) => link.span.file === file.fileName) ?? { span, text: "" };
  const at = host.program.getSourceFile(call.span.file) ?? file;
  return {
    file: relative(project, at.fileName),
    line: lineOf(at, call.span.start),
    call: at.text.slice(call.span.start, call.span.end).split("\n", 1)[0] ?? "",
    engine: null,
    steps,
    reasons: [toldOf(diagnostic)],
    state: "bad",
  };
}

/** A file that is no part of the TypeScript project. */
function outside(name: string, steps: readonly BuildStep[]): Site {
  const isComponent = COMPONENT.test(name);
  const reaching = isComponent ? [] : stepsFor(name, steps, false);
  const isRead = isComponent || reaching.length > 0;
  return {
    file: name,
    line: null,
    call: "(not read)",
    engine: null,
    steps: reaching,
    reasons: [isComponent ? COMPONENT_UNREAD : isRead ? OUTSIDE_UNREAD : OUTSIDE],
    state: isRead ? "unchecked" : "bad",
  };
}

const COMPONENT_UNREAD =
  "this kind of file is not read here: a build tells whether its plugin reaches it";
const OUTSIDE_UNREAD = "it is not in `include` of tsconfig.json: a build tells what becomes of it";
const OUTSIDE =
  "it is not in `include` of tsconfig.json, so `tsgrad build` does not compile it: add it, or delete it if a compiler wrote it";

/** tsc and its like compile files of the project; what runs files, what is run or imported. */
function stepsFor(name: string, steps: readonly BuildStep[], inProject: boolean): HostName[] {
  const isTest = TEST.test(name);
  return steps
    .filter(({ isReady }) => isReady)
    .map(({ host }) => host)
    .filter((host) => {
      if (host === "vitest" || host === "jest" || host === "bun" || host === "node") return true;
      return host === "tsc" ? inProject : !isTest;
    });
}

const relative = (project: ProjectFiles, file: string): string =>
  file.startsWith(`${project.folder}/`) ? file.slice(project.folder.length + 1) : file;

const lineOf = (file: ts.SourceFile, at: number): number =>
  file.getLineAndCharacterOfPosition(at).line + 1;
