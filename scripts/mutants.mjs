// Finds mutants of a source file: small mistakes that a person could make. Input: a file's text and
// the number of the first mutant. Output: a text in which each mutant is a choice,
// `($m(7) ? mistake : original)`, and a list of what they are. One bundle holds all mutants; a global
// function says which one is active, and notes which ones a program meets.

import ts from "typescript";

const SWAPPED = new Map([
  ["add", "sub"],
  ["sub", "add"],
  ["mul", "div"],
  ["div", "mul"],
  ["max", "min"],
  ["min", "max"],
  ["floor", "ceil"],
  ["ceil", "floor"],
  ["sin", "cos"],
  ["cos", "sin"],
  ["lt", "le"],
  ["le", "lt"],
  ["gt", "ge"],
  ["ge", "gt"],
]);

const OTHER_SIGN = new Map([
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
  [ts.SyntaxKind.AsteriskToken, "/"],
  [ts.SyntaxKind.SlashToken, "*"],
]);

const NEIGHBOUR = new Map([
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
]);

const COMMAND = /^(?:add|set|delete|clear|push|invalidate|note|mark|emit|store|unshift)/;

/** Methods that build arithmetic: `b.mul(x, z)`. */
const BUILT = new Set(["add", "sub", "mul", "div"]);
const ORDERED = new Set(["sub", "div"]);

/** Mistakes at one node, as `[kind, mistaken text]`. `text` gives the text of a node with the mutants inside it. */
function mistakesAt(node, text) {
  if (ts.isBinaryExpression(node)) return mistakesOfBinary(node, text);
  if (ts.isPrefixUnaryExpression(node)) {
    const isSign = node.operator === ts.SyntaxKind.MinusToken;
    if (isSign && !ts.isNumericLiteral(node.operand)) return [["sign", text(node.operand)]];
    if (node.operator === ts.SyntaxKind.ExclamationToken)
      return [["negated test", `!!(${text(node.operand)})`]];
  }
  if (ts.isStringLiteral(node) && SWAPPED.has(node.text) && isArgument(node))
    return [["operation", JSON.stringify(SWAPPED.get(node.text))]];
  if (ts.isNumericLiteral(node) && isOperand(node))
    return [["factor", String(Number(node.text) + 1)]];
  if (ts.isPropertyAccessExpression(node) && /^v\.[xz]$/.test(text(node)))
    return [["operand", text(node) === "v.x" ? "v.z" : "v.x"]];
  if (ts.isCallExpression(node)) return mistakesOfCall(node, text);
  return [];
}

function mistakesOfBinary(node, text) {
  const [left, right, kind] = [text(node.left), text(node.right), node.operatorToken.kind];
  if (kind === ts.SyntaxKind.AmpersandAmpersandToken || kind === ts.SyntaxKind.BarBarToken)
    return [
      ["dropped test", left],
      ["dropped test", right],
    ];
  const sign = OTHER_SIGN.get(kind);
  const isText = [node.left, node.right].some((one) => /["'`]/.test(one.getText()));
  if (sign !== undefined && !isText) return [["sign or factor", `${left} ${sign} ${right}`]];
  const neighbour = NEIGHBOUR.get(kind);
  return neighbour === undefined ? [] : [["off by one", `${left} ${neighbour} ${right}`]];
}

function mistakesOfCall(node, text) {
  const { expression: callee, arguments: args, parent } = node;
  const [object, name] = ts.isPropertyAccessExpression(callee)
    ? [text(callee.expression), callee.name.text]
    : ["", text(callee)];
  if (ts.isExpressionStatement(parent) && COMMAND.test(name))
    return [["dropped effect", "undefined"]];
  const given = args.map(text);
  if (/^(?:masked|guarded|guard[A-Z]\w*)$/.test(name)) return [["dropped mask", given.at(-1)]];
  if (object !== "") return mistakesOfArithmetic(object, name, given);
  return [];
}

/** `b.mul(x, z)`, `b.op("max", x, z)`, `b.neg(x)`, `b.select(c, x, z)`. */
function mistakesOfArithmetic(object, name, given) {
  const [first, one, other] = given;
  if (name === "neg") return [["sign", first]];
  if (name === "select")
    return [
      ["swapped sides", `${object}.select(${first}, ${other}, ${one})`],
      ["dropped mask", one],
      ["dropped mask", other],
    ];
  if (BUILT.has(name) && given.length === 2) {
    const mistake = [name === "add" || name === "sub" ? "sign" : "factor"];
    mistake.push(`${object}.${SWAPPED.get(name)}(${given.join(", ")})`);
    const sides = ["swapped sides", `${object}.${name}(${one}, ${first})`];
    return ORDERED.has(name) ? [mistake, sides] : [mistake];
  }
  if (name !== "op" || given.length !== 3 || !/^"/.test(first)) return [];
  return COMMUTATIVE.test(first)
    ? []
    : [["swapped sides", `${object}.op(${first}, ${other}, ${one})`]];
}

/** Of these, swapped sides are no mistake. */
const COMMUTATIVE = /^"(?:add|mul|max|min|eq|ne|and|or|hypot)"$/;

const isArgument = (node) => ts.isCallExpression(node.parent) && node.parent.expression !== node;
const isOperand = (node) => ts.isBinaryExpression(node.parent) || isArgument(node);

/** Code that says something to a person, or that no program meets. */
const isIgnored = (node) =>
  ts.isTypeNode(node) ||
  ts.isImportDeclaration(node) ||
  ts.isEnumDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  (ts.isCallExpression(node) &&
    /invariant|unreachable|report|refuse/.test(node.expression.getText()));

export function mutantsOf(fileName, source, first) {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.ES2023, true);
  const found = [];
  const text = (node) => {
    if (isIgnored(node)) return node.getText(file);
    const mistakes = mistakesAt(node, plain);
    const own = inside(node);
    return mistakes.reduce((result, [kind, mistake]) => {
      const id = first + found.length;
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push({
        id,
        file: fileName,
        line: line + 1,
        kind,
        from: node.getText(file),
        to: mistake,
      });
      return `($m(${id}) ? ${mistake} : ${result})`;
    }, own);
  };
  const plain = (node) => node.getText(file);
  const inside = (node) => {
    let [result, at] = ["", node.getStart(file)];
    ts.forEachChild(node, (child) => {
      const start = child.getStart(file);
      if (start < at) return;
      result += source.slice(at, start) + text(child);
      at = child.end;
    });
    return result + source.slice(at, node.end);
  };
  return { text: source.slice(0, file.getStart(file)) + inside(file), mutants: found };
}
