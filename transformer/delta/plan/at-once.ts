// Code that runs in one run of the tape with the function around it. In: a function and a place inside of it. Out: whether whatever the function found out about the run is still so there.
// Invariant: unsure means no. Between the two stand nothing but arrow functions that methods of lists call before they return.

import type ts from "typescript";
import { functionOf } from "../captures.ts";
import { isListLike } from "../types/leaves.ts";
import { unwrapped, type Work } from "../work.ts";

/** Methods of lists that write nothing into them. */
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

/** Runs from beginning to end when it is called. */
const isAtOnce = ({ api }: Work, node: ts.Node): boolean =>
  api.isFunctionLike(node) &&
  !("asteriskToken" in node && node.asteriskToken !== undefined) &&
  !(
    api.canHaveModifiers(node) &&
    (api.getModifiers(node) ?? []).some(({ kind }) => kind === api.SyntaxKind.AsyncKeyword)
  );

/** `list.map(x => …)`: it runs while the method does. */
function isForList(work: Work, node: ts.Node): boolean {
  const call = node.parent;
  return work.api.isCallExpression(call) && call.arguments[0] === node && readsList(work, call);
}

/** A call of a method that writes nothing into the list that it is of. */
export function readsList(work: Work, call: ts.CallExpression): boolean {
  const { api } = work;
  const callee = unwrapped(work, call.expression);
  return (
    api.isPropertyAccessExpression(callee) &&
    READING.has(callee.name.text) &&
    isListLike(api, work.context.checker, callee.expression)
  );
}
