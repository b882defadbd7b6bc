// `this.constructor.copy(…)` in a class of a package. In: code of a class. Out: changes by which it
// names the class, where instances of every class have the same static method. Invariant: that
// method does not ask by which class it is called.

import type ts from "typescript";
import { nodesIn } from "../../syntax/walk.ts";
import type { ClassNode, ClassShape } from "./classes.ts";
import { mentionsThis } from "./functions.ts";
import type { Change } from "./rendered.ts";

type Api = typeof ts;

/** `named`: the copy of the class. */
export function withOwnClass(api: Api, shape: ClassShape, root: ts.Node, named: string): Change[] {
  const { own } = shape.replaced;
  if (shape.isExtended || own?.has("constructor") !== false) return [];
  return nodesIn(api, root, api.isPropertyAccessExpression).flatMap((node) => {
    const { expression, name, parent } = node;
    const isCalled = api.isCallExpression(parent) && parent.expression === node;
    return isCalled && isOwnClass(api, expression) && isSameForAll(api, shape, name.text)
      ? [{ start: expression.getStart(), end: expression.end, text: named }]
      : [];
  });
}

/** `this.constructor` */
const isOwnClass = (api: Api, node: ts.Expression): boolean =>
  api.isPropertyAccessExpression(node) &&
  node.expression.kind === api.SyntaxKind.ThisKeyword &&
  node.name.text === "constructor";

function isSameForAll(api: Api, { kin, replaced: { statics } }: ClassShape, name: string): boolean {
  const [only, ...others] = [...kin].flatMap((each) => staticsOf(api, each, name));
  return (
    statics?.has(name) === false &&
    only !== undefined &&
    others.length === 0 &&
    api.isMethodDeclaration(only) &&
    !mentionsThis(api, only) &&
    !/\bsuper\b/.test(only.getText())
  );
}

const staticsOf = (api: Api, { members }: ClassNode, name: string): readonly ts.ClassElement[] =>
  members.filter(
    (each) =>
      api.isClassStaticBlockDeclaration(each) ||
      (each.name?.getText() === name &&
        (api.getCombinedModifierFlags(each) & api.ModifierFlags.Static) !== 0),
  );
