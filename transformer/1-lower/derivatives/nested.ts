// Forms inside of functions that are differentiated: `grad(g)(x)`, `vjp(g)(x)`, … in a body. In: the form, the function it is asked of, arguments. Out: a
// call of the derivative, which is written before the function around it is differentiated. Invariant: the function is one of the program or is made one:
// what a closure sees of its surroundings becomes further parameters, so that the derivative is a function of all that it depends on.

import type ts from "typescript";
import { field, num, NUM } from "../../ir/build.ts";
import { labelsOf } from "../../ir/derivation.ts";
import type { Derivation, Form } from "../../ir/facts.ts";
import * as names from "../../ir/names.ts";
import { hasNumbers, isPlain, isScalarType, shadowType } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { resultType } from "../functions/call-types.ts";
import { applyFn, isFn, type Arg } from "../functions/closures.ts";
import { isOnlyInlined } from "../functions/specialisation.ts";
import { UNDEFINED, unwrap } from "../coerce.ts";
import type { Fn, Frame } from "../frame.ts";
import { applyDense } from "./dense.ts";
import { isMadeHere } from "../sites/given-tangents.ts";
import {
  capturedBy,
  parameterName,
  parameterNames,
  parametersFor,
  parameterType,
  withDistinctNames,
} from "../functions/lambda-lifting.ts";
import { optionsOf, type Options } from "../sites/options.ts";
import { nameOf } from "../sites/targets.ts";
import { resolveFn } from "../resolve.ts";

export type Derived = Fn & { readonly kind: "derived" };

/** `grad(g)` as a function value; null where the call is of no form. */
export function derivedFn(f: Frame, call: ts.CallExpression): Fn | null {
  const symbol = f.ctx.checker.getSymbolAtLocation(nameOf(call.expression, f.api));
  const form = symbol === undefined ? null : f.ctx.formOf(symbol);
  const target = call.arguments[0];
  if (form === null || target === undefined) return null;
  if (form === "differentiable") return resolveFn(f, target);
  if (!ANSWERED.has(form)) return f.refuse("TSG1009", call, form);
  const options = optionsOf(form, call.arguments[1], f.api, (code, at, ...args) => {
    f.ctx.report(code, at, ...args);
  });
  const fn = resolveFn(f, target);
  if (options === null || fn === null) return f.refuse("TSG1001", target, f.textOf(target));
  if (options.into) return f.refuse("TSG1022", call, form, "its caller is differentiated, too");
  return { kind: "derived", form, fn, options };
}

const ANSWERED: ReadonlySet<Form> = new Set<Form>([
  "grad",
  "valueAndGrad",
  "vjp",
  "jvp",
  "hvp",
  "linearize",
  "jacfwd",
  "jacrev",
  "hessian",
]);

/** A function of the program, and what it takes behind the arguments: what a closure has captured. */
export interface Lifted {
  readonly name: string;
  readonly params: readonly Var[];
  readonly result: Type;
  /** The arguments of a call, captured values included. */
  readonly args: readonly Atom[];
  /** By position of the user's arguments: position among these. */
  readonly positions: ReadonlyMap<number, number>;
}

