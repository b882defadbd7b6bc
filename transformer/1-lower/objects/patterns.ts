// Lowers destructuring in declarations, parameters, assignments and loop heads.
// Input: a pattern and a value. Output: bindings or writes. Properties are read in the pattern's
// order; a default runs only where the value is `undefined`.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { field, index, num } from "../../ir/build.ts";
import type { Atom, Key, Type } from "../../ir/types.ts";
import { isIterator, iterableAsArray } from "../builtins/iterate.ts";
import {
  asDeclared,
  asOptional,
  isNullish,
  not,
  isUndefined,
  optional,
  equalityTest,
  str,
  UNDEFINED,
  unwrap,
} from "../coerce.ts";
import { inner, type Frame } from "../frame.ts";
import { placeType } from "../../ir/type-of.ts";
import { isMutable } from "../effects.ts";
import { lowerExpr } from "../lowering.ts";
import { emitWrongType } from "../control/type-tests.ts";
import { firstGenerated, generatedList } from "../control/generators.ts";
import { lowerStored } from "../functions/function-tags.ts";
import { bindsPossiblyUndefined } from "./undefined-reads.ts";
import { callMember, hasMember } from "../classes/members.ts";
import { hasAny, typeOfLastUse } from "./expected-types.ts";
import { lowerPlace, requireEnumerable, writePlace } from "./places.ts";
import { isOfTuples } from "./tuples.ts";
import { declaredName } from "./property-names.ts";
import { rejectReplacedIterator } from "../names/replaced-builtins.ts";
import { restFields } from "./spread-fields.ts";
import { held } from "../functions/known-functions.ts";

/** Binds the names of a declaration. `left`: the elements of a pattern that are not bound yet. */
export function bindName(
  f: Frame,
  name: ts.BindingName,
  value: Atom,
  left: (element: ts.Node) => boolean = () => true,
): void {
  const { api } = f;
  f.at(name, () => {
    if (api.isIdentifier(name)) return bindIdentifier(f, name, value);
    const parts = api.isObjectBindingPattern(name) ? objectParts(f, name) : arrayParts(f, name);
    takeApart(
      f,
      parts.filter(({ node }) => left(node)),
      api.isObjectBindingPattern(name),
      value,
      name,
    );
  });
}

/** The elements of an iterable that is no array: `const [first] = table.values()`; else null. */
export function iterableElements(
  f: Frame,
  pattern: ts.ArrayBindingPattern,
  source: ts.Expression,
): Atom | null {
  const { api } = f;
  const { checker } = f.ctx;
  const type = checker.getTypeAtLocation(source);
  const last = pattern.elements.at(-1);
  if (checker.isArrayType(type) || checker.isTupleType(type)) return null;
  const takesAll =
    last !== undefined && api.isBindingElement(last) && last.dotDotDotToken !== undefined;
  const generated = takesAll
    ? (generatedList(f, source)?.list ?? null)
    : firstGenerated(f, source, pattern.elements.length);
  return generated ?? (isIterator(f, source) ? iterableAsArray(f, source).atom : null);
}

/** A name that is never reassigned is bound to the value itself, any other to a variable. */
export function bindIdentifier(f: Frame, name: ts.Identifier, value: Atom): void {
  const symbol = f.symbolOf(name);
  if (symbol === null) return f.refuse("TSG1126", name, name.text);
  if (!isMutable(f, symbol))
    return f.env.bind(symbol, {
      kind: "value",
      atom: isAnnotated(f, name) ? asDeclared(f, value, f.ctx.typeOf(name), name.text) : value,
    });
  const declared = f.env.lookup(symbol);
  const hoisted = declared?.kind === "variable" && isHoisted(f, symbol) ? declared.variable : null;
  if (hoisted !== null) return f.assign(hoisted, value);
  const variable = f.declare(name.text, variableType(f, name, value), value);
  f.env.bind(symbol, { kind: "variable", variable });
}

const isAnnotated = ({ api }: Frame, { parent }: ts.Identifier): boolean =>
  (api.isVariableDeclaration(parent) || api.isParameter(parent)) && parent.type !== undefined;

