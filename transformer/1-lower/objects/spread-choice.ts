// Lowers `{ ...(c ? { m: x } : {}) }` and `{ ...(c && { m: x }) }`: fields with a condition.
// Output: each field is chosen by itself, since no record type holds both sides.
// A field's expression runs only on its own side.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { UNDEFINED } from "../coerce.ts";
import { lowerExpr } from "../lowering.ts";
import type { Frame } from "../frame.ts";
import { lowerCondition } from "../operators.ts";
import type { Fields } from "./spread-fields.ts";

type Properties = ReadonlyMap<string, ts.Expression>;

/** Adds the fields of a choice between object literals; false for other spreads. */
export function spreadChoice(f: Frame, property: ts.SpreadAssignment, fields: Fields): boolean {
  const choice = choiceOf(f, bare(property.expression, f.api));
  if (choice === null) return false;
  const cond = lowerCondition(f, choice.condition);
  for (const name of new Set([...choice.then.keys(), ...choice.otherwise.keys()])) {
    const former = fields.get(name);
    const side = (properties: Properties) => (): Atom => {
      const value = properties.get(name);
      return value === undefined ? (former ?? UNDEFINED) : lowerExpr(f, value);
    };
    const given = choice.then.get(name) ?? choice.otherwise.get(name);
    const isAlways =
      former === undefined
        ? choice.then.has(name) && choice.otherwise.has(name)
        : f.shape(former.type).kind !== "opt";
    const type: Type = given === undefined ? UNDEFINED.type : f.ctx.typeOf(given);
    const value = f.choose(
      name,
      isAlways || type.kind === "opt" ? type : { kind: "opt", of: type },
      cond,
      side(choice.then),
      side(choice.otherwise),
    );
    if (isAlways && former === undefined) fields.set(name, value);
    else fields.setOptional(name, value);
  }
  return true;
}

interface Choice {
  readonly condition: ts.Expression;
  readonly then: Properties;
  readonly otherwise: Properties;
}

function choiceOf(f: Frame, node: ts.Expression): Choice | null {
  const { api } = f;
  if (api.isConditionalExpression(node)) {
    const then = propertiesOf(f, node.whenTrue);
    const otherwise = propertiesOf(f, node.whenFalse);
    return then === null || otherwise === null
      ? null
      : { condition: node.condition, then, otherwise };
  }
  if (
    !api.isBinaryExpression(node) ||
    node.operatorToken.kind !== api.SyntaxKind.AmpersandAmpersandToken
  )
    return null;
  const then = propertiesOf(f, node.right);
  return then === null ? null : { condition: node.left, then, otherwise: new Map() };
}

/** Plain properties of an object literal; empty for `undefined` and `null`; null otherwise. */
function propertiesOf(f: Frame, expression: ts.Expression): Properties | null {
  const { api } = f;
  const node = bare(expression, f.api);
  if (
    node.kind === api.SyntaxKind.NullKeyword ||
    (api.isIdentifier(node) && node.text === "undefined")
  )
    return new Map();
  if (!api.isObjectLiteralExpression(node)) return null;
  const found = new Map<string, ts.Expression>();
  for (const property of node.properties) {
    if (api.isShorthandPropertyAssignment(property)) found.set(property.name.text, property.name);
    else if (
      api.isPropertyAssignment(property) &&
      (api.isIdentifier(property.name) || api.isStringLiteral(property.name))
    )
      found.set(property.name.text, property.initializer);
    else return null;
  }
  return found;
}
