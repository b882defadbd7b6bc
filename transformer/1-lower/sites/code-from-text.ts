// Functions that are made from text, `new Function("x", "return x * x")`: nobody can read at build
// time what they compute. Out: for pieces of code, the places where the functions that they call
// are made, in them or in what they name. A function that is returned or stored is not followed.

import type ts from "typescript";
import { nodesIn } from "../../syntax/walk.ts";
import { bare } from "../../syntax/wrappers.ts";
import { type Names, resolvedSymbol } from "../checker.ts";
import type { TypeScript } from "../typescript.ts";

/** Most programs have no such text. */
const MENTIONS = /\b(?:Function|eval)\b\W*\(/;

export type Made = ts.CallExpression | ts.NewExpression;

/** What makes functions from text in a program, and the variables that hold them. */
interface FromText {
  readonly made: ReadonlySet<ts.Node>;
  readonly holders: ReadonlyMap<ts.Symbol, readonly Made[]>;
}

export function codeFromText(
  program: ts.Program,
  api: TypeScript,
): (root: ts.Node) => readonly Made[] {
  const files = program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && MENTIONS.test(file.text));
  if (files.length === 0) return () => [];
  const names: Names = { api, checker: program.getTypeChecker() };
  const isMade = (node: ts.Node): node is Made => makesFromText(node, names);
  const made = files.flatMap((file) => nodesIn(api, file, isMade));
  const all: FromText = { made: new Set(made), holders: holdersOf(made, names) };
  return (root) => usedIn(root, all, names);
}

function usedIn(root: ts.Node, { made, holders }: FromText, names: Names): readonly Made[] {
  const { api } = names;
  const own = nodesIn(api, root, (node): node is Made => made.has(node));
  if (holders.size === 0) return own;
  const named = nodesIn(api, root, api.isIdentifier).filter((name) => !isPassive(name, api));
  return [
    ...own,
    ...named.flatMap((name) => {
      const symbol = resolvedSymbol(name, names);
      return (symbol === null ? undefined : holders.get(symbol)) ?? [];
    }),
  ];
}

/** `new Function("…")`, `Function("…")`, `(0, eval)("…")`, `globalThis.eval("…")`. */
function makesFromText(node: ts.Node, names: Names): node is Made {
  const { api } = names;
  if (!(api.isCallExpression(node) || api.isNewExpression(node))) return false;
  let callee = bare(node.expression, api);
  if (api.isBinaryExpression(callee)) callee = bare(callee.right, api);
  const name = api.isPropertyAccessExpression(callee) ? callee.name : callee;
  if (!api.isIdentifier(name) || !/^(?:Function|eval)$/.test(name.text)) return false;
  // a name that the program declares is another function
  const declarations = resolvedSymbol(name, names)?.declarations ?? [];
  return declarations.every((each) => each.getSourceFile().isDeclarationFile);
}

/** The variables, properties and fields that hold what is made. */
function holdersOf(made: readonly Made[], names: Names): Map<ts.Symbol, Made[]> {
  const { api } = names;
  const holders = new Map<ts.Symbol, Made[]>();
  for (const node of made)
    for (let at: ts.Node = node.parent; !api.isFunctionLike(at); at = at.parent) {
      const name = heldAs(at, api);
      const symbol = name === undefined ? null : resolvedSymbol(name, names);
      if (symbol !== null) holders.set(symbol, [...(holders.get(symbol) ?? []), node]);
      if (api.isStatement(at) || api.isClassLike(at) || api.isSourceFile(at)) break;
    }
  return holders;
}

function heldAs(node: ts.Node, api: TypeScript): ts.Node | undefined {
  if (api.isVariableDeclaration(node) || api.isPropertyDeclaration(node)) return node.name;
  const isAssignment =
    api.isBinaryExpression(node) && node.operatorToken.kind === api.SyntaxKind.EqualsToken;
  if (!isAssignment) return undefined;
  return api.isPropertyAccessExpression(node.left) ? node.left.name : node.left;
}

/** Whether it is called with literals, and what is between `stopGradient(` and `)`. */
function isPassive(name: ts.Identifier, api: TypeScript): boolean {
  const call = name.parent;
  return (
    api.isCallExpression(call) &&
    call.expression === name &&
    call.arguments.every(
      (each) =>
        api.isLiteralExpression(each) ||
        (api.isCallExpression(each) && each.expression.getText() === "stopGradient"),
    )
  );
}
