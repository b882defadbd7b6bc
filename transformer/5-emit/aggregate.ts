// Text of a fresh shadow (`zeros`) and of a deep copy of a shadow (`clone`). The value's text is
// repeated, so it is a name or a path. The result has the shape of `shadowType`.
// Objects of recursive types are made without the objects that they lead to, which come later.

import { PREC } from "../ir/ops.ts";
import { invariant } from "../ir/invariant.ts";
import { printType } from "../ir/print.ts";
import {
  hasNumbers,
  isOptionalField,
  isRecursive,
  isTag,
  resolve,
  shadowType,
  somePart,
  type Types,
} from "../ir/shadow.ts";
import { variantsOf } from "../ir/variants.ts";
import { literalKeyText, memberText } from "../code/quote.ts";
import type { Type, TypeOf } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import { hasVariantInFields, isHiddenField } from "./types/type-text.ts";
import { atomic, called, type Text, type Writing } from "./writing.ts";

interface Style {
  readonly verb: "zeros" | "copy";
  /** The text for a number. */
  readonly number: (text: string) => string;
  /** The text for an array of numbers. */
  readonly numbers: (text: string, store: string) => string;
  readonly writing: Writing;
  /** Whether places that lead to a recursive type are left empty. */
  readonly isShell?: true;
}

export function zerosText(text: string, type: Type, writing: Writing): Text {
  const style: Style = {
    verb: "zeros",
    number: () => "0",
    numbers: (array, store) =>
      store !== "Array"
        ? `new ${writing.library(store)}(${array}.length)`
        : writing.packed.size > 0
          ? writing.zeros(`${array}.length`)
          : `new ${writing.library("Array")}<number>(${array}.length).fill(0)`,
    writing,
  };
  return built(text, type, style, 0);
}

export function cloneText(text: string, type: Type, writing: Writing): Text {
  return built(
    text,
    type,
    { verb: "copy", number: (one) => one, numbers: (array) => `${array}.slice()`, writing },
    0,
  );
}

/** `depth` counts the enclosing `map` callbacks, to name their parameters. */
function built(text: string, unresolved: Type, style: Style, depth: number): Text {
  const helper = helperFor(unresolved, style);
  return helper === null ? structure(text, unresolved, style, depth) : called(`${helper}(${text})`);
}

/** The local function for a recursive type or a union; null for other types. */
function helperFor(unresolved: Type, style: Style): string | null {
  const { types } = style.writing;
  const recursive = isRecursive(unresolved, types);
  if (!recursive && resolve(unresolved, types).kind !== "union") return null;
  const result =
    style.verb === "copy"
      ? unresolved
      : (shadowType(unresolved, types) ?? { kind: "cotangent", of: unresolved });
  const own: Style = recursive ? { ...style, isShell: true } : style;
  return style.writing.helper({
    verb: style.verb,
    type: unresolved,
    result,
    body: (text) => structure(text, unresolved, own, 0).text,
    rest: recursive ? (text, shadow) => filled(text, shadow, unresolved, style) : null,
  });
}

function structure(text: string, unresolved: Type, style: Style, depth: number): Text {
  const type = resolve(unresolved, style.writing.types);
  switch (type.kind) {
    case "num":
      return atomic(style.number(text));
    case "array":
      return builtArray(text, type, style, depth);
    case "tuple":
      return builtTuple(text, type, style, depth);
    case "record":
      return builtRecord(
        text,
        type,
        (name) => isHiddenField(unresolved, name, style.writing.types),
        style,
        depth,
      );
    case "opt":
      return optional(text, type.of, style, depth);
    case "dict":
      return builtDict(text, type, style, depth);
    case "union":
      return builtUnion(text, type, style, depth);
    case "bool":
    case "leaf":
    case "named":
    case "tape":
    case "func":
    case "cotangent":
    case "void":
      return called(text);
    default:
      return unreachable(type);
  }
}

function builtTuple(text: string, type: TypeOf<"tuple">, style: Style, depth: number): Text {
  const { isShell, ...inner } = style;
  const elems = type.elems.map((elem, i) =>
    isShell && leads(elem, style.writing.types)
      ? empty(elem, style)
      : element(`${text}[${i}]`, elem, inner, depth),
  );
  return atomic(`[${elems.join(", ")}]`);
}

