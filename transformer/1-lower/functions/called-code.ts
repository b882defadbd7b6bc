// Which code a call may run. In: what is called, and what names mean around it. Out: functions of the program, null for what runs none, "unknown" for what cannot be seen through.
// Invariant: all that may run is there, or "unknown" is. Functions that stand in place are walked where they stand.

import type ts from "typescript";
import { isReassigned } from "../effects.ts";
import type { Env, Fn, Frame } from "../frame.ts";
import { heldBodies } from "./held-functions.ts";
import { entriesRead } from "./known-functions.ts";
import { isListener } from "./listeners.ts";
import { staticFn } from "../classes/static-members.ts";
import { unwrap } from "../unwrap.ts";

export interface Meant {
  readonly body: ts.Node | "unknown" | null;
  /** What names mean in it. */
  readonly env: Env;
}

export interface Names {
  readonly env: Env;
  /** Functions whose function arguments are all followed where they are called: calls of their parameters run nothing else. */
  readonly called: Set<ts.Node>;
}

/** Methods of functions that run them. */
const INDIRECT: ReadonlySet<string> = new Set(["call", "apply", "bind"]);

/** `g.call(o, x)` */
export const isIndirect = (f: Frame, callee: ts.Node): callee is ts.PropertyAccessExpression =>
  f.api.isPropertyAccessExpression(callee) &&
  INDIRECT.has(callee.name.text) &&
  f.ctx.checker.getTypeAtLocation(callee.expression).getCallSignatures().length > 0;

export function meantBy(f: Frame, node: ts.Expression, names: Names): readonly Meant[] {
  const { api } = f;
  const expression = unwrap(node, api);
  const { env } = names;
  const all = (...parts: readonly ts.Expression[]): readonly Meant[] =>
    parts.flatMap((part) => meantBy(f, part, names));
  if (api.isFunctionExpression(expression) || api.isArrowFunction(expression))
    return [{ body: null, env }];
  if (api.isConditionalExpression(expression))
    return all(expression.whenTrue, expression.whenFalse);
  if (api.isBinaryExpression(expression) && OF_BOTH.has(expression.operatorToken.getText()))
    return all(expression.left, expression.right);
  if (isIndirect(f, expression)) return all(expression.expression);
  const entries = api.isCallExpression(expression) ? entriesRead(f, expression) : null;
  if (entries !== null)
    return entries
      .map(([, value]) => unwrap(value, api))
      .flatMap((value): readonly Meant[] =>
        api.isFunctionExpression(value) || api.isArrowFunction(value)
          ? [{ body: value, env: f.outside }]
          : all(value),
      );
  if (api.isCallExpression(expression))
    return [
      {
        body:
          isIndirect(f, unwrap(expression.expression, api)) || givesOwn(f, expression, names)
            ? null
            : "unknown",
        env,
      },
    ];
  const direct =
    membersMeant(f, expression) ?? partsOf(f, expression, names) ?? nameMeant(f, expression, names);
  const isUnknown = direct.some(({ body }) => body === "unknown");
  const held = isUnknown ? heldBodies(f, expression) : null;
  // it is handed nothing that this code has
  if (held === null && isUnknown && isListener(f, expression)) return [{ body: null, env }];
  return held === null ? direct : held.map((body) => ({ body, env: f.outside }));
}

const OF_BOTH: ReadonlySet<string> = new Set(["??", "||", "&&"]);

/** A method of a class or an interface: every implementation. */
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

/** The members of that name that may run: the class's own, and those of the classes that derive from it or fit it. */
export function implementationsOf(f: Frame, symbol: ts.Symbol): readonly ts.Node[] {
  const { api } = f;
  const { classes } = f.ctx;
  const owner = symbol.valueDeclaration?.parent ?? symbol.declarations?.[0]?.parent;
  const own = (symbol.declarations ?? []).filter((each) => !each.getSourceFile().isDeclarationFile);
  if (owner === undefined) return own;
  const others = api.isClassLike(owner)
    ? [
        ...classes.subclasses(owner, f.root),
        ...classes.alike(owner, f.root).flatMap((each) => classes.lineage(each) ?? []),
      ]
    : api.isInterfaceDeclaration(owner)
      ? classes
          .fitting(f.ctx.checker.getTypeAtLocation(owner), f.root)
          .flatMap((each) => classes.lineage(each) ?? [])
      : [];
  return [
    ...own,
    ...others.flatMap((each) =>
      each.members.filter((member) => member.name?.getText() === symbol.name),
    ),
  ];
}

/**
 * Those that `ops[k]` or `ops.sin` of a constant `const ops = { sin: Math.sin, twice: (x) => 2 * x }` may be; null for any other expression. Where something is written into
 * the constant no call of it is accepted (`constantMembers`).
 */
