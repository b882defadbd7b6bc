// Resolves names and expressions to functions: program functions, closures, and the library's.
// Input: an expression; output: a `Fn`, or a path such as `Math.sqrt`; null where it is unknown.

import type ts from "typescript";
import { isReassigned } from "./effects.ts";
import { isVectorOp } from "./sites/forms.ts";
import type { TypeScript } from "./typescript.ts";
import { type Definition, Env, type Fn, isFn } from "./function-values.ts";
import { isOfEnvironment } from "./names/shadowed-globals.ts";
import { type Frame } from "./frame.ts";
import { returnedFn } from "./functions/inlining.ts";
import { customFn } from "./derivatives/rules-of-users.ts";
import { derivedFn } from "./derivatives/nested.ts";
import { isLinearMap, linearOf } from "./derivatives/linear-maps.ts";
import { heldFn } from "./functions/held-functions.ts";
import { staticFn } from "./classes/static-members.ts";
import { firstThere } from "./functions/definedness.ts";
import {
  boundFn,
  constantCall,
  entryOf,
  givenVjp,
  memberAt,
  membersOf,
  returnsMembers,
} from "./functions/known-functions.ts";
import { unwrap as withoutTypes } from "./unwrap.ts";
import { staysAsGiven } from "./objects/property-names.ts";
import { askingOf, isWrittenInto } from "./objects/constant-mutation.ts";
import { madeAgain } from "./functions/rematerialised-closures.ts";
import { chosenFn } from "./functions/constructed-functions.ts";

/** The expression without `(x)`, `x as T`, `x!` and the like. */
export const opened = ({ api }: Frame, node: ts.Expression): ts.Expression =>
  withoutTypes(node, api);

/** Whether an identifier, or `globalThis.name`, means the standard library's `name`. */
export function isLibrary(f: Frame, node: ts.Node, name: string): boolean {
  const { api } = f;
  const identifier = api.isPropertyAccessExpression(node) ? node.name : node;
  if (!api.isIdentifier(identifier) || identifier.text !== name) return false;
  if (
    identifier !== node &&
    (!api.isPropertyAccessExpression(node) || !isLibrary(f, node.expression, "globalThis"))
  )
    return false;
  const declarations = f.symbolOf(identifier)?.declarations ?? [];
  return declarations.every((each) =>
    OF_HOSTS.has(name) ? each.getSourceFile().isDeclarationFile : isOfEnvironment(each, api),
  );
}

/** Globals that hosts also export from a module. */
const OF_HOSTS: ReadonlySet<string> = new Set(["console", "performance"]);

/** The standard objects whose members `builtinPath` knows. */
const LIBRARY_OBJECTS: readonly string[] =
  "Math Number Object Array JSON console String Date performance".split(" ");

/** `Math.sqrt`, also through `const { sqrt } = Math` or `const sqrt = Math.sqrt`; else null. */
export function builtinPath(f: Frame, expression: ts.Expression): string | null {
  const node = opened(f, expression);
  if (f.api.isIdentifier(node)) return pathOfName(f, node);
  if (!f.api.isPropertyAccessExpression(node)) return null;
  const object = opened(f, node.expression);
  if (isLibrary(f, node, node.name.text)) return node.name.text;
  const found =
    LIBRARY_OBJECTS.find((name) => isLibrary(f, object, name)) ??
    TYPED_ARRAYS.find((name) => isLibrary(f, object, name)) ??
    libraryAlias(f, object);
  return found === undefined ? null : `${found}.${node.name.text}`;
}

function pathOfName(f: Frame, node: ts.Identifier): string | null {
  const { api } = f;
  const symbol = f.symbolOf(node);
  if (symbol === null) return node.text;
  const bound = f.env.lookup(symbol);
  if (bound !== null)
    return bound.kind === "fn" && bound.fn.kind === "builtin" ? bound.fn.path : null;
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined || isReassigned(f, symbol)) return null;
  if (api.isBindingElement(declaration)) return memberOfLibrary(f, declaration);
  if (
    api.isVariableDeclaration(declaration) &&
    declaration.initializer !== undefined &&
    !declaration.getSourceFile().isDeclarationFile
  ) {
    const alias = opened(f, declaration.initializer);
    return api.isPropertyAccessExpression(alias) || api.isIdentifier(alias)
      ? functionPath(f, alias)
      : null;
  }
  return isLibrary(f, node, node.text) ? node.text : null;
}

