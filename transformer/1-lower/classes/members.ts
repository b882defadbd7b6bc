// Members of classes: methods, getters, setters, static members, `this`, `super`. In: the user's access or call. Out: calls of the functions
// that the members are lowered to. Invariant: which of several overriding members runs is asked of the object itself, the most derived
// class first; a class that the program does not have cannot be meant.

import type ts from "typescript";
import { BOOL, bool, field } from "../../ir/build.ts";
import { topLevel } from "../../ir/names.ts";
import { placeType } from "../../ir/type-of.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { contains, methodOfThis } from "../functions/captures.ts";
import { variableMeant } from "../names/variables.ts";
import { classNameOf, type ClassNode, type Found, type MemberKind } from "./classes.ts";
import {
  inline,
  isFixedByCall,
  isListOfFns,
  mentionsThis,
  isFn,
  resultType,
  type Arg,
} from "../functions/closures.ts";
import { externCall, extern, sameValue, str, UNDEFINED } from "../coerce.ts";
import { lowerArguments } from "../calls.ts";
import { construct, objectOf } from "./construct-instance.ts";
import { Rejected } from "../context.ts";
import { lowerExpr } from "../expression.ts";
import { isReassigned } from "../effects.ts";
import { Env, type Fn, type Frame, type Self } from "../frame.ts";
import { isReplaced } from "./replaced-members.ts";
import { memberName } from "../objects/places.ts";
import { applyRecursive, isMadeForCall } from "../functions/recursive.ts";
import { argumentsOf, type TypeArguments } from "../types/type-arguments.ts";
import { askingOf } from "../objects/constant-mutation.ts";
import { builtinPath, opened } from "../resolve.ts";
import { constantOfModule } from "../names/other-modules.ts";

