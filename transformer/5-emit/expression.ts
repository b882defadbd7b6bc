// Prints expressions: values with nested operands become source text with its precedence.
// Invariant: the text computes what the IR computes, -0 and NaN included.

import { assignable } from "../ir/assignable.ts";
import { PREC } from "../ir/ops.ts";
import { resolve } from "../ir/shadow.ts";
import type { Atom, Const, Global, Type } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import { cloneText, zerosText } from "./aggregate.ts";
import { callText, externText } from "./calls.ts";
import type { Value } from "./code.ts";
import { allocText, arrayText, recordText, tupleText } from "./literals.ts";
import { choice, operation } from "./operators.ts";
import { ownedTest, ownLoadText } from "./own-keys.ts";
import { loadText, popText, removal } from "./place-text.ts";
import { isIdentifier, stringText } from "../code/quote.ts";
import {
  atLeast,
  atomic,
  atomText,
  called,
  operandText,
  type Text,
  type Writing,
} from "./writing.ts";

/** The implementation of `Writing.atom`. */
export function printAtom(atom: Atom, writing: Writing): Text {
  switch (atom.kind) {
    case "const":
      return constant(atom, writing);
    case "global":
      return globalText(atom, writing);
    // no line reads the value, whose type need not be that of the place
    case "undef":
      return atomic(
        atom.type.kind === "opt" || atom.type.kind === "void" ? missingOf(atom.type) : "undefined!",
      );
    case "var": {
      const value = writing.nested.get(atom.name);
      return value === undefined
        ? atomic(writing.identifiers.of(atom.name))
        : valueText(value, atom.type, writing);
    }
    default:
      return unreachable(atom);
  }
}

function constant({ value, type }: Const, writing: Writing): Text {
  if (value === undefined) return atomic(missingOf(type));
  if (typeof value !== "number")
    return atomic(typeof value === "string" ? stringText(value) : String(value));
  if (Object.is(value, -0)) return { text: "-0", prec: PREC.unary };
  const text = String(value);
  return {
    text: Number.isFinite(value) ? text : writing.library(text),
    prec: value < 0 ? PREC.unary : PREC.atom,
  };
}

/** `null` where the type excludes `undefined`. */
const missingOf = (type: Type): string =>
  type.kind === "opt" && type.nil === "null" ? "null" : "undefined";

function globalText(atom: Global, writing: Writing): Text {
  const plain = isIdentifier(atom.name) ? atomic(atom.name) : called(atom.name);
  const name = atom.home === undefined ? plain : atomic(writing.callee(atom.home));
  return atom.isNarrowlyDeclared === true
    ? { text: `${name.text} as ${writing.typeWriter.text(atom.type)}`, prec: PREC.relation }
    : name;
}

// eslint-disable-next-line complexity -- flat exhaustive switch over Value kinds
export function valueText(value: Value, type: Type, writing: Writing): Text {
  const at = (prec: number, atom: Atom): string => operandText(prec, atom, writing);
  switch (value.kind) {
    case "copy":
      return atomText(value.atom, writing);
    case "op":
      return operation(value, writing);
    case "choose":
      return choice(value, type, writing);
    case "load":
      return ownLoadText(value, type, writing) ?? loadText(value.object, value.key, type, writing);
    case "length":
      return called(`${at(PREC.call, value.object)}.length`);
    case "present": {
      const test = ownedTest(value.value, writing);
      if (test !== null) return test;
      return { text: `${at(PREC.equality, value.value)} != null`, prec: PREC.equality };
    }
    case "unwrap":
      return unwrapped(value, type, writing);
    case "array":
      return arrayText(value, type, writing);
    case "tuple":
      return tupleText(value, type, writing);
    case "record":
      return value.bare === true
        ? called(`${writing.library("Object")}.create(null)`)
        : recordText(value.fields, type, writing);
    case "alloc":
      return allocText(value, type, writing);
    case "slice":
      return sliceText(value, writing);
    case "zeros":
      return zerosText(at(PREC.call, value.like), value.like.type, writing);
    case "clone":
      return cloneText(at(PREC.call, value.object), value.object.type, writing);
    case "call":
      return callText(value, writing);
    case "extern":
      return externText(value, writing);
    case "removeLast":
      return called(`${removal(value.object, writing)}${type.kind === "opt" ? "" : "!"}`);
    case "newTape":
      return atomic("[]");
    case "pop":
      return popText(value.tape, type, writing);
    case "rewind":
      return atomText(value.tape, writing);
    // statement.ts prints closures, which take several lines
    case "closure":
      return atomic("undefined");
    default:
      return unreachable(value);
  }
}

/** `x!`, or `x as Variant` for a union. */
function unwrapped(unwrap: Extract<Value, { kind: "unwrap" }>, type: Type, writing: Writing): Text {
  const { value } = unwrap;
  const from = resolve(value.type, writing.types).kind;
  const text = atomText(value, writing);
  const isDefined = value.kind === "const" && value.value !== undefined && value.value !== null;
  if (writing.narrowed.has(unwrap) || isDefined) return text;
  // code that no run reaches: the type of `undefined!` has no fields
  const isMissing = value.kind === "const";
  if (!isMissing && (from === "opt" || from === "leaf"))
    return called(`${atLeast(PREC.call, text)}!`);
  // TypeScript rejects a direct cast to a variant that a test has excluded
  const isMember =
    (from === "union" || from === "record") &&
    !writing.pointless.has(unwrap) &&
    assignable(type, value.type, writing.types);
  const through = isMember ? "" : "unknown as ";
  return {
    text: `${atLeast(PREC.shift, text)} as ${through}${writing.typeWriter.text(type)}`,
    prec: PREC.relation,
  };
}

function sliceText(
  { object, from, to, view }: Extract<Value, { kind: "slice" }>,
  writing: Writing,
): Text {
  const array = operandText(PREC.call, object, writing);
  const start = atomText(from, writing).text;
  const bounds =
    to === null ? (start === "0" ? "" : start) : `${start}, ${atomText(to, writing).text}`;
  return called(`${array}.${view === true ? "subarray" : "slice"}(${bounds})`);
}
