// Lowers calls and `new`. Output: the value; null where the called function returns none.
// Invariant: callee, receiver and arguments are evaluated in JavaScript's order.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { BOOL, NUM, field, num } from "../ir/build.ts";
import type { ArrayStore, Atom, Type } from "../ir/types.ts";
import { TYPED_ARRAYS } from "../ir/typed-arrays.ts";
import { lowerArrayMethod, applyFn, lowerExpr } from "./lowering.ts";
import { type MethodCall, isFn, type Arg } from "./function-values.ts";
import { lowerMapMethod, newMap } from "./builtins/dict.ts";
import { lowerArrayFrom, newArray } from "./builtins/construct.ts";
import { lowerExternMethod } from "./builtins/leaf.ts";
import { lowerLibraryCall } from "./builtins/library.ts";
import { lowerSetMethod, newSet, setElement } from "./builtins/set.ts";
import { lowerIndirect } from "./functions/indirect.ts";
import { lowerLinear } from "./derivatives/linear-maps.ts";
import { mayHoldFunctions } from "./functions/known-functions.ts";
import { inert, unwrap, externWith, callOf } from "./coerce.ts";
import { isIterator, iterableAsArray } from "./builtins/iterate.ts";
import type { Frame } from "./frame.ts";
import {
  callMember,
  callOptional,
  callSuper,
  hasMember,
  isOptionalMethod,
} from "./classes/members.ts";
import { callStatic, newInstance } from "./classes/static-members.ts";
import { spreadPart } from "./objects/literals.ts";
import { isSafeLeaf } from "./objects/places.ts";
import { boundType } from "./control/type-tests.ts";
import { callHostCallback, isHostCallback } from "./functions/host-callback-calls.ts";
import { heldFn, refuseHeld } from "./functions/held-functions.ts";
import { taggedArgument } from "./functions/function-tags.ts";
import { literalRecord } from "./classes/members-as-value.ts";
import { functionOf, resolveFn } from "./resolve.ts";
import { codeOf, isNamespace, isLibrary } from "./names/library-names.ts";
import { rejectReplacedBuiltin } from "./names/replaced-builtins.ts";
import { usesIn } from "./names/uses.ts";

/** `unused`: nothing reads the value. */
export function lowerCall(
  f: Frame,
  node: ts.CallExpression,
  hint: string,
  unused = false,
): Atom | null {
  const { api } = f;
  const callee = bare(node.expression, f.api);
  const member = api.isPropertyAccessExpression(callee) ? callee : null;
  if (member?.expression.kind === api.SyntaxKind.SuperKeyword)
    return callSuper(f, member, { kind: "method", args: lowerArguments(f, node), at: node }, hint);
  if (callee.kind === api.SyntaxKind.SuperKeyword || callee.kind === api.SyntaxKind.ImportKeyword)
    return f.refuse("TSG1201", node, `expression \`${f.textOf(node)}\``);
  if (member !== null) {
    const ofMap = lowerLinear(f, node, member, hint);
    if (ofMap !== null) return ofMap;
    const indirect = lowerIndirect(f, node, member, hint);
    if (indirect !== null) return indirect.value;
  }
  const fn = functionOf(f, callee);
  if (fn?.kind === "builtin") return lowerLibraryCall(f, fn.path, node, hint, unused);
  if (fn !== null) {
    const hasRest = fn.kind === "closure" || fn.kind === "program";
    return applyFn(f, fn, lowerArguments(f, node, hasRest), node, hint);
  }
  return lowerDynamicCall(f, node, callee, hint, unused);
}

/** A call whose function depends on a class, on the tag of a field, or on the receiver's type. */
function lowerDynamicCall(
  f: Frame,
  node: ts.CallExpression,
  callee: ts.Expression,
  hint: string,
  unused: boolean,
): Atom | null {
  const { api } = f;
  const fixed = api.isPropertyAccessExpression(callee) ? callStatic(f, callee, node, hint) : null;
  if (fixed !== null) return fixed.value;
  const held = heldFn(f, callee);
  if (held !== null) return applyFn(f, held, lowerArguments(f, node), node, hint);
  const notified = isHostCallback(f, callee) ? callHostCallback(f, node, hint) : null;
  if (notified !== null) return notified;
  if (api.isPropertyAccessExpression(callee) && !isNamespace(f, callee.expression))
    return lowerMethod(f, node, callee, hint, unused);
  const type = f.ctx.checker.getTypeAtLocation(callee);
  if (type.flags & api.TypeFlags.Any) return f.refuse("TSG1113", node, f.textOf(callee));
  return f.refuse("TSG1124", node, f.textOf(callee));
}

/**
 * Arguments in order. Known functions stay functions, and a spread tuple becomes its elements.
 * `lists`: a spread array stays one, for a rest parameter.
 */
export function lowerArguments(
  f: Frame,
  node: ts.CallExpression | ts.NewExpression,
  lists = false,
): Arg[] {
  const given = node.arguments ?? [];
  return given.flatMap((argument, at) =>
    lists && f.api.isSpreadElement(argument)
      ? [spreadArray(f, argument, given.slice(at + 1))].flat()
      : lowerArgument(f, node, argument),
  );
}

