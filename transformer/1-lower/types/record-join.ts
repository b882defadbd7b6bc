// Joins the type of a value with the type of its destination: adds the fields that it may get.
// Input: both types. Output: the first with the optional fields that only the second has.
// It is the first itself where it lacks nothing; its other fields keep their types, except
// those that are always undefined.

import { sameType } from "../../ir/print.ts";
import { hasNumbers, isLiteral, isTag, resolve, type Types } from "../../ir/shadow.ts";
import type { Field, Type } from "../../ir/types.ts";

type Of<K extends Type["kind"]> = Type & { readonly kind: K };

export const joinTypes = (from: Type, to: Type, types: Types): Type =>
  part(from, to, { types, note: () => {}, met: new Map() });

/** Names of the fields that a value lacks; `ANY_KEY` for elements and entries. */
export function lackingFields(from: Type, to: Type, types: Types): readonly string[] {
  const found: string[] = [];
  part(from, to, { types, note: (name) => found.push(name), met: new Map() });
  return found;
}

/** Stands for a computed key. */
export const ANY_KEY = "[]";

interface Context {
  readonly types: Types;
  /** Called with each lacking field. */
  readonly note: (name: string) => void;
  /** The joins so far; of a pair that is being joined, the first type. */
  readonly met: Map<string | Type, Map<string | Type, Type>>;
}

function part(from: Type, to: Type, context: Context): Type {
  if (from === to || isFlat(from) || isFlat(to)) return from;
  const { types, met } = context;
  if (nameOf(from) === nameOf(to) || isInstance(from, types)) return from;
  const joins = met.get(nameOf(from)) ?? new Map<string | Type, Type>();
  const known = joins.get(nameOf(to));
  if (known !== undefined) return known;
  met.set(nameOf(from), joins.set(nameOf(to), from));
  const joined = join(from, to, context);
  joins.set(nameOf(to), joined);
  return joined;
}

function join(from: Type, to: Type, context: Context): Type {
  const { types } = context;
  const x = resolve(from, types);
  const z = resolve(to, types);
  const whole = shapes(x, z, context);
  if (whole === x) return from;
  // The destination's name describes the result if both have the same fields.
  return to.kind === "named" && x.kind !== "opt" && !isInstance(to, types) && sameType(whole, z)
    ? to
    : whole;
}

const isInstance = (type: Type, types: Types): boolean =>
  type.kind === "named" && types.get(type.name)?.instance !== undefined;

function shapes(x: Type, z: Type, context: Context): Type {
  if (x.kind === "opt") return within(x, "of", z.kind === "opt" ? z.of : z, context);
  if (z.kind === "opt") return shapes(x, resolve(z.of, context.types), context);
  return z.kind === "union" ? memberOf(x, z, context) : aggregates(x, z, context);
}

function aggregates(x: Type, z: Type, context: Context): Type {
  if (x.kind === "array") return array(x, z, context);
  if (x.kind === "dict") return dict(x, z, context);
  if (x.kind === "tuple") return tuple(x, z, context);
  return x.kind === "record" ? record(x, z, context) : x;
}

/** Joins the part of a type under `key`. */
function within<K extends string>(
  whole: Type & { readonly [key in K]: Type },
  key: K,
  to: Type,
  context: Context,
): Type {
  const inner: Type = whole[key];
  const next = part(inner, to, context);
  return next === inner ? whole : { ...whole, [key]: next };
}

const dict = (x: Of<"dict">, z: Type, context: Context): Type =>
  z.kind === "dict" ? within(x, "value", z.value, context) : x;

/** An empty array literal, an array of `never`, gets the destination's element type. */
function array(x: Of<"array">, z: Type, context: Context): Type {
  if (z.kind !== "array") return x;
  if (x.elem.kind !== "leaf" || x.elem.text !== "never" || !hasNumbers(z.elem, context.types))
    return within(x, "elem", z.elem, context);
  context.note(ANY_KEY);
  return { ...x, elem: z.elem };
}

