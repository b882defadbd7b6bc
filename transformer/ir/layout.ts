// Which fields discriminate unions in the arguments and the result of a function, for the run time.
// A numeric tag has no other number of the same name in these types. Agrees with `shadowType`.

import { partTypes, isLiteral, type Types } from "./shadow.ts";
import type { Field, Func, Type } from "./types.ts";

export interface Layout {
  /** Literal fields that are not numbers; a derivative copies them. */
  readonly leaves: readonly string[];
  /** Numeric literal fields; they have no derivative. */
  readonly tags: readonly string[];
}

/** Of a function's arguments and its result, or of the value in `[value, aux]`. */
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
    else if (type.kind !== "named") partTypes(type).forEach(visit);
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

/** The run-time argument's text; empty if no field counts. */
export function layoutText({ leaves, tags }: Layout): string {
  const parts = [
    ...(leaves.length === 0 ? [] : [`leaves: ${JSON.stringify(leaves)}`]),
    ...(tags.length === 0 ? [] : [`tags: ${JSON.stringify(tags)}`]),
  ];
  return parts.length === 0 ? "" : `{ ${parts.join(", ")} }`;
}
