// Text of operations and of `c ? a : b`, in the shortest form that means the same.
// Invariant: brackets stand where the grammar needs them or mixed operators would mislead a reader.

import { type Js, OPS, PREC, type ScalarOp } from "../ir/ops.ts";
import type { Atom, Type } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import { externText } from "./calls.ts";
import { leafVars, type Value } from "./code.ts";
import { ownedTest } from "./own-keys.ts";
import { isMap, loadText, popText } from "./place-text.ts";
import { hasReadonlyForm } from "./types/type-shape.ts";
import {
  atLeast,
  atomic,
  atomText,
  called,
  definition,
  operandText,
  type Text,
  type Writing,
} from "./writing.ts";
import { isConst, isSameName } from "../ir/build.ts";

type Operation = Extract<Value, { kind: "op" }>;
type Choice = Extract<Value, { kind: "choose" }>;

/** `??` must not stand beside `||` or `&&` without brackets. */
const COALESCE = 2.5;
/** A conditional in the test or middle of another one gets brackets, for the reader. */
const TEST = PREC.conditional + 0.5;

export function operation(
  value: Operation,
  writing: Writing,
  isPointless = writing.pointless.has(value),
): Text {
  const { js } = OPS[value.op];
  if (value.op === "not") return negated(value.args[0], writing);
  switch (js.kind) {
    case "infix":
      return infix(value, js, writing, isPointless);
    case "prefix": {
      const inner = operand(value, 0, js.operand, writing);
      // `--x` would be a decrement
      return {
        text: inner.startsWith(js.token) ? `${js.token}(${inner})` : `${js.token}${inner}`,
        prec: js.prec,
      };
    }
    case "call": {
      const args = value.args.map((atom) => operandText(PREC.conditional, atom, writing));
      return called(`${writing.library(js.callee)}(${args.join(", ")})`);
    }
    case "ternary": {
      const [test, then] = [
        operand(value, 0, js.test, writing),
        operand(value, 1, js.test, writing),
      ];
      return {
        text: `${test} ? ${then} : ${operand(value, 2, js.branch, writing)}`,
        prec: js.prec,
      };
    }
    default:
      return unreachable(js);
  }
}

function operand({ args }: Operation, i: number, prec: number, writing: Writing): string {
  const atom = args[i];
  return atom === undefined ? "" : operandText(prec, atom, writing);
}

/** `a + b`. A comparison that TypeScript would reject gets a cast on one side. */
function infix(
  value: Operation,
  js: Extract<Js, { kind: "infix" }>,
  writing: Writing,
  isPointless: boolean,
): Text {
  const left = operandPrec(value, 0, js.left, writing);
  const right = operandPrec(value, 1, js.right, writing);
  const isEquality = js.prec === PREC.equality;
  // two readonly tuples of the user's may have literal types that never compare equal
  if (isEquality && value.args.every((one) => isReadonlyArray(one, writing)))
    return {
      text: `(${operand(value, 0, PREC.shift, writing)} as unknown) ${js.token} ${operand(value, 1, right, writing)}`,
      prec: js.prec,
    };
  // so may a constant of the user's and a literal
  const isFixed =
    isEquality &&
    value.args.some((one) => one.kind === "global") &&
    value.args.some((one) => one.kind === "const");
  const side = (i: 0 | 1, prec: number): string => {
    const atom = value.args[i];
    const isWidened =
      (isPointless && atom?.kind === "var") ||
      (isFixed && atom?.kind === "global" && atom.type.kind === "num");
    return isWidened
      ? `(${operand(value, i, PREC.shift, writing)} as ${literalKind(value.args[1 - i])})`
      : operand(value, i, prec, writing);
  };
  return { text: `${side(0, left)} ${js.token} ${side(1, right)}`, prec: js.prec };
}

const isReadonlyArray = (atom: Atom, writing: Writing): boolean =>
  hasReadonlyForm(atom.type, writing.types) &&
  leafVars(atom, writing.nested).every((leaf) => writing.readonlyNames.has(leaf.name));

const literalKind = (atom: Atom | undefined): string =>
  atom?.kind === "const" && typeof atom.value !== "number" ? typeof atom.value : "number";

/** The precedence below which an operand gets brackets: `(a + b) >> 1`, `(a % b) * c`. */
function operandPrec(value: Operation, at: number, prec: number, writing: Writing): number {
  const atom = value.args[at];
  const inner = atom === undefined ? undefined : definition(atom, writing);
  const { js } = OPS[value.op];
  if (inner?.kind !== "op" || inner.op === value.op || js.kind !== "infix") return prec;
  if (js.prec === PREC.shift || (js.prec >= PREC.bitOr && js.prec <= PREC.bitAnd))
    return PREC.unary;
  if (js.prec === PREC.equality) return PREC.relation + 1;
  return js.prec === PREC.multiplicative && (inner.op === "mod" || value.op === "mod")
    ? PREC.unary
    : prec;
}

/** `!(a === b)  ->  a !== b`; but `!(a < b)` stays, since both are false for NaN. */
export function negated(atom: Atom | undefined, writing: Writing): Text {
  if (atom === undefined) return atomic("true");
  const value = definition(atom, writing);
  const short = value === undefined ? null : negatedValue(value, atom.type, writing);
  return short ?? { text: `!${operandText(PREC.unary, atom, writing)}`, prec: PREC.unary };
}