function tuple(x: Of<"tuple">, z: Type, context: Context): Type {
  if (z.kind !== "tuple" && z.kind !== "array") return x;
  const elems = x.elems.map((elem, i) => {
    const to = z.kind === "array" ? z.elem : z.elems[i];
    return to === undefined
      ? elem
      : place(elem, to, z.kind === "array" ? ANY_KEY : String(i), context);
  });
  return isSame(elems, x.elems) ? x : { ...x, elems };
}

function record(x: Of<"record">, z: Type, context: Context): Type {
  if (z.kind === "dict") return entries(x, z, context);
  if (z.kind !== "record") return x;
  const fields = x.fields.map((field): Field => {
    const to = z.fields.find(({ name }) => name === field.name);
    const type = to === undefined ? field.type : place(field.type, to.type, field.name, context);
    return type === field.type ? field : { name: field.name, type };
  });
  const lacking = z.fields.filter(
    ({ name, type }) => isOptional(type) && !x.fields.some((field) => field.name === name),
  );
  for (const { name, type } of lacking) if (hasNumbers(type, context.types)) context.note(name);
  const isTagged =
    z.tagged === true && x.tagged !== true && x.fields.some(({ type }) => isTag(type));
  if (lacking.length === 0 && !isTagged && isSame(fields, x.fields)) return x;
  // In the destination's order if that has all fields.
  const all = [...fields, ...lacking];
  const ordered = z.fields.flatMap(({ name }) => all.filter((field) => field.name === name));
  return {
    ...x,
    fields: ordered.length === all.length ? ordered : all,
    ...(isTagged ? { tagged: true } : {}),
  };
}

/** A record that flows to a dictionary. */
function entries(x: Of<"record">, z: Of<"dict">, context: Context): Type {
  const { value } = z;
  // An empty literal becomes the dictionary.
  if (x.fields.length === 0 && hasNumbers(value, context.types)) {
    context.note(ANY_KEY);
    return z;
  }
  const fields = x.fields.map((field): Field => {
    const type = place(field.type, value, ANY_KEY, context);
    return type === field.type ? field : { name: field.name, type };
  });
  return isSame(fields, x.fields) ? x : { ...x, fields };
}

/** Joins the type of a field; one that is always undefined gets the destination's type. */
function place(from: Type, to: Type, name: string, context: Context): Type {
  if (!isAlwaysNullish(from) || to.kind !== "opt" || !hasNumbers(to, context.types))
    return part(from, to, context);
  context.note(name);
  return to;
}

export const isAlwaysNullish = (type: Type): boolean =>
  type.kind === "leaf" &&
  /^(?:undefined|null|undefined \| null|null \| undefined)$/.test(type.text);

/** Joins a record with the only member of a union that its literal fields allow. */
function memberOf(x: Type, z: Of<"union">, context: Context): Type {
  if (x.kind !== "record") return x;
  const members = z.variants
    .map((variant) => resolve(variant, context.types))
    .filter((member): member is Of<"record"> => member.kind === "record" && isMember(x, member));
  const [only] = members;
  return only === undefined || members.length > 1 ? x : record(x, only, context);
}

const isMember = (x: Of<"record">, member: Of<"record">): boolean =>
  member.fields.every(({ name, type }) => {
    const given = x.fields.find((field) => field.name === name);
    if (given === undefined)
      return type.kind === "opt" || (type.kind === "leaf" && type.optional === true);
    return !isLiteral(type) || sameType(given.type, type);
  });

const isOptional = (type: Type): boolean =>
  type.kind === "opt" || (type.kind === "leaf" && type.optional === true);

/** The name of a type, or the type itself without one. */
const nameOf = (type: Type): string | Type => (type.kind === "named" ? type.name : type);

/** Types without fields. */
const isFlat = (type: Type): boolean =>
  type.kind === "num" ||
  type.kind === "bool" ||
  type.kind === "leaf" ||
  type.kind === "void" ||
  type.kind === "func";

const isSame = <T>(xs: readonly T[], zs: readonly T[]): boolean => xs.every((x, i) => x === zs[i]);
