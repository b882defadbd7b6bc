// Turns loop accumulators into one node. In: an assignment to a local, `s += e`. Out: the same with
// the id `$d.sum2(s$id, …)`, each step a term of that node, and `$d.newSums();` before the loop.
// Invariant: only the next step reads the accumulator's id; no nested function names it.

import type ts from "typescript";
import type { Variable } from "./binding.ts";
import { capturesOf, functionOf } from "./captures.ts";
import type { Pair } from "./pair.ts";
import { productOf } from "./products.ts";
import { put } from "../code/temporaries.ts";
import { temporary, type Work } from "./work.ts";
import { marked, unchecked } from "./unchecked.ts";

/** What `s` becomes where the value is `s` plus one or two terms. */
export function asSum(work: Work, target: ts.Identifier, variable: Variable, value: Pair): Pair {
  const terms = callsOthers(work.api, target.parent) ? null : termsOf(variable.id, value);
  const loop = terms === null ? null : loopOfSum(work, target, variable);
  if (terms === null || loop === null) return value;
  if (!work.sums.has(loop)) work.sums.set(loop, variable);
  return { ...value, i: unchecked(terms) };
}

/** Whether it calls more than `Math`: what such a call records is newer than the sum's node. */
const callsOthers = (api: typeof ts, node: ts.Node): boolean =>
  (api.isCallExpression(node) && !isOfMath(api, node)) ||
  (api.forEachChild(node, (child) => callsOthers(api, child) || undefined) ?? false);

/** `$d.sum2(s$id, …)` where the value is the old `s` plus one or two terms; else null. */
export function termsOf(own: string, { linear }: Pair): string | null {
  const partials = linear?.partials;
  if (
    partials === undefined ||
    partials.get(own)?.text !== "1" ||
    partials.size < 2 ||
    partials.size > 3
  )
    return null;
  const terms = [...partials]
    .filter(([id]) => id !== own)
    .map(([id, partial]) => `, ${id}, ${partial.text}`);
  return `$d.sum${terms.length}(${own}${terms.join("")})`;
}

export function loopWithSums(work: Work, loop: ts.IterationStatement, text: string): string[] {
  const variable = work.sums.get(loop);
  if (variable === undefined) return [marked(loop, text)];
  return isAlone(work, loop, variable, text)
    ? behindLoop(work, loop, variable, text)
    : ["$d.newSums();", marked(loop, text)];
}

/** Entries of the runtime that need no terms of their own. */
const ALONE =
  /\$d\.(?:linear[12]|indexed|walked|plainly|get|idsOf|idAt|fieldIds|exp|log|sqrt|sin|cos|tan|tanh|abs|max2|min2|id\b)/g;

/** Whether the loop has one accumulator, no other terms, ends normally and is outside of `try`. */
function isAlone(
  { api, bindings }: Work,
  loop: ts.IterationStatement,
  variable: Variable,
  text: string,
): boolean {
  const others = text.replace(stepsOf(variable), "");
  const rest = others.replace(ALONE, "");
  if (others === text || rest.includes("$d.") || rest.includes(variable.id)) return false;
  return (
    isPlain(api, loop, false) &&
    !isTried(api, loop) &&
    bindings.all.filter(({ name }) => name === variable.name).length === 1
  );
}

/** Whether code runs to its end and calls only `Math`. `isWhole`: inner loops do not `break`. */
export function isPlain(api: typeof ts, node: ts.Node, isWhole: boolean): boolean {
  if (api.isCallExpression(node))
    return isOfMath(api, node) && node.arguments.every((arg) => isPlain(api, arg, isWhole));
  if (
    api.isReturnStatement(node) ||
    api.isThrowStatement(node) ||
    api.isTryStatement(node) ||
    api.isNewExpression(node) ||
    api.isTaggedTemplateExpression(node) ||
    api.isFunctionLike(node) ||
    api.isClassLike(node)
  )
    return false;
  if (api.isAwaitExpression(node) || api.isYieldExpression(node)) return false;
  if (
    (api.isBreakStatement(node) && isWhole) ||
    ((api.isBreakStatement(node) || api.isContinueStatement(node)) && node.label !== undefined)
  )
    return false;
  return (
    api.forEachChild(node, (child) => !isPlain(api, child, isWhole) || undefined) === undefined
  );
}

