// Finds memoisation in arrays, Maps and records with computed keys: `memo[i] ??= x * x`,
// `if (!known.has(x)) …`. In: a file. Out: places where the runtime checks for stale contents.
// Invariants: a check precedes every write of an execution; unsure means that nothing is stale.

import type ts from "typescript";
import { isTarget } from "../assigned.ts";
import { contentOf, valuesPut } from "./handed.ts";
import {
  ByObject,
  decidesLater,
  type Left,
  type Look,
  pathOf,
  placesOf,
  rootOf,
} from "./kept-memos.ts";
import { OWN } from "./kept-fields.ts";
import type { ObjectHost } from "./kept-objects.ts";
import { isOfRuns } from "./kept-variables.ts";
import { bare } from "../plan/places.ts";
import { nameAt, valueOf } from "./puts.ts";

/** `values`: written; `isAsked`: existence is branched on; `key`: only for a WeakMap's entry. */
export interface Touch {
  readonly object: ts.Expression;
  readonly node: ts.Node;
  readonly inside: ts.SignatureDeclaration;
  readonly values: readonly ts.Expression[];
  readonly isAsked: boolean;
  readonly key: ts.Expression | null;
}

const ASKING =
  /^(get|has|find|findLast|findIndex|some|every|at|includes|indexOf|entries|values|keys|forEach|filter)$/;
const PUTTING = /^(set|add|push|unshift)$/;

export function contentLooksIn(
  file: ts.SourceFile,
  host: ObjectHost,
  isKnown: (object: ts.Expression) => boolean,
): readonly Look[] {
  const { ts: api } = host;
  const groups = new ByObject<Touch>();
  const look = (node: ts.Node): void => {
    if (api.isTypeNode(node)) return;
    const touch = touchAt(node, host);
    const root = touch === null ? null : rootOf(touch.object, host);
    if (touch !== null && root !== null) groups.add(root, pathOf(touch.object, api), touch);
    api.forEachChild(node, look);
  };
  look(file);
  return groups.all().flatMap((touches) => {
    const first = touches[0];
    if (first === undefined || isKnown(first.object) || left(touches, host) === null) return [];
    return placesOf(touches, !api.isPropertyAccessExpression(first.object), api).map(
      ({ at, one }): Look => ({
        at,
        object: one.object,
        of: first.node,
        name: nameOf(first.object, api),
        key: one.key,
        places: null,
        left: (now) => left(touches, now),
      }),
    );
  });
}

/** The condition under which no number in it is stale; null where nothing ever is. */
function left(touches: readonly Touch[], host: ObjectHost): Left | null {
  const { ts: api, isRewritten, mayVary } = host;
  const first = touches[0];
  const isRead = (node: ts.Node): boolean =>
    touches.some((touch) => touch.object === node && touch.isAsked);
  const isOfRun = ({ object }: Touch): boolean =>
    api.findAncestor(object, isRewritten) !== undefined &&
    isOfRuns(
      object,
      touches.map((touch) => touch.object),
      isRead,
      host,
    );
  const own = touches.filter(isOfRun);
  if (
    first === undefined ||
    !own.some(({ isAsked }) => isAsked) ||
    !own.some(({ values }) => values.some(mayVary))
  )
    return null;
  const constants = contentOf(first.object, new Set(touches.map(({ object }) => object)), host);
  return constants === null
    ? null
    : {
        places: null,
        beginning: constants.length === 0 ? "false" : `$d.holds(${[OWN, ...constants].join(", ")})`,
      };
}

function touchAt(use: ts.Node, host: ObjectHost): Touch | null {
  const { ts: api, checker } = host;
  if (
    !(api.isIdentifier(use) || api.isPropertyAccessExpression(use)) ||
    (api.isPropertyAccessExpression(use.parent) && use.parent.name === use)
  )
    return null;
  let object: ts.Expression = use;
  while (
    api.isNonNullExpression(object.parent) ||
    api.isParenthesizedExpression(object.parent) ||
    api.isAsExpression(object.parent)
  )
    object = object.parent;
  const { parent } = object;
  const inside = api.findAncestor(use, api.isFunctionLike);
  if (inside === undefined || pathOf(use, api) === "") return null;
  const made = (
    values: readonly ts.Expression[],
    isAsked: boolean,
    key: ts.Expression | undefined,
  ): Touch => ({
    object: use,
    node: parent,
    inside,
    values,
    isAsked,
    key: key !== undefined && isWeak(checker.getTypeAtLocation(use)) ? bare(key, api) : null,
  });
  if (api.isForOfStatement(parent) && parent.expression === object)
    return made([], true, undefined);
  if (
    api.isBinaryExpression(parent) &&
    parent.right === object &&
    parent.operatorToken.kind === api.SyntaxKind.InKeyword
  )
    return made([], true, undefined);
  if (
    api.isCallExpression(parent) &&
    parent.expression.getText() === "Object.hasOwn" &&
    parent.arguments[0] === object
  )
    return made([], true, undefined);
  if (
    api.isElementAccessExpression(parent) &&
    parent.expression === object &&
    nameAt(parent, host) === null
  ) {
    if (!isTarget(api, parent))
      return made(valuesPut(use, api), decidesLater(deepest(parent, api), inside, host), undefined);
    const value = valueOf(parent, api);
    const isOnce =
      api.isBinaryExpression(parent.parent) &&
      /^(\?\?|\|\|)=$/.test(parent.parent.operatorToken.getText());
    return made(value === null ? [] : [value], isOnce, undefined);
  }
  if (!api.isPropertyAccessExpression(parent) || parent.expression !== object) return null;
  const call = parent.parent;
  if (!api.isCallExpression(call) || call.expression !== parent)
    return /^(length|size)$/.test(parent.name.text) && !isTarget(api, parent)
      ? made([], decidesLater(parent, inside, host), undefined)
      : null;
  if (PUTTING.test(parent.name.text))
    return made(call.arguments.slice(parent.name.text === "set" ? 1 : 0), false, call.arguments[0]);
  return ASKING.test(parent.name.text) ? made([], true, call.arguments[0]) : null;
}

/** The outermost element access of a chain: `memo[i]![j]` for `memo[i]`. */
function deepest(node: ts.ElementAccessExpression, api: typeof ts): ts.ElementAccessExpression {
  let at: ts.Node = node.parent;
  while (api.isNonNullExpression(at)) at = at.parent;
  return api.isElementAccessExpression(at) && bare(at.expression, api) === node
    ? deepest(at, api)
    : node;
}

const nameOf = (object: ts.Expression, api: typeof ts): string =>
  api.isPropertyAccessExpression(object) ? object.name.text : object.getText();

const isWeak = (type: ts.Type): boolean => /^WeakMap$/.test(type.getSymbol()?.name ?? "");
