// Methods of arrays, written out as loops. In: a method call on an array. Out: its value; null for none.
// Invariant: the length is read once, before the first round, and elements when their round comes, as JavaScript's methods do;
// a callback that may shorten the array is rejected.

import type ts from "typescript";
import { BOOL, NUM, bool, index, num } from "../../ir/build.ts";
import type { ArrayPart, Atom, Type, Var } from "../../ir/types.ts";
import { lowerValues } from "../calls.ts";
import { applyCallback } from "../closures.ts";
import { extern, externCall, not, optional, sameValue, truth, UNDEFINED } from "../coerce.ts";
import { effectsOf, mayShrink } from "../effects.ts";
import { emitFor, emitCounted } from "../emit-loop.ts";
import { lowerExpr } from "../expression.ts";
import type { Fn, Frame } from "../frame.ts";
import { literalType } from "../literals.ts";
import { tupleAsArray } from "../places.ts";
import { resolveFn } from "../resolve.ts";
import { reverse, sort } from "./order.ts";
import { buildArray, knownArrayType, mapped } from "./construct.ts";

export interface MethodCall {
  readonly node: ts.CallExpression;
  readonly callee: ts.PropertyAccessExpression;
  readonly method: string;
  readonly wanted: string;
  readonly unused: boolean;
  readonly receiver: Atom;
}

/** A method call on an array, with what its loops need. */
interface Call extends MethodCall {
  readonly array: Atom;
  readonly elem: Type;
}

export function lowerArrayMethod(f: Frame, call: MethodCall): Atom | null {
  const held: Atom = call.receiver.kind === "var" ? f.let("t", call.receiver.type, { kind: "copy", atom: call.receiver }) : call.receiver;
  const shape = f.shape(held.type);
  const array = shape.kind === "tuple" ? tupleAsArray(f, call.node, held, shape.elems) : held;
  const arrayShape = f.shape(array.type);
  const full: Call = { ...call, array, elem: arrayShape.kind === "array" ? arrayShape.elem : NUM };
  if (shape.kind === "tuple" && WRITERS.has(call.method)) return f.refuse("TSG1208", call.node, f.textOf(call.node));
  return CALLBACKS.has(call.method) ? withCallback(f, full) : withValues(f, full);
}

const WRITERS: ReadonlySet<string> = new Set(["push", "pop", "fill", "set", "sort", "reverse"]);
const CALLBACKS: ReadonlySet<string> = new Set([
  "map", "forEach", "filter", "reduce", "reduceRight", "every", "some", "find", "findIndex", "findLast", "findLastIndex", "flatMap",
]);

const BACKWARDS: ReadonlySet<string> = new Set(["findLast", "findLastIndex", "lastIndexOf"]);

function withValues(f: Frame, call: Call): Atom | null {
  const { node, method, array, elem, wanted } = call;
  switch (method) {
    case "push": return push(f, call);
    case "pop": return f.let(wanted, optional(f, elem), { kind: "removeLast", object: array });
    case "fill": return fill(f, call);
    case "slice": return slice(f, call);
    case "concat": return concat(f, call);
    case "at": return elementFrom(f, call);
    case "flat": return flat(f, call);
    case "set": return set(f, call);
    case "indexOf": case "lastIndexOf": return indexOf(f, call);
    case "includes": return externMethod(f, call, BOOL);
    case "join": case "toString": return externMethod(f, call, { kind: "leaf", text: "string" });
    case "keys": case "entries": case "values": return f.refuse("TSG1120", node, f.textOf(node));
    case "sort": case "toSorted": return sort(f, call, method === "toSorted");
    case "reverse": case "toReversed": return reverse(f, call, method === "toReversed");
    case "splice": case "shift": case "unshift": case "copyWithin": return f.refuse("TSG1208", node, f.textOf(node));
    default: return f.refuse("TSG1112", node, method, f.ctx.checker.typeToString(f.ctx.checker.getTypeAtLocation(call.callee.expression)));
  }
}

function externMethod(f: Frame, call: Call, type: Type): Atom {
  const args = lowerValues(f, call.node);
  const text = args.length === 0 ? ["", `.${call.method}()`] : ["", `.${call.method}(`, ...args.slice(1).map(() => ", "), ")"];
  return extern(f, call.wanted, type, text, [call.array, ...args], "reads");
}

/** `xs.indexOf(v)`: comparisons, as a loop of its own. */
function indexOf(f: Frame, call: Call): Atom {
  const [value, ...more] = lowerValues(f, call.node);
  if (value === undefined || more.length > 0) return f.refuse("TSG1210", call.node, call.method, "it starts in the middle");
  return find(f, call, NUM, num(-1), (_item, at) => at, (item) => sameValue(f, "===", item, value));
}

