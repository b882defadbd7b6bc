// Lowers reads of fields and elements. Input: `a.b` or `a[i]`. Output: the loaded atom.
// The object is evaluated first, then the index, each once.

import type ts from "typescript";
import { field, index, num, NUM } from "../../ir/build.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { setElement } from "../builtins/set.ts";
import { readGetter } from "../classes/literal-members.ts";
import { callMember, callSuper, hasMember, pendingField } from "../classes/members.ts";
import {
  externAt,
  inert,
  isStringType,
  optional,
  str,
  STRING,
  UNDEFINED,
  unwrap,
  inertWith,
  externWith,
} from "../coerce.ts";
import { lowerExpr } from "../lowering.ts";
import type { Frame } from "../frame.ts";
import { isFn } from "../function-values.ts";
import { memberAt } from "../functions/known-members.ts";
import { chosenField, readChosen } from "./chosen-field.ts";
import { lowerConstant } from "./constants.ts";
import { type Access, fieldName, isSafeLeaf, requireIndex, requireEnumerable } from "./places.ts";
import { isOfTuples, arrayElementType, sameType, tupleAsArray } from "./tuples.ts";

/** `maybe`: whether the code expects `undefined` for elements that do not exist. */
export function lowerAccess(f: Frame, node: Access, wanted: string, maybe: boolean): Atom {
  const { api } = f;
  const known = api.isPropertyAccessExpression(node) ? readWithoutObject(f, node, wanted) : null;
  if (known !== null) return known;
  const got = readGetter(f, node, wanted);
  if (got !== null) return got;
  const part = memberAt(f, node);
  // a constant with further parts is read as an object
  if (part !== null && !(part.kind === "members" && !part.isWhole))
    return isFn(part) ? f.refuse("TSG1124", node, f.textOf(node)) : part;
  const object = unwrap(f, lowerExpr(f, node.expression));
  const shape = f.shape(object.type);
  if (api.isElementAccessExpression(node)) requireEnumerable(f, object, node);
  if (shape.kind === "dict" && shape.store === "Map") return readSize(f, node, object, wanted);
  if (shape.kind === "dict")
    return readKey(f, node, object, maybe ? optional(f, shape.value) : shape.value, wanted);
  const name = fieldName(f, node, shape.kind);
  if (name !== null) return readField(f, node, object, name, wanted);
  return api.isElementAccessExpression(node)
    ? readElement(f, node, object, wanted, maybe)
    : f.refuse("TSG1201", node, `property \`${f.textOf(node)}\``);
}

/** Constants, fields of an unfinished object, and `super.x`. */
function readWithoutObject(
  f: Frame,
  node: ts.PropertyAccessExpression,
  wanted: string,
): Atom | null {
  const known = lowerConstant(f, node, wanted) ?? pendingField(f, node.expression, node.name);
  if (known !== null) return known;
  return node.expression.kind === f.api.SyntaxKind.SuperKeyword
    ? (callSuper(f, node, { kind: "getter", args: [], at: node }, wanted) ?? UNDEFINED)
    : null;
}

/** `m.size` of a Map. */
const readSize = (f: Frame, node: Access, object: Atom, wanted: string): Atom =>
  f.api.isPropertyAccessExpression(node) && node.name.text === "size"
    ? inert(f, wanted, NUM, ["", ".size"], [object])
    : f.refuse("TSG1201", node, `property \`${f.textOf(node)}\``);

/** `r[k]` or `r.k` of an object used as a dictionary. */
function readKey(f: Frame, node: Access, object: Atom, type: Type, wanted: string): Atom {
  const key = f.api.isPropertyAccessExpression(node)
    ? str(node.name.text)
    : lowerExpr(f, node.argumentExpression);
  return f.b.load(wanted, type, object, index(key));
}

