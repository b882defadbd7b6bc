// A rule that need not run again in the backward pass. In: the body of `f` and that of its rule, written out up to the pullback's result. Out: the rule's part, which
// gives the value and what the pullback sees, and the pullback's part. Invariant: the rule's part computes the value by the statements of `f` and in their order,
// so it may stand in its place: the value keeps every bit, and every effect happens once.

import type { Atom, Body, Stmt, Type, Var } from "../../ir/types.ts";
import { hasNumbers, isPlain, type Types } from "../../ir/shadow.ts";
import { definedVars, freeVars, stmtBinds, stmtFreeVars, walkStmts } from "../../ir/visit.ts";

/** Where the pullback's part begins, in a rule without exits. */
export interface Written {
  readonly body: Body;
  readonly boundary: number;
  readonly value: Atom;
  readonly bars: Atom;
}

export interface Parts {
  readonly rule: Body;
  readonly back: Body;
  /** What the pullback sees of what the rule computes. */
  readonly kept: readonly Var[];
}

/** Null where the rule has to run again. */
export function partsOf(
  primal: Body,
  { body, boundary, value, bars }: Written,
  types: Types,
): Parts | null {
  const first = body.stmts.slice(0, boundary);
  // the pair of value and cotangents is the rule's last statement
  const back: Body = { stmts: body.stmts.slice(boundary, -1), result: [bars] };
  const rule: Body = { stmts: first, result: [value] };
  if (!standsFor(rule, primal)) return null;
  const made = new Set(definedVars(rule).map(({ name }) => name));
  const kept = [...freeVars(back).values()].filter(({ name }) => made.has(name));
  const variables = new Set<string>();
  walkStmts(rule, (stmt) => {
    if (stmt.kind === "assign") variables.add(stmt.variable.name);
  });
  let isWritten = false;
  walkStmts(back, (stmt) => {
    if (stmt.kind === "assign" && made.has(stmt.variable.name)) isWritten = true;
  });
  return isWritten || kept.some(({ name, type }) => variables.has(name) || !isKeepable(type, types))
    ? null
    : { rule, back, kept };
}

const isKeepable = (type: Type, types: Types): boolean =>
  type.kind === "num" || (type.kind !== "opt" && hasNumbers(type, types) && isPlain(type, types));

/** Whether the rule computes the value as `f` does: all statements of `f` are there, in order, and what stands between them changes nothing that they see. */
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

/** Statements that write only what they make themselves, and do nothing else. */
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
      if (
        inner.kind === "let" &&
        (inner.expr.kind === "alloc" ||
          inner.expr.kind === "array" ||
          inner.expr.kind === "clone" ||
          inner.expr.kind === "slice" ||
          inner.expr.kind === "record")
      )
        fresh.add(inner.bind.name);
      if (inner.kind === "throw" || inner.kind === "return") isFine = false;
      if (inner.kind === "assign" && !own.has(inner.variable.name)) isFine = false;
      if (
        (inner.kind === "store" || inner.kind === "append" || inner.kind === "fill") &&
        !(inner.object.kind === "var" && fresh.has(inner.object.name))
      )
        isFine = false;
      if (inner.kind !== "let") return;
      if (
        inner.expr.kind === "removeLast" ||
        (inner.expr.kind === "extern" && inner.expr.effect === "io")
      )
        isFine = false;
      // it may write anything
      if (inner.expr.kind === "call") isFine = false;
    });
    if (!isFine) return false;
  }
  return true;
}

/** Names of two bodies that mean the same. */
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

  /** One structure, but for where it was written and what its own names are. */
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
    const [left, right] = [new Map(Object.entries(x)), new Map(Object.entries(z))];
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

/** Names and labels that a body makes. */
function localsOf(body: Body): ReadonlySet<string> {
  const found = new Set(definedVars(body).map(({ name }) => name));
  walkStmts(body, (stmt) => {
    if (stmt.kind === "loop" || stmt.kind === "scope") found.add(stmt.label);
  });
  return found;
}

/** What the pullback's part needs of the arguments. */
export const readBy = (back: Body, params: readonly Var[]): readonly number[] => {
  const free = new Set(
    back.stmts
      .flatMap((stmt) => [...stmtFreeVars(stmt).keys()])
      .concat(back.result.flatMap((atom) => (atom.kind === "var" ? [atom.name] : []))),
  );
  return params.flatMap(({ name }, i) => (free.has(name) ? [i] : []));
};
