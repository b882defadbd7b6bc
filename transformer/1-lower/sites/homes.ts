// Where the derivatives of a function are emitted, and the function's name there.
// Input: a function node. Output: its Home. At the home's offset all names in the function are in
// scope. No two homes of one file share a name and a place.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { topLevel } from "../../ir/names.ts";
import type { Home } from "../../ir/types.ts";
import { declarationOf, classNameOf, type ClassNode } from "../classes/class-declarations.ts";
import { blockAround, indentOf, type Block } from "../blocks.ts";
import { capturesOf, contains } from "../functions/captures.ts";
import type { TypeScript } from "../typescript.ts";
import { hiddenIn } from "../names/shadowed-globals.ts";
import { endOf } from "../checker.ts";
import { type InNamespace, namespaceOf } from "../names/namespaces.ts";
import type { FunctionNode } from "./targets.ts";
import { variableIdentity } from "../names/variable-identity.ts";

export type HomeResult =
  | { readonly kind: "home"; readonly home: Home }
  | { readonly kind: "homeless"; readonly captured: string };

/** The declaration that names a function; a function expression in place has none. */
export type Naming = ts.FunctionDeclaration | ts.VariableDeclaration | ts.ExportAssignment;

export function namingOf(fn: FunctionNode, api: TypeScript): Naming | null {
  if (api.isFunctionDeclaration(fn)) return fn;
  const outer = outermost(fn, api).parent;
  if (
    api.isVariableDeclaration(outer) &&
    api.isIdentifier(outer.name) &&
    (api.getCombinedNodeFlags(outer) & api.NodeFlags.Constant) !== 0
  )
    return outer;
  return api.isExportAssignment(outer) ? outer : null;
}

export function homeOf(
  fn: FunctionNode,
  taken: readonly Home[],
  api: TypeScript,
  checker: ts.TypeChecker,
): HomeResult {
  const file = fn.getSourceFile();
  const origin = { file: file.fileName, start: fn.getStart(), end: fn.end };
  const naming = namingOf(fn, api);
  const inNamespace = naming === null ? null : namespaceOf(naming, api);
  if (naming !== null && inNamespace !== null)
    return {
      kind: "home",
      home: homeInNamespace(declaredName(naming, api), inNamespace, origin, api, checker),
    };
  const captures = naming === null ? capturesOf(fn, api, checker) : [];
  const block = naming === null && captures.length === 0 ? file : blockAround(naming ?? fn, api);
  const hidden = captures.find(
    (capture) => capture.scope !== block && !contains(capture.scope, block),
  );
  if (hidden !== undefined) return { kind: "homeless", captured: hidden.name };
  const name =
    naming === null ? madeName(fn, block, taken, api, checker) : declaredName(naming, api);
  const exportName = naming === null ? undefined : exportNameOf(naming, api, checker);
  const spare =
    naming === null || !api.isVariableDeclaration(naming)
      ? 0
      : askedBy(naming, api, checker) - fn.parameters.length;
  return {
    kind: "home",
    home: {
      file: file.fileName,
      name,
      ...placeIn(block, api, checker),
      ...(exportName === undefined ? {} : { exportName }),
      ...(spare > 0 ? { missingParams: spare } : {}),
      origin,
    },
  };
}

/** The home of a namespace member: the end of the module, where namespace exports are visible. */
function homeInNamespace(
  own: string,
  { path, outermost }: InNamespace,
  origin: Home["origin"],
  api: TypeScript,
  checker: ts.TypeChecker,
): Home {
  const file = outermost.getSourceFile();
  const owner = outermost.name.text;
  const exportName = exportNameOf(outermost, api, checker);
  return {
    file: file.fileName,
    name: path ?? `${owner}.${own}`,
    owner: { name: owner },
    ...placeIn(file, api, checker),
    ...(exportName === undefined ? {} : { exportName }),
    origin,
  };
}

