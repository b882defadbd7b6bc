// Names of the standard library that a program declares for itself: a class `Array`, a variable `Math`. In: a file, a place in it. Out: which of them mean the
// program's own there, and whether a declaration is the environment's. Invariant: the text of generated code may name the library only where nothing hides it.

import type ts from "typescript";
import type { TypeScript } from "../context.ts";
import { nodesOfFile } from "../nodes-of-file.ts";

/** What generated code names. */
const LIBRARY: ReadonlySet<string> = new Set([
  ..."Array ArrayBuffer BigInt Boolean Date Infinity InstanceType JSON Map Math NaN Number Object Record RegExp ReturnType Set String".split(
    " ",
  ),
  ..."Float64Array Float32Array Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array isFinite isNaN parseFloat parseInt".split(
    " ",
  ),
  ..."Error EvalError RangeError ReferenceError SyntaxError TypeError URIError console performance structuredClone".split(
    " ",
  ),
]);

/** The names of the library that some declaration or import of the file has. */
export const ownLibraryNames = (file: ts.SourceFile, api: TypeScript): ReadonlySet<string> =>
  new Set(declaredIn(file, api).map(({ text }) => text));

const declaredIn = nodesOfFile(
  null,
  (node, api): node is ts.Identifier =>
    api.isIdentifier(node) && LIBRARY.has(node.text) && isDeclared(node, api),
);

function isDeclared(node: ts.Identifier, api: TypeScript): boolean {
  const { parent } = node;
  const declares =
    api.isVariableDeclaration(parent) ||
    api.isParameter(parent) ||
    api.isBindingElement(parent) ||
    api.isFunctionDeclaration(parent) ||
    api.isFunctionExpression(parent) ||
    api.isClassLike(parent) ||
    api.isEnumDeclaration(parent) ||
    api.isModuleDeclaration(parent) ||
    api.isInterfaceDeclaration(parent) ||
    api.isTypeAliasDeclaration(parent) ||
    api.isImportSpecifier(parent) ||
    api.isImportClause(parent) ||
    api.isNamespaceImport(parent) ||
    api.isImportEqualsDeclaration(parent);
  return declares && parent.name === node;
}

/** Those that mean the program's own in a block. */
export function hiddenIn(
  block: ts.Node,
  api: TypeScript,
  checker: ts.TypeChecker,
): readonly string[] {
  const { Value, Type, Namespace } = api.SymbolFlags;
  return [...ownLibraryNames(block.getSourceFile(), api)].filter(
    (name) => checker.resolveName(name, block, Value | Type | Namespace, true) !== undefined,
  );
}

/** Whether a declaration is of the global scope that the environment gives: neither a module's nor the program's. */
export function isOfEnvironment(declaration: ts.Node, api: TypeScript): boolean {
  const around = api.findAncestor(declaration.parent, api.isModuleDeclaration);
  if (around !== undefined) return (around.flags & api.NodeFlags.GlobalAugmentation) !== 0;
  const file = declaration.getSourceFile();
  return file.isDeclarationFile && !api.isExternalModule(file);
}
