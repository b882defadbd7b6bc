// What a piece of user code may change, seen from its syntax, calls of program functions followed. In: a node. Out: Effects.
// Invariant: errs on the side of more: what cannot be seen through counts as changing everything.

import type ts from "typescript";
import type { Frame } from "./frame.ts";
import type { TypeScript } from "./context.ts";
import { heldBodies } from "./held-functions.ts";
import { areDistinct } from "./distinct.ts";
import { unwrap } from "./unwrap.ts";

export interface Effects {
  /** Variables assigned anew. */
  readonly assigned: ReadonlySet<ts.Symbol>;
  /** Names of fields written. */
  readonly fields: ReadonlySet<string>;
  /** Whether an element that is no number or boolean is written: a row replaced, so `a[i].length` may change. */
  readonly rows: boolean;
  /** Arrays whose length may change. */
  readonly resized: readonly Resized[];
  /** Whether something is called that cannot be seen through. */
  readonly unknown: boolean;
}

export interface Resized {
  readonly type: ts.Type;
  readonly array: ts.Expression;
  /** Whether elements may go away; else the array only grows. */
  readonly shrinks: boolean;
}

interface Draft { assigned: Set<ts.Symbol>; fields: Set<string>; rows: boolean; resized: Resized[]; unknown: boolean }

const RESIZERS: ReadonlySet<string> = new Set(["push", "pop", "shift", "unshift", "splice"]);
/** They put other elements into places that are there. */
const REPLACERS: ReadonlySet<string> = new Set(["fill", "sort", "reverse", "shift", "unshift", "splice", "copyWithin"]);

export function effectsOf(f: Frame, ...nodes: readonly (ts.Node | undefined)[]): Effects {
  const draft: Draft = { assigned: new Set(), fields: new Set(), rows: false, resized: [], unknown: false };
  const seen = new Set<ts.Node>();
  for (const node of nodes) if (node !== undefined) collect(f, node, draft, seen);
  return draft;
}

/** `called`: the node belongs to a function that is called, not to the piece of code itself. */
function collect(f: Frame, node: ts.Node, draft: Draft, seen: Set<ts.Node>, called = false): void {
  if (f.api.isTypeNode(node)) return;
  forEachTarget(f.api, node, (target) => { if (!called || !isOwnLocal(f, target)) collectTarget(f, target, draft); });
  if (f.api.isCallExpression(node)) collectCall(f, node, draft, seen);
  if (f.api.isNewExpression(node)) collectNew(f, node, draft, seen);
  if (f.api.isPropertyAccessExpression(node)) collectAccess(f, node, draft, seen);
  f.api.forEachChild(node, (child) => collect(f, child, draft, seen, called));
}

/** Whether the target is a local variable of the very function it stands in: a call, a recursive one too, assigns one of its own. */
function isOwnLocal(f: Frame, target: ts.Expression): boolean {
  const declaration = f.api.isIdentifier(target) ? f.symbolOf(target)?.valueDeclaration : undefined;
  const ownerOf = (node: ts.Node): ts.Node | undefined => f.api.findAncestor(node.parent, (at) => f.api.isFunctionLike(at));
  return declaration !== undefined && ownerOf(declaration) !== undefined && ownerOf(declaration) === ownerOf(target);
}

/** A getter or setter runs code. */
function collectAccess(f: Frame, node: ts.PropertyAccessExpression, draft: Draft, seen: Set<ts.Node>): void {
  const symbol = f.symbolOf(node.name);
  if (symbol === null || !(symbol.flags & f.api.SymbolFlags.Accessor)) return;
  for (const body of implementationsOf(f, symbol)) follow(f, body, draft, seen);
}

/** Everything in the class may run but its other methods, and the same of the classes it derives from. */
function collectNew(f: Frame, node: ts.NewExpression, draft: Draft, seen: Set<ts.Node>): void {
  const owner = f.ctx.classes.ofType(f.ctx.checker.getTypeAtLocation(node));
  if (owner === null) return;
  const lineage = f.ctx.classes.lineage(owner);
  if (lineage === null) draft.unknown = true;
  for (const each of lineage ?? []) {
    for (const member of each.members) if (f.api.isConstructorDeclaration(member) || f.api.isPropertyDeclaration(member)) follow(f, member, draft, seen);
  }
}

