// Finds the code that a call may execute.
// Input: the callee, and what names mean around it. Output: functions of the program; null for
// code without effects of its own; "unknown" where the callee cannot be resolved.
// Function expressions in the callee are walked where they are, so they count as null.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { isReassigned } from "../assignments.ts";
import type { ClassNode } from "../classes/class-declarations.ts";
import type { Frame } from "../frame.ts";
import type { Env, Binding, Fn, Meant, CodeScope } from "../function-values.ts";
import { bodiesOf } from "./function-flow.ts";
import { entriesRead } from "./function-tables.ts";
import { isHostCallback } from "./host-callback-calls.ts";
import { staticFn } from "../classes/static-members.ts";
import { nameOf } from "../sites/targets.ts";
import { isIndirect } from "../names/library-names.ts";
import { returnsWithin } from "../../syntax/walk.ts";

export function codeCalledBy(f: Frame, node: ts.Expression, names: CodeScope): readonly Meant[] {
  const { api } = f;
  const expression = bare(node, api);
  if (isFunctionLiteral(f, expression)) return [{ body: null, env: names.env }];
  const branches = branchesOf(f, expression);
  if (branches !== null) return branches.flatMap((part) => codeCalledBy(f, part, names));
  if (isIndirect(f, expression)) return codeCalledBy(f, expression.expression, names);
  return api.isCallExpression(expression)
    ? resultMeant(f, expression, names)
    : placeMeant(f, expression, names);
}

const isFunctionLiteral = (
  { api }: Frame,
  node: ts.Node,
): node is ts.FunctionExpression | ts.ArrowFunction =>
  api.isFunctionExpression(node) || api.isArrowFunction(node);

/** The alternatives of `c ? g : h`, `g ?? h`, `g || h` and `g && h`. */
function branchesOf({ api }: Frame, node: ts.Expression): readonly ts.Expression[] | null {
  if (api.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse];
  return api.isBinaryExpression(node) && LOGICAL.has(node.operatorToken.getText())
    ? [node.left, node.right]
    : null;
}

const LOGICAL: ReadonlySet<string> = new Set(["??", "||", "&&"]);

/** The functions that a call may return. */
function resultMeant(f: Frame, call: ts.CallExpression, names: CodeScope): readonly Meant[] {
  const { env } = names;
  const entries = entriesRead(f, call);
  if (entries !== null)
    return entries
      .map(([, value]) => bare(value, f.api))
      .flatMap((value): readonly Meant[] =>
        isFunctionLiteral(f, value)
          ? [{ body: value, env: f.outside }]
          : codeCalledBy(f, value, names),
      );
  const isKnown = isIndirect(f, bare(call.expression, f.api)) || returnsOwn(f, call, names);
  return [{ body: isKnown ? null : "unknown", env }];
}

/** The functions that a name, a field or an element may hold. */
function placeMeant(f: Frame, expression: ts.Expression, names: CodeScope): readonly Meant[] {
  const direct =
    membersMeant(f, expression) ?? partsOf(f, expression, names) ?? nameMeant(f, expression, names);
  if (!direct.some(({ body }) => body === "unknown")) return direct;
  const bodies = bodiesOf(f, expression);
  if (bodies !== null) return bodies.map((body) => ({ body, env: f.outside }));
  // A host callback gets nothing that this code could see it change.
  return isHostCallback(f, expression) ? [{ body: null, env: names.env }] : direct;
}

/** All implementations of a method of a class or interface; null for other callees. */
function membersMeant(f: Frame, callee: ts.Expression): readonly Meant[] | null {
  const { api } = f;
  const method = api.isPropertyAccessExpression(callee) ? f.symbolOf(callee.name) : null;
  const isMethod = (each: ts.Declaration): boolean =>
    (api.isMethodDeclaration(each) && api.isClassLike(each.parent)) ||
    (api.isMethodSignature(each) && !each.getSourceFile().isDeclarationFile);
  if (method === null || !(method.declarations ?? []).some(isMethod)) return null;
  const bodies: readonly Meant["body"][] = implementationsOf(f, method);
  return (bodies.length === 0 ? ["unknown" as const] : bodies).map((body) => ({
    body,
    env: f.outside,
  }));
}

