// Destructuring: declarations, parameters, assignments and loop heads. In: a pattern and the value it takes apart. Out: bindings or writes.
// Invariant: properties are read in the pattern's order; a default runs only where the value is `undefined`.

import type ts from "typescript";
import { NUM, field, index, num } from "../../ir/build.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { isIterator, iterableAsArray } from "../builtins/iterate.ts";
import {
  asDeclared,
  asOptional,
  inner,
  isNullish,
  isUndefined,
  optional,
  sameValue,
  str,
  UNDEFINED,
  unwrap,
} from "../coerce.ts";
import { placeType } from "../../ir/type-of.ts";
import { isMutable } from "../effects.ts";
import { lowerExpr } from "../expression.ts";
import type { Frame } from "../frame.ts";
import { firstGenerated, generatedList } from "../control/generators.ts";
import { lowerStored } from "../functions/held-functions.ts";
import { bindsMaybe } from "./undefined-reads.ts";
import { callMember, hasMember } from "../classes/members.ts";
import { lowerPlace, isOfTuples, requireListable, writePlace } from "./places.ts";
import { declaredName } from "./property-names.ts";
import { builtinPath, opened } from "../resolve.ts";
import { leftFields } from "./spread-fields.ts";

/** Gives the names of a declaration their value. `left`: those of a pattern that have none yet. */
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

/** What is no list itself, as a list of what the pattern takes of it: `const [x, y] = point` of a class that can be gone through, `const [first] = table.values()`; null of any other value. */
export function iteratedBy(
  f: Frame,
  pattern: ts.ArrayBindingPattern,
  source: ts.Expression,
): Atom | null {
  const {
    api,
    ctx: { checker },
  } = f;
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

/** A constant name is the value itself; one that is assigned later is a variable. */
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

/** Type of all values that a variable takes. */
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
  // the type parameter of a generic function that is written out here; what a function sees, which only tsgrad knows
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

/** `any`, or an array of it: a type that the checker finds out from what is assigned later. */
export function hasAny(f: Frame, type: ts.Type): boolean {
  if (type.flags & f.api.TypeFlags.Any) return true;
  const element = f.ctx.checker.isArrayType(type)
    ? f.ctx.checker.getIndexInfosOfType(type)[0]?.type
    : undefined;
  return (
    element !== undefined && (hasAny(f, element) || (element.flags & f.api.TypeFlags.Never) !== 0)
  );
}

export function typeOfLastUse(f: Frame, name: ts.Identifier): Type | null {
  const symbol = f.symbolOf(name);
  let found: ts.Type | null = null;
  const walk = (node: ts.Node): void => {
    if (
      f.api.isIdentifier(node) &&
      node.text === name.text &&
      node !== name &&
      f.symbolOf(node) === symbol
    ) {
      const type = f.ctx.checker.getTypeAtLocation(node);
      if (
        !hasAny(f, type) &&
        !(type.flags & (f.api.TypeFlags.Undefined | f.api.TypeFlags.Null | f.api.TypeFlags.Never))
      )
        found = type;
    }
    f.api.forEachChild(node, walk);
  };
  walk(f.api.findAncestor(name, (at) => f.api.isFunctionLike(at)) ?? f.root);
  return found === null ? null : f.ctx.typeFrom(found, name);
}

// ---------------------------------------------------------------------------------------------------- patterns

/** One position of a pattern. */
interface Part {
  /** Field or tuple position; an expression for a computed name; `rest`: what is left, from this position on. */
  readonly key: string | number;
  readonly rest: boolean;
  readonly initial: ts.Expression | undefined;
  /** Whether the user asks if there is anything. */
  readonly asked?: boolean;
  readonly node: ts.Node;
  /** Name that the value wants. */
  readonly wanted: string;
  readonly bind: (value: Atom) => void;
}

function objectParts(f: Frame, pattern: ts.ObjectBindingPattern): Part[] {
  return pattern.elements.map((element) => ({
    key: propertyText(f, element.propertyName ?? element.name),
    rest: element.dotDotDotToken !== undefined,
    initial: element.initializer,
    asked: bindsMaybe(f, element),
    node: element,
    wanted: f.api.isIdentifier(element.name) ? element.name.text : "t",
    bind: (value: Atom) => bindName(f, element.name, value),
  }));
}

function arrayParts(f: Frame, pattern: ts.ArrayBindingPattern): Part[] {
  return pattern.elements.flatMap((element, at): Part[] =>
    f.api.isOmittedExpression(element)
      ? []
      : [
          {
            key: at,
            rest: element.dotDotDotToken !== undefined,
            initial: element.initializer,
            asked: bindsMaybe(f, element),
            node: element,
            wanted: f.api.isIdentifier(element.name) ? element.name.text : "t",
            bind: (value: Atom) => bindName(f, element.name, value),
          },
        ],
  );
}

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
  const shape = f.shape(value.type);
  const wanted = part.initial === undefined ? part.wanted : "t";
  if ((shape.kind === "record" || shape.kind === "union") && byName) {
    const name = String(part.key);
    const found = placeType(value.type, field(name), f.ctx.types);
    if (found !== null)
      return f.let(wanted, found, { kind: "load", object: value, key: field(name) });
    if (hasMember(f, value.type, "getter", name))
      return callMember(f, value, { kind: "getter", name, args: [], at }, wanted) ?? UNDEFINED;
  }
  if (shape.kind === "dict" && shape.store === "Object" && byName) {
    const type =
      part.initial === undefined && part.asked !== true ? shape.value : optional(f, shape.value);
    return f.let(wanted, type, { kind: "load", object: value, key: index(str(String(part.key))) });
  }
  if (shape.kind === "tuple") {
    const elem = shape.elems[Number(part.key)];
    if (elem !== undefined)
      return f.let(wanted, elem, { kind: "load", object: value, key: field(String(part.key)) });
    if (part.key === "length") return num(shape.elems.length);
    return UNDEFINED;
  }
  const common =
    isOfTuples(f, shape) && typeof part.key === "number"
      ? placeType(value.type, field(String(part.key)), f.ctx.types)
      : null;
  if (common !== null)
    return f.let(wanted, common, { kind: "load", object: value, key: field(String(part.key)) });
  if (shape.kind === "array") {
    if (part.key === "length") return f.let(wanted, NUM, { kind: "length", object: value });
    const type =
      part.initial === undefined && part.asked !== true ? shape.elem : optional(f, shape.elem);
    if (!Number.isNaN(Number(part.key)))
      return f.let(wanted, type, {
        kind: "load",
        object: value,
        key: index(num(Number(part.key))),
      });
  }
  return f.refuse("TSG1125", at, `the shape of \`${f.textOf(at)}\` is not known`);
}

