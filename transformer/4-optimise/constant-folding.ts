// Expressions whose value follows from types, definitions and enclosing branches: tags of unions,
// `typeof`, `instanceof`, templates of constants, comparisons of known functions. Each function
// returns the atom that the expression equals, or null.

import { assignable } from "../ir/assignable.ts";
import { bool } from "../ir/build.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import type { Atom, Expr, Type } from "../ir/types.ts";
import { isAllocation } from "../ir/effects.ts";
import type { Outcomes } from "./algebra/implied-conditions.ts";
import { isNumber, type Replacements, sameAtom } from "./atoms.ts";

/** A value that is one of two by a condition. An arm is null if only the branch itself knows it. */
export interface Choice {
  readonly cond: string;
  readonly then: Atom | null;
  readonly else: Atom | null;
}

export interface State {
  readonly replaced: Replacements;
  /** The expression that computed each name in scope. */
  readonly definitions: Map<string, Expr>;
  /** Names that are one of two values, by a condition's name. */
  readonly choices: Map<string, Choice>;
  readonly types: Types;
  /** Joins that cannot be missing. */
  readonly present: Set<string>;
  /** By name of a join of union members: the members that reach it. */
  readonly joined: Map<string, readonly Type[]>;
  /** The members that a union can be in the arm of a branch on its tag. */
  readonly narrowed: ReadonlyMap<string, readonly Type[]>;
  /** What the enclosing branches imply. */
  readonly known: Outcomes;
}

type Operator = Expr & { readonly kind: "op" };
type Extern = Expr & { readonly kind: "extern" };

/** The expression that computed an atom, if that is a name in scope. */
const definition = (atom: Atom | undefined, { definitions }: State): Expr | undefined =>
  atom?.kind === "var" ? definitions.get(atom.name) : undefined;

/** The value of user code, by the first rule that applies. */
export const knownExtern = (expr: Extern, state: State): Atom | null =>
  knownClass(expr, state.types) ??
  knownTypeof(expr) ??
  knownTruth(expr) ??
  knownTemplate(expr) ??
  knownFunction(expr, state);

// tags of unions ----------------------------------------------------------------------------------

// s.kind   ->   "dot", where the type says which member of the union s is
export function knownTag(of: Type, name: string, types: Types): Atom | null {
  const object = resolve(of, types);
  const held =
    object.kind === "record"
      ? object.fields.find((one) => one.name === name)?.type
      : object.kind === "tuple"
        ? object.elems[Number(name)]
        : undefined;
  if (held?.kind !== "leaf" || held.opaque === true || !/^"(?:[^"\\]|\\.)*"$/.test(held.text))
    return null;
  const value: unknown = JSON.parse(held.text);
  return typeof value === "string" ? { kind: "const", type: held, value } : null;
}

// a.length !== a.length   ->   false
export function knownSizeTest({ op, args: [x, z] }: Operator, state: State): Atom | null {
  if ((op !== "eq" && op !== "ne") || x === undefined || z === undefined) return null;
  return sameAtom(x, z) && definition(x, state)?.kind === "length" ? bool(op === "eq") : null;
}

/** The object and field that an atom was loaded from. */
function fieldRead(
  atom: Atom | undefined,
  state: State,
): { readonly object: Atom; readonly name: string } | null {
  const expr = definition(atom, state);
  return expr?.kind === "load" && expr.key.kind === "field"
    ? { object: expr.object, name: expr.key.name }
    : null;
}

/** Where `cond` tests the tag of a union: the union's name, and its members in either arm. */
export function narrowedBy(
  cond: Atom,
  state: State,
): { readonly name: string; readonly members: (isEqual: boolean) => readonly Type[] } | null {
  const test = definition(cond, state);
  const [tag, value] = test?.kind === "op" && test.op === "eq" ? test.args : [];
  const read = fieldRead(tag, state);
  if (read?.object.kind !== "var" || value?.kind !== "const") return null;
  const members = membersOf(read.object, state);
  const has = (member: Type): boolean | null => {
    const known = knownTag(member, read.name, state.types);
    return known?.kind === "const" ? known.value === value.value : null;
  };
  if (members.length === 0 || members.some((member) => has(member) === null)) return null;
  return {
    name: read.object.name,
    members: (isEqual) => members.filter((member) => has(member) === isEqual),
  };
}

