// Dead store elimination: drops writes after the last read of their place, wherever the walk knows
// all later reads. `dce` drops writes to objects that are never read.
//   for i { d$bar[i - 1] += d$bar[i] }; yield x$bar   ->   yield x$bar
// Invariant: calls, io, `throw`, bindings in use and writes that outlive the function stay.

import type { Types } from "../../ir/shadow.ts";
import type { Body, Func, If, Stmt } from "../../ir/types.ts";
import { stmtAtoms, stmtBinds, stmtBodies, walkAtoms } from "../../ir/visit.ts";
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
  /** What is used after the branch whose arm this is. It is fixed while the arm is walked. */
  readonly #after: LiveAfter | null;
  readonly #names = new Set<string>();
  /** By site. */
  readonly #reads = new Map<string, Access[]>();

  constructor(memory: Memory, after: LiveAfter | null = null) {
    this.#memory = memory;
    this.#after = after;
  }

  fork(): LiveAfter {
    return new LiveAfter(this.#memory, this);
  }

  /** Adds what a fork of this has found. */
  join(fork: LiveAfter): void {
    fork.#names.forEach((name) => this.#names.add(name));
    fork.#reads.forEach((reads, site) => {
      const known = this.#reads.get(site);
      if (known === undefined) this.#reads.set(site, reads);
      else for (const read of reads) known.push(read);
    });
  }

  #isNamed(name: string): boolean {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- forks nest as deep as the code
    for (let at: LiveAfter | null = this; at !== null; at = at.#after)
      if (at.#names.has(name)) return true;
    return false;
  }

  #isRead(site: string, write: Access): boolean {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- forks nest as deep as the code
    for (let at: LiveAfter | null = this; at !== null; at = at.#after)
      if (at.#reads.get(site)?.some((read) => mayMeet(write, read, this.#memory)) === true)
        return true;
    return false;
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
      stmtBinds(stmt).some(({ name }) => this.#isNamed(name)) ||
      acts(stmt)
    )
      return false;
    return accesses(stmt).every((access) => !access.write || this.#isLost(access));
  }

  #isLost(access: Access): boolean {
    const sites = this.#reached(access);
    return (
      sites.size > 0 &&
      [...sites].every((site) => !this.#memory.outlives(site) && !this.#isRead(site, access))
    );
  }

  /** Empty for what outside code may reach, which outlives the function. */
  #reached({ object, part }: Access): ReadonlySet<string> {
    if (object === null) return new Set();
    const sites = this.#memory.sites(object);
    return part.kind === "deep" ? this.#memory.reach(sites) : sites;
  }
}

/** Cache of `acts`: all enclosing bodies ask. */
const ACTING = new WeakMap<Stmt, boolean>();

/** Whether the statement may do more than write memory and bind names. */
function acts(stmt: Stmt): boolean {
  const known = ACTING.get(stmt);
  if (known !== undefined) return known;
  const found =
    actsItself(stmt) || stmtBodies(stmt).some((body) => body.stmts.some((inner) => acts(inner)));
  ACTING.set(stmt, found);
  return found;
}

function actsItself(stmt: Stmt): boolean {
  switch (stmt.kind) {
    case "let":
      return (
        (stmt.expr.kind === "call" && stmt.expr.pure !== true) ||
        (stmt.expr.kind === "extern" && stmt.expr.effect === "io")
      );
    case "store":
    case "accum":
    case "append":
    case "fill":
    case "push":
    case "reserve":
    case "if":
    case "for":
    case "while":
      return false;
    default:
      return true;
  }
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
