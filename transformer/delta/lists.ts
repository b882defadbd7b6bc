// Reads elements of arrays that are no constant locals (`rows[k][i]` in a loop), and `for … of`.
// In: an element access or a loop. Out: direct reads; a local caches the ids of the last array.
// Invariant: the function runs in one execution of the tape, so cached ids stay valid.

import type ts from "typescript";
import { type Code, code, NOTHING, ZERO } from "../code/code.ts";
import { expression } from "./expression.ts";
import { listOf, runsWithDeclaration } from "./handles.ts";
import {
  holdNoNumbers,
  isLeaf,
  isListLike,
  isListOfNumbers,
  isNumber,
  isPrimitive,
} from "./types/leaves.ts";
import { leafOf } from "./linear.ts";
import { asArgument, called, plain, type Pair } from "./pair.ts";
import { ifRead, put, reading } from "../code/temporaries.ts";
import { operand, temporary, unwrapped, type Work } from "./work.ts";

const runsAtOnce = ({ isUntyped, frame, context }: Work): boolean =>
  !isUntyped && !frame.isAsync && !frame.isGenerator && context.perOperation !== true;

/** Whether a loop of its function contains it. */
function repeats({ api }: Work, node: ts.Node): boolean {
  for (
    let at = node.parent;
    !api.isSourceFile(at) && !api.isFunctionLike(at) && !api.isClassStaticBlockDeclaration(at);
    at = at.parent
  )
    if (api.isIterationStatement(at, false)) return true;
  return false;
}

/**
 * An element of a number array in a loop, `e[k]`, or null. Evaluates `e` and `k` once:
 * `(t = (t1 = e, t1 === t2 || (t3 = $d.idsOf(t1), t2 = t1), t1)[k], t4 = t3.ids[k] ?? 0, t)`
 */
export function elementInLoop(
  work: Work,
  node: ts.ElementAccessExpression,
  object: Pair,
  index: Pair,
): Pair | null {
  const {
    api,
    context: { checker },
  } = work;
  if (!runsAtOnce(work) || !repeats(work, node) || api.isNumericLiteral(node.argumentExpression))
    return null;
  if (
    !isListOfNumbers(api, checker, node.expression) ||
    !isNumber(api, checker, node.argumentExpression)
  )
    return null;
  const value = temporary(work);
  const id = temporary(work);
  const [found, handle] = listWithIds(work, node, object, id);
  const isName = index.pure && /^[\p{ID_Continue}$]+$/u.test(index.v);
  const key = isName ? index.v : temporary(work);
  const v = code`(${put(value, code`${found}[${isName ? key : put(key, asArgument(index))}]`)}${ifRead(id, code`, ${put(id, code`${handle}.ids[${key}] ?? 0`)}`)}, ${value})`;
  return {
    v,
    i: id,
    level: 2,
    pure: false,
    number: true,
    noise: object.noise === 2 || index.noise === 2 ? 2 : 1,
    linear: { ...leafOf(value, id, [], false), isLater: true },
  };
}

/** Source texts of an array and of its ids, which are looked up where `id` is read. */
function listWithIds(
  work: Work,
  node: ts.ElementAccessExpression,
  object: Pair,
  id: Code,
): readonly [found: Code, handle: Code] {
  const variable = listOf(work, node);
  if (variable !== null && object.v === variable.name && runsWithDeclaration(work, variable, node))
    return [variable.name, reading(variable.handle)];
  const list = temporary(work);
  const last = temporary(work);
  const handle = temporary(work);
  return [
    code`(${put(list, asArgument(object))}${ifRead(id, code`, ${list} === ${last} || (${put(handle, code`$d.idsOf(${list})`)}, ${put(last, list)})`)}, ${list})`,
    handle,
  ];
}

/** An element that is an object or a string, which has no id itself; or null. */
export function elementWithoutId(
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
    !runsAtOnce(work) ||
    !isLeaf(api, checker, node) ||
    !isListLike(api, checker, node.expression) ||
    !isNumber(api, checker, node.argumentExpression)
  )
    return null;
  return {
    ...plain(code`${operand(work, object)}[${asArgument(index)}]`, 2, object.pure && index.pure),
    object: true,
    text: true,
  };
}

/** The source of a loop, and the id of its value, read once at the start of an iteration. */
export interface Through {
  readonly source: Code;
  readonly i: Code;
  /** Its values are passive data. */
  readonly inert: boolean;
  /** The head of an indexed loop, and the element in an iteration. */
  readonly byPlace?: { readonly head: Code; readonly element: Code };
}

