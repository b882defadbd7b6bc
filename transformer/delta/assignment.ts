// Rewrites assignments. In: target and value. Out: a pair that writes value and id. Invariant:
// object and key of the target are evaluated once, before the value.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import { type Code, code, id, list, member, NOTHING, source, ZERO } from "../code/code.ts";
import { arithmetic, expression } from "./expression.ts";
import { hasModifier } from "./function.ts";
import { elementOf, elementWritten, listOf, staysThrough } from "./handles.ts";
import { storing } from "./linear.ts";
import { dataWritten, noteWrite } from "./types/inert.ts";
import { isAccess, isSteady, keyText } from "./member.ts";
import { asArgument, called, flat, ID, objectOf, plain, type Pair } from "./pair.ts";
import { isNumber, takesAny } from "./types/leaves.ts";
import { takeApart } from "./pattern.ts";
import { isOfLiteral } from "./plan/places.ts";
import { privateName, readText, writeText } from "./private-names.ts";
import { statementOf } from "../code/lines.ts";
import { ifRead, put, reading } from "../code/temporaries.ts";
import { idOf, keepsId, operand, problem, refused, temporary, writes, type Work } from "./work.ts";

export function assignment(work: Work, node: ts.BinaryExpression, operator: string): Pair {
  const { api } = work;
  const target = bare(node.left, work.api);
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
    v: code`${operand(work, old)} ${source(inner)} ${operand(work, written)}`,
    i: api.isIdentifier(target) ? currentId(work, target) : ZERO,
    level: 1,
    pure: false,
  };
}

function currentId(work: Work, target: ts.Identifier): Code {
  return expression(work, target).i;
}

