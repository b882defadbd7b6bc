// Derivative forms inside of differentiated functions: `grad(g)(x)`, `jvp(g)(x)`, … in a body.
// Input: the form, its function, arguments. Output: a call of a derivative that is emitted before
// the surrounding function is differentiated. A closure is lambda-lifted first: its captures
// become parameters, so the derivative is a function of all that it depends on.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { field, num, NUM } from "../../ir/build.ts";
import { labelsOf } from "../../ir/derivation.ts";
import { DERIVATIVE_FORMS, type Derivation, type Form } from "../../ir/facts.ts";
import * as names from "../../ir/names.ts";
import { baseName } from "../../ir/names.ts";
import { hasNumbers, isPlain, isScalarType, shadowType } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { resultType } from "../functions/call-types.ts";
import { applyFn } from "../lowering.ts";
import { isFn, type Arg, type Fn, type Options } from "../function-values.ts";
import { isOnlyInlined } from "../functions/specialisation.ts";
import { UNDEFINED, unwrap } from "../coerce.ts";
import { Rejected } from "../context.ts";
import type { Frame } from "../frame.ts";
import { applyDense } from "./dense.ts";
import {
  capturedBy,
  parameterName,
  parameterNames,
  parametersFor,
  parameterType,
  withDistinctNames,
} from "../functions/lambda-lifting.ts";
import { optionsOf } from "../sites/options.ts";
import { nameOf } from "../sites/targets.ts";
import { valueTaken } from "../sites/value-targets.ts";
import { requiredFn, resolveFn } from "../resolve.ts";

export type Derived = Fn & { readonly kind: "derived" };

/** `grad(g)` as a function value; null for calls of other functions. */
export function derivedFn(f: Frame, call: ts.CallExpression): Fn | null {
  const symbol = f.ctx.checker.getSymbolAtLocation(nameOf(call.expression, f.api));
  const form = symbol === undefined ? null : f.ctx.formOf(symbol);
  const target = call.arguments[0];
  if (form === null || target === undefined) return null;
  const value = valueTaken(form, target, f.api, f.ctx.checker);
  if (value !== null) return f.refuse("TSG1026", target, ...value);
  if (form === "differentiable") return resolveFn(f, target);
  if (!SUPPORTED.has(form)) return f.refuse("TSG1009", call, form);
  const options = optionsOf(form, call.arguments[1], f.api, (code, at, ...args) => {
    f.ctx.report(code, at, ...args);
  });
  const fn = requiredFn(f, target);
  if (options === null) return f.refuse("TSG1001", target, f.textOf(target));
  if (options.into) return f.refuse("TSG1022", call, form, "its caller is differentiated, too");
  return { kind: "derived", form, fn, options };
}

const SUPPORTED: ReadonlySet<Form> = new Set(DERIVATIVE_FORMS);

/** A function of the program, called with the user's arguments and then a closure's captures. */
export interface Lifted {
  readonly name: string;
  readonly params: readonly Var[];
  readonly result: Type;
  /** The arguments of a call, captures included. */
  readonly args: readonly Atom[];
  /** Positions of the user's arguments among these. */
  readonly positions: ReadonlyMap<number, number>;
  /** The variables that a closure captures; their parameters are the last ones. */
  readonly captured: readonly Var[];
}

