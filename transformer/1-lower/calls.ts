// Lowers calls and `new`. In: the expression. Out: its value; null where the called function gives
// none. Invariant: callee, receiver and arguments are evaluated in JavaScript's order; a call that
// is not understood is rejected.

import type ts from "typescript";
import { BOOL, NUM, field, num } from "../ir/build.ts";
import type { ArrayStore, Atom, Type } from "../ir/types.ts";
import { lowerArrayMethod } from "./builtins/array.ts";
import { lowerMapMethod, newMap } from "./builtins/dict.ts";
import { lowerArrayFrom, newArray } from "./builtins/construct.ts";
import { lowerExternMethod } from "./builtins/leaf.ts";
import { lowerLibraryCall } from "./builtins/library.ts";
import { lowerSetMethod, newSet, setElement } from "./builtins/set.ts";
import { applyFn, isFn, type Arg } from "./functions/closures.ts";
import { lowerIndirect } from "./functions/indirect.ts";
import { lowerLinear } from "./derivatives/linear-maps.ts";
import { mayHoldFunctions } from "./functions/known-functions.ts";
import { externCall, inert, unwrap } from "./coerce.ts";
import { isIterator, iterableAsArray } from "./builtins/iterate.ts";
import { lowerExpr } from "./expression.ts";
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
import { callListener, isListener } from "./functions/listeners.ts";
import { heldFn, refuseHeld, taggedArgument } from "./functions/held-functions.ts";
import { recordOf } from "./classes/members-as-value.ts";
import { functionOf, isLibrary, isNamespace, opened, resolveFn, TYPED_ARRAYS } from "./resolve.ts";

/** `unused`: the value is not hint, so that none need be made. */
export function lowerCall(
  f: Frame,
  node: ts.CallExpression,
  hint: string,
  unused = false,
): Atom | null {
  const { api } = f;
  const callee = opened(f, node.expression);
  if (
    api.isPropertyAccessExpression(callee) &&
    callee.expression.kind === api.SyntaxKind.SuperKeyword
  )
    return callSuper(f, callee, { kind: "method", args: lowerArguments(f, node), at: node }, hint);
  if (callee.kind === api.SyntaxKind.SuperKeyword || callee.kind === api.SyntaxKind.ImportKeyword)
    return f.refuse("TSG1201", node, `expression \`${f.textOf(node)}\``);
  const ofMap = api.isPropertyAccessExpression(callee) ? lowerLinear(f, node, callee, hint) : null;
  if (ofMap !== null) return ofMap;
  const indirect = api.isPropertyAccessExpression(callee)
    ? lowerIndirect(f, node, callee, hint)
    : null;
  if (indirect !== null) return indirect.value;
  const fn = functionOf(f, callee);
  if (fn?.kind === "builtin") return lowerLibraryCall(f, fn.path, node, hint, unused);
  if (fn !== null)
    return applyFn(
      f,
      fn,
      lowerArguments(f, node, fn.kind === "closure" || fn.kind === "program"),
      node,
      hint,
    );
  const fixed = api.isPropertyAccessExpression(callee) ? callStatic(f, callee, node, hint) : null;
  if (fixed !== null) return fixed.value;
  const held = heldFn(f, callee);
  if (held !== null) return applyFn(f, held, lowerArguments(f, node), node, hint);
  const told = isListener(f, callee) ? callListener(f, node, hint) : null;
  if (told !== null) return told;
  if (api.isPropertyAccessExpression(callee) && !isNamespace(f, callee.expression))
    return lowerMethod(f, node, callee, hint, unused);
  const type = f.ctx.checker.getTypeAtLocation(callee);
  if (type.flags & api.TypeFlags.Any) return f.refuse("TSG1113", node, f.textOf(callee));
  return f.refuse("TSG1124", node, f.textOf(callee));
}

/**
 * Arguments in order; a function that is known stays one, a spread tuple becomes its elements.
 * `lists`: a spread of any list stays one, for a rest parameter.
 */
export function lowerArguments(
  f: Frame,
  node: ts.CallExpression | ts.NewExpression,
  lists = false,
): Arg[] {
  const given = node.arguments ?? [];
  return given.flatMap((argument, at) =>
    lists && f.api.isSpreadElement(argument)
      ? [spreadList(f, argument, given.slice(at + 1))].flat()
      : lowerArgument(f, node, argument),
  );
}

