// The reference of all exports, from their docstrings. In: the checkout's root. Out: for each entry of
// the package its functions with signature, description, errors and example, and its types. An
// example gets the imports that it needs, so it is a module that the tests can run.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** The entries that user code imports, and what they are for. */
export const ENTRIES: readonly { readonly name: string; readonly file: string }[] = [
  { name: "tsgrad", file: "runtime/index.ts" },
  { name: "tsgrad/implicit", file: "runtime/implicit/index.ts" },
  { name: "tsgrad/vector", file: "runtime/vector/index.ts" },
  { name: "tsgrad/tree", file: "runtime/tree/index.ts" },
  { name: "tsgrad/testing", file: "runtime/testing.ts" },
];

interface Exported {
  readonly name: string;
  readonly isType: boolean;
  readonly signatures: readonly string[];
  /** Of an interface: `name?`, and what it means. */
  readonly fields: readonly string[];
  readonly text: string;
  readonly throws: readonly string[];
  readonly examples: readonly string[];
}

/** The exports of each entry. */
function exportsOf(root: string): ReadonlyMap<string, readonly Exported[]> {
  const files = ENTRIES.map(({ file }) => path.join(root, file));
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  return new Map(
    ENTRIES.map(({ name }, k) => {
      const source = program.getSourceFile(files[k] ?? "");
      const symbol = source && checker.getSymbolAtLocation(source);
      const found = symbol === undefined ? [] : checker.getExportsOfModule(symbol);
      const names = found.map((one) => (isType(checker, one) ? `type ${one.name}` : one.name));
      return [name, found.map((one) => described(checker, one, name, names))];
    }),
  );
}

const originOf = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

const isType = (checker: ts.TypeChecker, symbol: ts.Symbol): boolean =>
  (originOf(checker, symbol).flags & ts.SymbolFlags.Value) === 0 ||
  (symbol.declarations ?? []).some(
    (one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly),
  );

function fieldsOf(
  checker: ts.TypeChecker,
  { members }: ts.InterfaceDeclaration,
): readonly string[] {
  return members.filter(ts.isPropertySignature).map((member) => {
    const symbol = checker.getSymbolAtLocation(member.name);
    const text = plain(ts.displayPartsToString(symbol?.getDocumentationComment(checker)));
    const name = member.name.getText() + (member.questionToken === undefined ? "" : "?");
    // a type that Prettier lays out on many lines is one line here
    const type = (member.type?.getText() ?? "unknown")
      .replace(/\s*\n\s*/g, " ")
      .replace(/^\| /, "");
    return `\`${name}: ${type}\`${text === "" ? "" : `: ${text}`}`;
  });
}

function described(
  checker: ts.TypeChecker,
  symbol: ts.Symbol,
  entry: string,
  names: readonly string[],
): Exported {
  const origin = originOf(checker, symbol);
  const declarations = origin.declarations ?? [];
  const tags = (wanted: string): readonly string[] =>
    origin
      .getJsDocTags(checker)
      .filter(({ name }) => name === wanted)
      .map(({ text }) => plain(ts.displayPartsToString(text)));
  return {
    name: symbol.name,
    isType: isType(checker, symbol),
    fields: declarations.filter(ts.isInterfaceDeclaration).flatMap((one) => fieldsOf(checker, one)),
    signatures: declarations.filter(ts.isFunctionDeclaration).flatMap(signatureOf),
    text: plain(ts.displayPartsToString(origin.getDocumentationComment(checker))).replace(
      /\nAs the build writes it\.$/,
      "",
    ),
    throws: [...new Set(tags("throws"))],
    examples: [...new Set(tags("example"))].map((code) => withImports(code, entry, names)),
  };
}

/** A declaration without its body. The one that implements overloads is no signature. */
function signatureOf(
  declaration: ts.FunctionDeclaration,
  _: number,
  all: readonly ts.FunctionDeclaration[],
): readonly string[] {
  const { body, parameters } = declaration;
  // as the build calls it
  const isForBuild = parameters.some(({ name }) => name.getText() === "added");
  if (all.length > 1 && (body !== undefined || isForBuild)) return [];
  const file = declaration.getSourceFile();
  const end = body?.getFullStart() ?? declaration.getEnd();
  const text = file.text.slice(declaration.getStart(file), end).trim();
  return [text.replace(/^export /, "").replace(/;?$/, ";")];
}

const plain = (text: string): string => text.replace(/\{@link (\w+)\s*\}/g, "`$1`").trim();

/** The example, after an import of the exports that it uses. */
function withImports(code: string, entry: string, names: readonly string[]): string {
  if (code.startsWith("import ")) return code;
  const own = [...code.matchAll(/(?<![.\w])(\w+)/g)].map(([, word = ""]) => word);
  const usedOf = (all: readonly string[]): string =>
    all.filter((name) => own.includes(name.replace("type ", ""))).join(", ");
  const imports = [
    ["vitest", usedOf(["expect", "test"])],
    ["tsgrad", entry === "tsgrad" ? "" : usedOf(["grad"])],
    [entry, usedOf(names)],
  ];
  const lines = imports.flatMap(([from = "", used = ""]) =>
    used === "" ? [] : [`import { ${used} } from "${from}";`],
  );
  return `${lines.join("\n")}\n\n${code}`;
}

const fenced = (code: string): string => `\`\`\`ts\n${code}\n\`\`\``;

/** Everything, as the body of a page. */
export function apiOf(root: string): string {
  return [...exportsOf(root)]
    .map(([entry, all]) =>
      [`## ${entry}`, ...all.map((one) => sectionOf(one, shortTypeOf(root, one.name)))].join(
        "\n\n",
      ),
    )
    .join("\n\n");
}

/**
 * The type of a form as its page writes it, and a link to that page. The declared types of forms
 * check options, which hides what they mean.
 */
function shortTypeOf(root: string, name: string): string | undefined {
  const page = path.join(root, `docs/forms/${name}.md`);
  if (!existsSync(page)) return undefined;
  const block = /^## Type\n\n```\n([\s\S]*?)^```$/m.exec(readFileSync(page, "utf8"))?.[1];
  return `\`\`\`ts\n${block ?? ""}\`\`\`\n\nMore: [\`${name}\`](forms/${name}.md).`;
}

function sectionOf(exported: Exported, shortType: string | undefined): string {
  const { name, isType, signatures, fields, text, throws, examples } = exported;
  const parts = [
    `### ${isType ? "type " : ""}${name}`,
    text,
    shortType ?? (signatures.length > 0 ? fenced(signatures.join("\n")) : ""),
    ...(fields.length > 0 ? [fields.map((one) => `- ${one}`).join("\n")] : []),
    ...throws.map((one) => `Throws: ${one.replace(/^Error (?=`)/, "")}`),
    ...(examples.length > 0 ? ["Example:", ...examples.map(fenced)] : []),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Each example of a docstring, by the name of its export. */
export function apiExamples(
  root: string,
): readonly { readonly name: string; readonly code: string }[] {
  return [...exportsOf(root)].flatMap(([entry, all]) =>
    all.flatMap(({ name, examples }) =>
      examples.map((code) => ({ name: `${entry} ${name}`, code: `${code}\n` })),
    ),
  );
}
