// Functions of packages as text. In: a declaration. Out: the range that is copied, what stands
// around it, and the annotations of its parameters.

import type ts from "typescript";
import { stringText } from "../../code/quote.ts";
import { isStrict, sloppyUse } from "../../delta/packages/sloppy.ts";
import type { CallTypes } from "./copies.ts";
import { type Found, initialiserOf } from "./modules.ts";
import type { Change } from "./rendered.ts";

type Api = typeof ts;

export type FunctionCode =
  ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction | ts.MethodDeclaration;

/** Code in a class. */
export type MemberCode = ts.MethodDeclaration | ts.AccessorDeclaration | ts.ConstructorDeclaration;

export interface FunctionPart {
  readonly node: FunctionCode;
  readonly range: { readonly start: number; readonly end: number };
  readonly around: (name: string) => readonly [string, string];
}

/** The function that a declaration holds; null for another, and for generators and async code. */
export function functionOf(api: Api, found: Found): FunctionPart | null {
  if (found.kind !== "declared") return null;
  const { node, module, name } = found;
  if (module.assigned.has(name)) return null;
  if (api.isFunctionDeclaration(node) || api.isMethodDeclaration(node)) {
    if (!isSimple(api, node) || node.body === undefined) return null;
    return {
      node,
      range: { start: node.parameters.pos - 1, end: node.end },
      around: (as) => [`function ${as}`, ""],
    };
  }
  if (api.isClassDeclaration(node)) return null;
  const value = initialiserOf(api, node);
  const inner = value === undefined ? undefined : unwrapped(api, value);
  if (inner === undefined || !(api.isFunctionExpression(inner) || api.isArrowFunction(inner)))
    return null;
  if (!isSimple(api, inner)) return null;
  return declarationOf(api, inner);
}

/** As a declaration: what calls a derivative while the user's file is evaluated finds it there. */
function declarationOf(api: Api, node: ts.FunctionExpression | ts.ArrowFunction): FunctionPart {
  const { parameters, end, body } = node;
  const text = node.getSourceFile().text;
  const isExpression = api.isArrowFunction(node) && !api.isBlock(body);
  return {
    node,
    range: {
      start: isBare(api, node) ? node.getStart() : text.lastIndexOf("(", parameters.pos - 1),
      end,
    },
    around: (as) => [`function ${as}`, isExpression ? "); }" : ""],
  };
}

/** `x => …` */
const isBare = (api: Api, node: FunctionCode | MemberCode): boolean =>
  api.isArrowFunction(node) && node.getFirstToken()?.kind !== api.SyntaxKind.OpenParenToken;

/** `=>` of an arrow function that becomes a declaration. */
export function withoutArrow(api: Api, node: FunctionCode): Change[] {
  if (!api.isArrowFunction(node)) return [];
  const { equalsGreaterThanToken: arrow, body } = node;
  const text = api.isBlock(body) ? "" : "{ return (";
  return [{ start: arrow.getStart(), end: arrow.end, text }];
}

const unwrapped = (api: Api, node: ts.Expression): ts.Expression =>
  api.isParenthesizedExpression(node) ? unwrapped(api, node.expression) : node;

const simple = new WeakMap<FunctionCode, boolean>();

function isSimple(api: Api, node: FunctionCode): boolean {
  const known = simple.get(node) ?? isSimpleCode(api, node);
  simple.set(node, known);
  return known;
}

const isSimpleCode = (api: Api, node: FunctionCode): boolean =>
  node.asteriskToken === undefined &&
  !(node.modifiers ?? []).some(({ kind }) => kind === api.SyntaxKind.AsyncKeyword) &&
  !mentionsThis(api, node) &&
  (isStrict(api, node.getSourceFile()) || !isSloppy(api, node));

/** Copies are strict. */
const isSloppy = (api: Api, node: ts.Node): boolean =>
  sloppyUse(api, node) !== null ||
  api.forEachChild(node, (child) => isSloppy(api, child) || undefined) === true;

/** What `this` is depends on how the package's own function is called. */
export const mentionsThis = (api: Api, node: ts.Node): boolean =>
  node.kind === api.SyntaxKind.ThisKeyword ||
  (!api.isClassLike(node) &&
    api.forEachChild(node, (child) => mentionsThis(api, child) || undefined) === true);

/** Types of the parameters and the result. */
export function signatureChanges(
  api: Api,
  node: FunctionCode | MemberCode,
  { args, result }: CallTypes,
): Change[] {
  // what comes before it cannot be left out
  const required = node.parameters.findLastIndex(
    ({ initializer }, i) => initializer === undefined && args[i]?.endsWith("undefined") === false,
  );
  const changes = node.parameters.flatMap((parameter, i): Change[] => {
    if (parameter.dotDotDotToken !== undefined) {
      const rest = [...new Set(args.slice(i))];
      return rest.length === 1 && rest[0] != null ? [annotated(parameter, `: (${rest[0]})[]`)] : [];
    }
    const type = args[i];
    const isLeftOut = type === undefined || type === "undefined";
    if (isLeftOut || (type !== null && NO_OPTIONS.test(type))) {
      const left = typeLeftOut(api, node, parameter, isLeftOut);
      const isLast = i >= args.length - 1;
      return left === null ? [] : [annotated(parameter, isLast ? left : left.replace(/^\?/, ""))];
    }
    if (type === null) return [];
    const change = annotated(parameter, i < required ? `: ${type}` : typed(parameter, type));
    // the call gives it
    const isGiven = isEmptyLiteral(api, parameter.initializer) && type.startsWith("{");
    return [isGiven ? { ...change, end: parameter.end } : change];
  });
  return [...inBrackets(api, node, changes), ...resultChange(api, node, result)];
}

