// Rewrites object, array and template literals. In: a literal. Out: the same where no part has an
// id, else a call that records the ids in the object's shadow. Invariant: parts are evaluated in
// order.

import type ts from "typescript";
import { type Code, code, entry, list, literal, NOTHING, source, ZERO } from "../code/code.ts";
import { bare } from "../syntax/wrappers.ts";
import { isConversion } from "./conversions.ts";
import { expression } from "./expression.ts";
import { accessorFunction, functionValue } from "./function.ts";
import { isNewData } from "./types/inert.ts";
import { asArgument, called, flat, ID, plain, type Pair } from "./pair.ts";
import { convertible, isNumber, isPrimitive } from "./types/leaves.ts";
import { isIdentifier } from "../code/quote.ts";
import { put } from "../code/temporaries.ts";
import { refused, temporary, type Work } from "./work.ts";

export function arrayLiteral(work: Work, node: ts.ArrayLiteralExpression): Pair {
  const { api } = work;
  const pairs = node.elements.map((element): Pair | Spread => {
    if (api.isSpreadElement(element))
      return { spread: code`$d.spreadOf(${asArgument(expression(work, element.expression))}), 0` };
    return api.isOmittedExpression(element)
      ? { spread: code`$d.hole, 0` }
      : expression(work, element);
  });
  const plainOnes = pairs.filter((pair): pair is Pair => !("spread" in pair) && pair.i === ZERO);
  if (plainOnes.length === pairs.length)
    return {
      ...(isNewData(work, node) ? { inert: true } : {}),
      ...plain(
        code`[${list(plainOnes.map(asArgument))}]`,
        2,
        plainOnes.every((pair) => pair.pure),
      ),
      object: true,
    };
  return {
    ...plain(
      code`$d.array(${list(pairs.map((pair) => ("spread" in pair ? pair.spread : flat(pair))))})`,
      2,
      false,
    ),
    object: true,
  };
}

/** Elements of an array literal that are no single values. */
interface Spread {
  readonly spread: Code;
}

interface Member {
  readonly key: Code;
  /** Its name, where that is known. */
  readonly name: string | null;
  readonly pair: Pair;
  readonly isSpread?: true;
}

export function objectLiteral(work: Work, node: ts.ObjectLiteralExpression): Pair {
  const { api } = work;
  let made: Code | null = null;
  let members: Member[] = [];
  // an object of all members so far
  const whole = (): Code => {
    if (made !== null && members.length === 0) return made;
    const text = objectText(work, members);
    members = [];
    return (made = made === null ? text : code`$d.join(${made}, ${text})`);
  };
  for (const property of node.properties) {
    if (api.isSpreadAssignment(property))
      members.push({
        key: code`$d.spread`,
        name: null,
        pair: { ...expression(work, property.expression), i: ZERO },
        isSpread: true,
      });
    else if (api.isAccessor(property)) made = withAccessor(work, whole(), property);
    else if (isPrototype(api, property)) {
      const object = whole();
      made = code`Object.setPrototypeOf(${object}, ${asArgument(expression(work, property.initializer))})`;
    } else members.push(memberOf(work, property));
  }
  return { ...plain(whole(), 2, false), object: true };
}

/** `__proto__: e` */
const isPrototype = (
  api: typeof ts,
  property: ts.ObjectLiteralElementLike,
): property is ts.PropertyAssignment =>
  api.isPropertyAssignment(property) &&
  !api.isComputedPropertyName(property.name) &&
  property.name.text === "__proto__";

function withAccessor(work: Work, object: Code, property: ts.AccessorDeclaration): Code {
  const f = accessorFunction(work, property);
  const { key } = keyOf(work, property.name);
  return work.api.isGetAccessor(property)
    ? code`$d.accessor(${object}, ${key}, ${f}, undefined)`
    : code`$d.accessor(${object}, ${key}, undefined, ${f})`;
}

/** `{ a: e, b: f }  ->  $d.record({ a: e, b: (t = id of e, f) }, { a: t, b: id of f })` */
function recordText(work: Work, members: readonly Named[]): Code {
  const values: Code[] = [];
  const ids: Code[] = [];
  let before = NOTHING;
  members.forEach(({ name, pair }, k) => {
    const isLate =
      pair.i === ZERO ||
      members
        .slice(k + 1)
        .every((other) => other.pair.pure && other.pair.i !== ID && pair.i !== ID) ||
      k === members.length - 1;
    const value = asArgument(pair);
    values.push(entry(name, before === NOTHING ? value : code`(${before}, ${value})`));
    before = NOTHING;
    if (isLate) ids.push(entry(name, pair.i));
    else {
      const own = temporary(work);
      before = put(own, pair.i);
      ids.push(entry(name, own));
    }
  });
  return code`$d.record({ ${list(values)} }, { ${list(ids)} })`;
}

type Named = Member & { readonly name: string };

/** Whether a record of the run time may have the field: its ids are a literal, too. */
const isNamed = (one: Member): one is Named =>
  one.name !== null && isIdentifier(one.name) && one.name !== "__proto__";

