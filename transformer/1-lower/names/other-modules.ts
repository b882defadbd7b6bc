// Constants of other modules as `global` atoms, with the name that their module exports.
// Invariant: generated code can name the constant and its type.

import type ts from "typescript";
import { field } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { scopeOf } from "../functions/captures.ts";
import type { Frame } from "../frame.ts";
import { exportNameOf } from "../sites/homes.ts";
import { variableIdentity } from "./variable-identity.ts";

/** A variable or static field of numbers at the top of a module; else null. */
export function constantOfModule(f: Frame, symbol: ts.Symbol, type: Type): Atom | null {
  const { api, ctx } = f;
  const declaration = symbol.valueDeclaration;
  if (
    declaration === undefined ||
    declaration.getSourceFile().isDeclarationFile ||
    !isNumeric(type) ||
    !mayBeExported(f, declaration)
  )
    return null;
  const owner = api.isClassDeclaration(declaration.parent) ? declaration.parent : null;
  const naming = owner ?? declaration;
  const field =
    owner === null
      ? ""
      : ctx.classes.isHidden(declaration)
        ? `["${symbol.name}"]`
        : `.${symbol.name}`;
  if (
    !(api.isVariableDeclaration(naming) || api.isClassDeclaration(naming)) ||
    naming.name === undefined ||
    !api.isIdentifier(naming.name) ||
    !api.isSourceFile(scopeOf(naming, api))
  )
    return null;
  return exportedGlobal(f, symbol, naming, `${naming.name.text}${field}`, type);
}

/** The atom for a name that `naming`, a declaration at the top of a module, exports. */
function exportedGlobal(
  { api, ctx }: Frame,
  symbol: ts.Symbol,
  naming: Parameters<typeof exportNameOf>[0],
  name: string,
  type: Type,
): Atom {
  const exportName = exportNameOf(naming, api, ctx.checker);
  const file = naming.getSourceFile().fileName;
  return {
    kind: "global",
    name,
    type,
    file,
    ...(exportName === undefined ? {} : { exportName }),
    ...variableIdentity(symbol, name, file, api),
  };
}

/**
 * Loads a part of another module's constant that also holds functions. No other module can name
 * that constant's type, so it is only read.
 */
export function partOfConstant(
  f: Frame,
  constant: ts.Symbol,
  part: string,
  type: Type,
): Atom | null {
  const { api, ctx } = f;
  const declaration = constant.valueDeclaration;
  if (
    declaration === undefined ||
    !isNumeric(type) ||
    !api.isVariableDeclaration(declaration) ||
    !api.isIdentifier(declaration.name) ||
    !mayBeExported(f, declaration)
  )
    return null;
  const { name } = declaration;
  const object = exportedGlobal(f, constant, declaration, name.text, ctx.typeOf(name));
  return f.let(part, type, { kind: "load", object, key: field(part) });
}

/** Whether the declaration may be exported: `isolatedDeclarations` requires an explicit type. */
export function mayBeExported({ api, ctx }: Frame, declaration: ts.Declaration): boolean {
  if (
    ctx.program.getCompilerOptions().isolatedDeclarations !== true ||
    !api.isVariableDeclaration(declaration) ||
    declaration.type !== undefined
  )
    return true;
  return (
    declaration.initializer !== undefined &&
    (api.isNumericLiteral(declaration.initializer) ||
      declaration.initializer.kind === api.SyntaxKind.TrueKeyword ||
      declaration.initializer.kind === api.SyntaxKind.FalseKeyword)
  );
}

/** Whether any module can name the type. */
export function isNumeric(type: Type): boolean {
  switch (type.kind) {
    case "num":
    case "bool":
      return true;
    case "array":
      return isNumeric(type.elem);
    case "tuple":
      return type.elems.every(isNumeric);
    case "record":
      return type.fields.every((each) => isNumeric(each.type));
    default:
      return false;
  }
}
