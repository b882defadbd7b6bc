// Finds the element type of an array literal: `[[0, 1], [1, 0]] as const` has pairs of numbers.
// Input: the elements' types. Output: the type that includes them all.
// Number literals stay only where all elements agree; string literals form a union.

import { membersOf } from "../../ir/literal-types.ts";
import type { Type } from "../../ir/types.ts";
import { sameType } from "./same-type.ts";

/** The common type; null where the elements have none. */
export function elementTypeOf(types: readonly Type[]): Type | null {
  const [first, ...others] = types;
  if (first === undefined) return null;
  const common = commonType(first, others);
  return types.every((each) => sameType(common, commonType(each, [common]))) ? common : null;
}

/** The first type, with the literals of all. */
export function commonType(first: Type, others: readonly Type[]): Type {
  return others.reduce(both, first);
}

/** Where the kinds differ this is the first type, so that comparing it with the second fails. */
function both(x: Type, z: Type): Type {
  if (x.kind === "num" || x.kind === "bool")
    return z.kind !== x.kind || x.literal === z.literal ? x : { kind: x.kind };
  if (x.kind === "leaf") return z.kind === "leaf" ? leaf(x, z) : x;
  if (x.kind === "array") return z.kind === "array" ? { ...x, elem: both(x.elem, z.elem) } : x;
  if (x.kind === "opt") return z.kind === "opt" ? { ...x, of: both(x.of, z.of) } : x;
  if (x.kind === "tuple") return z.kind === "tuple" ? tuple(x, z) : x;
  return x.kind === "record" && z.kind === "record" ? record(x, z) : x;
}

type Of<K extends Type["kind"]> = Type & { readonly kind: K };

function leaf(x: Of<"leaf">, z: Of<"leaf">): Type {
  if (!isStringLiteral(x) || !isStringLiteral(z)) return x;
  const literals = new Set([...membersOf(x.text), ...membersOf(z.text)]);
  return { ...x, text: [...literals].sort().join(" | ") };
}

function record(x: Of<"record">, z: Of<"record">): Type {
  const fields = x.fields.map((field, i) => {
    const other = z.fields[i];
    return other?.name === field.name ? { ...field, type: both(field.type, other.type) } : field;
  });
  return { ...x, fields };
}

const isStringLiteral = ({ text }: Of<"leaf">): boolean =>
  membersOf(text).every((part) => /^(?:"[^"|]*"|null|undefined)$/.test(part));

function tuple(x: Of<"tuple">, z: Of<"tuple">): Type {
  const { literals, ...rest } = x;
  const common = literals?.map((one, i) => (one === (z.literals?.[i] ?? null) ? one : null));
  const elems = x.elems.map((elem, i) => {
    const other = z.elems[i];
    return other === undefined ? elem : both(elem, other);
  });
  return {
    ...rest,
    elems,
    ...(common?.some((one) => one !== null) === true ? { literals: common } : {}),
  };
}
