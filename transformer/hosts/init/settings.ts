// Edits of tsconfig.json and package.json, with their comments and layout kept. What
// `npx tsc --init` writes does not suit a project of `npm init -y`: the latter is CommonJS.

import { applyEdits, type JSONPath, modify, parse } from "jsonc-parser";
import type { ProjectFiles } from "./project-files.ts";

/** Sets one value in a JSON text with comments; `undefined` removes it. */
export function set(text: string, path: JSONPath, value: unknown): string {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = { insertSpaces: !indent.includes("\t"), tabSize: indent.length };
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}

interface Tsconfig {
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
  readonly include?: unknown;
  readonly files?: unknown;
  readonly references?: unknown;
}

// JSON; read with care
export const readTsconfig = (text: string): Tsconfig => (parse(text) as Tsconfig | undefined) ?? {};

/** Of a project without one, that tsc or `tsgrad build` compiles. */
const NEW_TSCONFIG = `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "rootDir": "src",
    "outDir": "dist",
    "rewriteRelativeImportExtensions": true,
    "strict": true,
    "sourceMap": true
  },
  "include": ["src"]
}
`;

/** Of a project without one that a bundler compiles. */
const BUNDLED_TSCONFIG = `{
  "compilerOptions": {
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "allowImportingTsExtensions": true,
    "strict": true,
    "noEmit": true
  },
  "include": ["src"]
}
`;

/** Whether a tsconfig is as `tsc --init` writes it. */
const isTemplate = (text: string): boolean => text.includes("aka.ms/tsconfig");

/** Options that the template lacks. Code of numbers reads elements often: each would need a `!`. */
const MENDED = {
  rootDir: "src",
  outDir: "dist",
  rewriteRelativeImportExtensions: true,
  noUncheckedIndexedAccess: false,
};

export interface Wanted {
  /** Whether tsc or `tsgrad build` compiles the project. */
  readonly compiles: boolean;
  /** Whether ts-patch runs the plugin. */
  readonly patch: boolean;
  /** Whether ts-jest compiles tests. */
  readonly tsJest: boolean;
  /** The build script that is added; null if the project has one. */
  readonly script: string | null;
}

/** The project's tsconfig.json as it has to be. */
export function tsconfigFor(project: ProjectFiles, wanted: Wanted): string {
  const before = project.read("tsconfig.json");
  let text = before ?? (wanted.compiles ? NEW_TSCONFIG : BUNDLED_TSCONFIG);
  const { compilerOptions = {} } = readTsconfig(text);
  const option = (name: string, value: unknown): void => {
    text = set(text, ["compilerOptions", name], value);
  };
  if (before !== null && isTemplate(before) && wanted.compiles) text = mended(before);
  if (wanted.tsJest && compilerOptions["isolatedModules"] !== true) option("isolatedModules", true);
  if (wanted.patch) text = withPlugin(text, compilerOptions["plugins"]);
  return text;
}

/** The template of `tsc --init` for a project that is compiled into a folder. */
function mended(template: string): string {
  const { compilerOptions = {}, include, files, references } = readTsconfig(template);
  let text = template;
  for (const [name, value] of Object.entries(MENDED))
    if (name === "noUncheckedIndexedAccess" || compilerOptions[name] === undefined)
      text = set(text, ["compilerOptions", name], value);
  const hasRoots = include !== undefined || files !== undefined || references !== undefined;
  return hasRoots ? text : set(text, ["include"], ["src"]);
}

const ENTRY = { transform: "tsgrad/transform", transformProgram: true };

export const isOurs = (plugin: unknown): boolean =>
  typeof plugin === "object" &&
  plugin !== null &&
  "transform" in plugin &&
  plugin.transform === ENTRY.transform;

function withPlugin(text: string, plugins: unknown): string {
  const list: readonly unknown[] = Array.isArray(plugins) ? plugins : [];
  const at = list.findIndex(isOurs);
  if (at >= 0) return set(text, ["compilerOptions", "plugins", at, "transformProgram"], true);
  return Array.isArray(plugins)
    ? set(text, ["compilerOptions", "plugins", list.length], ENTRY)
    : set(text, ["compilerOptions", "plugins"], [ENTRY]);
}

/** The project's package.json as it has to be. */
export function manifestFor(project: ProjectFiles, wanted: Wanted): string | null {
  let text = project.read("package.json");
  if (text === null) return null;
  const { type, scripts = {} } = project.manifest;
  const isCommon = type === undefined || type === "commonjs";
  // files of CommonJS would stop working
  const isNew = project.sources(/\.(?:js|jsx|cts)$/).every((name) => /config\.\w+$/.test(name));
  if (wanted.compiles && isCommon && isNew && project.config("jest.config") === null)
    text = set(text, ["type"], "module");
  const { build } = scripts;
  if (build === undefined && wanted.script !== null)
    return set(text, ["scripts", "build"], wanted.script);
  if (!wanted.compiles || build === undefined) return text;
  if (/\btsc\b/.test(build))
    text = set(
      text,
      ["scripts", "build"],
      build.replace(/\btsc\b/g, wanted.patch ? "tspc" : "tsgrad build"),
    );
  return text;
}
