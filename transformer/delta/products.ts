// Loops that add up the products of two lists, element by element. In: a loop with a sum, as text. Out: the loop without steps of the sum's id, and what makes its node behind the loop:
// `for (let i = 0; i < n; i++) s += a[i] * b[i]` with `s$id = $d.dotted(s$id, a, a$ids.ids, b, b$ids.ids, n);`. Invariant: the loop does nothing else, so that lists, ids and n are then what
// they were; a step that reads other ids than those of `a[i]` and `b[i]` is none of these.

import type ts from "typescript";
import type { Variable } from "./binding.ts";
import { expression } from "./expression.ts";
import { readsOf } from "./handles.ts";
import { asArgument } from "./pair.ts";
import { reading } from "./temporaries.ts";
import { unwrapped, type Work } from "./work.ts";

export interface Product {
  /** The loop, in which nothing is recorded. */
  readonly loop: string;
  /** The id of the sum behind it. */
  readonly id: string;
}

export function productOf(work: Work, loop: ts.Node, sum: Variable, text: string): Product | null {
  const { api } = work, counted = api.isForStatement(loop) ? countOf(work, loop, sum) : null;
  if (counted === null || !api.isForStatement(loop)) return null;
  const { index, count } = counted, lists = factorsOf(work, loop.statement, sum, index);
  if (lists === null) return null;
  const own = `${sum.name}$id`, [a, b] = lists, idOf = ({ handle }: Variable): string => `(${reading(handle)}.ids[${index.name}] ?? 0)`;
  const terms: readonly (readonly [Variable, Variable])[] = [[a, b], [b, a]];
  for (const active of [terms, terms.slice(0, 1), terms.slice(1)]) {
    const step = `${own} = $d.sum${active.length}(${own}${active.map(([of, by]) => `, ${idOf(of)}, ${by.name}[${index.name}]`).join("")});`;
    if (!text.includes(step)) continue;
    const idsOf = (list: Variable): string => (active.some(([of]) => of === list) ? `${reading(list.handle)}.ids` : "[]");
    return { loop: text.replace(step, () => ""), id: `$d.dotted(${own}, ${a.name}, ${idsOf(a)}, ${b.name}, ${idsOf(b)}, ${count})` };
  }
  return null;
}

/** `for (let i = 0; i < n; i++)` */
function countOf(work: Work, { initializer, condition, incrementor }: ts.ForStatement, sum: Variable): { readonly index: Variable; readonly count: string } | null {
  const { api, bindings } = work, k = api.SyntaxKind;
  const [first, ...others] = initializer !== undefined && api.isVariableDeclarationList(initializer) && (initializer.flags & api.NodeFlags.Let) !== 0 ? initializer.declarations : [];
  if (first?.initializer === undefined || others.length > 0 || !api.isIdentifier(first.name) || !api.isNumericLiteral(first.initializer) || first.initializer.text !== "0") return null;
  const index = bindings.find(first.name);
  if (index === null || condition === undefined || !api.isBinaryExpression(condition) || condition.operatorToken.kind !== k.LessThanToken || !isName(work, condition.left, index)) return null;
  const isStep = incrementor !== undefined && (api.isPostfixUnaryExpression(incrementor) || api.isPrefixUnaryExpression(incrementor)) && incrementor.operator === k.PlusPlusToken && isName(work, incrementor.operand, index);
  const reads = readsOf(work, condition.right), count = expression(work, condition.right);
  return !isStep || reads === null || reads.includes(index) || reads.includes(sum) || !count.pure || count.number !== true ? null : { index, count: asArgument(count) };
}

/** `s += a[i] * b[i];`, `s = s + a[i] * b[i];` */
function factorsOf(work: Work, body: ts.Statement, sum: Variable, index: Variable): readonly [Variable, Variable] | null {
  const { api } = work, k = api.SyntaxKind, only = api.isBlock(body) && body.statements.length === 1 ? body.statements[0] : body;
  const step = only !== undefined && api.isExpressionStatement(only) ? unwrapped(work, only.expression) : null;
  if (step === null || !api.isBinaryExpression(step) || !isName(work, step.left, sum)) return null;
  const plus = unwrapped(work, step.right), isPlus = api.isBinaryExpression(plus) && plus.operatorToken.kind === k.PlusToken && isName(work, plus.left, sum);
  const added = step.operatorToken.kind === k.PlusEqualsToken ? plus : step.operatorToken.kind === k.EqualsToken && isPlus ? unwrapped(work, plus.right) : null;
  if (added === null || !api.isBinaryExpression(added) || added.operatorToken.kind !== k.AsteriskToken) return null;
  const a = listAt(work, added.left, index), b = listAt(work, added.right, index);
  return a === null || b === null || a === b ? null : [a, b];
}

/** The list of `list[i]`. */
function listAt(work: Work, node: ts.Expression, index: Variable): Variable | null {
  const { api, bindings } = work, inner = unwrapped(work, node);
  if (!api.isElementAccessExpression(inner) || inner.questionDotToken !== undefined || !isName(work, inner.argumentExpression, index)) return null;
  const list = unwrapped(work, inner.expression);
  return api.isIdentifier(list) ? bindings.find(list) : null;
}

function isName(work: Work, node: ts.Node, variable: Variable): boolean {
  const { api, bindings } = work;
  let inner = node;
  while (api.isParenthesizedExpression(inner) || api.isNonNullExpression(inner)) inner = inner.expression;
  return api.isIdentifier(inner) && bindings.find(inner) === variable;
}
