// Deep equality of acyclic data: values, arrays, objects, maps and sets, order included. Numbers
// compare as in `Object.is`. Shared objects are compared once.

export const deepEqual = (x: unknown, z: unknown): boolean => isAlike(x, z, new Map());

/** `known`: objects of the first value, with their equals in the second. */
function isAlike(x: unknown, z: unknown, known: Map<object, object>): boolean {
  if (Object.is(x, z)) return true;
  if (typeof x !== "object" || typeof z !== "object" || x === null || z === null) return false;
  if (known.get(x) === z) return true;
  if (!hasSame(x, z, known)) return false;
  known.set(x, z);
  return true;
}

function hasSame(x: object, z: object, known: Map<object, object>): boolean {
  if (Object.getPrototypeOf(x) !== Object.getPrototypeOf(z)) return false;
  if (Array.isArray(x) && Array.isArray(z)) return isEach(x, z, known);
  if (x instanceof Map && z instanceof Map)
    return (
      x.size === z.size &&
      isEach([...x.keys()], [...z.keys()], known) &&
      isEach([...x.values()], [...z.values()], known)
    );
  if (x instanceof Set && z instanceof Set)
    return x.size === z.size && isEach([...x], [...z], known);
  const names = Object.keys(x);
  // A field that is undefined differs from a missing one. Both objects have the name.
  return (
    names.length === Object.keys(z).length &&
    names.every(
      (name) =>
        Object.hasOwn(z, name) &&
        isAlike(x[name as keyof typeof x], z[name as keyof typeof z], known),
    )
  );
}

function isEach(
  xs: readonly unknown[],
  zs: readonly unknown[],
  known: Map<object, object>,
): boolean {
  if (xs.length !== zs.length) return false;
  for (let k = 0; k < xs.length; k++) if (!isAlike(xs[k], zs[k], known)) return false;
  return true;
}
