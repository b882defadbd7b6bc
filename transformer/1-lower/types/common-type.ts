// The element type of a list whose elements are written down: `[[0, 1], [1, 0]] as const` as a list of pairs of numbers. In: the elements' types. Out: the type that takes them all.
// Invariant: literals that all of them say are kept; texts list all of them, so that what asks for one of them still takes it.

import type { Type } from "../../ir/types.ts";
import { sameType } from "./same-type.ts";

/** Null where they do not go together. */
export function typeOfAll(types: readonly Type[]): Type | null {
  const [first, ...others] = types;
  if (first === undefined) return null;
  const common = commonType(first, others);
  return types.every((each) => sameType(common, commonType(each, [common]))) ? common : null;
}

/** The first one's, without the literals in which another differs. */
export function commonType(first: Type, others: readonly Type[]): Type {
  return others.reduce(both, first);
}

/** Where the kinds differ, the types do not go together, and whoever compares them says so. */
function both(x: Type, z: Type): Type {
  if ((x.kind === "num" || x.kind === "bool") && z.kind === x.kind)
    return x.literal === z.literal ? x : { kind: x.kind };
  if (x.kind === "leaf" && z.kind === "leaf" && isTextLiteral(x) && isTextLiteral(z))
    return {
      ...x,
      text: [...new Set([...x.text.split(" | "), ...z.text.split(" | ")])].sort().join(" | "),
    };
  if (x.kind === "array" && z.kind === "array") return { ...x, elem: both(x.elem, z.elem) };
  if (x.kind === "opt" && z.kind === "opt") return { ...x, of: both(x.of, z.of) };
  if (x.kind === "tuple" && z.kind === "tuple") return tuple(x, z);
  if (x.kind !== "record" || z.kind !== "record") return x;
  return {
    ...x,
    fields: x.fields.map((field, i) => {
      const other = z.fields[i];
      return other?.name === field.name ? { ...field, type: both(field.type, other.type) } : field;
    }),
  };
}

const isTextLiteral = ({ text }: Type & { readonly kind: "leaf" }): boolean =>
  text.split(" | ").every((part) => /^(?:"[^"|]*"|null|undefined)$/.test(part));

function tuple(x: Type & { readonly kind: "tuple" }, z: Type & { readonly kind: "tuple" }): Type {
  const { literals, ...rest } = x;
  const kept = literals?.map((one, i) => (one === (z.literals?.[i] ?? null) ? one : null));
  const elems = x.elems.map((elem, i) => {
    const other = z.elems[i];
    return other === undefined ? elem : both(elem, other);
  });
  return {
    ...rest,
    elems,
    ...(kept?.some((one) => one !== null) === true ? { literals: kept } : {}),
  };
}
