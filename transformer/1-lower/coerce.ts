// Conversions between types: truth, equality, definedness, numbers from booleans; and extern code.
// Input: an atom; output: an atom of the requested type. The result is what JavaScript computes,
// bit for bit. An `unwrap` is made only where the user's checks or JavaScript's semantics allow it.

import type ts from "typescript";
import { BOOL, NUM, bool, num } from "../ir/build.ts";
import { hasNumbers } from "../ir/shadow.ts";
import type { Atom, Const, Expr, Type, Var } from "../ir/types.ts";
import { joinTypes } from "./types/record-join.ts";
import { type Frame, inner } from "./frame.ts";

export const STRING: Type = { kind: "leaf", text: "string" };
export const UNDEFINED: Const = {
  kind: "const",
  type: { kind: "leaf", text: "undefined" },
  value: undefined,
};
export const NULL: Const = { kind: "const", type: { kind: "leaf", text: "null" }, value: null };
export const str = (value: string): Const => ({ kind: "const", type: STRING, value });

export const isNullish = (atom: Atom): boolean =>
  atom.kind === "const" && (atom.value === undefined || atom.value === null);

type Effect = Extract<Expr, { kind: "extern" }>["effect"];

/** Source text without a derivative, with gaps for its operands. */
interface Code {
  readonly text: readonly string[];
  readonly args: readonly Atom[];
  readonly effect?: Effect | undefined;
}

export const externWith = (
  f: Frame,
  hint: string,
  type: Type,
  { text, args, effect = "pure" }: Code,
): Var => noted(f, f.let(hint, type, { kind: "extern", text, args, effect }), args);

/** A pure extern. */
export const extern = (
  f: Frame,
  hint: string,
  type: Type,
  text: readonly string[],
  args: readonly Atom[],
): Var => externWith(f, hint, type, { text, args });

/** An extern whose number operands are positions or counts, which the result does not hold. */
export function externAt(f: Frame, hint: string, type: Type, code: Code): Var {
  const { text, args, effect = "pure" } = code;
  const isPosition = (arg: Atom): boolean => arg.kind === "var" && f.shape(arg.type).kind === "num";
  const position = (atom: Atom): Atom =>
    inertWith(f, "t", NUM, { text: ["", ""], args: [atom], effect: "pure" });
  const operands = args.map((arg) => (isPosition(arg) ? position(arg) : arg));
  return noted(
    f,
    f.let(hint, type, { kind: "extern", text, args: operands, effect }),
    args.filter((arg) => !isPosition(arg)),
  );
}

/** A template or a cast. */
export const verbatim = (
  f: Frame,
  hint: string,
  type: Type,
  text: readonly string[],
  args: readonly Atom[],
): Var =>
  noted(f, f.let(hint, type, { kind: "extern", text, args, effect: "pure", verbatim: true }), args);

/** Records that a leaf was computed from numbers, and so loses their derivative. */
function noted(f: Frame, made: Var, args: readonly Atom[]): Var {
  if (made.type.kind === "leaf" && args.some((arg) => holdsNumber(f, arg)))
    f.computedFromNumbers.add(made.name);
  return made;
}

/** An extern whose result does not depend on the numbers in its operands: the size of a Map. */
export const inert = (
  f: Frame,
  hint: string,
  type: Type,
  text: readonly string[],
  args: readonly Atom[],
): Var => inertWith(f, hint, type, { text, args });

export const inertWith = (
  f: Frame,
  hint: string,
  type: Type,
  { text, args, effect = "reads" }: Code,
): Var => f.let(hint, type, { kind: "extern", text, args, effect, inert: true });

/** Whether the value holds a number, or a string computed from one. */
export const holdsNumber = (f: Frame, atom: Atom): boolean =>
  atom.kind !== "const" &&
  (hasNumbers(atom.type, f.ctx.types) ||
    isOpaque(f, atom.type) ||
    (atom.kind === "var" && f.computedFromNumbers.has(atom.name)));

