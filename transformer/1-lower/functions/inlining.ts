// Inlines function bodies at their calls, whole or up to the returned expression.
// Arguments are evaluated before the body; a closure sees the bindings of the place that
// allocated it. Recursion is rejected beyond a bound.

import type ts from "typescript";
import type { Atom, Type } from "../../ir/types.ts";
import { lowerArguments, lowerEffect, lowerExpr } from "../lowering.ts";
import { asDeclared } from "../coerce.ts";
import { linearized } from "../derivatives/linear-maps.ts";
import { derivedFn } from "../derivatives/nested.ts";
import { ruleArgumentPullback, transposed, valueAndPullback } from "../derivatives/pullbacks.ts";
import { customFn } from "../derivatives/custom-functions.ts";
import { type Frame } from "../frame.ts";
import { Env, type Self, type Fn, isFn, type Arg } from "../function-values.ts";
import { sameType } from "../objects/tuples.ts";
import { resolveFn } from "../resolve.ts";
import { lowerBlockBody, lowerStatements, returnsAtEndOnly } from "../statement.ts";
import { givenBy, overloadResult, resultType, signatureOfCall } from "./call-types.ts";
import { madeByOneOf } from "./constructed-functions.ts";
import { bindParameters, listOf } from "./parameters.ts";
import { mentionsArguments } from "./specialisation.ts";

/** The bound on inlining a higher-order function in itself: `integrate((t) => integrate(g))`. */
const MAX_RECURSION = 3;
/** The bound on inlining closures of one function in each other: `compose(compose(g, h), k)`. */
const MAX_CLOSURES = 8;

/** A function to inline. */
export interface Inlined {
  readonly node: ts.FunctionLikeDeclaration;
  /** The bindings around it. */
  readonly env: Env;
  /** What `this` is, where the call says so. */
  readonly self?: Self | null;
}

/** Inlines a call; null where the result is void. */
export function inline(
  f: Frame,
  inlined: Inlined,
  args: readonly Arg[],
  at: ts.Node,
  hint: string,
): Atom | null {
  const { node, env } = inlined;
  const body = inlinableBody(f, inlined, args, at);
  const { env: outer, exits, returns, inlining, inlinedCalls: entered } = f;
  env.onEntry?.();
  const type =
    signatureOfCall(f, node, at) === null ? overloadResult(f, node, at) : resultType(f, node, at);
  f.inlinedCalls = [...entered, { node, env }];
  f.env = new Env(env, selfOf(f, inlined), givenBy(f, node, at));
  f.exits = [];
  f.inlining = [...inlining, node];
  try {
    if (!f.api.isArrowFunction(node) && mentionsArguments(f, node))
      f.env.arguments = listOf(f, args, at);
    bindParameters(f, node.parameters, args);
    const result = type ?? resultType(f, node, at);
    const value = inlineBody(f, body, result, hint);
    return value === null || node.type === undefined ? value : asDeclared(f, value, result, hint);
  } finally {
    f.env = outer;
    f.exits = exits;
    f.returns = returns;
    f.inlining = inlining;
    f.inlinedCalls = entered;
  }
}

/** The body; refused for generators, async functions, unknown functions and unbounded recursion. */
function inlinableBody(
  f: Frame,
  { node, env }: Inlined,
  args: readonly Arg[],
  at: ts.Node,
): ts.Block | ts.Expression {
  const { api } = f;
  const name = node.name !== undefined ? node.name.getText() : f.textOf(node);
  const open = f.inlinedCalls.filter((each) => each.node === node);
  const again = open.filter((each) => each.env === env).length;
  const bound = args.some(isFn) ? MAX_RECURSION : 0;
  if (node === f.root || again > bound || open.length > MAX_CLOSURES)
    return f.refuse("TSG1123", at, name);
  if (node.asteriskToken !== undefined) return f.refuse("TSG1102", node, name);
  if (node.modifiers?.some((modifier) => modifier.kind === api.SyntaxKind.AsyncKeyword))
    return f.refuse("TSG1101", node, name);
  return ("body" in node ? node.body : undefined) ?? f.refuse("TSG1113", at, name);
}

/** What `this` is in the function; null where it is that of the surrounding code. */
function selfOf({ api }: Frame, { node, self }: Inlined): Self | null {
  const hasOwnThis = api.isFunctionExpression(node) || api.isFunctionDeclaration(node);
  return self ?? (hasOwnThis ? { kind: "none" } : null);
}

function inlineBody(
  f: Frame,
  body: ts.Block | ts.Expression,
  type: Type,
  hint: string,
): Atom | null {
  if (!f.api.isBlock(body)) {
    if (type.kind !== "void") return lowerExpr(f, body, hint);
    lowerEffect(f, body);
    return null;
  }
  if (returnsAtEndOnly(f, body)) return lowerBlockBody(f, body, hint);
  const label = f.label("inlined");
  const types: Type[] | null = type.kind === "leaf" && type.opaque === true ? [] : null;
  f.returns = { label, type, used: false, ...(types === null ? {} : { types }) };
  const name = type.kind === "void" ? null : f.names.fresh(hint);
  const inner = f.nested(() => (lowerBlockBody(f, body, "t"), []));
  // The declared type may be opaque, as `number | number[]` is; then all returned types decide.
  const [first] = types ?? [];
  const isUniform = first !== undefined && types?.every((each) => sameType(each, first)) === true;
  const bind: Atom | null =
    name === null ? null : { kind: "var", name, type: isUniform ? first : type };
  f.b.emit({ kind: "scope", label, body: inner, bind });
  return bind;
}

