// Calls of `tsgrad/implicit`: solutions are differentiated by the implicit function theorem.
// Input: the solver and its arguments. Output: a call of a function with a rule. The rule reads
// only the solution, so no solver step is saved (Estep §2-3, `fix`).
//
// z = rootFind(g, start, p)      g(z, p) = 0           p$bar += gp^T (-gx^T)⁻¹ z$bar
// z = fixedPoint(g, start, p)    g(z, p) - z = 0       p$bar += gp^T (1 - gx^T)⁻¹ z$bar
// z = argmin(f, start, p)        g = grad(f), a root of g
//
// gx is computed column by column from tangents of g, and eliminated, so singularity is detected.

import type ts from "typescript";
import { field, index, num, NUM } from "../../ir/build.ts";
import { labelsOf } from "../../ir/derivation.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers } from "../../ir/shadow.ts";
import type { Atom, Body, Func, Type, Var } from "../../ir/types.ts";
import { isFn, type Arg, type Fn } from "../function-values.ts";
import { UNDEFINED } from "../coerce.ts";
import { emitFor } from "../control/emit-loop.ts";
import type { Solver } from "../sites/forms.ts";
import type { Frame } from "../frame.ts";
import { linearSolver, ROW, square } from "./linear-solver.ts";
import { type Directions, lift, buildTuple, shadowOf, type Lifted } from "./nested.ts";

/** A state is a number or an array of numbers. */
type State = Type & { readonly kind: "num" | "array" };

/** The equation, as a function of the state and then of all that the solution depends on. */
interface Problem {
  readonly solver: Solver;
  readonly state: State;
  /** The user's function. */
  readonly given: Pick<Lifted, "name" | "result">;
  /** A function that is 0 at the solution, or the state for a fixed point; same parameters. */
  readonly residual: string;
  readonly params: readonly Var[];
  readonly at: ts.Node;
}

/** Where the equation is linearised: the solution and the other parameters. */
interface Point {
  readonly x: Var;
  readonly seen: readonly Var[];
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
  // the state is a value of its own; it only takes the user's name
  const state: Var = { kind: "var", name: stateName(f, fn), type: stateOf(f, begin.type, at) };
  const lifted = lift(f, fn, [state, ...(params === undefined ? [] : [params])], at);
  if (lifted.params.length === 0) return f.refuse("TSG1124", at, f.textOf(at));
  const problem: Problem = {
    solver,
    state: stateOf(f, begin.type, at),
    given: lifted,
    residual: residualOf(f, solver, lifted),
    params: lifted.params,
    at,
  };
  const name = solution(f, problem, options?.type ?? null);
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
  return linearSolver(f, { matrix, right, type: side }, at, wanted);
}

/** The user's name for the state. */
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

/** A copy of the start, without derivative: the solution does not depend on it. */
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
  f.ctx.derive(gradient, { mode: "grad", of: name, requested: [0], tuple: false });
  return gradient;
}

/** Lifts a function of the parameters, start and options that gives the solution; its name. */
function solution(f: Frame, problem: Problem, options: Type | null): string {
  const origin = f.ctx.originOf(problem.at);
  const fresh = (wanted: string, type: Type): Var => ({
    kind: "var",
    name: f.names.fresh(names.baseName(wanted)),
    type,
  });
  const given = problem.params.slice(1).map(({ name, type }) => fresh(name, type));
  const start = fresh("start", problem.state);
  const params = [...given, start, ...(options === null ? [] : [fresh("options", options)])];
  const name = f.ctx.reserveName(names.solution(problem.given.name, problem.solver));
  const body = f.nested(() => [solved(f, problem, given, params.slice(given.length))]);
  const [x, seed] = [
    fresh(problem.params[0]?.name ?? "x", problem.state),
    fresh("seed", shadowOf(f, problem.state)),
  ];
  const cotangents = f.nested(() => [parameterBars(f, problem, { x, seen: given }, seed)]);
  const bars = cotangents.result[0]?.type ?? NUM;
  const back = f.ctx.reserveName(names.backOf(name));
  f.ctx.addLifted({
    name: back,
    home: back,
    params: [...given, x, seed],
    result: bars,
    body: cotangents,
    origin,
  });
  // the backward pass needs nothing of the forward pass but the solution
  const once = { rule: null, back, kept: [problem.state], value: 0, read: given.map((_, i) => i) };
  f.ctx.addLifted({
    name,
    home: name,
    params,
    result: problem.state,
    body,
    origin,
    rule: { mode: "both", given: given.length, once },
  });
  const call: Solution = { name, params, given, origin };
  pullBack(f, call, { name: back, type: bars }, seed);
  pushForward(f, problem, call);
  return name;
}

