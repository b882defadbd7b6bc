// One incremental program for a bundler. Answers are as new as the last `begin` and all texts
// passed in. A project that never mentions tsgrad creates no program.

import { createHash } from "node:crypto";
import path from "node:path";
import type ts from "typescript";
import type { Analysis, Host, PackageSystem, TypeScript } from "../analyse.ts";
import { isStackOverflow } from "../diagnostics/internal.ts";
import type { Diagnostic } from "../diagnostics/report.ts";
import type { Edit } from "../ir/facts.ts";
import { applyEdits } from "./apply.ts";
import { uncovered } from "./coverage.ts";
import { componentOf, isComponent, scriptsOf, withinBlocks, type Scripts } from "./components.ts";
import { type Answer, finding, importsForms, tooDeep, twoBlocks, unseen } from "./findings.ts";
import { FileTexts } from "./file-texts.ts";
import { analyseProgram, incremental, mentionsTsgrad, type Analyse } from "./core.ts";
import { type AskHost, type Loaded, LoadedModules } from "./loaded-modules.ts";
import { readProject, type Project } from "./project.ts";
import { versionedSystem } from "./tracked-file-system.ts";
import { mapOf, type SourceMap } from "./source-map.ts";
import { ownTypeScript } from "./typescript.ts";

export interface ServiceOptions {
  /** The project's tsconfig, relative to `cwd`; by default the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  readonly cwd?: string | undefined;
  /** Untyped packages whose JavaScript is differentiated. */
  readonly packages?: readonly string[] | undefined;
  /** "static": a call that needs the Delta engine is an error, unless it asks for it. */
  readonly engine?: "static" | undefined;
  /** "nan": derivatives stop at the first number that is not finite, and say where it came from. */
  readonly debug?: "nan" | undefined;
  /** Whether answers have source maps; true by default. */
  readonly maps?: boolean;
  /** Whether files stay as they are, as while a program runs that loads each of them once. */
  readonly isFixed?: boolean;
  /** Whether the tool passes modules of packages to `extended`, and says what it loads. */
  readonly loadsPackages?: boolean;
  /** What the tool loads, where that is known without asking it. */
  readonly loaded?: Loaded;
  /** Whether files of the project's folder that mention tsgrad belong to it without tsconfig. */
  readonly seesAll?: boolean;
  /** Whether the tool compiles components of Vue, Svelte and Astro after this. */
  readonly hasComponents?: boolean;
}

/** An edited file. */
interface Applied {
  readonly edits: readonly Edit[];
  readonly text: string;
  readonly code: string;
  readonly map: SourceMap | null;
}

/** The text that the program has; `scripts` of a component. */
interface Module {
  readonly file: string;
  readonly text: string;
  readonly scripts: Scripts | null;
}

interface Current {
  readonly program: ts.Program;
  readonly analysis: Analysis;
  /** Whether the package files that were read are unchanged. */
  readonly isCurrent: () => boolean;
  /** Results of `#requestedBy`. */
  readonly alone: Map<string, readonly Diagnostic[]>;
  /** Results of `key`. */
  readonly keys: Map<string, string>;
}

/** `isOther`: another plugin has changed the text before. */
interface Extended {
  readonly code: string | null;
  readonly map: SourceMap | null;
  readonly isOther: boolean;
}

export const isOfPackage = (file: string): boolean => /[\\/]node_modules[\\/]/.test(file);

/** The file of a package's module, which Vite's server names with a version; null for other ids. */
export function packageFileOf(id: string): string | null {
  const file = id.replace(/\?v=\w+$/, "");
  return isOfPackage(file) && SOURCE.test(file) && !file.includes("\0")
    ? file.split(path.sep).join("/")
    : null;
}

