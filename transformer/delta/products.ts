// Replaces the steps of a dot-product loop by one node after it. In: a loop `for (let i = 0; i < n;
// i++) s += a[i] * b[i]`. Out: also `s$id = $d.dotted(s$id, a, a$ids.ids, b, b$ids.ids, n);`.
// Places such as `rows[k]` are read before the loop; squares of an array become one call.
// Invariant: the loop does nothing else.

import type ts from "typescript";
import type { Variable } from "./binding.ts";
import { expression } from "./expression.ts";
import { fieldsHandle, isDataField, readsOf } from "./handles.ts";
import { dataField } from "./types/inert.ts";
import { isLeaf, isListLike, isListOfNumbers, isNumber } from "./types/leaves.ts";
import { indexedIn } from "./lists.ts";
import { asArgument } from "./pair.ts";
import { reading } from "../code/temporaries.ts";
import { freshName, unwrapped, type Work } from "./work.ts";
import { block, unchecked } from "./unchecked.ts";

/** Lines of a loop; `ordinary` gives the unchanged form. */
export type Product = (ordinary: () => readonly string[]) => readonly string[];

/** `list[i]` */
interface Factor {
  readonly node: ts.ElementAccessExpression;
  readonly list: ts.Expression;
}

interface Counted {
  readonly index: Variable;
  readonly below: ts.Expression;
}

export function productOf(work: Work, loop: ts.Node, sum: Variable, text: string): Product | null {
  const { api } = work;
  if (api.isForOfStatement(loop)) return ofSquares(work, loop, sum, text);
  const counted = api.isForStatement(loop) ? countOf(work, loop) : null;
  const factors =
    counted === null || !api.isForStatement(loop)
      ? null
      : factorsOf(work, loop.statement, sum, counted.index);
  if (counted === null || factors === null) return null;
  return ofLocals(work, factors, counted, sum, text) ?? ofPlaces(work, factors, counted, sum);
}

/** `for (const x of xs) s += x * x;  ->  s = $d.squares(s, s$id, $d.indexed(xs)); s$id = $d.id;` */
function ofSquares(
  work: Work,
  { initializer, statement }: ts.ForOfStatement,
  sum: Variable,
  text: string,
): Product | null {
  const { api, bindings } = work;
  const name = api.isVariableDeclarationList(initializer)
    ? initializer.declarations[0]?.name
    : undefined;
  const x = name !== undefined && api.isIdentifier(name) ? bindings.find(name) : null;
  const added = x === null ? null : addedIn(work, statement, sum);
  const list = indexedIn(unchecked(text));
  const own = sum.id;
  if (
    x === null ||
    x.written ||
    list === null ||
    added === null ||
    !api.isBinaryExpression(added) ||
    added.operatorToken.kind !== api.SyntaxKind.AsteriskToken
  )
    return null;
  if (
    !isName(work, added.left, x) ||
    !isName(work, added.right, x) ||
    !text.includes(`${own} = $d.sum1(${own}, ${x.id}, ${x.name} + ${x.name});`)
  )
    return null;
  return () => [`${sum.name} = $d.squares(${sum.name}, ${own}, ${list});`, `${own} = $d.id;`];
}

/** Arrays that are locals. */
function ofLocals(
  work: Work,
  factors: readonly [Factor, Factor],
  { index, below }: Counted,
  sum: Variable,
  text: string,
): Product | null {
  const [a, b] = factors.map(({ list }) =>
    work.api.isIdentifier(list) ? work.bindings.find(list) : null,
  );
  const count = countText(work, below, index, sum);
  if (a === null || b === null || a === undefined || b === undefined || a === b || count === null)
    return null;
  const own = sum.id;
  const idOf = ({ handle }: Variable): string => `(${reading(handle)}.ids[${index.name}] ?? 0)`;
  const terms: readonly (readonly [Variable, Variable])[] = [
    [a, b],
    [b, a],
  ];
  for (const active of [terms, terms.slice(0, 1), terms.slice(1)]) {
    const step = `${own} = $d.sum${active.length}(${own}${active.map(([of, by]) => `, ${idOf(of)}, ${by.name}[${index.name}]`).join("")});`;
    if (!text.includes(step)) continue;
    const idsOf = (list: Variable): string =>
      active.some(([of]) => of === list) ? `${reading(list.handle)}.ids` : "[]";
    return () => [
      text.replace(step, () => ""),
      `${own} = $d.dotted(${own}, ${a.name}, ${idsOf(a)}, ${b.name}, ${idsOf(b)}, ${count});`,
    ];
  }
  return null;
}

