// Whether code may change what outlives it, for code that is copied as text and so not lowered.
// In: a member of a class. Out: true where it may. Invariant: errs towards yes. Functions of the
// program and members of `this`, whichever class it is of, are followed; other members are not
// known.

import type ts from "typescript";
import { isAssignment, isUpdate } from "../../syntax/assignments.ts";
import { bare } from "../../syntax/wrappers.ts";
import type { TypeScript } from "../typescript.ts";

export interface Reading {
  readonly api: TypeScript;
  readonly checker: ts.TypeChecker;
  /** Of all classes that `this` may be of. */
  readonly members: readonly ts.ClassElement[];
  /** Functions that are being followed. */
  readonly open: Set<ts.Node>;
}

/** Overloads and abstract members have no code: others of the name do. */
export function changesWhenMet(member: ts.ClassElement, reading: Reading): boolean {
  const { api } = reading;
  if (!api.isPropertyDeclaration(member))
    return !("body" in member && member.body === undefined) && changesWhenRun(member, reading);
  const { initializer } = member;
  return initializer === undefined || changesWhenRun(bare(initializer, api), reading);
}

function changesWhenRun(node: ts.Node, reading: Reading): boolean {
  const { api, open } = reading;
  if (open.has(node)) return false;
  if (!api.isFunctionLike(node) || !("body" in node) || node.body === undefined) return true;
  open.add(node);
  const found = api.forEachChild(node, (child) => changes(child, reading) || undefined) === true;
  open.delete(node);
  return found;
}

const changes = (node: ts.Node, reading: Reading): boolean =>
  !reading.api.isTypeNode(node) &&
  (changesItself(node, reading) ||
    reading.api.forEachChild(node, (child) => changes(child, reading) || undefined) === true);

function changesItself(node: ts.Node, reading: Reading): boolean {
  const { api } = reading;
  if (isAssignment(node, api)) return !isLocal(node.left, reading);
  if (isUpdate(node, api)) return !isLocal(node.operand, reading);
  if (api.isCallExpression(node)) return isChangingCall(node, reading);
  if (api.isNewExpression(node))
    return !MADE.test(node.expression.getText()) || !arePlain(node.arguments ?? [], reading);
  if (api.isPropertyAccessExpression(node)) return isChangingRead(node, reading);
  if (readsAccessors(node, reading)) return true;
  if (api.isSpreadElement(node) || api.isForOfStatement(node))
    return !isList(reading.checker.getTypeAtLocation(node.expression), reading);
  if (api.isArrayBindingPattern(node))
    return !isList(reading.checker.getTypeAtLocation(node), reading);
  const operands = operandsOf(node, api);
  return (
    operands.some((each) => !isPlain(each, reading)) ||
    api.isDeleteExpression(node) ||
    api.isTaggedTemplateExpression(node)
  );
}

/** What an operator or a template converts. */
function operandsOf(node: ts.Node, api: TypeScript): readonly ts.Expression[] {
  if (api.isTemplateSpan(node) || api.isComputedPropertyName(node)) return [node.expression];
  if (api.isElementAccessExpression(node)) return [node.argumentExpression];
  if (api.isPrefixUnaryExpression(node))
    return node.operator === api.SyntaxKind.ExclamationToken ? [] : [node.operand];
  if (!api.isBinaryExpression(node)) return [];
  return UNCONVERTED.has(node.operatorToken.getText()) ? [] : [node.left, node.right];
}

const UNCONVERTED = new Set("=== !== && || ?? , in =".split(" "));

/** A variable of a function that is followed. */
function isLocal(target: ts.Expression, { api, checker, open }: Reading): boolean {
  const name = bare(target, api);
  const declared = api.isIdentifier(name)
    ? checker.getSymbolAtLocation(name)?.valueDeclaration
    : undefined;
  return declared !== undefined && api.findAncestor(declared, (at) => open.has(at)) !== undefined;
}

function isChangingCall(node: ts.CallExpression, reading: Reading): boolean {
  const { api, checker } = reading;
  const callee = bare(node.expression, api);
  const declaration = checker.getResolvedSignature(node)?.declaration;
  if (declaration === undefined) return true;
  if (!declaration.getSourceFile().isDeclarationFile) {
    if (!api.isPropertyAccessExpression(callee)) return changesWhenRun(declaration, reading);
    return isOfThis(callee, api) ? changesAsMember(callee.name.text, reading) : true;
  }
  if (api.isPropertyAccessExpression(callee) && CONVERTING.test(callee.name.text))
    return !arePlain([callee.expression, ...node.arguments], reading);
  const isTaking = /^(?:Number|String|Boolean|Math\.\w+|JSON\.stringify)$/.test(callee.getText());
  const isReading = api.isPropertyAccessExpression(callee) && READING.test(callee.name.text);
  return !(isTaking || isReading) || !arePlain(node.arguments, reading);
}