/** The names and the source of `for (const [i, x] of data.entries())`, which stays; or null. */
export function entriesOfData(
  work: Work,
  node: ts.ForOfStatement,
): { readonly names: readonly (ts.Identifier | null)[]; readonly source: Code } | null {
  const {
    api,
    context: { checker },
  } = work;
  const call = unwrapped(work, node.expression);
  const first = node.initializer;
  if (
    !api.isCallExpression(call) ||
    call.arguments.length > 0 ||
    !api.isPropertyAccessExpression(call.expression) ||
    call.expression.name.text !== "entries" ||
    call.questionDotToken !== undefined
  )
    return null;
  if (
    !api.isVariableDeclarationList(first) ||
    (first.flags & api.NodeFlags.BlockScoped) === 0 ||
    !runsAtOnce(work)
  )
    return null;
  const list = call.expression.expression;
  const name = first.declarations[0]?.name;
  if (
    name === undefined ||
    !api.isArrayBindingPattern(name) ||
    !isListLike(api, checker, list) ||
    isPrimitive(api, checker, list)
  )
    return null;
  const names: (ts.Identifier | null)[] = [];
  for (const element of name.elements) {
    if (api.isOmittedExpression(element)) names.push(null);
    else if (
      api.isIdentifier(element.name) &&
      element.initializer === undefined &&
      element.dotDotDotToken === undefined
    )
      names.push(element.name);
    else return null;
  }
  const object = expression(work, list);
  return object.inert === true ? { names, source: code`${operand(work, object)}.entries()` } : null;
}

/**
 * `for (const x of e)  ->  for (const x of (t = $d.walked(e), t1 = 0, t.list))`, id `t.ids[t1++]`
 * Arithmetic bodies are indexed, `$d.indexed(e)`; arrays without numbers need no ids.
 */
export function through(work: Work, node: ts.ForOfStatement): Through {
  const {
    api,
    context: { checker },
  } = work;
  const all = expression(work, node.expression);
  const list = asArgument(all);
  const first = node.initializer;
  const isOwn =
    runsAtOnce(work) &&
    api.isVariableDeclarationList(first) &&
    (first.flags & api.NodeFlags.BlockScoped) !== 0;
  const isData = isOwn && all.inert === true && isListLike(api, checker, node.expression);
  if (isData || (isOwn && holdNoNumbers(api, checker, node.expression)))
    return { source: code`$d.plainly(${list})`, i: ZERO, inert: isData };
  const name = isOwn ? first.declarations[0]?.name : undefined;
  if (
    name === undefined ||
    !api.isIdentifier(name) ||
    !isListOfNumbers(api, checker, node.expression)
  )
    return {
      source: code`$d.each(${list})`,
      i: called(NOTHING).i,
      inert: false,
    };
  const walk = temporary(work);
  const at = temporary(work);
  if (isPlain(api, node.statement))
    return {
      source: NOTHING,
      i: code`${walk}.ids[${at}] ?? 0`,
      inert: false,
      byPlace: {
        head: code`${put(at, ZERO)}, ${put(walk, code`$d.indexed(${list})`)}; ${at} < ${walk}.list.length; ${at}++`,
        element: code`${walk}.list[${at}]`,
      },
    };
  return {
    source: code`(${put(walk, code`$d.walked(${list})`)}${ifRead(at, code`, ${put(at, ZERO)}`)}, ${walk}.list)`,
    i: code`${walk}.ids[${at}++] ?? 0`,
    inert: false,
  };
}

/** Whether code runs to its end and calls only `Math`, so that no list gets longer. */
function isPlain(api: typeof ts, node: ts.Node): boolean {
  if (api.isCallExpression(node))
    return isOfMath(api, node) && node.arguments.every((arg) => isPlain(api, arg));
  return (
    !api.isReturnStatement(node) &&
    !api.isThrowStatement(node) &&
    !api.isTryStatement(node) &&
    !api.isNewExpression(node) &&
    !api.isTaggedTemplateExpression(node) &&
    !api.isFunctionLike(node) &&
    !api.isClassLike(node) &&
    !api.isAwaitExpression(node) &&
    !api.isYieldExpression(node) &&
    !api.isBreakStatement(node) &&
    !(api.isContinueStatement(node) && node.label !== undefined) &&
    api.forEachChild(node, (child) => !isPlain(api, child) || undefined) === undefined
  );
}

const isOfMath = (api: typeof ts, { expression: callee }: ts.CallExpression): boolean =>
  api.isPropertyAccessExpression(callee) &&
  api.isIdentifier(callee.expression) &&
  callee.expression.text === "Math";
