// Between types: presence of optional values, truth, numbers from booleans, externs. In: an atom. Out: an atom of the kind wanted.
// Invariant: what JavaScript would compute, bit for bit; an `unwrap` only where the user's checks (or JavaScript itself) allow it.

import type ts from "typescript";
import { BOOL, NUM, bool, num } from "../ir/build.ts";
import { hasNumbers } from "../ir/shadow.ts";
import { lacksFields } from "../ir/assignable.ts";
import type { Atom, Const, Expr, Type, Var } from "../ir/types.ts";
import { completed } from "./types/record-join.ts";
import type { Frame } from "./frame.ts";

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

/** User code that touches no derivative, with its operands cut out. */
export const extern = (
  f: Frame,
  wanted: string,
  type: Type,
  text: readonly string[],
  args: readonly Atom[],
  effect: Effect = "pure",
): Var => noted(f, f.let(wanted, type, { kind: "extern", text, args, effect }), args);

/** The same where numbers among the operands are places in a text, or counts of its characters: none of them is in what is made. */
export function externAt(
  f: Frame,
  wanted: string,
  type: Type,
  text: readonly string[],
  args: readonly Atom[],
  effect: Effect = "pure",
): Var {
  const isPlace = (arg: Atom): boolean => arg.kind === "var" && f.shape(arg.type).kind === "num";
  const expr = {
    kind: "extern",
    text,
    args: args.map((arg) => (isPlace(arg) ? inert(f, "t", NUM, ["", ""], [arg], "pure") : arg)),
    effect,
  } as const;
  return noted(
    f,
    f.let(wanted, type, expr),
    args.filter((arg) => !isPlace(arg)),
  );
}

/** A template or a cast. */
export const verbatim = (
  f: Frame,
  wanted: string,
  type: Type,
  text: readonly string[],
  args: readonly Atom[],
): Var =>
  noted(
    f,
    f.let(wanted, type, { kind: "extern", text, args, effect: "pure", verbatim: true }),
    args,
  );

function noted(f: Frame, made: Var, args: readonly Atom[]): Var {
  if (made.type.kind === "leaf" && args.some((arg) => holdsNumber(f, arg)))
    f.madeOfNumbers.add(made.name);
  return made;
}

/** What says nothing of the numbers in its operands: the keys of a Map, its size. */
export function inert(
  f: Frame,
  wanted: string,
  type: Type,
  text: readonly string[],
  args: readonly Atom[],
  effect: Effect = "reads",
): Var {
  return f.let(wanted, type, { kind: "extern", text, args, effect, inert: true });
}

/** Whether a number, or text made of one, is in the value. */
export const holdsNumber = (f: Frame, atom: Atom): boolean =>
  atom.kind !== "const" &&
  (hasNumbers(atom.type, f.ctx.types) ||
    isOpaque(f, atom.type) ||
    (atom.kind === "var" && f.madeOfNumbers.has(atom.name)));

const isOpaque = (f: Frame, type: Type): boolean => {
  const shape = f.shape(type);
  return shape.kind === "leaf" && shape.opaque === true;
};

/** `callee(a, b)` as an extern. */
export function externCall(
  f: Frame,
  wanted: string,
  type: Type,
  callee: string,
  args: readonly Atom[],
  effect: Effect = "pure",
): Var {
  const text =
    args.length === 0 ? [`${callee}()`] : [`${callee}(`, ...args.slice(1).map(() => ", "), ")"];
  return extern(f, wanted, type, text, args, effect);
}

export const optional = (f: Frame, type: Type): Type =>
  f.shape(type).kind === "opt" ? type : { kind: "opt", of: type };

/** The same value where its type says that it may be missing. */
export function asOptional(f: Frame, atom: Atom): Atom {
  if (isNullish(atom) || f.shape(atom.type).kind === "opt") return atom;
  return f.let("t", { kind: "opt", of: atom.type }, { kind: "copy", atom });
}

