// Proves that reads and stores stay within their array. Integers are polynomials over names; an
// index is in bounds if `length - 1 - index` is a sum of nonnegative terms, by what loops, tests
// and operators imply about its names. Unsure means out of bounds. A name that is a factor of a
// length is assumed nonnegative.

import { integerOf } from "../../ir/build.ts";
import { variableOf } from "../../ir/names.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Expr, For, Let, Stmt, Store } from "../../ir/types.ts";
import { stmtBodies, walkStmts } from "../../ir/visit.ts";
import type { Memory } from "../memory/memory.ts";
import { INEQUALITIES } from "./index-ranges.ts";
import {
  cofactors,
  constant,
  isSame,
  plus,
  type Polynomial,
  times,
  variable,
  variablesOf,
} from "./polynomial.ts";
import type { Region } from "../memory/region.ts";

/** By name: nonnegative polynomials that contain it. */
type Known = ReadonlyMap<string, readonly Polynomial[]>;

export interface Bounds {
  /** An index that is NaN counts as within: it lengthens no array. */
  readonly isWithin: (stmt: Let | Store) => boolean;
  /** Whether a number is positive where a statement is executed. */
  readonly isPositive: (atom: Atom, stmt: Stmt) => boolean;
  readonly isNonnegative: (atom: Atom, stmt: Stmt) => boolean;
  /** Whether a loop's index reaches the end of an array. */
  readonly reachesEnd: (loop: For, array: Atom) => boolean;
  /** Whether two loops have the same end. */
  readonly areAlike: (loop: For, other: For) => boolean;
}

/** `changing`: whether the length of an array may change. */
export function boundsIn(body: Body, memory: Memory, changing: (array: Atom) => boolean): Bounds {
  const proof = new Proof(body, memory, changing);
  const at = new Map<Stmt, Known>();
  const visit = (inner: Body, outer: Known): void => {
    let known = outer;
    for (const stmt of inner.stmts) {
      at.set(stmt, known);
      for (const nested of stmtBodies(stmt)) visit(nested, proof.inside(stmt, nested, known));
      known = proof.after(stmt, known);
    }
  };
  visit(body, new Map());
  const isWithin = (stmt: Let | Store): boolean => {
    const known = at.get(stmt);
    const place = stmt.kind === "store" ? stmt : stmt.expr.kind === "load" ? stmt.expr : null;
    return (
      known !== undefined &&
      place !== null &&
      place.key.kind === "index" &&
      proof.isBelow(place.key.at, place.object, known)
    );
  };
  return {
    isWithin,
    isPositive: (atom, stmt) => proof.isAtLeast(1, atom, at.get(stmt) ?? new Map()),
    isNonnegative: (atom, stmt) => proof.isAtLeast(0, atom, at.get(stmt) ?? new Map()),
    reachesEnd: (loop, array) => proof.reachesEnd(loop, array, at.get(loop) ?? new Map()),
    areAlike: (loop, other) => isSame(proof.end(loop), proof.end(other)),
  };
}

/** The maximal number of substitutions in a proof. */
const DEEPEST = 6;

class Proof {
  readonly #lets = new Map<string, Let>();
  readonly #memory: Memory;
  readonly #changing: (array: Atom) => boolean;
  /** Names bound once per call. */
  readonly #steady: ReadonlySet<string>;
  /** By region: the allocations of its arrays; null: unknown. */
  readonly #allocations = new Map<Region, Let[] | null>();

