// Lowers calls through methods: `g.call(o, x)`, `g.apply(o, xs)`, and methods of an array of
// functions, such as `fs.reduce((x, g) => g(x), x0)`.
// The function must be known. Output: the value; null where it is no such call.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { BOOL, NUM, num } from "../../ir/build.ts";
import type { Atom } from "../../ir/types.ts";
import { hypotOfArray, lowerArrayExtremum } from "../builtins/library.ts";
import { lowerArrayFrom } from "../builtins/construct.ts";
import { iterableAsArray } from "../builtins/iterate.ts";
import { applyCallback, applyAt, lowerExpr, spreadValues } from "../lowering.ts";
import { isFn, type Arg, type Fn } from "../function-values.ts";
import { inert, STRING, UNDEFINED } from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { argumentOf, selfOf } from "./known-functions.ts";
import { membersOf, type Members } from "./known-members.ts";
import { literalType } from "../objects/expected-types.ts";
import { arrayElementType } from "../objects/tuples.ts";
import { resolveFn } from "../resolve.ts";

interface Given {
  readonly value: Atom | null;
}

export function lowerIndirect(
  f: Frame,
  node: ts.CallExpression,
  callee: ts.PropertyAccessExpression,
  hint: string,
): Given | null {
  const method = callee.name.text;
  if (method === "call" || method === "apply") {
    const query = lowerObjectQuery(f, node, callee, hint);
    if (query !== null) return query;
    if (f.ctx.checker.getTypeAtLocation(callee.expression).getCallSignatures().length === 0)
      return null;
    const fn = resolveFn(f, callee.expression);
    if (fn === null || fn.kind === "members") return null;
    return {
      value: method === "call" ? lowerCallOf(f, fn, node, hint) : lowerApplyOf(f, fn, node, hint),
    };
  }
  const members =
    method === "map" || method === "forEach" || method === "reduce"
      ? membersOf(f, callee.expression)
      : null;
  return members === null || !members.isList || members.parts.has(method)
    ? null
    : { value: overMembers(f, members, method, node, hint) };
}

/** `Object.prototype.toString.call(v)`, and `hasOwnProperty` and `Array.prototype.slice` alike. */
function lowerObjectQuery(
  f: Frame,
  node: ts.CallExpression,
  callee: ts.PropertyAccessExpression,
  hint: string,
): Given | null {
  const text = callee.expression.getText().replace(/\s+/g, "");
  const [first, second] = node.arguments;
  if (callee.name.text !== "call" || first === undefined) return null;
  if (text === "Array.prototype.slice" || text === "[].slice")
    return sliced(f, first, node.arguments.slice(1), hint);
  if (text === "Object.prototype.toString")
    return {
      value: inert(
        f,
        hint,
        STRING,
        ["Object.prototype.toString.call(", ")"],
        [lowerExpr(f, first)],
      ),
    };
  if (text !== "Object.prototype.hasOwnProperty" || second === undefined) return null;
  const object = lowerExpr(f, first);
  return {
    value: inert(
      f,
      hint,
      BOOL,
      ["Object.prototype.hasOwnProperty.call(", ", ", ")"],
      [object, lowerExpr(f, second)],
    ),
  };
}

/** `Array.prototype.slice.call(arguments, 1)` */
function sliced(
  f: Frame,
  list: ts.Expression,
  bounds: readonly ts.Expression[],
  hint: string,
): Given | null {
  const given = lowerExpr(f, list);
  const shape = f.shape(given.type);
  const elem = arrayElementType(f, shape);
  if (elem === null) return f.refuse("TSG1111", list, f.textOf(list));
  // The slice of a typed array is an array.
  const object =
    shape.kind === "array" && shape.store === "Array"
      ? given
      : lowerArrayFrom(f, given, { kind: "array", store: "Array", elem }, "t");
  const [from = num(0), to = null] = bounds.map((bound) => lowerExpr(f, bound));
  return { value: f.let(hint, object.type, { kind: "slice", object, from, to }) };
}

function lowerCallOf(f: Frame, fn: Fn, node: ts.CallExpression, hint: string): Atom | null {
  const [first, ...rest] = node.arguments;
  const self = selfOf(f, first);
  const args = rest.map((argument) => argumentOf(f, argument));
  return applyAt(f, fn, args, { at: node, hint, self });
}

function lowerApplyOf(f: Frame, fn: Fn, node: ts.CallExpression, hint: string): Atom | null {
  const [first, list] = node.arguments;
  const self = selfOf(f, first);
  const site = { at: node, hint, self };
  if (list === undefined) return applyAt(f, fn, [], site);
  const literal = bare(list, f.api);
  if (
    f.api.isArrayLiteralExpression(literal) &&
    !literal.elements.some((each) => f.api.isSpreadElement(each) || f.api.isOmittedExpression(each))
  ) {
    const args = literal.elements.map((element) => argumentOf(f, element));
    return applyAt(f, fn, args, site);
  }
  const path = fn.kind === "builtin" ? fn.path : null;
  const isArray = (): boolean => f.shape(f.ctx.typeOf(literal)).kind === "array";
  if ((path === "Math.max" || path === "Math.min") && isArray())
    return lowerArrayExtremum(f, path, list);
  if (path === "Math.hypot" && isArray())
    return hypotOfArray(f, iterableAsArray(f, list).atom, node, hint);
  return applyAt(f, fn, spreadValues(f, node, list), site);
}

/** The method unrolled over the functions. */
function overMembers(
  f: Frame,
  members: Members,
  method: string,
  node: ts.CallExpression,
  hint: string,
): Atom | null {
  const [callback, start] = node.arguments;
  const fn = callback === undefined ? null : resolveFn(f, callback);
  if (callback === undefined || fn === null)
    return f.refuse("TSG1209", callback ?? node, "which function it is, is not known here");
  const parts = [...members.parts.values()];
  if (method === "reduce") {
    const [first, ...others] = parts;
    const seed: Arg =
      start === undefined
        ? (first ?? f.refuse("TSG1209", node, "there is nothing to reduce"))
        : argumentOf(f, start);
    const from = start === undefined ? 1 : 0;
    const result = (start === undefined ? others : parts).reduce<Arg>(
      (value, part, at) => applyCallback(f, fn, [value, part, num(at + from)], node) ?? UNDEFINED,
      seed,
    );
    return isFn(result) ? f.refuse("TSG1124", node, f.textOf(node)) : result;
  }
  const values = parts.map((part, at) => applyCallback(f, fn, [part, num(at)], node));
  if (method === "forEach") return null;
  const type = literalType(f, node, ["array"]);
  return f.let(
    hint,
    f.shape(type).kind === "array"
      ? type
      : { kind: "array", store: "Array", elem: values[0]?.type ?? NUM },
    { kind: "array", parts: values.map((atom) => ({ atom: atom ?? UNDEFINED, spread: false })) },
  );
}
