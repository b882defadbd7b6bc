// Drops writes behind the last read of what they write: the reverse of a loop that fills a table with constants only moves
// cotangents that nobody asks for any more. In: an ssa function. Out: the same meaning. Invariant: calls, io, `throw`, bindings
// in use and writes that outlive the function stay. `dce` drops what is never read at all, wherever it stands.
//   for i { accum d$bar[i-1] += d$bar[i] } ; yield x$bar   ->   yield x$bar

import type { Types } from "../../ir/shadow.ts";
import type { Body, Func, If, Stmt } from "../../ir/types.ts";
import { stmtAtoms, stmtBinds, stmtBodies, walkAtoms, walkStmts } from "../../ir/visit.ts";
import { accesses, mayMeet, type Access } from "./access.ts";
import { Memory } from "./memory.ts";

export function lastReads(func: Func, types: Types): Func {
  const memory = Memory.of(func, types);
  if (!writesWithin(func.body, memory)) return func;
  const body = kept(func.body, new Behind(memory));
  return body === func.body ? func : { ...func, body };
}

/** Whether anything is written that does not outlive the function. */
function writesWithin(body: Body, memory: Memory): boolean {
  const isWithin = ({ object, write }: Access): boolean =>
    write && object !== null && [...memory.sites(object)].some((site) => !memory.outlives(site));
  let found = false;
  walkStmts(body, (stmt) => {
    found ||= stmtBodies(stmt).length === 0 && accesses(stmt).some(isWithin);
  });
  return found;
}

/** What is used behind the place that the walk, which goes backwards, has come to. */
class Behind {
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

  fork(): Behind {
    return new Behind(this.#memory, this.#names, this.#reads);
  }

  join(other: Behind): void {
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
    // writes there stay in any case
    if (this.#memory.outlives(site)) return;
    const reads = this.#reads.get(site);
    if (reads === undefined) this.#reads.set(site, [access]);
    else reads.push(access);
  }

  /** Whether all that the statement does is to write where nothing is read behind it. */
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

  /** Empty for what code outside may reach, which outlives the function. */
  #reached({ object, part }: Access): ReadonlySet<string> {
    if (object === null) return new Set();
    const sites = this.#memory.sites(object);
    return part.kind === "deep" ? this.#memory.reach(sites) : sites;
  }
}

/** Whether the statement may do more than write into memory and bind names. */
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

/** The body without idle statements; the same one where there are none. Rounds of a loop read what the ones before wrote, so loops stay whole. */
function kept(body: Body, behind: Behind): Body {
  behind.noteAtoms({ stmts: [], result: body.result });
  const stmts: Stmt[] = [];
  for (const stmt of [...body.stmts].reverse()) {
    if (behind.isIdle(stmt)) continue;
    stmts.push(stmt.kind === "if" ? keptArms(stmt, behind) : stmt);
    if (stmt.kind !== "if") behind.note(stmt);
  }
  stmts.reverse();
  return stmts.length === body.stmts.length && stmts.every((stmt, at) => stmt === body.stmts[at])
    ? body
    : { ...body, stmts };
}

function keptArms(stmt: If, behind: Behind): If {
  const [inThen, inElse] = [behind.fork(), behind.fork()];
  const [then, otherwise] = [kept(stmt.then, inThen), kept(stmt.else, inElse)];
  behind.join(inThen);
  behind.join(inElse);
  behind.noteAtoms({ stmts: [], result: stmtAtoms(stmt) });
  return then === stmt.then && otherwise === stmt.else ? stmt : { ...stmt, then, else: otherwise };
}
