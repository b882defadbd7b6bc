// Inlines iterators that the program writes by hand: `for (const x of range)` of a class whose
// `[Symbol.iterator]()` returns `{ next() { … } }` or an array's iterator. Output: a loop that
// begins each iteration with the code of `next`. Invariant: `next` runs once for each value and
// once at the end, and its result object is never allocated. Iterators with a `return` method are
// not inlined.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { bool } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { itemAt, lengthOf, sourceOf, type Source } from "../builtins/iterate.ts";
import { inlineToReturn, inlineReturns } from "../functions/inlining.ts";
import { unwrap } from "../coerce.ts";
import { emitIndexed, emitWhile } from "./emit-loop.ts";
import { lowerEffect, lowerExpr } from "../lowering.ts";
import { type Frame } from "../frame.ts";
import { Env, type Fn } from "../function-values.ts";
import { methodFn, methodOf } from "./generators.ts";
import { lowerCondition } from "../operators.ts";
import { resolveFn } from "../resolve.ts";
import { codeOf } from "../names/library-names.ts";
import { returnsWithin, someNode } from "../../syntax/walk.ts";

/** The source of the values: a function to call, or an array that may change meanwhile. */
type Values =
  | { readonly kind: "next"; readonly next: Fn; readonly elem: Type; readonly node: ts.Expression }
  | { readonly kind: "list"; readonly source: Source };

interface Iterable {
  readonly elem: Type;
  open(): Values;
}

/**
 * Lowers a loop over such an object, if it is one. `fill` lowers the loop's body for a value, and
 * `inLoop` opens the loop for its exits.
 */
export function lowerForOfIterator(
  f: Frame,
  node: ts.ForOfStatement,
  inLoop: (make: (label: string) => void) => void,
  fill: (item: Atom) => void,
): boolean {
  const iterable = iterableOf(f, node.expression);
  if (iterable === null) return false;
  const values = iterable.open();
  inLoop((label) => eachOf(f, values, label, fill));
  return true;
}

/** All values of such an object as an array: `[...range]`; else null. */
export function iteratedList(
  f: Frame,
  expression: ts.Expression,
): { readonly list: Atom; readonly elem: Type } | null {
  const iterable = iterableOf(f, expression);
  if (iterable === null) return null;
  const values = iterable.open();
  const { elem } = iterable;
  const list = f.let("list", { kind: "array", store: "Array", elem }, { kind: "array", parts: [] });
  eachOf(f, values, f.label("loop"), (item) =>
    f.b.emit({ kind: "append", object: list, value: item }),
  );
  return { list, elem };
}

function eachOf(f: Frame, values: Values, label: string, use: (item: Atom) => void): void {
  if (values.kind === "next")
    return emitWhile(
      f,
      label,
      () => bool(true),
      () => use(nextOf(f, values, label)),
      null,
    );
  const { source } = values;
  emitIndexed(
    f,
    label,
    () => lengthOf(f, source),
    (at) => use(itemAt(f, source, at, "t")),
  );
}

const nextOf = (
  f: Frame,
  { next, elem, node }: Values & { readonly kind: "next" },
  label: string,
): Atom =>
  inlineReturns(f, next, [], elem, (returned) => resultOf(f, returned, elem, label)) ??
  f.refuse("TSG1120", node, f.textOf(node));

