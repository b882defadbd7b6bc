// Finds statements that may become one tape node. In: a block's statements. Out: a stretch of loops
// and `map` calls, with hoistable declarations of numbers and zero-filled arrays in between.
// Invariant: nothing in the stretch writes what such a declaration reads.

import type ts from "typescript";
import type { Variable } from "../binding.ts";
import { isListOfNumbers, isNumber } from "../types/leaves.ts";
import { unwrapped, type Work } from "../work.ts";

export interface Stretch {
  readonly items: readonly (ts.ForStatement | ts.VariableStatement)[];
  /** The declarations between them. */
  readonly asides: readonly ts.VariableStatement[];
  readonly count: number;
}

/** Longer stretches are split. */
const MOST = 16;

/** The stretches that begin with a statement, shortest first. */
export function* stretchesAt(
  work: Work,
  nodes: readonly ts.Statement[],
  from: number,
): Iterable<Stretch> {
  const { api } = work;
  const items: (ts.ForStatement | ts.VariableStatement)[] = [];
  const asides: ts.VariableStatement[] = [];
  const waiting: ts.VariableStatement[] = [];
  for (let k = from; k < nodes.length && items.length < MOST; k++) {
    const node = nodes[k];
    if (node === undefined) return;
    if (api.isForStatement(node) || (api.isVariableStatement(node) && mapOf(work, node) !== null)) {
      asides.push(...waiting.splice(0));
      items.push(node);
      const isWorth = items.some((item) => api.isForStatement(item)) || items.length > 1;
      if (isWorth) yield { items: [...items], asides: [...asides], count: k - from + 1 };
    } else if (items.length > 0 && api.isVariableStatement(node) && isAside(work, node))
      waiting.push(node);
    else return;
  }
}

/** The parts of `const a = xs.map((x, i) => e);`. */
interface Mapping {
  readonly name: ts.Identifier;
  readonly source: ts.Identifier;
  readonly value: ts.Identifier | undefined;
  readonly index: ts.Identifier | undefined;
  readonly body: ts.Expression;
}

export function mapOf(
  work: Work,
  { declarationList, modifiers }: ts.VariableStatement,
): Mapping | null {
  const {
    api,
    context: { checker },
  } = work;
  const [declaration] = declarationList.declarations;
  const isBlockScoped = (declarationList.flags & (api.NodeFlags.Const | api.NodeFlags.Let)) !== 0;
  if (
    declaration?.initializer === undefined ||
    declarationList.declarations.length > 1 ||
    !isBlockScoped ||
    (modifiers ?? []).length > 0 ||
    !api.isIdentifier(declaration.name)
  )
    return null;
  const call = unwrapped(work, declaration.initializer);
  const [given] = api.isCallExpression(call) ? call.arguments : [];
  const f = given === undefined ? null : unwrapped(work, given);
  if (
    !api.isCallExpression(call) ||
    f === null ||
    !api.isArrowFunction(f) ||
    call.arguments.length > 1 ||
    call.questionDotToken !== undefined ||
    !api.isPropertyAccessExpression(call.expression) ||
    call.expression.name.text !== "map" ||
    call.expression.questionDotToken !== undefined
  )
    return null;
  const source = unwrapped(work, call.expression.expression);
  const [value, index] = f.parameters.map(({ name }) => name);
  if (
    !api.isIdentifier(source) ||
    api.isBlock(f.body) ||
    (api.getModifiers(f) ?? []).length > 0 ||
    checker?.isArrayType(checker.getTypeAtLocation(source)) !== true ||
    !isListOfNumbers(api, checker, source)
  )
    return null;
  if (
    f.parameters.length > 2 ||
    f.parameters.some(
      ({ name, initializer, dotDotDotToken }) =>
        !api.isIdentifier(name) || initializer !== undefined || dotDotDotToken !== undefined,
    )
  )
    return null;
  return {
    name: declaration.name,
    source,
    value: value !== undefined && api.isIdentifier(value) ? value : undefined,
    index: index !== undefined && api.isIdentifier(index) ? index : undefined,
    body: f.body,
  };
}

