// Inlines generators that the program iterates over: `for (const t of steps(n)) …`,
// `[...steps(n)]`, and objects of a class with `*[Symbol.iterator]()`. The loop's body replaces
// each `yield`. Invariant: the generator's code runs in JavaScript's order. A generator that is
// left early has no `finally` to run.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { num, VOID } from "../../ir/build.ts";
import type { Atom, Body, Type } from "../../ir/types.ts";
import { itemAt, lengthOf, sourceOf } from "../builtins/iterate.ts";
import { lowerArguments, lowerExpr } from "../lowering.ts";
import { inside } from "../functions/inlining.ts";
import { unwrap } from "../coerce.ts";
import { forEachTarget } from "../assignments.ts";
import { emitFor, emitIndexed } from "./emit-loop.ts";
import { type Exitable, type Frame } from "../frame.ts";
import { Env, type Fn } from "../function-values.ts";
import { iteratedList } from "./iterators.ts";
import { resolveFn } from "../resolve.ts";
import { codeOf } from "../names/library-names.ts";
import { lowerStatements } from "../statement.ts";

/** More would copy the loop's body too often. */
const MOST_YIELDS = 4;

interface Generator {
  /** Null for an object that is iterated over itself. */
  readonly call: ts.CallExpression | null;
  /** The object whose method it is; null for a function of a module. */
  readonly object: ts.Expression | null;
  readonly fn: Fn | null;
  readonly node: ts.FunctionLikeDeclaration;
  readonly body: ts.Block;
}

/** The generator that an expression calls, or that its value iterates with, if inlinable. */
function generatorOf(f: Frame, expression: ts.Expression): Generator | null {
  const target = bare(expression, f.api);
  const called = f.api.isCallExpression(target) ? calledGenerator(f, target) : null;
  if (called !== null) return inlinable(f, called);
  const iterator = methodOf(f, target, ITERATOR);
  return iterator === null
    ? null
    : inlinable(f, { call: null, object: target, fn: null, node: iterator });
}

/** The generator function or method that a call names. */
function calledGenerator(f: Frame, call: ts.CallExpression): Omit<Generator, "body"> | null {
  const { api } = f;
  const callee = bare(call.expression, f.api);
  const member = api.isPropertyAccessExpression(callee) ? callee : null;
  const method = member === null ? null : methodOf(f, member.expression, member.name.text);
  const isOfTable = member !== null && method === null && hasProperty(f, member);
  const fn = api.isIdentifier(callee) || isOfTable ? resolveFn(f, callee) : null;
  const own = codeOf(f, fn);
  const node = own ?? method;
  if (node === null || !isGenerator(node)) return null;
  if (own !== null) return { call, object: null, fn, node };
  return member === null ? null : { call, object: member.expression, fn: null, node };
}

const hasProperty = (f: Frame, { expression, name }: ts.PropertyAccessExpression): boolean =>
  f.ctx.checker.getTypeAtLocation(expression).getProperty(name.text) !== undefined;

const isGenerator = (node: ts.FunctionLikeDeclaration): boolean => node.asteriskToken !== undefined;

function inlinable(f: Frame, generator: Omit<Generator, "body">): Generator | null {
  const { api } = f;
  const { node } = generator;
  if (
    f.inlining.includes(node) ||
    !("body" in node) ||
    node.body === undefined ||
    !api.isBlock(node.body)
  )
    return null;
  const isAsync =
    node.modifiers?.some((modifier) => modifier.kind === api.SyntaxKind.AsyncKeyword) === true;
  return isGenerator(node) && !isAsync && isPlain(f, node.body)
    ? { ...generator, body: node.body }
    : null;
}

/** The method that iterates over an object of a class. */
const ITERATOR = "[Symbol.iterator]";

/** The method of that name, if all classes that derive from the object's class have the same. */
export function methodOf(
  f: Frame,
  object: ts.Expression,
  name: string,
): ts.FunctionLikeDeclaration | null {
  const { classes, checker } = f.ctx;
  const type = checker.getTypeAtLocation(object);
  const owner = classes.ofType(checker.getBaseConstraintOfType(type) ?? type);
  const found =
    owner === null || !classes.isKnown(owner) ? null : classes.member(owner, "method", name);
  if (owner === null || found === null) return null;
  const isSame = classes
    .subclasses(owner, f.root)
    .every((derived) => classes.member(derived, "method", name)?.node === found.node);
  return isSame ? found.node : null;
}

