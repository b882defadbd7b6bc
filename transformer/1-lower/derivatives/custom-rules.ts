// Calls of functions with a derivative that the user wrote, and of `checkpoint(f)`. Input: such a
// function and a call's arguments. Output: a call of a lowered function that names its rule. `f`
// gives the value and the rule the derivative. The rule is an ordinary function, so it is
// differentiated for second derivatives (Estep §2-3).

import type ts from "typescript";
import { field, NUM } from "../../ir/build.ts";
import { type CallLet, isCall } from "../../ir/calls.ts";
import * as names from "../../ir/names.ts";
import { printType } from "../../ir/print.ts";
import { renameBody, substitute } from "../../ir/rename.ts";
import { hasNumbers, shadowType } from "../../ir/shadow.ts";
import type { Atom, Body, Func, SingleRunRule, Stmt, Type, Var } from "../../ir/types.ts";
import { applyFn } from "../lowering.ts";
import { isFn, type Arg, type Fn, type Made } from "../function-values.ts";
import { inline } from "../functions/inlining.ts";
import { UNDEFINED } from "../coerce.ts";
import type { Frame } from "../frame.ts";
import { capturedBy, parametersFor, withDistinctNames } from "../functions/lambda-lifting.ts";
import { splitRule, readParams, type Written } from "./single-evaluation-rules.ts";
import {
  type Custom,
  inlineVjpRule,
  pairType,
  type RuleCall,
  type RuleNotes,
} from "./pullback-rules.ts";
import { nameOfRuled } from "../sites/quoted-code.ts";
import { buildTuple } from "./nested.ts";

export type { Custom } from "./pullback-rules.ts";

/** Calls the function. With a schedule it is inlined, so that its loops are visible here. */
function withSchedule(
  f: Frame,
  { fn, schedule }: Custom,
  args: readonly Arg[],
  at: ts.Node,
): Atom | null {
  const node =
    schedule === undefined
      ? null
      : fn.kind === "closure"
        ? fn.node
        : fn.kind === "program"
          ? f.ctx.bodyOf(fn.symbol)
          : null;
  if (schedule === undefined) return applyFn(f, fn, args, at);
  if (node === null) return f.refuse("TSG1113", at, f.textOf(at));
  const { schedule: outer } = f;
  f.schedule = { kind: schedule, of: node };
  try {
    const env = fn.kind === "closure" ? fn.env : f.outside;
    return inline(f, { node, env }, args, at, "t");
  } finally {
    f.schedule = outer;
  }
}

/**
 * Calls a function with a rule. Calls of equal types share one function. A rule that calls its own
 * function with the same functions as arguments calls that function while it is being lifted.
 */
export function applyCustom(
  f: Frame,
  custom: Custom,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  const key = keyOf(f, custom, args);
  const known = f.ruleFunctions.get(key);
  if (known !== undefined) f.calledRules.add(key);
  const made = known ?? liftCustom(f, custom, args, at, key);
  const atoms = args.filter((arg): arg is Atom => !isFn(arg));
  return f.let(wanted, made.result, {
    kind: "call",
    callee: made.name,
    args: [...atoms, ...made.captured],
  });
}

/** Equal for calls of one function with one rule, with equal types and the same functions. */
function keyOf(f: Frame, custom: Custom, args: readonly Arg[]): string {
  const parts = args.map((arg) => (isFn(arg) ? identityOf(f, arg) : printType(arg.type)));
  const isInFunction = f.api.findAncestor(custom.at, f.api.isFunctionLike) !== undefined;
  const made = isInFunction ? [custom.fn, ...(custom.rule === null ? [] : [custom.rule])] : [];
  return [f.idOf(custom.at), ...made.map((fn) => identityOf(f, fn)), ...parts].join();
}

/** Equal for equal functions that see the same bindings. */
function identityOf(f: Frame, fn: Fn): string {
  switch (fn.kind) {
    case "closure":
      return `${f.idOf(fn.node)}:${f.idOf(fn.env)}`;
    case "program":
      return `${f.idOf(fn.symbol)}`;
    case "given":
      return identityOf(f, fn.fn);
    default:
      return `${f.idOf(fn)}`;
  }
}

/** How often a rule may be lifted within itself, each time for other functions as arguments. */
const MAX_NESTED = 6;

/** Lifts the function and its rule to functions of the program. */
function liftCustom(
  f: Frame,
  custom: Custom,
  args: readonly Arg[],
  at: ts.Node,
  key: string,
): Made {
  const { inlining, liftedRules } = f;
  if (liftedRules.filter((each) => each === custom.at).length >= MAX_NESTED)
    return f.refuse("TSG1123", at, custom.shown);
  // what is lifted has a body of its own: to inline in it what is being inlined is no recursion
  f.inlining = [];
  f.liftedRules = [...liftedRules, custom.at];
  try {
    const made = lifted(f, custom, args, at, key);
    // what a function captures may differ from call to call
    if (made.captured.length > 0 || args.some(isFn)) f.ruleFunctions.delete(key);
    return made;
  } finally {
    f.inlining = inlining;
    f.liftedRules = liftedRules;
  }
}