/** The member of a class, and those of the same name in subclasses and structural implementers. */
export function implementationsOf(f: Frame, symbol: ts.Symbol): readonly ts.Node[] {
  const owner = symbol.valueDeclaration?.parent ?? symbol.declarations?.[0]?.parent;
  const own = (symbol.declarations ?? []).filter((each) => !each.getSourceFile().isDeclarationFile);
  if (owner === undefined) return own;
  const others = implementers(f, owner);
  return [
    ...own,
    ...others.flatMap((each) =>
      each.members.filter((member) => member.name?.getText() === symbol.name),
    ),
  ];
}

function implementers(f: Frame, owner: ts.Node): readonly ClassNode[] {
  const { classes, checker } = f.ctx;
  const lineages = (fitting: readonly ClassNode[]): readonly ClassNode[] =>
    fitting.flatMap((each) => classes.lineage(each) ?? []);
  if (f.api.isClassLike(owner))
    return [
      ...classes.subclasses(owner, f.root),
      ...lineages(classes.flowingTo(checker.getTypeAtLocation(owner), f.root).classes),
    ];
  return f.api.isInterfaceDeclaration(owner)
    ? lineages(classes.implementing(checker.getTypeAtLocation(owner), f.root))
    : [];
}

/**
 * The functions of `ops[k]` or `ops.sin` for a constant `const ops = { sin: Math.sin }`.
 * Null for any other callee. Calls are refused elsewhere if the constant is written to.
 */
function partsOf(f: Frame, callee: ts.Expression, names: CodeScope): readonly Meant[] | null {
  const { api } = f;
  if (!api.isElementAccessExpression(callee) && !api.isPropertyAccessExpression(callee))
    return null;
  const literal = constantLiteral(f, callee.expression);
  if (literal === null) return null;
  const key = api.isPropertyAccessExpression(callee) ? callee.name.text : null;
  const { env } = names;
  const parts = literal.properties.filter(
    ({ name }) =>
      key === null || name === undefined || !api.isIdentifier(name) || name.text === key,
  );
  const found = parts.flatMap((part) => partMeant(f, part, names));
  return found.length === 0 ? [{ body: "unknown", env }] : found;
}

function partMeant(
  f: Frame,
  part: ts.ObjectLiteralElementLike,
  names: CodeScope,
): readonly Meant[] {
  const { api } = f;
  const { env } = names;
  const shorthand = api.isShorthandPropertyAssignment(part) ? part.name : part;
  const value = api.isPropertyAssignment(part) ? part.initializer : shorthand;
  if (isFunctionLiteral(f, value) || api.isMethodDeclaration(value)) return [{ body: value, env }];
  return api.isIdentifier(value) || api.isPropertyAccessExpression(value)
    ? nameMeant(f, value, names)
    : [{ body: "unknown", env }];
}

/** The object literal that a variable, which is never reassigned, is initialised with. */
function constantLiteral(f: Frame, node: ts.Expression): ts.ObjectLiteralExpression | null {
  const symbol = f.api.isIdentifier(node) ? f.symbolOf(node) : null;
  const value = symbol === null ? null : constantValue(f, symbol);
  return value !== null && f.api.isObjectLiteralExpression(value) ? value : null;
}

function constantValue(f: Frame, symbol: ts.Symbol): ts.Expression | null {
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  return declaration !== undefined &&
    f.api.isVariableDeclaration(declaration) &&
    !isReassigned(f, symbol) &&
    declaration.initializer !== undefined
    ? bare(declaration.initializer, f.api)
    : null;
}

/** The functions that a name may denote. */
function nameMeant(f: Frame, callee: ts.Expression, names: CodeScope): readonly Meant[] {
  const { env } = names;
  const one = (body: Meant["body"]): readonly Meant[] => [{ body, env: f.outside }];
  const symbol = f.symbolOf(f.api.isPropertyAccessExpression(callee) ? callee.name : callee);
  if (symbol === null) return one("unknown");
  const local = env.lookup(symbol);
  if (local?.kind === "fn") return codeOf(f, local.fn, env);
  if (isUndefined(local) || isOfLibrary(f, symbol)) return one(null);
  const body = f.ctx.bodyOf(symbol);
  return body === null ? declarationMeant(f, callee, symbol, names) : [{ body, env }];
}

/** Whether it is a parameter without an argument, which is then not called. */
const isUndefined = (local: Binding | null): boolean =>
  local?.kind === "value" && local.atom.kind === "const" && local.atom.value === undefined;

