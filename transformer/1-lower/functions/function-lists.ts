// Local lists of functions: `const layers: Layer[] = []; layers.push((h) => h.map(act)); for (const layer of layers) h = layer(h)`. In: the declaration of a list. Out: the list, whose elements
// stand for functions as what fields hold does. Invariant: all that is put into it is known, and nobody sees it but code that puts functions into it or calls its elements (`function-list-uses.ts`).

import type ts from "typescript";
import type { Atom } from "../../ir/types.ts";
import type { Frame } from "../frame.ts";
import { lowerTagged } from "./held-functions.ts";

/** Makes such a list; null of any other declaration. */
export function functionList(f: Frame, declaration: ts.VariableDeclaration): Atom | null {
  const { initializer, name } = declaration;
  const tags =
    initializer === undefined ? null : f.ctx.classes.closures.ofList(declaration, f.root);
  return tags === null || initializer === undefined
    ? null
    : lowerTagged(f, initializer, f.ctx.tagsType(tags, declaration), name.getText());
}
