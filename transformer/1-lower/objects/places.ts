// Places: variables, elements and fields, to read and to write. In: an access expression. Out: a loaded atom, or a Place.
// Invariant: object and index of a place are evaluated once, before anything else of the statement.

import type ts from "typescript";
import { NUM, field, index, num } from "../../ir/build.ts";
import { printType } from "../../ir/print.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Key, Type, Var } from "../../ir/types.ts";
import {
  type Chosen,
  chosenElement,
  chosenField,
  readChosen,
  writeChosen,
} from "./chosen-field.ts";
import { variableMeant } from "../names/variables.ts";
import { classNameOf } from "../classes/classes.ts";
import { commonType } from "../types/common-type.ts";
import { setElement } from "../builtins/set.ts";
import { setLength } from "../builtins/resize.ts";
import {
  extern,
  externAt,
  inert,
  isOfTexts,
  optional,
  str,
  STRING,
  UNDEFINED,
  unwrap,
} from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { lowerExpr } from "../expression.ts";
import { callMember, callSuper, hasMember, pendingField } from "../classes/members.ts";
import { classNamed, staticField } from "../classes/static-members.ts";
import { isReassigned } from "../effects.ts";
import { isFn } from "../functions/closures.ts";
import { memberAt } from "../functions/known-functions.ts";
import { readGetter, variablePart } from "../classes/literal-members.ts";
import { nameOfMember } from "./property-names.ts";
import { ownLibraryNames } from "../names/shadowed-globals.ts";
import { isOpenInNamespace } from "../names/namespaces.ts";
import { builtinPath, isNamespace, isLibrary, opened } from "../resolve.ts";
import { constantOfModule } from "../names/other-modules.ts";

export type Place =
  | { readonly kind: "variable"; readonly variable: Var; readonly type: Type }
  | { readonly kind: "memory"; readonly object: Atom; readonly key: Key; readonly type: Type }
  /** `a.length`, to write. */
  | { readonly kind: "length"; readonly object: Atom; readonly elem: Type; readonly type: Type }
  /** A field that a getter and a setter stand for. */
  | {
      readonly kind: "accessor";
      readonly object: Atom;
      readonly name: string;
      readonly type: Type;
      readonly node: ts.Node;
    }
  /** `super.x`, of a class whose parent has a setter. */
  | { readonly kind: "inherited"; readonly type: Type; readonly node: ts.PropertyAccessExpression }
  | Chosen;

type Access = ts.PropertyAccessExpression | ts.ElementAccessExpression;

/** Reads `a.b` or `a[i]`. */
export function lowerAccess(f: Frame, node: Access, wanted: string, maybe: boolean): Atom {
  const { api } = f;
  const constant = api.isPropertyAccessExpression(node) ? lowerConstant(f, node, wanted) : null;
  if (constant !== null) return constant;
  if (api.isPropertyAccessExpression(node)) {
    const pending = pendingField(f, node.expression, node.name);
    if (pending !== null) return pending;
    if (node.expression.kind === api.SyntaxKind.SuperKeyword)
      return callSuper(f, node, { kind: "getter", args: [], at: node }, wanted) ?? UNDEFINED;
  }
  const got = readGetter(f, node, wanted);
  if (got !== null) return got;
  const part = memberAt(f, node);
  // what stands beside the functions of a constant's part is read where it stands
  if (part !== null && !(part.kind === "members" && !part.isWhole))
    return isFn(part) ? f.refuse("TSG1124", node, f.textOf(node)) : part;
  const object = unwrap(f, lowerExpr(f, node.expression));
  const shape = f.shape(object.type);
  if (api.isElementAccessExpression(node)) requireListable(f, object, node);
  if (shape.kind === "dict") return readKey(f, node, object, shape, wanted, maybe);
  const name = fieldName(f, node, shape.kind);
  if (name !== null) return readField(f, node, object, name, wanted);
  if (!api.isElementAccessExpression(node))
    return f.refuse("TSG1201", node, `property \`${f.textOf(node)}\``);
  const at = lowerExpr(f, node.argumentExpression);
  // `Tag[tag]` is the name of a member
  if (isEnumObject(f, node.expression) && f.shape(at.type).kind === "num")
    return inert(f, wanted, STRING, ["", "[", "]"], [object, at], "pure");
  const elem = listElement(f, shape);
  if (elem !== null) {
    requireIndex(f, at, node);
    return f.let(wanted, maybe ? optional(f, elem) : elem, {
      kind: "load",
      object,
      key: index(at),
    });
  }
  if (shape.kind === "tuple") return readTuple(f, node, object, shape.elems, at, wanted);
  if (isOfTuples(f, shape) && at.kind === "const")
    return readField(f, node, object, String(at.value), wanted);
  const chosen = shape.kind === "record" ? chosenField(f, node, object, shape.fields, at) : null;
  if (chosen !== null) return readChosen(f, chosen, wanted, maybe);
  if (isSafeLeaf(f, f.ctx.checker.getTypeAtLocation(node.expression)))
    return externAt(f, wanted, f.ctx.typeOf(node), ["", "[", "]"], [object, at]);
  return f.refuse("TSG1202", node, f.textOf(node));
}

