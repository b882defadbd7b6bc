// Finds leaks of sealed classes. Emitted code uses records in place of their instances.
// Input: lowered functions. Output: places where such a record flows to code that expects an
// instance, or the other way round. Without leaks, only emitted code ever sees the records.

import { assignable } from "../../ir/assignable.ts";
import { Pairs } from "../../ir/coinduction.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import { placeType, typeOf } from "../../ir/type-of.ts";
import type { Atom, Expr, Func, Origin, Stmt, Type } from "../../ir/types.ts";
import { exprAtoms, stmtAtoms, unreachable, walkStmts } from "../../ir/visit.ts";
import { flowsOf } from "../flows.ts";

/** A place where an instance enters or leaves; `of`: the type name of its class. */
export interface Leak {
  readonly func: string;
  readonly origin: Origin;
  readonly of: string;
}

export const hasSealed = (types: Types): boolean =>
  [...types.values()].some(({ sealed }) => sealed === true);

/** The first sealed class whose instances a value of the type is or holds; null without one. */
export const sealedIn = (type: Type, types: Types): string | null =>
  namedIn(type, types, (name) => types.get(name)?.sealed === true);

/** The first accepted type that a value of the type is or holds. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Type kinds
export function namedIn(
  type: Type,
  types: Types,
  accepts: (name: string) => boolean,
  seen = new Set<string>(),
): string | null {
  const within = (part: Type): string | null => namedIn(part, types, accepts, seen);
  switch (type.kind) {
    case "named": {
      if (seen.has(type.name)) return null;
      if (accepts(type.name)) return type.name;
      seen.add(type.name);
      const named = types.get(type.name);
      return named === undefined ? null : within(named.type);
    }
    case "array":
      return within(type.elem);
    case "tuple":
      return firstOf(type.elems, within);
    case "record":
      return firstOf(type.fields, (field) => within(field.type));
    case "opt":
    case "cotangent":
      return within(type.of);
    case "dict":
      return within(type.key) ?? within(type.value);
    case "union":
      return firstOf(type.variants, within);
    case "func":
      return firstOf([...type.params, type.result], within);
    case "num":
    case "bool":
    case "leaf":
    case "tape":
    case "void":
      return null;
    default:
      return unreachable(type);
  }
}

/** The sealed class in a function's parameters or result: user code cannot call such a function. */
export const sealedInSignature = (
  { params, result }: Pick<Func, "params" | "result">,
  types: Types,
): string | null =>
  firstOf([...params.map(({ type }) => type), result], (type) => sealedIn(type, types));

export function leaksOf(funcs: ReadonlyMap<string, Func>, types: Types): readonly Leak[] {
  return [...funcs].flatMap(([name, func]) => {
    const found: Leak[] = [];
    const note = (origin: Origin, of: string | null): void => {
      if (of !== null && !found.some((each) => each.origin === origin))
        found.push({ func: name, origin, of });
    };
    for (const { value, to, origin } of flowsOf(func, types, funcs))
      note(
        origin,
        value.kind === "global" ? sealedIn(value.type, types) : mismatch(value.type, to, types),
      );
    walkStmts(func.body, (stmt) => {
      for (const atom of stmt.kind === "let" ? exprAtoms(stmt.expr) : stmtAtoms(stmt))
        if (atom.kind === "global") note(stmt.origin, sealedIn(atom.type, types));
      note(stmt.origin, seenOutside(stmt, types, funcs));
    });
    return found;
  });
}

/** The sealed class that a statement passes to code that is not lowered, or takes from it. */
function seenOutside(stmt: Stmt, types: Types, funcs: ReadonlyMap<string, Func>): string | null {
  if (stmt.kind === "throw") return sealedAmong([stmt.value], types);
  if (stmt.kind === "store")
    return placeType(stmt.object.type, stmt.key, types) === null
      ? sealedAmong([stmt.value], types)
      : null;
  return stmt.kind === "let" ? seenByLet(stmt, types, funcs) : null;
}

const sealedAmong = (atoms: readonly Atom[], types: Types): string | null =>
  firstOf(atoms, ({ type }) => sealedIn(type, types));

// eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
function seenByLet(
  { expr, bind }: Stmt & { readonly kind: "let" },
  types: Types,
  funcs: ReadonlyMap<string, Func>,
): string | null {
  switch (expr.kind) {
    case "op":
      return resultMismatch(expr, bind.type, types, funcs) ?? comparedTag(expr.args, types);
    case "extern":
      return sealedIn(bind.type, types) ?? passedToExtern(expr, types);
    case "call":
      return passedToCall(expr, bind, types, funcs);
    case "clone":
    case "lambda":
    case "zeros":
      return sealedIn(bind.type, types);
    case "array":
    case "tuple":
    case "record":
    case "alloc":
      return resolve(bind.type, types).kind === "leaf" ? sealedAmong(exprAtoms(expr), types) : null;
    case "unwrap":
      return mismatch(bind.type, expr.value.type, types);
    case "copy":
    case "load":
    case "length":
    case "present":
    case "slice":
    case "removeLast":
    case "newTape":
    case "pop":
    case "rewind":
      return resultMismatch(expr, bind.type, types, funcs);
    default:
      return unreachable(expr);
  }
}

function passedToExtern(expr: Expr & { readonly kind: "extern" }, types: Types): string | null {
  if (isComparison(expr.text)) return comparedTag(expr.args, types);
  return expr.inert === true
    ? firstOf(expr.args, ({ type }) => sealedSelf(type, types))
    : sealedAmong(expr.args, types);
}

