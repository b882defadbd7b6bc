// The support table of README.md: construct × engine, counted from the programs of the shared corpus. In: the checkout's root. Out: a table in markdown.
// Invariant: a construct is found in a program's syntax, so nothing is claimed without a program; tests/programs runs each of them against its oracles.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** A construct and how it looks in a syntax tree. */
type Construct = readonly [shown: string, is: (node: ts.Node) => boolean];

const called = (node: ts.Node): string =>
  ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)
    ? node.expression.name.text
    : "";
const method =
  (...names: readonly string[]) =>
  (node: ts.Node): boolean =>
    names.includes(called(node));
const made =
  (name: RegExp) =>
  (node: ts.Node): boolean =>
    ts.isNewExpression(node) && ts.isIdentifier(node.expression) && name.test(node.expression.text);
const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isArrowFunction(node) ||
  ts.isFunctionExpression(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node);
const isAssignment = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
  node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
const operator =
  (...kinds: readonly ts.SyntaxKind[]) =>
  (node: ts.Node): boolean =>
    ts.isBinaryExpression(node) && kinds.includes(node.operatorToken.kind);
const inside = (node: ts.Node, is: (one: ts.Node) => boolean): boolean =>
  ts.findAncestor(node.parent, is) !== undefined;
const isLoop = (node: ts.Node): boolean => ts.isIterationStatement(node, false);

function isRecursive(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return false;
  const { text } = node.expression;
  return inside(node, (one) => ts.isFunctionDeclaration(one) && one.name?.text === text);
}

const CONSTRUCTS: readonly Construct[] = [
  ["`if`, `?:`", (node) => ts.isIfStatement(node) || ts.isConditionalExpression(node)],
  [
    "`for`, `while`, `do`",
    (node) => ts.isForStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node),
  ],
  ["`for`-`of`", ts.isForOfStatement],
  ["`for`-`in`", ts.isForInStatement],
  [
    "`return` out of a loop",
    (node) =>
      ts.isReturnStatement(node) &&
      ts.findAncestor(node, (one) => isLoop(one) || isFunction(one)) !== undefined &&
      isLoop(ts.findAncestor(node, (one) => isLoop(one) || isFunction(one)) ?? node),
  ],
  ["`break`, `continue`", (node) => ts.isBreakOrContinueStatement(node) && inside(node, isLoop)],
  ["labels", ts.isLabeledStatement],
  ["`switch`", ts.isSwitchStatement],
  ["`throw`", ts.isThrowStatement],
  ["`try`, `catch`, `finally`", ts.isTryStatement],
  [
    "elements written in place",
    (node) => isAssignment(node) && ts.isElementAccessExpression(node.left),
  ],
  [
    "fields written in place",
    (node) =>
      isAssignment(node) &&
      ts.isPropertyAccessExpression(node.left) &&
      node.left.expression.kind !== ts.SyntaxKind.ThisKeyword,
  ],
  [
    "`push`, `pop`, `shift`, `unshift`, `splice`",
    method("push", "pop", "shift", "unshift", "splice"),
  ],
  ["`sort`, `reverse`, `fill`, `copyWithin`", method("sort", "reverse", "fill", "copyWithin")],
  [
    "`map`, `filter`, `reduce`, `forEach`, …",
    method("map", "filter", "reduce", "reduceRight", "forEach", "every", "some", "find", "flatMap"),
  ],
  [
    "typed arrays",
    (node) =>
      made(/^(Float|Int|Uint)\d+(Clamped)?Array$/)(node) ||
      (ts.isIdentifier(node) && /^(Float|Int|Uint)\d+(Clamped)?Array$/.test(node.text)),
  ],
  ["spread", (node) => ts.isSpreadElement(node) || ts.isSpreadAssignment(node)],
  ["destructuring", (node) => ts.isObjectBindingPattern(node) || ts.isArrayBindingPattern(node)],
  [
    "defaults, optional and rest parameters",
    (node) =>
      ts.isParameter(node) &&
      (node.initializer !== undefined ||
        node.questionToken !== undefined ||
        node.dotDotDotToken !== undefined),
  ],
  [
    "`?.`, `??`",
    (node) =>
      operator(ts.SyntaxKind.QuestionQuestionToken)(node) ||
      (ts.isPropertyAccessExpression(node) && node.questionDotToken !== undefined),
  ],
  [
    "assignments as values, the comma",
    (node) =>
      (isAssignment(node) &&
        !ts.isExpressionStatement(node.parent) &&
        !ts.isForStatement(node.parent) &&
        !ts.isArrowFunction(node.parent)) ||
      operator(ts.SyntaxKind.CommaToken)(node),
  ],
  ["local functions and closures", (node) => isFunction(node) && inside(node, isFunction)],
  [
    "closures that write what they capture",
    (node) =>
      isAssignment(node) &&
      ts.isIdentifier(node.left) &&
      inside(
        node,
        (one) =>
          ts.isArrowFunction(one) &&
          ts.isBlock(one.body) &&
          !declares(one.body, node.left.getText()),
      ),
  ],
  [
    "functions as arguments",
    (node) => ts.isParameter(node) && node.type !== undefined && ts.isFunctionTypeNode(node.type),
  ],
  ["recursion", isRecursive],
  [
    "generics",
    (node) =>
      (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) &&
      node.typeParameters !== undefined,
  ],
  [
    "discriminated unions",
    (node) => ts.isUnionTypeNode(node) && node.types.filter(ts.isTypeLiteralNode).length > 1,
  ],
  ["classes", ts.isClassLike],
  [
    "inheritance",
    (node) =>
      ts.isHeritageClause(node) &&
      node.token === ts.SyntaxKind.ExtendsKeyword &&
      ts.isClassLike(node.parent),
  ],
  ["accessors", ts.isAccessor],
  [
    "`Map`, records by key",
    (node) =>
      made(/^Map$/)(node) ||
      (ts.isTypeReferenceNode(node) && node.getText().startsWith("Record<string, number>")),
  ],
  ["generators", (node) => isFunction(node) && node.asteriskToken !== undefined],
  ["`async`, `await`", ts.isAwaitExpression],
];