/** Matches the beginnings of an accumulator's steps. */
function stepsOf(variable: Variable): RegExp {
  const id = variable.id.replaceAll("$", "\\$");
  return new RegExp(`(?<![\\p{ID_Continue}$])${id} = \\$d\\.sum([12])\\(${id}, `, "gu");
}

const isOfMath = (api: typeof ts, { expression: callee }: ts.CallExpression): boolean =>
  api.isPropertyAccessExpression(callee) &&
  api.isIdentifier(callee.expression) &&
  callee.expression.text === "Math";

export function isTried(api: typeof ts, node: ts.Node): boolean {
  for (let at = node.parent; !api.isFunctionLike(at) && !api.isSourceFile(at); at = at.parent)
    if (api.isTryStatement(at)) return true;
  return false;
}

/**
 * `for (…) s$id = $d.sum1(s$id, p, u)  ->`
 * `t1 = t = $d.firstTerm(); for (…) t = $d.addTerm(t, p, u); s$id = $d.summed(s$id, t1, t);`
 */
function behindLoop(
  work: Work,
  loop: ts.IterationStatement,
  variable: Variable,
  text: string,
): string[] {
  const ordinary = (): readonly string[] => {
    const first = temporary(work);
    const at = temporary(work);
    const { id } = variable;
    const own = text.replace(stepsOf(variable), (_step, count) =>
      put(at, unchecked(`$d.addTerm${count === "2" ? "s" : ""}(${at}, `)),
    );
    return [
      `${put(first, put(at, unchecked("$d.firstTerm()")))};`,
      marked(loop, own),
      `${id} = $d.summed(${id}, ${first}, ${at});`,
    ];
  };
  const [first, ...others] = productOf(work, loop, variable, text)?.(ordinary) ?? ordinary();
  return first === undefined ? [] : [marked(loop, first), ...others];
}

/** The innermost loop around a step, or null. A label excludes it: nothing can precede the loop. */
export function loopOfSum(work: Work, target: ts.Identifier, variable: Variable): ts.Node | null {
  const { api, frame } = work;
  const { declaration } = variable;
  if (
    frame.isAsync ||
    frame.isGenerator ||
    functionOf(api, declaration) !== functionOf(api, target) ||
    capturesOf(api, variable)
  )
    return null;
  let at: ts.Node = target;
  while (!api.isIterationStatement(at.parent, false)) {
    if (api.isFunctionLike(at) || api.isSourceFile(at.parent)) return null;
    at = at.parent;
  }
  const loop = at.parent;
  const isOutside = declaration.end <= loop.pos || declaration.pos >= loop.end;
  return loop.statement === at &&
    isOutside &&
    !api.isLabeledStatement(loop.parent) &&
    isHeld(work, loop, variable)
    ? loop
    : null;
}

/** Whether every use of the local in the node leaves its id unchanged. */
function isHeld(work: Work, node: ts.Node, variable: Variable): boolean {
  const { api } = work;
  if (api.isIdentifier(node))
    return (
      node.text !== variable.name ||
      isName(work, node) ||
      work.bindings.find(node) !== variable ||
      isHarmless(work, node)
    );
  return (
    api.forEachChild(node, (child) => !isHeld(work, child, variable) || undefined) === undefined
  );
}

const isName = ({ api }: Work, node: ts.Identifier): boolean =>
  api.isPropertyAccessExpression(node.parent) && node.parent.name === node;

/** `s += e;`, `s = e;`, `s = s + e;`, `s < e` */
function isHarmless({ api }: Work, node: ts.Identifier): boolean {
  const k = api.SyntaxKind;
  let at: ts.Node = node;
  while (
    api.isBinaryExpression(at.parent) &&
    at.parent.left === at &&
    [k.PlusToken, k.MinusToken].includes(at.parent.operatorToken.kind)
  )
    at = at.parent;
  const { parent } = at;
  if (!api.isBinaryExpression(parent)) return false;
  const operator = parent.operatorToken.kind;
  const isStatement = api.isExpressionStatement(parent.parent);
  if (at !== node)
    return (
      isStatement &&
      operator === k.EqualsToken &&
      parent.right === at &&
      api.isIdentifier(parent.left) &&
      parent.left.text === node.text
    );
  if (
    parent.left === at &&
    isStatement &&
    [k.EqualsToken, k.PlusEqualsToken, k.MinusEqualsToken].includes(operator)
  )
    return true;
  return [
    k.LessThanToken,
    k.GreaterThanToken,
    k.LessThanEqualsToken,
    k.GreaterThanEqualsToken,
  ].includes(operator);
}
