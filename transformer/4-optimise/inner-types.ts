// The component types of a type: an array's element, a record's fields, a union's variants. The
// keys of a dict and the definition of a named type are no components.

import type { Type } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";

export function innerTypes(type: Type): readonly Type[] {
  switch (type.kind) {
    case "array":
      return [type.elem];
    case "tuple":
      return type.elems;
    case "record":
      return type.fields.map((field) => field.type);
    case "opt":
    case "cotangent":
      return [type.of];
    case "dict":
      return [type.value];
    case "union":
      return type.variants;
    case "func":
      return [...type.params, type.result];
    case "named":
    case "num":
    case "bool":
    case "leaf":
    case "tape":
    case "void":
      return [];
    default:
      return unreachable(type);
  }
}
