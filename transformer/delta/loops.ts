// Rewrites loops. In: a loop of the user. Out: the same loop, whose variables have companions.
// Invariant: an iteration takes from its list or key once, before the user's statements.

import type ts from "typescript";
import { type Code, code, id, list, NOTHING } from "../code/code.ts";
import { assign, partsOf } from "./assignment.ts";
import { expression } from "./expression.ts";
import { handleLines } from "./handles.ts";
import { asArgument, called, plain, type Pair } from "./pair.ts";
import { declarePattern } from "./pattern.ts";
import { isAwaitUsing, isDisposing, isUsing } from "../syntax/disposal.ts";
import { body, declaredPattern, disposing, type Keyword, variables } from "./statement.ts";
import { block, freshName, keepsId, problem, type Work } from "./work.ts";

export type Loop =
  ts.ForStatement | ts.ForOfStatement | ts.ForInStatement | ts.WhileStatement | ts.DoStatement;

export function loopText(work: Work, node: Loop): Code {
  const { api } = work;
  if (api.isForStatement(node)) return forText(work, node);
  if (api.isForOfStatement(node) && node.awaitModifier !== undefined)
    return forAwaitText(work, node);
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
    if (isVar(work, first)) before.push(...variables(work, first));
    else head = headText(work, first);
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
export function startsBefore(work: Work, node: ts.Statement): boolean {
  const { api } = work;
  if (api.isLabeledStatement(node)) return startsBefore(work, node.statement);
  if (api.isForOfStatement(node)) return node.awaitModifier !== undefined;
  return (
    api.isForStatement(node) &&
    node.initializer !== undefined &&
    api.isVariableDeclarationList(node.initializer) &&
    isVar(work, node.initializer)
  );
}

const labelsOf = (work: Work, node: ts.Node): Code =>
  work.api.isLabeledStatement(node.parent)
    ? code`${labelsOf(work, node.parent)}${id(node.parent.label.text)}: `
    : NOTHING;

/** `let [a, b] = e, i = 0  ->  let of = $d.listOf(e, 2), a = $d.get(of, 0), a$id = …` */
function headText(work: Work, declarations: ts.VariableDeclarationList): Code {
  if (isDisposing(work.api, declarations))
    problem(work, declarations, "`using` in the head of a `for`");
  const parts: Code[] = [];
  const add = (name: Code, value: Code): void => {
    parts.push(code`${name}${work.any} = ${value}`);
  };
  const each = (name: ts.Identifier, pair: Pair): void => {
    const variable = work.bindings.find(name);
    add(id(name.text), asArgument(pair));
    if (variable !== null && keepsId(work, variable, pair)) add(variable.id, pair.i);
  };
  const aside = (pair: Pair): Code => {
    const name = freshName(work, "of");
    add(name, asArgument(pair));
    return name;
  };
  for (const { name, initializer } of declarations.declarations) {
    const pair = initializer === undefined ? plain(code`undefined`) : expression(work, initializer);
    declarePattern(work, name, pair, each, aside);
  }
  return code`let ${list(parts)}`;
}

/** What an iteration gives to its variable: `const x`, or `const each` and what takes it apart. */
interface IterationTarget {
  readonly keyword: Keyword;
  readonly name: Code;
  readonly lines: readonly Code[];
}

/** `value`: of an iteration, without its text. */
function iterationTarget(work: Work, first: ts.ForInitializer, value: Pair): IterationTarget {
  const { api } = work;
  const declared = api.isVariableDeclarationList(first) ? first : null;
  const own = declared?.declarations[0]?.name;
  if (declared !== null && isAwaitUsing(api, declared)) problem(work, declared, "`await using`");
  if (own !== undefined && api.isIdentifier(own) && !isVar(work, first)) {
    const variable = work.bindings.find(own);
    const keyword = variable?.written === true ? "let" : "const";
    const keeps = variable !== null && keepsId(work, variable, value);
    return {
      keyword,
      name: id(own.text),
      lines: [
        ...(keeps ? [code`${id(keyword)} ${variable.id}${work.any} = ${value.i};`] : []),
        ...handleLines(work, variable),
        ...(declared !== null && isUsing(api, declared) ? [disposing(work, id(own.text))] : []),
      ],
    };
  }
  const name = freshName(work, "each");
  const lines = takenApart(work, first, { ...value, v: name, pure: true });
  return { keyword: "const", name, lines };
}

/** `[a, b] = each;`, `var { a } = each;` */
function takenApart(work: Work, first: ts.ForInitializer, value: Pair): Code[] {
  if (!work.api.isVariableDeclarationList(first))
    return partsOf(assign(work, first, value)).map((part) => code`${part};`);
  const own = first.declarations[0]?.name;
  return own === undefined
    ? []
    : declaredPattern(work, own, value, isVar(work, first) ? "var" : "let");
}

const isVar = ({ api }: Work, { flags }: ts.Node): boolean =>
  (flags & api.NodeFlags.BlockScoped) === 0;

function eachText(work: Work, node: ts.ForInOrOfStatement): Code {
  const isOf = work.api.isForOfStatement(node);
  const all = expression(work, node.expression);
  const target = iterationTarget(work, node.initializer, isOf ? called(NOTHING) : plain(NOTHING));
  const { keyword, name, lines } = target;
  const source = isOf ? code`of $d.each(${asArgument(all)})` : code`in ${all.v}`;
  return block(code`for (${id(keyword)} ${name} ${source})`, [
    ...lines,
    ...body(work, node.statement),
  ]);
}

/**
 * `for await (const x of e) …  ->  const all = $d.eachAsync(e); for await (const each of all)`
 * `{ const x = $d.woke(each); … } $d.woke(all.end);`, as other executions may record meanwhile.
 */
function forAwaitText(work: Work, node: ts.ForOfStatement): Code {
  const all = freshName(work, "all");
  const name = freshName(work, "each");
  const source = asArgument(expression(work, node.expression));
  const lines = takenApart(work, node.initializer, called(code`$d.woke(${name})`));
  const loop = block(code`${labelsOf(work, node)}for await (const ${name} of ${all})`, [
    ...lines,
    ...body(work, node.statement),
  ]);
  return list(
    [code`const ${all} = $d.eachAsync(${source});`, loop, code`$d.woke(${all}.end);`],
    "\n",
  );
}
