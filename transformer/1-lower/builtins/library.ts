// Functions of the standard library: `Math`, `Number`, `Object`, `Array`, `JSON`, `console`, conversions. In: a path and a call. Out: an atom.
// Invariant: a function without a row here is rejected; externs are only made of functions that no derivative passes through.

import type ts from "typescript";
import { BOOL, NUM, num } from "../../ir/build.ts";
import { OPS } from "../../ir/ops.ts";
import type { ArrayPart, Atom, ScalarOp, Type } from "../../ir/types.ts";
import { isTuple, lowerArguments, lowerValues } from "../calls.ts";
import { isFn } from "../functions/closures.ts";
import {
  asNumber,
  externCall,
  holdsNumber,
  inert,
  isNullish,
  STRING,
  str,
  truth,
  unwrap,
} from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import { lowerExpr, toNumber } from "../expression.ts";
import type { Frame } from "../frame.ts";
import { literalType } from "../objects/literals.ts";
import { listedExponent } from "../operators.ts";
import { refuseReplaced } from "../names/replaced-builtins.ts";
import { TYPED_ARRAYS } from "../resolve.ts";
import { fromEntries } from "./dict.ts";
import { assignFields, fieldsOf } from "./fields.ts";
import { deepCopy } from "./clone.ts";
import { lowerFrom, newArray } from "./construct.ts";
import { hypotOf } from "./hypot.ts";
import { elementAt, lengthOf, sourceOf } from "./iterate.ts";

/** Operators by the function that they stand for: `Math.sin`, `Number.isInteger`. */
const OPERATORS: ReadonlyMap<string, ScalarOp> = new Map([
  ...(Object.entries(OPS) as [ScalarOp, (typeof OPS)[ScalarOp]][]) // the table's keys are the operators
    .flatMap(([op, row]): [string, ScalarOp][] =>
      row.js.kind === "call" && op !== "boolToNum" ? [[row.js.callee, op]] : [],
    ),
  ["Math.pow", "pow"],
  ["Number.isNaN", "isNaN"],
  ["Number.isFinite", "isFinite"],
]);

/** Called with values only, so that they can also be callbacks. */
export function callBuiltin(
  f: Frame,
  path: string,
  args: readonly Atom[],
  at: ts.Node,
  wanted: string,
): Atom | null {
  refuseReplaced(f, path, at);
  const op = OPERATORS.get(path);
  if (op !== undefined) return scalar(f, op, path, args, at, wanted);
  const [first] = args;
  switch (path) {
    case "Number":
      return first === undefined ? num(0) : toNumber(f, first, "Number", wanted, at);
    case "Boolean":
      return first === undefined ? { kind: "const", type: BOOL, value: false } : truth(f, first);
    case "String":
      return first === undefined
        ? str("")
        : externCall(f, wanted, STRING, "String", [first], "reads");
    case "parseFloat":
    case "Number.parseFloat":
    case "parseInt":
    case "Number.parseInt":
      return parsed(f, path, args, at, wanted);
    case "Math.random":
    case "Date.now":
    case "performance.now":
      return externCall(f, wanted, NUM, path, args, "io");
    case "Object.is":
      return externCall(f, wanted, BOOL, path, args);
    case "Object.hasOwn":
      return inert(
        f,
        wanted,
        BOOL,
        ["Object.hasOwn(", ", ", ")"],
        args.length === 2 ? args : f.refuse("TSG1211", at, path, `${args.length} arguments`),
      );
    case "Array.isArray":
      return externCall(f, wanted, BOOL, path, args);
    case "BigInt":
      return externCall(f, wanted, { kind: "leaf", text: "bigint" }, path, args);
    case "JSON.stringify":
      return externCall(f, wanted, STRING, path, args, "reads");
    case "Error":
    case "TypeError":
    case "RangeError":
      return externCall(f, wanted, { kind: "leaf", text: path }, path, args);
    case "Object.freeze":
      return first ?? f.refuse("TSG1211", at, path, "no arguments");
    case "eval":
      return f.refuse("TSG1103", at, f.name);
    default:
      return path.startsWith("console.") ? print(f, path, args) : f.refuse("TSG1203", at, path);
  }
}

function print(f: Frame, path: string, args: readonly Atom[]): null {
  externCall(f, "t", { kind: "void" }, path, args, "io");
  return null;
}

/** `parseFloat(text)`; of a number it is the number's own text and back, which no derivative describes. */
function parsed(f: Frame, path: string, args: readonly Atom[], at: ts.Node, wanted: string): Atom {
  const [first] = args;
  if (first === undefined || f.shape(first.type).kind !== "leaf" || holdsNumber(f, first))
    return f.refuse("TSG1203", at, path);
  return externCall(f, wanted, NUM, path, args);
}

