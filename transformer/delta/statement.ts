// Rewrites statements. In: user statements. Out: lines, one statement each, with source spans.
// Invariant: control flow is unchanged; each local whose id is read has a companion beside it.

import type ts from "typescript";
import { statementOf, unspanned } from "../code/lines.ts";
import { type Code, code, id, list, NOTHING, ZERO } from "../code/code.ts";
import { assign, partsOf } from "./assignment.ts";
import { boundNames } from "./binding.ts";
import { classText } from "./class.ts";
import { expression } from "./expression.ts";
import { isLeaf } from "./types/leaves.ts";
import { asideText, functionValue, returnText } from "./function.ts";
import { asArgument, called, flat, ID, plain, type Pair } from "./pair.ts";
import { handleLines } from "./handles.ts";
import { storing } from "./linear.ts";
import { declarePattern } from "./pattern.ts";
import { asLoopNode } from "./loop-node.ts";
import {
  block,
  freshName,
  indented,
  keepsId,
  marked,
  problem,
  unwrapped,
  writes,
  type Work,
} from "./work.ts";

type Keyword = "var" | "let" | "const";

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
    ? boundNames(api, node.name).flatMap((name) => bare(work, node, name, "var"))
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

export function statement(work: Work, node: ts.Statement): Code[] {
  const { api } = work;
  if (api.isExpressionStatement(node)) return effects(work, node);
  if (api.isVariableStatement(node))
    return hasDeclare(work, node) ? [] : variables(work, node.declarationList);
  if (api.isReturnStatement(node))
    return [
      marked(
        node,
        node.expression === undefined
          ? code`return;`
          : returnText(work, expression(work, node.expression)),
      ),
    ];
  if (api.isIfStatement(node)) return [marked(node, ifText(work, node))];
  if (api.isBlock(node)) return [marked(node, block(NOTHING, statements(work, node.statements)))];
  if (
    api.isForStatement(node) ||
    api.isForOfStatement(node) ||
    api.isForInStatement(node) ||
    api.isWhileStatement(node) ||
    api.isDoStatement(node)
  ) {
    return asLoopNode(work, node, marked(node, loopText(work, node)));
  }
  if (api.isSwitchStatement(node)) return [marked(node, switchText(work, node))];
  if (api.isTryStatement(node)) return [marked(node, tryText(work, node))];
  if (api.isThrowStatement(node)) return [marked(node, throwText(work, node))];
  if (api.isLabeledStatement(node)) {
    const inner = statement(work, node.statement);
    if (startsBefore(work, node.statement)) return inner;
    return inner.length === 1
      ? [code`${id(node.label.text)}: ${unspanned(inner[0] ?? NOTHING)}`]
      : [block(code`${id(node.label.text)}:`, inner)];
  }
  if (api.isBreakStatement(node) || api.isContinueStatement(node))
    return [
      marked(
        node,
        code`${api.isBreakStatement(node) ? code`break` : code`continue`}${node.label === undefined ? NOTHING : code` ${id(node.label.text)}`};`,
      ),
    ];
  if (api.isClassDeclaration(node))
    return [
      marked(
        node,
        classText(work, node, {
          name: node.name === undefined ? NOTHING : id(node.name.text),
          own: true,
        }),
      ),
    ];
  if (
    api.isEmptyStatement(node) ||
    api.isInterfaceDeclaration(node) ||
    api.isTypeAliasDeclaration(node)
  )
    return [];
  if (api.isDebuggerStatement(node)) return [code`debugger;`];
  return problemLine(
    work,
    node,
    api.isWithStatement(node)
      ? "`with`"
      : api.isEnumDeclaration(node)
        ? "an enum declared inside"
        : `\`${node.getText().slice(0, 40)}\``,
  );
}

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
  if ((declarations.flags & api.NodeFlags.Using) === api.NodeFlags.Using)
    return problemLine(work, declarations, "`using`");
  const isVar = (declarations.flags & api.NodeFlags.BlockScoped) === 0;
  const keyword = isVar
    ? "var"
    : (declarations.flags & api.NodeFlags.Const) !== 0
      ? "const"
      : "let";
  for (const node of declarations.declarations) {
    if (node.initializer === undefined) {
      if (api.isIdentifier(node.name)) lines.push(...bare(work, node, node.name, keyword));
      continue;
    }
    const own: Code[] = [];
    declarePattern(
      work,
      node.name,
      expression(work, node.initializer),
      (name, pair) => {
        own.push(...declared(work, name, pair, keyword));
      },
      (pair) => asideText(work, pair, own),
    );
    lines.push(...own.map((line) => marked(node, line)));
  }
  return lines;
}

