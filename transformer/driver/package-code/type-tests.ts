// Conditions that types decide: `Number.isInteger(list)`, `typeof x === "number"`, and tests of
// packages such as `isAnyArray(n)`. In: a copy in a program. Out: which of its conditions are
// always true or false, or are so unless a value is missing. Invariant: what is not known stays a
// condition.

import type ts from "typescript";
import { type Copy, rootOf } from "./copies.ts";
import type { Place } from "./function-arguments.ts";
import {
  constant,
  Evaluation,
  type Scope,
  type Setting,
  truthOf,
  valueOf,
  type Value,
} from "./type-evaluation.ts";
import { mentionsName, someNode } from "../../syntax/walk.ts";

type Api = typeof ts;

/** Finds conditions of a copy; whether there was a new one. */
export function decide(setting: Setting, copy: Copy, at: Place): boolean {
  const { api, checker } = setting.types;
  const root = rootOf(api, copy);
  if (root === undefined || copy.kind === "class") return false;
  const before = copy.decided.size;
  const { module } = copy.found;
  const typeOf = (name: ts.Identifier): ts.Type | null => {
    const node = at(name);
    return node === undefined ? null : checker.getTypeAtLocation(node);
  };
  /** An expression has no statement that could be left out. */
  const isOpen = (condition: ts.Expression): boolean =>
    !copy.decided.has(condition) &&
    (hasTest(api, condition) ||
      api.isIdentifier(condition) ||
      api.isConditionalExpression(condition.parent));
  const isUseful = (condition: ts.Expression, text: string): boolean => {
    const { parent } = condition;
    const [, name = "", operator] = /^(.*) (!=|==) null$/.exec(text) ?? [];
    if (operator === undefined || hasTest(api, condition)) return true;
    if (!api.isConditionalExpression(parent)) return !api.isIdentifier(condition);
    return mentionsName(api, operator === "!=" ? parent.whenFalse : parent.whenTrue, name);
  };
  const visit = (node: ts.Node): void => {
    const condition = conditionOf(api, node);
    if (condition !== null && isOpen(condition)) {
      const text = decision(setting, condition, { module, typeOf });
      if (text !== null && isUseful(condition, text)) copy.decided.set(condition, text);
    }
    api.forEachChild(node, visit);
  };
  visit(root);
  return copy.decided.size > before;
}

/** Whether TypeScript does not see itself what types exclude. */
const hasTest = (api: Api, node: ts.Node): boolean =>
  someNode(
    api,
    node,
    (at) => api.isCallExpression(at) || at.kind === api.SyntaxKind.InstanceOfKeyword,
  );

/** `true`, `false`, or what is left to test: a value of a type may be missing all the same. */
function decision(
  setting: Setting,
  condition: ts.Expression,
  {
    module,
    typeOf,
  }: Pick<Scope, "module"> & {
    readonly typeOf: (name: ts.Identifier) => ts.Type | null;
  },
): string | null {
  const names = new Set<string>();
  const valueFor = (missing: Value): boolean | null => {
    const named = (name: ts.Identifier): Value => {
      names.add(name.text);
      const type = typeOf(name);
      return missing ?? (type === null ? null : valueOf(setting.types, type));
    };
    const scope: Scope = { module, named, known: new Map(), depth: 0 };
    return truthOf(new Evaluation(setting, scope).of(condition));
  };
  const result = valueFor(null);
  if (result === null) return null;
  const ofMissing = new Set([undefined, null].map((value) => valueFor(constant(value))));
  const [name, ...others] = names;
  const [missing = null, ...more] = ofMissing;
  if (missing === result && more.length === 0) return String(result);
  return missing === null || name === undefined || others.length > 0 || more.length > 0
    ? null
    : `${name} ${result ? "!=" : "=="} null`;
}

const conditionOf = (api: Api, node: ts.Node): ts.Expression | null =>
  api.isIfStatement(node)
    ? node.expression
    : api.isConditionalExpression(node)
      ? node.condition
      : null;
