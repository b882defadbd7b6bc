// Turns object literals with functions into records where code uses them as values:
// `const relu = { w, act: (x) => … }; layers.push(relu)`. Functions become tags in the record.
// A literal that has a record is accessed through that record alone, so all aliases see its writes.

import type ts from "typescript";
import { isAssignment, isUpdate } from "../../syntax/assignments.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { isFn } from "../function-values.ts";
import { isTag } from "../coerce.ts";
import { inner, type Frame } from "../frame.ts";
import { tagIn } from "../functions/function-tags.ts";
import type { Members } from "../functions/known-members.ts";

/** The record of a literal; null where code only reads its parts. */
export function valueOfMembers(f: Frame, name: ts.Node, members: Members): Atom | null {
  return f.api.isIdentifier(name) && isUsedAsValue(f, name)
    ? literalRecord(f, members, f.ctx.typeOf(name), name, name.text)
    : null;
}

export function literalRecord(
  f: Frame,
  { parts, isList, isWhole }: Members,
  wanted: Type,
  at: ts.Node,
  called = "t",
): Atom | null {
  const type = inner(f, wanted);
  const shape = f.shape(type);
  if (
    isList ||
    !isWhole ||
    shape.kind !== "record" ||
    f.ctx.classOf(type) !== null ||
    [...parts.keys()].some((name) => !shape.fields.some((each) => each.name === name))
  )
    return null;
  const isHeld = shape.fields.every((each) => {
    const part = parts.get(each.name);
    return part === undefined
      ? f.shape(each.type).kind === "opt"
      : !isFn(part) ||
          (part.kind !== "members"
            ? isTag(f, inner(f, each.type))
            : f.shape(inner(f, each.type)).kind === "record");
  });
  if (!isHeld) return null;
  const fields = [...parts].flatMap(([name, part]) => {
    const place = shape.fields.find((each) => each.name === name)?.type;
    const value =
      place === undefined
        ? null
        : !isFn(part)
          ? part
          : part.kind === "members"
            ? literalRecord(f, part, place, at)
            : tagIn(f, part, place, at);
    return value === null ? [] : [{ name, value }];
  });
  return fields.length < parts.size
    ? f.refuse("TSG1124", at, f.textOf(at))
    : f.let(called, type, { kind: "record", fields });
}

/** Whether a name is used other than to read a part of the literal it is bound to. */
function isUsedAsValue(f: Frame, name: ts.Identifier, asked: readonly ts.Node[] = []): boolean {
  const { api } = f;
  const symbol = f.symbolOf(name);
  const around =
    api.findAncestor(
      name.parent.parent,
      (each) => api.isFunctionLike(each) || api.isSourceFile(each),
    ) ?? name.getSourceFile();
  if (
    api.isParameter(name.parent) &&
    api.isParameterPropertyDeclaration(name.parent, name.parent.parent)
  )
    return true;
  const isPart = (node: ts.Node): boolean => {
    const { parent } = node;
    if (api.isParenthesizedExpression(parent) || api.isNonNullExpression(parent))
      return isPart(parent);
    if (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent))
      return parent.expression === node && !isWritten(f, parent);
    if (api.isBinaryExpression(parent)) return TESTS.has(parent.operatorToken.getText());
    if (isCondition(api, parent, node)) return true;
    if (api.isCallExpression(parent) && parent.expression !== node)
      return isPartOfParameter(f, parent, node, [...asked, name]);
    return (
      api.isVariableDeclaration(parent) &&
      parent.initializer === node &&
      !api.isIdentifier(parent.name)
    );
  };
  const walk = (node: ts.Node): boolean =>
    api.isIdentifier(node) &&
    node !== name &&
    node.text === name.text &&
    f.symbolOf(node) === symbol
      ? !isPart(node)
      : api.forEachChild(node, (child) => walk(child) || undefined) === true;
  return walk(api.isParameter(name.parent) ? name.parent.parent : around);
}

/** Operators that test whether a value is defined. */
const TESTS: ReadonlySet<string> = new Set(["===", "!==", "==", "!=", "??", "||", "&&"]);

/** `!x`, `typeof x`, `if (x)`, `x ? … : …` */
const isCondition = (api: Frame["api"], parent: ts.Node, node: ts.Node): boolean =>
  api.isPrefixUnaryExpression(parent) ||
  api.isTypeOfExpression(parent) ||
  api.isIfStatement(parent) ||
  (api.isConditionalExpression(parent) && parent.condition === node);

/** Whether the callee only reads parts of the argument. `asked`: parameters under examination. */
function isPartOfParameter(
  f: Frame,
  call: ts.CallExpression,
  argument: ts.Node,
  asked: readonly ts.Node[],
): boolean {
  const { api } = f;
  const called = f.ctx.checker.getResolvedSignature(call)?.declaration;
  const at = call.arguments.findIndex((each) => each === argument);
  if (
    called === undefined ||
    at < 0 ||
    call.arguments.slice(0, at).some(api.isSpreadElement) ||
    !(
      api.isFunctionDeclaration(called) ||
      api.isArrowFunction(called) ||
      api.isFunctionExpression(called)
    ) ||
    called.body === undefined
  )
    return false;
  const parameter = called.parameters[at];
  if (parameter === undefined || parameter.dotDotDotToken !== undefined) return false;
  return (
    !api.isIdentifier(parameter.name) ||
    asked.includes(parameter.name) ||
    !isUsedAsValue(f, parameter.name, asked)
  );
}

/** Whether an access is the target of an assignment, `++` or `--`. */
export function isWritten({ api }: Frame, node: ts.Node): boolean {
  const { parent } = node;
  return isUpdate(parent, api) || (isAssignment(parent, api) && parent.left === node);
}
