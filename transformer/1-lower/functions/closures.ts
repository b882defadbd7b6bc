// Applies functions. In: what a function value is known to be, and arguments. Out: the result: inlined bodies, or calls.
// Invariant: arguments are evaluated before the body; a closure sees the bindings of the place that made it.

import type ts from "typescript";
import { NUM, VOID } from "../../ir/build.ts";
import { assignable } from "../../ir/assignable.ts";
import { printType } from "../../ir/print.ts";
import { holdsOpaque } from "../../ir/shadow.ts";
import type { ArrayPart, Atom, Type } from "../../ir/types.ts";
import { callBuiltin } from "../builtins/library.ts";
import { applyVector } from "../builtins/vector.ts";
import { asDeclared, UNDEFINED } from "../coerce.ts";
import { Rejected } from "../context.ts";
import { lowerEffect, lowerExpr } from "../expression.ts";
import { isMutable, mayAssign } from "../effects.ts";
import { isVectorOp } from "../sites/forms.ts";
import { Env, type Fn, type Frame, type Self } from "../frame.ts";
import { applyCustom, applyOperator, customFn } from "../derivatives/rules-of-users.ts";
import { applyDefined, applyOutside } from "../derivatives/defined.ts";
import { applySolver } from "../derivatives/implicit.ts";
import { applyHeld } from "./held-functions.ts";
import { linearized } from "../derivatives/linear-maps.ts";
import {
  applyDerived,
  applyPullback,
  derivedFn,
  givenBack,
  pulledBack,
} from "../derivatives/nested.ts";
import {
  applyTable,
  argumentOf,
  bindMembers,
  either,
  fnResult,
  isMissing,
} from "./known-functions.ts";
import { madeByOneOf } from "./constructed-functions.ts";
import { valueOfMembers } from "../classes/members-as-value.ts";
import { bindName, withDefault } from "../objects/patterns.ts";
import { sameType } from "../objects/places.ts";
import { implementationsOf } from "./called-code.ts";
import { lowerArguments } from "../calls.ts";
import { elementOf } from "../types/type-shapes.ts";
import { argumentsOfCall, NO_TYPE_ARGUMENTS, type TypeArguments } from "../types/type-arguments.ts";
import {
  applyRecursive,
  handedAgain,
  isMadeForCall,
  isRecursive,
  takesAsHanded,
} from "./recursive.ts";
import { setElement } from "../builtins/set.ts";
import { resolveFn } from "../resolve.ts";
import { isSpread, parted, refuseSpread } from "./spread-arguments.ts";
import { lowerBlockBody, lowerStatements, returnsAtEndOnly } from "../statement.ts";

/** An argument: a value, or a function that is known at build time. */
export type Arg = Atom | Fn;

export const isFn = (arg: Arg): arg is Fn =>
  arg.kind !== "var" && arg.kind !== "const" && arg.kind !== "global" && arg.kind !== "undef";

