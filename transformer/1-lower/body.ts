// Lowers one function to raw IR. Input: its declaration and the context; output: a Func. Invariant:
// parameters have the user's names. A parameter that is destructured or assigned is bound in the
// body.

import type ts from "typescript";
import { VOID } from "../ir/build.ts";
import type { Atom, Func, Member, Type, Var } from "../ir/types.ts";
import { classNameOf, type ClassNode } from "./classes/class-declarations.ts";
import { UNDEFINED } from "./coerce.ts";
import { construct } from "./classes/construct-instance.ts";
import type { LowerContext, MemberUse } from "./context.ts";
import { lowerEffect, lowerExpr, applyFn } from "./lowering.ts";
import { Frame, settled } from "./frame.ts";
import { isMadeNode, type MadeNode } from "./lowering-context.ts";
import { Env } from "./function-values.ts";
import { resultType } from "./functions/call-types.ts";
import { isThis } from "./functions/specialisation.ts";
import { parameterVar } from "./functions/lambda-lifting.ts";
import { resolveFn } from "./resolve.ts";
import { customFn } from "./derivatives/custom-functions.ts";
import { bindName, withDefault } from "./objects/patterns.ts";
import { lowerBlockBody } from "./statement.ts";

/** `use`: the class member that the function is; the receiver becomes its first parameter. */
export function lowerFunction(
  ctx: LowerContext,
  decl: ts.FunctionLikeDeclaration | ClassNode | MadeNode,
  name: string,
  home: string,
  use: MemberUse | null = null,
): Func {
  if (isMadeNode(decl, ctx.ts)) return lowerMade(ctx, decl, name, home);
  if (ctx.ts.isClassLike(decl)) return lowerConstructor(ctx, decl, name, home);
  const userName = decl.name?.getText() ?? name;
  const frame = new Frame(ctx, decl, userName, { label: name, type: VOID, used: false });
  const result = resultType(frame, decl, decl);
  frame.returns = { label: name, type: result, used: false };
  refuseUnsupported(frame, decl);
  const parameters = decl.parameters.filter((parameter) => !isThis(frame, parameter));
  const self = use === null ? null : receiverVar(frame, decl, use);
  const params = parameters.map((parameter, at) => parameterVar(frame, parameter, at));
  const body = frame.nested(() => {
    for (const [at, parameter] of parameters.entries()) bindParameter(frame, parameter, params[at]);
    return lowerBody(frame, decl, result);
  });
  return {
    name,
    home,
    params: self === null ? params : [self, ...params],
    result,
    body,
    origin: ctx.originOf(decl),
    ...(use === null ? {} : { member: memberOf(ctx, decl, use) }),
  };
}

/** `grad(f)`, `customVjp(f, rule)` and the like as a function with the parameters of its type. */
function lowerMade(ctx: LowerContext, call: MadeNode, name: string, home: string): Func {
  const frame = new Frame(ctx, call, name, { label: name, type: VOID, used: false });
  const params = parametersOf(ctx, call).map(({ name: hint, type: declared, isOptional }): Var => {
    const type = ctx.typeFrom(declared, call);
    return {
      kind: "var",
      name: frame.names.fresh(hint),
      type: isOptional && type.kind !== "opt" ? { kind: "opt", of: type } : type,
    };
  });
  let result: Type = VOID;
  const body = frame.nested(() => {
    const isRule = ctx.ts.isCallExpression(call) && ctx.definitionAt(call) !== null;
    const fn = isRule ? customFn(frame, call) : resolveFn(frame, call);
    const value =
      fn === null
        ? frame.refuse(
            ctx.ts.isCallExpression(call) ? "TSG1001" : "TSG1013",
            call,
            frame.textOf(call),
          )
        : applyFn(frame, fn, params, call);
    if (value === null) return [];
    result = value.type;
    return [value];
  });
  return { name, home, params, result, body, origin: ctx.originOf(call) };
}

interface Parameter {
  readonly name: string;
  readonly type: ts.Type;
  readonly isOptional: boolean;
}

