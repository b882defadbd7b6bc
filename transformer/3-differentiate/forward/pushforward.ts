// State of writing one forward-mode function. `f$fwd` computes the value and a tangent beside every
// active value (Krawiec et al. Figures 3-4). Input: an ssa function and its facts. Output: tangents
// of scalars, tangent shadows of aggregates.
// Invariant: an unknown tangent is Zero, which is `null` here and never a number in the code; a
// tangent shadow is aliased as its primal is.

import { Builder, num } from "../../ir/build.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import { dot, type Names } from "../../ir/names.ts";
import { isScalarType, type Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, Func, Stmt, Type, Var } from "../../ir/types.ts";
import { walkAtoms } from "../../ir/visit.ts";
import { freshNumber } from "../fragments.ts";
import type { Nested } from "../nested.ts";
import { Shadows } from "../shadows.ts";
import type { ForwardSignature } from "./signature.ts";
import { letsIn, definition } from "../../ir/lets.ts";

export interface PushforwardOptions {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly names: Names;
  readonly signature: (callee: string, active: readonly number[]) => ForwardSignature;
  readonly nested: Nested;
  /** Writes a body with its tangents. */
  readonly bodyForward: (body: Body, push: Pushforward, outer: Builder) => readonly Stmt[];
}

export class Pushforward implements PushforwardOptions {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly names: Names;
  readonly signature: (callee: string, active: readonly number[]) => ForwardSignature;
  readonly nested: Nested;
  readonly bodyForward: PushforwardOptions["bodyForward"];
  readonly entry: Builder;
  readonly shadows: Shadows;
  readonly #dots = new Map<string, Atom>();
  readonly #masked = new Map<string, Masked>();
  readonly #vanishing = new Set<string>();
  #uses: ReadonlyMap<string, number> | null = null;

  constructor(options: PushforwardOptions) {
    const { func, facts, types, names, signature, nested } = options;
    this.func = func;
    this.facts = facts;
    this.types = types;
    this.names = names;
    this.signature = signature;
    this.nested = nested;
    this.bodyForward = options.bodyForward;
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

  /** The tangent as a number that code can hold. */
  dotOrZero(atom: Atom): Atom {
    return this.dot(atom) ?? num(0);
  }

  /** The tangent of a value: a number or a shadow, zeros if it is inactive. */
  tangent(b: Builder, atom: Atom): Atom {
    return isScalarType(atom.type) ? this.dotOrZero(atom) : this.shadows.orZeros(b, atom);
  }

  /** Binds the tangent shadow of an aggregate. */
  emitShadow(b: Builder, value: Var, expr: Expr): void {
    b.emit({ kind: "let", bind: this.shadows.fresh(value), expr });
  }

  setDot(value: Var, tangent: Atom | null): void {
    if (tangent !== null) this.#dots.set(value.name, tangent);
  }

  /** The operands `s` of a test `s === 0`, or of a conjunction of such tests. */
  tested(test: Atom): readonly Atom[] {
    const expr = definition(test, letsIn(this.func.body));
    if (expr?.kind !== "op") return [];
    return expr.op === "eq"
      ? expr.args.slice(0, 1)
      : expr.op === "and"
        ? expr.args.flatMap((arg) => this.tested(arg))
        : [];
  }

  /** A tangent that is 0 where another one is, before it was tested; null for others. */
  masked(tangent: Atom): Masked | null {
    return tangent.kind === "var" ? (this.#masked.get(tangent.name) ?? null) : null;
  }

  noteMasked(tangent: Atom, masked: Masked): void {
    if (tangent.kind === "var") this.#masked.set(tangent.name, masked);
  }

  /** Whether a number is a passive one that may be 0, or a multiple of such a one. */
  mayVanish(atom: Atom): boolean {
    if (atom.kind !== "var") return false;
    return (
      this.#vanishing.has(atom.name) || (!this.facts.active(atom) && this.facts.mayBeZero(atom))
    );
  }

  noteVanishing(multiple: Var): void {
    this.#vanishing.add(multiple.name);
  }

  isUsedOnce(atom: Atom): boolean {
    return atom.kind === "var" && (this.#uses ??= usesIn(this.func)).get(atom.name) === 1;
  }

  /** A fresh name for the tangent of a scalar that a join or a loop binds. */
  freshDot(value: Var): Var {
    const made = freshNumber(this.names, dot(value.name));
    this.#dots.set(value.name, made);
    return made;
  }

  shadowTypeOf(type: Type): Type {
    return this.shadows.typeOf(type);
  }
}

/** `value`, which may be NaN where `vanishes` is 0. */
export interface Masked {
  readonly value: Atom;
  readonly vanishes: Atom;
}

/** How often each name is read. */
function usesIn(func: Func): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  walkAtoms(func.body, (atom) => {
    if (atom.kind === "var") found.set(atom.name, (found.get(atom.name) ?? 0) + 1);
  });
  return found;
}