/** Calls `fn`; null where the result is void. `at` is the call in user code; `self`: what `this` is, where the call says so. */
export function applyFn(
  f: Frame,
  fn: Fn,
  args: readonly Arg[],
  at: ts.Node,
  wanted = "t",
  self: Self | null = null,
): Atom | null {
  switch (fn.kind) {
    case "closure": {
      if (fn.env.self?.kind === "members")
        return inline(
          f,
          fn.node,
          fn.env,
          args,
          at,
          wanted,
          f.api.isArrowFunction(fn.node) ? null : self,
        );
      if (isRecursive(f, fn.node) && (!args.some(isFn) || takesAsHanded(f, fn.node, args)))
        return applyRecursive(f, fn, args, at, wanted);
      const again = args.some(isFn) ? null : handedAgain(f, fn);
      if (again !== null) return applyRecursive(f, again, args, at, wanted);
      return inline(
        f,
        fn.node,
        fn.env,
        args,
        at,
        wanted,
        f.api.isArrowFunction(fn.node) ? null : self,
      );
    }
    case "program": {
      const own = f.ctx.bodyOf(fn.symbol);
      if (self?.kind === "value" && own !== null && mentionsThis(f, own))
        return inline(f, own, f.outside, args, at, wanted, self);
      if (!args.some(isFn) && !isOnlyInlined(f, fn.symbol))
        return callProgram(
          f,
          fn.symbol,
          args.filter((arg): arg is Atom => !isFn(arg)),
          at,
          wanted,
        );
      if (own === null) return f.refuse("TSG1113", at, fn.symbol.name);
      return isMadeForCall(f, own, args)
        ? applyRecursive(f, { node: own, env: f.outside }, args, at, wanted)
        : inline(f, own, f.outside, args, at, wanted);
    }
    case "builtin": {
      const atoms = args.filter((arg): arg is Atom => !isFn(arg));
      if (atoms.length < args.length) return f.refuse("TSG1124", at, fn.path);
      return callBuiltin(f, fn.path, atoms, at, wanted);
    }
    case "bound":
      return applyFn(f, fn.fn, [...fn.args, ...args], at, wanted, fn.self);
    case "choice":
      return either(
        f,
        fnResult(f, fn, at),
        fn.cond,
        wanted,
        () => applyFn(f, fn.then, args, at, "t", self),
        () => applyFn(f, fn.otherwise, args, at, "t", self),
      );
    case "table":
      return applyTable(f, fn, at, wanted, (each, as) => applyFn(f, each, args, at, as));
    case "held":
      return applyHeld(f, fn, at, wanted, (each, as) => applyFn(f, each, args, at, as));
    case "members":
    case "getter":
    case "linear":
      return f.refuse("TSG1124", at, f.textOf(at));
    case "spread":
      return refuseSpread(f, fn);
    case "derived":
      return applyDerived(f, fn, args, at, wanted);
    case "pullback":
      return applyPullback(f, fn, args, at, wanted);
    case "custom":
      return applyCustom(f, fn, args, at, wanted);
    case "operator":
      return isVectorOp(fn.operator)
        ? applyVector(f, fn.operator, args, at, wanted)
        : applyOperator(f, fn.operator, args, at, wanted);
    case "defined":
      return applyDefined(f, fn.definition, args, at, wanted);
    case "outside":
      return applyOutside(f, fn.target, args, at);
    case "solver":
      return applySolver(f, fn.solver, args, at, wanted);
    case "given":
      return applyFn(f, fn.fn, args, at, wanted);
    case "givenVjp":
      return f.refuse("TSG1124", at, f.textOf(at));
  }
}

/** Whether `this` means what the call says. */
export const mentionsThis = (f: Frame, node: ts.Node): boolean =>
  mentions(f, node, (inner) => inner.kind === f.api.SyntaxKind.ThisKeyword);

const mentionsArguments = (f: Frame, node: ts.Node): boolean =>
  mentions(f, node, (inner) => f.api.isIdentifier(inner) && inner.text === "arguments");

/** Whether a function's own code has such a node: that of functions inside it, but for arrow functions, is not its own. */
function mentions(f: Frame, node: ts.Node, wanted: (inner: ts.Node) => boolean): boolean {
  const { api } = f;
  const walk = (inner: ts.Node): boolean => {
    if (wanted(inner)) return true;
    if (inner !== node && api.isFunctionLike(inner) && !api.isArrowFunction(inner)) return false;
    return api.forEachChild(inner, (child) => walk(child) || undefined) === true;
  };
  return walk(node);
}

