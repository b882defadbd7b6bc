// Copy propagation, constants, algebra on cotangents, branches whose outcome is known, carried values that never change.
// In: an ssa function. Out: one that means the same with fewer names.
// Invariant: a value computed by primal code keeps its bits; what acts stays where it is.

import { assignable } from "../ir/assignable.ts";
import { mapList, rebuilt, withBody, withStmts } from "../ir/rebuilt.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import type { Atom, Body, Expr, For, Func, If, Let, Stmt, Type, Var, While } from "../ir/types.ts";
import { NUM, bool } from "../ir/build.ts";
import { OPS } from "../ir/ops.ts";
import { isFresh } from "../ir/effects.ts";
import { mapExpr, mapStmt, stmtBinds, unreachable } from "../ir/visit.ts";
import { simplerOp } from "./algebra/algebra.ts";
import type { Definition } from "./algebra/algebra.ts";
import {
  NO_OUTCOMES,
  learnt,
  outcomeOf,
  outcomeOfCondition,
  type Outcomes,
} from "./algebra/implied-conditions.ts";
import { Replacements, isNumber, isTruth, isValue, sameAtom } from "./atoms.ts";

/** The sides as far as they are known outside the arms that yield them. */
interface Choice {
  readonly cond: string;
  readonly then: Atom | null;
  readonly else: Atom | null;
}

interface State {
  readonly replaced: Replacements;
  /** What each name in scope was computed from. */
  readonly definitions: Map<string, Expr>;
  /** Names that are one or the other, by a condition's name. */
  readonly choices: Map<string, Choice>;
  readonly types: Types;
  /** Joins of members of a union: which ones come together. */
  readonly joined: Map<string, readonly Type[]>;
  /** The members that a union can be in the arm of a branch on its tag. */
  readonly narrowed: ReadonlyMap<string, readonly Type[]>;
  /** What the branches around know. */
  readonly known: Outcomes;
}

export function simplify(func: Func, types: Types): Func {
  const state: State = {
    replaced: new Replacements(),
    definitions: new Map(),
    choices: new Map(),
    types,
    joined: new Map(),
    narrowed: new Map(),
    known: NO_OUTCOMES,
  };
  const body = simplifyBody(func.body, state);
  return withBody(func, state.replaced.finish(body));
}

function simplifyBody(body: Body, state: State): Body {
  const stmts: Stmt[] = [];
  for (const [at, stmt] of body.stmts.entries()) {
    stmts.push(...simplifyStmt(stmt, state));
    if (stmts.at(-1)?.kind === "throw")
      return { stmts, result: body.result.map(unreached(body.stmts.slice(at + 1), state)) };
  }
  // if c then { … yield c }  ->  if c then { … yield true }
  return withStmts(
    body,
    stmts,
    mapList(body.result, (atom) => outcomeOfCondition(resolved(atom, state), state.known)),
  );
}

/** What stands for a name; in an arm that knows how `c` came out, for `c ? x : z` and for what a branch on `c` has yielded, the side that was taken. */
function resolved(atom: Atom, state: State): Atom {
  const now = state.replaced.resolve(atom);
  const choice =
    now.kind === "var" && state.known.conditions.size > 0 ? state.choices.get(now.name) : undefined;
  const came = choice === undefined ? undefined : outcome(choice.cond, state);
  const side = came === undefined ? null : came ? choice?.then : choice?.else;
  return side == null ? now : resolved(side, state);
}

/** How a condition came out, or its opposite. */
function outcome(cond: string, { known, definitions }: State): boolean | undefined {
  const test = definitions.get(cond);
  const [opposite] = test?.kind === "op" && test.op === "not" ? test.args : [];
  const came =
    known.conditions.get(cond) ??
    (opposite?.kind === "var" ? known.conditions.get(opposite.name) : undefined);
  return came === undefined || known.conditions.has(cond) ? came : !came;
}

/** What an arm yields, where it is known behind the arm, too, and is a value: `null!.x` would not type-check. */
function outside({ stmts, result }: Body, k: number): Atom | null {
  const atom = result[k];
  if (atom?.kind === "const") return atom.value === null ? null : atom;
  return atom?.kind === "var" &&
    !stmts.some((stmt) => stmtBinds(stmt).some(({ name }) => name === atom.name))
    ? atom
    : null;
}