/** `{ done: false, value: x }`: x; `{ done: true }` ends the loop. */
function resultOf(f: Frame, returned: ts.Expression, elem: Type, label: string): Atom {
  const { api } = f;
  const node = bare(returned, f.api);
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

/** The `done` and `value` of a literal, in order; null if it is no literal or has other parts. */
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

/** An object with a known iterator method: of a class without subclasses, or of a literal. */
function iterableOf(f: Frame, expression: ts.Expression): Iterable | null {
  const { api } = f;
  const target = bare(expression, f.api);
  const method = methodOf(f, target, ITERATOR);
  const own = method === null && api.isCallExpression(target) ? returnedMethod(f, target) : null;
  const node = method ?? own?.method ?? null;
  if (node === null || node.asteriskToken !== undefined || f.inlining.includes(node)) return null;
  const fn = (): Fn | null =>
    own === null
      ? methodFn(f, target, node)
      : inlineToReturn(f, own.fn, null, own.call, () => ({ kind: "closure", node, env: f.env }));
  const returned = lastOf(f, node);
  const list = returned === null ? null : iteratedArray(f, returned);
  const next = returned === null || list !== null ? null : nextIn(f, returned);
  const elem = list === null && next === null ? null : elementType(f, target);
  if (elem === null) return null;
  const given = <T>(values: T | null): T =>
    values ?? f.refuse("TSG1120", expression, f.textOf(expression));
  const open = (): Values => {
    const made = given(fn());
    if (list !== null)
      return {
        kind: "list",
        source: given(inlineToReturn(f, made, [], null, () => listSource(f, list))),
      };
    const closure = given(
      inlineToReturn(f, made, [], null, (): Fn | null =>
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

/** The method of `{ [Symbol.iterator]() { … } }` that a called function returns at its end. */
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
  const node = codeOf(f, fn);
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

/** The expression that a function returns at its end. */
function lastOf(f: Frame, node: ts.FunctionLikeDeclaration): ts.Expression | null {
  const { api } = f;
  const body = "body" in node ? node.body : undefined;
  if (body === undefined) return null;
  if (!api.isBlock(body)) return bare(body, f.api);
  const last = body.statements.at(-1);
  return last !== undefined && api.isReturnStatement(last) && last.expression !== undefined
    ? bare(last.expression, f.api)
    : null;
}

type NextFunction = ts.MethodDeclaration | ts.ArrowFunction | ts.FunctionExpression;

/** The `next` of `{ next() { … } }`, if all its results are literals. */
function nextIn(f: Frame, literal: ts.Expression): NextFunction | null {
  const { api } = f;
  const [only, ...more] = api.isObjectLiteralExpression(literal)
    ? literal.properties.filter((each) => !isItself(f, each))
    : [];
  if (only === undefined || more.length > 0 || only.name?.getText() !== "next") return null;
  const fn = api.isPropertyAssignment(only) ? bare(only.initializer, f.api) : only;
  if (!(api.isMethodDeclaration(fn) || api.isArrowFunction(fn) || api.isFunctionExpression(fn)))
    return null;
  // `this` of a method is the literal, which is not allocated
  const hasThis =
    !api.isArrowFunction(fn) &&
    someNode(api, fn, ({ kind }) => kind === api.SyntaxKind.ThisKeyword);
  return fn.asteriskToken === undefined && !hasThis && returnsResults(f, fn) ? fn : null;
}

/** Whether each result is a literal with `done` and `value`. */
function returnsResults(f: Frame, { body }: NextFunction): boolean {
  const { api } = f;
  const isResult = (node: ts.Expression): boolean => {
    const result = bare(node, f.api);
    return api.isConditionalExpression(result)
      ? isResult(result.whenTrue) && isResult(result.whenFalse)
      : resultParts(f, result) !== null;
  };
  if (body === undefined || !api.isBlock(body)) return body !== undefined && isResult(body);
  return returnsWithin(api, body).every(
    ({ expression }) => expression !== undefined && isResult(expression),
  );
}

/** `[Symbol.iterator]() { return this; }` */
function isItself(f: Frame, node: ts.ObjectLiteralElementLike): boolean {
  return (
    f.api.isMethodDeclaration(node) &&
    node.name.getText() === ITERATOR &&
    lastOf(f, node)?.kind === f.api.SyntaxKind.ThisKeyword &&
    node.body?.statements.length === 1
  );
}

/** The array of `xs[Symbol.iterator]()`; or the call `xs.values()`, `xs.entries()`, `xs.keys()`. */
function iteratedArray(
  { api, ctx: { checker } }: Frame,
  returned: ts.Expression,
): ts.Expression | null {
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
  if (!checker.isArrayType(checker.getTypeAtLocation(callee.expression))) return null;
  return isOwn ? callee.expression : returned;
}

function listSource(f: Frame, list: ts.Expression): Source | null {
  const source = sourceOf(f, list);
  return source.array === null || source.dict !== null ? null : source;
}

/** The type of `value` in the results that are not the last. */
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
