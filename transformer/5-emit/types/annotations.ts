// Decides which declarations need a type annotation: `let x: T = …`.
// Input: a value and its variable. Invariant: without one, TypeScript infers the variable's type.

import { field as fieldKey } from "../../ir/build.ts";
import { isTag, resolve } from "../../ir/shadow.ts";
import { elementType, placeType } from "../../ir/type-of.ts";
import type { Atom, Func, Type, Var } from "../../ir/types.ts";
import { unreachable, walkStmts } from "../../ir/visit.ts";
import type { Value } from "../code.ts";
import { isEquality } from "../places.ts";
import { definition, type FunctionWriting, type Writing } from "../writing.ts";
import type { Variable } from "../names/variables.ts";
import { isLiteralUnion } from "./fit.ts";
import { declaredPlaceType } from "./assertions.ts";
import { exceedsLiteral } from "./type-shape.ts";

/** `const n = c ? 2 : 3`, of type `2 | 3`, which TypeScript refuses to compare with 4. */
export function isComparedLiteral(value: Value, { name }: Var, context: FunctionWriting): boolean {
  if (!isLengthOfTuple(value) && !isLiteralUnion(value, context.writing.nested)) return false;
  let found = false;
  walkStmts(context.func.body, (stmt) => {
    found ||=
      stmt.kind === "let" &&
      stmt.expr.kind === "op" &&
      isEquality(stmt.expr.op) &&
      stmt.expr.args.some((arg) => arg.kind === "var" && arg.name === name);
  });
  return found;
}

/** `p.length` of a tuple of two or three elements. */
const isLengthOfTuple = (value: Value): boolean =>
  value.kind === "extern" && value.text.join("") === ".length";

// -------------------------------------------------------------------------------- inferred types

/** Whether TypeScript infers another type for the variable than its own from the value. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Value kinds
export function needsAnnotation(
  value: Value,
  { type }: Var,
  { changes }: Pick<Variable, "changes">,
  { func, writing }: FunctionWriting,
): boolean {
  const target = resolve(type, writing.types);
  const isPrimitive = target.kind === "num" || target.kind === "bool";
  switch (value.kind) {
    case "newTape":
    case "tuple":
      return true;
    case "array":
      // a typed array assigned later may have another kind of buffer
      return isPlainArray(target) ? arrayNeedsType(value, type, writing) : changes;
    case "alloc":
      return (
        (changes && !isPlainArray(target)) ||
        (value.fill === null ? isPlainArray(target) : exceedsLiteral(type, writing.types, "any"))
      );
    // `new Map<string, number>()` has its type in the text
    case "record":
      return changes || (!isMap(target) && recordNeedsType(value, type, target, writing));
    case "zeros":
    case "clone":
      return changes || (!isMap(target) && exceedsLiteral(type, writing.types, "tuple"));
    case "copy":
      return isLoose(value.atom, func) || (changes && copyNeedsType(value, target, writing));
    case "choose":
      return changes
        ? isListed(value, writing) || !isPrimitive
        : [value.then, value.else].some(
            (atom) => isLiteral(atom, writing) || listsMore(target, namesIn(atom.type, writing)),
          );
    case "op":
    case "present":
    case "length":
    case "rewind":
    case "closure":
      return false;
    // unreachable code reads `undefined!`
    case "unwrap":
      return isAbsent(value.value) || (changes && !isPrimitive);
    case "call":
      return writing.saysLess(value.callee) || (changes && !isPrimitive);
    case "extern":
      return isTemplate(value, type) || (changes && !isPrimitive);
    case "load":
    case "pop":
    case "removeLast":
    case "slice":
      return changes && (isListed(value, writing) || !isPrimitive);
    default:
      return unreachable(value);
  }
}

const isMap = (type: Type): boolean => type.kind === "dict" && type.store === "Map";
const isPlainArray = (type: Type): boolean => type.kind === "array" && type.store === "Array";
const isAbsent = (atom: Atom): boolean =>
  atom.kind === "undef" || (atom.kind === "const" && atom.value === undefined);

const arrayNeedsType = (
  { parts }: Extract<Value, { kind: "array" }>,
  type: Type,
  writing: Writing,
): boolean =>
  parts.length === 0 ||
  exceedsLiteral(type, writing.types, "any") ||
  parts.some((part) => isLiteral(part.atom, writing)) ||
  parts.some((part) => isWidened(part.atom, elementType(type, writing.types), writing));

function recordNeedsType(
  { fields }: Extract<Value, { kind: "record" }>,
  type: Type,
  target: Type,
  writing: Writing,
): boolean {
  if (target.kind === "dict" && target.store === "Object") return true;
  if (exceedsLiteral(type, writing.types, "any")) return true;
  const isOther = (name: string, value: Atom): boolean =>
    value.kind === "undef" ||
    isLiteral(value, writing) ||
    isWidened(value, placeType(target, fieldKey(name), writing.types), writing);
  return (
    fields.some(({ name, value }) => isOther(name, value)) ||
    listsMore(
      target,
      fields.map(({ name }) => name),
    )
  );
}

/** TypeScript narrows a `let` that starts with `false` to that value. */
const copyNeedsType = (
  value: Extract<Value, { kind: "copy" }>,
  target: Type,
  writing: Writing,
): boolean =>
  isListed(value, writing) ||
  (target.kind !== "num" && (target.kind !== "bool" || value.atom.kind === "var"));