/** The type of `options = {}` that a copy was not given, in another copy that is given it. */
const NO_OPTIONS = /^\{(?: "?[\w$]+"?\?: undefined;?)* ?\}$/;

/**
 * Of a parameter without argument: its default value alone. `options = {}` has no `options.unit`,
 * and `unit = "km"` is that text.
 */
function typeLeftOut(
  api: Api,
  node: FunctionCode | MemberCode,
  { name, initializer }: ts.ParameterDeclaration,
  isLeftOut: boolean,
): string | null {
  if (initializer === undefined && isLeftOut) return "?: undefined";
  if (!api.isIdentifier(name)) return null;
  if (initializer !== undefined && api.isStringLiteral(initializer))
    return `: ${stringText(initializer.text)}`;
  if (initializer?.kind === api.SyntaxKind.FalseKeyword) return ": false";
  const isEmpty = !isLeftOut || isEmptyLiteral(api, initializer);
  const names = isEmpty ? [...fieldsRead(api, node, name.text)] : [];
  const fields = names.map((field) => `${stringText(field)}?: undefined`);
  return names.length === 0 ? null : `: { ${fields.join("; ")} }`;
}

const isEmptyLiteral = (api: Api, node: ts.Expression | undefined): boolean =>
  node !== undefined && api.isObjectLiteralExpression(node) && node.properties.length === 0;

/** The names of `object.name` and `const { name } = object`. */
function fieldsRead(api: Api, root: ts.Node, object: string): ReadonlySet<string> {
  const found = new Set<string>();
  const isObject = (node: ts.Expression | undefined): boolean =>
    node !== undefined && api.isIdentifier(node) && node.text === object;
  const visit = (node: ts.Node): void => {
    if (api.isPropertyAccessExpression(node) && isObject(node.expression))
      found.add(node.name.text);
    if (
      api.isVariableDeclaration(node) &&
      isObject(node.initializer) &&
      api.isObjectBindingPattern(node.name)
    )
      for (const { propertyName, name } of node.name.elements) {
        const field = propertyName ?? name;
        if (api.isIdentifier(field)) found.add(field.text);
      }
    api.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

const annotated = ({ name }: ts.ParameterDeclaration, text: string): Change => ({
  start: name.end,
  end: name.end,
  text,
});

/** `?: number` where it may be left out; with a default value it is not undefined. */
function typed({ initializer }: ts.ParameterDeclaration, type: string): string {
  // not of the result in `() => number | undefined`
  const defined = type.replace(/(?<!=> [^)]*) \| undefined$/, "");
  return `${initializer === undefined && defined !== type ? "?" : ""}: ${defined}`;
}

/** Brackets for `x => …`. */
function inBrackets(api: Api, node: FunctionCode | MemberCode, changes: Change[]): Change[] {
  const [only] = node.parameters;
  if (only === undefined || !isBare(api, node)) return changes;
  const [change = annotated(only, "")] = changes;
  const first = only.getStart();
  return [
    { start: first, end: first, text: "(" },
    { ...change, text: `${change.text})` },
  ];
}

function resultChange(api: Api, node: FunctionCode | MemberCode, result: string | null): Change[] {
  if (result === null) return [];
  const before = api.isArrowFunction(node) ? node.equalsGreaterThanToken : node.body;
  if (before === undefined) return [];
  const at = before.getFullStart();
  return [{ start: at, end: at, text: `: ${result}` }];
}

/** Types of parameters of functions inside. */
export function innerParameters(
  api: Api,
  inner: ReadonlyMap<ts.ParameterDeclaration, string>,
): Change[] {
  return [...inner].flatMap(([parameter, type]) => {
    const { parent } = parameter;
    const change = annotated(parameter, typed(parameter, type));
    return api.isArrowFunction(parent) ? inBrackets(api, parent, [change]) : [change];
  });
}

/**
 * `return a = +a, f;` becomes `a = +a; return f;`, where the returned function is found, and
 * `(0, f)(x)` becomes `f(x)`.
 */
export function withoutCommas(api: Api, root: ts.Node): Change[] {
  const changes: Change[] = [];
  const visit = (node: ts.Node): void => {
    const direct = api.isCallExpression(node) ? directCallee(api, node.expression) : null;
    if (direct !== null && api.isCallExpression(node)) {
      changes.push({ start: node.expression.getStart(), end: direct.getStart(), text: "" });
      changes.push({ start: direct.end, end: node.expression.end, text: "" });
    }
    const last =
      api.isReturnStatement(node) && api.isBlock(node.parent) ? node.expression : undefined;
    if (
      last !== undefined &&
      api.isBinaryExpression(last) &&
      last.operatorToken.kind === api.SyntaxKind.CommaToken
    ) {
      changes.push({ start: node.getStart(), end: last.getStart(), text: "" });
      changes.push({ start: last.left.end, end: last.right.getStart(), text: "; return " });
    }
    api.forEachChild(node, visit);
  };
  visit(root);
  return changes;
}

/** `f` of `(0, f)` */
function directCallee(api: Api, node: ts.Expression): ts.Expression | null {
  if (!api.isParenthesizedExpression(node) || !api.isBinaryExpression(node.expression)) return null;
  const { left, operatorToken, right } = node.expression;
  const isComma = operatorToken.kind === api.SyntaxKind.CommaToken;
  return isComma && api.isNumericLiteral(left) ? right : null;
}
