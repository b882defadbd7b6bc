// What to call a temporary. In: code as nest.ts leaves it. Out: by name, the place that it was read from or is written to, as a word: `b` for `m.b`, `w2` for `w[2]`,
// `wI` for `w[i]`, `w2$bar` for `w$bar[2]`. Invariant: a name of the user's stays what it is.

import { bar, baseName, BOG, isTemporary, partName, spoken } from "../ir/names.ts";
import type { Atom, Key } from "../ir/types.ts";
import { type Code, type Line, walkLines } from "./code.ts";

/** `isWeak`: it says which place it is, and not what stands there. */
export interface Hint {
  readonly name: string;
  readonly isWeak: boolean;
}

type Hints = ReadonlyMap<string, Hint>;

export function hintsOf({ block }: Code): Hints {
  const hints = new Map<string, Hint>();
  walkLines(block, (line) => {
    const hint = line.kind === "let" ? hintFor(line, hints) : null;
    if (line.kind === "let" && hint !== null) hints.set(line.bind.name, hint);
    if (line.kind !== "store" || line.value.kind !== "var" || hints.has(line.value.name)) return;
    const name = placeName(line, hints);
    // a place of a place of a place says nothing any more
    if (name !== null && !/_\d+$/.test(name)) hints.set(line.value.name, { name, isWeak: true });
  });
  return hints;
}

function hintFor({ bind, value }: Line & { readonly kind: "let" }, hints: Hints): Hint | null {
  if (value.kind === "length") return { name: "n", isWeak: false };
  const name = value.kind === "load" ? placeName(value, hints) : null;
  if (value.kind !== "load" || name === null) return null;
  const isShadow = baseName(bind.name) === bar("t") && !name.includes("$");
  return { name: isShadow ? bar(name) : name, isWeak: value.key.kind === "index" && value.key.at.kind === "var" };
}

function placeName({ object, key }: { readonly object: Atom; readonly key: Key }, hints: Hints): string | null {
  const place = placeOf(key);
  if (place === null || (key.kind === "field" && !/^\d/.test(place))) return place;
  if (object.kind !== "var") return null;
  const base = spoken(object.name);
  const of = isTemporary(base) ? hints.get(object.name)?.name : base;
  if (of === undefined || of === BOG) return null;
  const [array = "", ending, ...others] = of.split("$");
  if (ending === undefined) return partName(array, place);
  return ending === "bar" && others.length === 0 ? bar(partName(array, place)) : null;
}

/** A place that can be said in a word; null for a computed one. */
function placeOf(key: Key): string | null {
  if (key.kind === "field") return key.name;
  if (key.at.kind === "const") return typeof key.at.value === "number" && key.at.value >= 0 ? String(key.at.value) : null;
  return key.at.kind === "var" && /^[a-z]$/.test(spoken(key.at.name)) && spoken(key.at.name) !== "t" ? spoken(key.at.name) : null;
}

/** The user's name, where one is known by it; a place that it was read from says more than a parameter that it was given to, but for an element among others. */
export function wantedName(names: readonly string[], hint: Hint | undefined): string {
  const named = names.find((name) => !isTemporary(name));
  if (named !== undefined) return spoken(named);
  const given = names.map(spoken).find((name) => !isTemporary(name));
  return (hint?.isWeak === true ? given ?? hint.name : hint?.name ?? given) ?? baseName(names[0] ?? "t");
}