/** The functions that the declaration of a symbol without a body allows. */
function declarationMeant(
  f: Frame,
  callee: ts.Expression,
  symbol: ts.Symbol,
  names: CodeScope,
): readonly Meant[] {
  const { api } = f;
  const { env } = names;
  const one = (body: Meant["body"]): readonly Meant[] => [{ body, env: f.outside }];
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  if (declaration === undefined) return one("unknown");
  const ofClass = api.isPropertyAccessExpression(callee) ? staticFn(f, callee) : null;
  if (ofClass !== null) return codeOf(f, ofClass, env);
  if (api.isParameter(declaration) && api.isIdentifier(declaration.name))
    return one(names.called.has(declaration.parent) ? null : "unknown");
  const value = constantValue(f, symbol);
  if (value === null) return one(declaration.getSourceFile().isDeclarationFile ? null : "unknown");
  const ruled = functionWithRule(f, value);
  if (ruled !== null) return codeCalledBy(f, ruled, names);
  return api.isCallExpression(value) && entriesRead(f, value) === null
    ? [{ body: returnsOwn(f, value, names) ? value : "unknown", env }]
    : valueMeant(f, value, names);
}

/** `g` of `customVjp(g, rule)` and the like: a rule runs in derivatives only. */
function functionWithRule(f: Frame, value: ts.Expression): ts.Expression | null {
  const symbol = f.api.isCallExpression(value) ? f.symbolOf(nameOf(value.expression, f.api)) : null;
  const operator = symbol === null ? null : f.ctx.operatorOf(symbol);
  const isRuled =
    operator === "customVjp" ||
    operator === "customJvp" ||
    operator === "checkpoint" ||
    operator === "vmap";
  return isRuled && f.api.isCallExpression(value) ? (value.arguments[0] ?? null) : null;
}

/** The functions of a constant, as `const act = table[name]`; a literal may be in other code. */
function valueMeant(f: Frame, value: ts.Expression, names: CodeScope): readonly Meant[] {
  const node = bare(value, f.api);
  if (isFunctionLiteral(f, node)) return [{ body: node, env: names.env }];
  const branches = branchesOf(f, node);
  return branches === null
    ? codeCalledBy(f, node, names)
    : branches.flatMap((part) => valueMeant(f, part, names));
}

const isOfLibrary = (f: Frame, symbol: ts.Symbol): boolean =>
  f.ctx.operatorOf(symbol) !== null ||
  f.ctx.solverOf(symbol) !== null ||
  f.ctx.formOf(symbol) !== null;

/** Whether a call returns a function whose code is in the call or its callee, as `grad(g)` does. */
function returnsOwn(f: Frame, call: ts.CallExpression, names: CodeScope): boolean {
  const { api } = f;
  const callee = bare(call.expression, api);
  const symbol = f.symbolOf(api.isPropertyAccessExpression(callee) ? callee.name : callee);
  if (symbol !== null && isOfLibrary(f, symbol)) return true;
  return codeCalledBy(f, callee, names).every(
    ({ body }) => body !== null && body !== "unknown" && returnsLiterals(f, body),
  );
}

/** Whether a function returns only function expressions. */
function returnsLiterals(f: Frame, node: ts.Node): boolean {
  const { api } = f;
  const isOwn = (returned: ts.Expression): boolean => isFunctionLiteral(f, bare(returned, api));
  const body = api.isFunctionLike(node) && "body" in node ? node.body : undefined;
  if (body === undefined || !api.isBlock(body)) return body !== undefined && isOwn(body);
  return returnsWithin(api, body).every(
    ({ expression }) => expression !== undefined && isOwn(expression),
  );
}

/** The code of a known function value. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Fn kinds
function codeOf(f: Frame, fn: Fn, env: Env): readonly Meant[] {
  switch (fn.kind) {
    case "closure":
      return [{ body: fn.node, env: fn.env }];
    case "program":
      return [{ body: f.ctx.bodyOf(fn.symbol) ?? "unknown", env: f.outside }];
    case "bound":
    case "custom":
    case "derived":
    case "given":
    case "mapped":
      return codeOf(f, fn.fn, env);
    case "choice":
      return [...codeOf(f, fn.then, env), ...codeOf(f, fn.otherwise, env)];
    case "table":
      return fn.cases.flatMap((each) => codeOf(f, each.fn, env));
    case "held":
      return fn.sources.flatMap((each) => codeOf(f, each.fn, env));
    case "builtin":
    case "operator":
    case "solver":
      return [{ body: null, env }];
    case "members":
    case "getter":
    case "spread":
    case "defined":
    case "outside":
    case "givenVjp":
    case "linear":
    case "pullback":
      return [{ body: "unknown", env }];
  }
}