/** The members of that name that may run: the class's own, and those of the classes that derive from it or fit it. */
function implementationsOf(f: Frame, symbol: ts.Symbol): readonly ts.Node[] {
  const { api } = f;
  const { classes } = f.ctx;
  const owner = symbol.valueDeclaration?.parent ?? symbol.declarations?.[0]?.parent;
  const own = (symbol.declarations ?? []).filter((each) => !each.getSourceFile().isDeclarationFile);
  if (owner === undefined) return own;
  const others = api.isClassLike(owner) ? [...classes.subclasses(owner, f.root), ...classes.alike(owner, f.root).flatMap((each) => classes.lineage(each) ?? [])] : api.isInterfaceDeclaration(owner) ? classes.fitting(f.ctx.checker.getTypeAtLocation(owner), f.root).flatMap((each) => classes.lineage(each) ?? []) : [];
  return [...own, ...others.flatMap((each) => each.members.filter((member) => member.name?.getText() === symbol.name))];
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
    const key = f.ctx.checker.getTypeAtLocation(target.argumentExpression);
    for (const part of key.isUnion() ? key.types : [key]) if (part.isStringLiteral()) draft.fields.add(part.value);
    const type = f.ctx.checker.getTypeAtLocation(target);
    if (!(type.flags & (api.TypeFlags.NumberLike | api.TypeFlags.BooleanLike))) draft.rows = true;
  }
}

function collectCall(f: Frame, call: ts.CallExpression, draft: Draft, seen: Set<ts.Node>): void {
  const { api } = f;
  let callee: ts.Expression = call.expression;
  while (api.isParenthesizedExpression(callee) || api.isNonNullExpression(callee)) callee = callee.expression;
  if (api.isPropertyAccessExpression(callee) && RESIZERS.has(callee.name.text)) {
    resizes(f, callee.expression, callee.name.text !== "push" && callee.name.text !== "unshift", draft);
  }
  if (api.isPropertyAccessExpression(callee) && REPLACERS.has(callee.name.text)) draft.rows = true;
  const method = api.isPropertyAccessExpression(callee) ? f.symbolOf(callee.name) : null;
  const isMethod = method !== null && (method.declarations ?? []).some((each) => (api.isMethodDeclaration(each) && api.isClassLike(each.parent)) || (api.isMethodSignature(each) && !each.getSourceFile().isDeclarationFile));
  const direct = isMethod ? implementationsOf(f, method) : bodiesIn(f, callee) ?? [calledBody(f, callee)];
  const bodies = direct.includes("unknown") ? heldBodies(f, callee) ?? direct : direct;
  for (const body of bodies.length === 0 ? ["unknown" as const] : bodies) follow(f, body, draft, seen);
  // a function handed over by name may be called
  for (const argument of call.arguments) {
    if (api.isIdentifier(argument) && f.ctx.checker.getTypeAtLocation(argument).getCallSignatures().length > 0) follow(f, calledBody(f, argument), draft, seen);
  }
}

function follow(f: Frame, body: ts.Node | "unknown" | null, draft: Draft, seen: Set<ts.Node>): void {
  if (body === "unknown") draft.unknown = true;
  else if (body !== null && !seen.has(body)) {
    seen.add(body);
    collect(f, body, draft, seen, true);
  }
}

function resizes(f: Frame, array: ts.Expression, shrinks: boolean, draft: Draft): void {
  draft.resized.push({ type: f.ctx.checker.getTypeAtLocation(array), array, shrinks });
}

/** Methods of functions that run them. */
const INDIRECT: ReadonlySet<string> = new Set(["call", "apply", "bind"]);

/**
 * Those that `ops[k]` or `ops.sin` of a constant `const ops = { sin: Math.sin, twice: (x) => 2 * x }` may be; null for any other expression. Where something is written into
 * the constant no call of it is accepted (`constantMembers`).
 */
function bodiesIn(f: Frame, callee: ts.Expression): readonly (ts.Node | "unknown" | null)[] | null {
  const { api } = f;
  if ((!api.isElementAccessExpression(callee) && !api.isPropertyAccessExpression(callee)) || !api.isIdentifier(callee.expression)) return null;
  const symbol = f.symbolOf(callee.expression), declaration = symbol?.valueDeclaration;
  if (symbol === null || declaration === undefined || !api.isVariableDeclaration(declaration) || isReassigned(f, symbol)) return null;
  const literal = declaration.initializer === undefined ? undefined : unwrap(declaration.initializer, api);
  if (literal === undefined || !api.isObjectLiteralExpression(literal)) return null;
  const asked = api.isPropertyAccessExpression(callee) ? callee.name.text : null;
  const parts = literal.properties.filter(({ name }) => asked === null || name === undefined || !api.isIdentifier(name) || name.text === asked);
  return parts.map((part) => {
    const value = api.isPropertyAssignment(part) ? part.initializer : api.isShorthandPropertyAssignment(part) ? part.name : part;
    if (api.isArrowFunction(value) || api.isFunctionExpression(value) || api.isMethodDeclaration(value)) return value;
    return api.isIdentifier(value) || api.isPropertyAccessExpression(value) ? calledBody(f, value) : "unknown";
  });
}