/** Arrays in places that nothing assigns meanwhile. */
function ofPlaces(
  work: Work,
  factors: readonly [Factor, Factor],
  { index, below }: Counted,
  sum: Variable,
): Product | null {
  const {
    api,
    any,
    context: { checker },
  } = work;
  const own = sum.id;
  const guards: string[] = [];
  const before: string[] = [];
  const lists: string[] = [];
  const ids: string[] = [];
  for (const { node, list } of factors) {
    if (!isListOfNumbers(api, checker, list) || !isNumber(api, checker, node)) return null;
    const place = placeOf(work, list, [index, sum], guards);
    const name = place === null || api.isIdentifier(list) ? place : freshName(work, "t");
    if (place === null || name === null) return null;
    if (name !== place) before.push(`const ${name}${any} = ${place};`);
    lists.push(name);
    ids.push(expression(work, node).i === "0" ? "[]" : `$d.idsOf(${name}).ids`);
  }
  const [a, b] = lists;
  const inner =
    api.isPropertyAccessExpression(below) && below.name.text === "length"
      ? unwrapped(work, below.expression)
      : null;
  const place =
    inner === null || !isListLike(api, checker, inner)
      ? null
      : placeOf(work, inner, [index, sum], guards);
  const count = place === null ? countText(work, below, index, sum) : `${place}.length`;
  if (a === undefined || b === undefined || count === null) return null;
  const i = index.name;
  const loop = block(`for (let ${i}${any} = 0; ${i} < ${count}; ${i}++)`, [
    `${sum.name} = ${sum.name} + ${a}[${i}] * ${b}[${i}];`,
  ]);
  const lines = [
    ...before,
    loop,
    `${own} = $d.dotted(${own}, ${a}, ${ids[0] ?? "[]"}, ${b}, ${ids[1] ?? "[]"}, ${count});`,
  ];
  return (ordinary) => [
    guards.length === 0
      ? block("", lines).trimStart()
      : `${block(`if (${[...new Set(guards)].join(" && ")})`, lines)} ${block("else", ordinary())}`,
  ];
}

/** `o.weights`, `rows[k]` that nothing assigns, or null. `guards`: tests for data properties. */
function placeOf(
  work: Work,
  node: ts.Expression,
  moved: readonly Variable[],
  guards: string[],
): string | null {
  const {
    api,
    context: { checker },
  } = work;
  const inner = unwrapped(work, node);
  if (api.isIdentifier(inner)) {
    const variable = work.bindings.find(inner);
    if (variable === null || moved.includes(variable)) return null;
    variable.isRead = true;
    return variable.name;
  }
  if (api.isElementAccessExpression(inner) && inner.questionDotToken === undefined) {
    const reads = readsOf(work, inner.argumentExpression);
    const list =
      isLeaf(api, checker, inner) && isListLike(api, checker, inner.expression)
        ? placeOf(work, inner.expression, moved, guards)
        : null;
    const index = expression(work, inner.argumentExpression);
    return list === null ||
      reads === null ||
      reads.some((variable) => moved.includes(variable)) ||
      !index.pure ||
      index.number !== true
      ? null
      : `${list}[${asArgument(index)}]`;
  }
  if (
    !api.isPropertyAccessExpression(inner) ||
    inner.questionDotToken !== undefined ||
    !api.isIdentifier(inner.expression) ||
    inner.name.text in Object.prototype
  )
    return null;
  const record = work.bindings.find(inner.expression);
  const data = dataField(work, inner, expression(work, inner.expression));
  if (data !== null) return data.pure ? data.v : null;
  const fields =
    record === null || !isDataField(api, checker?.getSymbolAtLocation(inner.name))
      ? null
      : fieldsHandle(work, record, inner);
  if (record === null || fields === null) return null;
  record.isRead = true;
  guards.push(`${fields}.${inner.name.text} !== undefined`);
  return `${record.name}.${inner.name.text}`;
}