// s.kind === "dot"   ->   false, where no member of the union that s can be has that tag
export function knownTagTest({ op, args: [tag, value] }: Operator, state: State): Atom | null {
  const read = op === "eq" || op === "ne" ? fieldRead(tag, state) : null;
  if (read === null || value?.kind !== "const" || typeof value.value !== "string") return null;
  const tags = membersOf(read.object, state).map((one) => knownTag(one, read.name, state.types));
  if (tags.length === 0) return null;
  const isAll = (isEqual: boolean): boolean =>
    tags.every((one) => one?.kind === "const" && (one.value === value.value) === isEqual);
  // Of a parameter only the type is known, which a caller may have violated.
  const isJoined = read.object.kind === "var" && state.joined.has(read.object.name);
  if (isJoined && isAll(true)) return bool(op === "eq");
  return isAll(false) ? bool(op === "ne") : null;
}

const mayBe = (value: Atom, tag: Atom | null): boolean =>
  value.kind !== "const" || tag?.kind !== "const" || value.value === tag.value;

/** The members of its union that a value can be, by its type or by what it is joined from. */
export function membersOf(value: Atom, state: State): readonly Type[] {
  const { types, joined, narrowed } = state;
  const known =
    value.kind === "var" ? (narrowed.get(value.name) ?? joined.get(value.name)) : undefined;
  if (known !== undefined) return known;
  const type = resolve(value.type, types);
  const def = definition(value, state);
  if (type.kind === "union" && def?.kind === "record")
    return type.variants.filter((variant) =>
      def.fields.every((field) => mayBe(field.value, knownTag(variant, field.name, types))),
    );
  return type.kind === "union" ? type.variants : type.kind === "record" ? [type] : [];
}

// classes and `typeof` ----------------------------------------------------------------------------

// x instanceof C   ->   true or false, where the type names the class of x
function knownClass({ text, args }: Extern, types: Types): Atom | null {
  const [value, of] = args;
  if (
    value?.type.kind !== "named" ||
    of?.kind !== "global" ||
    of.home === undefined ||
    text.join("?") !== "? instanceof ?"
  )
    return null;
  const kinds = types.get(value.type.name)?.instance?.kinds;
  return kinds === undefined ? null : bool(kinds.includes(of.home));
}

const isTypeof = ({ text }: Extern): boolean => text.join("?") === "typeof ?";

// typeof "a"   ->   "string"
function knownTypeof(expr: Extern): Atom | null {
  const [value] = expr.args;
  return value?.kind === "const" && isTypeof(expr)
    ? { kind: "const", type: { kind: "leaf", text: "string" }, value: typeof value.value }
    : null;
}

const TYPEOF: ReadonlyMap<string | undefined, string> = new Map([
  ["num", "number"],
  ["bool", "boolean"],
]);

// typeof x === "string"   ->   false, where x is a number; a missing x is undefined
export function knownTypeofTest({ op, args: [kind, tested] }: Operator, state: State): Atom | null {
  const isEqual = op === "eq" || op === "looseEq";
  if (!isEqual && op !== "ne" && op !== "looseNe") return null;
  if (tested?.kind !== "const" || tested.value === "undefined") return null;
  const expr = definition(kind, state);
  const own =
    expr?.kind === "extern" && isTypeof(expr) ? TYPEOF.get(expr.args[0]?.type.kind) : null;
  return own == null || tested.value === own ? null : bool(!isEqual);
}

// constants ---------------------------------------------------------------------------------------

// !!undefined   ->   false
function knownTruth({ text, args: [value] }: Extern): Atom | null {
  return value?.kind === "const" && text.join("?") === "!!?" ? bool(Boolean(value.value)) : null;
}