/** The function that an expression calls; null for the standard library. */
function calledBody(f: Frame, callee: ts.Node): ts.Node | "unknown" | null {
  const { api } = f;
  if (api.isFunctionExpression(callee) || api.isArrowFunction(callee)) return null; // walked where it stands
  const name = api.isPropertyAccessExpression(callee) ? callee.name : callee;
  if (api.isPropertyAccessExpression(callee) && INDIRECT.has(callee.name.text) && f.ctx.checker.getTypeAtLocation(callee.expression).getCallSignatures().length > 0) return calledBody(f, callee.expression);
  const symbol = f.symbolOf(name);
  if (symbol === null) return "unknown";
  const local = f.env.lookup(symbol);
  if (local?.kind === "fn") {
    if (local.fn.kind === "closure") return local.fn.node;
    if (local.fn.kind === "builtin" || local.fn.kind === "operator") return null;
    return local.fn.kind === "program" ? f.ctx.bodyOf(local.fn.symbol) ?? "unknown" : "unknown";
  }
  // a function that is not given is not called
  if (local?.kind === "value" && local.atom.kind === "const" && local.atom.value === undefined) return null;
  if (f.ctx.operatorOf(symbol) !== null || f.ctx.solverOf(symbol) !== null) return null;
  const body = f.ctx.bodyOf(symbol);
  if (body !== null) return body;
  const declared = symbol.declarations?.[0];
  if (declared === undefined) return "unknown";
  return declared.getSourceFile().isDeclarationFile ? null : "unknown";
}

/** Calls `found` with every place that this very node assigns: operands of `=`, `+=`, `++`, heads of `for-of`. */
export function forEachTarget(api: TypeScript, node: ts.Node, found: (target: ts.Expression) => void): void {
  if (api.isBinaryExpression(node) && isAssignment(api, node.operatorToken.kind)) targetsOf(api, node.left, found);
  else if (api.isPrefixUnaryExpression(node) || api.isPostfixUnaryExpression(node)) {
    if (node.operator === api.SyntaxKind.PlusPlusToken || node.operator === api.SyntaxKind.MinusMinusToken) targetsOf(api, node.operand, found);
  } else if ((api.isForOfStatement(node) || api.isForInStatement(node)) && !api.isVariableDeclarationList(node.initializer)) {
    targetsOf(api, node.initializer, found);
  } else if (api.isDeleteExpression(node)) targetsOf(api, node.expression, found);
}

export const isAssignment = (api: TypeScript, token: ts.SyntaxKind): boolean =>
  token >= api.SyntaxKind.FirstAssignment && token <= api.SyntaxKind.LastAssignment;

function targetsOf(api: TypeScript, node: ts.Expression, found: (target: ts.Expression) => void): void {
  if (api.isParenthesizedExpression(node) || api.isAsExpression(node) || api.isNonNullExpression(node) || api.isSatisfiesExpression(node)) {
    targetsOf(api, node.expression, found);
  } else if (api.isArrayLiteralExpression(node)) {
    for (const element of node.elements) targetsOf(api, api.isSpreadElement(element) ? element.expression : withoutDefault(api, element), found);
  } else if (api.isObjectLiteralExpression(node)) {
    for (const property of node.properties) {
      if (api.isShorthandPropertyAssignment(property)) found(property.name);
      else if (api.isPropertyAssignment(property)) targetsOf(api, withoutDefault(api, property.initializer), found);
      else if (api.isSpreadAssignment(property)) targetsOf(api, property.expression, found);
    }
  } else found(node);
}

const withoutDefault = (api: TypeScript, node: ts.Expression): ts.Expression =>
  api.isBinaryExpression(node) && node.operatorToken.kind === api.SyntaxKind.EqualsToken ? node.left : node;

/** Memo of `isReassigned`: what a file assigns never changes within one program. */
const ASSIGNED_BY_FILE = new WeakMap<ts.SourceFile, { readonly checker: ts.TypeChecker; readonly assigned: ReadonlySet<ts.Symbol> }>();

