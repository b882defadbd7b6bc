// Lowers optional chains: `a?.b.c(d)`, `g?.(x)`, `p.reset?.()`. Output: the value, or an effect.
// What stands before the last `?.` is a value of its own, which is tested, so that a long chain is
// no deep nest of tests; of a chain with `?.(`, the leftmost `?.` is decided first. Invariant:
// nothing after a `?.` is evaluated where the value before it is missing.

import type ts from "typescript";
import { bare } from "../syntax/wrappers.ts";
import type { Atom, Type } from "../ir/types.ts";
import { lowerCall } from "./calls.ts";
import { branchOnMember } from "./classes/members.ts";
import { isNullish, mayBeNullish, definednessTest, UNDEFINED, unwrap } from "./coerce.ts";
import { inner, type Frame } from "./frame.ts";
import { lowerExpr } from "./lowering.ts";
import { isFnDefined } from "./functions/definedness.ts";
import { refuseHeld } from "./functions/held-functions.ts";
import { isKnownMissing } from "./functions/known-members.ts";
import { isHostCallback } from "./functions/host-callback-calls.ts";
import { narrowed } from "./narrowing.ts";
import { resolveFn } from "./resolve.ts";

/** The value of an access or call; `plain` lowers it where no undecided `?.` is left. */
export function lowerChain(f: Frame, node: ts.Expression, hint: string, plain: () => Atom): Atom {
  const link = undecidedLink(f, node);
  if (link === null) return plain();
  if (isOptionalCall(f, link)) return lowerOptionalCall(f, node, link, hint);
  const object = linkValue(f, link);
  if (isNullish(object)) return UNDEFINED;
  const defined = definednessTest(f, object);
  const type = chainType(f, node);
  return f.choose(
    hint,
    type,
    defined,
    () => {
      f.overrides.set(link, narrowed(f, unwrap(f, object), link));
      try {
        return lowerExpr(f, node, "t", true);
      } finally {
        f.overrides.delete(link);
      }
    },
    () => UNDEFINED,
  );
}

/** A call for its effects: `a?.push(x)` as a statement. */
export function lowerCallEffect(f: Frame, node: ts.CallExpression): void {
  const link = undecidedLink(f, node);
  if (link === null) return void lowerCall(f, node, "t", true);
  if (isOptionalCall(f, link)) {
    const member = lowerOptionalMember(f, link, null, "t", () => {
      lowerCallEffect(f, node);
      return null;
    });
    if (member !== null) return;
    return f.when(definedFn(f, link), () => withKnownFn(f, link, () => lowerCallEffect(f, node)));
  }
  const object = linkValue(f, link);
  if (isNullish(object)) return;
  f.when(definednessTest(f, object), () => {
    f.overrides.set(link, narrowed(f, unwrap(f, object), link));
    lowerCallEffect(f, node);
    f.overrides.delete(link);
  });
}

/** Whether the link is a function: the `g` of `g?.(x)`. */
const isOptionalCall = (f: Frame, link: ts.Expression): boolean =>
  f.api.isCallExpression(link.parent) && !isKnownMissing(f, link);

/** The object before the `?.` that is to be decided next; null where none is left. */
function undecidedLink(f: Frame, node: ts.Expression): ts.Expression | null {
  const { api } = f;
  if (
    !api.isPropertyAccessExpression(node) &&
    !api.isElementAccessExpression(node) &&
    !api.isCallExpression(node)
  )
    return null;
  if (!(node.flags & api.NodeFlags.OptionalChain) || f.overrides.has(node.expression)) return null;
  if (node.questionDotToken !== undefined && !api.isCallExpression(node)) return node.expression;
  const before = undecidedLink(f, node.expression);
  if (before !== null) return before;
  return node.questionDotToken === undefined ||
    f.definedMembers.has(node.expression) ||
    f.knownFunctions.has(bare(node.expression, f.api))
    ? null
    : node.expression;
}

/** A chain gives undefined where a link is missing, and null where its last member is null. */
function chainType(f: Frame, node: ts.Expression): Type {
  const type = f.ctx.typeOf(node);
  const shape = f.shape(type);
  const mayBeNull =
    shape.kind === "opt" && (shape.nil === "null" || shape.nil === "both" || shape.nil === "field");
  return { kind: "opt", of: inner(f, type), ...(mayBeNull ? { nil: "both" } : {}) };
}

/** The value before a `?.`. A string type includes its own undefined; here it becomes optional. */
function linkValue(f: Frame, link: ts.Expression): Atom {
  const object = lowerExpr(f, link, "t", true);
  const type = f.ctx.checker.getTypeAtLocation(link);
  if (f.shape(object.type).kind !== "leaf" || object.kind === "const" || !mayBeNullish(f, type))
    return object;
  const held = f.ctx.typeFrom(f.ctx.checker.getNonNullableType(type), link);
  return f.let("t", { kind: "opt", of: held }, { kind: "copy", atom: object });
}

/** `g?.(x)`, and the chain after it. */
function lowerOptionalCall(f: Frame, node: ts.Expression, link: ts.Expression, hint: string): Atom {
  const again = (): Atom => lowerExpr(f, node, "t", true);
  const member = lowerOptionalMember(f, link, chainType(f, node), hint, again);
  if (member !== null) return member;
  const defined = definedFn(f, link);
  const type = chainType(f, node);
  return f.choose(
    hint,
    type,
    defined,
    () => withKnownFn(f, link, again),
    () => UNDEFINED,
  );
}

/** `p.reset?.()` of a method that not all classes have; null of another function. */
function lowerOptionalMember(
  f: Frame,
  link: ts.Expression,
  type: Type | null,
  hint: string,
  run: () => Atom | null,
): Atom | null {
  const { api } = f;
  const symbol = api.isPropertyAccessExpression(link) ? f.symbolOf(link.name) : null;
  if (
    !api.isPropertyAccessExpression(link) ||
    symbol === null ||
    (symbol.flags & api.SymbolFlags.Method) === 0 ||
    link.questionDotToken !== undefined ||
    resolveFn(f, link) !== null
  )
    return null;
  const runOn = (self: Atom): Atom | null => {
    f.overrides.set(link.expression, self);
    f.definedMembers.add(link);
    try {
      return run();
    } finally {
      f.overrides.delete(link.expression);
      f.definedMembers.delete(link);
    }
  };
  const made = branchOnMember(
    f,
    unwrap(f, lowerExpr(f, link.expression)),
    { name: link.name.text, type, at: link.parent, run: runOn, lacks: () => UNDEFINED },
    hint,
  );
  return made?.value ?? null;
}

/** Resolves the function before `?.(` and gives the test whether it is defined. */
function definedFn(f: Frame, link: ts.Expression): Atom {
  const fn = resolveFn(f, link);
  if (fn === null && isHostCallback(f, link)) {
    f.definedMembers.add(link);
    return definednessTest(f, lowerExpr(f, link));
  }
  if (fn === null) refuseHeld(f, link.parent, link);
  if (fn === null) return f.refuse("TSG1204", link.parent);
  f.knownFunctions.set(bare(link, f.api), fn);
  return isFnDefined(f, fn);
}

/** Runs `make`, then forgets what `definedFn` has recorded of the link. */
function withKnownFn<T>(f: Frame, link: ts.Expression, make: () => T): T {
  try {
    return make();
  } finally {
    f.knownFunctions.delete(bare(link, f.api));
    f.definedMembers.delete(link);
  }
}
