// Resolves names and expressions to functions: program functions, closures, and the library's.
// Input: an expression; output: a `Fn`, or a path such as `Math.sqrt`; null where it is unknown.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { isAssigned, isReassigned } from "./assignments.ts";
import { isCotangentOp, isVectorOp } from "./sites/forms.ts";
import type { TypeScript } from "./typescript.ts";
import { type Definition, Env, type Fn, isFn } from "./function-values.ts";
import { type Frame } from "./frame.ts";
import { returnedFn } from "./functions/inlining.ts";
import { customFn } from "./derivatives/custom-functions.ts";
import { derivedFn } from "./derivatives/nested.ts";
import { isLinearMap, linearOf } from "./derivatives/linear-maps.ts";
import { functionInstance } from "./functions/function-instances.ts";
import { heldFn } from "./functions/held-functions.ts";
import { staticFn } from "./classes/static-members.ts";
import { firstDefined } from "./functions/definedness.ts";
import { boundFn, constantCall, givenVjp, returnsMembers } from "./functions/known-functions.ts";
import { entryOf } from "./functions/function-tables.ts";
import { memberAt, membersOf } from "./functions/known-members.ts";
import { isNotOverridden } from "./objects/property-names.ts";
import { queryOf, isConstantMutated } from "./objects/constant-mutation.ts";
import { madeAgain } from "./functions/rematerialised-closures.ts";
import { chosenFn } from "./functions/constructed-functions.ts";
import { builtinPath, isNamespace, isModuleLevel } from "./names/library-names.ts";

/** The function that an expression evaluates to: known, or one of those in a field. */
export const resolveFn = (f: Frame, expression: ts.Expression): Fn | null =>
  functionOf(f, expression) ?? heldFn(f, expression);

/** The same, of what is differentiated or a rule; anything else is refused. */
export const requiredFn = (f: Frame, expression: ts.Expression): Fn =>
  resolveFn(f, expression) ??
  f.refuse(
    f.ctx.checker.getTypeAtLocation(expression).getCallSignatures().length > 0
      ? "TSG1013"
      : "TSG1001",
    expression,
    f.textOf(expression),
  );

/** The function that an expression evaluates to, if it is known here. */
export function functionOf(f: Frame, expression: ts.Expression): Fn | null {
  const { api } = f;
  const node = bare(expression, f.api);
  const found = f.knownFunctions.get(node);
  if (found !== undefined) return found;
  if (api.isArrowFunction(node) || api.isFunctionExpression(node)) return closureOf(f, node);
  const named = definedOrCopied(f, node);
  if (named !== null) return named;
  if (isLinearMap(f, node)) return linearOf(f, node);
  const path = builtinPath(f, node);
  if (path !== null) return { kind: "builtin", path };
  if (api.isConditionalExpression(node)) return chosenFn(f, node);
  if (isAlternative(node, api)) return firstDefined(f, node);
  if (api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node))
    return membersOf(f, node);
  if (api.isCallExpression(node)) return functionOfCall(f, node);
  return functionOfPlace(f, node);
}

/** The function of a name, a field or an element. */
function functionOfPlace(f: Frame, node: ts.Expression): Fn | null {
  const { api } = f;
  const known =
    api.isPropertyAccessExpression(node) || api.isElementAccessExpression(node)
      ? functionOfAccess(f, node)
      : api.isIdentifier(node)
        ? functionOfName(f, f.symbolOf(node))
        : null;
  const isUnknown =
    known === null || (known.kind === "program" && f.ctx.bodyOf(known.symbol) === null);
  return isUnknown ? (functionInstance(f, node) ?? known) : known;
}

/** A function with a derivative of its own, or one of a package that is copied. */
function definedOrCopied(f: Frame, node: ts.Expression): Fn | null {
  const definition = definitionOf(f, node);
  if (definition !== null) return { kind: "defined", definition };
  const copied = f.ctx.copied(node);
  return copied === null ? null : { kind: "program", symbol: copied };
}

export function functionOfName(f: Frame, symbol: ts.Symbol | null): Fn | null {
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
  if (isVectorOp(operator) || isCotangentOp(operator) || operator === "scan")
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
    bare(holder.initializer, f.api) === own;
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
  const initializer = bare(declaration.initializer, f.api);
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
  const object = bare(node.expression, f.api);
  const holder = api.isIdentifier(object) ? f.symbolOf(object) : null;
  if (holder === null || isReassigned(f, holder) || isReassigned(f, symbol)) return false;
  const constant = holder.valueDeclaration;
  return (
    constant !== undefined &&
    api.isVariableDeclaration(constant) &&
    constant.initializer !== undefined &&
    bare(constant.initializer, f.api) === declaration.parent &&
    isModuleLevel(f, constant) &&
    !isConstantMutated(queryOf(f), constant, holder) &&
    isNotOverridden(declaration, api)
  );
}

/** Whether a symbol is a function that no assignment replaces. */
function isFunctionSymbol(f: Frame, symbol: ts.Symbol): boolean {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined) return false;
  if (api.isFunctionDeclaration(declaration)) return !isAssigned(symbol, f.ctx.checker, api);
  if (api.isExportAssignment(declaration) || api.isBindingElement(declaration))
    return f.ctx.bodyOf(symbol) !== null;
  if (!api.isVariableDeclaration(declaration) || isReassigned(f, symbol)) return false;
  return (
    f.ctx.bodyOf(symbol) !== null ||
    declaration.getSourceFile().isDeclarationFile ||
    f.ctx.checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0
  );
}
