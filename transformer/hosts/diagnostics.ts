// Converts diagnostics to the compiler's, at positions in the user's text and never in generated
// text. Compiler errors in generated code become one TSG9002 per function.

import type ts from "typescript";
import type { TypeScript } from "../analyse.ts";
import type { Diagnostic, Span } from "../diagnostics/report.ts";
import { pageLine } from "../diagnostics/page.ts";
import { Sink } from "../diagnostics/sink.ts";
import { chunkAt, endToOriginal, originOf, toOriginal, type EditedText } from "./apply.ts";

/** A file of an overlay: its edited text, and the user's file that diagnostics refer to. */
export interface View {
  readonly edited: EditedText;
  readonly original: ts.SourceFile;
}

export interface Views {
  readonly ts: TypeScript;
  readonly of: (file: string) => View | undefined;
  /** Any user file, for positions. */
  readonly originalOf: (file: string) => ts.SourceFile | undefined;
  /** Plain output omits related information, so the call chain is part of the message. */
  readonly isPlain?: boolean;
}

const category = (ts: TypeScript, severity: Diagnostic["severity"]): ts.DiagnosticCategory =>
  severity === "error" ? ts.DiagnosticCategory.Error : ts.DiagnosticCategory.Warning;

const numberOf = (code: string): number => Number(code.replace(/\D+/, ""));

function place(
  views: Views,
  span: Span,
): { file: ts.SourceFile | undefined; start: number | undefined; length: number | undefined } {
  const file = views.originalOf(span.file);
  return file === undefined
    ? { file, start: undefined, length: undefined }
    : { file, start: span.start, length: span.end - span.start };
}

/** The help is a further line of the message, the call chain is related information. */
export function toCompiler(views: Views, diagnostic: Diagnostic): ts.Diagnostic {
  const code = numberOf(diagnostic.code);
  const kind = category(views.ts, diagnostic.severity);
  return {
    category: kind,
    code,
    source: "tsgrad",
    ...place(views, diagnostic.span),
    messageText: {
      messageText: `${diagnostic.code}: ${diagnostic.message}`,
      category: kind,
      code,
      next: below(views, diagnostic).map((messageText) => ({
        messageText,
        category: views.ts.DiagnosticCategory.Message,
        code,
      })),
    },
    relatedInformation: diagnostic.chain.map((link) => ({
      category: views.ts.DiagnosticCategory.Message,
      code,
      ...place(views, link.span),
      messageText: link.text,
    })),
  };
}

/**
 * The diagnostic as tsc and its kin print it. They write `TS` before each code, so ours begins with
 * the third letter.
 */
export function printed(diagnostic: ts.Diagnostic): ts.Diagnostic {
  const { messageText } = diagnostic;
  if (typeof messageText === "string") return diagnostic;
  const [, code, text] = /^TS(G\d+): ([^]*)$/.exec(messageText.messageText) ?? [];
  if (code === undefined || text === undefined) return diagnostic;
  return {
    ...diagnostic,
    code: code as unknown as number, // printed, stored and compared, never calculated with
    messageText: { ...messageText, messageText: text },
  };
}

/** Codes by which TypeScript says that an argument does not fit a form. */
const MISFITS: ReadonlySet<number> = new Set([2322, 2345, 2353, 2554, 2555, 2559, 2561, 2769]);

/** Codes of ours about calls and options, of which TypeScript marks the name or a part. */
const OF_WHOLE: ReadonlySet<number> = new Set([1003, 1004, 1005, 1006, 1007, 2004]);

/** What remains of the errors of both if each mistake is reported once. */
export function reportedOnce(
  theirs: readonly ts.Diagnostic[],
  ours: readonly ts.Diagnostic[],
): ts.Diagnostic[] {
  const isMisfit = ({ code }: ts.Diagnostic): boolean => MISFITS.has(code);
  return [
    ...theirs.filter((one) => !isMisfit(one) || !ours.some((own) => isOnePlace(one, own))),
    // where TypeScript finds no name, no derivative is to blame
    ...ours.filter((own) => !theirs.some((one) => !isMisfit(one) && isOnePlace(one, own))),
  ];
}

