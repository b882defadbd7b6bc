// Lowers calls of the standard library: `Math`, `Number`, `Object`, `Array`, `JSON`, `console`.
// A function without an entry here is rejected.
// Only functions that no derivative passes through become externs.

import type ts from "typescript";
import { BOOL, NUM, num } from "../../ir/build.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { ArrayPart, Atom, Type } from "../../ir/types.ts";
import { TYPED_ARRAYS } from "../../ir/typed-arrays.ts";
import { isTuple } from "../calls.ts";
import { lowerArguments, lowerValues, lowerExpr } from "../lowering.ts";
import { isFn } from "../function-values.ts";
import {
  asNumber,
  externCall,
  holdsNumber,
  inert,
  isNullish,
  STRING,
  str,
  truthTest,
  unwrap,
  externWith,
  callOf,
} from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import { toNumber } from "../expression.ts";
import type { Frame } from "../frame.ts";
import { literalType } from "../objects/expected-types.ts";
import { listedExponent } from "../operators.ts";
import { rejectReplacedBuiltin } from "../names/replaced-builtins.ts";
import { fromEntries } from "./dict.ts";
import { assignFields, fieldsOf } from "./fields.ts";
import { deepCopy } from "./clone.ts";
import { lowerFrom, newArray } from "./construct.ts";
import { hypotOf } from "./hypot.ts";
import { elementAt, lengthOf, sourceOf } from "./iterate.ts";

/** Operators by the path of their function, such as `Math.sin` or `Number.isInteger`. */
const OPERATORS: ReadonlyMap<string, ScalarOp> = new Map([
  // The keys of the table are the operators.
  ...(Object.entries(OPS) as [ScalarOp, (typeof OPS)[ScalarOp]][]).flatMap(
    ([op, row]): [string, ScalarOp][] =>
      row.js.kind === "call" && op !== "boolToNum" ? [[row.js.callee, op]] : [],
  ),
  ["Math.pow", "pow"],
  ["Number.isNaN", "isNaN"],
  ["Number.isFinite", "isFinite"],
]);

/** A call whose arguments are lowered. */
interface BuiltinCall {
  readonly path: string;
  readonly args: readonly Atom[];
  readonly at: ts.Node;
  readonly hint: string;
}

/** Calls a function with values only, so that it may also be a callback. */
export function callBuiltin(
  f: Frame,
  path: string,
  args: readonly Atom[],
  at: ts.Node,
  hint: string,
): Atom | null {
  rejectReplacedBuiltin(f, path, at);
  const call: BuiltinCall = { path, args, at, hint };
  const op = OPERATORS.get(path);
  if (op !== undefined) return scalar(f, op, call);
  const lowered = BUILTINS.get(path);
  if (lowered !== undefined) return lowered(f, call);
  return path.startsWith("console.") ? print(f, path, args) : f.refuse("TSG1203", at, path);
}

const BUILTINS: ReadonlyMap<string, (f: Frame, call: BuiltinCall) => Atom> = new Map<
  string,
  (f: Frame, call: BuiltinCall) => Atom
>([
  [
    "Number",
    (f, call) =>
      converted(call, num(0), (value) => toNumber(f, value, "Number", call.hint, call.at)),
  ],
  ["Boolean", (f, call) => converted(call, FALSE, (value) => truthTest(f, value))],
  [
    "String",
    (f, call) =>
      converted(call, str(""), (value) =>
        externWith(f, call.hint, STRING, { ...callOf("String", [value]), effect: "reads" }),
      ),
  ],
  ["parseFloat", (f, call) => parsed(f, call)],
  ["Number.parseFloat", (f, call) => parsed(f, call)],
  ["parseInt", (f, call) => parsed(f, call)],
  ["Number.parseInt", (f, call) => parsed(f, call)],
  ["Math.random", (f, call) => external(f, call, NUM, "io")],
  ["Date.now", (f, call) => external(f, call, NUM, "io")],
  ["performance.now", (f, call) => external(f, call, NUM, "io")],
  ["Object.is", (f, call) => external(f, call, BOOL)],
  ["Object.hasOwn", (f, call) => hasOwn(f, call)],
  ["Array.isArray", (f, call) => external(f, call, BOOL)],
  ["BigInt", (f, call) => external(f, call, { kind: "leaf", text: "bigint" })],
  ["JSON.stringify", (f, call) => external(f, call, STRING, "reads")],
  ["Error", (f, call) => external(f, call, { kind: "leaf", text: call.path })],
  ["TypeError", (f, call) => external(f, call, { kind: "leaf", text: call.path })],
  ["RangeError", (f, call) => external(f, call, { kind: "leaf", text: call.path })],
  [
    "Object.freeze",
    (f, { path, args, at }) => args[0] ?? f.refuse("TSG1211", at, path, "no arguments"),
  ],
  ["eval", (f, { at }) => f.refuse("TSG1103", at, f.name)],
]);

const FALSE: Atom = { kind: "const", type: BOOL, value: false };