/** The same value under a type that the user gives it, where that has numbers that its own says nothing of. */
export function asDeclared(f: Frame, atom: Atom, declared: Type, wanted = "t"): Atom {
  const type = atom.kind === "const" ? atom.type : completed(atom.type, declared, f.ctx.types);
  if (type === atom.type) return atom;
  return atom.kind === "global"
    ? { ...atom, type, saysLess: true }
    : f.let(wanted, type, { kind: "copy", atom });
}

/**
 * The same value where the user says, or TypeScript takes for granted, that it is of a type with fields that it lacks: `{ v } as Node`, `nodes[9] ?? { v }`. A literal is made as one of that type, so that
 * its shadow has a place for each number that somebody may put there.
 */
export function asserted(f: Frame, atom: Atom, type: Type | null): Atom {
  const to = type === null ? null : inner(f, type);
  if (
    to === null ||
    atom.kind !== "var" ||
    atom.type === to ||
    !lacksFields(atom.type, to, f.ctx.types)
  )
    return atom;
  const made = f.b.stmts.at(-1);
  if (made?.kind !== "let" || made.bind !== atom || made.expr.kind !== "record")
    return f.let("t", to, { kind: "unwrap", value: atom });
  const bind = { ...atom, type: to };
  f.b.stmts[f.b.stmts.length - 1] = { ...made, bind };
  return bind;
}

/** Type of what an optional value holds. */
export function inner(f: Frame, type: Type): Type {
  const shape = f.shape(type);
  return shape.kind === "opt" ? inner(f, shape.of) : type;
}

export function unwrap(f: Frame, atom: Atom, wanted = "t"): Atom {
  if (f.shape(atom.type).kind !== "opt" || isNullish(atom)) return atom;
  return f.let(wanted, inner(f, atom.type), { kind: "unwrap", value: atom });
}

/** Without strictNullChecks any object may be missing where somebody asks, and an object that is missing has no shadow. */
export function refuseUnsaid(f: Frame, atom: Atom): void {
  const { kind } = f.shape(atom.type);
  const isObject =
    kind === "array" ||
    kind === "tuple" ||
    kind === "record" ||
    kind === "dict" ||
    kind === "union";
  if (!f.ctx.saysMissing && isObject && f.here !== null)
    f.refuse("TSG1128", f.here, f.textOf(f.here));
}

/** Whether a value is neither undefined nor null. */
export function present(f: Frame, atom: Atom): Atom {
  if (atom.kind === "const") return bool(!isNullish(atom));
  refuseUnsaid(f, atom);
  return f.let("t", BOOL, { kind: "present", value: asOptional(f, atom) });
}

export function not(f: Frame, atom: Atom): Atom {
  return atom.kind === "const" ? bool(!atom.value) : f.b.op("not", atom);
}

/** Whether a value is `undefined`; `type` is the checker's, which knows whether it may be null. */
export function isUndefined(f: Frame, atom: Atom, type: ts.Type | null): Atom {
  if (atom.kind === "const") return bool(atom.value === undefined);
  if (f.shape(atom.type).kind === "opt" && (type === null || !mayBe(f, type, f.api.TypeFlags.Null)))
    return not(f, present(f, atom));
  return sameValue(f, "===", atom, UNDEFINED);
}

export function isNull(f: Frame, atom: Atom, type: ts.Type): Atom {
  if (atom.kind === "const") return bool(atom.value === null);
  if (
    f.shape(atom.type).kind === "opt" &&
    !mayBe(f, type, f.api.TypeFlags.Undefined | f.api.TypeFlags.Void)
  )
    return not(f, present(f, atom));
  return sameValue(f, "===", atom, NULL);
}

export const mayBeMissing = (f: Frame, type: ts.Type): boolean =>
  !f.ctx.saysMissing ||
  mayBe(f, type, f.api.TypeFlags.Undefined | f.api.TypeFlags.Null | f.api.TypeFlags.Void);

const mayBe = (f: Frame, type: ts.Type, flags: ts.TypeFlags): boolean =>
  (type.flags & (flags | f.api.TypeFlags.Any | f.api.TypeFlags.Unknown)) !== 0 ||
  (type.isUnion() && type.types.some((part) => mayBe(f, part, flags)));