function isOnePlace(theirs: ts.Diagnostic, ours: ts.Diagnostic): boolean {
  if (theirs.file?.fileName !== ours.file?.fileName) return false;
  const [start, end] = spanOf(theirs);
  const [from, to] = spanOf(ours);
  if (start === from && end === to) return true;
  if (!OF_WHOLE.has(numberOf(String(ours.code)))) return false;
  const isNamed = /^["']?\s*:\s*$/.test(ours.file?.text.slice(end, from) ?? "");
  return (from <= start && end <= to) || (end <= from && isNamed);
}

const spanOf = ({ start = 0, length = 0 }: ts.Diagnostic): readonly [number, number] => [
  start,
  start + length,
];

function below(views: Views, { code, help, chain }: Diagnostic): string[] {
  const requests = chain.map((link) => {
    const file = views.originalOf(link.span.file);
    if (file === undefined) return link.text;
    const { line, character } = file.getLineAndCharacterOfPosition(link.span.start);
    return `${link.text} at ${file.fileName.split("/").slice(-2).join("/")}(${line + 1},${character + 1})`;
  });
  return [
    ...(help === "" ? [] : [help]),
    ...(views.isPlain === true ? requests : []),
    pageLine(code),
  ];
}

/** The compiler's diagnostics about the overlay, by whose code they are about. */
export interface Partitioned {
  /** About user code, at original positions. */
  readonly user: ts.Diagnostic[];
  /** About generated code, at overlay positions. */
  readonly generated: ts.Diagnostic[];
}

export function partition(views: Views, diagnostics: readonly ts.Diagnostic[]): Partitioned {
  const sorted: Partitioned = { user: [], generated: [] };
  for (const diagnostic of diagnostics) {
    const moved = remap(views, diagnostic);
    if (moved === null) sorted.generated.push(diagnostic);
    else sorted.user.push(moved);
  }
  return sorted;
}

/** The diagnostic at original positions; null if it is about generated code. */
function remap(views: Views, diagnostic: ts.Diagnostic): ts.Diagnostic | null {
  const moved = moveTo(views, diagnostic);
  if (moved === null) return null;
  const related = diagnostic.relatedInformation;
  if (
    related === undefined ||
    (moved === diagnostic && related.every((r) => moveTo(views, r) === r))
  )
    return moved;
  return {
    ...moved,
    relatedInformation: related.map((r) => moveTo(views, r)).filter((r) => r !== null),
  };
}

function moveTo<D extends ts.DiagnosticRelatedInformation>(views: Views, diagnostic: D): D | null {
  const view = diagnostic.file === undefined ? undefined : views.of(diagnostic.file.fileName);
  if (view === undefined || diagnostic.file === view.original) return diagnostic;
  if (diagnostic.start === undefined) return { ...diagnostic, file: view.original };
  const start = toOriginal(view.edited, diagnostic.start);
  if (start === null) return null;
  const end = endToOriginal(view.edited, start, diagnostic.start + (diagnostic.length ?? 0));
  return { ...diagnostic, file: view.original, start, length: end - start };
}

/** `function loss$grad` or `const loss$grad`; the group is the primal's name. */
const DECLARED = /\b(?:function|const|let|type)\s+([\w$]+?)\$\w[\w$]*/g;

/** The codes of "Cannot find name". */
const NO_SUCH_NAME: ReadonlySet<number> = new Set([2304, 2552, 18004]);

/** Generated code in a JavaScript file has no annotations, which `checkJs` complains about. */
const isAboutTypes = ({ code }: ts.Diagnostic, view: View): boolean =>
  /\.[cm]?jsx?$/.test(view.original.fileName) && !NO_SUCH_NAME.has(code);

/** One TSG9002 for each function with compiler errors in its generated code. */
export function internalErrors(views: Views, generated: readonly ts.Diagnostic[]): ts.Diagnostic[] {
  const byFunction = new Map<string, ts.Diagnostic>();
  for (const diagnostic of generated) {
    const view = diagnostic.file === undefined ? undefined : views.of(diagnostic.file.fileName);
    const chunk = view === undefined ? undefined : chunkAt(view.edited, diagnostic.start ?? 0);
    if (view === undefined || chunk?.kind !== "generated" || isAboutTypes(diagnostic, view))
      continue;
    const offset = (diagnostic.start ?? 0) - chunk.start;
    const origin = originOf(view.edited, chunk.edit, offset);
    const name =
      functionAt(chunk.edit.text, offset) ??
      view.original.text.slice(origin.start, origin.end).split(/\W/, 1)[0] ??
      "";
    const key = `${view.edited.file}\0${name}`;
    if (byFunction.has(key)) continue;
    const what = `TS${diagnostic.code}: ${views.ts.flattenDiagnosticMessageText(diagnostic.messageText, " ")}`;
    const line = lineAt(view.edited.text, diagnostic.start ?? 0);
    const found = new Sink().report("TSG9002", origin, [], name, `${what} (at \`${line}\`)`);
    byFunction.set(key, printed(toCompiler(views, found)));
  }
  return [...byFunction.values()];
}

function functionAt(text: string, offset: number): string | undefined {
  let name: string | undefined;
  for (const found of text.matchAll(DECLARED)) {
    if (found.index > offset) break;
    name = found[1];
  }
  return name;
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  return text
    .slice(start, end < 0 ? text.length : end)
    .trim()
    .slice(0, 120);
}
