// Literals that hold functions: `{ f, tol }`, `[f, g]`, in constants too.
// Output: their members by name, each a function or a value; null where one is unknown.
// Such a literal is never a value, so nothing can mutate it.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { num } from "../../ir/build.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { isFn, type Arg, Env, type Fn } from "../function-values.ts";
import { returnedFn } from "./inlining.ts";
import { UNDEFINED } from "../coerce.ts";
import { isMutable } from "../effects.ts";
import { lowerExpr } from "../lowering.ts";
import { type Frame } from "../frame.ts";
import { scopeOf } from "./captures.ts";
import { asMethodCallee, isPureGetter, isWrittenSomewhere } from "../classes/literal-members.ts";
import { partOfConstant } from "../names/other-modules.ts";
import { declaredName, nameOfMember } from "../objects/property-names.ts";
import { resolveFn } from "../resolve.ts";
import { isNamespace, builtinPath } from "../names/library-names.ts";
import { queryOf, isConstantMutated, literalsWithin } from "../objects/constant-mutation.ts";
import { held, heldPart, argumentOf, isPullback } from "./known-functions.ts";
import { tableOf } from "./function-tables.ts";

export type Members = Fn & { readonly kind: "members" };

// ---------------------------------------------------------------- literals

/** The members of a literal with functions, here or in a constant. `dry`: emits nothing. */
export function membersOf(f: Frame, expression: ts.Expression, dry = false): Members | null {
  const { api } = f;
  const node = bare(expression, api);
  if (api.isArrayLiteralExpression(node) || api.isObjectLiteralExpression(node))
    return isOfFunctions(f, node) ? (dry ? EMPTY : literalMembers(f, node, f.env)) : null;
  if (api.isCallExpression(node)) return pullbackMembers(f, node, dry);
  if (node.kind === api.SyntaxKind.ThisKeyword) return membersOfSelf(f);
  if (api.isPropertyAccessExpression(node))
    return isNamespace(f, node.expression) ? null : membersWithin(f, node);
  return api.isIdentifier(node) ? membersNamed(f, node, dry) : null;
}

/** The value and the function of `vjp(g)(x)`. */
function pullbackMembers(f: Frame, node: ts.CallExpression, dry: boolean): Members | null {
  if (!isPullback(f, bare(node.expression, f.api))) return null;
  const given = dry ? EMPTY : returnedFn(f, node);
  return given?.kind === "members" ? given : null;
}

const membersOfSelf = ({ env: { self } }: Frame): Members | null =>
  self?.kind === "members" ? self.members : null;

function membersNamed(f: Frame, node: ts.Identifier, dry: boolean): Members | null {
  const symbol = f.symbolOf(node);
  if (symbol === null) return null;
  const local = f.env.lookup(symbol);
  if (local === null) return constantMembers(f, symbol, dry);
  return local.kind === "fn" && local.fn.kind === "members" ? local.fn : null;
}

/** `Physics.air` of a constant `{ air: { drag: (v) => … } }` of a module. */
function membersWithin(f: Frame, node: ts.PropertyAccessExpression): Members | null {
  const around = membersOf(f, node.expression);
  const part = around?.isWhole === false ? around.parts.get(node.name.text) : undefined;
  return part !== undefined && isFn(part) && part.kind === "members" ? part : null;
}

const EMPTY: Members = { kind: "members", parts: new Map(), isList: false, isWhole: false };

/** A module's `const ops = { … }`: functions see the module; other members are read when used. */
function constantMembers(f: Frame, symbol: ts.Symbol, dry: boolean): Members | null {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  if (
    declaration === undefined ||
    !api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined ||
    isMutable(f, symbol)
  )
    return null;
  if (
    declaration.getSourceFile().isDeclarationFile ||
    api.findAncestor(declaration, api.isFunctionLike) !== undefined ||
    isConstantMutated(queryOf(f), declaration, symbol)
  )
    return null;
  const literal = frozen(f, bare(declaration.initializer, f.api));
  if (
    (!api.isArrayLiteralExpression(literal) && !api.isObjectLiteralExpression(literal)) ||
    !(holdsFunction(f, literal) || literalsWithin(literal, api).size > 0) ||
    gettersOf(f, literal).length > 0
  )
    return null;
  if (dry) return EMPTY;
  return literalMembers(
    f,
    literal,
    new Env(null),
    api.isIdentifier(declaration.name) ? declaration.name : null,
  );
}

/** `V.EPS` of a constant with functions: read by path, as other modules cannot name V's type. */
function valueBeside(
  f: Frame,
  node: ts.PropertyAccessExpression,
  { constant }: Members,
): Atom | null {
  const { api } = f;
  const object = bare(node.expression, f.api);
  const holder = object.kind === api.SyntaxKind.ThisKeyword ? (constant ?? object) : object;
  const file = f.root.getSourceFile();
  const symbol = f.symbolOf(node.name);
  const owner = api.isIdentifier(holder) ? f.symbolOf(holder) : null;
  const declaration = owner?.valueDeclaration;
  if (
    symbol === null ||
    owner === null ||
    declaration === undefined ||
    !api.isIdentifier(node.name) ||
    !api.isSourceFile(scopeOf(declaration, api)) ||
    symbol.flags & api.SymbolFlags.Optional
  )
    return null;
  const type = f.ctx.typeOf(node);
  const name = `${holder.getText()}.${node.name.text}`;
  if (node.getSourceFile() !== file) return partOfConstant(f, owner, node.name.text, type);
  return type.kind === "num" || type.kind === "bool"
    ? { kind: "global", name, type, file: file.fileName }
    : null;
}

