// Rewrites statements. In: user statements. Out: lines, one statement each, with source spans.
// Invariant: control flow is unchanged; each local whose id is read has a companion beside it.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { statementOf, unspanned } from "../code/lines.ts";
import { type Code, code, id, NOTHING, ZERO } from "../code/code.ts";
import { partsOf } from "./assignment.ts";
import { boundNames } from "./binding.ts";
import { ownClass } from "./class.ts";
import { noteBranches, noteSwitch } from "./equality-branches.ts";
import { expression } from "./expression.ts";
import { isLeaf } from "./types/leaves.ts";
import { asideText, functionValue, returnText } from "./function.ts";
import { asArgument, flat, ID, plain, type Pair } from "./pair.ts";
import { byKind } from "../syntax/by-kind.ts";
import { isAwaitUsing, isUsing } from "../syntax/disposal.ts";
import { type Loop, loopText, startsBefore } from "./loops.ts";
import { handleLines } from "./handles.ts";
import { storing } from "./linear.ts";
import { declarePattern } from "./pattern.ts";
import { asLoopNode } from "./loop-node.ts";
import { block, freshName, indented, keepsId, marked, problem, writes, type Work } from "./work.ts";

export type Keyword = "var" | "let" | "const";

/** A block: functions first, then statements up to one that ends it. */
export function statements(work: Work, nodes: readonly ts.Statement[]): Code[] {
  const { api } = work;
  const lines: Code[] = [];
  // of functions with one name, the last is the value of all
  const functions = new Map(
    nodes.flatMap((node): [string | ts.Node, ts.FunctionDeclaration][] =>
      api.isFunctionDeclaration(node) && node.body !== undefined
        ? [[node.name?.text ?? node, node]]
        : [],
    ),
  );
  for (const node of functions.values()) lines.push(...functionDeclaration(work, node));
  return [
    ...lines,
    ...inOrder(
      work,
      nodes.filter((node) => !api.isFunctionDeclaration(node)),
    ),
  ];
}

/** Up to where it ends. */
function inOrder(work: Work, nodes: readonly ts.Statement[]): Code[] {
  const { api } = work;
  const lines: Code[] = [];
  for (const [k, node] of nodes.entries()) {
    lines.push(...statement(work, node));
    if (
      api.isReturnStatement(node) ||
      api.isThrowStatement(node) ||
      api.isBreakStatement(node) ||
      api.isContinueStatement(node)
    )
      return [...nodes.slice(k + 1).flatMap((node) => unreached(work, node)), ...lines];
  }
  return lines;
}

/** A `var` belongs to its function anywhere, even after a `return`. */
function unreached(work: Work, node: ts.Node): Code[] {
  const { api } = work;
  if (api.isFunctionLike(node) || api.isClassLike(node)) return [];
  const isVar =
    api.isVariableDeclaration(node) &&
    api.isVariableDeclarationList(node.parent) &&
    (node.parent.flags & api.NodeFlags.BlockScoped) === 0;
  const lines = isVar
    ? boundNames(api, node.name).flatMap((name) => withoutValue(work, node, name, "var"))
    : [];
  api.forEachChild(node, (child) => {
    lines.push(...unreached(work, child));
  });
  return lines;
}

function functionDeclaration(work: Work, node: ts.FunctionDeclaration): Code[] {
  const name = node.name;
  if (name === undefined) return [...problemLine(work, node, "a function without a name")];
  const variable = work.bindings.find(name);
  const text = functionValue(work, node);
  if (variable?.wasRead === false) return [];
  const ids =
    variable !== null && keepsId(work, variable, { i: ZERO })
      ? [code`let ${variable.id}${work.any} = 0;`]
      : [];
  // `var` may declare the name again, and a parameter's name needs no declaration
  const keyword =
    variable?.how === "parameter"
      ? NOTHING
      : variable?.isVar === true
        ? code`var `
        : variable?.written === true
          ? code`let `
          : code`const `;
  const type = keyword === NOTHING ? NOTHING : work.any;
  return [marked(node, code`${keyword}${id(name.text)}${type} = ${text.v};`), ...ids];
}

const problemLine = (work: Work, node: ts.Node, construct: string): Code[] => {
  problem(work, node, construct);
  return [];
};

