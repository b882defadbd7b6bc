// Methods that convert an object. In: the key of a member. Invariant: the keys are those of
// runtime/delta/by-others.ts.

/** Whether operators and built-ins call it: `toString`, `Symbol.toPrimitive`. */
export const isConversion = (key: string): boolean =>
  /^(?:valueOf|toString|toLocaleString|Symbol\.toPrimitive)$/.test(key);
