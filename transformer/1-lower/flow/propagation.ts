// Propagates abstract values along inclusion edges until nothing changes (Andersen's analysis). In:
// places, edges between them, and readers, which may add more. Out: the values of each place. Each
// value passes each edge once. A worklist takes the place of recursion. Above a number of steps it
// gives up: inclusion is cubic at worst.

import type ts from "typescript";

export type CellKind =
  | "function"
  | "class"
  /** Instances of a class, or of a function that `new` calls. */
  | "instance"
  | "object"
  /** An array, a set, or an iterator. */
  | "list"
  | "map"
  /** A function of the standard library. */
  | "native"
  /** A function that tsgrad makes of another one. */
  | "derived"
  /** Whatever code outside of the program has. */
  | "outside";

/** An abstract value: all values that one piece of code makes. */
export class Cell {
  readonly kind: CellKind;
  readonly node: ts.Node | null;
  /** The name of a library function. */
  readonly path: string;
  readonly fields = new Map<string, Place>();
  /** Whether elements are stored in a list after it is made. */
  isGrown = false;
  readonly watchers: ((name: string, place: Place) => void)[] = [];

  constructor(kind: CellKind, node: ts.Node | null, path = "") {
    this.kind = kind;
    this.node = node;
    this.path = path;
  }
}

interface Link {
  readonly take: (value: Cell) => void;
  next: number;
}

/** Something that holds values: a variable, an expression, a field, a parameter. */
export class Place {
  readonly node: ts.Node | null;
  readonly values: Cell[] = [];
  readonly links: Link[] = [];
  readonly targets = new Set<Place>();
  readonly #has = new Set<Cell>();
  isPending = false;

  constructor(node: ts.Node | null = null) {
    this.node = node;
  }

  /** Whether the value is new. */
  take(value: Cell): boolean {
    if (this.#has.has(value)) return false;
    this.#has.add(value);
    this.values.push(value);
    return true;
  }

  holds(value: Cell): boolean {
    return this.#has.has(value);
  }
}

/** About a second. */
const MOST_STEPS = 3_000_000;

export class Propagation {
  readonly #pending: Place[] = [];
  #steps = 0;

  /** Whether it has given up: the values of places are not complete. */
  get isExhausted(): boolean {
    return this.#steps > MOST_STEPS;
  }

  add(place: Place, value: Cell): void {
    if (place.take(value)) this.#wake(place);
  }

  flow(from: Place, to: Place): void {
    if (from === to || from.targets.has(to)) return;
    from.targets.add(to);
    this.each(from, (value) => this.add(to, value));
  }

  /** Calls `take` once with each value of the place, those of later included. */
  each(place: Place, take: (value: Cell) => void): void {
    place.links.push({ take, next: 0 });
    this.#wake(place);
  }

  run(): void {
    for (let place = this.#pending.pop(); place !== undefined; place = this.#pending.pop()) {
      place.isPending = false;
      // links and values may be added meanwhile
      for (const link of place.links)
        for (; link.next < place.values.length;) {
          const value = place.values[link.next++];
          if (value !== undefined) link.take(value);
          if (++this.#steps > MOST_STEPS) return;
        }
    }
  }

  #wake(place: Place): void {
    if (place.isPending || place.links.length === 0 || place.values.length === 0) return;
    place.isPending = true;
    this.#pending.push(place);
  }
}
