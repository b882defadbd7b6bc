// Local lists of functions: `const layers: Layer[] = []; layers.push((h) => h.map(act)); for (const layer of layers) h = layer(h)`. In: the declaration of a list. Out: the list, whose elements
// stand for functions as what fields hold does. Invariant: all that is put into it is known, and nobody sees it but code that puts functions into it or calls its elements (`function-list-uses.ts`).

import type ts from "typescript";
import type { Atom, Type } from "../ir/types.ts";
import { buildArray } from "./builtins/construct.ts";
import { elementAt, lengthOf, sourceOf } from "./builtins/iterate.ts";
import { returnedOf } from "./closures.ts";
import type { Fn, Frame } from "./frame.ts";
import { lowerStored, tagIn } from "./held-functions.ts";
import { opened, resolveFn } from "./resolve.ts";

/** Makes such a list; null of any other declaration. */
export function functionList(f: Frame, declaration: ts.VariableDeclaration): Atom | null {
  const { api } = f, { initializer, name } = declaration, tags = initializer === undefined ? null : f.ctx.classes.closures.ofList(declaration, f.root);
  if (tags === null || initializer === undefined) return null;
  const elem = f.ctx.tagsType(tags, declaration), type: Type = { kind: "array", store: "Array", elem }, made = opened(f, initializer), wanted = name.getText();
  if (api.isArrayLiteralExpression(made)) return f.let(wanted, type, { kind: "array", parts: made.elements.map((each) => ({ atom: lowerStored(f, each, "t", elem), spread: false })) });
  const callback = api.isCallExpression(made) && api.isPropertyAccessExpression(made.expression) ? { list: made.expression.expression, fn: resolveFn(f, made.arguments[0] ?? made) } : null;
  if (callback === null || callback.fn === null) return null;
  const { fn } = callback, source = sourceOf(f, callback.list);
  return buildArray(f, wanted, type, lengthOf(f, source), (at) => {
    const given: Fn | null = returnedOf(f, fn, [elementAt(f, source, at, "t"), at]);
    return (given === null ? null : tagIn(f, given, elem, made)) ?? f.refuse("TSG1124", made, f.textOf(made));
  });
}
