// The declarations of the package. Those of user code are rolled up: one file for each entry, and
// chunks for types that entries share. A CommonJS file of TOOLS, whose types stand alone, declares one
// function or object, which is also their namespace.

import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import ts from "typescript";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** Writes the declarations of `entries`: names in the package, and their sources. */
export async function declareModules(entries, dir) {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [name, path.join(root, file)]),
    ),
    // sources have the types of all exports written
    plugins: [dts({ oxc: true, emitDtsOnly: true, tsconfig: false })],
  });
  await bundle.write({ dir, format: "es", chunkFileNames: "types-[hash].d.ts" });
}

/** The declarations of a file, from its own text alone: what is exported has its types written. */
export function declarationOf(file) {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, "utf8"), {
    fileName: file,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      isolatedDeclarations: true,
      strict: true,
      verbatimModuleSyntax: true,
    },
    reportDiagnostics: true,
  });
  if (diagnostics.length > 0)
    throw new Error(
      ts.formatDiagnostics(diagnostics, {
        getCurrentDirectory: () => process.cwd(),
        getCanonicalFileName: (f) => f,
        getNewLine: () => "\n",
      }),
    );
  return outputText;
}

/**
 * The default export becomes the module, and its types members of a namespace of that name:
 *
 *   export interface Options { … }                          declare namespace tsgrad { interface Options { … } }
 *   export default function tsgrad(o: Options): Plugin  ->  declare function tsgrad(o: tsgrad.Options): tsgrad.Plugin;
 *                                                           export = tsgrad;
 */
export function toolDeclaration(name, text) {
  const source = ts.createSourceFile(`${name}.d.ts`, text, ts.ScriptTarget.ES2023, true);
  const types = source.statements.filter(
    (node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node),
  );
  const value = source.statements.find(
    (node) => ts.isFunctionDeclaration(node) || ts.isVariableStatement(node),
  );
  if (value === undefined || source.statements.some(ts.isImportDeclaration))
    throw new Error(`${name}: its declarations must have a default export, and no imports`);
  const main = ts.isFunctionDeclaration(value)
    ? value.name.text
    : value.declarationList.declarations[0].name.text;
  const own = types.map((node) => node.name.text);
  const declared = value
    .getText(source)
    .replace(/^export default |^declare /, "")
    .replace(new RegExp(`\\b(${own.join("|")})\\b`, "g"), `${main}.$1`);
  const doc = text.slice(value.getFullStart(), value.getStart(source)).trim();
  const members = types.map((node) =>
    node
      .getFullText(source)
      .trim()
      .replace(/^export /m, ""),
  );
  return [
    doc,
    `declare ${declared}`,
    `declare namespace ${main} {`,
    ...members,
    "}",
    `export = ${main};`,
    "",
  ].join("\n");
}
