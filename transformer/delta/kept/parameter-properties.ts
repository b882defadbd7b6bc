// Values of parameter properties: `constructor(private cache = new Map())`.
// In: such a parameter. Out: the arguments of all constructions, including `super(…)`.
// Invariant: null where unknown code may construct instances, too.

import type ts from "typescript";
import type { PutsHost } from "./puts.ts";

/** Undefined entries: no argument and no default. */
export function valuesGiven(
  parameter: ts.ParameterDeclaration,
  { ts: api, checker, files }: PutsHost,
): readonly (ts.Expression | undefined)[] | null {
  const { parent: constructor } = parameter;
  const of = constructor.parent;
  const found: (ts.Expression | undefined)[] = [];
  if (
    !api.isConstructorDeclaration(constructor) ||
    !api.isClassLike(of) ||
    of.name === undefined ||
    parameter.dotDotDotToken !== undefined
  )
    return null;
  const symbol = checker.getSymbolAtLocation(of.name);
  const place = constructor.parameters.indexOf(parameter);
  const {
    name: { text },
  } = of;
  let isKnown = true;
  const note = (call: ts.NewExpression | ts.CallExpression): void => {
    const args = call.arguments ?? [];
    if (args.slice(0, place + 1).some(api.isSpreadElement)) isKnown = false;
    else found.push(args[place] ?? parameter.initializer);
  };
  const look = (node: ts.Node): void => {
    const isCall =
      api.isNewExpression(node) ||
      (api.isCallExpression(node) && node.expression.kind === api.SyntaxKind.SuperKeyword);
    if (isCall && checker.getResolvedSignature(node)?.declaration === constructor) note(node);
    else if (api.isIdentifier(node) && node.text === text && isMeant(node) && !isNamed(node, api))
      isKnown = false;
    api.forEachChild(node, look);
  };
  const isMeant = (node: ts.Identifier): boolean => {
    const meant = checker.getSymbolAtLocation(node);
    return (
      meant !== undefined &&
      (meant === symbol ||
        ((meant.flags & api.SymbolFlags.Alias) !== 0 && checker.getAliasedSymbol(meant) === symbol))
    );
  };
  for (const file of files)
    if (file === of.getSourceFile() || file.text.includes(text) || /\bsuper\(/.test(file.text))
      look(file);
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set in a callback
  return isKnown && found.length > 0 ? found : null;
}

/** Whether this use of a class's name is a construction that is analysed, or none at all. */
function isNamed({ parent, ...node }: ts.Identifier, api: typeof ts): boolean {
  if (api.isImportSpecifier(parent)) return parent.propertyName === undefined;
  if (api.isPropertyAccessExpression(parent)) return parent.expression.pos === node.pos;
  if (api.isBinaryExpression(parent))
    return parent.operatorToken.kind === api.SyntaxKind.InstanceOfKeyword;
  if (api.isExpressionWithTypeArguments(parent)) return api.isHeritageClause(parent.parent);
  if (api.isNewExpression(parent)) return parent.expression.pos === node.pos;
  return (
    api.isClassLike(parent) ||
    api.isTypeNode(parent) ||
    api.isExportSpecifier(parent) ||
    api.isImportClause(parent)
  );
}
