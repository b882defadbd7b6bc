// Rewrites `map`, `reduce`, `forEach` with an inline arrow function. In: array and function. Out:
// `$d.mapped(list, ($, x) => …)`, which needs no function value.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { type Code, code, list } from "../code/code.ts";
import { plainFunction } from "./function.ts";
import { asArgument, called, type Pair } from "./pair.ts";
import { type Work } from "./work.ts";

export function listCall(
  work: Work,
  callee: ts.Expression,
  object: Pair,
  args: readonly ts.Expression[],
  pairsOf: (args: readonly ts.Expression[]) => readonly Code[],
): Pair | null {
  const { api } = work;
  const [given, start] = args;
  const f = given === undefined ? null : inlineArrow(work, given);
  if (f === null || !api.isPropertyAccessExpression(callee) || !isArray(work, callee.expression))
    return null;
  const method = METHODS.get(callee.name.text);
  if (method === undefined || args.length > method.most) return null;
  if (start !== undefined && api.isSpreadElement(start)) return null;
  const own = plainFunction(work, f, { typedThis: false, parent: "none" });
  const first = pairsOf(start === undefined ? [] : [start]);
  return called(code`$d.${method.entry}(${list([asArgument(object), own, ...first])})`);
}

const METHODS: ReadonlyMap<string, { readonly entry: Code; readonly most: number }> = new Map([
  ["forEach", { entry: code`visited`, most: 1 }],
  ["map", { entry: code`mapped`, most: 1 }],
  ["reduce", { entry: code`reduced`, most: 2 }],
]);

function inlineArrow({ api, isUntyped }: Work, given: ts.Expression): ts.ArrowFunction | null {
  const f = bare(given, api);
  return !isUntyped && api.isArrowFunction(f) && (api.getModifiers(f) ?? []).length === 0
    ? f
    : null;
}

const isArray = ({ context: { checker } }: Work, node: ts.Expression): boolean =>
  checker?.isArrayType(checker.getTypeAtLocation(node)) === true;
