// Finds memoisation whose key is elsewhere: `if (x !== last) { last = x; out[0] = x * x; }`.
// In: a file. Out: checks that the key has its initial value.
// Invariants: only code under the key writes active values; unsure means that nothing is stale.

import type ts from "typescript";
import { isTarget } from "../assigned.ts";
import { guardOf, isWithin, type Guard } from "./guards.ts";
import { valuesPut } from "./handed.ts";
import { OWN } from "./kept-fields.ts";
import { type Left, type Look, pathOf, placesOf, rootOf } from "./kept-memos.ts";
import { isIn, type ObjectHost } from "./kept-objects.ts";
import { constantOf } from "./kept-variables.ts";
import { bare } from "../plan/places.ts";
import { isOfConstructor, keyText, nameAt, valueOf } from "./puts.ts";

/** `last`, `this.last`: a variable, or a field of `owner`. */
interface Key {
  readonly node: ts.Identifier | ts.PropertyAccessExpression;
  readonly symbol: ts.Symbol | null;
  readonly owner: ts.Expression | null;
  readonly guard: Guard;
}

/** A write into an object. `name`: the field; null: any property. */
export interface Put {
  readonly object: ts.Expression;
  readonly name: string | null;
  readonly values: readonly ts.Expression[];
  readonly inside: ts.SignatureDeclaration;
}

export function looksBeside(
  file: ts.SourceFile,
  host: ObjectHost,
  isKnown: (object: ts.Expression) => boolean,
): readonly Look[] {
  const { ts: api } = host;
  const found: Look[] = [];
  const done = new Set<string>();
  const look = (node: ts.Node): void => {
    if (api.isTypeNode(node)) return;
    const asked = keyAt(node, host);
    const key = asked === null || beginsWith(asked, host) === null ? null : asked;
    for (const put of key === null ? [] : putsIn(key, host)) {
      const own =
        key === null || isKnown(put.object)
          ? null
          : `${pathOf(put.object, api)} ${put.name ?? ""} ${key.node.getText()} ${String(api.findAncestor(node, api.isClassLike)?.pos)}`;
      if (key === null || own === null || done.has(own) || leftBeside(key, put, host) === null)
        continue;
      done.add(own);
      found.push(...looksFor(key, put, host));
    }
    api.forEachChild(node, look);
  };
  look(file);
  return found;
}

function keyAt(node: ts.Node, host: ObjectHost): Key | null {
  const { ts: api, checker, assigned } = host;
  const isName = api.isIdentifier(node) && !("name" in node.parent && node.parent.name === node);
  const isField =
    api.isPropertyAccessExpression(node) &&
    !api.isPrivateIdentifier(node.name) &&
    pathOf(node.expression, api) !== "";
  if (!isName && !isField) return null;
  const guard =
    api.isCallExpression(node.parent) && node.parent.expression === node
      ? null
      : guardOf(node, host);
  if (guard === null || isTarget(api, node)) return null;
  if (api.isPropertyAccessExpression(node))
    return { node, symbol: null, owner: bare(node.expression, api), guard };
  const symbol = api.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
  const declaration = symbol?.valueDeclaration;
  const around = api.findAncestor(node, api.isFunctionLike);
  const isOutside =
    declaration !== undefined &&
    api.isVariableDeclaration(declaration) &&
    (around === undefined || !isWithin(declaration, around));
  return api.isIdentifier(node) && symbol !== undefined && isOutside && assigned.has(symbol)
    ? { node, symbol, owner: null, guard }
    : null;
}

/** Writes of active values into other objects, under the key's control. */
function putsIn({ guard }: Key, host: ObjectHost): readonly Put[] {
  const found: Put[] = [];
  const look = (node: ts.Node): void => {
    const put = putAt(node, host);
    if (put !== null && put.values.some(host.mayVary)) found.push(put);
    host.ts.forEachChild(node, look);
  };
  guard.parts.forEach(look);
  return found;
}

