// Generators of the program that are gone through: `for (const t of steps(n)) …`, `[...steps(n)]`, `for (const x of bag)` of a class with `*[Symbol.iterator]()`. In: such a loop or list. Out: the generator, written out, with the loop's body in place of each `yield`.
// Invariant: a generator runs up to its next `yield` when the loop asks for a value, and that is where its code stands; what it never comes back from has no `finally` to run.

import type ts from "typescript";
import { num, NUM, VOID } from "../../ir/build.ts";
import type { Atom, Body, Type } from "../../ir/types.ts";
import { itemAt, lengthOf, sourceOf } from "../builtins/iterate.ts";
import { lowerArguments } from "../calls.ts";
import { inside } from "../functions/inlining.ts";
import { unwrap } from "../coerce.ts";
import { forEachTarget } from "../effects.ts";
import { emitFor, emitWhile } from "./emit-loop.ts";
import { lowerExpr } from "../expression.ts";
import { Env, type Exitable, type Fn, type Frame } from "../frame.ts";
import { iteratedList } from "./iterators.ts";
import { opened, resolveFn } from "../resolve.ts";
import { lowerStatements } from "../statement.ts";

/** More would write the loop's body out too often. */
const MOST_YIELDS = 4;

interface Generator {
  /** Null of an object that is gone through itself. */
  readonly call: ts.CallExpression | null;
  /** The object whose method it is; null of a function of a module. */
  readonly object: ts.Expression | null;
  readonly fn: Fn | null;
  readonly node: ts.FunctionLikeDeclaration;
  readonly body: ts.Block;
}

/** What an expression calls, or has for going through it, where that is a generator that can be written out: one of a module or a class, whose values the loop around it cannot change unseen. */
function generatorOf(f: Frame, expression: ts.Expression): Generator | null {
  const { api } = f;
  const target = opened(f, expression);
  const call = api.isCallExpression(target) ? target : null;
  const callee = call === null ? null : opened(f, call.expression);
  const ofTable =
    callee !== null &&
    api.isPropertyAccessExpression(callee) &&
    methodOf(f, callee.expression, callee.name.text) === null &&
    f.ctx.checker.getTypeAtLocation(callee.expression).getProperty(callee.name.text) !== undefined;
  const fn = callee !== null && (api.isIdentifier(callee) || ofTable) ? resolveFn(f, callee) : null;
  const own =
    fn?.kind === "program" ? f.ctx.bodyOf(fn.symbol) : fn?.kind === "closure" ? fn.node : null;
  const ofObject =
    own === null && callee !== null && api.isPropertyAccessExpression(callee)
      ? { object: callee.expression, node: methodOf(f, callee.expression, callee.name.text) }
      : null;
  if (own !== null && isGenerator(own)) return plain(f, { call, object: null, fn, node: own });
  if (ofObject !== null && ofObject.node !== null && isGenerator(ofObject.node))
    return plain(f, { call, object: ofObject.object, fn: null, node: ofObject.node });
  const iterator = methodOf(f, target, ITERATOR);
  return iterator === null
    ? null
    : plain(f, { call: null, object: target, fn: null, node: iterator });
}

const isGenerator = (node: ts.FunctionLikeDeclaration): boolean => node.asteriskToken !== undefined;

function plain(f: Frame, generator: Omit<Generator, "body">): Generator | null {
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

/** The method that goes through an object of a class. */
const ITERATOR = "[Symbol.iterator]";

/** The method of that name of a class that no other class derives from. */
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
  return owner === null || found === null || classes.subclasses(owner, f.root).length > 0
    ? null
    : found.node;
}

/** Whether it yields in statements of their own, nobody answers it, and nothing happens where it is left. */
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
  return plain && yields > 0 && yields <= MOST_YIELDS;
}

/** The first `count` values of such a generator, which does not run any further: `const [x, y] = point`; null for any other expression. */
export function firstGenerated(f: Frame, expression: ts.Expression, count: number): Atom | null {
  const generator = generatorOf(f, expression);
  const elem = generator === null ? null : yieldedType(f, expression, generator);
  if (generator === null || elem === null) return null;
  const type: Type = { kind: "array", store: "Array", elem };
  const { statements } = generator.body;
  const inRow = statements.filter(
    (each) =>
      f.api.isExpressionStatement(each) &&
      f.api.isYieldExpression(each.expression) &&
      each.expression.asteriskToken === undefined,
  ).length;
  if (inRow === statements.length && inRow <= count) {
    const items: Atom[] = [];
    writtenOut(f, generator, (item) => items.push(item));
    return f.let("list", type, {
      kind: "array",
      parts: items.map((atom) => ({ atom, spread: false })),
    });
  }
  const list = f.let("list", type, { kind: "array", parts: [] });
  const label = f.label("first");
  const body = f.nested(() => {
    writtenOut(f, generator, (item) => {
      f.b.emit({ kind: "append", object: list, value: item });
      f.when(f.b.op("ge", f.let("t", NUM, { kind: "length", object: list }), num(count)), () =>
        f.b.emit({ kind: "break", label }),
      );
    });
    return [];
  });
  leavable(f, label, body);
  return list;
}

