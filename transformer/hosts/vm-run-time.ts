// vitest's vm pools load modules themselves: they read files, know no hooks of Node, and cannot
// `require` an ES module. In: a folder. Out: the run time as CommonJS in it, for packages that
// require it, and ES modules that export what it exports. Invariant: one instance for both.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type ts from "typescript";
import type { LoadedModule } from "./module-loader.ts";
import { requiredRunTime } from "./run-time.ts";
import { ownTypeScript } from "./typescript.ts";

/** By file of this package: the text to load in its place. */
export function runTimeIn(folder: string): ReadonlyMap<string, LoadedModule> {
  const api = ownTypeScript();
  const own = path.dirname(fileURLToPath(import.meta.url));
  const to = path.dirname(requiredRunTime(folder, "delta"));
  mkdirSync(to, { recursive: true });
  writeFileSync(path.join(to, "package.json"), `{ "type": "commonjs" }`);
  const names = readdirSync(own).filter((name) => name.endsWith(".js"));
  return new Map(
    names.map((name) => {
      const file = path.join(own, name);
      const text = readFileSync(file, "utf8");
      const { outputText } = api.transpileModule(text, {
        compilerOptions: {
          module: api.ModuleKind.CommonJS,
          target: api.ScriptTarget.ES2022,
          allowJs: true,
        },
        fileName: name,
      });
      writeFileSync(path.join(to, name), outputText);
      const source = exporting(exportsOf(api, name, text), path.join(to, name));
      return [file.split(path.sep).join("/"), { format: "module", source }];
    }),
  );
}

/** `from`: the module that it is of; `isFixed`: never assigned again. */
interface Export {
  readonly name: string;
  readonly from: { readonly specifier: string; readonly name: string } | null;
  readonly isFixed: boolean;
}

/** Those of `export { a, b as c };`, which is how this package is built. */
function exportsOf(api: typeof ts, name: string, text: string): readonly Export[] {
  const { statements } = api.createSourceFile(name, text, api.ScriptTarget.ESNext);
  const imports = new Map<string, Export["from"]>();
  const variables = new Set<string>();
  for (const statement of statements) {
    if (api.isVariableStatement(statement))
      for (const { name: declared } of statement.declarationList.declarations)
        if (api.isIdentifier(declared)) variables.add(declared.text);
    if (!api.isImportDeclaration(statement)) continue;
    const { moduleSpecifier, importClause } = statement;
    const bindings = importClause?.namedBindings;
    if (bindings === undefined || !api.isNamedImports(bindings)) continue;
    if (!api.isStringLiteral(moduleSpecifier)) continue;
    for (const { name: local, propertyName } of bindings.elements)
      imports.set(local.text, {
        specifier: moduleSpecifier.text,
        name: (propertyName ?? local).text,
      });
  }
  return statements.flatMap((statement) =>
    api.isExportDeclaration(statement) &&
    statement.exportClause !== undefined &&
    api.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.map((element) => {
          const local = (element.propertyName ?? element.name).text;
          return {
            name: element.name.text,
            from: imports.get(local) ?? null,
            isFixed: !variables.has(local),
          };
        })
      : [],
  );
}

/** TypeScript assigns an exported variable to `exports`, too: that keeps it up to date here. */
const exporting = (all: readonly Export[], file: string): string =>
  [
    `import { createRequire } from "node:module";`,
    `const all = createRequire(import.meta.url)(${JSON.stringify(file)});`,
    ...all.flatMap(({ name, from, isFixed }, k) => {
      const key = JSON.stringify(name);
      if (from !== null)
        return `export { ${from.name} as ${name} } from ${JSON.stringify(from.specifier)};`;
      const made = `let export${k} = all[${key}]; export { export${k} as ${name} };`;
      const live = `Object.defineProperty(all, ${key}, { get: () => export${k}, set: (value) => { export${k} = value; } });`;
      return isFixed ? [made] : [made, live];
    }),
  ].join("\n");
