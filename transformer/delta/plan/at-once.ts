// Decides whether code executes during its function's call. In: a function and a node in it.
// Out: yes or no. Invariant: unsure means no; only callbacks of array methods may be in between.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { functionOf } from "../captures.ts";
import { isListLike } from "../types/leaves.ts";
import { type Work } from "../work.ts";

/** Array methods that do not mutate the array. */
export const READING: ReadonlySet<string> = new Set([
  "at",
  "concat",
  "entries",
  "every",
  "filter",
  "find",
  "findIndex",
  "flat",
  "flatMap",
  "forEach",
  "includes",
  "indexOf",
  "join",
  "keys",
  "map",
  "reduce",
  "reduceRight",
  "slice",
  "some",
  "values",
]);

export function runsWithin(work: Work, own: ts.Node, at: ts.Node): boolean {
  const { api } = work;
  if (!isAtOnce(work, own)) return false;
  for (let around = functionOf(api, at); around !== own; around = functionOf(api, around)) {
    if (!api.isArrowFunction(around) || !isAtOnce(work, around) || !isForList(work, around))
      return false;
  }
  return true;
}

/** Whether it is neither a generator nor async. */
const isAtOnce = ({ api }: Work, node: ts.Node): boolean =>
  api.isFunctionLike(node) &&
  !("asteriskToken" in node && node.asteriskToken !== undefined) &&
  !(
    api.canHaveModifiers(node) &&
    (api.getModifiers(node) ?? []).some(({ kind }) => kind === api.SyntaxKind.AsyncKeyword)
  );

/** Whether it is a callback of an array method: `list.map((x) => …)`. */
function isForList(work: Work, node: ts.Node): boolean {
  const call = node.parent;
  return work.api.isCallExpression(call) && call.arguments[0] === node && readsList(work, call);
}

/** Whether it calls an array method that does not mutate the array. */
export function readsList(work: Work, call: ts.CallExpression): boolean {
  const { api } = work;
  const callee = bare(call.expression, work.api);
  return (
    api.isPropertyAccessExpression(callee) &&
    READING.has(callee.name.text) &&
    isListLike(api, work.context.checker, callee.expression)
  );
}
