// Rewrites object, array and template literals. In: a literal. Out: the same where no part has an
// id, else a call that records the ids in the object's shadow. Invariant: parts are evaluated in
// order.

import type ts from "typescript";
import { expression } from "./expression.ts";
import { accessorFunction, functionValue } from "./function.ts";
import { isNewData } from "./types/inert.ts";
import { asArgument, called, flat, ID, plain, type Pair } from "./pair.ts";
import { convertible, isNumber, isPrimitive } from "./types/leaves.ts";
import { put } from "./temporaries.ts";
import { refused, temporary, type Work } from "./work.ts";

export function arrayLiteral(work: Work, node: ts.ArrayLiteralExpression): Pair {
  const { api } = work;
  const pairs = node.elements.map((element): Pair | string => {
    if (api.isSpreadElement(element))
      return `$d.spreadOf(${asArgument(expression(work, element.expression))}), 0`;
    return api.isOmittedExpression(element) ? "$d.hole, 0" : expression(work, element);
  });
  const plainOnes = pairs.filter(
    (pair): pair is Pair => typeof pair !== "string" && pair.i === "0",
  );
  if (plainOnes.length === pairs.length)
    return {
      ...(isNewData(work, node) ? { inert: true } : {}),
      ...plain(
        `[${plainOnes.map(asArgument).join(", ")}]`,
        2,
        plainOnes.every((pair) => pair.pure),
      ),
      object: true,
    };
  return {
    ...plain(
      `$d.array(${pairs.map((pair) => (typeof pair === "string" ? pair : flat(pair))).join(", ")})`,
      2,
      false,
    ),
    object: true,
  };
}

interface Member {
  readonly key: string;
  readonly computed: boolean;
  readonly pair: Pair;
}

export function objectLiteral(work: Work, node: ts.ObjectLiteralExpression): Pair {
  const { api } = work;
  let made: string | null = null;
  let members: Member[] = [];
  let hasSpread = false;
  const flush = (): void => {
    const text = objectText(work, members, hasSpread);
    made = made === null ? text : `$d.join(${made}, ${text})`;
    members = [];
    hasSpread = false;
  };
  for (const property of node.properties) {
    if (api.isSpreadAssignment(property)) {
      hasSpread = true;
      members.push({
        key: "$d.spread",
        computed: true,
        pair: { ...expression(work, property.expression), i: "0" },
      });
    } else if (api.isGetAccessor(property) || api.isSetAccessor(property)) {
      if (made === null || members.length > 0) flush();
      const f = accessorFunction(work, property);
      const isGetter = api.isGetAccessor(property);
      made = `$d.accessor(${made ?? "{}"}, ${keyOf(work, property.name).text}, ${isGetter ? f : "undefined"}, ${isGetter ? "undefined" : f})`;
    } else if (
      api.isPropertyAssignment(property) &&
      !api.isComputedPropertyName(property.name) &&
      property.name.text === "__proto__"
    ) {
      if (made === null || members.length > 0) flush();
      made = `Object.setPrototypeOf(${made ?? "{}"}, ${asArgument(expression(work, property.initializer))})`;
    } else {
      const key = keyOf(work, property.name);
      members.push({ key: key.text, computed: key.computed, pair: valueOf(work, property) });
    }
  }
  if (made === null || members.length > 0) flush();
  return { ...plain(made ?? "{}", 2, false), object: true };
}

const NAME = /^"[A-Za-z_$][\w$]*"$/;

/** `{ a: e, b: f }  ->  $d.record({ a: e, b: (t = id of e, f) }, { a: t, b: id of f })` */
function recordText(work: Work, members: readonly Member[]): string {
  const values: string[] = [];
  const ids: string[] = [];
  let before = "";
  members.forEach(({ key, pair }, k) => {
    const name = key.slice(1, -1);
    const isLate =
      pair.i === "0" ||
      members
        .slice(k + 1)
        .every((member) => member.pair.pure && member.pair.i !== ID && pair.i !== ID) ||
      k === members.length - 1;
    values.push(
      `${name}: ${before === "" ? asArgument(pair) : `(${before}, ${asArgument(pair)})`}`,
    );
    before = "";
    if (isLate) ids.push(`${name}: ${pair.i}`);
    else {
      const id = temporary(work);
      before = put(id, pair.i);
      ids.push(`${name}: ${id}`);
    }
  });
  return `$d.record({ ${values.join(", ")} }, { ${ids.join(", ")} })`;
}