  constructor(body: Body, memory: Memory, changing: (array: Atom) => boolean) {
    this.#memory = memory;
    this.#changing = changing;
    this.#steady = new Set(
      [
        ...memory.func.params,
        ...body.stmts.flatMap((stmt) => (stmt.kind === "let" ? [stmt.bind] : [])),
      ].map(({ name }) => name),
    );
    walkStmts(body, (stmt) => {
      if (stmt.kind !== "let") return;
      this.#lets.set(stmt.bind.name, stmt);
      this.#noteAllocation(stmt);
    });
  }

  #noteAllocation(stmt: Let): void {
    const region = this.#memory.region(stmt.bind)?.find();
    const { expr } = stmt;
    if (isAllocation(expr) && region !== undefined && this.#allocations.get(region) !== null)
      this.#allocations.set(region, [...(this.#allocations.get(region) ?? []), stmt]);
    if (isAllocation(expr) || EXISTING.has(expr.kind)) return;
    const others = [
      stmt.bind,
      ...(expr.kind === "call" || expr.kind === "extern" ? expr.args : []),
    ];
    for (const other of others) {
      const top = this.#memory.region(other);
      if (top !== null)
        for (const inner of this.#memory.reachable(top)) this.#allocations.set(inner, null);
    }
  }

  isBelow(at: Atom, array: Atom, known: Known): boolean {
    const length = this.#lengthOf(array);
    return (
      length !== null &&
      this.#isNonnegative(plus(plus(length, this.#of(at), -1), constant(-1)), known, DEEPEST)
    );
  }

  isAtLeast(least: number, atom: Atom, known: Known): boolean {
    return this.#isNonnegative(plus(this.#of(atom), constant(-least)), known, DEEPEST);
  }

  /** Whether the index reaches the array's end; a length that may change must be the very bound. */
  reachesEnd(loop: For, array: Atom, known: Known): boolean {
    const length = this.#lengthOf(array);
    const bound = loop.step > 0 ? loop.to : loop.from;
    const definition = bound.kind === "var" ? this.#lets.get(bound.name)?.expr : undefined;
    if (
      definition?.kind === "length" &&
      this.#memory.region(definition.object)?.find() === this.#memory.region(array)?.find()
    )
      return true;
    return length !== null && this.#isNonnegative(plus(this.end(loop), length, -1), known, DEEPEST);
  }

  /** One more than the greatest index. */
  end({ from, to, test, step }: For): Polynomial {
    return step > 0
      ? plus(this.#of(to), constant(test === "<=" ? 1 : 0), 1)
      : plus(this.#of(from), constant(1), 1);
  }

  /** The facts that hold inside a body of the statement. */
  inside(stmt: Stmt, body: Body, known: Known): Known {
    if (stmt.kind === "for")
      return withFacts(known, [...this.#indexRange(stmt), ...this.#counters(stmt)]);
    if (stmt.kind === "while" && body === stmt.body)
      return withFacts(known, this.#impliedBy(stmt.test.result[0], true));
    if (stmt.kind === "if") return withFacts(known, this.#impliedBy(stmt.cond, body === stmt.then));
    return known;
  }

  /** The facts that hold after a statement: if one branch throws, those of the other. */
  after(stmt: Stmt, known: Known): Known {
    if (stmt.kind !== "if") return known;
    return [stmt.then, stmt.else].reduce(
      (all, arm) =>
        arm.stmts.at(-1)?.kind === "throw"
          ? withFacts(all, this.#impliedBy(stmt.cond, arm !== stmt.then))
          : all,
      known,
    );
  }

  /** Whether a polynomial is nonnegative: in all its terms, or after a substitution. */
  #isNonnegative(x: Polynomial, known: Known, deep: number): boolean {
    if (
      [...x].every(
        ([monomial, factor]) =>
          factor > 0 &&
          [...variablesOf(variable(monomial))].every(
            (name) => name.startsWith(LENGTH) || this.#isCount(name, known),
          ),
      )
    )
      return true;
    if (deep === 0) return false;
    for (const name of variablesOf(x)) {
      for (const { factor, others } of cofactors(x, name)) {
        for (const fact of [...(known.get(name) ?? []), ...this.#impliedByDefinition(name)]) {
          const own = fact.get(name) ?? 0;
          if (
            own * factor > 0 &&
            this.#isNonnegative(plus(x, times(fact, others), -factor / own), known, deep - 1)
          )
            return true;
        }
      }
    }
    return false;
  }

  /** Whether a fact says that the name is nonnegative. */
  #isCount(name: string, known: Known): boolean {
    return (known.get(name) ?? []).some(
      (fact) =>
        fact.get(name) === 1 &&
        [...plus(fact, variable(name), -1)].every(
          ([monomial, factor]) => monomial === "" && factor <= 0,
        ),
    );
  }

  #of(atom: Atom): Polynomial {
    if (atom.kind === "global") return variable(GLOBAL + variableOf(atom));
    if (atom.kind !== "var") return constant(integerOf(atom) ?? NaN);
    const expr = this.#lets.get(atom.name)?.expr;
    if (expr?.kind === "copy") return this.#of(expr.atom);
    if (expr?.kind === "length") return this.#lengthOf(expr.object) ?? variable(atom.name);
    return (expr?.kind === "op" ? this.#ofOp(expr) : null) ?? variable(atom.name);
  }

  #ofOp({ op, args: [x, z] }: Expr & { kind: "op" }): Polynomial | null {
    if (x === undefined || z === undefined) return null;
    if (op === "add") return plus(this.#of(x), this.#of(z));
    if (op === "sub") return plus(this.#of(x), this.#of(z), -1);
    return op === "mul" ? times(this.#of(x), this.#of(z)) : null;
  }

  /** The length of an array; null if it may change. */
  #lengthOf(array: Atom): Polynomial | null {
    if (array.kind !== "var" || this.#changing(array)) return null;
    const made = this.#lets.get(array.name);
    if (made !== undefined && isAllocation(made.expr)) return this.#allocatedLength(made);
    const region = this.#memory.region(array)?.find();
    const makers =
      region === undefined || region.external ? null : (this.#allocations.get(region) ?? null);
    if (region === undefined || makers === null) return variable(LENGTH + array.name);
    // a circular length, of one array of the region by another, is unknown
    this.#allocations.set(region, null);
    const lengths = makers.map((maker) => this.#allocatedLength(maker));
    const [first] = lengths;
    this.#allocations.set(region, makers);
    const isOne =
      first !== undefined &&
      first !== null &&
      lengths.every((one) => one !== null && isSame(one, first)) &&
      [...variablesOf(first)].every(
        (name) => name.startsWith(GLOBAL) || this.#steady.has(name.replace(LENGTH, "")),
      );
    return isOne ? first : variable(LENGTH + array.name);
  }

  #allocatedLength({ bind, expr }: Let): Polynomial | null {
    if (expr.kind === "alloc") return this.#of(expr.length);
    if (expr.kind === "slice" && integerOf(expr.from) === 0 && expr.to === null)
      return this.#lengthOf(expr.object);
    if (expr.kind !== "array") return variable(LENGTH + bind.name);
    return expr.parts.reduce<Polynomial | null>((sum, { atom, spread }) => {
      const count = spread ? this.#lengthOf(atom) : constant(1);
      return sum === null || count === null ? null : plus(sum, count);
    }, constant(0));
  }

  /** The range of a loop index: `0 <= i`, `i <= n - 1`. */
  #indexRange({ index, from, test, to }: For): readonly Polynomial[] {
    const i = variable(index.name);
    const first = plus(i, this.#of(from), -1);
    const last = plus(this.#of(to), i, -1);
    const past = test === "<" || test === ">" ? constant(-1) : constant(0);
    return test === "<" || test === "<="
      ? [first, plus(last, past)]
      : [plus(constant(0), first, -1), plus(plus(constant(0), last, -1), past)];
  }

  /** Upper bounds of carried counters: `p <= p0 + i - from` if each iteration adds at most 1. */
  #counters({ index, from, step, carried, body }: For): readonly Polynomial[] {
    if (Math.abs(step) !== 1) return [];
    const passed = plus(variable(index.name), this.#of(from), -1);
    return carried.flatMap(({ param, init }, k) => {
      const next = body.result[k];
      const grown = next === undefined ? null : mostAdded(next, param.name, body);
      return grown === null || grown < 0
        ? []
        : [plus(plus(this.#of(init), passed, grown * step), variable(param.name), -1)];
    });
  }

  /** The facts that follow from the value of a test. */
  #impliedBy(test: Atom | undefined, truth: boolean): readonly Polynomial[] {
    const expr = test?.kind === "var" ? this.#lets.get(test.name)?.expr : undefined;
    if (expr?.kind !== "op") return [];
    const [x, z] = expr.args;
    if (x === undefined) return [];
    if (expr.op === "not") return this.#impliedBy(x, !truth);
    if (z === undefined) return [];
    if (expr.op === (truth ? "and" : "or"))
      return [...this.#impliedBy(x, truth), ...this.#impliedBy(z, truth)];
    if (expr.op === (truth ? "eq" : "ne")) return [this.#less(x, z, 0), this.#less(z, x, 0)];
    return this.#impliedByInequality(expr.op, x, z, truth);
  }

  #impliedByInequality(op: ScalarOp, x: Atom, z: Atom, truth: boolean): readonly Polynomial[] {
    const inequality = INEQUALITIES[op];
    if (inequality === undefined) return [];
    // the negation of `x < z` is `z <= x`
    const by = inequality.strict === truth ? 1 : 0;
    return [inequality.turned === truth ? this.#less(z, x, by) : this.#less(x, z, by)];
  }

  /** `low + by <= high` */
  #less(low: Atom, high: Atom, by: number): Polynomial {
    return plus(plus(this.#of(high), this.#of(low), -1), constant(-by));
  }

  /** Facts from the operator of a definition: `i % n <= n - 1`, `floor(x / 2) <= x / 2`. */
  #impliedByDefinition(name: string): readonly Polynomial[] {
    const expr = this.#lets.get(name)?.expr;
    if (expr?.kind !== "op") return [];
    const [x, z] = expr.args;
    const own = variable(name);
    if (expr.op === "min") return expr.args.map((one) => plus(this.#of(one), own, -1));
    if (expr.op === "max") return expr.args.map((one) => plus(own, this.#of(one), -1));
    if (expr.op === "mod" && z !== undefined)
      return [plus(plus(this.#of(z), own, -1), constant(-1))];
    if (expr.op === "floor") return this.#floor(x, own);
    const by = integerOf(z);
    return expr.op === "shr" && x !== undefined && by !== null && by < 31
      ? [plus(this.#of(x), own, -(2 ** by))]
      : [];
  }

  /** The fact from `floor(x / c)`, or from `floor` of any other number. */
  #floor(atom: Atom | undefined, own: Polynomial): readonly Polynomial[] {
    const expr = atom?.kind === "var" ? this.#lets.get(atom.name)?.expr : undefined;
    if (atom === undefined) return [];
    const [x, z] = expr?.kind === "op" && expr.op === "div" ? expr.args : [];
    const by = integerOf(z);
    return x !== undefined && by !== null && by > 0
      ? [plus(this.#of(x), own, -by)]
      : [plus(this.#of(atom), own, -1)];
  }
}

/** Prefix of the variable for the length of an array. */
const LENGTH = "#";
const GLOBAL = "global ";

const isAllocation = ({ kind }: Expr): boolean =>
  kind === "alloc" || kind === "slice" || kind === "array";

/** Expressions that return an existing object, or no array. */
const EXISTING: ReadonlySet<Expr["kind"]> = new Set<Expr["kind"]>([
  "copy",
  "unwrap",
  "load",
  "removeLast",
  "record",
  "tuple",
  "clone",
  "op",
  "length",
  "present",
]);

function withFacts(known: Known, facts: readonly Polynomial[]): Known {
  const all = new Map(known);
  for (const fact of facts)
    for (const name of variablesOf(fact))
      if (fact.has(name)) all.set(name, [...(all.get(name) ?? []), fact]);
  return all;
}

/** The most that `next` can exceed the name; null: unknown. */
function mostAdded(next: Atom, name: string, body: Body): number | null {
  if (next.kind !== "var") return null;
  if (next.name === name) return 0;
  for (const stmt of body.stmts) {
    if (
      stmt.kind === "let" &&
      stmt.bind.name === next.name &&
      stmt.expr.kind === "op" &&
      stmt.expr.op === "add"
    ) {
      const [x, z] = stmt.expr.args;
      const by = integerOf(z);
      const before = x === undefined || by === null ? null : mostAdded(x, name, body);
      return by === null || before === null ? null : before + by;
    }
    const k = stmt.kind === "if" ? stmt.binds.findIndex((bind) => bind.name === next.name) : -1;
    if (stmt.kind !== "if" || k < 0) continue;
    const arms = [stmt.then, stmt.else].map((arm) => {
      const result = arm.result[k];
      return result === undefined
        ? null
        : mostAdded(result, name, { ...arm, stmts: [...body.stmts, ...arm.stmts] });
    });
    return arms.reduce(
      (most, one) => (most === null || one === null ? null : Math.max(most, one)),
      -Infinity,
    );
  }
  return null;
}