/** What a callback gets of the arguments that an array method offers: as many as it takes. */
export function applyCallback(
  f: Frame,
  fn: Fn,
  args: readonly Arg[],
  at: ts.Node,
  wanted = "t",
): Atom | null {
  if (fn.kind === "builtin") {
    if (["Math.max", "Math.min", "Math.hypot", "parseInt"].includes(fn.path))
      return f.refuse(
        "TSG1209",
        at,
        `\`${fn.path}\` takes all the arguments that the method passes`,
      );
    const count = ["Math.pow", "Math.atan2", "Math.imul"].includes(fn.path) ? 2 : 1;
    return applyFn(f, fn, args.slice(0, count), at, wanted);
  }
  if (fn.kind === "choice") {
    return either(
      f,
      fnResult(f, fn, at),
      fn.cond,
      wanted,
      () => applyCallback(f, fn.then, args, at),
      () => applyCallback(f, fn.otherwise, args, at),
    );
  }
  if (fn.kind === "table")
    return applyTable(f, fn, at, wanted, (each, as) => applyCallback(f, each, args, at, as));
  if (fn.kind === "held")
    return applyHeld(f, fn, at, wanted, (each, as) => applyCallback(f, each, args, at, as));
  if (fn.kind === "bound" && (fn.fn.kind === "closure" || fn.fn.kind === "program")) {
    const taken =
      (fn.fn.kind === "closure" ? fn.fn.node : f.ctx.bodyOf(fn.fn.symbol))?.parameters.filter(
        (parameter) => !isThis(f, parameter),
      ).length ?? 0;
    return applyFn(f, fn, args.slice(0, Math.max(0, taken - fn.args.length)), at, wanted);
  }
  if (
    fn.kind === "derived" ||
    fn.kind === "pullback" ||
    fn.kind === "custom" ||
    fn.kind === "operator" ||
    fn.kind === "solver" ||
    fn.kind === "defined" ||
    fn.kind === "outside"
  )
    return applyFn(f, fn, args.slice(0, takenBy(f, fn) ?? args.length), at, wanted);
  if (fn.kind === "given") return applyCallback(f, fn.fn, args, at, wanted);
  if (
    fn.kind === "bound" ||
    fn.kind === "members" ||
    fn.kind === "getter" ||
    fn.kind === "spread" ||
    fn.kind === "linear" ||
    fn.kind === "givenVjp"
  )
    return f.refuse("TSG1209", at, "which function it is, is not known here");
  const body = fn.kind === "closure" ? fn.node : f.ctx.bodyOf(fn.symbol);
  const takesAll =
    body?.parameters.some((parameter) => parameter.dotDotDotToken !== undefined) === true;
  return applyFn(
    f,
    fn,
    takesAll || body === null ? args : args.slice(0, body.parameters.length),
    at,
    wanted,
  );
}

/** How many arguments a function takes; null where that is not known, or any number. */
function takenBy(f: Frame, fn: Fn): number | null {
  switch (fn.kind) {
    case "closure":
    case "program": {
      const parameters = (
        fn.kind === "closure" ? fn.node : f.ctx.bodyOf(fn.symbol)
      )?.parameters.filter((parameter) => !isThis(f, parameter));
      return parameters === undefined ||
        parameters.some((parameter) => parameter.dotDotDotToken !== undefined)
        ? null
        : parameters.length;
    }
    case "derived":
      return fn.form === "jvp" || fn.form === "hvp" ? null : takenBy(f, fn.fn);
    case "custom":
    case "given":
      return takenBy(f, fn.fn);
    case "pullback":
      return 1;
    default:
      return null;
  }
}

function callProgram(
  f: Frame,
  symbol: ts.Symbol,
  args: readonly Atom[],
  at: ts.Node,
  wanted: string,
): Atom | null {
  const name = f.ctx.callee(symbol, at);
  const body = f.ctx.headOf(symbol, at);
  if (name === null || body === null) throw new Rejected();
  const count = body.parameters.filter((parameter) => !isThis(f, parameter)).length;
  const passed: Atom[] = args.slice(0, count);
  while (passed.length < count) passed.push(UNDEFINED);
  const type = resultType(f, body, at);
  const bound = f.let(type.kind === "void" ? "t" : wanted, type, {
    kind: "call",
    callee: name,
    args: passed,
  });
  return type.kind === "void" ? null : bound;
}

export function isOnlyInlined(f: Frame, symbol: ts.Symbol): boolean {
  const body = f.ctx.bodyOf(symbol);
  return body !== null && isFixedByCall(f, body);
}

