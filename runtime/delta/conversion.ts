// Hooks for operands that are not numbers. `conversions` (primitive.ts) installs them. In programs
// whose operands are numbers by type they stay out of the bundle, and another operand throws.

import { unforeseen } from "./families.ts";
import type * as primitives from "./primitive.ts";
import { ret } from "./register.ts";
import type { Id, Value } from "./value.ts";

export interface Conversion extends Pick<typeof primitives, "coerced" | "mixed" | "primitive"> {
  readonly readBack: (value: Value) => Id;
}

let known: Conversion | null = null;

export function convertBy(conversion: Conversion): void {
  known = conversion;
}

export function conversion(): Conversion {
  if (known === null) throw unforeseen("an operand that is no number");
  return known;
}

export const coerced: Conversion["coerced"] = (f, x, xi) => conversion().coerced(f, x, xi);
export const mixed: Conversion["mixed"] = (plain, f, x, xi, y, yi, hint) =>
  known === null ? f(numberOf(x), xi, numberOf(y), yi) : known.mixed(plain, f, x, xi, y, yi, hint);
export const primitive: Conversion["primitive"] = (x, xi, hint) =>
  known === null ? ret(numberOf(x), xi) : known.primitive(x, xi, hint);

/** An element that is missing, which types do not show, is NaN as an operand. */
function numberOf(x: Value): number {
  if (x === undefined) return NaN;
  if (typeof x !== "number") throw unforeseen("an operand that is no number");
  return x;
}

export const isObject = (x: Value): boolean =>
  (typeof x === "object" && x !== null) || typeof x === "function";
