// The Bun plugin, for `Bun.build` and for `Bun.plugin`, which changes modules that Bun runs. Bun
// composes no source maps and takes no list of diagnostics: errors are thrown, warnings printed.

import { readFileSync } from "node:fs";
import type { Analyse } from "./core.ts";
import { errorIn, toStderr } from "./diagnostic-text.ts";
import { entryFiles } from "./entry-files.ts";
import { ProgramService, sourceFileOf, type ServiceOptions } from "./program-service.ts";

interface Loaded {
  readonly contents: string;
  readonly loader: string;
}

/** The part of Bun's plugin interface that is used. */
interface Build {
  /** Absent while Bun runs a program. */
  readonly config?: { readonly entrypoints?: readonly string[] };
  onStart?(run: () => void): void;
  onLoad(
    where: { readonly filter: RegExp },
    load: (module: { readonly path: string }) => Loaded | undefined,
  ): void;
}

/** The user's own files: while Bun runs a program, a plugin has to load what its filter matches. */
const OWN = /^(?!.*[\\/]node_modules[\\/]).*\.[cm]?[jt]sx?$/;

export function bunPlugin(
  core: Analyse,
  options: ServiceOptions,
): { readonly name: string; readonly setup: (build: Build) => void } {
  return {
    name: "tsgrad",
    setup(build) {
      const cwd = options.cwd ?? process.cwd();
      const isBundle = build.config !== undefined;
      const service = new ProgramService(core, { ...options, cwd, maps: false });
      if (isBundle)
        build.onStart?.(() => service.begin(entryFiles(build.config?.entrypoints ?? [], cwd)));
      build.onLoad({ filter: OWN }, ({ path: name }) => {
        const file = sourceFileOf(name);
        const text = readFileSync(name, "utf8").replace(/^\uFEFF/, "");
        const code = file === null ? null : edited(service, file, text);
        if (code === null && isBundle) return undefined;
        return { contents: code ?? text, loader: loaderOf(name) };
      });
    },
  };
}

/** The text with its derivatives; null if there are none. Prints warnings, throws errors. */
function edited(service: ProgramService, file: string, text: string): string | null {
  const answer = service.answer(file, text);
  const error = errorIn(answer?.findings ?? [], toStderr);
  if (error !== null) throw error;
  return answer?.code ?? null;
}

/** `ts`, `tsx`, `js` or `jsx`. */
const loaderOf = (name: string): string => /[jt]sx?$/.exec(name)?.[0] ?? "js";
