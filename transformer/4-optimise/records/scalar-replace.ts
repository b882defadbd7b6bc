// Scalar replacement of aggregates. The fields of local records, tuples and short array literals
// become names. An object that leaves as a whole is constructed once, where it leaves, with the
// last values of its fields: `return { w: w$bar, b: z$bar }`. Invariant: no access to an object
// follows its construction.
//   r = { a: x, b: y }; t = load r.a   ->   t is x

import { Builder, NUM, field, num } from "../../ir/build.ts";
import { type Names, bar, withHint, partName, preferredName } from "../../ir/names.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type {
  Atom,
  Body,
  Carried,
  Expr,
  For,
  Func,
  If,
  Key,
  Let,
  Stmt,
  Type,
  Var,
  While,
} from "../../ir/types.ts";
import { mapStmt, namesOf, stmtBodies } from "../../ir/visit.ts";
import { Replacements, isNumber } from "../atoms.ts";
import { candidates, fixedPlace, type Candidate } from "./candidates.ts";

/** The values of all places that became names, by `object|place`. */
type Places = Map<string, Atom>;

interface State {
  readonly types: Types;
  readonly names: Names;
  readonly replaced: Replacements;
  readonly chosen: ReadonlyMap<string, Candidate>;
  /** By the statement or body that needs the objects themselves: their names. */
  readonly leaving: ReadonlyMap<Stmt | Body | null, readonly string[]>;
}

export function scalarReplace(func: Func, types: Types): Func {
  const chosen = candidates(func, types);
  if (chosen.size === 0) return func;
  const leaving = new Map<Stmt | Body | null, string[]>();
  for (const [name, { leaves }] of chosen) {
    const others = leaving.get(leaves);
    if (others === undefined) leaving.set(leaves, [name]);
    else others.push(name);
  }
  const names = namesOf(func);
  const state: State = { types, names, replaced: new Replacements(), chosen, leaving };
  return { ...func, body: state.replaced.finish(walk(func.body, new Map(), state)) };
}

const placeKey = (object: string, name: string): string => `${object}|${name}`;

function walk(body: Body, places: Places, state: State): Body {
  const stmts: Stmt[] = [];
  for (const stmt of body.stmts)
    stmts.push(...constructedFor(stmt, places, state), ...walkStmt(stmt, places, state));
  stmts.push(...constructedFor(body, places, state));
  return { stmts, result: body.result.map(state.replaced.resolve) };
}

function constructedFor(place: Stmt | Body, places: Places, state: State): readonly Stmt[] {
  return (state.leaving.get(place) ?? []).flatMap((name) => {
    const one = state.chosen.get(name);
    return one === undefined ? [] : [constructed(name, one, places)];
  });
}

/** `let x = { a: …, b: … }` with the current values of the places. */
function constructed(name: string, one: Candidate, places: Places): Let {
  const value = (place: string): Atom =>
    places.get(placeKey(name, place)) ?? { kind: "undef", type: NUM };
  const values = one.places.map(({ name, mayLack }) => ({
    name,
    value: value(name),
    ...(mayLack === true ? { omitIfUndefined: mayLack } : {}),
  }));
  const expr: Expr =
    one.shape === "record"
      ? { kind: "record", fields: values }
      : one.shape === "tuple"
        ? { kind: "tuple", elems: values.map((each) => each.value) }
        : { kind: "array", parts: values.map((each) => ({ atom: each.value, spread: false })) };
  return { ...one.definition, expr };
}

function walkStmt(stmt: Stmt, places: Places, state: State): readonly Stmt[] {
  const own = stmt.kind === "let" ? state.chosen.get(stmt.bind.name) : undefined;
  if (stmt.kind === "let" && own !== undefined) return takeApart(stmt, own, places, state);
  if (stmt.kind === "let" && stmt.expr.kind === "load") {
    const held = placeOf(stmt.expr.object, stmt.expr.key, state);
    const value =
      held === null
        ? lackingAt(stmt.expr.object, stmt.expr.key, stmt.bind.type, state)
        : places.get(held.key);
    if (value === undefined) return [mapStmt(stmt, state.replaced.resolve, (nested) => nested)];
    state.replaced.replace(stmt.bind, value);
    return [];
  }
  if (stmt.kind === "store" || stmt.kind === "accum") return write(stmt, places, state);
  if (stmt.kind === "if") return [walkIf(stmt, places, state)];
  if (stmt.kind === "for" || stmt.kind === "while") return [walkLoop(stmt, places, state)];
  if (stmt.kind === "let") state.replaced.keep(stmt.bind, stmt.adjoint === true);
  return [mapStmt(stmt, state.replaced.resolve, (nested) => walk(nested, new Map(places), state))];
}