/** A conversion; `otherwise` is its value without an argument. */
function converted(
  { args: [first] }: BuiltinCall,
  otherwise: Atom,
  convert: (value: Atom) => Atom,
): Atom {
  return first === undefined ? otherwise : convert(first);
}

const external = (
  f: Frame,
  { path, args, hint }: BuiltinCall,
  type: Type,
  effect?: "io" | "reads",
): Atom => externWith(f, hint, type, { ...callOf(path, args), effect: effect });

function hasOwn(f: Frame, { path, args, at, hint }: BuiltinCall): Atom {
  if (args.length !== 2) return f.refuse("TSG1211", at, path, `${args.length} arguments`);
  return inert(f, hint, BOOL, ["Object.hasOwn(", ", ", ")"], args);
}

function print(f: Frame, path: string, args: readonly Atom[]): null {
  externWith(f, "t", { kind: "void" }, { ...callOf(path, args), effect: "io" });
  return null;
}

/** `parseFloat(text)`. Of a number it is refused: its way through a string has no derivative. */
function parsed(f: Frame, { path, args, at, hint }: BuiltinCall): Atom {
  const [first] = args;
  if (first === undefined || f.shape(first.type).kind !== "leaf" || holdsNumber(f, first))
    return f.refuse("TSG1203", at, path);
  return externCall(f, hint, NUM, path, args);
}

function scalar(f: Frame, op: ScalarOp, { path, args: given, at, hint }: BuiltinCall): Atom {
  const { arity, result } = OPS[op];
  const type = result === "bool" ? BOOL : NUM;
  if (arity !== "n" && given.length < arity)
    return f.refuse("TSG1211", at, path, `${given.length} arguments`);
  // A callback such as `Math.abs` ignores further arguments, such as the index.
  const args = arity === "n" ? given : given.slice(0, arity);
  const exact = path.startsWith("Number.is");
  const [first] = args;
  // `Number.isFinite` and its like are false for all other types.
  if (exact && first !== undefined && f.shape(first.type).kind !== "num")
    return externCall(f, hint, BOOL, path, args);
  if (!path.startsWith("Math.") && first !== undefined && f.shape(first.type).kind === "leaf")
    return externCall(f, hint, type, path, args);
  return f.let(hint, type, {
    kind: "op",
    op,
    args: args.map((arg) =>
      isNullish(arg) ? f.refuse("TSG1211", at, path, "a missing argument") : asNumber(f, arg, at),
    ),
    ...listedExponent(f, op, args[1], f.api.isCallExpression(at) ? at.arguments[1] : undefined),
  });
}

/** A call whose arguments are expressions. */
interface LibraryCall {
  readonly path: string;
  readonly node: ts.CallExpression;
  readonly hint: string;
  readonly unused: boolean;
}

export function lowerLibraryCall(
  f: Frame,
  path: string,
  node: ts.CallExpression,
  hint: string,
  unused: boolean,
): Atom | null {
  rejectReplacedBuiltin(f, path, node);
  const store = TYPED_ARRAYS.find((each) => path.startsWith(`${each}.`));
  const typed: Type | null = store === undefined ? null : { kind: "array", store, elem: NUM };
  if (typed !== null && path.endsWith(".from")) return lowerFrom(f, node, hint, typed);
  if (typed !== null && path.endsWith(".of")) return arrayOf(f, node, typed, hint);
  const hasSpread = node.arguments.some((argument) => f.api.isSpreadElement(argument));
  if ((path === "Math.max" || path === "Math.min") && hasSpread)
    return extremum(f, path, node, hint);
  const lowered = LIBRARY.get(path);
  if (lowered !== undefined) return lowered(f, { path, node, hint, unused });
  const args = lowerArguments(f, node);
  if (args.some(isFn)) return f.refuse("TSG1203", node, path);
  const values = args.filter((arg): arg is Atom => !isFn(arg));
  return callBuiltin(f, path, values, node, hint);
}

/** Functions whose arguments are not all lowered as values. */
const LIBRARY: ReadonlyMap<string, (f: Frame, call: LibraryCall) => Atom | null> = new Map<
  string,
  (f: Frame, call: LibraryCall) => Atom | null
>([
  ["Array", (f, { node, hint }) => newArray(f, node, node.arguments, hint)],
  ["Array.from", (f, { node, hint }) => lowerFrom(f, node, hint, null)],
  ["Array.of", (f, { node, hint }) => arrayOf(f, node, null, hint)],
  ["Object.keys", (f, { path, node, hint }) => fieldsOf(f, path, node, hint)],
  ["Object.values", (f, { path, node, hint }) => fieldsOf(f, path, node, hint)],
  ["Object.entries", (f, { path, node, hint }) => fieldsOf(f, path, node, hint)],
  ["Object.fromEntries", (f, { node, hint }) => fromEntries(f, node, hint)],
  ["Object.assign", (f, { node, hint, unused }) => assignFields(f, node, hint, unused)],
  ["structuredClone", (f, { node, hint }) => cloned(f, node, hint)],
  ["Math.hypot", (f, { node, hint }) => hypotenuse(f, node, hint)],
]);