/** A leaf in a tuple keeps its position. */
function element(text: string, type: Type, style: Style, depth: number): string {
  return hasNumbers(type, style.writing.types) ? whole(built(text, type, style, depth)) : text;
}

const whole = (text: Text): string => (text.prec < PREC.conditional ? `(${text.text})` : text.text);

function builtArray(text: string, type: TypeOf<"array">, style: Style, depth: number): Text {
  if (resolve(type.elem, style.writing.types).kind === "num")
    return called(style.numbers(text, type.store));
  if (style.isShell) return atomic(empty(type, style));
  const helper = helperFor(type.elem, style);
  if (helper !== null) return called(`${text}.map(${helper})`);
  const row = nameAt("row", depth);
  const inner = structure(row, type.elem, style, depth + 1);
  const isRead = new RegExp(`\\b${row}\\b`).test(inner.text);
  return called(
    `${text}.map((${isRead ? row : ""}) => ${inner.text.startsWith("{") || inner.prec < PREC.conditional ? `(${inner.text})` : inner.text})`,
  );
}

const nameAt = (name: string, depth: number): string => (depth === 0 ? name : `${name}${depth}`);

/** The same keys without those of null values, since a shadow has no entry for these. */
function builtDict(text: string, type: TypeOf<"dict">, style: Style, depth: number): Text {
  if (style.isShell) return atomic(empty(type, style));
  const row = nameAt("row", depth);
  const { library, typeWriter, lacksFromEntries } = style.writing;
  const { result, drops } = dictOf(type, style);
  if (lacksFromEntries && type.store === "Object")
    return reducedDict(text, type, "{}", style, depth);
  const inner = whole(built(row, drops ?? type.value, style, depth + 1));
  const isRead = new RegExp(`\\b${row}\\b`).test(inner);
  const held = result.kind === "dict" ? result.value : type.value;
  const pair = `[${typeWriter.text(type.key)}, ${typeWriter.text(held)}]`;
  const given =
    drops !== null
      ? `([key, ${row}]): ${pair}[] => (${row} == null ? [] : [[key, ${inner}]])`
      : `([key${isRead ? `, ${row}` : ""}]) => [key, ${inner}]`;
  if (type.store === "Object")
    return called(
      `${library("Object")}.fromEntries(${library("Object")}.entries(${text}).${drops === null ? "map" : "flatMap"}(${given}))`,
    );
  const from = `${library("Array")}.from`;
  const each = `${from}(${text}, ${given})`;
  // flatMap is as young as fromEntries
  const some = lacksFromEntries
    ? `([] as ${pair}[]).concat(...${each})`
    : `${from}(${text}).flatMap(${given})`;
  return called(`new ${typeWriter.text(result)}(${drops === null ? each : some})`);
}

/** The type of the result, and that of a value that is dropped where it is null. */
function dictOf(
  type: TypeOf<"dict">,
  { verb, writing }: Style,
): { result: Type; drops: Type | null } {
  if (verb === "copy") return { result: type, drops: null };
  return {
    result: shadowType(type, writing.types) ?? type,
    drops: type.value.kind === "opt" ? type.value.of : null,
  };
}

/** The same for a `lib` without `Object.fromEntries`; a key `__proto__` stays an own key. */
function reducedDict(
  text: string,
  type: TypeOf<"dict">,
  start: string,
  style: Style,
  depth: number,
): Text {
  const { result, drops } = dictOf(type, style);
  const { library, typeWriter, noUncheckedIndexedAccess } = style.writing;
  const [all, key] = [nameAt("all", depth), nameAt("key", depth)];
  const isByString = type.key.kind === "leaf" && type.key.text === "string";
  const from = isByString ? text : `(${text} as Record<string, ${typeWriter.text(type.value)}>)`;
  const mark = noUncheckedIndexedAccess && drops === null ? "!" : "";
  const place = `${from}[${key}]${mark}`;
  const value = whole(
    built(drops === null ? place : surely(place), drops ?? type.value, style, depth + 1),
  );
  const put = `${library("Object")}.defineProperty(${all}, ${key}, { value: ${value}, writable: true, enumerable: true, configurable: true })`;
  const made = typeWriter.text(result);
  const step = drops === null ? put : `(${place} == null ? ${all} : ${put})`;
  return called(
    `${library("Object")}.keys(${text}).reduce<${made}>((${all}, ${key}) => ${step}, ${start}${isByString || start !== "{}" ? "" : ` as ${made}`})`,
  );
}