/** What stands behind `throw` is not reached: its names are undefined. */
function unreached(dropped: readonly Stmt[], state: State): (atom: Atom) => Atom {
  const names = new Set(dropped.flatMap(stmtBinds).map((bind) => bind.name));
  return (atom) =>
    atom.kind === "var" && names.has(atom.name)
      ? { kind: "undef", type: atom.type }
      : state.replaced.resolve(atom);
}

function simplifyStmt(stmt: Stmt, state: State): readonly Stmt[] {
  if (stmt.kind === "let" && stmt.expr.kind !== "lambda") return simplifyLet(stmt, state);
  const inner =
    stmt.kind === "if"
      ? inArm(stmt, state)
      : stmt.kind === "while"
        ? inRound(stmt, state)
        : (): State => state;
  const mapped = mapStmt(
    stmt,
    (atom) => resolved(atom, state),
    (nested) => simplifyBody(nested, inner(nested)),
  );
  for (const bind of stmtBinds(mapped)) state.replaced.keep(bind, mapped.adjoint === true);
  switch (mapped.kind) {
    case "if":
      return simplifyIf(mapped, state);
    case "for":
      return simplifyFor(mapped, state);
    case "while":
      return simplifyWhile(mapped, state);
    // a[i] += 0  ->  nothing
    case "accum":
      return mapped.adjoint === true && isValue(mapped.value, 0) ? [] : [mapped];
    case "let":
    case "store":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "throw":
      return [mapped];
    case "declare":
    case "assign":
    case "break":
    case "continue":
    case "return":
    case "scope":
    case "loop":
      return [mapped];
    default:
      return unreachable(mapped);
  }
}

// lets -----------------------------------------------------------------------------------------------------------

function simplifyLet(stmt: Let, state: State): readonly Stmt[] {
  let expr = mapExpr(stmt.expr, (atom) => resolved(atom, state));
  const definition: Definition = (atom) => {
    const found = atom.kind === "var" ? state.definitions.get(atom.name) : undefined;
    return found?.kind === "op" ? found : null;
  };
  for (;;) {
    const simpler = simplerExpr(expr, stmt.bind, stmt.adjoint === true, definition, state);
    if (simpler === null) break;
    if (isAtom(simpler)) {
      state.replaced.replace(stmt.bind, simpler);
      return [];
    }
    expr = simpler;
  }
  state.definitions.set(stmt.bind.name, expr);
  if (expr.kind === "op" && expr.op === "select") {
    const [cond, then, otherwise] = expr.args;
    if (cond?.kind === "var" && then !== undefined && otherwise !== undefined)
      state.choices.set(stmt.bind.name, { cond: cond.name, then, else: otherwise });
  }
  state.replaced.keep(stmt.bind, stmt.adjoint === true);
  return [rebuilt(stmt, { expr })];
}

const isAtom = (simpler: Atom | Expr): simpler is Atom =>
  simpler.kind === "var" ||
  simpler.kind === "const" ||
  simpler.kind === "global" ||
  simpler.kind === "undef";

function simplerExpr(
  expr: Expr,
  bind: Var,
  adjoint: boolean,
  definition: Definition,
  state: State,
): Atom | Expr | null {
  switch (expr.kind) {
    case "copy":
      return expr.atom;
    case "op":
      return (
        simplerOp(expr.op, expr.args, adjoint, definition) ??
        outcomeOf(expr, state.known) ??
        ofLength(expr, state) ??
        otherTag(expr, state) ??
        otherKind(expr, state)
      );
    // unwrap x  ->  x, where the type says already what it is; unwrap "a"  ->  "a"
    case "unwrap":
      return isThere(expr.value) || isKnown(expr.value.type, bind.type, state.types)
        ? expr.value
        : null;
    case "present":
      return knownPresent(expr.value, state) ?? presentInside(expr.value, state);
    case "load":
      return expr.key.kind === "field"
        ? knownTag(expr.object.type, expr.key.name, state.types)
        : null;
    case "length":
    case "array":
    case "tuple":
    case "record":
    case "alloc":
    case "slice":
    case "clone":
      return null;
    case "zeros":
      return zerosOfZeros(expr, state);
    case "extern":
      return (
        knownClass(expr, state.types) ??
        knownTypeof(expr) ??
        knownTruth(expr) ??
        knownTemplate(expr) ??
        knownFunction(expr, state)
      );
    case "call":
    case "removeLast":
    case "newTape":
    case "pop":
    case "rewind":
    case "lambda":
      return null;
    default:
      return unreachable(expr);
  }
}

