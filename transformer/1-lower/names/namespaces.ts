// Declarations in a `namespace`. In: a declaration. Out: the name that code of its module has for it, and the namespace at the top of the module.
// Invariant: a name is given only where the namespace and all those around it export what is theirs, so that code outside can say it.

import type ts from "typescript";
import type { TypeScript } from "../context.ts";

export interface InNamespace {
  /** `Vec.dot`; null where a namespace does not export it. */
  readonly path: string | null;
  /** `Vec`, at the top of the module. */
  readonly outermost: ts.ModuleDeclaration;
  /** Whether that is the one it stands in. */
  readonly isDirect: boolean;
}

/** Where a variable or function stands that a namespace declares; null for any other. */
export function namespaceOf(declaration: ts.Node, api: TypeScript): InNamespace | null {
  const name = api.getNameOfDeclaration(declaration as ts.Declaration); // of what declares nothing there is none
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
  return statement.parent !== undefined && api.isModuleBlock(statement.parent)
    ? statement.parent
    : null;
}

const isExported = (node: ts.Node, api: TypeScript): boolean =>
  (api.getCombinedModifierFlags(node as ts.Declaration) & api.ModifierFlags.Export) !== 0; // declarations alone get here

/** Whether a function is one that a namespace declares: its derivative stands at the end of the module. */
export function isOfNamespace(fn: ts.Node, api: TypeScript): boolean {
  if (api.isFunctionDeclaration(fn)) return namespaceOf(fn, api) !== null;
  if (!api.isArrowFunction(fn) && !api.isFunctionExpression(fn)) return false;
  const naming = api.findAncestor(fn.parent, (node) => !api.isExpression(node));
  return (
    naming !== undefined && api.isVariableDeclaration(naming) && namespaceOf(naming, api) !== null
  );
}

/** `export let k = 2`: any module may assign it. */
export const isOpenInNamespace = (declaration: ts.Node, api: TypeScript): boolean =>
  api.isVariableDeclaration(declaration) &&
  (api.getCombinedNodeFlags(declaration) & api.NodeFlags.Constant) === 0 &&
  (namespaceOf(declaration, api)?.path ?? null) !== null;
