// Methods of leaves: strings, regular expressions, dates, numbers turned to text. In: the call. Out: an extern.
// Invariant: no number that a derivative could pass through leaves such a call.

import type ts from "typescript";
import type { Atom } from "../../ir/types.ts";
import { lowerValues } from "../calls.ts";
import { extern, externAt } from "../coerce.ts";
import type { Frame } from "../frame.ts";

export function lowerExternMethod(
  f: Frame,
  node: ts.CallExpression,
  receiver: Atom,
  method: string,
  wanted: string,
): Atom {
  const args = lowerValues(f, node);
  const type = f.ctx.typeOf(node);
  const text =
    args.length === 0
      ? ["", `.${method}()`]
      : ["", `.${method}(`, ...args.slice(1).map(() => ", "), ")"];
  const made = isText(f, receiver) ? externAt : extern;
  return made(
    f,
    wanted,
    type,
    text,
    [receiver, ...args],
    isStateful(f, receiver)
      ? "io"
      : isSet(f, receiver)
        ? CHANGES.has(method)
          ? "io"
          : "reads"
        : "pure",
  );
}

/** A text: numbers that its methods take are places and counts. */
export const isText = (f: Frame, receiver: Atom): boolean => {
  const shape = f.shape(receiver.type);
  return (
    shape.kind === "leaf" &&
    shape.opaque !== true &&
    (shape.text === "string" || shape.text.startsWith('"'))
  );
};

const CHANGES: ReadonlySet<string> = new Set(["add", "delete", "clear"]);

const isSet = (f: Frame, receiver: Atom): boolean => {
  const shape = f.shape(receiver.type);
  return shape.kind === "leaf" && /^(Readonly)?Set</.test(shape.text);
};

/** A regular expression with a sticky or global flag moves on with each call; a date can be set. */
const isStateful = (f: Frame, receiver: Atom): boolean => {
  const shape = f.shape(receiver.type);
  return shape.kind === "leaf" && (shape.text === "RegExp" || shape.text === "Date");
};
