// State of writing one forward-mode function: `f$fwd` computes the value and, beside every active value, its tangent (Krawiec et al. Figures 3-4).
// In: an ssa function and its facts. Out: tangents of scalars, tangent shadows of aggregates. Invariant: a tangent that is not known is Zero, which
// is `null` here and never a number in the code; a tangent shadow has the aliasing of its primal.

import { Builder, num } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import { dot, type Names } from "../../ir/names.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Expr, Func, Type, Var } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import type { Nested } from "../nested.ts";
import { Shadows } from "../shadows.ts";
import type { ForwardSignature } from "./signature.ts";

export interface PushforwardOptions {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly names: Names;
  readonly signature: (callee: string, active: readonly number[]) => ForwardSignature;
  readonly nested: Nested;
}

export class Pushforward implements PushforwardOptions {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly names: Names;
  readonly signature: (callee: string, active: readonly number[]) => ForwardSignature;
  readonly nested: Nested;
  readonly entry: Builder;
  readonly shadows: Shadows;
  readonly #dots = new Map<string, Atom>();
  #lets: ReadonlyMap<string, Expr> | null = null;

  constructor({ func, facts, types, names, signature, nested }: PushforwardOptions) {
    this.func = func;
    this.facts = facts;
    this.types = types;
    this.names = names;
    this.signature = signature;
    this.nested = nested;
    this.entry = new Builder(names, func.origin, true);
    this.shadows = new Shadows({
      func,
      facts,
      types,
      names,
      entry: this.entry,
      nameOf: dot,
      onEntry: () => {},
    });
  }

  /** The tangent of a scalar; null for Zero. */
  dot(atom: Atom): Atom | null {
    return atom.kind === "var" ? (this.#dots.get(atom.name) ?? null) : null;
  }

  /** The same as a number that code can hold. */
  dotOrZero(atom: Atom): Atom {
    return this.dot(atom) ?? num(0);
  }

  setDot(value: Var, tangent: Atom | null): void {
    if (tangent !== null) this.#dots.set(value.name, tangent);
  }

  /** What a test `s === 0`, or several of these that must all hold, asks about. */
  tested(test: Atom): readonly Atom[] {
    const expr =
      test.kind === "var" ? (this.#lets ??= letsOf(this.func)).get(test.name) : undefined;
    if (expr?.kind !== "op") return [];
    return expr.op === "eq"
      ? expr.args.slice(0, 1)
      : expr.op === "and"
        ? expr.args.flatMap((arg) => this.tested(arg))
        : [];
  }

  /** A fresh name for the tangent of a scalar that a join or a loop binds. */
  freshDot(value: Var): Var {
    const made: Var = { kind: "var", name: this.names.fresh(dot(value.name)), type: num(0).type };
    this.#dots.set(value.name, made);
    return made;
  }

  shadowTypeOf(type: Type): Type {
    return this.shadows.typeOf(type);
  }
}

function letsOf(func: Func): ReadonlyMap<string, Expr> {
  const found = new Map<string, Expr>();
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "let") found.set(stmt.bind.name, stmt.expr);
  });
  return found;
}