/** `[a, b] = e` */
function destructured(work: Work, target: ts.Expression, value: Pair): Pair {
  const parts: Code[] = [];
  const aside = (pair: Pair): Code => {
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
  return {
    v: code`(${list([...parts, whole])})`,
    i: ZERO,
    level: 2,
    pure: false,
    parts,
  };
}

/** The pair as statements. */
export const partsOf = (pair: Pair): readonly Code[] =>
  (pair.parts ?? [asArgument(pair)]).map(statementOf);

/** Assigns to a name, a member or a pattern. */
export function assign(work: Work, place: ts.Expression, value: Pair): Pair {
  const { api } = work;
  const target = bare(place, work.api);
  if (api.isIdentifier(target)) return assignName(work, target, value);
  if (isAccess(work, target)) return write(work, target, () => value);
  if (api.isObjectLiteralExpression(target) || api.isArrayLiteralExpression(target))
    return destructured(work, target, value);
  return refused(work, place, "an assignment to this");
}

function assignName(work: Work, target: ts.Identifier, value: Pair): Pair {
  const { api } = work;
  const name = id(target.text);
  const variable = work.bindings.find(target);
  if (variable !== null) {
    writes(work, variable);
    if (!variable.wasRead) return withoutLinear({ ...value, pure: false });
    const first = code`${name} = ${asArgument(value)}`;
    if (!keepsId(work, variable, value))
      return { v: first, i: ZERO, level: 1, pure: false, ...objectOf(value) };
    const parts = storing(work, variable, value);
    return {
      v: code`(${list(parts)}, ${name})`,
      i: variable.id,
      level: 2,
      pure: false,
      parts,
    };
  }
  const found = work.context.resolver.resolve(target);
  if (found.kind === "outer-variable") {
    const isCast = work.any !== NOTHING && !takesAny(api, work.context.checker, target);
    const cast = value.typed === true ? NOTHING : code` as any`;
    const given = isCast ? code`${operand(work, value)}${cast}` : asArgument(value);
    const parts = [code`${name} = ${given}`, code`${found.setId[0]}${value.i}${found.setId[1]}`];
    return {
      v: code`(${list(parts)}, ${name})`,
      i: found.id,
      level: 2,
      pure: false,
      parts,
    };
  }
  return refused(work, target, `an assignment to \`${name}\``);
}

/** Evaluated once, so no partial may repeat its arithmetic. */
function withoutLinear({ linear: _linear, noise: _noise, ...pair }: Pair): Pair {
  return pair;
}

type Access = ts.PropertyAccessExpression | ts.ElementAccessExpression;
interface Place {
  readonly object: Code;
  readonly key: Code;
  readonly before: readonly Code[];
}

/** Source text of object and key, in temporaries where later code could change them. */
function placeOf(work: Work, target: Access): Place {
  const before: Code[] = [];
  const aside = (node: ts.Expression): Code => {
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

const THROUGH_SUPER =
  "an assignment through `super` outside of a class with a name (a method of the parent class that assigns is accepted)";
const isOfSuper = (work: Work, target: Access): boolean =>
  target.expression.kind === work.api.SyntaxKind.SuperKeyword;

function write(work: Work, target: Access, value: () => Pair): Pair {
  if (isPrivate(work, target)) return writePrivate(work, target, value);
  if (isOfSuper(work, target)) return writeSuper(work, target, value, null);
  const object = expression(work, target.expression);
  const key = keyText(work, target);
  const found = object.inert === true ? null : listOf(work, target);
  const pair = value();
  noteWrite(work, target, pair);
  const plainly = dataWritten(work, target, object, key, pair);
  if (plainly !== null) return plainly;
  if (found !== null && object.v === found.name && work.api.isElementAccessExpression(target)) {
    const parts = staysThrough(work, target.argumentExpression, pair)
      ? elementWritten(work, target, found, key, pair)
      : null;
    return parts === null
      ? called(code`$d.setAt(${found.name}, ${reading(found.handle)}, ${key}, ${flat(pair)})`)
      : statementsOf(parts);
  }
  return called(code`$d.set(${asArgument(object)}, ${key}, ${flat(pair)})`);
}

/** For a value that is unused. */
const statementsOf = (parts: readonly Code[]): Pair => ({
  ...called(code`(${list(parts)})`),
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
  const assigned = (v: Code): Code => writeText(found, place.object, v);
  if (kind === "accessor") {
    const slot: Slot = {
      before: place.before,
      read: text,
      write: (v, i) => assigned(code`$d.ret(${v}, ${i})`),
    };
    return runSetter(work, target, slot, value, logical);
  }
  const id = code`$d.varId(${place.object}, ${key})`;
  const pair = value({ v: text, i: id, level: 2, pure: true });
  noteWrite(work, target, pair);
  const parts = [assigned(asArgument(pair)), code`$d.setVar(${place.object}, ${key}, ${pair.i})`];
  if (logical === null)
    return {
      v: code`(${list([...place.before, ...parts, text])})`,
      i: id,
      level: 2,
      pure: false,
      parts: [...place.before, ...parts],
    };
  return {
    v: code`(${list([...place.before, code`${text} ${source(logical)} (${list(parts)}, ${text})`])})`,
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
    return writeAbove(work, target, value, logical);
  const text = member(code`super`, symbol.name);
  const slot: Slot = {
    before: [],
    read: code`($d.ret(0, 0), ${text})`,
    write: (v, i) => code`${text} = $d.ret(${v}, ${i})`,
  };
  return runSetter(work, target, slot, value, logical);
}

/** `super.k = e  ->  $d.setSuper(C.prototype, this, "k", e, id)`, where the parent may be any. */
function writeAbove(
  work: Work,
  target: Access,
  value: (old: Pair) => Pair,
  logical: string | null,
): Pair {
  const home = homeOf(work, target);
  if (home === null || isOfLiteral(work.api, target)) return refused(work, target, THROUGH_SUPER);
  work.frame.usesThis = true;
  const before: Code[] = [];
  let key = keyText(work, target);
  if (work.api.isElementAccessExpression(target) && !isSteady(work, target.argumentExpression)) {
    const once = temporary(work);
    before.push(put(once, key));
    key = once;
  }
  const slot: Slot = {
    before,
    read: code`($d.ret(0, 0), super[${key}])`,
    write: (v, i) => code`$d.setSuper(${home}, this, ${key}, ${v}, ${i})`,
  };
  return runSetter(work, target, slot, value, logical);
}

/** The object of a class that `super` begins above; null where the class has no name. */
function homeOf(work: Work, target: Access): Code | null {
  const { api } = work;
  const element = api.findAncestor(
    target,
    (node): node is ts.ClassElement => api.isClassElement(node) && api.isClassLike(node.parent),
  );
  const own = element?.parent;
  if (element === undefined || own === undefined || !api.isClassLike(own)) return null;
  const name = work.beside.get(own) ?? (own.name === undefined ? null : id(own.name.text));
  if (name === null) return null;
  const isStatic =
    api.isClassStaticBlockDeclaration(element) ||
    hasModifier(work, element, api.SyntaxKind.StaticKeyword);
  return isStatic ? name : code`${name}.prototype`;
}

/** A place with a setter: how to read it, and how to write it. */
interface Slot {
  readonly before: readonly Code[];
  readonly read: Code;
  readonly write: (v: Code, i: Code) => Code;
}

/** The setter reads the id from the register and overwrites it, so the value's id is saved. */
function runSetter(
  work: Work,
  target: Access,
  { before, read, write }: Slot,
  value: (old: Pair) => Pair,
  logical: string | null,
): Pair {
  const written = temporary(work);
  const id = temporary(work);
  const pair = value(called(read));
  noteWrite(work, target, pair);
  const set = [put(written, asArgument(pair)), put(id, pair.i), write(written, id)];
  const whole =
    logical === null
      ? set
      : [put(written, read), put(id, ID), code`${written} ${source(logical)} (${list(set)})`];
  return {
    v: code`(${list([...before, ...whole, written])})`,
    i: id,
    level: 2,
    pure: false,
    parts: [...before, ...whole],
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
  const owner = logical === null && found?.name === place.object ? found : null;
  const old: Pair =
    owner === null
      ? {
          ...called(code`$d.get(${place.object}, ${place.key})`),
          number: isNumber(work.api, work.context.checker, target),
          noise: 1,
        }
      : elementOf(work, target, owner, place.key, []);
  const pair = combine(old);
  noteWrite(work, target, pair);
  const parts =
    owner !== null && work.api.isElementAccessExpression(target)
      ? elementWritten(work, target, owner, place.key, pair)
      : null;
  if (parts !== null) return statementsOf([...place.before, ...parts]);
  const set = code`${owner === null ? code`$d.set(${place.object}` : code`$d.setAt(${owner.name}, ${reading(owner.handle)}`}, ${place.key}, ${flat(pair)})`;
  const whole = logical === null ? set : code`(${old.v} ${source(logical)} ${set})`;
  if (place.before.length === 0) return called(whole);
  return {
    v: code`(${list([...place.before, whole])})`,
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
  const target = bare(node, work.api);
  if (!isAccess(work, target)) return updateName(work, target, operator, isPrefix);
  // minus -1 and not plus 1: a string is a number afterwards
  const step = (old: Pair): Pair =>
    arithmetic(work, old, { ...plain(operator === "++" ? code`-1` : code`1`), number: true }, "-");
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
        v: code`(${put(value, old.v)}${ifRead(id, code`, ${put(id, old.i)}`)}, ${value})`,
        i: id,
        level: 2,
        pure: false,
      }),
    null,
  );
  return called(code`(${asArgument(whole)}, $d.ret($d.plus(${value}, ${id}), $d.id))`);
}

function updateName(work: Work, target: ts.Expression, operator: string, isPrefix: boolean): Pair {
  if (!work.api.isIdentifier(target)) return refused(work, target, `\`${operator}\` of this`);
  const variable = work.bindings.find(target);
  const v = isPrefix
    ? code`${source(operator)}${id(target.text)}`
    : code`${id(target.text)}${source(operator)}`;
  if (variable === null)
    return { ...expression(work, target), v, level: 1, pure: false, typed: false };
  writes(work, variable);
  variable.isRead = true;
  const mayBeObject = variable.object || variable.live;
  if (!mayBeObject || isNumber(work.api, work.context.checker, target))
    return { v, i: idOf(variable), level: 1, pure: false };
  const convert = assignName(work, target, called(code`$d.plus(${id(target.text)}, 0)`));
  work.beyond = true;
  return {
    v: code`(typeof ${id(target.text)} === "object" && (${asArgument(convert)}), ${v})`,
    i: idOf(variable),
    level: 2,
    pure: false,
  };
}
