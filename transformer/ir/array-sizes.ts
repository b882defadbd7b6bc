// Which arrays of a body have the same size: by construction, or by an earlier comparison. An
// unknown size counts as different, so `note` may report a comparison that cannot fail.

import { type ArrayBody, type ArrayExpr, bodiesOf } from "./array.ts";
import type { Atom, Var } from "./types.ts";

/** The size of a named array, plus a constant. */
interface Size {
  readonly of: string;
  readonly more: number;
}

export class Sizes {
  readonly #sizes: Map<string, Size>;
  readonly #same: Map<string, Size>;

  constructor(outer: Sizes | null = null) {
    this.#sizes = new Map(outer === null ? [] : outer.#sizes);
    this.#same = new Map(outer === null ? [] : outer.#same);
  }

  of(atom: Atom): Size {
    if (atom.kind !== "var") return { of: "?", more: 0 };
    const own = this.#sizes.get(atom.name) ?? { of: atom.name, more: 0 };
    return this.#root(own);
  }

  #root(size: Size): Size {
    const next = this.#same.get(size.of);
    return next === undefined ? size : this.#root({ of: next.of, more: next.more + size.more });
  }

  isSame(x: Atom, y: Atom): boolean {
    const [p, q] = [this.of(x), this.of(y)];
    return p.of === q.of && p.more === q.more && p.of !== "?";
  }

  join(x: Atom, y: Atom): void {
    const [p, q] = [this.of(x), this.of(y)];
    if (p.of !== q.of) this.#same.set(p.of, { of: q.of, more: q.more - p.more });
  }

  /** Records what a let binds. Returns whether it throws for some sizes of arrays. */
  note(bind: Var, expr: ArrayExpr): boolean {
    const setSize = (of: Atom, more: number): void => {
      const size = this.of(of);
      this.#sizes.set(bind.name, { of: size.of, more: size.more + more });
    };
    let compares = bodiesOf(expr).some((body) => comparesInside(body, this));
    if (expr.kind === "check") {
      compares = !this.isSame(expr.a, expr.b);
      this.join(expr.a, expr.b);
    }
    if (expr.kind === "map") {
      const [x, y] = expr.arrays;
      if (x !== undefined && y !== undefined) {
        compares ||= !this.isSame(x, y);
        this.join(x, y);
      }
      if (x !== undefined) setSize(x, 0);
    }
    if (expr.kind === "fill") setSize(expr.like, 0);
    if (expr.kind === "copy") setSize(expr.of, 0);
    if (expr.kind === "scan") setSize(expr.array, 1);
    if (expr.kind === "shift") setSize(expr.array, -1);
    return compares;
  }
}

/** Whether a nested body throws for some sizes. */
function comparesInside(body: ArrayBody, outer: Sizes): boolean {
  const sizes = new Sizes(outer);
  return body.lets.map(({ bind, expr }) => sizes.note(bind, expr)).some((compares) => compares);
}