const isOpaque = (f: Frame, type: Type): boolean => {
  const shape = f.shape(type);
  return shape.kind === "leaf" && shape.opaque === true;
};

/** `callee(a, b)` as code. */
export const callOf = (callee: string, args: readonly Atom[]): Code => ({
  text: args.length === 0 ? [`${callee}()`] : [`${callee}(`, ...args.slice(1).map(() => ", "), ")"],
  args,
});

export const externCall = (
  f: Frame,
  hint: string,
  type: Type,
  callee: string,
  args: readonly Atom[],
): Var => externWith(f, hint, type, callOf(callee, args));

export const optional = (f: Frame, type: Type): Type =>
  f.shape(type).kind === "opt" ? type : { kind: "opt", of: type };

/** The value with an optional type. */
export function asOptional(f: Frame, atom: Atom): Atom {
  if (isNullish(atom) || f.shape(atom.type).kind === "opt") return atom;
  return f.let("t", { kind: "opt", of: atom.type }, { kind: "copy", atom });
}

/** The value with its type extended by the fields of a type that the user declares for it. */
export function asDeclared(f: Frame, atom: Atom, declared: Type, hint = "t"): Atom {
  const type = atom.kind === "const" ? atom.type : joinTypes(atom.type, declared, f.ctx.types);
  if (type === atom.type) return atom;
  return atom.kind === "global"
    ? { ...atom, type, isNarrowlyDeclared: true }
    : f.let(hint, type, { kind: "copy", atom });
}

export function unwrap(f: Frame, atom: Atom, hint = "t"): Atom {
  if (f.shape(atom.type).kind !== "opt" || isNullish(atom)) return atom;
  return f.let(hint, inner(f, atom.type), { kind: "unwrap", value: atom });
}

const AGGREGATES: ReadonlySet<Type["kind"]> = new Set([
  "array",
  "tuple",
  "record",
  "dict",
  "union",
]);

/** Rejects tests of objects without strictNullChecks: any object may be undefined there. */
function refuseUnchecked(f: Frame, atom: Atom): void {
  if (!f.ctx.hasStrictNulls && f.here !== null && AGGREGATES.has(f.shape(atom.type).kind))
    f.refuse("TSG1128", f.here, f.textOf(f.here));
}

/** The test whether a value is neither undefined nor null. */
export function definednessTest(f: Frame, atom: Atom): Atom {
  if (atom.kind === "const") return bool(!isNullish(atom));
  refuseUnchecked(f, atom);
  return f.let("t", BOOL, { kind: "present", value: asOptional(f, atom) });
}

export function not(f: Frame, atom: Atom): Atom {
  return atom.kind === "const" ? bool(!atom.value) : f.b.op("not", atom);
}

/** The test whether a value is `undefined`; the checker's `type` says whether it may be null. */
export function isUndefined(f: Frame, atom: Atom, type: ts.Type | null): Atom {
  if (atom.kind === "const") return bool(atom.value === undefined);
  if (f.shape(atom.type).kind === "opt" && (type === null || !mayBe(f, type, f.api.TypeFlags.Null)))
    return not(f, definednessTest(f, atom));
  return equalityTest(f, "===", atom, UNDEFINED);
}

export function isNull(f: Frame, atom: Atom, type: ts.Type): Atom {
  if (atom.kind === "const") return bool(atom.value === null);
  if (
    f.shape(atom.type).kind === "opt" &&
    !mayBe(f, type, f.api.TypeFlags.Undefined | f.api.TypeFlags.Void)
  )
    return not(f, definednessTest(f, atom));
  return equalityTest(f, "===", atom, NULL);
}

export const mayBeNullish = (f: Frame, type: ts.Type): boolean =>
  !f.ctx.hasStrictNulls ||
  mayBe(f, type, f.api.TypeFlags.Undefined | f.api.TypeFlags.Null | f.api.TypeFlags.Void);

const mayBe = (f: Frame, type: ts.Type, flags: ts.TypeFlags): boolean =>
  (type.flags & (flags | f.api.TypeFlags.Any | f.api.TypeFlags.Unknown)) !== 0 ||
  (type.isUnion() && type.types.some((part) => mayBe(f, part, flags)));