/** Generic functions, rest parameters and functions that stand for others have no derivative of their own: one call fixes what they work on. */
export const isFixedByCall = (f: Frame, node: ts.FunctionLikeDeclaration): boolean =>
  isGeneric(f, node) ||
  isFixedByValues(f, node) ||
  (node.parameters.some((parameter) => isArrayLike(f, f.ctx.typeOf(parameter.name))) &&
    !isRecursive(f, node));

/** The same of what types do not say. */
export const isFixedByValues = (f: Frame, node: ts.FunctionLikeDeclaration): boolean =>
  mentionsArguments(f, node) ||
  node.parameters.some(
    (parameter) =>
      parameter.dotDotDotToken !== undefined ||
      isFnOrNone(f, parameter) ||
      isListOfFns(f, parameter) ||
      (!isGeneric(f, node) && isOfAnyType(f, parameter)),
  );

/** Whether a function has type parameters, or the class has that it is a member of. */
export const isGeneric = (f: Frame, node: ts.FunctionLikeDeclaration): boolean =>
  node.typeParameters !== undefined ||
  (f.api.isClassLike(node.parent) &&
    node.parent.typeParameters !== undefined &&
    !f.ctx.classes.isStatic(node as ts.MethodDeclaration)); // a member of a class

/** A function that a call may leave out. */
const isFnOrNone = (f: Frame, parameter: ts.ParameterDeclaration): boolean =>
  f.ctx.checker.isOptionalParameter(parameter) &&
  f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(parameter)).getCallSignatures()
    .length > 0;

/** Whatever stands in it for the functions. */
export function isListOfFns(
  { ctx: { checker } }: Frame,
  parameter: ts.ParameterDeclaration,
): boolean {
  return (
    (elementOf(checker.getTypeAtLocation(parameter), checker)?.getCallSignatures().length ?? 0) > 0
  );
}

/** A parameter that takes more than one type of value: each call gives one. A Set, of which no more is known either, is one to a function that calls itself. */
function isOfAnyType(f: Frame, parameter: ts.ParameterDeclaration): boolean {
  const shape = f.shape(f.ctx.typeOf(parameter.name));
  return (
    shape.kind === "leaf" &&
    shape.opaque === true &&
    !(
      setElement(f, parameter.name) !== null &&
      isRecursive(f, parameter.parent as ts.FunctionLikeDeclaration)
    )
  ); // whose body is at hand
}

/** `ArrayLike<number>`, which is one kind of list at each call. */
const isArrayLike = ({ ctx: { types } }: Frame, type: Type): boolean =>
  type.kind === "named" && types.get(type.name)?.text === "ArrayLike<number>";

/** `arguments` as an array, or where the arguments are of several types as a tuple. */
function listOf(f: Frame, args: readonly Arg[], at: ts.Node): Atom {
  const atoms = args.map((arg) => (isFn(arg) ? f.refuse("TSG1105", at, f.textOf(at)) : arg));
  const [first] = atoms;
  if (atoms.every((atom) => sameType(atom.type, first?.type ?? NUM))) {
    return f.let(
      "list",
      { kind: "array", store: "Array", elem: first?.type ?? NUM },
      { kind: "array", parts: atoms.map((atom) => ({ atom, spread: false })) },
    );
  }
  return f.let(
    "list",
    { kind: "tuple", elems: atoms.map((atom) => atom.type) },
    { kind: "tuple", elems: atoms },
  );
}

export const isThis = (f: Frame, parameter: ts.ParameterDeclaration): boolean =>
  f.api.isIdentifier(parameter.name) && parameter.name.text === "this";

/** Type of what a call gives: as the call has it, where `at` is that call; else as the function declares it. */
export function resultType(
  f: Frame,
  body: ts.FunctionLikeDeclaration,
  at: ts.Node,
  given: TypeArguments = f.env.types,
): Type {
  const { api, ctx } = f;
  const called = signatureOfCall(f, body, at);
  const type = (called ?? ctx.checker.getSignatureFromDeclaration(body))?.getReturnType();
  if (
    type === undefined ||
    type.flags & (api.TypeFlags.Void | api.TypeFlags.Undefined | api.TypeFlags.Never)
  )
    return VOID;
  return ctx.typeFrom(type, at, called === null ? given : f.env.types);
}

