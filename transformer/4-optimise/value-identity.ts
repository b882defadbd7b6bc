// Structural equality of IR. `same` code is equal in every part; `alike` code may differ in origins
// and types. Parts that both sides share cost nothing.

export const same = (x: unknown, z: unknown): boolean => isEqual(x, z, false);

/** Equality without origins and types. */
export const alike = (x: unknown, z: unknown): boolean => isEqual(x, z, true);

const isObject = (x: unknown): x is Readonly<Record<string, unknown>> =>
  typeof x === "object" &&
  x !== null &&
  (Array.isArray(x) || Object.getPrototypeOf(x) === Object.prototype);

function isEqual(x: unknown, z: unknown, loosely: boolean): boolean {
  if (Object.is(x, z)) return true;
  if (!isObject(x) || !isObject(z) || Array.isArray(x) !== Array.isArray(z)) return false;
  for (const key in x)
    if (!(loosely && isAside(key)) && !isEqual(x[key], z[key], loosely)) return false;
  for (const key in z)
    if (!(key in x) && z[key] !== undefined && !(loosely && isAside(key))) return false;
  return true;
}

const isAside = (key: string): boolean => key === "origin" || key === "type";
