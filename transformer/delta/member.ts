// Rewrites members and optional chains. In: a property or element access. Out: a read through the
// execution's shadows. Invariant: a stopped chain gives `undefined` without an id; objects and keys
// are evaluated once.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { type Code, code, id, literal, NOTHING, source, ZERO } from "../code/code.ts";
import { invocation, methodCall } from "./calls.ts";
import { expression } from "./expression.ts";
import { elementByHandle, fieldByHandle } from "./handles.ts";
import { dataElement, dataField, noteCall, noteMethod } from "./types/inert.ts";
import { isListLike } from "./types/leaves.ts";
import { asArgument, called, flat, ID, plain, returned, type Pair } from "./pair.ts";
import { methodText, privateName, readText } from "./private-names.ts";
import { behind, NESTED, stored } from "./operands.ts";
import { isOfLiteral, SUPER_OF_LITERAL } from "./plan/places.ts";
import { put } from "../code/temporaries.ts";
import { operand, problem, refused, temporary, type Work } from "./work.ts";

type Then = (pair: Pair) => Pair;

export const isAccess = (
  work: Work,
  node: ts.Node,
): node is ts.PropertyAccessExpression | ts.ElementAccessExpression =>
  work.api.isPropertyAccessExpression(node) || work.api.isElementAccessExpression(node);

export function chain(work: Work, node: ts.Expression): Pair {
  const first: Code[] = [];
  const cuts = cutsOf(work, node);
  for (const cut of cuts) {
    const [code, rest] = stored(work, expression(work, cut));
    first.push(code);
    work.stored.set(cut, rest);
  }
  const pair = link(work, node, (one) => one);
  for (const cut of cuts) work.stored.delete(cut);
  return behind(first, pair);
}

/**
 * Of a chain of many members `a.b?.c.…`: some of its objects, innermost first. Behind a `?.` only
 * objects before a further one are.
 */
function cutsOf(work: Work, node: ts.Expression): readonly ts.Expression[] {
  const { api } = work;
  const members: (ts.PropertyAccessExpression | ts.ElementAccessExpression)[] = [];
  for (
    let at = node;
    (isAccess(work, at) || api.isNonNullExpression(at)) && !work.stored.has(at);
    at = at.expression
  )
    if (isAccess(work, at)) members.push(at);
  const found: ts.Expression[] = [];
  let behind = 0;
  for (const one of members.length > NESTED ? members.reverse() : []) {
    const isWithin = (one.flags & api.NodeFlags.OptionalChain) !== 0;
    if (behind++ < NESTED || (isWithin && one.questionDotToken === undefined)) continue;
    found.push(one.expression);
    behind = 0;
  }
  return found;
}

function link(work: Work, node: ts.Expression, then: Then): Pair {
  const { api } = work;
  const known = work.stored.get(node);
  if (known !== undefined) return then(known);
  if (api.isNonNullExpression(node)) return link(work, node.expression, then);
  if (isAccess(work, node)) {
    if (node.expression.kind === api.SyntaxKind.SuperKeyword) return then(superMember(work, node));
    return link(work, node.expression, (object) =>
      optional(work, node.questionDotToken !== undefined, object, (sure) =>
        then(member(work, node, sure)),
      ),
    );
  }
  if (api.isCallExpression(node) && (node.flags & api.NodeFlags.OptionalChain) !== 0)
    return optionalCall(work, node, then);
  return then(expression(work, node));
}

function optional(work: Work, isOptional: boolean, pair: Pair, then: Then): Pair {
  if (!isOptional) return then(pair);
  const name = temporary(work);
  const rest = then(plain(name));
  return {
    v: code`((${put(name, asArgument(pair))}) == null ? $d.ret(undefined, 0) : ${returned(rest)})`,
    i: ID,
    level: 2,
    pure: false,
  };
}

function optionalCall(work: Work, node: ts.CallExpression, then: Then): Pair {
  const callee = work.api.isNonNullExpression(node.expression)
    ? node.expression.expression
    : node.expression;
  const isOptional = node.questionDotToken !== undefined;
  if (!isAccess(work, callee)) {
    noteCall(work, callee);
    return link(work, callee, (f) =>
      optional(work, isOptional, f, (sure) =>
        then(
          called(
            invocation(work, code`$d.call`, [asArgument(sure), code`undefined`], node.arguments),
          ),
        ),
      ),
    );
  }
  return link(work, callee.expression, (object) =>
    optional(work, callee.questionDotToken !== undefined, object, (sure) => {
      if (!isOptional) return then(methodCall(work, callee, sure, node.arguments));
      noteMethod(work, callee, node.arguments);
      const self = temporary(work);
      const f = member(work, callee, plain(self));
      const whole = optional(work, true, f, (g) =>
        then(called(invocation(work, code`$d.call`, [asArgument(g), self], node.arguments))),
      );
      return {
        v: code`(${put(self, asArgument(sure))}, ${whole.v})`,
        i: whole.i,
        level: 2,
        pure: false,
      };
    }),
  );
}

/** `o.k`, `o[k]` of a defined object. */
export const member = (work: Work, node: Access, object: Pair): Pair =>
  work.api.isPropertyAccessExpression(node)
    ? property(work, node, object)
    : element(work, node, object);

type Access = ts.PropertyAccessExpression | ts.ElementAccessExpression;

