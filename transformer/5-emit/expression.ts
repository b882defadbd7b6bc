// Text of values. In: values with nested operands. Out: text and its precedence. Invariant: brackets exactly where JavaScript's
// grammar or the order of operations needs them; the text computes what the IR computes, -0 and NaN included.

import { assignable, isAlwaysThere } from "../ir/assignable.ts";
import { OPS, PREC } from "../ir/ops.ts";
import { isScalarType, resolve, type Types } from "../ir/shadow.ts";
import type { Atom, Const, Global, Key, Member, RecordPart, ScalarOp, Type } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import { cloneText, zerosText } from "./aggregate.ts";
import { leafVars, type Nested, type Value, valueAtoms } from "./code.ts";
import { placeName } from "./types/emptied.ts";
import { isConstructed } from "./constructed.ts";
import type { Identifiers } from "./names/identifiers.ts";
import type { Library } from "./names/library.ts";
import { assertedType, isLooser, madeFieldType, saidType, writtenType } from "./types/narrow.ts";
import { placeText } from "./place-text.ts";
import type { Takes } from "./places.ts";
import { type FieldText, recordText } from "./record-text.ts";
import { holdsReadonly, maySayReadonly } from "./types/type-shape.ts";
import { isIdentifier, type TypeWriter } from "./types/type-text.ts";

export interface Text {
  readonly text: string;
  readonly prec: number;
}

/** A local function from a value of `type` to one of `result`; `later`: it gives the same object for the same one, and these statements follow once `body` is written. */
export interface Helper {
  readonly verb: string;
  readonly type: Type;
  readonly result: Type;
  readonly later: readonly string[] | null;
  readonly body: (param: string) => string;
}

/** What the text of a function's values depends on. */
export interface Writing {
  readonly nested: Nested;
  readonly types: Types;
  readonly identifiers: Identifiers;
  readonly typeWriter: TypeWriter;
  /** Identifier of a function of the program, in this file. */
  readonly callee: (name: string) => string;
  /** How many arguments the type of a function asks for that it does not take. */
  readonly spare: (name: string) => number;
  /** The member of a class that a function of the program is; null for plain functions. */
  readonly member: (name: string) => Member | null;
  /** Whether the type of a function says less of what it gives than the program knows: `{ w: null }` of what numbers are put into. */
  readonly saysLess: (name: string) => boolean;
  readonly takes: Takes;
  /** Names that are declared with the literals that they may be. */
  readonly listed: ReadonlySet<string>;
  /** Whether what a function gives may be readonly. */
  readonly givesReadonly: (callee: string) => boolean;
  /** Whether a parameter of a function that is emitted has a type of its own, without a name, which does not say `readonly`. */
  readonly untyped: (callee: string, at: number) => boolean;
  /** Name of a local function that makes the zeros or a copy of a recursive type. */
  readonly helper: (wanted: Helper) => string;
  /** Names whose type may say `readonly`, so that a mutable one asks for a cast. */
  readonly readonlyNames: ReadonlySet<string>;
  /** Arrays of zeros that are taken from a template. */
  readonly packed: ReadonlySet<Value>;
  /** A call of the local function that makes them. */
  readonly zeros: (length: string) => string;
  /** A call of the local function that gives a tape of at least that length. */
  readonly reserved: (tape: string, length: string) => string;
  /** Comparisons and casts that TypeScript would call pointless. */
  readonly pointless: ReadonlySet<Value>;
  /** Members of unions that a test has told from the others. */
  readonly narrowed: ReadonlySet<Value>;
  /** Fields that are set to nothing somewhere, by `placeName`. */
  readonly emptied: ReadonlySet<string>;
  /** Text that names the standard library, for where it stands. */
  readonly library: Library;
  /** Whether an element read has `undefined` in its type. */
  readonly noUncheckedIndexedAccess: boolean;
}

/** `??` may not stand beside `||` or `&&` without brackets. */
const COALESCE = 2.5;
/** What stands before `:` binds more tightly than `? :` itself, to be read easily. */
const TEST = PREC.conditional + 0.5;

const atomic = (text: string): Text => ({ text, prec: PREC.atom });
const called = (text: string): Text => ({ text, prec: PREC.call });

/** The text, in brackets if it binds less tightly than its place asks. */
export const atLeast = (prec: number, inner: Text): string =>
  inner.prec < prec ? `(${inner.text})` : inner.text;

