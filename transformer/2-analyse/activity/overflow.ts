// Exponentials that overflow before an operator that is flat at infinity: `1 / (1 + exp(-x))`. The
// product of the two slopes is 0 in the limit, but 0 * Infinity in arithmetic. Input: a body.
// Output: where such a product arises. Numbers in memory are not followed.

import type { FunctionFacts } from "../../ir/facts.ts";
import type { Atom, Body, Let, Stmt } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { partialOf } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { isFlatAtInfinity, mayOverflow } from "../../rules/slopes.ts";

/** Which number passes its infinite values on to which. */
class Flow {
  readonly #next = new Map<string, string[]>();
  readonly #before = new Map<string, string[]>();

  add(from: Atom | undefined, to: string): void {
    if (from?.kind !== "var") return;
    this.#next.set(from.name, [...(this.#next.get(from.name) ?? []), to]);
    this.#before.set(to, [...(this.#before.get(to) ?? []), from.name]);
  }

  after(names: Iterable<string>): ReadonlySet<string> {
    return reached(names, this.#next);
  }

  before(names: Iterable<string>): ReadonlySet<string> {
    return reached(names, this.#before);
  }
}

function reached(
  names: Iterable<string>,
  edges: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const found = new Set(names);
  for (const name of found) for (const other of edges.get(name) ?? []) found.add(other);
  return found;
}

/** Follows infinite values from the exponentials to the operators that are flat at infinity. */
export function overflowIn(body: Body): Pick<FunctionFacts, "isFlattened" | "mayOverflow"> {
  const flow = new Flow();
  const exponentials = new Set<string>();
  const flattened = new Set<string>();
  const visitOp = ({ bind }: Let, { op, args }: Let["expr"] & { kind: "op" }): void => {
    args.forEach((arg, i) => {
      if (partialOf(SCALAR[op], i, args.length) === null || arg.kind !== "var") return;
      if (mayOverflow(op, i, args)) exponentials.add(bind.name);
      if (isFlatAtInfinity(op, i, args)) flattened.add(arg.name);
      else flow.add(arg, bind.name);
    });
  };
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.expr.kind === "op") visitOp(stmt, stmt.expr);
    else addCopies(flow, stmt);
  });
  const infinite = flow.after(exponentials);
  const vanishing = flow.before([...flattened].filter((name) => infinite.has(name)));
  return {
    isFlattened: (name) => vanishing.has(name),
    mayOverflow: (atom) => atom.kind === "var" && infinite.has(atom.name),
  };
}

function addCopies(flow: Flow, stmt: Stmt): void {
  switch (stmt.kind) {
    case "let":
      if (stmt.expr.kind === "copy") flow.add(stmt.expr.atom, stmt.bind.name);
      if (stmt.expr.kind === "unwrap") flow.add(stmt.expr.value, stmt.bind.name);
      return;
    case "if":
      return stmt.binds.forEach(({ name }, i) => {
        for (const arm of [stmt.then, stmt.else]) flow.add(arm.result[i], name);
      });
    case "for":
    case "while":
      return stmt.carried.forEach(({ param, init }, i) => {
        for (const atom of [init, stmt.body.result[i]]) flow.add(atom, param.name);
        const bind = stmt.binds[i];
        if (bind !== undefined) flow.add(param, bind.name);
      });
    default:
  }
}
