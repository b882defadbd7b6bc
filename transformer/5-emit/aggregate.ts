// Text of a fresh shadow (`zeros`) and of a deep copy of a shadow (`clone`). The value's text is
// repeated, so it is a name or a path. The result has the shape of `shadowType`.

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
} from "../ir/shadow.ts";
import { variantsOf } from "../ir/variants.ts";
import { literalKeyText, memberText } from "../code/quote.ts";
import type { Field, Type } from "../ir/types.ts";
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
  /** Statements that assign fields of a recursive `shadow` after it is registered. */
  readonly later?: string[];
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
  // an object that is reached twice has one shadow, but two copies
  const result =
    style.verb === "copy"
      ? unresolved
      : (shadowType(unresolved, types) ?? { kind: "cotangent", of: unresolved });
  const later: string[] | null = recursive && style.verb === "zeros" ? [] : null;
  const own =
    later !== null && resolve(unresolved, types).kind === "record" ? { ...style, later } : style;
  return style.writing.helper({
    verb: style.verb,
    type: unresolved,
    result,
    deferred: later,
    body: (text) => structure(text, unresolved, own, 0).text,
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
      return atomic(
        `[${type.elems.map((elem, i) => element(`${text}[${i}]`, elem, style, depth)).join(", ")}]`,
      );
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

/** A leaf in a tuple keeps its position. */
function element(text: string, type: Type, style: Style, depth: number): string {
  return hasNumbers(type, style.writing.types) ? whole(built(text, type, style, depth)) : text;
}

const whole = (text: Text): string => (text.prec < PREC.conditional ? `(${text.text})` : text.text);

function builtArray(
  text: string,
  type: Extract<Type, { kind: "array" }>,
  style: Style,
  depth: number,
): Text {
  if (resolve(type.elem, style.writing.types).kind === "num")
    return called(style.numbers(text, type.store));
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
function builtDict(
  text: string,
  type: Extract<Type, { kind: "dict" }>,
  style: Style,
  depth: number,
): Text {
  const row = nameAt("row", depth);
  const { library, typeWriter, types, lacksFromEntries } = style.writing;
  const isShadow = style.verb !== "copy";
  const result = isShadow ? (shadowType(type, types) ?? type) : type;
  const drops = isShadow && type.value.kind === "opt" ? type.value.of : null;
  if (lacksFromEntries && type.store === "Object")
    return reducedDict(text, type, { result, drops }, style, depth);
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

/** The same for a `lib` without `Object.fromEntries`; a key `__proto__` stays an own key. */
function reducedDict(
  text: string,
  type: Extract<Type, { kind: "dict" }>,
  { result, drops }: { readonly result: Type; readonly drops: Type | null },
  style: Style,
  depth: number,
): Text {
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
    `${library("Object")}.keys(${text}).reduce<${made}>((${all}, ${key}) => ${step}, {}${isByString ? "" : ` as ${made}`})`,
  );
}

/** `x.kind === "a" ? {…} : {…}`; variants without numbers keep their discriminants. */
function builtUnion(
  text: string,
  type: Extract<Type, { kind: "union" }>,
  style: Style,
  depth: number,
): Text {
  const instances = instancesOf(type, style);
  if (instances !== null) return builtInstances(text, instances, style, depth);
  const variants = variantsOf(type, style.writing.types);
  invariant(variants !== null, () => `variants without a discriminant: ${printType(type)}`);
  // `Cotangent` of a union has the discriminants of its variants, not of unions within these
  const isKnown = (variant: Type): boolean =>
    variant.kind === "named" || !hasVariantInFields(variant, style.writing.types);
  const parts = variants.map(({ type: variant, test, isNarrowed }) => ({
    value: whole(
      structure(
        isNarrowed && isKnown(variant)
          ? text
          : `(${text} as ${style.writing.typeWriter.text(variant)})`,
        variant,
        style,
        depth,
      ),
    ),
    test: test?.map((part) => style.writing.library(part)).join(text) ?? null,
  }));
  return choiceOf(parts, text);
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
function instancesOf(
  type: Extract<Type, { kind: "union" }>,
  style: Style,
): readonly OfClass[] | null {
  const found = type.variants.flatMap((variant): OfClass[] => {
    const instance =
      variant.kind === "named" ? style.writing.types.get(variant.name)?.instance : undefined;
    return instance === undefined
      ? []
      : [{ type: variant, name: style.writing.callee(instance.home) }];
  });
  return found.length === type.variants.length ? found : null;
}

/** `x instanceof Circle ? {…} : {…}` */
function builtInstances(
  text: string,
  classes: readonly OfClass[],
  style: Style,
  depth: number,
): Text {
  const [first, ...rest] = classes;
  if (first === undefined) return atomic("{}");
  if (rest.length === 0)
    return structure(
      `(${text} as ${style.writing.typeWriter.text(first.type)})`,
      first.type,
      style,
      depth,
    );
  const others = whole(builtInstances(text, rest, style, depth));
  return {
    text: `${text} instanceof ${first.name} ? ${whole(structure(text, first.type, style, depth))} : ${others}`,
    prec: PREC.conditional,
  };
}

function builtRecord(
  text: string,
  type: Extract<Type, { kind: "record" }>,
  hidden: (name: string) => boolean,
  style: Style,
  depth: number,
): Text {
  const keeps = (one: Type): boolean => type.tagged === true && isTag(one);
  const { later, ...inner } = style;
  const fields = type.fields
    .filter((field) => keeps(field.type) || shadowType(field.type, style.writing.types) !== null)
    .flatMap((field) => {
      const place = memberText(text, field.name, hidden(field.name));
      if (keeps(field.type)) return [`${literalKeyText(field.name)}: ${place}`];
      const set = later === undefined ? null : afterwards(field, place, inner, later);
      if (set !== null) return set === "" ? [] : [`${literalKeyText(field.name)}: ${set}`];
      if (
        field.type.kind === "opt" &&
        isOptionalField(field.type) &&
        resolve(field.type.of, style.writing.types).kind !== "num"
      ) {
        // exactOptionalPropertyTypes rejects `undefined` for an absent field
        const there = whole(built(surely(place), field.type.of, inner, depth));
        return [`...(${place} == null ? {} : { ${literalKeyText(field.name)}: ${there} })`];
      }
      return [`${literalKeyText(field.name)}: ${whole(built(place, field.type, inner, depth))}`];
    });
  return atomic(fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`);
}

/** Defers a field of a recursive type. Returns its first value ("": absent); else null. */
function afterwards(
  { name, type }: Field,
  place: string,
  style: Style,
  later: string[],
): string | null {
  const target = memberText("shadow", name);
  const of = type.kind === "opt" ? type.of : type;
  const shape = resolve(of, style.writing.types);
  const leads =
    isRecursive(of, style.writing.types) ||
    (shape.kind === "array" && isRecursive(shape.elem, style.writing.types));
  if (!leads || (type.kind !== "opt" && shape.kind !== "array")) return null;
  later.push(
    `${type.kind === "opt" ? `if (${place} != null) ` : ""}${target} = ${built(type.kind === "opt" ? surely(place) : place, of, style, 0).text};`,
  );
  return type.kind !== "opt" ? "[]" : isOptionalField(type) ? "" : "undefined";
}

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