/** The text of a value that goes where a mutable array is declared. */
export function mutable(atom: Atom, prec: number, writing: Writing): string {
  const isReadonly = mayBeReadonly(atom, writing) && maySayReadonly(atom.type, writing.types);
  if (!isReadonly) return atLeast(prec, atomText(atom, writing));
  return atLeast(prec, {
    text: `${atLeast(PREC.shift, atomText(atom, writing))} as ${writing.typeWriter.text(atom.type)}`,
    prec: PREC.relation,
  });
}

/** `axis as 0 | 1`, `out as [number, number]` where the place has such a type and the value has not. */
export function assertedText(atom: Atom, to: Type | null, writing: Writing): string | null {
  const said = assertedType(atom, to, writing) ?? tupleText(atom, to, writing);
  return said === null ? null : `${atLeast(PREC.shift, atomText(atom, writing))} as ${said}`;
}

function tupleText(atom: Atom, to: Type | null, writing: Writing): string | null {
  const from = writtenType(atom, writing.types, writing.nested);
  if (to === null || atom.kind !== "var" || !isLooser(from, to, writing.types)) return null;
  const literal = definition(atom, writing);
  const wanted = madeType(to, writing);
  const elem = madeType(from, writing);
  // a list is said to be a tuple of what it holds
  if (
    elem.kind === "array" &&
    wanted.kind === "tuple" &&
    !wanted.elems.every(
      (one) => assignable(elem.elem, one, writing.types) || isLooser(elem.elem, one, writing.types),
    )
  )
    return null;
  const text = writing.typeWriter.text(to);
  if (
    literal?.kind === "array" &&
    wanted.kind === "tuple" &&
    literal.parts.length === wanted.elems.length &&
    literal.parts.every(({ spread }) => !spread)
  )
    return null;
  // TypeScript takes a literal for a list of that length
  return literal?.kind === "array" || literal?.kind === "alloc" ? `unknown as ${text}` : text;
}

/** Under exactOptionalPropertyTypes an optional field may hold what is missing only if nobody says so. */
function fieldText(atom: Atom, to: Type | null, writing: Writing): string {
  const literal = assertedText(atom, to, writing);
  if (literal !== null) return literal;
  if (tellsMore(atom, to, writing))
    return `${mutable(atom, PREC.shift, writing)} as ${writing.typeWriter.text(atom.type)}`;
  return atom.kind === "var" && atom.type.kind === "opt"
    ? `${mutable(atom, PREC.call, writing)}!`
    : mutable(atom, PREC.conditional, writing);
}

/** Whether a literal lists tags that `Cotangent` of what it is put into does not know of. */
function tellsMore(atom: Atom, to: Type | null, writing: Writing): boolean {
  const value = definition(atom, writing);
  if (to === null || !writing.typeWriter.hasTags(to)) return false;
  return (
    value?.kind === "record" ||
    (value?.kind === "array" &&
      value.parts.some((part) => definition(part.atom, writing)?.kind === "record"))
  );
}

/** `...(w !== undefined && { w })` for a field that may not be there. */
function partText(
  { name, value, mayLack, there }: RecordPart,
  to: Type | null,
  writing: Writing,
): readonly FieldText[] {
  if (there !== undefined && there.kind !== "const")
    return [
      {
        name,
        text: fieldText(value, to, writing),
        there: atLeast(PREC.and, atomText(there, writing)),
      },
    ];
  if (there !== undefined && there.value === false) return [];
  if (mayLack !== true || (value.kind === "const" && value.value !== undefined))
    return [{ name, text: fieldText(value, to, writing) }];
  if (value.kind === "const") return [];
  // TypeScript looks through no assertion for what a test has shown
  const plain = atLeast(PREC.relation, atomText(value, writing));
  const text = mutable(value, PREC.relation, writing);
  return [
    text === plain
      ? { name, text, mayLack }
      : { name, text: `${mutable(value, PREC.call, writing)}!`, there: `${plain} !== undefined` },
  ];
}

