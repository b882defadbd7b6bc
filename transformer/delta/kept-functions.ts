// Functions that a module writes where no name and no place of a literal leads to them: `rules.push((x) => …)`, `table[kind] = …`, `register("cube", (x) => …)`, a Map under keys that are computed.
// In: user files. Out: those functions, and their types. Invariants: what stands there has no name by its place (`name` stays what it is), runs as the module is loaded, and keeps its type when a call stands around it.

import type ts from "typescript";
import { holdsPlaces, linksAt } from "./literal-links.ts";
import { bare } from "./places.ts";

export interface KeptFunction {
  readonly node: ts.ArrowFunction | ts.FunctionExpression;
  readonly type: ts.Type;
}

interface Asked {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];
}

/** Methods and functions of the library that keep what they are given; others call it. */
const KEEPERS: ReadonlySet<string> = new Set(["push", "unshift", "set", "add", "splice", "fill", "concat", "of", "assign", "defineProperty"]);

export function keptFunctions(asked: Asked): readonly KeptFunction[] {
  const { ts: api, checker, files } = asked, found: KeptFunction[] = [], placed = placedIn(asked);
  const visit = (node: ts.Node): void => {
    if (api.isTypeNode(node) || api.isClassLike(node)) return;
    if ((api.isArrowFunction(node) || api.isFunctionExpression(node)) && !placed.has(node) && isUnnamed(node, asked) && keepsType(node, asked)) found.push({ node, type: checker.getTypeAtLocation(node) });
    if (!api.isFunctionLike(node)) api.forEachChild(node, visit);
  };
  files.forEach(visit);
  return found;
}

/** Functions that a const's literal leads to. */
function placedIn({ ts: api, checker, files }: Asked): ReadonlySet<ts.Node> {
  const placed = new Set<ts.Node>();
  const instance = (node: ts.NewExpression): [] => {
    const parameters = checker.getResolvedSignature(node)?.declaration?.parameters ?? [];
    (node.arguments ?? []).forEach((given, i) => {
      const parameter = parameters[i];
      if (parameter !== undefined && api.isParameter(parameter) && api.isParameterPropertyDeclaration(parameter, parameter.parent)) placed.add(bare(given, api));
    });
    return [];
  };
  const host = { ts: api, checker, written: (node: ts.Node) => (placed.add(node), null), named: () => null, instance };
  const visit = (node: ts.Node): void => {
    if (api.isVariableDeclaration(node) && node.initializer !== undefined) {
      const value = bare(node.initializer, api);
      if (holdsPlaces(value, api) || api.isNewExpression(value)) linksAt(host, value, "", "");
    }
    if (!api.isFunctionLike(node)) api.forEachChild(node, visit);
  };
  files.forEach(visit);
  return placed;
}

/** What stands around an expression: without brackets and types. */
function around(node: ts.Node, api: typeof ts): { readonly outer: ts.Node; readonly inner: ts.Node } {
  let inner = node;
  while (api.isExpression(inner.parent) && bare(inner.parent, api) !== inner.parent) inner = inner.parent;
  return { outer: inner.parent, inner };
}

/** An argument of a function that may keep it, an element of a list, or what is assigned to a member. */
function isUnnamed(node: ts.Expression, asked: Asked): boolean {
  const { ts: api } = asked, { outer, inner } = around(node, api);
  if (api.isArrayLiteralExpression(outer)) return true;
  if (api.isBinaryExpression(outer)) return outer.operatorToken.kind === api.SyntaxKind.EqualsToken && outer.right === inner && (api.isPropertyAccessExpression(outer.left) || api.isElementAccessExpression(outer.left));
  return (api.isCallExpression(outer) || api.isNewExpression(outer)) && outer.expression !== inner && mayKeep(outer, asked);
}

function mayKeep(call: ts.CallExpression | ts.NewExpression, { ts: api, checker, files }: Asked): boolean {
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (declaration !== undefined && files.includes(declaration.getSourceFile())) return true;
  return api.isCallExpression(call) && api.isPropertyAccessExpression(call.expression) && KEEPERS.has(call.expression.name.text);
}

/** Whether its parameters say their types, or what is around says them without asking it. */
function keepsType(node: KeptFunction["node"], { ts: api, checker }: Asked): boolean {
  // what `this` is there is what it is assigned to
  if (api.isFunctionExpression(node) && /\bthis\b/.test(node.getText())) return false;
  if (node.parameters.every(({ type }) => type !== undefined)) return true;
  const call = api.findAncestor(node.parent, (at) => api.isStatement(at) || api.isCallExpression(at) || api.isNewExpression(at));
  if (call === undefined || !(api.isCallExpression(call) || api.isNewExpression(call))) return true;
  const declared = checker.getResolvedSignature(call)?.declaration;
  if (declared === undefined || api.isJSDocSignature(declared)) return false;
  const ofClass = api.isConstructorDeclaration(declared) ? declared.parent.typeParameters : undefined;
  return (declared.typeParameters ?? ofClass ?? []).length === 0 || (call.typeArguments ?? []).length > 0;
}
