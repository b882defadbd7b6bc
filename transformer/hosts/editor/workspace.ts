// Programs for the language server: one for each tsconfig.json, with the texts that the editor has.
// A file that no tsconfig names is a root of the nearest one.

import path from "node:path";
import type ts from "typescript";
import type { TypeScript } from "../../analyse.ts";
import { FileTexts } from "../file-texts.ts";
import { type Project, readProject } from "../project.ts";
import type { Session } from "./session.ts";

/** Makes a session; the compiler, which it calls, is a file of its own in the package. */
export type NewSession = (api: TypeScript) => Session;

export class Workspace {
  readonly #ts: TypeScript;
  readonly #newSession: NewSession;
  readonly #texts = new FileTexts();
  readonly #open = new Map<string, string>();
  readonly #projects = new Map<string, EditorProject>();
  #version = 0;

  constructor(api: TypeScript, newSession: NewSession) {
    this.#ts = api;
    this.#newSession = newSession;
  }

  /** The editor has this text of a file. */
  hold(file: string, text: string): void {
    this.#open.set(file, text);
    this.#texts.hold(file, text);
    this.#version++;
  }

  release(file: string): void {
    this.#open.delete(file);
    this.#texts.release(file);
    this.#version++;
  }

  /** Files on disk may have changed, tsconfigs included. */
  reload(): void {
    this.#version++;
    for (const project of this.#projects.values()) project.reload();
  }

  get openFiles(): readonly string[] {
    return [...this.#open.keys()];
  }

  projectOf(file: string): EditorProject {
    const folder = path.dirname(file);
    const config = this.#ts.findConfigFile(folder, (name) => this.#ts.sys.fileExists(name));
    const key = config ?? folder;
    const made =
      this.#projects.get(key) ??
      new EditorProject(this.#ts, this.#newSession(this.#ts), {
        config,
        folder: config === undefined ? folder : path.dirname(config),
        texts: this.#texts,
        version: () => this.#version,
      });
    this.#projects.set(key, made);
    made.add(file);
    return made;
  }
}

interface ProjectPlace {
  readonly config: string | undefined;
  readonly folder: string;
  readonly texts: FileTexts;
  /** Changes with any text. */
  readonly version: () => number;
}

/** A program that follows the editor's texts. */
export class EditorProject {
  readonly session: Session;
  readonly #ts: TypeScript;
  readonly #place: ProjectPlace;
  readonly #service: ts.LanguageService;
  readonly #extra = new Set<string>();
  /** Versions of package files, which are checked again when files are reloaded. */
  readonly #frozen = new Map<string, string>();
  #project: Project | null = null;

  constructor(api: TypeScript, session: Session, place: ProjectPlace) {
    this.#ts = api;
    this.#place = place;
    this.session = session;
    const { useCaseSensitiveFileNames } = api.sys;
    this.#service = api.createLanguageService(
      this.#host(),
      api.createDocumentRegistry(useCaseSensitiveFileNames, place.folder),
    );
  }

  get program(): ts.Program | undefined {
    return this.#service.getProgram();
  }

  add(file: string): void {
    this.#extra.add(file);
  }

  reload(): void {
    this.#project = null;
    this.#frozen.clear();
  }

  /** A tsconfig that cannot be read is as good as none: TypeScript's own server says why. */
  #read(): Project {
    if (this.#project !== null) return this.#project;
    const { folder, config } = this.#place;
    try {
      this.#project = readProject(this.#ts, folder, config);
    } catch {
      this.#project = { files: [], options: { strict: true, noEmit: true } };
    }
    return this.#project;
  }

  #scriptVersion(file: string): string {
    const frozen = this.#frozen.get(file);
    if (frozen !== undefined) return frozen;
    const version = this.#place.texts.version(file);
    if (file.includes("/node_modules/")) this.#frozen.set(file, version);
    return version;
  }

  #host(): ts.LanguageServiceHost {
    const api = this.#ts;
    const { sys } = api;
    const { folder, texts, version } = this.#place;
    return {
      getProjectVersion: () => `${version()} ${this.#extra.size}`,
      getCompilationSettings: () => this.#read().options,
      getScriptFileNames: () =>
        [...new Set([...this.#read().files, ...this.#extra])].filter(
          (file) => texts.isHeld(file) || sys.fileExists(file),
        ),
      getScriptVersion: (file) => this.#scriptVersion(file),
      getScriptSnapshot: (file) => {
        const text = texts.text(file);
        return text === undefined ? undefined : api.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => folder,
      getDefaultLibFileName: (options) => api.getDefaultLibFilePath(options),
      useCaseSensitiveFileNames: () => sys.useCaseSensitiveFileNames,
      fileExists: (file) => texts.isHeld(file) || sys.fileExists(file),
      readFile: (file) => texts.text(file),
      readDirectory: (...args) => sys.readDirectory(...args),
      directoryExists: (folder) => sys.directoryExists(folder),
      getDirectories: (folder) => sys.getDirectories(folder),
      ...(sys.realpath === undefined ? {} : { realpath: sys.realpath }),
    };
  }
}
