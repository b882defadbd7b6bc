// Adjoints behind a choice that the program makes. In: conditions and adjoints, as numbers of a graph. Out: *guards*, `c ? s : 0`, which say on which side of a choice an adjoint is one. Invariants: what stands on the side
// that was not taken meets no partial, as the tape has no node of it; an adjoint that may be 0 for that reason alone is known by that, whatever became of it.

import type { Graph, Num } from "./graph.ts";

export class Guards {
  readonly #graph: Graph;
  /** Choices between adjoints. */
  readonly #choices = new Set<Num>();
  /** Those that are 0 on one side at least, and on how many sides they are not. */
  readonly #guards = new Map<Num, number>();
  /** Sums of guards, and what they were multiplied with: 0 where no side was taken. */
  readonly #untaken = new Set<Num>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** `c ? yes : no` */
  of(condition: Num, yes: Num, no: Num): Num {
    if (yes === no) return yes;
    const made = this.#graph.primal("select", [condition, yes, no]);
    const isGuard = [yes, no].some((side) => isNone(side) || this.#guards.has(side));
    this.#choices.add(made);
    if (isGuard) this.#guards.set(made, this.#countOf(yes) + this.#countOf(no));
    return made;
  }

  #countOf = (side: Num): number => this.#guards.get(side) ?? (isNone(side) ? 0 : 1);

  /** Whether it is 0 where a side was not taken. */
  mayBeUntaken(adjoint: Num): boolean {
    return this.#untaken.has(adjoint) || this.#guards.has(adjoint);
  }

  /** Of one side alone. */
  isOfOneSide(adjoint: Num): boolean {
    return this.#guards.get(adjoint) === 1;
  }

  /** The literal that it is on the one side that it is of; null: it is another number. */
  literalOf(adjoint: Num): Num | null {
    if (!this.isOfOneSide(adjoint)) return adjoint.value === null ? null : adjoint;
    const side = adjoint.args.slice(1).find((one) => !isNone(one));
    return side === undefined ? null : this.literalOf(side);
  }

  /** `c ? s : 0  ->  c ? f(s) : 0` */
  mapped(adjoint: Num, f: (side: Num) => Num): Num {
    const [condition, yes, no] = adjoint.args;
    if (isNone(adjoint)) return adjoint;
    if (
      !this.#guards.has(adjoint) ||
      condition === undefined ||
      yes === undefined ||
      no === undefined
    )
      return f(adjoint);
    return this.of(condition, this.mapped(yes, f), this.mapped(no, f));
  }

  /** Of an adjoint that may be untaken, and is no guard any more. */
  handedOn(adjoint: Num): Num {
    if (adjoint.value === null && !this.#choices.has(adjoint)) this.#untaken.add(adjoint);
    return adjoint;
  }

  // (c ? a : 0) + (c ? 0 : b)  ->  c ? a : b
  sum(a: Num, b: Num): Num {
    if (isNone(a)) return b;
    if (isNone(b)) return a;
    const [condition, yes, no] = a.args;
    const [other, otherYes, otherNo] = b.args;
    const isOfOne = this.#choices.has(a) && this.#choices.has(b) && condition === other;
    if (
      isOfOne &&
      condition !== undefined &&
      yes !== undefined &&
      no !== undefined &&
      otherYes !== undefined &&
      otherNo !== undefined
    )
      return this.of(condition, this.sum(yes, otherYes), this.sum(no, otherNo));
    // (a + (c ? b : 0)) + (c ? 0 : d)  ->  a + (c ? b : d)
    const [first, last] = a.args;
    if (
      a.op === "add" &&
      first !== undefined &&
      last !== undefined &&
      this.#choices.has(b) &&
      this.#choices.has(last) &&
      last.args[0] === other
    )
      return this.sum(first, this.sum(last, b));
    const sum = this.#graph.node(this.#graph.add(this.#graph.atom(a), this.#graph.atom(b)));
    return this.mayBeUntaken(a) && this.mayBeUntaken(b) ? this.handedOn(sum) : sum;
  }
}

const isNone = ({ value }: Num): boolean => value === 0;
