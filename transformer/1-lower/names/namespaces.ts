// Names of declarations in a `namespace`, as code at the top of the module writes them.
// Invariant: a path is given only if each namespace on it exports its part.

import type ts from "typescript";
import type { TypeScript } from "../typescript.ts";

export interface InNamespace {
  /** `Vec.dot`; null if a namespace does not export it. */
  readonly path: string | null;
  /** `Vec`, at the top of the module. */
  readonly outermost: ts.ModuleDeclaration;
  /** Whether the declaration is directly in it. */
  readonly isDirect: boolean;
}

/** The place of a declaration in its namespace; null for a declaration outside of namespaces. */
export function namespaceOf(declaration: ts.Node, api: TypeScript): InNamespace | null {
  const name = api.getNameOfDeclaration(declaration as ts.Declaration); // undefined of other nodes
  const block = blockOf(declaration, api);
  if (block === null || name === undefined || !api.isIdentifier(name)) return null;
  let path: string | null = isExported(declaration, api) ? name.text : null;
  let around = block.parent;
  for (let depth = 0; ; depth++) {
    if (!api.isIdentifier(around.name)) return null;
    if (path !== null) path = `${around.name.text}.${path}`;
    const outer: ts.Node = around.parent;
    if (api.isSourceFile(outer)) return { path, outermost: around, isDirect: depth === 0 };
    // `namespace A.B { … }` exports B
    if (api.isModuleBlock(outer) && !isExported(around, api)) path = null;
    const next: ts.Node = api.isModuleBlock(outer) ? outer.parent : outer;
    if (!api.isModuleDeclaration(next)) return null;
    around = next;
  }
}

/** The block of a namespace that the declaration is a statement of. */
function blockOf(declaration: ts.Node, api: TypeScript): ts.ModuleBlock | null {
  const statement = api.isVariableDeclaration(declaration)
    ? declaration.parent.parent
    : declaration;
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
  return statement.parent !== undefined && api.isModuleBlock(statement.parent)
    ? statement.parent
    : null;
}

const isExported = (node: ts.Node, api: TypeScript): boolean => {
  const declaration = node as ts.Declaration; // callers pass declarations only
  return (api.getCombinedModifierFlags(declaration) & api.ModifierFlags.Export) !== 0;
};

/** Whether a namespace declares the function; its derivative goes to the end of the module. */
export function isOfNamespace(fn: ts.Node, api: TypeScript): boolean {
  if (api.isFunctionDeclaration(fn)) return namespaceOf(fn, api) !== null;
  if (!api.isArrowFunction(fn) && !api.isFunctionExpression(fn)) return false;
  const naming = api.findAncestor(fn.parent, (node) => !api.isExpression(node));
  return (
    naming !== undefined && api.isVariableDeclaration(naming) && namespaceOf(naming, api) !== null
  );
}

/** Whether a namespace exports it as in `export let k = 2`, so that any module may assign it. */
export const isOpenInNamespace = (declaration: ts.Node, api: TypeScript): boolean =>
  api.isVariableDeclaration(declaration) &&
  (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0 &&
  (namespaceOf(declaration, api)?.path ?? null) !== null;