/** `r[k]`, `r.k`, and `m.size` of a Map. */
function readKey(
  f: Frame,
  node: Access,
  object: Atom,
  dict: Type & { kind: "dict" },
  wanted: string,
  maybe: boolean,
): Atom {
  const { api } = f;
  if (dict.store === "Map") {
    const isSize = api.isPropertyAccessExpression(node) && node.name.text === "size";
    return isSize
      ? inert(f, wanted, NUM, ["", ".size"], [object])
      : f.refuse("TSG1201", node, `property \`${f.textOf(node)}\``);
  }
  const key = api.isPropertyAccessExpression(node)
    ? str(node.name.text)
    : lowerExpr(f, node.argumentExpression);
  return f.let(wanted, maybe ? optional(f, dict.value) : dict.value, {
    kind: "load",
    object,
    key: index(key),
  });
}

function requireIndex(f: Frame, at: Atom, node: ts.ElementAccessExpression): void {
  if (f.shape(at.type).kind !== "num") f.refuse("TSG1202", node, f.textOf(node));
}

/** The name of a field that is known now: `.w`, `["w"]`; of a tuple `[0]`. */
function fieldName(f: Frame, node: Access, kind: Type["kind"]): string | null {
  const { api } = f;
  if (api.isPropertyAccessExpression(node)) return memberName(f, node.name);
  const key = node.argumentExpression;
  if (api.isStringLiteralLike(key) || (api.isNumericLiteral(key) && kind === "record"))
    return key.text;
  return kind === "record" ? nameOfMember(api, opened(f, key), f.ctx.checker) : null;
}

/** What is read from a list, whichever of `number[] | Float64Array` it is; null for what is none. */
export function listElement(f: Frame, shape: Type): Type | null {
  if (shape.kind === "array") return shape.elem;
  const isList = (variant: Type): boolean =>
    variant.kind === "array" &&
    variant.elem.kind === "num" &&
    (variant.store === "Array" || variant.store === "Float64Array");
  return shape.kind === "union" && shape.variants.every((variant) => isList(f.shape(variant)))
    ? NUM
    : null;
}

/** Tuples that are told apart: `op[0]` is one place of all of them. */
export const isOfTuples = (f: Frame, shape: Type): boolean =>
  shape.kind === "union" && shape.variants.every((variant) => f.shape(variant).kind === "tuple");

/** Refuses to go through the fields of a record that stands for an instance, which has others. */
export function requireListable(f: Frame, object: Atom, node: ts.Node): void {
  const owner = f.ctx.classOf(object.type);
  if (owner !== null && f.ctx.classes.isSealed(owner))
    f.refuse("TSG1107", node, f.name, classNameOf(owner, f.api));
}