/** What an array spread gives; `later`: the arguments behind it, which run once it is read. */
function spreadList(
  f: Frame,
  node: ts.SpreadElement,
  later: readonly ts.Expression[],
): Arg | Atom[] {
  if (isTuple(f, node.expression))
    return spreadValues(f, node.parent as ts.CallExpression, node.expression, node); // an argument's parent is its call
  return { kind: "spread", list: spreadPart(f, node, later).atom, node };
}

function lowerArgument(
  f: Frame,
  node: ts.CallExpression | ts.NewExpression,
  argument: ts.Expression,
): Arg[] {
  if (f.api.isSpreadElement(argument)) return spreadArgument(f, node, argument);
  const list =
    f.api.isArrayLiteralExpression(argument) || !mayHoldFunctions(f, argument)
      ? taggedArgument(f, argument)
      : null;
  if (list !== null) return [list];
  if (
    isIterator(f, argument) &&
    f.api.isCallExpression(opened(f, argument)) &&
    goesThroughOnce(f, node, argument)
  )
    return [iterableAsArray(f, argument).atom];
  if (!mayHoldFunctions(f, argument)) return [lowerExpr(f, argument)];
  const fn = resolveFn(f, argument);
  return fn === null ? f.refuse("TSG1124", argument, f.textOf(argument)) : [fn];
}

/**
 * Whether the function that is called names what it is handed at one place alone, where it goes
 * through it, and comes there once: an iterator has nothing more to give then.
 */
function goesThroughOnce(
  f: Frame,
  node: ts.CallExpression | ts.NewExpression,
  argument: ts.Expression,
): boolean {
  const { api } = f;
  const fn = api.isCallExpression(node) ? functionOf(f, opened(f, node.expression)) : null;
  const body =
    fn?.kind === "program" ? f.ctx.bodyOf(fn.symbol) : fn?.kind === "closure" ? fn.node : null;
  const parameter = body?.parameters[node.arguments?.indexOf(argument) ?? -1];
  const symbol =
    parameter !== undefined && api.isIdentifier(parameter.name) ? f.symbolOf(parameter.name) : null;
  const uses: ts.Node[] = [];
  const walk = (at: ts.Node): void => {
    if (api.isIdentifier(at) && at !== parameter?.name && f.symbolOf(at) === symbol) uses.push(at);
    api.forEachChild(at, walk);
  };
  if (
    body === undefined ||
    body === null ||
    symbol === null ||
    parameter?.dotDotDotToken !== undefined
  )
    return false;
  walk(body);
  const [use] = uses;
  const loop = use?.parent;
  if (
    use === undefined ||
    uses.length > 1 ||
    loop === undefined ||
    !((api.isForOfStatement(loop) && loop.expression === use) || api.isSpreadElement(loop))
  )
    return false;
  return (
    api.findAncestor(loop.parent, (at) =>
      at === body ? "quit" : api.isIterationStatement(at, false) || api.isFunctionLike(at),
    ) === undefined
  );
}

const spreadArgument = (
  f: Frame,
  node: ts.CallExpression | ts.NewExpression,
  argument: ts.SpreadElement,
): Atom[] => spreadValues(f, node, argument.expression, argument);

/**
 * Whether an expression is a tuple: `xs.slice(0, 2) as [number, number]` stays the list that it
 * was, and a list may be longer than that.
 */
export function isTuple(f: Frame, list: ts.Expression): boolean {
  const node = opened(f, list);
  const symbol = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  const bound = symbol === null ? null : f.env.lookup(symbol);
  const type =
    bound?.kind === "value"
      ? bound.atom.type
      : bound?.kind === "variable"
        ? bound.variable.type
        : f.ctx.typeOf(node);
  return f.shape(type).kind === "tuple";
}

