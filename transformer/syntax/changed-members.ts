// Which members of objects code changes. In: the expression that gives the object, or a file. Out:
// the names of members that get other values there. Invariant: null for any, as where the object is
// handed on; code that only reads it changes none.

import type ts from "typescript";
import { isAssigned, isAssignment } from "./assignments.ts";
import { bare, outermost } from "./wrappers.ts";

type Api = typeof ts;

/** Code that changes what a class has, or its instances. */
export interface ClassWrite {
  /** The class; undefined for the prototype of an object. */
  readonly of: ts.Expression | undefined;
  /** Whether it changes the class itself. */
  readonly isStatic: boolean;
  /** Null for any. */
  readonly names: readonly string[] | null;
  readonly node: ts.Node;
}

export const writesIn = remembered((api, source): readonly ClassWrite[] => {
  const found: ClassWrite[] = [];
  const visit = (node: ts.Node): void => {
    if (isPrototype(api, node)) {
      const of = api.isPropertyAccessExpression(node) ? classIn(node) : undefined;
      const names = changedIn(api, node);
      if (names === null ? of !== undefined : names.length > 0)
        found.push({ of, names, isStatic: false, node });
    } else if (isName(api, node) && isChanged(api, node))
      found.push({ of: node, names: changedIn(api, node), isStatic: true, node });
    api.forEachChild(node, visit);
  };
  visit(source);
  return found;
});

/** What a class puts on its prototype where it, or an instance of it, is made. */
export interface PrototypeDatum {
  readonly value: string;
  readonly prototype: ts.Node;
  readonly statement: ts.Statement;
}

/**
 * `static { this.prototype.isVec = true; }`, `constructor() { Vec.prototype.isVec = true; … }`, or
 * `Vec.prototype.isVec = true;` after the class: data that all its instances have, by name.
 */
export function dataOf(
  api: Api,
  { name, members, parent }: ts.ClassLikeDeclaration,
): ReadonlyMap<string, PrototypeDatum> {
  const found = new Map<string, PrototypeDatum>();
  const datum = (statement: ts.Statement): [string, PrototypeDatum] | null => {
    const write = api.isExpressionStatement(statement) ? statement.expression : undefined;
    if (write === undefined || !isAssignment(write, api)) return null;
    const { left, operatorToken, right } = write;
    const value = literalText(api, right);
    return value !== null &&
      operatorToken.kind === api.SyntaxKind.EqualsToken &&
      api.isPropertyAccessExpression(left) &&
      api.isPropertyAccessExpression(left.expression) &&
      isPrototype(api, left.expression) &&
      isOwn(left.expression.expression)
      ? [left.name.text, { value, prototype: left.expression, statement }]
      : null;
  };
  const isOwn = (of: ts.Expression): boolean => isOwnThis(api, of) || of.getText() === name?.text;
  const add = ([key, one]: [string, PrototypeDatum]): void => {
    if (!members.some((each) => each.name?.getText() === key)) found.set(key, one);
  };
  for (const member of members) {
    // what stands deeper may not run, and code of a constructor that runs before may not find it
    const isStatic = api.isClassStaticBlockDeclaration(member);
    const body = isStatic || api.isConstructorDeclaration(member) ? member.body : undefined;
    for (const statement of body?.statements ?? []) {
      const one = datum(statement);
      if (one === null && !isStatic) break;
      if (one !== null) add(one);
    }
  }
  for (const statement of api.isSourceFile(parent) ? parent.statements : []) {
    const one = datum(statement);
    if (one !== null) add(one);
  }
  return found;
}

/** `this` in a static block: the class. */
export const isOwnThis = (api: Api, of: ts.Expression): boolean =>
  of.kind === api.SyntaxKind.ThisKeyword &&
  api.findAncestor(of, api.isClassStaticBlockDeclaration) !== undefined;

/** A literal as a type has it. */
function literalText(api: Api, node: ts.Expression): string | null {
  if (api.isStringLiteral(node)) return JSON.stringify(node.text);
  const { TrueKeyword, FalseKeyword } = api.SyntaxKind;
  return api.isNumericLiteral(node) || node.kind === TrueKeyword || node.kind === FalseKeyword
    ? node.getText()
    : null;
}

const classIn = ({ name, expression }: ts.PropertyAccessExpression): ts.Expression | undefined =>
  name.text === "prototype" ? expression : undefined;

