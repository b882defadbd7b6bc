// Lowers `new Set(…)` and calls on Sets to externs.
// A number, or an object with numbers, can be added or looked up but not read back,
// because an extern has no derivative.
/* eslint-disable @typescript-eslint/no-unnecessary-condition -- type.symbol may be undefined */

import type ts from "typescript";
import { BOOL } from "../../ir/build.ts";
import { hasNumbers } from "../../ir/shadow.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { lowerValues, lowerExpr } from "../lowering.ts";
import { inert, externWith, inertWith } from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { isLibrary } from "../names/library-names.ts";
import { sealedIn } from "../classes/private-instances.ts";
import { isIterator, iterableAsArray } from "./iterate.ts";
import type { KeyedCall } from "./dict.ts";
import { lowerExternMethod } from "./leaf.ts";

/** The element type of a Set; null for other types, and where it is unknown. */
export function setElement(f: Frame, node: ts.Node): Type | null {
  const type = f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(node));
  if (type.symbol === undefined || !/^(Readonly)?Set$/.test(type.symbol.name)) return null;
  // Set and ReadonlySet are generic interfaces.
  const [elem] = f.ctx.checker.getTypeArguments(type as ts.TypeReference);
  const of = elem === undefined ? null : f.ctx.typeFrom(elem, node);
  return of === null || (of.kind === "leaf" && of.opaque === true) ? null : of;
}

const isOfObjects = (f: Frame, elem: Type): boolean =>
  f.shape(elem).kind !== "num" && hasNumbers(elem, f.ctx.types);

/** `new Set(…)` */
export function newSet(f: Frame, node: ts.NewExpression, hint: string): Atom {
  const elem = setElement(f, node);
  const isFull = (node.arguments ?? []).length > 0;
  // An instance whose fields are lowered to a record would be added as that record.
  if (
    elem === null ||
    (isFull && sealedIn(elem, f.ctx.types) !== null) ||
    !isLibrary(f, node.expression, "Set")
  )
    return f.refuse("TSG1206", node, "Set");
  const args = (node.arguments ?? []).map((argument) =>
    isIterator(f, argument) ? iterableAsArray(f, argument).atom : lowerExpr(f, argument),
  );
  const type = f.ctx.typeOf(node);
  const name = type.kind === "leaf" ? type.text : "Set";
  const text = isFull ? [`new ${name}(`, ")"] : [`new ${name}()`];
  return isOfObjects(f, elem)
    ? inert(f, hint, type, text, args)
    : externWith(f, hint, type, { text: text, args: args, effect: "reads" });
}

/** Whether a method changes the Set. */
const CHANGES: Readonly<Record<string, boolean>> = {
  add: true,
  delete: true,
  clear: true,
  has: false,
};

/** `seen.add(x)` and other methods. */
export function lowerSetMethod(f: Frame, call: KeyedCall, elem: Type): Atom {
  const { node, receiver, method, hint } = call;
  if (!isOfObjects(f, elem)) return lowerExternMethod(f, node, receiver, method, hint);
  const changes = CHANGES[method];
  if (changes === undefined) return f.refuse("TSG1112", node, method, "Set");
  const args = lowerValues(f, node);
  const text = args.length === 0 ? ["", `.${method}()`] : ["", `.${method}(`, ")"];
  return inertWith(
    f,
    hint,
    method === "add" ? receiver.type : method === "clear" ? { kind: "void" } : BOOL,
    { text: text, args: [receiver, ...args], effect: changes ? "io" : "reads" },
  );
}
