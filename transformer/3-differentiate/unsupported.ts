// What cannot be differentiated, found only once activity is known. Each function here finds or
// reports one kind of problem, for both modes.

import type { FunctionFacts } from "../ir/facts.ts";
import { baseName, isTemporary, preferredName } from "../ir/names.ts";
import { isScalarType, resolve, type Types } from "../ir/shadow.ts";
import type { ScalarOp } from "../ir/ops.ts";
import type { Atom, Expr, Let, Origin, Type, Var } from "../ir/types.ts";
import type { ActiveCall, RuledCall } from "./nested.ts";

/**
 * "left" is a cotangent contribution that no step consumes. It follows from another problem, or is
 * an internal error.
 */
export interface Problem {
  readonly kind:
    | "opaque"
    | "unsaved"
    | "keys"
    | "untyped"
    | "rearranged"
    | "shipped"
    | "captured"
    | "scheduled"
    | "stopped"
    | "beyond-rule"
    | "nested-write"
    | "lacking"
    | "view"
    | "overridden"
    | "taken"
    | "lost"
    | "left";
  readonly origin: Origin;
  readonly text: string;
}

/** What a function does that its rule does not describe; null if it only computes. */
export function beyondRule(call: Var, args: readonly Atom[], facts: FunctionFacts): string | null {
  if (facts.callWrites(call.name)) return "writes memory that it is given or sees";
  const returned = facts.callReturns(call.name);
  return args.some((arg, i) => returned.includes(i) && facts.shadowed(arg))
    ? "returns an object that it is given or sees, or a part of one"
    : null;
}

/** Reports effects that a user's rule does not describe, and active values that `f` captures. */
export function noteBeyondRule(
  { stmt: { bind, origin }, expr, callee, active }: RuledCall,
  facts: FunctionFacts,
  problems: Problem[],
): void {
  const beyond = beyondRule(bind, expr.args, facts);
  if (beyond !== null) problems.push({ kind: "beyond-rule", origin, text: beyond });
  for (const i of active)
    if (i >= callee.rule.given)
      problems.push({ kind: "captured", origin, text: baseName(callee.params[i]?.name ?? "") });
}

/** Reports a call that makes numbers from strings that contain active numbers. */
export function noteStringReads(
  { stmt, expr }: Omit<ActiveCall, "active">,
  facts: FunctionFacts,
  problems: Problem[],
): void {
  if (!facts.callParsesStrings(stmt.bind.name)) return;
  const kind = expr.args.some((arg) => facts.keysVary(arg)) ? "keys" : "opaque";
  problems.push({ kind, origin: stmt.origin, text: expr.callee });
}

/**
 * The problem of opaque code that yields an active number. A cast from an unknown type
 * (`m.a as number`) has a kind of its own, since the Delta engine can do it.
 */
export const throughCode = (
  { origin }: Let,
  { text, args: [of], verbatim }: Expr & { kind: "extern" },
): Problem =>
  verbatim === true
    ? {
        kind: "taken",
        origin,
        text: of?.kind === "var" && !isTemporary(of.name) ? preferredName(of.name) : "unknown",
      }
    : { kind: "opaque", origin, text: text.join("…") };

/** Reports arithmetic on a value of type `any` that is an object: it calls `valueOf`. */
export function noteValueOf(
  { origin }: Let,
  { args, op }: Expr & { kind: "op" },
  types: Types,
  problems: Problem[],
): void {
  if (
    !IDENTITY.has(op) &&
    args.some(({ type }) => !isScalarType(type) && OBJECTS.has(resolve(type, types).kind))
  )
    problems.push({ kind: "opaque", origin, text: op });
}

/** Operators that only test an object's identity or definedness. */
const IDENTITY: ReadonlySet<ScalarOp> = new Set([
  "eq",
  "ne",
  "looseEq",
  "looseNe",
  "select",
  "not",
  "and",
  "or",
]);

const OBJECTS: ReadonlySet<Type["kind"]> = new Set(["record", "array", "tuple", "dict"]);
