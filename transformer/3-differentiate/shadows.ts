// The shadows of aggregates while a derived function is written: cotangents in reverse mode, tangents in forward mode. In: primal atoms. Out: the
// atom that holds the shadow. Invariant: one shadow per name; what shares memory with active data without being asked for starts as zeros.

import { type Builder, num } from "../ir/build.ts";
import type { FunctionFacts } from "../ir/facts.ts";
import { isTemporary, type Names, spoken, variableOf } from "../ir/names.ts";
import { printType } from "../ir/print.ts";
import { holdsOpaque, isScalarType, resolve, shadowType, type Types } from "../ir/shadow.ts";
import type { Atom, Expr, Func, Let, Origin, ScalarOp, Type, Var } from "../ir/types.ts";

/** What cannot be differentiated, found only now that activity is known. "left": a contribution to a cotangent that no step takes, where something else is refused; an internal error else. */
export interface Problem {
  readonly kind:
    | "opaque"
    | "keys"
    | "untyped"
    | "rearranged"
    | "shipped"
    | "captured"
    | "scheduled"
    | "stopped"
    | "beyond-rule"
    | "nested-write"
    | "lacking"
    | "view"
    | "overridden"
    | "taken"
    | "lost"
    | "left";
  readonly origin: Origin;
  readonly text: string;
}

/** What a function with a rule does that no rule says anything of; null where it just computes. */
export function beyondRule(call: Var, args: readonly Atom[], facts: FunctionFacts): string | null {
  if (facts.callWrites(call.name)) return "writes memory that it is given or sees";
  const returned = facts.callReturns(call.name);
  return args.some((arg, i) => returned.includes(i) && facts.shadowed(arg))
    ? "returns an object that it is given or sees, or a part of one"
    : null;
}

/** Of code that runs as it stands and gives a number that varies: what was of an unknown type and is said to be one (`m.a as number`) is numbers to the Delta engine, of other code nobody knows. */
export const throughCode = (
  { origin }: Let,
  { text, args: [of], verbatim }: Expr & { kind: "extern" },
): Problem =>
  verbatim === true
    ? {
        kind: "taken",
        origin,
        text: of?.kind === "var" && !isTemporary(of.name) ? spoken(of.name) : "unknown",
      }
    : { kind: "opaque", origin, text: text.join("…") };

/** `2 * any`, where what is `any` turns out to be an object: arithmetic asks it for its `valueOf`. */
export const asksForValue = ({ args, op }: Expr & { kind: "op" }, types: Types): boolean =>
  !IDENTITY.has(op) &&
  args.some(({ type }) => !isScalarType(type) && OBJECTS.has(resolve(type, types).kind));

/** What asks only which object it is, or whether there is one. */
const IDENTITY: ReadonlySet<ScalarOp> = new Set([
  "eq",
  "ne",
  "looseEq",
  "looseNe",
  "select",
  "not",
  "and",
  "or",
]);

const OBJECTS: ReadonlySet<Type["kind"]> = new Set(["record", "array", "tuple", "dict"]);

export const ABSENT: Atom = {
  kind: "const",
  type: { kind: "leaf", text: "undefined" },
  value: undefined,
};

/** The shadow of a tuple has all places of its type, those that the tuple leaves out, too: what stands there. */
export const leftOut = (shadow: Type, given: number): readonly Atom[] =>
  shadow.kind === "tuple"
    ? shadow.elems.slice(given).map((type) => (isScalarType(type) ? num(0) : ABSENT))
    : [];

export interface ShadowsOptions {
  readonly func: Func;
  readonly facts: FunctionFacts;
  readonly types: Types;
  readonly names: Names;
  /** Shadows of arguments and globals that nobody asked for are made here, before everything else. */
  readonly entry: Builder;
  /** Name of the shadow of `x`: `x$bar`, `x$dot`. */
  readonly nameOf: (name: string) => string;
  /** Told of each that is made at the entry. */
  readonly onEntry: (made: Var) => void;
}

export class Shadows {
  readonly problems: Problem[] = [];
  /** The statement that is being differentiated. */
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
    // `{}` where fields may be missing: nothing to accumulate into, but it travels with what has them
    if (resolve(type, types).kind === "record") return { kind: "record", fields: [] };
    // numbers may be in it that no shadow can hold
    this.problems.push({ kind: "untyped", origin: this.at, text: printType(type) });
    return type;
  }

  /** A fresh name for the shadow of `value`, known from here on. */
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
        return ABSENT;
      case "undef":
        return { ...atom, type: shadowType(atom.type, types) ?? atom.type };
      case "global":
      case "var": {
        // a variant without numbers is its own shadow
        if (shadowType(atom.type, types) === null && !holdsOpaque(atom.type, types)) return atom;
        const key = atom.kind === "var" ? atom.name : `@${variableOf(atom)}`;
        const known = this.#known.get(key);
        if (known !== undefined) return known;
        // a local object that becomes active only behind its making has no shadow where this one would be made
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

  /** Shadow of an atom that may be inactive within an active whole: zeros then. */
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