/** Methods that make texts and numbers of what they are called with. */
const CONVERTING =
  /^(?:to(?:Fixed|Precision|Exponential|String|LocaleString|ISOString)|to(?:Upper|Lower)Case|valueOf|join|pad(?:Start|End)|trim\w*|getTime|repeat|char(?:At|CodeAt)|(?:start|end)sWith)$/;

/** Methods that only read what they are called with. Functions that are written there are read. */
const READING = /^(?:map|filter|slice|concat|reduce|some|every|at|get|has|keys|values|entries)$/;

/** Constructors without effects. */
const MADE = /^(?:Array|Date|Error|Map|Set|RegExp|\w+Array|Intl\.\w+)$/;

const isOfThis = (node: ts.PropertyAccessExpression, api: TypeScript): boolean =>
  bare(node.expression, api).kind === api.SyntaxKind.ThisKeyword;

/** Reads of accessors run code. */
function isChangingRead(node: ts.PropertyAccessExpression, reading: Reading): boolean {
  const { api, checker } = reading;
  const symbol = checker.getSymbolAtLocation(node.name);
  const isAccessor =
    ((symbol?.flags ?? 0) & api.SymbolFlags.Accessor) !== 0 &&
    symbol?.declarations?.some((each) => !each.getSourceFile().isDeclarationFile) === true;
  return isAccessor && (isOfThis(node, api) ? changesAsMember(node.name.text, reading) : true);
}

/** `o[key]`, `const { x } = o`, `{ ...o }`, of an object with accessors. */
function readsAccessors(node: ts.Node, { api, checker }: Reading): boolean {
  const isRead = api.isElementAccessExpression(node) || api.isSpreadAssignment(node);
  if (!isRead && !api.isObjectBindingPattern(node)) return false;
  const of = isRead ? node.expression : (node.parent.initializer ?? node.parent);
  return checker
    .getPropertiesOfType(checker.getTypeAtLocation(of))
    .some(({ flags, declarations = [] }) => {
      const isOwn = declarations.some((each) => !each.getSourceFile().isDeclarationFile);
      return isOwn && (flags & api.SymbolFlags.Accessor) !== 0;
    });
}

const changesAsMember = (name: string, reading: Reading): boolean => {
  const all = reading.members.filter((each) => each.name?.getText() === name);
  return all.length === 0 || all.some((each) => changesWhenMet(each, reading));
};

const isList = (type: ts.Type, { api, checker }: Reading): boolean =>
  checker.isArrayType(type) || checker.isTupleType(type) || isText(type, api);

const isText = (type: ts.Type, api: TypeScript): boolean =>
  (type.flags & api.TypeFlags.StringLike) !== 0;

const arePlain = (nodes: readonly ts.Expression[], reading: Reading): boolean =>
  nodes.every((each) => isPlain(each, reading));

/** A primitive, or a list of them: conversion runs no code of the program. */
function isPlain(node: ts.Expression, reading: Reading): boolean {
  const { api, checker } = reading;
  const at = api.isSpreadElement(node) ? node.expression : node;
  return api.isFunctionLike(at) || isPlainType(checker.getTypeAtLocation(at), reading);
}

function isPlainType(type: ts.Type, reading: Reading): boolean {
  const { api, checker } = reading;
  if (type.isUnion()) return type.types.every((each) => isPlainType(each, reading));
  if ((type.flags & PRIMITIVE(api)) !== 0) return true;
  // isArrayType and isTupleType are no type guards
  const isOfElements = checker.isArrayType(type) || checker.isTupleType(type);
  const parts = isOfElements ? checker.getTypeArguments(type as ts.TypeReference) : [];
  return isOfElements && parts.every((each) => isPlainType(each, reading));
}

const PRIMITIVE = ({ TypeFlags: f }: TypeScript): number =>
  f.StringLike |
  f.NumberLike |
  f.BooleanLike |
  f.BigIntLike |
  f.ESSymbolLike |
  f.Null |
  f.Undefined;