/** Whether each `yield` is a statement, so that its result is unused, and there is no `try`. */
function isPlain({ api }: Frame, body: ts.Block): boolean {
  let yields = 0;
  let plain = true;
  const walk = (node: ts.Node): void => {
    if (api.isFunctionLike(node)) return;
    if (api.isTryStatement(node)) plain = false;
    forEachTarget(api, node, (target) => {
      plain &&= !api.isElementAccessExpression(target);
    });
    if (api.isYieldExpression(node)) {
      yields++;
      plain &&= node.expression !== undefined && api.isExpressionStatement(node.parent);
    }
    api.forEachChild(node, walk);
  };
  walk(body);
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set in a callback
  return plain && yields > 0 && yields <= MOST_YIELDS;
}

/** The first `count` values of a generator, which then stops: `const [x, y] = point`; else null. */
export function firstGenerated(f: Frame, expression: ts.Expression, count: number): Atom | null {
  const generator = generatorOf(f, expression);
  const elem = generator === null ? null : yieldedType(f, expression, generator);
  if (generator === null || elem === null) return null;
  const type: Type = { kind: "array", store: "Array", elem };
  const { statements } = generator.body;
  const yieldsOnly = statements.every(
    (each) =>
      f.api.isExpressionStatement(each) &&
      f.api.isYieldExpression(each.expression) &&
      each.expression.asteriskToken === undefined,
  );
  if (yieldsOnly && statements.length <= count) {
    const items: Atom[] = [];
    inline(f, generator, (item) => items.push(item));
    return f.let("list", type, {
      kind: "array",
      parts: items.map((atom) => ({ atom, spread: false })),
    });
  }
  const list = f.let("list", type, { kind: "array", parts: [] });
  const label = f.label("first");
  const body = f.nested(() => {
    inline(f, generator, (item) => {
      f.b.emit({ kind: "append", object: list, value: item });
      f.when(f.b.op("ge", f.b.length(list), num(count)), () => f.b.emit({ kind: "break", label }));
    });
    return [];
  });
  leavable(f, label, body);
  return list;
}

/** Lowers a loop over a generator, if it is one; `fill` lowers the loop's body for a value. */
export function lowerForOfGenerator(
  f: Frame,
  node: ts.ForOfStatement,
  labels: readonly string[],
  fill: (item: Atom) => void,
): boolean {
  const generator = generatorOf(f, node.expression);
  if (generator === null) return false;
  const label = f.label(labels[0] ?? "loop");
  const { exits } = f;
  let isLeft = false;
  const body = f.nested(() => {
    inline(f, generator, (item) => {
      const exit: Exitable = {
        label,
        userLabels: labels,
        kind: "loop",
        used: false,
        iteration: { label: f.label("round"), used: false },
      };
      f.exits = [...exits, exit];
      const inner = f.nested(() => (fill(item), []));
      isLeft ||= exit.used;
      leavable(f, exit.iteration?.used === true ? exit.iteration.label : null, inner);
    });
    return [];
  });
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set in a callback
  leavable(f, isLeft ? label : null, body);
  return true;
}

/** All values of a generator or iterator as an array: `[...steps(n)]`; else null. */
export function generatedList(
  f: Frame,
  expression: ts.Expression,
): { readonly list: Atom; readonly elem: Type } | null {
  const generator = generatorOf(f, expression);
  const elem = generator === null ? null : yieldedType(f, expression, generator);
  if (generator === null || elem === null) return iteratedList(f, expression);
  const list = f.let("list", { kind: "array", store: "Array", elem }, { kind: "array", parts: [] });
  inline(f, generator, (item) => f.b.emit({ kind: "append", object: list, value: item }));
  return { list, elem };
}

