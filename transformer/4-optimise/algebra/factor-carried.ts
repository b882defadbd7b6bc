// What a loop carries in each round is waited for in the next one. A cotangent that is multiplied several times on its way through a round is multiplied once, by a
// factor that the round can compute beside it. In: an ssa function, optimised. Out: the same sums, associated otherwise.
//   carry (s) … yield s * a * b - s * c + d   ->   carry (s) … yield s * (a * b - c) + d
// Invariant: only cotangent code is rearranged, nothing is computed more often than before, and the way round the loop is shorter. See Note [Scale].

import { Builder, num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { OPS, type ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Expr, For, Func, Let, Stmt, Var, While } from "../../ir/types.ts";
import { isPure } from "../../ir/effects.ts";
import { mapBodies, namesOf, stmtBinds, stmtFreeVars } from "../../ir/visit.ts";
import { isValue, sameAtom } from "../atoms.ts";

export function factorCarried(func: Func): Func {
  const names = namesOf(func);
  let changed = false;
  const inBody = (body: Body): Body => ({
    ...body,
    stmts: body.stmts.map((stmt) => {
      const inner = mapBodies(stmt, inBody);
      if (inner.kind !== "for" && inner.kind !== "while") return inner;
      const shorter = factored(inner, names);
      changed ||= shorter !== inner;
      return shorter;
    }),
  });
  const body = inBody(func.body);
  return changed ? { ...func, body } : func;
}

function factored<L extends For | While>(loop: L, names: Names): L {
  let { body } = loop;
  loop.carried.forEach(({ param }, at) => {
    body =
      shortened(body, param, at, new Set(loop.carried.map((one) => one.param.name)), names) ?? body;
  });
  return body === loop.body ? loop : { ...loop, body };
}

/** The body with the way from `param` to what is carried next made of one product and one sum; null where that is nothing better. */
function shortened(
  body: Body,
  param: Var,
  at: number,
  carried: ReadonlySet<string>,
  names: Names,
): Body | null {
  const next = body.result[at];
  if (param.type.kind !== "num" || next?.kind !== "var") return null;
  const round = new Round(body, param, carried, names);
  const before = round.distance(next);
  if (before === null || before < 2) return null;
  const { factor, rest } = round.linear(next);
  if (factor === null || isValue(factor.atom, 1) || round.isLate(factor.atom)) return null;
  const result = round.whole(factor, rest, next);
  const after = {
    stmts: [...body.stmts, ...round.added.stmts],
    result: body.result.map((atom, i) => (i === at ? result : atom)),
  };
  return (rest === null ? 1 : 2) < before && costOf(after) <= costOf(body) ? after : null;
}

/** An atom to be added or subtracted. */
interface Signed {
  readonly minus: boolean;
  readonly atom: Atom;
}

/** `factor * param + rest`; null: nothing. */
interface Linear {
  readonly factor: Signed | null;
  readonly rest: Signed | null;
}

class Round {
  readonly added: Builder;
  readonly #param: Var;
  readonly #lets = new Map<string, Let>();
  /** Names that the carried value goes into on any way. */
  readonly #dependent: Set<string>;
  /** Names that have to wait for anything carried. */
  readonly #late: Set<string>;
  /** Of names that are linear in the carried value: how many operations lie between. */
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

  #made(atom: Atom): Expr | null {
    const made = atom.kind === "var" ? this.#lets.get(atom.name) : undefined;
    return made?.adjoint === true ? made.expr : null;
  }

  #note(binds: readonly string[], operands: readonly string[]): void {
    for (const names of [this.#dependent, this.#late])
      if (operands.some((name) => names.has(name))) for (const name of binds) names.add(name);
  }

  /** How many operations lie between the carried value and `atom`; 0 where it is the value itself, null where it is not linear in it or does not depend on it. */
  distance(atom: Atom): number | null {
    return atom.kind === "var" ? (this.#distances.get(atom.name) ?? null) : null;
  }

  #distanceOf({ bind }: Let): number | null {
    const made = this.#made(bind);
    if (
      made?.kind !== "op" ||
      made.args.some((arg) => this.#depends(arg) && this.distance(arg) === null)
    )
      return null;
    const parts = made.args.map((arg) => this.distance(arg));
    return linearIn(
      made.op,
      parts.map((part) => part !== null),
    )
      ? 1 + Math.max(...parts.map((part) => part ?? 0))
      : null;
  }

  #depends(atom: Atom): boolean {
    return atom.kind === "var" && this.#dependent.has(atom.name);
  }

  /** Whether `atom` has to wait for anything carried. */
  isLate(atom: Atom): boolean {
    return atom.kind === "var" && this.#late.has(atom.name);
  }

  /** Of an atom that has a distance, or does not depend on the carried value. */
  linear(atom: Atom): Linear {
    const known = atom.kind === "var" ? this.#linears.get(atom.name) : undefined;
    if (known !== undefined) return known;
    const found = this.#linearOf(atom);
    if (atom.kind === "var") this.#linears.set(atom.name, found);
    return found;
  }

  #linearOf(atom: Atom): Linear {
    if (atom.kind === "var" && atom.name === this.#param.name)
      return { factor: { minus: false, atom: num(1) }, rest: null };
    const made = this.distance(atom) === null ? null : this.#made(atom);
    const [x, z] = made?.kind === "op" ? made.args : [];
    if (made?.kind !== "op" || x === undefined)
      return { factor: null, rest: isValue(atom, 0) ? null : { minus: false, atom } };
    const first = this.linear(x);
    if (made.op === "neg") return both(first, negative);
    if (z === undefined) return first;
    switch (made.op) {
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

  /** What the round computes anyway is not computed twice. */
  #op(op: ScalarOp, x: Atom, z: Atom): Atom {
    for (const stmt of [...this.#lets.values(), ...this.added.stmts])
      if (
        stmt.kind === "let" &&
        stmt.expr.kind === "op" &&
        stmt.expr.op === op &&
        isPair(stmt.expr.args, x, z, op === "add" || op === "mul")
      )
        return stmt.bind;
    const made = this.added.op(op, x, z);
    if (made.kind === "var")
      this.#note(
        [made.name],
        [x, z].flatMap((atom) => (atom.kind === "var" ? [atom.name] : [])),
      );
    return made;
  }

  /** factor * param + rest, under the name of what was carried before. */
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

/** Whether a result is linear in the operands that depend on the carried value. */
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

/** Operations of a round that something needs. */
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
// (s * a) * b and s * (a * b) differ in rounding, and where a product leaves the range of doubles: that of the factors alone then, with s otherwise. Neither order is
// right for all numbers, reverse code of the same function written in other steps has the one or the other. A factor that is infinite or no number gives NaN for
// s = 0 either way: s * a is there before and after, in no case masked (a choice is not linear, so it stops the search).
