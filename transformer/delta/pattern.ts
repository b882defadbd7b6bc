// Rewrites destructuring. In: a pattern and its value's source text. Out: targets and pairs, in
// order. Invariant: elements are read through shadows; a default only replaces `undefined`.

import type ts from "typescript";
import { NOTHING, code, list, type Code } from "../code/code.ts";
import { boundNames } from "./binding.ts";
import { expression } from "./expression.ts";
import { fieldsOfPattern } from "./handles.ts";
import { keyOf } from "./literals.ts";
import { asArgument, called, ID, plain, returned, type Pair } from "./pair.ts";
import { put, shown } from "../code/temporaries.ts";
import { problem, temporary, type Work } from "./work.ts";

/** The pattern of an assignment. */
export function takeApart(
  work: Work,
  pattern: ts.Expression,
  from: Pair,
  each: (place: ts.Expression, pair: Pair) => void,
  aside: (pair: Pair) => Code,
): void {
  const { api } = work;
  const one = (place: ts.Expression, pair: Pair): void => {
    if (api.isBinaryExpression(place) && place.operatorToken.kind === api.SyntaxKind.EqualsToken)
      each(place.left, withDefault(work, pair, place.right));
    else each(place, pair);
  };
  if (api.isArrayLiteralExpression(pattern)) {
    const hasRest = pattern.elements.some((element) => api.isSpreadElement(element));
    const all = aside(
      plain(
        code`$d.listOf(${from.v}${hasRest ? NOTHING : code`, ${pattern.elements.length}`})`,
        2,
        false,
      ),
    );
    pattern.elements.forEach((element, k) => {
      if (api.isSpreadElement(element))
        each(element.expression, plain(code`$d.callMethod(${all}, "slice", ${k}, 0)`, 2, false));
      else if (!api.isOmittedExpression(element)) one(element, called(code`$d.get(${all}, ${k})`));
    });
    return;
  }
  if (!api.isObjectLiteralExpression(pattern)) {
    problem(work, pattern, "this pattern");
    return;
  }
  const keys: Code[] = [];
  for (const property of pattern.properties) {
    if (api.isSpreadAssignment(property)) {
      each(property.expression, rest(from, keys));
      continue;
    }
    const key = keyOf(work, property.name).key;
    keys.push(key);
    const pair = called(code`$d.get(${from.v}, ${key})`);
    if (api.isPropertyAssignment(property)) one(property.initializer, pair);
    else if (api.isShorthandPropertyAssignment(property))
      each(
        property.name,
        property.objectAssignmentInitializer === undefined
          ? pair
          : withDefault(work, pair, property.objectAssignmentInitializer),
      );
  }
}

/** The names of a declaration and their pairs. `aside` stores a pair in a temporary. */
export function declarePattern(
  work: Work,
  name: ts.BindingName,
  value: Pair,
  each: (name: ts.Identifier, pair: Pair) => void,
  aside: (pair: Pair) => Code,
): void {
  const { api } = work;
  if (api.isIdentifier(name)) {
    each(name, value);
    return;
  }
  const inner: Inner = (element, pair) => {
    declarePattern(
      work,
      element.name,
      element.initializer === undefined ? pair : withDefault(work, pair, element.initializer),
      each,
      aside,
    );
  };
  if (api.isArrayBindingPattern(name)) declareElements(work, name, value, inner, aside);
  else declareFields(work, name, value, inner, aside);
}

type Inner = (element: ts.BindingElement, pair: Pair) => void;

function declareElements(
  work: Work,
  { elements }: ts.ArrayBindingPattern,
  value: Pair,
  inner: Inner,
  aside: (pair: Pair) => Code,
): void {
  const isRest = (element: ts.ArrayBindingElement): boolean =>
    work.api.isBindingElement(element) && element.dotDotDotToken !== undefined;
  const most = elements.some(isRest) ? NOTHING : code`, ${elements.length}`;
  const all = aside(plain(code`$d.listOf(${asArgument(value)}${most})`, 2, false));
  elements.forEach((element, k) => {
    if (!work.api.isBindingElement(element)) return;
    inner(
      element,
      isRest(element)
        ? plain(code`$d.callMethod(${all}, "slice", ${k}, 0)`, 2, false)
        : called(code`$d.get(${all}, ${k})`),
    );
  });
}

function declareFields(
  work: Work,
  name: ts.ObjectBindingPattern,
  value: Pair,
  inner: Inner,
  aside: (pair: Pair) => Code,
): void {
  const { api } = work;
  const from = isSteadyName(work, name, value) ? value.v : aside(value);
  const keys: Code[] = [];
  const fieldOf = fieldsOfPattern(work, name, from, aside);
  for (const element of name.elements) {
    if (element.dotDotDotToken !== undefined) {
      inner(element, rest(plain(from), keys));
      continue;
    }
    const own = element.propertyName ?? element.name;
    if (api.isObjectBindingPattern(own) || api.isArrayBindingPattern(own)) continue;
    const key = keyOf(work, own).key;
    keys.push(key);
    inner(
      element,
      fieldOf === null || !api.isIdentifier(own)
        ? called(code`$d.get(${from}, ${key})`)
        : fieldOf(own.text),
    );
  }
}

/** Whether the text of the value may be repeated for each field. */
function isSteadyName(work: Work, name: ts.BindingName, { v, level, pure }: Pair): boolean {
  // `this` has the type of the rewritten class, which does not declare its fields.
  const isTyped = work.any !== NOTHING && v === "this";
  return (
    !isTyped &&
    level === 2 &&
    pure &&
    /^[\p{L}_$][\p{L}\w$]*$/u.test(shown(v)) &&
    !binds(work, name, v)
  );
}

/** Whether a pattern rebinds the variable that it destructures: `var { o, b } = o`. */
const binds = (work: Work, name: ts.BindingName, text: Code): boolean =>
  boundNames(work.api, name).some((one) => one.text === text);

const rest = (from: Pair, keys: readonly Code[]): Pair =>
  plain(code`$d.restOf(${list([from.v, ...keys])})`, 2, false);

export function withDefault(work: Work, pair: Pair, initializer: ts.Expression): Pair {
  const t = temporary(work);
  const otherwise = expression(work, initializer);
  if (pair.i === ID)
    return {
      v: code`((${put(t, pair.v)}) === undefined ? ${returned(otherwise)} : ${t})`,
      i: ID,
      level: 2,
      pure: false,
    };
  return {
    v: code`((${put(t, pair.v)}) === undefined ? ${returned(otherwise)} : $d.ret(${t}, ${pair.i}))`,
    i: ID,
    level: 2,
    pure: false,
  };
}
