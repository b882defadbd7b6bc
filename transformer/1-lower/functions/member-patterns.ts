// Binds patterns to the members of a literal with functions: `const { up, down } = o`.

import type ts from "typescript";
import { isFn, type Arg } from "../function-values.ts";
import { UNDEFINED } from "../coerce.ts";
import { isMutable } from "../effects.ts";
import { type Frame } from "../frame.ts";
import { bindName, withDefault } from "../objects/patterns.ts";
import { argumentOf } from "./known-functions.ts";
import { type Members, valueNow, isMissing } from "./known-members.ts";

// ---------------------------------------------------------------- patterns

/** Binds `const { up, down } = o` and `{ f, tol = 1 }`; false for patterns with other elements. */
export function bindMembers(f: Frame, pattern: ts.BindingName, members: Members): boolean {
  const { api } = f;
  if (api.isIdentifier(pattern)) {
    const symbol = f.symbolOf(pattern);
    if (symbol === null || isMutable(f, symbol)) return false;
    f.env.bind(symbol, { kind: "fn", fn: members });
    return true;
  }
  return pattern.elements.every((element, at) => {
    if (api.isOmittedExpression(element)) return true;
    const key = element.propertyName ?? element.name;
    const name = api.isArrayBindingPattern(pattern)
      ? String(at)
      : api.isIdentifier(key) || api.isStringLiteral(key)
        ? key.text
        : null;
    return (
      name !== null &&
      element.dotDotDotToken === undefined &&
      bindPart(f, element, valueNow(f, members, name) ?? UNDEFINED)
    );
  });
}

export function bindPart(f: Frame, element: ts.BindingElement, part: Arg): boolean {
  const { initializer } = element;
  const missing = isMissing(part);
  const value = missing && initializer !== undefined ? argumentOf(f, initializer) : part;
  if (!isFn(value)) {
    bindName(
      f,
      element.name,
      initializer === undefined || missing
        ? value
        : withDefault(f, value, initializer, "t", element),
    );
    return true;
  }
  if (value.kind === "getter") return false;
  if (value.kind === "members") return bindMembers(f, element.name, value);
  const symbol = f.api.isIdentifier(element.name) ? f.symbolOf(element.name) : null;
  if (symbol === null || isMutable(f, symbol)) return false;
  f.env.bind(symbol, { kind: "fn", fn: value });
  return true;
}