/** The argument of `Object.freeze`, which is also its result. */
function frozen(f: Frame, node: ts.Expression): ts.Expression {
  const [given, ...more] = f.api.isCallExpression(node) ? node.arguments : [];
  return f.api.isCallExpression(node) &&
    given !== undefined &&
    more.length === 0 &&
    builtinPath(f, node.expression) === "Object.freeze"
    ? bare(given, f.api)
    : node;
}

type Literal = ts.ArrayLiteralExpression | ts.ObjectLiteralExpression;

type Part = ts.Expression | ts.MethodDeclaration | ts.GetAccessorDeclaration;

/** The members of a literal by name; null where it has spreads, setters or computed names. */
function partsOf(
  f: Frame,
  node: Literal,
): readonly (readonly [name: string, value: Part])[] | null {
  const { api } = f;
  const parts = api.isArrayLiteralExpression(node)
    ? node.elements.map((element, at) =>
        api.isSpreadElement(element) || api.isOmittedExpression(element)
          ? null
          : ([String(at), element] as const),
      )
    : node.properties.map((property) => {
        const name =
          property.name === undefined ? null : declaredName(api, property.name, f.ctx.checker);
        if (name === null) return null;
        if (api.isMethodDeclaration(property) || api.isGetAccessor(property))
          return [name, property] as const;
        if (api.isPropertyAssignment(property)) return [name, property.initializer] as const;
        return api.isShorthandPropertyAssignment(property)
          ? ([name, property.name] as const)
          : null;
      });
  const known = parts.filter((part) => part !== null);
  return known.length === parts.length ? known : null;
}

export const isFunction = (
  f: Frame,
  value: Part,
): value is Exclude<Part, ts.GetAccessorDeclaration> =>
  f.api.isMethodDeclaration(value) ||
  (!f.api.isGetAccessor(value) &&
    f.ctx.checker.getTypeAtLocation(value).getCallSignatures().length > 0);
const holdsFunction = (f: Frame, node: Literal): boolean =>
  partsOf(f, node)?.some(([, value]) => isFunction(f, value)) === true;
const gettersOf = (f: Frame, node: Literal): readonly unknown[] =>
  (partsOf(f, node) ?? []).filter(([, value]) => f.api.isGetAccessor(value));

/** Whether the members of a literal are looked up by name: one is a function or a getter. */
export const isOfFunctions = (f: Frame, node: Literal): boolean =>
  holdsFunction(f, node) || gettersOf(f, node).length > 0;

/** A literal whose members are collected. `env` and `self`: what its functions see. */
interface Collected {
  readonly node: Literal;
  readonly env: Env;
  readonly self: Env;
  readonly isConstant: boolean;
  readonly isList: boolean;
  readonly parts: Map<string, Arg>;
  readonly variables: Map<string, Var>;
  /** Literals in a constant that hold functions themselves. */
  readonly within: ReadonlyMap<string, ts.ObjectLiteralExpression>;
}

/** `named`: the name of the module constant that the literal is; absent for other literals. */
function literalMembers(
  f: Frame,
  node: Literal,
  env: Env,
  named?: ts.Identifier | null,
): Members | null {
  const isConstant = named !== undefined;
  const parts = new Map<string, Arg>();
  const variables = new Map<string, Var>();
  const isList = f.api.isArrayLiteralExpression(node);
  const members: Members = {
    kind: "members",
    parts,
    ...(isConstant || isList ? {} : { variables }),
    isList,
    isWhole: !isConstant,
    ...(named === undefined || named === null ? {} : { constant: named }),
  };
  const self = new Env(env, { kind: "members", members });
  const within = isConstant ? literalsWithin(node, f.api) : new Map<string, never>();
  const all: Collected = { node, env, self, isConstant, isList, parts, variables, within };
  if (!(partsOf(f, node) ?? []).every(([name, value]) => collectPart(f, all, name, value)))
    return null;
  if (!isConstant && !isList) collectAbsent(f, all);
  return members;
}

/** False where it is a function that is not known. */
function collectPart(f: Frame, all: Collected, name: string, value: Part): boolean {
  const { api } = f;
  const { env, self, parts } = all;
  if (api.isMethodDeclaration(value)) {
    const own = new Env(env, { kind: "none" });
    parts.set(name, { kind: "closure", node: value, env: own, asMethod: self });
    return true;
  }
  if (api.isGetAccessor(value)) {
    if (!isPureGetter(f, env, value)) f.refuse("TSG1116", value, name);
    parts.set(name, { kind: "getter", node: value, env: self });
    return true;
  }
  const inner = all.within.get(name);
  const fn = isFunction(f, value)
    ? inEnv(f, env, () => resolveFn(f, value))
    : inner === undefined
      ? undefined
      : literalMembers(f, inner, env, null);
  if (fn === null) return false;
  if (fn !== undefined) parts.set(name, fn);
  else if (!all.isConstant) collectValue(f, all, name, value);
  return true;
}

