// Inlines the rule of `customVjp`: it returns `[value, pullback]`.
// Input: the rule and a call's arguments. Output: `[value, cotangents]`, where each return of the
// rule calls the pullback with the seed.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { field, NUM } from "../../ir/build.ts";
import { baseName } from "../../ir/names.ts";
import { hasNumbers, shadowType } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { applyFn, lowerExpr } from "../lowering.ts";
import { isFn, type Arg, type Fn } from "../function-values.ts";
import { inlineReturns } from "../functions/inlining.ts";
import type { Frame } from "../frame.ts";
import { argumentOf, mayHoldFunctions } from "../functions/known-functions.ts";
import { lowerCondition } from "../operators.ts";
import { resolveFn } from "../resolve.ts";
import { capturedParts } from "./captured-cotangents.ts";
import { combined } from "./cotangent-operators.ts";
import { functionCotangent } from "./pullbacks.ts";
import type { Written } from "./single-evaluation-rules.ts";
import { nameOfRuled } from "../sites/quoted-code.ts";

export type Custom = Fn & { readonly kind: "custom" };

/** A call of a function with a rule. */
export interface RuleCall {
  readonly custom: Custom;
  readonly args: readonly Arg[];
  /** Parameters for the arguments that are values. */
  readonly given: readonly Var[];
  /** Captures whose cotangents the rule gives: of functions among the arguments, and by name. */
  readonly seen: readonly Var[];
  /** Cotangent of the result. */
  readonly seed: Var;
  /** Tangents of the parameters. */
  readonly dots: readonly Var[];
  readonly result: Type;
  readonly at: ts.Node;
}

/** The type of `[value, cotangents]`. */
export const pairType = (f: Frame, { result, given, seen }: RuleCall): Type => ({
  kind: "tuple",
  elems: [
    result,
    {
      kind: "tuple",
      elems: [...given, ...seen]
        .filter(({ type }) => hasNumbers(type, f.ctx.types))
        .map(({ type }) => shadowType(type, f.ctx.types) ?? NUM),
    },
  ],
});

/** What is found while a rule is inlined. */
export interface RuleNotes {
  /** A return of the rule that is not in a branch or loop. */
  end(end: Omit<Written, "body">): void;
  /** A variable around the function, of which the rule gives the cotangent. */
  named(variable: Var): void;
}

