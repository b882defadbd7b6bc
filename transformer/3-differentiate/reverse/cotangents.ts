// The cotangents of scalars while a reverse sweep is written. Contributions come from the last use
// to the first, and are stored as functions until the cotangent is read; so it comes out as a
// single sum.
// Invariant: a name without contributions has cotangent Zero, which is `null` here and never a
// number in the code.

import { type Builder, renameLast } from "../../ir/build.ts";
import { bar } from "../../ir/names.ts";
import type { Atom } from "../../ir/types.ts";

/** Where a contribution stands in its sum: statements backwards, within one statement forwards. */
export interface Rank {
  readonly statement: number;
  readonly within: number;
}

interface Contribution {
  readonly rank: Rank;
  readonly make: (b: Builder) => Atom;
}

export class Cotangents {
  readonly #pending = new Map<string, Contribution[]>();

  /** `atom$bar += make()`. Constants have no cotangent. */
  add(atom: Atom, rank: Rank, make: (b: Builder) => Atom): void {
    if (atom.kind !== "var") return;
    const known = this.#pending.get(atom.name);
    if (known === undefined) this.#pending.set(atom.name, [{ rank, make }]);
    else known.push({ rank, make });
  }

  has(atom: Atom): boolean {
    return atom.kind === "var" && this.#pending.has(atom.name);
  }

  /** Names that have contributions, in the order of the first ones. */
  names(): readonly string[] {
    return [...this.#pending.keys()];
  }

  /** The sum of all contributions, which are used up; null for Zero. */
  take(b: Builder, name: string): Atom | null {
    const parts = this.#pending.get(name);
    if (parts === undefined) return null;
    this.#pending.delete(name);
    const ordered = [...parts].sort(
      (x, z) => z.rank.statement - x.rank.statement || x.rank.within - z.rank.within,
    );
    const sum = ordered.map((part) => part.make(b)).reduce((left, right) => b.add(left, right));
    return renameLast(b, sum, bar(name));
  }
}