/** A spread argument; `later` are the arguments after it, which run once it is read. */
function spreadArray(
  f: Frame,
  node: ts.SpreadElement,
  later: readonly ts.Expression[],
): Arg | Atom[] {
  if (isTuple(f, node.expression)) {
    const call = node.parent as ts.CallExpression; // an argument's parent is its call
    return spreadValues(f, call, node.expression, node);
  }
  return { kind: "spread", list: spreadPart(f, node, later).atom, node };
}

function lowerArgument(
  f: Frame,
  node: ts.CallExpression | ts.NewExpression,
  argument: ts.Expression,
): Arg[] {
  if (f.api.isSpreadElement(argument)) return spreadValues(f, node, argument.expression, argument);
  const tagged =
    f.api.isArrayLiteralExpression(argument) || !mayHoldFunctions(f, argument)
      ? taggedArgument(f, argument)
      : null;
  if (tagged !== null) return [tagged];
  if (
    isIterator(f, argument) &&
    f.api.isCallExpression(bare(argument, f.api)) &&
    isIteratedOnce(f, node, argument)
  )
    return [iterableAsArray(f, argument).atom];
  if (!mayHoldFunctions(f, argument)) return [lowerExpr(f, argument)];
  const fn = resolveFn(f, argument);
  return fn === null ? f.refuse("TSG1124", argument, f.textOf(argument)) : [fn];
}

/**
 * Whether the called function uses the argument once, to iterate over it outside of loops. An
 * iterator may then be replaced by an array of its values.
 */
function isIteratedOnce(
  f: Frame,
  node: ts.CallExpression | ts.NewExpression,
  argument: ts.Expression,
): boolean {
  const { api } = f;
  const fn = api.isCallExpression(node) ? functionOf(f, bare(node.expression, f.api)) : null;
  const body = codeOf(f, fn);
  const parameter = body?.parameters[node.arguments?.indexOf(argument) ?? -1];
  if (body === null || parameter === undefined || parameter.dotDotDotToken !== undefined)
    return false;
  const { name } = parameter;
  const symbol = api.isIdentifier(name) ? f.symbolOf(name) : null;
  const [use, ...others] = usesIn(f, body, symbol).filter((at) => at !== name);
  const loop = use?.parent;
  if (
    loop === undefined ||
    others.length > 0 ||
    !((api.isForOfStatement(loop) && loop.expression === use) || api.isSpreadElement(loop))
  )
    return false;
  return (
    api.findAncestor(loop.parent, (at) =>
      at === body ? "quit" : api.isIterationStatement(at, false) || api.isFunctionLike(at),
    ) === undefined
  );
}

/**
 * Whether the lowered value is a tuple. `xs.slice(0, 2) as [number, number]` is still an array,
 * which may be longer.
 */
export function isTuple(f: Frame, expression: ts.Expression): boolean {
  const type = boundType(f, expression) ?? f.ctx.typeOf(bare(expression, f.api));
  return f.shape(type).kind === "tuple";
}

/** Loads the elements of a spread tuple. */
export function spreadValues(
  f: Frame,
  node: ts.CallExpression | ts.NewExpression,
  list: ts.Expression,
  at: ts.Node = list,
): Atom[] {
  const value = unwrap(f, lowerExpr(f, list));
  const shape = f.shape(value.type);
  if (shape.kind !== "tuple") return f.refuse("TSG1111", at, f.textOf(node.expression));
  return shape.elems.map((elem, at) =>
    f.let("t", elem, { kind: "load", object: value, key: field(String(at)) }),
  );
}

/** Arguments that must all be values. */
export function lowerValues(f: Frame, node: ts.CallExpression): Atom[] {
  return node.arguments.flatMap((argument) => {
    if (f.api.isObjectLiteralExpression(bare(argument, f.api))) return [lowerExpr(f, argument)];
    return lowerArgument(f, node, argument).map((arg) =>
      !isFn(arg)
        ? arg
        : ((arg.kind === "members"
            ? literalRecord(f, arg, f.ctx.typeOf(argument), argument)
            : null) ?? f.refuse("TSG1124", argument, f.textOf(argument))),
    );
  });
}

function lowerMethod(
  f: Frame,
  node: ts.CallExpression,
  callee: ts.PropertyAccessExpression,
  hint: string,
  unused: boolean,
): Atom | null {
  const method = callee.name.text;
  const type = f.ctx.checker.getTypeAtLocation(callee.expression);
  if (type.flags & f.api.TypeFlags.Any) return f.refuse("TSG1113", node, f.textOf(callee));
  // these methods return their receiver, so the hint names it
  const returnsReceiver = method === "sort" || method === "reverse" || method === "fill";
  const receiver = unwrap(f, lowerExpr(f, callee.expression, returnsReceiver ? hint : "t"));
  const shape = f.shape(receiver.type);
  if (method === "hasOwnProperty" && shape.kind !== "leaf") {
    const operands = [receiver, ...lowerValues(f, node).slice(0, 1)];
    return inert(f, hint, BOOL, ["", ".hasOwnProperty(", ")"], operands);
  }
  if (hasMember(f, receiver.type, "method", method))
    return callMember(
      f,
      receiver,
      { kind: "method", name: method, args: lowerArguments(f, node, true), at: node },
      hint,
    );
  const optional = isOptionalMethod(f, callee)
    ? callOptional(f, receiver, callee, { args: lowerArguments(f, node, true), at: node }, hint)
    : null;
  if (optional !== null) return optional.value;
  return lowerBuiltinMethod(f, { node, callee, method, hint, unused, receiver });
}

