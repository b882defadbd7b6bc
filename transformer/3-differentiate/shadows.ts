// The shadows of aggregates while a derived function is written: cotangents in reverse mode,
// tangents in forward mode. Input: primal atoms. Output: the atoms that hold their shadows.
// Invariant: each name has one shadow. A shadow that only aliases active data starts as zeros.

import { type Builder, num } from "../ir/build.ts";
import type { FunctionFacts } from "../ir/facts.ts";
import { type Names, variableOf } from "../ir/names.ts";
import { printType } from "../ir/print.ts";
import { holdsOpaque, isScalarType, resolve, shadowType, type Types } from "../ir/shadow.ts";
import type { Atom, Expr, Func, Origin, Type, Var } from "../ir/types.ts";
import { UNDEFINED } from "./fragments.ts";
import type { Problem } from "./unsupported.ts";

/** Zeros for an array that is allocated at once, or that a loop fills below any `length`. */
export const zerosAlong = (
  { length: own, fill }: Expr & { kind: "alloc" },
  length: Atom,
  facts: FunctionFacts,
): Expr => ({
  ...{ kind: "alloc", length, fill: num(0) },
  ...(fill === null && !facts.isInteger(own) ? { isBound: true } : {}),
});

/** The elements of a tuple's shadow that the tuple literal leaves out. */
export const leftOut = (shadow: Type, given: number): readonly Atom[] =>
  shadow.kind === "tuple"
    ? shadow.elems.slice(given).map((type) => (isScalarType(type) ? num(0) : UNDEFINED))
    : [];

export interface ShadowsOptions {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly names: Names;
  /** Where shadows of arguments and globals that are not requested are made, before all else. */
  readonly entry: Builder;
  /** Name of the shadow of `x`: `x$bar`, `x$dot`. */
  readonly nameOf: (name: string) => string;
  /** Called for each shadow made at the entry. */
  readonly onEntry: (made: Var) => void;
}

export class Shadows {
  readonly problems: Problem[] = [];
  /** The origin of the statement that is being differentiated. */
  at: Origin;
  readonly #options: ShadowsOptions;
  readonly #known = new Map<string, Atom>();

  constructor(options: ShadowsOptions) {
    this.#options = options;
    this.at = options.func.origin;
  }

  typeOf(type: Type): Type {
    const { types } = this.#options;
    const shadow = shadowType(type, types);
    if (shadow !== null) return shadow;
    // an object without number fields holds nothing, but flows together with objects that have some
    if (resolve(type, types).kind === "record") return { kind: "record", fields: [] };
    // it may hold numbers that no shadow can hold
    this.problems.push({ kind: "untyped", origin: this.at, text: printType(type) });
    return type;
  }

  /** A fresh name for the shadow of `value`, used from here on. */
  fresh(value: Var): Var {
    const { names, nameOf } = this.#options;
    const shadow: Var = {
      kind: "var",
      name: names.fresh(nameOf(value.name)),
      type: this.typeOf(value.type),
    };
    this.#known.set(value.name, shadow);
    return shadow;
  }

  set(value: Var, shadow: Atom): void {
    this.#known.set(value.name, shadow);
  }

  of(atom: Atom): Atom {
    const { types, func, entry, nameOf, onEntry } = this.#options;
    switch (atom.kind) {
      case "const":
        return UNDEFINED;
      case "undef":
        return { ...atom, type: shadowType(atom.type, types) ?? atom.type };
      case "global":
      case "var": {
        // a value without numbers is its own shadow
        if (shadowType(atom.type, types) === null && !holdsOpaque(atom.type, types)) return atom;
        const key = atom.kind === "var" ? atom.name : `@${variableOf(atom)}`;
        const known = this.#known.get(key);
        if (known !== undefined) return known;
        // a local object that becomes active after its allocation cannot get a shadow at the entry
        if (atom.kind === "var" && !func.params.some(({ name }) => name === atom.name))
          this.problems.push({
            kind: holdsOpaque(atom.type, types) ? "untyped" : "opaque",
            origin: this.at,
            text: printType(atom.type),
          });
        const made = entry.let(nameOf(atom.name.replaceAll(".", "_")), this.typeOf(atom.type), {
          kind: "zeros",
          like: atom,
        });
        onEntry(made);
        this.#known.set(key, made);
        return made;
      }
    }
  }

  /** The shadow of an atom; zeros if it is inactive within an active whole. */
  orZeros(b: Builder, atom: Atom): Atom {
    const { types, facts, nameOf } = this.#options;
    if (
      atom.kind === "const" ||
      atom.kind === "undef" ||
      (shadowType(atom.type, types) === null && !holdsOpaque(atom.type, types))
    )
      return this.of(atom);
    if (facts.shadowed(atom)) return this.of(atom);
    return b.let(nameOf(atom.kind === "var" ? atom.name : "t"), this.typeOf(atom.type), {
      kind: "zeros",
      like: atom,
    });
  }
}