/** `const M = Math` */
function libraryAlias(f: Frame, node: ts.Expression): string | undefined {
  if (!f.api.isIdentifier(node)) return undefined;
  const symbol = f.symbolOf(node);
  const declaration = symbol?.valueDeclaration;
  if (
    symbol === null ||
    declaration === undefined ||
    !f.api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return undefined;
  if (declaration.getSourceFile().isDeclarationFile || isReassigned(f, symbol)) return undefined;
  const aliased = opened(f, declaration.initializer);
  const known = ["Math", "Number"].find((name) => isLibrary(f, aliased, name));
  return known ?? (f.symbolOf(aliased) !== symbol ? libraryAlias(f, aliased) : undefined);
}

/** A path only if it names a function: `const x = Math.PI` is no alias of a function. */
const functionPath = (f: Frame, node: ts.Expression): string | null =>
  f.ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0
    ? builtinPath(f, node)
    : null;

/** `const { sqrt, abs: magnitude } = Math` */
function memberOfLibrary(f: Frame, element: ts.BindingElement): string | null {
  const { api } = f;
  const declaration = element.parent.parent;
  if (
    !api.isObjectBindingPattern(element.parent) ||
    !api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return null;
  const object = opened(f, declaration.initializer);
  const owner = ["Math", "Number"].find((name) => isLibrary(f, object, name));
  const member = element.propertyName ?? element.name;
  return owner !== undefined && api.isIdentifier(member) ? `${owner}.${member.text}` : null;
}

export const TYPED_ARRAYS = [
  "Float64Array",
  "Float32Array",
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
] as const;

/** The function that an expression evaluates to: known, or one of those in a field. */
export const resolveFn = (f: Frame, expression: ts.Expression): Fn | null =>
  functionOf(f, expression) ?? heldFn(f, expression);

/** The declaration of a program function or closure. */
export const codeOf = (f: Frame, fn: Fn | null): ts.FunctionLikeDeclaration | null => {
  if (fn?.kind === "program") return f.ctx.bodyOf(fn.symbol);
  return fn?.kind === "closure" ? fn.node : null;
};

/** The function that an expression evaluates to, if it is known here. */
export function functionOf(f: Frame, expression: ts.Expression): Fn | null {
  const { api } = f;
  const node = opened(f, expression);
  const found = f.functions.get(node);
  if (found !== undefined) return found;
  if (api.isArrowFunction(node) || api.isFunctionExpression(node)) return closureOf(f, node);
  const definition = definitionOf(f, node);
  if (definition !== null) return { kind: "defined", definition };
  if (isLinearMap(f, node)) return linearOf(f, node);
  const path = builtinPath(f, node);
  if (path !== null) return { kind: "builtin", path };
  if (api.isConditionalExpression(node)) return chosenFn(f, node);
  if (isAlternative(node, api)) return firstThere(f, node);
  if (api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node))
    return membersOf(f, node);
  if (api.isCallExpression(node)) return functionOfCall(f, node);
  if (api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node))
    return functionOfAccess(f, node);
  return api.isIdentifier(node) ? functionOfName(f, f.symbolOf(node)) : null;
}

function functionOfName(f: Frame, symbol: ts.Symbol | null): Fn | null {
  if (symbol === null) return null;
  const bound = f.env.lookup(symbol);
  if (bound !== null) return bound.kind === "fn" ? bound.fn : null;
  return functionOfSymbol(f, symbol);
}

function functionOfCall(f: Frame, node: ts.CallExpression): Fn | null {
  if (f.api.isPropertyAccessExpression(node.expression) && node.expression.name.text === "bind")
    return boundFn(f, node);
  const entry = entryOf(f, node);
  if (entry !== null) return entry;
  return f.ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0 ||
    returnsMembers(f, node)
    ? returnedFn(f, node)
    : null;
}

function functionOfAccess(
  f: Frame,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): Fn | null {
  const isProperty = f.api.isPropertyAccessExpression(node);
  const given = isProperty ? givenVjp(f, node) : null;
  if (given !== null) return given;
  const part = memberAt(f, node);
  if (part !== null) return isFn(part) ? part : null;
  const symbol = isProperty ? f.symbolOf(node.name) : null;
  if (!isProperty || symbol === null) return null;
  if (f.env.lookup(symbol) !== null || isNamespace(f, node.expression))
    return functionOfName(f, symbol);
  return staticFn(f, node) ?? methodOfConstant(f, node, symbol);
}

/** The function of a name outside of the lowered function. */
function functionOfSymbol(f: Frame, symbol: ts.Symbol): Fn | null {
  const call = constantCall(f, symbol);
  const nested = call === null ? null : (derivedFn(f, call) ?? customFn(f, call));
  if (nested !== null) return nested;
  if (call !== null && madeAgain(f, call) !== null) return returnedFn(f, call);
  const operator = f.ctx.operatorOf(symbol);
  if (
    isVectorOp(operator) ||
    operator === "stopGradient" ||
    operator === "addCotangents" ||
    operator === "scaleCotangent"
  )
    return { kind: "operator", operator };
  const solver = f.ctx.solverOf(symbol);
  if (solver !== null) return { kind: "solver", solver };
  const declared = constantOf(f, symbol);
  return isFunctionSymbol(f, declared) ? { kind: "program", symbol: declared } : null;
}

/** A closure; inside a function expression its name means the closure itself. */
function closureOf(f: Frame, node: ts.ArrowFunction | ts.FunctionExpression): Fn {
  // resolved from inside, as the checker may merge the name with the variable that holds the
  // function
  const symbol =
    node.name === undefined
      ? undefined
      : f.ctx.checker.resolveName(node.name.text, node.name, f.api.SymbolFlags.Value, true);
  if (symbol === undefined) return { kind: "closure", node, env: f.env };
  const env = new Env(f.env);
  const fn: Fn = { kind: "closure", node, env };
  // where it is merged there are two symbols, and code may use either
  const merged = node.name === undefined ? null : f.symbolOf(node.name);
  for (const each of [symbol, merged])
    if (each !== null && each.name === symbol.name) env.bind(each, { kind: "fn", fn });
  return fn;
}