/** A method that no class of the program declares, by the kind of its receiver. */
function lowerBuiltinMethod(f: Frame, call: MethodCall): Atom | null {
  const { node, callee, method, receiver, hint } = call;
  const { checker, classes } = f.ctx;
  const shape = f.shape(receiver.type);
  if (shape.kind === "array" || shape.kind === "tuple") return lowerArrayMethod(f, call);
  if (shape.kind === "dict") return lowerMapMethod(f, call, shape);
  if (shape.kind === "num" || shape.kind === "bool")
    return FORMATTERS.has(method)
      ? lowerExternMethod(f, node, receiver, method, hint)
      : f.refuse("TSG1112", node, method, "number");
  const type = checker.getTypeAtLocation(callee.expression);
  if (shape.kind === "leaf") {
    if (isSafeLeaf(f, type)) return lowerExternMethod(f, node, receiver, method, hint);
    const elem = setElement(f, callee.expression);
    if (elem !== null) return lowerSetMethod(f, call, elem);
    if (classes.ofType(type) !== null)
      return f.refuse("TSG1107", node, f.name, checker.typeToString(type));
  } else if (shape.kind === "record" || shape.kind === "union" || shape.kind === "named")
    refuseHeld(f, node, callee);
  return f.refuse("TSG1112", node, method, checker.typeToString(type));
}

/** Methods of numbers and booleans; they give strings, which have no derivative. */
const FORMATTERS: ReadonlySet<string> = new Set(
  "toFixed toString toPrecision toExponential toLocaleString".split(" "),
);

export function lowerNew(f: Frame, node: ts.NewExpression, hint: string): Atom {
  const callee = bare(node.expression, f.api);
  const name = f.api.isIdentifier(callee)
    ? callee.text
    : f.api.isPropertyAccessExpression(callee)
      ? callee.name.text
      : "";
  if (isLibrary(f, callee, name)) rejectReplacedBuiltin(f, name, node);
  if (isLibrary(f, callee, "Array")) return newArray(f, node, node.arguments ?? [], hint);
  const store = TYPED_ARRAYS.find((each) => isLibrary(f, callee, each));
  if (store !== undefined) return newTypedArray(f, node, store, hint);
  const isOfLibrary = isLibrary(f, callee, name);
  if (isOfLibrary && /^(?:Date|RegExp|.*Error)$/.test(name)) return newLeaf(f, node, name, hint);
  if (isOfLibrary && name === "Map") return newMap(f, node, hint);
  if (isOfLibrary && name === "Set") return newSet(f, node, hint);
  const made = newInstance(f, node, hint);
  if (made !== null) return made;
  if (isOfLibrary) return f.refuse("TSG1206", node, name);
  const type = f.ctx.checker.getTypeAtLocation(node);
  return f.refuse("TSG1107", node, f.name, f.ctx.checker.typeToString(type));
}

/** `new Date()` and the like: an object without numbers. */
function newLeaf(f: Frame, node: ts.NewExpression, name: string, hint: string): Atom {
  const args = (node.arguments ?? []).map((argument) => lowerExpr(f, argument));
  const effect = name === "Date" && args.length === 0 ? "io" : "pure";
  return externWith(f, hint, f.ctx.typeOf(node), {
    ...callOf(`new ${name}`, args),
    effect: effect,
  });
}

function newTypedArray(f: Frame, node: ts.NewExpression, store: ArrayStore, hint: string): Atom {
  const type: Type = { kind: "array", store, elem: NUM };
  const [first, ...more] = node.arguments ?? [];
  if (more.length > 0) return f.refuse("TSG1206", node, `${store} on a buffer`);
  if (first === undefined)
    return f.let(hint, type, { kind: "alloc", length: num(0), fill: num(0) });
  const argument = bare(first, f.api);
  if (
    f.api.isArrayLiteralExpression(argument) &&
    !argument.elements.some(
      (element) => f.api.isSpreadElement(element) || f.api.isOmittedExpression(element),
    )
  ) {
    const parts = argument.elements.map((element) => ({
      atom: lowerExpr(f, element),
      spread: false,
    }));
    return f.let(hint, type, { kind: "array", parts });
  }
  const given = f.ctx.checker.getTypeAtLocation(argument);
  if (given.flags & f.api.TypeFlags.NumberLike)
    return f.let(hint, type, { kind: "alloc", length: lowerExpr(f, argument), fill: num(0) });
  const source = iterableAsArray(f, argument);
  return lowerArrayFrom(f, source.atom, type, hint);
}
