// The language server `tsgrad lsp`, for editors whose TypeScript loads no plugins, such as that of
// TypeScript 7. It runs beside TypeScript's own server and adds tsgrad's diagnostics, hovers and
// code actions. Invariant: a mistake of ours is logged, and the request has an empty answer.

import { fileURLToPath, pathToFileURL } from "node:url";
import type ts from "typescript";
import {
  CodeActionKind,
  createConnection,
  DidChangeWatchedFilesNotification,
  DiagnosticSeverity,
  MarkupKind,
  ProposedFeatures,
  TextDocuments,
  TextDocumentSyncKind,
  type CodeAction,
  type CodeActionParams,
  type Connection,
  type Diagnostic as LspDiagnostic,
  type Hover,
  type InitializeParams,
  type InitializeResult,
  type Range,
  type TextDocumentPositionParams,
} from "vscode-languageserver/node.js";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { TypeScript } from "../../analyse.ts";
import type { Diagnostic, Span } from "../../diagnostics/report.ts";
import type { SiteFacts } from "../../explain/sites.ts";
import { derivativeFile, removeDerivativeFile, writeDerivativeFile } from "./derivative-file.ts";
import { fixOf } from "./fixes.ts";
import { hoverText } from "./hover.ts";
import { callAround, callNamedAt, siteOfCall } from "./located.ts";
import { type EditorProject, type NewSession, Workspace } from "./workspace.ts";

/** How long nobody types before diagnostics are computed, in milliseconds. */
const IDLE_MS = 150;

/** The command that opens the file with a derivative. */
const SHOW = "tsgrad.showDerivative";

/** A file of the editor in its program. */
interface Opened {
  readonly file: string;
  readonly project: EditorProject;
  readonly program: ts.Program;
  readonly source: ts.SourceFile;
}

/** Starts a server on the standard streams of this process. */
export function startServer(api: TypeScript, newSession: NewSession): void {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  new Server(api, connection, new Workspace(api, newSession)).listen();
}

class Server {
  readonly #ts: TypeScript;
  readonly #connection: Connection;
  readonly #documents = new TextDocuments(TextDocument);
  readonly #workspace: Workspace;
  /** Files whose diagnostics are to be sent. */
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #canShow = false;
  #canWatch = false;

  constructor(api: TypeScript, connection: Connection, workspace: Workspace) {
    this.#ts = api;
    this.#connection = connection;
    this.#workspace = workspace;
  }

  listen(): void {
    const connection = this.#connection;
    connection.onInitialize((params) => this.#initialize(params));
    connection.onInitialized(() => this.#watch());
    connection.onHover((params) => this.#safely(null, () => this.#hover(params)));
    connection.onCodeAction((params) => this.#safely([], () => this.#actions(params)));
    connection.onExecuteCommand(({ command, arguments: [name] = [] }) =>
      command === SHOW && typeof name === "string" ? this.#show(name) : undefined,
    );
    connection.onDidChangeWatchedFiles(() => this.#reload());
    this.#documents.onDidChangeContent(({ document }) => this.#changed(document));
    this.#documents.onDidSave(() => this.#reload());
    this.#documents.onDidClose(({ document }) => this.#closed(document));
    this.#documents.listen(connection);
    connection.listen();
  }

  #initialize({ capabilities }: InitializeParams): InitializeResult {
    this.#canShow = capabilities.window?.showDocument?.support === true;
    this.#canWatch = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    return {
      serverInfo: { name: "tsgrad" },
      capabilities: {
        textDocumentSync: {
          openClose: true,
          change: TextDocumentSyncKind.Incremental,
          save: true,
        },
        hoverProvider: true,
        codeActionProvider: {
          codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.Refactor],
        },
        executeCommandProvider: { commands: [SHOW] },
      },
    };
  }

  #watch(): void {
    if (!this.#canWatch) return;
    const watchers = [{ globPattern: "**/*.{ts,tsx,mts,cts}" }, { globPattern: "**/*.json" }];
    void this.#connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  }

  #safely<T>(empty: T, answer: () => T): T {
    try {
      return answer();
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#connection.console.error(`tsgrad: ${text}`);
      return empty;
    }
  }

  #changed(document: TextDocument): void {
    const file = fileOf(document.uri);
    if (file === null) return;
    this.#workspace.hold(file, document.getText());
    this.#later();
  }

  #closed(document: TextDocument): void {
    const file = fileOf(document.uri);
    if (file === null) return;
    this.#workspace.release(file);
    void this.#connection.sendDiagnostics({ uri: document.uri, diagnostics: [] });
  }

