// Compiles small programs for tests of emitted text. In: files by name. Out: their edited texts, and
// what is wrong with them. JavaScript files must be JavaScript, and TypeScript files type-check.

import { transformSync } from "esbuild";
import type ts from "typescript";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf, typeErrors } from "../program.ts";
import { loader } from "../programs/modules.ts";

export interface Compiled {
  readonly diagnostics: readonly string[];
  /** Errors of the emitted code that the user's code does not have. */
  readonly problems: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
  /** The exports of a file. */
  readonly load: (file: string) => Readonly<Record<string, unknown>>;
}

const isJavaScript = (file: string): boolean => /\.[cm]?jsx?$/.test(file);

export function compiled(
  files: Readonly<Record<string, string>>,
  options: ts.CompilerOptions = {},
  packages: Readonly<Record<string, string>> = {},
): Compiled {
  const settings = { allowJs: Object.keys(files).some(isJavaScript), ...options };
  const host = programOf({ ...files, ...packages }, settings);
  const system: ts.ModuleResolutionHost = {
    fileExists: (file) => file in packages,
    readFile: (file) => packages[file],
    directoryExists: (folder) =>
      Object.keys(packages).some((file) => file.startsWith(`${folder}/`)),
    realpath: (file) => file,
    getCurrentDirectory: () => "/src",
  };
  const { edits, diagnostics } = analyse({ ...host, system });
  const texts = new Map(
    Object.entries(files).map(([name, text]): [string, string] => {
      const file = `/src/${name}`;
      return [file, applyEdits(file, text, edits.get(file) ?? []).text];
    }),
  );
  const messages = (all: readonly string[]): ReadonlySet<string> =>
    new Set(all.map((one) => one.replace(/\(\d+\)/, "")));
  const before = messages(typeErrors(host));
  const after = messages(
    typeErrors(programOf({ ...Object.fromEntries(texts), ...packages }, settings)),
  );
  return {
    diagnostics: diagnostics.map(({ code, message, span }) => `${span.file} ${code} ${message}`),
    problems: [
      ...[...after].filter((one) => !before.has(one)),
      ...[...texts].flatMap(([file, text]) => (isJavaScript(file) ? unparsed(file, text) : [])),
    ],
    texts,
    load: loader(
      new Map([
        ...[...texts].flatMap(([file, text]): [string, string][] => [
          [file.replace(/\.js$/, ".ts"), text],
          [file.replace(/\.[jt]s$/, ""), text],
        ]),
        ...Object.entries(packages),
      ]),
    ),
  };
}

/** What a compilation says of files whose names begin so. */
export const problemsOf = ({ diagnostics, problems }: Compiled, name: string): readonly string[] =>
  [...diagnostics, ...problems].filter(
    (one) => one.includes(`/src/${name}`) || !one.includes("/src/"),
  );

/** Calls an export. */
export const call = (f: unknown, ...args: readonly unknown[]): unknown =>
  typeof f === "function" ? f(...args) : "no function";

/** Why a text is no JavaScript. */
function unparsed(file: string, text: string): readonly string[] {
  try {
    transformSync(text, { loader: "jsx" });
    return [];
  } catch (error) {
    return [`${file}: ${String(error)}\n${text}`];
  }
}