/** `a[i]` with a computed key. */
function readElement(
  f: Frame,
  node: ts.ElementAccessExpression,
  object: Atom,
  wanted: string,
  maybe: boolean,
): Atom {
  const shape = f.shape(object.type);
  const at = lowerExpr(f, node.argumentExpression);
  // `Tag[tag]` is the name of an enum member
  if (isEnumObject(f, node.expression) && f.shape(at.type).kind === "num")
    return inertWith(f, wanted, STRING, {
      text: ["", "[", "]"],
      args: [object, at],
      effect: "pure",
    });
  const elem = arrayElementType(f, shape);
  if (elem !== null) {
    requireIndex(f, at, node);
    const type = maybe ? optional(f, elem) : elem;
    return f.b.load(wanted, type, object, index(at));
  }
  if (shape.kind === "tuple") return readTuple(f, node, object, at, wanted);
  if (isOfTuples(f, shape) && at.kind === "const")
    return readField(f, node, object, String(at.value), wanted);
  const chosen = shape.kind === "record" ? chosenField(f, node, object, shape.fields, at) : null;
  if (chosen !== null) return readChosen(f, chosen, wanted, maybe);
  if (isSafeLeaf(f, f.ctx.checker.getTypeAtLocation(node.expression)))
    return externAt(f, wanted, f.ctx.typeOf(node), { text: ["", "[", "]"], args: [object, at] });
  return f.refuse("TSG1202", node, f.textOf(node));
}

function readField(f: Frame, node: Access, object: Atom, name: string, wanted: string): Atom {
  const shape = f.shape(object.type);
  if (shape.kind === "record" || shape.kind === "union") {
    const found = placeType(object.type, field(name), f.ctx.types);
    if (found !== null)
      return f.b.load(
        wanted,
        loadedType(shape, found),
        widest(f, object, name, found),
        field(name),
      );
  }
  if (hasMember(f, object.type, "getter", name))
    return callMember(f, object, { kind: "getter", name, args: [], at: node }, wanted) ?? UNDEFINED;
  if (name === "length") {
    if (arrayElementType(f, shape) !== null) return f.b.length(object, wanted);
    if (shape.kind === "tuple") return num(shape.elems.length);
    if (isOfTuples(f, shape)) return inert(f, wanted, NUM, ["", ".length"], [object]);
  }
  if (name === "size" && setElement(f, node.expression) !== null)
    return inert(f, wanted, NUM, ["", ".size"], [object]);
  const type = f.ctx.checker.getTypeAtLocation(node.expression);
  // an integer, whatever the string was made of
  if (name === "length" && isStringType(f, type))
    return inert(f, wanted, NUM, ["", ".length"], [object]);
  if (isSafeLeaf(f, type))
    return externWith(f, wanted, f.ctx.typeOf(node), {
      text: ["", `.${name}`],
      args: [object],
      effect: "reads",
    });
  return f.refuse(
    "TSG2002",
    node,
    f.name,
    `\`${f.textOf(node.expression)}\``,
    f.ctx.checker.typeToString(type),
  );
}

/** Outside unions a numeric literal type is `number`. */
const loadedType = (shape: Type, found: Type): Type =>
  found.kind === "num" &&
  found.literal !== undefined &&
  shape.kind === "record" &&
  shape.tagged !== true
    ? NUM
    : found;

/** The union before narrowing, if all its variants have the field: its tag is loaded once. */
function widest(f: Frame, object: Atom, name: string, found: Type): Atom {
  const source = object.kind === "var" ? f.variantOf.get(object.name) : undefined;
  if (source === undefined) return object;
  const wide = placeType(source.type, field(name), f.ctx.types);
  if (wide === null || !(sameType(wide, found) || (wide.kind === "leaf" && found.kind === "leaf")))
    return object;
  return widest(f, source, name, found);
}

/** An element of a tuple; at a computed index, of an array of its elements. */
function readTuple(
  f: Frame,
  node: ts.ElementAccessExpression,
  object: Atom,
  at: Atom,
  wanted: string,
): Atom {
  const tuple = f.shape(object.type);
  const elems = tuple.kind === "tuple" ? tuple.elems : [];
  if (at.kind === "const" && typeof at.value === "number") {
    const elem = elems[at.value];
    return elem === undefined ? UNDEFINED : f.b.load(wanted, elem, object, field(String(at.value)));
  }
  requireIndex(f, at, node);
  const array = tupleAsArray(f, node, object, elems, node.expression);
  const shape = f.shape(array.type);
  return f.b.load(wanted, shape.kind === "array" ? shape.elem : NUM, array, index(at));
}

const isEnumObject = (f: Frame, node: ts.Expression): boolean =>
  ((f.symbolOf(node)?.flags ?? 0) & f.api.SymbolFlags.RegularEnum) !== 0;