function scalar(
  f: Frame,
  op: ScalarOp,
  path: string,
  given: readonly Atom[],
  at: ts.Node,
  wanted: string,
): Atom {
  const { arity, result } = OPS[op];
  const type = result === "bool" ? BOOL : NUM;
  if (arity !== "n" && given.length < arity)
    return f.refuse("TSG1211", at, path, `${given.length} arguments`);
  // whoever calls `g(x, i)` may have been given `Math.abs` for g
  const args = arity === "n" ? given : given.slice(0, arity);
  const exact = path.startsWith("Number.is");
  const [first] = args;
  // Number.isFinite and its like are false of everything but numbers
  if (exact && first !== undefined && f.shape(first.type).kind !== "num")
    return externCall(f, wanted, BOOL, path, args);
  if (!path.startsWith("Math.") && first !== undefined && f.shape(first.type).kind === "leaf")
    return externCall(f, wanted, type, path, args);
  return f.let(wanted, type, {
    kind: "op",
    op,
    args: args.map((arg) =>
      isNullish(arg) ? f.refuse("TSG1211", at, path, "a missing argument") : asNumber(f, arg, at),
    ),
    ...listedExponent(f, op, args[1], f.api.isCallExpression(at) ? at.arguments[1] : undefined),
  });
}

export function lowerLibraryCall(
  f: Frame,
  path: string,
  node: ts.CallExpression,
  wanted: string,
  unused: boolean,
): Atom | null {
  refuseReplaced(f, path, node);
  const store = TYPED_ARRAYS.find((each) => path.startsWith(`${each}.`));
  const typed: Type | null = store === undefined ? null : { kind: "array", store, elem: NUM };
  const [first] = node.arguments;
  if (typed !== null && path.endsWith(".from")) return lowerFrom(f, node, wanted, typed);
  if (typed !== null && path.endsWith(".of"))
    return f.let(wanted, typed, {
      kind: "array",
      parts: lowerValues(f, node).map((atom) => ({ atom, spread: false })),
    });
  if (
    (path === "Math.max" || path === "Math.min") &&
    node.arguments.some((argument) => f.api.isSpreadElement(argument))
  )
    return extremum(f, path, node, wanted);
  switch (path) {
    case "Array":
      return newArray(f, node, node.arguments, wanted);
    case "Array.from":
      return lowerFrom(f, node, wanted, null);
    case "Array.of":
      return f.let(wanted, literalType(f, node, ["array"]), {
        kind: "array",
        parts: lowerValues(f, node).map((atom) => ({ atom, spread: false })),
      });
    case "Object.keys":
    case "Object.values":
    case "Object.entries":
      return fieldsOf(f, path, node, wanted);
    case "Object.fromEntries":
      return fromEntries(f, node, wanted);
    case "Object.assign":
      return assignFields(f, node, wanted, unused);
    case "structuredClone":
      return first === undefined || node.arguments.length > 1
        ? f.refuse("TSG1203", node, path)
        : deepCopy(f, node, unwrap(f, lowerExpr(f, first)), wanted);
    case "Math.hypot":
      return hypotenuse(f, node, wanted);
    default: {
      const args = lowerArguments(f, node);
      const fn = args.findIndex(isFn);
      if (fn >= 0) return f.refuse("TSG1203", node, path);
      return callBuiltin(
        f,
        path,
        args.filter((arg): arg is Atom => !isFn(arg)),
        node,
        wanted,
      );
    }
  }
}

/** `Math.hypot(...xs, y)`: that of one list, unless it is known how many there are. */
function hypotenuse(f: Frame, node: ts.CallExpression, wanted: string): Atom | null {
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
  if (!parts.some(({ spread }) => spread))
    return callBuiltin(
      f,
      path,
      parts.map(({ atom }) => atom),
      node,
      wanted,
    );
  if (parts.length === 1 && first !== undefined) return hypotOfList(f, first.atom, node, wanted);
  const type: Type = { kind: "array", store: "Array", elem: NUM };
  return hypotOf(
    f,
    f.let("t", type, {
      kind: "array",
      parts: parts.map((part) =>
        part.spread ? part : { ...part, atom: asNumber(f, part.atom, node) },
      ),
    }),
    type,
    node,
    wanted,
  );
}

function ofNumbers(f: Frame, list: Atom, at: ts.Node): Atom {
  const shape = f.shape(list.type);
  return shape.kind === "array" && f.shape(shape.elem).kind === "num"
    ? list
    : f.refuse("TSG1111", at, "Math.hypot");
}

/** `Math.hypot.apply(null, xs)` */
export function hypotOfList(f: Frame, list: Atom, at: ts.Node, wanted: string): Atom {
  const shape = f.shape(ofNumbers(f, list, at).type);
  return shape.kind === "array"
    ? hypotOf(f, list, shape, at, wanted)
    : f.refuse("TSG1111", at, "Math.hypot");
}

/** Of a known number of numbers. */
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

/** One by one, from `start`, or else from what no number beats. */
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

/** `Math.max(...xs, y)`: the same as taking them one by one, from the first where that is a number, from -Infinity on otherwise. */
function extremum(f: Frame, path: string, node: ts.CallExpression, wanted: string): Atom | null {
  const isKnown = (argument: ts.Expression): boolean =>
    !f.api.isSpreadElement(argument) || isOfNumbers(f, argument.expression);
  if (node.arguments.every(isKnown))
    return callBuiltin(f, path, lowerValues(f, node), node, wanted);
  const [first] = node.arguments;
  const isNumber = first !== undefined && !f.api.isSpreadElement(first);
  const start = isNumber ? asNumber(f, lowerExpr(f, first), first) : null;
  // a later argument may change what an earlier one lists
  return overElements(f, path, start, (take) => {
    for (const argument of isNumber ? node.arguments.slice(1) : node.arguments) {
      if (f.api.isSpreadElement(argument)) takeAll(f, argument.expression, take);
      else take(asNumber(f, lowerExpr(f, argument), argument));
    }
  });
}