/** The short form of a negated value; null where there is none. */
function negatedValue(value: Value, type: Type, writing: Writing): Text | null {
  if (value.kind === "present" && ownedTest(value.value, writing) === null)
    return {
      text: `${operandText(PREC.equality, value.value, writing)} == null`,
      prec: PREC.equality,
    };
  if (value.kind === "op") return negatedOperation(value, writing);
  // !(c ? false : true)  ->  c
  if (value.kind === "choose")
    return isConst(value.then, false) && isConst(value.else, true)
      ? atomText(value.cond, writing)
      : null;
  if (value.kind === "pop" && value.tape.type.kind === "tape" && value.tape.type.of === "num")
    return popText(value.tape, type, writing, "!==");
  return value.kind === "extern" && value.text.join("…") === "… === …"
    ? externText({ ...value, text: ["", " !== ", ""] }, writing)
    : null;
}

function negatedOperation(value: Operation, writing: Writing): Text | null {
  const opposite = OPPOSITE.get(value.op);
  if (opposite !== undefined)
    return operation({ ...value, op: opposite }, writing, writing.pointless.has(value));
  const [inner] = value.args;
  return value.op === "not" && inner !== undefined ? atomText(inner, writing) : null;
}

const OPPOSITE: ReadonlyMap<ScalarOp, ScalarOp> = new Map<ScalarOp, ScalarOp>([
  ["eq", "ne"],
  ["ne", "eq"],
  ["looseEq", "looseNe"],
  ["looseNe", "looseEq"],
]);

/** `c ? a : b`, or a shorter form such as `c && a`, `a ?? b`, `a?.f`. */
export function choice(value: Choice, type: Type, writing: Writing): Text {
  const short =
    (type.kind === "bool" ? booleanChoice(value, writing) : null) ??
    definednessChoice(value, type, writing);
  if (short !== null) return short;
  const [test, then] = [
    operandText(TEST, value.cond, writing),
    operandText(TEST, value.then, writing),
  ];
  return {
    text: `${test} ? ${then} : ${operandText(PREC.conditional, value.else, writing)}`,
    prec: PREC.conditional,
  };
}

/** A choice with a constant branch as `c`, `!c`, `c && a`, `c || b` or `!c && b`. */
function booleanChoice(value: Choice, writing: Writing): Text | null {
  const at = (prec: number, atom: Atom): string => operandText(prec, atom, writing);
  if (isConst(value.then, true) && isConst(value.else, false)) return atomText(value.cond, writing);
  if (isConst(value.then, false) && isConst(value.else, true)) return negated(value.cond, writing);
  if (isConst(value.else, false))
    return {
      text: `${at(PREC.and, value.cond)} && ${at(PREC.and + 1, value.then)}`,
      prec: PREC.and,
    };
  if (isConst(value.then, true))
    return { text: `${at(PREC.or, value.cond)} || ${at(PREC.or + 1, value.else)}`, prec: PREC.or };
  if (!isConst(value.then, false)) return null;
  const cond = atLeast(PREC.and, negated(value.cond, writing));
  return { text: `${cond} && ${at(PREC.and + 1, value.else)}`, prec: PREC.and };
}

/** `x != null ? x : b  ->  x ?? b` and `x != null ? x.f : undefined  ->  x?.f` */
function definednessChoice(value: Choice, type: Type, writing: Writing): Text | null {
  const parts = testedForNull(value, writing);
  if (parts === null) return null;
  const { tested, then, else: other } = parts;
  const inside = definition(then, writing);
  if (isSameName(tested, then) || (inside?.kind === "unwrap" && isSameName(tested, inside.value)))
    return {
      text: `${operandText(PREC.bitOr, tested, writing)} ?? ${operandText(PREC.bitOr, other, writing)}`,
      prec: COALESCE,
    };
  return isUndefined(other) && inside?.kind === "load"
    ? optionalChain(tested, inside, type, writing)
    : null;
}

/** The parts of `x != null ? then : else` or `x == null ? else : then`; null for other tests. */
function testedForNull(
  value: Choice,
  writing: Writing,
): { readonly tested: Atom; readonly then: Atom; readonly else: Atom } | null {
  const test = definition(value.cond, writing);
  if (test?.kind === "present") return { tested: test.value, then: value.then, else: value.else };
  const inner =
    test?.kind === "op" && test.op === "not" && test.args[0] !== undefined
      ? definition(test.args[0], writing)
      : undefined;
  return inner?.kind === "present"
    ? { tested: inner.value, then: value.else, else: value.then }
    : null;
}

/** Whether the text of the constant is `undefined`, not `null`. */
export const isUndefined = (atom: Atom): boolean =>
  atom.kind === "const" &&
  atom.value === undefined &&
  !(atom.type.kind === "opt" && atom.type.nil === "null");

/** `x?.f`; null where more than the place would be skipped. */
function optionalChain(
  tested: Atom,
  { object, key }: Extract<Value, { kind: "load" }>,
  type: Type,
  writing: Writing,
): Text | null {
  const whole = definition(object, writing);
  if (whole?.kind !== "unwrap" || !isSameName(whole.value, tested) || isMap(object, writing))
    return null;
  const place = loadText(object, key, type, writing).text;
  const base = operandText(PREC.call, object, writing);
  const rest = place.startsWith(base) ? place.slice(base.length) : "";
  if (!/^(?:\.|\[)/.test(rest) || / as /.test(rest)) return null;
  return {
    text: `${operandText(PREC.call, tested, writing)}?${rest.startsWith(".") ? "" : "."}${rest}`,
    prec: PREC.postfix,
  };
}
