// Scalar operations, copies, and opaque code.

import { type Builder, num, isConst, isSameName } from "../../ir/build.ts";
import type { ZeroCotangent } from "../../ir/facts.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import { isStopGradient } from "../../ir/stop-gradient.ts";
import type { Atom, Expr, Let, Stmt } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import { partialOf, type RuleValues } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { mayOverflow, slopeOf } from "../../rules/slopes.ts";
import { guardCotangent, markSlope } from "../finite.ts";
import { throughCode } from "../unsupported.ts";
import type { BodySweep, Step, Sweep } from "./sweep.ts";

// FWD{ z = length a }  =  z = length a      likewise for every statement that touches no derivative
// REV{ z = length a }  =  nothing
export function plainStep(stmt: Stmt): Step {
  return { forward: () => [stmt], reverse: () => {} };
}

// FWD{ z = op x y }  =  z = op x y           saves what the rules of the active operands read
// REV{ z = op x y }  =  x$bar += d1(z$bar) ; y$bar += d2(z$bar)
//                       nothing where z$bar is 0 because z is unused, and d is infinite or NaN
export function opStep(stmt: Let, expr: Expr & { kind: "op" }, body: BodySweep): Step {
  const { facts } = body.sweep;
  const rank = body.rank;
  return {
    forward: () => [stmt],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seed = env.take(rev, stmt.bind.name);
      if (seed === null) return;
      const rule = SCALAR[expr.op];
      // the slope of a zero test is that of the guarded value, also at s = 0
      if (expr.masks === true) {
        const [, , slope] = expr.args;
        if (slope !== undefined && facts.active(slope)) env.add(slope, rank, () => seed);
        return;
      }
      const zero = facts.zeroCotangent(stmt.bind.name, body.sweep.seed);
      expr.args.forEach((arg, i) => {
        const partial = partialOf(rule, i, expr.args.length);
        if (partial === null || !facts.active(arg)) return;
        env.add(arg, rank, (b) =>
          at(b, stmt, () => {
            const from = b.stmts.length;
            const reads = new Set<Atom>();
            const values = valuesOf(stmt, expr, body, (atom) => reads.add(atom));
            const positive = facts.isFlattened(stmt.bind.name) ? negatedBy(b, seed) : null;
            const all = positive ?? seed;
            // z$bar = p q, small where the slope d is large: p (q d) keeps its digits
            const [first, second] = (facts.isFlattened(stmt.bind.name) &&
              mayOverflow(expr.op, i, expr.args) &&
              factorsOf(b, all)) || [all, null];
            const slope = partial(b, values, second ?? first);
            const product = second === null ? slope : b.mul(first, slope);
            const isTested =
              seed.kind !== "const" && mayMeetZero(stmt, i, { zero, sweep: body.sweep, reads });
            const own = isTested ? b.masked(b.op("eq", first, num(0)), product) : product;
            const part = positive === null ? own : b.neg(own);
            markSlope(b, from, stmt);
            const { func } = body.sweep;
            const isSeeded = body.sweep.seed !== "one" || body.sweep.isSplit;
            const value = (atom: Atom): Atom => body.value(atom);
            const slopeIn = (inner: Builder): Atom =>
              partial(
                inner,
                valuesOf(stmt, expr, body, () => undefined),
                num(1),
              );
            const found = { i, part, seed, isSeeded, slope: slopeIn, value };
            guardCotangent(b, stmt, func.checked, found);
            return part;
          }),
        );
      });
    },
  };
}

/** Whether a slope by argument `i` that is not finite may meet a cotangent of 0. */
function mayMeetZero(
  stmt: Let,
  i: number,
  {
    zero,
    sweep: { facts, seed },
    reads,
  }: {
    readonly zero: ZeroCotangent;
    readonly sweep: Sweep;
    readonly reads: ReadonlySet<Atom>;
  },
): boolean {
  const { bind, expr, adjoint } = stmt;
  if (expr.kind !== "op") return false;
  const slope = slopeOf(expr.op, i, expr.args);
  if (slope === "total") return false;
  // quotients are too common for a test of each where only a choice drops them
  const mayBeInfinite = (x: Atom): boolean =>
    facts.mayBeInfinite(x) || facts.mayOverflow(x) || (seed === "user" && facts.isQuotient(x));
  const mayBeUndefined = (x: Atom): boolean => facts.mayBeUndefined(x, seed);
  const readsAny = (is: (atom: Atom) => boolean): boolean =>
    adjoint !== true && [...reads].some(is);
  if (readsAny(facts.hasLiteralInfinity)) return true;
  if (
    facts.isFlattened(bind.name) &&
    readsAny((x) => facts.mayOverflow(x) || isExponent(expr, i, x))
  )
    return true;
  switch (zero) {
    case "dropped":
      return slope !== "finite" || readsAny((x) => mayBeInfinite(x) || mayBeUndefined(x));
    // not where only overflow makes the slope infinite: tables of exponentials are common
    case "stored":
      return (
        slope === "steep" ||
        (slope === "unbounded" && facts.mayBeInfinite(bind)) ||
        readsAny(mayBeUndefined)
      );
    case "scaled":
      return slope === "steep";
    case "never":
      return false;
    default:
      return unreachable(zero);
  }
}