/** s.kind  ->  "dot", where the type says already which member of the union it is */
function knownTag(of: Type, name: string, types: Types): Atom | null {
  const object = resolve(of, types);
  const held =
    object.kind === "record"
      ? object.fields.find((one) => one.name === name)?.type
      : object.kind === "tuple"
        ? object.elems[Number(name)]
        : undefined;
  if (held?.kind !== "leaf" || held.opaque === true || !/^"(?:[^"\\]|\\.)*"$/.test(held.text))
    return null;
  const value: unknown = JSON.parse(held.text);
  return typeof value === "string" ? { kind: "const", type: held, value } : null;
}

/** In the arms of a branch: how its test came out, and which members of a union are left. */
function inArm(stmt: If, state: State): (arm: Body) => State {
  const cond = state.replaced.resolve(stmt.cond);
  const narrow = narrowedBy(cond, state);
  return (arm) => {
    const isThen = arm === stmt.then;
    return {
      ...state,
      known: learnt(state.known, cond, isThen, state.definitions),
      narrowed:
        narrow === null
          ? state.narrowed
          : new Map(state.narrowed).set(narrow.name, narrow.members(isThen)),
    };
  };
}

/** In a round of a loop its test has come out true. */
const inRound =
  ({ test, body }: While, state: State) =>
  (part: Body): State => {
    const [cond] = test.result;
    return part === body && cond !== undefined
      ? {
          ...state,
          known: learnt(state.known, state.replaced.resolve(cond), true, state.definitions),
        }
      : state;
  };

function narrowedBy(
  cond: Atom,
  state: State,
): { readonly name: string; readonly members: (isEqual: boolean) => readonly Type[] } | null {
  const test = cond.kind === "var" ? state.definitions.get(cond.name) : undefined;
  const [tag, value] = test?.kind === "op" && test.op === "eq" ? test.args : [];
  const made = tag?.kind === "var" ? state.definitions.get(tag.name) : undefined;
  if (
    made?.kind !== "load" ||
    made.key.kind !== "field" ||
    made.object.kind !== "var" ||
    value?.kind !== "const"
  )
    return null;
  const {
    object,
    key: { name },
  } = made;
  const members = membersOf(object, state);
  const has = (member: Type): boolean | null => {
    const known = knownTag(member, name, state.types);
    return known?.kind === "const" ? known.value === value.value : null;
  };
  if (members.length === 0 || members.some((member) => has(member) === null)) return null;
  return {
    name: object.name,
    members: (isEqual) => members.filter((member) => has(member) === isEqual),
  };
}

/** xs.length < 0  ->  false;  xs.length - 0  ->  xs.length */
function ofLength(
  { op, args: [x, other] }: Extract<Expr, { kind: "op" }>,
  { definitions }: State,
): Atom | null {
  if (
    x?.kind !== "var" ||
    definitions.get(x.name)?.kind !== "length" ||
    other === undefined ||
    !isNumber(other)
  )
    return null;
  if (op === "lt") return other.value <= 0 ? bool(false) : null;
  return (op === "sub" || op === "add") && other.value === 0 ? x : null;
}

/** s.kind === "dot"  ->  false, where no member of the union that s is has that tag */
function otherTag({ op, args }: Expr & { readonly kind: "op" }, state: State): Atom | null {
  const [tag, value] = args;
  if (
    (op !== "eq" && op !== "ne") ||
    tag?.kind !== "var" ||
    value?.kind !== "const" ||
    typeof value.value !== "string"
  )
    return null;
  const made = state.definitions.get(tag.name);
  if (made?.kind !== "load" || made.key.kind !== "field") return null;
  const { name } = made.key;
  const tags = membersOf(made.object, state).map((variant) => knownTag(variant, name, state.types));
  // what a type alone says of a parameter, a caller may have broken
  const isMade = made.object.kind === "var" && state.joined.has(made.object.name);
  if (
    isMade &&
    tags.length > 0 &&
    tags.every((one) => one?.kind === "const" && one.value === value.value)
  )
    return bool(op === "eq");
  const other =
    tags.length > 0 && tags.every((one) => one?.kind === "const" && one.value !== value.value);
  return other ? bool(op === "ne") : null;
}

