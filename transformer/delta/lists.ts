// Lists that are no steady local: `o.weights[i]`, `rows[k][i]` in a loop, and what `for … of` goes through. In: an element access, a loop. Out: reads of the list
// itself, its ids beside it in a local that is looked for anew only where the list is another one. Invariants: the function runs in one run of the tape from
// beginning to end, so a handle that it found stays right; what is no list is asked as JavaScript asks it.

import type ts from "typescript";
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
import { isPlain } from "./sums.ts";
import { ifRead, put, reading, writtenBy } from "./temporaries.ts";
import { operand, temporary, unwrapped, type Work } from "./work.ts";

const runsAtOnce = ({ isUntyped, frame, context }: Work): boolean =>
  !isUntyped && !frame.isAsync && !frame.isGenerator && context.perOperation !== true;

/** Whether a loop of the function runs it more than once. */
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
 * An element of a list of numbers in a loop, its place being computed, or null: `e[k]  ->  (t = (t1 = e, t1 === t2 || (t3 = $d.idsOf(t1), t2 = t1), t1)[k], t4 = t3.ids[k] ?? 0, t)`,
 * of a local that stays the same list `a[k++]  ->  (t = a[t1 = k++], t2 = a$ids.ids[t1] ?? 0, t)`
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
  const v = `(${put(value, `${found}[${isName ? key : put(key, asArgument(index))}]`)}${ifRead(id, `, ${put(id, `${handle}.ids[${key}] ?? 0`)}`)}, ${value})`;
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

/** The texts of a list, and of its ids, which are looked for where `id` is read. */
function listWithIds(
  work: Work,
  node: ts.ElementAccessExpression,
  object: Pair,
  id: string,
): readonly [found: string, handle: string] {
  const variable = listOf(work, node);
  if (variable !== null && object.v === variable.name && runsWithDeclaration(work, variable, node))
    return [variable.name, reading(variable.handle)];
  const list = temporary(work);
  const last = temporary(work);
  const handle = temporary(work);
  return [
    `(${put(list, asArgument(object))}${ifRead(id, `, ${list} === ${last} || (${put(handle, `$d.idsOf(${list})`)}, ${put(last, list)})`)}, ${list})`,
    handle,
  ];
}

/** An element that is an object or text, which has no id itself, or null. */
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
    ...plain(`${operand(work, object)}[${asArgument(index)}]`, 2, object.pure && index.pure),
    object: true,
    text: true,
  };
}

/** What a loop goes through, and the id of its value, which is read once at the beginning of a round. */
export interface Through {
  readonly source: string;
  readonly i: string;
  /** Its values are data. */
  readonly inert: boolean;
  /** The head of a loop by places, and the element in a round. */
  readonly byPlace?: { readonly head: string; readonly element: string };
}

/** What a loop through the entries of data declares, and its source: `for (const [i, x] of rows.entries())` as it stands; null for any other loop. */
export function entriesOfData(
  work: Work,
  node: ts.ForOfStatement,
): { readonly names: readonly (ts.Identifier | null)[]; readonly source: string } | null {
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
  return object.inert === true ? { names, source: `${operand(work, object)}.entries()` } : null;
}

/** `for (const x of e)  ->  for (const x of (t = $d.walked(e), t1 = 0, t.list))`, the id being that at `t.ids[t1++]`; where the loop is arithmetic, `for (t1 = 0, t = $d.indexed(e); t1 < t.list.length; t1++)`; what holds no numbers is gone through without a look at ids */
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
    return { source: `$d.plainly(${list})`, i: "0", inert: isData };
  const name = isOwn ? first.declarations[0]?.name : undefined;
  if (
    name === undefined ||
    !api.isIdentifier(name) ||
    !isListOfNumbers(api, checker, node.expression)
  )
    return { source: `$d.each(${list})`, i: called("").i, inert: false };
  const walk = temporary(work);
  const at = temporary(work);
  if (isPlain(api, node.statement, true))
    return {
      source: "",
      i: `${walk}.ids[${at}] ?? 0`,
      inert: false,
      byPlace: {
        head: `${put(at, "0")}, ${put(walk, `$d.indexed(${list})`)}; ${at} < ${walk}.list.length; ${at}++`,
        element: `${walk}.list[${at}]`,
      },
    };
  return {
    source: `(${put(walk, `$d.walked(${list})`)}${ifRead(at, `, ${put(at, "0")}`)}, ${walk}.list)`,
    i: `${walk}.ids[${at}++] ?? 0`,
    inert: false,
  };
}

/** The walk in the text of a loop that goes through a list by places, `$d.indexed(e)`; or null. */
export function indexedIn(text: string): string | null {
  const entry = "$d.indexed(";
  const walk = writtenBy(text, entry);
  const behind = walk === null ? -1 : text.indexOf(` < ${walk}.list.length; `);
  return behind < 0 ? null : text.slice(text.indexOf(entry), text.lastIndexOf("; ", behind));
}
