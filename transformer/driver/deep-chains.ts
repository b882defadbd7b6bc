// Walks over user code that need no stack for long sums. Input: TypeScript's API. Output: the same,
// whose `forEachChild` visits the operands of a long `a + b + … + z` in one loop, left to right.
// Invariant: the operators of a chain have one kind of node, so a walk that saw the last saw all.

import type ts from "typescript";
import type { CompileHost } from "./compiled.ts";

/** Chains of fewer operators are walked as nested nodes. */
const LONG = 50;

export function withLoopsOverChains(host: CompileHost): CompileHost {
  const api = host.ts;
  const forEachChild: typeof api.forEachChild = (node, visit, visitNodes) => {
    const operands = operandsOf(node, api);
    if (operands === null) return api.forEachChild(node, visit, visitNodes);
    for (const operand of operands) {
      const found = visit(operand);
      if (found) return found;
    }
    return undefined;
  };
  return {
    ...host,
    // `Object.create` says `any`
    ts: Object.create(api, { forEachChild: { value: forEachChild } }) as typeof api,
  };
}

/** The operands of a long chain of binary operators; null of any other node. */
function operandsOf(node: ts.Node, api: typeof ts): readonly ts.Node[] | null {
  const operands: ts.Node[] = [];
  let at = node;
  while (api.isBinaryExpression(at) && isChained(at.operatorToken.kind, api)) {
    operands.push(at.right);
    at = at.left;
  }
  return operands.length < LONG ? null : [...operands, at].reverse();
}

const isChained = (token: ts.SyntaxKind, { SyntaxKind }: typeof ts): boolean =>
  (token >= SyntaxKind.LessThanToken && token <= SyntaxKind.CaretToken) ||
  token === SyntaxKind.AmpersandAmpersandToken ||
  token === SyntaxKind.BarBarToken ||
  token === SyntaxKind.QuestionQuestionToken ||
  token === SyntaxKind.CommaToken;
