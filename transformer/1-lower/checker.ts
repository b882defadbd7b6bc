// The program's type checker with a cache of the types and symbols of nodes. Its answers are those
// of the original. TypeScript does not cache types of expressions, so nested queries would be
// quadratic; for a long sum even queries from the inside out, as each one checks all operands.

import type ts from "typescript";
import { memoised } from "../ir/visit.ts";
import type { TypeScript } from "./typescript.ts";

const checkers = new WeakMap<ts.Program, ts.TypeChecker>();

export function checkerOf(program: ts.Program, api: TypeScript): ts.TypeChecker {
  const known = checkers.get(program);
  if (known !== undefined) return known;
  const own = program.getTypeChecker();
  const made = Object.create(own, {
    getTypeAtLocation: { value: typesOf(own, api) },
    getSymbolAtLocation: { value: memoised((node: ts.Node) => own.getSymbolAtLocation(node)) },
  }) as ts.TypeChecker; // Object.create is untyped
  checkers.set(program, made);
  return made;
}

/** The program, whose checker is the one with a cache. */
export const withCachedChecker = (program: ts.Program, api: TypeScript): ts.Program =>
  Object.create(program, {
    getTypeChecker: { value: () => checkerOf(program, api) },
  }) as ts.Program; // Object.create is untyped

function typesOf(own: ts.TypeChecker, api: TypeScript): (node: ts.Node) => ts.Type {
  const known = new WeakMap<ts.Node, ts.Type>();
  const isNumber = (node: ts.Node): boolean =>
    ((known.get(node) ?? typeOf(node)).flags & api.TypeFlags.NumberLike) !== 0;
  const direct = (node: ts.Node): ts.Type => {
    const type =
      isArithmetic(node, api) && isNumber(node.left) && isNumber(node.right)
        ? own.getNumberType()
        : own.getTypeAtLocation(node);
    known.set(node, type);
    return type;
  };
  const typeOf = (node: ts.Node): ts.Type => {
    const before = known.get(node);
    if (before !== undefined) return before;
    // the left operands of a chain, from the inside out: its depth costs no stack
    const chain: ts.Node[] = [];
    for (let at = node; isArithmetic(at, api) && !known.has(at); at = at.left) chain.push(at);
    for (const inner of chain.slice(1).reverse()) direct(inner);
    return direct(node);
  };
  return typeOf;
}

/** Whether the result is a number if both operands are. */
const isArithmetic = (node: ts.Node, api: TypeScript): node is ts.BinaryExpression =>
  api.isBinaryExpression(node) &&
  node.operatorToken.kind >= api.SyntaxKind.PlusToken &&
  node.operatorToken.kind <= api.SyntaxKind.PercentToken;

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
