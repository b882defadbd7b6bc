// Rules that need not execute again in the backward pass.
// Input: the body of `f`, and that of its rule, inlined up to the pullback's result. Output: the
// rule's part, which gives the value and the pullback's captures, and the pullback's part.
// The rule's part must contain the statements of `f` in order, so it can replace `f` bit by bit.

import type { Atom, Body, Expr, Stmt, Type, Var } from "../../ir/types.ts";
import { hasNumbers, isPlain, type Types } from "../../ir/shadow.ts";
import { definedVars, freeVars, stmtBinds, stmtFreeVars, walkStmts } from "../../ir/visit.ts";

/** The inlined rule. `boundary`: the statement where the pullback starts. */
export interface Written {
  readonly body: Body;
  readonly boundary: number;
  readonly value: Atom;
  readonly bars: Atom;
}

export interface Parts {
  readonly rule: Body;
  readonly back: Body;
  /** What the rule computes and the pullback reads. */
  readonly kept: readonly Var[];
}

/** Null where the rule has to execute again. */
export function splitRule(
  primal: Body,
  { body, boundary, value, bars }: Written,
  types: Types,
): Parts | null {
  const first = body.stmts.slice(0, boundary);
  // the last statement of the rule is the pair of value and cotangents
  const back: Body = { stmts: body.stmts.slice(boundary, -1), result: [bars] };
  const rule: Body = { stmts: first, result: [value] };
  if (!standsFor(rule, primal)) return null;
  const made = new Set(definedVars(rule).map(({ name }) => name));
  const kept = [...freeVars(back).values()].filter(({ name }) => made.has(name));
  const variables = assignedIn(rule);
  const isWritten = [...assignedIn(back)].some((name) => made.has(name));
  return isWritten || kept.some(({ name, type }) => variables.has(name) || !isKeepable(type, types))
    ? null
    : { rule, back, kept };
}

function assignedIn(body: Body): ReadonlySet<string> {
  const found = new Set<string>();
  walkStmts(body, (stmt) => {
    if (stmt.kind === "assign") found.add(stmt.variable.name);
  });
  return found;
}

/** Whether a value can be saved for the backward pass. */
const isKeepable = (type: Type, types: Types): boolean =>
  type.kind === "num" || (type.kind !== "opt" && hasNumbers(type, types) && isPlain(type, types));

/** Whether the rule contains all statements of `f`, in order, with harmless ones between them. */
function standsFor(rule: Body, primal: Body): boolean {
  const [value] = rule.result;
  const [result] = primal.result;
  if (value === undefined || result === undefined) return false;
  let pairs = new Pairs(primal, rule);
  let next = 0;
  const more: Stmt[] = [];
  for (const stmt of rule.stmts) {
    const wanted = primal.stmts[next];
    const tried = pairs.copy();
    if (wanted !== undefined && tried.same(wanted, stmt)) {
      pairs = tried;
      next++;
    } else more.push(stmt);
  }
  return next === primal.stmts.length && pairs.same(result, value) && isHarmless(more);
}

/** Whether statements write only memory that they allocate, and have no other effect. */
function isHarmless(stmts: readonly Stmt[]): boolean {
  const own = new Set(
    stmts
      .flatMap((stmt) => [...stmtBinds(stmt), ...definedVars({ stmts: [stmt], result: [] })])
      .map(({ name }) => name),
  );
  const fresh = new Set<string>();
  let isFine = true;
  for (const stmt of stmts) {
    walkStmts({ stmts: [stmt], result: [] }, (inner) => {
      if (inner.kind === "let" && ALLOCATIONS.has(inner.expr.kind)) fresh.add(inner.bind.name);
      if (hasEffect(inner, own, fresh)) isFine = false;
    });
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set in the callback
    if (!isFine) return false;
  }
  return true;
}

const ALLOCATIONS: ReadonlySet<Expr["kind"]> = new Set<Expr["kind"]>([
  "alloc",
  "array",
  "clone",
  "slice",
  "record",
]);

/** Calls count: a callee may write anything. */
function hasEffect(stmt: Stmt, own: ReadonlySet<string>, fresh: ReadonlySet<string>): boolean {
  if (stmt.kind === "throw" || stmt.kind === "return") return true;
  if (stmt.kind === "assign") return !own.has(stmt.variable.name);
  if (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill")
    return !(stmt.object.kind === "var" && fresh.has(stmt.object.name));
  if (stmt.kind !== "let") return false;
  const { expr } = stmt;
  return (
    expr.kind === "removeLast" ||
    expr.kind === "call" ||
    (expr.kind === "extern" && expr.effect === "io")
  );
}

/** A bijection between the local names of two bodies. */
class Pairs {
  readonly #left: ReadonlySet<string>;
  readonly #right: ReadonlySet<string>;
  readonly #to = new Map<string, string>();
  readonly #from = new Map<string, string>();

  constructor(left: Body | Pairs, right: Body | null = null) {
    if (left instanceof Pairs) {
      this.#left = left.#left;
      this.#right = left.#right;
      for (const [x, z] of left.#to) this.#pair(x, z);
    } else {
      this.#left = localsOf(left);
      this.#right = right === null ? new Set() : localsOf(right);
    }
  }

  copy(): Pairs {
    return new Pairs(this);
  }

  #pair(x: string, z: string): boolean {
    const known = this.#to.get(x);
    if (known !== undefined || this.#from.has(z)) return known === z;
    this.#to.set(x, z);
    this.#from.set(z, x);
    return true;
  }

  /** Whether two nodes are equal up to origins and local names. */
  same(x: unknown, z: unknown): boolean {
    if (typeof x !== "object" || x === null || typeof z !== "object" || z === null)
      return Object.is(x, z);
    if (Array.isArray(x) || Array.isArray(z))
      return (
        Array.isArray(x) &&
        Array.isArray(z) &&
        x.length === z.length &&
        x.every((each, i) => this.same(each, z[i]))
      );
    const left = new Map<string, unknown>(Object.entries(x));
    const right = new Map<string, unknown>(Object.entries(z));
    left.delete("origin");
    right.delete("origin");
    if (left.size !== right.size) return false;
    const isNamed = left.get("kind") === "var" && right.get("kind") === "var";
    return [...left].every(([key, value]) => {
      const other = right.get(key);
      return (key === "label" || (isNamed && key === "name")) &&
        typeof value === "string" &&
        typeof other === "string"
        ? this.#named(value, other)
        : right.has(key) && this.same(value, other);
    });
  }

  #named(x: string, z: string): boolean {
    const [isOwn, isOther] = [this.#left.has(x), this.#right.has(z)];
    return isOwn || isOther ? isOwn && isOther && this.#pair(x, z) : x === z;
  }
}

/** Names and labels that a body defines. */
function localsOf(body: Body): ReadonlySet<string> {
  const found = new Set(definedVars(body).map(({ name }) => name));
  walkStmts(body, (stmt) => {
    if (stmt.kind === "loop" || stmt.kind === "scope") found.add(stmt.label);
  });
  return found;
}

/** Positions of the parameters that the pullback's part reads. */
export const readParams = (back: Body, params: readonly Var[]): readonly number[] => {
  const free = new Set(
    back.stmts
      .flatMap((stmt) => [...stmtFreeVars(stmt).keys()])
      .concat(back.result.flatMap((atom) => (atom.kind === "var" ? [atom.name] : []))),
  );
  return params.flatMap(({ name }, i) => (free.has(name) ? [i] : []));
};
