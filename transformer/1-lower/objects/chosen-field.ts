// Accesses whose key selects one of several fields: `m[k]` with k of type "a" | "b" or an enum,
// and `pair[i]` of a tuple. Input: the key's value. Output: a choice among the fields.
// Where the key may differ from its type (any number fits an enum; `name as Kind` asserts), the
// last field is tested, too. Any other key throws, or reads undefined.

import type ts from "typescript";
import { bare, isWrapper } from "../../syntax/wrappers.ts";
import { field, num } from "../../ir/build.ts";
import type { Atom, Const, Field, Type } from "../../ir/types.ts";
import { isConstant } from "../assignments.ts";
import { optional, equalityTest, str, UNDEFINED } from "../coerce.ts";
import { elementTypeOf } from "../types/common-type.ts";
import type { Frame } from "../frame.ts";
import { builtinPath } from "../names/library-names.ts";

export interface Chosen {
  readonly kind: "chosen";
  readonly object: Atom;
  readonly at: Atom;
  readonly cases: readonly Case[];
  /** Whether the key may be none of the cases. */
  readonly open: boolean;
  readonly type: Type;
}

interface Case {
  readonly name: string;
  readonly key: Const;
}

/** Null where the key's type does not list the fields, or they have different types. */
export function chosenField(
  f: Frame,
  node: ts.ElementAccessExpression,
  object: Atom,
  fields: readonly Field[],
  at: Atom,
): Chosen | null {
  const type = f.ctx.checker.getTypeAtLocation(node.argumentExpression);
  const keys = type.isUnion() ? type.types : [type];
  const areTexts = keys.every((key) => key.isStringLiteral());
  const areNumbers = keys.every((key) => key.isNumberLiteral()) && f.shape(at.type).kind === "num";
  if (!areTexts && !areNumbers) return null;
  const isOpen =
    keys.some((key) => areNumbers && (key.flags & f.api.TypeFlags.EnumLiteral) !== 0) ||
    isAsserted(f, node.argumentExpression, node.expression);
  const named = keys.map((key) =>
    fields.find(
      (each) => (key.isStringLiteral() || key.isNumberLiteral()) && each.name === String(key.value),
    ),
  );
  const known = named.filter((each) => each !== undefined);
  return known.length < keys.length ? null : among(object, at, known, areNumbers, isOpen);
}

/** Whether the key, or a constant that it names, is asserted to its type: `name as Kind`. */
function isAsserted(f: Frame, expression: ts.Expression, object: ts.Expression): boolean {
  const { api } = f;
  const { checker } = f.ctx;
  if (api.isIdentifier(expression)) {
    const declared = f.symbolOf(expression)?.valueDeclaration;
    return isConstant(declared, api) && isAsserted(f, declared.initializer, object);
  }
  if (api.isAsExpression(expression) || api.isTypeAssertionExpression(expression)) {
    const from = checker.getTypeAtLocation(expression.expression);
    if (isOwnKey(f, expression.expression, object)) return false;
    if (
      (from.flags & api.TypeFlags.Any) !== 0 ||
      !checker.isTypeAssignableTo(from, checker.getTypeAtLocation(expression))
    )
      return true;
  }
  if (api.isConditionalExpression(expression))
    return (
      isAsserted(f, expression.whenTrue, object) || isAsserted(f, expression.whenFalse, object)
    );
  return isWrapper(expression, api) && isAsserted(f, expression.expression, object);
}

/** `k` of `for (const k in object)` or `of Object.keys(object)`, where the type lists each key. */
function isOwnKey(f: Frame, key: ts.Expression, object: ts.Expression): boolean {
  const { api } = f;
  const whole = bare(object, f.api);
  const declared = api.isIdentifier(key) ? f.symbolOf(key)?.valueDeclaration : undefined;
  const loop = declared?.parent.parent;
  const isWhole = (node: ts.Expression | undefined): boolean =>
    node !== undefined &&
    api.isIdentifier(node) &&
    api.isIdentifier(whole) &&
    f.symbolOf(node) === f.symbolOf(whole);
  if (loop === undefined || !(api.isForInStatement(loop) || api.isForOfStatement(loop)))
    return false;
  const over = bare(loop.expression, f.api);
  return api.isForInStatement(loop)
    ? isWhole(over)
    : api.isCallExpression(over) &&
        builtinPath(f, over.expression) === "Object.keys" &&
        isWhole(over.arguments[0]);
}

/** An element of a tuple at a computed index. */
export const chosenElement = (object: Atom, at: Atom, elems: readonly Type[]): Chosen | null =>
  among(
    object,
    at,
    elems.map((type, i) => ({ name: String(i), type })),
    true,
    true,
  );

function among(
  object: Atom,
  at: Atom,
  fields: readonly Field[],
  areNumbers: boolean,
  open: boolean,
): Chosen | null {
  const type = elementTypeOf(fields.map((each) => each.type));
  if (type === null) return null;
  const cases = fields.map(({ name }) => ({
    name,
    key: areNumbers ? num(Number(name)) : str(name),
  }));
  return { kind: "chosen", object, at, cases, open, type };
}

/** A field of a record by an arbitrary string key. */
export const anyField = (object: Atom, at: Atom, fields: readonly Field[]): Chosen | null =>
  among(object, at, fields, false, true);

/** Reads the field. `maybe`: an unknown key reads `undefined` instead of throwing. */
export function readChosen(f: Frame, place: Chosen, wanted: string, maybe = false): Atom {
  const open = place.open || (maybe && f.shape(place.type).kind !== "opt");
  const type = maybe && open ? optional(f, place.type) : place.type;
  const from = ([first, ...rest]: readonly Case[], as: string): Atom => {
    if (first === undefined) return otherwise();
    const load = (into: string): Atom =>
      f.b.load(into, place.type, place.object, field(first.name));
    if (rest.length === 0 && !open) return load(as);
    return f.choose(
      as,
      type,
      equalityTest(f, "===", place.at, first.key),
      () => load("t"),
      () => from(rest, "t"),
    );
  };
  const otherwise = (): Atom => {
    if (maybe) return UNDEFINED;
    throwOther(f);
    return { kind: "undef", type };
  };
  return from(place.cases, wanted);
}

export function writeChosen(f: Frame, place: Chosen, value: Atom, cases = place.cases): void {
  const [first, ...rest] = cases;
  if (first === undefined) return throwOther(f);
  const store = (): void => f.b.store(place.object, field(first.name), value);
  if (rest.length === 0 && !place.open) return store();
  f.when(equalityTest(f, "===", place.at, first.key), store, () =>
    writeChosen(f, place, value, rest),
  );
}

function throwOther(f: Frame): void {
  f.b.raise(
    "Error",
    "TSG0023: a place is none of those that the type of its tuple or record lists",
  );
}
