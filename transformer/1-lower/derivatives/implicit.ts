// Calls of `tsgrad/implicit`: what a solver finds is differentiated by what defines it. In: the solver, its arguments. Out: a call of a function that has a
// rule. Invariant: the value is what the solver itself gives; the rule reads the solution alone, so it keeps nothing of the way there (Estep §2-3, `fix`).
//
// z = rootFind(g, start, p)      g(z, p) = 0           p$bar += gp^T (-gx^T)⁻¹ z$bar
// z = fixedPoint(g, start, p)    g(z, p) - z = 0       p$bar += gp^T (1 - gx^T)⁻¹ z$bar
// z = argmin(f, start, p)        g = grad(f), a root of g
//
// gx is made column by column, of tangents of g, and solved with by elimination: a singular one is noticed, and nothing has to converge once more.

import type ts from "typescript";
import { field, index, num, NUM } from "../../ir/build.ts";
import { labelsOf } from "../../ir/derivation.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers } from "../../ir/shadow.ts";
import type { Atom, Body, Type, Var } from "../../ir/types.ts";
import { isFn, type Arg } from "../functions/closures.ts";
import { externCall, str } from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Solver } from "../sites/forms.ts";
import type { Fn, Frame } from "../frame.ts";
import { linearSolver, ROW, square } from "./linear-solver.ts";
import { lift, shadowOf, type Lifted } from "./nested.ts";

/** A state is a number or a list of numbers. */
type State = Type & { readonly kind: "num" | "array" };

/** What has the solution for a root, as a function of the state and then of all that the solution depends on. */
interface Problem {
  readonly solver: Solver;
  readonly state: State;
  /** What the user's function is. */
  readonly given: Pick<Lifted, "name" | "result">;
  /** What is 0 at the solution, or (of a fixed point) the state: of the same parameters. */
  readonly residual: string;
  readonly params: readonly Var[];
}

export function applySolver(
  f: Frame,
  solver: Solver,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  if (solver === "solveLinear") return linearSystem(f, args, at, wanted);
  const [fn, start, ...more] = args;
  const [params, options] = more.map((arg) =>
    isFn(arg) ? f.refuse("TSG1124", at, f.textOf(at)) : isUndefined(arg) ? undefined : arg,
  );
  if (fn === undefined || !isFn(fn) || start === undefined || isFn(start))
    return f.refuse("TSG1124", at, f.textOf(at));
  const begin = constantStart(f, start, at);
  // what the function gets is no value of the surroundings: the name alone is the user's
  const state: Var = { kind: "var", name: stateName(f, fn), type: stateOf(f, begin.type, at) };
  const lifted = lift(f, fn, [state, ...(params === undefined ? [] : [params])], at);
  if (lifted.params.length === 0) return f.refuse("TSG1124", at, f.textOf(at));
  const problem: Problem = {
    solver,
    state: stateOf(f, begin.type, at),
    given: lifted,
    residual: residualOf(f, solver, lifted),
    params: lifted.params,
  };
  const name = solution(f, problem, options?.type ?? null, at);
  return f.let(wanted, problem.state, {
    kind: "call",
    callee: name,
    args: [...lifted.args.slice(1), begin, ...(options === undefined ? [] : [options])],
  });
}

/** `solveLinear(a, b)` of user code. */
function linearSystem(f: Frame, args: readonly Arg[], at: ts.Node, wanted: string): Atom {
  const [matrix, right] = args;
  if (matrix === undefined || isFn(matrix) || right === undefined || isFn(right))
    return f.refuse("TSG1124", at, f.textOf(at));
  const shape = f.shape(matrix.type);
  const row = shape.kind === "array" ? f.shape(shape.elem) : null;
  const side = stateOf(f, right.type, at);
  if (
    row === null ||
    row.kind !== "array" ||
    row.store !== "Array" ||
    f.shape(row.elem).kind !== "num" ||
    side.kind !== "array"
  )
    return f.refuse(
      "TSG1209",
      at,
      "a matrix is a list of rows, and a right-hand side a list of numbers",
    );
  return linearSolver(f, matrix, right, side, at, wanted);
}

