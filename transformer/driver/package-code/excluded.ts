// Code that the types of a copy exclude: what follows `if (typeof x === "number") return` where `x`
// is a number. In: a copy in a program. Out: such statements, which throw in the copy. Invariant:
// values that contradict their types give an error, not another result.

import type ts from "typescript";
import { stringText } from "../../code/quote.ts";
import { type Copy, rootOf } from "./copies.ts";
import type { Place } from "./function-arguments.ts";
import { assignedBy, isKey } from "./modules.ts";
import type { Change } from "./rendered.ts";
import type { Types } from "./type-text.ts";
import { mentionsName } from "../../syntax/walk.ts";

type Api = typeof ts;

/** Finds statements in which a variable cannot have a value; whether there was a new one. */
export function excludedBy({ api, checker }: Types, copy: Copy, at: Place): boolean {
  const { excluded } = copy;
  const before = excluded.size;
  const root = rootOf(api, copy);
  const isImpossible = (name: ts.Identifier | undefined): boolean => {
    if (name === undefined || !(checker.getTypeAtLocation(name).flags & api.TypeFlags.Never))
      return false;
    const symbol = checker.getSymbolAtLocation(name);
    return (
      symbol !== undefined &&
      !(checker.getTypeOfSymbol(symbol).flags & api.TypeFlags.Never) &&
      !isAssignedInside(api, symbol)
    );
  };
  const visit = (node: ts.Node): void => {
    if (api.isIdentifier(node) && !isKey(api, node) && isImpossible(at(node))) {
      const statement = reaching(api, node);
      if (statement !== null) excluded.set(statement, node.text);
    }
    if (!api.isStatement(node) || !excluded.has(node)) api.forEachChild(node, visit);
  };
  if (root !== undefined) visit(root);
  if (excluded.size === before) return false;
  for (const node of copy.uses.keys()) if (isExcluded(api, copy, node)) copy.uses.delete(node);
  return true;
}

/** TypeScript does not see that a function assigns a variable of the one around it. */
function isAssignedInside(api: Api, { name, valueDeclaration: declared }: ts.Symbol): boolean {
  const owner = declared && api.findAncestor(declared.parent.parent, api.isFunctionLike);
  if (declared === undefined || (owner === undefined && !api.isParameter(declared))) return true;
  const visit = (node: ts.Node, isInner: boolean): boolean => {
    const target = isInner ? assignedBy(api, node) : null;
    if (target !== null && mentionsName(api, target, name)) return true;
    const hasInner = (child: ts.Node): boolean =>
      visit(child, isInner || (node !== declared.parent && api.isFunctionLike(node)));
    return api.forEachChild(node, (child) => hasInner(child) || undefined) === true;
  };
  return visit(api.isParameter(declared) ? declared.parent : (owner ?? declared), false);
}

/** The statement that always evaluates an expression; null where there is none. */
function reaching(api: Api, node: ts.Node): ts.Statement | null {
  for (let at = node; !api.isStatement(at); at = at.parent)
    if (mayBeSkipped(api, at, at.parent)) return null;
    else if (api.isStatement(at.parent)) return api.isBlock(at.parent) ? null : at.parent;
  return null;
}

function mayBeSkipped(api: Api, node: ts.Node, parent: ts.Node): boolean {
  if (api.isConditionalExpression(parent)) return parent.condition !== node;
  if (api.isBinaryExpression(parent))
    return parent.left !== node && isShortCircuit(api, parent.operatorToken.kind);
  if (api.isForStatement(parent)) return parent.incrementor === node;
  return (
    api.isDoStatement(parent) ||
    api.isBindingElement(parent) ||
    api.isFunctionLike(parent) ||
    api.isClassLike(parent) ||
    api.isCaseOrDefaultClause(parent) ||
    api.isCallChain(parent) ||
    api.isPropertyAccessChain(parent) ||
    api.isElementAccessChain(parent)
  );
}

const isShortCircuit = (api: Api, kind: ts.SyntaxKind): boolean =>
  /^(?:&&|\|\||\?\?)=?$/.test(api.tokenToString(kind) ?? "");

/**
 * `return g(x); … }`  ->  `throw new TypeError(…); }`
 *
 * `if (isList(x)) a; else b;`  ->  `a;`
 */
export function withoutExcluded(
  api: Api,
  { excluded, decided }: Copy,
  changes: readonly Change[],
): readonly Change[] {
  const thrown = [...excluded].map(([statement, name]): Change => ({
    ...rangeFrom(api, statement),
    text: throwing(name),
  }));
  const gone = [
    ...thrown,
    ...[...decided].flatMap(([condition, text]) => withoutCondition(api, condition, text)),
  ];
  const isIn = (inner: Range, outer: Range): boolean =>
    outer !== inner && outer.start <= inner.start && inner.end <= outer.end;
  const outer = gone.filter((each) => !gone.some((other) => isIn(each, other)));
  return [...changes.filter((each) => !outer.some((other) => isIn(each, other))), ...outer];
}

const throwing = (name: string): string =>
  `throw new TypeError(${stringText(`\`${name}\` has a type that is not declared`)});`;

/** What is left out, and what stands in its place. */
function withoutCondition(api: Api, condition: ts.Expression, text: string): readonly Change[] {
  const { parent } = condition;
  const whole = { start: parent.getStart(), end: parent.end };
  const [, name = "", operator] = /^(.*) (!=|==) null$/.exec(text) ?? [];
  if (operator !== undefined) {
    const left = [{ start: condition.getStart(), end: condition.end, text }];
    if (!api.isConditionalExpression(parent)) return left;
    const other = operator === "!=" ? parent.whenFalse : parent.whenTrue;
    if (!mentionsName(api, other, name)) return left;
    const thrown = `(() => { ${throwing(name)} })()`;
    return [...left, { start: other.getStart(), end: other.end, text: thrown }];
  }
  const isIf = api.isIfStatement(parent);
  if (!isIf && !api.isConditionalExpression(parent)) return [];
  const [first, second] = isIf
    ? [parent.thenStatement, parent.elseStatement]
    : [parent.whenTrue, parent.whenFalse];
  const taken = text === "true" ? first : second;
  if (taken === undefined) return [{ ...whole, text: "{}" }];
  const [before, after] = isIf ? ["", ""] : ["(", ")"];
  return [
    { start: whole.start, end: taken.getStart(), text: before },
    { start: taken.end, end: whole.end, text: after },
  ];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** What is not reached if a statement is not. */
function rangeFrom(api: Api, statement: ts.Statement): Range {
  const { parent } = statement;
  const end = api.isBlock(parent) ? parent.statements.end : statement.end;
  return { start: statement.getStart(), end };
}

/** Whether a node stands where code is left out. */
export const isExcluded = (api: Api, { excluded, decided }: Copy, node: ts.Node): boolean =>
  [
    ...[...excluded.keys()].map((statement) => rangeFrom(api, statement)),
    ...[...decided].flatMap(([condition, text]) => withoutCondition(api, condition, text)),
  ].some(({ start, end }) => start <= node.getStart() && node.end <= end);
