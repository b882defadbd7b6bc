// Scalar operations, copies, and opaque code.

import { type Builder, renameLast, num } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import { dot } from "../../ir/names.ts";
import { isStopGradient } from "../../ir/stop-gradient.ts";
import type { Atom, Expr, Let } from "../../ir/types.ts";
import { isConstant, partialOf } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { isFlatAtInfinity, slopeOf } from "../../rules/slopes.ts";
import { guardTangent } from "../finite.ts";
import { noteValueOf, throughCode } from "../unsupported.ts";
import type { Pushforward } from "./pushforward.ts";

// FWD{ z = op x y }  =  z = op x y ; z$dot = d1(x$dot) + d2(y$dot)
export function opForward(
  stmt: Let,
  expr: Expr & { kind: "op" },
  push: Pushforward,
  b: Builder,
): void {
  b.stmts.push(stmt);
  noteValueOf(stmt, expr, push.types, push.shadows.problems);
  if (!push.facts.active(stmt.bind)) return;
  if (expr.masks === true) return maskForward(stmt, expr, push, b);
  const rule = SCALAR[expr.op];
  const reads = new Set<Atom>();
  const arg = (i: number): Atom => {
    const read = expr.args[i] ?? stmt.bind;
    reads.add(read);
    return read;
  };
  const values = {
    isListed: expr.listed === true,
    get x() {
      return arg(0);
    },
    get z() {
      return arg(1);
    },
    get y() {
      reads.add(stmt.bind);
      return stmt.bind;
    },
    arg,
    isConstant: (i: number, value: number) => isConstant(expr.args[i], value),
  };
  // an unbounded slope must not meet a tangent of 0; a finite one may
  let sum: Atom | null = null;
  for (const [i, operand] of expr.args.entries()) {
    const partial = partialOf(rule, i, expr.args.length);
    const seed = push.dot(operand);
    if (partial === null || seed === null) continue;
    reads.clear();
    const slope = partial(b, values, seed);
    const kind = slopeOf(expr.op, i, expr.args);
    const mayVanish = mayMeetZero(stmt, expr, i, push.facts);
    const infinite =
      push.facts.mayOverflow(operand) && isFlatAtInfinity(expr.op, i, expr.args)
        ? operand
        : stmt.adjoint === true || kind === "total"
          ? undefined
          : metInfinity(stmt, operand, expr.args, reads, push);
    const tests = [
      ...(infinite === undefined ? [] : [isInfinite(b, infinite)]),
      ...(mayVanish ? [b.op("eq", seed, num(0))] : []),
    ];
    const part = zeroWhere(b, slope, tests);
    sum = sum === null ? part : b.add(sum, part);
  }
  const tangent = sum === null ? null : renameLast(b, sum, dot(stmt.bind.name));
  push.setDot(stmt.bind, tangent);
  if (tangent !== null) guardTangent(b, stmt, tangent, (arg) => push.dot(arg));
}

/** The value, or 0 where it is NaN and a test holds. */
function zeroWhere(b: Builder, value: Atom, tests: readonly Atom[]): Atom {
  if (tests.length === 0) return value;
  const test = tests.reduce((one, other) => b.op("or", one, other));
  return b.select(b.op("and", b.op("isNaN", value), test), num(0), value);
}

/**
 * Whether a slope that is not finite may meet a tangent of 0. Not asked of quotients of two numbers
 * that vary: they are not finite either where the slope is not, and too common.
 */
function mayMeetZero(
  { bind }: Let,
  { op, args }: Expr & { kind: "op" },
  i: number,
  facts: FunctionFacts,
): boolean {
  const slope = slopeOf(op, i, args);
  const isQuotient = op === "div" && args[0]?.kind === "var";
  return slope === "steep" || (slope === "unbounded" && !isQuotient && facts.mayBeInfinite(bind));
}

/**
 * An operand that may be infinite because the program writes `Infinity`, and that meets a tangent
 * of 0. Or an infinite tangent meets a slope of 0, as that of `Math.exp` at -Infinity.
 */
function metInfinity(
  { bind }: Let,
  operand: Atom,
  args: readonly Atom[],
  reads: ReadonlySet<Atom>,
  { facts }: Pushforward,
): Atom | undefined {
  const flattens = reads.has(bind) || (args.length === 1 && reads.size > 0);
  return [...reads, ...(flattens ? [operand] : [])].find(
    (one) => one.kind === "var" && facts.hasLiteralInfinity(one),
  );
}

const isInfinite = (b: Builder, atom: Atom): Atom => b.op("eq", b.op("abs", atom), num(Infinity));

// FWD{ z = s === 0 ? 0 : v }  =  z = … ; z$dot = s === 0 && s$dot === 0 ? 0 : v$dot
//                                v is a multiple of s, which may pass through 0
function maskForward(
  stmt: Let,
  { args: [vanishes, , slope] }: Expr & { kind: "op" },
  push: Pushforward,
  b: Builder,
): void {
  const tangent = slope === undefined ? null : push.dot(slope);
  if (vanishes === undefined || tangent === null) return;
  const all = push.tested(vanishes).reduce((test, one) => {
    const seed = push.dot(one);
    return seed === null ? test : b.op("and", test, b.op("eq", seed, num(0)));
  }, vanishes);
  push.setDot(stmt.bind, renameLast(b, b.masked(all, tangent), dot(stmt.bind.name)));
}

// FWD{ z = x }  =  z = x ; z$dot = x$dot
export function copyForward(stmt: Let, source: Atom, push: Pushforward, b: Builder): void {
  b.stmts.push(stmt);
  if (!push.facts.shadowed(stmt.bind)) return push.setDot(stmt.bind, push.dot(source));
  if (stmt.expr.kind !== "unwrap") return push.shadows.set(stmt.bind, push.shadows.of(source));
  const value = push.shadows.of(source);
  push.emitShadow(b, stmt.bind, { kind: "unwrap", value });
}

// FWD{ z = extern(x) }  =  z = extern(x)      reported if z depends on an active number
export function externForward(
  stmt: Let,
  expr: Expr & { kind: "extern" },
  push: Pushforward,
  b: Builder,
): void {
  const { facts, shadows } = push;
  const [of] = expr.args;
  if (of !== undefined && isStopGradient(stmt) && facts.writtenThrough(stmt.bind, of))
    shadows.problems.push({ kind: "stopped", origin: stmt.origin, text: "" });
  else if (facts.shadowed(stmt.bind) && expr.args.some((arg) => facts.keysVary(arg)))
    shadows.problems.push({ kind: "keys", origin: stmt.origin, text: "" });
  else if (expr.inert !== true && (facts.active(stmt.bind) || facts.shadowed(stmt.bind))) {
    shadows.problems.push(throughCode(stmt, expr));
    if (facts.shadowed(stmt.bind)) shadows.set(stmt.bind, stmt.bind);
  }
  b.stmts.push(stmt);
  // arrays of keys, beside arrays of active numbers
  if (expr.inert === true && facts.shadowed(stmt.bind))
    push.emitShadow(b, stmt.bind, { kind: "zeros", like: stmt.bind });
}
