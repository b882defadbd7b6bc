// Functions with a derivative of the user's own: `customVjp(f, rule)`, `customJvp(f, rule)`, and `checkpoint(f)`. In: such a function and the arguments of a
// call. Out: a call of a function that says which rule it has. Invariant: `f` gives the value and the rule the derivative; the rule is a function of the
// program like any other, so it is differentiated itself where second derivatives are asked for (Estep §2-3).

import type ts from "typescript";
import { field, index, num, NUM } from "../../ir/build.ts";
import * as names from "../../ir/names.ts";
import { printType } from "../../ir/print.ts";
import { hasNumbers, shadowType } from "../../ir/shadow.ts";
import type { Atom, Body, Func, Once, Schedule, Stmt, Type, Var } from "../../ir/types.ts";
import { applyFn, isFn, type Arg } from "../functions/closures.ts";
import { inline, writtenOut } from "../functions/inlining.ts";
import type { Fn, Frame } from "../frame.ts";
import { isVectorOp } from "../sites/forms.ts";
import { capturedBy, parametersFor, withDistinctNames } from "../functions/lambda-lifting.ts";
import { nameOf } from "../sites/targets.ts";
import { partsOf, readBy, type Written } from "./single-evaluation-rules.ts";
import { lowerExpr } from "../expression.ts";
import { argumentOf, mayHoldFunctions } from "../functions/known-functions.ts";
import { lowerCondition } from "../operators.ts";
import { opened, resolveFn } from "../resolve.ts";

export type Custom = Fn & { readonly kind: "custom" };

/** `customVjp(f, rule)` and the like as a function value; null for other calls. */
export function customFn(f: Frame, call: ts.CallExpression): Custom | null {
  const symbol = f.ctx.checker.getSymbolAtLocation(nameOf(call.expression, f.api));
  const operator = symbol === undefined ? null : f.ctx.operatorOf(symbol);
  if (
    operator === null ||
    isVectorOp(operator) ||
    operator === "stopGradient" ||
    operator === "addCotangents" ||
    operator === "scaleCotangent"
  )
    return null;
  if (operator === "defineDerivative") return definedFn(f, call);
  const [target, rule] = call.arguments;
  const fn = target === undefined ? null : resolveFn(f, target);
  if (target === undefined || fn === null)
    return f.refuse("TSG1001", target ?? call, f.textOf(target ?? call));
  if (operator === "checkpoint")
    return {
      kind: "custom",
      mode: "checkpoint",
      fn,
      rule: null,
      ...scheduleOf(f, rule),
      shown: f.textOf(target),
      at: call,
    };
  const given = rule === undefined ? null : resolveFn(f, rule);
  if (given === null) return f.refuse("TSG1001", rule ?? call, f.textOf(rule ?? call));
  return {
    kind: "custom",
    mode: operator === "customVjp" ? "vjp" : "jvp",
    fn,
    rule: given,
    shown: f.textOf(target),
    at: call,
  };
}

/** `defineDerivative(f, { vjp: rule })` as `f` with that rule. */
function definedFn(f: Frame, call: ts.CallExpression): Custom | null {
  const definition = f.ctx.definitionAt(call);
  if (definition === null) return null;
  const { target, mode, rule } = definition;
  const given: Fn | null = f.api.isMethodDeclaration(rule)
    ? { kind: "closure", node: rule, env: f.env }
    : resolveFn(f, rule);
  if (given === null) return f.refuse("TSG1001", rule, f.textOf(rule));
  return {
    kind: "custom",
    mode,
    fn: { kind: "outside", target },
    rule: given,
    shown: nameOf(target, f.api).getText(),
    at: call,
  };
}

/** `{ schedule: "log" }` */
function scheduleOf(
  f: Frame,
  options: ts.Expression | undefined,
): { readonly schedule?: Schedule } {
  if (options === undefined) return {};
  const { api } = f;
  if (!api.isObjectLiteralExpression(options))
    return f.refuse("TSG1003", options, "options", "checkpoint");
  for (const property of options.properties) {
    const name = property.name?.getText() ?? "options";
    if (!api.isPropertyAssignment(property))
      return f.refuse("TSG1003", property, name, "checkpoint");
    if (name !== "schedule")
      return f.refuse("TSG1006", property, name, "checkpoint", "the option is `schedule`");
    if (!api.isStringLiteralLike(property.initializer) || property.initializer.text !== "log")
      return f.refuse("TSG1003", property, name, "checkpoint");
    return { schedule: "log" };
  }
  return {};
}

