// Decides a relation of recursive types, each pair once. A pair that is being decided counts as
// related (Amadio and Cardelli, Subtyping recursive types, 1993). Pairs that were related by an
// assumption that fails are decided again.

/** `Reason`: why a pair is unrelated. */
export class Pairs<Reason> {
  readonly #related = new Set<string>();
  readonly #unrelated = new Map<string, Reason>();
  /** The related pairs, in the order in which they were assumed. */
  readonly #trail: string[] = [];

  /** Why the pair is unrelated; null if it is related. */
  decide(pair: string, reason: () => Reason | null): Reason | null {
    if (this.#related.has(pair)) return null;
    const known = this.#unrelated.get(pair);
    if (known !== undefined) return known;
    const before = this.#trail.push(pair) - 1;
    this.#related.add(pair);
    const found = reason();
    if (found === null) return null;
    for (const assumed of this.#trail.splice(before)) this.#related.delete(assumed);
    this.#unrelated.set(pair, found);
    return found;
  }
}
