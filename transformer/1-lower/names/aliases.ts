// Resolves a module constant that is an alias of another: `const alias = base`.
// Output: the constant that held the object first. Invariant: both have one type and neither is
// reassigned. Other aliases of an object are detected at run time (TSG0004).

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { isReassigned } from "../assignments.ts";
import type { Type } from "../../ir/types.ts";
import { scopeOf } from "../functions/captures.ts";
import type { Frame } from "../frame.ts";
import { sameType } from "../objects/tuples.ts";

/** `base` of a module's `const alias = base`; the symbol itself if it is no alias. */
export function aliasedConstant(f: Frame, symbol: ts.Symbol, type: Type): ts.Symbol {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  const alias = declaration === undefined ? null : aliasedName(f, declaration);
  const base = alias === null ? null : f.symbolOf(alias);
  const constant = base?.valueDeclaration;
  if (
    declaration === undefined ||
    alias === null ||
    base === null ||
    constant === undefined ||
    constant === declaration ||
    !api.isVariableDeclaration(constant) ||
    isReassigned(f, base) ||
    isReassigned(f, symbol)
  )
    return symbol;
  const isOfFile =
    constant.getSourceFile() === declaration.getSourceFile() &&
    [declaration, constant].every((each) => api.isSourceFile(scopeOf(each, api)));
  return isOfFile && sameType(f.ctx.typeOf(alias), type) ? aliasedConstant(f, base, type) : symbol;
}

/** The identifier that initialises a variable. */
function aliasedName(f: Frame, declaration: ts.Declaration): ts.Identifier | null {
  const { api } = f;
  if (
    !api.isVariableDeclaration(declaration) ||
    !api.isIdentifier(declaration.name) ||
    declaration.initializer === undefined
  )
    return null;
  const node = bare(declaration.initializer, f.api);
  return api.isIdentifier(node) ? node : null;
}
