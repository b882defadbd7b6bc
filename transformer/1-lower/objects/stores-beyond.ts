// Whether stores may leave holes in a list of unknown length. In: the stores and reads of a list.
// Out: whether one may be further than the end. Trusted are places that are read, remainders,
// counters of loops, and counters that go on with each store.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { resolvedSymbol, type Names } from "../checker.ts";
import { countsFrom } from "./dense-fill.ts";

/** `stores`: targets of assignments. `reads`: other accesses to elements of the list. */
export function storesBeyond(
  stores: readonly ts.ElementAccessExpression[],
  reads: readonly ts.ElementAccessExpression[],
  names: Names,
): boolean {
  const { api } = names;
  const textOf = ({ argumentExpression: at }: ts.ElementAccessExpression): string => at.getText();
  const read = new Set(reads.map(textOf));
  const accessed = new Set([...read, ...stores.map(textOf)]);
  return stores.some((store) => {
    const text = textOf(store);
    const at = bare(store.argumentExpression, api);
    const isKnown =
      text === "0" ||
      read.has(text) ||
      (api.isNumericLiteral(at) && accessed.has(String(Number(text) - 1)));
    return !isKnown && !isPlausible(at, names, 0);
  });
}

/** Constants are followed so far. */
const DEEPEST = 5;

function isPlausible(at: ts.Expression, names: Names, depth: number): boolean {
  const { api } = names;
  if (api.isNumericLiteral(at) || depth > DEEPEST) return false;
  if (api.isBinaryExpression(at) && REMAINDERS(api).has(at.operatorToken.kind)) return true;
  if (api.isCallExpression(at)) return at.expression.getText() === "Math.min";
  if (countsFrom(at, Infinity, names)) return true;
  const declaration = api.isIdentifier(at)
    ? resolvedSymbol(at, names)?.valueDeclaration
    : undefined;
  return (
    declaration !== undefined &&
    api.isVariableDeclaration(declaration) &&
    declaration.initializer !== undefined &&
    (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Const) !== 0 &&
    isPlausible(bare(declaration.initializer, api), names, depth + 1)
  );
}

const REMAINDERS = ({ SyntaxKind }: typeof ts): ReadonlySet<ts.SyntaxKind> =>
  new Set([SyntaxKind.PercentToken, SyntaxKind.AmpersandToken]);