function putAt(node: ts.Node, host: ObjectHost): Put | null {
  const { ts: api } = host;
  const isPath =
    (api.isIdentifier(node) || api.isPropertyAccessExpression(node)) &&
    !(api.isPropertyAccessExpression(node.parent) && node.parent.name === node);
  const inside = isPath ? api.findAncestor(node, api.isFunctionLike) : undefined;
  const values = isPath && inside !== undefined ? valuesPut(node, api) : [];
  if (
    !isPath ||
    inside === undefined ||
    values.length === 0 ||
    pathOf(node, api) === "" ||
    rootOf(node, host) === null ||
    isOfConstructor(node, api)
  )
    return null;
  const { parent } = node;
  const isField =
    (api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) &&
    isTarget(api, parent) &&
    nameAt(parent, host) !== null;
  // a deeper write belongs to the inner object, which has its own path
  if (
    !isField &&
    api.isPropertyAccessExpression(parent) &&
    !(api.isCallExpression(parent.parent) && parent.parent.expression === parent)
  )
    return null;
  return { object: node, name: isField ? nameAt(parent, host) : null, values, inside };
}

/** All writes to the same property in the file. */
function putsOf({ object, name }: Put, host: ObjectHost): readonly Put[] {
  const { ts: api } = host;
  const path = pathOf(object, api);
  const root = rootOf(object, host);
  return putsInFile(object.getSourceFile(), host).filter(
    (put) =>
      put.name === name && pathOf(put.object, api) === path && rootOf(put.object, host) === root,
  );
}

function putsInFile(file: ts.SourceFile, host: ObjectHost): readonly Put[] {
  const known = host.puts.intoObjects.get(file);
  const found: Put[] = [];
  if (known !== undefined) return known;
  const look = (node: ts.Node): void => {
    const put = putAt(node, host);
    if (put !== null) found.push(put);
    host.ts.forEachChild(node, look);
  };
  look(file);
  host.puts.intoObjects.set(file, found);
  return found;
}

/** The condition under which nothing there is stale; null where nothing ever is. */
function leftBeside(key: Key, put: Put, host: ObjectHost): Left | null {
  const { ts: api, isRewritten, mayVary } = host;
  const all = putsOf(put, host);
  const own = all.filter(({ object }) => api.findAncestor(object, isRewritten) !== undefined);
  if (!own.some(({ values }) => values.some(mayVary))) return null;
  // running state is no memo, and a value that plain code writes is a setting
  if (
    !all.every(
      ({ object, values }) =>
        values.every((value) => constantOf(value, api) !== null) ||
        (own.some((one) => one.object === object) &&
          (!values.some(mayVary) || key.guard.parts.some((part) => isWithin(object, part)))),
    )
  )
    return null;
  const begins = beginsWith(key, host);
  const text =
    key.symbol !== null ? key.symbol.name : `${OWN}[${keyText(nameAt(key.node, host) ?? "")}]`;
  return begins === null || begins.length === 0
    ? null
    : {
        places: put.name === null ? [] : [put.name],
        beginning: `$d.holds(${[text, ...begins].join(", ")})`,
      };
}

/** The key's values before the guarded code executes; null where they are unknown. */
function beginsWith(key: Key, host: ObjectHost): readonly string[] | null {
  const { ts: api, checker, puts, mayVary, isRewritten } = host;
  const name = nameAt(key.node, host) ?? "";
  const all =
    key.symbol !== null
      ? variableWrites(key.symbol, host)
      : puts
          .of(name, checker.getTypeAtLocation(key.owner ?? key.node))
          .map(({ at, value, isFirst }) => ({ at, value, isFirst }));
  const isOwn = ({ at, isFirst }: (typeof all)[number]): boolean =>
    !isFirst &&
    api.findAncestor(at, isRewritten) !== undefined &&
    key.guard.parts.some((part) => isWithin(at, part));
  const own = all.filter(isOwn);
  const others = all.filter((one) => !isOwn(one));
  const isVarying = own.some(
    ({ value }) => value !== null && value !== undefined && mayVary(value),
  );
  const textOf = (value: ts.Expression | null | undefined): string | null =>
    value === undefined ? "undefined" : value === null ? null : constantOf(value, api);
  const texts = others.flatMap(({ value }) => textOf(value) ?? []);
  const given = own.map(({ value }) => textOf(value));
  // plain code may restore a saved key if values are used only where the key matches
  const isSettled = others.every(
    ({ value, isFirst }) => textOf(value) !== null || (!isFirst && isVarying && key.guard.isEqual),
  );
  const isFlag = given.length > 0 && given.every((text) => text !== null && !texts.includes(text));
  return (isVarying || isFlag) && isSettled ? [...new Set(texts)] : null;
}

