// Lowers access to instance members of classes: methods, getters, setters, `this`, `super`.
// Input: the user's access or call. Output: calls of the functions that members are lowered to.
// Dynamic dispatch is a chain of class tests, the most derived class first. Only classes of the
// program take part.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { BOOL, bool, field } from "../../ir/build.ts";
import { topLevel } from "../../ir/names.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { contains, methodOfThis } from "../functions/captures.ts";
import {
  type MemberKind,
  type Found,
  classNameOf,
  type ClassNode,
  declarationOf,
} from "./class-declarations.ts";
import { resultType } from "../functions/call-types.ts";
import { isFn, type Arg, Env } from "../function-values.ts";
import { inline } from "../functions/inlining.ts";
import { isSpecialisedByCall } from "../functions/specialisation.ts";
import { externCall, extern, equalityTest, str, UNDEFINED } from "../coerce.ts";
import { objectOf } from "./construct-instance.ts";
import { Rejected } from "../context.ts";
import { lowerExpr } from "../lowering.ts";
import { type Frame } from "../frame.ts";
import { isReplaced } from "./replaced-members.ts";
import { memberName } from "../objects/places.ts";
import { applyRecursive, isLiftedForCall } from "../functions/recursive.ts";
import type { TypeArguments } from "../types/type-arguments.ts";
import { isInScope } from "../names/library-names.ts";
import { queryOf } from "../objects/constant-mutation.ts";

/** The value of `this`. */
export function lowerThis(f: Frame, node: ts.Node): Atom {
  const { self } = f.env;
  // `this.ZERO` in a function of a constant object
  if (self?.kind === "members" && self.members.constant !== undefined)
    return lowerExpr(f, self.members.constant);
  if (self === null) return thisOutside(f, node);
  if (self.kind === "class" || self.kind === "none" || self.kind === "members")
    return f.refuse("TSG1106", node, f.name);
  if (self.kind === "value") return self.atom;
  if (self.building.object === null && f.b !== self.building.b)
    return f.refuse("TSG1106", node, f.name);
  return objectOf(f, self.building);
}

/** The `this` of a method around the differentiated function: a constant of the method's block. */
function thisOutside(f: Frame, node: ts.Node): Atom {
  const { api, ctx } = f;
  const method = methodOfThis(node, api);
  if (
    method === null ||
    !contains(method.body, f.root) ||
    !ctx.classes.isKnown(method.owner) ||
    ctx.classes.isGeneric(method.owner)
  )
    return f.refuse("TSG1106", node, f.name);
  const file = node.getSourceFile();
  const at = afterDirectives(method.body, api);
  const type = ctx.typeFrom(ctx.classes.instanceType(method.owner), node);
  return {
    kind: "global",
    name: "this",
    type,
    file: file.fileName,
    isThis: true,
    variable: `${topLevel(file.fileName, "this")} ${at}`,
    block: { at, indent: "" },
  };
}

/** Position after directives such as `"use strict"`, which must come first in a body. */
function afterDirectives(body: ts.FunctionBody, api: Frame["api"]): number {
  let at = body.getStart() + 1;
  for (const stmt of body.statements) {
    if (!api.isExpressionStatement(stmt) || !api.isStringLiteral(stmt.expression)) break;
    at = stmt.end;
  }
  return at;
}

/** The value of `this.x` in a constructor that has not allocated the object yet. */
export function pendingField(f: Frame, node: ts.Expression, name: ts.MemberName): Atom | null {
  const { self } = f.env;
  if (
    bare(node, f.api).kind !== f.api.SyntaxKind.ThisKeyword ||
    self?.kind !== "building" ||
    self.building.object !== null
  )
    return null;
  return self.building.values.get(memberName(f, name)) ?? null;
}

// ------------------------------------------------------------------------------------ instances

interface Case {
  readonly type: Type;
  readonly node: ClassNode;
}

/** The classes an instance may have, the most derived first; null for other types. */
function casesOf(f: Frame, type: Type): readonly Case[] | null {
  const own = f.ctx.classOf(type);
  if (own !== null) return [{ type, node: own }];
  const shape = f.shape(type);
  if (shape.kind !== "union") return null;
  const cases = shape.variants.map((variant) => casesOf(f, variant));
  return cases.every((each) => each !== null) ? cases.flat() : null;
}

