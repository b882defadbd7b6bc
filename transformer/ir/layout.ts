// What values of a type do not say of themselves: which fields tell the members of unions apart. In: the types of a function's arguments and result. Out:
// the names of those fields, and of the numbers among them. Invariant: what has the name of a tag is no other number in these types; agrees with
// `shadowType`, which keeps the same fields.

import { eachPart, isLiteral, type Types } from "./shadow.ts";
import type { Field, Func, Type } from "./types.ts";

export interface Layout {
  /** Literal fields that are no numbers: a derivative keeps them. */
  readonly leaves: readonly string[];
  /** Those that are numbers: no derivative passes through them. */
  readonly tags: readonly string[];
}

/** Of a function's arguments and what it returns: of `[value, aux]` of the value. */
export function layoutOf({ params, result }: Func, hasAux: boolean, types: Types): Layout {
  const leaves = new Set<string>();
  const tags = new Set<string>();
  const numbers = new Set<string>();
  const seen = new Set<string>();
  const visitField = ({ name, type }: Field, isTagged: boolean): void => {
    if (isTagged && isLiteral(type)) leaves.add(name);
    else if (type.kind !== "num") visit(type);
    else if (isTagged && type.literal !== undefined) tags.add(name);
    else numbers.add(name);
  };
  const visit = (type: Type): void => {
    if (type.kind === "record")
      type.fields.forEach((field) => visitField(field, type.tagged === true));
    else if (type.kind !== "named") eachPart(type, visit);
    else if (!seen.has(type.name)) {
      seen.add(type.name);
      visit(types.get(type.name)?.type ?? { kind: "void" });
    }
  };
  for (const { type } of params) visit(type);
  visit(hasAux && result.kind === "tuple" ? (result.elems[0] ?? result) : result);
  return {
    leaves: [...leaves].sort(),
    tags: [...tags].filter((name) => !numbers.has(name)).sort(),
  };
}

/** As the run time takes it; empty where there is nothing to say. */
export function layoutText({ leaves, tags }: Layout): string {
  const parts = [
    ...(leaves.length === 0 ? [] : [`leaves: ${JSON.stringify(leaves)}`]),
    ...(tags.length === 0 ? [] : [`tags: ${JSON.stringify(tags)}`]),
  ];
  return parts.length === 0 ? "" : `{ ${parts.join(", ")} }`;
}
