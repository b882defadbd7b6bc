// Finds passive arguments, whose objects have no recorded ids. In: names, reads, writes and calls.
// Out: whether they are passive; facts for activity.ts. Invariant: when unsure, active or written.
// A function that may run in another execution than its declaration reads ids.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { type Code, code, id, list, literal, ZERO } from "../../code/code.ts";
import type { Given } from "../plan/activity.ts";
import { READING, readsList, runsWithin } from "../plan/at-once.ts";
import type { Variable } from "../binding.ts";
import { expression } from "../expression.ts";
import { functionOf } from "../captures.ts";
import { isRecord } from "./data-types.ts";
import { readsOf } from "../handles.ts";
import { isListLike, isListOfNumbers, isNumber, isPrimitive } from "./leaves.ts";
import { leafOf } from "../linear.ts";
import { asArgument, called, flat, plain, type Pair } from "../pair.ts";
import { operand, type Work } from "../work.ts";

type Access = ts.PropertyAccessExpression | ts.ElementAccessExpression;

/** Passive data as an operand. Its type says the rest. */
const DATA = { i: ZERO, inert: true, object: true, text: true } as const;

/** Whether the name, read at this node, is passive data. */
export const isData = (work: Work, variable: Variable, at: ts.Node): boolean =>
  !variable.holds &&
  !work.isUntyped &&
  work.context.activity !== undefined &&
  runsWithin(work, functionOf(work.api, variable.declaration), at);

/** An element of passive data, or null: `data[i]  ->  data[i]` */
export function dataElement(
  work: Work,
  node: ts.ElementAccessExpression,
  object: Pair,
  index: Pair,
): Pair | null {
  const {
    api,
    context: { checker },
  } = work;
  if (
    object.inert !== true ||
    !isListLike(api, checker, node.expression) ||
    !isNumber(api, checker, node.argumentExpression)
  )
    return null;
  const v = code`${operand(work, object)}[${asArgument(index)}]`;
  const pure = object.pure && index.pure;
  const read: Pair = { ...plain(v, 2, pure), ...DATA };
  const reads =
    object.linear !== undefined && isListOfNumbers(api, checker, node.expression)
      ? readsOf(work, node.argumentExpression)
      : null;
  return reads === null || !pure
    ? read
    : {
        ...read,
        noise: 0,
        linear: leafOf(v, "0", [...(object.linear?.reads ?? []), ...reads], true),
      };
}

/** A field of a passive record of the program, or null: `data.k  ->  data.k` */
export function dataField(
  work: Work,
  node: ts.PropertyAccessExpression,
  object: Pair,
): Pair | null {
  const {
    api,
    context: { checker, activity },
  } = work;
  if (
    object.inert !== true ||
    checker === null ||
    activity?.hasPlainFields() !== true ||
    !isOfRecords(checker.getTypeAtLocation(node.expression), api)
  )
    return null;
  return {
    ...plain(code`${operand(work, object)}.${id(node.name.text)}`, 2, object.pure),
    ...DATA,
  };
}

const isOfRecords = (type: ts.Type, api: typeof ts): boolean =>
  (type.isUnion() ? type.types : [type]).every((member) => isRecord(member, api));

/** What a parameter gets from an argument. */
export function givenBy(work: Work, node: ts.Expression, { i, inert }: Pair): Given {
  return {
    isLive: i !== "0",
    holds: inert !== true && !isPrimitive(work.api, work.context.checker, node),
  };
}

/** Records that something is written there. */
export function noteWrite(work: Work, target: Access, { i }: Pair): void {
  const { api, context } = work;
  if (i === "0" && isPrimitive(api, context.checker, target)) return;
  const variable = variableOf(work, target.expression);
  if (!isFresh(work, variable)) context.activity?.writes();
  else if (variable?.holds === false) {
    variable.holds = true;
    work.changed = true;
  }
}

/** `data[k] = e` of a number without an id, or null */
export function dataWritten(
  work: Work,
  target: Access,
  object: Pair,
  key: Code,
  value: Pair,
): Pair | null {
  const {
    api,
    context: { checker },
  } = work;
  if (
    object.inert !== true ||
    value.i !== "0" ||
    !api.isElementAccessExpression(target) ||
    !isListOfNumbers(api, checker, target.expression)
  )
    return null;
  if (!isNumber(api, checker, target.argumentExpression) || value.number !== true) return null;
  return {
    ...plain(code`${operand(work, object)}[${key}] = ${asArgument(value)}`, 1, false),
    noise: 2,
  };
}

