// Resolves expressions for known functions: `g.bind(o, x)`, `c ? g : h`, and literals with
// functions, such as `ops.add` and `fs[i]`. Output: the function, or null.
// Which function it is, is decided where JavaScript decides it.
// An object that holds functions is never a value, so nothing can mutate it.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { assignable } from "../../ir/assignable.ts";
import { NUM, num } from "../../ir/build.ts";
import { sameType } from "../objects/tuples.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import type { Form } from "../../ir/facts.ts";
import { resultType } from "./call-types.ts";
import { isFn, type Arg, Env, type Self, type Fn } from "../function-values.ts";
import { returnedFn } from "./inlining.ts";
import { externCall, equalityTest, str, UNDEFINED } from "../coerce.ts";
import { isMutable } from "../effects.ts";
import { lowerExpr } from "../lowering.ts";
import { type Frame } from "../frame.ts";
import { isLinearMap } from "../derivatives/linear-maps.ts";
import { scopeOf } from "./captures.ts";
import { asMethodCallee, isPureGetter, isWrittenSomewhere } from "../classes/literal-members.ts";
import { bindName, withDefault } from "../objects/patterns.ts";
import { partOfConstant } from "../names/other-modules.ts";
import { declaredName, nameOfMember } from "../objects/property-names.ts";
import { nameOf } from "../sites/targets.ts";
import { resolveFn } from "../resolve.ts";
import { isNamespace, builtinPath, isLibrary } from "../names/library-names.ts";
import { queryOf, isConstantMutated, literalsWithin } from "../objects/constant-mutation.ts";

export type Members = Fn & { readonly kind: "members" };

/** A copy of the atom: a variable may be assigned before the function is called. */
export const held = (f: Frame, atom: Atom): Atom =>
  atom.kind === "var" ? f.let("t", atom.type, { kind: "copy", atom }) : atom;

/** `g.bind(o, x)` */
export function boundFn(f: Frame, node: ts.CallExpression): Fn | null {
  const { api } = f;
  const callee = bare(node.expression, f.api);
  if (!api.isPropertyAccessExpression(callee) || callee.name.text !== "bind") return null;
  const fn = resolveFn(f, callee.expression);
  if (fn === null || fn.kind === "members") return null;
  const [self, ...args] = node.arguments;
  return {
    kind: "bound",
    fn,
    self: selfOf(f, self),
    args: args.map((argument) => heldPart(f, argumentOf(f, argument))),
  };
}

/** What `this` is in `g.call(o, …)`. */
export function selfOf(f: Frame, node: ts.Expression | undefined): Self {
  if (node === undefined) return { kind: "none" };
  const target = bare(node, f.api);
  if (
    target.kind === f.api.SyntaxKind.ThisKeyword &&
    (f.env.self === null || f.env.self.kind === "none")
  )
    return { kind: "none" };
  const type = f.ctx.checker.getTypeAtLocation(target);
  if (
    f.api.isIdentifier(target) &&
    (f.ctx.typeOf(target).kind === "leaf" || type.getCallSignatures().length > 0)
  )
    return { kind: "none" };
  const atom = lowerExpr(f, node);
  return f.shape(atom.type).kind === "leaf"
    ? { kind: "none" }
    : { kind: "value", atom: held(f, atom) };
}

const heldPart = (f: Frame, part: Arg): Arg => (isFn(part) ? part : held(f, part));

export function argumentOf(f: Frame, node: ts.Expression): Arg {
  if (f.api.isSpreadElement(node)) return f.refuse("TSG1111", node, f.textOf(node));
  const fn = mayHoldFunctions(f, node) ? resolveFn(f, node) : null;
  return fn ?? lowerExpr(f, node);
}

/** Whether it may be a function, or a literal with functions. */
export function mayHoldFunctions(f: Frame, node: ts.Expression): boolean {
  const target = bare(node, f.api);
  if (
    callable(f, node) ||
    isLinearMap(f, node) ||
    membersOf(f, node, true) !== null ||
    isOfTable(f, target)
  )
    return true;
  return f.api.isCallExpression(target) && returnsMembers(f, target);
}

const callable = (
  f: Frame,
  node: ts.Expression,
  type = f.ctx.checker.getTypeAtLocation(node),
): boolean => type.getCallSignatures().length > 0;

/** `ops[k]`, even where its type excludes functions. */
const isOfTable = (f: Frame, node: ts.Expression): boolean =>
  (f.api.isCallExpression(node) && entriesRead(f, node) !== null) ||
  (f.api.isElementAccessExpression(node) &&
    callable(f, node, f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(node))) &&
    membersOf(f, node.expression, true) !== null);