/** The module constant that holds a function expression, given the expression's own name. */
function constantOf(f: Frame, symbol: ts.Symbol): ts.Symbol {
  const { api } = f;
  const own = symbol.valueDeclaration;
  if (own === undefined || !api.isFunctionExpression(own)) return symbol;
  const holder = api.findAncestor(own.parent, (node) => !api.isExpression(node));
  const isHeld =
    holder !== undefined &&
    api.isVariableDeclaration(holder) &&
    holder.initializer !== undefined &&
    opened(f, holder.initializer) === own;
  return (isHeld && f.symbolOf(holder.name)) || symbol;
}

/** `g ?? h`, `g || h` */
const isAlternative = (node: ts.Node, api: TypeScript): node is ts.BinaryExpression =>
  api.isBinaryExpression(node) &&
  (node.operatorToken.kind === api.SyntaxKind.QuestionQuestionToken ||
    node.operatorToken.kind === api.SyntaxKind.BarBarToken);

/** The rule that `defineDerivative` declares for the function of this name. */
function definitionOf(f: Frame, node: ts.Expression): Definition | null {
  const name = f.api.isPropertyAccessExpression(node) ? node.name : node;
  const symbol = f.api.isIdentifier(name) ? f.symbolOf(name) : null;
  return symbol === null ? null : f.ctx.definitionOf(symbol, node);
}

/** `ops.square` of a module's `const ops = { square(x) { … } }`, if nothing assigns it. */
function methodOfConstant(
  f: Frame,
  node: ts.PropertyAccessExpression,
  symbol: ts.Symbol,
): Fn | null {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined || !isOfConstant(f, node, symbol, declaration)) return null;
  const env = new Env(null);
  if (api.isMethodDeclaration(declaration)) return { kind: "closure", node: declaration, env };
  if (!api.isPropertyAssignment(declaration)) return null;
  const initializer = opened(f, declaration.initializer);
  if (api.isArrowFunction(initializer) || api.isFunctionExpression(initializer))
    return { kind: "closure", node: initializer, env };
  const path = builtinPath(f, initializer);
  return path !== null ? { kind: "builtin", path } : null;
}

/** Whether `node` reads a member of a module constant's literal that nothing changes. */
function isOfConstant(
  f: Frame,
  node: ts.PropertyAccessExpression,
  symbol: ts.Symbol,
  declaration: ts.Declaration,
): boolean {
  const { api } = f;
  const object = opened(f, node.expression);
  const holder = api.isIdentifier(object) ? f.symbolOf(object) : null;
  if (holder === null || isReassigned(f, holder) || isReassigned(f, symbol)) return false;
  const constant = holder.valueDeclaration;
  return (
    constant !== undefined &&
    api.isVariableDeclaration(constant) &&
    constant.initializer !== undefined &&
    opened(f, constant.initializer) === declaration.parent &&
    isModuleLevel(f, constant) &&
    !isWrittenInto(askingOf(f), constant, holder) &&
    staysAsGiven(declaration, api)
  );
}

/** Whether an expression names a module (`import * as m`) or a namespace. */
export function isNamespace(f: Frame, node: ts.Expression): boolean {
  const { api } = f;
  const { SymbolFlags } = api;
  if (api.isPropertyAccessExpression(node))
    return (
      isNamespace(f, node.expression) &&
      ((f.symbolOf(node.name)?.flags ?? 0) & SymbolFlags.ValueModule) !== 0
    );
  const symbol = api.isIdentifier(node) ? f.symbolOf(node) : null;
  return (
    symbol !== null &&
    (symbol.flags & (SymbolFlags.ValueModule | SymbolFlags.NamespaceModule)) !== 0
  );
}

/** Whether a symbol is a function that no assignment replaces. */
function isFunctionSymbol(f: Frame, symbol: ts.Symbol): boolean {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined) return false;
  if (api.isFunctionDeclaration(declaration)) return true;
  if (api.isExportAssignment(declaration) || api.isBindingElement(declaration))
    return f.ctx.bodyOf(symbol) !== null;
  if (!api.isVariableDeclaration(declaration) || isReassigned(f, symbol)) return false;
  return (
    f.ctx.bodyOf(symbol) !== null ||
    declaration.getSourceFile().isDeclarationFile ||
    f.ctx.checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0
  );
}

/** Whether `outer` is the node or an ancestor of it. */
export function contains(outer: ts.Node, node: ts.Node): boolean {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent)
    if (at === outer) return true;
  return false;
}

/** Whether a declaration stands in no function. */
export const isModuleLevel = (f: Frame, declaration: ts.Node): boolean => {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
  for (let at: ts.Node | undefined = declaration.parent; at !== undefined; at = at.parent)
    if (f.api.isFunctionLike(at)) return false;
  return true;
};