/** `(...args: [x: number, y?: number])` has two parameters. */
function parametersOf(
  { ts: api, checker, definitionAt }: LowerContext,
  call: MadeNode,
): readonly Parameter[] {
  const rule = api.isCallExpression(call) ? definitionAt(call) : null;
  const symbols =
    checker.getTypeAtLocation(rule?.target ?? call).getCallSignatures()[0]?.parameters ?? [];
  return symbols.flatMap((symbol): readonly Parameter[] => {
    const type = checker.getTypeOfSymbolAtLocation(symbol, call);
    const declared = symbol.valueDeclaration;
    const isRest =
      declared !== undefined && api.isParameter(declared) && declared.dotDotDotToken !== undefined;
    if (isRest && checker.isTupleType(type)) {
      const { target } = type as ts.TupleTypeReference; // isTupleType has tested it
      return checker.getTypeArguments(type as ts.TupleTypeReference).map((each, i): Parameter => {
        const label = target.labeledElementDeclarations?.[i]?.name;
        return {
          name: label !== undefined && api.isIdentifier(label) ? label.text : `x${i}`,
          type: each,
          isOptional: ((target.elementFlags[i] ?? 0) & api.ElementFlags.Optional) !== 0,
        };
      });
    }
    const isOptional =
      declared !== undefined &&
      api.isParameter(declared) &&
      (declared.questionToken !== undefined || declared.initializer !== undefined);
    return [{ name: symbol.name, type, isOptional }];
  });
}

/** The parameter for `this`; a static member has none. */
function receiverVar(f: Frame, decl: ts.FunctionLikeDeclaration, use: MemberUse): Var | null {
  if (use.kind === "static") {
    f.env = new Env(null, { kind: "class", node: use.found.owner });
    return null;
  }
  const self: Var = {
    kind: "var",
    name: f.names.fresh("self"),
    type: f.ctx.exact(use.receiver, decl),
  };
  f.env = new Env(null, { kind: "value", atom: self });
  return self;
}

function memberOf(ctx: LowerContext, decl: ts.FunctionLikeDeclaration, use: MemberUse): Member {
  const kind = use.kind !== "static" && use.kind !== "new" && use.isSuper ? "super" : use.kind;
  return { kind, name: decl.name?.getText() ?? "", hidden: ctx.classes.isHidden(decl) };
}

/** `new C(…)` as a function: the constructors and field initialisers of the class and its bases. */
function lowerConstructor(ctx: LowerContext, node: ClassNode, name: string, home: string): Func {
  const type = ctx.exact(node, node);
  const own =
    (ctx.classes.lineage(node) ?? [])
      .map((each) => ctx.classes.constructorOf(each))
      .find((each) => each !== null) ?? null;
  const frame = new Frame(ctx, node, classNameOf(node, ctx.ts), { label: name, type, used: false });
  const parameters = own?.parameters ?? [];
  const params = parameters.map((parameter, at) => parameterVar(frame, parameter, at));
  const body = frame.nested(() => [construct(frame, node, { args: params }, type)]);
  return {
    name,
    home,
    params,
    result: type,
    body,
    origin: ctx.originOf(own ?? node),
    member: { kind: "new", name: "constructor", hidden: false },
  };
}

function bindParameter(f: Frame, parameter: ts.ParameterDeclaration, param: Var | undefined): void {
  if (param === undefined) return;
  const { initializer } = parameter;
  f.at(parameter, () =>
    bindName(
      f,
      parameter.name,
      initializer === undefined ? param : withDefault(f, param, initializer, param.name, parameter),
    ),
  );
}

function refuseUnsupported(f: Frame, decl: ts.FunctionLikeDeclaration): void {
  if (decl.asteriskToken !== undefined) f.refuse("TSG1102", decl, f.name);
  if (decl.modifiers?.some((modifier) => modifier.kind === f.api.SyntaxKind.AsyncKeyword))
    f.refuse("TSG1101", decl, f.name);
}

function lowerBody(f: Frame, decl: ts.FunctionLikeDeclaration, result: Type): readonly Atom[] {
  const body = "body" in decl ? decl.body : undefined;
  if (body === undefined) return f.refuse("TSG1113", decl, f.name);
  const value = f.api.isBlock(body)
    ? lowerBlockBody(f, body, "t")
    : lowerArrowBody(f, body, result);
  if (result.kind === "void") return [];
  if (value !== null) return [settled(value, result)];
  return [f.shape(result).kind === "opt" ? UNDEFINED : { kind: "undef", type: result }];
}

function lowerArrowBody(f: Frame, body: ts.Expression, result: Type): Atom | null {
  if (result.kind !== "void") return f.at(body, () => lowerExpr(f, body));
  lowerEffect(f, body);
  return null;
}
