// How messages call the operands of a function's operations: by the user's name, or by the code
// that computes a temporary. Input: a function, and the text of a span.

import { isTemporary, preferredName } from "./names.ts";
import type { Atom, Func, Origin } from "./types.ts";
import { letsIn } from "./lets.ts";

export function operandTexts(
  func: Func,
  code: (origin: Origin) => string,
): (operand: Atom) => string {
  const defined = letsIn(func.body);
  const textOf = (atom: Atom): string => {
    if (atom.kind === "const") return String(atom.value);
    if (atom.kind === "undef") return "undefined";
    const def = atom.kind === "var" ? defined.get(atom.name) : undefined;
    if (def === undefined || !isTemporary(atom.name)) return preferredName(atom.name);
    const text = code(def.origin);
    // what a loop reads once has the loop's span
    if (!/^(?:for|while)\b/.test(text)) return text;
    return def.expr.kind === "length" ? `${textOf(def.expr.object)}.length` : "the operand";
  };
  return textOf;
}