const isHoisted = (f: Frame, symbol: ts.Symbol): boolean =>
  (symbol.flags & f.api.SymbolFlags.FunctionScopedVariable) !== 0 &&
  symbol.valueDeclaration !== undefined &&
  f.api.isVariableDeclaration(symbol.valueDeclaration);

/** The type of all values that a variable holds. */
export function variableType(f: Frame, name: ts.Identifier, value: Atom | null): Type {
  const declared = f.ctx.checker.getTypeAtLocation(name);
  if (hasAny(f, declared)) {
    const later = typeOfLastUse(f, name);
    if (later !== null) return later;
  }
  if (value !== null && f.shape(value.type).kind === "opt" && !isNullish(value)) {
    const type = f.ctx.typeOf(name);
    return f.shape(type).kind === "opt" ? type : value.type;
  }
  const type = f.ctx.typeOf(name);
  const shape = f.shape(type);
  if (shape.kind !== "leaf" || shape.opaque !== true || value === null) return type;
  // a type parameter of an inlined generic function, or a closure's captures, known only to tsgrad
  return isOfParameter(declared, f) ||
    (!isAnnotated(f, name) && !["num", "bool", "leaf"].includes(f.shape(value.type).kind))
    ? value.type
    : type;
}

const isOfParameter = ({ flags }: ts.Type, { api: { TypeFlags } }: Frame): boolean =>
  (flags &
    (TypeFlags.TypeParameter |
      TypeFlags.IndexedAccess |
      TypeFlags.Conditional |
      TypeFlags.Substitution)) !==
  0;

// ------------------------------------------------------------------------------------ patterns

/** One position of a pattern. */
interface Part {
  /** Field name or tuple position; of a rest element, where it starts. */
  readonly key: string | number;
  readonly rest: boolean;
  readonly initial: ts.Expression | undefined;
  /** Whether code tests the value for `undefined`. */
  readonly asked?: boolean;
  readonly node: ts.Node;
  /** Name hint for the value. */
  readonly wanted: string;
  readonly bind: (value: Atom) => void;
}

function objectParts(f: Frame, pattern: ts.ObjectBindingPattern): Part[] {
  return pattern.elements.map((element) =>
    elementPart(f, element, propertyText(f, element.propertyName ?? element.name)),
  );
}

function arrayParts(f: Frame, pattern: ts.ArrayBindingPattern): Part[] {
  rejectReplacedIterator(f, pattern);
  return pattern.elements.flatMap((element, at): Part[] =>
    f.api.isOmittedExpression(element) ? [] : [elementPart(f, element, at)],
  );
}

const elementPart = (f: Frame, element: ts.BindingElement, key: string | number): Part => ({
  key,
  rest: element.dotDotDotToken !== undefined,
  initial: element.initializer,
  asked: bindsPossiblyUndefined(f, element),
  node: element,
  wanted: f.api.isIdentifier(element.name) ? element.name.text : "t",
  bind: (value: Atom) => bindName(f, element.name, value),
});

function propertyText(f: Frame, name: ts.PropertyName | ts.BindingName): string {
  return declaredName(f.api, name, f.ctx.checker) ?? f.refuse("TSG1202", name, f.textOf(name));
}

function takeApart(
  f: Frame,
  parts: readonly Part[],
  byName: boolean,
  source: Atom,
  at: ts.Node,
): void {
  const value = unwrap(f, source);
  for (const part of parts) {
    f.at(part.node, () => {
      if (part.rest) return part.bind(restOf(f, value, part, parts, at));
      const read = readPart(f, value, part, byName, at);
      part.bind(
        part.initial === undefined
          ? read
          : withDefault(f, read, part.initial, part.wanted, part.node),
      );
    });
  }
}

function readPart(f: Frame, value: Atom, part: Part, byName: boolean, at: ts.Node): Atom {
  return (
    (byName ? readProperty(f, value, part, at) : null) ??
    readPosition(f, value, part) ??
    f.refuse("TSG1125", at, `the shape of \`${f.textOf(at)}\` is not known`)
  );
}

