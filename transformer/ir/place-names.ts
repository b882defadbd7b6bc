// Names for values after their origin: `b` for `m.b`, `w2` for `w[2]`, `wI` for `w[i]`, `w2$bar`
// for `w$bar[2]`, `exp` for `Math.exp(x)`. They are proposals and may clash; null if there is none.

import { ARENA, bar, BOG, isTemporary, partName, preferredName } from "./names.ts";
import { OPS, type ScalarOp } from "./ops.ts";
import type { Atom, Key } from "./types.ts";

export interface Place {
  readonly object: Atom;
  readonly key: Key;
}

/** `called`: the names that temporaries have by their own places. */
export function placeName(
  { object, key }: Place,
  called: (name: string) => string | undefined,
): string | null {
  const place = wordOf(key);
  if (place === null) return null;
  if (key.kind === "field" && !/^\d/.test(place))
    return object.kind === "var" && isShadow(preferredName(object.name)) ? bar(place) : place;
  if (object.kind !== "var") return null;
  const base = preferredName(object.name);
  const of = isTemporary(base) ? called(object.name) : base;
  if (of === undefined || of === BOG || of === ARENA) return null;
  const [array = "", ending, ...others] = of.split("$");
  if (ending === undefined) return partName(array, place);
  return ending === "bar" && others.length === 0 ? bar(partName(array, place)) : null;
}

/** Whether it is the name of a cotangent. A field of a shadow is one, too. */
const isShadow = (name: string): boolean => /^[^$]+\$bar$/.test(name);

/** Whether the name depends on a variable index, so that it does not identify the element. */
export const hasVariableIndex = (key: Key): boolean =>
  key.kind === "index" && key.at.kind === "var";

function wordOf(key: Key): string | null {
  if (key.kind === "field") return key.name === "" ? null : key.name;
  if (key.at.kind === "const")
    return typeof key.at.value === "number" && key.at.value >= 0 ? String(key.at.value) : null;
  const at = key.at.kind === "var" ? preferredName(key.at.name) : "t";
  const isSaid =
    key.at.kind === "var" && (isTemporary(key.at.name) ? /^[a-z]$/.test(at) : /^\w+$/.test(at));
  return isSaid && at !== "t" ? at : null;
}

/** The name of a `Math` function; null for other operators. */
export function functionName(op: ScalarOp): string | null {
  const { js } = OPS[op];
  return js.kind === "call" ? (/^Math\.(\w+)$/.exec(js.callee)?.[1] ?? null) : null;
}
