// Types with the places that a value may have some day. In: the type of a value, and that of the place it goes to. Out: the first with what only the second knows of.
// Invariant: the first itself where it lacks nothing; what it has keeps its type, unless that says that nothing is there.

import { sameType } from "../../ir/print.ts";
import { hasNumbers, isLiteral, isTag, resolve, type Types } from "../../ir/shadow.ts";
import type { Field, Type } from "../../ir/types.ts";

type Of<K extends Type["kind"]> = Type & { readonly kind: K };

export const completed = (from: Type, to: Type, types: Types): Type =>
  part(from, to, { types, note: () => {}, met: [] });

/** Names of fields that a value lacks, `ANY_KEY` for entries by key. */
export function lackingIn(from: Type, to: Type, types: Types): readonly string[] {
  const found: string[] = [];
  part(from, to, { types, note: (name) => found.push(name), met: [] });
  return found;
}

/** A key that is computed. */
export const ANY_KEY = "[]";

interface Context {
  readonly types: Types;
  /** Told of each field that is lacking. */
  readonly note: (name: string) => void;
  /** Names that are being compared: types may contain themselves. */
  readonly met: readonly string[];
}

function part(from: Type, to: Type, context: Context): Type {
  if (
    from === to ||
    isFlat(from) ||
    isFlat(to) ||
    (from.kind === "named" && to.kind === "named" && from.name === to.name)
  )
    return from;
  const pair = `${nameOf(from)} ${nameOf(to)}`;
  const { types, met } = context;
  if (pair !== " " && met.includes(pair)) return from;
  if (from.kind === "named" && types.get(from.name)?.instance !== undefined) return from;
  const x = resolve(from, types);
  const whole = shapes(x, resolve(to, types), {
    ...context,
    met: pair === " " ? met : [...met, pair],
  });
  if (whole === x) return from;
  // its name says what the place has
  return to.kind === "named" &&
    x.kind !== "opt" &&
    types.get(to.name)?.instance === undefined &&
    sameType(whole, resolve(to, types))
    ? to
    : whole;
}

function shapes(x: Type, z: Type, context: Context): Type {
  if (x.kind === "opt") return within(x, "of", z.kind === "opt" ? z.of : z, context);
  if (z.kind === "opt") return shapes(x, resolve(z.of, context.types), context);
  if (z.kind === "union") return memberOf(x, z, context);
  switch (x.kind) {
    case "array":
      return z.kind === "array" ? list(x, z, context) : x;
    case "dict":
      return z.kind === "dict" ? within(x, "value", z.value, context) : x;
    case "tuple":
      return tuple(x, z, context);
    case "record":
      return z.kind === "record"
        ? record(x, z, context)
        : z.kind === "dict"
          ? entries(x, z, context)
          : x;
    case "num":
    case "bool":
    case "leaf":
    case "union":
    case "named":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      return x;
  }
}

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

/** `[]` of which nothing says what it will hold. */
function list(x: Of<"array">, z: Of<"array">, context: Context): Type {
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

function record(x: Of<"record">, z: Of<"record">, context: Context): Type {
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
  // in the order of the place's type, where that has all of them
  const all = [...fields, ...lacking];
  const ordered = z.fields.flatMap(({ name }) => all.filter((field) => field.name === name));
  return {
    ...x,
    fields: ordered.length === all.length ? ordered : all,
    ...(isTagged ? { tagged: true } : {}),
  };
}

function entries(x: Of<"record">, z: Of<"dict">, context: Context): Type {
  const { value } = z;
  // `{}` of which nothing says what it will hold
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

/** What is always missing there may be a number later. */
function place(from: Type, to: Type, name: string, context: Context): Type {
  if (!isNothing(from) || to.kind !== "opt" || !hasNumbers(to, context.types))
    return part(from, to, context);
  context.note(name);
  return to;
}

export const isNothing = (type: Type): boolean =>
  type.kind === "leaf" &&
  /^(?:undefined|null|undefined \| null|null \| undefined)$/.test(type.text);

/** The one member that the value can be, by its literal fields. */
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

const nameOf = (type: Type): string => (type.kind === "named" ? type.name : "");

/** Types in which nothing can be lacking. */
const isFlat = (type: Type): boolean =>
  type.kind === "num" ||
  type.kind === "bool" ||
  type.kind === "leaf" ||
  type.kind === "void" ||
  type.kind === "func";

const isSame = <T>(xs: readonly T[], zs: readonly T[]): boolean => xs.every((x, i) => x === zs[i]);
