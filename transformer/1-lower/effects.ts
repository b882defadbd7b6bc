// Computes what user code may change, from its syntax and that of the program functions it calls.
// Invariant: the result over-approximates. Unknown code counts as changing everything.

import type ts from "typescript";
import { implementationsOf, meantBy } from "./lowering.ts";
import type { CodeScope, Meant, Env } from "./function-values.ts";
import { isIndirect } from "./names/library-names.ts";
import type { Frame } from "./frame.ts";
import type { ClassNode } from "./classes/class-declarations.ts";
import { areDisjoint } from "./objects/disjoint-arrays.ts";
import { mayAppend } from "./objects/appending-stores.ts";
import { isReassigned, forEachTarget } from "./assignments.ts";

export interface Effects {
  /** Variables that are assigned. */
  readonly assigned: ReadonlySet<ts.Symbol>;
  /** Names of fields that are written. */
  readonly fields: ReadonlySet<string>;
  /** Whether a row of a matrix may be replaced, so that `a[i].length` changes. */
  readonly rows: boolean;
  /** Arrays whose length may change. */
  readonly resized: readonly Resized[];
  /** Whether unknown code is called. */
  readonly unknown: boolean;
}

interface Resized {
  readonly type: ts.Type;
  readonly array: ts.Expression;
  /** Whether elements may be removed; else the array only grows. */
  readonly shrinks: boolean;
}

interface Draft {
  assigned: Set<ts.Symbol>;
  fields: Set<string>;
  rows: boolean;
  resized: Resized[];
  unknown: boolean;
}

export const RESIZERS: ReadonlySet<string> = new Set(["push", "pop", "shift", "unshift", "splice"]);
/** Methods that replace existing elements. */
export const REPLACERS: ReadonlySet<string> = new Set(
  "fill sort reverse shift unshift splice copyWithin".split(" "),
);

export function effectsOf(f: Frame, ...nodes: readonly (ts.Node | undefined)[]): Effects {
  return effectsIn(f, f.env, ...nodes);
}

/** Effects of code with the bindings `env`; a closure's code has those of its definition. */
export function effectsIn(f: Frame, env: Env, ...nodes: readonly (ts.Node | undefined)[]): Effects {
  const draft: Draft = {
    assigned: new Set(),
    fields: new Set(),
    rows: false,
    resized: [],
    unknown: false,
  };
  const walk: Walk = { f, draft, env, seen: new Map(), called: new Set() };
  for (const node of nodes) if (node !== undefined) collect(walk, node);
  return draft;
}

interface Walk extends CodeScope {
  readonly f: Frame;
  readonly draft: Draft;
  /** Visited functions, with the bindings of their definitions. */
  readonly seen: Map<ts.Node, Set<Env>>;
}

/** `called`: the node belongs to a called function, not to the code itself. */
function collect(walk: Walk, node: ts.Node, called = false): void {
  const { f, draft } = walk;
  if (f.api.isTypeNode(node)) return;
  forEachTarget(f.api, node, (target) => {
    if (!called || !isOwnLocal(f, target)) collectTarget(f, target, draft);
  });
  if (f.api.isCallExpression(node)) collectCall(walk, node);
  if (f.api.isNewExpression(node)) collectNew(walk, node);
  // code that iterates over the generator is unknown, unless it is part of the same code
  if (f.api.isYieldExpression(node) && !called) draft.unknown = true;
  if (f.api.isPropertyAccessExpression(node)) collectAccess(walk, node);
  if (f.api.isForOfStatement(node) || f.api.isSpreadElement(node) || f.api.isYieldExpression(node))
    collectIterated(walk, node.expression);
  f.api.forEachChild(node, (child) => collect(walk, child, called));
}

/** Whether the target is local to the function around it, so that each call has its own. */
function isOwnLocal(f: Frame, target: ts.Expression): boolean {
  const declaration = f.api.isIdentifier(target) ? f.symbolOf(target)?.valueDeclaration : undefined;
  const ownerOf = (node: ts.Node): ts.Node | undefined =>
    f.api.findAncestor(node.parent, (at) => f.api.isFunctionLike(at));
  return (
    declaration !== undefined &&
    ownerOf(declaration) !== undefined &&
    ownerOf(declaration) === ownerOf(target)
  );
}

