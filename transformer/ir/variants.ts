// Run-time tests that discriminate the members of a union. The tests run in order; the last variant
// needs none.

import { memberText, stringText } from "../code/quote.ts";
import { isInherited } from "./inherited-keys.ts";
import { membersOf } from "./literal-types.ts";
import { printType } from "./print.ts";
import { isLiteral, isTag, resolve, type Types } from "./shadow.ts";
import type { Field, Type } from "./types.ts";

export interface Variant {
  readonly type: Type;
  /** Pieces of a JavaScript expression, cut at the value; null for the last variant. */
  readonly test: readonly string[] | null;
  /** Whether TypeScript narrows to it: not after an earlier test for one of several literals. */
  readonly isNarrowed: boolean;
}

/** Variants with their tests; null if two of different shapes cannot be discriminated. */
export function variantsOf(
  union: Type & { readonly kind: "union" },
  types: Types,
): readonly Variant[] | null {
  const tag = tagOf(union.variants, types);
  const found: Variant[] = [];
  const literals = (type: Type): number => (tag === null ? 1 : tagsOf(type, tag, types).length);
  let left = [...union.variants].sort(
    (one, other) => Number(literals(one) > 1) - Number(literals(other) > 1),
  );
  for (;;) {
    const [first, ...others] = left;
    if (first === undefined) return null;
    if (others.every((other) => sameShape(first, other, types)))
      return [
        ...found,
        { type: first, test: null, isNarrowed: found.every(({ type }) => literals(type) === 1) },
      ];
    const next = left
      .map((type) => ({
        type,
        test: testOf(
          type,
          left.filter((other) => other !== type),
          tag,
          types,
        ),
      }))
      .find(({ test }) => test !== null);
    if (next === undefined) return null;
    found.push({ ...next, isNarrowed: true });
    left = left.filter((type) => type !== next.type);
  }
}

/** A tuple's elements count as fields with their positions as names. */
const fieldsOf = (type: Type, types: Types): readonly Field[] => {
  const shape = resolve(type, types);
  return shape.kind === "record"
    ? shape.fields
    : shape.kind === "tuple"
      ? shape.elems.map((elem, i) => ({ name: String(i), type: elem }))
      : [];
};

function testOf(
  type: Type,
  others: readonly Type[],
  tag: string | null,
  types: Types,
): readonly string[] | null {
  const shape = resolve(type, types);
  const shapes = others.map((other) => resolve(other, types));
  if (shape.kind === "array" && shape.store !== "Array")
    return shapes.some((other) => other.kind === "array" && other.store === shape.store)
      ? null
      : ["", ` instanceof ${shape.store}`];
  const lengths = [shape, ...shapes].map(lengthOf);
  const [length] = lengths;
  if (
    shape.kind === "tuple" &&
    tag === null &&
    new Set(lengths).size === lengths.length &&
    !lengths.includes(null)
  )
    return ["", `.length === ${length}`];
  if (shape.kind === "array" || (shape.kind === "tuple" && tag === null)) {
    return shapes.some(
      (other) => other.kind === "tuple" || (other.kind === "array" && other.store === "Array"),
    )
      ? null
      : ["Array.isArray(", ")"];
  }
  if (tag !== null) {
    const tests = tagsOf(type, tag, types).flatMap((literal, at) => [
      at === 0 ? "" : " || ",
      `${shape.kind === "tuple" ? `[${tag}]` : memberText("", tag)} === ${literal}`,
    ]);
    return joinedPieces(tests);
  }
  const ofClass = classTest(type, others, types);
  if (ofClass !== null) return ofClass;
  const own = fieldsOf(type, types).find(
    (field) =>
      field.type.kind !== "opt" &&
      !isInherited(field.name) &&
      others.every((other) => !fieldsOf(other, types).some(({ name }) => name === field.name)),
  );
  return own === undefined ? null : [`${stringText(own.name)} in `, ""];
}

/** The length of a tuple without optional elements; null for other types. */
const lengthOf = (shape: Type): number | null =>
  shape.kind === "tuple" && shape.always === undefined ? shape.elems.length : null;

/** A test for classes with the same fields. A class has the name of its own file. */
function classTest(type: Type, others: readonly Type[], types: Types): readonly string[] | null {
  const own = fieldsOf(type, types).some((field) =>
    others.every((other) => !fieldsOf(other, types).some(({ name }) => name === field.name)),
  );
  const named = type.kind === "named" ? types.get(type.name) : undefined;
  return named?.instance === undefined || own
    ? null
    : [
        "",
        ` instanceof ${named.text.replace(/^InstanceType<typeof (.*)>$/, "$1").replace(/<.*$/, "")}`,
      ];
}

/** `["", ".k === 1", " || ", ".k === 2"]  ->  ["", ".k === 1 || ", ".k === 2"]` */
function joinedPieces(pieces: readonly string[]): readonly string[] {
  const out = [pieces[0] ?? ""];
  for (let at = 1; at < pieces.length; at += 2)
    out.push(`${pieces[at] ?? ""}${pieces[at + 1] ?? ""}`);
  return out;
}

/** The literals that a tag may be, as TypeScript writes them. */
function literalsOf(type: Type | undefined): readonly string[] {
  if (type === undefined) return [];
  if (type.kind === "num" || type.kind === "bool") return membersOf(type.literal ?? "");
  return type.kind === "leaf" && isLiteral(type) ? membersOf(type.text) : [];
}

const tagsOf = (variant: Type, tag: string, types: Types): readonly string[] =>
  literalsOf(fieldsOf(variant, types).find((field) => field.name === tag)?.type);

/** A field with distinct literals in all variants. */
function tagOf(variants: readonly Type[], types: Types): string | null {
  const [first, ...others] = variants.map((variant) => fieldsOf(variant, types));
  const isTag = (name: string): boolean => {
    const all = [first ?? [], ...others].map((fields) =>
      literalsOf(fields.find((field) => field.name === name)?.type),
    );
    const literals = all.flat();
    return all.every((one) => one.length > 0) && new Set(literals).size === literals.length;
  };
  return first?.find((field) => isTag(field.name))?.name ?? null;
}

/** Whether two variants have the same numbers at the same places and the same fields. */
function sameShape(x: Type, z: Type, types: Types): boolean {
  const [p, q] = [resolve(x, types), resolve(z, types)];
  if (p.kind !== q.kind || (p.kind !== "record" && p.kind !== "tuple"))
    return printType(p) === printType(q);
  const numeric = (fields: readonly Field[]): string =>
    fields
      .filter((field) => !isTag(field.type))
      .map((field) => `${field.name}: ${printType(field.type)}`)
      .sort()
      .join();
  const [own, others] = [fieldsOf(p, types), fieldsOf(q, types)];
  return (
    numeric(own) === numeric(others) &&
    own.length === others.length &&
    own.every((field) => others.some(({ name }) => name === field.name))
  );
}
