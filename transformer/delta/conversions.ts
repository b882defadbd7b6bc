// Methods that the language calls: those that convert an object, and those behind a symbol. In: a
// key, or a function. Invariant: the keys are those of runtime/delta/by-others.ts.

import type ts from "typescript";
import { isAssignment } from "../syntax/assignments.ts";

/** Whether operators and built-ins call it: `toString`, `Symbol.toPrimitive`. */
export const isConversion = (key: string): boolean =>
  /^(?:valueOf|toString|toLocaleString|Symbol\.toPrimitive)$/.test(key);

/**
 * Whether a function may become such a method of an object that exists: `K.prototype.toString = f`,
 * `k[Symbol.iterator] = f`, `Object.assign(K.prototype, { valueOf() { … } })`,
 * `Object.defineProperty(k, "toString", { value: f })`.
 */
export function isPutForTheLanguage(node: ts.Node, api: typeof ts): boolean {
  const keys: ts.Node[] = [];
  const isInside = (at: ts.Node): boolean =>
    at === node ||
    !(api.isStatement(at) || api.isFunctionLike(at) || api.isClassLike(at) || api.isSourceFile(at));
  for (let at = node; isInside(at); at = at.parent) {
    if (api.isObjectLiteralElement(at) && at.name !== undefined) keys.push(at.name);
    if (api.isCallExpression(at))
      return (
        PUTTING.test(at.expression.getText()) &&
        [...keys, ...at.arguments].some((key) => isKey(key, api))
      );
    if (isAssignment(at, api)) return isKey(at.left, api);
  }
  return false;
}

const PUTTING = /^(?:Object|Reflect)\.(?:assign|create|set|setPrototypeOf|definePropert(?:y|ies))$/;

/** `toString`, `"toString"`, `[Symbol.iterator]`, and a place with that key. */
function isKey(node: ts.Node, api: typeof ts): boolean {
  if (api.isComputedPropertyName(node)) return isKey(node.expression, api);
  if (api.isElementAccessExpression(node)) return isKey(node.argumentExpression, api);
  if (api.isIdentifier(node) || api.isStringLiteralLike(node)) return IMPLICIT.test(node.text);
  return (
    api.isPropertyAccessExpression(node) &&
    (node.expression.getText() === "Symbol" || IMPLICIT.test(node.name.text))
  );
}

/** Names of methods that operators, loops, `await` or built-ins call. */
const IMPLICIT = /^(?:valueOf|to(?:String|LocaleString|JSON|ISOString)|next|return|throw|then)$/;