/** A member that is no function; a variable where code stores to it later. */
function collectValue(
  f: Frame,
  { node, isList, parts, variables }: Collected,
  name: string,
  value: ts.Expression,
): void {
  const part = heldPart(f, argumentOf(f, value));
  parts.set(name, part);
  if (!isList && !isFn(part) && isWrittenSomewhere(f, name, node))
    variables.set(name, f.declare(name, typeOfPart(f, node, name, part), part));
}

/** Optional fields that code stores to later. */
function collectAbsent(f: Frame, { node, parts, variables }: Collected): void {
  const { api } = f;
  for (const { name, flags } of f.ctx.checker.getContextualType(node)?.getProperties() ?? []) {
    const isOptional = (flags & api.SymbolFlags.Optional) !== 0;
    if (parts.has(name) || !isOptional || !isWrittenSomewhere(f, name, node)) continue;
    parts.set(name, UNDEFINED);
    variables.set(name, f.declare(name, typeOfPart(f, node, name, UNDEFINED), UNDEFINED));
  }
}

/** The type of a member of a literal, from the contextual type or its own. */
function typeOfPart(f: Frame, node: Literal, name: string, value: Atom): Type {
  const { checker } = f.ctx;
  const symbol = checker.getPropertyOfType(
    checker.getContextualType(node) ?? checker.getTypeAtLocation(node),
    name,
  );
  const type = symbol === undefined ? null : f.ctx.typeFrom(checker.getTypeOfSymbol(symbol), node);
  const shape = type === null ? null : f.shape(type);
  return type === null || (shape?.kind === "leaf" && shape.opaque === true) ? value.type : type;
}

/** The current value of a member that is no function. */
export function valueNow(f: Frame, { parts, variables }: Members, name: string): Arg | undefined {
  const variable = variables?.get(name);
  return variable === undefined
    ? parts.get(name)
    : f.let(name, variable.type, { kind: "copy", atom: variable });
}

export function inEnv<T>(f: Frame, env: Env, make: () => T): T {
  const outer = f.env;
  f.env = env;
  try {
    return make();
  } finally {
    f.env = outer;
  }
}

/** `o.g`, `fs[0]` or `ops[k]` of such a literal: a function or a value; else null. */
export function memberAt(
  f: Frame,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): Arg | null {
  if (isNamespace(f, node.expression)) return null;
  const members = membersOf(f, node.expression);
  if (members === null) return null;
  const other = members.isWhole ? UNDEFINED : null;
  if (f.api.isPropertyAccessExpression(node)) {
    if (node.name.text === "length" && members.isList) return num(members.parts.size);
    const beside = members.isList ? null : (other ?? valueBeside(f, node, members));
    return asMethodCallee(f, valueNow(f, members, node.name.text) ?? beside, node);
  }
  const key = bare(node.argumentExpression, f.api);
  const name =
    f.api.isStringLiteralLike(key) || f.api.isNumericLiteral(key)
      ? key.text
      : nameOfMember(f.api, key, f.ctx.checker);
  return name === null
    ? memberSelected(f, node, members, key)
    : asMethodCallee(f, valueNow(f, members, name) ?? other, node);
}

/** The function that a key selects at run time; null where not all members are functions. */
function memberSelected(
  f: Frame,
  node: ts.ElementAccessExpression,
  members: Members,
  key: ts.Expression,
): Fn | null {
  const { checker } = f.ctx;
  const isEach = [...members.parts.values()].every((part) => isFn(part) && part.kind !== "getter");
  const read = checker.getNonNullableType(checker.getTypeAtLocation(node));
  if (!isEach || read.getCallSignatures().length === 0) return null;
  const type = checker.getTypeAtLocation(key);
  return tableOf(members, held(f, lowerExpr(f, key)), (name) => isOneOf(type, name));
}

/** Whether a key of that type may equal the name. */
export const isOneOf = (type: ts.Type, name: string): boolean => {
  const members = type.isUnion() ? type.types : [type];
  return (
    !members.every((member) => member.isStringLiteral()) ||
    members.some((member) => member.isStringLiteral() && member.value === name)
  );
};

/** Whether it is known to be undefined: an absent argument, or an absent member of a literal. */
export function isKnownMissing(f: Frame, expression: ts.Expression): boolean {
  const part = knownPart(f, expression);
  return part !== null && isMissing(part);
}

/** The member that an expression names, or the function of an identifier; else null. */
export function knownPart(f: Frame, expression: ts.Expression): Arg | null {
  const node = bare(expression, f.api);
  if (f.api.isPropertyAccessExpression(node)) return memberAt(f, node);
  const symbol = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  const local = symbol === null ? null : f.env.lookup(symbol);
  return local?.kind === "fn" ? local.fn : local?.kind === "value" ? local.atom : null;
}

export const isMissing = (part: Arg): boolean => part.kind === "const" && part.value === undefined;