  #reload(): void {
    this.#workspace.reload();
    this.#later();
  }

  /** Other files may be about the same code, so all open ones are checked. */
  #later(): void {
    for (const file of this.#workspace.openFiles) this.#waiting.add(file);
    this.#schedule(IDLE_MS);
  }

  #schedule(delay: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#safely(undefined, () => this.#work());
    }, delay);
  }

  /** One piece of work; requests come before the next one. */
  #work(): undefined {
    const [file] = this.#waiting;
    if (file === undefined) return;
    const opened = this.#opened(file);
    const { isDone, isNew } =
      opened === null
        ? { isDone: true, isNew: false }
        : opened.project.session.step(opened.program, file);
    if (isDone) this.#waiting.delete(file);
    if (isNew && opened !== null) this.#publish(opened);
    if (this.#waiting.size > 0) this.#schedule(0);
  }

  #opened(file: string): Opened | null {
    const project = this.#workspace.projectOf(file);
    const { program } = project;
    const source = program?.getSourceFile(file);
    return program === undefined || source === undefined
      ? null
      : { file, project, program, source };
  }

  #publish(opened: Opened): void {
    const { file, project, program, source } = opened;
    const diagnostics = project.session
      .diagnosticsIn(program, file)
      .map((one) => this.#diagnostic(one, program, source));
    void this.#connection.sendDiagnostics({ uri: uriOf(file), diagnostics });
  }

  #diagnostic(
    { code, severity, message, help, span, chain }: Diagnostic,
    program: ts.Program,
    source: ts.SourceFile,
  ): LspDiagnostic {
    return {
      range: rangeOf(source, span),
      severity: severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
      code,
      source: "tsgrad",
      message: help === "" ? message : `${message}\n${help}`,
      relatedInformation: chain.flatMap((link) => {
        const file = program.getSourceFile(link.span.file);
        if (file === undefined) return [];
        const location = { uri: uriOf(link.span.file), range: rangeOf(file, link.span) };
        return [{ message: link.text, location }];
      }),
    };
  }

  #at({ textDocument, position }: TextDocumentPositionParams): {
    readonly opened: Opened;
    readonly offset: number;
  } | null {
    const document = this.#documents.get(textDocument.uri);
    const file = fileOf(textDocument.uri);
    const opened = file === null || document === undefined ? null : this.#opened(file);
    return opened === null || document === undefined
      ? null
      : { opened, offset: document.offsetAt(position) };
  }

  #site({ file, project, program, source }: Opened, call: ts.CallExpression | undefined) {
    if (call === undefined) return undefined;
    return siteOfCall(project.session.sitesOf(program, file), source, call);
  }

  #hover(params: TextDocumentPositionParams): Hover | null {
    const at = this.#at(params);
    if (at === null) return null;
    const { opened, offset } = at;
    const { program, source } = opened;
    const call = callNamedAt({ ts: this.#ts, program }, source, offset);
    const site = this.#site(opened, call);
    if (call === undefined || site === undefined) return null;
    const { expression } = call;
    const span = { start: expression.getStart(source), end: expression.end };
    return {
      contents: { kind: MarkupKind.Markdown, value: hoverText(site) },
      range: rangeOf(source, span),
    };
  }

  #actions({ textDocument, range }: CodeActionParams): CodeAction[] {
    const at = this.#at({ textDocument, position: range.start });
    if (at === null) return [];
    const { opened, offset } = at;
    const { program, source } = opened;
    const end = this.#documents.get(textDocument.uri)?.offsetAt(range.end) ?? offset;
    const call = callAround({ ts: this.#ts, program }, source, offset);
    const site = this.#site(opened, call);
    const fixes = this.#fixes(opened, textDocument.uri, { start: offset, end });
    return site === undefined ? fixes : [...fixes, this.#showing(site)];
  }

  /** Quick fixes of the diagnostics that touch a span. */
  #fixes(
    { file, project, program, source }: Opened,
    uri: string,
    span: Omit<Span, "file">,
  ): CodeAction[] {
    project.session.settle(program, file);
    return project.session.diagnosticsIn(program, file).flatMap((one): CodeAction[] => {
      if (one.span.start > span.end || one.span.end < span.start) return [];
      const fix = fixOf(this.#ts, program, source, one);
      if (fix === null) return [];
      const edits = fix.edits.map((edit) => ({
        range: rangeOf(source, edit),
        newText: edit.text,
      }));
      const diagnostics = [this.#diagnostic(one, program, source)];
      const kind = CodeActionKind.QuickFix;
      return [{ title: fix.title, kind, diagnostics, edit: { changes: { [uri]: edits } } }];
    });
  }

  /** Opens the derivative; an editor that cannot do so on request creates the file. */
  #showing(site: SiteFacts): CodeAction {
    const title = `Show the derivative of '${site.name}'`;
    const kind = CodeActionKind.Refactor;
    const shown = derivativeFile(site);
    if (this.#canShow && writeDerivativeFile(shown))
      return { title, kind, command: { title, command: SHOW, arguments: [shown.name] } };
    removeDerivativeFile(shown);
    const uri = uriOf(shown.name);
    const none = { line: 0, character: 0 };
    const edits = [{ range: { start: none, end: none }, newText: shown.text }];
    const documentChanges = [
      { kind: "create" as const, uri, options: { overwrite: true } },
      { textDocument: { uri, version: null }, edits },
    ];
    return { title, kind, edit: { documentChanges } };
  }

  async #show(name: string): Promise<void> {
    await this.#connection.window.showDocument({ uri: uriOf(name), takeFocus: true });
  }
}

/** A file's name as TypeScript writes it; null for what is on no disk. */
function fileOf(uri: string): string | null {
  if (!uri.startsWith("file:")) return null;
  return fileURLToPath(uri).replaceAll("\\", "/");
}

const uriOf = (file: string): string => pathToFileURL(file).href;

const rangeOf = (source: ts.SourceFile, { start, end }: Omit<Span, "file">): Range => ({
  start: source.getLineAndCharacterOfPosition(start),
  end: source.getLineAndCharacterOfPosition(end),
});
