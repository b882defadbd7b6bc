// Objects that a function of a form sees through variables, which may be objects of its argument.
// In: a function value. Out: its text, with a note of what the variables hold when a form runs it.
// Where a program has forms of functions that only run time knows, any function may be theirs.

import type ts from "typescript";
import { code, type Code, list, NOTHING, source } from "../code/code.ts";
import { loneChecker } from "./packages/module-uses.ts";
import { outerObjects } from "./plan/outer-objects.ts";
import { tsgradImport } from "./plan/package-imports.ts";
import type { Work } from "./work.ts";

/** `$d.fn(…)  ->  $d.seeing($d.fn(…), () => [v])` */
export function withSeen(work: Work, node: ts.FunctionLikeDeclaration, text: Code): Code {
  const { api, root } = work;
  const { checker, takesFunctions } = work.context;
  if (checker === null) return withUntypedSeen(api, node, text);
  work.namesFunctions ??=
    takesFunctions?.() === true || formsOf(root, api, checker).some((f) => !isFunction(f, api));
  return work.namesFunctions || isGiven(node, api, checker)
    ? noted(node, node.parent, text, { ts: api, checker })
    : text;
}

/** The same in untyped sources: a checker that knows the file alone says what variables it sees. */
export function withUntypedSeen(
  api: typeof ts,
  node: ts.FunctionLikeDeclaration,
  text: Code,
): Code {
  const file = node.getSourceFile();
  if (!file.text.includes("tsgrad")) return text;
  const checker = loneChecker(api, file);
  const mayBeGiven =
    isGiven(node, api, checker) || formsOf(file, api, checker).some((f) => !isFunction(f, api));
  return mayBeGiven ? noted(node, node.parent, text, { ts: api, checker }) : text;
}

/** Whether a form gets it. */
const isGiven = (
  node: ts.FunctionLikeDeclaration,
  api: typeof ts,
  checker: ts.TypeChecker,
): boolean =>
  api.isCallExpression(node.parent) &&
  node.parent.arguments[0] === node &&
  isForm(node.parent, api, checker);

interface Host {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
}

/** The function or its rewritten form, with a note. `at`: where the variables are read. */
function noted(node: ts.FunctionLikeDeclaration, at: ts.Node, text: Code, host: Host): Code {
  const [before, behind] = note(node, at, host) ?? [NOTHING, NOTHING];
  return code`${before}${text}${behind}`;
}

/** What stands around its text; null where it sees nothing. */
export function note(
  node: ts.FunctionLikeDeclaration,
  at: ts.Node,
  host: Host,
): readonly [Code, Code] | null {
  const { names } = outerObjects(node, at, null, host, true);
  return names.length === 0
    ? null
    : [code`$d.seeing(`, code`, () => [${list(names.map(source))}])`];
}

/** Whether a form gets a function that only run time knows: a parameter, a field. */
export const takesFunctions = (
  files: readonly ts.SourceFile[],
  api: typeof ts,
  checker: ts.TypeChecker,
): boolean =>
  files.some((file) => formsOf(file, api, checker).some((f) => !isDeclared(f, api, checker)));

function isDeclared(f: ts.Expression, api: typeof ts, checker: ts.TypeChecker): boolean {
  if (isFunction(f, api)) return true;
  const symbol = checker.getSymbolAtLocation(f);
  const meant =
    symbol !== undefined && (symbol.flags & api.SymbolFlags.Alias) !== 0
      ? checker.getAliasedSymbol(symbol)
      : symbol;
  const declared = meant?.valueDeclaration;
  return (
    declared !== undefined &&
    (api.isFunctionDeclaration(declared) ||
      (api.isVariableDeclaration(declared) &&
        declared.initializer !== undefined &&
        isFunction(declared.initializer, api)))
  );
}

/** The first arguments of calls of forms. */
function formsOf(node: ts.Node, api: typeof ts, checker: ts.TypeChecker): readonly ts.Expression[] {
  const found: ts.Expression[] = [];
  const waiting: ts.Node[] = [node];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (api.isCallExpression(at) && at.arguments[0] !== undefined && isForm(at, api, checker))
      found.push(at.arguments[0]);
    api.forEachChild(at, (child) => void waiting.push(child));
  }
  return found;
}

/** `grad(…)` */
function isForm(call: ts.CallExpression, api: typeof ts, checker: ts.TypeChecker): boolean {
  const name = api.isPropertyAccessExpression(call.expression)
    ? call.expression.expression
    : call.expression;
  const symbol = checker.getSymbolAtLocation(name);
  return symbol !== undefined && tsgradImport(symbol, name, api, checker) !== null;
}

const isFunction = (node: ts.Node, api: typeof ts): boolean =>
  api.isArrowFunction(node) || api.isFunctionExpression(node);