/** Writes the function out, so that its loops are seen. */
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

/** `stopGradient(x)`: x, of which no derivative is asked; sums and multiples of the cotangents of functions. */
export function applyOperator(
  f: Frame,
  operator: "stopGradient" | "addCotangents" | "scaleCotangent",
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  const atoms = args.map((arg) => (isFn(arg) ? f.refuse("TSG1124", at, f.textOf(at)) : arg));
  const [first, second] = atoms;
  if (first === undefined) return f.refuse("TSG1124", at, f.textOf(at));
  if (operator === "stopGradient")
    return f.let(wanted, first.type, {
      kind: "extern",
      text: ["", ""],
      args: [first],
      effect: "pure",
      inert: true,
    });
  if (second === undefined) return f.refuse("TSG1124", at, f.textOf(at));
  return operator === "addCotangents"
    ? combined(f, first, second, (x, z) => f.b.add(x, z), at)
    : combined(f, second, second, (x) => f.b.mul(first, x), at);
}

/** A tuple of numbers and lists of numbers, each of two. */
function combined(f: Frame, x: Atom, z: Atom, make: (x: Atom, z: Atom) => Atom, at: ts.Node): Atom {
  const shape = f.shape(x.type);
  if (shape.kind !== "tuple")
    return f.refuse(
      "TSG1019",
      at,
      f.textOf(at),
      "only cotangents of functions are added and scaled by tsgrad",
    );
  const elems = shape.elems.map((type, i): Atom => {
    const [p, q] = [x, z].map((list) =>
      f.let("t", type, { kind: "load", object: list, key: field(String(i)) }),
    );
    if (p === undefined || q === undefined) return num(0);
    const inner = f.shape(type);
    if (inner.kind === "num") return make(p, q);
    if (inner.kind !== "array" || f.shape(inner.elem).kind !== "num")
      return f.refuse(
        "TSG1019",
        at,
        f.textOf(at),
        "the function sees something else than numbers and arrays of numbers",
      );
    return eachOf(f, p, q, inner, make);
  });
  return f.let("t", x.type, { kind: "tuple", elems });
}

function eachOf(
  f: Frame,
  x: Atom,
  z: Atom,
  type: Type & { readonly kind: "array" },
  make: (x: Atom, z: Atom) => Atom,
): Atom {
  const length = f.let("t", NUM, { kind: "length", object: x });
  const made = f.let("t", type, { kind: "alloc", length, fill: null });
  const k: Var = { kind: "var", name: f.names.fresh("k"), type: NUM };
  const body = f.nested(() => {
    const [p, q] = [x, z].map((list) =>
      f.let("t", NUM, { kind: "load", object: list, key: index(k) }),
    );
    if (p !== undefined && q !== undefined)
      f.b.emit({ kind: "store", object: made, key: index(k), value: make(p, q), initial: true });
    return [];
  });
  f.b.emit({
    kind: "loop",
    label: f.label("loop"),
    update: null,
    loop: {
      kind: "for",
      index: k,
      from: num(0),
      test: "<",
      to: length,
      step: 1,
      carried: [],
      body,
      binds: [],
      origin: f.b.origin,
    },
  });
  return made;
}