/** Whether `o.name` of this type runs a member. */
export function hasMember(f: Frame, type: Type, kind: MemberKind, name: string): boolean {
  const cases = casesOf(f, type);
  return (
    cases !== null &&
    cases.length > 0 &&
    cases.every(({ node }) => f.ctx.classes.member(node, kind, name) !== null)
  );
}

/** One access to a member. `at`: the call or the access. */
interface Access {
  readonly kind: MemberKind;
  readonly name: string;
  readonly args: readonly Arg[];
  readonly at: ts.Node;
}

/** Runs `receiver.name`; null where the member returns no value. */
export function callMember(f: Frame, receiver: Atom, access: Access, wanted: string): Atom | null {
  const cases = casesOf(f, receiver.type) ?? [];
  if (cases.length === 0) return f.refuse("TSG1112", access.at, access.name, f.textOf(access.at));
  return dispatch(f, receiver, cases, access, wanted);
}

function dispatch(
  f: Frame,
  receiver: Atom,
  cases: readonly Case[],
  access: Access,
  wanted: string,
): Atom | null {
  const { kind, name, args, at } = access;
  const [first, ...rest] = cases;
  if (first === undefined) return null;
  const run = (as: string): Atom | null => {
    const found = f.ctx.classes.member(first.node, kind, name, at);
    if (found === null) return f.refuse("TSG1112", at, name, classNameOf(first.node, f.api));
    const self = narrowed(f, receiver, first);
    const request: MemberRun = { receiver: first.node, found, kind, args, at, isSuper: false };
    return runMember(f, self, request, as);
  };
  if (rest.length === 0 && isLastCertain(f, receiver, first)) return run(wanted);
  const found = f.ctx.classes.member(first.node, kind, name, at);
  const type =
    found === null
      ? null
      : memberResult(f, found.node, kind, at, f.ctx.givenIn(first.type, found.owner));
  const isIt = isInstance(f, receiver, first.node);
  const others = (as: string): Atom | null =>
    rest.length === 0 ? ofNoClass(f, type, at) : dispatch(f, receiver, rest, access, as);
  if (type === null || type.kind === "void") {
    f.when(
      isIt,
      () => void run("t"),
      () => void others("t"),
    );
    return null;
  }
  return f.choose(
    wanted,
    type,
    isIt,
    () => run("t") ?? UNDEFINED,
    () => others("t") ?? UNDEFINED,
  );
}

/** The receiver with the type of one of its classes. */
const narrowed = (f: Frame, receiver: Atom, { type }: Case): Atom =>
  f.ctx.classOf(receiver.type) !== null
    ? receiver
    : f.let("t", type, { kind: "unwrap", value: receiver });

/** Whether the last class needs no test. Only emitted code makes the records of sealed classes. */
const isLastCertain = (f: Frame, receiver: Atom, { node }: Case): boolean =>
  !f.ctx.isOpen(receiver.type) || f.ctx.classes.isSealed(node);

/** Whether a method is optional in the receiver's type: `reset?(): void`. */
export const isOptionalMethod = (f: Frame, node: ts.PropertyAccessExpression): boolean => {
  const flags = f.symbolOf(node.name)?.flags ?? 0;
  return (flags & f.api.SymbolFlags.Method) !== 0 && (flags & f.api.SymbolFlags.Optional) !== 0;
};

interface OptionalMember {
  readonly name: string;
  /** Result type; null for no value. */
  readonly type: Type | null;
  readonly at: ts.Node;
  /** Runs on a receiver whose class has the method. */
  readonly run: (self: Atom, as: string) => Atom | null;
  /** Runs where the class lacks the method. */
  readonly lacks: () => Atom;
}

/** Branches on whether the class has an optional method; null for receivers of unknown class. */
export function branchOnMember(
  f: Frame,
  receiver: Atom,
  { name, type, at, run, lacks }: OptionalMember,
  wanted: string,
): { readonly value: Atom } | null {
  const cases = casesOf(f, receiver.type) ?? [];
  if (cases.length === 0) return null;
  const from = ([first, ...rest]: readonly Case[], as: string): Atom => {
    if (first === undefined) return ofNoClass(f, type, at);
    const own = (into: string): Atom =>
      f.ctx.classes.member(first.node, "method", name) === null
        ? lacks()
        : (run(narrowed(f, receiver, first), into) ?? UNDEFINED);
    if (rest.length === 0 && isLastCertain(f, receiver, first)) return own(as);
    const isIt = isInstance(f, receiver, first.node);
    if (type !== null)
      return f.choose(
        as,
        type,
        isIt,
        () => own("t"),
        () => from(rest, "t"),
      );
    f.when(
      isIt,
      () => void own("t"),
      () => void from(rest, "t"),
    );
    return UNDEFINED;
  };
  return { value: from(cases, wanted) };
}