export function inlineVjpRule(f: Frame, call: RuleCall, notes: RuleNotes): Atom {
  const { custom, args, seen, seed, at } = call;
  const outermost = f.b;
  const given = args.map((arg): Arg =>
    isFn(arg) ? { kind: "given", fn: arg, outside: seen } : arg,
  );
  const type = pairType(f, call);
  const barsType = type.kind === "tuple" ? (type.elems[1] ?? NUM) : NUM;
  const barsOf = (parts: readonly Arg[] | null, ofCaptures: Atom | null = null): Atom =>
    parts === null || parts.length !== args.length
      ? wrong(f, call, "its pullback has to return a list with one cotangent for each argument")
      : cotangentsOf(f, [parts, ofCaptures], call, barsType);
  const cotangentsAt = (returned: ts.Expression): Atom =>
    eitherOf(f, returned, barsType, (tuple) => {
      const list = bare(tuple, f.api);
      const last = f.api.isArrayLiteralExpression(list) ? list.elements[args.length] : undefined;
      if (last === undefined || !f.api.isArrayLiteralExpression(list))
        return barsOf(tupleIn(f, tuple) ?? loaded(f, lowerExpr(f, tuple)));
      const parts = list.elements.slice(0, args.length).map((each) => argumentOf(f, each));
      return barsOf(parts, cotangentOfCaptures(f, last, call, notes));
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
    const inlined = inlineReturns(f, pullback, [seed], barsType, cotangentsAt);
    if (inlined !== null) return inlined;
    const bars = applyFn(f, pullback, [seed], at);
    return barsOf(bars === null ? null : loaded(f, bars));
  };
  const pairAt = (returned: ts.Expression): Atom =>
    eitherOf(f, returned, type, (tuple) => {
      const [value, pullback] = tupleIn(f, tuple) ?? [];
      if (value === undefined || isFn(value) || pullback === undefined || !isFn(pullback))
        return wrong(
          f,
          call,
          "each of its returns has to be `[value, pullback]`, written there or a `const` that is that",
        );
      const boundary = f.b.stmts.length;
      const found = cotangentsBy(pullback);
      if (f.b === outermost) notes.end({ boundary, value, bars: found });
      return f.let("t", type, { kind: "tuple", elems: [value, found] });
    });
  return (
    (custom.rule === null ? null : inlineReturns(f, custom.rule, given, type, pairAt)) ??
    wrong(f, call, "it has to be a function that is written in the program")
  );
}

const wrong = (f: Frame, { custom: { at } }: RuleCall, what: string): never =>
  f.refuse("TSG1019", at, nameOfRuled(at, f.api), what);

/** Reads both sides of `c ? x : z`, of which only one may execute. */
function eitherOf(
  f: Frame,
  expression: ts.Expression,
  type: Type,
  read: (side: ts.Expression) => Atom,
): Atom {
  const node = bare(expression, f.api);
  if (!f.api.isConditionalExpression(node)) return read(node);
  return f.choose(
    "t",
    type,
    lowerCondition(f, node.condition),
    () => eitherOf(f, node.whenTrue, type, read),
    () => eitherOf(f, node.whenFalse, type, read),
  );
}

/** The parts of a tuple literal, or of a constant tuple that holds functions. */
function tupleIn(f: Frame, expression: ts.Expression): readonly Arg[] | null {
  const tuple = bare(expression, f.api);
  if (f.api.isArrayLiteralExpression(tuple))
    return tuple.elements.some(
      (each) => f.api.isSpreadElement(each) || f.api.isOmittedExpression(each),
    )
      ? null
      : tuple.elements.map((each) => argumentOf(f, each));
  const known = mayHoldFunctions(f, tuple) ? resolveFn(f, tuple) : null;
  return known?.kind === "members" && known.isList ? [...known.parts.values()] : null;
}

/** The elements of a tuple; null for other values. */
function loaded(f: Frame, tuple: Atom): readonly Atom[] | null {
  const shape = f.shape(tuple.type);
  return shape.kind !== "tuple"
    ? null
    : shape.elems.map((type, i) => f.b.load("t", type, tuple, field(String(i))));
}

/** One tuple of the cotangents of all arguments and captures with numbers. */
function cotangentsOf(
  f: Frame,
  [parts, ofCaptures]: readonly [parts: readonly Arg[], ofCaptures: Atom | null],
  call: RuleCall,
  type: Type,
): Atom {
  const { args, seen, at } = call;
  const ofArgs = args.flatMap((arg, i): Atom[] => {
    const part = parts[i];
    if (isFn(arg) || !hasNumbers(arg.type, f.ctx.types)) return [];
    return [
      part === undefined || isFn(part)
        ? wrong(f, call, "its pullback has to return cotangents")
        : part,
    ];
  });
  const ofFns = args.flatMap((arg, i): Atom[] => {
    const part = parts[i];
    if (!isFn(arg) || (isUndefined(part) && isWithoutNumber(f, call, i))) return [];
    return [
      part === undefined || isFn(part) || f.shape(part.type).kind !== "tuple"
        ? wrong(f, call, "the cotangent of a function comes from its pullback")
        : part,
    ];
  });
  const total = [...ofFns, ...(ofCaptures === null ? [] : [ofCaptures])].reduce<Atom | null>(
    (sum, part) => (sum === null ? part : combined(f, sum, part, (x, z) => f.b.add(x, z), at)),
    null,
  );
  const whole = seen.length === 0 ? null : (total ?? functionCotangent(f, seen, () => null));
  const ofSeen =
    whole === null
      ? []
      : seen.map((variable, i) =>
          f.b.load("t", shadowType(variable.type, f.ctx.types) ?? NUM, whole, field(String(i))),
        );
  return f.let("t", type, { kind: "tuple", elems: [...ofArgs, ...ofSeen] });
}

/** The cotangents of variables that the function captures, which the rule gives by name. */
function cotangentOfCaptures(
  f: Frame,
  record: ts.Expression,
  call: RuleCall,
  notes: RuleNotes,
): Atom {
  const named =
    capturedParts(f, call.custom, record) ??
    wrong(
      f,
      call,
      "after the cotangents of the arguments its pullback may return `{ name: cotangent }`, for variables that the function captures",
    );
  for (const { variable } of named) notes.named(variable);
  return functionCotangent(f, call.seen, (variable) => {
    const bar = named.find((one) => one.variable.name === variable.name)?.bar ?? null;
    const kind = f.shape(shadowType(variable.type, f.ctx.types) ?? NUM).kind;
    return bar === null || f.shape(bar.type).kind === kind
      ? bar
      : wrong(f, call, `the cotangent of \`${baseName(variable.name)}\` has another type`);
  });
}

const isUndefined = (part: Arg | undefined): boolean =>
  part?.kind === "const" && part.value === undefined;

/** Whether argument `i` is a function that returns no number, as a predicate does. */
function isWithoutNumber(f: Frame, { custom: { at } }: RuleCall, i: number): boolean {
  const { api } = f;
  const { checker } = f.ctx;
  const target = api.isCallExpression(at) ? at.arguments[0] : undefined;
  const signature =
    target === undefined ? undefined : checker.getTypeAtLocation(target).getCallSignatures()[0];
  const parameter = signature?.parameters[i];
  const given =
    parameter === undefined ? undefined : checker.getTypeOfSymbol(parameter).getCallSignatures()[0];
  const { BooleanLike, StringLike, VoidLike, Null } = api.TypeFlags;
  const result = given === undefined ? undefined : checker.getReturnTypeOfSignature(given);
  return (
    result !== undefined &&
    (result.isUnion() ? result.types : [result]).every(
      ({ flags }) => (flags & (BooleanLike | StringLike | VoidLike | Null)) !== 0,
    )
  );
}