function lifted(f: Frame, custom: Custom, args: readonly Arg[], at: ts.Node, key: string): Made {
  const { params: given, inner } = parametersFor(f, args);
  const name = f.ctx.reserveName(ownName(custom));
  const primal = bodyOf(f, () => withSchedule(f, custom, inner, at));
  const result = primal.result[0]?.type;
  if (result === undefined || !hasNumbers(result, f.ctx.types))
    return f.refuse("TSG2005", at, custom.shown, "void");
  const outside = capturedBy(f, primal, given, at);
  // captures of functions among the arguments: the rule gives their cotangents
  const seen = args.some(isFn)
    ? [...outside.values()].filter(({ type }) => hasNumbers(type, f.ctx.types))
    : [];
  const first: RuleCall = {
    custom,
    args: inner,
    given,
    seen,
    seed: {
      kind: "var",
      name: f.names.fresh("seed"),
      type: shadowType(result, f.ctx.types) ?? NUM,
    },
    dots: dotsOf(f, given),
    result,
    at,
  };
  const { call, rule, end, captured } = ruleWithNamed(f, first, outside, { key, name });
  const params = [...given, ...captured];
  const head = { name, params, origin: f.ctx.originOf(at) };
  const once =
    rule === null || end === null
      ? null
      : liftOnce(
          f,
          head,
          call.seed,
          primal,
          withOwnCallInlined(f, head, primal, { ...end, body: rule }),
        );
  const count = given.length + call.seen.length;
  const ruled = { mode: custom.mode, given: count, ...(once === null ? {} : { once }) };
  f.ctx.addLifted({
    name,
    home: name,
    ...withDistinctNames(params, primal),
    result,
    origin: head.origin,
    ...(custom.schedule === undefined ? { rule: ruled } : {}),
  });
  if (rule !== null) liftRule(f, head, call, rule);
  return { name, result, captured };
}

/** The rule, and the call with the captures that it names. A rule that names some is read again. */
function ruleWithNamed(
  f: Frame,
  call: RuleCall,
  outside: ReadonlyMap<string, Var>,
  own: { readonly key: string; readonly name: string },
): Ruled & { readonly captured: readonly Var[]; readonly call: RuleCall } {
  const ruled = ruleWithCaptures(f, call, outside, own);
  const known = new Set(call.seen.map(({ name }) => name));
  const more = ruled.named.filter(({ name }) => !known.has(name));
  return more.length === 0
    ? { ...ruled, call }
    : ruleWithNamed(f, { ...call, seen: [...call.seen, ...more] }, outside, own);
}

/** The rule's body, and what it captures: also what it passes where it calls its own function. */
function ruleWithCaptures(
  f: Frame,
  call: RuleCall,
  outside: ReadonlyMap<string, Var>,
  { key, name }: { readonly key: string; readonly name: string },
): Ruled & { readonly captured: readonly Var[] } {
  const { result } = call;
  for (let captured = captures(f, call, outside, null); ;) {
    f.ruleFunctions.set(key, { name, result, captured });
    f.calledRules.delete(key);
    const ruled = ruleOf(f, call);
    const all = captures(f, call, outside, ruled.rule);
    if (all.length === captured.length || !f.calledRules.has(key))
      return { ...ruled, captured: all };
    captured = all;
  }
}

function ownName({ shown, mode }: Custom): string {
  const base = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(shown) ? shown : "f";
  return `${base}$${mode === "checkpoint" ? "checkpoint" : "custom"}`;
}

/** The captures of the function and its rule, those with cotangents first. */
function captures(
  f: Frame,
  { seen, given, dots, seed, at }: RuleCall,
  outside: ReadonlyMap<string, Var>,
  rule: Body | null,
): readonly Var[] {
  const all = new Map([
    ...seen.map((variable): [string, Var] => [variable.name, variable]),
    ...outside,
    ...(rule === null ? [] : capturedBy(f, rule, [...given, ...dots, seed], at)),
  ]);
  return [...all.values()];
}

const dotsOf = (f: Frame, params: readonly Var[]): readonly Var[] =>
  params
    .filter(({ type }) => hasNumbers(type, f.ctx.types))
    .map((param): Var => ({
      kind: "var",
      name: f.names.derivative(names.dot(param.name)),
      type: shadowType(param.type, f.ctx.types) ?? NUM,
    }));

interface Ruled {
  readonly rule: Body | null;
  readonly end: Omit<Written, "body"> | null;
  /** Variables that the function captures, of which the rule gives cotangents. */
  readonly named: readonly Var[];
}

/** The rule's body; null for `checkpoint`. `end`: its return, if that is in no branch or loop. */
function ruleOf(f: Frame, call: RuleCall): Ruled {
  const { mode } = call.custom;
  if (mode === "checkpoint") return { rule: null, end: null, named: [] };
  const named = new Map<string, Var>();
  const found: { end: Omit<Written, "body"> | null } = { end: null };
  const notes: RuleNotes = {
    end: (end) => {
      found.end = end;
    },
    named: (variable) => named.set(variable.name, variable),
  };
  const rule = bodyOf(f, () =>
    mode === "vjp" ? inlineVjpRule(f, call, notes) : pushedByRule(f, call),
  );
  return { rule, end: found.end, named: [...named.values()] };
}

