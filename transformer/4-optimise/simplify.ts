// Local simplification: copy propagation, constant folding, algebra on cotangents, branches whose
// outcome is known, carried values that never change. The output means the same with fewer names.
// Invariant: primal values keep their bits; statements with effects stay where they are.

import { mapList, rebuilt, withBody, withStmts } from "../ir/rebuilt.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import type { Atom, Body, Expr, For, Func, If, Let, Stmt, Var, While } from "../ir/types.ts";
import { NUM } from "../ir/build.ts";
import { mapExpr, mapStmt, stmtBinds, unreachable } from "../ir/visit.ts";
import { simplerOp } from "./algebra/algebra.ts";
import type { Definition } from "./algebra/like-terms.ts";
import {
  NO_OUTCOMES,
  learnt,
  outcomeOf,
  outcomeOfCondition,
} from "./algebra/implied-conditions.ts";
import { Replacements, isNumber, isTruth, isValue, sameAtom } from "./atoms.ts";
import {
  isPresent,
  isUnwrapped,
  knownExtern,
  knownLength,
  knownPresent,
  knownTag,
  knownSizeTest,
  knownTagTest,
  knownTypeofTest,
  membersOf,
  narrowedBy,
  presentInside,
  type State,
  zerosOfZeros,
} from "./constant-folding.ts";
import { keepCarried, keepJoins } from "./drop-binds.ts";
import { holds } from "./loops/iterations.ts";
import { isRaw } from "./stmts.ts";