/** What a member is called: `#x` as the record that stands for the instance has it. */
export function memberName(f: Frame, name: ts.MemberName): string {
  return f.api.isPrivateIdentifier(name)
    ? (f.ctx.classes.privateName(name) ?? f.refuse("TSG1107", name, f.name, "class"))
    : name.text;
}

function readField(f: Frame, node: Access, object: Atom, name: string, wanted: string): Atom {
  const shape = f.shape(object.type);
  if (shape.kind === "record" || shape.kind === "union") {
    const found = placeType(object.type, field(name), f.ctx.types);
    if (found !== null)
      return f.let(wanted, loadedType(shape, found), {
        kind: "load",
        object: widest(f, object, name, found),
        key: field(name),
      });
  }
  if (hasMember(f, object.type, "getter", name))
    return callMember(f, object, { kind: "getter", name, args: [], at: node }, wanted) ?? UNDEFINED;
  if (name === "length") {
    if (listElement(f, shape) !== null) return f.let(wanted, NUM, { kind: "length", object });
    if (shape.kind === "tuple") return num(shape.elems.length);
    if (isOfTuples(f, shape)) return inert(f, wanted, NUM, ["", ".length"], [object]);
  }
  if (name === "size" && setElement(f, node.expression) !== null)
    return inert(f, wanted, NUM, ["", ".size"], [object]);
  const type = f.ctx.checker.getTypeAtLocation(node.expression);
  // a whole number, whatever the text was made of
  if (name === "length" && isOfTexts(f, type))
    return inert(f, wanted, NUM, ["", ".length"], [object]);
  if (isSafeLeaf(f, type))
    return extern(f, wanted, f.ctx.typeOf(node), ["", `.${name}`], [object], "reads");
  return f.refuse(
    "TSG2002",
    node,
    f.name,
    `\`${f.textOf(node.expression)}\``,
    f.ctx.checker.typeToString(type),
  );
}

/** Outside unions a number is a number, even where its type says which one. */
const loadedType = (shape: Type, found: Type): Type =>
  found.kind === "num" &&
  found.literal !== undefined &&
  shape.kind === "record" &&
  shape.tagged !== true
    ? NUM
    : found;

/** The union that a variant was taken out of, if all its variants have the field: a tag is read once for all of them. */
function widest(f: Frame, object: Atom, name: string, found: Type): Atom {
  const source = object.kind === "var" ? f.variantOf.get(object.name) : undefined;
  if (source === undefined) return object;
  const wide = placeType(source.type, field(name), f.ctx.types);
  if (wide === null || !(sameType(wide, found) || (wide.kind === "leaf" && found.kind === "leaf")))
    return object;
  return widest(f, source, name, found);
}

/** An element of a tuple; where the position is not constant, of an array of its elements. */
function readTuple(
  f: Frame,
  node: ts.ElementAccessExpression,
  object: Atom,
  elems: readonly Type[],
  at: Atom,
  wanted: string,
): Atom {
  if (at.kind === "const" && typeof at.value === "number") {
    const elem = elems[at.value];
    return elem === undefined
      ? UNDEFINED
      : f.let(wanted, elem, { kind: "load", object, key: field(String(at.value)) });
  }
  requireIndex(f, at, node);
  const array = tupleAsArray(f, node, object, elems, node.expression);
  const shape = f.shape(array.type);
  return f.let(wanted, shape.kind === "array" ? shape.elem : NUM, {
    kind: "load",
    object: array,
    key: index(at),
  });
}

