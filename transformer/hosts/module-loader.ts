// Modules with their derivatives for Node's module hooks. In: the name of a file that a program is
// about to load. Out: JavaScript with an inline source map. A file without derivatives is left to
// Node or to another loader, if one of them can read TypeScript. Modules of packages keep their
// lines.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type ts from "typescript";
import type { Analyse } from "./core.ts";
import { errorIn, toStderr } from "./diagnostic-text.ts";
import { loadedByNode } from "./node-resolution.ts";
import { ProgramService } from "./program-service.ts";
import { composedWith, inlineComment, type SourceMap } from "./source-map.ts";
import { ownTypeScript } from "./typescript.ts";

export interface LoadedModule {
  readonly format: "module" | "commonjs";
  readonly source: string;
}

export interface ModuleLoader {
  /** The file with its derivatives; null if it has none. Throws if a derivative fails. */
  readonly derived: (file: string) => LoadedModule | null;
  /** A module of a package with its twins; null if it has none. */
  readonly extended: (file: string) => LoadedModule | null;
  /** All modules of packages that have twins. */
  readonly packageModules: () => ReadonlyMap<string, LoadedModule>;
  /** The file as it is, without types. */
  readonly plain: (file: string) => LoadedModule;
}

export type NewModuleLoader = () => ModuleLoader;

export function moduleLoader(core: Analyse): ModuleLoader {
  const services = new Map<string, ProgramService>();
  const loaded = loadedByNode(
    (file) => formatOf(ownTypeScript(), file, textOf(file)) === "commonjs",
  );
  const serviceOf = (file: string): ProgramService => {
    const api = ownTypeScript();
    const folder = path.dirname(file);
    const tsconfig = api.findConfigFile(folder, api.sys.fileExists);
    const key = tsconfig ?? folder;
    const known =
      services.get(key) ??
      new ProgramService(core, { tsconfig, cwd: folder, isFixed: true, loaded });
    services.set(key, known);
    return known;
  };
  return {
    derived(file) {
      const text = textOf(file);
      const service = serviceOf(file);
      const answer = service.answer(file, text);
      const error = errorIn(answer?.findings ?? [], toStderr);
      if (error !== null) throw error;
      return answer === null || answer.code === null
        ? null
        : compiled(file, answer.code, answer.map, service.compilerOptions());
    },
    extended(file) {
      for (const service of services.values()) {
        const source = service.extended(file, textOf(file))?.code ?? null;
        if (source !== null) return { format: formatOf(ownTypeScript(), file, source), source };
      }
      return null;
    },
    packageModules: () =>
      new Map([...services.values()].flatMap((service) => [...modulesOf(service)])),
    plain: (file) => compiled(file, textOf(file), null, serviceOf(file).compilerOptions()),
  };
}

/** The modules of packages that have twins. */
export const modulesOf = (service: ProgramService): ReadonlyMap<string, LoadedModule> =>
  new Map(
    [...service.packageModules()].map(([file, source]) => [
      file,
      { format: formatOf(ownTypeScript(), file, source), source },
    ]),
  );

const textOf = (file: string): string => readFileSync(file, "utf8").replace(/^\uFEFF/, "");

function compiled(
  file: string,
  text: string,
  map: SourceMap | null,
  options: ts.CompilerOptions,
): LoadedModule {
  const api = ownTypeScript();
  const format = formatOf(api, file, text);
  if (/\.[cm]?js$/.test(file))
    return { format, source: map === null ? text : text + inlineComment(map) };
  const { outputText, sourceMapText = "{}" } = api.transpileModule(text, {
    fileName: file,
    compilerOptions: {
      ...runnable(api, options),
      ...(format === "module"
        ? { module: api.ModuleKind.ESNext }
        : { module: api.ModuleKind.CommonJS, verbatimModuleSyntax: false }),
    },
  });
  const own = { ...(JSON.parse(sourceMapText) as SourceMap), sources: [file] }; // TypeScript's own
  const source = outputText.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
  return { format, source: source + inlineComment(map === null ? own : composedWith(own, map)) };
}

/** The project's options, as far as they say how code runs. */
function runnable(api: typeof ts, options: ts.CompilerOptions): ts.CompilerOptions {
  const { jsx } = options;
  return {
    ...options,
    noEmit: false,
    emitDeclarationOnly: false,
    sourceMap: true,
    inlineSourceMap: false,
    inlineSources: false,
    ...(jsx === api.JsxEmit.Preserve ? { jsx: api.JsxEmit.ReactJSX } : {}),
  };
}

/** As Node decides it, but TypeScript with `import` is compiled where Node wants CommonJS. */
function formatOf(api: typeof ts, file: string, text: string): LoadedModule["format"] {
  if (/\.m[jt]s$/.test(file)) return "module";
  if (/\.c[jt]s$/.test(file)) return "commonjs";
  const type = packageType(path.dirname(file));
  if (type === "module" || type === "commonjs") return type;
  const source = api.createSourceFile(file, text, api.ScriptTarget.Latest);
  return api.isExternalModule(source) ? "module" : "commonjs";
}

/** The field `type` of the nearest package.json. */
function packageType(folder: string): unknown {
  const file = path.join(folder, "package.json");
  if (existsSync(file)) {
    const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof parsed === "object" && parsed !== null && "type" in parsed
      ? parsed.type
      : undefined;
  }
  const parent = path.dirname(folder);
  return parent === folder ? undefined : packageType(parent);
}