/** `p.reset()` of an optional method; throws like JavaScript where the class lacks it. */
export function callOptional(
  f: Frame,
  receiver: Atom,
  callee: ts.PropertyAccessExpression,
  call: { readonly args: readonly Arg[]; readonly at: ts.CallExpression },
  wanted: string,
): { readonly value: Atom | null } | null {
  const { args, at } = call;
  const name = callee.name.text;
  const result = f.ctx.checker.getTypeAtLocation(at);
  const type =
    result.flags & (f.api.TypeFlags.Void | f.api.TypeFlags.Undefined) ? null : f.ctx.typeOf(at);
  const found = branchOnMember(
    f,
    receiver,
    {
      name,
      type,
      at,
      run: (self, as) => callMember(f, self, { kind: "method", name, args, at }, as),
      lacks: () => throwTypeError(f, `${callee.getText()} is not a function`, type),
    },
    wanted,
  );
  return found === null ? null : { value: type === null ? null : found.value };
}

/** Throws for an object that fits the type by structure but is of no known class. */
const ofNoClass = (f: Frame, type: Type | null, at: ts.Node): Atom =>
  throwTypeError(
    f,
    `\`${f.textOf(at)}\`: the object is of no class whose derivative is known`,
    type,
  );

function throwTypeError(f: Frame, message: string, type: Type | null): Atom {
  f.b.emit({
    kind: "throw",
    value: externCall(f, "t", { kind: "leaf", text: "TypeError" }, "new TypeError", [str(message)]),
  });
  return { kind: "undef", type: type ?? { kind: "void" } };
}

export function isInstance(f: Frame, value: Atom, node: ClassNode, wanted = "t"): Atom {
  const { classes } = f.ctx;
  const cases = casesOf(f, value.type) ?? [];
  const sealed =
    cases.find((each) => classes.isSealed(each.node))?.node ??
    (classes.isSealed(node) ? node : undefined);
  // tags discriminate sealed classes; those without a tag are recompiled with one
  for (const each of sealed === undefined ? [] : cases)
    if (classes.tagName(each.node) === null) classes.mixed.add(each.node);
  if (sealed !== undefined)
    return (
      isRecordOf(f, value, node) ??
      f.refuse("TSG1107", f.here ?? f.root, f.name, classNameOf(sealed, f.api))
    );
  // TypeScript takes what is not of the declared class for impossible
  const [before, after] = f.ctx.hasBases(value.type) ? ["(", " as unknown)"] : ["", ""];
  const text = [before, `${after} instanceof `, ""];
  return extern(f, wanted, BOOL, text, [value, classAtom(f, node)]);
}

/** Tests the class of a record by its type or tag; null where neither decides. */
export function isRecordOf(f: Frame, value: Atom, node: ClassNode): Atom | null {
  const cases = casesOf(f, value.type);
  const among =
    cases?.filter(({ node: each }) => f.ctx.classes.lineage(each)?.includes(node) === true) ?? [];
  if (cases === null || !cases.every((each) => f.ctx.classes.isSealed(each.node))) return null;
  if (among.length === 0 || among.length === cases.length) return bool(among.length > 0);
  const tag = f.ctx.classes.tagName(node);
  const type = tag === null ? null : placeType(value.type, field(tag), f.ctx.types);
  if (tag === null || type === null) return null;
  const said = f.b.load("t", type, value, field(tag));
  const tests = among.map((each) =>
    equalityTest(f, "===", said, str(each.type.kind === "named" ? each.type.name : "")),
  );
  return tests.reduce((any, one) => f.let("t", BOOL, { kind: "op", op: "or", args: [any, one] }));
}