function push(f: Frame, call: Call): Atom | null {
  if (call.node.arguments.some((argument) => f.api.isSpreadElement(argument))) return pushAll(f, call);
  for (const value of lowerValues(f, call.node)) f.b.emit({ kind: "append", object: call.array, value });
  return call.unused ? null : f.let(call.wanted, NUM, { kind: "length", object: call.array });
}

/** `xs.push(...ys)`: the values are all there before the first is appended. */
function pushAll(f: Frame, call: Call): Atom | null {
  const [argument] = call.node.arguments;
  if (call.node.arguments.length !== 1 || argument === undefined || !f.api.isSpreadElement(argument)) return f.refuse("TSG1111", call.node, f.textOf(call.callee));
  const source = lowerExpr(f, argument.expression);
  const shape = f.shape(source.type);
  if (shape.kind !== "array") return f.refuse("TSG1111", argument, f.textOf(call.callee));
  const length = f.let("t", NUM, { kind: "length", object: source });
  emitFor(f, f.label("loop"), length, (at) => f.b.emit({ kind: "append", object: call.array, value: f.let("t", shape.elem, { kind: "load", object: source, key: index(at) }) }));
  return call.unused ? null : f.let(call.wanted, NUM, { kind: "length", object: call.array });
}

function fill(f: Frame, call: Call): Atom {
  const made = filledAtOnce(f, call);
  if (made !== null) return made;
  const [value, from, to] = lowerValues(f, call.node);
  f.b.emit({ kind: "fill", object: call.array, value: value ?? UNDEFINED, from: from ?? null, to: to ?? null });
  return call.array;
}

/** The allocation that the receiver just made takes the fill's value, when that is known without running anything. */
function filledAtOnce(f: Frame, call: Call): Atom | null {
  const made = f.b.stmts.at(-2);
  const copied = f.b.stmts.at(-1);
  if (made?.kind !== "let" || made.expr.kind !== "alloc" || made.expr.fill?.kind !== "undef" || call.node.arguments.length !== 1) return null;
  if (copied?.kind !== "let" || copied.expr.kind !== "copy" || copied.expr.atom !== made.bind) return null;
  f.b.stmts.splice(-2);
  const [value] = lowerValues(f, call.node);
  return f.let(call.wanted, made.bind.type, { kind: "alloc", length: made.expr.length, fill: value ?? UNDEFINED });
}

function slice(f: Frame, call: Call): Atom {
  const [from, to] = lowerValues(f, call.node);
  return f.let(call.wanted, call.array.type, { kind: "slice", object: call.array, from: from ?? num(0), to: to ?? null });
}

function concat(f: Frame, call: Call): Atom {
  const shape = f.shape(call.array.type);
  if (shape.kind !== "array" || shape.store !== "Array") return f.refuse("TSG1112", call.node, "concat", "a typed array");
  const parts: ArrayPart[] = [{ atom: call.array, spread: true }];
  for (const atom of lowerValues(f, call.node)) {
    const kind = f.shape(atom.type);
    if (kind.kind === "tuple" || (kind.kind === "array" && kind.store !== "Array" && shape.elem.kind === "num")) return f.refuse("TSG1210", call.node, "concat", "it mixes kinds of arrays");
    parts.push({ atom, spread: kind.kind === "array" });
  }
  return f.let(call.wanted, call.array.type, { kind: "array", parts });
}

/** `xs.at(k)`: from the end where k is negative. */
function elementFrom(f: Frame, call: Call): Atom {
  const [argument] = lowerValues(f, call.node);
  const type = optional(f, call.elem);
  if (argument === undefined) return f.refuse("TSG1211", call.node, "at", "no arguments");
  if (argument.kind === "const" && typeof argument.value === "number" && Number.isInteger(argument.value)) {
    const length = (): Atom => f.let("t", NUM, { kind: "length", object: call.array });
    const at = argument.value >= 0 ? argument : f.b.op("sub", length(), num(-argument.value));
    return f.let(call.wanted, type, { kind: "load", object: call.array, key: index(at) });
  }
  const whole = f.let("t", NUM, { kind: "op", op: "trunc", args: [argument] });
  const at = f.choose("t", NUM, f.b.op("lt", whole, num(0)), () => f.b.op("add", f.let("t", NUM, { kind: "length", object: call.array }), whole), () => whole);
  return f.let(call.wanted, type, { kind: "load", object: call.array, key: index(at) });
}

