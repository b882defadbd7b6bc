// What hosts of bundlers say about a file: diagnostics with their places, as texts, and what keeps
// a host from seeing code.

import path from "node:path";
import type ts from "typescript";
import type { Diagnostic, Span } from "../diagnostics/report.ts";
import { pageLine } from "../diagnostics/page.ts";
import { Sink } from "../diagnostics/sink.ts";
import { componentOf } from "./components.ts";
import type { SourceMap } from "./source-map.ts";

export interface Located {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based. */
  readonly column: number;
  readonly length: number;
  readonly lineText: string;
}

export interface Finding {
  readonly severity: Diagnostic["severity"];
  /** `TSG1003: …`, with the help on the next line. */
  readonly text: string;
  readonly at: Located | null;
  readonly notes: readonly { readonly text: string; readonly at: Located | null }[];
}

export interface Answer {
  /** null if the file has no edits. */
  readonly code: string | null;
  readonly map: SourceMap | null;
  /** Diagnostics of the derivatives that this file requests. */
  readonly findings: readonly Finding[];
  readonly dependencies: readonly string[];
}

/** Whether code imports from tsgrad itself: `import { grad } from "tsgrad"`. */
export const importsForms = (text: string): boolean => /\bfrom\s*["']tsgrad["']/.test(text);

/** The answer for a JavaScript file that is no part of the program, but has calls. */
export const unseen = (file: string): Answer =>
  alone(
    file,
    "warning",
    `tsgrad does not see the calls in ${path.basename(file)}, since it is JavaScript\nset "allowJs": true in the compilerOptions of tsconfig.json, or write it in TypeScript`,
  );

/** The answer for a component with derivatives in two blocks. */
export const twoBlocks = (file: string): Answer =>
  alone(
    file,
    "error",
    `tsgrad has no place for derivatives that two script blocks of ${path.basename(file)} share\nmove the functions to a module of their own, and import them`,
  );

function alone(file: string, severity: Finding["severity"], text: string, lineText = ""): Answer {
  const at: Located = { file, line: 1, column: 0, length: 0, lineText };
  return { code: null, map: null, findings: [{ severity, text, at, notes: [] }], dependencies: [] };
}

/** The answer for a file with derivatives that TypeScript's parser cannot read. */
export function tooDeep(file: string, text: string): Answer {
  const span = { file, start: 0, end: 0 };
  const { code, message, help } = new Sink().report("TSG9003", span, [], path.basename(file));
  const lineText = text.split(/\r?\n/, 1)[0] ?? "";
  return alone(file, "error", `${code}: ${message}\n${help}\n${pageLine(code)}`, lineText);
}

export function finding(program: ts.Program, diagnostic: Diagnostic): Finding {
  return {
    severity: diagnostic.severity,
    text: `${diagnostic.code}: ${diagnostic.message}${diagnostic.help === "" ? "" : `\n${diagnostic.help}`}\n${pageLine(diagnostic.code)}`,
    at: locate(program, diagnostic.span),
    notes: diagnostic.chain.map((link) => ({ text: link.text, at: locate(program, link.span) })),
  };
}

function locate(program: ts.Program, span: Span): Located | null {
  const file = program.getSourceFile(span.file);
  if (file === undefined) return null;
  const { line, character } = file.getLineAndCharacterOfPosition(span.start);
  const starts = file.getLineStarts();
  const lineText = file.text
    .slice(starts[line] ?? 0, starts[line + 1] ?? file.text.length)
    .replace(/[\r\n]+$/, "");
  return {
    file: componentOf(span.file),
    line: line + 1,
    column: character,
    length: span.end - span.start,
    lineText,
  };
}
