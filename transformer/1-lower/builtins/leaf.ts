// Lowers methods of strings, regular expressions, dates and Sets to externs.
// No number that a derivative could pass through leaves such a call.

import type ts from "typescript";
import type { Atom } from "../../ir/types.ts";
import { lowerValues } from "../lowering.ts";
import { externAt, externWith } from "../coerce.ts";
import type { Frame } from "../frame.ts";

export function lowerExternMethod(
  f: Frame,
  node: ts.CallExpression,
  receiver: Atom,
  method: string,
  hint: string,
): Atom {
  const args = lowerValues(f, node);
  const type = f.ctx.typeOf(node);
  const text =
    args.length === 0
      ? ["", `.${method}()`]
      : ["", `.${method}(`, ...args.slice(1).map(() => ", "), ")"];
  const emit = isStringAtom(f, receiver) ? externAt : externWith;
  const effect = effectOf(f, receiver, method);
  return emit(f, hint, type, { text, args: [receiver, ...args], effect });
}

function effectOf(f: Frame, receiver: Atom, method: string): "io" | "reads" | "pure" {
  if (isStateful(f, receiver)) return "io";
  if (!isSet(f, receiver)) return "pure";
  return CHANGES.has(method) ? "io" : "reads";
}

/** Whether it is a string: numeric arguments of its methods are positions and counts. */
export const isStringAtom = (f: Frame, receiver: Atom): boolean => {
  const shape = f.shape(receiver.type);
  return (
    shape.kind === "leaf" &&
    shape.opaque !== true &&
    (shape.text === "string" || shape.text.startsWith('"'))
  );
};

/** Methods that change a Set. */
const CHANGES: ReadonlySet<string> = new Set(["add", "delete", "clear"]);

const isSet = (f: Frame, receiver: Atom): boolean => {
  const shape = f.shape(receiver.type);
  return shape.kind === "leaf" && /^(Readonly)?Set</.test(shape.text);
};

/** A regular expression may advance `lastIndex` with each call; a date can be set. */
const isStateful = (f: Frame, receiver: Atom): boolean => {
  const shape = f.shape(receiver.type);
  return shape.kind === "leaf" && (shape.text === "RegExp" || shape.text === "Date");
};