function signatureOfCall(
  f: Frame,
  body: ts.FunctionLikeDeclaration,
  at: ts.Node,
): ts.Signature | null {
  const called = f.api.isCallExpression(at) ? f.ctx.checker.getResolvedSignature(at) : undefined;
  return called?.declaration === body ||
    (called?.declaration !== undefined && isImplementedBy(f, called.declaration, body))
    ? (called ?? null)
    : null;
}

/** Whether a generic method is one that the call of another class's, or of an interface's, may run. */
function isImplementedBy(f: Frame, declared: ts.Node, body: ts.FunctionLikeDeclaration): boolean {
  const {
    api,
    ctx: { checker },
  } = f;
  if (
    !(api.isMethodSignature(declared) || api.isMethodDeclaration(declared)) ||
    !api.isMethodDeclaration(body) ||
    (body.typeParameters?.length ?? 0) === 0
  )
    return false;
  const symbol = checker.getSymbolAtLocation(declared.name);
  return (
    declared.typeParameters?.length === body.typeParameters?.length &&
    declared.name.getText() === body.name.getText() &&
    symbol !== undefined &&
    implementationsOf(f, symbol).includes(body)
  );
}

/** What the overload says that a call takes, of the function that does it. */
function overloadResult(f: Frame, body: ts.FunctionLikeDeclaration, at: ts.Node): Type | null {
  const { checker } = f.ctx;
  const called = f.api.isCallExpression(at) ? checker.getResolvedSignature(at) : undefined;
  const { declaration } = called ?? {};
  if (
    called === undefined ||
    declaration === undefined ||
    body.name === undefined ||
    !(f.api.isFunctionDeclaration(declaration) || f.api.isMethodDeclaration(declaration)) ||
    declaration.body !== undefined ||
    declaration.name === undefined
  )
    return null;
  const symbol = checker.getSymbolAtLocation(body.name);
  return symbol !== undefined && symbol === checker.getSymbolAtLocation(declaration.name)
    ? f.ctx.typeFrom(called.getReturnType(), at)
    : null;
}

/** What the type parameters of a function stand for in a call. */
function givenBy(f: Frame, node: ts.FunctionLikeDeclaration, at: ts.Node | null): TypeArguments {
  const {
    api,
    ctx: { checker },
  } = f;
  const declared =
    node.typeParameters === undefined ? undefined : checker.getSignatureFromDeclaration(node);
  const called = at === null ? null : signatureOfCall(f, node, at);
  if (declared === undefined || called === null || at === null) return NO_TYPE_ARGUMENTS;
  const said = api.isCallExpression(at)
    ? at.typeArguments?.map((each) => checker.getTypeFromTypeNode(each))
    : undefined;
  const found =
    said === undefined
      ? argumentsOfCall(declared, called, at, api, checker)
      : new Map(
          (declared.typeParameters ?? []).flatMap((parameter, i) => {
            const arg = said[i];
            return arg === undefined ? [] : [[parameter, arg] as const];
          }),
        );
  return new Map(
    [...found].flatMap(([parameter, arg]): [ts.Type, Type][] => {
      const type = f.ctx.typeFrom(arg, at);
      // unknown is no more than the parameter itself, whose name means nothing where the code is written out
      return type.kind !== "leaf" && holdsOpaque(type, f.ctx.types) ? [] : [[parameter, type]];
    }),
  );
}

/** How often a function that takes functions may be inside itself: `integrate((t) => integrate(g, 0, t), 0, 1)`. */
const DEEPEST = 3;
/** How many closures of one function may be inside each other: `compose(compose(g, h), k)`. */
const MOST_CLOSURES = 8;