/** Calls a function that has a rule. Each call of the same types calls the same function, so a rule may call what it is the rule of. */
export function applyCustom(
  f: Frame,
  custom: Custom,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom {
  // in a function, what the rule sees may be another function at another call
  const key =
    args.some(isFn) ||
    f.api.findAncestor(custom.at, (node) => f.api.isFunctionLike(node)) !== undefined
      ? null
      : `${custom.at.getSourceFile().fileName} ${custom.at.pos} ${args.map((arg) => (isFn(arg) ? "" : printType(arg.type))).join()}`;
  const known = key === null ? undefined : f.customs.get(key);
  const made = known ?? madeOf(f, custom, args, at, key);
  const atoms = args.filter((arg): arg is Atom => !isFn(arg));
  return f.let(wanted, made.result, {
    kind: "call",
    callee: made.name,
    args: [...atoms, ...made.captured],
  });
}

function madeOf(
  f: Frame,
  custom: Custom,
  args: readonly Arg[],
  at: ts.Node,
  key: string | null,
): Made {
  const { params: given, inner } = parametersFor(f, args);
  const shown = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(custom.shown) ? custom.shown : "f";
  const name = f.ctx.reserve(`${shown}$${custom.mode === "checkpoint" ? "checkpoint" : "custom"}`);
  const primal = bodyOf(f, () => withSchedule(f, custom, inner, at));
  const result = primal.result[0]?.type;
  if (result === undefined || !hasNumbers(result, f.ctx.types))
    return f.refuse("TSG2005", at, custom.shown, "void");
  const outside = capturedBy(f, primal, given, at);
  // what the functions among the arguments see: the rule gives cotangents of that
  const seen = args.some(isFn)
    ? [...outside.values()].filter(({ type }) => hasNumbers(type, f.ctx.types))
    : [];
  // a rule that calls itself sees what has no surroundings
  if (key !== null && outside.size === 0) f.customs.set(key, { name, result, captured: [] });
  const seed: Var = {
    kind: "var",
    name: f.names.fresh("seed"),
    type: shadowType(result, f.ctx.types) ?? NUM,
  };
  const dots = given
    .filter(({ type }) => hasNumbers(type, f.ctx.types))
    .map((param): Var => ({
      kind: "var",
      name: f.names.fresh(names.dot(param.name)),
      type: shadowType(param.type, f.ctx.types) ?? NUM,
    }));
  const found: { end: Omit<Written, "body"> | null } = { end: null };
  const rule =
    custom.mode === "vjp"
      ? bodyOf(f, () =>
          pulledByRule(f, custom, inner, [...given, ...seen], seen, seed, result, at, (end) => {
            found.end = end;
          }),
        )
      : custom.mode === "jvp"
        ? bodyOf(f, () => pushedByRule(f, custom, given, dots, result, at))
        : null;
  const captured = [
    ...new Map([
      ...seen.map((variable): [string, Var] => [variable.name, variable]),
      ...outside,
      ...(rule === null ? [] : capturedBy(f, rule, [...given, ...dots, seed], at)),
    ]).values(),
  ];
  if (captured.length > 0 && key !== null) f.customs.delete(key);
  const params = [...given, ...captured];
  const origin = f.ctx.originOf(at);
  const once =
    rule === null || found.end === null
      ? null
      : onceOf(f, name, params, seed, primal, { ...found.end, body: rule }, origin);
  const ruled = {
    mode: custom.mode,
    given: given.length + seen.length,
    ...(once === null ? {} : { once }),
  };
  f.ctx.lifted({
    name,
    home: name,
    ...withDistinctNames(params, primal),
    result,
    origin,
    ...(custom.schedule === undefined ? { rule: ruled } : {}),
  });
  if (rule === null) return { name, result, captured };
  const isPulled = custom.mode === "vjp";
  const own = f.ctx.reserve(
    isPulled ? names.pull(name, { names: null, tuple: false }) : names.fwd(name, null),
  );
  f.ctx.lifted({
    name: own,
    home: own,
    params: [...params, ...(isPulled ? [seed] : dots)],
    result: isPulled
      ? pairOf(f, result, [...given, ...seen])
      : { kind: "tuple", elems: [result, seed.type] },
    body: rule,
    origin,
  });
  return { name, result, captured };
}

/** Makes the two parts of a rule that runs once; null for one that does not. */
function onceOf(
  f: Frame,
  name: string,
  params: readonly Var[],
  seed: Var,
  primal: Body,
  written: Written,
  origin: Func["origin"],
): Once | null {
  const parts = partsOf(primal, written, f.ctx.types);
  if (parts === null) return null;
  const { kept } = parts;
  const { value, bars } = written;
  const read = readBy(parts.back, params);
  const at = kept.findIndex((each) => value.kind === "var" && each.name === value.name);
  const rule = kept.every((_, i) => i === at) ? null : f.ctx.reserve(names.ruleOf(name));
  const back = f.ctx.reserve(names.backOf(name));
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
    f.ctx.lifted({
      name: rule,
      home: rule,
      ...withDistinctNames(params, { stmts: [...parts.rule.stmts, result], result: [list] }),
      result: list.type,
      origin,
      onceOf: name,
    });
  f.ctx.lifted({
    name: back,
    home: back,
    ...withDistinctNames([...read.flatMap((i) => params[i] ?? []), ...kept, seed], parts.back),
    result: bars.type,
    origin,
  });
  return { rule, back, kept: kept.map(({ type }) => type), value: at < 0 ? null : at, read };
}

/** A function that has been made for a call. */
export interface Made {
  readonly name: string;
  readonly result: Type;
  readonly captured: readonly Var[];
}

const pairOf = (f: Frame, result: Type, given: readonly Var[]): Type => ({
  kind: "tuple",
  elems: [
    result,
    {
      kind: "tuple",
      elems: given
        .filter(({ type }) => hasNumbers(type, f.ctx.types))
        .map(({ type }) => shadowType(type, f.ctx.types) ?? NUM),
    },
  ],
});

function bodyOf(f: Frame, make: () => Atom | null): Body {
  return f.nested(() => {
    const value = make();
    return value === null ? [] : [value];
  });
}

/** `[value, cotangents]`: the rule, and at each of its returns the pullback, called with the seed. `bars`: what there are cotangents of. */
function pulledByRule(
  f: Frame,
  { rule, at: call }: Custom,
  args: readonly Arg[],
  bars: readonly Var[],
  seen: readonly Var[],
  seed: Var,
  result: Type,
  at: ts.Node,
  noteEnd: (end: Omit<Written, "body">) => void,
): Atom {
  const outermost = f.b;
  const wrong = (what: string): never => f.refuse("TSG1019", call, f.textOf(call), what);
  const given = args.map((arg): Arg =>
    isFn(arg) ? { kind: "given", fn: arg, outside: seen } : arg,
  );
  const type = pairOf(f, result, bars);
  const barsType = type.kind === "tuple" ? (type.elems[1] ?? NUM) : NUM;
  const cotangentsAt = (returned: ts.Expression): Atom =>
    eitherOf(f, returned, barsType, (list) => {
      const parts = listIn(f, list) ?? loaded(f, lowerExpr(f, list));
      return parts === null || parts.length !== args.length
        ? wrong("its pullback has to return a list with one cotangent for each argument")
        : cotangentsOf(f, parts, args, seen, barsType, at, wrong);
    });
  const cotangentsBy = (pullback: Fn): Atom => {
    if (pullback.kind === "choice")
      return f.choose(
        "t",
        barsType,
        pullback.cond,
        () => cotangentsBy(pullback.then),
        () => cotangentsBy(pullback.otherwise),
      );
    const written = writtenOut(f, pullback, [seed], barsType, cotangentsAt);
    if (written !== null) return written;
    const list = applyFn(f, pullback, [seed], at);
    const parts = list === null ? null : loaded(f, list);
    return parts === null || parts.length !== args.length
      ? wrong("its pullback has to return a list with one cotangent for each argument")
      : cotangentsOf(f, parts, args, seen, barsType, at, wrong);
  };
  const pairAt = (returned: ts.Expression): Atom =>
    eitherOf(f, returned, type, (list) => {
      const [value, pullback] = listIn(f, list) ?? [];
      if (value === undefined || isFn(value) || pullback === undefined || !isFn(pullback))
        return wrong(
          "each of its returns has to be `[value, pullback]`, written there or a `const` that is that",
        );
      const boundary = f.b.stmts.length;
      const found = cotangentsBy(pullback);
      if (f.b === outermost) noteEnd({ boundary, value, bars: found });
      return f.let("t", type, { kind: "tuple", elems: [value, found] });
    });
  return (
    (rule === null ? null : writtenOut(f, rule, given, type, pairAt)) ??
    wrong("it has to be a function that is written in the program")
  );
}

/** `c ? x : z` where only one side may run. */
function eitherOf(
  f: Frame,
  expression: ts.Expression,
  type: Type,
  read: (side: ts.Expression) => Atom,
): Atom {
  const node = opened(f, expression);
  if (!f.api.isConditionalExpression(node)) return read(node);
  return f.choose(
    "t",
    type,
    lowerCondition(f, node.condition),
    () => eitherOf(f, node.whenTrue, type, read),
    () => eitherOf(f, node.whenFalse, type, read),
  );
}

/** The parts of a list that is written here, or of a constant that is one with functions in it. */
function listIn(f: Frame, expression: ts.Expression): readonly Arg[] | null {
  const list = opened(f, expression);
  if (f.api.isArrayLiteralExpression(list))
    return list.elements.some(
      (each) => f.api.isSpreadElement(each) || f.api.isOmittedExpression(each),
    )
      ? null
      : list.elements.map((each) => argumentOf(f, each));
  const known = mayHoldFunctions(f, list) ? resolveFn(f, list) : null;
  return known?.kind === "members" && known.isList ? [...known.parts.values()] : null;
}

/** The elements of a tuple. */
function loaded(f: Frame, list: Atom): readonly Atom[] | null {
  const shape = f.shape(list.type);
  return shape.kind !== "tuple"
    ? null
    : shape.elems.map((type, i) =>
        f.let("t", type, { kind: "load", object: list, key: field(String(i)) }),
      );
}

/** What a pullback returns, as one list of the cotangents of what holds numbers. */
function cotangentsOf(
  f: Frame,
  parts: readonly Arg[],
  args: readonly Arg[],
  seen: readonly Var[],
  type: Type,
  at: ts.Node,
  wrong: (what: string) => never,
): Atom {
  const ofArgs = args.flatMap((arg, i): Atom[] => {
    const part = parts[i];
    return isFn(arg) || !hasNumbers(arg.type, f.ctx.types)
      ? []
      : [part === undefined || isFn(part) ? wrong("its pullback has to return cotangents") : part];
  });
  const ofFns = args.flatMap((arg, i): Atom[] => {
    const part = parts[i];
    return !isFn(arg)
      ? []
      : [
          part === undefined || isFn(part) || f.shape(part.type).kind !== "tuple"
            ? wrong("the cotangent of a function comes from its pullback")
            : part,
        ];
  });
  const total = ofFns.reduce<Atom | null>(
    (sum, part) => (sum === null ? part : combined(f, sum, part, (x, z) => f.b.add(x, z), at)),
    null,
  );
  const ofSeen =
    total === null
      ? []
      : seen.map((variable, i) =>
          f.let("t", shadowType(variable.type, f.ctx.types) ?? NUM, {
            kind: "load",
            object: total,
            key: field(String(i)),
          }),
        );
  return f.let("t", type, { kind: "tuple", elems: [...ofArgs, ...ofSeen] });
}

/** `[value, tangent]` as the rule gives it. */
function pushedByRule(
  f: Frame,
  { rule }: Custom,
  given: readonly Var[],
  dots: readonly Var[],
  result: Type,
  at: ts.Node,
): Atom {
  const list = (elems: readonly Atom[]): Atom =>
    f.let("t", { kind: "tuple", elems: elems.map(({ type }) => type) }, { kind: "tuple", elems });
  let next = 0;
  const tangents = given.map((param): Atom =>
    hasNumbers(param.type, f.ctx.types)
      ? (dots[next++] ?? param)
      : { kind: "const", type: { kind: "leaf", text: "undefined" }, value: undefined },
  );
  const made = rule === null ? null : applyFn(f, rule, [list(given), list(tangents)], at);
  const shape = made === null ? null : f.shape(made.type);
  if (made === null || shape?.kind !== "tuple" || shape.elems.length !== 2)
    return f.refuse("TSG1019", at, f.textOf(at), "it has to return `[value, tangent]`");
  const part = (i: number, type: Type): Atom =>
    f.let("t", type, { kind: "load", object: made, key: field(String(i)) });
  return list([part(0, result), part(1, shadowType(result, f.ctx.types) ?? NUM)]);
}