/** `x.kind === "a" ? {…} : {…}`; variants without numbers keep their discriminants. */
const builtUnion = (text: string, type: TypeOf<"union">, style: Style, depth: number): Text =>
  choiceOf(
    partsOf(text, type, style).map((part) => ({
      value: whole(structure(part.text, part.type, style, depth)),
      test: part.test,
    })),
    text,
  );

/** A variant of a union: the value as such, and the test for it; null for the last. */
interface Part {
  readonly type: Type;
  readonly text: string;
  readonly test: string | null;
}

function partsOf(text: string, type: TypeOf<"union">, { writing }: Style): readonly Part[] {
  const as = (variant: Type): string => `(${text} as ${writing.typeWriter.text(variant)})`;
  const classes = instancesOf(type, writing);
  if (classes !== null)
    return classes.map((one, i) =>
      i + 1 < classes.length
        ? { type: one.type, text, test: `${text} instanceof ${one.name}` }
        : { type: one.type, text: as(one.type), test: null },
    );
  const variants = variantsOf(type, writing.types);
  invariant(variants !== null, () => `variants without a discriminant: ${printType(type)}`);
  // `Cotangent` of a union has the discriminants of its variants, not of unions within these
  const isKnown = (variant: Type): boolean =>
    variant.kind === "named" || !hasVariantInFields(variant, writing.types);
  return variants.map(({ type: variant, test, isNarrowed }) => ({
    type: variant,
    text: isNarrowed && isKnown(variant) ? text : as(variant),
    test: test?.map((part) => writing.library(part)).join(text) ?? null,
  }));
}

/** `c ? a : d ? b : b  ->  c ? a : b`, as long as the text still mentions the object. */
function choiceOf(
  parts: readonly { readonly value: string; readonly test: string | null }[],
  object: string,
): Text {
  const last = parts.at(-1)?.value ?? "";
  const asks = (i: number): boolean =>
    parts.slice(i).some(({ value }) => value !== last) || (i === 0 && !last.includes(`${object}.`));
  const different = parts.filter(({ test }, i) => test !== null && asks(i));
  const text = [...different.map(({ test, value }) => `${test} ? ${value} : `), last].join("");
  return { text, prec: different.length > 0 ? PREC.conditional : PREC.atom };
}

interface OfClass {
  readonly type: Type;
  readonly name: string;
}

/** The classes of a union's variants, subclasses first; null for other unions. */
function instancesOf(type: TypeOf<"union">, writing: Writing): readonly OfClass[] | null {
  const found = type.variants.flatMap((variant): OfClass[] => {
    const instance =
      variant.kind === "named" ? writing.types.get(variant.name)?.instance : undefined;
    return instance === undefined ? [] : [{ type: variant, name: writing.callee(instance.home) }];
  });
  return found.length === type.variants.length ? found : null;
}

