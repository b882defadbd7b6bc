// Types of arguments as text. In: an argument in a program. Out: its type; null while it has none.

import type ts from "typescript";
import { typeText, type Types } from "./type-text.ts";

/** Its type; the declared one where control flow says that it is missing: callbacks may set it. */
function settledType({ api, checker }: Types, argument: ts.Expression): ts.Type {
  const type = checker.getTypeAtLocation(argument);
  if (!(type.flags & (api.TypeFlags.Undefined | api.TypeFlags.Null))) return type;
  const name = api.isPropertyAccessExpression(argument) ? argument.name : argument;
  const symbol = checker.getSymbolAtLocation(name);
  return symbol === undefined ? type : checker.getTypeOfSymbol(symbol);
}

/** The type of an argument; null while it has none. */
export function argumentType(
  types: Types,
  argument: ts.Expression,
): { readonly text: string | null } | null {
  const { api } = types;
  if (api.isSpreadElement(argument)) return null;
  const said = settledType(types, argument);
  // `this` stands for its class
  const isThis = said.isTypeParameter() && said.symbol.flags & api.SymbolFlags.Class;
  const type = isThis ? (types.checker.getBaseConstraintOfType(said) ?? said) : said;
  if (type.flags & api.TypeFlags.Any) return null;
  const text = typeText(types, type, argument);
  if (text === null && type.getCallSignatures().length === 0) return null;
  return { text };
}