/** `C`, `all.C`, `list[i]` */
const isName = (api: Api, node: ts.Node): node is ts.Expression =>
  api.isIdentifier(node) ||
  api.isPropertyAccessExpression(node) ||
  api.isElementAccessExpression(node);

/** Whether an object gets other members there. A class that is handed on has another name then. */
function isChanged(api: Api, object: ts.Expression): boolean {
  const node = outermost(object, api);
  const { parent } = node;
  if (api.isCallExpression(parent))
    return WRITERS.test(parent.expression.getText()) && parent.arguments[0] === node;
  const isOwner = api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent);
  return isOwner && parent.expression === node && isTarget(api, parent);
}

/** What is found in a file, once for each. */
export function remembered<T>(
  find: (api: Api, source: ts.SourceFile) => T,
): (api: Api, source: ts.SourceFile) => T {
  const known = new WeakMap<ts.SourceFile, { readonly found: T }>();
  return (api, source) => {
    const { found } = known.get(source) ?? { found: find(api, source) };
    known.set(source, { found });
    return found;
  };
}

/** `C.prototype`, `c.__proto__`, `Object.getPrototypeOf(c)` */
export const isPrototype = (api: Api, node: ts.Node): node is ts.Expression =>
  (api.isPropertyAccessExpression(node) && /^(?:prototype|__proto__)$/.test(node.name.text)) ||
  (api.isCallExpression(node) && /\bgetPrototypeOf$/.test(node.expression.getText()));

/** The names that are given other values there; null for any. */
export function changedIn(api: Api, object: ts.Expression): readonly string[] | null {
  const node = outermost(object, api);
  const { parent } = node;
  const isOwner = api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent);
  if (isOwner && parent.expression === node) return isTarget(api, parent) ? keyOf(api, parent) : [];
  if (api.isCallExpression(parent) && parent.expression !== node)
    return changedByCall(api, parent, node);
  return api.isBinaryExpression(parent) && !isTarget(api, node) && !isHeld(api, parent) ? [] : null;
}

function changedByCall(
  api: Api,
  { expression, arguments: given }: ts.CallExpression,
  node: ts.Node,
): readonly string[] | null {
  const called = expression.getText();
  const [first, second] = given;
  if (READERS.test(called) || (WRITERS.test(called) && first !== node)) return [];
  if (called === "Object.assign" || called === "Object.defineProperties")
    return namesOf(api, given.slice(1));
  return second !== undefined && api.isStringLiteralLike(second) && first === node
    ? [second.text]
    : null;
}

const READERS =
  /^Object\.(?:create|keys|getOwn\w+|hasOwn)$|\.(?:isPrototypeOf|hasOwnProperty|getPrototypeOf)$/;
/** They change their first argument. */
export const WRITERS = /^Object\.(?:assign|setPrototypeOf|definePropert(?:y|ies))$/;

/** Whether the value of `x = p`, `a || p` or `a, p` is an operand. */
export const isHeld = (api: Api, { operatorToken: { kind } }: ts.BinaryExpression): boolean =>
  (kind >= api.SyntaxKind.FirstAssignment && kind <= api.SyntaxKind.LastAssignment) ||
  kind === api.SyntaxKind.BarBarToken ||
  kind === api.SyntaxKind.AmpersandAmpersandToken ||
  kind === api.SyntaxKind.QuestionQuestionToken ||
  kind === api.SyntaxKind.CommaToken;

export const isTarget = (api: Api, node: ts.Node): boolean =>
  isAssigned(node, api) || api.isDeleteExpression(node.parent);

const keyOf = (api: Api, node: ts.AccessExpression): readonly string[] | null => {
  if (api.isPropertyAccessExpression(node)) return [node.name.text];
  const key = bare(node.argumentExpression, api);
  // no name of a member
  if (api.isCallExpression(key) && key.expression.getText() === "Symbol.for") return [];
  return api.isStringLiteralLike(key) ? [key.text] : null;
};

/** Of literals. */
function namesOf(api: Api, given: readonly ts.Expression[]): readonly string[] | null {
  const found: string[] = [];
  for (const each of given) {
    if (!api.isObjectLiteralExpression(each)) return null;
    for (const { name } of each.properties) {
      if (name === undefined || api.isComputedPropertyName(name)) return null;
      found.push(name.text);
    }
  }
  return found;
}
