// Follows TypeScript's narrowing of discriminated unions and of possibly undefined values. Finds
// comparisons and casts that TypeScript rejects, because earlier tests exclude them. Finds casts
// and `x!` that are unnecessary, because earlier tests leave one variant.

import type { Atom, Const, Type, Var } from "../../ir/types.ts";
import { sameType } from "../../ir/print.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import { unreachable } from "../../ir/visit.ts";
import {
  type Block,
  type Code,
  type Line,
  lineAtoms,
  type Nested,
  terminates,
  type Value,
  valueAtoms,
  walkLines,
} from "../code.ts";
import { AssignedValues } from "./assigned-values.ts";
import { isConst } from "../../ir/build.ts";

/** Whether a place has a value; `isTested`: by a test in place, not by a constant that holds it. */
interface Fact {
  readonly place: string;
  readonly value: Const["value"];
  readonly is: boolean;
  readonly isTested: boolean;
}
type Facts = readonly Fact[];

export interface Tags {
  readonly pointless: ReadonlySet<Value>;
  /** Unwraps that TypeScript's narrowing makes unnecessary. */
  readonly narrowed: ReadonlySet<Value>;
}

/** `isConstant`: whether the variable of a name is assigned only once. */
export function tagsIn(
  { block, nested }: Code,
  types: Types,
  isConstant: (name: string) => boolean,
): Tags {
  const walk = new Walk(nested, types, isConstant, new AssignedValues({ block, nested }));
  walk.block(block, []);
  // a value may be nested at several places
  return {
    pointless: walk.pointless,
    narrowed: new Set([...walk.narrowed].filter((value) => !walk.cast.has(value))),
  };
}

// const t = s as A; … t.x  ->  s.x     after a test of s
export function withoutAliases(code: Code, { narrowed }: Tags): Code {
  const { block, nested } = code;
  const dropped = new Map<string, Value>();
  const isAlias = (line: Line): boolean => line.kind === "let" && narrowed.has(line.value);
  const inBlock = (one: Block): Block => ({
    ...one,
    lines: one.lines.filter((line) => !isAlias(line)).map(inLine),
  });
  const inLine = (line: Line): Line => {
    switch (line.kind) {
      case "let":
        return line.value.kind === "closure"
          ? { ...line, value: { ...line.value, block: inBlock(line.value.block) } }
          : line;
      case "if":
        return { ...line, then: inBlock(line.then), else: inBlock(line.else) };
      case "for":
        return { ...line, body: inBlock(line.body) };
      case "while":
        return { ...line, test: inBlock(line.test), body: inBlock(line.body) };
      case "store":
      case "accum":
      case "append":
      case "fill":
      case "push":
      case "reserve":
      case "throw":
      case "return":
        return line;
      default:
        return unreachable(line);
    }
  };
  walkLines(block, (line) => {
    if (line.kind === "let" && isAlias(line)) dropped.set(line.bind.name, line.value);
  });
  return dropped.size === 0
    ? code
    : { block: inBlock(block), nested: new Map([...nested, ...dropped]) };
}

class Walk {
  readonly pointless = new Set<Value>();
  readonly narrowed = new Set<Value>();
  /** Unwraps that need a cast at some place. */
  readonly cast = new Set<Value>();
  readonly #nested: Nested;
  readonly #types: Types;
  readonly #isConstant: (name: string) => boolean;
  readonly #assigned: AssignedValues;
  /** Values of variables that have lines. */
  readonly #bound = new Map<string, Value>();

  constructor(
    nested: Nested,
    types: Types,
    isConstant: (name: string) => boolean,
    assigned: AssignedValues,
  ) {
    this.#nested = nested;
    this.#types = types;
    this.#isConstant = isConstant;
    this.#assigned = assigned;
  }

