// Tables of functions that a key selects at run time: `ops[k](x)`, `ops.get(k)`.
// A call becomes a choice among the functions; another key throws what JavaScript throws.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { num } from "../../ir/build.ts";
import type { Atom } from "../../ir/types.ts";
import { isFn, type Arg, Env, type Fn } from "../function-values.ts";
import { externCall, equalityTest, str } from "../coerce.ts";
import { isMutable } from "../effects.ts";
import { lowerExpr } from "../lowering.ts";
import { type Frame } from "../frame.ts";
import { resolveFn } from "../resolve.ts";
import { isLibrary } from "../names/library-names.ts";
import { queryOf, isConstantMutated } from "../objects/constant-mutation.ts";
import { held } from "./known-functions.ts";
import { type Members, isFunction, inEnv, isOneOf } from "./known-members.ts";
import { either, fnResult } from "./call-results.ts";

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
  const callee = bare(expression, api);
  if (!api.isPropertyAccessExpression(callee) || callee.name.text !== "get" || length !== 1)
    return null;
  const object = bare(callee.expression, api);
  const list = api.isIdentifier(object) ? entriesOfConstant(f, object) : null;
  const pairs = list?.elements.map((element) => pairOf(f, element)) ?? [null];
  const known = pairs.filter((pair) => pair !== null);
  return known.length === pairs.length ? known : null;
}

/** The literal that a constant Map is made of, if nothing mutates the Map. */
function entriesOfConstant(f: Frame, object: ts.Identifier): ts.ArrayLiteralExpression | null {
  const { api } = f;
  const symbol = f.symbolOf(object);
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
  const made = bare(constant.initializer, api);
  const list =
    api.isNewExpression(made) && isLibrary(f, made.expression, "Map")
      ? made.arguments?.[0]
      : undefined;
  return list !== undefined &&
    api.isArrayLiteralExpression(list) &&
    api.findAncestor(constant, api.isFunctionLike) === undefined &&
    !isConstantMutated(queryOf(f), constant, symbol)
    ? list
    : null;
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
      { type, wanted },
      isNamed(f, fn, first.name),
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