const COMPARISONS = { "===": "eq", "!==": "ne", "==": "looseEq", "!=": "looseNe" } as const;
export type Equality = keyof typeof COMPARISONS;
export const isEquality = (token: string): token is Equality => Object.hasOwn(COMPARISONS, token);

/** Compares two values of any type. */
export function equalityTest(f: Frame, token: Equality, x: Atom, z: Atom, hint = "t"): Atom {
  if (isNullish(x) || isNullish(z)) refuseUnchecked(f, isNullish(x) ? z : x);
  const scalar = (atom: Atom): boolean => ["num", "bool", "leaf"].includes(f.shape(atom.type).kind);
  if (scalar(x) && scalar(z))
    return f.let(hint, BOOL, { kind: "op", op: COMPARISONS[token], args: [x, z] });
  return extern(f, hint, BOOL, ["", ` ${token} `, ""], [x, z]);
}

/** Whether values of the type are tags: they stand for the functions that a field holds. */
export const isTag = (f: Frame, type: Type): boolean =>
  type.kind === "named" && f.ctx.types.get(type.name)?.tags === true;

const BITS: ReadonlySet<string> = new Set(["band", "bor", "bxor", "bnot", "shl", "shr", "ushr"]);

/** Whether the value is a length or the result of a bit operation. */
function isNeverNaN(f: Frame, atom: Atom): boolean {
  const last = f.b.stmts.at(-1);
  if (atom.kind !== "var" || last?.kind !== "let" || last.bind.name !== atom.name) return false;
  return last.expr.kind === "length" || (last.expr.kind === "op" && BITS.has(last.expr.op));
}

/** JavaScript's truth of a value. */
export function truthTest(f: Frame, atom: Atom): Atom {
  if (atom.kind === "const") return bool(Boolean(atom.value));
  const { kind } = f.shape(atom.type);
  if (isTag(f, atom.type) || kind === "func") return bool(true);
  if (kind === "bool") return atom;
  // NaN, 0 and -0 are false
  if (kind === "num")
    return isNeverNaN(f, atom)
      ? f.b.op("ne", atom, num(0))
      : f.b.op("or", f.b.op("lt", atom, num(0)), f.b.op("gt", atom, num(0)));
  if (kind === "opt") return truthOfOptional(f, atom);
  if (!AGGREGATES.has(kind)) return extern(f, "t", BOOL, ["!!", ""], [atom]);
  refuseUnchecked(f, atom);
  return bool(true);
}

function truthOfOptional(f: Frame, atom: Atom): Atom {
  const defined = definednessTest(f, atom);
  const { kind } = f.shape(inner(f, atom.type));
  if (kind !== "num" && kind !== "bool" && kind !== "leaf") return defined;
  return f.choose(
    "t",
    BOOL,
    defined,
    () => truthTest(f, unwrap(f, atom)),
    () => bool(false),
  );
}

/** Whether a type is a string type, or a union of such. */
export const isStringType = ({ api: { TypeFlags } }: Frame, type: ts.Type): boolean =>
  (type.isUnion() ? type.types : [type]).every(({ flags }) => (flags & TypeFlags.StringLike) !== 0);

/** A number, from a number or a boolean. */
export function asNumber(f: Frame, atom: Atom, node: ts.Node): Atom {
  const shape = f.shape(atom.type);
  if (shape.kind === "num") return atom;
  if (shape.kind === "bool") return f.let("t", NUM, { kind: "op", op: "boolToNum", args: [atom] });
  if (shape.kind === "opt" && !isNullish(atom)) return asNumber(f, unwrap(f, atom), node);
  // TypeScript may know a number where the IR has a leaf that holds other values too
  const declared =
    shape.kind === "leaf" && shape.opaque === true
      ? shape.text
      : f.ctx.checker.typeToString(f.ctx.checker.getTypeAtLocation(node));
  return f.refuse("TSG2002", node, f.name, `\`${f.textOf(node)}\``, declared);
}
