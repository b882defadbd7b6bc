// The program's type checker with a cache of the types and symbols of nodes. Its answers are those
// of the original. TypeScript does not cache types of expressions, so nested queries would be
// quadratic.

import type ts from "typescript";
import { memoised } from "../ir/visit.ts";
import type { TypeScript } from "./typescript.ts";

export const checkerOf: (program: ts.Program) => ts.TypeChecker = memoised(
  (program: ts.Program) => {
    const own = program.getTypeChecker();
    return Object.create(own, {
      getTypeAtLocation: { value: memoised((node: ts.Node) => own.getTypeAtLocation(node)) },
      getSymbolAtLocation: { value: memoised((node: ts.Node) => own.getSymbolAtLocation(node)) },
    }) as ts.TypeChecker; // Object.create is untyped
  },
);

/** The tools to resolve names. */
export interface Names {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
}

/** The symbol of a name, through import aliases. */
export function resolvedSymbol(node: ts.Node, { api, checker }: Names): ts.Symbol | null {
  const { parent } = node;
  const found =
    api.isShorthandPropertyAssignment(parent) && parent.name === node
      ? checker.getShorthandAssignmentValueSymbol(parent)
      : checker.getSymbolAtLocation(node);
  return found === undefined ? null : endOf(found, api, checker);
}

export const endOf = (symbol: ts.Symbol, api: TypeScript, checker: ts.TypeChecker): ts.Symbol =>
  symbol.flags & api.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
