// Iterators of the program that are written by hand and gone through: `for (const x of range)` of a class whose `[Symbol.iterator]()` returns `{ next() { … } }`, or hands on what a list gives. In: such a loop or list. Out: a loop
// that begins each round with the code of `next`. Invariant: `next` runs once for each value and once more at the end, and what it returns is no object; an iterator that has a `return` to run is none of these.

import type ts from "typescript";
import { bool, num, NUM } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { itemAt, lengthOf, sourceOf, type Source } from "../builtins/iterate.ts";
import { atReturn, writtenOut } from "../functions/inlining.ts";
import { unwrap } from "../coerce.ts";
import { emitWhile } from "./emit-loop.ts";
import { lowerEffect, lowerExpr } from "../expression.ts";
import { Env, type Fn, type Frame } from "../frame.ts";
import { methodFn, methodOf } from "./generators.ts";
import { lowerCondition } from "../operators.ts";
import { opened, resolveFn } from "../resolve.ts";

/** What gives the values: a function to call, or a list that may change meanwhile. */
type Giver =
  | { readonly kind: "next"; readonly next: Fn; readonly elem: Type; readonly node: ts.Expression }
  | { readonly kind: "list"; readonly source: Source };

interface Iterable {
  readonly elem: Type;
  open(): Giver;
}

/** Lowers a loop over such an object; `round` runs the loop's body for a value, `inLoop` opens the loop for its exits. Whether it is one. */
export function lowerForOfIterator(
  f: Frame,
  node: ts.ForOfStatement,
  inLoop: (make: (label: string) => void) => void,
  round: (item: Atom) => void,
): boolean {
  const iterable = iterableOf(f, node.expression);
  if (iterable === null) return false;
  const giver = iterable.open();
  inLoop((label) => eachOf(f, giver, label, round));
  return true;
}

/** All that such an object gives, as a list: `[...range]`; null for any other expression. */
export function iteratedList(
  f: Frame,
  expression: ts.Expression,
): { readonly list: Atom; readonly elem: Type } | null {
  const iterable = iterableOf(f, expression);
  if (iterable === null) return null;
  const giver = iterable.open();
  const { elem } = iterable;
  const list = f.let("list", { kind: "array", store: "Array", elem }, { kind: "array", parts: [] });
  eachOf(f, giver, f.label("loop"), (item) =>
    f.b.emit({ kind: "append", object: list, value: item }),
  );
  return { list, elem };
}

function eachOf(f: Frame, giver: Giver, label: string, use: (item: Atom) => void): void {
  if (giver.kind === "next")
    return emitWhile(
      f,
      label,
      () => bool(true),
      () => use(nextOf(f, giver, label)),
      null,
    );
  const at = f.declare("i", NUM, num(0));
  const { source } = giver;
  emitWhile(
    f,
    label,
    () => f.b.op("lt", at, lengthOf(f, source)),
    () => use(itemAt(f, source, f.let("t", NUM, { kind: "copy", atom: at }), "t")),
    () => f.assign(at, f.b.op("add", at, num(1))),
  );
}

const nextOf = (
  f: Frame,
  { next, elem, node }: Giver & { readonly kind: "next" },
  label: string,
): Atom =>
  writtenOut(f, next, [], elem, (returned) => resultOf(f, returned, elem, label)) ??
  f.refuse("TSG1120", node, f.textOf(node));

/** `{ done: false, value: x }`: x; `{ done: true }` ends the loop. */
function resultOf(f: Frame, returned: ts.Expression, elem: Type, label: string): Atom {
  const { api } = f;
  const node = opened(f, returned);
  if (api.isConditionalExpression(node))
    return f.choose(
      "t",
      elem,
      lowerCondition(f, node.condition),
      () => resultOf(f, node.whenTrue, elem, label),
      () => resultOf(f, node.whenFalse, elem, label),
    );
  let done: Atom = bool(false);
  let value: Atom | null = null;
  for (const { name, held } of resultParts(f, node) ?? []) {
    if (name === "done") done = lowerCondition(f, held);
    else if (done.kind === "const" && done.value === true) lowerEffect(f, held);
    else value = lowerExpr(f, held);
  }
  if (done.kind !== "const") f.when(done, () => f.b.emit({ kind: "break", label }));
  else if (done.value === true) f.b.emit({ kind: "break", label });
  return value === null || (done.kind === "const" && done.value === true)
    ? { kind: "undef", type: elem }
    : unwrap(f, value);
}

