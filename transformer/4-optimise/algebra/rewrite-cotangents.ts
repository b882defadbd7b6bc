// Driver for rewrites of cotangent arithmetic that look at how operands were computed and how often
// they are read. `Rules` says what to compute instead of an operation. Invariant: a rewritten
// operation is visited again; names that other statements bind stay.

import { Builder } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { OPS } from "../../ir/ops.ts";
import { rebuilt, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Accum, Atom, Body, Expr, Func, Let, Stmt } from "../../ir/types.ts";
import { mapBodies, namesOf, stmtAtoms } from "../../ir/visit.ts";
import { countReads } from "../atoms.ts";
import { dce } from "../dce.ts";
import type { Edited, Computation, Part } from "./product.ts";

export type Operation = Let & { readonly expr: Expr & { readonly kind: "op" } };

export interface Rules {
  /** What to compute instead of an operation, or null. */
  readonly operation: (stmt: Operation, scope: Scope) => Edited | null;
  /** What to accumulate instead of an atom, or null. */
  readonly sum?: (stmt: Accum, scope: Scope) => Edited | null;
}

export function rewriteCotangents(func: Func, types: Types, rules: Rules): Func {
  const writer = new Writer(countReads(func.body), () => namesOf(func), rules);
  const body = writer.body(func.body, new Map());
  return body === func.body ? func : dce(withBody(func, body), types);
}

/** The definitions and numbers of reads that are known at a statement. */
export class Scope {
  readonly #body: Body;
  readonly #known: ReadonlyMap<string, Computation>;
  readonly #reads: ReadonlyMap<string, number>;

  constructor(
    body: Body,
    known: ReadonlyMap<string, Computation>,
    reads: ReadonlyMap<string, number>,
  ) {
    this.#body = body;
    this.#known = known;
    this.#reads = reads;
  }

  /** The operation that computed an atom. */
  readonly definition = (atom: Atom): Computation | null =>
    atom.kind === "var" ? (this.#known.get(atom.name) ?? null) : null;

  /** Whether an operation of this body has a single reader, so that it dies with that reader. */
  isFreed(atom: Atom): boolean {
    return (
      atom.kind === "var" &&
      this.#reads.get(atom.name) === 1 &&
      this.definition(atom)?.body === this.#body
    );
  }

  /** The cost of the operations on the way to a part, which die when the part is replaced. */
  freed(product: Atom, { kind, path }: Part): number {
    let atom = product;
    let cost = 0;
    for (let at = 0; at < path.length + (kind === "sign" ? 1 : 0); at++) {
      const def = this.definition(atom);
      const next = def?.args[path[at] ?? 0];
      if (def === null || next === undefined || !this.isFreed(atom)) break;
      cost += OPS[def.op].cost;
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

  /** `outer`: the operations that computed the names in scope. */
  body(body: Body, outer: ReadonlyMap<string, Computation>): Body {
    const known = new Map(outer);
    const scope = new Scope(body, known, this.#reads);
    const stmts: Stmt[] = [];
    const waiting = [...body.stmts].reverse();
    for (let stmt = waiting.pop(); stmt !== undefined; stmt = waiting.pop()) {
      const better = stmt.adjoint === true ? this.#better(stmt, scope) : null;
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

  #better(stmt: Stmt, scope: Scope): Edited | null {
    if (isOperation(stmt)) return this.#rules.operation(stmt, scope);
    return stmt.kind === "accum" ? (this.#rules.sum?.(stmt, scope) ?? null) : null;
  }

  /** The statements that compute `better`, and `stmt` with it as its value. */
  #written(stmt: Stmt, better: Edited, known: ReadonlyMap<string, Computation>): readonly Stmt[] {
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

  /** Counts reads. An operation that loses its last reader loses its own reads. */
  #count(atom: Atom, by: 1 | -1, known: ReadonlyMap<string, Computation>): void {
    if (atom.kind !== "var") return;
    const reads = (this.#reads.get(atom.name) ?? 0) + by;
    this.#reads.set(atom.name, reads);
    if (reads === 0 && by < 0)
      for (const arg of known.get(atom.name)?.args ?? []) this.#count(arg, -1, known);
  }
}
