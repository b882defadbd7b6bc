// The compiler without files and processes, for a page or a worker. Input: texts of modules, and of
// the declarations they import. Output: compiled texts, findings and explanations. The TypeScript
// API is a parameter, so a bundle of this file holds no Node module.

import type ts from "typescript";
import { analyse, type Analysis, Kept, type Host, type TypeScript } from "../analyse.ts";
import type { Diagnostic, Span } from "../diagnostics/report.ts";
import { isCode, REGISTRY } from "../diagnostics/registry.ts";
import { explain } from "../explain.ts";
import { applyEdits, type Chunk, type EditedText, originOf } from "./apply.ts";
import { analyseProgram, NOTHING } from "./core.ts";
import { functionNamed, functionsOf } from "./function-lookup.ts";

/** Texts by absolute name, such as `/main.ts`. */
export type Texts = Readonly<Record<string, string>>;

export interface BrowserOptions {
  /** The compiler API of TypeScript 5.9 or 6. */
  readonly ts: TypeScript;
  /** Files that never change: `/lib/lib.*.d.ts`, and packages under `/node_modules/`. */
  readonly library: Texts;
  readonly options?: ts.CompilerOptions;
  /** Shares parsed files with other compilers, whose modules have other names. */
  readonly documents?: ts.DocumentRegistry;
}

/** An error or a warning, of tsgrad (`TSG1103`) or of TypeScript (`TS2322`). */
export interface BrowserFinding {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** What to do; empty for TypeScript's own. */
  readonly remedy: string;
  readonly span: Span;
  /** How a call site leads to it. */
  readonly chain: readonly { readonly text: string; readonly span: Span }[];
}

/** A stretch of compiled text, and the user's code that it comes from. */
export interface BrowserMapping {
  readonly start: number;
  readonly end: number;
  readonly origin: Span;
}

export interface MappedText {
  readonly text: string;
  /** Of generated text, ascending. */
  readonly mappings: readonly BrowserMapping[];
}

/** The module with its derivatives, as TypeScript. */
export interface BrowserModule extends MappedText {
  /** The derivative code alone; empty if the module has none. */
  readonly derivatives: MappedText;
  /** Names of the functions at the top level. */
  readonly functions: readonly string[];
}

export interface BrowserResult {
  readonly modules: ReadonlyMap<string, BrowserModule>;
  readonly findings: readonly BrowserFinding[];
}

/** The page of a diagnostic; null for other codes. */
export interface CodePage {
  readonly code: string;
  readonly title: string;
  readonly page: string;
  readonly remedy: string;
  readonly bad: string;
  readonly good: string;
}

const OPTIONS = ({ ScriptTarget, ModuleKind, ModuleResolutionKind }: TypeScript) => ({
  strict: true,
  target: ScriptTarget.ES2022,
  module: ModuleKind.ESNext,
  moduleResolution: ModuleResolutionKind.Bundler,
  lib: ["lib.es2023.d.ts"],
  types: [],
  noEmit: true,
  skipLibCheck: true,
});

/**
 * A compiler that keeps its state from one text to the next, as an editor needs it.
 *
 * @example
 * const compiler = new BrowserCompiler({ ts, library });
 * const { modules, findings } = compiler.compile({ "/main.ts": text });
 * modules.get("/main.ts")?.derivatives.text; // function f$grad(…) { … }
 */
export class BrowserCompiler {
  readonly #ts: TypeScript;
  readonly #texts = new Map<string, { readonly text: string; readonly version: number }>();
  readonly #library: Texts;
  readonly #kept = new Kept();
  #roots: readonly string[] = [];
  /** TypeScript's own answers about the last texts, such as completions. */
  readonly service: ts.LanguageService;

  constructor({ ts, library, options = {}, documents }: BrowserOptions) {
    this.#ts = ts;
    this.#library = library;
    const settings: ts.CompilerOptions = { ...OPTIONS(ts), ...options };
    this.service = ts.createLanguageService(this.#host(settings), documents);
  }

  /** Compiles modules: all that there are, each with its text. */
  compile(texts: Texts): BrowserResult {
    this.edit(texts);
    const program = this.#program();
    const own = this.#roots.flatMap((file) => program.getSourceFile(file) ?? []);
    const syntax = own.flatMap((file) => program.getSyntacticDiagnostics(file));
    if (syntax.length > 0) return this.#result(own, NOTHING, syntax);
    const analysis = analyseProgram(analyse, { ...this.#of(program), kept: this.#kept });
    const types = own.flatMap((file) => program.getSemanticDiagnostics(file));
    return this.#result(own, analysis, types);
  }

  /** What `tsgrad explain` prints about a function of the last texts. */
  explain(file: string, name: string): string {
    const program = this.#program();
    const source = program.getSourceFile(file);
    if (source === undefined) return `There is no file ${file}.`;
    const [syntax] = program.getSyntacticDiagnostics(source);
    if (syntax !== undefined) return `The file has a syntax error: ${this.#message(syntax)}`;
    const host = this.#of(program);
    const { file: home, fn } = functionNamed(host, source, name);
    return explain(host, home.fileName, fn);
  }

  /** A module as JavaScript, for a browser that runs it as CommonJS. */
  javascript(text: string): string {
    const { ScriptTarget, ModuleKind } = this.#ts;
    return this.#ts.transpileModule(text, {
      compilerOptions: { target: ScriptTarget.ES2022, module: ModuleKind.CommonJS },
    }).outputText;
  }

  #result(
    own: readonly ts.SourceFile[],
    analysis: Analysis,
    others: readonly ts.Diagnostic[],
  ): BrowserResult {
    const host = this.#of(this.#program());
    const modules = own.map((file): readonly [string, BrowserModule] => {
      const { fileName, text } = file;
      const edited = applyEdits(fileName, text, analysis.edits.get(fileName) ?? []);
      const module: BrowserModule = {
        text: edited.text,
        mappings: edited.chunks.flatMap((chunk) => mappingsOf(edited, chunk)),
        derivatives: derivativesIn(edited),
        functions: functionsOf(host, file),
      };
      return [fileName, module];
    });
    const findings = [
      ...analysis.diagnostics.map(ours),
      ...others.flatMap((one) => this.#theirs(one)),
    ];
    return { modules: new Map(modules), findings: findings.sort(inOrder) };
  }

  #theirs(diagnostic: ts.Diagnostic): readonly BrowserFinding[] {
    const { file, start = 0, length = 0, code, category } = diagnostic;
    if (file === undefined) return [];
    return [
      {
        code: `TS${code}`,
        severity: category === this.#ts.DiagnosticCategory.Error ? "error" : "warning",
        message: this.#message(diagnostic),
        remedy: "",
        span: { file: file.fileName, start, end: start + length },
        chain: [],
      },
    ];
  }

