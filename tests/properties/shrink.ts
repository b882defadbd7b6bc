// Makes a failing program smaller. In: a seed whose program fails. Out: a program that fails in the same way, and cannot be made smaller by leaving out a
// statement, an argument, or a part of an expression. Invariant: what is kept is valid TypeScript, and `f` has a closed set of arguments.

import ts from "typescript";
import { type Compiled, compiled, INVALID } from "./batch.ts";
import { flagsOf } from "./disguise.ts";
import { randomProgram, type Size } from "./random-typescript.ts";
import { verdictOf } from "./verdict.ts";

/** What is wrong, without names and numbers: what must stay. */
const kindOf = (problem: string): string =>
  /TS\d+/.exec(problem)?.[0] ??
  /crashed|derivative throws|does not load|another length|differences give|throws as f does|value|twice|shape|writes/.exec(
    problem,
  )?.[0] ??
  problem.slice(0, 12);

/** Edits of a text: each leaves something out. Larger ones first. */
function candidates(text: string): readonly string[] {
  const file = ts.createSourceFile("program.ts", text, ts.ScriptTarget.ES2023, true);
  const found: { readonly size: number; readonly text: string }[] = [];
  const add = (node: ts.Node, instead: string): void => {
    const [from, to] = [node.getStart(file), node.end];
    if (instead.length < to - from)
      found.push({
        size: to - from - instead.length,
        text: text.slice(0, from) + instead + text.slice(to),
      });
  };
  const visit = (node: ts.Node): void => {
    for (const [target, instead] of smaller(node, file)) add(target, instead);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.sort((x, z) => z.size - x.size).map((one) => one.text);
}

/** What may stand for a node, or for one in it. */
function smaller(node: ts.Node, file: ts.SourceFile): readonly (readonly [ts.Node, string])[] {
  const text = (one: ts.Node): string => one.getText(file);
  if (ts.isVariableStatement(node) && /^export const (args|argnums)/.test(text(node))) return [];
  // or a loop might not end
  if (/^\w+\+\+;$/.test(text(node)) || isHead(node)) return [];
  const made: [ts.Node, string][] = [];
  if (ts.isStatement(node) && !ts.isBlock(node)) made.push([node, ""]);
  if (ts.isIfStatement(node))
    made.push(
      [node, text(node.thenStatement)],
      ...(node.elseStatement === undefined
        ? []
        : [[node, text(node.elseStatement)] satisfies [ts.Node, string]]),
    );
  if (ts.isIterationStatement(node, false) || ts.isLabeledStatement(node))
    made.push([node, text(node.statement)]);
  if (ts.isBlock(node) && ts.isBlock(node.parent))
    made.push([node, node.statements.map(text).join("\n")]);
  if (ts.isBinaryExpression(node)) made.push([node, text(node.left)], [node, text(node.right)]);
  if (ts.isConditionalExpression(node))
    made.push([node, text(node.whenTrue)], [node, text(node.whenFalse)]);
  if (ts.isCallExpression(node))
    made.push(...node.arguments.map((one) => [node, text(one)] satisfies [ts.Node, string]));
  if (ts.isParenthesizedExpression(node)) made.push([node, text(node.expression)]);
  if (ts.isPrefixUnaryExpression(node)) made.push([node, text(node.operand)]);
  if (ts.isClassElement(node)) made.push([node, ""]);
  if (
    ts.isExpression(node) &&
    !ts.isNumericLiteral(node) &&
    !ts.isIdentifier(node) &&
    !ts.isArrowFunction(node)
  )
    made.push([node, "0.5"]);
  return made;
}

/** Whether a node is part of what a loop goes on by. */
function isHead(node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined || ts.isStatement(node)) return false;
  if (ts.isIterationStatement(parent, false)) return parent.statement !== node;
  return isHead(parent);
}

const failure = (one: Compiled | undefined): ReadonlySet<string> => {
  if (one === undefined || one.refused.length > 0) return new Set();
  const { problems } = verdictOf(one);
  return new Set(
    problems.some((problem) => problem.startsWith(INVALID)) ? [] : problems.map(kindOf),
  );
};

function build(seed: number, text: string): Compiled | undefined {
  const name = `random-${seed}`;
  try {
    const source = { name, main: `${name}.ts`, files: { [`${name}.ts`]: text } };
    return compiled([source], "", flagsOf(seed))[0];
  } catch {
    return undefined;
  }
}

export function smallerText(seed: number, start: string): string {
  const [kind] = failure(build(seed, start));
  if (kind === undefined) return `random-${seed} does not fail\n`;
  const fails = (text: string): boolean => failure(build(seed, text)).has(kind);
  let text = start;
  for (let changed = true; changed;) {
    changed = false;
    for (const candidate of candidates(text)) {
      if (!fails(candidate)) continue;
      text = candidate;
      changed = true;
      break;
    }
  }
  const [one] = [build(seed, text)];
  return `${text.replace(/^\s*\n/gm, "")}\n// ${one === undefined ? "" : verdictOf(one).problems.join("\n// ")}\n`;
}

export function smallerOf(seed: number, size: Size = "mixed"): string {
  const source = randomProgram(seed, size);
  return smallerText(seed, source.files[source.main] ?? "");
}
