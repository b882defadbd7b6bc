// Functions in the fields of an instance that the module makes: `const rbf = new Kernel((r) => r * r)`. In: the classes of the instance, from its own upwards, and what is given to its constructor.
// Out: each field that holds a function written there. Invariant: a field is listed only where no code of these classes assigns it, and no constructor gives another object.

import type ts from "typescript";
import { bare } from "./places.ts";
import { needsClass } from "./static-places.ts";

export interface FieldPlace {
  readonly name: string;
  readonly fn: ts.ArrowFunction | ts.FunctionExpression;
  /** Its declaration, where the class writes the function. */
  readonly member: ts.PropertyDeclaration | null;
}

export function fieldPlaces(classes: readonly ts.ClassLikeDeclaration[], args: readonly ts.Expression[], api: typeof ts): readonly FieldPlace[] {
  const [own] = classes, found = new Map<string, FieldPlace>();
  if (own === undefined || classes.some((each) => each.members.some((member) => api.isConstructorDeclaration(member) && member.body !== undefined && gives(member.body, api)))) return [];
  const isSteady = (name: string): boolean => !classes.some((each) => new RegExp(`\\.${name.replaceAll("$", "\\$")}\\s*=[^=>]`).test(each.getText()));
  const add = (name: ts.Node, fn: ts.Expression, member: FieldPlace["member"]): void => {
    if (!api.isIdentifier(name) || found.has(name.text) || !(api.isArrowFunction(fn) || api.isFunctionExpression(fn))) return;
    if (isSteady(name.text) && (member === null || !needsClass(fn, api))) found.set(name.text, { name: name.text, fn, member });
  };
  for (const each of classes) for (const member of each.members) if (isField(member, api)) add(member.name, bare(member.initializer, api), member);
  const made = classes.find((each) => constructorOf(each, api) !== undefined);
  for (const [i, parameter] of (made === undefined ? undefined : constructorOf(made, api))?.parameters.entries() ?? []) {
    const given = args.slice(0, i + 1).some(api.isSpreadElement) ? undefined : args[i];
    if (given !== undefined && api.isParameterPropertyDeclaration(parameter, parameter.parent)) add(parameter.name, bare(given, api), null);
  }
  return [...found.values()];
}

const constructorOf = (node: ts.ClassLikeDeclaration, api: typeof ts): ts.ConstructorDeclaration | undefined =>
  node.members.find((member): member is ts.ConstructorDeclaration => api.isConstructorDeclaration(member) && member.body !== undefined);

const isField = (member: ts.ClassElement, api: typeof ts): member is ts.PropertyDeclaration & { readonly initializer: ts.Expression } =>
  api.isPropertyDeclaration(member) && member.initializer !== undefined && member.modifiers?.some(({ kind }) => kind === api.SyntaxKind.StaticKeyword) !== true;

const gives = (node: ts.Node, api: typeof ts): boolean =>
  (api.isReturnStatement(node) && node.expression !== undefined) || (!api.isFunctionLike(node) && api.forEachChild(node, (child) => gives(child, api) || undefined) === true);