const COMPARISONS = { "===": "eq", "!==": "ne", "==": "looseEq", "!=": "looseNe" } as const;
export type Equality = keyof typeof COMPARISONS;

/** Equality of two values of any type. */
export function sameValue(f: Frame, token: Equality, x: Atom, z: Atom, wanted = "t"): Atom {
  if (isNullish(x) || isNullish(z)) refuseUnsaid(f, isNullish(x) ? z : x);
  const scalar = (atom: Atom): boolean => ["num", "bool", "leaf"].includes(f.shape(atom.type).kind);
  if (scalar(x) && scalar(z))
    return f.let(wanted, BOOL, { kind: "op", op: COMPARISONS[token], args: [x, z] });
  return extern(f, wanted, BOOL, ["", ` ${token} `, ""], [x, z]);
}

/** Whether a value stands for a function that a field holds. */
export const isTag = (f: Frame, type: Type): boolean =>
  type.kind === "named" && f.ctx.types.get(type.name)?.tags === true;

const BITS: ReadonlySet<string> = new Set(["band", "bor", "bxor", "bnot", "shl", "shr", "ushr"]);

/** Whether it is a length, or has just been made of bits. */
function isNeverNaN(f: Frame, atom: Atom): boolean {
  const last = f.b.stmts.at(-1);
  if (atom.kind !== "var" || last?.kind !== "let" || last.bind.name !== atom.name) return false;
  return last.expr.kind === "length" || (last.expr.kind === "op" && BITS.has(last.expr.op));
}

/** JavaScript's truth of a value. */
export function truth(f: Frame, atom: Atom): Atom {
  if (atom.kind === "const") return bool(Boolean(atom.value));
  const shape = f.shape(atom.type);
  if (isTag(f, atom.type)) return bool(true);
  switch (shape.kind) {
    case "bool":
      return atom;
    // NaN, 0 and -0 are false
    case "num":
      return isNeverNaN(f, atom)
        ? f.b.op("ne", atom, num(0))
        : f.b.op("or", f.b.op("lt", atom, num(0)), f.b.op("gt", atom, num(0)));
    case "leaf":
      return extern(f, "t", BOOL, ["!!", ""], [atom]);
    case "opt": {
      const there = present(f, atom);
      const held = f.shape(inner(f, atom.type)).kind;
      if (held !== "num" && held !== "bool" && held !== "leaf") return there;
      return f.choose(
        "t",
        BOOL,
        there,
        () => truth(f, unwrap(f, atom)),
        () => bool(false),
      );
    }
    case "array":
    case "tuple":
    case "record":
    case "dict":
    case "union":
      refuseUnsaid(f, atom);
      return bool(true);
    case "func":
      return bool(true);
    case "named":
    case "tape":
    case "cotangent":
    case "void":
      return extern(f, "t", BOOL, ["!!", ""], [atom]);
  }
}

/** A text, or one of several. */
export const isOfTexts = ({ api: { TypeFlags } }: Frame, type: ts.Type): boolean =>
  (type.isUnion() ? type.types : [type]).every(({ flags }) => (flags & TypeFlags.StringLike) !== 0);

/** A number, from a number or boolean. */
export function asNumber(f: Frame, atom: Atom, node: ts.Node): Atom {
  const shape = f.shape(atom.type);
  if (shape.kind === "num") return atom;
  if (shape.kind === "bool") return f.let("t", NUM, { kind: "op", op: "boolToNum", args: [atom] });
  if (shape.kind === "opt" && !isNullish(atom)) return asNumber(f, unwrap(f, atom), node);
  // what TypeScript knows to be a number here may be kept where other values may be
  const said =
    shape.kind === "leaf" && shape.opaque === true
      ? shape.text
      : f.ctx.checker.typeToString(f.ctx.checker.getTypeAtLocation(node));
  return f.refuse("TSG2002", node, f.name, `\`${f.textOf(node)}\``, said);
}