/** What a literal says of `done` and `value`; null of what is none, or says more. */
function resultParts(
  { api }: Frame,
  node: ts.Expression,
): readonly { readonly name: "done" | "value"; readonly held: ts.Expression }[] | null {
  if (!api.isObjectLiteralExpression(node)) return null;
  const parts = node.properties.map((each) => {
    const held = api.isPropertyAssignment(each)
      ? each.initializer
      : api.isShorthandPropertyAssignment(each)
        ? each.name
        : null;
    const name = each.name === undefined || !api.isIdentifier(each.name) ? null : each.name.text;
    return held === null || (name !== "done" && name !== "value")
      ? null
      : ({ name, held } as const);
  });
  return parts.every((part) => part !== null) ? parts : null;
}

/** An object of a class that no other class derives from, or what a function returns as `{ [Symbol.iterator]() { … } }`. */
function iterableOf(f: Frame, expression: ts.Expression): Iterable | null {
  const { api } = f;
  const target = opened(f, expression);
  const method = methodOf(f, target, ITERATOR);
  const own = method === null && api.isCallExpression(target) ? returnedMethod(f, target) : null;
  const node = method ?? own?.method ?? null;
  if (node === null || node.asteriskToken !== undefined || f.inlining.includes(node)) return null;
  const fn = (): Fn | null =>
    own === null
      ? methodFn(f, target, node)
      : atReturn(f, own.fn, null, own.call, () => ({ kind: "closure", node, env: f.env }));
  const returned = lastOf(f, node);
  const list = returned === null ? null : handedOn(f, returned);
  const next = returned === null || list !== null ? null : nextIn(f, returned);
  const elem = list === null && next === null ? null : elementType(f, target);
  if (elem === null) return null;
  const given = <T>(giver: T | null): T =>
    giver ?? f.refuse("TSG1120", expression, f.textOf(expression));
  const open = (): Giver => {
    const made = given(fn());
    if (list !== null)
      return {
        kind: "list",
        source: given(atReturn(f, made, [], null, () => listSource(f, list))),
      };
    const closure = given(
      atReturn(f, made, [], null, (): Fn | null =>
        next === null
          ? null
          : {
              kind: "closure",
              node: next,
              env: f.api.isMethodDeclaration(next) ? new Env(f.env, { kind: "none" }) : f.env,
            },
      ),
    );
    return { kind: "next", elem, node: expression, next: closure };
  };
  return { elem, open };
}

const ITERATOR = "[Symbol.iterator]";

/** The method of `{ [Symbol.iterator]() { … } }` that a called function of the program returns at its end. */
function returnedMethod(
  f: Frame,
  call: ts.CallExpression,
): {
  readonly method: ts.MethodDeclaration;
  readonly fn: Fn;
  readonly call: ts.CallExpression;
} | null {
  const { api } = f;
  const fn = resolveFn(f, call.expression);
  const node =
    fn?.kind === "closure" ? fn.node : fn?.kind === "program" ? f.ctx.bodyOf(fn.symbol) : null;
  const returned = node === null || f.inlining.includes(node) ? null : lastOf(f, node);
  const [method, ...more] =
    returned !== null && api.isObjectLiteralExpression(returned) ? returned.properties : [];
  return fn !== null &&
    method !== undefined &&
    more.length === 0 &&
    api.isMethodDeclaration(method) &&
    method.name.getText() === ITERATOR
    ? { method, fn, call }
    : null;
}

/** What a function returns at its end. */
function lastOf(f: Frame, node: ts.FunctionLikeDeclaration): ts.Expression | null {
  const { api } = f;
  const body = "body" in node ? node.body : undefined;
  const last = body !== undefined && api.isBlock(body) ? body.statements.at(-1) : undefined;
  const returned =
    body === undefined
      ? undefined
      : api.isBlock(body)
        ? last !== undefined && api.isReturnStatement(last)
          ? last.expression
          : undefined
        : body;
  return returned === undefined ? null : opened(f, returned);
}

