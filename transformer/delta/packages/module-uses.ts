// Uses of a module's variables. In: a parsed module. Out: the variables that live as long as it
// (those of functions that run at load, too), and each use of one, with what it may change.
// Invariant: names have JavaScript's scopes; a unit is a declaration, or another statement at load.

import type ts from "typescript";
import { boundNames } from "../binding.ts";
import { effectOf, type Effect } from "./effects.ts";

type Api = typeof ts;

export interface ModuleVariable {
  readonly name: string;
  readonly declaration: ts.Declaration;
  readonly uses: Use[];
  /** Declarations and statements that make it what it is: a class with all that extends it. */
  readonly units: Set<Unit>;
}

export interface Use {
  readonly node: ts.Identifier;
  readonly variable: ModuleVariable;
  readonly unit: Unit;
  /** In a function that does not run at load. */
  readonly isLater: boolean;
  readonly effect: Effect;
}

export interface Unit {
  readonly node: ts.Node;
  readonly uses: Use[];
  /** Names of CommonJS exports that it makes; `*` for the module itself. */
  readonly exports: Set<string>;
}

export interface ModuleUses {
  readonly variables: readonly ModuleVariable[];
  readonly units: readonly Unit[];
  /** The variable at the top of the module. */
  top(name: string): ModuleVariable | undefined;
}

export function moduleUses(api: Api, source: ts.SourceFile): ModuleUses {
  const reader = new Reader(api, source);
  reader.statements(source.statements);
  return {
    variables: [...reader.variables.values()],
    units: reader.units,
    top: (name) => reader.top.get(name),
  };
}

/** Where a node stands: its unit, and whether its code runs at load. */
interface Place {
  readonly unit: Unit;
  readonly isLater: boolean;
}

class Reader {
  readonly variables = new Map<ts.Symbol, ModuleVariable>();
  readonly units: Unit[] = [];
  readonly top = new Map<string, ModuleVariable>();
  readonly #api: Api;
  readonly #checker: ts.TypeChecker;
  readonly #loaded = new Set<ts.Node>();

  constructor(api: Api, source: ts.SourceFile) {
    this.#api = api;
    this.#checker = loneChecker(api, source);
  }

  statements(all: readonly ts.Statement[]): void {
    for (const statement of all) {
      const isList =
        this.#api.isVariableStatement(statement) && statement.declarationList.declarations;
      for (const node of isList === false ? [statement] : isList) this.#open(node);
    }
  }

