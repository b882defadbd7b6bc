// Finds getters that replace themselves by their value with `Object.defineProperty(this, …)`.
// In: a file. Out: reads before which the runtime checks whether an earlier execution has done so.
// Invariant: unsure means that nothing is stale.

import type ts from "typescript";
import { stringText } from "../../code/quote.ts";
import { KeptMemos, type Left, type Look, pathOf, placesOf, rootOf } from "./kept-memos.ts";
import { OWN } from "./kept-fields.ts";
import type { ObjectHost } from "./kept-objects.ts";

interface Getter {
  readonly node: ts.GetAccessorDeclaration;
  readonly name: string;
  readonly value: ts.Node;
}

export function getterLooksIn(file: ts.SourceFile, host: ObjectHost): readonly Look[] {
  const { ts: api } = host;
  const found: Look[] = [];
  for (const getter of gettersOf(host)) {
    const reads = readsOf(getter, file, host).flatMap((node) => {
      const inside = api.findAncestor(node, api.isFunctionLike);
      return inside === undefined ||
        inside === getter.node ||
        pathOf(node.expression, api) === "" ||
        rootOf(node.expression, host) === null
        ? []
        : [{ node, inside, object: node.expression }];
    });
    // the value may depend on anything in the getter
    const left = (now: ObjectHost): Left | null =>
      now.mayVary(getter.value) || new KeptMemos(now).readsVarying(getter.node)
        ? {
            places: [getter.name],
            beginning: `!Object.hasOwn(${[OWN, stringText(getter.name)].join(", ")})`,
          }
        : null;
    for (const { at, one } of placesOf(reads, false, api))
      found.push({
        at,
        object: one.object,
        of: getter.node,
        name: getter.name,
        key: null,
        places: [getter.name],
        left,
      });
  }
  return found;
}

function readsOf(
  { node, name }: Getter,
  file: ts.SourceFile,
  { ts: api, checker, puts }: ObjectHost,
): readonly ts.PropertyAccessExpression[] {
  const { parent } = node;
  const symbol =
    api.isClassLike(parent) && parent.name !== undefined
      ? checker.getSymbolAtLocation(parent.name)
      : undefined;
  if (symbol === undefined) return [];
  return puts
    .accesses(name, checker.getDeclaredTypeOfSymbol(symbol))
    .filter(api.isPropertyAccessExpression)
    .filter((each) => each.getSourceFile() === file);
}

function gettersOf({ ts: api, files }: ObjectHost): readonly Getter[] {
  const found: Getter[] = [];
  const look = (node: ts.Node): void => {
    if (
      api.isCallExpression(node) &&
      /^(Object|Reflect)\.defineProperty$/.test(node.expression.getText())
    ) {
      const [of, key, descriptor] = node.arguments;
      const getter = api.findAncestor(
        node,
        (at) => api.isFunctionLike(at) && !api.isArrowFunction(at),
      );
      const isOwn =
        getter !== undefined &&
        api.isGetAccessor(getter) &&
        of?.kind === api.SyntaxKind.ThisKeyword &&
        key !== undefined &&
        api.isStringLiteral(key) &&
        key.text === getter.name.getText();
      if (isOwn && descriptor !== undefined)
        found.push({ node: getter, name: key.text, value: descriptor });
    }
    api.forEachChild(node, look);
  };
  for (const file of files) if (/\.defineProperty\b/.test(file.text)) look(file);
  return found;
}