/** The `next` of `{ next() { … } }`, where its results are all written there. */
function nextIn(
  f: Frame,
  literal: ts.Expression,
): ts.MethodDeclaration | ts.ArrowFunction | ts.FunctionExpression | null {
  const { api } = f;
  const [only, ...more] = api.isObjectLiteralExpression(literal)
    ? literal.properties.filter((each) => !isItself(f, each))
    : [];
  const fn =
    only === undefined
      ? undefined
      : api.isMethodDeclaration(only)
        ? only
        : api.isPropertyAssignment(only)
          ? opened(f, only.initializer)
          : undefined;
  if (
    more.length > 0 ||
    only?.name?.getText() !== "next" ||
    fn === undefined ||
    !(api.isMethodDeclaration(fn) || api.isArrowFunction(fn) || api.isFunctionExpression(fn)) ||
    fn.asteriskToken !== undefined ||
    fn.body === undefined
  )
    return null;
  const isResult = (node: ts.Expression): boolean => {
    const result = opened(f, node);
    return api.isConditionalExpression(result)
      ? isResult(result.whenTrue) && isResult(result.whenFalse)
      : resultParts(f, result) !== null;
  };
  const areResults = (node: ts.Node): boolean =>
    api.isReturnStatement(node)
      ? node.expression !== undefined && isResult(node.expression)
      : api.isFunctionLike(node) ||
        api.forEachChild(node, (child) => !areResults(child) || undefined) !== true;
  // `this` of a method is the literal, which stands nowhere
  return (api.isArrowFunction(fn) || !mentionsThis(f, fn)) &&
    (api.isBlock(fn.body) ? areResults(fn.body) : isResult(fn.body))
    ? fn
    : null;
}

const mentionsThis = (f: Frame, node: ts.Node): boolean =>
  node.kind === f.api.SyntaxKind.ThisKeyword ||
  f.api.forEachChild(node, (child) => mentionsThis(f, child) || undefined) === true;

/** `[Symbol.iterator]() { return this; }` */
function isItself(f: Frame, node: ts.ObjectLiteralElementLike): boolean {
  return (
    f.api.isMethodDeclaration(node) &&
    node.name.getText() === ITERATOR &&
    lastOf(f, node)?.kind === f.api.SyntaxKind.ThisKeyword &&
    node.body?.statements.length === 1
  );
}

/** The list of `list[Symbol.iterator]()` and of what is made of `list.values()`, `list.entries()`, `list.keys()`. */
function handedOn({ api, ctx: { checker } }: Frame, returned: ts.Expression): ts.Expression | null {
  if (!api.isCallExpression(returned) || returned.arguments.length > 0) return null;
  const { expression: callee } = returned;
  const isOwn =
    api.isElementAccessExpression(callee) &&
    callee.argumentExpression.getText() === "Symbol.iterator";
  if (
    !isOwn &&
    !(api.isPropertyAccessExpression(callee) && /^(?:values|entries|keys)$/.test(callee.name.text))
  )
    return null;
  return checker.isArrayType(checker.getTypeAtLocation(callee.expression))
    ? isOwn
      ? callee.expression
      : returned
    : null;
}

function listSource(f: Frame, list: ts.Expression): Source | null {
  const source = sourceOf(f, list);
  return source.array === null || source.dict !== null ? null : source;
}

/** What the `value` of the results is that are not the last. */
function elementType({ ctx }: Frame, target: ts.Expression): Type | null {
  const { checker } = ctx;
  const isIterating = (symbol: ts.Symbol): boolean =>
    symbol.escapedName.toString().startsWith("__@iterator");
  const given = (type: ts.Type | undefined): ts.Type | undefined =>
    type?.getCallSignatures()[0]?.getReturnType();
  const typeOf = (symbol: ts.Symbol | undefined): ts.Type | undefined =>
    symbol === undefined ? undefined : checker.getTypeOfSymbolAtLocation(symbol, target);
  const iterator = given(
    typeOf(checker.getTypeAtLocation(target).getProperties().find(isIterating)),
  );
  const result = iterator === undefined ? undefined : given(typeOf(iterator.getProperty("next")));
  const isLast = (part: ts.Type): boolean => {
    const done = typeOf(part.getProperty("done"));
    return done !== undefined && checker.typeToString(done) === "true";
  };
  const values =
    result === undefined
      ? []
      : (result.isUnion() ? result.types : [result])
          .filter((part) => !isLast(part))
          .map((part) => typeOf(part.getProperty("value")));
  const [value, ...others] = values;
  return value === undefined || others.some((other) => other !== value)
    ? null
    : ctx.typeFrom(checker.getNonNullableType(value), target);
}
