// Dead store elimination: drops writes after the last read of their place, wherever the walk knows
// all later reads. `dce` drops writes to objects that are never read.
//   for i { d$bar[i - 1] += d$bar[i] }; yield x$bar   ->   yield x$bar
// Invariant: calls, io, `throw`, bindings in use and writes that outlive the function stay.

import type { Types } from "../../ir/shadow.ts";
import type { Body, Func, If, Stmt } from "../../ir/types.ts";
import { stmtAtoms, stmtBinds, stmtBodies, walkAtoms, walkStmts } from "../../ir/visit.ts";
import { accesses, mayMeet, type Access } from "./access.ts";
import { Memory } from "./memory.ts";
import { someStmt } from "../stmts.ts";

export function deadStores(func: Func, types: Types): Func {
  const memory = Memory.of(func, types);
  if (!writesWithin(func.body, memory)) return func;
  const body = withoutDeadStores(func.body, new LiveAfter(memory));
  return body === func.body ? func : { ...func, body };
}

/** Whether the function writes any object that does not outlive it. */
function writesWithin(body: Body, memory: Memory): boolean {
  const isWithin = ({ object, write }: Access): boolean =>
    write && object !== null && [...memory.sites(object)].some((site) => !memory.outlives(site));
  return someStmt(body, (stmt) => stmtBodies(stmt).length === 0 && accesses(stmt).some(isWithin));
}

/** The names and places that are used after the current point of the backward walk. */
class LiveAfter {
  readonly #memory: Memory;
  readonly #names: Set<string>;
  /** By site. */
  readonly #reads: Map<string, Access[]>;

  constructor(
    memory: Memory,
    names: Iterable<string> = [],
    reads: Iterable<readonly [string, readonly Access[]]> = [],
  ) {
    this.#memory = memory;
    this.#names = new Set(names);
    this.#reads = new Map([...reads].map(([site, own]) => [site, [...own]]));
  }

  fork(): LiveAfter {
    return new LiveAfter(this.#memory, this.#names, this.#reads);
  }

  join(other: LiveAfter): void {
    other.#names.forEach((name) => this.#names.add(name));
    other.#reads.forEach((reads, site) =>
      this.#reads.set(site, [...new Set([...(this.#reads.get(site) ?? []), ...reads])]),
    );
  }

  noteAtoms(body: Body): void {
    walkAtoms(body, (atom) => {
      if (atom.kind === "var") this.#names.add(atom.name);
    });
  }

  note(stmt: Stmt): void {
    this.noteAtoms({ stmts: [stmt], result: [] });
    for (const access of accesses(stmt))
      if (!access.write)
        this.#reached(access).forEach((site) => {
          this.#noteRead(site, access);
        });
  }

  #noteRead(site: string, access: Access): void {
    // Writes to objects that outlive the function stay in any case.
    if (this.#memory.outlives(site)) return;
    const reads = this.#reads.get(site);
    if (reads === undefined) this.#reads.set(site, [access]);
    else reads.push(access);
  }

  /** Whether the statement only writes places that nothing reads afterwards. */
  isIdle(stmt: Stmt): boolean {
    if (
      stmt.kind === "let" ||
      stmtBinds(stmt).some(({ name }) => this.#names.has(name)) ||
      acts(stmt)
    )
      return false;
    return accesses(stmt).every((access) => !access.write || this.#isLost(access));
  }

  #isLost(access: Access): boolean {
    const sites = this.#reached(access);
    return (
      sites.size > 0 &&
      [...sites].every(
        (site) =>
          !this.#memory.outlives(site) &&
          this.#reads.get(site)?.some((read) => mayMeet(access, read, this.#memory)) !== true,
      )
    );
  }

  /** Empty for what outside code may reach, which outlives the function. */
  #reached({ object, part }: Access): ReadonlySet<string> {
    if (object === null) return new Set();
    const sites = this.#memory.sites(object);
    return part.kind === "deep" ? this.#memory.reach(sites) : sites;
  }
}

/** Whether the statement may do more than write memory and bind names. */
function acts(stmt: Stmt): boolean {
  let found = false;
  walkStmts({ stmts: [stmt], result: [] }, (inner) => {
    switch (inner.kind) {
      case "let":
        found ||=
          (inner.expr.kind === "call" && inner.expr.pure !== true) ||
          (inner.expr.kind === "extern" && inner.expr.effect === "io");
        return;
      case "store":
      case "accum":
      case "append":
      case "fill":
      case "push":
      case "reserve":
      case "if":
      case "for":
      case "while":
        return;
      default:
        found = true;
    }
  });
  return found;
}

/** The body without dead stores. Loops stay whole: iterations read what earlier ones wrote. */
function withoutDeadStores(body: Body, live: LiveAfter): Body {
  live.noteAtoms({ stmts: [], result: body.result });
  const stmts: Stmt[] = [];
  for (const stmt of [...body.stmts].reverse()) {
    if (live.isIdle(stmt)) continue;
    stmts.push(stmt.kind === "if" ? inArms(stmt, live) : stmt);
    if (stmt.kind !== "if") live.note(stmt);
  }
  stmts.reverse();
  return stmts.length === body.stmts.length && stmts.every((stmt, at) => stmt === body.stmts[at])
    ? body
    : { ...body, stmts };
}

function inArms(stmt: If, live: LiveAfter): If {
  const [inThen, inElse] = [live.fork(), live.fork()];
  const [then, otherwise] = [
    withoutDeadStores(stmt.then, inThen),
    withoutDeadStores(stmt.else, inElse),
  ];
  live.join(inThen);
  live.join(inElse);
  live.noteAtoms({ stmts: [], result: stmtAtoms(stmt) });
  return then === stmt.then && otherwise === stmt.else ? stmt : { ...stmt, then, else: otherwise };
}