  block(block: Block, outer: Facts): void {
    let facts = outer;
    for (const line of block.lines) facts = [...facts, ...this.#line(line, facts)];
    for (const atom of block.result) this.#atom(atom, facts);
  }

  /** Facts that hold after the line. */
  #line(line: Line, facts: Facts): Facts {
    if (line.kind === "let") return this.#let(line.bind, line.value, facts);
    for (const atom of lineAtoms(line)) this.#atom(atom, facts);
    if (line.kind === "for") this.block(line.body, facts);
    if (line.kind === "while") {
      this.block(line.test, facts);
      const [test] = line.test.result;
      this.block(
        line.body,
        test === undefined || line.first === "body"
          ? facts
          : [...facts, ...this.#learnt(test, true)],
      );
    }
    if (line.kind !== "if") return [];
    const [then, otherwise] = [this.#learnt(line.cond, true), this.#learnt(line.cond, false)];
    this.block(line.then, [...facts, ...then]);
    this.block(line.else, [...facts, ...otherwise]);
    return terminates(line.then) ? otherwise : terminates(line.else) ? then : [];
  }

  #let({ name, type }: Var, value: Value, facts: Facts): Facts {
    this.#value(value, type, facts);
    // a closure may be called after an assignment to the variable
    if (value.kind === "closure")
      this.block(
        value.block,
        facts.filter(({ place }) => !isDefinedness(place) || this.#isConstant(place.slice(0, -1))),
      );
    this.#bound.set(name, value);
    const place = placeOf(value);
    return place === null
      ? []
      : facts.filter((fact) => fact.place === place).map((fact) => ({ ...fact, place: name }));
  }

  #atom(atom: Atom, facts: Facts): void {
    const value = atom.kind === "var" ? this.#nested.get(atom.name) : undefined;
    if (value !== undefined) this.#value(value, atom.type, facts);
  }

  #value(value: Value, type: Type, facts: Facts): void {
    if (value.kind === "unwrap" && value.value.kind === "var") {
      const isOther =
        this.#excludes(facts, value.value.name, type) || this.#isNeverVariant(value.value, type);
      if (isOther) this.pointless.add(value);
      (!isOther &&
      (this.#isDefined(value.value, facts) || this.#isNarrowed(value.value, type, facts))
        ? this.narrowed
        : this.cast
      ).add(value);
    }
    if (value.kind === "choose") {
      this.#atom(value.cond, facts);
      this.#atom(value.then, [...facts, ...this.#learnt(value.cond, true)]);
      this.#atom(value.else, [...facts, ...this.#learnt(value.cond, false)]);
      return;
    }
    const compared = comparisonOf(value);
    if (compared !== null) {
      const places = this.#places(compared.tag);
      const excludes = ({ place, value: known, is }: Fact): boolean =>
        places.includes(place) && is !== (known === compared.value);
      if (facts.some(excludes) || this.#isNeverAssigned(compared)) this.pointless.add(value);
    }
    if (this.#isOfConstants(value)) this.pointless.add(value);
    for (const atom of valueAtoms(value)) this.#atom(atom, facts);
  }

  /** Whether the variable, whose type lists its values, is never assigned the compared one. */
  #isNeverAssigned({ tag, value }: Comparison): boolean {
    const type = tag.kind === "var" ? resolve(tag.type, this.#types) : null;
    const isListed = type?.kind === "leaf" ? type.text !== "string" : type?.kind !== "num";
    return type !== null && isListed && this.#assigned.excludes(tag, value);
  }

  /** Whether only literals of other variants are assigned. */
  #isNeverVariant(atom: Var, type: Type): boolean {
    const target = resolve(type, this.#types);
    return (
      target.kind === "record" &&
      target.fields.some((field) => {
        const tag = field.type.kind === "leaf" ? literalOf(field.type.text) : undefined;
        return tag !== undefined && this.#assigned.excludesField(atom, field.name, tag);
      })
    );
  }

  /** `2 === LEVELS.high`: TypeScript rejects it where the field has another literal type. */
  #isOfConstants(value: Value): boolean {
    if (value.kind !== "op" || (value.op !== "eq" && value.op !== "ne")) return false;
    const isRead = (atom: Atom): boolean =>
      atom.kind === "var" && atom.type.kind === "num" && this.#isFieldInConstant(atom);
    return (
      value.args.some(isRead) && value.args.every((atom) => atom.kind === "const" || isRead(atom))
    );
  }

  #isFieldInConstant(atom: Var): boolean {
    const held = this.#held(atom);
    return held?.kind === "load" && held.key.kind === "field" && this.#isInConstant(held.object);
  }

  #isInConstant(atom: Atom): boolean {
    if (atom.kind !== "var") return atom.kind === "global";
    const held = this.#held(atom);
    return held?.kind === "load" && this.#isInConstant(held.object);
  }

