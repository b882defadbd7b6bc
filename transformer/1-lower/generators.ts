// Generators of the program that are gone through: `for (const t of steps(n)) …`, `[...steps(n)]`. In: such a loop or list. Out: the generator, written out, with the loop's body in place of each `yield`.
// Invariant: a generator runs up to its next `yield` when the loop asks for a value, and that is where its code stands; what it never comes back from has no `finally` to run.

import type ts from "typescript";
import { VOID } from "../ir/build.ts";
import type { Atom, Body, Type } from "../ir/types.ts";
import { lowerArguments } from "./calls.ts";
import { inside } from "./closures.ts";
import { forEachTarget } from "./effects.ts";
import { lowerExpr } from "./expression.ts";
import type { Exitable, Fn, Frame } from "./frame.ts";
import { opened, resolveFn } from "./resolve.ts";
import { lowerStatements } from "./statement.ts";

/** More would write the loop's body out too often. */
const MOST_YIELDS = 4;

interface Generator {
  readonly call: ts.CallExpression;
  readonly fn: Fn;
  readonly node: ts.FunctionLikeDeclaration;
  readonly body: ts.Block;
}

/** What an expression calls, where it is a generator that can be written out: one of a module, whose values the loop around it cannot change unseen. */
function generatorOf(f: Frame, expression: ts.Expression): Generator | null {
  const { api } = f, call = opened(f, expression);
  if (!api.isCallExpression(call) || !api.isIdentifier(call.expression)) return null;
  const fn = resolveFn(f, call.expression), node = fn?.kind === "program" ? f.ctx.bodyOf(fn.symbol) : null;
  if (fn === null || node === null || f.inlining.includes(node) || !("body" in node) || node.body === undefined || !api.isBlock(node.body)) return null;
  const isAsync = node.modifiers?.some((modifier) => modifier.kind === api.SyntaxKind.AsyncKeyword) === true;
  return node.asteriskToken !== undefined && !isAsync && isPlain(f, node.body) ? { call, fn, node, body: node.body } : null;
}

/** Whether it yields in statements of their own, nobody answers it, and nothing happens where it is left. */
function isPlain({ api }: Frame, body: ts.Block): boolean {
  let yields = 0, plain = true;
  const walk = (node: ts.Node): void => {
    if (api.isFunctionLike(node)) return;
    if (api.isTryStatement(node)) plain = false;
    forEachTarget(api, node, (target) => { plain &&= !api.isElementAccessExpression(target); });
    if (api.isYieldExpression(node)) {
      yields++;
      plain &&= node.expression !== undefined && api.isExpressionStatement(node.parent);
    }
    api.forEachChild(node, walk);
  };
  walk(body);
  return plain && yields > 0 && yields <= MOST_YIELDS;
}

/** Lowers a loop over such a generator; `round` runs the loop's body for a value. Whether it is one. */
export function lowerForOfGenerator(f: Frame, node: ts.ForOfStatement, labels: readonly string[], round: (item: Atom) => void): boolean {
  const generator = generatorOf(f, node.expression);
  if (generator === null) return false;
  const label = f.label(labels[0] ?? "loop"), { exits } = f;
  let isLeft = false;
  const body = f.nested(() => {
    writtenOut(f, generator, (item) => {
      const exit: Exitable = { label, userLabels: labels, kind: "loop", used: false, round: { label: f.label("round"), used: false } };
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
export function generatedList(f: Frame, expression: ts.Expression): { readonly list: Atom; readonly elem: Type } | null {
  const generator = generatorOf(f, expression), { checker } = f.ctx;
  const yielded = generator === null ? undefined : checker.getTypeArguments(checker.getTypeAtLocation(generator.call) as ts.TypeReference)[0]; // Generator and Iterable are generic interfaces
  if (generator === null || yielded === undefined) return null;
  const elem = f.ctx.typeFrom(yielded, expression), list = f.let("list", { kind: "array", store: "Array", elem }, { kind: "array", parts: [] });
  writtenOut(f, generator, (item) => f.b.emit({ kind: "append", object: list, value: item }));
  return { list, elem };
}

/** Writes the generator out; `use` stands where it yields, and its names mean what they mean around the loop. */
function writtenOut(f: Frame, { call, fn, node, body }: Generator, use: (item: Atom) => void): void {
  const args = lowerArguments(f, call, true), { env, exits, returns, inlining, yields } = f;
  const returnTarget = { label: f.label("generator"), type: VOID, used: false };
  const whole = f.nested(() => inside(f, fn, node, args, call, () => {
    f.returns = returnTarget;
    f.yields = (yielded) => {
      if (yielded.expression === undefined) return;
      if (yielded.asteriskToken !== undefined) return delegated(f, yielded.expression, use, { env, exits, returns, inlining, yields });
      outside(f, { env, exits, returns, inlining, yields }, lowerExpr(f, yielded.expression), use);
    };
    lowerStatements(f, body.statements);
    return [];
  }));
  f.returns = returns;
  f.yields = yields;
  leavable(f, returnTarget.used ? returnTarget.label : null, whole);
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

/** `yield* others(n)` */
function delegated(f: Frame, expression: ts.Expression, use: (item: Atom) => void, around: Around): void {
  const generator = generatorOf(f, expression);
  if (generator === null) return f.refuse("TSG1120", expression, f.textOf(expression));
  writtenOut(f, generator, (item) => outside(f, around, item, use));
}

function leavable(f: Frame, label: string | null, body: Body): void {
  if (label === null) f.b.stmts.push(...body.stmts);
  else f.b.emit({ kind: "scope", label, body, bind: null });
}