/** Whether `x` is the operand of an exponential, whose slope is infinite where its value is. */
const isExponent = ({ op, args }: Expr & { kind: "op" }, i: number, x: Atom): boolean =>
  args[i] === x && mayOverflow(op, i, args);

/** `x`, where the seed is `-x`: the sign goes past the test, and may cancel there. */
const negatedBy = (b: Builder, seed: Atom): Atom | null => operandsOf(b, seed, "neg")[0] ?? null;

/** `p` and `q`, where an atom is `p * q`, and p is 0 where q is: it is `r * q`, or a quotient. */
function factorsOf(b: Builder, atom: Atom): readonly [Atom, Atom] | null {
  const [p, q] = operandsOf(b, atom, "mul");
  if (p === undefined || q === undefined) return null;
  const isSquare = [p, ...operandsOf(b, p, "mul")].some((one) => isSameName(one, q));
  return isSquare || operandsOf(b, p, "div").length > 0 ? [p, q] : null;
}

/** The operands of an atom that `op` computed. */
function operandsOf(b: Builder, atom: Atom, op: ScalarOp): readonly Atom[] {
  if (atom.kind !== "var") return [];
  const stmt = b.stmts.find((one) => one.kind === "let" && one.bind.name === atom.name);
  return stmt?.kind === "let" && stmt.expr.kind === "op" && stmt.expr.op === op
    ? stmt.expr.args
    : [];
}

/** Runs `make` with the builder's origin set to that of `stmt`. */
function at(b: Builder, stmt: Let, make: () => Atom): Atom {
  const before = b.origin;
  b.origin = stmt.origin;
  const made = make();
  b.origin = before;
  return made;
}

/** The primal values that a rule reads; each is restored at its first read. */
function valuesOf(
  stmt: Let,
  expr: Expr & { kind: "op" },
  body: BodySweep,
  note: (operand: Atom) => void,
): RuleValues {
  const value = (operand: Atom): Atom => {
    note(operand);
    return body.value(operand);
  };
  const arg = (i: number): Atom => {
    const operand = expr.args[i];
    return operand === undefined ? stmt.bind : value(operand);
  };
  return {
    get x() {
      return arg(0);
    },
    get z() {
      return arg(1);
    },
    get y() {
      return value(stmt.bind);
    },
    arg,
    isListed: expr.listed === true,
    isConstant: (i, value) => isConst(expr.args[i], value),
  };
}

// FWD{ z = x }  =  z = x               an aggregate also: z$bar = x$bar
// REV{ z = x }  =  x$bar += z$bar      an aggregate: nothing
export function copyStep(stmt: Let, source: Atom, body: BodySweep): Step {
  const { sweep, rank } = body;
  if (sweep.facts.shadowed(stmt.bind)) {
    const { expr } = stmt;
    if (expr.kind !== "unwrap") {
      sweep.setShadow(stmt.bind, sweep.shadow(source));
      return plainStep(stmt);
    }
    const shadow = body.shadowLet(
      sweep.shadowVar(stmt.bind),
      { kind: "unwrap", value: sweep.shadow(source) },
      stmt.origin,
      true,
    );
    return { forward: () => [stmt, shadow], reverse: () => {} };
  }
  return {
    forward: () => [stmt],
    reverse: (rev, env) => {
      rev.origin = stmt.origin;
      const seed = env.take(rev, stmt.bind.name);
      if (seed !== null && sweep.facts.active(source)) env.add(source, rank, () => seed);
    },
  };
}

// FWD{ z = extern(x) }  =  z = extern(x)      reported if z depends on an active number
// REV{ z = extern(x) }  =  nothing
export function externStep(stmt: Let, expr: Expr & { kind: "extern" }, body: BodySweep): Step {
  const { facts, problems } = body.sweep;
  const [of] = expr.args;
  if (of !== undefined && isStopGradient(stmt) && facts.writtenThrough(stmt.bind, of)) {
    problems.push({ kind: "stopped", origin: stmt.origin, text: "" });
    // avoids a second report
    if (facts.shadowed(of)) body.sweep.setShadow(stmt.bind, body.sweep.shadow(of));
  } else if (facts.shadowed(stmt.bind) && expr.args.some((arg) => facts.keysVary(arg))) {
    problems.push({ kind: "keys", origin: stmt.origin, text: "" });
    body.sweep.setShadow(stmt.bind, stmt.bind);
  } else if (facts.active(stmt.bind) || facts.shadowed(stmt.bind)) {
    problems.push(throughCode(stmt, expr));
    if (facts.shadowed(stmt.bind)) body.sweep.setShadow(stmt.bind, stmt.bind);
  }
  return plainStep(stmt);
}
