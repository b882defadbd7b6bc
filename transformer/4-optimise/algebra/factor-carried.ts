// Shortens the critical path of a loop. A carried cotangent that is multiplied several times per
// iteration is multiplied once, by a factor that does not wait for it.
//   carry (s) … yield s * a * b - s * c + d   ->   carry (s) … yield s * (a * b - c) + d
// Invariant: only cotangent code changes, and no iteration computes more. See Note [Scale].

import { Builder, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Expr, For, Func, Let, Stmt, Var, While } from "../../ir/types.ts";
import { isPure } from "../../ir/effects.ts";
import { mapBodies, namesOf, stmtBinds, stmtFreeVars } from "../../ir/visit.ts";
import { isValue, sameAtom } from "../atoms.ts";

export function factorCarried(func: Func): Func {
  const names = namesOf(func);
  const inBody = (body: Body): Body =>
    withStmts(
      body,
      mapList(body.stmts, (stmt) => {
        const inner = mapBodies(stmt, inBody);
        return inner.kind === "for" || inner.kind === "while" ? factored(inner, names) : inner;
      }),
    );
  return withBody(func, inBody(func.body));
}

function factored<L extends For | While>(loop: L, names: Names): L {
  let { body } = loop;
  loop.carried.forEach(({ param }, at) => {
    body =
      shortened(body, param, at, new Set(loop.carried.map((one) => one.param.name)), names) ?? body;
  });
  return body === loop.body ? loop : { ...loop, body };
}

/** The body with one product and one sum between `param` and its next value; null if no shorter. */
function shortened(
  body: Body,
  param: Var,
  at: number,
  carried: ReadonlySet<string>,
  names: Names,
): Body | null {
  const next = body.result[at];
  if (param.type.kind !== "num" || next?.kind !== "var") return null;
  const iteration = new Iteration(body, param, carried, names);
  const before = iteration.distance(next);
  if (before === null || before < 2) return null;
  const { factor, rest } = iteration.linear(next);
  if (factor === null || isValue(factor.atom, 1) || iteration.isLate(factor.atom)) return null;
  const result = iteration.whole(factor, rest, next);
  const after = {
    stmts: [...body.stmts, ...iteration.added.stmts],
    result: body.result.map((atom, i) => (i === at ? result : atom)),
  };
  return (rest === null ? 1 : 2) < before && costOf(after) <= costOf(body) ? after : null;
}

/** An atom that is added or subtracted. */
interface Signed {
  readonly minus: boolean;
  readonly atom: Atom;
}

/** `factor * param + rest`; null stands for a zero term. */
interface Linear {
  readonly factor: Signed | null;
  readonly rest: Signed | null;
}

class Iteration {
  readonly added: Builder;
  readonly #param: Var;
  readonly #lets = new Map<string, Let>();
  /** Names that depend on the carried value. */
  readonly #dependent: Set<string>;
  /** Names that depend on any carried value. */
  readonly #late: Set<string>;
  /** Names that are linear in the carried value: the number of operations in between. */
  readonly #distances: Map<string, number>;
  readonly #linears = new Map<string, Linear>();

  constructor(body: Body, param: Var, carried: ReadonlySet<string>, names: Names) {
    this.#param = param;
    this.#dependent = new Set([param.name]);
    this.#late = new Set(carried);
    this.#distances = new Map([[param.name, 0]]);
    for (const stmt of body.stmts) {
      if (stmt.kind === "let") this.#lets.set(stmt.bind.name, stmt);
      const operands = [...stmtFreeVars(stmt).keys()];
      const binds = stmtBinds(stmt).map(({ name }) => name);
      this.#note(binds, operands);
      const distance = stmt.kind === "let" ? this.#distanceOf(stmt) : null;
      if (stmt.kind === "let" && distance !== null) this.#distances.set(stmt.bind.name, distance);
    }
    this.added = new Builder(
      names,
      body.stmts.at(-1)?.origin ?? { file: "", start: 0, end: 0 },
      true,
    );
  }

