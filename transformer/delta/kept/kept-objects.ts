// Finds stale properties of persistent objects: of constants, fields and classes. In: the object.
// Out: the properties that rewritten code writes with active values, and the condition under which
// they hold initial or plain values. Invariant: unsure means that nothing is stale.

import type ts from "typescript";
import { constantOf, decides, isMade, isOfRuns, type KeptHost } from "./kept-variables.ts";
import { bare } from "../plan/places.ts";
import { isTarget } from "../assigned.ts";
import { isKeyOf } from "./guards.ts";
import { isFilledByOthers, isHandedOn, isPutByOthers, mentionsOf } from "./handed.ts";
import { isAssignment, isOfConstructor, keyText, nameAt, valueOf } from "./puts.ts";
import { within } from "./varying.ts";

export interface ObjectHost extends KeptHost {
  readonly mayVary: (node: ts.Node) => boolean;
}

/** An object and the expressions that denote it. */
export interface Held {
  readonly uses: readonly ts.Expression[];
  /** A Map or WeakMap: `set` writes its entries. */
  readonly isTable: boolean;
  /** The initial values of a property: none if absent, null if unknown. */
  readonly first: (key: string) => readonly string[] | null;
  /** The initial properties; null where they cannot be discriminated. */
  readonly keys: readonly string[] | null;
  /** How a condition reads a property; for a table, its size. */
  readonly text: (key: string) => string;
}

/** `key`: null if computed or in a table. `isWhole`: plain `=`. `isFirst`: in a constructor. */
export interface Write {
  readonly use: ts.Expression;
  readonly key: string | null;
  readonly value: ts.Expression;
  readonly isWhole: boolean;
  readonly isRewritten: boolean;
  readonly isFirst: boolean;
}

/** `places`: field names; empty: all contents. `asked`: fields in the condition `beginning`. */
export interface KeptPlaces {
  readonly places: readonly string[];
  readonly asked: readonly string[];
  readonly beginning: string;
}

