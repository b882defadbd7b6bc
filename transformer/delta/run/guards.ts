// Adjoints under the program's choices. In: conditions and adjoints. Out: *guards* `c ? s : 0`, the
// sides on which an adjoint exists. Invariant: the unchosen side gets no partial, as it has no node
// on the tape; adjoints that are 0 only for that reason are marked.

import type { Graph, Num } from "./graph.ts";

export class Guards {
  readonly #graph: Graph;
  readonly #choices = new Set<Num>();
  /** Choices that are 0 on some side, with the number of their other sides. */
  readonly #guards = new Map<Num, number>();
  /** Sums and products of guards: 0 where no side is chosen. */
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

  /** Whether it is 0 where a side is unchosen. */
  mayBeUntaken(adjoint: Num): boolean {
    return this.#untaken.has(adjoint) || this.#guards.has(adjoint);
  }

  isOfOneSide(adjoint: Num): boolean {
    return this.#guards.get(adjoint) === 1;
  }

  /** Its literal on its only side; null for another number. */
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

  /** Marks an adjoint that may be unchosen and is no longer a guard. */
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