/** A tuple's elements as an array, a fresh one unless they are a constant's, if they are all of one type, or lists of numbers that nobody writes. `list`: the tuple as the user wrote it. */
export function tupleAsArray(
  f: Frame,
  node: ts.Node,
  object: Atom,
  elems: readonly Type[],
  list: ts.Expression | null = null,
): Atom {
  const [first, ...others] = elems;
  const load = (type: Type, at: number, of: Atom): Var =>
    f.let("t", type, { kind: "load", object: of, key: field(String(at)) });
  const elem =
    first === undefined || elems.every((each) => isTextType(each))
      ? STRING
      : commonType(first, others);
  const isOfOne =
    first !== undefined &&
    (elem === STRING || elems.every((other) => sameType(elem, commonType(other, [elem]))));
  const given = list === null ? null : f.ctx.checker.getTypeAtLocation(list);
  const rows: Type = { kind: "array", store: "Array", elem: NUM };
  if (!isOfOne && (given === null || !isTableOfNumbers(f, given)))
    return f.refuse("TSG1202", node, f.textOf(node));
  const type: Type = { kind: "array", store: "Array", elem: isOfOne ? elem : rows };
  if (object.kind === "global" && given !== null && elem !== STRING && isReadOnly(f, given))
    return { ...object, type };
  const made = (parts: readonly Atom[], of: Type): Var =>
    f.let("t", of, { kind: "array", parts: parts.map((atom) => ({ atom, spread: false })) });
  const row = (each: Type, at: number): Var => {
    const tuple = load(each, at, object);
    const shape = f.shape(each);
    return made(
      (shape.kind === "tuple" ? shape.elems : []).map((one, k) => load(one, k, tuple)),
      rows,
    );
  };
  return made(
    elems.map((each, at) => (isOfOne ? load(each, at, object) : row(each, at))),
    type,
  );
}

/** A tuple of which nobody can write an element, nor any of one that it holds. */
const isReadOnly = (f: Frame, type: ts.Type): boolean =>
  !f.ctx.checker.isTupleType(type) ||
  ((type as ts.TupleTypeReference).target.readonly &&
    f.ctx.checker
      .getTypeArguments(type as ts.TupleTypeReference)
      .every((each) => isReadOnly(f, each))); // isTupleType has no type guard

/** `[[], [0.5], [0, 0.75]] as const`: rows of any length, which are read only. */
function isTableOfNumbers(f: Frame, type: ts.Type): boolean {
  const { checker } = f.ctx;
  const partsOf = (tuple: ts.Type): readonly ts.Type[] | null =>
    checker.isTupleType(tuple) &&
    !(tuple as ts.TupleTypeReference).target.elementFlags.some(
      (flag) => flag !== f.api.ElementFlags.Required,
    )
      ? checker.getTypeArguments(tuple as ts.TupleTypeReference)
      : null;
  const isRow = (row: ts.Type): boolean =>
    partsOf(row)?.every(({ flags }) => (flags & f.api.TypeFlags.NumberLike) !== 0) === true;
  return isReadOnly(f, type) && partsOf(type)?.every(isRow) === true;
}

const isTextType = (type: Type): boolean =>
  type.kind === "leaf" && (type.text === "string" || type.text.startsWith('"'));

/** Types are plain data, so equal text is equal type. */
export const sameType = (a: Type, b: Type): boolean => a === b || printType(a) === printType(b);

/** `Math.PI`, `Number.EPSILON`, `Enum.A`, `module.K`: values that no object is read for. */
function lowerConstant(f: Frame, node: ts.PropertyAccessExpression, wanted: string): Atom | null {
  const { api, ctx } = f;
  const path = builtinPath(f, node);
  const file = f.root.getSourceFile().fileName;
  if (path !== null) {
    if (ctx.checker.getTypeAtLocation(node).getCallSignatures().length > 0)
      return f.refuse("TSG1124", node, path);
    const isHidden = ownLibraryNames(f.root.getSourceFile(), api).has(
      path.slice(0, path.indexOf(".")),
    );
    return (
      numericConstant(path) ?? {
        kind: "global",
        name: isHidden ? `globalThis.${path}` : path,
        type: ctx.typeOf(node),
        file,
      }
    );
  }
  const symbol = f.symbolOf(node.name);
  if (symbol === null) return null;
  const fixed = staticField(f, node);
  if (fixed !== null) return fixed;
  if (symbol.flags & api.SymbolFlags.EnumMember) {
    // as a number, so that comparing two members of one enum is no type error in emitted code
    const member = symbol.valueDeclaration;
    const value =
      member !== undefined && api.isEnumMember(member)
        ? ctx.checker.getConstantValue(member)
        : undefined;
    if (typeof value === "number") return num(value);
    if (isConstEnum(f, symbol) && typeof value === "string") return str(value);
    return { kind: "global", name: node.getText(), type: ctx.typeOf(node), file };
  }
  if (isNamespace(f, node.expression) && symbol.flags & api.SymbolFlags.Variable) {
    if (
      isReassigned(f, symbol) ||
      (symbol.valueDeclaration !== undefined && isOpenInNamespace(symbol.valueDeclaration, api))
    )
      return f.refuse("TSG1115", node, f.name, node.name.text);
    if (node.getSourceFile().fileName !== file)
      return (
        constantOfModule(f, symbol, ctx.typeOf(node)) ??
        f.refuse("TSG1209", node, `it uses \`${f.textOf(node)}\` of another module`)
      );
    return {
      kind: "global",
      name: node.getText(),
      type: ctx.typeOf(node),
      file,
      ...variableMeant(symbol, node.getText(), file, api),
    };
  }
  return wanted === "" ? UNDEFINED : null;
}