/** Iterating over an object of a class runs its iterator. */
function collectIterated(walk: Walk, expression: ts.Expression | undefined): void {
  const { f } = walk;
  const { classes, checker } = f.ctx;
  const type = expression === undefined ? undefined : checker.getTypeAtLocation(expression);
  const owner =
    type === undefined ? null : classes.ofType(checker.getBaseConstraintOfType(type) ?? type);
  const own = owner === null ? null : classes.member(owner, "method", "[Symbol.iterator]");
  if (own !== null) follow(walk, { body: own.node, env: walk.env }, false);
}

/** Accessors run code. */
function collectAccess(walk: Walk, node: ts.PropertyAccessExpression): void {
  const { f } = walk;
  const symbol = f.symbolOf(node.name);
  if (symbol === null || !(symbol.flags & f.api.SymbolFlags.Accessor)) return;
  for (const body of implementationsOf(f, symbol)) follow(walk, { body, env: walk.env }, false);
}

/** `new` runs the constructors and field initialisers of the class and its bases. */
function collectNew(walk: Walk, node: ts.NewExpression): void {
  const { f, draft } = walk;
  const type = f.ctx.checker.getTypeAtLocation(node);
  const owner = f.ctx.classes.ofType(type);
  if (owner === null) return;
  const lineage = f.ctx.classes.lineage(owner) ?? errorsOf(f, type);
  if (lineage === null) draft.unknown = true;
  for (const each of lineage ?? []) {
    for (const member of each.members)
      if (f.api.isConstructorDeclaration(member) || f.api.isPropertyDeclaration(member))
        follow(walk, { body: member, env: walk.env }, false);
  }
}

/** The program's classes of an error, whose library base has no effects; null for other classes. */
function errorsOf(f: Frame, type: ts.Type): readonly ClassNode[] | null {
  const { classes, checker } = f.ctx;
  const owner = classes.ofType(type);
  if (owner === null || !classes.isError(type)) return null;
  return [
    owner,
    ...(type.isClassOrInterface() ? checker.getBaseTypes(type) : []).flatMap(
      (base) => errorsOf(f, base) ?? [],
    ),
  ];
}

function collectTarget(f: Frame, target: ts.Expression, draft: Draft): void {
  const { api } = f;
  if (api.isIdentifier(target)) {
    const symbol = f.symbolOf(target);
    if (symbol !== null) draft.assigned.add(symbol);
  } else if (api.isPropertyAccessExpression(target)) {
    draft.fields.add(target.name.text);
    if (target.name.text === "length") resizes(f, target.expression, true, draft);
  } else if (api.isElementAccessExpression(target)) {
    if (mayAppend(f, target)) resizes(f, target.expression, false, draft);
    const key = f.ctx.checker.getTypeAtLocation(target.argumentExpression);
    for (const part of key.isUnion() ? key.types : [key])
      if (part.isStringLiteral()) draft.fields.add(part.value);
    const type = f.ctx.checker.getTypeAtLocation(target);
    if (!(type.flags & (api.TypeFlags.NumberLike | api.TypeFlags.BooleanLike))) draft.rows = true;
  }
}

function collectCall(walk: Walk, call: ts.CallExpression): void {
  const { f, draft } = walk;
  const { api } = f;
  let callee: ts.Expression = call.expression;
  while (api.isParenthesizedExpression(callee) || api.isNonNullExpression(callee))
    callee = callee.expression;
  if (api.isPropertyAccessExpression(callee) && RESIZERS.has(callee.name.text)) {
    resizes(
      f,
      callee.expression,
      callee.name.text !== "push" && callee.name.text !== "unshift",
      draft,
    );
  }
  if (api.isPropertyAccessExpression(callee) && REPLACERS.has(callee.name.text)) draft.rows = true;
  // the callee may call its function arguments
  for (const argument of call.arguments)
    if (takesCalls(f, argument))
      for (const each of meantBy(f, argument, walk)) followArgument(walk, each);
  // base constructors are followed at `new`
  if (callee.kind === api.SyntaxKind.SuperKeyword) return;
  const isPlain = !call.arguments.some(api.isSpreadElement) && !isIndirect(f, callee);
  for (const each of meantBy(f, callee, walk)) follow(walk, each, isPlain);
}

const takesCalls = (f: Frame, node: ts.Expression): boolean =>
  f.ctx.checker.getNonNullableType(f.ctx.checker.getTypeAtLocation(node)).getCallSignatures()
    .length > 0;

/** `isPlain`: the call's function arguments are all visible, and followed as well. */
function follow(walk: Walk, { body, env }: Meant, isPlain: boolean): void {
  if (body === "unknown") walk.draft.unknown = true;
  if (body === "unknown" || body === null) return;
  if (isPlain) walk.called.add(body);
  const seen = walk.seen.get(body) ?? new Set();
  if (seen.has(env)) return;
  walk.seen.set(body, seen.add(env));
  collect({ ...walk, env }, body, true);
}