  #definition(atom: Atom): Expr | null {
    const def = atom.kind === "var" ? this.#lets.get(atom.name) : undefined;
    return def?.adjoint === true ? def.expr : null;
  }

  #note(binds: readonly string[], operands: readonly string[]): void {
    for (const names of [this.#dependent, this.#late])
      if (operands.some((name) => names.has(name))) for (const name of binds) names.add(name);
  }

  /** The operations between the carried value and `atom`; null unless `atom` is linear in it. */
  distance(atom: Atom): number | null {
    return atom.kind === "var" ? (this.#distances.get(atom.name) ?? null) : null;
  }

  #distanceOf({ bind }: Let): number | null {
    const def = this.#definition(bind);
    if (
      def?.kind !== "op" ||
      def.args.some((arg) => this.#depends(arg) && this.distance(arg) === null)
    )
      return null;
    const parts = def.args.map((arg) => this.distance(arg));
    return linearIn(
      def.op,
      parts.map((part) => part !== null),
    )
      ? 1 + Math.max(...parts.map((part) => part ?? 0))
      : null;
  }

  #depends(atom: Atom): boolean {
    return atom.kind === "var" && this.#dependent.has(atom.name);
  }

  /** Whether `atom` depends on any carried value. */
  isLate(atom: Atom): boolean {
    return atom.kind === "var" && this.#late.has(atom.name);
  }

  /** `atom` as a linear expression. It has a distance, or does not depend on the carried value. */
  linear(atom: Atom): Linear {
    const known = atom.kind === "var" ? this.#linears.get(atom.name) : undefined;
    if (known !== undefined) return known;
    const found = this.#linearOf(atom);
    if (atom.kind === "var") this.#linears.set(atom.name, found);
    return found;
  }

  #linearOf(atom: Atom): Linear {
    if (sameAtom(atom, this.#param)) return { factor: { minus: false, atom: num(1) }, rest: null };
    const def = this.distance(atom) === null ? null : this.#definition(atom);
    const [x, z] = def?.kind === "op" ? def.args : [];
    if (def?.kind !== "op" || x === undefined)
      return { factor: null, rest: isValue(atom, 0) ? null : { minus: false, atom } };
    const first = this.linear(x);
    if (def.op === "neg") return both(first, negative);
    if (z === undefined) return first;
    switch (def.op) {
      case "add":
        return this.#sum(first, this.linear(z));
      case "sub":
        return this.#sum(first, both(this.linear(z), negative));
      case "div":
        return both(first, (part) => this.#scaled("div", part, z));
      default:
        return first.factor === null
          ? both(this.linear(z), (part) => this.#scaled("mul", part, x))
          : both(first, (part) => this.#scaled("mul", part, z));
    }
  }

  #sum(x: Linear, z: Linear): Linear {
    return { factor: this.#plus(x.factor, z.factor), rest: this.#plus(x.rest, z.rest) };
  }

  #plus(x: Signed | null, z: Signed | null): Signed | null {
    if (x === null || z === null) return x ?? z;
    if (x.minus === z.minus) return { minus: x.minus, atom: this.#op("add", x.atom, z.atom) };
    return {
      minus: false,
      atom: x.minus ? this.#op("sub", z.atom, x.atom) : this.#op("sub", x.atom, z.atom),
    };
  }

  #scaled(op: "mul" | "div", { minus, atom }: Signed, by: Atom): Signed {
    return { minus, atom: op === "mul" && isValue(atom, 1) ? by : this.#op(op, atom, by) };
  }

  /** `op(x, z)`, shared with what the iteration computes anyway. */
  #op(op: ScalarOp, x: Atom, z: Atom): Atom {
    for (const stmt of [...this.#lets.values(), ...this.added.stmts])
      if (
        stmt.kind === "let" &&
        stmt.expr.kind === "op" &&
        stmt.expr.op === op &&
        isPair(stmt.expr.args, x, z, op === "add" || op === "mul")
      )
        return stmt.bind;
    const result = this.added.op(op, x, z);
    if (result.kind === "var")
      this.#note(
        [result.name],
        [x, z].flatMap((atom) => (atom.kind === "var" ? [atom.name] : [])),
      );
    return result;
  }

  /** `factor * param + rest`, named like the value that it replaces. */
  whole(factor: Signed, rest: Signed | null, like: Var): Atom {
    const named = (op: ScalarOp, ...args: readonly Atom[]): Atom =>
      this.added.let(like.name, like.type, { kind: "op", op, args });
    if (rest === null)
      return factor.minus
        ? named("neg", this.added.mul(this.#param, factor.atom))
        : named("mul", this.#param, factor.atom);
    const product = this.added.mul(this.#param, factor.atom);
    if (factor.minus !== rest.minus)
      return factor.minus ? named("sub", rest.atom, product) : named("sub", product, rest.atom);
    const sum = named("add", product, rest.atom);
    return factor.minus ? named("neg", sum) : sum;
  }
}

const negative = ({ minus, atom }: Signed): Signed => ({ minus: !minus, atom });
const both = ({ factor, rest }: Linear, change: (part: Signed) => Signed): Linear => ({
  factor: factor === null ? null : change(factor),
  rest: rest === null ? null : change(rest),
});

const isPair = ([first, second]: readonly Atom[], x: Atom, z: Atom, commutes: boolean): boolean =>
  first !== undefined &&
  second !== undefined &&
  ((sameAtom(first, x) && sameAtom(second, z)) ||
    (commutes && sameAtom(first, z) && sameAtom(second, x)));

/** Whether an operator is linear in the operands that depend on the carried value. */
function linearIn(op: ScalarOp, [first = false, second = false]: readonly boolean[]): boolean {
  switch (op) {
    case "add":
    case "sub":
      return first || second;
    case "neg":
      return first;
    case "mul":
      return first !== second;
    case "div":
      return first && !second;
    default:
      return false;
  }
}

/** The cost of the operations of an iteration that something needs. */
function costOf({ stmts, result }: Body): number {
  const needed = new Set(result.flatMap((atom) => (atom.kind === "var" ? [atom.name] : [])));
  let cost = 0;
  for (const stmt of [...stmts].reverse()) {
    if (isIdle(stmt, needed)) continue;
    if (stmt.kind === "let" && stmt.expr.kind === "op") cost += OPS[stmt.expr.op].cost;
    for (const name of stmtFreeVars(stmt).keys()) needed.add(name);
  }
  return cost;
}

const isIdle = (stmt: Stmt, needed: ReadonlySet<string>): boolean =>
  stmt.kind === "let" && isPure(stmt.expr) && !needed.has(stmt.bind.name);

// Note [Scale]
// (s * a) * b and s * (a * b) differ in rounding, and in where a product leaves the range of
// doubles. Neither order is right for all numbers; reverse code of the same function written
// differently has the one or the other. With an infinite or NaN factor and s = 0 both give NaN: s *
// a is computed before and after, and is never guarded by a zero test (a choice is not linear, so
// it stops the search).