/** A part with a default is read under a temporary name. */
const nameHint = ({ initial, wanted }: Part): string => (initial === undefined ? wanted : "t");

/** A part that may be undefined has an optional type where a default or a test expects that. */
const partType = (f: Frame, { initial, asked }: Part, type: Type): Type =>
  initial === undefined && asked !== true ? type : optional(f, type);

/** A field, getter or key of `{ x }`; null for arrays and tuples. */
function readProperty(f: Frame, value: Atom, part: Part, at: ts.Node): Atom | null {
  const shape = f.shape(value.type);
  const wanted = nameHint(part);
  const name = String(part.key);
  if (shape.kind === "record" || shape.kind === "union") {
    const found = placeType(value.type, field(name), f.ctx.types);
    if (found !== null) return f.b.load(wanted, found, value, field(name));
    if (hasMember(f, value.type, "getter", name))
      return callMember(f, value, { kind: "getter", name, args: [], at }, wanted) ?? UNDEFINED;
  }
  return shape.kind === "dict" && shape.store === "Object"
    ? f.b.load(wanted, partType(f, part, shape.value), value, index(str(name)))
    : null;
}

/** An element or the length of an array or tuple; null for other values. */
function readPosition(f: Frame, value: Atom, part: Part): Atom | null {
  const shape = f.shape(value.type);
  const wanted = nameHint(part);
  const load = (type: Type, key: Key): Atom => f.b.load(wanted, type, value, key);
  if (shape.kind === "tuple") {
    const elem = shape.elems[Number(part.key)];
    if (elem !== undefined) return load(elem, field(String(part.key)));
    return part.key === "length" ? num(shape.elems.length) : UNDEFINED;
  }
  const common =
    isOfTuples(f, shape) && typeof part.key === "number"
      ? placeType(value.type, field(String(part.key)), f.ctx.types)
      : null;
  if (common !== null) return load(common, field(String(part.key)));
  if (shape.kind !== "array") return null;
  if (part.key === "length") return f.b.length(value, wanted);
  const at = Number(part.key);
  return Number.isNaN(at) ? null : load(partType(f, part, shape.elem), index(num(at)));
}

/** `x = initial` in a pattern or parameter list. `node`: the element with the default. */
export function withDefault(
  f: Frame,
  value: Atom,
  initial: ts.Expression,
  wanted: string,
  node: ts.Node,
): Atom {
  if (value.kind === "const")
    return value.value === undefined ? lowerExpr(f, initial, wanted) : value;
  if (value.type.kind === "leaf" && value.type.text === "undefined") {
    f.when(not(f, isUndefined(f, value, null)), () => emitWrongType(f, node));
    return lowerStored(f, initial);
  }
  const optionalValue = asOptional(f, value);
  const here = f.ctx.checker.getTypeAtLocation(node);
  const nullable = (here.isUnion() ? here.types : [here]).some(
    (part) => part.flags & f.api.TypeFlags.Null,
  );
  const missing = nullable
    ? equalityTest(f, "===", optionalValue, UNDEFINED)
    : isUndefined(f, optionalValue, null);
  const type = nullable
    ? {
        ...optionalValue.type,
        ...(optionalValue.type.kind === "opt" ? { nil: "both" as const } : {}),
      }
    : inner(f, optionalValue.type);
  return f.choose(
    wanted,
    type,
    missing,
    () => lowerStored(f, initial),
    () => (nullable ? optionalValue : unwrap(f, optionalValue)),
  );
}