/** Writes the body out at its call. */
export function inline(
  f: Frame,
  node: ts.FunctionLikeDeclaration,
  env: Env,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
  self: Self | null = null,
): Atom | null {
  const { api } = f;
  const name = node.name !== undefined ? node.name.getText() : f.textOf(node);
  const open = f.entered.filter((each) => each.node === node);
  const again = open.filter((each) => each.env === env).length;
  if (node === f.root || again > (args.some(isFn) ? DEEPEST : 0) || open.length > MOST_CLOSURES)
    return f.refuse("TSG1123", at, name);
  if (node.asteriskToken !== undefined) return f.refuse("TSG1102", node, name);
  if (node.modifiers?.some((modifier) => modifier.kind === api.SyntaxKind.AsyncKeyword))
    return f.refuse("TSG1101", node, name);
  const body = "body" in node ? node.body : undefined;
  if (body === undefined) return f.refuse("TSG1113", at, name);
  const { env: outer, exits, returns, inlining, entered } = f;
  const type =
    signatureOfCall(f, node, at) === null ? overloadResult(f, node, at) : resultType(f, node, at);
  f.entered = [...entered, { node, env }];
  f.env = new Env(
    env,
    self ??
      (api.isFunctionExpression(node) || api.isFunctionDeclaration(node) ? { kind: "none" } : null),
    givenBy(f, node, at),
  );
  f.exits = [];
  f.inlining = [...inlining, node];
  try {
    if (!api.isArrowFunction(node) && mentionsArguments(f, node))
      f.env.arguments = listOf(f, args, at);
    bindParameters(f, node.parameters, args);
    const result = type ?? resultType(f, node, at);
    const value = inlineBody(f, body, result, wanted);
    return value === null || node.type === undefined ? value : asDeclared(f, value, result, wanted);
  } finally {
    f.env = outer;
    f.exits = exits;
    f.returns = returns;
    f.inlining = inlining;
    f.entered = entered;
  }
}

function inlineBody(
  f: Frame,
  body: ts.Block | ts.Expression,
  type: Type,
  wanted: string,
): Atom | null {
  if (!f.api.isBlock(body)) {
    if (type.kind !== "void") return lowerExpr(f, body, wanted);
    lowerEffect(f, body);
    return null;
  }
  if (returnsAtEndOnly(f, body)) return lowerBlockBody(f, body, wanted);
  const label = f.label("inlined");
  const types: Type[] | null = type.kind === "leaf" && type.opaque === true ? [] : null;
  f.returns = { label, type, used: false, ...(types === null ? {} : { types }) };
  const name = type.kind === "void" ? null : f.names.fresh(wanted);
  const inner = f.nested(() => (lowerBlockBody(f, body, "t"), []));
  // `number | number[]`, of which the arguments decide which one it is
  const [first] = types ?? [];
  const made =
    first !== undefined && types?.every((each) => sameType(each, first)) === true ? first : type;
  const bind: Atom | null = name === null ? null : { kind: "var", name, type: made };
  f.b.emit({ kind: "scope", label, body: inner, bind });
  return bind;
}

/** The function that a call returns (`compose(g, h)`, `horner(cs)`): its closure sees the parameters of that call. */
export function returnedFn(f: Frame, call: ts.CallExpression): Fn | null {
  const nested = derivedFn(f, call) ?? customFn(f, call);
  if (nested !== null) return nested;
  const fn = resolveFn(f, call.expression);
  if (fn?.kind === "givenVjp") return givenBack(f, fn, lowerArguments(f, call), call);
  if (fn?.kind === "derived" && fn.form === "vjp")
    return pulledBack(f, fn, lowerArguments(f, call), call);
  if (fn?.kind === "derived" && fn.form === "linearize")
    return linearized(f, fn, lowerArguments(f, call), call);
  return fn === null ? null : returnedOf(f, fn, null, call);
}

/** What a function gives that ends in `return` of a function or of a literal with functions in it; `args`: null for those of the call. */
export const returnedOf = (
  f: Frame,
  fn: Fn,
  given: readonly Arg[] | null,
  call: ts.CallExpression | null = null,
): Fn | null =>
  atReturn(f, fn, given, call, (returned) => resolveFn(f, returned)) ??
  madeByOneOf(f, fn, given, call);

