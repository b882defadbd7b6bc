// Lowers constants that are read from no object: `Math.PI`, `Enum.A`, `module.K`, static fields.

import type ts from "typescript";
import { num } from "../../ir/build.ts";
import type { Atom } from "../../ir/types.ts";
import { staticField } from "../classes/static-members.ts";
import { str, UNDEFINED } from "../coerce.ts";
import { isReassigned } from "../assignments.ts";
import type { Frame } from "../frame.ts";
import { isOpenInNamespace } from "../names/namespaces.ts";
import { constantOfModule } from "../names/other-modules.ts";
import { ownLibraryNames } from "../names/shadowed-globals.ts";
import { variableIdentity } from "../names/variable-identity.ts";
import { isNamespace, builtinPath } from "../names/library-names.ts";

/** Null for accesses that read an object. */
export function lowerConstant(
  f: Frame,
  node: ts.PropertyAccessExpression,
  wanted: string,
): Atom | null {
  const path = builtinPath(f, node);
  if (path !== null) return builtinConstant(f, node, path);
  const symbol = f.symbolOf(node.name);
  if (symbol === null) return null;
  const fixed = staticField(f, node);
  if (fixed !== null) return fixed;
  if (symbol.flags & f.api.SymbolFlags.EnumMember) return enumMember(f, node, symbol);
  if (isNamespace(f, node.expression) && symbol.flags & f.api.SymbolFlags.Variable)
    return moduleConstant(f, node, symbol);
  return wanted === "" ? UNDEFINED : null;
}

function builtinConstant(f: Frame, node: ts.PropertyAccessExpression, path: string): Atom {
  if (f.ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0)
    return f.refuse("TSG1124", node, path);
  const file = f.root.getSourceFile();
  const isHidden = ownLibraryNames(file, f.api).has(path.slice(0, path.indexOf(".")));
  return (
    numericConstant(path) ?? {
      kind: "global",
      name: isHidden ? `globalThis.${path}` : path,
      type: f.ctx.typeOf(node),
      file: file.fileName,
    }
  );
}

const numericConstant = (path: string): Atom | null =>
  path === "Number.POSITIVE_INFINITY"
    ? num(Infinity)
    : path === "Number.NEGATIVE_INFINITY"
      ? num(-Infinity)
      : path === "Number.NaN"
        ? num(NaN)
        : null;

/** A numeric member becomes its number: comparing members of one enum would be a type error. */
function enumMember(f: Frame, node: ts.PropertyAccessExpression, symbol: ts.Symbol): Atom {
  const member = symbol.valueDeclaration;
  const value =
    member !== undefined && f.api.isEnumMember(member)
      ? f.ctx.checker.getConstantValue(member)
      : undefined;
  if (typeof value === "number") return num(value);
  if (isConstEnum(f, symbol) && typeof value === "string") return str(value);
  const file = f.root.getSourceFile().fileName;
  return { kind: "global", name: node.getText(), type: f.ctx.typeOf(node), file };
}

const isConstEnum = (f: Frame, member: ts.Symbol): boolean => {
  const declaration = member.valueDeclaration?.parent;
  return (
    declaration !== undefined &&
    f.api.isEnumDeclaration(declaration) &&
    declaration.modifiers?.some((modifier) => modifier.kind === f.api.SyntaxKind.ConstKeyword) ===
      true
  );
};

/** `module.K` of a namespace or of a module imported as a namespace. */
function moduleConstant(f: Frame, node: ts.PropertyAccessExpression, symbol: ts.Symbol): Atom {
  const { api, ctx } = f;
  const file = f.root.getSourceFile().fileName;
  if (
    isReassigned(f, symbol) ||
    (symbol.valueDeclaration !== undefined && isOpenInNamespace(symbol.valueDeclaration, api))
  )
    return f.refuse("TSG1115", node, f.name, node.name.text);
  if (node.getSourceFile().fileName !== file)
    return (
      constantOfModule(f, symbol, ctx.typeOf(node)) ??
      f.refuse("TSG1209", node, `it uses \`${f.textOf(node)}\` of another module`)
    );
  return {
    kind: "global",
    name: node.getText(),
    type: ctx.typeOf(node),
    file,
    ...variableIdentity(symbol, node.getText(), file, api),
  };
}