function yieldedType(f: Frame, expression: ts.Expression, { call, node }: Generator): Type | null {
  const { checker } = f.ctx;
  const given =
    call === null
      ? iteratorType(f, bare(expression, f.api), node)
      : checker.getTypeAtLocation(call);
  // Generator and Iterable are generic interfaces, whose types are references
  const yielded =
    given === undefined ? undefined : checker.getTypeArguments(given as ts.TypeReference)[0];
  return yielded === undefined ? null : f.ctx.typeFrom(yielded, expression);
}

/** Inlines the generator; `use` lowers what replaces a `yield`, in the scope around the loop. */
function inline(
  f: Frame,
  { call, object, fn: own, node, body }: Generator,
  use: (item: Atom) => void,
): void {
  const fn = object === null ? own : methodFn(f, object, node);
  const args = call === null ? [] : lowerArguments(f, call, true);
  const around = surroundings(f);
  if (fn === null) return f.refuse("TSG1120", object ?? node, f.textOf(object ?? node));
  const returnTarget = { label: f.label("generator"), type: VOID, used: false };
  const whole = f.nested(() =>
    inside(f, { fn, node }, args, call, () => {
      f.returns = returnTarget;
      f.yields = (yielded) => {
        if (yielded.expression === undefined) return;
        if (yielded.asteriskToken !== undefined)
          return delegated(f, yielded.expression, use, around);
        outside(f, around, lowerExpr(f, yielded.expression), use);
      };
      lowerStatements(f, body.statements);
      return [];
    }),
  );
  f.returns = around.returns;
  f.yields = around.yields;
  leavable(f, returnTarget.used ? returnTarget.label : null, whole);
}

/** The method as a closure with the object as `this`. */
export function methodFn(
  f: Frame,
  object: ts.Expression,
  node: ts.FunctionLikeDeclaration,
): Fn | null {
  const value = unwrap(f, lowerExpr(f, object));
  const owner = f.api.isClassLike(node.parent) ? node.parent : null;
  if (owner === null || (f.ctx.classOf(value.type) === null && owner.typeParameters !== undefined))
    return null;
  const self =
    value.kind === "var" ? f.let("self", value.type, { kind: "copy", atom: value }) : value;
  return {
    kind: "closure",
    node,
    env: new Env(null, { kind: "value", atom: self }, f.ctx.givenIn(value.type, owner)),
  };
}

/** The type of the iterator that a method of the object returns. */
function iteratorType(
  { ctx: { checker } }: Frame,
  object: ts.Expression,
  method: ts.Node,
): ts.Type | undefined {
  const own = checker
    .getTypeAtLocation(object)
    .getProperties()
    .find(({ valueDeclaration }) => valueDeclaration === method);
  return own === undefined
    ? undefined
    : checker.getTypeOfSymbolAtLocation(own, object).getCallSignatures()[0]?.getReturnType();
}

type Around = Pick<Frame, "env" | "exits" | "returns" | "inlining" | "yields">;
const surroundings = ({ env, exits, returns, inlining, yields }: Frame): Around => ({
  env,
  exits,
  returns,
  inlining,
  yields,
});

/** Runs `use` with the names, exits and returns of the code around the loop. */
function outside(f: Frame, around: Around, item: Atom, use: (item: Atom) => void): void {
  const inner = surroundings(f);
  Object.assign(f, around);
  try {
    use(item);
  } finally {
    Object.assign(f, inner);
  }
}

/** `yield* others(n)`, `yield* this.items` */
function delegated(
  f: Frame,
  expression: ts.Expression,
  use: (item: Atom) => void,
  around: Around,
): void {
  const generator = generatorOf(f, expression);
  const yielded = (item: Atom): void => outside(f, around, item, use);
  if (generator !== null) return inline(f, generator, yielded);
  // the loop's body may change the array meanwhile
  const source = sourceOf(f, expression);
  const label = f.label("loop");
  if (source.fresh || source.array === null)
    return emitFor(f, label, lengthOf(f, source), (at) => yielded(itemAt(f, source, at, "t")));
  emitIndexed(
    f,
    label,
    () => lengthOf(f, source),
    (at) => yielded(itemAt(f, source, at, "t")),
  );
}

function leavable(f: Frame, label: string | null, body: Body): void {
  if (label === null) f.b.stmts.push(...body.stmts);
  else f.b.emit({ kind: "scope", label, body, bind: null });
}
