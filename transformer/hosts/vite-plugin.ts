// The Vite plugin around a core; Rollup and Rolldown take the same object. In: TypeScript modules. Out: their edited text and its
// map. Invariant: no cache of the tool's serves text that another file's change has made stale: what each module was given is
// remembered by key, and a module whose key has changed is transformed again.

import type { Plugin, ViteDevServer } from "vite";
import type { Analyse } from "./core.ts";
import { findingText } from "./finding-text.ts";
import { ProgramService, sourceFileOf, type Located, type ServiceOptions } from "./program-service.ts";

/** What of vitest 5 the plugin uses. Its on-disk cache knows a module by its own text only. */
interface Vitest5 {
  readonly defineCacheKeyGenerator?: (key: (context: { readonly id: string; readonly sourceCode: string }) => string | undefined) => void;
}

/** Hooks that Vite itself does not know. */
interface OtherTools {
  readonly shouldTransformCachedModule: (module: { readonly id: string }) => boolean;
  readonly configureVitest: (context: Vitest5) => void;
}

export function vitePlugin(core: Analyse, options: ServiceOptions): Plugin {
  let service = new ProgramService(core, options);
  let servers: ViteDevServer[] = [];
  /** What each module's last transform took from the analysis, by file. */
  const given = new Map<string, string>();
  const stale = (): string[] => [...given].filter(([file, key]) => service.key(file) !== key).map(([file]) => file);
  /** In every environment of every server, as one environment's transform also makes the others' modules old. */
  const invalidate = (except: string | null): void => {
    if (servers.length === 0) return;
    const graphs = servers.flatMap((server) => Object.values(server.environments)).map((environment) => environment.moduleGraph);
    for (const file of stale()) {
      if (file === except) continue;
      for (const graph of graphs) for (const module of graph.getModulesByFile(file) ?? []) graph.invalidateModule(module, new Set(), Date.now(), true);
    }
  };
  let root: string | undefined;
  let isSecond = false;
  const plugin: Plugin = {
    name: NAME,
    enforce: "pre",
    // workers are built apart, by plugins of their own
    config: ({ worker }) => (worker?.plugins !== undefined && isAmong(worker.plugins()) ? null : { worker: { plugins: () => [plugin] } }),
    configResolved({ plugins, root: found }) {
      // the object itself may be a copy with other properties
      isSecond = (plugins.find(({ name }) => name === NAME) ?? plugin).transform !== plugin.transform;
      if (options.cwd !== undefined || found === root) return;
      root = found;
      service = new ProgramService(core, { ...options, cwd: found });
    },
    configureServer(server) {
      servers = [...servers, server];
    },
    buildStart() {
      service.begin();
    },
    watchChange(id) {
      service.begin();
      invalidate(sourceFileOf(id));
    },
    hotUpdate({ modules }) {
      const graph = this.environment.moduleGraph;
      const more = stale().flatMap((file) => [...(graph.getModulesByFile(file) ?? [])]);
      return more.length === 0 ? undefined : [...new Set([...modules, ...more])];
    },
    transform(code, id) {
      const file = isSecond ? null : sourceFileOf(id);
      if (file === null) return null;
      const answer = service.answer(file, code);
      given.set(file, "");
      if (answer === null) return null;
      for (const dependency of answer.dependencies) this.addWatchFile(dependency);
      given.set(file, service.key(file));
      invalidate(file);
      for (const finding of answer.findings) {
        if (finding.severity === "error") this.error({ message: findingText(finding), id, ...loc(finding.at) });
        this.warn({ message: findingText(finding), id, ...loc(finding.at) });
      }
      return answer.code === null || answer.map === null ? null : { code: answer.code, map: { ...answer.map, file } };
    },
  };
  const others: OtherTools = {
    shouldTransformCachedModule({ id }) {
      const file = sourceFileOf(id);
      return file !== null && (given.get(file) ?? "") !== service.key(file);
    },
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator?.(({ id, sourceCode }) => {
        const file = sourceFileOf(id);
        return file === null ? undefined : `tsgrad:${service.key(file, sourceCode)}`;
      });
    },
  };
  return Object.assign(plugin, others);
}

const NAME = "tsgrad";

/** Whether this plugin is one of those, however they are grouped. */
function isAmong(plugins: unknown): boolean {
  if (Array.isArray(plugins)) return plugins.some(isAmong);
  return typeof plugins === "object" && plugins !== null && "name" in plugins && plugins.name === NAME;
}

const loc = (at: Located | null): { loc?: { file: string; line: number; column: number } } =>
  at === null ? {} : { loc: { file: at.file, line: at.line, column: at.column } };