export function keptPlaces(symbol: ts.Symbol, everywhere: ObjectHost): KeptPlaces | null {
  const { ts: api, checker } = everywhere;
  const { valueDeclaration: declaration } = symbol;
  if (
    declaration === undefined ||
    !api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return null;
  const host = within(declaration, everywhere);
  if (heldIn(declaration.initializer, symbol.name, [], host) === null) return null;
  const uses = mentionsOf(symbol, host);
  const held = heldIn(declaration.initializer, symbol.name, uses, host);
  const kept = held === null ? null : placesOf(held, host);
  if (kept === null || !isHandedOn(uses, host)) return kept;
  const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
  return kept.asked.some((key) =>
    isPutByOthers(key, type, new Set(uses.map(({ parent }) => parent)), host),
  )
    ? null
    : kept;
}

/** The object that an initializer allocates. */
export function heldIn(
  initializer: ts.Expression,
  name: string,
  uses: readonly ts.Expression[],
  host: KeptHost,
): Held | null {
  const { ts: api } = host;
  const made = bare(initializer, api);
  if (api.isNewExpression(made)) {
    const isEmpty = made.expression.getText() === "Map" && (made.arguments ?? []).length === 0;
    return isEmpty
      ? { uses, isTable: true, first: () => [], keys: [], text: () => `${name}.size` }
      : null;
  }
  if (api.isArrayLiteralExpression(made)) {
    // elements at computed indices are usually filled before each use
    return {
      uses,
      isTable: false,
      first: (key) => firstOf(made.elements[Number(key)], api),
      keys: null,
      text: (key) => `${name}[${key}]`,
    };
  }
  return api.isObjectLiteralExpression(made) && !made.properties.some(api.isSpreadAssignment)
    ? {
        uses,
        isTable: false,
        first: (key) => firstIn(made, key, host),
        keys: made.properties.flatMap((property) => nameAt(property, host) ?? []),
        text: (key) => `${name}[${keyText(key)}]`,
      }
    : null;
}

export function placesOf(held: Held, host: ObjectHost): KeptPlaces | null {
  const { uses } = held;
  const writes = writesOf(held, host);
  const varying = varyingOf(uses, writes, host);
  if (varying.length === 0) return null;
  if (held.isTable)
    return writes.every(({ isRewritten }) => isRewritten) && !isFilledByOthers(uses, host)
      ? { places: [], asked: [], beginning: `${held.text("")} === 0` }
      : null;
  const places = [...new Set(varying.map(({ key }) => key))];
  const known = places.filter((key) => key !== null);
  const isKnown = known.length === places.length;
  if (!isKnown && held.keys === null) return null;
  const all = isKnown ? known : (held.keys ?? []);
  // without initial properties, any number under a computed name was written later
  if (all.length === 0)
    return writes.every(({ isRewritten }) => isRewritten) && !isFilledByOthers(uses, host)
      ? { places: [], asked: [], beginning: "false" }
      : null;
  const constants = new Map(
    all.map((key) => [key, constantsOf(held, key, writes, known.includes(key), host)] as const),
  );
  // a property that plain code sets is a setting, unless it is a memo's key
  const settable = known.filter((key) => constants.get(key) === null);
  const keys = known.filter(
    (key) =>
      settable.length > 0 &&
      known.length > 1 &&
      settable.every((other) => other === key || isPlacesKey(key, other, held, writes, host)),
  );
  for (const key of keys)
    constants.set(
      key,
      constants.get(key) ??
        constantsOf(
          held,
          key,
          writes.filter(({ isRewritten, isFirst }) => isRewritten || isFirst),
          true,
          host,
        ),
    );
  const isSaid = (key: string, texts: readonly string[] | null): boolean =>
    texts !== null ||
    (settable.includes(key) &&
      keys.some((other) => other !== key && constants.get(other) !== null));
  if (![...constants].every(([key, texts]) => isSaid(key, texts))) return null;
  for (const key of isKnown ? decidingOf(uses, writes, host) : [])
    if (!constants.has(key)) constants.set(key, constantsOf(held, key, writes, false, host));
  const tests = [...constants].flatMap(([key, texts]) =>
    texts === null ? [] : [`$d.holds(${[held.text(key), ...new Set(texts)].join(", ")})`],
  );
  return {
    places: isKnown ? known : [],
    asked: [...constants.keys()].filter((key) => constants.get(key) !== null),
    beginning: tests.join(" && "),
  };
}

export const writesOf = (
  { uses, isTable }: Pick<Held, "uses" | "isTable">,
  host: ObjectHost,
): readonly Write[] =>
  uses.flatMap((use) =>
    [...(isTable ? [] : assignedAt(use, host)), writeAt(use, isTable, host) ?? []].flat(),
  );

/** The writes that store active values which a later execution may read. */
function varyingOf(
  uses: readonly ts.Expression[],
  writes: readonly Write[],
  host: ObjectHost,
): readonly Write[] {
  const isRead = (node: ts.Node): boolean =>
    !writes.some(({ use, isWhole }) => use === node && isWhole);
  const own = writes.filter(
    ({ use, isRewritten, isFirst }) => isRewritten && !isFirst && isOfRuns(use, uses, isRead, host),
  );
  const found = own.filter(({ value }) => host.mayVary(value));
  for (let before = -1; before < found.length && found.length > 0;) {
    before = found.length;
    const keys = new Set(found.map(({ key }) => key));
    found.push(
      ...own.filter(
        (one) =>
          !found.includes(one) &&
          uses.some((use) => isIn(use, one.value) && keys.has(keyAt(use, host))),
      ),
    );
  }
  return found;
}

export const isIn = (node: ts.Node, around: ts.Node): boolean =>
  node.pos >= around.pos && node.end <= around.end;

/** The constants that a property holds initially or after plain (if `isVarying`: any) writes. */
function constantsOf(
  held: Held,
  key: string,
  writes: readonly Write[],
  isVarying: boolean,
  { ts: api }: ObjectHost,
): readonly string[] | null {
  const own = writes
    .filter((one) => one.key === key || one.key === null)
    .map((one) => ({ ...one, text: one.isWhole ? constantOf(one.value, api) : null }));
  if (own.some(({ text, isRewritten, isFirst }) => text === null && (!isRewritten || isFirst)))
    return null;
  const first = held.first(key);
  const later = own.flatMap(({ text, isRewritten, isFirst }) =>
    text === null || (isRewritten && !isFirst && !isVarying) ? [] : [text],
  );
  return first === null ? null : [...first, ...later];
}

/** Whether `key` guards writes of `other`: `if (x !== s.last) { s.last = x; s.value = x * x; }`. */
function isPlacesKey(
  key: string,
  other: string,
  { uses }: Held,
  writes: readonly Write[],
  host: ObjectHost,
): boolean {
  const at = (of: string): readonly ts.Node[] =>
    writes.filter((write) => write.key === of).map(({ use }) => use);
  const asked = uses.filter(
    (use) =>
      keyAt(use, host) === key && host.ts.isExpression(use.parent) && decides(use.parent, host.ts),
  );
  return isKeyOf(asked, at(key), at(other), true, host);
}

/** Properties that rewritten code both writes and branches on. */
const decidingOf = (
  uses: readonly ts.Expression[],
  writes: readonly Write[],
  host: ObjectHost,
): readonly string[] =>
  uses.flatMap((use) => {
    const key = keyAt(use, host);
    const { parent } = use;
    return key !== null &&
      host.ts.isExpression(parent) &&
      decides(parent, host.ts) &&
      writes.some((one) => one.key === key && one.isRewritten)
      ? [key]
      : [];
  });

/** `k` of `o.k`, `o["k"]`, `o[0]`; null where it is computed, or for any other use. */
function keyAt({ parent }: ts.Expression, host: KeptHost): string | null {
  const { ts: api } = host;
  return api.isElementAccessExpression(parent) && api.isNumericLiteral(parent.argumentExpression)
    ? parent.argumentExpression.text
    : nameAt(parent, host);
}

/** The write at a use: `state.value = x`, `state.last.x = x`, `state[k] = x`, `known.set(k, x)`. */
function writeAt(use: ts.Expression, isTable: boolean, host: ObjectHost): Write | null {
  const { ts: api, isRewritten } = host;
  const { parent } = use;
  const around = {
    use,
    isRewritten: api.findAncestor(use, isRewritten) !== undefined,
    isFirst: isOfConstructor(use, api),
  };
  if (
    !(api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) ||
    parent.expression !== use
  )
    return null;
  if (isTable) {
    const call = parent.parent;
    const value =
      api.isCallExpression(call) &&
      call.expression === parent &&
      api.isPropertyAccessExpression(parent) &&
      parent.name.text === "set"
        ? call.arguments[1]
        : undefined;
    return value === undefined ? null : { ...around, key: null, value, isWhole: true };
  }
  let target: ts.Expression = parent;
  while (
    (api.isPropertyAccessExpression(target.parent) ||
      api.isElementAccessExpression(target.parent) ||
      api.isNonNullExpression(target.parent)) &&
    target.parent.expression === target
  )
    target = target.parent;
  const whole = target.parent;
  // `[state.value] = …`, `state.value++`
  if (!isTarget(api, target)) return null;
  if (!api.isBinaryExpression(whole) || !isAssignment(whole, api) || whole.left !== target)
    return {
      ...around,
      key: keyAt(use, host),
      value: valueOf(target, api) ?? target,
      isWhole: false,
    };
  return {
    ...around,
    key: keyAt(use, host),
    value: whole.right,
    isWhole: target === parent && whole.operatorToken.kind === api.SyntaxKind.EqualsToken,
  };
}

/** `Object.assign(state, { last: x, value: x * x })` */
function assignedAt(use: ts.Expression, { ts: api, isRewritten }: KeptHost): readonly Write[] {
  const { parent } = use;
  if (
    !api.isCallExpression(parent) ||
    parent.arguments[0] !== use ||
    parent.expression.getText() !== "Object.assign"
  )
    return [];
  const around = {
    use,
    isWhole: true,
    isRewritten: api.findAncestor(use, isRewritten) !== undefined,
    isFirst: isOfConstructor(use, api),
  };
  return parent.arguments
    .slice(1)
    .flatMap((from) => (api.isObjectLiteralExpression(from) ? from.properties : []))
    .flatMap((property) => {
      const { name } = property;
      const value = api.isPropertyAssignment(property)
        ? property.initializer
        : api.isShorthandPropertyAssignment(property)
          ? property.name
          : null;
      return value !== null &&
        name !== undefined &&
        (api.isIdentifier(name) || api.isStringLiteral(name))
        ? [{ ...around, key: name.text, value }]
        : [];
    });
}

function firstIn(
  made: ts.ObjectLiteralExpression,
  key: string,
  host: KeptHost,
): readonly string[] | null {
  const { ts: api } = host;
  const own = made.properties.find((property) => nameAt(property, host) === key);
  return own === undefined || api.isPropertyAssignment(own) ? firstOf(own?.initializer, api) : null;
}

export function firstOf(
  initializer: ts.Expression | undefined,
  api: typeof ts,
): readonly string[] | null {
  const text = initializer === undefined ? "undefined" : constantOf(initializer, api);
  return text !== null
    ? [text]
    : initializer !== undefined && isMade(bare(initializer, api), api)
      ? []
      : null;
}
