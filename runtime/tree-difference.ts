// The first difference of two trees of numbers, as a message with its place, or null. Shapes and
// leaves must agree; NaN equals NaN only.

import { pathTo } from "./tree/parts.ts";

/**
 * A number may differ by `absolute + relative * |expected|`. The default of 1e-9 relative allows
 * only for the rounding of long sums.
 */
export interface TreeTolerance {
  readonly relative?: number;
  readonly absolute?: number;
}

/** Test runners check no types. */
function checked<T>(tolerance: T): T {
  const other =
    typeof tolerance === "object" && tolerance !== null
      ? Object.keys(tolerance).find((key) => key !== "relative" && key !== "absolute")
      : String(tolerance);
  if (other === undefined) return tolerance;
  throw new TypeError(
    `a tolerance is an object \`{ relative?: number, absolute?: number }\`; there is \`${other}\``,
  );
}

export function differenceOf(
  received: unknown,
  expected: unknown,
  tolerance: TreeTolerance,
): string | null {
  const { relative = 1e-9, absolute = 1e-12 } = checked(tolerance);
  const met = new Map<unknown, unknown>();
  const differ = (a: unknown, b: unknown, path: string): string | null => {
    const found = (): string =>
      `at \`${path === "" ? "the value itself" : path}\` there is ${shown(a)}, expected ${shown(b)}`;
    if (typeof a === "number" && typeof b === "number") {
      const isClose = Object.is(a, b) || Math.abs(a - b) <= absolute + relative * Math.abs(b);
      return isClose ? null : `${found()} (apart by ${Math.abs(a - b)})`;
    }
    if (typeof a !== "object" || a === null || typeof b !== "object" || b === null)
      return a === b ? null : found();
    if (met.get(a) === b) return null;
    met.set(a, b);
    return kindName(a) === kindName(b) ? differInside(a, b, path) : found();
  };
  const differInside = (a: object, b: object, path: string): string | null => {
    const left = partsOf(a);
    const right = partsOf(b);
    for (const key of [...left.keys(), ...right.keys()]) {
      const place = pathTo(path, key, a);
      if (!left.has(key)) return `\`${place}\` is missing, expected ${shown(right.get(key))}`;
      if (!right.has(key))
        return `\`${place}\` is ${shown(left.get(key))}, and nothing was expected there`;
      const inner = differ(left.get(key), right.get(key), place);
      if (inner !== null) return inner;
    }
    return null;
  };
  return differ(received, expected, "");
}

/** `Float64Array`, `Map`, `an array`, `an object` */
const kindName = (value: object): string =>
  Array.isArray(value)
    ? "an array"
    : ArrayBuffer.isView(value) || value instanceof Map
      ? value.constructor.name
      : "an object";

function partsOf(value: object): Map<unknown, unknown> {
  if (value instanceof Map) return value;
  const parts = new Map<unknown, unknown>();
  const isArray = Array.isArray(value) || ArrayBuffer.isView(value);
  for (const key of Object.keys(value))
    parts.set(isArray ? Number(key) : key, Object.getOwnPropertyDescriptor(value, key)?.value);
  return parts;
}

const shown = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? kindName(value)
    : typeof value === "string"
      ? JSON.stringify(value)
      : String(value);
