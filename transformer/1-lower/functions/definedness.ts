// Tests whether an optional function is defined: `if (act)`, `act?.(x)`, `act ?? Math.tanh`.
// Output: a boolean, emitted at the test; null where the expression is no function that lowering
// knows, and so is a value like any other.

import type ts from "typescript";
import { bare } from "../../syntax/wrappers.ts";
import { BOOL, bool } from "../../ir/build.ts";
import type { Atom } from "../../ir/types.ts";
import { isFn, type Fn } from "../function-values.ts";
import { truthTest, unwrap } from "../coerce.ts";
import { lowerExpr } from "../lowering.ts";
import type { Frame } from "../frame.ts";
import { isKnownMissing, knownPart, memberAt } from "./known-members.ts";
import { isNamed } from "./function-tables.ts";
import { isOptionalMethod, branchOnMember } from "../classes/members.ts";
import { functionOf, resolveFn } from "../resolve.ts";

/** Whether the function is defined. */
export function definednessOf(f: Frame, expression: ts.Expression): Atom | null {
  const node = bare(expression, f.api);
  const part = f.api.isElementAccessExpression(node) ? memberAt(f, node) : knownPart(f, node);
  return part !== null && isFn(part) ? isFnDefined(f, part) : isMethodDefined(f, node);
}

/** Whether the class of an object has an optional method. */
function isMethodDefined(f: Frame, node: ts.Expression): Atom | null {
  if (
    !f.api.isPropertyAccessExpression(node) ||
    node.questionDotToken !== undefined ||
    !isOptionalMethod(f, node)
  )
    return null;
  const object = unwrap(f, lowerExpr(f, node.expression));
  const { text: name } = node.name;
  const test = { name, type: BOOL, at: node, run: () => bool(true), lacks: () => bool(false) };
  return branchOnMember(f, object, test, "t")?.value ?? null;
}

export function isFnDefined(f: Frame, fn: Fn): Atom {
  switch (fn.kind) {
    case "table":
      return fn.cases.reduceRight(
        (others: () => Atom, { name }) =>
          () =>
            f.choose("t", BOOL, isNamed(f, fn, name), () => bool(true), others),
        () => bool(false),
      )();
    case "choice":
      return f.choose(
        "t",
        BOOL,
        fn.cond,
        () => isFnDefined(f, fn.then),
        () => isFnDefined(f, fn.otherwise),
      );
    case "held":
      return truthTest(f, fn.value);
    default:
      return bool(true);
  }
}

/** `g ?? h` and `g || h` of functions: a choice that is tested here. */
export function firstDefined(f: Frame, { left, right }: ts.BinaryExpression): Fn | null {
  if (isKnownMissing(f, left)) return resolveFn(f, right);
  const first = resolveFn(f, left);
  const cond = first === null ? null : isFnDefined(f, first);
  if (first === null || cond === null || (cond.kind === "const" && cond.value === true))
    return first;
  const other = functionOf(f, right);
  return other === null ? null : { kind: "choice", cond, then: first, otherwise: other };
}