  #held({ name }: Var): Value | undefined {
    return this.#nested.get(name) ?? this.#bound.get(name);
  }

  /** Whether a test has found the value defined. SSA names are not assigned after the test. */
  #isDefined({ name, type }: Var, facts: Facts): boolean {
    return (
      (type.kind === "opt" || type.kind === "leaf") &&
      facts.some(({ place, is, isTested }) => place === definedness(name) && is && isTested)
    );
  }

  /** Whether tests exclude all variants of the union but this one. */
  #isNarrowed({ name, type: whole }: Var, type: Type, facts: Facts): boolean {
    const union = resolve(whole, this.#types);
    const tested = facts.filter(({ isTested }) => isTested);
    if (
      union.kind !== "union" ||
      tested.length === 0 ||
      this.#nested.has(name) ||
      !this.#isConstant(name)
    )
      return false;
    const [left, ...others] = union.variants.filter(
      (variant) => !this.#excludes(tested, name, variant),
    );
    return (
      left !== undefined &&
      others.length === 0 &&
      sameType(resolve(left, this.#types), resolve(type, this.#types))
    );
  }

  #excludes(facts: Facts, object: string, type: Type): boolean {
    const target = resolve(type, this.#types);
    return (
      target.kind === "record" &&
      target.fields.some((field) => {
        const literal = field.type.kind === "leaf" ? literalOf(field.type.text) : undefined;
        return (
          literal !== undefined &&
          facts.some(
            ({ place, value, is }) =>
              place === `${object}.${field.name}` && is !== (literal === value),
          )
        );
      })
    );
  }

  /** Facts where the condition has the value `truth`. */
  #learnt(cond: Atom, truth: boolean): Facts {
    if (cond.kind !== "var") return [];
    const value = this.#nested.get(cond.name);
    const held = this.#bound.get(cond.name);
    if (value === undefined)
      return held === undefined
        ? []
        : this.#learntOf(held, truth).map((fact) => ({ ...fact, isTested: false }));
    return this.#learntOf(value, truth);
  }

  #learntOf(value: Value, truth: boolean): Facts {
    if (value.kind === "op" && value.op === "not" && value.args[0] !== undefined)
      return this.#learnt(value.args[0], !truth);
    if (value.kind === "choose") return this.#learntOfChoice(value, truth);
    if (value.kind === "extern") return this.#membersExcluded(value, truth);
    if (
      value.kind === "present" &&
      value.value.kind === "var" &&
      !this.#nested.has(value.value.name)
    )
      return [{ place: definedness(value.value.name), value: true, is: truth, isTested: true }];
    const compared = comparisonOf(value);
    if (compared === null) return [];
    const { tag } = compared;
    const isTested =
      tag.kind === "var" && (this.#nested.has(tag.name) || this.#isConstant(tag.name));
    return this.#places(tag).map((place) => ({
      place,
      value: compared.value,
      is: truth === compared.equal,
      isTested,
    }));
  }

  /** `c && a` is `c ? a : false`, and `c || a` is `c ? true : a`. */
  #learntOfChoice(value: Extract<Value, { kind: "choose" }>, truth: boolean): Facts {
    if (truth && isConst(value.else, false))
      return [...this.#learnt(value.cond, true), ...this.#learnt(value.then, true)];
    return !truth && isConst(value.then, true)
      ? [...this.#learnt(value.cond, false), ...this.#learnt(value.else, false)]
      : [];
  }

  /** `"h" in s` excludes variants without the field, or those that require it. */
  #membersExcluded(
    { text, args: [key, object] }: Extract<Value, { kind: "extern" }>,
    truth: boolean,
  ): Facts {
    if (text.join("…") !== "… in …" || key?.kind !== "const" || object?.kind !== "var") return [];
    const name = key.value;
    const type = resolve(object.type, this.#types);
    const members =
      type.kind === "union"
        ? type.variants.flatMap((variant) => {
            const one = resolve(variant, this.#types);
            return one.kind === "record" ? [one.fields] : [];
          })
        : [];
    const field = (fields: (typeof members)[number]): Type | undefined =>
      fields.find((one) => one.name === name)?.type;
    // a key that no variant has may be a method
    if (members.every((fields) => field(fields) === undefined)) return [];
    return members
      .filter((fields) =>
        truth
          ? field(fields) === undefined
          : field(fields) !== undefined && field(fields)?.kind !== "opt",
      )
      .flatMap((fields) =>
        fields.flatMap(({ name: tag, type: held }): Facts => {
          const literal = held.kind === "leaf" ? literalOf(held.text) : undefined;
          return literal === undefined
            ? []
            : [{ place: `${object.name}.${tag}`, value: literal, is: false, isTested: false }];
        }),
      );
  }

  /** The places that a test of the discriminant narrows: `s.kind`, and a constant for it. */
  #places(tag: Atom): readonly string[] {
    if (tag.kind !== "var") return [];
    const inPlace = this.#nested.get(tag.name);
    const place = placeOf(inPlace ?? this.#bound.get(tag.name));
    return [...(inPlace === undefined ? [tag.name] : []), ...(place === null ? [] : [place])];
  }
}

/** "dot" for the type `"dot"`. */
function literalOf(text: string): Const["value"] | undefined {
  if (/^"(?:[^"\\]|\\["\\bfnrt])*"$/.test(text)) return String(JSON.parse(text));
  return /^-?\d+(?:\.\d+)?$/.test(text)
    ? Number(text)
    : text === "true" || text === "false"
      ? text === "true"
      : undefined;
}

/** The pseudo-place for "the name is defined". */
const definedness = (name: string): string => `${name}?`;
const isDefinedness = (place: string): boolean => place.endsWith("?");

const placeOf = (value: Value | undefined): string | null =>
  value?.kind === "load" && value.key.kind === "field" && value.object.kind === "var"
    ? `${value.object.name}.${value.key.name}`
    : null;

interface Comparison {
  readonly tag: Atom;
  readonly value: Const["value"];
  readonly equal: boolean;
}

function comparisonOf(value: Value): Comparison | null {
  if (value.kind !== "op" || (value.op !== "eq" && value.op !== "ne")) return null;
  const [tag, literal] = value.args;
  return tag?.kind !== "var" || literal?.kind !== "const"
    ? null
    : { tag, value: literal.value, equal: value.op === "eq" };
}