function bare(work: Work, node: ts.Node, name: ts.Identifier, keyword: Keyword): Code[] {
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

function ifText(work: Work, node: ts.IfStatement): Code {
  const head = block(
    code`if (${expression(work, node.expression).v})`,
    body(work, node.thenStatement),
  );
  if (node.elseStatement === undefined) return head;
  if (work.api.isIfStatement(node.elseStatement))
    return code`${head} else ${ifText(work, node.elseStatement)}`;
  return code`${head} ${block(code`else`, body(work, node.elseStatement))}`;
}

function loopText(
  work: Work,
  node:
    ts.ForStatement | ts.ForOfStatement | ts.ForInStatement | ts.WhileStatement | ts.DoStatement,
): Code {
  const { api } = work;
  if (api.isForStatement(node)) return forText(work, node);
  if (api.isForOfStatement(node) || api.isForInStatement(node)) return eachText(work, node);
  if (api.isWhileStatement(node))
    return block(code`while (${expression(work, node.expression).v})`, body(work, node.statement));
  return code`${block(code`do`, body(work, node.statement))} while (${expression(work, node.expression).v});`;
}

function forText(work: Work, node: ts.ForStatement): Code {
  const { api } = work;
  const first = node.initializer;
  const before: Code[] = [];
  let head = NOTHING;
  if (first !== undefined && api.isVariableDeclarationList(first)) {
    const isVar = (first.flags & api.NodeFlags.BlockScoped) === 0;
    if (isVar) before.push(...variables(work, first));
    else if (first.declarations.every((declaration) => api.isIdentifier(declaration.name)))
      head = headText(work, first);
    else problem(work, first, "a pattern in the head of a `for` loop");
  } else if (first !== undefined) head = list(partsOf(expression(work, first)));
  const test =
    node.condition === undefined ? NOTHING : code` ${expression(work, node.condition).v}`;
  const step =
    node.incrementor === undefined
      ? NOTHING
      : code` ${list(partsOf(expression(work, node.incrementor)))}`;
  const loop = block(code`for (${head};${test};${step})`, body(work, node.statement));
  return before.length === 0 ? loop : list([...before, code`${labelsOf(work, node)}${loop}`], "\n");
}

/** `a: b: for (var i = 0; …)`, `a: for await (…)`: declarations come before the labelled loop. */
function startsBefore(work: Work, node: ts.Statement): boolean {
  const { api } = work;
  if (api.isLabeledStatement(node)) return startsBefore(work, node.statement);
  if (api.isForOfStatement(node)) return node.awaitModifier !== undefined;
  return (
    api.isForStatement(node) &&
    node.initializer !== undefined &&
    api.isVariableDeclarationList(node.initializer) &&
    (node.initializer.flags & api.NodeFlags.BlockScoped) === 0
  );
}

const labelsOf = (work: Work, node: ts.Node): Code =>
  work.api.isLabeledStatement(node.parent)
    ? code`${labelsOf(work, node.parent)}${id(node.parent.label.text)}: `
    : NOTHING;

function headText(work: Work, declarations: ts.VariableDeclarationList): Code {
  const parts: Code[] = [];
  for (const node of declarations.declarations) {
    if (!work.api.isIdentifier(node.name)) continue;
    const pair =
      node.initializer === undefined ? plain(code`undefined`) : expression(work, node.initializer);
    const variable = work.bindings.find(node.name);
    parts.push(code`${id(node.name.text)}${work.any} = ${asArgument(pair)}`);
    if (variable !== null && keepsId(work, variable, pair))
      parts.push(code`${variable.id}${work.any} = ${pair.i}`);
  }
  return code`let ${list(parts)}`;
}

function eachText(work: Work, node: ts.ForOfStatement | ts.ForInStatement): Code {
  const { api } = work;
  const first = node.initializer;
  const isOf = api.isForOfStatement(node);
  if (api.isForOfStatement(node) && node.awaitModifier !== undefined)
    return eachAwaitedText(work, node);
  const all = expression(work, node.expression);
  const from = isOf ? code`$d.each(${asArgument(all)})` : all.v;
  const value = isOf ? called(NOTHING) : plain(NOTHING);
  const lines: Code[] = [];
  let name = freshName(work, "each");
  let keyword: Keyword = "const";
  if (api.isVariableDeclarationList(first)) {
    const own = first.declarations[0]?.name;
    const isVar = (first.flags & api.NodeFlags.BlockScoped) === 0;
    if (own !== undefined && api.isIdentifier(own) && !isVar) {
      const variable = work.bindings.find(own);
      name = id(own.text);
      if (variable?.written === true) keyword = "let";
      if (variable !== null && keepsId(work, variable, value))
        lines.push(code`${id(keyword)} ${variable.id}${work.any} = ${value.i};`);
      if (isOf) lines.push(...handleLines(work, variable));
    } else if (own !== undefined)
      declarePattern(
        work,
        own,
        { ...value, v: name, pure: true },
        (one, pair) => {
          lines.push(...declared(work, one, pair, isVar ? "var" : "let"));
        },
        (pair) => asideText(work, pair, lines),
      );
  } else
    lines.push(
      ...partsOf(assign(work, first, { ...value, v: name, pure: true })).map(
        (part) => code`${part};`,
      ),
    );
  return block(code`for (${id(keyword)} ${name} ${isOf ? code`of` : code`in`} ${from})`, [
    ...lines,
    ...body(work, node.statement),
  ]);
}

/**
 * `for await (const x of e) …  ->  const all = $d.eachAsync(e); for await (const each of all)`
 * `{ const x = $d.woke(each); … } $d.woke(all.end);`, as other executions may record meanwhile.
 */
function eachAwaitedText(work: Work, node: ts.ForOfStatement): Code {
  const { api } = work;
  const first = node.initializer;
  const lines: Code[] = [];
  const all = freshName(work, "all");
  const name = freshName(work, "each");
  const value = called(code`$d.woke(${name})`);
  const source = asArgument(expression(work, node.expression));
  if (!api.isVariableDeclarationList(first))
    lines.push(...partsOf(assign(work, first, value)).map((part) => code`${part};`));
  else {
    const isVar = (first.flags & api.NodeFlags.BlockScoped) === 0;
    const own = first.declarations[0]?.name;
    if (own !== undefined)
      declarePattern(
        work,
        own,
        value,
        (one, pair) => {
          lines.push(...declared(work, one, pair, isVar ? "var" : "let"));
        },
        (pair) => asideText(work, pair, lines),
      );
  }
  const loop = block(code`${labelsOf(work, node)}for await (const ${name} of ${all})`, [
    ...lines,
    ...body(work, node.statement),
  ]);
  return list(
    [code`const ${all} = $d.eachAsync(${source});`, loop, code`$d.woke(${all}.end);`],
    "\n",
  );
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
  return block(code`switch (${expression(work, node.expression).v})`, lines);
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
    api.isNewExpression(unwrapped(work, node.expression)) ||
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
  } else
    declarePattern(
      work,
      variable.name,
      plain(name),
      (one, pair) => {
        lines.push(...declared(work, one, pair, "let"));
      },
      (pair) => asideText(work, pair, lines),
    );
  return block(code`catch (${name}${work.any})`, [
    ...lines,
    ...statements(work, clause.block.statements),
  ]);
}