/** What the function calls its state. */
function stateName(f: Frame, fn: Fn): string {
  const name = fn.kind === "closure" ? fn.node.parameters[0]?.name : undefined;
  return name !== undefined && f.api.isIdentifier(name) ? name.text : "x";
}

const isUndefined = (arg: Atom): boolean => arg.kind === "const" && arg.value === undefined;

function stateOf(f: Frame, type: Type, at: ts.Node): State {
  const shape = f.shape(type);
  if (shape.kind === "num") return { kind: "num" };
  return shape.kind === "array" && f.shape(shape.elem).kind === "num"
    ? shape
    : f.refuse("TSG1209", at, "its state is neither a number nor a list of numbers");
}

/** The start, of which the solution does not depend. */
function constantStart(f: Frame, start: Atom, at: ts.Node): Atom {
  const shape = f.shape(start.type);
  if (shape.kind === "num")
    return f.let("start", NUM, {
      kind: "extern",
      text: ["", ""],
      args: [start],
      effect: "pure",
      inert: true,
    });
  if (shape.kind === "array")
    return f.let("start", stateOf(f, shape, at), {
      kind: "extern",
      text: ["", ".slice()"],
      args: [start],
      effect: "reads",
      inert: true,
    });
  return f.refuse("TSG1209", at, "its state is neither a number nor a list of numbers");
}

function residualOf(f: Frame, solver: Solver, { name }: Lifted): string {
  if (solver !== "argmin") return name;
  const gradient = names.grad(name, { names: null, tuple: false });
  f.ctx.derive(gradient, { mode: "grad", of: name, asked: [0], tuple: false });
  return gradient;
}

/** A function of the parameters, the start and the options that gives the solution; its name. */
function solution(f: Frame, problem: Problem, options: Type | null, at: ts.Node): string {
  const origin = f.ctx.originOf(at);
  const fresh = (wanted: string, type: Type): Var => ({
    kind: "var",
    name: f.names.fresh(names.baseName(wanted)),
    type,
  });
  const given = problem.params.slice(1).map(({ name, type }) => fresh(name, type));
  const start = fresh("start", problem.state);
  const params = [...given, start, ...(options === null ? [] : [fresh("options", options)])];
  const name = f.ctx.reserve(names.solution(problem.given.name, problem.solver));
  const body = f.nested(() => [solved(f, problem, given, params.slice(given.length), at)]);
  const [x, seed] = [
    fresh(problem.params[0]?.name ?? "x", problem.state),
    fresh("seed", shadowOf(f, problem.state)),
  ];
  const cotangents = f.nested(() => [parameterBars(f, problem, x, given, seed, at)]);
  const bars = cotangents.result[0]?.type ?? NUM;
  const back = f.ctx.reserve(names.backOf(name));
  f.ctx.lifted({
    name: back,
    home: back,
    params: [...given, x, seed],
    result: bars,
    body: cotangents,
    origin,
  });
  // the solution is all that the backward pass needs of the forward one
  const once = { rule: null, back, kept: [problem.state], value: 0, read: given.map((_, i) => i) };
  f.ctx.lifted({
    name,
    home: name,
    params,
    result: problem.state,
    body,
    origin,
    rule: { mode: "both", given: given.length, once },
  });
  pullBack(f, name, back, params, given, seed, bars, at);
  pushForward(f, problem, name, params, given, at);
  return name;
}

/** The solver itself, called with an arrow function. */
function solved(
  f: Frame,
  { solver, state, given, params }: Problem,
  seen: readonly Var[],
  rest: readonly Var[],
  at: ts.Node,
): Atom {
  const x: Var = {
    kind: "var",
    name: f.names.fresh(names.baseName(params[0]?.name ?? "x")),
    type: state,
  };
  const type: Type = {
    kind: "func",
    params: [state],
    names: [names.baseName(x.name)],
    result: given.result,
  };
  const inner = f.nested(() => [
    f.let("t", given.result, { kind: "call", callee: given.name, args: [x, ...seen] }),
  ]);
  const fn = f.let("f", type, { kind: "lambda", params: [x], body: inner });
  const [start, options] = rest;
  const none: Atom = { kind: "const", type: { kind: "leaf", text: "undefined" }, value: undefined };
  const args: readonly Atom[] = [
    fn,
    start ?? num(0),
    ...(options === undefined ? [] : [none, options]),
  ];
  const callee = f.ctx.imported(
    solver,
    "tsgrad/implicit",
    {
      params: args.map((arg, i): Var => ({ kind: "var", name: `arg${i}`, type: arg.type })),
      result: state,
      body: freshState(f, state),
    },
    at,
  );
  return f.let("t", state, { kind: "call", callee, args });
}