/** `x = initial` in a pattern or parameter list; `node` is what has the default. */
export function withDefault(
  f: Frame,
  value: Atom,
  initial: ts.Expression,
  wanted: string,
  node: ts.Node,
): Atom {
  if (value.kind === "const")
    return value.value === undefined ? lowerExpr(f, initial, wanted) : value;
  const optionalValue = asOptional(f, value);
  const here = f.ctx.checker.getTypeAtLocation(node);
  const nullable = (here.isUnion() ? here.types : [here]).some(
    (part) => part.flags & f.api.TypeFlags.Null,
  );
  const missing = nullable
    ? sameValue(f, "===", optionalValue, UNDEFINED)
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
      f.let("t", type, { kind: "load", object: value, key: field(String(Number(part.key) + k)) }),
    );
    return f.let(part.wanted, { kind: "tuple", elems: left }, { kind: "tuple", elems });
  }
  if (shape.kind === "record" && typeof part.key === "string") {
    requireListable(f, value, at);
    const left = shape.fields.filter(
      (each) => !parts.some((other) => !other.rest && other.key === each.name),
    );
    return f.let(
      part.wanted,
      { kind: "record", fields: left },
      leftFields(f, value, left).record(),
    );
  }
  return f.refuse("TSG1125", at, "the rest of this value is not known");
}

// ---------------------------------------------------------------------------------------------------- assignments

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
  const target = opened(f, hasDefault ? expression.left : expression);
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

/** `[a, b] = [b, a]` without an array: all values first, then all writes. False if the two sides do not match one to one. */
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

/** A copy of a variable's value, which the writes that follow do not change. */
const held = (f: Frame, atom: Atom): Atom =>
  atom.kind === "var" ? f.let("t", atom.type, { kind: "copy", atom }) : atom;

/** `const { sin, cos } = Math` makes names for functions, not values. */
export function bindLibrary(f: Frame, declaration: ts.VariableDeclaration): boolean {
  const { api } = f;
  const object =
    declaration.initializer === undefined ? undefined : opened(f, declaration.initializer);
  if (
    object === undefined ||
    !api.isIdentifier(object) ||
    (object.text !== "Math" && object.text !== "Number") ||
    !api.isObjectBindingPattern(declaration.name)
  )
    return false;
  for (const element of declaration.name.elements) {
    const path = api.isIdentifier(element.name) ? builtinPath(f, element.name) : null;
    const symbol = api.isIdentifier(element.name) ? f.symbolOf(element.name) : null;
    if (path === null || symbol === null) return f.refuse("TSG1125", element, f.textOf(element));
    if (f.ctx.checker.getTypeAtLocation(element.name).getCallSignatures().length > 0)
      f.env.bind(symbol, { kind: "fn", fn: { kind: "builtin", path } });
    else
      f.env.bind(symbol, {
        kind: "value",
        atom: {
          kind: "global",
          name: path,
          type: f.ctx.typeOf(element.name),
          file: f.root.getSourceFile().fileName,
        },
      });
  }
  return true;
}
