// Cells: functions by which the runtime knows a captured variable that is assigned. In: the
// variable's declaration. Out: an item beside it. Invariant: one cell per variable.

import type ts from "typescript";
import { type Code, code, NOTHING } from "../../code/code.ts";
import { deltaCell } from "../../ir/names.ts";
import type { Resolution } from "../scope.ts";
import { isJavaScript, type Item, type Names } from "../plan/items.ts";
import { blockOf, type Place, placeIn } from "../plan/places.ts";
import { originOf } from "../../syntax/places.ts";

export interface CellsHost {
  readonly ts: typeof ts;
  readonly names: Names;
  readonly items: ReadonlyMap<ts.Node, Item>;
  readonly item: (node: ts.Node, name: Code, where: { readonly place: Place }) => Item;
}

export class Cells {
  readonly #host: CellsHost;
  readonly #all = new Set<Item>();

  constructor(host: CellsHost) {
    this.#host = host;
  }

  has(item: Item): boolean {
    return this.#all.has(item);
  }

  /** The cell as `item` names it; null where no function can be declared beside the variable. */
  of(item: Item, declaration: ts.Node, name: string): Code | null {
    const { ts: api, items, names } = this.#host;
    const block = blockOf(declaration, api);
    if (block === null) return null;
    const file = declaration.getSourceFile();
    const own =
      items.get(declaration) ??
      this.#host.item(declaration, names.claim(file, deltaCell(name)), {
        place: placeIn(block, declaration, api),
      });
    if (!this.#all.has(own)) {
      this.#all.add(own);
      const type = isJavaScript(file) ? NOTHING : code`: void`;
      own.lines = [
        { indent: 0, text: code`function ${own.name}()${type} {}`, origin: originOf(declaration) },
      ];
    }
    item.needs.add(own);
    return names.inFile(own, item);
  }
}

/** A variable whose id its cell holds. */
export const outerVariable = (cell: Code, value: Code): Resolution => ({
  kind: "outer-variable",
  id: code`$d.letId(${cell}, ${value})`,
  setId: [code`$d.setLet(${cell}, `, code`, ${value})`],
  value,
});