/** What stands in for the body of a function that gives a state of its own. */
export const freshState = (f: Frame, state: State): Body =>
  f.nested(() => [
    state.kind === "num"
      ? num(0)
      : f.let("t", state, { kind: "alloc", length: num(0), fill: num(0) }),
  ]);

// ------------------------------------------------------------------------------------------------------ the rule

/** `[solution, cotangents of the parameters]` */
function pullBack(
  f: Frame,
  name: string,
  back: string,
  params: readonly Var[],
  given: readonly Var[],
  seed: Var,
  bars: Type,
  at: ts.Node,
): void {
  const state = params[given.length]?.type ?? NUM;
  const result: Type = { kind: "tuple", elems: [state, bars] };
  const body = f.nested(() => {
    const x = f.let("x", state, { kind: "call", callee: name, args: params });
    const list = f.let("t", bars, { kind: "call", callee: back, args: [...given, x, seed] });
    return [f.let("t", result, { kind: "tuple", elems: [x, list] })];
  });
  const own = f.ctx.reserve(names.pull(name, { names: null, tuple: false }));
  f.ctx.lifted({
    name: own,
    home: own,
    params: [...params, seed],
    result,
    body,
    origin: f.ctx.originOf(at),
  });
}

/** `gp^T w`: cotangents of those parameters that hold numbers. */
function parameterBars(
  f: Frame,
  problem: Problem,
  x: Var,
  seen: readonly Var[],
  seed: Var,
  at: ts.Node,
): Atom {
  const { residual, params, given, solver } = problem;
  const asked = seen.flatMap((param, i) => (hasNumbers(param.type, f.ctx.types) ? [i] : []));
  const listed = (elems: readonly Atom[]): Atom =>
    f.let("t", { kind: "tuple", elems: elems.map(({ type }) => type) }, { kind: "tuple", elems });
  if (asked.length === 0) return listed([]);
  const w = solvedFor(f, problem, x, seen, seed, true, at);
  const numeric = params.flatMap((param, i) => (hasNumbers(param.type, f.ctx.types) ? [i] : []));
  const bars: Type = {
    kind: "tuple",
    elems: numeric.map((i) => shadowOf(f, params[i]?.type ?? NUM)),
  };
  const callee = names.pull(residual, { names: null, tuple: false });
  f.ctx.derive(callee, { mode: "pull", of: residual, asked: numeric, tuple: true });
  const value = solver === "argmin" ? shadowOf(f, x.type) : given.result;
  const both = f.let(
    "t",
    { kind: "tuple", elems: [value, bars] },
    { kind: "call", callee, args: [x, ...seen, w] },
  );
  const list = f.let("t", bars, { kind: "load", object: both, key: field("1") });
  return listed(
    asked.map((i) =>
      f.let("t", shadowOf(f, params[i + 1]?.type ?? NUM), {
        kind: "load",
        object: list,
        key: field(String(numeric.indexOf(i + 1))),
      }),
    ),
  );
}

/** `[solution, tangent of the solution]` */
function pushForward(
  f: Frame,
  problem: Problem,
  name: string,
  params: readonly Var[],
  given: readonly Var[],
  at: ts.Node,
): void {
  const asked = given.flatMap((param, i) => (hasNumbers(param.type, f.ctx.types) ? [i] : []));
  const dots = asked.map((i): Var => ({
    kind: "var",
    name: f.names.fresh(names.dot(given[i]?.name ?? "")),
    type: shadowOf(f, given[i]?.type ?? NUM),
  }));
  const type: Type = { kind: "tuple", elems: [problem.state, shadowOf(f, problem.state)] };
  const body = f.nested(() => {
    const x = f.let("x", problem.state, { kind: "call", callee: name, args: params });
    const right = pushed(
      f,
      problem,
      x,
      given,
      asked.map((i) => i + 1),
      dots,
      "right",
    );
    return [
      f.let("t", type, {
        kind: "tuple",
        elems: [x, solvedFor(f, problem, x, given, right, false, at)],
      }),
    ];
  });
  const own = f.ctx.reserve(names.fwd(name, null));
  f.ctx.lifted({
    name: own,
    home: own,
    params: [...params, ...dots],
    result: type,
    body,
    origin: f.ctx.originOf(at),
  });
}

