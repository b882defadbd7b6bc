// Finds functions in literals of consts. In: an object, array or Map literal, and its name. Out:
// each function's path and item. Invariant: no later spread or computed name can replace its value.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { code, type Code, id, literal, NOTHING, source } from "../../code/code.ts";
import { isConversion } from "../conversions.ts";
import { accessorKind, type LiteralMember } from "../literal-members.ts";
import type { Item, Member } from "./items.ts";

export interface Link {
  /** `ops.add` */
  readonly path: Code;
  /** Of an accessor, or a conversion, which operators and built-ins call. */
  readonly member?: Member;
  readonly to: Item;
}

export interface LinksHost {
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  /** The item of a function expression; null where it has none. */
  readonly written: (node: ts.FunctionLikeDeclaration, label: string) => Item | null;
  /** The item of the function that a name denotes; null for other names. */
  readonly named: (name: ts.Identifier) => Item | null;
}

/** `path`: the literal's source text; `label`: its name; `declared`: the node that has its type. */
export function linksOf(
  host: LinksHost,
  node: ts.Expression,
  path: Code,
  label: string,
  declared = node,
): Link[] {
  const { ts: api } = host;
  if (api.isArrayLiteralExpression(node))
    return beforeSpread(node, api).flatMap((element, i) =>
      linksAt(host, element, code`${reached(path)}[${i}]`, `${label}$${i}`),
    );
  const kept = frozen(node, api);
  if (kept !== null) return linksOf(host, kept, path, label, declared);
  if (isMadeOfList(node, api, "Set"))
    return membersOf(host, node).flatMap((member, i) =>
      linksAt(host, member, code`Array.from(${path})[${i}]`, `${label}$${i}`),
    );
  if (api.isNewExpression(node))
    return entriesOf(host, node).flatMap(([key, value]) =>
      linksAt(
        host,
        value,
        code`${path}.get(${key})`,
        /^"\w+"$/.test(key) ? `${label}$${key.slice(1, -1)}` : `${label}$entry`,
      ),
    );
  return api.isObjectLiteralExpression(node)
    ? behindSpread(node, host).flatMap((property) =>
        linksOfProperty(host, property, path, label, host.checker.getContextualType(declared)),
      )
    : [];
}

/** `type`: of the literal. */
function linksOfProperty(
  host: LinksHost,
  property: ts.ObjectLiteralElementLike,
  path: Code,
  label: string,
  type: ts.Type | undefined,
): Link[] {
  const { ts: api } = host;
  const { name } = property;
  if (name === undefined || !isKnownKey(name, host)) return [];
  const { key, keyText } = spelling(name, api);
  const at = placeOf(path, name, keyText, type, api);
  const own = /^[\w$]+$/.test(key) ? `${label}$${key}` : `${label}$member`;
  const memberOf = (kind: LiteralMember["kind"]): Member => ({ object: path, key: keyText, kind });
  const links = (inner: ts.Expression | ts.MethodDeclaration, mark = NOTHING): Link[] =>
    linksAt(host, inner, code`${at}${mark}`, own).map((link) =>
      isConversion(key) && isThere(path) ? { ...link, member: memberOf("value") } : link,
    );
  if (api.isAccessor(property)) {
    const to = isThere(path) ? host.written(property, own) : null;
    return to === null ? [] : [{ path: at, member: memberOf(accessorKind(property, api)), to }];
  }
  if (api.isPropertyAssignment(property)) {
    const { initializer } = property;
    const mayMiss = isLiteral(bare(initializer, api), api) && isOptional(host, type, key);
    return links(initializer, mayMiss ? code`?` : NOTHING);
  }
  if (api.isShorthandPropertyAssignment(property)) return links(property.name);
  return api.isMethodDeclaration(property) ? links(property) : [];
}

/** `dot`, `["dot"]`: a text; `[Kind.Dot]`, `[APPLY]`: an expression. */
function spelling(
  name: KnownKey,
  api: typeof ts,
): { readonly key: string; readonly keyText: Code } {
  if (!api.isComputedPropertyName(name)) return { key: name.text, keyText: literal(name.text) };
  const spelt = name.expression;
  if (api.isStringLiteralLike(spelt)) return { key: spelt.text, keyText: literal(spelt.text) };
  return { key: spelt.getText(), keyText: source(spelt.getText()) };
}

const isThere = (path: Code): boolean => !path.endsWith("?");

/** `ops.add`, `ops["a b"]` */
const placeOf = (
  path: Code,
  name: KnownKey,
  key: Code,
  type: ts.Type | undefined,
  api: typeof ts,
): Code =>
  api.isIdentifier(name) && type?.getStringIndexType() === undefined
    ? code`${reached(path, "?")}.${id(name.text)}`
    : code`${reached(path)}[${key}]`;

type KnownKey = ts.Identifier | ts.StringLiteral | ts.NumericLiteral | ts.ComputedPropertyName;

const isKnownKey = (name: ts.PropertyName, host: LinksHost): name is KnownKey =>
  host.ts.isIdentifier(name) ||
  host.ts.isStringLiteral(name) ||
  host.ts.isNumericLiteral(name) ||
  isMemberKey(name, host);

const isLiteral = (node: ts.Expression, api: typeof ts): boolean =>
  api.isObjectLiteralExpression(node) || api.isArrayLiteralExpression(node);

function isOptional(
  { ts: api, checker }: LinksHost,
  type: ts.Type | undefined,
  key: string,
): boolean {
  const property = type && checker.getNonNullableType(type).getProperty(key);
  return property !== undefined && (property.flags & api.SymbolFlags.Optional) !== 0;
}

