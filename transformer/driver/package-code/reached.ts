// Which expressions derivatives can reach. In: a program. Out: nodes of its files:
// those in arguments of tsgrad's calls, and in what these name, however far. A member that has no
// body stands for all members of that name. Linear in the code that is reached.

import type ts from "typescript";
import { isPackageFile, targetsIn } from "../../1-lower/index.ts";

type Api = typeof ts;

export function reachedBy(api: Api, program: ts.Program): ReadonlySet<ts.Node> {
  const checker = program.getTypeChecker();
  const own = program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && !isPackageFile(program, file));
  const roots = new Set<ts.Node>(targetsIn(api, program, own));
  const reached = new Set<ts.Node>();
  let members: ReadonlyMap<string, readonly ts.Node[]> | undefined;
  const follow = (name: ts.Identifier | ts.PrivateIdentifier): void => {
    const symbol = checker.getSymbolAtLocation(name);
    if (symbol === undefined) return;
    const isAlias = (symbol.flags & api.SymbolFlags.Alias) !== 0;
    const end = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    for (const declaration of end.declarations ?? []) {
      if (declaration.getSourceFile().isDeclarationFile) continue;
      roots.add(api.findAncestor(declaration, api.isVariableDeclaration) ?? declaration);
      if (!isSignature(api, declaration)) continue;
      members ??= membersIn(api, own);
      for (const each of members.get(name.text) ?? []) roots.add(each);
    }
  };
  // a set grows while it is gone through
  for (const root of roots) {
    const todo = [root];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (reached.has(at)) continue;
      reached.add(at);
      if (api.isIdentifier(at) || api.isPrivateIdentifier(at)) follow(at);
      else if (!api.isTypeNode(at)) api.forEachChild(at, (child) => void todo.push(child));
    }
  }
  return reached;
}

const isSignature = (api: Api, node: ts.Declaration): boolean =>
  api.isMethodSignature(node) ||
  api.isPropertySignature(node) ||
  api.isPropertyDeclaration(node) ||
  (api.isMethodDeclaration(node) && node.body === undefined);

/** Methods and fields of classes and literals, by name. */
function membersIn(
  api: Api,
  files: readonly ts.SourceFile[],
): ReadonlyMap<string, readonly ts.Node[]> {
  const found = new Map<string, ts.Node[]>();
  const todo: ts.Node[] = [...files];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if ((api.isClassElement(at) || api.isObjectLiteralElement(at)) && at.name !== undefined) {
      const name = at.name.getText();
      found.set(name, [...(found.get(name) ?? []), at]);
    }
    api.forEachChild(at, (child) => void todo.push(child));
  }
  return found;
}