/** `for (let i = 0; i < n; i++)` */
function countOf(
  work: Work,
  { initializer, condition, incrementor }: ts.ForStatement,
): Counted | null {
  const { api, bindings } = work;
  const k = api.SyntaxKind;
  const [first, ...others] =
    initializer !== undefined &&
    api.isVariableDeclarationList(initializer) &&
    (initializer.flags & api.NodeFlags.Let) !== 0
      ? initializer.declarations
      : [];
  if (
    first?.initializer === undefined ||
    others.length > 0 ||
    !api.isIdentifier(first.name) ||
    !api.isNumericLiteral(first.initializer) ||
    first.initializer.text !== "0"
  )
    return null;
  const index = bindings.find(first.name);
  if (
    index === null ||
    condition === undefined ||
    !api.isBinaryExpression(condition) ||
    condition.operatorToken.kind !== k.LessThanToken ||
    !isName(work, condition.left, index)
  )
    return null;
  const isStep =
    incrementor !== undefined &&
    (api.isPostfixUnaryExpression(incrementor) || api.isPrefixUnaryExpression(incrementor)) &&
    incrementor.operator === k.PlusPlusToken &&
    isName(work, incrementor.operand, index);
  return isStep ? { index, below: unwrapped(work, condition.right) } : null;
}

/** Arithmetic of locals that the loop does not assign. */
function countText(
  work: Work,
  below: ts.Expression,
  index: Variable,
  sum: Variable,
): string | null {
  const reads = readsOf(work, below);
  const count = expression(work, below);
  return reads === null ||
    reads.includes(index) ||
    reads.includes(sum) ||
    !count.pure ||
    count.number !== true
    ? null
    : asArgument(count);
}

/** `s += a[i] * b[i];`, `s = s + a[i] * b[i];` */
function factorsOf(
  work: Work,
  body: ts.Statement,
  sum: Variable,
  index: Variable,
): readonly [Factor, Factor] | null {
  const { api } = work;
  const added = addedIn(work, body, sum);
  if (
    added === null ||
    !api.isBinaryExpression(added) ||
    added.operatorToken.kind !== api.SyntaxKind.AsteriskToken
  )
    return null;
  const a = factorOf(work, added.left, index);
  const b = factorOf(work, added.right, index);
  return a === null || b === null ? null : [a, b];
}

/** `e` of `s += e;`, `s = s + e;` */
function addedIn(work: Work, body: ts.Statement, sum: Variable): ts.Expression | null {
  const { api } = work;
  const k = api.SyntaxKind;
  const only = api.isBlock(body) && body.statements.length === 1 ? body.statements[0] : body;
  const step =
    only !== undefined && api.isExpressionStatement(only) ? unwrapped(work, only.expression) : null;
  if (step === null || !api.isBinaryExpression(step) || !isName(work, step.left, sum)) return null;
  const plus = unwrapped(work, step.right);
  const isPlus =
    api.isBinaryExpression(plus) &&
    plus.operatorToken.kind === k.PlusToken &&
    isName(work, plus.left, sum);
  return step.operatorToken.kind === k.PlusEqualsToken
    ? plus
    : step.operatorToken.kind === k.EqualsToken && isPlus
      ? unwrapped(work, plus.right)
      : null;
}

function factorOf(work: Work, node: ts.Expression, index: Variable): Factor | null {
  const { api } = work;
  const inner = unwrapped(work, node);
  if (
    !api.isElementAccessExpression(inner) ||
    inner.questionDotToken !== undefined ||
    !isName(work, inner.argumentExpression, index)
  )
    return null;
  return { node: inner, list: unwrapped(work, inner.expression) };
}

function isName(work: Work, node: ts.Node, variable: Variable): boolean {
  const { api, bindings } = work;
  let inner = node;
  while (api.isParenthesizedExpression(inner) || api.isNonNullExpression(inner))
    inner = inner.expression;
  return api.isIdentifier(inner) && bindings.find(inner) === variable;
}
