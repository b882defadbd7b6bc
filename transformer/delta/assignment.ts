// Rewrites assignments. In: target and value. Out: a pair that writes value and id. Invariant:
// object and key of the target are evaluated once, before the value.

import type ts from "typescript";
import { arithmetic, expression } from "./expression.ts";
import { elementOf, elementWritten, listOf, staysThrough } from "./handles.ts";
import { storing } from "./linear.ts";
import { dataWritten, noteWrite } from "./types/inert.ts";
import { isAccess, isSteady, keyText } from "./member.ts";
import { asArgument, called, flat, ID, objectOf, plain, type Pair } from "./pair.ts";
import { isNumber } from "./types/leaves.ts";
import { takeApart } from "./pattern.ts";
import { isOfLiteral } from "./plan/places.ts";
import { privateName, readText, writeText } from "./private-names.ts";
import { asSum } from "./sums.ts";
import { ifRead, put, reading } from "./temporaries.ts";
import {
  idOf,
  keepsId,
  operand,
  problem,
  refused,
  temporary,
  unwrapped,
  writes,
  type Work,
} from "./work.ts";

export function assignment(work: Work, node: ts.BinaryExpression, operator: string): Pair {
  const { api } = work;
  const target = unwrapped(work, node.left);
  if (operator === "=") {
    if (api.isObjectLiteralExpression(target) || api.isArrayLiteralExpression(target))
      return destructured(work, target, expression(work, node.right));
    if (isAccess(work, target)) return write(work, target, () => expression(work, node.right));
    return assign(work, target, expression(work, node.right));
  }
  const inner = operator.slice(0, -1);
  const isLogical = inner === "&&" || inner === "||" || inner === "??";
  const combine = (old: Pair): Pair => {
    const right = expression(work, node.right);
    return isLogical ? right : arithmetic(work, old, right, inner);
  };
  if (isAccess(work, target)) return compound(work, target, combine, isLogical ? inner : null);
  const old = expression(work, target);
  const written = assign(work, target, combine(old));
  if (!isLogical) return written;
  return {
    v: `${operand(work, old)} ${inner} ${operand(work, written)}`,
    i: api.isIdentifier(target) ? currentId(work, target) : "0",
    level: 1,
    pure: false,
  };
}

function currentId(work: Work, target: ts.Identifier): string {
  return expression(work, target).i;
}

/** `[a, b] = e` */
function destructured(work: Work, target: ts.Expression, value: Pair): Pair {
  const parts: string[] = [];
  const aside = (pair: Pair): string => {
    const t = temporary(work);
    parts.push(put(t, asArgument(pair)));
    return t;
  };
  const whole = aside(value);
  takeApart(
    work,
    target,
    plain(whole),
    (place, pair) => {
      parts.push(...partsOf(assign(work, place, pair)));
    },
    aside,
  );
  return { v: `(${[...parts, whole].join(", ")})`, i: "0", level: 2, pure: false, parts };
}

