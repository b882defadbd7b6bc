// Finds globals of the standard library that the program shadows: a class `Array`, a variable
// `Math`. Generated code may name a global only where nothing shadows it.

import type ts from "typescript";
import type { TypeScript } from "../typescript.ts";
import { nodesOfFile } from "../nodes-of-file.ts";

/** The globals that generated code may name. */
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

/** The globals whose names a declaration or import of the file has. */
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

/** The globals that are shadowed in a block. */
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

/** Whether the environment declares it in the global scope: no module, and not the program. */
export function isOfEnvironment(declaration: ts.Node, api: TypeScript): boolean {
  const around = api.findAncestor(declaration.parent, api.isModuleDeclaration);
  if (around !== undefined) return (around.flags & api.NodeFlags.GlobalAugmentation) !== 0;
  const file = declaration.getSourceFile();
  return file.isDeclarationFile && !api.isExternalModule(file);
}