const declares = (body: ts.Block, name: string): boolean =>
  body.statements.some(
    (one) =>
      ts.isVariableStatement(one) &&
      one.declarationList.declarations.some((declared) => declared.name.getText() === name),
  );

const FOLDER = "fixtures/programs";

/** Programs by name: their texts, and whether the Delta engine alone takes them. */
function programs(
  root: string,
): readonly { readonly files: readonly ts.SourceFile[]; readonly onlyDelta: boolean }[] {
  const parse = (name: string): ts.SourceFile =>
    ts.createSourceFile(
      name,
      readFileSync(path.join(root, FOLDER, name), "utf8"),
      ts.ScriptTarget.ES2023,
      true,
    );
  return readdirSync(path.join(root, FOLDER))
    .sort()
    .map((entry) => {
      const files = entry.endsWith(".ts")
        ? [parse(entry)]
        : readdirSync(path.join(root, FOLDER, entry)).map((file) => parse(`${entry}/${file}`));
      return {
        files,
        onlyDelta: files.some(({ text }) => /^export const engine = "delta";$/m.test(text)),
      };
    });
}

export function supportTable(root: string): string {
  const all = programs(root);
  const has = (files: readonly ts.SourceFile[], is: Construct[1]): boolean => {
    const visit = (node: ts.Node): boolean =>
      is(node) || ts.forEachChild(node, (child) => visit(child) || undefined) === true;
    return files.some(visit);
  };
  const rows = CONSTRUCTS.flatMap(([shown, is]) => {
    const found = all.filter(({ files }) => has(files, is));
    const delta = found.filter(({ onlyDelta }) => onlyDelta).length;
    const count = (n: number): string => (n === 0 ? "" : n === 1 ? "1 program" : `${n} programs`);
    return found.length === 0
      ? []
      : [`| ${shown} | ${count(found.length - delta)} | ${count(delta)} |`];
  });
  return ["| construct | static, else Delta | Delta alone |", "|---|---|---|", ...rows].join("\n");
}