function objectText(work: Work, members: readonly Member[], hasSpread: boolean): string {
  if (members.length === 0) return "{}";
  if (!hasSpread && members.every((member) => member.pair.i === "0")) {
    return `{ ${members.map(({ key, computed, pair }) => (computed ? `[${key}]: ${asArgument(pair)}` : `${/^"[A-Za-z_$][\w$]*"$/.test(key) && key !== '"__proto__"' ? key.slice(1, -1) : `[${key}]`}: ${asArgument(pair)}`)).join(", ")} }`;
  }
  if (
    !hasSpread &&
    members.every(({ key, computed }) => !computed && NAME.test(key) && key !== '"__proto__"') &&
    new Set(members.map(({ key }) => key)).size === members.length
  )
    return recordText(work, members);
  return `$d.object(${members.map(({ key, pair }) => `${key}, ${flat(pair)}`).join(", ")})`;
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

export function keyOf(
  work: Work,
  name: ts.PropertyName,
): { readonly text: string; readonly computed: boolean } {
  const { api } = work;
  if (api.isComputedPropertyName(name))
    return { text: asArgument(expression(work, name.expression)), computed: true };
  if (api.isNumericLiteral(name))
    return { text: JSON.stringify(String(Number(name.text))), computed: false };
  return { text: JSON.stringify(name.text), computed: false };
}

export function template(
  work: Work,
  node: ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression,
): Pair {
  const { api } = work;
  if (api.isNoSubstitutionTemplateLiteral(node)) return plain(oneLine(node.getText()));
  let text = oneLine(node.head.getText());
  let pure = true;
  let holdsNumber = false;
  for (const span of node.templateSpans) {
    const pair = expression(work, span.expression);
    const mayBeObject =
      pair.i !== "0"
        ? !isNumber(api, work.context.checker, span.expression)
        : convertible(api, work.context.checker, span.expression).object;
    // An object's `toString` may have any effect.
    pure &&= pair.pure && isPrimitive(api, work.context.checker, span.expression);
    holdsNumber ||= pair.i !== "0" || mayBeObject;
    text +=
      (mayBeObject
        ? `$d.textOf(${flat(pair)})`
        : pair.i === "0"
          ? pair.v
          : `$d.text(${flat(pair)})`) + oneLine(span.literal.getText());
  }
  return { ...plain(text, 2, pure), text: holdsNumber };
}

const oneLine = (text: string): string => text.replace(/\r?\n/g, "\\n");

export function taggedTemplate(work: Work, node: ts.TaggedTemplateExpression): Pair {
  work.context.activity?.writes();
  const { api } = work;
  const tag = node.tag;
  const quasi = node.template;
  const spans = api.isTemplateExpression(quasi) ? quasi.templateSpans : [];
  const strings = api.isTemplateExpression(quasi)
    ? `${quasi.head.getText().slice(0, -2)}${spans.map((span) => `\${0}${span.literal.getText().replace(/^\}/, "").replace(/\$\{$/, "")}`).join("")}`
    : quasi.getText();
  if (/[\r\n]/.test(strings)) return refused(work, node, "a tagged template of several lines");
  const pairs = [
    `$d.strings${strings}, 0`,
    ...spans.map((span) => flat(expression(work, span.expression))),
  ].join(", ");
  if (api.isPropertyAccessExpression(tag) && !api.isPrivateIdentifier(tag.name))
    return called(
      `$d.callMethod(${asArgument(expression(work, tag.expression))}, ${JSON.stringify(tag.name.text)}, ${pairs})`,
    );
  return called(`$d.call(${asArgument(expression(work, tag))}, undefined, ${pairs})`);
}