/** Calls a derivative; null where it has no value. */
export function applyDerived(
  f: Frame,
  derived: Derived,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom | null {
  const { form } = derived;
  switch (form) {
    case "grad":
    case "valueAndGrad": {
      const made = gradientCall(f, derived, args, at);
      const given = f.let(made.aux === null ? wanted : "t", made.result, {
        kind: "call",
        callee: made.name,
        args: made.args,
      });
      return made.aux === null ? given : withAux(f, form, given, made.aux, wanted);
    }
    case "jacfwd":
    case "jacrev":
    case "hessian":
      return applyDense(f, derived, args, at, wanted);
    case "jvp":
      return pushedForward(f, derived, args, at, wanted);
    case "hvp":
      return hessianProduct(f, derived, args, at, wanted);
    default:
      return f.refuse("TSG1009", at, form);
  }
}

/** `[cotangent, aux]`, or `[[value, aux], cotangent]`. */
function withAux(f: Frame, form: Form, given: Atom, aux: Atom, wanted: string): Atom {
  if (form === "grad") return buildTuple(f, [given, aux], wanted);
  const elems = given.type.kind === "tuple" ? given.type.elems : [];
  const [value, cotangent] = elems.map((type, i) => f.b.load("t", type, given, field(String(i))));
  return value === undefined || cotangent === undefined
    ? given
    : buildTuple(f, [buildTuple(f, [value, aux], "t"), cotangent], wanted);
}

/** A tuple of atoms. */
export const buildTuple = (f: Frame, elems: readonly Atom[], wanted: string): Atom =>
  f.let(wanted, { kind: "tuple", elems: elems.map(({ type }) => type) }, { kind: "tuple", elems });

/** The function to differentiate, and the auxiliary result. */
export interface Split {
  readonly of: Lifted;
  /** Null without `hasAux`. */
  readonly aux: Atom | null;
}

/** Why a pullback cannot hold an object: of a form, and of a function that a rule is given. */
export type NotHeld = "TSG1009" | "TSG1023";

/** The function of a form, lifted. `held`: with snapshots of the arguments. */
export function liftedTarget(
  f: Frame,
  { fn, form, options }: Derived,
  args: readonly Arg[],
  at: ts.Node,
  held: NotHeld | null = null,
): Split {
  const found = lift(f, fn, args, at);
  const of =
    held === null ? found : { ...found, args: found.args.map((arg) => snapshot(f, arg, at, held)) };
  if (!options.hasAux) return { of, aux: null };
  const shape = f.shape(of.result);
  const [first, second] = shape.kind === "tuple" ? shape.elems : [];
  if (first === undefined || second === undefined)
    return f.refuse("TSG2006", at, form, f.textOf(at), "another type");
  const both = f.let("t", of.result, { kind: "call", callee: of.name, args: of.args });
  return {
    of: firstOf(f, of, first, at),
    aux: f.b.load("aux", second, both, field("1")),
  };
}

/** `g(x)[0]` as a function. */
function firstOf(f: Frame, of: Lifted, result: Type, at: ts.Node): Lifted {
  const body = f.nested(() => {
    const both = f.let("t", of.result, { kind: "call", callee: of.name, args: of.params });
    return [f.b.load("value", result, both, field("0"))];
  });
  const name = f.ctx.reserveName();
  f.ctx.addLifted({
    name,
    home: name,
    params: of.params,
    result,
    body,
    origin: f.ctx.originOf(at),
  });
  return { ...of, name, result };
}

interface Call {
  readonly name: string;
  readonly result: Type;
  readonly args: readonly Atom[];
  /** Requested positions among the arguments. */
  readonly asked: readonly number[];
  readonly params: readonly Var[];
  readonly captured: readonly Var[];
  /** The auxiliary result, with `hasAux`. */
  readonly aux: Atom | null;
}

/** A call of the gradient, without the auxiliary result. */
export function gradientCall(f: Frame, derived: Derived, args: readonly Arg[], at: ts.Node): Call {
  const { form, options } = derived;
  const { of, aux } = liftedTarget(f, derived, args, at);
  const asked = requestedPositions(f, options, of, at);
  const withValue = form === "valueAndGrad";
  const isDefault = !options.tuple && asked.length === 1 && asked[0] === 0;
  const labels: names.Requested = {
    names: isDefault ? null : asked.map((i) => of.params[i]?.name ?? String(i)),
    tuple: options.tuple,
  };
  const name = (withValue ? names.vag : names.grad)(of.name, labels);
  f.ctx.derive(name, {
    mode: withValue ? "vag" : "grad",
    of: of.name,
    requested: asked,
    tuple: options.tuple,
    pure: true,
  });
  const bars = asked.map((i) => shadowOf(f, of.params[i]?.type ?? NUM));
  const cotangent: Type = options.tuple ? { kind: "tuple", elems: bars } : (bars[0] ?? NUM);
  if (f.shape(of.result).kind !== "num")
    f.refuse("TSG2003", at, form, f.textOf(at), "another type", "");
  return {
    name,
    result: withValue ? { kind: "tuple", elems: [of.result, cotangent] } : cotangent,
    args: of.args,
    asked,
    params: of.params,
    captured: of.captured,
    aux,
  };
}

/** `jvp(g)([x, y], [dx, dy])` */
function pushedForward(
  f: Frame,
  { fn, options }: Derived,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  const [primals, tangents] = args.map((arg) => listed(f, arg, at));
  const of = lift(f, fn, primals ?? [], at);
  const numeric = [...of.positions].filter(([, i]) =>
    hasNumbers(of.params[i]?.type ?? NUM, f.ctx.types),
  );
  const both = forwardCall(
    f,
    of,
    {
      active: numeric.map(([, i]) => i),
      tangents: numeric.map(([k]) => tangents?.[k] ?? num(0)),
    },
    options.hasAux ? "t" : wanted,
    ownTangents(f, at) ? {} : { preservesTangents: true },
  );
  if (!options.hasAux) return both;
  const shape = f.shape(of.result);
  if (shape.kind !== "tuple") return f.refuse("TSG2006", at, "jvp", f.textOf(at), "another type");
  const part = (half: 0 | 1, i: 0 | 1): Atom => {
    const type = half === 0 ? of.result : shadowOf(f, of.result);
    const inner = f.shape(type);
    const whole = f.b.load("t", type, both, field(String(half)));
    return f.b.load(
      "t",
      inner.kind === "tuple" ? (inner.elems[i] ?? NUM) : NUM,
      whole,
      field(String(i)),
    );
  };
  return buildTuple(f, [part(0, 0), part(1, 0), part(0, 1)], wanted);
}

/** Whether a call's tangents are fresh, so that the derivative may write them. */
const ownTangents = (f: Frame, at: ts.Node): boolean =>
  f.api.isCallExpression(at) && at.arguments[1] !== undefined && isMadeHere(f, at.arguments[1]);

/** Whether a tangent is built in place, as in `jvp(g)([x], [[1, k]])`, so nothing else holds it. */
function isMadeHere(f: Frame, expression: ts.Expression): boolean {
  const { api } = f;
  const node = bare(expression, f.api);
  if (api.isArrayLiteralExpression(node))
    return node.elements.every((part) =>
      api.isSpreadElement(part) ? isListOfNumbers(f, part.expression) : isMadeHere(f, part),
    );
  if (api.isObjectLiteralExpression(node))
    return node.properties.every(
      (part) => api.isPropertyAssignment(part) && isMadeHere(f, part.initializer),
    );
  return (
    (f.ctx.checker.getTypeAtLocation(node).flags &
      (api.TypeFlags.NumberLike | api.TypeFlags.Undefined)) !==
    0
  );
}

function isListOfNumbers(f: Frame, node: ts.Expression): boolean {
  const element = f.ctx.checker.getTypeAtLocation(node).getNumberIndexType();
  return element !== undefined && (element.flags & f.api.TypeFlags.NumberLike) !== 0;
}

/** `hvp(g)([x], v)` */
function hessianProduct(
  f: Frame,
  derived: Derived,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  const [primals, tangent] = args;
  if (tangent === undefined || isFn(tangent)) return f.refuse("TSG1124", at, f.textOf(at));
  const made = gradientCall(
    f,
    { ...derived, form: "grad" },
    primals === undefined ? [] : listed(f, primals, at),
    at,
  );
  const tangents = derived.options.tuple ? listed(f, tangent, at) : [tangent];
  const both = forwardCall(f, made, { active: made.asked, tangents }, "t");
  const product = f.b.load(
    made.aux === null ? wanted : "t",
    shadowOf(f, made.result),
    both,
    field("1"),
  );
  return made.aux === null ? product : buildTuple(f, [product, made.aux], wanted);
}

/** Active arguments and their tangents. */
export interface Directions {
  readonly active: readonly number[];
  readonly tangents: readonly Atom[];
}

/** `[value, tangent]` of a function of the program. `held`: see Derivation. */
export function forwardCall(
  f: Frame,
  of: Pick<Lifted, "name" | "result" | "args" | "params">,
  { active, tangents }: Directions,
  wanted: string,
  held: Pick<Derivation, "pure" | "preservesTangents"> = { pure: true },
): Atom {
  const callee = names.fwd(of.name, labelsOf(of.params, active, f.ctx.types));
  f.ctx.derive(callee, { mode: "fwd", of: of.name, requested: active, tuple: false, ...held });
  const type: Type = { kind: "tuple", elems: [of.result, shadowOf(f, of.result)] };
  return f.let(wanted, type, { kind: "call", callee, args: [...of.args, ...tangents] });
}

export const shadowOf = (f: Frame, type: Type): Type => shadowType(type, f.ctx.types) ?? type;

/** Requested positions among the arguments of the lifted function. */
export function requestedPositions(
  f: Frame,
  options: Options,
  lifted: Lifted,
  at: ts.Node,
): readonly number[] {
  return options.argnums.map((position) => {
    const found = lifted.positions.get(position);
    if (found === undefined)
      return f.refuse(
        "TSG1004",
        at,
        String(position),
        f.textOf(at),
        `${lifted.positions.size} arguments`,
        String(lifted.positions.size - 1),
      );
    const type = lifted.params[found]?.type ?? NUM;
    return hasNumbers(type, f.ctx.types)
      ? found
      : f.refuse("TSG2004", at, f.textOf(at), lifted.params[found]?.name ?? "", "no number");
  });
}

/** The elements of a tuple of arguments. */
function listed(f: Frame, arg: Arg, at: ts.Node): readonly Atom[] {
  if (isFn(arg)) return f.refuse("TSG1124", at, f.textOf(at));
  const value = unwrap(f, arg);
  const shape = f.shape(value.type);
  if (shape.kind !== "tuple") return f.refuse("TSG1111", at, f.textOf(at));
  return shape.elems.map((elem, i) => f.b.load("t", elem, value, field(String(i))));
}

/** A copy of an argument, unaffected by later writes. */
function snapshot(f: Frame, arg: Atom, at: ts.Node, otherwise: NotHeld): Atom {
  if (arg.kind !== "var") return arg;
  const shadow = shadowType(arg.type, f.ctx.types);
  if (shadow === null || isScalarType(shadow))
    return f.let("t", arg.type, { kind: "copy", atom: arg });
  if (isPlain(arg.type, f.ctx.types))
    return f.let(arg.name, arg.type, { kind: "clone", object: arg });
  return otherwise === "TSG1023"
    ? f.refuse("TSG1023", at, f.textOf(at), baseName(arg.name))
    : f.refuse("TSG1009", at, "a pullback whose arguments are no numbers, arrays or plain records");
}

// ------------------------------------------------------------------------------------ lifting

/** The function as a function of the program, for these arguments. */
export function lift(f: Frame, fn: Fn, args: readonly Arg[], at: ts.Node): Lifted {
  if (
    fn.kind === "derived" &&
    !fn.options.hasAux &&
    (fn.form === "grad" || fn.form === "valueAndGrad")
  ) {
    const made = gradientCall(f, fn, args, at);
    return {
      name: made.name,
      params: made.params,
      result: made.result,
      args: made.args,
      positions: positionsOf(args),
      captured: made.captured,
    };
  }
  const known = ofProgram(f, fn, args, at);
  if (known !== null) return known;
  const { params: given, inner } = parametersFor(f, args, parameterNames(f, fn));
  let result: Type = { kind: "void" };
  const body = f.nested(() => {
    const value = applyFn(f, fn, inner, at);
    if (value === null) return f.refuse("TSG2005", at, f.textOf(at), "void");
    result = value.type;
    return [value];
  });
  const captured = [...capturedBy(f, body, given, at).values()];
  const name = f.ctx.reserveName();
  const own = withDistinctNames([...given, ...captured], body);
  f.ctx.addLifted({ name, home: name, ...own, result, origin: f.ctx.originOf(at) });
  return {
    name,
    params: own.params,
    result,
    args: [...args.filter((arg): arg is Atom => !isFn(arg)), ...captured],
    positions: positionsOf(args),
    captured,
  };
}

function positionsOf(args: readonly Arg[]): ReadonlyMap<number, number> {
  const positions = new Map<number, number>();
  for (const [k, arg] of args.entries()) if (!isFn(arg)) positions.set(k, positions.size);
  return positions;
}

/** A plain function of the program keeps its own name. */
function ofProgram(f: Frame, fn: Fn, args: readonly Arg[], at: ts.Node): Lifted | null {
  if (fn.kind !== "program" || args.some(isFn) || isOnlyInlined(f, fn.symbol)) return null;
  const name = f.ctx.callee(fn.symbol, at);
  const head = f.ctx.declarationOf(fn.symbol, at);
  if (head === null || name === null) throw new Rejected();
  const params = head.parameters.map((parameter, i): Var => ({
    kind: "var",
    name: parameterName(f, parameter, i),
    type: parameterType(f, parameter),
  }));
  const values = params.map((_, i): Atom => {
    const arg = args[i];
    return arg === undefined || isFn(arg) ? UNDEFINED : arg;
  });
  return {
    name,
    params,
    result: resultType(f, head, at),
    args: values,
    positions: new Map(params.map((_, i) => [i, i])),
    captured: [],
  };
}
