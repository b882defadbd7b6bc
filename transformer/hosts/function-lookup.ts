// Resolves a function name on the command line. The name of a derivative means its primal: `slope`
// in `const slope = grad(loss)` means `loss`, also if that is imported.

import type ts from "typescript";
import type { Host, TypeScript } from "../analyse.ts";

export interface NamedFunction {
  readonly file: ts.SourceFile;
  readonly fn: string;
}

export function functionNamed(host: Host, file: ts.SourceFile, fn: string): NamedFunction {
  const call = derivativeNamed(host, file, fn);
  const of = call === null ? null : differentiatedIn(host, call);
  const declaration = of?.declarations?.[0];
  return of === null || declaration === undefined
    ? { file, fn }
    : { file: declaration.getSourceFile(), fn: of.name };
}

/** Names of the functions at the top level of a file. */
export function functionsOf({ ts }: Host, file: ts.SourceFile): readonly string[] {
  return file.statements.flatMap((statement): string[] => {
    if (ts.isFunctionDeclaration(statement))
      return statement.name === undefined ? [] : [statement.name.text];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer !== undefined &&
      ts.isIdentifier(name) &&
      (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))
        ? [name.text]
        : [],
    );
  });
}

/** The call of a form that initialises a variable of this name. */
function derivativeNamed(host: Host, file: ts.SourceFile, fn: string): ts.CallExpression | null {
  const { ts } = host;
  const find = (node: ts.Node): ts.CallExpression | undefined => {
    if (
      !ts.isVariableDeclaration(node) ||
      node.initializer === undefined ||
      !ts.isIdentifier(node.name) ||
      node.name.text !== fn
    )
      return ts.forEachChild(node, find);
    const value = bare(ts, node.initializer);
    return ts.isCallExpression(value) && isForm(host, value.expression) ? value : undefined;
  };
  return find(file) ?? null;
}

/** Functions of tsgrad that give a function of its own, which is no derivative. */
const MAKERS: ReadonlySet<string> = new Set(["customVjp", "customJvp", "checkpoint", "vmap"]);

/** Whether a callee is a form: `grad`, or `tsgrad.grad` of a namespace. */
export function isForm({ ts, program }: Host, callee: ts.Expression): boolean {
  const isMember = ts.isPropertyAccessExpression(callee);
  const name = isMember ? callee.expression : callee;
  const declaration = program.getTypeChecker().getSymbolAtLocation(name)?.declarations?.[0];
  const imported =
    declaration !== undefined && ts.isImportSpecifier(declaration)
      ? (declaration.propertyName ?? declaration.name)
      : undefined;
  if (MAKERS.has((isMember ? callee.name : (imported ?? name)).getText())) return false;
  const source =
    declaration === undefined ? undefined : ts.findAncestor(declaration, ts.isImportDeclaration);
  return (
    source !== undefined &&
    ts.isStringLiteral(source.moduleSpecifier) &&
    /^tsgrad(?:\/|$)/.test(source.moduleSpecifier.text)
  );
}

/** The function that the call differentiates, also through nested calls. */
function differentiatedIn(host: Host, call: ts.CallExpression): ts.Symbol | null {
  const { ts, program } = host;
  const [first] = call.arguments;
  if (first === undefined) return null;
  const value = bare(ts, first);
  if (ts.isCallExpression(value))
    return isForm(host, value.expression) ? differentiatedIn(host, value) : null;
  const checker = program.getTypeChecker();
  const symbol = checker.getSymbolAtLocation(value);
  return symbol === undefined
    ? null
    : symbol.flags & ts.SymbolFlags.Alias
      ? checker.getAliasedSymbol(symbol)
      : symbol;
}

/** Strips parentheses and type assertions. */
function bare(api: TypeScript, node: ts.Expression): ts.Expression {
  return api.isParenthesizedExpression(node) ||
    api.isAsExpression(node) ||
    api.isSatisfiesExpression(node) ||
    api.isNonNullExpression(node)
    ? bare(api, node.expression)
    : node;
}