export function simplify(func: Func, types: Types): Func {
  const state: State = {
    replaced: new Replacements(),
    definitions: new Map(),
    choices: new Map(),
    types,
    present: new Set(),
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
  // if c then { …; yield c }   ->   if c then { …; yield true }
  return withStmts(
    body,
    stmts,
    mapList(body.result, (atom) => outcomeOfCondition(resolved(atom, state), state.known)),
  );
}

/** What a name stands for. Inside a branch on `c`, `c ? x : z` stands for one of its sides. */
function resolved(atom: Atom, state: State): Atom {
  const now = state.replaced.resolve(atom);
  const choice =
    now.kind === "var" && state.known.conditions.size > 0 ? state.choices.get(now.name) : undefined;
  const came = choice === undefined ? undefined : outcome(choice.cond, state);
  const side = came === undefined ? null : came ? choice?.then : choice?.else;
  return side == null ? now : resolved(side, state);
}

/** The outcome of a condition in the enclosing branches, from its own test or a negated one. */
function outcome(cond: string, { known, definitions }: State): boolean | undefined {
  const test = definitions.get(cond);
  const [opposite] = test?.kind === "op" && test.op === "not" ? test.args : [];
  const came =
    known.conditions.get(cond) ??
    (opposite?.kind === "var" ? known.conditions.get(opposite.name) : undefined);
  return came === undefined || known.conditions.has(cond) ? came : !came;
}

/** What an arm yields, if it is known outside the arm; not `null`, since `null!.x` has no type. */
function outside({ stmts, result }: Body, k: number): Atom | null {
  const atom = result[k];
  if (atom?.kind === "const") return atom.value === null ? null : atom;
  return atom?.kind === "var" &&
    !stmts.some((stmt) => stmtBinds(stmt).some(({ name }) => name === atom.name))
    ? atom
    : null;
}

/** Names bound after a `throw` are undefined. */
function unreached(dropped: readonly Stmt[], state: State): (atom: Atom) => Atom {
  const names = new Set(dropped.flatMap(stmtBinds).map((bind) => bind.name));
  return (atom) =>
    atom.kind === "var" && names.has(atom.name)
      ? { kind: "undef", type: atom.type }
      : state.replaced.resolve(atom);
}

function simplifyStmt(stmt: Stmt, state: State): readonly Stmt[] {
  if (stmt.kind === "let" && stmt.expr.kind !== "lambda") return simplifyLet(stmt, state);
  const inner = stateIn(stmt, state);
  const mapped = mapStmt(
    stmt,
    (atom) => resolved(atom, state),
    (nested) => simplifyBody(nested, inner(nested)),
  );
  for (const bind of stmtBinds(mapped)) state.replaced.keep(bind, mapped.adjoint === true);
  return simplifyOuter(mapped, state);
}

/** Simplifies a statement whose atoms and nested bodies are simplified already. */
function simplifyOuter(mapped: Stmt, state: State): readonly Stmt[] {
  switch (mapped.kind) {
    case "if":
      return simplifyIf(mapped, state);
    case "for":
      return simplifyFor(mapped, state);
    case "while":
      return simplifyWhile(mapped, state);
    // a[i] += 0   ->   (nothing)
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
    default:
      return isRaw(mapped) ? [mapped] : unreachable(mapped);
  }
}

/** What is known at the start of the statement's nested bodies. */
function stateIn(stmt: Stmt, state: State): (body: Body) => State {
  if (stmt.kind === "if") return stateInArm(stmt, state);
  return stmt.kind === "while" ? stateInIteration(stmt, state) : (): State => state;
}

/** An arm knows the outcome of the test, and which members of a union remain. */
function stateInArm(stmt: If, state: State): (arm: Body) => State {
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

/** In an iteration of a loop the test has come out true. */
const stateInIteration =
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

// lets --------------------------------------------------------------------------------------------

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

// eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
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
        knownLength(expr, state) ??
        knownTagTest(expr, state) ??
        knownSizeTest(expr, state) ??
        knownTypeofTest(expr, state)
      );
    case "unwrap":
      return isUnwrapped(expr.value, bind.type, state.types) ? expr.value : null;
    case "present":
      return knownPresent(expr.value, state) ?? presentInside(expr.value, state);
    case "load":
      return expr.key.kind === "field"
        ? knownTag(expr.object.type, expr.key.name, state.types)
        : null;
    case "zeros":
      return zerosOfZeros(expr, state);
    case "extern":
      return knownExtern(expr, state);
    case "length":
    case "array":
    case "tuple":
    case "record":
    case "alloc":
    case "slice":
    case "clone":
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

// branches ----------------------------------------------------------------------------------------

function simplifyIf(stmt: If, state: State): readonly Stmt[] {
  // if true then p else q   ->   p
  const cond = outcomeOfCondition(stmt.cond, state.known);
  const taken = isTruth(cond, true) ? stmt.then : isTruth(cond, false) ? stmt.else : null;
  if (taken !== null) {
    replaceJoins(stmt, taken, state);
    return taken.stmts;
  }
  const arm = armBesideThrow(stmt);
  if (arm !== null) {
    replaceJoins(stmt, arm, state);
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
  const remaining: number[] = [];
  stmt.binds.forEach((bind, k) => {
    noteMembers(stmt, k, state);
    const one = knownJoin(stmt, k);
    if (one !== null) state.replaced.replace(bind, one);
    else {
      remaining.push(k);
      if (arePresent(stmt, k, state)) state.present.add(bind.name);
      if (cond.kind === "var")
        state.choices.set(bind.name, {
          cond: cond.name,
          then: outside(stmt.then, k),
          else: outside(stmt.else, k),
        });
    }
  });
  return [keepJoins(stmt, remaining)];
}

const arePresent = ({ then, else: otherwise }: If, k: number, state: State): boolean =>
  [then.result[k], otherwise.result[k]].every(
    (result) => result !== undefined && isPresent(result, state),
  );

/** Replaces the joins by the results of the arm that runs. */
const replaceJoins = ({ binds }: If, arm: Body, { replaced }: State): void =>
  binds.forEach((bind, k) =>
    replaced.replace(bind, arm.result[k] ?? { kind: "undef", type: bind.type }),
  );

/** Notes which members of a union a join can be. */
function noteMembers({ binds, then, else: otherwise }: If, k: number, state: State): void {
  const bind = binds[k];
  const arms = [then.result[k], otherwise.result[k]].map((atom) =>
    atom === undefined ? [] : membersOf(atom, state),
  );
  if (bind === undefined || !arms.every((arm) => arm.length > 0)) return;
  if (resolve(bind.type, state.types).kind === "union") state.joined.set(bind.name, arms.flat());
}

// z = if c then p else throw   ->   if c then {} else throw; p, whose result z is
function armBesideThrow({ then, else: otherwise, binds }: If): Body | null {
  const throws = ({ stmts }: Body): boolean => stmts.at(-1)?.kind === "throw";
  const arm = throws(then) === throws(otherwise) ? null : throws(then) ? otherwise : then;
  return arm === null || (arm.stmts.length === 0 && binds.length === 0) ? null : arm;
}

/** The value of a join: the result that both arms share, or the condition itself. */
function knownJoin(stmt: If, k: number): Atom | null {
  const then = stmt.then.result[k];
  const otherwise = stmt.else.result[k];
  if (then === undefined || otherwise === undefined) return null;
  if (sameAtom(then, otherwise)) return then;
  // if c then yield true else yield false   ->   c
  return isTruth(then, true) && isTruth(otherwise, false) && stmt.cond.type.kind === "bool"
    ? stmt.cond
    : null;
}

// loops -------------------------------------------------------------------------------------------

// for i = 3 < 3 { … }   ->   (nothing)
function simplifyFor(stmt: For, state: State): readonly Stmt[] {
  if (
    isNumber(stmt.from) &&
    isNumber(stmt.to) &&
    !holds(stmt.from.value, stmt.test, stmt.to.value)
  ) {
    stmt.binds.forEach((bind, k) =>
      state.replaced.replace(bind, stmt.carried[k]?.init ?? { kind: "undef", type: NUM }),
    );
    return [];
  }
  return [unchanging(stmt, state)];
}

// while { p; yield false } do { … }   ->   p
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
  if (neverRuns(stmt, state)) {
    stmt.carried.forEach(({ init }, k) => {
      const bind = stmt.binds[k];
      if (bind !== undefined) state.replaced.replace(bind, init);
    });
    return [];
  }
  return [unchanging(stmt, state)];
}

// carry (x = null) while { t = present x; yield t } do { … }   ->   (nothing)
function neverRuns({ carried, test: { stmts, result } }: While, state: State): boolean {
  const [only] = stmts;
  const first = carried.find(
    ({ param }) =>
      only?.kind === "let" &&
      only.expr.kind === "present" &&
      only.expr.value.kind === "var" &&
      only.expr.value.name === param.name,
  );
  return (
    stmts.length === 1 &&
    first !== undefined &&
    only?.kind === "let" &&
    sameAtom(result[0] ?? first.param, only.bind) &&
    isTruth(knownPresent(first.init, state) ?? first.param, false)
  );
}

/** Drops carried values that no iteration changes, and the second of two that are always equal. */
function unchanging<L extends For | While>(loop: L, state: State): L {
  const remaining: number[] = [];
  loop.carried.forEach((one, k) => {
    const next = loop.body.result[k];
    const bind = loop.binds[k];
    if (next === undefined || bind === undefined) return;
    if (sameAtom(next, one.param) || sameAtom(next, one.init)) {
      // carry (s = x) … yield s   ->   x
      state.replaced.replace(one.param, one.init);
      state.replaced.replace(bind, one.init);
      return;
    }
    const twin = remaining.find((other) => isTwin(loop, other, k));
    const first = twin === undefined ? undefined : loop.carried[twin]?.param;
    const firstBind = twin === undefined ? undefined : loop.binds[twin];
    if (first === undefined || firstBind === undefined) remaining.push(k);
    else {
      state.replaced.replace(one.param, first);
      state.replaced.replace(bind, firstBind);
    }
  });
  return keepCarried(loop, remaining);
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