function arrayOf(f: Frame, node: ts.CallExpression, typed: Type | null, hint: string): Atom {
  const type = typed ?? literalType(f, node, ["array"]);
  const parts = lowerValues(f, node).map((atom) => ({ atom, spread: false }));
  return f.let(hint, type, { kind: "array", parts });
}

function cloned(f: Frame, node: ts.CallExpression, hint: string): Atom {
  const [first] = node.arguments;
  return first === undefined || node.arguments.length > 1
    ? f.refuse("TSG1203", node, "structuredClone")
    : deepCopy(f, node, unwrap(f, lowerExpr(f, first)), hint);
}

/** `Math.hypot(...xs, y)` of one array, unless the number of arguments is known. */
function hypotenuse(f: Frame, node: ts.CallExpression, hint: string): Atom | null {
  const path = "Math.hypot";
  const args = lowerArguments(f, node, true);
  const parts = args.map((arg): ArrayPart => {
    if (isFn(arg))
      return arg.kind === "spread"
        ? { atom: ofNumbers(f, arg.list, arg.node), spread: true }
        : f.refuse("TSG1203", node, path);
    return { atom: arg, spread: false };
  });
  const [first] = parts;
  if (!parts.some(({ spread }) => spread)) {
    const values = parts.map(({ atom }) => atom);
    return callBuiltin(f, path, values, node, hint);
  }
  if (parts.length === 1 && first !== undefined) return hypotOfArray(f, first.atom, node, hint);
  const type: Type = { kind: "array", store: "Array", elem: NUM };
  const numbers = parts.map((part) =>
    part.spread ? part : { ...part, atom: asNumber(f, part.atom, node) },
  );
  return hypotOf(f, f.let("t", type, { kind: "array", parts: numbers }), type, node, hint);
}

function ofNumbers(f: Frame, list: Atom, at: ts.Node): Atom {
  const shape = f.shape(list.type);
  return shape.kind === "array" && f.shape(shape.elem).kind === "num"
    ? list
    : f.refuse("TSG1111", at, "Math.hypot");
}

/** `Math.hypot.apply(null, xs)` */
export function hypotOfArray(f: Frame, list: Atom, at: ts.Node, hint: string): Atom {
  const shape = f.shape(ofNumbers(f, list, at).type);
  return shape.kind === "array"
    ? hypotOf(f, list, shape, at, hint)
    : f.refuse("TSG1111", at, "Math.hypot");
}

/** Whether it is a tuple of numbers. */
function isOfNumbers(f: Frame, node: ts.Expression): boolean {
  const shape = f.shape(f.ctx.typeOf(node));
  return (
    shape.kind === "tuple" && isTuple(f, node) && shape.elems.every(({ kind }) => kind === "num")
  );
}

/** `Math.max.apply(null, xs)` */
export function lowerArrayExtremum(f: Frame, path: string, list: ts.Expression): Atom {
  return overElements(f, path, null, (take) => takeAll(f, list, take));
}

function takeAll(f: Frame, list: ts.Expression, take: (value: Atom) => void): void {
  const source = sourceOf(f, list);
  emitFor(f, f.label("loop"), lengthOf(f, source), (at) =>
    take(asNumber(f, elementAt(f, source, at, "t"), list)),
  );
}

/** Folds `max` or `min`, from `start` or else from its neutral element. */
function overElements(
  f: Frame,
  path: string,
  start: Atom | null,
  each: (take: (value: Atom) => void) => void,
): Atom {
  const op = path === "Math.max" ? "max" : "min";
  const best = f.declare(op, NUM, start ?? num(op === "max" ? -Infinity : Infinity));
  each((value) => f.assign(best, f.let("t", NUM, { kind: "op", op, args: [best, value] })));
  return f.let("t", NUM, { kind: "copy", atom: best });
}

/** `Math.max(...xs, y)` as a fold; it starts with the first argument if that is no spread. */
function extremum(f: Frame, path: string, node: ts.CallExpression, hint: string): Atom | null {
  const isKnown = (argument: ts.Expression): boolean =>
    !f.api.isSpreadElement(argument) || isOfNumbers(f, argument.expression);
  if (node.arguments.every(isKnown)) return callBuiltin(f, path, lowerValues(f, node), node, hint);
  const [first] = node.arguments;
  const isNumber = first !== undefined && !f.api.isSpreadElement(first);
  const start = isNumber ? asNumber(f, lowerExpr(f, first), first) : null;
  // In order: evaluating an argument may change an array that is spread.
  return overElements(f, path, start, (take) => {
    for (const argument of isNumber ? node.arguments.slice(1) : node.arguments) {
      if (f.api.isSpreadElement(argument)) takeAll(f, argument.expression, take);
      else take(asNumber(f, lowerExpr(f, argument), argument));
    }
  });
}