/** The number of required arguments of a constant function. */
function askedBy(
  { name }: ts.VariableDeclaration,
  api: TypeScript,
  checker: ts.TypeChecker,
): number {
  const [signature] = checker.getTypeAtLocation(name).getCallSignatures();
  const isAsked = (each: ts.Symbol): boolean =>
    each.valueDeclaration !== undefined &&
    api.isParameter(each.valueDeclaration) &&
    !checker.isOptionalParameter(each.valueDeclaration) &&
    each.valueDeclaration.dotDotDotToken === undefined;
  return signature?.parameters.filter(isAsked).length ?? 0;
}

/** The home of a loop as a function: the module's end, since it captures nothing. */
export function homeOfLoop(
  node: ts.IterationStatement,
  taken: readonly Home[],
  api: TypeScript,
): Home {
  const file = node.getSourceFile();
  const around = api.findAncestor(
    node,
    (each) =>
      (api.isFunctionDeclaration(each) ||
        api.isMethodDeclaration(each) ||
        api.isVariableDeclaration(each)) &&
      each.name !== undefined &&
      api.isIdentifier(each.name),
  );
  const own =
    around === undefined || !("name" in around) ? "" : (around.name as ts.Identifier).text; // found as such
  const isTaken = (name: string): boolean =>
    taken.some((home) => home.file === file.fileName && home.name === name);
  const wanted = own === "" ? "loop" : `${own}$loop`;
  let name = wanted;
  for (let k = 2; isTaken(name); k++) name = `${wanted}${k}`;
  return {
    file: file.fileName,
    name,
    at: file.end,
    scope: "module",
    indent: "",
    origin: { file: file.fileName, start: node.getStart(), end: node.end },
  };
}

/** The home of `grad(f)`, or of a function value, as a function. */
export function homeOfDerived(
  call: ts.Expression,
  name: string,
  api: TypeScript,
  checker: ts.TypeChecker,
): HomeResult {
  const file = call.getSourceFile();
  const captures = capturesOf(call, api, checker);
  const block = captures.length === 0 ? file : blockAround(call, api);
  const hidden = captures.find((capture) => !contains(capture.scope, block));
  if (hidden !== undefined) return { kind: "homeless", captured: hidden.name };
  return {
    kind: "home",
    home: {
      file: file.fileName,
      name,
      ...placeIn(block, api, checker),
      origin: { file: file.fileName, start: call.getStart(), end: call.end },
    },
  };
}

/** The home of a class, or of one of its lowered members. */
export function homeOfClass(
  node: ClassNode,
  member: string | null,
  api: TypeScript,
  checker: ts.TypeChecker,
): Home {
  const declaration = declarationOf(node, api);
  const file = node.getSourceFile();
  const block = blockAround(declaration ?? node, api);
  const name = classNameOf(node, api);
  const exportName = declaration === null ? undefined : exportNameOf(declaration, api, checker);
  return {
    file: file.fileName,
    name: member === null ? name : `${name}.${member}`,
    ...(member === null ? {} : { owner: { name } }),
    ...placeIn(block, api, checker),
    ...(exportName === undefined ? {} : { exportName }),
    origin: { file: file.fileName, start: node.getStart(), end: node.end },
  };
}

/** The end of a file or block. */
function placeIn(
  block: Block,
  api: TypeScript,
  checker: ts.TypeChecker,
): Pick<Home, "at" | "scope" | "indent" | "ambiguousNames" | "hidden"> {
  const own = hiddenIn(block, api, checker);
  const hidden = own.length === 0 ? {} : { hidden: own };
  if (api.isSourceFile(block)) return { at: block.end, scope: "module", indent: "", ...hidden };
  const hiding = hidingIn(block, api, checker);
  return {
    at: block.end - 1,
    scope: "block",
    indent: indentOf(block, block.getSourceFile().text, api),
    ...(Object.keys(hiding).length === 0 ? {} : { ambiguousNames: hiding }),
    ...hidden,
  };
}

/** Names in scope of the block that the file declares more than once, with their variables. */
function hidingIn(
  block: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): Readonly<Record<string, string>> {
  const file = block.getSourceFile();
  const found: Record<string, string> = {};
  for (const name of declaredTwice(file, api)) {
    const symbol = checker.resolveName(name, block, api.SymbolFlags.Value, true);
    if (symbol !== undefined)
      found[name] =
        variableIdentity(symbol, name, file.fileName, api).variable ??
        topLevel(file.fileName, name);
  }
  return found;
}

