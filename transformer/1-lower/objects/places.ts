// Places: variables, fields and elements that code writes. Input: the target of an assignment.
// Output: a Place, to read and write. Its object and index are evaluated once, before the rest of
// the statement.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { field, index, NUM } from "../../ir/build.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Key, Type, Var } from "../../ir/types.ts";
import { setLength } from "../builtins/resize.ts";
import { classNameOf } from "../classes/class-declarations.ts";
import { variablePart } from "../classes/literal-members.ts";
import { callMember, callSuper, hasMember } from "../classes/members.ts";
import { classNamed, staticCell } from "../classes/static-members.ts";
import { optional, str, UNDEFINED, unwrap } from "../coerce.ts";
import { lowerExpr } from "../lowering.ts";
import type { Frame } from "../frame.ts";
import { writtenVariable } from "../identifiers.ts";
import { isLibrary } from "../names/library-names.ts";
import {
  type Chosen,
  chosenElement,
  chosenField,
  readChosen,
  writeChosen,
} from "./chosen-field.ts";
import { type Cell, isOfModule, readCell, writeCell } from "./cells.ts";
import { nameOfMember } from "./property-names.ts";

export type Place =
  | { readonly kind: "variable"; readonly variable: Var; readonly type: Type }
  | { readonly kind: "memory"; readonly object: Atom; readonly key: Key; readonly type: Type }
  /** `a.length`. */
  | { readonly kind: "length"; readonly object: Atom; readonly elem: Type; readonly type: Type }
  /** A getter and setter pair. */
  | {
      readonly kind: "accessor";
      readonly object: Atom;
      readonly name: string;
      readonly type: Type;
      readonly node: ts.Node;
    }
  /** `super.x`, a setter of the base class. */
  | { readonly kind: "inherited"; readonly type: Type; readonly node: ts.PropertyAccessExpression }
  | Cell
  | Chosen;

export type Access = ts.PropertyAccessExpression | ts.ElementAccessExpression;

export function requireIndex(f: Frame, at: Atom, node: ts.ElementAccessExpression): void {
  if (f.shape(at.type).kind !== "num") f.refuse("TSG1202", node, f.textOf(node));
}

/** The field name of a constant key: `.w`, `["w"]`; `[0]` only of records. */
export function fieldName(f: Frame, node: Access, kind: Type["kind"]): string | null {
  const { api } = f;
  if (api.isPropertyAccessExpression(node)) return memberName(f, node.name);
  const key = node.argumentExpression;
  if (api.isStringLiteralLike(key) || (api.isNumericLiteral(key) && kind === "record"))
    return key.text;
  return kind === "record" ? nameOfMember(api, bare(key, f.api), f.ctx.checker) : null;
}

/** Rejects enumeration of a sealed class's record, which has other fields than the instance. */
export function requireEnumerable(f: Frame, object: Atom, node: ts.Node): void {
  const owner = f.ctx.classOf(object.type);
  if (owner !== null && f.ctx.classes.isSealed(owner))
    f.refuse("TSG1107", node, f.name, classNameOf(owner, f.api));
}

/** The name of a member: for `#x`, the field of the record that replaces the instance. */
export function memberName(f: Frame, name: ts.MemberName): string {
  return f.api.isPrivateIdentifier(name)
    ? (f.ctx.classes.privateName(name) ?? f.refuse("TSG1107", name, f.name, "class"))
    : name.text;
}

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

/** Whether values of the type hold no active number: strings and some library objects. */
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

/** Evaluates the target of an assignment, up to the write. */
export function lowerPlace(f: Frame, expression: ts.Expression): Place {
  const { api } = f;
  const node = bare(expression, f.api);
  if (api.isIdentifier(node)) return variablePlace(f, node);
  if (!api.isPropertyAccessExpression(node) && !api.isElementAccessExpression(node))
    return f.refuse("TSG1205", node, f.textOf(node));
  const part = variablePart(f, node);
  if (part !== null) return { kind: "variable", variable: part, type: part.type };
  if (classNamed(f, node.expression) !== null) return staticPlace(f, node);
  if (node.expression.kind === api.SyntaxKind.SuperKeyword)
    return api.isPropertyAccessExpression(node)
      ? { kind: "inherited", type: f.ctx.typeOf(node), node }
      : f.refuse("TSG1205", node, f.textOf(node));
  const object = unwrap(f, lowerExpr(f, node.expression));
  const shape = f.shape(object.type);
  if (api.isElementAccessExpression(node)) requireEnumerable(f, object, node);
  if (shape.kind === "dict" && shape.store === "Object") {
    const key = api.isPropertyAccessExpression(node)
      ? str(node.name.text)
      : lowerExpr(f, node.argumentExpression);
    return { kind: "memory", object, key: index(key), type: shape.value };
  }
  const name = fieldName(f, node, shape.kind);
  if (name !== null) return fieldPlace(f, node, object, name);
  return api.isElementAccessExpression(node)
    ? elementPlace(f, node, object)
    : f.refuse("TSG1205", node, f.textOf(node));
}

/** `Rng.made++` writes a static field. */
const staticPlace = (f: Frame, node: Access): Place =>
  (f.api.isPropertyAccessExpression(node) && isOfModule(f, node) ? staticCell(f, node) : null) ??
  f.refuse("TSG1205", node, f.textOf(node));

function fieldPlace(f: Frame, node: Access, object: Atom, name: string): Place {
  const shape = f.shape(object.type);
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

function elementPlace(f: Frame, node: ts.ElementAccessExpression, object: Atom): Place {
  const shape = f.shape(object.type);
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
  if (bound?.kind === "cell" && isOfModule(f, node)) return bound.cell;
  if (isLibrary(f, node, node.text)) return f.refuse("TSG1205", node, node.text);
  if (bound !== null) return f.refuse("TSG1205", node, node.text);
  return writtenVariable(f, node) ?? f.refuse("TSG1115", node, f.name, node.text);
}

export function readPlace(f: Frame, place: Place, maybe = false): Atom {
  if (place.kind === "variable")
    return f.let("t", place.type, { kind: "copy", atom: place.variable });
  if (place.kind === "chosen") return readChosen(f, place, "t", maybe);
  if (place.kind === "cell") return readCell(f, place);
  if (place.kind === "length") return f.b.length(place.object);
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
  return f.b.load("t", type, place.object, place.key);
}

export function writePlace(f: Frame, place: Place, value: Atom): void {
  if (place.kind === "variable") f.assign(place.variable, value);
  else if (place.kind === "chosen") writeChosen(f, place, value);
  else if (place.kind === "cell") writeCell(f, place, value);
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
