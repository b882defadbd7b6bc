// Reads statements of a fused stretch. In: a declaration, an assignment to a local, a body with a
// result. Out: whether they belong to it, and the values of their names. Invariant: a statement is
// read entirely or not at all (`Run.attempt`).

import type ts from "typescript";
import { runsWithin } from "../plan/at-once.ts";
import type { Variable } from "../binding.ts";
import { functionOf } from "../captures.ts";
import { isRecord } from "../types/data-types.ts";
import { expression } from "../expression.ts";
import { isDataField, listOf, staysThrough } from "../handles.ts";
import { isNumber } from "../types/leaves.ts";
import { asArgument } from "../pair.ts";
import { unwrapped } from "../work.ts";
import { fieldOf, numberOf, operationOf, unwritten, valueOf } from "./expression.ts";
import type { Num } from "./graph.ts";
import type { Callee, Run } from "./state.ts";
import type { Value } from "./values.ts";

/** The result of a function whose body is declarations and assignments before one `return`. */
export function returnedBy(
  run: Run,
  { body }: ts.FunctionLikeDeclaration,
  callee: Callee,
): Value | null {
  const { api } = run.work;
  if (body === undefined) return null;
  if (!api.isBlock(body)) return valueOf(run, body, callee);
  for (const node of body.statements) {
    if (api.isReturnStatement(node))
      return node.expression === undefined ? null : valueOf(run, node.expression, callee);
    if (!statement(run, node, callee)) return null;
  }
  return null;
}

/** A declaration of block-scoped names, or an assignment to a local. */
export function statement(run: Run, node: ts.Statement, callee: Callee | null): boolean {
  const { api } = run.work;
  if (api.isVariableStatement(node)) {
    const { flags, declarations } = node.declarationList;
    if (
      (flags & api.NodeFlags.BlockScoped) === 0 ||
      (flags & api.NodeFlags.Using) === api.NodeFlags.Using ||
      (node.modifiers ?? []).length > 0
    )
      return false;
    return declarations.every(({ name, initializer }) => {
      const value = initializer === undefined ? null : valueOf(run, initializer, callee);
      return value !== null && declare(run, name, value, callee);
    });
  }
  if (!api.isExpressionStatement(node)) return false;
  const assignment = unwrapped(run.work, node.expression);
  return api.isBinaryExpression(assignment) && assign(run, assignment, callee);
}

/** An element that is written after the rest of the stretch. */
export interface Store {
  readonly list: Variable;
  /** Source text of its index. */
  readonly index: string;
  readonly value: Num;
}

/** `a[i] = e;`, `a[i] += e;` of a local array, where `i` does not change; null for all else. */
export function storeOf(run: Run, node: ts.Statement): Store | null {
  const { work } = run;
  const { api } = work;
  const written = api.isExpressionStatement(node) ? unwrapped(work, node.expression) : null;
  if (written === null || !api.isBinaryExpression(written)) return null;
  const target = unwrapped(work, written.left);
  const sign = api.tokenToString(written.operatorToken.kind) ?? "";
  const op = operationOf(sign.slice(0, -1));
  if (
    !api.isElementAccessExpression(target) ||
    target.questionDotToken !== undefined ||
    (sign !== "=" && op === undefined) ||
    !sign.endsWith("=")
  )
    return null;
  const list = listOf(work, target);
  const index = expression(work, target.argumentExpression);
  if (
    list === null ||
    !unwritten(run, target) ||
    !staysThrough(work, target.argumentExpression, { ...index, noise: 0 }) ||
    !index.pure ||
    !runsWithin(work, functionOf(api, list.declaration), target)
  )
    return null;
  const before = sign === "=" ? null : numberOf(run, target, null);
  const right = numberOf(run, written.right, null);
  const value =
    right === null || sign === "="
      ? right
      : op === undefined || before === null
        ? null
        : run.graph.primal(op, [before, right]);
  return value === null ? null : { list, index: asArgument(index), value };
}

/** `x = e`, `x += e` */
function assign(run: Run, node: ts.BinaryExpression, callee: Callee | null): boolean {
  const { work } = run;
  const { api } = work;
  const target = unwrapped(work, node.left);
  const sign = api.tokenToString(node.operatorToken.kind) ?? "";
  if (
    !api.isIdentifier(target) ||
    (sign !== "=" && operationOf(sign.slice(0, -1)) === undefined) ||
    (callee !== null && !callee.names.has(target.text))
  )
    return false;
  if (sign === "=") {
    const value = valueOf(run, node.right, callee);
    return value !== null && bind(run, target, value, callee);
  }
  const op = operationOf(sign.slice(0, -1));
  const before = numberOf(run, target, callee);
  const right = before === null ? null : numberOf(run, node.right, callee);
  const value =
    op === undefined || before === null || right === null
      ? null
      : run.graph.primal(op, [before, right]);
  return value !== null && bind(run, target, value, callee);
}

/** A name, or a pattern of fields without defaults. */
export function declare(
  run: Run,
  name: ts.BindingName,
  value: Value,
  callee: Callee | null,
): boolean {
  const {
    api,
    context: { checker },
  } = run.work;
  if (api.isIdentifier(name)) return bind(run, name, value, callee);
  if (!api.isObjectBindingPattern(name) || value.kind === "num") return false;
  const type = checker?.getTypeAtLocation(name);
  if (checker === null || type === undefined) return false;
  return name.elements.every((element) => {
    const key = element.propertyName ?? element.name;
    if (
      element.initializer !== undefined ||
      element.dotDotDotToken !== undefined ||
      !api.isIdentifier(key) ||
      !api.isIdentifier(element.name)
    )
      return false;
    if (
      value.kind !== "made" &&
      (key.text in Object.prototype ||
        !isNumber(api, checker, element.name) ||
        !isDataField(api, checker.getPropertyOfType(type, key.text)))
    )
      return false;
    const inner =
      value.kind === "made"
        ? (value.fields.get(key.text) ?? null)
        : fieldOf(run, value, key.text, true, isRecord(type, api), false);
    return inner !== null && bind(run, element.name, inner, callee);
  });
}

function bind(run: Run, name: ts.Identifier, value: Value, callee: Callee | null): boolean {
  if (callee !== null) {
    callee.names.set(name.text, value);
    return true;
  }
  const variable = run.work.bindings.find(name);
  if (
    variable === null ||
    variable.how === "var" ||
    variable.how === "function" ||
    variable.how === "class" ||
    variable.how === "catch"
  )
    return false;
  run.write(
    variable,
    value,
    name.parent === variable.declaration || run.work.api.isBindingElement(name.parent)
      ? null
      : name,
  );
  return true;
}
