// Names for the tangent types of BOGs, where a BOG is not its own tangent's type. Input: derived
// items and all named types. Output: type items to add.
// Invariant: a recursive BOG refers to its tangent by this name, so TypeScript never has to unfold
// `Cotangent`.

import type { Derived } from "../ir/facts.ts";
import { bogTangent } from "../ir/names.ts";
import { shadowType, type Types } from "../ir/shadow.ts";
import type { Type } from "../ir/types.ts";

type TypeItem = Extract<Derived, { readonly kind: "type" }>;

export function bogTangents(made: readonly Derived[], types: Types): readonly TypeItem[] {
  return made.flatMap((item): TypeItem[] => {
    if (item.kind !== "type" || item.type.kind === "cotangent" || types.has(bogTangent(item.name)))
      return [];
    const bog: Type = { kind: "named", name: item.name };
    const shadow = shadowType(bog, types);
    return shadow?.kind === "cotangent"
      ? [{ ...item, name: bogTangent(item.name), type: shadow }]
      : [];
  });
}