/** Writes a function out up to what it returns at its end. */
export function atReturn<T>(
  f: Frame,
  fn: Fn,
  given: readonly Arg[] | null,
  call: ts.CallExpression | null,
  read: (returned: ts.Expression) => T,
): T | null {
  const { node, body } = writable(f, fn);
  const returned = node === null || body === null ? undefined : returnedAtEnd(f, body);
  if (node === null || body === null || returned === undefined) return null;
  const args = given ?? (call === null ? [] : lowerArguments(f, call));
  return inside(f, fn, node, args, call, () => {
    if (f.api.isBlock(body)) lowerStatements(f, body.statements.slice(0, -1));
    return read(returned);
  });
}

/** Writes a function out at its call; `read` says what each expression that it returns gives, of one type. Null for what has no body to write out. */
export function writtenOut(
  f: Frame,
  fn: Fn,
  args: readonly Arg[],
  type: Type,
  read: (returned: ts.Expression) => Atom,
): Atom | null {
  const { node, body } = writable(f, fn);
  if (node === null || body === null) return null;
  if (returnedAtEnd(f, body) !== undefined) return atReturn(f, fn, args, null, read);
  if (!f.api.isBlock(body)) return null;
  const label = f.label("inlined");
  const bind: Atom = { kind: "var", name: f.names.fresh("t"), type };
  const { returns } = f;
  f.returns = { label, type, used: false, read };
  try {
    const inner = f.nested(() =>
      inside(f, fn, node, args, null, () => (lowerBlockBody(f, body, "t"), [])),
    );
    f.b.emit({ kind: "scope", label, body: inner, bind });
  } finally {
    f.returns = returns;
  }
  return bind;
}

interface Writable {
  readonly node: ts.FunctionLikeDeclaration | null;
  readonly body: ts.Block | ts.Expression | null;
}

export function writable(f: Frame, fn: Fn): Writable {
  const node =
    fn.kind === "closure" ? fn.node : fn.kind === "program" ? f.ctx.bodyOf(fn.symbol) : null;
  const body = node !== null && "body" in node ? node.body : undefined;
  return node === null || body === undefined || f.inlining.includes(node)
    ? { node: null, body: null }
    : { node, body };
}

/** What a function returns that returns at its end only. */
function returnedAtEnd(f: Frame, body: ts.Block | ts.Expression): ts.Expression | undefined {
  if (!f.api.isBlock(body)) return body;
  const last = body.statements.at(-1);
  return last !== undefined && f.api.isReturnStatement(last) && returnsAtEndOnly(f, body)
    ? last.expression
    : undefined;
}

/** Runs `write` where the function's names mean what they mean in it. */
export function inside<T>(
  f: Frame,
  fn: Fn,
  node: ts.FunctionLikeDeclaration,
  args: readonly Arg[],
  call: ts.CallExpression | null,
  write: () => T,
): T {
  const { env, exits, inlining } = f;
  f.env = new Env(fn.kind === "closure" ? fn.env : null, null, givenBy(f, node, call));
  f.exits = [];
  f.inlining = [...inlining, node];
  try {
    bindParameters(f, node.parameters, args);
    return write();
  } finally {
    f.env = env;
    f.exits = exits;
    f.inlining = inlining;
  }
}