function builtRecord(
  text: string,
  type: Extract<Type, { kind: "record" }>,
  hidden: (name: string) => boolean,
  style: Style,
  depth: number,
): Text {
  const keeps = (one: Type): boolean => type.tagged === true && isTag(one);
  const { isShell, ...inner } = style;
  const fields = type.fields
    .filter((field) => keeps(field.type) || shadowType(field.type, style.writing.types) !== null)
    .flatMap((field) => {
      const place = memberText(text, field.name, hidden(field.name));
      const key = literalKeyText(field.name);
      if (keeps(field.type)) return [`${key}: ${place}`];
      if (isShell && leads(field.type, style.writing.types))
        return isOptionalField(field.type) ? [] : [`${key}: ${empty(field.type, style)}`];
      if (
        field.type.kind === "opt" &&
        isOptionalField(field.type) &&
        resolve(field.type.of, style.writing.types).kind !== "num"
      ) {
        // exactOptionalPropertyTypes rejects `undefined` for an absent field
        const there = whole(built(surely(place), field.type.of, inner, depth));
        return [`...(${place} == null ? {} : { ${key}: ${there} })`];
      }
      return [`${key}: ${whole(built(place, field.type, inner, depth))}`];
    });
  return atomic(fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`);
}

/** Whether values of a recursive type are reachable. */
function leads(type: Type, types: Types, seen = new Set<string>()): boolean {
  if (type.kind !== "named" && type.kind !== "cotangent")
    return isRecursive(type, types) || somePart(type, (part) => leads(part, types, seen));
  const key = printType(type);
  if (seen.has(key)) return false;
  seen.add(key);
  return isRecursive(type, types) || leads(resolve(type, types), types, seen);
}

/** What a place holds until `filled` sets it. */
function empty(type: Type, style: Style): string {
  const shape = resolve(type, style.writing.types);
  if (shape.kind === "opt") return "undefined";
  if (shape.kind === "array") return "[]";
  if (shape.kind !== "dict") return "undefined as never";
  return shape.store === "Object" ? "{}" : `new ${style.writing.library("Map")}()`;
}

/** Statements that set the places of a `shadow` that were left empty. */
function filled(text: string, shadow: string, unresolved: Type, style: Style): readonly string[] {
  const { types, typeWriter, library } = style.writing;
  const type = resolve(unresolved, types);
  const set = (target: string, place: string, of: Type): readonly string[] => {
    if (!leads(of, types)) return [];
    if (of.kind !== "opt") return [`${target} = ${built(place, of, style, 0).text};`];
    return [`if (${place} != null) ${target} = ${built(surely(place), of.of, style, 0).text};`];
  };
  switch (type.kind) {
    case "record": {
      const member = (object: string, name: string): string =>
        memberText(object, name, isHiddenField(unresolved, name, types));
      return type.fields.flatMap((field) =>
        shadowType(field.type, types) === null
          ? []
          : set(member(shadow, field.name), member(text, field.name), field.type),
      );
    }
    case "tuple":
      return type.elems.flatMap((elem, i) => set(`${shadow}[${i}]`, `${text}[${i}]`, elem));
    case "array":
      return [`${library("Object")}.assign(${shadow}, ${builtArray(text, type, style, 0).text});`];
    case "dict":
      return [filledDict(text, shadow, type, style)];
    case "union": {
      const lines = partsOf(text, type, style).map((part) => {
        const own = `(${shadow} as ${typeWriter.text(shadowOf(part.type, style))})`;
        const inner = filled(part.text, own, part.type, style).join(" ");
        return part.test === null ? `{ ${inner} }` : `if (${part.test}) { ${inner} }`;
      });
      return [lines.join(" else ")];
    }
    default:
      return [];
  }
}

/** The type that a variant's shadow is cast to, with its discriminants. */
function shadowOf(variant: Type, { verb, writing: { types } }: Style): Type {
  if (verb === "copy") return variant;
  const isInstance = variant.kind === "named" && types.get(variant.name)?.instance !== undefined;
  const own = isInstance ? variant : resolve(variant, types);
  return shadowType(own, types) ?? { kind: "cotangent", of: variant };
}

/** Sets all keys of a dictionary in an empty one. */
const filledDict = (text: string, shadow: string, type: TypeOf<"dict">, style: Style): string =>
  type.store === "Object"
    ? `${reducedDict(text, type, shadow, style, 0).text};`
    : `${builtDict(text, type, style, 0).text}.forEach((one, key) => ${shadow}.set(key, one));`;

/** The shadow of a possibly undefined number is a number. */
function optional(text: string, of: Type, style: Style, depth: number): Text {
  if (resolve(of, style.writing.types).kind === "num") return atomic(style.number(text));
  return {
    text: `${text} == null ? undefined : ${whole(built(surely(text), of, style, depth))}`,
    prec: PREC.conditional,
  };
}

/** TypeScript does not narrow `(x as A).b`, so it needs `!` after a test. */
const surely = (place: string): string => (place.includes(" as ") ? `${place}!` : place);