export const statement = byKind<Work, ts.Statement, Code[]>(unknown, (k) => [
  [k.ExpressionStatement, effects],
  [
    k.VariableStatement,
    (work, node: ts.VariableStatement) =>
      hasDeclare(work, node) ? [] : variables(work, node.declarationList),
  ],
  [k.ReturnStatement, one(returned)],
  [k.IfStatement, one(ifText)],
  [k.Block, one((work, node: ts.Block) => block(NOTHING, statements(work, node.statements)))],
  [
    [k.ForStatement, k.ForOfStatement, k.ForInStatement, k.WhileStatement, k.DoStatement],
    (work, node: Loop) => asLoopNode(work, node, marked(node, loopText(work, node))),
  ],
  [k.SwitchStatement, one(switchText)],
  [k.TryStatement, one(tryText)],
  [k.ThrowStatement, one(throwText)],
  [k.LabeledStatement, labelled],
  [k.BreakStatement, one((_, node: ts.BreakStatement) => code`break${labelOf(node)};`)],
  [k.ContinueStatement, one((_, node: ts.ContinueStatement) => code`continue${labelOf(node)};`)],
  [k.ClassDeclaration, one(ownClass)],
  [[k.EmptyStatement, k.InterfaceDeclaration, k.TypeAliasDeclaration], () => []],
  [k.DebuggerStatement, () => [code`debugger;`]],
  [k.WithStatement, (work, node: ts.WithStatement) => problemLine(work, node, "`with`")],
  [
    k.EnumDeclaration,
    (work, node: ts.EnumDeclaration) => problemLine(work, node, "an enum declared inside"),
  ],
]);

function unknown(work: Work, node: ts.Statement): Code[] {
  return problemLine(work, node, `\`${node.getText().slice(0, 40)}\``);
}

/** A statement that is one piece of text, with its place. */
function one<N extends ts.Node>(text: (work: Work, node: N) => Code) {
  return (work: Work, node: N): Code[] => [marked(node, text(work, node))];
}

function returned(work: Work, node: ts.ReturnStatement): Code {
  return node.expression === undefined
    ? code`return;`
    : returnText(work, expression(work, node.expression));
}

function labelled(work: Work, node: ts.LabeledStatement): Code[] {
  const label = id(node.label.text);
  const inner = statement(work, node.statement);
  if (startsBefore(work, node.statement)) return inner;
  return inner.length === 1
    ? [code`${label}: ${unspanned(inner[0] ?? NOTHING)}`]
    : [block(code`${label}:`, inner)];
}

const labelOf = ({ label }: ts.BreakOrContinueStatement): Code =>
  label === undefined ? NOTHING : code` ${id(label.text)}`;

const hasDeclare = (work: Work, node: ts.VariableStatement): boolean =>
  (node.modifiers ?? []).some((modifier) => modifier.kind === work.api.SyntaxKind.DeclareKeyword);

function effects(work: Work, node: ts.ExpressionStatement): Code[] {
  const pair = expression(work, node.expression);
  if (work.api.isStringLiteral(node.expression) || (pair.pure && pair.level === 2)) return [];
  return partsOf(pair).map((part) => marked(node, code`${statementOf(part)};`));
}

export const body = (work: Work, node: ts.Statement): Code[] =>
  statements(work, work.api.isBlock(node) ? node.statements : [node]);

export function variables(work: Work, declarations: ts.VariableDeclarationList): Code[] {
  const { api } = work;
  const lines: Code[] = [];
  if (isAwaitUsing(api, declarations)) return problemLine(work, declarations, "`await using`");
  const isVar = (declarations.flags & api.NodeFlags.BlockScoped) === 0;
  const isConst = (declarations.flags & (api.NodeFlags.Const | api.NodeFlags.Using)) !== 0;
  const keyword = isVar ? "var" : isConst ? "const" : "let";
  for (const node of declarations.declarations) {
    if (node.initializer === undefined) {
      if (api.isIdentifier(node.name)) lines.push(...withoutValue(work, node, node.name, keyword));
      continue;
    }
    let value = expression(work, node.initializer);
    const held = isUsing(api, declarations) ? asideText(work, value, lines) : null;
    if (held !== null) value = { ...value, v: held, pure: true };
    const own = declaredPattern(work, node.name, value, keyword);
    lines.push(...own.map((line) => marked(node, line)));
    if (held !== null) lines.push(marked(node, disposing(work, held)));
  }
  return lines;
}

/** The language says when it runs; what it runs is the rewritten method of the resource. */
export const disposing = (work: Work, resource: Code): Code =>
  code`using ${freshName(work, "end")}${work.any} = $d.disposal(${resource});`;

function withoutValue(work: Work, node: ts.Node, name: ts.Identifier, keyword: Keyword): Code[] {
  const variable = work.bindings.find(name);
  if (variable === null || !variable.wasRead) return [];
  const lines = [marked(node, code`${id(keyword)} ${id(name.text)}${work.any};`)];
  if (keyword !== "var" && variable.live && variable.idWanted)
    lines.push(marked(node, code`let ${variable.id}${work.any} = 0;`));
  return lines;
}