  #message({ messageText }: ts.Diagnostic): string {
    return this.#ts.flattenDiagnosticMessageText(messageText, "\n");
  }

  /** Takes the texts for `service` and `explain`, without compiling them. */
  edit(texts: Texts): void {
    this.#roots = Object.keys(texts);
    for (const [file, text] of Object.entries(texts)) {
      const before = this.#texts.get(file);
      if (before?.text !== text)
        this.#texts.set(file, { text, version: (before?.version ?? 0) + 1 });
    }
    for (const file of this.#texts.keys()) if (!(file in texts)) this.#texts.delete(file);
  }

  #program(): ts.Program {
    const program = this.service.getProgram();
    if (program === undefined) throw new Error("TypeScript's language service has no program.");
    return program;
  }

  readonly #of = (program: ts.Program): Host => ({ ts: this.#ts, program });

  #host(settings: ts.CompilerOptions): ts.LanguageServiceHost {
    const read = (file: string): string | undefined =>
      this.#texts.get(file)?.text ?? this.#library[file];
    const folders = new Set(Object.keys(this.#library).flatMap(foldersOf));
    return {
      getCompilationSettings: () => settings,
      getScriptFileNames: () => [...ambientIn(this.#library), ...this.#roots],
      getScriptVersion: (file) => String(this.#texts.get(file)?.version ?? 0),
      getScriptSnapshot: (file) => {
        const text = read(file);
        return text === undefined ? undefined : this.#ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => "/",
      getDefaultLibFileName: () => "/lib/lib.es2023.d.ts",
      fileExists: (file) => read(file) !== undefined,
      readFile: read,
      directoryExists: (folder) => folders.has(folder) || folder === "/",
    };
  }
}

/** The page of a code of tsgrad's, as `docs/diagnostics.md` has it. */
export function pageOfCode(code: string): CodePage | null {
  if (!isCode(code)) return null;
  const { slug, page, help, bad, good } = REGISTRY[code];
  const remedy = help.replace(/\{\d\}/g, "…");
  return { code, title: slug.replaceAll("-", " "), page, remedy, bad, good };
}

const ours = ({ code, severity, message, help, span, chain }: Diagnostic): BrowserFinding => ({
  code,
  severity,
  message,
  remedy: help,
  span,
  chain,
});

const inOrder = (a: BrowserFinding, b: BrowserFinding): number => a.span.start - b.span.start;

/** Declarations of globals: `/ambient/*.d.ts`. */
const ambientIn = (library: Texts): readonly string[] =>
  Object.keys(library).filter((file) => file.startsWith("/ambient/"));

/** `/a/b/c.ts` is in `/a` and `/a/b`. */
function foldersOf(file: string): readonly string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/")).filter((folder) => folder !== "");
}

/** Where the parts of a chunk come from, at offsets of the edited text. */
function mappingsOf(edited: EditedText, chunk: Chunk): readonly BrowserMapping[] {
  if (chunk.kind !== "generated") return [];
  const { start, edit } = chunk;
  const offsets = [...new Set([0, ...edit.mappings.map(({ offset }) => offset)])];
  return offsets.map((offset, i) => ({
    start: start + offset,
    end: start + (offsets[i + 1] ?? edit.text.length),
    origin: originOf(edited, edit, offset),
  }));
}

/** Generated declarations: chunks of several lines, with an empty line between two. */
function derivativesIn(edited: EditedText): MappedText {
  let text = "";
  const mappings: BrowserMapping[] = [];
  for (const chunk of edited.chunks) {
    if (chunk.kind !== "generated" || !chunk.edit.text.includes("\n")) continue;
    const lead = chunk.edit.text.length - chunk.edit.text.trimStart().length;
    if (text !== "") text += "\n\n";
    const shift = text.length - chunk.start - lead;
    text += chunk.edit.text.trim();
    for (const { start, end, origin } of mappingsOf(edited, chunk))
      if (end + shift > 0)
        mappings.push({ start: Math.max(0, start + shift), end: end + shift, origin });
  }
  return { text, mappings };
}
