// Types of arguments as text for the parameters of copies. In: a checker's type. Out: text that
// means it at the top of the file, or null where there is none.

import type ts from "typescript";

type Api = typeof ts;

export interface Types {
  readonly api: Api;
  readonly checker: ts.TypeChecker;
  /** The copy of a declared class, or of one that stands for an interface. */
  readonly classNamed?: (declaration: ts.Declaration) => string | undefined;
}

/** Text that is no type, or that names what no other place can name. */
const UNUSABLE = /\bany\b|\bunknown\b|\btypeof\b|\bunique symbol\b|\bnever\b/;

export function typeText(types: Types, type: ts.Type, at: ts.Node): string | null {
  const { api, checker } = types;
  const declared = typeNode(types, checker.getBaseTypeOfLiteralType(type), at);
  if (declared === undefined) return null;
  const node = withClasses(types, declared);
  const text = api
    .createPrinter({ removeComments: true })
    .printNode(api.EmitHint.Unspecified, node, at.getSourceFile())
    .replace(/\s+/g, " ");
  return UNUSABLE.test(text) ? null : text;
}

/** A declared class is named by its copy. */
function withClasses({ api, checker, classNamed }: Types, root: ts.TypeNode): ts.TypeNode {
  if (classNamed === undefined) return root;
  const visit = (node: ts.Node): ts.Node => {
    const name = api.isTypeReferenceNode(node)
      ? node.typeName
      : api.isImportTypeNode(node)
        ? node.qualifier
        : undefined;
    const last = name !== undefined && api.isQualifiedName(name) ? name.right : name;
    const symbol = last === undefined ? undefined : symbolIn(last);
    const isAlias = symbol !== undefined && (symbol.flags & api.SymbolFlags.Alias) !== 0;
    const end = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = end?.valueDeclaration ?? end?.declarations?.[0];
    const copy = declaration && classNamed(declaration);
    return copy === undefined
      ? api.visitEachChild(node, visit, undefined)
      : api.factory.createTypeReferenceNode(copy);
  };
  return api.visitNode(root, visit, api.isTypeNode);
}

/** What TypeScript printed an identifier for: internal to it, so it may be missing. */
const symbolIn = (node: ts.Identifier & { readonly symbol?: ts.Symbol }): ts.Symbol | undefined =>
  node.symbol;

/** TypeScript throws at some conditional types of declarations. */
function typeNode({ api, checker }: Types, type: ts.Type, at: ts.Node): ts.TypeNode | undefined {
  const { NoTruncation, UseStructuralFallback } = api.NodeBuilderFlags;
  try {
    return checker.typeToTypeNode(type, at.getSourceFile(), NoTruncation | UseStructuralFallback);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Whether a declared type says enough: numbers, strings and booleans, lists of them. */
export function isPlain(types: Types, type: ts.Type, depth = 0): boolean {
  const { api, checker } = types;
  const { TypeFlags } = api;
  const scalar =
    TypeFlags.NumberLike | TypeFlags.StringLike | TypeFlags.BooleanLike | TypeFlags.Undefined;
  if (type.flags & TypeFlags.Union) {
    const parts = (type as ts.UnionType).types; // its flags say so
    const kinds = new Set(
      parts
        .filter((part) => !(part.flags & TypeFlags.Undefined))
        .map((part) => checker.getBaseTypeOfLiteralType(part).flags & ~TypeFlags.BooleanLiteral),
    );
    return kinds.size <= 1 && parts.every((part) => isPlain(types, part, depth));
  }
  if (type.flags & scalar) return true;
  if (/^(?:Float64|Float32|(?:Int|Uint)(?:8|16|32))Array(?:<|$)/.test(checker.typeToString(type)))
    return true;
  if (depth > 3 || !(checker.isArrayType(type) || checker.isTupleType(type))) return false;
  return checker
    .getTypeArguments(type as ts.TypeReference) // lists are references
    .every((part) => isPlain(types, part, depth + 1));
}