/** A template literal of the user's, which TypeScript infers as `string` without a context. */
const isTemplate = ({ verbatim }: Extract<Value, { kind: "extern" }>, type: Type): boolean =>
  verbatim === true && type.kind === "leaf" && type.text.includes("`");

/** Whether the type has fields that the value's own type lacks. */
const listsMore = (type: Type, names: readonly string[] | null): boolean =>
  names !== null && type.kind === "record" && type.fields.some(({ name }) => !names.includes(name));

function namesIn(type: Type, { types }: Writing): readonly string[] | null {
  const shape = resolve(type, types);
  return shape.kind === "record" ? shape.fields.map(({ name }) => name) : null;
}

/** An array or object literal, which has no declared type. */
function isLiteral(atom: Atom, writing: Writing): boolean {
  const value = definition(atom, writing);
  return value !== undefined && ["array", "tuple", "alloc", "record"].includes(value.kind);
}

/** A constant at a place of literal type, which TypeScript widens in a literal. */
function isWidened(atom: Atom, type: Type | null, writing: Writing): boolean {
  const isAlias = type?.kind === "leaf" && type.text !== "string" && type.opaque !== true;
  if (type === null || (!isAlias && !isTag(type))) return false;
  const value = definition(atom, writing);
  return (
    atom.kind === "const" ||
    (value?.kind === "choose" &&
      [value.then, value.else].some((part) => isWidened(part, type, writing)))
  );
}

/** A read of a literal type: `const LEVELS = { low: 1 } as const; let level = LEVELS.low`. */
function isListed(value: Value, writing: Writing): boolean {
  const isAtom = (atom: Atom): boolean => {
    const inner = definition(atom, writing);
    return inner !== undefined && isListed(inner, writing);
  };
  switch (value.kind) {
    case "load": {
      const place = declaredPlaceType(value.object.type, value.key, writing.types);
      return (
        value.object.kind === "global" || (place?.kind === "num" && place.literal !== undefined)
      );
    }
    case "choose":
      return isAtom(value.then) || isAtom(value.else);
    case "copy":
      return isAtom(value.atom);
    case "unwrap":
      return isAtom(value.value);
    default:
      return false;
  }
}

/** An enum member, `undefined`, or a parameter whose type may be narrower than `number`. */
function isLoose(atom: Atom, func: Func): boolean {
  if (atom.kind === "const") return atom.value === undefined || atom.value === null;
  if (atom.kind === "global") return atom.name.includes(".");
  if (atom.kind !== "var") return false;
  const at = func.params.findIndex((param) => param.name === atom.name);
  const text = at < 0 ? null : (func.paramText?.[at] ?? null);
  return (
    text !== null &&
    (atom.type.kind === "num" || atom.type.kind === "bool") &&
    !/:\s*(number|boolean)\b\s*$/.test(text)
  );
}