const mayBe = (value: Atom, tag: Atom | null): boolean =>
  value.kind !== "const" || tag?.kind !== "const" || value.value === tag.value;

/** The members of its union that a value can be: by its type, or by what it is joined from. */
function membersOf(value: Atom, { types, joined, narrowed, definitions }: State): readonly Type[] {
  const known =
    value.kind === "var" ? (narrowed.get(value.name) ?? joined.get(value.name)) : undefined;
  if (known !== undefined) return known;
  const type = resolve(value.type, types);
  const made = value.kind === "var" ? definitions.get(value.name) : undefined;
  if (type.kind === "union" && made?.kind === "record")
    return type.variants.filter((variant) =>
      made.fields.every((field) => mayBe(field.value, knownTag(variant, field.name, types))),
    );
  return type.kind === "union" ? type.variants : type.kind === "record" ? [type] : [];
}

/** x instanceof C  ->  whether it is one, where the type says its class */
function knownClass({ text, args }: Expr & { readonly kind: "extern" }, types: Types): Atom | null {
  const [value, of] = args;
  if (
    value?.type.kind !== "named" ||
    of?.kind !== "global" ||
    of.home === undefined ||
    text.join("?") !== "? instanceof ?"
  )
    return null;
  const kinds = types.get(value.type.name)?.instance?.kinds;
  return kinds === undefined ? null : bool(kinds.includes(of.home));
}

/** typeof "a"  ->  "string" */
function knownTypeof({ text, args: [value] }: Expr & { readonly kind: "extern" }): Atom | null {
  return value?.kind === "const" && text.join("?") === "typeof ?"
    ? { kind: "const", type: { kind: "leaf", text: "string" }, value: typeof value.value }
    : null;
}

/** typeof x === "string"  ->  false, where x is a number: one that is missing is undefined */
function otherKind(
  { op, args: [kind, wanted] }: Expr & { readonly kind: "op" },
  { definitions }: State,
): Atom | null {
  const isEqual = op === "eq" || op === "looseEq";
  if (
    (!isEqual && op !== "ne" && op !== "looseNe") ||
    kind?.kind !== "var" ||
    wanted?.kind !== "const" ||
    wanted.value === "undefined"
  )
    return null;
  const made = definitions.get(kind.name);
  const value =
    made?.kind === "extern" && made.text.join("?") === "typeof ?" ? made.args[0] : undefined;
  const own =
    value === undefined
      ? null
      : value.type.kind === "num"
        ? "number"
        : value.type.kind === "bool"
          ? "boolean"
          : null;
  return own === null || wanted.value === own ? null : bool(!isEqual);
}

/** !!undefined  ->  false */
function knownTruth({ text, args: [value] }: Expr & { readonly kind: "extern" }): Atom | null {
  return value?.kind === "const" && text.join("?") === "!!?" ? bool(Boolean(value.value)) : null;
}

/** `w${"a"}`  ->  "wa" */
function knownTemplate({ text, args, verbatim }: Expr & { readonly kind: "extern" }): Atom | null {
  const known = args.flatMap((arg) =>
    arg.kind === "const" && typeof arg.value === "string" ? [arg.value] : [],
  );
  const isTemplate =
    verbatim === true &&
    text.length > 1 &&
    text[0]?.startsWith("`") === true &&
    text.at(-1)?.endsWith("`") === true;
  if (!isTemplate || known.length < args.length || text.some((part) => part.includes("\\")))
    return null;
  const parts = text.map((part, i) =>
    part.slice(i === 0 ? 1 : "}".length, i === text.length - 1 ? -1 : -"${".length),
  );
  return {
    kind: "const",
    type: { kind: "leaf", text: "string" },
    value: parts.map((part, i) => part + (known[i] ?? "")).join(""),
  };
}

/** relu === relu  ->  true, relu === Math.tanh  ->  false */
function knownFunction(
  { text, args: [value, other] }: Expr & { readonly kind: "extern" },
  { definitions }: State,
): Atom | null {
  const [before, between] = text;
  if (value === undefined || before !== "" || between?.startsWith(" === ") !== true) return null;
  const one = functionMeant(value, definitions);
  const another =
    other === undefined ? between.slice(" === ".length) : functionMeant(other, definitions);
  return one === null || another === null ? null : bool(one === another);
}

