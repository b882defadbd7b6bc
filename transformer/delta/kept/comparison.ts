// Rewrites a comparison with the key of a memo. In: the comparison and its operands. Out: a call
// that tells the runtime where an active number equals the key. Invariant: of several comparisons
// in one condition, the key is found where all are.
//   x !== last                    ->  !$d.same(x, x$id, last, last$id, beside)
//   x !== last || y !== lastY     ->  $d.together(!$d.nearly(…) || !$d.nearly(…), false)

import type ts from "typescript";
import { type Code, code, list, ZERO } from "../../code/code.ts";
import { expression } from "../expression.ts";
import { asArgument, flat, type Pair } from "../pair.ts";
import type { Work } from "../work.ts";

/** Null where no key is compared. */
export function compared(
  work: Work,
  node: ts.BinaryExpression,
  left: Pair,
  right: Pair,
): Pair | null {
  const { api } = work;
  const operators = left.number === true && right.number === true ? OF_NUMBERS : STRICT;
  const isEqual = operators.get(api.tokenToString(node.operatorToken.kind) ?? "");
  if (isEqual === undefined) return null;
  const onRight = left.i === ZERO ? null : besideOf(work, node.right);
  const onLeft = right.i === ZERO ? null : besideOf(work, node.left);
  if (onRight === null && onLeft === null) return null;
  const isPart = around(node, api)?.operatorToken.kind === joining(isEqual, api);
  const sides = [onRight ?? code`null`, ...(onLeft === null ? [] : [onLeft])];
  const call = code`$d.${isPart ? NEARLY : SAME}(${list([flat(left), flat(right), ...sides])})`;
  return {
    v: isEqual ? call : code`!${call}`,
    i: ZERO,
    level: isEqual ? 2 : 1,
    pure: false,
  };
}

/** What may be kept beside the key that an operand reads; null where it reads none. */
function besideOf(work: Work, operand: ts.Expression): Code | null {
  const key = work.context.resolver.keyAt?.(operand) ?? null;
  if (key === null) return null;
  const all =
    "owner" in key ? code`[null, ${asArgument(expression(work, key.owner))}]` : key.variables;
  return code`() => [${all}]`;
}

/** A condition as a whole, the outermost of its operator. */
export function condition(work: Work, node: ts.BinaryExpression, pair: Pair): Pair {
  const { api } = work;
  const { kind } = node.operatorToken;
  return around(node, api)?.operatorToken.kind === kind || !pair.v.includes(`$d.${NEARLY}(`)
    ? pair
    : {
        ...pair,
        v: code`$d.together(${asArgument(pair)}, ${kind === joining(true, api) ? code`true` : code`false`})`,
        level: 2,
        pure: false,
      };
}

/** Operators that compare with a key: whether they find it equal. */
const STRICT: ReadonlyMap<string, boolean> = new Map([
  ["===", true],
  ["!==", false],
]);
const OF_NUMBERS: ReadonlyMap<string, boolean> = new Map([...STRICT, ["==", true], ["!=", false]]);

const SAME: Code = code`same`;
const NEARLY: Code = code`nearly`;

/** The operator by which comparisons that must all find their key are joined. */
const joining = (isEqual: boolean, { SyntaxKind }: typeof ts): ts.SyntaxKind =>
  isEqual ? SyntaxKind.AmpersandAmpersandToken : SyntaxKind.BarBarToken;

function around({ parent }: ts.Node, api: typeof ts): ts.BinaryExpression | null {
  if (api.isParenthesizedExpression(parent)) return around(parent, api);
  return api.isBinaryExpression(parent) ? parent : null;
}
