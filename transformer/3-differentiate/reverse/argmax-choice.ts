// Recognises loops that choose one number of many: a running maximum or minimum, or a value that a
// branch takes over. Input: a counted loop. Output: the choice, or null. Invariant: recomputing the
// value of an iteration has no other effect and gives the same value.

import { isCall } from "../../ir/calls.ts";
import type { FunctionFacts } from "../../ir/facts.ts";
import type { Atom, Body, For, Let, Stmt, Var } from "../../ir/types.ts";
import { freeVars, stmtBinds, stmtFreeVars, walkStmts } from "../../ir/visit.ts";
import type { BodySweep } from "./sweep.ts";

/** How the value `v` of an iteration may replace the carried one. */
export interface Choice {
  /** Which carried value. */
  readonly at: number;
  readonly v: Var;
  /** `max` or `min`; or a branch or selection that takes `v` where its condition is `when`. */
  readonly by:
    | { readonly kind: "extremum"; readonly op: "max" | "min" }
    | { readonly kind: "taken"; readonly cond: Atom; readonly when: boolean };
  /** The statements that compute `v`, in order. */
  readonly slice: readonly Stmt[];
}

export function choiceOf(stmt: For, body: BodySweep): Choice | null {
  const { facts, isSplit } = body.sweep;
  const at = onlyActive(stmt, facts);
  const m = stmt.carried[at]?.param;
  const next = stmt.body.result[at];
  if (m?.type.kind !== "num" || next?.kind !== "var" || facts.shadowed(m)) return null;
  if (facts.storesOutside(stmt) || actsOnActive(stmt.body, facts)) return null;
  const chosen = choiceBy(stmt, m, next);
  if (chosen === null || !facts.active(chosen.v)) return null;
  const { v, by, before } = chosen;
  const slice = sliceOf(before, v, facts);
  // in a pullback, inner loops would need records of the forward sweep
  if (slice === null || (isSplit && slice.some((inner) => inner.kind !== "let"))) return null;
  const free = freeVars({ stmts: slice, result: [v] });
  return stmt.carried.some(({ param }) => free.has(param.name)) ? null : { at, v, by, slice };
}

/** The position of the only active carried value; -1 if there is none or several. */
function onlyActive({ carried, binds }: For, facts: FunctionFacts): number {
  const isActive = carried.map(
    ({ param }, i) =>
      facts.active(param) || facts.shadowed(param) || facts.active(binds[i] ?? param),
  );
  const at = isActive.indexOf(true);
  return isActive.lastIndexOf(true) === at ? at : -1;
}

/** `before`: statements that may compute `v`. */
type Found = Pick<Choice, "v" | "by"> & { readonly before: readonly Stmt[] };

function choiceBy({ body: { stmts } }: For, m: Var, next: Var): Found | null {
  const made = stmts.find((inner) => stmtBinds(inner).some(({ name }) => name === next.name));
  if (made === undefined) return null;
  const found = made.kind === "let" ? choiceByOp(made, m) : choiceByBranch(made, m, next);
  const earlier = stmts.slice(0, stmts.indexOf(made));
  return found === null ? null : { ...found, before: [...earlier, ...found.before] };
}

/** The operand that is not `m`, if the other one is. */
function otherThan(
  m: Var,
  x: Atom | undefined,
  z: Atom | undefined,
): { readonly v: Var; readonly isFirst: boolean } | null {
  if (x?.kind !== "var" || z?.kind !== "var" || (x.name === m.name) === (z.name === m.name))
    return null;
  return x.name === m.name ? { v: z, isFirst: false } : { v: x, isFirst: true };
}

function choiceByOp({ expr }: Let, m: Var): Found | null {
  if (expr.kind !== "op") return null;
  const { op, args } = expr;
  if ((op === "max" || op === "min") && args.length === 2) {
    const pair = otherThan(m, args[0], args[1]);
    return pair === null ? null : { v: pair.v, by: { kind: "extremum", op }, before: [] };
  }
  const pair = op === "select" ? otherThan(m, args[1], args[2]) : null;
  if (pair === null) return null;
  return { v: pair.v, by: { kind: "taken", cond: args[0] ?? m, when: pair.isFirst }, before: [] };
}

function choiceByBranch(made: Stmt, m: Var, next: Var): Found | null {
  if (made.kind !== "if") return null;
  const k = made.binds.findIndex(({ name }) => name === next.name);
  const pair = otherThan(m, made.then.result[k], made.else.result[k]);
  if (pair === null) return null;
  const before = pair.isFirst ? made.then.stmts : made.else.stmts;
  return { v: pair.v, by: { kind: "taken", cond: made.cond, when: pair.isFirst }, before };
}

/** Whether a body writes active memory, or makes a call that is reversed. */
function actsOnActive(body: Body, facts: FunctionFacts): boolean {
  let acts = false;
  walkStmts(body, (stmt) => {
    if (stmt.kind === "store" || stmt.kind === "append" || stmt.kind === "fill")
      acts ||= facts.shadowed(stmt.object);
    if (stmt.kind === "let" && stmt.expr.kind === "removeLast")
      acts ||= facts.shadowed(stmt.expr.object);
    if (isCall(stmt)) acts ||= facts.callActive(stmt.bind.name) !== null;
  });
  return acts;
}

/** The statements that compute `v`; null if one of them must not run canRunAgain. */
function sliceOf(stmts: readonly Stmt[], v: Var, facts: FunctionFacts): readonly Stmt[] | null {
  const needed = new Set([v.name]);
  const slice: Stmt[] = [];
  for (const stmt of [...stmts].reverse()) {
    if (!stmtBinds(stmt).some(({ name }) => needed.has(name))) continue;
    if (!runsAgain(stmt, facts)) return null;
    slice.unshift(stmt);
    for (const name of stmtFreeVars(stmt).keys()) needed.add(name);
  }
  return slice;
}

function runsAgain(stmt: Stmt, facts: FunctionFacts): boolean {
  let canRunAgain = true;
  walkStmts({ stmts: [stmt], result: [] }, (inner) => {
    canRunAgain &&=
      inner.kind === "let"
        ? letRunsAgain(inner, facts)
        : inner.kind === "if" || inner.kind === "for" || inner.kind === "while";
  });
  return canRunAgain;
}

function letRunsAgain({ bind, expr }: Let, facts: FunctionFacts): boolean {
  switch (expr.kind) {
    case "op":
    case "copy":
    case "present":
    case "unwrap":
      return true;
    case "load":
    case "length":
      return facts.rereadable(bind.name);
    case "extern":
      return expr.effect === "pure";
    default:
      return false;
  }
}