function passedToCall(
  expr: Expr & { readonly kind: "call" },
  bind: Atom,
  types: Types,
  funcs: ReadonlyMap<string, Func>,
): string | null {
  const callee = funcs.get(expr.callee);
  // a missing callee is refused for reasons of its own, and so are its callers
  if (callee === undefined) return null;
  if (!isOwn(callee)) return sealedAmong([...expr.args, bind], types);
  return bind.type.kind === "void" ? null : resultMismatch(expr, bind.type, types, funcs);
}

/** A comparison of function tags: the tags are not the functions, so the answer would differ. */
const comparedTag = (compared: readonly Atom[], types: Types): string | null =>
  compared.some(({ kind }) => kind === "const")
    ? null
    : firstOf(compared, ({ type }) => (isTag(type, types) ? sealedIn(type, types) : null));

/** Identity comparison: records give the same answer as the instances. */
const isComparison = (text: readonly string[]): boolean =>
  text.length === 3 && /^ [!=]==? $/.test(text.join(""));

/** Whether a function is defined by its body alone. */
const isOwn = (func: Func): boolean =>
  func.shipped !== true && func.rule === undefined && func.derivation === undefined;

function resultMismatch(
  expr: Expr,
  bind: Type,
  types: Types,
  funcs: ReadonlyMap<string, Func>,
): string | null {
  const type = typeOf(expr, types, funcs);
  return type === null ? sealedIn(bind, types) : mismatch(type, bind, types);
}

/** The sealed class of the value itself, not of what it holds. */
function sealedSelf(type: Type, types: Types): string | null {
  if (type.kind === "opt") return sealedSelf(type.of, types);
  if (type.kind === "named" && isSealed(type, types)) return type.name;
  const shape = resolve(type, types);
  return shape.kind === "union"
    ? firstOf(shape.variants, (variant) => sealedSelf(variant, types))
    : null;
}

/** The sealed class on which the type of a value and of its destination disagree; null without. */
function mismatch(from: Type, to: Type, types: Types, pairs = new Pairs<string>()): string | null {
  const some = sealedIn(from, types) ?? sealedIn(to, types);
  if (from === to || some === null || isNothing(from)) return null;
  const within = (x: Type, z: Type): string | null => mismatch(x, z, types, pairs);
  const found = (): string | null => variantMismatch(from, to, types, within);
  if (from.kind !== "named" || to.kind !== "named") return found();
  return from.name === to.name ? null : pairs.decide(`${from.name} ${to.name}`, found);
}

type Within = (x: Type, z: Type) => string | null;

function variantMismatch(from: Type, to: Type, types: Types, within: Within): string | null {
  const some = sealedIn(from, types) ?? sealedIn(to, types);
  const [x, z] = [resolve(from, types), resolve(to, types)];
  if (x.kind === "opt") return within(x.of, z.kind === "opt" ? z.of : to);
  if (z.kind === "opt") return within(from, z.of);
  if (x.kind === "union") return firstOf(x.variants, (variant) => within(variant, to));
  if (z.kind === "union")
    return x.kind !== "leaf" && z.variants.some((variant) => within(from, variant) === null)
      ? null
      : some;
  if (isTag(from, types) && isTag(to, types)) return assignable(from, to, types) ? null : some;
  if (isSealed(from, types) || isSealed(to, types)) return some;
  const parts = partMismatch(x, z, types, within);
  return parts === undefined ? some : parts;
}

/** Compares the parts of two aggregates; undefined for aggregates of different kinds. */
function partMismatch(x: Type, z: Type, types: Types, within: Within): string | null | undefined {
  if (x.kind === "array" && z.kind === "array") return within(x.elem, z.elem);
  if (x.kind === "dict" && z.kind === "dict")
    return within(x.key, z.key) ?? within(x.value, z.value);
  if (x.kind === "tuple" && z.kind === "array")
    return firstOf(x.elems, (elem) => within(elem, z.elem));
  const pair = (part: Type, other: Type | undefined): string | null =>
    other === undefined ? sealedIn(part, types) : within(part, other);
  if (x.kind === "tuple" && z.kind === "tuple")
    return firstOf(
      x.elems.map((elem, i) => [elem, z.elems[i]] as const),
      ([elem, other]) => pair(elem, other),
    );
  if (x.kind !== "record" || z.kind !== "record") return undefined;
  return firstOf(x.fields, ({ name, type }) =>
    pair(type, z.fields.find((each) => each.name === name)?.type),
  );
}

/** All tags of one function are equal, whichever field holds them. */
const isTag = (type: Type, types: Types): boolean =>
  type.kind === "opt"
    ? isTag(type.of, types)
    : type.kind === "named" && types.get(type.name)?.tags === true;

const isSealed = (type: Type, types: Types): boolean =>
  type.kind === "named" && types.get(type.name)?.sealed === true;

/** Types without values, and of missing objects. */
const isNothing = (type: Type): boolean =>
  type.kind === "void" ||
  (type.kind === "leaf" && type.opaque !== true && /^(undefined|null|never)$/.test(type.text));

function firstOf<P>(parts: readonly P[], find: (part: P) => string | null): string | null {
  for (const part of parts) {
    const found = find(part);
    if (found !== null) return found;
  }
  return null;
}
