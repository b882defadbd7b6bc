// Calls that go through a method: `g.call(o, x)`, `g.apply(o, xs)`, and methods of a list of functions (`fs.reduce((x, g) => g(x), x0)`).
// In: the call. Out: its value; null where it is no such call. Invariant: the function is known, and arguments are evaluated in JavaScript's order.

import type ts from "typescript";
import { BOOL, NUM, num } from "../../ir/build.ts";
import type { Atom } from "../../ir/types.ts";
import { hypotOfList, lowerArrayExtremum } from "../builtins/library.ts";
import { lowerArrayFrom } from "../builtins/construct.ts";
import { iterableAsArray } from "../builtins/iterate.ts";
import { applyCallback, applyFn, isFn, type Arg } from "./closures.ts";
import { inert, STRING, UNDEFINED } from "../coerce.ts";
import { lowerExpr } from "../expression.ts";
import type { Fn, Frame } from "../frame.ts";
import { argumentOf, membersOf, selfOf, type Members } from "./known-functions.ts";
import { literalType } from "../objects/literals.ts";
import { listElement } from "../objects/places.ts";
import { opened, resolveFn } from "../resolve.ts";
import { spreadValues } from "../calls.ts";

interface Given {
  readonly value: Atom | null;
}

export function lowerIndirect(
  f: Frame,
  node: ts.CallExpression,
  callee: ts.PropertyAccessExpression,
  wanted: string,
): Given | null {
  const method = callee.name.text;
  if (method === "call" || method === "apply") {
    const asked = lowerAsked(f, node, callee, wanted);
    if (asked !== null) return asked;
    if (f.ctx.checker.getTypeAtLocation(callee.expression).getCallSignatures().length === 0)
      return null;
    const fn = resolveFn(f, callee.expression);
    if (fn === null || fn.kind === "members") return null;
    return {
      value:
        method === "call" ? lowerCallOf(f, fn, node, wanted) : lowerApplyOf(f, fn, node, wanted),
    };
  }
  const members =
    method === "map" || method === "forEach" || method === "reduce"
      ? membersOf(f, callee.expression)
      : null;
  return members === null || !members.isList || members.parts.has(method)
    ? null
    : { value: overMembers(f, members, method, node, wanted) };
}

/** `Object.prototype.toString.call(v)`, `Object.prototype.hasOwnProperty.call(o, k)`: what they say is no number. */
function lowerAsked(
  f: Frame,
  node: ts.CallExpression,
  callee: ts.PropertyAccessExpression,
  wanted: string,
): Given | null {
  const text = callee.expression.getText().replace(/\s+/g, "");
  const [first, second] = node.arguments;
  if (callee.name.text !== "call" || first === undefined) return null;
  if (text === "Array.prototype.slice" || text === "[].slice")
    return sliced(f, first, node.arguments.slice(1), wanted);
  if (text === "Object.prototype.toString")
    return {
      value: inert(
        f,
        wanted,
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
      wanted,
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
  wanted: string,
): Given | null {
  const given = lowerExpr(f, list);
  const shape = f.shape(given.type);
  const elem = listElement(f, shape);
  if (elem === null) return f.refuse("TSG1111", list, f.textOf(list));
  // of a typed array it makes an array
  const object =
    shape.kind === "array" && shape.store === "Array"
      ? given
      : lowerArrayFrom(f, given, { kind: "array", store: "Array", elem }, "t");
  const [from = num(0), to = null] = bounds.map((bound) => lowerExpr(f, bound));
  return { value: f.let(wanted, object.type, { kind: "slice", object, from, to }) };
}

function lowerCallOf(f: Frame, fn: Fn, node: ts.CallExpression, wanted: string): Atom | null {
  const [first, ...rest] = node.arguments;
  const self = selfOf(f, first);
  return applyFn(
    f,
    fn,
    rest.map((argument) => argumentOf(f, argument)),
    node,
    wanted,
    self,
  );
}

function lowerApplyOf(f: Frame, fn: Fn, node: ts.CallExpression, wanted: string): Atom | null {
  const [first, list] = node.arguments;
  const self = selfOf(f, first);
  if (list === undefined) return applyFn(f, fn, [], node, wanted, self);
  const literal = opened(f, list);
  if (
    f.api.isArrayLiteralExpression(literal) &&
    !literal.elements.some((each) => f.api.isSpreadElement(each) || f.api.isOmittedExpression(each))
  ) {
    return applyFn(
      f,
      fn,
      literal.elements.map((element) => argumentOf(f, element)),
      node,
      wanted,
      self,
    );
  }
  if (
    fn.kind === "builtin" &&
    (fn.path === "Math.max" || fn.path === "Math.min") &&
    f.shape(f.ctx.typeOf(literal)).kind === "array"
  )
    return lowerArrayExtremum(f, fn.path, list);
  if (
    fn.kind === "builtin" &&
    fn.path === "Math.hypot" &&
    f.shape(f.ctx.typeOf(literal)).kind === "array"
  )
    return hypotOfList(f, iterableAsArray(f, list).atom, node, wanted);
  return applyFn(f, fn, spreadValues(f, node, list), node, wanted, self);
}

/** The methods written out, once for each function. */
function overMembers(
  f: Frame,
  members: Members,
  method: string,
  node: ts.CallExpression,
  wanted: string,
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
    const made = (start === undefined ? others : parts).reduce<Arg>(
      (value, part, at) => applyCallback(f, fn, [value, part, num(at + from)], node) ?? UNDEFINED,
      seed,
    );
    return isFn(made) ? f.refuse("TSG1124", node, f.textOf(node)) : made;
  }
  const values = parts.map((part, at) => applyCallback(f, fn, [part, num(at)], node));
  if (method === "forEach") return null;
  const type = literalType(f, node, ["array"]);
  return f.let(
    wanted,
    f.shape(type).kind === "array"
      ? type
      : { kind: "array", store: "Array", elem: values[0]?.type ?? NUM },
    { kind: "array", parts: values.map((atom) => ({ atom: atom ?? UNDEFINED, spread: false })) },
  );
}