/** What `this` is worth as a value. */
export function lowerThis(f: Frame, node: ts.Node): Atom {
  const { self } = f.env;
  // `this.ZERO`, beside the functions of a constant
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

/** The `this` of the method around the function that is differentiated, as a constant of the method's block. */
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
  const at = behindDirectives(method.body, api);
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

/** Where the statements of a body begin: `"use strict"` is a directive only in front of them. */
function behindDirectives(body: ts.FunctionBody, api: Frame["api"]): number {
  let at = body.getStart() + 1;
  for (const stmt of body.statements) {
    if (!api.isExpressionStatement(stmt) || !api.isStringLiteral(stmt.expression)) break;
    at = stmt.end;
  }
  return at;
}

/** `this.x` in a constructor that has no object yet. */
export function pendingField(f: Frame, node: ts.Expression, name: ts.MemberName): Atom | null {
  const { self } = f.env;
  if (
    opened(f, node).kind !== f.api.SyntaxKind.ThisKeyword ||
    self?.kind !== "building" ||
    self.building.object !== null
  )
    return null;
  return self.building.values.get(memberName(f, name)) ?? null;
}

// ---------------------------------------------------------------------------------------------------- instances

interface Case {
  readonly type: Type;
  readonly node: ClassNode;
}

/** The classes an instance may be of, the most derived ones first; null for what is no instance. */
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

/** Runs `receiver.name`; null where that gives no value. `at`: the call, or the access. */
export function callMember(
  f: Frame,
  receiver: Atom,
  kind: MemberKind,
  name: string,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom | null {
  const cases = casesOf(f, receiver.type) ?? [];
  if (cases.length === 0) return f.refuse("TSG1112", at, name, f.textOf(at));
  return dispatch(f, receiver, cases, kind, name, args, at, wanted);
}

function dispatch(
  f: Frame,
  receiver: Atom,
  cases: readonly Case[],
  kind: MemberKind,
  name: string,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom | null {
  const [first, ...rest] = cases;
  if (first === undefined) return null;
  const run = (as: string): Atom | null => {
    const found = f.ctx.classes.member(first.node, kind, name);
    if (found === null) return f.refuse("TSG1112", at, name, classNameOf(first.node, f.api));
    const isExact = f.ctx.classOf(receiver.type) !== null;
    const self = isExact ? receiver : f.let("t", first.type, { kind: "unwrap", value: receiver });
    return runMember(f, self, first.node, found, kind, args, at, as, false);
  };
  // no other code makes records that stand for instances
  if (rest.length === 0 && (!f.ctx.isOpen(receiver.type) || f.ctx.classes.isSealed(first.node)))
    return run(wanted);
  const found = f.ctx.classes.member(first.node, kind, name);
  const type =
    found === null
      ? null
      : memberResult(f, found.node, kind, at, f.ctx.givenIn(first.type, found.owner));
  const isIt = isInstance(f, receiver, first.node);
  const others = (as: string): Atom | null =>
    rest.length === 0
      ? ofNoClass(f, type, at)
      : dispatch(f, receiver, rest, kind, name, args, at, as);
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

/** Whether a method is one that classes need not have. */
export const isOptionalMethod = (f: Frame, node: ts.PropertyAccessExpression): boolean => {
  const flags = f.symbolOf(node.name)?.flags ?? 0;
  return (flags & f.api.SymbolFlags.Method) !== 0 && (flags & f.api.SymbolFlags.Optional) !== 0;
};

/** For such a method: `run` where the object's class has it, `lacks` where it has none. Null where the object is no instance of known classes. `type`: null of no value. */
export function whereClassHas(
  f: Frame,
  receiver: Atom,
  name: string,
  type: Type | null,
  at: ts.Node,
  wanted: string,
  run: (self: Atom, as: string) => Atom | null,
  lacks: () => Atom = () => UNDEFINED,
): { readonly value: Atom } | null {
  const cases = casesOf(f, receiver.type) ?? [];
  const isOpen = f.ctx.isOpen(receiver.type);
  if (cases.length === 0) return null;
  const from = ([first, ...rest]: readonly Case[], as: string): Atom => {
    if (first === undefined) return ofNoClass(f, type, at);
    const own = (into: string): Atom =>
      f.ctx.classes.member(first.node, "method", name) === null
        ? lacks()
        : (run(
            f.ctx.classOf(receiver.type) !== null
              ? receiver
              : f.let("t", first.type, { kind: "unwrap", value: receiver }),
            into,
          ) ?? UNDEFINED);
    if (rest.length === 0 && (!isOpen || f.ctx.classes.isSealed(first.node))) return own(as);
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

/** `p.reset()` of a method that not all classes have, called as if all had it. */
export function callOptional(
  f: Frame,
  receiver: Atom,
  callee: ts.PropertyAccessExpression,
  args: readonly Arg[],
  at: ts.CallExpression,
  wanted: string,
): { readonly value: Atom | null } | null {
  const name = callee.name.text;
  const result = f.ctx.checker.getTypeAtLocation(at);
  const type =
    result.flags & (f.api.TypeFlags.Void | f.api.TypeFlags.Undefined) ? null : f.ctx.typeOf(at);
  const found = whereClassHas(
    f,
    receiver,
    name,
    type,
    at,
    wanted,
    (self, as) => callMember(f, self, "method", name, args, at, as),
    () => {
      f.b.emit({
        kind: "throw",
        value: externCall(f, "t", { kind: "leaf", text: "TypeError" }, "new TypeError", [
          str(`${callee.getText()} is not a function`),
        ]),
      });
      return { kind: "undef", type: type ?? { kind: "void" } };
    },
  );
  return found === null ? null : { value: type === null ? null : found.value };
}

/** An object that fits a type by its shape alone: nothing is known of its members. */
function ofNoClass(f: Frame, type: Type | null, at: ts.Node): Atom {
  const message = `\`${f.textOf(at)}\`: the object is of no class whose derivative is known`;
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
  // records are told apart by tags, which the others lack
  for (const each of sealed === undefined ? [] : cases)
    if (classes.tagName(each.node) === null) classes.met.add(each.node);
  if (sealed !== undefined)
    return (
      isRecordOf(f, value, node) ??
      f.refuse("TSG1107", f.here ?? f.root, f.name, classNameOf(sealed, f.api))
    );
  return extern(f, wanted, BOOL, ["", " instanceof ", ""], [value, classAtom(f, node)]);
}

/** Whether the record stands for an instance of the class, as far as its type or its tag says. */
export function isRecordOf(f: Frame, value: Atom, node: ClassNode): Atom | null {
  const cases = casesOf(f, value.type);
  const among =
    cases?.filter(({ node: each }) => f.ctx.classes.lineage(each)?.includes(node) === true) ?? [];
  if (cases === null || !cases.every((each) => f.ctx.classes.isSealed(each.node))) return null;
  if (among.length === 0 || among.length === cases.length) return bool(among.length > 0);
  const tag = f.ctx.classes.tagName(node);
  const type = tag === null ? null : placeType(value.type, field(tag), f.ctx.types);
  if (tag === null || type === null) return null;
  const said = f.let("t", type, { kind: "load", object: value, key: field(tag) });
  const tests = among.map((each) =>
    sameValue(f, "===", said, str(each.type.kind === "named" ? each.type.name : "")),
  );
  return tests.reduce((any, one) => f.let("t", BOOL, { kind: "op", op: "or", args: [any, one] }));
}

/** The class itself, under the name it has in its own file. */
function classAtom(f: Frame, node: ClassNode): Atom {
  const name = classNameOf(node, f.api);
  return {
    kind: "global",
    name,
    type: { kind: "leaf", text: `typeof ${name}` },
    file: node.getSourceFile().fileName,
    home: f.ctx.homeOf(node),
  };
}

/** `given`: what the type parameters of the member's class stand for. */
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

/** The member of exactly this class. */
function runMember(
  f: Frame,
  self: Atom,
  receiver: ClassNode,
  found: Found,
  kind: MemberKind,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
  isSuper: boolean,
): Atom | null {
  const { node } = found;
  if (kind === "method" && isReplaced(askingOf(f), found, receiver))
    return f.refuse(
      "TSG1012",
      at,
      `${classNameOf(found.owner, f.api)}.${node.name?.getText() ?? "constructor"}`,
    );
  const given = f.ctx.givenIn(self.type, found.owner);
  if (isMadeForCall(f, node, args))
    return applyRecursive(
      f,
      { node, env: given.size === 0 ? f.outside : new Env(null, null, given), self },
      args,
      at,
      wanted,
    );
  if (isFixedByCall(f, node) || args.some(isFn))
    return inline(f, node, new Env(null, { kind: "value", atom: self }, given), args, at, wanted);
  const name = f.ctx.member({ kind, receiver, found, isSuper }, at);
  if (name === null) throw new Rejected();
  const own = memberResult(f, node, kind, at, given);
  // a method that gives `this` gives an instance of the class it is called on
  const type = returnsThis(f, node) ? self.type : own;
  const bound = f.let(type.kind === "void" ? "t" : wanted, type, {
    kind: "call",
    callee: name,
    args: [self, ...padded(node, atoms(args))],
  });
  return type.kind === "void" ? null : bound;
}

export function returnsThis(f: Frame, node: ts.FunctionLikeDeclaration): boolean {
  const type = f.ctx.checker.getSignatureFromDeclaration(node)?.getReturnType();
  return (
    type !== undefined &&
    type.isTypeParameter() &&
    (type.symbol.flags & f.api.SymbolFlags.Class) !== 0
  );
}

const atoms = (args: readonly Arg[]): readonly Atom[] =>
  args.filter((arg): arg is Atom => !isFn(arg));

function padded(node: ts.FunctionLikeDeclaration, args: readonly Atom[]): readonly Atom[] {
  return node.parameters
    .filter((parameter) => parameter.name.getText() !== "this")
    .map((_, at) => args[at] ?? UNDEFINED);
}

// ---------------------------------------------------------------------------------------------------- super, static, new

/** `super.m(…)`, `super.x`: the member of the class that the code's own class derives from. */
export function callSuper(
  f: Frame,
  access: ts.PropertyAccessExpression,
  kind: MemberKind,
  args: readonly Arg[],
  at: ts.Node,
  wanted: string,
): Atom | null {
  const self = lowerThis(f, access);
  const receiver = f.ctx.classOf(self.type);
  const around = f.api.findAncestor(access, f.api.isClassLike);
  const base = around === undefined ? null : f.ctx.classes.baseOf(around);
  const found =
    base === null || base === "unknown" ? null : f.ctx.classes.member(base, kind, access.name.text);
  if (receiver === null || found === null)
    return f.refuse("TSG1112", at, access.name.text, "super");
  return runMember(f, self, receiver, found, kind, args, at, wanted, true);
}

/** The class that an expression names, or that `this` is in a static member. */
export function classNamed(f: Frame, expression: ts.Expression): ClassNode | null {
  const node = opened(f, expression);
  if (node.kind === f.api.SyntaxKind.ThisKeyword)
    return isStaticSelf(f.env.self) ? f.env.self.node : null;
  const name = f.api.isPropertyAccessExpression(node) ? node.name : node;
  const symbol = f.api.isIdentifier(name) ? f.symbolOf(name) : null;
  return symbol === null || f.env.lookup(symbol) !== null ? null : f.ctx.classes.ofSymbol(symbol);
}

const isStaticSelf = (self: Self | null): self is Self & { readonly kind: "class" } =>
  self?.kind === "class";

/** `Vec.of(…)`; null where that is no static method. */
export function callStatic(
  f: Frame,
  callee: ts.PropertyAccessExpression,
  node: ts.CallExpression,
  wanted: string,
): { readonly value: Atom | null } | null {
  const owner = classNamed(f, callee.expression);
  const found = owner === null ? null : f.ctx.classes.staticMethod(owner, callee.name.text);
  if (owner === null || found === null) return null;
  if (isReplaced(askingOf(f), found, owner))
    return f.refuse(
      "TSG1012",
      node,
      `${classNameOf(found.owner, f.api)}.${found.node.name?.getText() ?? ""}`,
    );
  const args = lowerArguments(f, node, true);
  const env = new Env(null, { kind: "class", node: owner });
  if (isMadeForCall(f, found.node, args))
    return { value: applyRecursive(f, { node: found.node, env }, args, node, wanted) };
  // `B.of(x)` of a class that B derives from: `this` is B
  const isOthers = found.owner !== owner && mentionsThis(f, found.node);
  if (isFixedByCall(f, found.node) || args.some(isFn) || isOthers)
    return { value: inline(f, found.node, env, args, node, wanted) };
  const name = f.ctx.member({ kind: "static", found }, node);
  if (name === null) throw new Rejected();
  const type = resultType(f, found.node, node);
  const bound = f.let(type.kind === "void" ? "t" : wanted, type, {
    kind: "call",
    callee: name,
    args: padded(found.node, atoms(args)),
  });
  return { value: type.kind === "void" ? null : bound };
}

/** The function that a static field is declared with: `static square = (x: number) => x * x`. */
export function staticFn(f: Frame, node: ts.PropertyAccessExpression): Fn | null {
  const { api } = f;
  const receiver = classNamed(f, node.expression);
  const field = receiver === null ? undefined : staticSymbol(f, receiver, node)?.valueDeclaration;
  if (
    receiver === null ||
    field === undefined ||
    !api.isPropertyDeclaration(field) ||
    field.initializer === undefined
  )
    return null;
  const owner = field.parent;
  const initialiser = opened(f, field.initializer);
  if (
    !f.ctx.classes.isStatic(field) ||
    !api.isClassLike(owner) ||
    api.findAncestor(owner, api.isFunctionLike) !== undefined
  )
    return null;
  const path =
    api.isArrowFunction(initialiser) || api.isFunctionExpression(initialiser)
      ? null
      : builtinPath(f, initialiser);
  const fn: Fn | null =
    path !== null
      ? { kind: "builtin", path }
      : api.isArrowFunction(initialiser) || api.isFunctionExpression(initialiser)
        ? { kind: "closure", node: initialiser, env: new Env(null, { kind: "class", node: owner }) }
        : null;
  return fn !== null && isReplaced(askingOf(f), { node: field, owner }, receiver)
    ? f.refuse("TSG1012", node, f.textOf(node))
    : fn;
}

/** What `this.k` of an inherited static member means depends on the class that `this` is. */
function staticSymbol(
  f: Frame,
  owner: ClassNode,
  node: ts.PropertyAccessExpression,
): ts.Symbol | null {
  const name = f.api.isIdentifier(node.name)
    ? f.ctx.classes.staticMember(owner, node.name.text)?.name
    : undefined;
  return (
    (name === undefined ? undefined : f.ctx.checker.getSymbolAtLocation(name)) ??
    f.symbolOf(node.name)
  );
}

/** `Vec.ZERO`; null where that is no static field. */
export function staticField(f: Frame, node: ts.PropertyAccessExpression): Atom | null {
  const owner = classNamed(f, node.expression);
  const symbol = owner === null ? null : staticSymbol(f, owner, node);
  if (owner === null || symbol === null) return null;
  if (symbol.flags & f.api.SymbolFlags.Accessor) return f.refuse("TSG1116", node, f.textOf(node));
  if (!(symbol.flags & f.api.SymbolFlags.Property)) return null;
  if (isReassigned(f, symbol)) return f.refuse("TSG1115", node, f.name, node.getText());
  if (f.api.isPrivateIdentifier(node.name)) return privateConstant(f, node, symbol, owner);
  const file = f.root.getSourceFile().fileName;
  if (node.getSourceFile().fileName !== file)
    return (
      constantOfModule(f, symbol, f.ctx.typeOf(node)) ??
      f.refuse("TSG1209", node, `it uses \`${f.textOf(node)}\` of another module`)
    );
  const declaration = symbol.valueDeclaration;
  const access =
    declaration !== undefined && f.ctx.classes.isHidden(declaration)
      ? `["${node.name.text}"]`
      : `.${node.name.text}`;
  const name = `${opened(f, node.expression).kind === f.api.SyntaxKind.ThisKeyword ? classNameOf(owner, f.api) : node.expression.getText()}${access}`;
  return {
    kind: "global",
    name,
    type: f.ctx.typeOf(node),
    file,
    ...variableMeant(symbol, name, file, f.api),
  };
}

/** `Rng.#modulus`, which code outside the class cannot read: what it is computed from, where that is numbers and texts. */
function privateConstant(
  f: Frame,
  node: ts.PropertyAccessExpression,
  symbol: ts.Symbol,
  owner: ClassNode,
): Atom {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  const initial =
    declaration !== undefined && api.isPropertyDeclaration(declaration)
      ? declaration.initializer
      : undefined;
  const isFixed = (part: ts.Node): boolean =>
    (api.isPropertyAccessExpression(part) && builtinPath(f, part) !== null) ||
    api.isNumericLiteral(part) ||
    api.isStringLiteralLike(part) ||
    ((api.isPrefixUnaryExpression(part) ||
      api.isBinaryExpression(part) ||
      api.isParenthesizedExpression(part)) &&
      api.forEachChild(part, (child) =>
        (api.isToken(child) && !api.isLiteralExpression(child)) || isFixed(child)
          ? undefined
          : true,
      ) !== true);
  if (initial === undefined || !isFixed(initial))
    return f.refuse("TSG1107", node, f.name, classNameOf(owner, api));
  return lowerExpr(f, initial);
}

/** `new Vec(x, y)`; null where the class is not the program's. */
export function newInstance(f: Frame, node: ts.NewExpression, wanted: string): Atom | null {
  const { classes } = f.ctx;
  const owner = classNamed(f, node.expression);
  if (owner === null) return null;
  const type = f.ctx.checker.getTypeAtLocation(node);
  if (classes.isError(type)) return newError(f, node, wanted);
  const text = f.ctx.checker.typeToString(type);
  if (!classes.isKnown(owner)) return f.refuse("TSG1107", node, f.name, text);
  const args = node.arguments === undefined ? [] : lowerArguments(f, node, true);
  const exact = f.ctx.exact(
    owner,
    node,
    owner.typeParameters === undefined
      ? []
      : argumentsOf(type, f.api, f.ctx.checker).map((arg) => f.ctx.typeFrom(arg, node)),
  );
  const own = (classes.lineage(owner) ?? [])
    .map((each) => classes.constructorOf(each))
    .find((each) => each !== null);
  if (
    args.some(isFn) ||
    own?.parameters.some(
      (parameter) => parameter.dotDotDotToken !== undefined || isListOfFns(f, parameter),
    ) === true ||
    classes.isGeneric(owner)
  )
    return construct(f, owner, args, exact);
  const name = f.ctx.member({ kind: "new", receiver: owner }, node);
  if (name === null) throw new Rejected();
  return f.let(wanted, exact, {
    kind: "call",
    callee: name,
    args: own === undefined || own === null ? [] : padded(own, atoms(args)),
  });
}

/** An error of the user's own holds nothing to differentiate. */
function newError(f: Frame, node: ts.NewExpression, wanted: string): Atom {
  const args = node.arguments === undefined ? [] : lowerArguments(f, node);
  if (args.some(isFn)) return f.refuse("TSG1124", node, f.textOf(node));
  const text = node.expression.getText();
  const type: Type = { kind: "leaf", text: `typeof ${text}` };
  const given = atoms(args);
  const owner: Atom = { kind: "global", name: text, type, file: node.getSourceFile().fileName };
  return extern(
    f,
    wanted,
    f.ctx.typeOf(node),
    [
      "new ",
      given.length === 0 ? "()" : "(",
      ...given.map((_, i) => (i === given.length - 1 ? ")" : ", ")),
    ],
    [owner, ...given],
  );
}