/** The pair as statements. A part that would parse as a block or a declaration is parenthesised. */
export const partsOf = (pair: Pair): readonly string[] =>
  (pair.parts ?? [asArgument(pair)]).map((part) =>
    /^(?:\{|function\b|class\b|let\b)/.test(part) ? `(${part})` : part,
  );

/** Assigns to a name, a member or a pattern. */
export function assign(work: Work, place: ts.Expression, value: Pair): Pair {
  const { api } = work;
  const target = unwrapped(work, place);
  if (api.isIdentifier(target)) return assignName(work, target, value);
  if (isAccess(work, target)) return write(work, target, () => value);
  if (api.isObjectLiteralExpression(target) || api.isArrayLiteralExpression(target))
    return destructured(work, target, value);
  return refused(work, place, "an assignment to this");
}

function assignName(work: Work, target: ts.Identifier, value: Pair): Pair {
  const name = target.text;
  const variable = work.bindings.find(target);
  if (variable !== null) {
    writes(work, variable);
    if (!variable.wasRead) return withoutLinear({ ...value, pure: false });
    const first = `${name} = ${asArgument(value)}`;
    if (!keepsId(work, variable, value))
      return { v: first, i: "0", level: 1, pure: false, ...objectOf(value) };
    const parts = storing(work, variable, asSum(work, target, variable, value));
    return { v: `(${parts.join(", ")}, ${name})`, i: variable.id, level: 2, pure: false, parts };
  }
  const found = work.context.resolver.resolve(target);
  if (found.kind === "outer-variable") {
    const parts = [`${name} = ${asArgument(value)}`, found.setId.join(value.i)];
    return { v: `(${parts.join(", ")}, ${name})`, i: found.id, level: 2, pure: false, parts };
  }
  return refused(work, target, `an assignment to \`${name}\``);
}

/** Evaluated once, so no partial may repeat its arithmetic. */
function withoutLinear({ linear: _linear, noise: _noise, ...pair }: Pair): Pair {
  return pair;
}

type Access = ts.PropertyAccessExpression | ts.ElementAccessExpression;
interface Place {
  readonly object: string;
  readonly key: string;
  readonly before: readonly string[];
}

/** Source text of object and key, in temporaries where later code could change them. */
function placeOf(work: Work, target: Access): Place {
  const before: string[] = [];
  const aside = (node: ts.Expression): string => {
    const text = asArgument(expression(work, node));
    if (isSteady(work, node)) return text;
    const t = temporary(work);
    before.push(put(t, text));
    return t;
  };
  return {
    object: aside(target.expression),
    key: work.api.isPropertyAccessExpression(target)
      ? keyText(work, target)
      : aside(target.argumentExpression),
    before,
  };
}

type PrivateAccess = ts.PropertyAccessExpression & { readonly name: ts.PrivateIdentifier };
const isPrivate = (work: Work, target: Access): target is PrivateAccess =>
  work.api.isPropertyAccessExpression(target) && work.api.isPrivateIdentifier(target.name);

/** Without a setter in the parent it writes the object itself, and the runtime has no such step. */
const THROUGH_SUPER =
  "an assignment through `super` (a setter of a parent class that is in the program, and a method of it that assigns, are accepted)";
const isOfSuper = (work: Work, target: Access): boolean =>
  target.expression.kind === work.api.SyntaxKind.SuperKeyword;

function write(work: Work, target: Access, value: () => Pair): Pair {
  if (isPrivate(work, target)) return writePrivate(work, target, value);
  if (isOfSuper(work, target)) return writeSuper(work, target, value, null);
  const object = expression(work, target.expression);
  const key = keyText(work, target);
  const list = object.inert === true ? null : listOf(work, target);
  const pair = value();
  noteWrite(work, target, pair);
  const plainly = dataWritten(work, target, object, key, pair);
  if (plainly !== null) return plainly;
  if (list !== null && object.v === list.name && work.api.isElementAccessExpression(target)) {
    const parts = staysThrough(work, target.argumentExpression, pair)
      ? elementWritten(work, target, list, key, pair)
      : null;
    return parts === null
      ? called(`$d.setAt(${list.name}, ${reading(list.handle)}, ${key}, ${flat(pair)})`)
      : statementsOf(parts);
  }
  return called(`$d.set(${asArgument(object)}, ${key}, ${flat(pair)})`);
}

/** For a value that is unused. */
const statementsOf = (parts: readonly string[]): Pair => ({
  ...called(`(${parts.join(", ")})`),
  parts,
});

/** `o.#k = e`, or `o.#k ??= e` where `logical` is the operator. */
function writePrivate(
  work: Work,
  target: PrivateAccess,
  value: (old: Pair) => Pair,
  logical: string | null = null,
): Pair {
  const place = placeOf(work, target);
  const found = privateName(work, target.name);
  const { key, kind, staticOf } = found;
  const text = readText(found, place.object);
  if (staticOf !== null)
    return problem(
      work,
      target,
      "a static private accessor, which code outside of its class cannot call (`private static` is accepted)",
    );
  const assigned = (v: string): string => writeText(found, place.object, v);
  if (kind === "accessor") return runSetter(work, target, place, text, assigned, value, logical);
  const id = `$d.varId(${place.object}, ${key})`;
  const pair = value({ v: text, i: id, level: 2, pure: true });
  noteWrite(work, target, pair);
  const parts = [assigned(asArgument(pair)), `$d.setVar(${place.object}, ${key}, ${pair.i})`];
  if (logical === null)
    return {
      v: `(${[...place.before, ...parts, text].join(", ")})`,
      i: id,
      level: 2,
      pure: false,
      parts: [...place.before, ...parts],
    };
  return {
    v: `(${[...place.before, `${text} ${logical} (${parts.join(", ")}, ${text})`].join(", ")})`,
    i: id,
    level: 2,
    pure: false,
  };
}

/** `super.k = e  ->  super.k = $d.ret(e, id)`, where a rewritten parent has a setter. */
function writeSuper(
  work: Work,
  target: Access,
  value: (old: Pair) => Pair,
  logical: string | null,
): Pair {
  const { api, context, frame } = work;
  const symbol = api.isPropertyAccessExpression(target)
    ? context.checker?.getSymbolAtLocation(target.name)
    : undefined;
  if (
    frame.parent !== "rewritten" ||
    symbol?.declarations?.some(api.isSetAccessor) !== true ||
    isOfLiteral(api, target)
  )
    return refused(work, target, THROUGH_SUPER);
  const text = `super.${symbol.name}`;
  return runSetter(
    work,
    target,
    { object: "super", key: "", before: [] },
    `($d.ret(0, 0), ${text})`,
    (v) => `${text} = ${v}`,
    value,
    logical,
  );
}

/** The setter reads the id from the register and overwrites it, so the value's id is saved. */
function runSetter(
  work: Work,
  target: Access,
  place: Place,
  text: string,
  setText: (v: string) => string,
  value: (old: Pair) => Pair,
  logical: string | null,
): Pair {
  const written = temporary(work);
  const id = temporary(work);
  const pair = value(called(text));
  noteWrite(work, target, pair);
  const set = [
    put(written, asArgument(pair)),
    put(id, pair.i),
    setText(`$d.ret(${written}, ${id})`),
  ];
  const whole =
    logical === null
      ? set
      : [put(written, text), put(id, ID), `${written} ${logical} (${set.join(", ")})`];
  return {
    v: `(${[...place.before, ...whole, written].join(", ")})`,
    i: id,
    level: 2,
    pure: false,
    parts: [...place.before, ...whole],
  };
}

/** `o.k += e  ->  $d.set(o, "k", $d.add($d.get(o, "k"), $d.id, e, …), $d.id)` */
function compound(
  work: Work,
  target: Access,
  combine: (old: Pair) => Pair,
  logical: string | null,
): Pair {
  if (isPrivate(work, target)) return writePrivate(work, target, combine, logical);
  if (isOfSuper(work, target)) return writeSuper(work, target, combine, logical);
  const place = placeOf(work, target);
  const found = listOf(work, target);
  const list = logical === null && found?.name === place.object ? found : null;
  const old: Pair =
    list === null
      ? {
          ...called(`$d.get(${place.object}, ${place.key})`),
          number: isNumber(work.api, work.context.checker, target),
          noise: 1,
        }
      : elementOf(work, target, list, place.key, []);
  const pair = combine(old);
  noteWrite(work, target, pair);
  const parts =
    list !== null && work.api.isElementAccessExpression(target)
      ? elementWritten(work, target, list, place.key, pair)
      : null;
  if (parts !== null) return statementsOf([...place.before, ...parts]);
  const set = `${list === null ? `$d.set(${place.object}` : `$d.setAt(${list.name}, ${reading(list.handle)}`}, ${place.key}, ${flat(pair)})`;
  const whole = logical === null ? set : `(${old.v} ${logical} ${set})`;
  if (place.before.length === 0) return called(whole);
  return {
    v: `(${[...place.before, whole].join(", ")})`,
    i: ID,
    level: 2,
    pure: false,
    parts: [...place.before, whole],
  };
}

/** `x++`: the derivative of x + 1 is 1, so the id of a variable stays. */
export function update(
  work: Work,
  node: ts.Expression,
  operator: "++" | "--",
  isPrefix: boolean,
): Pair {
  const target = unwrapped(work, node);
  if (!isAccess(work, target)) return updateName(work, target, operator, isPrefix);
  // minus -1 and not plus 1: a string is a number afterwards
  const step = (old: Pair): Pair =>
    arithmetic(work, old, { ...plain(operator === "++" ? "-1" : "1"), number: true }, "-");
  const isStatement =
    work.api.isExpressionStatement(node.parent.parent) ||
    work.api.isForStatement(node.parent.parent);
  if (isPrefix || isStatement) return compound(work, target, step, null);
  const value = temporary(work);
  const id = temporary(work);
  const whole = compound(
    work,
    target,
    (old) =>
      step({
        v: `(${put(value, old.v)}${ifRead(id, `, ${put(id, old.i)}`)}, ${value})`,
        i: id,
        level: 2,
        pure: false,
      }),
    null,
  );
  return called(`(${asArgument(whole)}, $d.ret($d.plus(${value}, ${id}), $d.id))`);
}

function updateName(work: Work, target: ts.Expression, operator: string, isPrefix: boolean): Pair {
  if (!work.api.isIdentifier(target)) return refused(work, target, `\`${operator}\` of this`);
  const variable = work.bindings.find(target);
  const v = isPrefix ? `${operator}${target.text}` : `${target.text}${operator}`;
  if (variable === null)
    return { ...expression(work, target), v, level: 1, pure: false, typed: false };
  writes(work, variable);
  variable.isRead = true;
  return { v, i: idOf(variable), level: 1, pure: false };
}
