// Finds the members that a mention of a namespace needs: `Geo.Path.length` one, `Geo` alone all.
// In: an identifier and its symbol. Out: symbols of members. Invariant: functions of a namespace
// are found by value at run time, so each must be linked.

import type ts from "typescript";
import { isAssigned } from "../syntax/assignments.ts";

/** A member and the node that names it; `isWritten`: the node assigns it. */
export interface Member {
  readonly symbol: ts.Symbol;
  readonly at: ts.Node;
  readonly isWritten: boolean;
}

export const isNamespace = (symbol: ts.Symbol, api: typeof ts): boolean =>
  (symbol.flags & api.SymbolFlags.ValueModule) !== 0 &&
  (symbol.declarations ?? []).some((node) => api.isModuleDeclaration(node));

export function membersMeant(
  at: ts.Identifier,
  symbol: ts.Symbol,
  api: typeof ts,
  checker: ts.TypeChecker,
): readonly Member[] {
  const { parent } = at;
  const outer = api.isPropertyAccessExpression(parent) && parent.name === at ? parent : at;
  const further = outer.parent;
  if (!api.isPropertyAccessExpression(further) || further.expression !== outer)
    return allOf(symbol, at, api, checker, new Set());
  const found = checker.getSymbolAtLocation(further.name);
  if (found === undefined) return [];
  const member = meant(found, api, checker);
  return [
    ...(isNamespace(member, api) && api.isIdentifier(further.name)
      ? membersMeant(further.name, member, api, checker)
      : []),
    { symbol: member, at: further, isWritten: isAssigned(further, api) },
  ];
}

const meant = (symbol: ts.Symbol, api: typeof ts, checker: ts.TypeChecker): ts.Symbol =>
  (symbol.flags & api.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

function allOf(
  namespace: ts.Symbol,
  at: ts.Node,
  api: typeof ts,
  checker: ts.TypeChecker,
  met: Set<ts.Symbol>,
): readonly Member[] {
  if (met.has(namespace)) return [];
  met.add(namespace);
  return checker.getExportsOfModule(namespace).flatMap((exported) => {
    const symbol = meant(exported, api, checker);
    return [
      ...(isNamespace(symbol, api) ? allOf(symbol, at, api, checker, met) : []),
      { symbol, at, isWritten: false },
    ];
  });
}
