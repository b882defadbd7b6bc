// What statements push onto tapes and pop from them, and whether two undo each other. In: statements of a function.
// Out: answers. Invariant: `mirrors(p, q)` only if q, run after p, pops just what p pushed, value for value, however often
// their loops run and whichever branches they take. Note [Mirrors].

import type { Atom, Body, Expr, For, Func, If, Stmt } from "../../ir/types.ts";
import { exprAtoms, stmtBodies, walkStmts } from "../../ir/visit.ts";
import { exprAccesses, interfere, ownAccesses } from "../memory/access.ts";
import type { Access } from "../memory/access.ts";
import { atomKey } from "../atoms.ts";
import { upwards } from "../loops/iterations.ts";
import type { Knowledge } from "../loops/iterations.ts";

/** Longer values are not compared. */
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
  /** What a popped name or a loop's index stands for while two statements are compared. */
  readonly #meaning = new Map<string, string>();
  /** By name, until a name gets a meaning: what is read twice is not gone into twice. */
  readonly #texts = new Map<string, string>();

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
    this.#means(bind, this.#text(value));
    return true;
  }

  #means(name: string, text: string): void {
    this.#meaning.set(name, text);
    this.#texts.clear();
  }

  #loops(first: For, second: For): boolean {
    const turned = upwards(second, this.#known);
    if (turned === null || first.step !== 1 || turned.test !== first.test) return false;
    if (
      this.#text(first.from) !== this.#text(turned.from) ||
      this.#text(first.to) !== this.#text(turned.to)
    )
      return false;
    this.#means(second.index.name, this.#text(first.index));
    return this.#bodies(first.body, second.body);
  }

  #branches(first: If, second: If): boolean {
    return (
      this.#text(first.cond) === this.#text(second.cond) &&
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

  /** The statements that act on tapes, but for those that undo each other; null where that cannot be told. */
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

  /** Whether the statement pushes or pops anywhere. */
  #acts(stmt: Stmt): boolean {
    if (stmt.kind === "push" || (stmt.kind === "let" && stmt.expr.kind === "pop")) return true;
    return stmtBodies(stmt).some((body) => body.stmts.some((inner) => this.#acts(inner)));
  }

  // values -------------------------------------------------------------------------------------------------------

  /** A text that two atoms share only if their values are the same. */
  #text(atom: Atom): string {
    if (atom.kind !== "var") return atomKey(atom);
    const known = this.#meaning.get(atom.name) ?? this.#texts.get(atom.name);
    if (known !== undefined) return known;
    const text = this.#textOf(atom.name);
    this.#texts.set(atom.name, text);
    return text;
  }

  #textOf(name: string): string {
    const made = this.#known.definitions.get(name);
    if (made === undefined || !this.#isSteady(made)) return name;
    const text = `${head(made)}(${exprAtoms(made)
      .map((one) => this.#text(one))
      .join(" ")})`;
    return text.length > LONGEST ? name : text;
  }

  /** Whether the expression gives the same value wherever in the function it is evaluated on the same operands. */
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
// A push is undone by a pop of its tape. A loop is undone by the loop over the same range downwards, if their bodies undo each
// other; a branch by one on the same condition. Bodies undo each other if the last push that is left of the one is undone by the
// first pop that is left of the other, and so on outwards. A popped name then means the pushed value, so conditions and
// bounds that went over the tape compare equal.