/** Whether the callee ends by returning a literal with functions. */
export function returnsMembers(f: Frame, node: ts.CallExpression): boolean {
  const { api } = f;
  const callee = bare(node.expression, f.api);
  if (isPullback(f, callee)) return true;
  const symbol = api.isIdentifier(callee) ? f.symbolOf(callee) : null;
  const local = symbol === null ? null : f.env.lookup(symbol);
  const fn = local?.kind === "fn" ? local.fn : null;
  const known =
    fn?.kind === "closure"
      ? fn.node
      : symbol !== null && local === null
        ? f.ctx.bodyOf(symbol)
        : null;
  const body = known !== null && "body" in known ? known.body : undefined;
  if (body === undefined) return false;
  const last = api.isBlock(body) ? body.statements.at(-1) : undefined;
  const returned = api.isBlock(body)
    ? last !== undefined && api.isReturnStatement(last)
      ? last.expression
      : undefined
    : body;
  const literal = returned === undefined ? null : bare(returned, f.api);
  return (
    literal !== null &&
    (api.isObjectLiteralExpression(literal) || api.isArrayLiteralExpression(literal)) &&
    (holdsFunction(f, literal) || gettersOf(f, literal).length > 0)
  );
}

/** Whether an expression is `vjp(g)`, or a constant with that value. */
function isPullback(f: Frame, callee: ts.Expression): boolean {
  if (f.api.isPropertyAccessExpression(callee)) return givenVjp(f, callee) !== null;
  const symbol = f.api.isIdentifier(callee) ? f.symbolOf(callee) : null;
  const local = symbol === null ? null : f.env.lookup(symbol);
  if (local !== null)
    return local.kind === "fn" && local.fn.kind === "derived" && givesFunction(local.fn.form);
  const call = f.api.isCallExpression(callee)
    ? callee
    : symbol === null
      ? null
      : constantCall(f, symbol);
  const form =
    call === null ? undefined : f.ctx.checker.getSymbolAtLocation(nameOf(call.expression, f.api));
  const asked = form === undefined ? null : f.ctx.formOf(form);
  return asked !== null && givesFunction(asked);
}

/** Forms that return a function or a linear map, perhaps beside the value. */
const givesFunction = (form: Form): boolean =>
  form === "vjp" || form === "transpose" || form === "linearize";

/** `f.vjp` of a function parameter of a rule. */
export function givenVjp(f: Frame, node: ts.PropertyAccessExpression): Fn | null {
  const object = bare(node.expression, f.api);
  const symbol = node.name.text === "vjp" && f.api.isIdentifier(object) ? f.symbolOf(object) : null;
  const bound = symbol === null ? null : f.env.lookup(symbol);
  return bound?.kind === "fn" && bound.fn.kind === "given"
    ? { kind: "givenVjp", fn: bound.fn.fn, outside: bound.fn.outside }
    : null;
}

/** The call that initialises a module constant: `const dg = grad(g)`. */
export function constantCall(f: Frame, symbol: ts.Symbol): ts.CallExpression | null {
  const declaration = symbol.valueDeclaration;
  if (
    declaration === undefined ||
    !f.api.isVariableDeclaration(declaration) ||
    declaration.initializer === undefined
  )
    return null;
  if ((f.api.getCombinedNodeFlags(declaration) & f.api.NodeFlags.Constant) === 0) return null;
  const call = bare(declaration.initializer, f.api);
  return f.api.isCallExpression(call) ? call : null;
}

// ---------------------------------------------------------------- literals