/** What tells a function of a module or of the library from all others; null of other values. */
function functionMeant(value: Atom, definitions: State["definitions"]): string | null {
  if (value.kind === "global")
    return value.isFunction === true ? `${value.file} ${value.name}` : null;
  const made = value.kind === "var" ? definitions.get(value.name) : undefined;
  const text = made?.kind === "extern" && made.args.length === 0 ? made.text.join("") : "";
  return /^(?:Math|Number)\.\w+$/.test(text) ? text : null;
}

/** Whether a value of type `from` is a `to` by its type alone. */
function isKnown(from: Type, to: Type, types: Types): boolean {
  const { kind } = resolve(from, types);
  return kind !== "opt" && kind !== "leaf" && kind !== "union" && assignable(from, to, types);
}

const isThere = (atom: Atom): boolean =>
  atom.kind === "const" && atom.value !== undefined && atom.value !== null;

function knownPresent(value: Atom, state: State): Atom | null {
  // whoever asks has not been given it
  if (value.kind === "undef") return bool(false);
  if (value.kind === "const") return bool(value.value !== null && value.value !== undefined);
  const made = value.kind === "var" ? state.definitions.get(value.name) : undefined;
  if (made === undefined) return null;
  // the shadow of what is not there is not there either
  const mirrors = made.kind === "zeros" || made.kind === "clone";
  const there =
    (made.kind === "op" && made.op !== "select") ||
    (isFresh(made) && !mirrors && made.kind !== "call" && made.kind !== "extern");
  return there ? bool(true) : null;
}

/** zeros (zeros x)  ->  zeros x, where the type says how many they are: emitted code would not read the object between */
function zerosOfZeros(
  { like }: Extract<Expr, { kind: "zeros" }>,
  { definitions, types }: State,
): Expr | null {
  const made = like.kind === "var" ? definitions.get(like.name) : undefined;
  const shape = resolve(like.type, types);
  const isCounted =
    (shape.kind === "tuple" && shape.elems.every(({ kind }) => kind === "num")) ||
    (shape.kind === "record" && shape.fields.every(({ type }) => type.kind === "num"));
  return made?.kind === "zeros" && isCounted ? { kind: "zeros", like: made.like } : null;
}

/** present (unwrap x)  ->  present x: an element that was said to be there, and may not be all the same */
function presentInside(value: Atom, { definitions, types }: State): Expr | null {
  const made = value.kind === "var" ? definitions.get(value.name) : undefined;
  return made?.kind === "unwrap" && resolve(made.value.type, types).kind === "opt"
    ? { kind: "present", value: made.value }
    : null;
}

// branches -------------------------------------------------------------------------------------------------------

function simplifyIf(stmt: If, state: State): readonly Stmt[] {
  // if true then p else q  ->  p
  const cond = outcomeOfCondition(stmt.cond, state.known);
  const taken = isTruth(cond, true) ? stmt.then : isTruth(cond, false) ? stmt.else : null;
  if (taken !== null) {
    stmt.binds.forEach((bind, k) =>
      state.replaced.replace(bind, taken.result[k] ?? { kind: "undef", type: bind.type }),
    );
    return taken.stmts;
  }
  const arm = othersThrow(stmt);
  if (arm !== null) {
    stmt.binds.forEach((bind, k) =>
      state.replaced.replace(bind, arm.result[k] ?? { kind: "undef", type: bind.type }),
    );
    const emptied = (body: Body): Body => ({
      ...body,
      ...(body === arm ? { stmts: [] } : {}),
      result: [],
    });
    return [
      { ...stmt, binds: [], then: emptied(stmt.then), else: emptied(stmt.else) },
      ...arm.stmts,
    ];
  }
  const kept: number[] = [];
  stmt.binds.forEach((bind, k) => {
    const arms = [stmt.then.result[k], stmt.else.result[k]].map((atom) =>
      atom === undefined ? [] : membersOf(atom, state),
    );
    if (resolve(bind.type, state.types).kind === "union" && arms.every((arm) => arm.length > 0))
      state.joined.set(bind.name, arms.flat());
    const one = knownJoin(stmt, k);
    if (one !== null) state.replaced.replace(bind, one);
    else {
      kept.push(k);
      if (cond.kind === "var")
        state.choices.set(bind.name, {
          cond: cond.name,
          then: outside(stmt.then, k),
          else: outside(stmt.else, k),
        });
    }
  });
  if (kept.length === stmt.binds.length) return [stmt];
  const pick = (atoms: readonly Atom[]): readonly Atom[] => kept.flatMap((k) => atoms[k] ?? []);
  return [
    {
      ...stmt,
      binds: kept.flatMap((k) => stmt.binds[k] ?? []),
      then: { ...stmt.then, result: pick(stmt.then.result) },
      else: { ...stmt.else, result: pick(stmt.else.result) },
    },
  ];
}

