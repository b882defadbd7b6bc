// The language-service plugin: `"plugins": [{ "name": "tsgrad" }]` in tsconfig.json. It adds to the
// answers of TypeScript's own service, and never takes one away. Work that takes time is done
// later, piece by piece, while the editor is idle.

import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";
import type { SiteFacts } from "../../explain/sites.ts";
import { toCompiler, type Views } from "../diagnostics.ts";
import { overlayOf } from "../overlay.ts";
import { derivativeFile, removeDerivativeFile, writeDerivativeFile } from "./derivative-file.ts";
import { FIXABLE, fixOf } from "./fixes.ts";
import { hoverText } from "./hover.ts";
import { callAround, callNamedAt, siteOfCall } from "./located.ts";
import { Session } from "./session.ts";

/** How long the editor must be idle before work that takes time begins, in milliseconds. */
const IDLE_MS = 150;

const REFACTOR = "tsgrad";
const SHOW = "show derivative";

/** What the plugin needs of `ts.server.PluginCreateInfo`. */
export interface PluginInfo {
  readonly languageService: ts.LanguageService;
  readonly project: {
    readonly refreshDiagnostics: () => void;
    readonly isClosed: () => boolean;
    readonly projectService: {
      readonly logger: { readonly info: (text: string) => void };
      readonly getScriptInfo: (file: string) => unknown;
    };
  };
}

export interface LanguageServicePlugin {
  readonly create: (info: PluginInfo) => ts.LanguageService;
}

/** What tsserver passes to a plugin. */
export interface Modules {
  readonly typescript: TypeScript;
}

export const languageServicePlugin = (modules: Modules): LanguageServicePlugin => ({
  create: (info) => {
    const own = info.languageService;
    const plugin = new Plugin(modules.typescript, info);
    return { ...own, ...plugin.answers() };
  },
});