/** Not a fresh object, whose type is its own; but a copy holds what the original holds. */
function mayBeReadonly(atom: Atom, writing: Writing): boolean {
  if (atom.kind === "global") return atom.saysLess !== true;
  const value = definition(atom, writing);
  if (atom.kind !== "var" || value === undefined)
    return atom.kind === "var" && writing.readonlyNames.has(atom.name);
  if (value.kind === "call") return writing.givesReadonly(value.callee);
  if (value.kind === "slice" && !holdsReadonly(value.object.type, writing.types)) return false;
  return (
    ["load", "copy", "choose", "unwrap", "slice"].includes(value.kind) &&
    valueAtoms(value).some((one) => mayBeReadonly(one, writing))
  );
}

export function constant(atom: Const): Text {
  const { value } = atom;
  if (value === undefined) return atomic(missingOf(atom.type));
  if (typeof value !== "number")
    return atomic(typeof value === "string" ? JSON.stringify(value) : String(value));
  if (Object.is(value, -0)) return { text: "-0", prec: PREC.unary };
  return { text: String(value), prec: value < 0 ? PREC.unary : PREC.atom };
}

const notFinite = (atom: Const, writing: Writing): Text => {
  const { text, prec } = constant(atom);
  return { text: writing.library(text), prec };
};

/** What is not there, in a variable whose type may know of null only. */
const missingOf = (type: Type): string =>
  type.kind === "opt" && type.nil === "null" ? "null" : "undefined";

export function atomText(atom: Atom, writing: Writing): Text {
  switch (atom.kind) {
    case "const":
      return typeof atom.value !== "number" || Number.isFinite(atom.value)
        ? constant(atom)
        : notFinite(atom, writing);
    case "global":
      return globalText(atom, writing);
    // nothing reads it; its type is none of the place's, which TypeScript has to be told
    case "undef":
      return atomic(
        atom.type.kind === "opt" || atom.type.kind === "void" ? missingOf(atom.type) : "undefined!",
      );
    case "var": {
      const value = writing.nested.get(atom.name);
      return value === undefined
        ? atomic(writing.identifiers.of(atom.name))
        : valueText(value, atom.type, writing);
    }
    default:
      return unreachable(atom);
  }
}

function globalText(atom: Global, writing: Writing): Text {
  const name =
    atom.home !== undefined
      ? atomic(writing.callee(atom.home))
      : isIdentifier(atom.name)
        ? atomic(atom.name)
        : called(atom.name);
  return atom.saysLess === true
    ? { text: `${name.text} as ${writing.typeWriter.text(atom.type)}`, prec: PREC.relation }
    : name;
}

export function valueText(value: Value, type: Type, writing: Writing): Text {
  const at = (prec: number, atom: Atom): string => atLeast(prec, atomText(atom, writing));
  switch (value.kind) {
    case "copy":
      return atomText(value.atom, writing);
    case "op":
      return operation(value, writing);
    case "choose":
      return choice(value, type, writing);
    case "load":
      return loaded(value.object, value.key, type, writing);
    case "length":
      return called(`${at(PREC.call, value.object)}.length`);
    case "present":
      return { text: `${at(PREC.equality, value.value)} != null`, prec: PREC.equality };
    case "unwrap":
      return unwrapped(value, type, writing);
    case "array":
      return arrayText(value, type, writing);
    case "tuple":
      return atomic(
        `[${value.elems.map((elem, i) => assertedText(elem, saidType(madeType(type, writing), { kind: "field", name: String(i) }, writing.types), writing) ?? mutable(elem, PREC.conditional, writing)).join(", ")}]`,
      );
    case "record":
      if (isMadeMap(type, writing))
        return called(`new ${writing.typeWriter.text(madeType(type, writing))}()`);
      return madeRecord(value.fields, type, writing);
    case "alloc":
      return allocText(value, type, writing);
    case "slice":
      return called(
        `${at(PREC.call, value.object)}.${value.view === true ? "subarray" : "slice"}(${sliceBounds(value, writing)})`,
      );
    case "zeros":
      return zerosText(at(PREC.call, value.like), value.like.type, writing);
    case "clone":
      return cloneText(at(PREC.call, value.object), value.object.type, writing);
    case "call":
      return callText(value, writing);
    case "extern":
      return externText(value, writing);
    case "removeLast":
      return called(`${removal(value.object, writing)}${type.kind === "opt" ? "" : "!"}`);
    case "newTape":
      return atomic("[]");
    case "pop":
      return popText(value.tape, type, writing);
    case "rewind":
      return atomText(value.tape, writing);
    // statement.ts writes closures, as they take several lines
    case "closure":
      return atomic("undefined");
    default:
      return unreachable(value);
  }
}

