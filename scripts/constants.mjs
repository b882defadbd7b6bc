// Constants of a bundle that are constants again. In: the text of a bundle. Out: the same, where what is declared once and never assigned is a `const`. The bundler declares everything at
// the top with `var`, which V8 takes for a variable: it reads it from memory, and asks for its type, wherever optimised code would have a constant at hand. A Delta gradient of scalars takes an eighth longer by that.
// Invariant: a name that is assigned anywhere, be it another one's of that name, stays a `var`.

import ts from "typescript";

export function withConstants(text) {
  const source = ts.createSourceFile(
    "bundle.js",
    text,
    ts.ScriptTarget.ES2022,
    true,
    ts.ScriptKind.JS,
  );
  const assigned = new Set();
  collect(source, assigned);
  const isConstant = ({ name, initializer }) =>
    ts.isIdentifier(name) && initializer !== undefined && !assigned.has(name.text);
  let written = "";
  let at = 0;
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const list = statement.declarationList;
    const start = list.getStart(source);
    if ((list.flags & ts.NodeFlags.BlockScoped) !== 0 || !list.declarations.every(isConstant))
      continue;
    written += `${text.slice(at, start)}const`;
    at = start + "var".length;
  }
  return written + text.slice(at);
}

/** The names that something is assigned to behind their declarations. */
function collect(node, assigned) {
  if (ts.isBinaryExpression(node) && ts.isAssignmentOperator(node.operatorToken.kind))
    targets(node.left, assigned);
  else if (
    (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) &&
    [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator)
  )
    targets(node.operand, assigned);
  else if (
    (ts.isForOfStatement(node) || ts.isForInStatement(node)) &&
    !ts.isVariableDeclarationList(node.initializer)
  )
    targets(node.initializer, assigned);
  ts.forEachChild(node, (child) => collect(child, assigned));
}

/** The names in a target: not those of `a.b` and `a[k]`, which are places in what `a` is. */
function targets(node, assigned) {
  if (ts.isIdentifier(node)) assigned.add(node.text);
  else if (
    ts.isParenthesizedExpression(node) ||
    ts.isSpreadElement(node) ||
    ts.isSpreadAssignment(node)
  )
    targets(node.expression, assigned);
  else if (ts.isArrayLiteralExpression(node))
    for (const element of node.elements) targets(element, assigned);
  else if (ts.isObjectLiteralExpression(node))
    for (const property of node.properties) targets(property, assigned);
  else if (ts.isShorthandPropertyAssignment(node)) targets(node.name, assigned);
  else if (ts.isPropertyAssignment(node)) targets(node.initializer, assigned);
  else if (ts.isBinaryExpression(node)) targets(node.left, assigned); // with a default
}
