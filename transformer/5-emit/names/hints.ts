// Names for temporaries, after the place that they are read from or written to: `b` for `m.b`, `w2`
// for `w[2]`, `wI` for `w[i]`, `w2$bar` for `w$bar[2]`. Names of the user's stay.

import { bar, baseName, isTemporary, preferredName } from "../../ir/names.ts";
import { functionName, hasVariableIndex, placeName } from "../../ir/place-names.ts";
import { type Code, type Line, walkLines } from "../code.ts";

/** `isWeak`: the name describes the position of the place, not its content. */
export interface Hint {
  readonly name: string;
  readonly isWeak: boolean;
}

type Hints = ReadonlyMap<string, Hint>;

export function hintsOf({ block }: Code): Hints {
  const hints = new Map<string, Hint>();
  /** Values that the primal computes. */
  const primal = new Set<string>();
  walkLines(block, (line) => {
    const hint = line.kind === "let" ? hintFor(line, hints) : null;
    if (line.kind === "let" && hint !== null) hints.set(line.bind.name, hint);
    if (line.kind === "let" && line.adjoint !== true && baseName(line.bind.name) !== bar("t"))
      primal.add(line.bind.name);
    if (line.kind !== "store" || line.value.kind !== "var" || hints.has(line.value.name)) return;
    const name = placeName(line, calledBy(hints));
    // a primal value stored to a shadow gets no name of a cotangent
    if (name?.includes("$") === true && primal.has(line.value.name)) return;
    // a nested element such as `w_2_3` is no helpful name
    if (name !== null && !/_\d+$/.test(name)) hints.set(line.value.name, { name, isWeak: true });
  });
  return hints;
}

function hintFor({ bind, value }: Line & { readonly kind: "let" }, hints: Hints): Hint | null {
  if (value.kind === "length") return { name: "n", isWeak: false };
  const of = value.kind === "op" && baseName(bind.name) === "t" ? functionName(value.op) : null;
  if (of !== null) return { name: of, isWeak: true };
  const name = value.kind === "load" ? placeName(value, calledBy(hints)) : null;
  if (value.kind !== "load" || name === null) return null;
  const isShadow = baseName(bind.name) === bar("t") && !name.includes("$");
  return { name: isShadow ? bar(name) : name, isWeak: hasVariableIndex(value.key) };
}

const calledBy =
  (hints: Hints) =>
  (name: string): string | undefined =>
    hints.get(name)?.name;

/** The user's name if known, else a field that it is read from, else a parameter. */
export function wantedName(names: readonly string[], hint: Hint | undefined): string {
  const named = names.find((name) => !isTemporary(name));
  if (named !== undefined) return preferredName(named);
  const given = names.map(preferredName).find((name) => !isTemporary(name));
  return (
    (hint?.isWeak === true ? (given ?? hint.name) : (hint?.name ?? given)) ??
    baseName(names[0] ?? "t")
  );
}
