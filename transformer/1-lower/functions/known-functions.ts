// Resolves expressions for known functions: `g.bind(o, x)`, what a call returns, arguments.
// Output: the function, or null. Which function it is, is decided where JavaScript decides it.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import type { Atom } from "../../ir/types.ts";
import type { Form } from "../../ir/facts.ts";
import { isFn, type Arg, type Self, type Fn } from "../function-values.ts";
import { lowerExpr } from "../lowering.ts";
import { type Frame } from "../frame.ts";
import { isLinearMap } from "../derivatives/linear-maps.ts";
import { nameOf } from "../sites/targets.ts";
import { resolveFn } from "../resolve.ts";
import { isOfFunctions, membersOf } from "./known-members.ts";
import { entriesRead } from "./function-tables.ts";

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

export const heldPart = (f: Frame, part: Arg): Arg => (isFn(part) ? part : held(f, part));

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
  const callee = bare(node.expression, api);
  if (isPullback(f, callee)) return true;
  const returned = api.isIdentifier(callee) ? lastReturned(f, callee) : undefined;
  const literal = returned === undefined ? null : bare(returned, api);
  return (
    literal !== null &&
    (api.isObjectLiteralExpression(literal) || api.isArrayLiteralExpression(literal)) &&
    isOfFunctions(f, literal)
  );
}

/** What a named function returns at its end. */
function lastReturned(f: Frame, callee: ts.Identifier): ts.Expression | undefined {
  const { api } = f;
  const known = codeNamed(f, callee);
  const body = known !== null && "body" in known ? known.body : undefined;
  if (body === undefined || !api.isBlock(body)) return body;
  const last = body.statements.at(-1);
  return last !== undefined && api.isReturnStatement(last) ? last.expression : undefined;
}

function codeNamed(f: Frame, callee: ts.Identifier): ts.FunctionLikeDeclaration | null {
  const symbol = f.symbolOf(callee);
  if (symbol === null) return null;
  const local = f.env.lookup(symbol);
  if (local === null) return f.ctx.bodyOf(symbol);
  return local.kind === "fn" && local.fn.kind === "closure" ? local.fn.node : null;
}

/** Whether an expression is `vjp(g)`, or a constant with that value. */
export function isPullback(f: Frame, callee: ts.Expression): boolean {
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