/** Calls a derivative; null where it gives no value. */
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
      const given = f.let(made.aux === null ? wanted : "t", made.type, {
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
  if (form === "grad") return pairOf(f, [given, aux], wanted);
  const elems = given.type.kind === "tuple" ? given.type.elems : [];
  const [value, cotangent] = elems.map((type, i) =>
    f.let("t", type, { kind: "load", object: given, key: field(String(i)) }),
  );
  return value === undefined || cotangent === undefined
    ? given
    : pairOf(f, [pairOf(f, [value, aux], "t"), cotangent], wanted);
}

/** A tuple of atoms. */
export const pairOf = (f: Frame, elems: readonly Atom[], wanted: string): Atom =>
  f.let(wanted, { kind: "tuple", elems: elems.map(({ type }) => type) }, { kind: "tuple", elems });

/** `[value, pullback]` of `vjp(g)(x)`: the pullback is a function that is known, and computes from the arguments as they were. */
export function pulledBack(
  f: Frame,
  derived: Derived,
  args: readonly Arg[],
  at: ts.Node,
): Fn & { readonly kind: "members" } {
  const { of, aux } = lifted(f, derived, args, at, true);
  const value = f.let("value", of.result, { kind: "call", callee: of.name, args: of.args });
  return {
    kind: "members",
    parts: new Map<string, Arg>([
      ["0", value],
      ["1", pullbackFn(f, derived, of, at)],
      ...(aux === null ? [] : [["2", aux] as const]),
    ]),
    isList: true,
    isWhole: true,
  };
}

export const pullbackFn = (
  f: Frame,
  derived: Derived,
  of: Lifted,
  at: ts.Node,
): Fn & { readonly kind: "pullback" } => ({
  kind: "pullback",
  form: derived,
  of: of.name,
  params: of.params,
  result: of.result,
  args: of.args,
  asked: askedOf(f, derived.options, of, at),
  position: (k) => of.positions.get(k),
});

/** The part of a function that is differentiated, and the rest. */
export interface Split {
  readonly of: Lifted;
  /** Null without `hasAux`. */
  readonly aux: Atom | null;
}

/** The function of the program that a form is asked of. `held`: with the arguments as they are now. */
export function lifted(
  f: Frame,
  { fn, form, options }: Derived,
  args: readonly Arg[],
  at: ts.Node,
  held = false,
): Split {
  const found = lift(f, fn, args, at);
  const of = held ? { ...found, args: found.args.map((arg) => snapshot(f, arg, at)) } : found;
  if (!options.hasAux) return { of, aux: null };
  const shape = f.shape(of.result);
  const [first, second] = shape.kind === "tuple" ? shape.elems : [];
  if (first === undefined || second === undefined)
    return f.refuse("TSG2006", at, form, f.textOf(at), "another type");
  const both = f.let("t", of.result, { kind: "call", callee: of.name, args: of.args });
  return {
    of: firstOf(f, of, first, at),
    aux: f.let("aux", second, { kind: "load", object: both, key: field("1") }),
  };
}

/** `g(x)[0]` as a function. */
function firstOf(f: Frame, of: Lifted, result: Type, at: ts.Node): Lifted {
  const body = f.nested(() => {
    const both = f.let("t", of.result, { kind: "call", callee: of.name, args: of.params });
    return [f.let("value", result, { kind: "load", object: both, key: field("0") })];
  });
  const name = f.ctx.reserve();
  f.ctx.lifted({ name, home: name, params: of.params, result, body, origin: f.ctx.originOf(at) });
  return { ...of, name, result };
}

/** `[value, pullback]` of `f.vjp(x)`, where a rule is given `f`: the pullback gives the cotangent of the function, too. */
export function givenBack(
  f: Frame,
  { fn, outside }: Fn & { readonly kind: "givenVjp" },
  args: readonly Arg[],
  at: ts.Node,
): Fn & { readonly kind: "members" } {
  const form: Derived = {
    kind: "derived",
    form: "vjp",
    fn,
    options: {
      argnums: [],
      tuple: false,
      hasAux: false,
      into: false,
      engine: null,
      argnumsAt: null,
    },
  };
  const made = pulledBack(f, form, args, at);
  const pullback = made.parts.get("1");
  if (pullback === undefined || !isFn(pullback) || pullback.kind !== "pullback") return made;
  return { ...made, parts: new Map<string, Arg>([...made.parts, ["1", { ...pullback, outside }]]) };
}

/** `pullback(v)` */
export function applyPullback(
  f: Frame,
  fn: Fn & { readonly kind: "pullback" },
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  const [seed] = args;
  if (seed === undefined || isFn(seed)) return f.refuse("TSG1124", at, f.textOf(at));
  const all = fn.params.flatMap((param, i) => (hasNumbers(param.type, f.ctx.types) ? [i] : []));
  const bars = pullCall(
    f,
    { name: fn.of, params: fn.params, result: fn.result, args: fn.args },
    all,
    seed,
  );
  const bar = (position: number): Atom =>
    bars[all.indexOf(position)] ?? {
      kind: "const",
      type: { kind: "leaf", text: "undefined" },
      value: undefined,
    };
  const { options } = fn.form;
  if (options.argnums.length > 0 && !options.tuple) return bar(fn.asked[0] ?? 0);
  const wantedPositions =
    options.argnums.length > 0
      ? fn.asked
      : fn.params.flatMap((_, i) => (fn.position(i) === undefined ? [] : [fn.position(i) ?? 0]));
  const parts = wantedPositions.map(bar);
  if (fn.outside !== undefined)
    parts.push(
      functionCotangent(f, fn.outside, (variable) => {
        const at = fn.params.findIndex(({ name: own }) => own === variable.name);
        return at < 0 ? null : bar(at);
      }),
    );
  return f.let(
    wanted,
    { kind: "tuple", elems: parts.map((part) => part.type) },
    { kind: "tuple", elems: parts },
  );
}

/** The cotangents of these arguments for a cotangent of the result. */
export function pullCall(
  f: Frame,
  of: Pick<Lifted, "name" | "params" | "result" | "args">,
  asked: readonly number[],
  seed: Atom,
): readonly Atom[] {
  const bars = asked.map((i) => shadowOf(f, of.params[i]?.type ?? NUM));
  const name = names.pull(of.name, {
    names: labelsOf(of.params, asked, f.ctx.types),
    tuple: false,
  });
  derive(f, name, { mode: "pull", of: of.name, asked, tuple: true, pure: true });
  const both = f.let(
    "t",
    { kind: "tuple", elems: [of.result, { kind: "tuple", elems: bars }] },
    { kind: "call", callee: name, args: [...of.args, seed] },
  );
  const list = f.let(
    "t",
    { kind: "tuple", elems: bars },
    { kind: "load", object: both, key: field("1") },
  );
  return bars.map((type, k) =>
    f.let("t", type, { kind: "load", object: list, key: field(String(k)) }),
  );
}

/** The cotangent of a function: those of what it sees of its surroundings, 0 where it does not look. */
export function functionCotangent(
  f: Frame,
  outside: readonly Var[],
  barOf: (variable: Var) => Atom | null,
): Atom {
  const elems = outside.map((variable): Atom => {
    const type = shadowOf(f, variable.type);
    return (
      barOf(variable) ??
      (type.kind === "num" ? num(0) : f.let("t", type, { kind: "zeros", like: variable }))
    );
  });
  return f.let(
    "t",
    { kind: "tuple", elems: elems.map(({ type }) => type) },
    { kind: "tuple", elems },
  );
}

interface Call {
  readonly name: string;
  readonly type: Type;
  readonly args: readonly Atom[];
  /** Positions asked for, among the arguments. */
  readonly asked: readonly number[];
  readonly params: readonly Var[];
  /** What the function gives beside its value, with `hasAux`. */
  readonly aux: Atom | null;
}

/** The gradient of the value alone. */
export function gradientCall(f: Frame, derived: Derived, args: readonly Arg[], at: ts.Node): Call {
  const { form, options } = derived;
  const { of, aux } = lifted(f, derived, args, at);
  const asked = askedOf(f, options, of, at);
  const withValue = form === "valueAndGrad";
  const isDefault = !options.tuple && asked.length === 1 && asked[0] === 0;
  const labels: names.Asked = {
    names: isDefault ? null : asked.map((i) => of.params[i]?.name ?? String(i)),
    tuple: options.tuple,
  };
  const name = (withValue ? names.vag : names.grad)(of.name, labels);
  derive(f, name, {
    mode: withValue ? "vag" : "grad",
    of: of.name,
    asked,
    tuple: options.tuple,
    pure: true,
  });
  const bars = asked.map((i) => shadowOf(f, of.params[i]?.type ?? NUM));
  const cotangent: Type = options.tuple ? { kind: "tuple", elems: bars } : (bars[0] ?? NUM);
  if (f.shape(of.result).kind !== "num")
    f.refuse("TSG2003", at, form, f.textOf(at), "another type");
  return {
    name,
    type: withValue ? { kind: "tuple", elems: [of.result, cotangent] } : cotangent,
    args: of.args,
    asked,
    params: of.params,
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
    numeric.map(([, i]) => i),
    numeric.map(([k]) => tangents?.[k] ?? num(0)),
    of.name,
    of.result,
    options.hasAux ? "t" : wanted,
    ownTangents(f, at) ? {} : { keepsTangents: true },
  );
  if (!options.hasAux) return both;
  const shape = f.shape(of.result);
  if (shape.kind !== "tuple") return f.refuse("TSG2006", at, "jvp", f.textOf(at), "another type");
  const part = (half: 0 | 1, i: 0 | 1): Atom => {
    const type = half === 0 ? of.result : shadowOf(f, of.result);
    const inner = f.shape(type);
    const whole = f.let("t", type, { kind: "load", object: both, key: field(String(half)) });
    return f.let("t", inner.kind === "tuple" ? (inner.elems[i] ?? NUM) : NUM, {
      kind: "load",
      object: whole,
      key: field(String(i)),
    });
  };
  return pairOf(f, [part(0, 0), part(1, 0), part(0, 1)], wanted);
}

const ownTangents = (f: Frame, at: ts.Node): boolean =>
  f.api.isCallExpression(at) && at.arguments[1] !== undefined && isMadeHere(f, at.arguments[1]);

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
  const both = forwardCall(f, made, made.asked, tangents, made.name, made.type, "t");
  const product = f.let(made.aux === null ? wanted : "t", shadowOf(f, made.type), {
    kind: "load",
    object: both,
    key: field("1"),
  });
  return made.aux === null ? product : pairOf(f, [product, made.aux], wanted);
}

