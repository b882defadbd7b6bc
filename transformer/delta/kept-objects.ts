// The same of records and tables that a constant holds (kept-variables.ts): `const state = { at: NaN, value: 0 }`, `const known = new Map()`. In: the constant, its names in its file. Out: which
// of its places rewritten code writes with what may vary, and when they still hold what they began with, or plain code put there. Invariant: unsure means that nothing is left.

import type ts from "typescript";
import { constantOf, decides, isAssignment, isOfRuns, type KeptHost } from "./kept-variables.ts";
import { bare } from "./places.ts";

export interface ObjectHost extends KeptHost {
  readonly mayVary: (node: ts.Node) => boolean;
}

/** `key`: null of a table's entries, or where it is computed. `isWhole`: the value is what is written. */
interface Write { readonly name: ts.Identifier; readonly key: string | null; readonly value: ts.Expression; readonly isWhole: boolean; readonly isRewritten: boolean }

/** `places`: names of fields; empty: all that it holds. `beginning`: a condition. */
export interface KeptPlaces { readonly places: readonly string[]; readonly beginning: string }

export function keptPlaces(symbol: ts.Symbol, host: ObjectHost): KeptPlaces | null {
  const { ts: api, mayVary } = host, { valueDeclaration: declaration } = symbol;
  if (declaration === undefined || !api.isVariableDeclaration(declaration) || declaration.initializer === undefined) return null;
  const made = bare(declaration.initializer, api), isTable = api.isNewExpression(made) && made.expression.getText() === "Map";
  const names = host.assigned.mentions(symbol), writes = names.flatMap((name) => writeAt(name, isTable, host) ?? []);
  const isRead = (node: ts.Identifier): boolean => !writes.some((one) => one.name === node && one.isWhole);
  const varying = writes.filter(({ name, value, isRewritten }) => isRewritten && isOfRuns(name, symbol, isRead, host) && mayVary(value));
  if (varying.length === 0) return null;
  if (isTable) return (made.arguments ?? []).length === 0 && writes.every(({ isRewritten }) => isRewritten) ? { places: [], beginning: `${symbol.name}.size === 0` } : null;
  if (!api.isObjectLiteralExpression(made)) return null;
  const places = [...new Set(varying.map(({ key }) => key))], known = places.filter((key) => key !== null);
  const deciding = names.flatMap((name) => (api.isPropertyAccessExpression(name.parent) && decides(name.parent, api) ? [name.parent.name.text] : [])).filter((key) => writes.some((one) => one.key === key && one.isRewritten));
  const asked = known.length < places.length ? fieldsOf(made, api) : [...new Set([...known, ...deciding])], tests: string[] = [];
  // what stands under names that are computed was put there
  if (asked.length === 0) return writes.every(({ isRewritten }) => isRewritten) ? { places: [], beginning: "false" } : null;
  for (const key of asked) {
    const own = writes.filter((one) => one.key === key || one.key === null), first = firstIn(made, key, api);
    const constants = own.map(({ value, isWhole, isRewritten }) => ({ text: isWhole ? constantOf(value, api) : null, isRewritten }));
    if (constants.some(({ text, isRewritten }) => text === null && !isRewritten)) return null;
    const texts = constants.flatMap(({ text, isRewritten }) => (text === null || (isRewritten && !known.includes(key)) ? [] : [text]));
    tests.push(`$d.holds(${[`${symbol.name}[${JSON.stringify(key)}]`, ...new Set(first === null ? texts : [first, ...texts])].join(", ")})`);
  }
  return { places: known.length < places.length ? [] : known, beginning: tests.join(" && ") };
}

/** What is written there through a name of the object: `state.value = x`, `state.last.x = x`, `state[k] = x`, `known.set(k, x)`. */
function writeAt(name: ts.Identifier, isTable: boolean, { ts: api, isRewritten }: ObjectHost): Write | null {
  const { parent } = name, isInside = api.findAncestor(name, isRewritten) !== undefined;
  if (!(api.isPropertyAccessExpression(parent) || api.isElementAccessExpression(parent)) || parent.expression !== name) return null;
  if (isTable) {
    const call = parent.parent, value = api.isCallExpression(call) && call.expression === parent && api.isPropertyAccessExpression(parent) && parent.name.text === "set" ? call.arguments[1] : undefined;
    return value === undefined ? null : { name, key: null, value, isWhole: true, isRewritten: isInside };
  }
  const at = api.isPropertyAccessExpression(parent) ? parent.name : parent.argumentExpression, key = api.isIdentifier(at) && api.isPropertyAccessExpression(parent) ? at.text : api.isStringLiteral(at) ? at.text : null;
  let target: ts.Expression = parent;
  while ((api.isPropertyAccessExpression(target.parent) || api.isElementAccessExpression(target.parent) || api.isNonNullExpression(target.parent)) && target.parent.expression === target) target = target.parent;
  const whole = target.parent;
  if (!api.isBinaryExpression(whole) || !isAssignment(whole, api) || whole.left !== target) return null;
  return { name, key, value: whole.right, isWhole: target === parent && whole.operatorToken.kind === api.SyntaxKind.EqualsToken, isRewritten: isInside };
}

const fieldsOf = (made: ts.ObjectLiteralExpression, api: typeof ts): readonly string[] => made.properties.flatMap(({ name }) => (name !== undefined && (api.isIdentifier(name) || api.isStringLiteral(name)) ? [name.text] : []));

/** What a field begins with; null where that is no constant. */
function firstIn(made: ts.ObjectLiteralExpression, key: string, api: typeof ts): string | null {
  const own = made.properties.find(({ name }) => name !== undefined && (api.isIdentifier(name) || api.isStringLiteral(name)) && name.text === key);
  return own === undefined ? "undefined" : api.isPropertyAssignment(own) ? constantOf(own.initializer, api) : null;
}
