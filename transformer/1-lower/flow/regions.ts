// Divides the files of a program into regions between which no instances flow. In: files and the
// objects that they have places of. Out: the region of a file or an object.
// A type may stand for other classes in each region (union-find; Tarjan 1975).

import type ts from "typescript";
import type { Cell, Place } from "./propagation.ts";

/** Something that stands for all files and objects of a region. */
export type Region = ts.SourceFile | Cell;

export class Regions {
  readonly #parents = new Map<Region, Region>();

  unite(file: ts.SourceFile, cell: Cell): void {
    const [x, z] = [this.#rootOf(file), this.#rootOf(cell)];
    if (x !== z) this.#parents.set(x, z);
  }

  ofFile(file: ts.SourceFile): Region {
    return this.#rootOf(file);
  }

  ofCell(cell: Cell): Region {
    return this.#rootOf(cell);
  }

  #rootOf(member: Region): Region {
    let root = member;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root))
      root = next;
    for (let at = member; at !== root;) {
      const next = this.#parents.get(at) ?? root;
      this.#parents.set(at, root);
      at = next;
    }
    return root;
  }
}

/** Instances of classes, and objects with such in fields, directly or deeper. */
export function holdersOfInstances(places: readonly Place[]): ReadonlySet<Cell> {
  const cells = new Set(places.flatMap(({ values }) => values));
  const within = new Map<Cell, Cell[]>();
  for (const cell of cells)
    for (const { values } of cell.fields.values())
      for (const value of values) {
        within.set(value, [...(within.get(value) ?? []), cell]);
        cells.add(value);
      }
  const found = new Set([...cells].filter(({ kind }) => kind === "instance"));
  for (const each of found)
    for (const around of within.get(each) ?? [])
      if (around.kind === "object" || around.kind === "list" || around.kind === "map")
        found.add(around);
  return found;
}
