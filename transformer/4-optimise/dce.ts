// Dead code elimination, a least fixpoint over backward walks. Drops values without uses, carried
// values that feed only themselves, writes to objects that are never read, and loops and branches
// that have no effect then. Invariant: impure calls, io, `throw` and writes that outlive the
// function stay.
//   t = x * x (unused); a = zeros b; a[i] = v (a never read)   ->   (nothing)

import { withBody, withStmts } from "../ir/rebuilt.ts";
import type { Types } from "../ir/shadow.ts";
import { isPure } from "../ir/effects.ts";
import type { Atom, Body, Carried, Expr, Func, If, Stmt } from "../ir/types.ts";
import {
  exprAtoms,
  mapBodies,
  stmtAtoms,
  stmtBodies,
  unreachable,
  walkAtoms,
} from "../ir/visit.ts";
import { keepCarried, keepJoins } from "./drop-binds.ts";
import { exprAccesses } from "./memory/access.ts";
import { Memory } from "./memory/memory.ts";
import { isRaw } from "./stmts.ts";

export function dce(func: Func, types: Types): Func {
  const live = new Liveness(Memory.of(func, types));
  func.body.result.forEach((atom) => live.use(atom));
  live.markAll(func.body);
  return withBody(func, sweep(func.body, live));
}

class Liveness {
  readonly #memory: Memory;
  readonly #vars = new Set<string>();
  /** Objects whose content something live reads. */
  readonly #sites = new Set<string>();
  /** Statements found live so far. */
  readonly #stmts = new Set<Stmt>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  isUsed(name: string): boolean {
    return this.#vars.has(name);
  }

  use(atom: Atom): void {
    if (atom.kind === "var") this.#vars.add(atom.name);
  }

  /** Marks what is live in a function, until nothing new is found. */
  markAll(body: Body): void {
    const size = (): number => this.#vars.size + this.#sites.size + this.#stmts.size;
    for (let before = -1; before !== size();) {
      before = size();
      this.#markBody(body);
    }
  }

  /** Marks what is live in a body; whether anything in it is. */
  #markBody(body: Body): boolean {
    let any = false;
    for (const stmt of [...body.stmts].reverse()) if (this.#mark(stmt)) any = true;
    return any;
  }

  has(stmt: Stmt): boolean {
    return this.#stmts.has(stmt);
  }

  #mark(stmt: Stmt): boolean {
    // A live statement has marked its operands; only nested bodies may have more to mark.
    if (this.#stmts.has(stmt) && stmtBodies(stmt).length === 0) return true;
    const live = this.#isLive(stmt);
    if (live) this.#stmts.add(stmt);
    return live;
  }

  #isLive(stmt: Stmt): boolean {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt.bind.name, stmt.expr);
      case "store":
      case "accum":
      case "append":
      case "fill":
        return this.#write(stmt, stmt.object);
      case "push":
      case "reserve":
        return this.#write(stmt, stmt.tape);
      case "if":
        return this.#if(stmt);
      case "for":
      case "while":
        return this.#loop(stmt);
      case "throw":
        this.#useAll(stmtAtoms(stmt));
        this.#readAll(stmt.value);
        return true;
      default:
        return isRaw(stmt) || unreachable(stmt);
    }
  }

  #if(stmt: If): boolean {
    stmt.binds.forEach((bind, k) => {
      if (this.#vars.has(bind.name)) this.#useAll([stmt.then.result[k], stmt.else.result[k]]);
    });
    const inside = [stmt.then, stmt.else].map((body) => this.#markBody(body));
    const live = inside.includes(true) || stmt.binds.some((bind) => this.#vars.has(bind.name));
    if (live) this.use(stmt.cond);
    return live;
  }

  #loop(stmt: Stmt & { readonly kind: "for" | "while" }): boolean {
    stmt.carried.forEach((one, k) => {
      const bind = stmt.binds[k];
      if (isCarriedUsed(one, bind?.name, this))
        this.#useAll([one.init, stmt.body.result[k], one.param]);
    });
    const inside = (stmt.kind === "while" ? [stmt.test, stmt.body] : [stmt.body]).map((body) =>
      this.#markBody(body),
    );
    const live = inside.includes(true) || stmt.binds.some((bind) => this.#vars.has(bind.name));
    if (live) this.#useAll(stmt.kind === "while" ? stmt.test.result : [stmt.from, stmt.to]);
    return live;
  }

  #let(name: string, expr: Expr): boolean {
    const live = this.#vars.has(name) || this.#acts(expr);
    if (!live) return false;
    this.#useAll(exprAtoms(expr));
    if (expr.kind === "lambda") {
      walkAtoms(expr.body, (atom) => this.use(atom));
      this.#markBody(expr.body);
    }
    for (const access of exprAccesses(expr, { kind: "void" })) {
      if (access.write || access.object === null) continue;
      const sites = this.#memory.sites(access.object);
      for (const site of access.part.kind === "deep" ? this.#memory.reach(sites) : sites)
        this.#read(site);
    }
    return true;
  }

  /** Whether evaluating the expression has an effect that something may see. */
  #acts(expr: Expr): boolean {
    if (expr.kind === "pop") return this.#matters(expr.tape);
    if (expr.kind === "removeLast") return this.#matters(expr.object);
    return expr.kind === "call" ? expr.pure !== true : !isPure(expr);
  }

  #write(stmt: Stmt, object: Atom): boolean {
    if (!this.#matters(object)) return false;
    this.#useAll(stmtAtoms(stmt));
    return true;
  }

  /** Whether anything reads what is written into the object. */
  #matters(object: Atom): boolean {
    const sites = this.#memory.sites(object);
    return (
      sites.size === 0 ||
      [...sites].some((site) => this.#sites.has(site) || this.#memory.outlives(site))
    );
  }

  #readAll(atom: Atom): void {
    for (const site of this.#memory.reach(this.#memory.sites(atom))) this.#read(site);
  }

  #read(site: string): void {
    this.#sites.add(site);
  }

  #useAll(atoms: readonly (Atom | undefined)[]): void {
    for (const atom of atoms) if (atom !== undefined) this.use(atom);
  }
}

const isCarriedUsed = (one: Carried, bind: string | undefined, live: Liveness): boolean =>
  live.isUsed(one.param.name) || (bind !== undefined && live.isUsed(bind));

function sweep(body: Body, live: Liveness): Body {
  const stmts: Stmt[] = [];
  for (const stmt of body.stmts) {
    if (!live.has(stmt)) continue;
    stmts.push(mapBodies(dropBinds(stmt, live), (nested) => sweep(nested, live)));
  }
  return withStmts(body, stmts);
}

/** The statement without unused joins and carried values. */
function dropBinds(stmt: Stmt, live: Liveness): Stmt {
  if (stmt.kind === "if")
    return keepJoins(
      stmt,
      positions(stmt.binds.length, (k) => live.isUsed(stmt.binds[k]?.name ?? "")),
    );
  if (stmt.kind !== "for" && stmt.kind !== "while") return stmt;
  const used = positions(stmt.carried.length, (k) => {
    const one = stmt.carried[k];
    return one !== undefined && isCarriedUsed(one, stmt.binds[k]?.name, live);
  });
  return keepCarried(stmt, used);
}

const positions = (count: number, keep: (k: number) => boolean): readonly number[] =>
  [...Array(count).keys()].filter(keep);