  #open(node: ts.Node): void {
    const unit: Unit = { node, uses: [], exports: exportsMade(this.#api, node) };
    this.units.push(unit);
    this.#visit(node, { unit, isLater: false });
    for (const name of declaredNames(this.#api, node)) this.#variableOf(name)?.units.add(unit);
    // `A.prototype.f = …`, `extend(A)` and `const proto = A.prototype` belong to A.
    const isDeclared = this.#api.isFunctionDeclaration(node) || this.#api.isClassDeclaration(node);
    for (const { variable, isLater, node: at } of unit.uses)
      if (!isLater && !isDeclared && makes(this.#api, at, node)) variable.units.add(unit);
  }

  #visit(node: ts.Node, place: Place): void {
    const api = this.#api;
    if (api.isTypeNode(node)) return;
    if (api.isIdentifier(node)) return this.#meet(node, place);
    if (api.isCallExpression(node) && !place.isLater && functionOf(api, node.expression) !== null)
      for (const part of [node.expression, ...node.arguments]) {
        const body = functionOf(api, part);
        if (body !== null) this.#loaded.add(body);
      }
    if (this.#loaded.has(node) && api.isFunctionLike(node)) {
      const body = "body" in node ? node.body : undefined;
      if (body !== undefined && api.isBlock(body)) return this.statements(body.statements);
    }
    const isLater = place.isLater || (api.isFunctionLike(node) && !this.#loaded.has(node));
    api.forEachChild(node, (child) => {
      this.#visit(child, isLater === place.isLater ? place : { unit: place.unit, isLater });
    });
  }

  #meet(node: ts.Identifier, { unit, isLater }: Place): void {
    if (!isReference(this.#api, node)) return;
    const variable = this.#variableOf(node);
    if (variable === undefined) return;
    const use = { node, variable, unit, isLater, effect: effectOf(this.#api, node) };
    variable.uses.push(use);
    unit.uses.push(use);
  }

  #variableOf(node: ts.Identifier): ModuleVariable | undefined {
    const api = this.#api;
    const symbol = symbolMeant(api, this.#checker, node);
    const declaration = symbol?.declarations?.find((one) => !api.isExportSpecifier(one));
    if (symbol === undefined || declaration === undefined) return undefined;
    const known = this.variables.get(symbol);
    if (known !== undefined) return known;
    const around = api.findAncestor(declaration.parent, api.isFunctionLike);
    const isOfModule =
      !api.isParameter(declaration) &&
      !api.isPropertyAccessExpression(declaration) &&
      !api.isBinaryExpression(declaration) &&
      !api.isSourceFile(declaration) &&
      (around === undefined || this.#loaded.has(around));
    if (!isOfModule) return undefined;
    const made = { name: node.text, declaration, uses: [], units: new Set<Unit>() };
    this.variables.set(symbol, made);
    if (around === undefined) this.top.set(node.text, made);
    return made;
  }
}

const checkers = new WeakMap<ts.SourceFile, ts.TypeChecker>();

/** A checker that knows this file alone: it is asked for scopes. */
export function loneChecker(api: Api, source: ts.SourceFile): ts.TypeChecker {
  const known = checkers.get(source) ?? checkerOf(api, source);
  checkers.set(source, known);
  return known;
}

function checkerOf(api: Api, source: ts.SourceFile): ts.TypeChecker {
  const options: ts.CompilerOptions = {
    allowJs: true,
    noLib: true,
    noResolve: true,
    types: [],
    target: api.ScriptTarget.ESNext,
    module: api.ModuleKind.ESNext,
  };
  const host: ts.CompilerHost = {
    getSourceFile: (name) => (name === source.fileName ? source : undefined),
    getDefaultLibFileName: () => "lib.d.ts",
    writeFile: () => undefined,
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: (name) => name === source.fileName,
    readFile: () => undefined,
  };
  return api.createProgram([source.fileName], options, host).getTypeChecker();
}

function functionOf(api: Api, node: ts.Expression): ts.Node | null {
  let at = node;
  while (api.isParenthesizedExpression(at)) at = at.expression;
  // `(function () { … }).call(this)`
  if (api.isPropertyAccessExpression(at) && at.name.text === "call")
    return functionOf(api, at.expression);
  return api.isFunctionExpression(at) || api.isArrowFunction(at) ? at : null;
}

function declaredNames(api: Api, node: ts.Node): readonly ts.Identifier[] {
  if (api.isVariableDeclaration(node)) return boundNames(api, node.name);
  const isNamed = api.isFunctionDeclaration(node) || api.isClassDeclaration(node);
  return isNamed && node.name !== undefined ? [node.name] : [];
}

/** Whether a use at load may change its variable, or what its variable holds. */
function makes(api: Api, at: ts.Identifier, unit: ts.Node): boolean {
  if (api.isVariableDeclaration(unit) && unit.initializer !== undefined) {
    let root: ts.Expression = unit.initializer;
    while (api.isPropertyAccessExpression(root)) root = root.expression;
    if (root === at) return true;
  }
  const isRead = ["read", "held", "part"].includes(effectOf(api, at));
  return !isRead || api.isCallExpression(unit);
}

/** `exports.a = exports.b = …`, `module.exports = …` */
function exportsMade(api: Api, node: ts.Node): Set<string> {
  const found = new Set<string>();
  let value = api.isExpressionStatement(node) ? node.expression : undefined;
  while (value !== undefined && api.isBinaryExpression(value)) {
    const text = value.left.getText();
    const name = /^(?:module\.)?exports\.([\w$]+)/.exec(text)?.[1];
    if (name !== undefined && name !== "exports") found.add(name);
    else if (text === "module.exports" || text.startsWith("exports[")) found.add("*");
    value = value.right;
  }
  if (found.size === 0 && value !== undefined && /\bexports\b/.test(value.getText().slice(0, 1000)))
    found.add("*");
  return found;
}

/** Whether a name stands for a variable: it names no declaration, member or label. */
export function isReference(api: Api, node: ts.Identifier): boolean {
  const { parent } = node;
  if (api.isShorthandPropertyAssignment(parent)) return true;
  if (api.isExportSpecifier(parent)) return (parent.propertyName ?? parent.name) === node;
  return !(
    ("name" in parent && parent.name === node) ||
    ("propertyName" in parent && parent.propertyName === node) ||
    ("label" in parent && parent.label === node)
  );
}

export const isImport = (api: Api, node: ts.Node): boolean =>
  api.isImportSpecifier(node) || api.isImportClause(node) || api.isNamespaceImport(node);

/** The symbol of the variable that a name stands for, in `{ x }` and `export { x }`, too. */
export function symbolMeant(
  api: Api,
  checker: ts.TypeChecker,
  node: ts.Identifier,
): ts.Symbol | undefined {
  const { parent } = node;
  if (api.isShorthandPropertyAssignment(parent))
    return checker.getShorthandAssignmentValueSymbol(parent);
  return api.isExportSpecifier(parent)
    ? checker.getExportSpecifierLocalTargetSymbol(parent)
    : checker.getSymbolAtLocation(node);
}

/** The declaration that an identifier means; undefined for one that only assignments declare. */
export const declarationMeant = (
  api: Api,
  checker: ts.TypeChecker,
  node: ts.Identifier,
): ts.Declaration | undefined =>
  symbolMeant(api, checker, node)?.declarations?.find(
    (one) =>
      !api.isPropertyAccessExpression(one) &&
      !api.isBinaryExpression(one) &&
      !api.isSourceFile(one) &&
      !api.isExportSpecifier(one),
  );