export const removal = (object: Atom, writing: Writing): string =>
  `${atLeast(PREC.call, atomText(object, writing))}.pop()`;

/** `f(x)`; of a member of a class `o.m(x)`, `o.x`, `C.m(x)`, `new C(x)`. */
function callText(value: Extract<Value, { kind: "call" }>, writing: Writing): Text {
  const takes = writing.takes(value.callee);
  const args = value.args.map(
    (arg, i) =>
      assertedText(arg, takes[i] ?? null, writing) ??
      (writing.untyped(value.callee, i)
        ? mutable(arg, PREC.conditional, writing)
        : atLeast(PREC.conditional, atomText(arg, writing))),
  );
  const member = writing.member(value.callee);
  const [self] = value.args;
  // `undefined!` is of any type; the function does not look at it
  if (member === null)
    return called(
      `${writing.callee(value.callee)}(${[...args, ...new Array<string>(writing.spare(value.callee)).fill("undefined!")].join(", ")})`,
    );
  if (member.kind === "new")
    return called(`new ${writing.callee(value.callee)}(${args.join(", ")})`);
  const of = (object: string): string =>
    isIdentifier(member.name) && !member.hidden
      ? `${object}.${member.name}`
      : `${object}[${JSON.stringify(member.name)}]`;
  if (member.kind === "static" || self === undefined)
    return called(`${of(writing.callee(value.callee))}(${args.join(", ")})`);
  if (member.kind === "super")
    return called(`${of(`${writing.callee(value.callee)}.prototype`)}.call(${args.join(", ")})`);
  const place = of(atLeast(PREC.call, atomText(self, writing)));
  if (member.kind === "getter") return called(place);
  if (member.kind === "setter") return { text: `${place} = ${args[1] ?? "undefined"}`, prec: 0 };
  return called(`${place}(${args.slice(1).join(", ")})`);
}

/** `{ x, y }`; of a class an instance. */
function madeRecord(fields: readonly RecordPart[], unresolved: Type, writing: Writing): Text {
  const type = unresolved.kind === "opt" ? unresolved.of : unresolved;
  const instance = type.kind === "named" ? writing.types.get(type.name)?.instance : undefined;
  const parts = fields.flatMap((part) =>
    partText(
      part,
      madeFieldType(madeType(unresolved, writing), fields, part.name, writing.types),
      writing,
    ),
  );
  if (instance === undefined) return asWhole(fields, parts, type, writing);
  const { constructed } = instance;
  if (
    constructed !== undefined &&
    isConstructed(fields, type, constructed, writing.types, writing.nested)
  ) {
    return called(
      `new ${writing.callee(instance.home)}(${constructed.params.map((name) => parts.find((part) => part.name === name)?.text).join(", ")})`,
    );
  }
  const blank = `${writing.library("Object")}.create(${writing.callee(instance.home)}.prototype)`;
  return {
    text: `${parts.length === 0 ? blank : `${writing.library("Object")}.assign(${blank}, ${recordText(parts)})`} as ${writing.typeWriter.text(type)}`,
    prec: PREC.relation,
  };
}

/** `{ v } as Node` where the type has more fields than are given. */
function asWhole(
  fields: readonly RecordPart[],
  parts: readonly FieldText[],
  type: Type,
  writing: Writing,
): Text {
  const shape = resolve(type, writing.types);
  const text = recordText(parts);
  const isWhole =
    shape.kind !== "record" ||
    shape.fields.every(
      (field) => !isAlwaysThere(field.type) || parts.some(({ name }) => name === field.name),
    );
  if (isWhole) return atomic(text);
  return {
    text: `${text} as ${fields.some(({ value }) => holdsEmpty(value, writing)) ? "unknown as " : ""}${writing.typeWriter.text(type)}`,
    prec: PREC.relation,
  };
}

/** `[]` is a list of nothing to TypeScript, and so none of anything else. */
function holdsEmpty(atom: Atom, writing: Writing): boolean {
  const value = atom.kind === "var" ? writing.nested.get(atom.name) : undefined;
  return value?.kind === "array"
    ? value.parts.every((part) => holdsEmpty(part.atom, writing))
    : value?.kind === "record" && value.fields.some((field) => holdsEmpty(field.value, writing));
}

