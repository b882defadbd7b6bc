// The esbuild plugin. It returns edited text with an inline source map, and our diagnostics.
// Invariant: files without edits are left to esbuild; one analysis serves a build.

import { readFileSync } from "node:fs";
import path from "node:path";
import type {
  BuildOptions,
  Location,
  OnLoadResult,
  OnStartResult,
  PartialMessage,
  Plugin,
  PluginBuild,
} from "esbuild";
import { mentionsTsgrad, type Analyse } from "./core.ts";
import { entryFiles } from "./entry-files.ts";
import type { Answer, Finding, Located } from "./findings.ts";
import type { AskHost } from "./loaded-modules.ts";
import {
  isOfPackage,
  ProgramService,
  sourceFileOf,
  type ServiceOptions,
} from "./program-service.ts";
import { RUN_TIME } from "./run-time.ts";
import { inlineComment } from "./source-map.ts";

export function esbuildPlugin(core: Analyse, options: ServiceOptions): Plugin {
  return {
    name: "tsgrad",
    setup(build) {
      if ("config" in build)
        throw new Error("Bun takes another plugin than esbuild: import it from `tsgrad/bun`.");
      const { absWorkingDir: cwd = process.cwd(), entryPoints, sourcemap } = build.initialOptions;
      const service = new ProgramService(core, {
        cwd,
        packages: options.packages,
        engine: options.engine,
        debug: options.debug,
        tsconfig: options.tsconfig ?? build.initialOptions.tsconfig,
        loadsPackages: true,
        maps: sourcemap !== undefined && sourcemap !== false,
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      });
      /** What a build has thrown for one file, such as a tsconfig that is no JSON. */
      const thrown = new Set<string>();
      build.onStart(() => {
        thrown.clear();
        // another entry may request a derivative of a function in an earlier file
        service.begin(entryFiles(namesIn(entryPoints), cwd));
        return aboutStdin(build.initialOptions);
      });
      const ask = asking(build);
      build.onResolve({ filter: RUN_TIME }, ({ path: name, importer, kind, pluginData }) =>
        pluginData === ASKED || !isOfPackage(importer)
          ? undefined
          : build.resolve(name, { kind, resolveDir: service.folder(), pluginData: ASKED }),
      );
      build.onLoad(
        { filter: /\.[cm]?[jt]sx?$/, namespace: "file" },
        async ({ path: name, suffix }) => {
          const file = sourceFileOf(name + suffix);
          if (file === null && (!isOfPackage(name) || suffix !== "")) return undefined;
          try {
            if (file === null) return await packageModule(service, name, ask);
            const text = readFileSync(name, "utf8").replace(/^\uFEFF/, "");
            const answer = await service.settled(ask, () => service.answer(file, text));
            return answer === null ? undefined : result(file, text, answer, cwd);
          } catch (error) {
            if (thrown.has(String(error))) return undefined; // the build fails already
            thrown.add(String(error));
            throw error;
          }
        },
      );
    },
  };
}

/** What the plugin resolves itself. */
const ASKED = Symbol("tsgrad");

const asking =
  (build: PluginBuild): AskHost =>
  async ({ specifier, fromFile, isRequired }) => {
    const found = await build.resolve(specifier, {
      importer: fromFile,
      resolveDir: path.dirname(fromFile),
      kind: isRequired ? "require-call" : "import-statement",
      pluginData: ASKED,
    });
    const isFile = found.errors.length === 0 && !found.external && found.namespace === "file";
    return isFile
      ? { file: found.path.split(path.sep).join("/"), inPlace: isOfPackage(found.path) }
      : { file: null, inPlace: false };
  };

/** A module of a package with its twins. */
export async function packageModule(
  service: ProgramService,
  name: string,
  ask: AskHost,
): Promise<OnLoadResult | undefined> {
  const text = readFileSync(name, "utf8").replace(/^\uFEFF/, "");
  const made = await service.settled(ask, () => service.extended(name, text));
  if (made === null || made.code === null) return undefined;
  const map = made.map === null ? "" : inlineComment(made.map);
  return { contents: made.code + map, loader: "default" };
}

function namesIn(entries: BuildOptions["entryPoints"]): string[] {
  return Array.isArray(entries)
    ? entries.map((entry) => (typeof entry === "string" ? entry : entry.in))
    : Object.values(entries ?? {});
}

/** esbuild passes the text of `stdin` to no plugin. */
function aboutStdin({ stdin }: BuildOptions): OnStartResult {
  const text = typeof stdin?.contents === "string" ? stdin.contents : "";
  if (!mentionsTsgrad(text)) return {};
  return {
    warnings: [
      {
        text: "tsgrad does not see the code of `stdin`: calls in it have no derivative\nput them in a file, and import that",
      },
    ],
  };
}

function result(file: string, text: string, answer: Answer, cwd: string): OnLoadResult | undefined {
  const messages = (severity: Finding["severity"]): PartialMessage[] =>
    answer.findings.filter((f) => f.severity === severity).map((f) => message(f, cwd));
  if (answer.code === null && answer.findings.length === 0) return undefined;
  const map = answer.map === null ? "" : inlineComment(answer.map);
  return {
    contents: (answer.code ?? text) + map,
    // by the file's ending, as esbuild is configured
    loader: "default",
    errors: messages("error"),
    warnings: messages("warning"),
    watchFiles: [file, ...answer.dependencies],
  };
}

const message = (finding: Finding, cwd: string): PartialMessage => ({
  text: finding.text,
  location: location(finding.at, cwd),
  notes: finding.notes.map((note) => ({ text: note.text, location: location(note.at, cwd) })),
});

function location(at: Located | null, cwd: string): Partial<Location> | null {
  if (at === null) return null;
  // esbuild counts columns in UTF-8 bytes, within one line
  const column = Buffer.byteLength(at.lineText.slice(0, at.column));
  const length = Buffer.byteLength(at.lineText.slice(at.column, at.column + at.length));
  return {
    file: path.relative(cwd, at.file),
    line: at.line,
    column,
    length,
    lineText: at.lineText,
  };
}