/** Whether anything but its declaration gives the variable a value. */
export function isReassigned(f: Frame, symbol: ts.Symbol): boolean {
  const declarations = symbol.declarations ?? [];
  if (declarations.every((declaration) => declaration.getSourceFile().isDeclarationFile)) return false;
  if (declarations.length > 1) return true;
  const file = declarations[0]?.getSourceFile();
  if (file === undefined) return false;
  const known = ASSIGNED_BY_FILE.get(file);
  if (known !== undefined && known.checker === f.ctx.checker) return known.assigned.has(symbol);
  const assigned = new Set<ts.Symbol>();
  const walk = (node: ts.Node): void => {
    forEachTarget(f.api, node, (target) => {
      const found = f.api.isIdentifier(target) ? f.symbolOf(target) : f.api.isPropertyAccessExpression(target) ? f.symbolOf(target.name) : null;
      if (found !== null) assigned.add(found);
    });
    f.api.forEachChild(node, walk);
  };
  walk(file);
  ASSIGNED_BY_FILE.set(file, { checker: f.ctx.checker, assigned });
  return assigned.has(symbol);
}

/** Whether a name is the counter of a `for (let …)` around `within`, which only the loop's head assigns: each round binds its own, and does not change it. */
export function isFixedInRound(f: Frame, declaration: ts.Node, symbol: ts.Symbol, within: ts.Node): boolean {
  const { api } = f;
  const list = declaration.parent, loop = list?.parent;
  if (!api.isVariableDeclaration(declaration) || !api.isVariableDeclarationList(list) || !(list.flags & api.NodeFlags.Let) || loop === undefined || !api.isForStatement(loop)) return false;
  let isAssigned = false;
  const walk = (node: ts.Node): void => {
    forEachTarget(api, node, (target) => { if (api.isIdentifier(target) && f.symbolOf(target) === symbol) isAssigned = true; });
    api.forEachChild(node, walk);
  };
  walk(loop.statement);
  return !isAssigned && api.findAncestor(within, (at) => at === loop.statement) !== undefined;
}

/** Whether a local name needs a variable: it is assigned again, or it is a `var` that is seen outside the block that declares it. */
export function isMutable(f: Frame, symbol: ts.Symbol): boolean {
  return isReassigned(f, symbol) || leavesItsBlock(f, symbol);
}

function leavesItsBlock(f: Frame, symbol: ts.Symbol): boolean {
  const { api } = f;
  const declaration = symbol.valueDeclaration;
  const list = declaration === undefined ? undefined : api.findAncestor(declaration, (at) => api.isVariableDeclarationList(at));
  if (declaration === undefined || list === undefined || list.flags & api.NodeFlags.BlockScoped || !(symbol.flags & api.SymbolFlags.FunctionScopedVariable)) return false;
  const block = api.findAncestor(list, (at) => api.isBlock(at) || api.isForStatement(at) || api.isForOfStatement(at) || api.isCaseClause(at));
  const owner = api.findAncestor(list, (at) => api.isFunctionLike(at));
  if (block === undefined || owner === undefined || block.parent === owner) return false;
  const seen = (node: ts.Node): boolean => {
    if (node === block) return false;
    if (api.isIdentifier(node) && node.text === symbol.name && f.symbolOf(node) === symbol) return true;
    return api.forEachChild(node, (child) => seen(child) || undefined) === true;
  };
  return seen(owner);
}

/** Whether evaluating the expression may assign a variable: it holds an assignment, or a call that may be inlined. */
export function mayAssign(api: TypeScript, node: ts.Node): boolean {
  let found = api.isCallExpression(node) || api.isNewExpression(node);
  forEachTarget(api, node, () => { found = true; });
  return found || api.forEachChild(node, (child) => mayAssign(api, child) || undefined) === true;
}

/** Whether the code may change the length of `array`; `nodes` are the code that `effects` describes. */
export const mayResize = (f: Frame, effects: Effects, array: ts.Expression, nodes: readonly (ts.Node | undefined)[]): boolean =>
  effects.unknown || effects.resized.some((resized) => touches(f, resized, array, nodes));

/** Whether the code may take elements off the array. */
export const mayShrink = (f: Frame, effects: Effects, array: ts.Expression, nodes: readonly (ts.Node | undefined)[]): boolean =>
  effects.unknown || effects.resized.some((resized) => resized.shrinks && touches(f, resized, array, nodes));

const touches = (f: Frame, resized: Resized, array: ts.Expression, nodes: readonly (ts.Node | undefined)[]): boolean =>
  related(f, resized.type, f.ctx.checker.getTypeAtLocation(array)) && !areDistinct(f, resized.array, array, nodes);

const related = (f: Frame, one: ts.Type, other: ts.Type): boolean => {
  const a = f.ctx.checker.getNonNullableType(one);
  const b = f.ctx.checker.getNonNullableType(other);
  return f.ctx.checker.isTypeAssignableTo(a, b) || f.ctx.checker.isTypeAssignableTo(b, a);
};
