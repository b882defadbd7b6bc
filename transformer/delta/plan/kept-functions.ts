// Finds function values that escape without a name: `return (x) => …`, `rules.push((x) => …)`, Map
// entries with computed keys, methods of returned literals. In: user files. Out: the functions.
// Invariant: a function retains its type when a call is written around it or its literal.

import type ts from "typescript";
import { outermost, bare } from "../../syntax/wrappers.ts";
import { type Code, NOTHING } from "../../code/code.ts";
import { type Asked, keptAs } from "./escapes.ts";
import { type LiteralMember, memberOf } from "../literal-members.ts";
import { holdsPlaces, linksAt } from "./literal-links.ts";

export type KeptFunction = (Written | Bound) & { readonly type: ts.Type };

interface Written {
  readonly node: ts.ArrowFunction | ts.FunctionExpression | Member;
  /** `name`: of its place, or as a member. `type`: emitted where a call around it would lose it. */
  readonly how:
    | {
        readonly kind: "itself";
        readonly name: string;
        readonly type: { readonly text: string; readonly as: "argument" | "assertion" } | null;
      }
    | {
        readonly kind: "member";
        readonly as: LiteralMember;
        readonly literal: ts.ObjectLiteralExpression;
      };
}

type Member = ts.MethodDeclaration | ts.AccessorDeclaration;

/** `model.energy.bind(model)` */
interface Bound {
  readonly node: ts.CallExpression;
  readonly how: { readonly kind: "bound"; readonly fn: ts.Expression };
}

/** `default`: the literal in `export default { … }`. `plain`: the class's name in its twin. */
export type Beside =
  | KeptFunction["how"]
  | { readonly kind: "class"; readonly plain: Code }
  | { readonly kind: "default" };

export function keptFunctions(asked: Asked): readonly KeptFunction[] {
  const { ts: api, checker, files } = asked;
  const found: KeptFunction[] = [];
  const placed = placedIn(asked);
  const visit = (node: ts.Node): void => {
    if (api.isTypeNode(node)) return;
    const kept = placed.has(node) ? null : (writtenAt(node, asked) ?? boundAt(node, asked));
    if (kept !== null)
      found.push({ ...kept, type: checker.getTypeAtLocation(outermost(node, api)) });
    api.forEachChild(node, visit);
  };
  files.forEach(visit);
  return found;
}

function boundAt(node: ts.Node, asked: Asked): Bound | null {
  const { ts: api, checker } = asked;
  if (
    !api.isCallExpression(node) ||
    node.questionDotToken !== undefined ||
    !api.isPropertyAccessExpression(node.expression) ||
    node.expression.name.text !== "bind"
  )
    return null;
  const { expression: fn, questionDotToken } = node.expression;
  return questionDotToken !== undefined ||
    checker.getTypeAtLocation(fn).getCallSignatures().length === 0 ||
    keptAs(node, asked) === null
    ? null
    : { node, how: { kind: "bound", fn } };
}

function writtenAt(node: ts.Node, asked: Asked): Written | null {
  const { ts: api } = asked;
  const member = literalAround(node, api);
  if (member !== null) return member;
  if (
    !(api.isArrowFunction(node) || api.isFunctionExpression(node)) ||
    isNamed(node, api) ||
    saysThis(node, api)
  )
    return null;
  const kept = keptAs(node, asked);
  if (kept === null || kept.name === null) return null;
  const as = typePlace(node, asked);
  const text = as === null ? undefined : typeText(node, asked);
  if (as === "argument" && text === undefined) return null;
  const hasName = api.isFunctionExpression(node) && node.name !== undefined;
  return {
    node,
    how: {
      kind: "itself",
      name: hasName ? "" : kept.name,
      type: as === null || text === undefined ? null : { as, text },
    },
  };
}

/** How the type is said that the function would get from its place. */
function typePlace(
  node: ts.ArrowFunction | ts.FunctionExpression,
  asked: Asked,
): "argument" | "assertion" | null {
  if (/\.[cm]?jsx?$/.test(node.getSourceFile().fileName)) return null;
  if (!keepsType(node, asked)) return "argument";
  return saysType(node, asked) ? "assertion" : null;
}