/** The class object, under its name in its own file. */
function classAtom(f: Frame, node: ClassNode): Atom {
  const name = classNameOf(node, f.api);
  const declaration = declarationOf(node, f.api);
  if (declaration === null || !isInScope(f, declaration))
    return f.refuse("TSG1107", f.here ?? f.root, f.name, name);
  return {
    kind: "global",
    name,
    type: { kind: "leaf", text: `typeof ${name}` },
    file: node.getSourceFile().fileName,
    home: f.ctx.homeOf(node),
  };
}

/** `given`: type arguments of the member's class. */
function memberResult(
  f: Frame,
  node: Found["node"],
  kind: MemberKind,
  at: ts.Node,
  given: TypeArguments,
): Type {
  if (kind === "setter") return { kind: "void" };
  if (kind === "method") return resultType(f, node, at, given);
  return f.ctx.typeFrom(f.ctx.checker.getTypeAtLocation(node), at, given);
}

/** A run of the member of exactly the class `receiver`. */
interface MemberRun extends Omit<Access, "name"> {
  readonly receiver: ClassNode;
  readonly found: Found;
  readonly isSuper: boolean;
}

function runMember(
  f: Frame,
  self: Atom,
  { receiver, found, kind, args, at, isSuper }: MemberRun,
  wanted: string,
): Atom | null {
  const { node } = found;
  if (kind === "method" && isReplaced(queryOf(f), found, receiver))
    return f.refuse("TSG1012", at, `${classNameOf(found.owner, f.api)}.${node.name.getText()}`);
  const given = f.ctx.givenIn(self.type, found.owner);
  if (isLiftedForCall(f, node, args))
    return applyRecursive(
      f,
      { node, env: given.size === 0 ? f.outside : new Env(null, null, given), self },
      args,
      at,
      wanted,
    );
  if (isSpecialisedByCall(f, node) || args.some(isFn)) {
    const env = new Env(null, { kind: "value", atom: self }, given);
    return inline(f, { node, env }, args, at, wanted);
  }
  const name = f.ctx.member({ kind, receiver, found, isSuper }, at);
  if (name === null) throw new Rejected();
  const own = memberResult(f, node, kind, at, given);
  // a method of type `this` returns an instance of the receiver's class
  const type = returnsThis(f, node) ? self.type : own;
  return callByName(f, name, [self, ...padded(node, atoms(args))], type, wanted);
}

/** Calls a lowered function; null for void. */
export function callByName(
  f: Frame,
  callee: string,
  args: readonly Atom[],
  type: Type,
  wanted: string,
): Atom | null {
  const isVoid = type.kind === "void";
  const bound = f.let(isVoid ? "t" : wanted, type, { kind: "call", callee, args });
  return isVoid ? null : bound;
}

export function returnsThis(f: Frame, node: ts.FunctionLikeDeclaration): boolean {
  const type = f.ctx.checker.getSignatureFromDeclaration(node)?.getReturnType();
  return (
    type !== undefined &&
    type.isTypeParameter() &&
    (type.symbol.flags & f.api.SymbolFlags.Class) !== 0
  );
}

export const atoms = (args: readonly Arg[]): readonly Atom[] =>
  args.filter((arg): arg is Atom => !isFn(arg));

/** One argument for each parameter: `undefined` for omitted ones. */
export function padded(node: ts.FunctionLikeDeclaration, args: readonly Atom[]): readonly Atom[] {
  return node.parameters
    .filter((parameter) => parameter.name.getText() !== "this")
    .map((_, at) => args[at] ?? UNDEFINED);
}

/** `super.m(…)`, `super.x`: the member of the base of the class around the access. */
export function callSuper(
  f: Frame,
  access: ts.PropertyAccessExpression,
  { kind, args, at }: Omit<Access, "name">,
  wanted: string,
): Atom | null {
  const self = lowerThis(f, access);
  const receiver = f.ctx.classOf(self.type);
  const around = f.api.findAncestor(access, f.api.isClassLike);
  const base = around === undefined ? null : f.ctx.classes.baseOf(around);
  const found =
    base === null || base === "unknown"
      ? null
      : f.ctx.classes.member(base, kind, access.name.text, at);
  if (receiver === null || found === null)
    return f.refuse("TSG1112", at, access.name.text, "super");
  return runMember(f, self, { receiver, found, kind, args, at, isSuper: true }, wanted);
}
