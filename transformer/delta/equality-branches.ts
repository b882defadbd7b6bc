// Branches that are taken where two active numbers are equal, in rewritten code: what
// 2-analyse/equality-branches.ts finds in the IR. In: comparisons, conditions and branches as they
// are written. Out: comparisons whose branches differ in what has ids, unless one throws or a loop
// ends by convergence. A condition that a variable holds is not followed.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { type Code, ZERO } from "../code/code.ts";
import { hasSlope } from "./counters.ts";
import type { Pair } from "./pair.ts";
import { isNumber } from "./types/leaves.ts";
import type { Work } from "./work.ts";

const EQUALITIES: ReadonlySet<string> = new Set(["===", "!==", "==", "!="]);

/** A comparison of numbers of which one has an id. Nothing is known where all numbers have. */
export function noteComparison(
  { api, context, compared }: Work,
  node: ts.BinaryExpression,
  pairs: readonly Pair[],
): void {
  const { left, right, operatorToken } = node;
  const operator = api.tokenToString(operatorToken.kind) ?? "";
  if (!EQUALITIES.has(operator) || context.activity === undefined) return;
  const operands = [left, right];
  if (
    pairs.some(({ i }) => i !== ZERO) &&
    operands.every((each) => isNumber(api, context.checker, each)) &&
    !operands.some((each) => /\b(?:Infinity|NaN)$/.test(each.getText())) &&
    left.getText() !== right.getText()
  )
    compared.add(node);
}

/** A branch: its code, and how it is written. */
export interface Branch {
  readonly node: ts.Node | undefined;
  readonly text: Code;
}

/** `then` and `otherwise` of a condition. */
export function noteBranches(
  work: Work,
  condition: ts.Expression,
  [then, otherwise]: readonly [then: Branch, otherwise: Branch],
): void {
  const { api, equalities } = work;
  if (work.compared.size === 0 || [then, otherwise].some(({ node }) => throws(node, api))) return;
  if (then.text === otherwise.text || !(hasEffect(then.text) || hasEffect(otherwise.text))) return;
  for (const found of comparisonsIn(condition, work)) {
    const operator = api.tokenToString(found.operatorToken.kind) ?? "";
    const equal = operator.startsWith("!") ? otherwise : then;
    const operands = [found.left, found.right];
    const isOfIterates = !operands.some((each) => api.isNumericLiteral(each));
    if (isOfIterates && endsLoop(equal.node, api)) continue;
    if (operands.some((each) => hasSlope(work, each))) equalities.add(found);
  }
}

/** `switch (x)` of a number with an id. */
export function noteSwitch(work: Work, node: ts.SwitchStatement, of: Pair, lines: Code[]): void {
  const { api, context, equalities } = work;
  if (
    of.i !== ZERO &&
    context.activity !== undefined &&
    isNumber(api, context.checker, node.expression) &&
    lines.some(hasEffect) &&
    hasSlope(work, node.expression)
  )
    equalities.add(node);
}

/** Whether code gives ids to something, or decides what runs after it. */
const hasEffect = (text: Code): boolean => /\$d\.|\$id|\b(?:continue|return)\b/.test(text);

function* comparisonsIn(condition: ts.Expression, work: Work): Generator<ts.BinaryExpression> {
  const { api, compared } = work;
  const waiting = [condition];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = bare(next, api);
    if (api.isPrefixUnaryExpression(node)) waiting.push(node.operand);
    else if (!api.isBinaryExpression(node)) continue;
    else if (compared.has(node)) yield node;
    else if (/^[&|]{2}$/.test(api.tokenToString(node.operatorToken.kind) ?? ""))
      waiting.push(node.left, node.right);
  }
}

const lastOf = (node: ts.Node | undefined, api: typeof ts): ts.Node | undefined =>
  node !== undefined && api.isBlock(node) ? node.statements.at(-1) : node;

function throws(node: ts.Node | undefined, api: typeof ts): boolean {
  const last = lastOf(node, api);
  return last !== undefined && api.isThrowStatement(last);
}

/** Whether a branch leaves the loop around it. */
function endsLoop(node: ts.Node | undefined, api: typeof ts): boolean {
  const last = lastOf(node, api);
  if (last === undefined) return false;
  if (api.isBreakStatement(last)) return true;
  const around = api.findAncestor(
    last,
    (at) => api.isFunctionLike(at) || api.isIterationStatement(at, false),
  );
  return api.isReturnStatement(last) && around !== undefined && !api.isFunctionLike(around);
}