const SOURCE = /(?<!\.d)\.[cm]?[jt]sx?$/;
const FROM_PACKAGE = /\bfrom\s*["']([^./"'][^"']*)["']/g;
const TYPESCRIPT = [".ts", ".tsx", ".mts", ".cts"];
const JAVASCRIPT = /\.[cm]?jsx?$/;

/** How long files are trusted to be unchanged without a notification, in milliseconds. */
const TRUSTED_MS = 50;

/** Ids of something derived from a file, not of its module. */
const OTHER_THAN_MODULE = /\0|[?&](?:raw|url|inline|worker|sharedworker)(?:[=&]|$)/;

/** The file of a module that the plugin handles; null for other ids. */
export function sourceFileOf(id: string): string | null {
  if (OTHER_THAN_MODULE.test(id)) return null;
  const file = path.normalize(id.split("?", 1)[0] ?? id);
  return SOURCE.test(file) && !file.includes(`${path.sep}node_modules${path.sep}`)
    ? file.split(path.sep).join("/")
    : null;
}

export class ProgramService {
  /** Whether coverage is measured, which leaves derivatives out. */
  isCovered = false;
  readonly #core: Analyse;
  readonly #options: ServiceOptions;
  readonly #roots = new Set<string>();
  readonly #texts = new FileTexts();
  /** Versions of package files, which are not checked again. */
  readonly #frozen = new Map<string, string>();
  readonly #snapshots = new Map<
    string,
    { readonly version: string; readonly snapshot: ts.IScriptSnapshot }
  >();
  /** The modules of components that have been seen. */
  readonly #components = new Map<string, string>();
  readonly #applied = new Map<string, Applied>();
  readonly #mentions = new Map<string, { readonly version: string; readonly mentions: boolean }>();
  #project: Project | null = null;
  #service: ts.LanguageService | null = null;
  #current: Current | null = null;
  /** The file whose text TypeScript got last, and those on which its parser failed. */
  #reading = "";
  readonly #tooDeep = new Set<string>();
  #checked = -Infinity;
  #analysed: Current | null = null;
  readonly #loads = new LoadedModules();

  constructor(core: Analyse, options: ServiceOptions) {
    this.#core = incremental(core);
    this.#options = options;
  }

  /** Files on disk may have changed. */
  begin(entries: readonly string[] = []): void {
    for (const entry of entries) this.#roots.add(entry);
    this.#current = null;
    this.#project = null;
  }

  /** The project's own files, each of which may request derivatives in the others. */
  sources(): readonly string[] {
    return this.#readProject().files.filter((file) => sourceFileOf(file) !== null);
  }

  /** The options of the project, completed for a program that emits nothing. */
  compilerOptions(): ts.CompilerOptions {
    return this.#readProject().options;
  }

  /** `name` may be a component, whose code is a module of another name. */
  answer(name: string, given: string): Answer | null {
    const module = this.#moduleOf(name, given);
    if (module === null) return null;
    const { file, text, scripts } = module;
    if (!this.#isProgramFile(file)) return importsForms(text) ? unseen(name) : null;
    if (!this.#concerns(file, text)) return null;
    const { program, analysis } = this.#programWith(file, text);
    if (this.#tooDeep.has(file)) return mentionsTsgrad(text) ? tooDeep(name, text) : null;
    const edits = analysis.edits.get(file) ?? [];
    const requested = this.#requestedBy(file);
    const findings = requested.map((d) => finding(program, d));
    const spans = requested.flatMap((d) => [d.span, ...d.chain.map((c) => c.span)]);
    const dependencies = [
      ...new Set([...(analysis.dependencies.get(file) ?? []), ...spans.map((s) => s.file)]),
    ]
      .map(componentOf)
      .filter((f) => f !== name);
    const nothing: Answer = { code: null, map: null, findings, dependencies };
    if (edits.length === 0) return nothing;
    const placed = scripts === null ? edits : withinBlocks(scripts.blocks, edits);
    if (placed === null)
      return { ...nothing, findings: [...findings, ...twoBlocks(name).findings] };
    const { code, map } = this.#apply(name, given, placed, program);
    return { code, map, findings, dependencies };
  }

  /** The answer, once the tool has said what it loads for imports of packages. */
  async settled<A>(ask: AskHost, answer: () => A): Promise<A> {
    await this.#loads.expect(ask, () => this.#packageImports());
    for (;;) {
      const made = answer();
      if (this.#loads.isSettled || !(await this.#loads.settle(ask))) return made;
      this.#forget();
    }
  }

  /** By specifier: a file that imports from a package. */
  #packageImports(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    if (!this.#anyMentions()) return found;
    for (const file of [...this.#readProject().files, ...this.#roots])
      for (const [, specifier = ""] of (this.#texts.text(file) ?? "").matchAll(FROM_PACKAGE))
        if (!/^(?:tsgrad|node:)/.test(specifier)) found.set(specifier, file);
    return found;
  }

  /** Imports of packages that the tool leaves outside of what it makes. */
  leave(specifiers: Iterable<string>): void {
    if (this.#loads.leave(specifiers)) this.#forget();
  }

  #forget(): void {
    this.#analysed = null;
    this.#current = null;
  }

  /** A module of a package with its twins; null where it has none. */
  extended(name: string, text: string): Extended | null {
    if (this.#service === null && !this.#anyMentions()) return null;
    const file = name.split(path.sep).join("/");
    const { program, analysis } = this.#programWith(file, undefined);
    const edits = analysis.edits.get(file);
    if (edits === undefined || !isOfPackage(file)) return null;
    if (text !== this.#texts.text(file)) return { code: null, map: null, isOther: true };
    const { code, map } = this.#apply(file, text, edits, program);
    return { code, map, isOther: false };
  }

  /** The modules of packages that have twins, with these. */
  packageModules(): ReadonlyMap<string, string> {
    if (this.#service === null && !this.#anyMentions()) return new Map();
    const { program, analysis } = this.#programWith("", undefined);
    return new Map(
      [...analysis.edits]
        .filter(([file]) => isOfPackage(file))
        .map(([file, edits]) => [
          file,
          this.#apply(file, this.#texts.text(file) ?? "", edits, program).code,
        ]),
    );
  }

  /** Where the code of the project is that calls packages. */
  folder(): string {
    const files = this.#current === null ? [] : [...this.#current.analysis.edits.keys()];
    return path.dirname(files.find((file) => !isOfPackage(file)) ?? path.join(this.#cwd(), "x"));
  }

  /** null for a component without code. */
  #moduleOf(name: string, text: string): Module | null {
    if (!isComponent(name)) return { file: name, text, scripts: null };
    const scripts = scriptsOf(name, text);
    if (scripts === null) return null;
    this.#components.set(name, scripts.module);
    return { file: scripts.module, text: scripts.text, scripts };
  }

  /** The same edits and text give the same result, so it is reused. */
  #apply(file: string, text: string, edits: readonly Edit[], program: ts.Program): Applied {
    const known = this.#applied.get(file);
    if (known !== undefined && known.edits === edits && known.text === text) return known;
    const edited = applyEdits(file, text, this.isCovered ? uncovered(edits) : edits);
    const textOf = (f: string): string | undefined =>
      componentOf(f) === file ? text : program.getSourceFile(f)?.text;
    const map = this.#options.maps === false ? null : mapOf(edited, textOf, componentOf);
    const made: Applied = { edits, text, code: edited.text, map };
    this.#applied.set(file, made);
    return made;
  }

  /** A key of what other files determine in the file's output. */
  key(name: string, given?: string): string {
    const module = given === undefined ? null : this.#moduleOf(name, given);
    const file = module?.file ?? this.#components.get(name) ?? name;
    const text = module?.text;
    if (
      text === undefined
        ? this.#current === null && !this.#anyMentions()
        : !this.#concerns(file, text)
    )
      return "";
    const { analysis, keys } = this.#programWith(file, text);
    const known = keys.get(file);
    if (known !== undefined) return known;
    const edits = analysis.edits.get(file);
    const requested = this.#requestedBy(file);
    const isPlain = edits === undefined && requested.length === 0;
    const all = isPlain ? "" : JSON.stringify([edits ?? [], requested]);
    const key = isPlain ? "" : createHash("sha256").update(all).digest("hex");
    keys.set(file, key);
    return key;
  }

  /** Diagnostics of this file's call sites; analysed alone if errors are reported for others. */
  #requestedBy(file: string): readonly Diagnostic[] {
    if (this.#current === null) return [];
    const { program, analysis, alone } = this.#current;
    const known = alone.get(file);
    if (known !== undefined) return known;
    const isOurs = (d: Diagnostic): boolean => (d.chain[0]?.span.file ?? d.span.file) === file;
    const others = analysis.diagnostics.some((d) => d.severity === "error" && !isOurs(d));
    const found = others
      ? analyseProgram((host) => this.#core(host, { files: [file] }), this.#hostOf(program))
      : analysis;
    const requested = found.diagnostics.filter((d) => isOurs(d));
    alone.set(file, requested);
    return requested;
  }

  /** JavaScript is part of a program only with `allowJs`. */
  #isProgramFile(file: string): boolean {
    return !JAVASCRIPT.test(file) || this.#readProject().options.allowJs === true;
  }

  /** Whether any file of the project mentions tsgrad; otherwise there is no derivative. */
  #concerns(file: string, text: string): boolean {
    return (
      this.#service !== null || mentionsTsgrad(text) || (this.#roots.add(file), this.#anyMentions())
    );
  }

  #anyMentions(): boolean {
    for (const file of [...this.#readProject().files, ...this.#roots]) {
      if (!sourceFileOf(file)) continue;
      const version = this.#texts.version(file);
      const known = this.#mentions.get(file);
      const mentions =
        known?.version === version ? known.mentions : mentionsTsgrad(this.#texts.text(file) ?? "");
      this.#mentions.set(file, { version, mentions });
      if (mentions) return true;
    }
    return false;
  }

  #programWith(file: string, text: string | undefined): Current {
    if (text !== undefined) this.#hold(file, text);
    const isTrusted =
      this.#options.isFixed === true || performance.now() - this.#checked <= TRUSTED_MS;
    if (!isTrusted) this.#current = null;
    if (this.#current !== null) return this.#current;
    const program = this.#program();
    if (program === undefined)
      throw new Error("tsgrad's language service has no program. Please report this.");
    if (this.#analysed?.program !== program || !this.#analysed.isCurrent()) {
      const { system, isCurrent } = versionedSystem(ownTypeScript().sys, (file) =>
        this.#texts.version(file),
      );
      this.#analysed = {
        program,
        analysis: analyseProgram(this.#core, {
          ...this.#hostOf(program),
          system: { ...system, ...this.#loadedModules() },
        }),
        isCurrent,
        alone: new Map(),
        keys: new Map(),
      };
    }
    this.#current = this.#analysed;
    this.#checked = performance.now();
    return this.#current;
  }

  #loadedModules(): Pick<PackageSystem, "loaded"> {
    const { loaded, loadsPackages = false } = this.#options;
    if (loaded !== undefined) return { loaded };
    return loadsPackages ? { loaded: this.#loads.loaded } : {};
  }

  /** The current program. A file that is too deep for TypeScript's parser is empty in it. */
  #program(): ts.Program | undefined {
    for (;;) {
      try {
        return this.#languageService().getProgram();
      } catch (error) {
        if (!isStackOverflow(error) || this.#tooDeep.has(this.#reading)) throw error;
        this.#tooDeep.add(this.#reading);
      }
    }
  }

  /** Retains a text that differs from the disk, such as another plugin's output. */
  #hold(file: string, text: string): void {
    if (!this.#readProject().files.includes(file) && !this.#roots.has(file)) {
      this.#roots.add(file);
      if (this.#current?.program.getSourceFile(file) === undefined) this.#current = null;
    }
    if (this.#current?.program.getSourceFile(file)?.text === text) return;
    this.#current = null;
    this.#texts.hold(file, text);
  }

  #readProject(): Project {
    if (this.#project === null) {
      this.#project = readProject(ownTypeScript(), this.#cwd(), this.#options.tsconfig);
      if (this.#options.seesAll === true) this.#findMentions(this.#project);
      if (this.#options.hasComponents === true) this.#project.components?.forEach(this.#findCode);
    }
    return this.#project;
  }

  /**
   * Tests are seldom in tsconfig, and run one after the other. What a later one requests of a
   * package has to be known when an earlier one loads that.
   */
  #findMentions({ files }: Project): void {
    const known = new Set(files);
    const found = ownTypeScript().sys.readDirectory(this.#cwd(), TYPESCRIPT, ["**/dist"], ["**/*"]);
    for (const file of found)
      if (!known.has(file) && mentionsTsgrad(this.#texts.text(file) ?? "")) this.#roots.add(file);
  }

  /** The code of a component on disk may request derivatives before its tool compiles it. */
  readonly #findCode = (name: string): void => {
    const file = path.normalize(name).split(path.sep).join("/");
    const text = this.#texts.text(file) ?? "";
    if (!mentionsTsgrad(text) && !this.#components.has(file)) return;
    const module = this.#moduleOf(file, text);
    if (module === null) return;
    this.#roots.add(module.file);
    this.#texts.hold(module.file, module.text);
  };

  #hostOf(program: ts.Program): Host {
    const { packages = [], engine, debug } = this.#options;
    return {
      ts: ownTypeScript(),
      program,
      packages,
      ...(engine === undefined ? {} : { engine }),
      ...(debug === undefined ? {} : { debug }),
    };
  }

  #cwd(): string {
    return this.#options.cwd ?? process.cwd();
  }

  #languageService(): ts.LanguageService {
    if (this.#service !== null) return this.#service;
    const api = ownTypeScript();
    this.#service = api.createLanguageService(
      this.#host(api),
      api.createDocumentRegistry(api.sys.useCaseSensitiveFileNames, this.#cwd()),
    );
    return this.#service;
  }

  #host(api: TypeScript): ts.LanguageServiceHost {
    return {
      getCompilationSettings: () => this.#readProject().options,
      getScriptFileNames: () =>
        [...new Set([...this.#readProject().files, ...this.#roots])].filter(
          (f) => this.#texts.isHeld(f) || api.sys.fileExists(f),
        ),
      getScriptVersion: (file) => this.#version(file),
      getScriptSnapshot: (file) => this.#snapshot(api, file),
      getCurrentDirectory: () => this.#cwd(),
      getDefaultLibFileName: (options) => api.getDefaultLibFilePath(options),
      useCaseSensitiveFileNames: () => api.sys.useCaseSensitiveFileNames,
      fileExists: api.sys.fileExists,
      readFile: api.sys.readFile,
      readDirectory: api.sys.readDirectory,
      directoryExists: api.sys.directoryExists,
      getDirectories: api.sys.getDirectories,
      ...(api.sys.realpath === undefined ? {} : { realpath: api.sys.realpath }),
    };
  }

  /** The compiler requests the text of every file after each change. */
  #snapshot(api: TypeScript, file: string): ts.IScriptSnapshot | undefined {
    this.#reading = file;
    if (this.#tooDeep.has(file)) return api.ScriptSnapshot.fromString("");
    const version = this.#version(file);
    const known = this.#snapshots.get(file);
    if (known?.version === version) return known.snapshot;
    const text = this.#texts.text(file);
    if (text === undefined) return undefined;
    const snapshot = api.ScriptSnapshot.fromString(text);
    this.#snapshots.set(file, { version, snapshot });
    return snapshot;
  }

  #version(file: string): string {
    const frozen = this.#frozen.get(file);
    if (frozen !== undefined) return frozen;
    const version = this.#texts.version(file);
    if (file.includes("/node_modules/")) this.#frozen.set(file, version);
    return version;
  }
}
