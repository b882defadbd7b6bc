// Rewrites of cotangent arithmetic that look at what operands were computed from, and at who else reads it. In: an ssa function, and what a better operation would be.
// Out: the function with it in place. Invariant: an operation that is written is looked at again; names of other statements stay what they are.

import { Builder } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { OPS } from "../../ir/ops.ts";
import { rebuilt, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Accum, Atom, Body, Expr, Func, Let, Stmt } from "../../ir/types.ts";
import { mapBodies, namesOf, stmtAtoms, walkAtoms } from "../../ir/visit.ts";
import { dce } from "../dce.ts";
import type { Edited, Made, Part } from "./product.ts";

export type Operation = Let & { readonly expr: Expr & { readonly kind: "op" } };

export interface Rules {
  /** What to compute in place of an operation; null: nothing better. */
  readonly operation: (stmt: Operation, scope: Scope) => Edited | null;
  /** What to add to a place in place of an atom. */
  readonly sum?: (stmt: Accum, scope: Scope) => Edited | null;
}

export function rewritten(func: Func, types: Types, rules: Rules): Func {
  const reads = new Map<string, number>();
  walkAtoms(func.body, (atom) => {
    if (atom.kind === "var") reads.set(atom.name, (reads.get(atom.name) ?? 0) + 1);
  });
  const body = new Writer(reads, () => namesOf(func), rules).body(func.body, new Map());
  return body === func.body ? func : dce(withBody(func, body), types);
}

/** What is known at a statement. */
export class Scope {
  readonly #body: Body;
  readonly #known: ReadonlyMap<string, Made>;
  readonly #reads: ReadonlyMap<string, number>;

  constructor(body: Body, known: ReadonlyMap<string, Made>, reads: ReadonlyMap<string, number>) {
    this.#body = body;
    this.#known = known;
    this.#reads = reads;
  }

  /** The operation that an atom was computed by. */
  readonly made = (atom: Atom): Made | null =>
    atom.kind === "var" ? (this.#known.get(atom.name) ?? null) : null;

  /** Whether an operation of this body is done for one reader. */
  isFreed(atom: Atom): boolean {
    return (
      atom.kind === "var" &&
      this.#reads.get(atom.name) === 1 &&
      this.made(atom)?.body === this.#body
    );
  }

  /** What needs not be computed any more where a part of a product is another one: the operations on the way to it. */
  freed(product: Atom, { kind, path }: Part): number {
    let atom = product;
    let cost = 0;
    for (let at = 0; at < path.length + (kind === "sign" ? 1 : 0); at++) {
      const made = this.made(atom);
      const next = made?.args[path[at] ?? 0];
      if (made === null || next === undefined || !this.isFreed(atom)) break;
      cost += OPS[made.op].cost;
      atom = next;
    }
    return cost;
  }
}

const isOperation = (stmt: Stmt): stmt is Operation =>
  stmt.kind === "let" && stmt.expr.kind === "op";

class Writer {
  readonly #reads: Map<string, number>;
  readonly #namesOf: () => Names;
  readonly #rules: Rules;
  #names: Names | null = null;

  constructor(reads: Map<string, number>, names: () => Names, rules: Rules) {
    this.#reads = reads;
    this.#namesOf = names;
    this.#rules = rules;
  }

  /** `outer`: what the names in scope were computed from. */
  body(body: Body, outer: ReadonlyMap<string, Made>): Body {
    const known = new Map(outer);
    const scope = new Scope(body, known, this.#reads);
    const stmts: Stmt[] = [];
    const waiting = [...body.stmts].reverse();
    for (let stmt = waiting.pop(); stmt !== undefined; stmt = waiting.pop()) {
      const better =
        stmt.adjoint !== true
          ? null
          : isOperation(stmt)
            ? this.#rules.operation(stmt, scope)
            : stmt.kind === "accum"
              ? (this.#rules.sum?.(stmt, scope) ?? null)
              : null;
      if (better !== null && isOperation(stmt)) {
        waiting.push(...this.#written(stmt, better, known).toReversed());
        continue;
      }
      for (const one of better === null ? [stmt] : this.#written(stmt, better, known)) {
        if (isOperation(one))
          known.set(one.bind.name, {
            op: one.expr.op,
            args: one.expr.args,
            adjoint: one.adjoint === true,
            body,
          });
        stmts.push(isOperation(one) ? one : mapBodies(one, (inner) => this.body(inner, known)));
      }
    }
    return withStmts(body, stmts);
  }

  /** The statements that compute it, and the one that was there, with it. */
  #written(stmt: Stmt, better: Edited, known: ReadonlyMap<string, Made>): readonly Stmt[] {
    this.#names ??= this.#namesOf();
    const b = new Builder(this.#names, stmt.origin, true);
    const atomOf = (edited: Edited): Atom =>
      edited.kind === "op" ? b.op(edited.op, ...edited.args.map(atomOf)) : edited;
    const whole = (): Expr =>
      better.kind === "op"
        ? { kind: "op", op: better.op, args: better.args.map(atomOf) }
        : { kind: "copy", atom: better };
    const changed: Stmt =
      stmt.kind === "accum"
        ? rebuilt<Accum>(stmt, { value: atomOf(better) })
        : stmt.kind === "let"
          ? rebuilt<Let>(stmt, { expr: whole() })
          : stmt;
    const written: readonly Stmt[] = [...b.stmts, changed];
    for (const one of written) for (const atom of stmtAtoms(one)) this.#count(atom, 1, known);
    for (const atom of stmtAtoms(stmt)) this.#count(atom, -1, known);
    return written;
  }

  /** What nobody reads any more reads nothing. */
  #count(atom: Atom, by: 1 | -1, known: ReadonlyMap<string, Made>): void {
    if (atom.kind !== "var") return;
    const reads = (this.#reads.get(atom.name) ?? 0) + by;
    this.#reads.set(atom.name, reads);
    if (reads === 0 && by < 0)
      for (const arg of known.get(atom.name)?.args ?? []) this.#count(arg, -1, known);
  }
}