function property(work: Work, node: ts.PropertyAccessExpression, object: Pair): Pair {
  const { api, context } = work;
  if (api.isPrivateIdentifier(node.name)) return privateMember(work, node.name, object);
  if (node.name.text === "length" && isListLike(api, context.checker, node.expression))
    return plain(code`${operand(work, object)}.length`, 2, object.pure);
  if (isInertGlobal(work, node)) return plain(source(node.getText()));
  if (isEnumMember(work, node))
    return plain(code`${asArgument(object)}.${id(node.name.text)}`, 2, object.pure);
  return (
    dataField(work, node, object) ??
    fieldByHandle(work, node, object) ??
    called(code`$d.get(${asArgument(object)}, ${keyText(work, node)})`)
  );
}

function element(work: Work, node: ts.ElementAccessExpression, object: Pair): Pair {
  if (isEnumMember(work, node)) {
    const name = source(node.argumentExpression.getText());
    return plain(code`${asArgument(object)}[${name}]`, 2, object.pure);
  }
  const key = expression(work, node.argumentExpression);
  return (
    dataElement(work, node, object, key) ??
    elementByHandle(work, node, object, key) ??
    called(code`$d.get(${asArgument(object)}, ${tableKey(work, node, key)})`)
  );
}

/** The key of an element. The runtime is told the name that an active number gives to a field. */
function tableKey(
  { api, context: { checker } }: Work,
  { expression: table }: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  key: Pair,
): Code {
  const isTable =
    key.i !== ZERO &&
    checker !== null &&
    table.pos >= 0 &&
    !isListLike(api, checker, table) &&
    checker.getTypeAtLocation(table).getNumberIndexType() !== undefined;
  return isTable ? code`$d.text(${flat(key)})` : asArgument(key);
}

/** `Math.PI`, `Number.MAX_VALUE`. */
function isInertGlobal(work: Work, node: ts.PropertyAccessExpression): boolean {
  const object = node.expression;
  return (
    work.api.isIdentifier(object) &&
    /^[A-Z0-9_]+$/.test(node.name.text) &&
    (object.text === "Math" || object.text === "Number") &&
    work.bindings.find(object) === null &&
    work.context.resolver.resolve(object).kind === "native"
  );
}

/** `Kind.Dot` of a `const enum`, which has no object at run time. */
function isEnumMember(
  { api, context: { checker } }: Work,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): boolean {
  if (!api.isPropertyAccessExpression(node) && !api.isStringLiteralLike(node.argumentExpression))
    return false;
  const member = checker?.getSymbolAtLocation(
    api.isPropertyAccessExpression(node) ? node.name : node.argumentExpression,
  );
  return member !== undefined && (member.flags & api.SymbolFlags.EnumMember) !== 0;
}

export function keyText(
  work: Work,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): Code {
  return work.api.isPropertyAccessExpression(node)
    ? literal(node.name.text)
    : asArgument(expression(work, node.argumentExpression));
}

function privateMember(work: Work, name: ts.PrivateIdentifier, object: Pair): Pair {
  const found = privateName(work, name);
  const { text, key, kind, staticOf } = found;
  if (staticOf !== null)
    return kind === "method"
      ? plain(code`$d.fn(${staticOf}.${text})`, 2, false)
      : problem(
          work,
          name,
          "a static private accessor, which code outside of its class cannot call (`private static` is accepted)",
        );
  const o = object.pure ? object.v : temporary(work);
  const of =
    found.beside !== null
      ? object.pure
        ? asArgument(object)
        : put(o, asArgument(object))
      : object.pure
        ? work.any === NOTHING || object.v === "this"
          ? object.v
          : operand(work, object)
        : code`(${put(o, asArgument(object))})`;
  switch (kind) {
    case "field":
      return {
        v: readText(found, of),
        i: code`$d.varId(${o}, ${key})`,
        level: 2,
        pure: object.pure,
      };
    // A getter leaves the id of its result.
    case "accessor":
      return called(readText(found, of));
    case "method":
      return {
        ...plain(
          code`$d.fn(${found.beside === null || object.pure ? methodText(found, of) : code`(${of}, ${methodText(found, o)})`})`,
          2,
          false,
        ),
        object: true,
      };
  }
}

function superMember(
  work: Work,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): Pair {
  if (isOfLiteral(work.api, node)) return refused(work, node, SUPER_OF_LITERAL);
  const key = work.api.isPropertyAccessExpression(node)
    ? code`.${id(node.name.text)}`
    : code`[${expression(work, node.argumentExpression).v}]`;
  // A rewritten getter of the parent leaves its id; anything else leaves none.
  return { v: code`($d.ret(0, 0), super${key})`, i: ID, level: 2, pure: false };
}

export function remove(work: Work, node: ts.DeleteExpression): Pair {
  const target = bare(node.expression, work.api);
  if (!isAccess(work, target))
    return refused(work, node, "`delete` of something that is no property");
  const whole = link(work, target.expression, (object) =>
    optional(work, target.questionDotToken !== undefined, object, (sure) =>
      plain(code`$d.del(${asArgument(sure)}, ${keyText(work, target)})`, 2, false),
    ),
  );
  return { ...whole, i: ZERO };
}

/** A name whose value nothing else changes before it is read. */
export function isSteady(work: Work, node: ts.Expression): boolean {
  const inner = bare(node, work.api);
  if (
    inner.kind === work.api.SyntaxKind.ThisKeyword ||
    work.api.isStringLiteral(inner) ||
    work.api.isNumericLiteral(inner)
  )
    return true;
  if (!work.api.isIdentifier(inner)) return false;
  const variable = work.bindings.find(inner);
  if (variable === null) return work.context.resolver.resolve(inner).kind !== "outer-variable";
  return !variable.written;
}