/** A function argument; its caller may pass any functions to it. */
function followArgument(walk: Walk, each: Meant): void {
  const { f } = walk;
  const { body } = each;
  follow(walk, each, false);
  if (
    body !== null &&
    body !== "unknown" &&
    f.api.isFunctionLike(body) &&
    body.parameters.some(({ name }) => f.api.isIdentifier(name) && takesCalls(f, name))
  )
    walk.draft.unknown = true;
}

function resizes(f: Frame, array: ts.Expression, shrinks: boolean, draft: Draft): void {
  draft.resized.push({ type: f.ctx.checker.getTypeAtLocation(array), array, shrinks });
}

/** Whether a name is the counter of a `for (let …)` around `within`, constant per iteration. */
export function isFixedInIteration(
  f: Frame,
  declaration: ts.Node,
  symbol: ts.Symbol,
  within: ts.Node,
): boolean {
  const { api } = f;
  const list = declaration.parent;
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
  const loop = list?.parent;
  if (
    !api.isVariableDeclaration(declaration) ||
    !api.isVariableDeclarationList(list) ||
    !(list.flags & api.NodeFlags.Let) ||
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a file has no parent
    loop === undefined ||
    !api.isForStatement(loop)
  )
    return false;
  let isAssigned = false;
  const walk = (node: ts.Node): void => {
    forEachTarget(api, node, (target) => {
      if (api.isIdentifier(target) && f.symbolOf(target) === symbol) isAssigned = true;
    });
    api.forEachChild(node, walk);
  };
  walk(loop.statement);
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set in a callback
  return !isAssigned && api.findAncestor(within, (at) => at === loop.statement) !== undefined;
}

/** Whether a local needs a variable: it is reassigned, or a `var` used outside of its block. */
export function isMutable(f: Frame, symbol: ts.Symbol): boolean {
  return isReassigned(f, symbol) || leavesItsBlock(f, symbol);
}

function leavesItsBlock(f: Frame, symbol: ts.Symbol): boolean {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  const list =
    declaration === undefined
      ? undefined
      : api.findAncestor(declaration, (at) => api.isVariableDeclarationList(at));
  if (
    declaration === undefined ||
    list === undefined ||
    list.flags & api.NodeFlags.BlockScoped ||
    !(symbol.flags & api.SymbolFlags.FunctionScopedVariable)
  )
    return false;
  const block = api.findAncestor(
    list,
    (at) =>
      api.isBlock(at) || api.isForStatement(at) || api.isForOfStatement(at) || api.isCaseClause(at),
  );
  const owner = api.findAncestor(list, (at) => api.isFunctionLike(at));
  if (block === undefined || owner === undefined || block.parent === owner) return false;
  const seen = (node: ts.Node): boolean => {
    if (node === block) return false;
    if (api.isIdentifier(node) && node.text === symbol.name && f.symbolOf(node) === symbol)
      return true;
    return api.forEachChild(node, (child) => seen(child) || undefined) === true;
  };
  return seen(owner);
}

/** Whether `nodes`, the code that `effects` describes, may change the length of `array`. */
export const mayResize = (
  f: Frame,
  effects: Effects,
  array: ts.Expression,
  nodes: readonly (ts.Node | undefined)[],
): boolean =>
  effects.unknown || effects.resized.some((resized) => touches(f, resized, array, nodes));

/** Whether the code may remove elements of the array. */
export const mayShrink = (
  f: Frame,
  effects: Effects,
  array: ts.Expression,
  nodes: readonly (ts.Node | undefined)[],
): boolean =>
  effects.unknown ||
  effects.resized.some((resized) => resized.shrinks && touches(f, resized, array, nodes));

const touches = (
  f: Frame,
  resized: Resized,
  array: ts.Expression,
  nodes: readonly (ts.Node | undefined)[],
): boolean =>
  related(f, resized.type, f.ctx.checker.getTypeAtLocation(array)) &&
  !areDisjoint(f, resized.array, array, nodes);

const related = (f: Frame, one: ts.Type, other: ts.Type): boolean => {
  const a = f.ctx.checker.getNonNullableType(one);
  const b = f.ctx.checker.getNonNullableType(other);
  return f.ctx.checker.isTypeAssignableTo(a, b) || f.ctx.checker.isTypeAssignableTo(b, a);
};