/** Array elements and Map entries may be undefined by type, as optional fields may. */
export const reached = (path: Code, mark: "?" | "?." = "?."): Code =>
  path.endsWith("?")
    ? code`${path}${source(mark.slice(1))}`
    : /(?:\[\d+\]|\))$/.test(path)
      ? code`${path}${source(mark)}`
      : path;

/** The same for a path that may hold the function itself. */
export function linksAt(
  host: LinksHost,
  inner: ts.Expression | ts.MethodDeclaration,
  path: Code,
  label: string,
): Link[] {
  const { ts: api } = host;
  const value = api.isMethodDeclaration(inner) ? inner : bare(inner, api);
  const found =
    api.isMethodDeclaration(value) || api.isArrowFunction(value) || api.isFunctionExpression(value)
      ? host.written(value, label)
      : api.isIdentifier(value)
        ? host.named(value)
        : null;
  if (found !== null) return [{ path, to: found }];
  return !api.isMethodDeclaration(value) && holdsPlaces(value, api)
    ? linksOf(host, value, path, label)
    : [];
}

/** Whether it is a literal, `new Map([…])`, `new Set([…])`, or `Object.freeze` of one. */
export function holdsPlaces(node: ts.Node, api: typeof ts): node is Places {
  const kept = frozen(node, api);
  return kept === null
    ? api.isObjectLiteralExpression(node) ||
        api.isArrayLiteralExpression(node) ||
        isMadeOfList(node, api, "Map") ||
        isMadeOfList(node, api, "Set")
    : holdsPlaces(kept, api);
}

export type Places =
  ts.ObjectLiteralExpression | ts.ArrayLiteralExpression | ts.NewExpression | ts.CallExpression;

/** `{ … }` of `Object.freeze({ … })`. */
function frozen(node: ts.Node, api: typeof ts): ts.Expression | null {
  const isFreeze =
    api.isCallExpression(node) &&
    node.arguments.length === 1 &&
    api.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === "freeze" &&
    api.isIdentifier(node.expression.expression) &&
    node.expression.expression.text === "Object";
  return isFreeze && node.arguments[0] !== undefined ? bare(node.arguments[0], api) : null;
}

/** Whether it is `new Map([…])` or `new Set([…])`. */
const isMadeOfList = (node: ts.Node, api: typeof ts, of: "Map" | "Set"): node is ts.NewExpression =>
  api.isNewExpression(node) &&
  api.isIdentifier(node.expression) &&
  node.expression.text === of &&
  node.arguments?.[0] !== undefined &&
  api.isArrayLiteralExpression(bare(node.arguments[0], api));

/** A Map's entries with literal keys: the last of each key, unless a computed key follows. */
function entriesOf(
  { ts: api }: LinksHost,
  node: ts.NewExpression,
): readonly (readonly [key: Code, value: ts.Expression])[] {
  const [first] = node.arguments ?? [];
  const list = first === undefined ? undefined : bare(first, api);
  if (list === undefined || !api.isArrayLiteralExpression(list)) return [];
  const pairs = list.elements.map((element) => {
    const pair = bare(element, api);
    const [key, value] = api.isArrayLiteralExpression(pair) ? pair.elements : [];
    return key !== undefined &&
      value !== undefined &&
      (api.isStringLiteralLike(key) || api.isNumericLiteral(key))
      ? ([api.isNumericLiteral(key) ? source(key.text) : literal(key.text), value] as const)
      : null;
  });
  return [...new Map(pairs.slice(pairs.lastIndexOf(null) + 1).filter((pair) => pair !== null))];
}

/** The members of such a Set before the first that may be a duplicate; new functions are none. */
function membersOf({ ts: api }: LinksHost, node: ts.NewExpression): readonly ts.Expression[] {
  const [first] = node.arguments ?? [];
  const list = first === undefined ? undefined : bare(first, api);
  if (list === undefined || !api.isArrayLiteralExpression(list)) return [];
  const isNew = (element: ts.Expression): boolean =>
    api.isArrowFunction(bare(element, api)) || api.isFunctionExpression(bare(element, api));
  const at = list.elements.findIndex((element) => !isNew(element));
  return at < 0 ? list.elements : list.elements.slice(0, at);
}

/** Elements with known indices. */
function beforeSpread(
  { elements }: ts.ArrayLiteralExpression,
  api: typeof ts,
): readonly ts.Expression[] {
  const at = elements.findIndex(api.isSpreadElement);
  return at < 0 ? elements : elements.slice(0, at);
}

/** Properties after the last spread or computed name, which may replace any property. */
function behindSpread(
  { properties }: ts.ObjectLiteralExpression,
  host: LinksHost,
): readonly ts.ObjectLiteralElementLike[] {
  return properties.slice(
    properties.findLastIndex(
      ({ name }) =>
        name === undefined || (host.ts.isComputedPropertyName(name) && !isMemberKey(name, host)),
    ) + 1,
  );
}

/** Whether it is `["dot"]`, `[Kind.Dot]`, `[Symbol.iterator]`, or `[APPLY]` of a const symbol. */
function isMemberKey(
  name: ts.PropertyName,
  { ts: api, checker }: LinksHost,
): name is ts.ComputedPropertyName {
  if (api.isComputedPropertyName(name) && api.isStringLiteralLike(name.expression)) return true;
  if (
    api.isComputedPropertyName(name) &&
    (api.isIdentifier(name.expression) || api.isPropertyAccessExpression(name.expression)) &&
    (checker.getTypeAtLocation(name.expression).flags & api.TypeFlags.UniqueESSymbol) !== 0
  )
    return true;
  const member =
    api.isComputedPropertyName(name) && api.isPropertyAccessExpression(name.expression)
      ? checker.getSymbolAtLocation(name.expression.name)
      : undefined;
  return member !== undefined && (member.flags & api.SymbolFlags.EnumMember) !== 0;
}