function partsOf(f: Frame, callee: ts.Expression, names: Names): readonly Meant[] | null {
  const { api } = f;
  if (
    (!api.isElementAccessExpression(callee) && !api.isPropertyAccessExpression(callee)) ||
    !api.isIdentifier(callee.expression)
  )
    return null;
  const symbol = f.symbolOf(callee.expression);
  const declaration = symbol?.valueDeclaration;
  if (
    symbol === null ||
    declaration === undefined ||
    !api.isVariableDeclaration(declaration) ||
    isReassigned(f, symbol)
  )
    return null;
  const literal =
    declaration.initializer === undefined ? undefined : unwrap(declaration.initializer, api);
  if (literal === undefined || !api.isObjectLiteralExpression(literal)) return null;
  const asked = api.isPropertyAccessExpression(callee) ? callee.name.text : null;
  const { env } = names;
  const parts = literal.properties.filter(
    ({ name }) =>
      asked === null || name === undefined || !api.isIdentifier(name) || name.text === asked,
  );
  const found = parts.flatMap((part): readonly Meant[] => {
    const value = api.isPropertyAssignment(part)
      ? part.initializer
      : api.isShorthandPropertyAssignment(part)
        ? part.name
        : part;
    if (
      api.isArrowFunction(value) ||
      api.isFunctionExpression(value) ||
      api.isMethodDeclaration(value)
    )
      return [{ body: value, env }];
    return api.isIdentifier(value) || api.isPropertyAccessExpression(value)
      ? nameMeant(f, value, names)
      : [{ body: "unknown", env }];
  });
  return found.length === 0 ? [{ body: "unknown", env }] : found;
}

/** A function by its name. */
function nameMeant(f: Frame, callee: ts.Expression, names: Names): readonly Meant[] {
  const { api } = f;
  const { env } = names;
  const one = (body: Meant["body"]): readonly Meant[] => [{ body, env: f.outside }];
  const symbol = f.symbolOf(api.isPropertyAccessExpression(callee) ? callee.name : callee);
  if (symbol === null) return one("unknown");
  const local = env.lookup(symbol);
  if (local?.kind === "fn") return codeOf(f, local.fn, env);
  // a function that is not given is not called
  if (local?.kind === "value" && local.atom.kind === "const" && local.atom.value === undefined)
    return one(null);
  if (isOfLibrary(f, symbol)) return one(null);
  const body = f.ctx.bodyOf(symbol);
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  if (body !== null) return [{ body, env }];
  if (declaration === undefined) return one("unknown");
  const ofClass = api.isPropertyAccessExpression(callee) ? staticFn(f, callee) : null;
  if (ofClass !== null) return codeOf(f, ofClass, env);
  if (api.isParameter(declaration) && api.isIdentifier(declaration.name))
    return one(names.called.has(declaration.parent) ? null : "unknown");
  const made =
    api.isVariableDeclaration(declaration) &&
    !isReassigned(f, symbol) &&
    declaration.initializer !== undefined
      ? unwrap(declaration.initializer, api)
      : null;
  if (made !== null)
    return api.isCallExpression(made) && entriesRead(f, made) === null
      ? [{ body: givesOwn(f, made, names) ? made : "unknown", env }]
      : valueMeant(f, made, names);
  return one(declaration.getSourceFile().isDeclarationFile ? null : "unknown");
}

/** What a constant is given: `const act = table[name]`. A function that stands there may be outside of the code that is asked about. */
function valueMeant(f: Frame, value: ts.Expression, names: Names): readonly Meant[] {
  const { api } = f;
  const node = unwrap(value, api);
  const isEither = api.isBinaryExpression(node) && OF_BOTH.has(node.operatorToken.getText());
  if (api.isArrowFunction(node) || api.isFunctionExpression(node))
    return [{ body: node, env: names.env }];
  const parts = api.isConditionalExpression(node)
    ? [node.whenTrue, node.whenFalse]
    : isEither
      ? [node.left, node.right]
      : [];
  return parts.length === 0
    ? meantBy(f, node, names)
    : parts.flatMap((part) => valueMeant(f, part, names));
}

const isOfLibrary = (f: Frame, symbol: ts.Symbol): boolean =>
  f.ctx.operatorOf(symbol) !== null ||
  f.ctx.solverOf(symbol) !== null ||
  f.ctx.formOf(symbol) !== null;

/** Whether what a call gives runs nothing but what the call itself mentions: `grad(g)`, `customVjp(g, rule)`, and functions that give a function that stands in them. */
function givesOwn(f: Frame, call: ts.CallExpression, names: Names): boolean {
  const { api } = f;
  const callee = unwrap(call.expression, api);
  const symbol = f.symbolOf(api.isPropertyAccessExpression(callee) ? callee.name : callee);
  if (symbol !== null && isOfLibrary(f, symbol)) return true;
  return meantBy(f, callee, names).every(
    ({ body }) => body !== null && body !== "unknown" && returnsOwn(f, body),
  );
}

/** Whether all that a function returns stands in it. */
function returnsOwn({ api }: Frame, node: ts.Node): boolean {
  const isOwn = (returned: ts.Expression): boolean => {
    const inner = unwrap(returned, api);
    return api.isArrowFunction(inner) || api.isFunctionExpression(inner);
  };
  const walk = (at: ts.Node): boolean =>
    api.isReturnStatement(at)
      ? at.expression !== undefined && isOwn(at.expression)
      : api.isFunctionLike(at) ||
        api.forEachChild(at, (child) => !walk(child) || undefined) === undefined;
  const body = api.isFunctionLike(node) && "body" in node ? node.body : undefined;
  return body !== undefined && (api.isBlock(body) ? walk(body) : isOwn(body));
}

/** The code of a function value that lowering knows. */
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