// `{}.rtol` of an optional field   ->   undefined
function lackingAt(object: Atom, key: Key, type: Type, { chosen }: State): Atom | undefined {
  const name = fixedPlace(key);
  return object.kind === "var" &&
    name !== null &&
    chosen.get(object.name)?.lacking.has(name) === true
    ? { kind: "const", type, value: undefined }
    : undefined;
}

interface Held {
  readonly key: string;
  readonly type: Type;
  readonly name: string;
}

function placeOf(object: Atom, key: Key, state: State): Held | null {
  const one = object.kind === "var" ? state.chosen.get(object.name) : undefined;
  const name = fixedPlace(key);
  if (object.kind !== "var" || one === undefined || name === null) return null;
  const place = one.places.find((each) => each.name === name);
  return place === undefined
    ? null
    : { key: placeKey(object.name, name), type: place.type, name: wantedName(object.name, name) };
}

/** The name of a place: `b$bar` for field `b` of a shadow. */
function wantedName(object: string, place: string): string {
  const isShadow = object.includes("$bar");
  if (!/^[A-Za-z_$][\w$]*$/.test(place)) return object;
  return isShadow ? bar(place) : place;
}

// allocations -------------------------------------------------------------------------------------

function takeApart(stmt: Let, one: Candidate, places: Places, state: State): readonly Stmt[] {
  const builder = new Builder(state.names, stmt.origin, stmt.adjoint === true);
  const { expr } = stmt;
  for (const [at, place] of one.places.entries()) {
    const value =
      expr.kind === "zeros"
        ? zeroOf(
            state.replaced.resolve(expr.like),
            place,
            wantedName(stmt.bind.name, place.name),
            builder,
            state.types,
          )
        : literalPart(expr, place.name, at);
    if (value === undefined) continue;
    const known = state.replaced.resolve(value);
    places.set(placeKey(stmt.bind.name, place.name), known);
    if (isOfUser(stmt.bind))
      state.replaced.suggest(known, () =>
        state.names.fresh(withHint("t", partName(preferredName(stmt.bind.name), place.name))),
      );
  }
  return builder.stmts;
}

const isOfUser = ({ name }: Var): boolean => preferredName(name) !== "t" && !name.includes("$");

/** The initial value of a place of a literal. */
function literalPart(expr: Expr, name: string, at: number): Atom | undefined {
  if (expr.kind === "record") return expr.fields.find((each) => each.name === name)?.value;
  if (expr.kind === "tuple") return expr.elems[at];
  return expr.kind === "array" ? expr.parts[at]?.atom : undefined;
}

/** A zero shadow of one place of `like`. */
function zeroOf(
  like: Atom,
  { name, type }: Pick<Var, "name" | "type">,
  hint: string,
  builder: Builder,
  types: Types,
): Atom {
  if (type.kind === "num") return num(0);
  const source = resolve(like.type, types);
  const primal =
    source.kind === "record"
      ? source.fields.find((each) => each.name === name)?.type
      : source.kind === "tuple"
        ? source.elems[Number(name)]
        : undefined;
  const below = builder.load("t", primal ?? type, like, field(name));
  // A leaf is its own shadow.
  const isLeaf = type.kind === "leaf" || type.kind === "bool";
  return isLeaf ? below : builder.let(hint, type, { kind: "zeros", like: below });
}

// writes ------------------------------------------------------------------------------------------