interface Solution {
  readonly name: string;
  readonly params: readonly Var[];
  /** The parameters without start and options. */
  readonly given: readonly Var[];
  readonly origin: Func["origin"];
}

/** Calls the solver itself, with an arrow function. */
function solved(
  f: Frame,
  { solver, state, given, params, at }: Problem,
  seen: readonly Var[],
  rest: readonly Var[],
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
  const args: readonly Atom[] = [
    fn,
    start ?? num(0),
    ...(options === undefined ? [] : [UNDEFINED, options]),
  ];
  const callee = f.ctx.addImport(
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

/** The placeholder body of a function that returns a fresh state. */
export const freshState = (f: Frame, state: State): Body =>
  f.nested(() => [
    state.kind === "num"
      ? num(0)
      : f.let("t", state, { kind: "alloc", length: num(0), fill: num(0) }),
  ]);

// ------------------------------------------------------------------------------------ the rule

/** `[solution, cotangents of the parameters]` */
function pullBack(
  f: Frame,
  { name, params, given, origin }: Solution,
  back: { readonly name: string; readonly type: Type },
  seed: Var,
): void {
  const state = params[given.length]?.type ?? NUM;
  const result: Type = { kind: "tuple", elems: [state, back.type] };
  const body = f.nested(() => {
    const x = f.let("x", state, { kind: "call", callee: name, args: params });
    const list = f.let("t", back.type, {
      kind: "call",
      callee: back.name,
      args: [...given, x, seed],
    });
    return [f.let("t", result, { kind: "tuple", elems: [x, list] })];
  });
  const own = f.ctx.reserveName(names.pull(name, { names: null, tuple: false }));
  f.ctx.addLifted({
    name: own,
    home: own,
    params: [...params, seed],
    result,
    body,
    origin,
  });
}

/** `gp^T w`: the cotangents of the parameters that hold numbers. */
function parameterBars(f: Frame, problem: Problem, point: Point, seed: Var): Atom {
  const { x, seen } = point;
  const { residual, params, given, solver } = problem;
  const asked = seen.flatMap((param, i) => (hasNumbers(param.type, f.ctx.types) ? [i] : []));
  if (asked.length === 0) return buildTuple(f, [], "t");
  const w = solvedFor(f, problem, point, seed, true);
  const numeric = params.flatMap((param, i) => (hasNumbers(param.type, f.ctx.types) ? [i] : []));
  const bars: Type = {
    kind: "tuple",
    elems: numeric.map((i) => shadowOf(f, params[i]?.type ?? NUM)),
  };
  const callee = names.pull(residual, { names: null, tuple: false });
  f.ctx.derive(callee, { mode: "pull", of: residual, requested: numeric, tuple: true });
  const value = solver === "argmin" ? shadowOf(f, x.type) : given.result;
  const both = f.let(
    "t",
    { kind: "tuple", elems: [value, bars] },
    { kind: "call", callee, args: [x, ...seen, w] },
  );
  const list = f.b.load("t", bars, both, field("1"));
  const barOf = (i: number): Atom =>
    f.b.load("t", shadowOf(f, params[i]?.type ?? NUM), list, field(String(numeric.indexOf(i))));
  return buildTuple(
    f,
    asked.map((i) => barOf(i + 1)),
    "t",
  );
}

/** `[solution, tangent of the solution]` */
function pushForward(f: Frame, problem: Problem, call: Solution): void {
  const { name, params, given, origin } = call;
  const asked = given.flatMap((param, i) => (hasNumbers(param.type, f.ctx.types) ? [i] : []));
  const dots = asked.map((i): Var => ({
    kind: "var",
    name: f.names.derivative(names.dot(given[i]?.name ?? "")),
    type: shadowOf(f, given[i]?.type ?? NUM),
  }));
  const type: Type = { kind: "tuple", elems: [problem.state, shadowOf(f, problem.state)] };
  const body = f.nested(() => {
    const x = f.let("x", problem.state, { kind: "call", callee: name, args: params });
    const point: Point = { x, seen: given };
    const directions = { active: asked.map((i) => i + 1), tangents: dots };
    const right = pushed(f, problem, point, directions, "right");
    const xDot = solvedFor(f, problem, point, right, false);
    return [f.let("t", type, { kind: "tuple", elems: [x, xDot] })];
  });
  const own = f.ctx.reserveName(names.fwd(name, null));
  f.ctx.addLifted({
    name: own,
    home: own,
    params: [...params, ...dots],
    result: type,
    body,
    origin,
  });
}

/** The tangent of the residual for tangents of some of its parameters. */
function pushed(
  f: Frame,
  { residual, params, given, solver }: Problem,
  { x, seen }: Point,
  { active, tangents }: Directions,
  wanted: string,
): Var {
  const callee = names.fwd(residual, labelsOf(params, active, f.ctx.types));
  f.ctx.derive(callee, { mode: "fwd", of: residual, requested: active, tuple: false });
  const value = solver === "argmin" ? shadowOf(f, x.type) : given.result;
  const both = f.let(
    "t",
    { kind: "tuple", elems: [value, shadowOf(f, value)] },
    { kind: "call", callee, args: [x, ...seen, ...tangents] },
  );
  return f.b.load(wanted, shadowOf(f, value), both, field("1"));
}

/** `(-gx)⁻¹ right`, for a fixed point `(1 - gx)⁻¹ right`; or with the transposed matrix. */
function solvedFor(
  f: Frame,
  problem: Problem,
  point: Point,
  right: Var,
  isTransposed: boolean,
): Atom {
  const { at } = problem;
  const { state, solver } = problem;
  const isFixed = solver === "fixedPoint";
  if (state.kind === "num") {
    const slope = pushed(f, problem, point, { active: [0], tangents: [num(1)] }, "slope");
    const pivot = isFixed ? f.b.sub(num(1), slope) : f.b.neg(slope);
    notSingular(f, pivot, isFixed ? PIVOT : 0, at);
    return f.b.div(right, pivot);
  }
  const matrix = jacobian(f, problem, point, isTransposed);
  return linearSolver(f, { matrix, right, type: state }, at, "w");
}

/** A smaller pivot near 1 is rounding error. */
const PIVOT = 8 * Number.EPSILON;

function notSingular(f: Frame, pivot: Atom, least: number, at: ts.Node): void {
  const size = f.b.op("abs", pivot);
  const isRegular = f.b.op(
    "and",
    f.b.op("gt", size, num(least)),
    f.b.op("lt", size, num(Infinity)),
  );
  f.when(f.b.op("not", isRegular), () => {
    f.b.raise(
      "Error",
      `TSG0017: the slope at the solution of \`${f.textOf(at)}\` is 0 or no finite number, so the solution is not a function of the parameters there and has no derivative`,
    );
  });
}

/** `-gx`, for a fixed point `1 - gx`, by rows, or transposed; computed column by column. */
function jacobian(f: Frame, problem: Problem, point: Point, isTransposed: boolean): Atom {
  const { x } = point;
  const size = f.b.length(x, "n");
  const matrix = square(f, "matrix", size, () => num(0));
  emitFor(
    f,
    f.label("loop"),
    size,
    (j) => {
      const unit = f.let("unit", shadowOf(f, x.type), { kind: "zeros", like: x });
      f.b.store(unit, index(j), num(1));
      const column = pushed(f, problem, point, { active: [0], tangents: [unit] }, "column");
      emitFor(f, f.label("loop"), size, (i) => {
        const entry = f.b.load("t", NUM, column, index(i));
        const own =
          problem.solver === "fixedPoint"
            ? f.b.sub(f.b.select(f.b.op("eq", i, j), num(1), num(0)), entry)
            : f.b.neg(entry);
        f.b.store(
          f.b.load("row", ROW, matrix, index(isTransposed ? j : i)),
          index(isTransposed ? i : j),
          own,
        );
      });
    },
    "j",
  );
  return matrix;
}
