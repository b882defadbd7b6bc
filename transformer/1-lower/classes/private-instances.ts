// Instances of classes with `#x`, in whose place emitted code keeps records. In: lowered functions. Out: where such a record would meet code that takes it for an
// instance, or an instance code that takes it for a record. Invariant: what is left makes, reads, writes and hands on the records itself; nobody else ever sees one.

import { assignable } from "../../ir/assignable.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import { placeType, typeOf } from "../../ir/type-of.ts";
import type { Atom, Expr, Func, Origin, Stmt, Type } from "../../ir/types.ts";
import { exprAtoms, stmtAtoms, unreachable, walkStmts } from "../../ir/visit.ts";
import { flowsOf } from "../flows.ts";

/** Where an instance comes in or goes out: the name of its class among the types. */
export interface Leak {
  readonly func: string;
  readonly origin: Origin;
  readonly of: string;
}

export const hasSealed = (types: Types): boolean =>
  [...types.values()].some(({ sealed }) => sealed === true);

/** The first class with `#x` whose instances values of the type are, or hold; null where there is none. */
export function sealedIn(
  type: Type,
  types: Types,
  seen: ReadonlySet<string> = new Set(),
): string | null {
  const within = (part: Type): string | null => sealedIn(part, types, seen);
  switch (type.kind) {
    case "named": {
      const named = seen.has(type.name) ? undefined : types.get(type.name);
      return named?.sealed === true
        ? type.name
        : named === undefined
          ? null
          : sealedIn(named.type, types, new Set([...seen, type.name]));
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

/** Whether a function is handed such an instance, or gives one: then nobody else can call it. */
export const sealedAtEnds = (
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
        value.kind === "global" ? sealedIn(value.type, types) : between(value.type, to, types),
      );
    walkStmts(func.body, (stmt) => {
      for (const atom of stmt.kind === "let" ? exprAtoms(stmt.expr) : stmtAtoms(stmt))
        if (atom.kind === "global") note(stmt.origin, sealedIn(atom.type, types));
      note(stmt.origin, seenOutside(stmt, types, funcs));
    });
    return found;
  });
}

/** What a statement shows to code that is not lowered, or takes from it. */
function seenOutside(stmt: Stmt, types: Types, funcs: ReadonlyMap<string, Func>): string | null {
  const held = (atoms: readonly Atom[]): string | null =>
    firstOf(atoms, ({ type }) => sealedIn(type, types));
  if (stmt.kind === "throw") return held([stmt.value]);
  if (stmt.kind === "store")
    return placeType(stmt.object.type, stmt.key, types) === null ? held([stmt.value]) : null;
  if (stmt.kind !== "let") return null;
  const { expr, bind } = stmt;
  switch (expr.kind) {
    case "op":
      return given(expr, bind.type, types, funcs) ?? tagIn(expr.args, types);
    case "extern":
      return (
        sealedIn(bind.type, types) ??
        (isComparison(expr.text)
          ? tagIn(expr.args, types)
          : expr.inert === true
            ? firstOf(expr.args, ({ type }) => itself(type, types))
            : held(expr.args))
      );
    case "call": {
      const callee = funcs.get(expr.callee);
      // refused for what it does itself, and so is who calls it
      if (callee === undefined) return null;
      return !isOwn(callee)
        ? held([...expr.args, bind])
        : bind.type.kind === "void"
          ? null
          : given(expr, bind.type, types, funcs);
    }
    case "clone":
    case "lambda":
    case "zeros":
      return sealedIn(bind.type, types);
    case "array":
    case "tuple":
    case "record":
    case "alloc":
      return resolve(bind.type, types).kind === "leaf" ? held(exprAtoms(expr)) : null;
    case "unwrap":
      return between(bind.type, expr.value.type, types);
    case "copy":
    case "load":
    case "length":
    case "present":
    case "slice":
    case "removeLast":
    case "newTape":
    case "pop":
    case "rewind":
      return given(expr, bind.type, types, funcs);
    default:
      return unreachable(expr);
  }
}

/** What asks which function it is, gets another answer. */
const tagIn = (compared: readonly Atom[], types: Types): string | null =>
  compared.some(({ kind }) => kind === "const")
    ? null
    : firstOf(compared, ({ type }) => (isTag(type, types) ? sealedIn(type, types) : null));

/** Whether two objects are one, the records say as the instances would. */
const isComparison = (text: readonly string[]): boolean =>
  text.length === 3 && /^ [!=]==? $/.test(text.join(""));

/** A function whose body is all there is to know about it. */
const isOwn = (func: Func): boolean =>
  func.shipped !== true && func.rule === undefined && func.derivation === undefined;

function given(
  expr: Expr,
  bind: Type,
  types: Types,
  funcs: ReadonlyMap<string, Func>,
): string | null {
  const type = typeOf(expr, types, funcs);
  return type === null ? sealedIn(bind, types) : between(type, bind, types);
}

/** The class of a value itself. */
function itself(type: Type, types: Types): string | null {
  if (type.kind === "opt") return itself(type.of, types);
  if (type.kind === "named" && isSealed(type, types)) return type.name;
  const shape = resolve(type, types);
  return shape.kind === "union"
    ? firstOf(shape.variants, (variant) => itself(variant, types))
    : null;
}

/** The class that a value and the place it goes to do not both speak of; null where they agree. */
function between(from: Type, to: Type, types: Types, met: readonly string[] = []): string | null {
  const some = sealedIn(from, types) ?? sealedIn(to, types);
  if (from === to || some === null || isNothing(from)) return null;
  const pair = from.kind === "named" && to.kind === "named" ? `${from.name} ${to.name}` : null;
  if (
    pair !== null &&
    ((from.kind === "named" && to.kind === "named" && from.name === to.name) || met.includes(pair))
  )
    return null;
  const within = (x: Type, z: Type): string | null =>
    between(x, z, types, pair === null ? met : [...met, pair]);
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
  if (x.kind === "array" && z.kind === "array") return within(x.elem, z.elem);
  if (x.kind === "dict" && z.kind === "dict")
    return within(x.key, z.key) ?? within(x.value, z.value);
  if (x.kind === "tuple" && z.kind === "array")
    return firstOf(x.elems, (elem) => within(elem, z.elem));
  if (x.kind === "tuple" && z.kind === "tuple")
    return firstOf(
      x.elems.map((elem, i) => [elem, z.elems[i]] as const),
      ([elem, other]) => (other === undefined ? sealedIn(elem, types) : within(elem, other)),
    );
  if (x.kind !== "record" || z.kind !== "record") return some;
  return firstOf(x.fields, ({ name, type }) => {
    const other = z.fields.find((each) => each.name === name);
    return other === undefined ? sealedIn(type, types) : within(type, other.type);
  });
}

/** Tags of one function are one, whatever field they are in. */
const isTag = (type: Type, types: Types): boolean =>
  type.kind === "opt"
    ? isTag(type.of, types)
    : type.kind === "named" && types.get(type.name)?.tags === true;

const isSealed = (type: Type, types: Types): boolean =>
  type.kind === "named" && types.get(type.name)?.sealed === true;

/** What never is, and what stands for an object that is not there. */
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