/** The tangent of the residual for those of some of its parameters. */
function pushed(
  f: Frame,
  { residual, params, given, solver }: Problem,
  x: Var,
  seen: readonly Var[],
  active: readonly number[],
  tangents: readonly Atom[],
  wanted: string,
): Var {
  const callee = names.fwd(residual, labelsOf(params, active, f.ctx.types));
  f.ctx.derive(callee, { mode: "fwd", of: residual, asked: active, tuple: false });
  const value = solver === "argmin" ? shadowOf(f, x.type) : given.result;
  const both = f.let(
    "t",
    { kind: "tuple", elems: [value, shadowOf(f, value)] },
    { kind: "call", callee, args: [x, ...seen, ...tangents] },
  );
  return f.let(wanted, shadowOf(f, value), { kind: "load", object: both, key: field("1") });
}

/** `(-gx)⁻¹ right`, of a fixed point `(1 - gx)⁻¹ right`; or of the transposed matrix. */
function solvedFor(
  f: Frame,
  problem: Problem,
  x: Var,
  seen: readonly Var[],
  right: Var,
  isTransposed: boolean,
  at: ts.Node,
): Atom {
  const { state, solver } = problem;
  const isFixed = solver === "fixedPoint";
  if (state.kind === "num") {
    const slope = pushed(f, problem, x, seen, [0], [num(1)], "slope");
    const pivot = isFixed ? f.b.sub(num(1), slope) : f.b.neg(slope);
    notSingular(f, pivot, isFixed ? PIVOT : 0, at);
    return f.b.div(right, pivot);
  }
  return linearSolver(f, jacobian(f, problem, x, seen, isTransposed), right, state, at, "w");
}

/** Of what is near to 1 this is rounding alone. */
const PIVOT = 8 * Number.EPSILON;

function notSingular(f: Frame, pivot: Atom, least: number, at: ts.Node): void {
  const size = f.b.op("abs", pivot);
  const isRegular = f.b.op(
    "and",
    f.b.op("gt", size, num(least)),
    f.b.op("lt", size, num(Infinity)),
  );
  f.when(f.b.op("not", isRegular), () => {
    f.b.emit({
      kind: "throw",
      value: externCall(f, "t", { kind: "leaf", text: "Error" }, "new Error", [
        str(
          `TSG0017: the slope at the solution of \`${f.textOf(at)}\` is 0 or no finite number, so the solution is not a function of the parameters there and has no derivative`,
        ),
      ]),
    });
  });
}

/** `-gx`, of a fixed point `1 - gx`, by rows, or transposed. It is made column by column. */
function jacobian(
  f: Frame,
  problem: Problem,
  x: Var,
  seen: readonly Var[],
  isTransposed: boolean,
): Atom {
  const size = f.let("n", NUM, { kind: "length", object: x });
  const matrix = square(f, "matrix", size, () => num(0));
  emitFor(
    f,
    f.label("loop"),
    size,
    (j) => {
      const unit = f.let("unit", shadowOf(f, x.type), { kind: "zeros", like: x });
      f.b.store(unit, index(j), num(1));
      const column = pushed(f, problem, x, seen, [0], [unit], "column");
      emitFor(f, f.label("loop"), size, (i) => {
        const entry = f.let("t", NUM, { kind: "load", object: column, key: index(i) });
        const own =
          problem.solver === "fixedPoint"
            ? f.b.sub(f.b.select(f.b.op("eq", i, j), num(1), num(0)), entry)
            : f.b.neg(entry);
        f.b.store(
          f.let("row", ROW, { kind: "load", object: matrix, key: index(isTransposed ? j : i) }),
          index(isTransposed ? i : j),
          own,
        );
      });
    },
    "j",
  );
  return matrix;
}