class Plugin {
  readonly #ts: TypeScript;
  readonly #info: PluginInfo;
  readonly #own: ts.LanguageService;
  readonly #session: Session;
  /** Files whose diagnostics are not complete. */
  readonly #waiting = new Set<string>();
  #lastProgram: ts.Program | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(api: TypeScript, info: PluginInfo) {
    this.#ts = api;
    this.#info = info;
    this.#own = info.languageService;
    this.#session = new Session(api);
  }

  answers(): Partial<ts.LanguageService> {
    const own = this.#own;
    return {
      getSemanticDiagnostics: (file) =>
        this.#add(own.getSemanticDiagnostics(file), (found) => [
          ...found,
          ...this.#diagnostics(file),
        ]),
      getQuickInfoAtPosition: (file, position, ...rest) =>
        this.#add(own.getQuickInfoAtPosition(file, position, ...rest), (found) =>
          this.#hover(file, position, found),
        ),
      getImplementationAtPosition: (file, position) =>
        this.#add(own.getImplementationAtPosition(file, position), (found) =>
          this.#implementation(file, position, found),
        ),
      getSupportedCodeFixes: (file) => [
        ...new Set([
          ...own.getSupportedCodeFixes(file),
          ...FIXABLE.map((code) => String(Number(code.slice(3)))),
        ]),
      ],
      getCodeFixesAtPosition: (file, start, end, codes, ...rest) => {
        const ours = this.#add([], () => this.#fixes(file, start, end, codes));
        // their numbers mean something else to TypeScript
        const others = codes.filter((code) => !ours.some((one) => one.code === code));
        return [
          ...own.getCodeFixesAtPosition(file, start, end, others, ...rest),
          ...ours.map(({ action }) => action),
        ];
      },
      getApplicableRefactors: (file, at, preferences, reason, ...rest) =>
        this.#add(own.getApplicableRefactors(file, at, preferences, reason, ...rest), (found) => [
          ...found,
          ...this.#refactors(file, at, reason === "invoked"),
        ]),
      getEditsForRefactor: (...asked) =>
        asked[3] === REFACTOR
          ? this.#add(undefined, () => this.#edits(asked[0], asked[2]))
          : own.getEditsForRefactor(...asked),
      dispose: () => {
        if (this.#timer !== null) clearTimeout(this.#timer);
        own.dispose();
      },
    };
  }

  /** What TypeScript answers, with ours added unless that fails. */
  #add<T>(found: T, add: (found: T) => T): T {
    try {
      return add(found);
    } catch (error) {
      if (error instanceof this.#ts.OperationCanceledException) throw error;
      this.#log(error);
      return found;
    }
  }

  #log(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#info.project.projectService.logger.info(`tsgrad: ${text}`);
  }

  #diagnostics(file: string): readonly ts.Diagnostic[] {
    const program = this.#own.getProgram();
    // a patched TypeScript reports them already
    if (program === undefined || overlayOf(program) !== undefined) return [];
    if (!this.#session.settle(program, file)) this.#later(file, program);
    const views: Views = {
      ts: this.#ts,
      of: () => undefined,
      originalOf: (name) => program.getSourceFile(name),
    };
    return this.#session.diagnosticsIn(program, file).map((one) => toCompiler(views, one));
  }

  /** Completes a file's diagnostics when the editor is idle. */
  #later(file: string, program: ts.Program): void {
    this.#waiting.add(file);
    this.#lastProgram = program;
    this.#schedule(IDLE_MS);
  }

  #schedule(delay: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#add(undefined, () => this.#work());
    }, delay);
  }

  /** One piece of work; requests of the editor come before the next one. */
  #work(): undefined {
    const [file] = this.#waiting;
    if (file === undefined || this.#info.project.isClosed()) return;
    const program = this.#own.getProgram();
    if (program !== undefined && program !== this.#lastProgram) {
      this.#lastProgram = program; // somebody is typing
      this.#schedule(IDLE_MS);
      return;
    }
    const { isDone, isNew } =
      program === undefined ? { isDone: true, isNew: false } : this.#session.step(program, file);
    if (isDone) this.#waiting.delete(file);
    if (this.#waiting.size > 0) this.#schedule(0);
    if (isNew) this.#info.project.refreshDiagnostics();
  }

  #sourceOf(file: string): { readonly program: ts.Program; readonly source: ts.SourceFile } | null {
    const program = this.#own.getProgram();
    const source = program?.getSourceFile(file);
    return program === undefined || source === undefined ? null : { program, source };
  }

  /** The call site whose form is named at a position. */
  #siteNamedAt(file: string, position: number): SiteFacts | undefined {
    const found = this.#sourceOf(file);
    if (found === null) return undefined;
    const { program, source } = found;
    const call = callNamedAt({ ts: this.#ts, program }, source, position);
    if (call === undefined) return undefined;
    return siteOfCall(this.#session.sitesOf(program, file), source, call);
  }

  #hover(
    file: string,
    position: number,
    found: ts.QuickInfo | undefined,
  ): ts.QuickInfo | undefined {
    if (found === undefined) return found;
    const site = this.#siteNamedAt(file, position);
    if (site === undefined) return found;
    const text = { kind: "text", text: `${hoverText(site)}\n\n` };
    return { ...found, documentation: [text, ...(found.documentation ?? [])] };
  }

  #implementation(
    file: string,
    position: number,
    found: readonly ts.ImplementationLocation[] | undefined,
  ): readonly ts.ImplementationLocation[] | undefined {
    const site = this.#siteNamedAt(file, position);
    if (site === undefined) return found;
    const shown = derivativeFile(site);
    if (!writeDerivativeFile(shown)) return found;
    return [
      {
        fileName: shown.name,
        textSpan: { start: 0, length: shown.text.length },
        kind: this.#ts.ScriptElementKind.functionElement,
        displayParts: [],
      },
    ];
  }

  #fixes(
    file: string,
    start: number,
    end: number,
    codes: readonly number[],
  ): { readonly code: number; readonly action: ts.CodeFixAction }[] {
    const found = this.#sourceOf(file);
    if (found === null) return [];
    const { program, source } = found;
    this.#session.settle(program, file);
    return this.#session.diagnosticsIn(program, file).flatMap((one) => {
      const code = Number(one.code.slice(3));
      if (!codes.includes(code) || one.span.start !== start || one.span.end !== end) return [];
      const fix = fixOf(this.#ts, program, source, one);
      const textChanges = fix?.edits.map((edit) => ({
        span: { start: edit.start, length: edit.end - edit.start },
        newText: edit.text,
      }));
      if (fix === null || textChanges === undefined) return [];
      const changes = [{ fileName: file, textChanges }];
      return [{ code, action: { fixName: one.code, description: fix.title, changes } }];
    });
  }

  /** The innermost call site around a position. `isRequested`: it is worth the time to read it. */
  #siteAround(
    file: string,
    at: number | ts.TextRange,
    isRequested: boolean,
  ): SiteFacts | undefined {
    const found = this.#sourceOf(file);
    if (found === null) return undefined;
    const { program, source } = found;
    const offset = typeof at === "number" ? at : at.pos;
    const call = callAround({ ts: this.#ts, program }, source, offset);
    if (call === undefined) return undefined;
    const sites = isRequested
      ? this.#session.sitesOf(program, file)
      : this.#session.knownSitesOf(program, file);
    return siteOfCall(sites, source, call);
  }

  #refactors(
    file: string,
    at: number | ts.TextRange,
    isRequested: boolean,
  ): readonly ts.ApplicableRefactorInfo[] {
    const site = this.#siteAround(file, at, isRequested);
    if (site === undefined) return [];
    const description = `Show the derivative of '${site.name}'`;
    const actions = [{ name: SHOW, description, kind: "refactor.show" }];
    return [{ name: REFACTOR, description: "tsgrad", actions }];
  }

  /** Creates the file that shows the derivative; one that is open has nothing to change. */
  #edits(file: string, at: number | ts.TextRange): ts.RefactorEditInfo | undefined {
    const site = this.#siteAround(file, at, true);
    if (site === undefined) return undefined;
    const shown = derivativeFile(site);
    if (this.#info.project.projectService.getScriptInfo(shown.name) !== undefined)
      return { edits: [{ fileName: shown.name, textChanges: [] }] };
    removeDerivativeFile(shown);
    const textChanges = [{ span: { start: 0, length: 0 }, newText: shown.text }];
    return { edits: [{ fileName: shown.name, isNewFile: true, textChanges }] };
  }
}
