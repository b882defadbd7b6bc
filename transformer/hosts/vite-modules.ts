// The modules that a Vite plugin has transformed, with the keys of their outputs. Environments
// differ in what they load for an import of a package, so each has an analysis of its own; those
// whose packages Node loads share one. Invariant: no cache of Vite serves stale text.

import type { DevEnvironment, Environment, ViteDevServer } from "vite";
import type { Analyse } from "./core.ts";
import type { Answer } from "./findings.ts";
import type { AskHost } from "./loaded-modules.ts";
import { type LoadedModule, modulesOf as modulesOfPackages } from "./module-loader.ts";
import { ProgramService, type ServiceOptions } from "./program-service.ts";
import type { SourceMap } from "./source-map.ts";
import { hookedHere, loadsInNode } from "./vite-packages.ts";

type ModuleGraph = DevEnvironment["moduleGraph"];
type Publish = (modules: ReadonlyMap<string, LoadedModule>) => void;

/** All environments that one plugin serves or builds. Rollup has none. */
export class Environments {
  /** Vite's root. */
  root: string | undefined;
  /** Whether Vite serves; before version 6 it says nothing of environments. */
  isServed = false;
  /** Writes the twins of packages for vitest's workers, which load these. */
  workers: Publish | null = null;
  server: ViteDevServer | null = null;
  /** Whether coverage is measured. */
  isCovered = false;
  readonly #core: Analyse;
  readonly #options: ServiceOptions;
  readonly #parts = new Map<string, Modules>();

  constructor(core: Analyse, options: ServiceOptions) {
    this.#core = core;
    this.#options = options;
  }

  of(environment: Environment | undefined): Modules {
    const key = this.#keyOf(environment);
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const service = this.#service(environment !== undefined || !this.isServed);
    service.isCovered = this.isCovered;
    const made = new Modules(
      service,
      () =>
        Object.values(this.server?.environments ?? {})
          .filter((one) => this.#keyOf(one) === key)
          .map(({ moduleGraph }) => moduleGraph),
      key === NODE
        ? (this.workers ?? hookedHere((text) => this.server?.config.logger.warn(text)))
        : null,
    );
    this.#parts.set(key, made);
    return made;
  }

  /** Those that something was asked of. */
  all(): readonly Modules[] {
    return [...this.#parts.values()];
  }

  /** Forgets what was analysed with other settings. */
  reset(): void {
    this.#parts.clear();
  }

  isInNode(environment: Environment | undefined): boolean {
    const isWorker = this.workers !== null;
    return environment === undefined ? isWorker : loadsInNode(environment, isWorker);
  }

  #keyOf(environment: Environment | undefined): string {
    return this.isInNode(environment) ? NODE : (environment?.name ?? "");
  }

  #service(loadsPackages: boolean): ProgramService {
    return new ProgramService(this.#core, {
      ...this.#options,
      cwd: this.#options.cwd ?? this.root,
      hasComponents: true,
      loadsPackages: loadsPackages || this.workers !== null,
      seesAll: this.workers !== null,
    });
  }
}

const NODE = "\0node";

export class Modules {
  readonly service: ProgramService;
  readonly #given = new Map<string, string>();
  readonly #graphs: () => readonly ModuleGraph[];
  readonly #publish: Publish | null;
  /** Keys at which a module was invalidated, so that it is not loaded under two dates. */
  readonly #old = new Map<string, string>();

  constructor(
    service: ProgramService,
    graphs: () => readonly ModuleGraph[],
    publish: Publish | null,
  ) {
    this.service = service;
    this.#graphs = graphs;
    this.#publish = publish;
  }

  key(file: string, text: string): string {
    const key = this.service.key(file, text);
    this.#publish?.(modulesOfPackages(this.service));
    return key;
  }

  isStale(file: string): boolean {
    return (this.#given.get(file) ?? "") !== this.service.key(file);
  }

  staleIn(graph: ModuleGraph): ReturnType<typeof modulesOf> {
    return this.#stale().flatMap((file) => modulesOf(file, graph));
  }

  #stale(): string[] {
    return [...this.#given.keys()].filter((file) => this.isStale(file));
  }

  /** One module's transform makes others stale. */
  invalidate(except: string | null): void {
    const graphs = this.#graphs();
    if (graphs.length === 0) return;
    for (const file of this.#stale()) {
      const key = this.service.key(file);
      if (file === except || this.#old.get(file) === key) continue;
      this.#old.set(file, key);
      for (const graph of graphs)
        for (const module of modulesOf(file, graph))
          graph.invalidateModule(module, new Set(), Date.now(), true);
    }
  }

  /** A module of a package with its twins. */
  async extend(
    file: string,
    code: string,
    ask: AskHost,
  ): Promise<{ readonly code: string; readonly map: SourceMap | null } | null> {
    const made = await this.service.settled(ask, () => this.service.extended(file, code));
    this.#given.set(file, made === null ? "" : this.service.key(file));
    return made === null || made.code === null ? null : { code: made.code, map: made.map };
  }

  async give(file: string, code: string, ask: AskHost): Promise<Answer | null> {
    const answer = await this.service.settled(ask, () => this.service.answer(file, code));
    this.#given.set(file, answer === null ? "" : this.service.key(file));
    this.#publish?.(modulesOfPackages(this.service));
    this.#old.delete(file);
    if (answer !== null) this.invalidate(file);
    return answer;
  }
}

const modulesOf = (file: string, graph: ModuleGraph) => [...(graph.getModulesByFile(file) ?? [])];