/** `xss.flat()`, one level. */
function flat(f: Frame, call: Call): Atom {
  if (call.node.arguments.length > 0 || f.shape(call.elem).kind !== "array") return f.refuse("TSG1210", call.node, "flat", "only one level of arrays is flattened");
  const result = f.let(call.wanted, flattened(f, call.elem), { kind: "array", parts: [] });
  eachElement(f, call, (row) => appendAll(f, result, row));
  return result;
}

const flattened = (f: Frame, row: Type): Type => {
  const shape = f.shape(row);
  return { kind: "array", store: "Array", elem: shape.kind === "array" ? shape.elem : row };
};

function appendAll(f: Frame, result: Var, row: Atom): void {
  const shape = f.shape(row.type);
  const elem = shape.kind === "array" ? shape.elem : NUM;
  const length = f.let("t", NUM, { kind: "length", object: row });
  emitFor(f, f.label("loop"), length, (at) => f.b.emit({ kind: "append", object: result, value: f.let("t", elem, { kind: "load", object: row, key: index(at) }) }), "j");
}

/** `typed.set(xs, offset)`: xs may be the array itself, so it is copied first. */
function set(f: Frame, call: Call): null {
  const [source, offset] = lowerValues(f, call.node);
  const shape = source === undefined ? undefined : f.shape(source.type);
  if (source === undefined || shape?.kind !== "array") return f.refuse("TSG1210", call.node, "set", "its argument is no array");
  const copy = f.let("t", source.type, { kind: "slice", object: source, from: num(0), to: null });
  const length = f.let("t", NUM, { kind: "length", object: copy });
  emitFor(f, f.label("loop"), length, (at) => {
    const value = f.let("t", shape.elem, { kind: "load", object: copy, key: index(at) });
    f.b.store(call.array, index(offset === undefined ? at : f.b.op("add", at, offset)), value);
  });
  return null;
}

// ---------------------------------------------------------------------------------------------------- callbacks

function withCallback(f: Frame, call: Call): Atom | null {
  const [callback, start] = call.node.arguments;
  const fn = callback === undefined ? null : resolveFn(f, callback);
  if (callback === undefined || fn === null) return f.refuse("TSG1209", callback ?? call.node, "which function it is, is not known here");
  const shape = f.shape(call.array.type);
  const grows = shape.kind === "array" && shape.store === "Array";
  if (grows && mayShrink(f, effectsOf(f, bodyOf(f, fn)), call.callee.expression, [bodyOf(f, fn)])) {
    return f.refuse("TSG1209", callback, "it may take elements off the array");
  }
  const holds = (item: Atom, at: Var): Atom => truth(f, applyCallback(f, fn, [item, at, call.array], call.node) ?? UNDEFINED);
  switch (call.method) {
    case "map": return map(f, call, fn);
    case "forEach": return forEach(f, call, fn);
    case "filter": return filter(f, call, fn);
    case "reduce": case "reduceRight": return reduce(f, call, fn, start);
    case "every": case "some": return quantify(f, call, fn, call.method === "every");
    case "find": case "findLast": return find(f, call, optional(f, call.elem), UNDEFINED, (item) => item, holds);
    case "findIndex": case "findLastIndex": return find(f, call, NUM, num(-1), (_item, at) => at, holds);
    case "flatMap": return flatMap(f, call, fn);
    default: return f.refuse("TSG1112", call.node, call.method, "array");
  }
}

const bodyOf = (f: Frame, fn: Fn): ts.Node | undefined =>
  fn.kind === "closure" ? fn.node : fn.kind === "program" ? f.ctx.bodyOf(fn.symbol) ?? undefined : undefined;

const lengthOf = (f: Frame, array: Atom): Atom => f.let("t", NUM, { kind: "length", object: array });

function eachElement(f: Frame, call: Call, round: (item: Atom, at: Var, label: string) => void): void {
  const label = f.label("loop");
  emitFor(f, label, lengthOf(f, call.array), (at) => round(itemOf(f, call, at), at, label));
}

const itemOf = (f: Frame, call: Call, at: Atom): Atom => f.let("t", call.elem, { kind: "load", object: call.array, key: index(at) });

function map(f: Frame, call: Call, fn: Fn): Atom {
  const shape = f.shape(call.array.type);
  const type = shape.kind === "array" && shape.store !== "Array" ? call.array.type : knownArrayType(f, call.node);
  return buildArray(f, call.wanted, type, lengthOf(f, call.array), (at) => mapped(f, fn, [itemOf(f, call, at), at, call.array], call.node));
}

function forEach(f: Frame, call: Call, fn: Fn): null {
  eachElement(f, call, (item, at) => void applyCallback(f, fn, [item, at, call.array], call.node));
  return null;
}