/** `const x = e  ->  const x: any = V; const x$id: any = I;` */
export function declared(work: Work, name: ts.Identifier, pair: Pair, keyword: Keyword): Code[] {
  const variable = work.bindings.find(name);
  if (variable === null) return problemLine(work, name, "this declaration");
  const keeps = keepsId(work, variable, pair);
  // `var` beside a parameter or a function of that name
  if (keyword === "var" && variable.how !== "var") writes(work, variable);
  if (!variable.wasRead && !keeps)
    return pair.pure ? [] : partsOf(pair).map((part) => code`${part};`);
  // A repeated `var`: its initialiser may read the variable itself.
  if (keeps && keyword === "var" && pair.linear !== undefined)
    return [
      code`var ${id(name.text)}${work.any};`,
      ...storing(work, variable, pair).map((part) => code`${part};`),
    ];
  const handle = handleLines(work, variable);
  const lines = [code`${id(keyword)} ${id(name.text)}${work.any} = ${asArgument(pair)};`];
  if (keeps)
    lines.push(
      variable.how === "var" || keyword === "var"
        ? code`${variable.id} = ${pair.i};`
        : code`${id(keyword)} ${variable.id}${work.any} = ${pair.i};`,
    );
  return [...lines, ...handle];
}

/** `const { x } = e`, for each of the names. */
export function declaredPattern(
  work: Work,
  name: ts.BindingName,
  value: Pair,
  keyword: Keyword,
): Code[] {
  const lines: Code[] = [];
  declarePattern(
    work,
    name,
    value,
    (own, pair) => {
      lines.push(...declared(work, own, pair, keyword));
    },
    (pair) => asideText(work, pair, lines),
  );
  return lines;
}

function ifText(work: Work, node: ts.IfStatement): Code {
  const { expression: condition, thenStatement, elseStatement } = node;
  const test = expression(work, condition).v;
  const then = block(NOTHING, body(work, thenStatement));
  const otherwise = elseText(work, elseStatement);
  noteBranches(work, condition, [
    { node: thenStatement, text: then },
    { node: elseStatement, text: otherwise },
  ]);
  const head = code`if (${test}) ${then}`;
  return elseStatement === undefined ? head : code`${head} else ${otherwise}`;
}

function elseText(work: Work, node: ts.Statement | undefined): Code {
  if (node === undefined) return NOTHING;
  return work.api.isIfStatement(node) ? ifText(work, node) : block(NOTHING, body(work, node));
}

function switchText(work: Work, node: ts.SwitchStatement): Code {
  const { api } = work;
  const lines: Code[] = [];
  for (const clause of node.caseBlock.clauses) {
    const inner = statements(work, clause.statements);
    const last = clause.statements.at(-1);
    const isLast = clause === node.caseBlock.clauses.at(-1);
    const leaves =
      last === undefined ||
      isLast ||
      api.isBreakStatement(last) ||
      api.isReturnStatement(last) ||
      api.isThrowStatement(last) ||
      api.isContinueStatement(last);
    if (!leaves && work.any !== NOTHING)
      lines.push(code`// @ts-ignore: it may go on into the next clause`);
    lines.push(
      marked(
        clause,
        api.isCaseClause(clause)
          ? code`case ${asArgument(expression(work, clause.expression))}:`
          : code`default:`,
      ),
      ...indented(inner),
    );
  }
  const of = expression(work, node.expression);
  noteSwitch(work, node, of, lines);
  return block(code`switch (${of.v})`, lines);
}

function tryText(work: Work, node: ts.TryStatement): Code {
  let text = block(code`try`, statements(work, node.tryBlock.statements));
  const clause = node.catchClause;
  if (clause !== undefined) text = code`${text} ${catchText(work, clause)}`;
  if (node.finallyBlock === undefined) return text;
  // It may run between a `return` and the caller, who reads the id of the returned value.
  const kept = freshName(work, "kept");
  return code`${text} ${block(code`finally`, [code`const ${kept}${work.any} = ${ID};`, ...statements(work, node.finallyBlock.statements), code`$d.setId(${kept});`])}`;
}

/** A value that is certainly no number has no id for `$d.caught`. */
function throwText(work: Work, node: ts.ThrowStatement): Code {
  const { api } = work;
  const pair = expression(work, node.expression);
  const isPlain =
    api.isNewExpression(bare(node.expression, work.api)) ||
    isLeaf(api, work.context.checker, node.expression);
  return isPlain ? code`throw ${asArgument(pair)};` : code`throw $d.thrown(${flat(pair)});`;
}

function catchText(work: Work, clause: ts.CatchClause): Code {
  const variable = clause.variableDeclaration;
  const lines: Code[] = [];
  if (variable === undefined) return block(code`catch`, statements(work, clause.block.statements));
  const name = work.api.isIdentifier(variable.name)
    ? id(variable.name.text)
    : freshName(work, "caught");
  if (work.api.isIdentifier(variable.name)) {
    const own = work.bindings.find(variable.name);
    if (own !== null && keepsId(work, own, { i: code`$d.caught(${name})` }))
      lines.push(code`let ${own.id}${work.any} = $d.caught(${name});`);
  } else lines.push(...declaredPattern(work, variable.name, plain(name), "let"));
  return block(code`catch (${name}${work.any})`, [
    ...lines,
    ...statements(work, clause.block.statements),
  ]);
}
