// Whether values of two IR types have the same representation. Labels, marks and literals of
// the types do not count.

import type { Type } from "../../ir/types.ts";

// eslint-disable-next-line complexity -- flat exhaustive switch over Type kinds
export function sameType(x: Type, z: Type): boolean {
  switch (x.kind) {
    case "num":
    case "bool":
    case "void":
      return x.kind === z.kind;
    case "leaf":
      return z.kind === "leaf" && x.text === z.text;
    case "array":
      return z.kind === "array" && x.store === z.store && sameType(x.elem, z.elem);
    case "tuple":
      return (
        z.kind === "tuple" &&
        x.elems.length === z.elems.length &&
        x.elems.every((elem, i) => same(elem, z.elems[i]))
      );
    case "record":
      return (
        z.kind === "record" &&
        x.fields.length === z.fields.length &&
        x.fields.every(
          (field, i) => field.name === z.fields[i]?.name && same(field.type, z.fields[i].type),
        )
      );
    case "opt":
      return z.kind === "opt" && sameType(x.of, z.of);
    case "dict":
      return (
        z.kind === "dict" &&
        x.store === z.store &&
        sameType(x.key, z.key) &&
        sameType(x.value, z.value)
      );
    case "union":
      return (
        z.kind === "union" &&
        x.variants.length === z.variants.length &&
        x.variants.every((variant, i) => same(variant, z.variants[i]))
      );
    case "named":
      return z.kind === "named" && x.name === z.name;
    case "cotangent":
      return z.kind === "cotangent" && sameType(x.of, z.of);
    case "tape":
      return z.kind === "tape" && x.of === z.of;
    case "func":
      return false;
  }
}

const same = (x: Type, z: Type | undefined): boolean => z !== undefined && sameType(x, z);