function filter(f: Frame, call: Call, fn: Fn): Atom {
  const shape = f.shape(call.array.type);
  if (shape.kind === "array" && shape.store !== "Array") return f.refuse("TSG1112", call.node, "filter", "a typed array");
  const type = literalType(f, call.node, ["array"]);
  const result = f.let(call.wanted, f.shape(type).kind === "array" ? type : call.array.type, { kind: "array", parts: [] });
  eachElement(f, call, (item, at) => {
    const keep = truth(f, applyCallback(f, fn, [item, at, call.array], call.node) ?? UNDEFINED);
    f.when(keep, () => f.b.emit({ kind: "append", object: result, value: item }));
  });
  return result;
}

function flatMap(f: Frame, call: Call, fn: Fn): Atom {
  const result = f.let(call.wanted, literalType(f, call.node, ["array"]), { kind: "array", parts: [] });
  eachElement(f, call, (item, at) => {
    const row = mapped(f, fn, [item, at, call.array], call.node);
    if (f.shape(row.type).kind === "array") appendAll(f, result, row);
    else f.b.emit({ kind: "append", object: result, value: row });
  });
  return result;
}

function reduce(f: Frame, call: Call, fn: Fn, start: ts.Expression | undefined): Atom {
  const backwards = call.method === "reduceRight";
  const type = start === undefined ? call.elem : literalType(f, call.node, null);
  const seed = start === undefined ? null : lowerExpr(f, start);
  const length = lengthOf(f, call.array);
  const last = (): Atom => f.b.op("sub", length, num(1));
  if (seed === null) throwIfEmpty(f, length);
  const first = seed ?? itemOf(f, call, backwards ? last() : num(0));
  const variable = f.declare(nameOfAccumulator(f, fn), f.shape(type).kind === "leaf" ? first.type : type, first);
  const round = (at: Var): void => {
    const former = f.let("t", variable.type, { kind: "copy", atom: variable });
    f.assign(variable, mapped(f, fn, [former, itemOf(f, call, at), at, call.array], call.node));
  };
  if (!backwards) emitCounted(f, f.label("loop"), "i", { from: num(seed === null ? 1 : 0), test: "<", to: length, step: 1 }, round);
  else emitCounted(f, f.label("loop"), "i", { from: seed === null ? f.b.op("sub", length, num(2)) : last(), test: ">=", to: num(0), step: -1 }, round);
  return f.let(call.wanted, variable.type, { kind: "copy", atom: variable });
}

function nameOfAccumulator(f: Frame, fn: Fn): string {
  const name = fn.kind === "closure" ? fn.node.parameters[0]?.name : undefined;
  return name !== undefined && f.api.isIdentifier(name) ? name.text : "acc";
}

function throwIfEmpty(f: Frame, length: Atom): void {
  f.when(f.b.op("eq", length, num(0)), () => {
    const text: Atom = { kind: "const", type: { kind: "leaf", text: "string" }, value: "Reduce of empty array with no initial value" };
    f.b.emit({ kind: "throw", value: externCall(f, "t", { kind: "leaf", text: "TypeError" }, "new TypeError", [text]) });
  });
}

/** `every` and `some` stop at the first element that decides. */
function quantify(f: Frame, call: Call, fn: Fn, every: boolean): Atom {
  const result = f.declare(call.method, BOOL, bool(every));
  eachElement(f, call, (item, at, label) => {
    const holds = truth(f, applyCallback(f, fn, [item, at, call.array], call.node) ?? UNDEFINED);
    f.when(every ? not(f, holds) : holds, () => {
      f.assign(result, bool(!every));
      f.b.emit({ kind: "break", label });
    });
  });
  return f.let(call.wanted, BOOL, { kind: "copy", atom: result });
}

function find(f: Frame, call: Call, type: Type, missing: Atom, found: (item: Atom, at: Var) => Atom, holds: (item: Atom, at: Var) => Atom): Atom {
  const result = f.declare("found", type, missing);
  const label = f.label("loop");
  const round = (at: Var): void => {
    const item = itemOf(f, call, at);
    f.when(holds(item, at), () => {
      f.assign(result, found(item, at));
      f.b.emit({ kind: "break", label });
    });
  };
  const length = lengthOf(f, call.array);
  if (!BACKWARDS.has(call.method)) emitFor(f, label, length, round);
  else emitCounted(f, label, "i", { from: f.b.op("sub", length, num(1)), test: ">=", to: num(0), step: -1 }, round);
  return f.let(call.wanted, type, { kind: "copy", atom: result });
}