/** `const n = xs.length;`, `let at = 2 * n;`, `const a = new Float64Array(n);` */
function isAside(work: Work, { declarationList, modifiers }: ts.VariableStatement): boolean {
  const {
    api,
    bindings,
    context: { checker },
  } = work;
  const isBlockScoped =
    (declarationList.flags & api.NodeFlags.BlockScoped) !== 0 &&
    (declarationList.flags & api.NodeFlags.Using) !== api.NodeFlags.Using;
  return (
    isBlockScoped &&
    (modifiers ?? []).length === 0 &&
    declarationList.declarations.every(({ name, initializer }) => {
      const made = initializer === undefined ? null : unwrapped(work, initializer);
      const variable = api.isIdentifier(name) ? bindings.find(name) : null;
      if (made === null || variable === null || variable.live) return false;
      const size = zerosOf(work, made);
      return size !== null
        ? isCount(work, size)
        : isNumber(api, checker, name) && isCount(work, made);
    })
  );
}

/** `n` of `new Float64Array(n)`. */
export function zerosOf(work: Work, node: ts.Expression): ts.Expression | null {
  const {
    api,
    bindings,
    context: { checker, resolver },
  } = work;
  const size =
    api.isNewExpression(node) && node.arguments?.length === 1 ? node.arguments[0] : undefined;
  if (
    size === undefined ||
    !api.isNewExpression(node) ||
    !api.isIdentifier(node.expression) ||
    node.expression.text !== "Float64Array" ||
    bindings.find(node.expression) !== null
  )
    return null;
  return resolver.resolve(node.expression).kind === "native" && isNumber(api, checker, size)
    ? size
    : null;
}

/** Whether it is arithmetic of literals, passive numbers and lengths. */
function isCount(work: Work, wrapped: ts.Expression): boolean {
  const {
    api,
    bindings,
    context: { checker },
  } = work;
  const node = unwrapped(work, wrapped);
  const k = api.SyntaxKind;
  if (api.isNumericLiteral(node)) return true;
  if (api.isIdentifier(node)) {
    const variable = bindings.find(node);
    return variable !== null && !variable.live && isNumber(api, checker, node);
  }
  if (api.isPropertyAccessExpression(node))
    return (
      node.name.text === "length" &&
      api.isIdentifier(node.expression) &&
      isListOfNumbers(api, checker, node.expression)
    );
  return (
    api.isBinaryExpression(node) &&
    [k.PlusToken, k.MinusToken, k.AsteriskToken].includes(node.operatorToken.kind) &&
    isCount(work, node.left) &&
    isCount(work, node.right)
  );
}

/** Whether a statement assigns the variable. */
export function isMoved({ api, bindings }: Work, variable: Variable, node: ts.Node): boolean {
  const is = (at: ts.Node): boolean => {
    const operand =
      api.isPostfixUnaryExpression(at) || api.isPrefixUnaryExpression(at)
        ? at.operand
        : api.isBinaryExpression(at)
          ? at.left
          : null;
    if (operand !== null && api.isIdentifier(operand) && bindings.find(operand) === variable)
      return true;
    return api.forEachChild(at, (child) => is(child) || undefined) === true;
  };
  return variable.written && is(node);
}

/** The variables that declarations read. */
export function readBy(
  { api, bindings }: Work,
  asides: readonly ts.VariableStatement[],
): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  const visit = (node: ts.Node): void => {
    const variable = api.isIdentifier(node) ? bindings.find(node) : null;
    if (variable !== null && variable.declaration !== node.parent) found.add(variable);
    api.forEachChild(node, visit);
  };
  for (const { declarationList } of asides)
    for (const { initializer } of declarationList.declarations)
      if (initializer !== undefined) visit(initializer);
  return found;
}