interface Head {
  readonly name: string;
  readonly params: readonly Var[];
  readonly origin: Func["origin"];
}

function liftRule(f: Frame, { name, params, origin }: Head, call: RuleCall, body: Body): void {
  const { custom, result, seed, dots } = call;
  const isPulled = custom.mode === "vjp";
  const own = f.ctx.reserveName(
    isPulled ? names.pull(name, { names: null, tuple: false }) : names.fwd(name, null),
  );
  f.ctx.addLifted({
    name: own,
    home: own,
    params: [...params, ...(isPulled ? [seed] : dots)],
    result: isPulled ? pairType(f, call) : { kind: "tuple", elems: [result, seed.type] },
    body,
    origin,
  });
}

/**
 * The rule with `f` in place of a call of its own function with its own arguments, as in
 * `[f(x), …]`: the value is then computed once (Estep §3.1).
 */
function withOwnCallInlined(
  f: Frame,
  { name, params }: Head,
  primal: Body,
  written: Written,
): Written {
  const { body, boundary, value } = written;
  const at = body.stmts.findIndex(
    (stmt, i) => i < boundary && isCall(stmt) && stmt.expr.callee === name && passes(stmt, params),
  );
  const call = body.stmts[at];
  if (call?.kind !== "let") return written;
  const copy = renameBody(primal, f.names);
  const map = new Map(copy.result.map((atom) => [call.bind.name, atom]));
  const stmts = [...body.stmts.slice(0, at), ...copy.stmts, ...body.stmts.slice(at + 1)];
  const atomOf = (atom: Atom): Atom => (atom.kind === "var" ? (map.get(atom.name) ?? atom) : atom);
  return {
    ...written,
    body: substitute({ ...body, stmts }, map),
    boundary: boundary + copy.stmts.length - 1,
    value: atomOf(value),
    bars: atomOf(written.bars),
  };
}

const passes = ({ expr: { args } }: CallLet, params: readonly Var[]): boolean =>
  args.length === params.length &&
  args.every((arg, i) => arg.kind === "var" && arg.name === params[i]?.name);

/** Lifts the two parts of a rule that executes once; null for one that does not. */
function liftOnce(
  f: Frame,
  { name, params, origin }: Head,
  seed: Var,
  primal: Body,
  written: Written,
): SingleRunRule | null {
  const parts = splitRule(primal, written, f.ctx.types);
  if (parts === null) return null;
  const { kept } = parts;
  const { value, bars } = written;
  const read = readParams(parts.back, params);
  const at = kept.findIndex((each) => value.kind === "var" && each.name === value.name);
  const rule = kept.every((_, i) => i === at) ? null : f.ctx.reserveName(names.ruleOf(name));
  const back = f.ctx.reserveName(names.backOf(name));
  const list: Var = {
    kind: "var",
    name: f.names.fresh("t"),
    type: { kind: "tuple", elems: [value.type, ...kept.map(({ type }) => type)] },
  };
  const result: Stmt = {
    kind: "let",
    bind: list,
    expr: { kind: "tuple", elems: [value, ...kept] },
    origin,
  };
  if (rule !== null)
    f.ctx.addLifted({
      name: rule,
      home: rule,
      ...withDistinctNames(params, { stmts: [...parts.rule.stmts, result], result: [list] }),
      result: list.type,
      origin,
      onceOf: name,
    });
  f.ctx.addLifted({
    name: back,
    home: back,
    ...withDistinctNames([...read.flatMap((i) => params[i] ?? []), ...kept, seed], parts.back),
    result: bars.type,
    origin,
  });
  return { rule, back, kept: kept.map(({ type }) => type), value: at < 0 ? null : at, read };
}

function bodyOf(f: Frame, make: () => Atom | null): Body {
  return f.nested(() => {
    const value = make();
    return value === null ? [] : [value];
  });
}

/** `[value, tangent]` as the rule returns it. */
function pushedByRule(f: Frame, { custom: { rule }, given, dots, result, at }: RuleCall): Atom {
  let next = 0;
  const tangents = given.map((param): Atom =>
    hasNumbers(param.type, f.ctx.types) ? (dots[next++] ?? param) : UNDEFINED,
  );
  const made =
    rule === null
      ? null
      : applyFn(f, rule, [buildTuple(f, given, "t"), buildTuple(f, tangents, "t")], at);
  const shape = made === null ? null : f.shape(made.type);
  if (made === null || shape?.kind !== "tuple" || shape.elems.length !== 2)
    return f.refuse("TSG1019", at, nameOfRuled(at, f.api), "it has to return `[value, tangent]`");
  const part = (i: number, type: Type): Atom => f.b.load("t", type, made, field(String(i)));
  return buildTuple(f, [part(0, result), part(1, shadowType(result, f.ctx.types) ?? NUM)], "t");
}