function objectText(work: Work, members: readonly Member[]): Code {
  if (members.length === 0) return code`{}`;
  const hasSpread = members.some(({ isSpread }) => isSpread);
  if (!hasSpread && members.every(({ pair }) => pair.i === ZERO))
    return code`{ ${list(members.map(({ key, name, pair }) => (name === null || !isIdentifier(name) ? code`[${key}]: ${asArgument(pair)}` : entry(name, asArgument(pair)))))} }`;
  const isRecord = !hasSpread && new Set(members.map(({ name }) => name)).size === members.length;
  if (isRecord && members.every(isNamed)) return recordText(work, members);
  return code`$d.object(${list(members.map(({ key, pair }) => code`${key}, ${flat(pair)}`))})`;
}

/** Operators and built-ins call conversions, which may change what later code reads. */
function memberOf(
  work: Work,
  property: ts.PropertyAssignment | ts.ShorthandPropertyAssignment | ts.MethodDeclaration,
): Member {
  const { key, name } = keyOf(work, property.name);
  const pair = valueOf(work, property);
  return isConversion(name ?? key) && isWritten(work, property)
    ? { key, name, pair: { ...pair, v: code`$d.converting(${key}, ${pair.v})` } }
    : { key, name, pair };
}

/** Whether the function is written there, so that nothing else holds it. */
function isWritten(
  { api }: Work,
  property: ts.PropertyAssignment | ts.ShorthandPropertyAssignment | ts.MethodDeclaration,
): boolean {
  const value = api.isPropertyAssignment(property) ? bare(property.initializer, api) : property;
  return (
    api.isMethodDeclaration(value) || api.isArrowFunction(value) || api.isFunctionExpression(value)
  );
}

function valueOf(
  work: Work,
  property: ts.PropertyAssignment | ts.ShorthandPropertyAssignment | ts.MethodDeclaration,
): Pair {
  const { api } = work;
  if (api.isPropertyAssignment(property)) return expression(work, property.initializer);
  if (api.isMethodDeclaration(property)) return functionValue(work, property);
  if (property.objectAssignmentInitializer !== undefined)
    return refused(work, property, "this property");
  return expression(work, property.name);
}

/** The key as an expression, and its name where that is known. */
export function keyOf(
  work: Work,
  name: ts.PropertyName,
): { readonly key: Code; readonly name: string | null } {
  const { api } = work;
  if (api.isComputedPropertyName(name))
    return { key: asArgument(expression(work, name.expression)), name: null };
  const text = api.isNumericLiteral(name) ? String(Number(name.text)) : name.text;
  return { key: literal(text), name: text };
}

export function template(
  work: Work,
  node: ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression,
): Pair {
  const { api } = work;
  if (api.isNoSubstitutionTemplateLiteral(node)) return plain(oneLine(source(node.getText())));
  const parts = [oneLine(source(node.head.getText()))];
  let pure = true;
  let holdsNumber = false;
  for (const span of node.templateSpans) {
    const pair = expression(work, span.expression);
    const mayBeObject =
      pair.i !== ZERO
        ? !isNumber(api, work.context.checker, span.expression)
        : convertible(api, work.context.checker, span.expression).object;
    // An object's `toString` may have any effect.
    pure &&= pair.pure && isPrimitive(api, work.context.checker, span.expression);
    holdsNumber ||= pair.i !== ZERO || mayBeObject;
    parts.push(
      mayBeObject
        ? code`$d.textOf(${flat(pair)})`
        : pair.i === ZERO
          ? pair.v
          : code`$d.text(${flat(pair)})`,
      oneLine(source(span.literal.getText())),
    );
  }
  return { ...plain(list(parts, ""), 2, pure), text: holdsNumber };
}

const oneLine = (text: Code): Code => source(text.replace(/\r?\n/g, "\\n"));

export function taggedTemplate(work: Work, node: ts.TaggedTemplateExpression): Pair {
  work.context.activity?.writes();
  const { api } = work;
  const tag = node.tag;
  const quasi = node.template;
  const spans = api.isTemplateExpression(quasi) ? quasi.templateSpans : [];
  const strings = source(
    api.isTemplateExpression(quasi)
      ? `${quasi.head.getText().slice(0, -2)}${spans.map((span) => `\${0}${span.literal.getText().replace(/^\}/, "").replace(/\$\{$/, "")}`).join("")}`
      : quasi.getText(),
  );
  if (/[\r\n]/.test(strings)) return refused(work, node, "a tagged template of several lines");
  const pairs = list([
    code`$d.strings${strings}, 0`,
    ...spans.map((span) => flat(expression(work, span.expression))),
  ]);
  if (api.isPropertyAccessExpression(tag) && !api.isPrivateIdentifier(tag.name))
    return called(
      code`$d.callMethod(${asArgument(expression(work, tag.expression))}, ${literal(tag.name.text)}, ${pairs})`,
    );
  return called(code`$d.call(${asArgument(expression(work, tag))}, undefined, ${pairs})`);
}