const twice = new WeakMap<ts.SourceFile, ReadonlySet<string>>();

function declaredTwice(file: ts.SourceFile, api: TypeScript): ReadonlySet<string> {
  const known = twice.get(file);
  if (known !== undefined) return known;
  const [once, more] = [new Set<string>(), new Set<string>()];
  const visit = (node: ts.Node): void => {
    if (
      (api.isVariableDeclaration(node) ||
        api.isParameter(node) ||
        api.isBindingElement(node) ||
        api.isFunctionLike(node) ||
        api.isClassLike(node) ||
        api.isImportSpecifier(node) ||
        api.isImportClause(node) ||
        api.isNamespaceImport(node)) &&
      node.name !== undefined &&
      api.isIdentifier(node.name)
    )
      (once.has(node.name.text) ? more : once).add(node.name.text);
    api.forEachChild(node, visit);
  };
  visit(file);
  twice.set(file, more);
  return more;
}

function outermost(fn: ts.Node, api: TypeScript): ts.Node {
  let at = fn;
  while (api.isExpression(at.parent) && bare(at.parent, api) === fn) at = at.parent;
  return at;
}

function declaredName(
  naming: Naming | ts.ClassDeclaration | ts.ModuleDeclaration,
  api: TypeScript,
): string {
  if (api.isExportAssignment(naming)) return "default";
  return naming.name !== undefined && api.isIdentifier(naming.name) ? naming.name.text : "default";
}

/** `const g = grad(x => …)` -> `g`, else `f`, with a number if that denotes another function. */
function madeName(
  fn: FunctionNode,
  block: ts.Node,
  taken: readonly Home[],
  api: TypeScript,
  checker: ts.TypeChecker,
): string {
  const initialised = initialisedBy(fn, api);
  const base =
    fn.name !== undefined && api.isIdentifier(fn.name) ? fn.name.text : (initialised?.text ?? "f");
  const own = initialised === null ? undefined : checker.getSymbolAtLocation(initialised);
  const isFree = (name: string): boolean => {
    if (taken.some((home) => home.file === fn.getSourceFile().fileName && home.name === name))
      return false;
    const meant = checker.resolveName(name, block, api.SymbolFlags.Value, true);
    return (
      meant === undefined ||
      meant === own ||
      ((meant.flags & api.SymbolFlags.Function) === 0 && !isConstFunction(meant, api))
    );
  };
  let name = base;
  for (let copy = 2; !isFree(name); copy++) name = `${base}${copy}`;
  return name;
}

function isConstFunction(symbol: ts.Symbol, api: TypeScript): boolean {
  const declaration = symbol.valueDeclaration;
  if (
    declaration === undefined ||
    !api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return false;
  const value = bare(declaration.initializer, api);
  return api.isArrowFunction(value) || api.isFunctionExpression(value);
}

/** The variable or property that is initialised with a function or call, through outer calls. */
export function initialisedBy(
  fn: ts.Expression | FunctionNode,
  api: TypeScript,
): ts.Identifier | null {
  let at: ts.Node = fn.parent;
  while (
    api.isCallExpression(at) ||
    api.isParenthesizedExpression(at) ||
    api.isAsExpression(at) ||
    api.isSatisfiesExpression(at)
  )
    at = at.parent;
  return (api.isVariableDeclaration(at) || api.isPropertyAssignment(at)) &&
    api.isIdentifier(at.name)
    ? at.name
    : null;
}

/** The exported name of a declaration: its own if possible. */
export function exportNameOf(
  naming: Naming | ts.ClassDeclaration | ts.ModuleDeclaration,
  api: TypeScript,
  checker: ts.TypeChecker,
): string | undefined {
  if (api.isExportAssignment(naming)) return "default";
  const module = checker.getSymbolAtLocation(naming.getSourceFile());
  if (module === undefined) return undefined;
  const exports = checker
    .getExportsOfModule(module)
    .filter((symbol) => endOf(symbol, api, checker).declarations?.includes(naming) === true);
  const own = exports.find((symbol) => symbol.name === declaredName(naming, api));
  return (own ?? exports[0])?.name;
}