/** Gives the parameters of an inlined function their values. */
export function bindParameters(
  f: Frame,
  parameters: readonly ts.ParameterDeclaration[],
  given: readonly Arg[],
): void {
  const real = parameters.filter((parameter) => !isThis(f, parameter));
  const args = parted(f, real, given);
  for (const [at, parameter] of real.entries()) {
    if (parameter.dotDotDotToken !== undefined) {
      const rest = args.slice(at);
      if (rest.length > 0 && rest.every(isFn) && !rest.some(isSpread)) {
        bindFn(f, parameter, {
          kind: "members",
          parts: new Map(rest.map((arg, i) => [String(i), arg])),
          isList: true,
          isWhole: true,
        });
        continue;
      }
      // what a default runs could change a list that is to be read before it
      const late = real.some(
        ({ initializer }) => initializer !== undefined && mayAssign(f.api, initializer),
      )
        ? rest.find(isSpread)
        : undefined;
      if (late !== undefined) return refuseSpread(f, late);
      bindName(
        f,
        parameter.name,
        restOf(
          f,
          parameter,
          rest.map((arg): ArrayPart =>
            isSpread(arg)
              ? { atom: arg.list, spread: true }
              : isFn(arg)
                ? f.refuse("TSG1124", parameter, parameter.getText())
                : { atom: arg, spread: false },
          ),
        ),
      );
      continue;
    }
    const passed = args[at] ?? UNDEFINED;
    const arg =
      isMissing(passed) && hasFnDefault(f, parameter)
        ? argumentOf(f, parameter.initializer)
        : passed;
    if (isSpread(arg)) return refuseSpread(f, arg);
    if (isFn(arg)) {
      bindFn(f, parameter, arg);
      continue;
    }
    const value =
      parameter.initializer === undefined
        ? arg
        : withDefault(f, arg, parameter.initializer, "t", parameter);
    bindName(f, parameter.name, value);
  }
}

/** `act = Math.tanh` */
const hasFnDefault = (
  f: Frame,
  parameter: ts.ParameterDeclaration,
): parameter is ts.ParameterDeclaration & { readonly initializer: ts.Expression } =>
  parameter.initializer !== undefined &&
  f.ctx.checker.getTypeAtLocation(parameter.initializer).getCallSignatures().length > 0;

/** `...rest: number[]`, `...rest: [number, number[]]` */
function restOf(f: Frame, parameter: ts.ParameterDeclaration, parts: readonly ArrayPart[]): Atom {
  const type = f.ctx.typeOf(parameter.name);
  const shape = f.shape(type);
  if (shape.kind === "tuple" && !parts.some(({ spread }) => spread)) {
    const elems = parts.map(({ atom }) => atom);
    return f.let(
      "t",
      { kind: "tuple", elems: elems.map((atom) => atom.type) },
      { kind: "tuple", elems },
    );
  }
  const elem = shape.kind === "array" ? shape.elem : null;
  const kind = elem === null ? "leaf" : f.shape(elem).kind;
  const fits = ({ atom, spread }: ArrayPart): boolean => {
    const list = f.shape(atom.type);
    if (spread)
      return (
        elem !== null &&
        list.kind === "array" &&
        (sameType(list.elem, elem) ||
          (kind === "record" &&
            f.shape(list.elem).kind === kind &&
            f.ctx.classOf(elem) === null &&
            assignable(list.elem, elem, f.ctx.types)))
      );
    return (kind !== "num" && kind !== "leaf") || list.kind === kind;
  };
  const other = parts.find((part) => !fits(part));
  if (other !== undefined)
    return f.refuse(
      "TSG2002",
      f.here ?? parameter,
      f.name,
      `what it hands to \`${f.textOf(parameter)}\``,
      other.atom.type.kind === "leaf" ? other.atom.type.text : printType(other.atom.type),
    );
  return f.let("t", type, { kind: "array", parts });
}

/** A parameter that nothing else is assigned to is that function; of a literal with functions, its pattern takes the parts. */
function bindFn(f: Frame, parameter: ts.ParameterDeclaration, fn: Fn): void {
  const value = fn.kind === "members" ? valueOfMembers(f, parameter.name, fn) : null;
  if (value !== null) return bindName(f, parameter.name, value);
  if (fn.kind === "members" && bindMembers(f, parameter.name, fn)) return;
  const symbol = f.api.isIdentifier(parameter.name) ? f.symbolOf(parameter.name) : null;
  if (symbol === null || isMutable(f, symbol))
    return f.refuse("TSG1124", parameter, parameter.getText());
  f.env.bind(symbol, { kind: "fn", fn });
}
