// Whether a module's constant keeps the parts that its literal gives it. In: a constant. Out: whether some code of the program may write into it.
// Invariant: a constant is known under each name that imports and exports give it; whatever else it is handed to may write.

import type ts from "typescript";
import type { TypeScript } from "./context.ts";
import type { Frame } from "./frame.ts";

const WRITTEN = new WeakMap<ts.VariableDeclaration, { readonly checker: ts.TypeChecker; readonly written: boolean; readonly names: ReadonlySet<string> }>();

/** Whether some code of the program writes a part of the constant, or hands it to code that may. */
export function isWrittenInto(f: Frame, declaration: ts.VariableDeclaration, symbol: ts.Symbol): boolean {
  const before = WRITTEN.get(declaration);
  const known = before?.checker === f.ctx.checker ? before : { checker: f.ctx.checker, ...writtenInto(f, declaration, symbol) };
  WRITTEN.set(declaration, known);
  // a default may be imported under any name
  for (const name of known.names) f.ctx.classes.questions.writes(name === DEFAULT ? "import" : name, f.root);
  return known.written;
}

function writtenInto(f: Frame, declaration: ts.VariableDeclaration, symbol: ts.Symbol): { readonly written: boolean; readonly names: ReadonlySet<string> } {
  const { api } = f;
  const own = declaration.getSourceFile();
  const files = f.ctx.program.getSourceFiles().filter((file) => file === own || !file.isDeclarationFile);
  const names = namesOf(f, symbol, files);
  const walk = (node: ts.Node): boolean => {
    if (api.isIdentifier(node) && node !== declaration.name && names.has(node.text) && f.symbolOf(node) === symbol && !isOnlyRead(f, node)) return true;
    return api.forEachChild(node, (child) => walk(child) || undefined) === true;
  };
  return { written: files.some((file) => [...names].some((name) => file.text.includes(name)) && walk(file)), names };
}

const DEFAULT = "default";

/** Names in import and export declarations that call something otherwise. */
function renamings(statement: ts.Statement, api: TypeScript): readonly (readonly [from: string, to: ts.ModuleExportName])[] {
  if (api.isImportEqualsDeclaration(statement)) {
    const { moduleReference: meant, name } = statement;
    return api.isExternalModuleReference(meant) ? [] : [[api.isQualifiedName(meant) ? meant.right.text : meant.text, name]];
  }
  const clause = api.isImportDeclaration(statement) ? statement.importClause : undefined;
  const own = api.isExportDeclaration(statement) ? statement.exportClause : clause?.namedBindings;
  const named = own !== undefined && (api.isNamedImports(own) || api.isNamedExports(own)) ? [...own.elements] : [];
  const renamed = named.flatMap(({ propertyName, name }) => (propertyName === undefined ? [] : [[propertyName.text, name] as const]));
  return clause?.name === undefined ? renamed : [[DEFAULT, clause.name], ...renamed];
}

/** Whether the file exports the constant by default. */
const isDefaultOf = (file: ts.SourceFile, name: string, symbol: ts.Symbol, f: Frame): boolean => file.statements.some((statement) =>
  f.api.isExportAssignment(statement) && f.api.isIdentifier(statement.expression) && statement.expression.text === name && f.symbolOf(statement.expression) === symbol);

/** What the constant is called: `table`, and `other` of `import { table as other }`, `export { table as other }` or of what its module exports by default. */
function namesOf(f: Frame, symbol: ts.Symbol, files: readonly ts.SourceFile[]): ReadonlySet<string> {
  const names = new Set([symbol.name]);
  for (const name of names) {
    for (const file of files) {
      if (name !== DEFAULT && !file.text.includes(name)) continue;
      for (const [from, to] of file.statements.flatMap((statement) => renamings(statement, f.api))) if (from === name && f.symbolOf(to) === symbol) names.add(to.text);
      if (isDefaultOf(file, name, symbol, f)) names.add(DEFAULT);
    }
  }
  return names;
}

function isOnlyRead(f: Frame, node: ts.Identifier): boolean {
  const { api } = f;
  const access = node.parent;
  if (api.isCallExpression(access) && READERS.test(access.expression.getText())) return true;
  if (api.isExportSpecifier(access) || api.isExportAssignment(access) || api.isImportSpecifier(access) || api.isImportClause(access) || api.isTypeQueryNode(access) || api.isForOfStatement(access) || api.isSpreadElement(access)) return true;
  if (!(api.isPropertyAccessExpression(access) || api.isElementAccessExpression(access)) || access.expression !== node) return false;
  const around = access.parent;
  if (api.isBinaryExpression(around) && around.left === access) return around.operatorToken.kind < api.SyntaxKind.FirstAssignment || around.operatorToken.kind > api.SyntaxKind.LastAssignment;
  if (api.isCallExpression(around) && around.expression === access && api.isPropertyAccessExpression(access)) return !CHANGES.has(access.name.text);
  return !api.isDeleteExpression(around) && !api.isPrefixUnaryExpression(around) && !api.isPostfixUnaryExpression(around);
}

/** Library functions that only look. */
const READERS = /^(Object\.(keys|values|entries|freeze)|console\.\w+)$/;
const CHANGES: ReadonlySet<string> = new Set(["push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"]);