// `w${"a"}`   ->   "wa"
function knownTemplate({ text, args, verbatim }: Extern): Atom | null {
  const known = args.flatMap((arg) =>
    arg.kind === "const" && typeof arg.value === "string" ? [arg.value] : [],
  );
  const isTemplate =
    verbatim === true &&
    text.length > 1 &&
    text[0]?.startsWith("`") === true &&
    text.at(-1)?.endsWith("`") === true;
  if (!isTemplate || known.length < args.length || text.some((part) => part.includes("\\")))
    return null;
  const parts = text.map((part, i) =>
    part.slice(i === 0 ? 1 : "}".length, i === text.length - 1 ? -1 : -"${".length),
  );
  return {
    kind: "const",
    type: { kind: "leaf", text: "string" },
    value: parts.map((part, i) => part + (known[i] ?? "")).join(""),
  };
}

// relu === relu   ->   true;   relu === Math.tanh   ->   false
function knownFunction({ text, args: [value, other] }: Extern, state: State): Atom | null {
  const [before, between] = text;
  if (value === undefined || before !== "" || between?.startsWith(" === ") !== true) return null;
  const one = identityOf(value, state);
  const another = other === undefined ? between.slice(" === ".length) : identityOf(other, state);
  return one === null || another === null ? null : bool(one === another);
}

/** A string that identifies a function of a module or of the library; null for other values. */
function identityOf(value: Atom, state: State): string | null {
  if (value.kind === "global")
    return value.isFunction === true ? `${value.file} ${value.name}` : null;
  const def = definition(value, state);
  const source = def?.kind === "extern" && def.args.length === 0 ? def.text.join("") : "";
  return /^(?:Math|Number)\.\w+$/.test(source) ? source : null;
}

// xs.length < 0   ->   false;   xs.length - 0   ->   xs.length
export function knownLength({ op, args: [x, other] }: Operator, state: State): Atom | null {
  if (x === undefined || other === undefined || !isNumber(other)) return null;
  if (definition(x, state)?.kind !== "length") return null;
  if (op === "lt") return other.value <= 0 ? bool(false) : null;
  return (op === "sub" || op === "add") && other.value === 0 ? x : null;
}

// definedness -------------------------------------------------------------------------------------

// unwrap x   ->   x, where the type says what x is;   unwrap "a"   ->   "a"
export const isUnwrapped = (value: Atom, to: Type, types: Types): boolean =>
  isDefinedConstant(value) || isKnown(value.type, to, types);

/** Whether a value of type `from` is a `to` by its type alone. */
function isKnown(from: Type, to: Type, types: Types): boolean {
  const { kind } = resolve(from, types);
  return kind !== "opt" && kind !== "leaf" && kind !== "union" && assignable(from, to, types);
}

const isDefinedConstant = (atom: Atom): boolean =>
  atom.kind === "const" && atom.value !== undefined && atom.value !== null;

export function knownPresent(value: Atom, state: State): Atom | null {
  // A parameter that was not passed.
  if (value.kind === "undef") return bool(false);
  if (value.kind === "const") return bool(isDefinedConstant(value));
  return isPresent(value, state) ? bool(true) : null;
}

/** Whether a value cannot be missing. */
export function isPresent(value: Atom, state: State): boolean {
  if (value.kind === "const") return isDefinedConstant(value);
  const def = definition(value, state);
  if (def === undefined) return value.kind === "var" && state.present.has(value.name);
  if (def.kind === "op")
    return def.op !== "select" || def.args.slice(1).every((arg) => isPresent(arg, state));
  // The shadow of an undefined value is undefined.
  return isAllocation(def) && def.kind !== "zeros" && def.kind !== "clone";
}

// present (unwrap x)   ->   present x: an element was asserted to be defined, and may not be
export function presentInside(value: Atom, state: State): Expr | null {
  const def = definition(value, state);
  return def?.kind === "unwrap" && resolve(def.value.type, state.types).kind === "opt"
    ? { kind: "present", value: def.value }
    : null;
}

// zeros (zeros x)   ->   zeros x, where the type fixes the number of places
export function zerosOfZeros(
  { like }: Expr & { readonly kind: "zeros" },
  state: State,
): Expr | null {
  const def = definition(like, state);
  const shape = resolve(like.type, state.types);
  const isCounted =
    (shape.kind === "tuple" && shape.elems.every(({ kind }) => kind === "num")) ||
    (shape.kind === "record" && shape.fields.every(({ type }) => type.kind === "num"));
  return def?.kind === "zeros" && isCounted ? { kind: "zeros", like: def.like } : null;
}