const numericConstant = (path: string): Atom | null =>
  path === "Number.POSITIVE_INFINITY"
    ? num(Infinity)
    : path === "Number.NEGATIVE_INFINITY"
      ? num(-Infinity)
      : path === "Number.NaN"
        ? num(NaN)
        : null;

const isConstEnum = (f: Frame, member: ts.Symbol): boolean => {
  const declaration = member.valueDeclaration?.parent;
  return (
    declaration !== undefined &&
    f.api.isEnumDeclaration(declaration) &&
    declaration.modifiers?.some((modifier) => modifier.kind === f.api.SyntaxKind.ConstKeyword) ===
      true
  );
};

const isEnumObject = (f: Frame, node: ts.Expression): boolean =>
  ((f.symbolOf(node)?.flags ?? 0) & f.api.SymbolFlags.RegularEnum) !== 0;

const SAFE_OBJECTS: ReadonlySet<string> = new Set([
  "RegExp",
  "RegExpMatchArray",
  "RegExpExecArray",
  "Date",
  "Error",
  "TypeError",
  "RangeError",
  "SyntaxError",
  "String",
]);

/** Whether no number that a derivative could pass through hides in values of this type: strings and the standard library's leaves. */
export function isSafeLeaf(f: Frame, type: ts.Type): boolean {
  const { TypeFlags } = f.api;
  if (type.isUnion() || type.isIntersection())
    return type.types.every((part) => isSafeLeaf(f, part));
  const plain =
    TypeFlags.StringLike |
    TypeFlags.BigIntLike |
    TypeFlags.Undefined |
    TypeFlags.Null |
    TypeFlags.Void |
    TypeFlags.ESSymbolLike;
  if (type.flags & plain) return true;
  const symbol = type.getSymbol();
  return (
    symbol !== undefined &&
    SAFE_OBJECTS.has(symbol.name) &&
    (symbol.declarations ?? []).every(
      (declaration) => declaration.getSourceFile().isDeclarationFile,
    )
  );
}

