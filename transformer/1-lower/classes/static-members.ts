// Lowers static members of classes and `new`. Input: the user's access or call.
// Output: calls of lowered functions, constants, or the instance.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { type Cell, cellOf, readCell } from "../objects/cells.ts";
import { variableIdentity } from "../names/variable-identity.ts";
import type { Atom, Type } from "../../ir/types.ts";
import { classNameOf, type ClassNode } from "./class-declarations.ts";
import { resultType } from "../functions/call-types.ts";
import { isFn, Env, type Self, type Fn } from "../function-values.ts";
import { inline } from "../functions/inlining.ts";
import { isSpecialisedByCall, mentionsThis } from "../functions/specialisation.ts";
import { extern } from "../coerce.ts";
import { lowerArguments, lowerExpr } from "../lowering.ts";
import { construct } from "./construct-instance.ts";
import { Rejected } from "../context.ts";
import { isReassigned } from "../assignments.ts";
import { type Frame } from "../frame.ts";
import { atoms, callByName, padded } from "./members.ts";
import { isReplaced } from "./replaced-members.ts";
import { applyRecursive, isLiftedForCall } from "../functions/recursive.ts";
import { argumentsOf } from "../types/type-arguments.ts";
import { queryOf } from "../objects/constant-mutation.ts";
import { builtinPath } from "../names/library-names.ts";
import { constantOfModule } from "../names/other-modules.ts";

/** The class that an expression names, or that `this` denotes in a static member. */
export function classNamed(f: Frame, expression: ts.Expression): ClassNode | null {
  const node = bare(expression, f.api);
  if (node.kind === f.api.SyntaxKind.ThisKeyword)
    return isStaticSelf(f.env.self) ? f.env.self.node : null;
  const name = f.api.isPropertyAccessExpression(node) ? node.name : node;
  const symbol = f.api.isIdentifier(name) ? f.symbolOf(name) : null;
  return symbol === null || f.env.lookup(symbol) !== null ? null : f.ctx.classes.ofSymbol(symbol);
}

const isStaticSelf = (self: Self | null): self is Self & { readonly kind: "class" } =>
  self?.kind === "class";

/** `Vec.of(…)`; null where the callee is no static method. */
export function callStatic(
  f: Frame,
  callee: ts.PropertyAccessExpression,
  node: ts.CallExpression,
  wanted: string,
): { readonly value: Atom | null } | null {
  const owner = classNamed(f, callee.expression);
  const found = owner === null ? null : f.ctx.classes.staticMethod(owner, callee.name.text, node);
  if (owner === null || found === null) return null;
  if (isReplaced(queryOf(f), found, owner))
    return f.refuse(
      "TSG1012",
      node,
      `${classNameOf(found.owner, f.api)}.${found.node.name.getText()}`,
    );
  const args = lowerArguments(f, node, true);
  const env = new Env(null, { kind: "class", node: owner });
  if (isLiftedForCall(f, found.node, args))
    return { value: applyRecursive(f, { node: found.node, env }, args, node, wanted) };
  // `B.of(x)` where `of` is inherited: `this` is B, not the base
  const isOthers = found.owner !== owner && mentionsThis(f, found.node);
  if (isSpecialisedByCall(f, found.node) || args.some(isFn) || isOthers)
    return { value: inline(f, { node: found.node, env }, args, node, wanted) };
  const name = f.ctx.member({ kind: "static", found }, node);
  if (name === null) throw new Rejected();
  const type = resultType(f, found.node, node);
  return { value: callByName(f, name, padded(found.node, atoms(args)), type, wanted) };
}

/** The function in a static field: `static square = (x: number) => x * x`. */
export function staticFn(f: Frame, node: ts.PropertyAccessExpression): Fn | null {
  const receiver = classNamed(f, node.expression);
  const field = receiver === null ? undefined : staticSymbol(f, receiver, node)?.valueDeclaration;
  if (receiver === null || field === undefined) return null;
  const initial = staticInitializer(f, field);
  if (initial === null) return null;
  const fn = fnIn(f, initial.node, initial.owner);
  return fn !== null && isReplaced(queryOf(f), initial, receiver)
    ? f.refuse("TSG1012", node, f.textOf(node))
    : fn;
}

/** The class and declaration of a static field with an initializer, outside functions. */
function staticInitializer(
  f: Frame,
  field: ts.Declaration,
): { readonly node: ts.PropertyDeclaration; readonly owner: ClassNode } | null {
  const { api } = f;
  if (!api.isPropertyDeclaration(field) || field.initializer === undefined) return null;
  const owner = field.parent;
  return f.ctx.classes.isStatic(field) &&
    api.isClassLike(owner) &&
    api.findAncestor(owner, api.isFunctionLike) === undefined
    ? { node: field, owner }
    : null;
}