function restOf(f: Frame, value: Atom, part: Part, parts: readonly Part[], at: ts.Node): Atom {
  const shape = f.shape(value.type);
  if (shape.kind === "array" && typeof part.key === "number") {
    return f.let(
      part.wanted,
      { kind: "array", store: "Array", elem: shape.elem },
      { kind: "slice", object: value, from: num(part.key), to: null },
    );
  }
  if (shape.kind === "tuple" && typeof part.key === "number") {
    if (shape.always !== undefined)
      return f.refuse("TSG1125", at, "the rest has optional elements");
    const left = shape.elems.slice(part.key);
    const elems = left.map((type, k) =>
      f.b.load("t", type, value, field(String(Number(part.key) + k))),
    );
    return f.let(part.wanted, { kind: "tuple", elems: left }, { kind: "tuple", elems });
  }
  if (shape.kind === "record" && typeof part.key === "string") {
    requireEnumerable(f, value, at);
    const left = shape.fields.filter(
      (each) => !parts.some((other) => !other.rest && other.key === each.name),
    );
    return f.let(
      part.wanted,
      { kind: "record", fields: left },
      restFields(f, value, left).record(),
    );
  }
  return f.refuse("TSG1125", at, "the rest of this value is not known");
}

// ------------------------------------------------------------------------------------ assignments

/** `[a, b] = value`, `({ x, y } = value)`. */
export function assignPattern(
  f: Frame,
  target: ts.ArrayLiteralExpression | ts.ObjectLiteralExpression,
  value: Atom,
  source: ts.Expression,
): void {
  const parts = f.api.isArrayLiteralExpression(target)
    ? elementTargets(f, target)
    : propertyTargets(f, target);
  takeApart(f, parts, f.api.isObjectLiteralExpression(target), value, source);
}

function elementTargets(f: Frame, target: ts.ArrayLiteralExpression): Part[] {
  const { api } = f;
  return target.elements.flatMap((element, at): Part[] => {
    if (api.isOmittedExpression(element)) return [];
    const place = api.isSpreadElement(element) ? element.expression : element;
    return [targetPart(f, at, api.isSpreadElement(element), place)];
  });
}

function propertyTargets(f: Frame, target: ts.ObjectLiteralExpression): Part[] {
  const { api } = f;
  return target.properties.map((property): Part => {
    if (api.isShorthandPropertyAssignment(property)) {
      const write = (value: Atom): void => writePlace(f, lowerPlace(f, property.name), value);
      return {
        key: property.name.text,
        rest: false,
        initial: property.objectAssignmentInitializer,
        node: property,
        wanted: "t",
        bind: write,
      };
    }
    if (api.isPropertyAssignment(property))
      return targetPart(f, propertyText(f, property.name), false, property.initializer);
    if (api.isSpreadAssignment(property)) return targetPart(f, "", true, property.expression);
    return f.refuse("TSG1125", property, f.textOf(property));
  });
}

function targetPart(
  f: Frame,
  key: string | number,
  rest: boolean,
  expression: ts.Expression,
): Part {
  const { api } = f;
  const hasDefault =
    api.isBinaryExpression(expression) &&
    expression.operatorToken.kind === api.SyntaxKind.EqualsToken;
  const target = bare(hasDefault ? expression.left : expression, f.api);
  const bind = (value: Atom): void => {
    if (api.isArrayLiteralExpression(target) || api.isObjectLiteralExpression(target))
      assignPattern(f, target, value, target);
    else writePlace(f, lowerPlace(f, target), value);
  };
  return {
    key,
    rest,
    initial: hasDefault ? expression.right : undefined,
    node: expression,
    wanted: "t",
    bind,
  };
}

/** `[a, b] = [b, a]` without an array: reads, then writes. False if the sides do not match. */
export function swap(
  f: Frame,
  target: ts.ArrayLiteralExpression,
  source: ts.ArrayLiteralExpression,
): boolean {
  const { api } = f;
  const simple = (node: ts.Expression): boolean =>
    api.isIdentifier(node) ||
    api.isElementAccessExpression(node) ||
    api.isPropertyAccessExpression(node);
  if (target.elements.length !== source.elements.length || !target.elements.every(simple))
    return false;
  if (
    source.elements.some(
      (element) => api.isSpreadElement(element) || api.isOmittedExpression(element),
    )
  )
    return false;
  const values = source.elements.map((element) => held(f, lowerExpr(f, element)));
  for (const [at, element] of target.elements.entries()) {
    const value = values[at];
    if (value !== undefined) f.at(element, () => writePlace(f, lowerPlace(f, element), value));
  }
  return true;
}
