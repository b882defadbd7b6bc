// Names of the standard library, and of modules and namespaces, in user code. Aliases such as
// `const { sqrt } = Math` are followed. A name that the program declares itself is not the
// library's.

import type ts from "typescript";
import { TYPED_ARRAYS } from "../../ir/typed-arrays.ts";
import { bare } from "../../syntax/wrappers.ts";
import type { Frame } from "../frame.ts";
import { isOfEnvironment } from "./shadowed-globals.ts";
import { isReassigned } from "../assignments.ts";
import { blockAround } from "../blocks.ts";
import { scopeOf } from "../functions/captures.ts";
import type { Fn } from "../function-values.ts";
/** Globals that hosts also export from a module. */
export const OF_HOSTS: ReadonlySet<string> = new Set(["console", "performance"]);

/** Whether an identifier, or `globalThis.name`, means the standard library's `name`. */
export function isLibrary(
  f: Pick<Frame, "api" | "symbolOf">,
  node: ts.Node,
  name: string,
): boolean {
  const { api } = f;
  const identifier = api.isPropertyAccessExpression(node) ? node.name : node;
  if (!api.isIdentifier(identifier) || identifier.text !== name) return false;
  if (
    identifier !== node &&
    (!api.isPropertyAccessExpression(node) || !isLibrary(f, node.expression, "globalThis"))
  )
    return false;
  const declarations = f.symbolOf(identifier)?.declarations ?? [];
  return declarations.every((each) =>
    OF_HOSTS.has(name) ? each.getSourceFile().isDeclarationFile : isOfEnvironment(each, api),
  );
}

/** The standard objects whose members `builtinPath` knows. */
export const LIBRARY_OBJECTS: readonly string[] =
  "Math Number Object Array JSON console String Date performance".split(" ");

/** `Math.sqrt`, also through `const { sqrt } = Math` or `const sqrt = Math.sqrt`; else null. */
export function builtinPath(f: Frame, expression: ts.Expression): string | null {
  const node = bare(expression, f.api);
  if (f.api.isIdentifier(node)) return pathOfName(f, node);
  if (!f.api.isPropertyAccessExpression(node)) return null;
  const object = bare(node.expression, f.api);
  if (isLibrary(f, node, node.name.text)) return node.name.text;
  const found =
    LIBRARY_OBJECTS.find((name) => isLibrary(f, object, name)) ??
    TYPED_ARRAYS.find((name) => isLibrary(f, object, name)) ??
    libraryAlias(f, object);
  return found === undefined ? null : `${found}.${node.name.text}`;
}

export function pathOfName(f: Frame, node: ts.Identifier): string | null {
  const { api } = f;
  const symbol = f.symbolOf(node);
  if (symbol === null) return node.text;
  const bound = f.env.lookup(symbol);
  if (bound !== null)
    return bound.kind === "fn" && bound.fn.kind === "builtin" ? bound.fn.path : null;
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined || isReassigned(f, symbol)) return null;
  if (api.isBindingElement(declaration)) return memberOfLibrary(f, declaration);
  if (
    api.isVariableDeclaration(declaration) &&
    declaration.initializer !== undefined &&
    !declaration.getSourceFile().isDeclarationFile
  ) {
    const alias = bare(declaration.initializer, f.api);
    return api.isPropertyAccessExpression(alias) || api.isIdentifier(alias)
      ? functionPath(f, alias)
      : null;
  }
  return isLibrary(f, node, node.text) ? node.text : null;
}

/** `const M = Math` */
export function libraryAlias(f: Frame, node: ts.Expression): string | undefined {
  if (!f.api.isIdentifier(node)) return undefined;
  const symbol = f.symbolOf(node);
  const declaration = symbol?.valueDeclaration;
  if (
    symbol === null ||
    declaration === undefined ||
    !f.api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return undefined;
  if (declaration.getSourceFile().isDeclarationFile || isReassigned(f, symbol)) return undefined;
  const aliased = bare(declaration.initializer, f.api);
  const known = ["Math", "Number"].find((name) => isLibrary(f, aliased, name));
  return known ?? (f.symbolOf(aliased) !== symbol ? libraryAlias(f, aliased) : undefined);
}

/** A path only if it names a function: `const x = Math.PI` is no alias of a function. */
export const functionPath = (f: Frame, node: ts.Expression): string | null =>
  f.ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0
    ? builtinPath(f, node)
    : null;

/** `const { sqrt, abs: magnitude } = Math` */
export function memberOfLibrary(f: Frame, element: ts.BindingElement): string | null {
  const { api } = f;
  const declaration = element.parent.parent;
  if (
    !api.isObjectBindingPattern(element.parent) ||
    !api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return null;
  const object = bare(declaration.initializer, f.api);
  const owner = ["Math", "Number"].find((name) => isLibrary(f, object, name));
  const member = element.propertyName ?? element.name;
  return owner !== undefined && api.isIdentifier(member) ? `${owner}.${member.text}` : null;
}

/** Whether an expression names a module (`import * as m`) or a namespace. */
export function isNamespace(f: Frame, node: ts.Expression): boolean {
  const { ValueModule, NamespaceModule } = f.api.SymbolFlags;
  const has = (name: ts.Identifier | ts.MemberName, flags: number): boolean =>
    ((f.symbolOf(name)?.flags ?? 0) & flags) !== 0;
  const members: ts.MemberName[] = [];
  let at = node;
  for (; f.api.isPropertyAccessExpression(at); at = at.expression) members.push(at.name);
  return (
    f.api.isIdentifier(at) &&
    has(at, ValueModule | NamespaceModule) &&
    members.every((name) => has(name, ValueModule))
  );
}

/** Whether `outer` is the node or an ancestor of it. */
export function contains(outer: ts.Node, node: ts.Node): boolean {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent)
    if (at === outer) return true;
  return false;
}

/** Whether a declaration stands in no function. */
export const isModuleLevel = (f: Frame, declaration: ts.Node): boolean => {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
  for (let at: ts.Node | undefined = declaration.parent; at !== undefined; at = at.parent)
    if (f.api.isFunctionLike(at)) return false;
  return true;
};

/** Whether the derivative, which stands in the function's block, sees what is declared there. */
export function isInScope({ api, root }: Frame, declaration: ts.Node): boolean {
  const scope = scopeOf(declaration, api);
  if (api.isSourceFile(scope) || api.isModuleBlock(scope)) return true;
  // members have derivatives in the block around their class
  const place = api.isClassLike(root.parent) ? blockAround(root.parent, api) : root;
  return contains(scope, place);
}

/** The declaration of a program function or closure. */
export const codeOf = (f: Frame, fn: Fn | null): ts.FunctionLikeDeclaration | null => {
  if (fn?.kind === "program") return f.ctx.bodyOf(fn.symbol);
  return fn?.kind === "closure" ? fn.node : null;
};

/** Methods of functions that call them. */
export const INDIRECT: ReadonlySet<string> = new Set(["call", "apply", "bind"]);

/** `g.call(o, x)` */
export const isIndirect = (f: Frame, callee: ts.Node): callee is ts.PropertyAccessExpression =>
  f.api.isPropertyAccessExpression(callee) &&
  INDIRECT.has(callee.name.text) &&
  f.ctx.checker.getTypeAtLocation(callee.expression).getCallSignatures().length > 0;
