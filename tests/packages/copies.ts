// Copies of fake packages, evaluated. In: what a user's file imports. Out: the text for it, and what its links would link.
// The packages are in a file system of memory, so that nothing has to be installed.

import ts from "typescript";
import {
  packagesOf,
  type PackageText,
  type PackageValue,
  type RewriteModule,
} from "../../transformer/delta/packages/index.ts";
import * as $d from "../../runtime/delta/index.ts";
import { importDefault, importStar } from "../../runtime/delta/modules.ts";
import { PACKAGES } from "./fixtures/packages.ts";

/** A module as it stands, no ids. */
export const plain: RewriteModule = (_api, source, wrapper) => ({
  text: wrapper.getText(source),
  problems: [],
});

const FILES: ReadonlyMap<string, string> = new Map(
  Object.entries(PACKAGES).flatMap(([name, files]) =>
    Object.entries(files).map(
      ([file, text]) => [`/app/node_modules/${name}/${file}`, text] as const,
    ),
  ),
);

export const system: ts.ModuleResolutionHost = {
  fileExists: (file) => FILES.has(file),
  readFile: (file) => FILES.get(file),
  directoryExists: (folder) => [...FILES.keys()].some((file) => file.startsWith(`${folder}/`)),
  realpath: (file) => file,
};

export const USER = "/app/user.ts";

export interface Wanted {
  readonly specifier: string;
  readonly exportName: string;
}

export interface Asked {
  readonly wanted: readonly Wanted[];
  readonly rewrite?: RewriteModule;
  readonly options?: ts.CompilerOptions;
  readonly untyped?: readonly string[];
}

export function textOf({ wanted, rewrite = plain, options = {}, untyped = [] }: Asked): {
  readonly values: readonly PackageValue[];
  readonly text: PackageText;
} {
  const program = ts.createProgram([], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    ...options,
  });
  const packages = packagesOf({ ts, program, system, untyped, rewrite, runtime: "$d" });
  const values = wanted.map((item, i) =>
    packages.packageValue({ ...item, local: `local${i}`, fromFile: USER }),
  );
  return { values, text: packages.packageText(USER) };
}

let runs = 0;

/** Evaluates the text; `real` is what the user's imports hold, the copies' own exports where it is left out. */
export async function evaluated(
  text: PackageText,
  real?: readonly unknown[],
): Promise<readonly unknown[]> {
  const nodes = text.imports.flatMap((line) => {
    const found = /as (\S+) from "(.*)"/.exec(line);
    return found === null ? [] : [{ name: found[1] ?? "", specifier: found[2] ?? "" }];
  });
  const { outputText } = ts.transpileModule(text.statements.join("\n"), {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  const found: unknown[] = [];
  runs++;
  const run = runs;
  // `id` stays live; no copy is shared between two tests
  const runtime: unknown = Object.create($d, {
    module: {
      value: (
        name: string,
        ...rest: Parameters<typeof $d.module> extends [string, ...infer R] ? R : never
      ) => $d.module(`${name}/${run}`, ...rest),
    },
    linkModule: {
      value:
        real === undefined
          ? (names: () => Record<string, unknown>, copy: () => unknown) => {
              for (const key of Object.keys(names())) found.push(exported(copy(), key));
            }
          : $d.linkModule,
    },
  });
  const loaded = await Promise.all(nodes.map(({ specifier }) => import(specifier)));
  const locals = real ?? Array.from({ length: 10 }, () => null);
  new Function(
    "$d",
    ...nodes.map(({ name }) => name),
    ...locals.map((_, i) => `local${i}`),
    outputText,
  )(runtime, ...loaded, ...locals);
  return found;
}

function exported(exports: unknown, name: string): unknown {
  return name === "*"
    ? importStar(exports)
    : name === "default"
      ? importDefault(exports).default
      : Reflect.get(Object(exports), name);
}

export const copyOf = async (
  specifier: string,
  exportName: string,
  more: Omit<Asked, "wanted"> = {},
): Promise<{ readonly value: unknown; readonly text: string }> => {
  const { text } = textOf({ wanted: [{ specifier, exportName }], ...more });
  const [value] = await evaluated(text);
  return { value, text: text.statements.join("\n") };
};