function variableWrites(
  symbol: ts.Symbol,
  { ts: api, assigned }: ObjectHost,
): readonly {
  readonly at: ts.Node;
  readonly value: ts.Expression | null | undefined;
  readonly isFirst: boolean;
}[] {
  const { valueDeclaration: declaration } = symbol;
  if (
    declaration === undefined ||
    !api.isVariableDeclaration(declaration) ||
    !api.isVariableStatement(declaration.parent.parent)
  )
    return [
      {
        at: declaration ?? assigned.targets(symbol)[0] ?? api.factory.createEmptyStatement(),
        value: null,
        isFirst: true,
      },
    ];
  const later = assigned.targets(symbol).map((target) => ({
    at: target,
    value:
      api.isBinaryExpression(target.parent) &&
      target.parent.operatorToken.kind === api.SyntaxKind.EqualsToken
        ? valueOf(target, api)
        : null,
    isFirst: false,
  }));
  return [{ at: declaration, value: declaration.initializer, isFirst: true }, ...later];
}

/** Checks before what the key decides, and before all other accesses to the object. */
function looksFor(key: Key, put: Put, host: ObjectHost): readonly Look[] {
  const { ts: api } = host;
  const { object, name } = put;
  const path = pathOf(object, api);
  const root = rootOf(object, host);
  const before = key.owner === null ? null : pathOf(key.owner, api);
  const isOwn =
    before !== null &&
    (path === before || path.startsWith(`${before}?.`)) &&
    rootOf(key.owner ?? object, host) === root;
  const all: {
    readonly node: ts.Expression;
    readonly inside: ts.SignatureDeclaration;
    readonly object: ts.Expression;
  }[] = [];
  const look = (node: ts.Node): void => {
    const inside =
      api.isIdentifier(node) ||
      api.isPropertyAccessExpression(node) ||
      node.kind === api.SyntaxKind.ThisKeyword
        ? api.findAncestor(node, api.isFunctionLike)
        : undefined;
    if (
      inside !== undefined &&
      api.isExpression(node) &&
      pathOf(node, api) === path &&
      rootOf(node, host) === root &&
      !isOfConstructor(node, api)
    )
      all.push({ node, inside, object: node });
    api.forEachChild(node, look);
  };
  const around = api.findAncestor(key.node, api.isFunctionLike);
  if (around === undefined || !isVisible(root, key.node, api)) return [];
  all.push({ node: key.node, inside: around, object });
  look(object.getSourceFile());
  const isOfParameter =
    root !== null &&
    !("kind" in root) &&
    root.valueDeclaration !== undefined &&
    api.isParameter(root.valueDeclaration);
  // an object that a parameter leads to has no name in other functions
  const met = isOfParameter
    ? all.filter(({ inside }) => isIn(object, inside) && isIn(key.node, inside))
    : all;
  // the key's object is reachable wherever a module constant leads to it
  const leads = key.owner === null || isOwn ? null : rootOf(key.owner, host);
  if (
    leads !== null &&
    !(
      !("kind" in leads) &&
      leads.valueDeclaration !== undefined &&
      api.isVariableDeclaration(leads.valueDeclaration) &&
      api.isSourceFile(leads.valueDeclaration.parent.parent.parent)
    )
  )
    return [];
  const left = (now: ObjectHost): Left | null => leftBeside(key, put, now);
  return placesOf(met, !api.isPropertyAccessExpression(object), api).map(({ at }): Look => ({
    at,
    object,
    of: key.node,
    name: path.split("?.").at(-1) ?? "",
    key: null,
    places: name === null ? [] : [name],
    left,
    beside: { owner: key.owner, home: key.symbol?.valueDeclaration ?? null },
  }));
}

/** Whether a path's first name has the same meaning there. */
function isVisible(root: ts.Node | ts.Symbol | null, at: ts.Node, api: typeof ts): boolean {
  if (root === null) return false;
  if ("kind" in root) return isWithin(at, root);
  const home =
    root.valueDeclaration === undefined
      ? undefined
      : api.findAncestor(
          root.valueDeclaration.parent,
          (node) => api.isFunctionLike(node) || api.isSourceFile(node),
        );
  return home !== undefined && isWithin(at, home);
}