/** Lowers a loop over such a generator; `round` runs the loop's body for a value. Whether it is one. */
export function lowerForOfGenerator(
  f: Frame,
  node: ts.ForOfStatement,
  labels: readonly string[],
  round: (item: Atom) => void,
): boolean {
  const generator = generatorOf(f, node.expression);
  if (generator === null) return false;
  const label = f.label(labels[0] ?? "loop");
  const { exits } = f;
  let isLeft = false;
  const body = f.nested(() => {
    writtenOut(f, generator, (item) => {
      const exit: Exitable = {
        label,
        userLabels: labels,
        kind: "loop",
        used: false,
        round: { label: f.label("round"), used: false },
      };
      f.exits = [...exits, exit];
      const inner = f.nested(() => (round(item), []));
      isLeft ||= exit.used;
      leavable(f, exit.round?.used === true ? exit.round.label : null, inner);
    });
    return [];
  });
  leavable(f, isLeft ? label : null, body);
  return true;
}

/** All that such a generator yields, as a list: `[...steps(n)]`; null for any other expression. */
export function generatedList(
  f: Frame,
  expression: ts.Expression,
): { readonly list: Atom; readonly elem: Type } | null {
  const generator = generatorOf(f, expression);
  const elem = generator === null ? null : yieldedType(f, expression, generator);
  if (generator === null || elem === null) return iteratedList(f, expression);
  const list = f.let("list", { kind: "array", store: "Array", elem }, { kind: "array", parts: [] });
  writtenOut(f, generator, (item) => f.b.emit({ kind: "append", object: list, value: item }));
  return { list, elem };
}

function yieldedType(f: Frame, expression: ts.Expression, { call, node }: Generator): Type | null {
  const { checker } = f.ctx;
  const given =
    call === null ? iteratorType(f, opened(f, expression), node) : checker.getTypeAtLocation(call);
  const yielded =
    given === undefined ? undefined : checker.getTypeArguments(given as ts.TypeReference)[0]; // Generator and Iterable are generic interfaces
  return yielded === undefined ? null : f.ctx.typeFrom(yielded, expression);
}

/** Writes the generator out; `use` stands where it yields, and its names mean what they mean around the loop. */
function writtenOut(
  f: Frame,
  { call, object, fn: own, node, body }: Generator,
  use: (item: Atom) => void,
): void {
  const fn = object === null ? own : methodFn(f, object, node);
  const args = call === null ? [] : lowerArguments(f, call, true);
  const { env, exits, returns, inlining, yields } = f;
  if (fn === null) return f.refuse("TSG1120", object ?? node, f.textOf(object ?? node));
  const returnTarget = { label: f.label("generator"), type: VOID, used: false };
  const whole = f.nested(() =>
    inside(f, { fn, node }, args, call, () => {
      f.returns = returnTarget;
      f.yields = (yielded) => {
        if (yielded.expression === undefined) return;
        if (yielded.asteriskToken !== undefined)
          return delegated(f, yielded.expression, use, { env, exits, returns, inlining, yields });
        outside(
          f,
          { env, exits, returns, inlining, yields },
          lowerExpr(f, yielded.expression),
          use,
        );
      };
      lowerStatements(f, body.statements);
      return [];
    }),
  );
  f.returns = returns;
  f.yields = yields;
  leavable(f, returnTarget.used ? returnTarget.label : null, whole);
}

/** The method with the object for `this`. */
export function methodFn(
  f: Frame,
  object: ts.Expression,
  node: ts.FunctionLikeDeclaration,
): Fn | null {
  const value = unwrap(f, lowerExpr(f, object));
  const owner = f.api.isClassLike(node.parent) ? node.parent : null;
  if (owner === null || f.ctx.classOf(value.type) === null) return null;
  const self =
    value.kind === "var" ? f.let("self", value.type, { kind: "copy", atom: value }) : value;
  return {
    kind: "closure",
    node,
    env: new Env(null, { kind: "value", atom: self }, f.ctx.givenIn(value.type, owner)),
  };
}

/** The type of what goes through an object, as that object has it. */
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

/** Runs `use` where names, exits and returns are those of the code around the loop. */
function outside(f: Frame, around: Around, item: Atom, use: (item: Atom) => void): void {
  const { env, exits, returns, inlining, yields } = f;
  Object.assign(f, around);
  try {
    use(item);
  } finally {
    Object.assign(f, { env, exits, returns, inlining, yields });
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
  if (generator !== null) return writtenOut(f, generator, yielded);
  // whoever goes through the generator may change the list meanwhile
  const source = sourceOf(f, expression);
  const label = f.label("loop");
  if (source.fresh || source.array === null)
    return emitFor(f, label, lengthOf(f, source), (at) => yielded(itemAt(f, source, at, "t")));
  const at = f.declare("i", NUM, num(0));
  emitWhile(
    f,
    label,
    () => f.b.op("lt", at, lengthOf(f, source)),
    () => yielded(itemAt(f, source, f.let("t", NUM, { kind: "copy", atom: at }), "t")),
    () => f.assign(at, f.b.op("add", at, num(1))),
  );
}

function leavable(f: Frame, label: string | null, body: Body): void {
  if (label === null) f.b.stmts.push(...body.stmts);
  else f.b.emit({ kind: "scope", label, body, bind: null });
}