// z = if c then p else throw  ->  if c then {} else throw; p, whose result z is
function othersThrow({ then, else: otherwise, binds }: If): Body | null {
  const throws = ({ stmts }: Body): boolean => stmts.at(-1)?.kind === "throw";
  const arm = throws(then) === throws(otherwise) ? null : throws(then) ? otherwise : then;
  return arm === null || (arm.stmts.length === 0 && binds.length === 0) ? null : arm;
}

/** What a join always is: the same on both sides, or the condition itself. */
function knownJoin(stmt: If, k: number): Atom | null {
  const then = stmt.then.result[k];
  const otherwise = stmt.else.result[k];
  if (then === undefined || otherwise === undefined) return null;
  if (sameAtom(then, otherwise)) return then;
  // if c then yield true else yield false  ->  c
  return isTruth(then, true) && isTruth(otherwise, false) && stmt.cond.type.kind === "bool"
    ? stmt.cond
    : null;
}

// loops ----------------------------------------------------------------------------------------------------------

function simplifyFor(stmt: For, state: State): readonly Stmt[] {
  if (
    isNumber(stmt.from) &&
    isNumber(stmt.to) &&
    !runsFrom(stmt.from.value, stmt.test, stmt.to.value)
  ) {
    stmt.binds.forEach((bind, k) =>
      state.replaced.replace(bind, stmt.carried[k]?.init ?? { kind: "undef", type: NUM }),
    );
    return [];
  }
  return [unchanging(stmt, state)];
}

function runsFrom(from: number, test: For["test"], to: number): boolean {
  const name = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge" } as const;
  return OPS[name[test]].eval([from, to]) === true;
}

function simplifyWhile(stmt: While, state: State): readonly Stmt[] {
  const cond = stmt.test.result[0];
  if (cond !== undefined && isTruth(cond, false)) {
    stmt.carried.forEach((one, k) => {
      state.replaced.replace(one.param, one.init);
      const bind = stmt.binds[k];
      if (bind !== undefined) state.replaced.replace(bind, one.init);
    });
    return stmt.test.stmts;
  }
  return [unchanging(stmt, state)];
}

/** Drops carried values that every round leaves as they were, and the second of two that are always equal. */
function unchanging<L extends For | While>(loop: L, state: State): L {
  const kept: number[] = [];
  loop.carried.forEach((one, k) => {
    const next = loop.body.result[k];
    const bind = loop.binds[k];
    if (next === undefined || bind === undefined) return;
    if (sameAtom(next, one.param) || sameAtom(next, one.init)) {
      // carry (s = x) … yield s  ->  x
      state.replaced.replace(one.param, one.init);
      state.replaced.replace(bind, one.init);
      return;
    }
    const twin = kept.find((other) => isTwin(loop, other, k));
    const first = twin === undefined ? undefined : loop.carried[twin]?.param;
    const firstBind = twin === undefined ? undefined : loop.binds[twin];
    if (first === undefined || firstBind === undefined) kept.push(k);
    else {
      state.replaced.replace(one.param, first);
      state.replaced.replace(bind, firstBind);
    }
  });
  if (kept.length === loop.carried.length) return loop;
  const pick = <T>(all: readonly T[]): readonly T[] => kept.flatMap((k) => all[k] ?? []);
  return {
    ...loop,
    carried: pick(loop.carried),
    binds: pick(loop.binds),
    body: { ...loop.body, result: pick(loop.body.result) },
  };
}

function isTwin(loop: For | While, first: number, second: number): boolean {
  const [x, z] = [loop.carried[first], loop.carried[second]];
  const [nextX, nextZ] = [loop.body.result[first], loop.body.result[second]];
  return (
    x !== undefined &&
    z !== undefined &&
    nextX !== undefined &&
    nextZ !== undefined &&
    sameAtom(x.init, z.init) &&
    sameAtom(nextX, nextZ)
  );
}