/** `data.push(e)` of an array that the function allocated, of numbers without ids, or null */
export function dataPushed(
  work: Work,
  callee: Access,
  object: Pair,
  args: readonly ts.Expression[],
): Pair | null {
  const {
    api,
    context: { checker },
  } = work;
  if (
    object.inert !== true ||
    !api.isPropertyAccessExpression(callee) ||
    callee.name.text !== "push" ||
    !isListOfNumbers(api, checker, callee.expression)
  )
    return null;
  const variable = variableOf(work, callee.expression);
  if (
    variable === null ||
    !isFresh(work, variable) ||
    !args.every((arg) => isNumber(api, checker, arg))
  )
    return null;
  if (args.some((arg) => api.isSpreadElement(arg))) {
    work.context.activity?.writes();
    return null;
  }
  const pairs = args.map((arg) => expression(work, arg));
  if (pairs.every(({ i }) => i === "0"))
    return {
      ...plain(code`${variable.name}.push(${list(pairs.map(asArgument))})`, 2, false),
      noise: 2,
    };
  work.context.activity?.writes();
  return called(code`$d.callMethod(${list([variable.name, literal("push"), ...pairs.map(flat)])})`);
}

/** Whether a literal starts a local number array, which is passive until an active write. */
export function isNewData(work: Work, node: ts.ArrayLiteralExpression): boolean {
  const {
    api,
    context: { activity, checker },
  } = work;
  const { parent } = node;
  if (
    work.isUntyped ||
    activity === undefined ||
    activity.isWritten() ||
    !api.isVariableDeclaration(parent) ||
    !api.isIdentifier(parent.name)
  )
    return false;
  return (
    isListOfNumbers(api, checker, parent.name) &&
    node.elements.every((element) => isNumber(api, checker, element))
  );
}

function variableOf(work: Work, node: ts.Expression): Variable | null {
  const object = bare(node, work.api);
  return work.api.isIdentifier(object) ? work.bindings.find(object) : null;
}

/** Whether the function itself allocated the array or record. */
function isFresh(work: Work, variable: Variable | null): boolean {
  const { api } = work;
  if (variable === null || variable.written) return false;
  const { declaration } = variable;
  return (
    api.isVariableDeclaration(declaration) &&
    api.isIdentifier(declaration.name) &&
    declaration.initializer !== undefined &&
    isAllocation(work, bare(declaration.initializer, work.api))
  );
}

/** `[]`, `{}`, `new Float64Array(n)`, `xs.map(f)` */
function isAllocation(work: Work, made: ts.Expression): boolean {
  const { api } = work;
  if (api.isArrayLiteralExpression(made) || api.isObjectLiteralExpression(made)) return true;
  if (api.isCallExpression(made))
    return (
      readsList(work, made) &&
      api.isPropertyAccessExpression(made.expression) &&
      (made.expression.name.text === "map" || made.expression.name.text === "slice")
    );
  return (
    api.isNewExpression(made) &&
    (made.arguments ?? []).every((arg) => isNumber(api, work.context.checker, arg)) &&
    isNativeName(work, made.expression)
  );
}

const isNativeName = (work: Work, node: ts.Expression): boolean =>
  work.api.isIdentifier(node) &&
  work.bindings.find(node) === null &&
  work.context.resolver.resolve(node).kind === "native";

/** A method call may write anything, unless it only reads an array or calls `Math`. */
export function noteMethod(work: Work, callee: Access, args: readonly ts.Expression[]): void {
  const { api, context } = work;
  if (api.isPropertyAccessExpression(callee)) {
    if (
      isNativeName(work, callee.expression) &&
      api.isIdentifier(callee.expression) &&
      callee.expression.text === "Math"
    )
      return;
    const isReading =
      READING.has(callee.name.text) && isListLike(api, context.checker, callee.expression);
    if (
      isReading &&
      args.every((arg) => api.isArrowFunction(arg) || isPrimitive(api, context.checker, arg))
    )
      return;
    if (isReading && callee.name.text === "concat") return;
  }
  context.activity?.writes();
}

/** A call of a function value may write anything. A nested declaration records its own writes. */
export function noteCall(work: Work, callee: ts.Expression): void {
  const { api } = work;
  const variable = api.isIdentifier(callee) ? work.bindings.find(callee) : null;
  if (variable?.how !== "function" || variable.written) work.context.activity?.writes();
}