/** Runs `write` with the bindings of the function and its arguments. */
export function inside<T>(
  f: Frame,
  { fn, node }: { readonly fn: Fn; readonly node: ts.FunctionLikeDeclaration },
  args: readonly Arg[],
  call: ts.CallExpression | null,
  write: () => T,
): T {
  const { env, exits, inlining } = f;
  if (fn.kind === "closure") fn.env.onEntry?.();
  f.env = new Env(fn.kind === "closure" ? fn.env : null, null, givenBy(f, node, call));
  f.exits = [];
  f.inlining = [...inlining, node];
  try {
    bindParameters(f, node.parameters, args);
    return write();
  } finally {
    f.env = env;
    f.exits = exits;
    f.inlining = inlining;
  }
}

/** The function that a call such as `compose(g, h)` returns; it sees that call's parameters. */
export function returnedFn(f: Frame, call: ts.CallExpression): Fn | null {
  const nested = derivedFn(f, call) ?? customFn(f, call);
  if (nested !== null) return nested;
  const fn = resolveFn(f, call.expression);
  if (fn?.kind === "givenVjp") return ruleArgumentPullback(f, fn, lowerArguments(f, call), call);
  if (fn?.kind === "derived" && fn.form === "vjp")
    return valueAndPullback(f, fn, lowerArguments(f, call), call);
  if (fn?.kind === "derived" && fn.form === "transpose")
    return transposed(f, fn, lowerArguments(f, call), call);
  if (fn?.kind === "derived" && fn.form === "linearize")
    return linearized(f, fn, lowerArguments(f, call), call);
  return fn === null ? null : returnedOf(f, fn, null, call);
}

/** The function that `fn` returns at its end. `given`: null for the arguments of the call. */
export const returnedOf = (
  f: Frame,
  fn: Fn,
  given: readonly Arg[] | null,
  call: ts.CallExpression | null = null,
): Fn | null =>
  inlineToReturn(f, fn, given, call, (returned) => resolveFn(f, returned)) ??
  madeByOneOf(f, fn, given, call);

/** Inlines a function up to the expression that it returns at its end, which `read` interprets. */
export function inlineToReturn<T>(
  f: Frame,
  fn: Fn,
  given: readonly Arg[] | null,
  call: ts.CallExpression | null,
  read: (returned: ts.Expression) => T,
): T | null {
  const { node, body } = inlinable(f, fn);
  const returned = node === null || body === null ? undefined : returnedAtEnd(f, body);
  if (node === null || body === null || returned === undefined) return null;
  const args = given ?? (call === null ? [] : lowerArguments(f, call));
  return inside(f, { fn, node }, args, call, () => {
    if (f.api.isBlock(body)) lowerStatements(f, body.statements.slice(0, -1));
    return read(returned);
  });
}

/** Inlines a function; `read` lowers each returned expression. Null where there is no body. */
export function inlineReturns(
  f: Frame,
  fn: Fn,
  args: readonly Arg[],
  type: Type,
  read: (returned: ts.Expression) => Atom,
): Atom | null {
  const { node, body } = inlinable(f, fn);
  if (node === null || body === null) return null;
  if (returnedAtEnd(f, body) !== undefined) return inlineToReturn(f, fn, args, null, read);
  if (!f.api.isBlock(body)) return null;
  const label = f.label("inlined");
  const bind: Atom = { kind: "var", name: f.names.fresh("t"), type };
  const { returns } = f;
  f.returns = { label, type, used: false, read };
  try {
    const inner = f.nested(() =>
      inside(f, { fn, node }, args, null, () => (lowerBlockBody(f, body, "t"), [])),
    );
    f.b.emit({ kind: "scope", label, body: inner, bind });
  } finally {
    f.returns = returns;
  }
  return bind;
}

interface Inlinable {
  readonly node: ts.FunctionLikeDeclaration | null;
  readonly body: ts.Block | ts.Expression | null;
}

/** The body of a known function that is not being inlined already. */
export function inlinable(f: Frame, fn: Fn): Inlinable {
  const node =
    fn.kind === "closure" ? fn.node : fn.kind === "program" ? f.ctx.bodyOf(fn.symbol) : null;
  const body = node !== null && "body" in node ? node.body : undefined;
  return node === null || body === undefined || f.inlining.includes(node)
    ? { node: null, body: null }
    : { node, body };
}

/** The expression that a body returns if it returns only at its end. */
function returnedAtEnd(f: Frame, body: ts.Block | ts.Expression): ts.Expression | undefined {
  if (!f.api.isBlock(body)) return body;
  const last = body.statements.at(-1);
  return last !== undefined && f.api.isReturnStatement(last) && returnsAtEndOnly(f, body)
    ? last.expression
    : undefined;
}
