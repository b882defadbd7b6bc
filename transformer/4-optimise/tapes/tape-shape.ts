// The effects of statements on tapes, and whether two statements undo each other. Invariant:
// `mirrors(p, q)` only if q, run after p, pops just what p pushed, value for value, whatever the
// trip counts and branches. See Note [Mirrors].

import type { Atom, Body, Expr, For, Func, If, Stmt } from "../../ir/types.ts";
import { exprAtoms, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { exprAccesses, interfere, ownAccesses, type Access } from "../memory/access.ts";
import { atomKey } from "../atoms.ts";
import { upwards, type Knowledge } from "../loops/iterations.ts";

/** Longer keys are not compared. */
const LONGEST = 300;

export function writesIn(func: Func): readonly Access[] {
  const writes: Access[] = [];
  walkStmts(func.body, (stmt) => writes.push(...ownAccesses(stmt).filter((one) => one.write)));
  return writes;
}

export class TapeShapes {
  readonly #known: Knowledge;
  readonly #tapes: ReadonlySet<string>;
  readonly #writes: readonly Access[];
  /** The keys of popped names and loop indices while two statements are compared. */
  readonly #meaning = new Map<string, string>();
  /** Cached keys by name, until `#meaning` changes. */
  readonly #keys = new Map<string, string>();

  /** `writes`: all of the function; `tapes`: those that are only pushed and popped in it. */
  constructor(writes: readonly Access[], known: Knowledge, tapes: ReadonlySet<string>) {
    this.#writes = writes;
    this.#known = known;
    this.#tapes = tapes;
  }

  /** Whether the statements leave every tape as it was. */
  isBalanced(stmts: readonly Stmt[]): boolean {
    return this.#rest(stmts)?.length === 0;
  }

  mirrors(first: Stmt, second: Stmt): boolean {
    if (first.kind === "push")
      return (
        second.kind === "let" &&
        second.expr.kind === "pop" &&
        this.#isPair(first.tape, first.value, second.expr.tape, second.bind.name)
      );
    if (first.kind === "for") return second.kind === "for" && this.#loops(first, second);
    return first.kind === "if" && second.kind === "if" && this.#branches(first, second);
  }

  #isPair(pushed: Atom, value: Atom, popped: Atom, bind: string): boolean {
    if (
      pushed.kind !== "var" ||
      popped.kind !== "var" ||
      pushed.name !== popped.name ||
      !this.#tapes.has(pushed.name)
    )
      return false;
    this.#means(bind, this.#key(value));
    return true;
  }

  #means(name: string, key: string): void {
    this.#meaning.set(name, key);
    this.#keys.clear();
  }

  #loops(first: For, second: For): boolean {
    const turned = upwards(second, this.#known);
    if (turned === null || first.step !== 1 || turned.test !== first.test) return false;
    if (
      this.#key(first.from) !== this.#key(turned.from) ||
      this.#key(first.to) !== this.#key(turned.to)
    )
      return false;
    this.#means(second.index.name, this.#key(first.index));
    return this.#bodies(first.body, second.body);
  }

  #branches(first: If, second: If): boolean {
    return (
      this.#key(first.cond) === this.#key(second.cond) &&
      this.#bodies(first.then, second.then) &&
      this.#bodies(first.else, second.else)
    );
  }

  #bodies(first: Body, second: Body): boolean {
    const [pushes, pops] = [this.#rest(first.stmts), this.#rest(second.stmts)];
    if (pushes === null || pops === null || pushes.length !== pops.length) return false;
    return [...pushes].reverse().every((push, k) => {
      const pop = pops[k];
      return pop !== undefined && this.mirrors(push, pop);
    });
  }

  /** The statements that act on tapes, without those that undo each other; null where unknown. */
  #rest(stmts: readonly Stmt[]): readonly Stmt[] | null {
    const rest: Stmt[] = [];
    for (const stmt of stmts) {
      if (!this.#acts(stmt)) continue;
      if (stmt.kind === "while") return null;
      if (
        stmtBodies(stmt).length > 0 &&
        stmtBodies(stmt).every((body) => this.isBalanced(body.stmts))
      )
        continue;
      const last = rest.at(-1);
      if (last !== undefined && this.mirrors(last, stmt)) rest.pop();
      else rest.push(stmt);
    }
    return rest;
  }

  /** Whether the statement pushes or pops, itself or nested. */
  #acts(stmt: Stmt): boolean {
    if (stmt.kind === "push" || (stmt.kind === "let" && stmt.expr.kind === "pop")) return true;
    return stmtBodies(stmt).some((body) => body.stmts.some((inner) => this.#acts(inner)));
  }

  // values ----------------------------------------------------------------------------------------

  /** A string that two atoms share only if their values are the same. */
  #key(atom: Atom): string {
    if (atom.kind !== "var") return atomKey(atom);
    const known = this.#meaning.get(atom.name) ?? this.#keys.get(atom.name);
    if (known !== undefined) return known;
    const key = this.#keyOf(atom.name);
    this.#keys.set(atom.name, key);
    return key;
  }

  #keyOf(name: string): string {
    const def = this.#known.definitions.get(name);
    if (def === undefined || !this.#isSteady(def)) return name;
    const args = exprAtoms(def).map((one) => this.#key(one));
    const key = `${head(def)}(${args.join(" ")})`;
    return key.length > LONGEST ? name : key;
  }

  /** Whether the expression has one value for the same operands, wherever it is evaluated. */
  #isSteady(expr: Expr): boolean {
    if (expr.kind === "op" || expr.kind === "present" || expr.kind === "unwrap") return true;
    if (expr.kind !== "load" && expr.kind !== "length") return false;
    return !exprAccesses(expr, { kind: "leaf", text: "" }).some((read) =>
      this.#writes.some((write) => interfere(read, write, this.#known.memory)),
    );
  }
}

const head = (expr: Expr): string =>
  expr.kind === "op"
    ? expr.op
    : expr.kind === "load" && expr.key.kind === "field"
      ? `.${expr.key.name}`
      : expr.kind;

// Note [Mirrors]
// A pop undoes a push to its tape. A loop undoes the loop over the same range in the other
// direction, if the bodies undo each other; a branch undoes one on the same condition. Bodies undo
// each other if the first remaining pop of one undoes the last remaining push of the other, and so
// on outwards. A popped name then means the pushed value, so conditions and bounds that went over
// the tape compare equal.
