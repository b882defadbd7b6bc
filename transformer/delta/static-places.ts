// Static fields of a class that hold functions, or literals with functions in them. In: a class. Out: each such field, and how a static block of the class says it.
// Invariant: what needs the class around it (`super`, `#k`) cannot stand outside, and is told.

import type ts from "typescript";
import { holdsPlaces } from "./literal-links.ts";
import { bare } from "./places.ts";

export interface StaticPlace {
  readonly member: ts.PropertyDeclaration & { readonly initializer: ts.Expression };
  /** `this.kinds` */
  readonly path: string;
  readonly name: string;
}

export function staticPlaces(node: ts.ClassLikeDeclaration, api: typeof ts): readonly StaticPlace[] {
  return node.members.flatMap((member): readonly StaticPlace[] => {
    if (!api.isPropertyDeclaration(member) || !isInitialised(member) || member.modifiers?.some(({ kind }) => kind === api.SyntaxKind.StaticKeyword) !== true) return [];
    const { name } = member, value = bare(member.initializer, api);
    if (!(api.isIdentifier(name) || api.isPrivateIdentifier(name)) || !(api.isArrowFunction(value) || api.isFunctionExpression(value) || holdsPlaces(value, api))) return [];
    return [{ member, path: `this.${name.text}`, name: name.text.replace("#", "") }];
  });
}

const isInitialised = (member: ts.PropertyDeclaration): member is StaticPlace["member"] => member.initializer !== undefined;

/** Whether the function says `super` or a private name. */
export function needsClass(node: ts.Node, api: typeof ts): boolean {
  if (node.kind === api.SyntaxKind.SuperKeyword || api.isPrivateIdentifier(node)) return true;
  return api.forEachChild(node, (child) => needsClass(child, api) || undefined) ?? false;
}
