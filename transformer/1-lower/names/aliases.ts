// Constants of a module that are another name of one of its constants: `const alias = base`. In: what a name means. Out: the constant that has had the object first. Invariant: both are of one type, and
// neither is assigned again; of other ways to the same object the run tells (TSG0004).

import type ts from "typescript";
import { isReassigned } from "../effects.ts";
import type { Type } from "../../ir/types.ts";
import { scopeOf } from "../functions/captures.ts";
import type { Frame } from "../frame.ts";
import { sameType } from "../objects/tuples.ts";
import { opened } from "../resolve.ts";

/** `base` of a module's `const alias = base`, which is another name of the same object. */
export function firstNamed(f: Frame, symbol: ts.Symbol, type: Type): ts.Symbol {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  const other =
    declaration !== undefined &&
    api.isVariableDeclaration(declaration) &&
    api.isIdentifier(declaration.name) &&
    declaration.initializer !== undefined
      ? opened(f, declaration.initializer)
      : null;
  const named = other !== null && api.isIdentifier(other) ? f.symbolOf(other) : null;
  const constant = named?.valueDeclaration;
  if (
    other === null ||
    named === null ||
    constant === undefined ||
    constant === declaration ||
    !api.isVariableDeclaration(constant) ||
    isReassigned(f, named) ||
    isReassigned(f, symbol)
  )
    return symbol;
  const isOfFile = [declaration, constant].every(
    (each) =>
      each !== undefined &&
      api.isSourceFile(scopeOf(each, api)) &&
      each.getSourceFile() === declaration?.getSourceFile(),
  );
  return isOfFile && sameType(f.ctx.typeOf(other), type) ? firstNamed(f, named, type) : symbol;
}