// r.a = v   ->   place a of r is v;   r.a += v   ->   t = a + v, and place a of r is t
function write(
  stmt: Stmt & { readonly kind: "store" | "accum" },
  places: Places,
  state: State,
): readonly Stmt[] {
  const held = placeOf(stmt.object, stmt.key, state);
  if (held === null) return [mapStmt(stmt, state.replaced.resolve, (nested) => nested)];
  const value = state.replaced.resolve(stmt.value);
  const before = places.get(held.key);
  // 0 + x is x, except for the sign of a primal zero.
  const isFirst =
    stmt.adjoint === true && before !== undefined && isNumber(before) && before.value === 0;
  if (stmt.kind === "store" || before === undefined || isFirst) {
    places.set(held.key, value);
    return [];
  }
  const builder = new Builder(state.names, stmt.origin, stmt.adjoint === true);
  places.set(
    held.key,
    builder.let(held.name, held.type, { kind: "op", op: "add", args: [before, value] }),
  );
  return builder.stmts;
}

/** The places that bodies write and that have a value before them. */
function writtenIn(bodies: readonly Body[], places: Places, state: State): readonly Held[] {
  const written = new Map<string, Held>();
  const visit = (body: Body): void => {
    for (const stmt of body.stmts) {
      const held =
        stmt.kind === "store" || stmt.kind === "accum"
          ? placeOf(stmt.object, stmt.key, state)
          : null;
      if (held !== null && places.has(held.key)) written.set(held.key, held);
      stmtBodies(stmt).forEach(visit);
    }
  };
  bodies.forEach(visit);
  return [...written.values()];
}

function freshVar(held: Held, state: State): Var {
  return { kind: "var", name: state.names.fresh(held.name), type: held.type };
}

// joins -------------------------------------------------------------------------------------------

const valueOf = (held: Held, places: Places): Atom =>
  places.get(held.key) ?? { kind: "undef", type: held.type };

function walkIf(stmt: If, places: Places, state: State): If {
  const joined = writtenIn([stmt.then, stmt.else], places, state);
  const arm = (body: Body): Body => {
    const inside = new Map(places);
    const walked = walk(body, inside, state);
    return {
      ...walked,
      result: [...walked.result, ...joined.map((held) => valueOf(held, inside))],
    };
  };
  const [then, otherwise] = [arm(stmt.then), arm(stmt.else)];
  const binds = joined.map((held) => freshVar(held, state));
  joined.forEach((held, k) => {
    const bind = binds[k];
    if (bind !== undefined) places.set(held.key, bind);
  });
  for (const bind of [...stmt.binds, ...binds]) state.replaced.keep(bind, stmt.adjoint === true);
  return {
    ...stmt,
    cond: state.replaced.resolve(stmt.cond),
    then,
    else: otherwise,
    binds: [...stmt.binds, ...binds],
  };
}

function walkLoop(loop: For | While, places: Places, state: State): Stmt {
  const held = writtenIn(
    loop.kind === "while" ? [loop.test, loop.body] : [loop.body],
    places,
    state,
  );
  const params = held.map((each) => freshVar(each, state));
  const added: readonly Carried[] = held.flatMap((each, k) => {
    const param = params[k];
    return param === undefined ? [] : [{ param, init: valueOf(each, places) }];
  });
  const atStart = new Map(places);
  held.forEach((each, k) => {
    const param = params[k];
    if (param !== undefined) atStart.set(each.key, param);
  });
  const inBody = new Map(atStart);
  // candidates.ts rejects objects that a `while` test writes, so the body starts as the test does.
  const test = loop.kind === "while" ? walk(loop.test, new Map(atStart), state) : null;
  const walked = walk(loop.body, inBody, state);
  const body: Body = {
    ...walked,
    result: [...walked.result, ...held.map((each) => valueOf(each, inBody))],
  };
  const binds = held.map((each) => freshVar(each, state));
  held.forEach((each, k) => {
    const bind = binds[k];
    if (bind !== undefined) places.set(each.key, bind);
  });
  const carried = [
    ...loop.carried.map((one) => ({ ...one, init: state.replaced.resolve(one.init) })),
    ...added,
  ];
  const changed = { carried, body, binds: [...loop.binds, ...binds] };
  if (loop.kind === "while") return { ...loop, ...changed, test: test ?? loop.test };
  return {
    ...loop,
    ...changed,
    from: state.replaced.resolve(loop.from),
    to: state.replaced.resolve(loop.to),
  };
}