/** `energy(x) { … }`, an accessor, or a function expression with `this`, of a literal. */
function literalAround(node: ts.Node, api: typeof ts): Written | null {
  const isMember = api.isMethodDeclaration(node) || api.isAccessor(node);
  if (!isMember && !(api.isFunctionExpression(node) && saysThis(node, api))) return null;
  const property = isMember ? node : node.parent;
  const { parent: literal } = property;
  if (!api.isObjectLiteralExpression(literal) || !api.isObjectLiteralElementLike(property))
    return null;
  const as = memberOf(api, literal, property);
  return as === null ? null : { node, how: { kind: "member", as, literal } };
}

/** Whether it uses `this`, the object that it is a field of. */
const saysThis = (node: ts.Node, api: typeof ts): boolean =>
  api.isFunctionExpression(node) &&
  /\bthis\b/.test(node.getText()) &&
  !node.parameters.some(({ name }) => api.isIdentifier(name) && name.text === "this");

/** Whether it is `const square = (x) => …`, which is linked by name. */
function isNamed(node: ts.Expression, api: typeof ts): boolean {
  const { parent } = outermost(node, api);
  return (
    api.isVariableDeclaration(parent) &&
    api.isIdentifier(parent.name) &&
    api.isVariableStatement(parent.parent.parent) &&
    (api.getCombinedNodeFlags(parent) & api.NodeFlags.Constant) !== 0
  );
}

/** Functions in the literals of consts. */
function placedIn({ ts: api, checker, files }: Asked): ReadonlySet<ts.Node> {
  const placed = new Set<ts.Node>();
  const host = {
    ts: api,
    checker,
    written: (node: ts.Node) => (placed.add(node), null),
    named: () => null,
  };
  const visit = (node: ts.Node): void => {
    const value =
      api.isVariableDeclaration(node) && api.isIdentifier(node.name) && node.initializer
        ? bare(node.initializer, api)
        : undefined;
    if (value !== undefined && holdsPlaces(value, api)) linksAt(host, value, NOTHING, "");
    api.forEachChild(node, visit);
  };
  files.forEach(visit);
  return placed;
}

/** Whether a declaration file infers the type of a field or parameter from the function. */
function saysType(node: ts.Expression, { ts: api, isIsolated }: Asked): boolean {
  const { parent } = outermost(node, api);
  return (
    isIsolated &&
    (api.isPropertyDeclaration(parent) || api.isParameter(parent)) &&
    parent.type === undefined
  );
}

/** Undefined: the type cannot be written there. */
function typeText(node: ts.Expression, { ts: api, checker }: Asked): string | undefined {
  const text = checker.typeToString(
    checker.getTypeAtLocation(node),
    node,
    api.TypeFormatFlags.NoTruncation,
  );
  return /\bimport\(|\bany\b|\.\.\.|\btypeof\b/.test(text) ? undefined : text;
}

/** Whether its parameters are typed, or their types are inferred from outside the function. */
function keepsType(
  node: ts.ArrowFunction | ts.FunctionExpression,
  { ts: api, checker }: Asked,
): boolean {
  if (node.parameters.every(({ type }) => type !== undefined)) return true;
  const isResult = (at: ts.Node): boolean => api.isFunctionLike(at) && at.type !== undefined;
  const call = api.findAncestor(
    node.parent,
    (at) =>
      api.isStatement(at) || api.isCallExpression(at) || api.isNewExpression(at) || isResult(at),
  );
  if (call === undefined || !(api.isCallExpression(call) || api.isNewExpression(call))) return true;
  const declared = checker.getResolvedSignature(call)?.declaration;
  if (declared === undefined || api.isJSDocSignature(declared)) return false;
  const ofClass = api.isConstructorDeclaration(declared)
    ? declared.parent.typeParameters
    : undefined;
  return (
    (declared.typeParameters ?? ofClass ?? []).length === 0 || (call.typeArguments ?? []).length > 0
  );
}