/** Evaluates what stands left of an assignment, up to the write. */
export function lowerPlace(f: Frame, expression: ts.Expression): Place {
  const { api } = f;
  const node = opened(f, expression);
  if (api.isIdentifier(node)) return variablePlace(f, node);
  if (!api.isPropertyAccessExpression(node) && !api.isElementAccessExpression(node))
    return f.refuse("TSG1205", node, f.textOf(node));
  const part = variablePart(f, node);
  if (part !== null) return { kind: "variable", variable: part, type: part.type };
  // Rng.made++, of the class itself
  if (classNamed(f, node.expression) !== null) return f.refuse("TSG1205", node, f.textOf(node));
  if (node.expression.kind === api.SyntaxKind.SuperKeyword)
    return api.isPropertyAccessExpression(node)
      ? { kind: "inherited", type: f.ctx.typeOf(node), node }
      : f.refuse("TSG1205", node, f.textOf(node));
  const object = unwrap(f, lowerExpr(f, node.expression));
  const shape = f.shape(object.type);
  if (api.isElementAccessExpression(node)) requireListable(f, object, node);
  if (shape.kind === "dict" && shape.store === "Object") {
    const key = api.isPropertyAccessExpression(node)
      ? str(node.name.text)
      : lowerExpr(f, node.argumentExpression);
    return { kind: "memory", object, key: index(key), type: shape.value };
  }
  const name = fieldName(f, node, shape.kind);
  if (name !== null) {
    const found =
      shape.kind === "record" || shape.kind === "union"
        ? placeType(object.type, field(name), f.ctx.types)
        : null;
    if (found !== null) return { kind: "memory", object, key: field(name), type: found };
    if (hasMember(f, object.type, "setter", name))
      return { kind: "accessor", object, name, type: f.ctx.typeOf(node), node };
    if (name === "length" && shape.kind === "array" && shape.store === "Array")
      return { kind: "length", object, elem: shape.elem, type: NUM };
    return f.refuse("TSG1205", node, f.textOf(node));
  }
  if (!api.isElementAccessExpression(node)) return f.refuse("TSG1205", node, f.textOf(node));
  const at = lowerExpr(f, node.argumentExpression);
  if (shape.kind === "array") {
    requireIndex(f, at, node);
    return { kind: "memory", object, key: index(at), type: shape.elem };
  }
  const elem =
    shape.kind === "tuple" && at.kind === "const" ? shape.elems[Number(at.value)] : undefined;
  if (elem !== undefined && at.kind === "const")
    return { kind: "memory", object, key: field(String(at.value)), type: elem };
  const isComputed = shape.kind === "tuple" && at.kind === "var" && f.shape(at.type).kind === "num";
  const chosen =
    shape.kind === "record"
      ? chosenField(f, node, object, shape.fields, at)
      : isComputed
        ? chosenElement(object, at, shape.elems)
        : null;
  return chosen ?? f.refuse("TSG1205", node, f.textOf(node));
}

function variablePlace(f: Frame, node: ts.Identifier): Place {
  const symbol = f.symbolOf(node);
  const bound = symbol === null ? null : f.env.lookup(symbol);
  if (bound?.kind === "variable")
    return { kind: "variable", variable: bound.variable, type: bound.variable.type };
  if (isLibrary(f, node, node.text)) return f.refuse("TSG1205", node, node.text);
  return bound === null
    ? f.refuse("TSG1115", node, f.name, node.text)
    : f.refuse("TSG1205", node, node.text);
}

export function readPlace(f: Frame, place: Place, maybe = false): Atom {
  if (place.kind === "variable")
    return f.let("t", place.type, { kind: "copy", atom: place.variable });
  if (place.kind === "chosen") return readChosen(f, place, "t", maybe);
  if (place.kind === "length") return f.let("t", NUM, { kind: "length", object: place.object });
  if (place.kind === "inherited")
    return callSuper(f, place.node, { kind: "getter", args: [], at: place.node }, "t") ?? UNDEFINED;
  if (place.kind === "accessor")
    return (
      callMember(
        f,
        place.object,
        { kind: "getter", name: place.name, args: [], at: place.node },
        "t",
      ) ?? UNDEFINED
    );
  const type = maybe ? optional(f, place.type) : place.type;
  return f.let("t", type, { kind: "load", object: place.object, key: place.key });
}

export function writePlace(f: Frame, place: Place, value: Atom): void {
  if (place.kind === "variable") f.assign(place.variable, value);
  else if (place.kind === "chosen") writeChosen(f, place, value);
  else if (place.kind === "length") setLength(f, place.object, place.elem, value);
  else if (place.kind === "inherited")
    callSuper(f, place.node, { kind: "setter", args: [value], at: place.node }, "t");
  else if (place.kind === "accessor")
    callMember(
      f,
      place.object,
      { kind: "setter", name: place.name, args: [value], at: place.node },
      "t",
    );
  else f.b.store(place.object, place.key, value);
}
