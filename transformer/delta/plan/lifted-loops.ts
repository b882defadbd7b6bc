// Finds loops that may be single nodes of the tape. In: a loop of a function. Out: the variables
// that it reads from outside, and the number that it changes. Invariant: it is left only at its
// end, and changes no other variable; analysis says the rest.

import type ts from "typescript";
import { isAssigned } from "../../syntax/assignments.ts";
import type { Code } from "../../code/code.ts";
import { layoutOfVariable, NUMBER } from "./steps.ts";

type Api = typeof ts;

/** A loop with its surroundings (`LiftedLoop` of 1-lower). */
export interface LiftedLoop {
  readonly node: ts.IterationStatement;
  /** The names of variables from outside, where they are declared. */
  readonly inputs: readonly ts.Identifier[];
  /** The place of the number that it changes. */
  readonly output: number;
}

interface Found extends LiftedLoop {
  /** The layouts of the inputs (`Layout` in runtime/delta/step.ts). */
  readonly layouts: readonly Code[];
}

const known = new WeakMap<ts.TypeChecker, Map<ts.Node, Found | null>>();

export function liftedLoopAt(
  node: ts.IterationStatement,
  api: Api,
  checker: ts.TypeChecker,
): Found | null {
  const all = known.get(checker) ?? new Map<ts.Node, Found | null>();
  known.set(checker, all);
  const before = all.get(node);
  if (before !== undefined) return before;
  const found = read(node, api, checker);
  all.set(node, found);
  return found;
}

function read(node: ts.IterationStatement, api: Api, checker: ts.TypeChecker): Found | null {
  if (
    api.isLabeledStatement(node.parent) ||
    !isClosed(node, node, api) ||
    api.findAncestor(node, (at) => api.isModuleBlock(at)) !== undefined
  )
    return null;
  const inputs = new Set<ts.Identifier>();
  const assigned = new Set<ts.Identifier>();
  const visit = (inner: ts.Node): boolean => {
    if (api.isTypeNode(inner)) return true;
    if (api.isIdentifier(inner) && !isMemberName(inner, api)) {
      const input = inputOf(inner, node, api, checker);
      if (input === null) return false;
      if (input !== "own") inputs.add(input);
      if (input !== "own" && isAssigned(inner, api)) assigned.add(input);
    }
    return api.forEachChild(inner, (child) => (visit(child) ? undefined : true)) !== true;
  };
  const [output, ...others] = visit(node) ? assigned : [];
  if (output === undefined || others.length > 0) return null;
  const layouts = [...inputs].map((input) => layoutOfVariable(input, { ts: api, checker }));
  const at = [...inputs].indexOf(output);
  const isKnown = (layout: Code | null): layout is Code => layout !== null;
  return layouts.every(isKnown) && layouts[at] === NUMBER
    ? { node, inputs: [...inputs], output: at, layouts }
    : null;
}

/** Whether control enters it and leaves it at its ends, and its code is that of a function. */
function isClosed(node: ts.Node, loop: ts.Node, api: Api): boolean {
  if (belongsOutside(node, api)) return false;
  if (api.isReturnStatement(node) || api.isBreakOrContinueStatement(node)) {
    const target = api.isReturnStatement(node)
      ? api.findAncestor(node, (at) => at === loop || api.isFunctionLike(at))
      : node.label === undefined
        ? null
        : api.findAncestor(node, (at) => at === loop || api.isLabeledStatement(at));
    if (target === loop) return false;
  }
  return (
    api.forEachChild(node, (child) => (isClosed(child, loop, api) ? undefined : true)) !== true
  );
}

/** Whether it means something else in a function of its own, or has no derivative. */
function belongsOutside(node: ts.Node, api: Api): boolean {
  const k = api.SyntaxKind;
  return (
    api.isTryStatement(node) ||
    api.isClassLike(node) ||
    api.isAwaitExpression(node) ||
    api.isYieldExpression(node) ||
    node.kind === k.ThisKeyword ||
    node.kind === k.SuperKeyword ||
    (api.isIdentifier(node) && node.text === "arguments") ||
    (api.isForOfStatement(node) && node.awaitModifier !== undefined) ||
    (api.isVariableDeclarationList(node) && (node.flags & api.NodeFlags.BlockScoped) === 0) ||
    ((api.isForOfStatement(node) || api.isForInStatement(node)) &&
      !api.isVariableDeclarationList(node.initializer))
  );
}

const isMemberName = (name: ts.Identifier, api: Api): boolean =>
  (api.isPropertyAccessExpression(name.parent) && name.parent.name === name) ||
  (api.isPropertyAssignment(name.parent) && name.parent.name === name) ||
  (api.isBindingElement(name.parent) && name.parent.propertyName === name) ||
  (api.isBreakOrContinueStatement(name.parent) && name.parent.label === name);

/** Where the variable of a name is declared. "own": not around the loop; null: it is none. */
function inputOf(
  name: ts.Identifier,
  loop: ts.Node,
  api: Api,
  checker: ts.TypeChecker,
): ts.Identifier | "own" | null {
  const symbol = api.isShorthandPropertyAssignment(name.parent)
    ? checker.getShorthandAssignmentValueSymbol(name.parent)
    : checker.getSymbolAtLocation(name);
  const declaration = symbol?.valueDeclaration;
  if (
    declaration === undefined ||
    declaration.getSourceFile() !== loop.getSourceFile() ||
    (declaration.pos >= loop.pos && declaration.end <= loop.end) ||
    isOfModule(declaration, api)
  )
    return "own";
  return (api.isVariableDeclaration(declaration) ||
    api.isParameter(declaration) ||
    api.isBindingElement(declaration)) &&
    api.isIdentifier(declaration.name) &&
    api.findAncestor(declaration, (at) => api.isFunctionLike(at)) !== undefined
    ? declaration.name
    : null;
}

/** Whether the end of the module can name what is declared. */
const isOfModule = (declaration: ts.Node, api: Api): boolean =>
  api.findAncestor(
    declaration.parent,
    (at) =>
      api.isFunctionLike(at) ||
      api.isBlock(at) ||
      api.isModuleBlock(at) ||
      api.isCaseBlock(at) ||
      api.isIterationStatement(at, false),
  ) === undefined;