/** `x!`, or of a union `x as Variant`. */
function unwrapped(unwrap: Extract<Value, { kind: "unwrap" }>, type: Type, writing: Writing): Text {
  const { value } = unwrap;
  const from = resolve(value.type, writing.types).kind;
  const text = atomText(value, writing);
  if (
    writing.narrowed.has(unwrap) ||
    (value.kind === "const" && value.value !== undefined && value.value !== null)
  )
    return text;
  if (from === "opt" || from === "leaf") return called(`${atLeast(PREC.call, text)}!`);
  // code that never runs with this variant may ask for it all the same
  const whole =
    (from === "union" || from === "record") &&
    !writing.pointless.has(unwrap) &&
    assignable(type, value.type, writing.types)
      ? ""
      : "unknown as ";
  return {
    text: `${atLeast(PREC.shift, text)} as ${whole}${writing.typeWriter.text(type)}`,
    prec: PREC.relation,
  };
}

function operation(
  value: Extract<Value, { kind: "op" }>,
  writing: Writing,
  isPointless = writing.pointless.has(value),
): Text {
  const { js } = OPS[value.op];
  const operand = (i: number, prec: number): string => {
    const atom = value.args[i];
    return atom === undefined ? "" : atLeast(prec, atomText(atom, writing));
  };
  if (value.op === "not") return negated(value.args[0], writing);
  switch (js.kind) {
    case "infix": {
      const [left, right] = [
        clearer(value, 0, js.left, writing),
        clearer(value, 1, js.right, writing),
      ];
      // a constant of the user's has a literal type, which TypeScript refuses to compare with another literal
      const isFixed =
        js.prec === PREC.equality &&
        value.args.some((one) => one.kind === "global") &&
        value.args.some((one) => one.kind === "const");
      const isWidened = (atom: Atom | undefined): boolean =>
        (isPointless && atom?.kind === "var") ||
        (isFixed && atom?.kind === "global" && atom.type.kind === "num");
      // so have two of its lists
      const areConstant =
        js.prec === PREC.equality &&
        value.args.every(
          (one) =>
            maySayReadonly(one.type, writing.types) &&
            leafVars(one, writing.nested).every((leaf) => writing.readonlyNames.has(leaf.name)),
        );
      if (areConstant)
        return {
          text: `(${operand(0, PREC.shift)} as unknown) ${js.token} ${operand(1, right)}`,
          prec: js.prec,
        };
      const side = (i: number, prec: number): string =>
        isWidened(value.args[i])
          ? `(${operand(i, PREC.shift)} as ${literalKind(value.args[1 - i])})`
          : operand(i, prec);
      return { text: `${side(0, left)} ${js.token} ${side(1, right)}`, prec: js.prec };
    }
    case "prefix": {
      const inner = operand(0, js.operand);
      // `--x` would be something else
      return {
        text: inner.startsWith(js.token) ? `${js.token}(${inner})` : `${js.token}${inner}`,
        prec: js.prec,
      };
    }
    case "call":
      return called(
        `${writing.library(js.callee)}(${value.args.map((_, i) => operand(i, PREC.conditional)).join(", ")})`,
      );
    case "ternary":
      return {
        text: `${operand(0, js.test)} ? ${operand(1, js.test)} : ${operand(2, js.branch)}`,
        prec: js.prec,
      };
    default:
      return unreachable(js);
  }
}

const literalKind = (atom: Atom | undefined): string =>
  atom?.kind === "const" && typeof atom.value !== "number" ? typeof atom.value : "number";

/** What an operand must bind like to be read without knowing the table by heart: `(a + b) >> 1`, `(a < b) === c`, `(a % b) * c`. */
function clearer(
  value: Extract<Value, { kind: "op" }>,
  at: number,
  prec: number,
  writing: Writing,
): number {
  const atom = value.args[at];
  const inner = atom === undefined ? undefined : definition(atom, writing);
  const { js } = OPS[value.op];
  if (inner?.kind !== "op" || inner.op === value.op || js.kind !== "infix") return prec;
  if (js.prec === PREC.shift || (js.prec >= PREC.bitOr && js.prec <= PREC.bitAnd))
    return PREC.unary;
  if (js.prec === PREC.equality) return PREC.relation + 1;
  return js.prec === PREC.multiplicative && (inner.op === "mod" || value.op === "mod")
    ? PREC.unary
    : prec;
}