/** The elements of a tuple. */
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
    if (f.api.isObjectLiteralExpression(opened(f, argument))) return [lowerExpr(f, argument)];
    return lowerArgument(f, node, argument).map((arg) =>
      !isFn(arg)
        ? arg
        : ((arg.kind === "members" ? recordOf(f, arg, f.ctx.typeOf(argument), argument) : null) ??
          f.refuse("TSG1124", argument, f.textOf(argument))),
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
  // what gives its receiver back has its name
  const receiver = unwrap(
    f,
    lowerExpr(
      f,
      callee.expression,
      method === "sort" || method === "reverse" || method === "fill" ? hint : "t",
    ),
  );
  const shape = f.shape(receiver.type);
  if (method === "hasOwnProperty" && shape.kind !== "leaf")
    return inert(
      f,
      hint,
      BOOL,
      ["", ".hasOwnProperty(", ")"],
      [receiver, ...lowerValues(f, node).slice(0, 1)],
    );
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
  switch (shape.kind) {
    case "array":
    case "tuple":
      return lowerArrayMethod(f, { node, callee, method, hint, unused, receiver });
    case "dict":
      return lowerMapMethod(f, { node, receiver, method, hint }, shape);
    case "num":
    case "bool":
      return externMethodOfScalar(f, node, receiver, method, hint);
    case "leaf": {
      if (isSafeLeaf(f, type)) return lowerExternMethod(f, node, receiver, method, hint);
      const elem = setElement(f, callee.expression);
      if (elem !== null) return lowerSetMethod(f, { node, receiver, method, hint }, elem);
      if (f.ctx.classes.ofType(type) !== null)
        return f.refuse("TSG1107", node, f.name, f.ctx.checker.typeToString(type));
      return f.refuse("TSG1112", node, method, f.ctx.checker.typeToString(type));
    }
    case "record":
    case "union":
    case "named":
      refuseHeld(f, node, callee);
      return f.refuse("TSG1112", node, method, f.ctx.checker.typeToString(type));
    case "opt":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      return f.refuse("TSG1112", node, method, f.ctx.checker.typeToString(type));
  }
}

/** `x.toFixed(2)`: text, which no derivative passes through. */
function externMethodOfScalar(
  f: Frame,
  node: ts.CallExpression,
  receiver: Atom,
  method: string,
  hint: string,
): Atom {
  if (!["toFixed", "toString", "toPrecision", "toExponential", "toLocaleString"].includes(method))
    return f.refuse("TSG1112", node, method, "number");
  return lowerExternMethod(f, node, receiver, method, hint);
}

// ---------------------------------------------------------------------------------------------------- new

export function lowerNew(f: Frame, node: ts.NewExpression, hint: string): Atom {
  const callee = opened(f, node.expression);
  const name = f.api.isIdentifier(callee)
    ? callee.text
    : f.api.isPropertyAccessExpression(callee)
      ? callee.name.text
      : "";
  if (isLibrary(f, callee, "Array")) return newArray(f, node, node.arguments ?? [], hint);
  const store = TYPED_ARRAYS.find((each) => isLibrary(f, callee, each));
  if (store !== undefined) return newTypedArray(f, node, store, hint);
  if (
    isLibrary(f, callee, name) &&
    (name === "Date" || name === "RegExp" || name.endsWith("Error"))
  ) {
    const args = (node.arguments ?? []).map((argument) => lowerExpr(f, argument));
    return externCall(
      f,
      hint,
      f.ctx.typeOf(node),
      `new ${name}`,
      args,
      name === "Date" && args.length === 0 ? "io" : "pure",
    );
  }
  if (isLibrary(f, callee, "Map")) return newMap(f, node, hint);
  if (isLibrary(f, callee, "Set")) return newSet(f, node, hint);
  const made = newInstance(f, node, hint);
  if (made !== null) return made;
  const type = f.ctx.checker.getTypeAtLocation(node);
  if (isLibrary(f, callee, name)) return f.refuse("TSG1206", node, name);
  return f.refuse("TSG1107", node, f.name, f.ctx.checker.typeToString(type));
}

function newTypedArray(f: Frame, node: ts.NewExpression, store: ArrayStore, hint: string): Atom {
  const type: Type = { kind: "array", store, elem: NUM };
  const [first, ...more] = node.arguments ?? [];
  if (more.length > 0) return f.refuse("TSG1206", node, `${store} on a buffer`);
  if (first === undefined)
    return f.let(hint, type, { kind: "alloc", length: num(0), fill: num(0) });
  const argument = opened(f, first);
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