/** The function or built-in that a static field is initialised with. */
function fnIn(f: Frame, { initializer }: ts.PropertyDeclaration, owner: ClassNode): Fn | null {
  if (initializer === undefined) return null;
  const node = bare(initializer, f.api);
  if (f.api.isArrowFunction(node) || f.api.isFunctionExpression(node))
    return { kind: "closure", node, env: new Env(null, { kind: "class", node: owner }) };
  const path = builtinPath(f, node);
  return path === null ? null : { kind: "builtin", path };
}

/** The symbol of `C.k`. An inherited `this.k` depends on the class that `this` denotes. */
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

/** Reads `Vec.ZERO`; null where that is no static field. */
export function staticField(f: Frame, node: ts.PropertyAccessExpression): Atom | null {
  const owner = classNamed(f, node.expression);
  const symbol = owner === null ? null : staticSymbol(f, owner, node);
  if (owner === null || symbol === null) return null;
  if (symbol.flags & f.api.SymbolFlags.Accessor) return f.refuse("TSG1116", node, f.textOf(node));
  if (!(symbol.flags & f.api.SymbolFlags.Property)) return null;
  if (isReassigned(f, symbol)) {
    const cell = staticCell(f, node);
    return cell === null ? f.refuse("TSG1115", node, f.name, node.getText()) : readCell(f, cell);
  }
  if (f.api.isPrivateIdentifier(node.name)) return privateConstant(f, node, symbol, owner);
  const file = f.root.getSourceFile().fileName;
  if (node.getSourceFile().fileName !== file)
    return (
      constantOfModule(f, symbol, f.ctx.typeOf(node)) ??
      f.refuse("TSG1209", node, `it uses \`${f.textOf(node)}\` of another module`)
    );
  const name = pathOf(f, owner, node, symbol);
  return {
    kind: "global",
    name,
    type: f.ctx.typeOf(node),
    file,
    ...variableIdentity(symbol, name, file, f.api),
  };
}

/** `Vec.ZERO` as code beside the class writes it. */
function pathOf(
  f: Frame,
  owner: ClassNode,
  node: ts.PropertyAccessExpression,
  { valueDeclaration }: ts.Symbol,
): string {
  const isHidden = valueDeclaration !== undefined && f.ctx.classes.isHidden(valueDeclaration);
  const isOnThis = bare(node.expression, f.api).kind === f.api.SyntaxKind.ThisKeyword;
  const object = isOnThis ? classNameOf(owner, f.api) : node.expression.getText();
  return `${object}${isHidden ? `["${node.name.text}"]` : `.${node.name.text}`}`;
}

/** The place of a static field that code assigns; null of inherited and private ones. */
export function staticCell(f: Frame, node: ts.PropertyAccessExpression): Cell | null {
  const { api } = f;
  const owner = classNamed(f, node.expression);
  const symbol = owner === null ? null : staticSymbol(f, owner, node);
  const declaration = symbol?.valueDeclaration;
  if (
    owner === null ||
    symbol === null ||
    declaration === undefined ||
    !api.isPropertyDeclaration(declaration) ||
    declaration.parent !== owner ||
    !f.ctx.classes.isStatic(declaration) ||
    api.isPrivateIdentifier(node.name) ||
    node.getSourceFile() !== f.root.getSourceFile() ||
    classNameOf(owner, api) === "default" ||
    api.findAncestor(owner, api.isFunctionLike) !== undefined
  )
    return null;
  return cellOf(f, pathOf(f, owner, node, symbol), { node, symbol });
}

/** Inlines `Rng.#modulus`, which outside code cannot read, if it is computed from literals. */
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

/** `new Vec(x, y)`; null for a class outside the program. */
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
  const isOfCall = own !== undefined && isSpecialisedByCall(f, own) && !f.inlining.includes(owner);
  const isApart = classes.isGeneric(owner) || classes.hasBodies(owner);
  if (args.some(isFn) || isOfCall || isApart) return construct(f, owner, { args, at: node }, exact);
  const name = f.ctx.member({ kind: "new", receiver: owner }, node);
  if (name === null) throw new Rejected();
  return f.let(wanted, exact, {
    kind: "call",
    callee: name,
    args: own === undefined ? [] : padded(own, atoms(args)),
  });
}

/** `new` of an error class. Errors hold nothing to differentiate. */
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