/** `!(a === b)  ->  a !== b`, `tape[--p] !== 1` and `v == null`; but `!(a < b)` stays, because of NaN. */
export function negated(atom: Atom | undefined, writing: Writing): Text {
  if (atom === undefined) return atomic("true");
  const value = atom.kind === "var" ? writing.nested.get(atom.name) : undefined;
  if (value?.kind === "present")
    return {
      text: `${atLeast(PREC.equality, atomText(value.value, writing))} == null`,
      prec: PREC.equality,
    };
  const opposite = value?.kind === "op" ? OPPOSITE.get(value.op) : undefined;
  if (value?.kind === "op" && opposite !== undefined)
    return operation({ ...value, op: opposite }, writing, writing.pointless.has(value));
  if (value?.kind === "op" && value.op === "not" && value.args[0] !== undefined)
    return atomText(value.args[0], writing);
  // c ? false : true
  if (value?.kind === "choose" && isBool(value.then, false) && isBool(value.else, true))
    return atomText(value.cond, writing);
  if (value?.kind === "pop" && value.tape.type.kind === "tape" && value.tape.type.of === "num")
    return popText(value.tape, atom.type, writing, "!==");
  if (value?.kind === "extern" && value.text.join("…") === "… === …")
    return externText({ ...value, text: ["", " !== ", ""] }, writing);
  return { text: `!${atLeast(PREC.unary, atomText(atom, writing))}`, prec: PREC.unary };
}

const OPPOSITE: ReadonlyMap<ScalarOp, ScalarOp> = new Map<ScalarOp, ScalarOp>([
  ["eq", "ne"],
  ["ne", "eq"],
  ["looseEq", "looseNe"],
  ["looseNe", "looseEq"],
]);

/** `c ? a : b`, or the shorter form where the branches are booleans or the value that was tested. */
function choice(value: Extract<Value, { kind: "choose" }>, type: Type, writing: Writing): Text {
  const at = (prec: number, atom: Atom): string => atLeast(prec, atomText(atom, writing));
  if (type.kind === "bool") {
    if (isBool(value.then, true) && isBool(value.else, false)) return atomText(value.cond, writing);
    if (isBool(value.then, false) && isBool(value.else, true)) return negated(value.cond, writing);
    if (isBool(value.else, false))
      return {
        text: `${at(PREC.and, value.cond)} && ${at(PREC.and + 1, value.then)}`,
        prec: PREC.and,
      };
    if (isBool(value.then, true))
      return {
        text: `${at(PREC.or, value.cond)} || ${at(PREC.or + 1, value.else)}`,
        prec: PREC.or,
      };
    if (isBool(value.then, false))
      return {
        text: `${atLeast(PREC.and, negated(value.cond, writing))} && ${at(PREC.and + 1, value.else)}`,
        prec: PREC.and,
      };
  }
  const there = ifThere(value, writing);
  const inside = there === null ? undefined : definition(there.then, writing);
  if (
    there !== null &&
    (sameName(there.tested, there.then) ||
      (inside?.kind === "unwrap" && sameName(there.tested, inside.value)))
  ) {
    return {
      text: `${at(PREC.bitOr, there.tested)} ?? ${at(PREC.bitOr, there.else)}`,
      prec: COALESCE,
    };
  }
  const part =
    there !== null && isUndefined(there.else) && inside?.kind === "load"
      ? partOf(there.tested, inside, type, writing)
      : null;
  if (part !== null) return part;
  return {
    text: `${at(TEST, value.cond)} ? ${at(TEST, value.then)} : ${at(PREC.conditional, value.else)}`,
    prec: PREC.conditional,
  };
}

/** `x != null ? then : else` and `x == null ? else : then`. */
function ifThere(
  value: Extract<Value, { kind: "choose" }>,
  writing: Writing,
): { readonly tested: Atom; readonly then: Atom; readonly else: Atom } | null {
  const test = definition(value.cond, writing);
  if (test?.kind === "present") return { tested: test.value, then: value.then, else: value.else };
  const inner =
    test?.kind === "op" && test.op === "not" && test.args[0] !== undefined
      ? definition(test.args[0], writing)
      : undefined;
  return inner?.kind === "present"
    ? { tested: inner.value, then: value.else, else: value.then }
    : null;
}