/** `[value, tangent]` of a function of the program. `held`: see Derivation. */
export function forwardCall(
  f: Frame,
  of: Pick<Lifted, "args" | "params">,
  active: readonly number[],
  tangents: readonly Atom[],
  name: string,
  result: Type,
  wanted: string,
  held: Pick<Derivation, "pure" | "keepsTangents"> = { pure: true },
): Atom {
  const callee = names.fwd(name, labelsOf(of.params, active, f.ctx.types));
  derive(f, callee, { mode: "fwd", of: name, asked: active, tuple: false, ...held });
  const type: Type = { kind: "tuple", elems: [result, shadowOf(f, result)] };
  return f.let(wanted, type, { kind: "call", callee, args: [...of.args, ...tangents] });
}

export const shadowOf = (f: Frame, type: Type): Type => shadowType(type, f.ctx.types) ?? type;

const derive = (f: Frame, name: string, derivation: Derivation): void => {
  f.ctx.derive(name, derivation);
};

/** Positions among the arguments. */
export function askedOf(
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

/** The values of a list of arguments. */
function listed(f: Frame, arg: Arg, at: ts.Node): readonly Atom[] {
  if (isFn(arg)) return f.refuse("TSG1124", at, f.textOf(at));
  const value = unwrap(f, arg);
  const shape = f.shape(value.type);
  if (shape.kind !== "tuple") return f.refuse("TSG1111", at, f.textOf(at));
  return shape.elems.map((elem, i) =>
    f.let("t", elem, { kind: "load", object: value, key: field(String(i)) }),
  );
}

/** An argument as it is now. */
function snapshot(f: Frame, arg: Atom, at: ts.Node): Atom {
  if (arg.kind !== "var") return arg;
  const shadow = shadowType(arg.type, f.ctx.types);
  if (shadow === null || isScalarType(shadow))
    return f.let("t", arg.type, { kind: "copy", atom: arg });
  return isPlain(arg.type, f.ctx.types)
    ? f.let(arg.name, arg.type, { kind: "clone", object: arg })
    : f.refuse("TSG1009", at, "a pullback whose arguments are no numbers, arrays or plain records");
}

// ------------------------------------------------------------------------------------------------------ lifting

/** The function as one of the program, for these arguments. */
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
      result: made.type,
      args: made.args,
      positions: positionsOf(args),
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
  const name = f.ctx.reserve();
  const own = withDistinctNames([...given, ...captured], body);
  f.ctx.lifted({ name, home: name, ...own, result, origin: f.ctx.originOf(at) });
  return {
    name,
    params: own.params,
    result,
    args: [...args.filter((arg): arg is Atom => !isFn(arg)), ...captured],
    positions: positionsOf(args),
  };
}

function positionsOf(args: readonly Arg[]): ReadonlyMap<number, number> {
  const positions = new Map<number, number>();
  for (const [k, arg] of args.entries()) if (!isFn(arg)) positions.set(k, positions.size);
  return positions;
}

/** A function of the program goes by its own name. */
function ofProgram(f: Frame, fn: Fn, args: readonly Arg[], at: ts.Node): Lifted | null {
  if (fn.kind !== "program" || args.some(isFn) || isOnlyInlined(f, fn.symbol)) return null;
  const head = f.ctx.headOf(fn.symbol, at);
  const name = head === null ? null : f.ctx.callee(fn.symbol, at);
  if (head === null || name === null) return f.refuse("TSG1001", at, fn.symbol.name);
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
  };
}
