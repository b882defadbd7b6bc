// Types of arguments as text for the parameters of copies. In: a checker's type. Out: text that
// means it at the top of the file, or null where there is none.

import type ts from "typescript";

type Api = typeof ts;

export interface Types {
  readonly api: Api;
  readonly checker: ts.TypeChecker;
}

/** Text that is no type, or that names what no other place can name. */
const UNUSABLE = /\bimport\(|\bany\b|\bunknown\b|\btypeof\b|\bunique symbol\b|\bnever\b/;

export function typeText({ api, checker }: Types, type: ts.Type, at: ts.Node): string | null {
  const node = typeNode({ api, checker }, checker.getBaseTypeOfLiteralType(type), at);
  if (node === undefined) return null;
  const text = api
    .createPrinter({ removeComments: true })
    .printNode(api.EmitHint.Unspecified, node, at.getSourceFile())
    .replace(/\s+/g, " ");
  return UNUSABLE.test(text) ? null : text;
}

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