/** The members of a literal with functions, here or in a constant. `dry`: emits nothing. */
export function membersOf(f: Frame, expression: ts.Expression, dry = false): Members | null {
  const { api } = f;
  const node = bare(expression, f.api);
  if (api.isArrayLiteralExpression(node) || api.isObjectLiteralExpression(node)) {
    if (!holdsFunction(f, node) && gettersOf(f, node).length === 0) return null;
    return dry ? EMPTY : literalMembers(f, node, f.env);
  }
  if (api.isCallExpression(node) && isPullback(f, bare(node.expression, f.api))) {
    const given = dry ? EMPTY : returnedFn(f, node);
    return given?.kind === "members" ? given : null;
  }
  if (node.kind === api.SyntaxKind.ThisKeyword)
    return f.env.self?.kind === "members" ? f.env.self.members : null;
  if (api.isPropertyAccessExpression(node))
    return isNamespace(f, node.expression) ? null : membersWithin(f, node);
  if (!api.isIdentifier(node)) return null;
  const symbol = f.symbolOf(node);
  const local = symbol === null ? null : f.env.lookup(symbol);
  if (local !== null) return local.kind === "fn" && local.fn.kind === "members" ? local.fn : null;
  return symbol === null ? null : constantMembers(f, symbol, dry);
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

const isFunction = (f: Frame, value: Part): value is Exclude<Part, ts.GetAccessorDeclaration> =>
  f.api.isMethodDeclaration(value) ||
  (!f.api.isGetAccessor(value) &&
    f.ctx.checker.getTypeAtLocation(value).getCallSignatures().length > 0);
const holdsFunction = (f: Frame, node: Literal): boolean =>
  partsOf(f, node)?.some(([, value]) => isFunction(f, value)) === true;
const gettersOf = (f: Frame, node: Literal): readonly unknown[] =>
  (partsOf(f, node) ?? []).filter(([, value]) => f.api.isGetAccessor(value));

/** `constant`: the name of the module constant that the literal is; null for other literals. */
function literalMembers(
  f: Frame,
  node: Literal,
  env: Env,
  named?: ts.Identifier | null,
): Members | null {
  const constant = named !== undefined;
  const parts = new Map<string, Arg>();
  const variables = new Map<string, Var>();
  const isList = f.api.isArrayLiteralExpression(node);
  const members: Members = {
    kind: "members",
    parts,
    ...(constant || isList ? {} : { variables }),
    isList,
    isWhole: !constant,
    ...(named === undefined || named === null ? {} : { constant: named }),
  };
  const self = new Env(env, { kind: "members", members });
  const within = constant
    ? literalsWithin(node, f.api)
    : new Map<string, ts.ObjectLiteralExpression>();
  for (const [name, value] of partsOf(f, node) ?? []) {
    if (f.api.isMethodDeclaration(value))
      parts.set(name, {
        kind: "closure",
        node: value,
        env: new Env(env, { kind: "none" }),
        asMethod: self,
      });
    else if (f.api.isGetAccessor(value))
      parts.set(
        name,
        isPureGetter(f, env, value)
          ? { kind: "getter", node: value, env: self }
          : f.refuse("TSG1116", value, name),
      );
    else if (isFunction(f, value)) {
      const fn = inEnv(f, env, () => resolveFn(f, value));
      if (fn === null) return null;
      parts.set(name, fn);
    } else if (within.has(name)) {
      const inner = literalMembers(f, within.get(name) ?? node, env, null);
      if (inner === null) return null;
      parts.set(name, inner);
    } else if (!constant) {
      const part = heldPart(f, argumentOf(f, value));
      parts.set(name, part);
      if (!isList && !isFn(part) && isWrittenSomewhere(f, name, node))
        variables.set(name, f.declare(name, typeOfPart(f, node, name, part), part));
    }
  }
  // Optional fields that are stored to later.
  for (const property of constant || isList
    ? []
    : (f.ctx.checker.getContextualType(node)?.getProperties() ?? [])) {
    if (
      parts.has(property.name) ||
      (property.flags & f.api.SymbolFlags.Optional) === 0 ||
      !isWrittenSomewhere(f, property.name, node)
    )
      continue;
    parts.set(property.name, UNDEFINED);
    variables.set(
      property.name,
      f.declare(property.name, typeOfPart(f, node, property.name, UNDEFINED), UNDEFINED),
    );
  }
  return members;
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
function valueNow(f: Frame, { parts, variables }: Members, name: string): Arg | undefined {
  const variable = variables?.get(name);
  return variable === undefined
    ? parts.get(name)
    : f.let(name, variable.type, { kind: "copy", atom: variable });
}

function inEnv<T>(f: Frame, env: Env, make: () => T): T {
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
  if (f.api.isPropertyAccessExpression(node))
    return node.name.text === "length" && members.isList
      ? num(members.parts.size)
      : asMethodCallee(
          f,
          valueNow(f, members, node.name.text) ??
            (members.isList ? null : (other ?? valueBeside(f, node, members))),
          node,
        );
  const key = bare(node.argumentExpression, f.api);
  const name =
    f.api.isStringLiteralLike(key) || f.api.isNumericLiteral(key)
      ? key.text
      : nameOfMember(f.api, key, f.ctx.checker);
  if (name !== null) return asMethodCallee(f, valueNow(f, members, name) ?? other, node);
  const fns = [...members.parts].flatMap(([name, part]) =>
    isFn(part) && part.kind !== "getter" ? [{ name, fn: part }] : [],
  );
  if (
    fns.length < members.parts.size ||
    f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(node)).getCallSignatures()
      .length === 0
  )
    return null;
  const type = f.ctx.checker.getTypeAtLocation(key);
  return tableOf(members, held(f, lowerExpr(f, key)), (name) => isOneOf(type, name));
}

/** `ops.get(k)` of a module's `const ops = new Map([["add", add], …])` that is never mutated. */
export function entryOf(f: Frame, node: ts.CallExpression): Fn | null {
  const [key] = node.arguments;
  const pairs = entriesRead(f, node);
  if (key === undefined || pairs === null) return null;
  const parts = new Map<string, Arg>();
  for (const [name, value] of pairs) {
    const fn = inEnv(f, new Env(null), () => resolveFn(f, value));
    if (fn === null) return null;
    parts.set(name, fn);
  }
  const type = f.ctx.checker.getTypeAtLocation(key);
  return tableOf(
    { kind: "members", parts, isList: false, isWhole: true },
    held(f, lowerExpr(f, key)),
    (name) => isOneOf(type, name),
  );
}

type Pair = readonly [name: string, value: ts.Expression];

/** The entries of the Map that such a call reads; null of other calls. */
export function entriesRead(
  f: Frame,
  { expression, arguments: { length } }: ts.CallExpression,
): readonly Pair[] | null {
  const { api } = f;
  const callee = bare(expression, f.api);
  if (!api.isPropertyAccessExpression(callee) || callee.name.text !== "get" || length !== 1)
    return null;
  const object = bare(callee.expression, f.api);
  const symbol = api.isIdentifier(object) ? f.symbolOf(object) : null;
  const constant = symbol?.valueDeclaration;
  if (
    symbol === null ||
    f.env.lookup(symbol) !== null ||
    constant === undefined ||
    !api.isVariableDeclaration(constant) ||
    constant.initializer === undefined ||
    isMutable(f, symbol)
  )
    return null;
  const made = bare(constant.initializer, f.api);
  const list =
    api.isNewExpression(made) && isLibrary(f, made.expression, "Map")
      ? made.arguments?.[0]
      : undefined;
  const isKnown =
    list !== undefined &&
    api.isArrayLiteralExpression(list) &&
    api.findAncestor(constant, api.isFunctionLike) === undefined &&
    !isConstantMutated(queryOf(f), constant, symbol);
  const pairs = isKnown ? list.elements.map((element) => pairOf(f, element)) : [null];
  const known = pairs.filter((pair) => pair !== null);
  return known.length === pairs.length ? known : null;
}

/** `["add", (a, b) => a + b]` */
function pairOf(f: Frame, element: ts.Expression): Pair | null {
  const { api } = f;
  const pair = bare(element, f.api);
  const [key, value] =
    api.isArrayLiteralExpression(pair) && pair.elements.length === 2 ? pair.elements : [];
  return key !== undefined &&
    value !== undefined &&
    api.isStringLiteralLike(key) &&
    isFunction(f, value)
    ? [key.text, value]
    : null;
}

/** Whether a key of that type may equal the name. */
const isOneOf = (type: ts.Type, name: string): boolean => {
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

/** The function at an index that is known at run time. */
export const tableOf = (
  members: Members,
  at: Atom,
  mayBe = (_name: string): boolean => true,
): Fn => ({
  kind: "table",
  at,
  isList: members.isList,
  cases: [...members.parts].flatMap(([name, part]) =>
    isFn(part) && mayBe(name) ? [{ name, fn: part }] : [],
  ),
});

/** Tests a key for a name; the key may be a number. */
export const isNamed = (
  f: Frame,
  { at, isList }: Fn & { readonly kind: "table" },
  name: string,
): Atom =>
  equalityTest(
    f,
    "===",
    at,
    isList || f.shape(at.type).kind === "num" ? num(Number(name)) : str(name),
  );

/** Calls the function of a table that the key selects; throws for other keys. */
export function applyTable(
  f: Frame,
  fn: Fn & { readonly kind: "table" },
  at: ts.Node,
  wanted: string,
  apply: (fn: Fn, wanted: string) => Atom | null,
): Atom | null {
  const type = fnResult(f, fn, at);
  const from = (rest: typeof fn.cases): Atom | null => {
    const [first, ...others] = rest;
    if (first === undefined) {
      throwNotCallable(f, at);
      return { kind: "undef", type };
    }
    return either(
      f,
      type,
      isNamed(f, fn, first.name),
      wanted,
      () => apply(first.fn, "t"),
      () => from(others),
    );
  };
  return from(fn.cases);
}

/** Throws what JavaScript throws where the member is no function. */
export function throwNotCallable(f: Frame, at: ts.Node): void {
  const error = externCall(f, "t", { kind: "leaf", text: "TypeError" }, "new TypeError", [
    str(`${calleeText(f, at)} is not a function`),
  ]);
  f.b.emit({ kind: "throw", value: error });
}

/** The callee as engines write it in that error. */
function calleeText(f: Frame, at: ts.Node): string {
  const callee = f.api.isCallExpression(at) ? bare(at.expression, f.api) : at;
  return f.api.isCallExpression(callee)
    ? `${f.textOf(callee.expression)}(...)`
    : f.textOf(f.api.isCallExpression(at) ? at.expression : at);
}

export function either(
  f: Frame,
  type: Type,
  cond: Atom,
  wanted: string,
  then: () => Atom | null,
  otherwise: () => Atom | null,
): Atom | null {
  if (type.kind === "void") {
    f.when(
      cond,
      () => void then(),
      () => void otherwise(),
    );
    return null;
  }
  return f.choose(
    wanted,
    type,
    cond,
    () => then() ?? UNDEFINED,
    () => otherwise() ?? UNDEFINED,
  );
}

/** The result type of a call of the function. */
export function fnResult(f: Frame, fn: Fn, at: ts.Node): Type {
  switch (fn.kind) {
    case "closure":
      return resultType(f, fn.node, at);
    case "program": {
      const body = f.ctx.bodyOf(fn.symbol);
      return body === null ? f.refuse("TSG1113", at, fn.symbol.name) : resultType(f, body, at);
    }
    case "builtin":
      return fn.path.startsWith("Math.") ? NUM : f.refuse("TSG1124", at, fn.path);
    case "bound":
      return fnResult(f, fn.fn, at);
    case "choice":
      return oneType(f, [fn.then, fn.otherwise], at);
    case "table":
      return oneType(
        f,
        fn.cases.map((each) => each.fn),
        at,
      );
    case "held":
      return oneType(
        f,
        fn.sources.map((each) => each.fn),
        at,
      );
    case "getter":
    case "members":
    case "spread":
    case "derived":
    case "pullback":
    case "custom":
    case "mapped":
    case "operator":
    case "solver":
    case "defined":
    case "outside":
    case "given":
    case "givenVjp":
    case "linear":
      return f.refuse("TSG1124", at, f.textOf(at));
  }
}

function oneType(f: Frame, fns: readonly Fn[], at: ts.Node): Type {
  const [first, ...others] = fns.map((fn) => fnResult(f, fn, at));
  if (first !== undefined && others.every((other) => sameType(first, other))) return first;
  // The declared type of all functions of the table.
  const called = first !== undefined && f.api.isCallExpression(at) ? f.ctx.typeOf(at) : null;
  return called !== null &&
    [first, ...others].every(
      (each) => each !== undefined && each.kind !== "void" && assignable(each, called, f.ctx.types),
    )
    ? called
    : f.refuse("TSG1124", at, f.textOf(at));
}

// ---------------------------------------------------------------- patterns

/** Binds `const { up, down } = o` and `{ f, tol = 1 }`; false for patterns with other elements. */
export function bindMembers(f: Frame, pattern: ts.BindingName, members: Members): boolean {
  const { api } = f;
  if (api.isIdentifier(pattern)) {
    const symbol = f.symbolOf(pattern);
    if (symbol === null || isMutable(f, symbol)) return false;
    f.env.bind(symbol, { kind: "fn", fn: members });
    return true;
  }
  return pattern.elements.every((element, at) => {
    if (api.isOmittedExpression(element)) return true;
    const key = element.propertyName ?? element.name;
    const name = api.isArrayBindingPattern(pattern)
      ? String(at)
      : api.isIdentifier(key) || api.isStringLiteral(key)
        ? key.text
        : null;
    return (
      name !== null &&
      element.dotDotDotToken === undefined &&
      bindPart(f, element, valueNow(f, members, name) ?? UNDEFINED)
    );
  });
}

export function bindPart(f: Frame, element: ts.BindingElement, part: Arg): boolean {
  const { initializer } = element;
  const missing = isMissing(part);
  const value = missing && initializer !== undefined ? argumentOf(f, initializer) : part;
  if (!isFn(value)) {
    bindName(
      f,
      element.name,
      initializer === undefined || missing
        ? value
        : withDefault(f, value, initializer, "t", element),
    );
    return true;
  }
  if (value.kind === "getter") return false;
  if (value.kind === "members") return bindMembers(f, element.name, value);
  const symbol = f.api.isIdentifier(element.name) ? f.symbolOf(element.name) : null;
  if (symbol === null || isMutable(f, symbol)) return false;
  f.env.bind(symbol, { kind: "fn", fn: value });
  return true;
}