/** Not `null`, which has to be said. */
export const isUndefined = (atom: Atom): boolean =>
  atom.kind === "const" &&
  atom.value === undefined &&
  !(atom.type.kind === "opt" && atom.type.nil === "null");

/** `x != null ? x.f : undefined  ->  x?.f` */
function partOf(
  tested: Atom,
  { object, key }: Extract<Value, { kind: "load" }>,
  type: Type,
  writing: Writing,
): Text | null {
  const whole = definition(object, writing);
  if (whole?.kind !== "unwrap" || !sameName(whole.value, tested) || isMap(object, writing))
    return null;
  const [place, base] = [
    loaded(object, key, type, writing).text,
    atLeast(PREC.call, atomText(object, writing)),
  ];
  const rest = place.startsWith(base) ? place.slice(base.length) : "";
  // what stands behind it would be skipped with it
  return /^(?:\.|\[)/.test(rest) && !/ as /.test(rest)
    ? {
        text: `${atLeast(PREC.call, atomText(tested, writing))}?${rest.startsWith(".") ? "" : "."}${rest}`,
        prec: PREC.postfix,
      }
    : null;
}

const definition = (atom: Atom, writing: Writing): Value | undefined =>
  atom.kind === "var" ? writing.nested.get(atom.name) : undefined;
const sameName = (a: Atom, b: Atom): boolean =>
  a.kind === "var" && b.kind === "var" && a.name === b.name;
const isBool = (atom: Atom, value: boolean): boolean =>
  atom.kind === "const" && atom.value === value;

/** Whether TypeScript gives a read of this place `| undefined`, though it is there. */
export const mayMiss = (object: Atom, key: Key, writing: Writing): boolean =>
  writing.noUncheckedIndexedAccess &&
  (key.kind === "index" ||
    (/^\d+$/.test(key.name) && resolve(object.type, writing.types).kind === "array"));

const isMadeMap = (type: Type, writing: Writing): boolean => {
  const made = madeType(type, writing);
  return made.kind === "dict" && made.store === "Map";
};

/** Whether places of the object are written `m.get(k)` and `m.set(k, v)`. */
export function isMap(object: Atom, writing: Writing): boolean {
  const type = resolve(object.type, writing.types);
  return type.kind === "dict" && type.store === "Map";
}

/** The key of a dict; `t[0] as "a" | "b"` where the user says of any text that it is one of those. */
export function keyText(object: Atom, key: Key, writing: Writing): string {
  if (key.kind === "field") return JSON.stringify(key.name);
  const { text, prec } = atomText(key.at, writing);
  const type = resolve(object.type, writing.types);
  const isAny =
    key.at.kind === "var" && key.at.type.kind === "leaf" && key.at.type.text === "string";
  const said =
    isAny && type.kind === "dict" && type.key.kind === "leaf" && type.key.text !== "string"
      ? ` as ${writing.typeWriter.text(type.key)}`
      : "";
  return said === "" ? text : `${atLeast(PREC.shift, { text, prec })}${said}`;
}

function loaded(object: Atom, key: Key, type: Type, writing: Writing): Text {
  if (isMap(object, writing))
    return called(
      `${atLeast(PREC.call, atomText(object, writing))}.get(${keyText(object, key, writing)})${type.kind === "opt" ? "" : "!"}`,
    );
  const isThere = mayMiss(object, key, writing);
  // an element that may be null is never undefined
  if (isThere && type.kind === "opt" && type.nil === "null")
    return {
      text: `${placeText(object, key, type, writing)} as ${writing.typeWriter.text(type)}`,
      prec: PREC.relation,
    };
  // n.next = null; …; if (n.next != null) n.next.prev = p: TypeScript would take it for null still, whoever has written it since
  if (type.kind === "opt" && !isScalarType(type) && writing.emptied.has(placeName(object, key)))
    return {
      text: `${placeText(object, key, type, writing)} as ${writing.typeWriter.text(type)}`,
      prec: PREC.relation,
    };
  const known = isThere && type.kind !== "opt" ? "!" : "";
  return called(`${placeText(object, key, type, writing)}${known}`);
}

function arrayText(value: Extract<Value, { kind: "array" }>, type: Type, writing: Writing): Text {
  const target = madeType(type, writing);
  // a copy of a readonly array is none, but what it holds may be
  const parts = value.parts.map(({ atom, spread }) =>
    spread
      ? `...${holdsReadonly(atom.type, writing.types) ? mutable(atom, PREC.conditional, writing) : atLeast(PREC.conditional, atomText(atom, writing))}`
      : (assertedText(atom, target.kind === "array" ? target.elem : null, writing) ??
        mutable(atom, PREC.conditional, writing)),
  );
  const [only] = value.parts;
  if (target.kind !== "array" || target.store === "Array") return atomic(`[${parts.join(", ")}]`);
  if (value.parts.length === 1 && only?.spread === true)
    return called(`${writing.library(target.store)}.from(${atomText(only.atom, writing).text})`);
  return called(`${writing.library(target.store)}.of(${parts.join(", ")})`);
}

/** What stands in a variable that may hold nothing, too, is made as if it could not. */
function madeType(type: Type, writing: Writing): Type {
  const target = resolve(type, writing.types);
  return target.kind === "opt" ? madeType(target.of, writing) : target;
}

function allocText(value: Extract<Value, { kind: "alloc" }>, type: Type, writing: Writing): Text {
  const target = madeType(type, writing);
  const length = atomText(value.length, writing).text;
  const fill =
    value.fill === null ? null : atLeast(PREC.conditional, atomText(value.fill, writing));
  if (target.kind === "array" && target.store !== "Array") {
    return called(
      `new ${writing.library(target.store)}(${length})${fill === null || fill === "0" ? "" : `.fill(${fill})`}`,
    );
  }
  if (fill === null) return atomic("[]");
  if (writing.packed.has(value)) return called(writing.zeros(length));
  const elem = target.kind === "array" ? writing.typeWriter.text(target.elem) : "unknown";
  return called(
    `new ${writing.library("Array")}<${elem}>(${length})${value.fill?.kind === "undef" ? "" : `.fill(${fill})`}`,
  );
}

function sliceBounds(value: Extract<Value, { kind: "slice" }>, writing: Writing): string {
  const from = atomText(value.from, writing).text;
  if (value.to !== null) return `${from}, ${atomText(value.to, writing).text}`;
  return from === "0" ? "" : from;
}

/** User code, each operand in brackets unless it is a name, a call or all that stands between two commas. */
function externText(value: Extract<Value, { kind: "extern" }>, writing: Writing): Text {
  const isAlone = (i: number): boolean =>
    /(?:[([]|, |\$\{)$/.test(value.text[i] ?? "") && /^(?:[)\]},])/.test(value.text[i + 1] ?? "");
  const text = value.text
    .map((piece, i) => {
      const atom = value.args[i];
      const written = value.verbatim === true ? piece : writing.library(piece);
      return atom === undefined
        ? written
        : `${written}${atLeast(isAlone(i) ? PREC.conditional : PREC.call, atomText(atom, writing))}`;
    })
    .join("");
  const isTight = isCallChain(text);
  // what the user wrote may be of any precedence
  return {
    text,
    prec: isTight
      ? PREC.call
      : /^"[^"\\]*" in [\p{ID_Continue}$.!]+$/u.test(text)
        ? PREC.relation
        : 0,
  };
}

/** Whether the text is a name, a literal, or calls and reads on one: nothing but dots, names and `x!` outside its brackets and quotes. */
function isCallChain(text: string): boolean {
  let depth = 0;
  let quote = "";
  for (let i = text.startsWith("new ") ? 4 : 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (quote !== "") {
      if (char === "\\") i++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'" || char === "`") quote = char;
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (
      depth === 0 &&
      !/[\p{ID_Continue}$.]/u.test(char) &&
      !(char === "!" && /^!(?:[.[(]|$)/.test(text.slice(i, i + 2)) && i > 0)
    )
      return false;
  }
  return true;
}

function popText(tape: Atom, type: Type, writing: Writing, equality = "==="): Text {
  if (tape.kind !== "var") return atomic("undefined");
  const element = `${atomText(tape, writing).text}[--${writing.identifiers.cursorOf(tape.name)}]`;
  if (tape.type.kind === "tape" && tape.type.of === "ref")
    return { text: `${element} as ${writing.typeWriter.text(type)}`, prec: PREC.relation };
  if (type.kind === "bool") return { text: `${element} ${equality} 1`, prec: PREC.equality };
  return called(writing.noUncheckedIndexedAccess ? `${element}!` : element);
}
