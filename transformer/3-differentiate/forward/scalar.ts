// Scalar operations, copies, and opaque code.

import { type Builder, renameLast, num, isConst } from "../../ir/build.ts";
import { dot } from "../../ir/names.ts";
import { isStopGradient } from "../../ir/stop-gradient.ts";
import type { Atom, Expr, Let } from "../../ir/types.ts";
import { partialOf, type RuleValues } from "../../rules/rule.ts";
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
  if ((expr.op === "mul" || expr.op === "neg") && expr.args.some((arg) => push.mayVanish(arg)))
    push.noteVanishing(stmt.bind);
  const parts = expr.args.flatMap((_, i) => partFor(i, stmt, expr, push, b) ?? []);
  const tangent = sumOf(b, parts, (sum) => renameLast(b, sum, dot(stmt.bind.name)), push);
  push.setDot(stmt.bind, tangent);
  if (tangent !== null) guardTangent(b, stmt, tangent, (arg) => push.dot(arg));
}

/** The contribution of argument `i`. Null: none. */
function partFor(
  i: number,
  stmt: Let,
  expr: Expr & { kind: "op" },
  push: Pushforward,
  b: Builder,
): Part | null {
  const operand = expr.args[i];
  const seed = operand === undefined ? null : push.dot(operand);
  const partial = partialOf(SCALAR[expr.op], i, expr.args.length);
  if (partial === null || operand === undefined || seed === null) return null;
  const reads = new Set<Atom>();
  const values = valuesOf(stmt, expr, reads);
  const masked = push.masked(seed);
  const value = partial(b, values, masked?.value ?? seed);
  const mayVanish = mayMeetZero(expr, i, reads, push);
  const part =
    masked === null
      ? { value, vanishes: mayVanish ? seed : null }
      : mayVanish || push.isUsedOnce(operand)
        ? { value, vanishes: masked.vanishes }
        : { value: partial(b, values, seed), vanishes: null };
  const infinite = infiniteOperand(stmt, i, reads, push);
  const factor = zeroFactor(stmt, expr, i, push);
  const tests = [
    ...(infinite === undefined ? [] : [b.op("eq", b.op("abs", infinite), num(Infinity))]),
    ...(factor === null ? [] : [b.op("eq", factor, num(0))]),
  ];
  return tests.length === 0 ? part : zeroWhere(b, part, tests);
}

/**
 * A factor that may be 0, of an operand whose tangent may be infinite: `w * sqrt(x)`. In reverse
 * code only quotients by such an operand and multiples of passive factors are tested: a test of
 * each product would make second-order code much longer.
 */
function zeroFactor(
  { adjoint }: Let,
  { op, args }: Expr & { kind: "op" },
  i: number,
  push: Pushforward,
): Atom | null {
  const [own, factor] = [args[i], args[1 - i]];
  if (factor?.kind !== "var" || own === undefined || isSame(own, factor)) return null;
  const scales =
    adjoint === true
      ? (op === "mul" && push.mayVanish(factor)) || (op === "div" && i === 1)
      : op === "mul";
  return scales && push.facts.isSteep(own) && push.facts.mayBeZero(factor) ? factor : null;
}

/** What the rules read. `reads` collects it. */
function valuesOf(
  stmt: Let,
  { args, listed }: Expr & { kind: "op" },
  reads: Set<Atom>,
): RuleValues {
  const arg = (i: number): Atom => {
    const read = args[i] ?? stmt.bind;
    reads.add(read);
    return read;
  };
  return {
    isListed: listed === true,
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
    isConstant: (i, value) => isConst(args[i], value),
  };
}

/**
 * A contribution to a tangent. `vanishes`: the tangent that it is a multiple of, where a factor may
 * be infinite or NaN. Where that is 0, so is the contribution.
 */
interface Part {
  readonly value: Atom;
  readonly vanishes: Atom | null;
}

/** The sum, with one test if all parts vanish alike; what it is multiplied with needs no other. */
function sumOf(
  b: Builder,
  parts: readonly Part[],
  named: (sum: Atom) => Atom,
  push: Pushforward,
): Atom | null {
  const [first] = parts;
  if (first === undefined) return null;
  const { vanishes } = first;
  const add = (all: readonly Part[]): Atom =>
    all.map(({ value }) => value).reduce((x, z) => b.add(x, z));
  if (vanishes === null || parts.some((part) => !isSame(part.vanishes, vanishes)))
    return named(add(parts.map((part) => zeroWhere(b, part))));
  const value = add(parts);
  const tangent = named(zeroWhere(b, { value, vanishes }).value);
  push.noteMasked(tangent, { value, vanishes });
  return tangent;
}

const isSame = (x: Atom | null, z: Atom): boolean =>
  x?.kind === "var" && z.kind === "var" && x.name === z.name;

/** The value, or 0 where it is NaN and vanishes, or a test holds. */
function zeroWhere(b: Builder, { value, vanishes }: Part, others: readonly Atom[] = []): Part {
  const tests = [...others, ...(vanishes === null ? [] : [b.op("eq", vanishes, num(0))])];
  if (tests.length === 0) return { value, vanishes };
  const test = tests.reduce((one, other) => b.op("or", one, other));
  const masked = b.select(b.op("and", b.op("isNaN", value), test), num(0), value);
  return { value: masked, vanishes: null };
}

/** Whether a slope that is not finite may meet a tangent of 0. */
function mayMeetZero(
  { op, args }: Expr & { kind: "op" },
  i: number,
  reads: ReadonlySet<Atom>,
  { facts }: Pushforward,
): boolean {
  const divisor = op === "div" ? args[1] : undefined;
  switch (slopeOf(op, i, args)) {
    case "total":
      return false;
    case "finite":
      return [...reads].some((atom) => facts.mayBeInfinite(atom) || facts.isQuotient(atom));
    case "unbounded":
      return divisor === undefined || facts.mayBeZero(divisor);
    case "steep":
      return true;
  }
}

/** An infinite operand whose slope by argument `i` is 0, or that meets a tangent of 0. */
function infiniteOperand(
  stmt: Let,
  i: number,
  reads: ReadonlySet<Atom>,
  { facts }: Pushforward,
): Atom | undefined {
  const { bind, expr, adjoint } = stmt;
  const operand = expr.kind === "op" ? expr.args[i] : undefined;
  if (expr.kind !== "op" || operand === undefined) return undefined;
  const { op, args } = expr;
  if (facts.mayOverflow(operand) && isFlatAtInfinity(op, i, args)) return operand;
  if (adjoint === true || slopeOf(op, i, args) === "total") return undefined;
  const flattens = reads.has(bind) || (args.length === 1 && reads.size > 0);
  return [...reads, ...(flattens ? [operand] : [])].find(
    (one) => one.kind === "var" && facts.hasLiteralInfinity(one),
  );
}

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
