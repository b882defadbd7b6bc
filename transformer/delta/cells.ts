// What stands for variables and fields that outlive runs: functions by which the run-time knows them, and which say whether an earlier run has left what stands there. In: declarations, as the rewriter meets
// them. Out: items, whose texts are written when all functions are. Invariant: each has one.

import type ts from "typescript";
import { deltaCell } from "../ir/names.ts";
import { isJavaScript, type Item, type Names } from "./items.ts";
import { type KeptFields, OWN } from "./kept-fields.ts";
import type { KeptVariables } from "./kept-variables.ts";
import { type Block, blockOf, originOf, type Place, placeIn } from "./places.ts";
import type { RewrittenLine } from "./scope.ts";

export interface CellsHost {
  readonly ts: typeof ts;
  readonly names: Names;
  readonly kept: KeptVariables;
  readonly items: ReadonlyMap<ts.Node, Item>;
  readonly item: (node: ts.Node, name: string, where: { readonly place: Place }) => Item;
}

export interface KeptCell extends KeptFields {
  readonly cell: string;
}

export class Cells {
  readonly #host: CellsHost;
  /** The condition under which nothing is left; null where nothing ever is. */
  readonly #beginnings = new Map<Item, () => string | null>();
  /** Those of fields. */
  readonly #ofClasses = new Set<Item>();

  constructor(host: CellsHost) {
    this.#host = host;
  }

  has(item: Item): boolean {
    return this.#beginnings.has(item);
  }

  /** Of a variable; null where it is declared where no function can stand beside it. */
  of(item: Item, declaration: ts.Node, symbol: ts.Symbol, name: string): string | null {
    const own = this.#cell(item, declaration, declaration, name, () => this.#host.kept.beginning(symbol));
    return own === null ? null : this.#host.names.inFile(own, item);
  }

  /** Of fields that may be left in instances of a class, or in it. */
  ofFields(item: Item, node: ts.ClassLikeDeclaration): readonly KeptCell[] {
    const { kept } = this.#host, owner = node.name?.text ?? "Class";
    return kept.mayKeepFields(node).flatMap((one) => {
      const key = one.of?.initializer ?? one.fields[0]?.name, { of, isStatic } = one;
      const beginning = (): string | null => (kept.keepsFields(node).some((other) => other.of === of && other.isStatic === isStatic) ? one.beginning : null);
      const own = key === undefined ? null : this.#cell(item, node, key, `${owner}${of === null ? "" : `$${of.name.text.replace("#", "")}`}`, beginning);
      if (own === null) return [];
      this.#ofClasses.add(own);
      return [{ ...one, cell: this.#host.names.inFile(own, item) }];
    });
  }

  /** Writes their texts. Members of classes in which nothing is left ask nothing. */
  finish(): void {
    for (const [cell, beginning] of this.#beginnings) {
      const text = beginning(), isOfClass = this.#ofClasses.has(cell);
      cell.lines = linesOf(cell, text, isOfClass);
      if (text === null && isOfClass) for (const item of this.#host.items.values()) if (item.needs.has(cell)) this.#forget(cell, item);
    }
  }

  #forget(cell: Item, item: Item): void {
    const name = this.#host.names.inFile(cell, item), ask = `if ($d.unseen(${name}, `;
    item.lines = item.lines.filter(({ text }) => !text.startsWith(ask));
    item.needs.delete(cell);
  }

  #cell(item: Item, declaration: ts.Node, key: ts.Node, name: string, beginning: () => string | null): Item | null {
    const { ts: api, names, items } = this.#host, block: Block | null = blockOf(declaration, api);
    const own = block === null ? null : items.get(key) ?? this.#host.item(key, names.claim(declaration.getSourceFile(), deltaCell(name)), { place: placeIn(block, declaration, api) });
    if (own === null) return null;
    this.#beginnings.set(own, beginning);
    item.needs.add(own);
    return own;
  }
}

/** `isOfClass`: the condition is about the object that it is given. */
function linesOf({ node, name, file }: Item, beginning: string | null, isOfClass: boolean): readonly RewrittenLine[] {
  const isTyped = !isJavaScript(file), parameter = isOfClass && beginning?.includes(OWN) === true ? `${OWN}${isTyped ? ": any" : ""}` : "", type = isTyped ? `: ${beginning === null ? "void" : "boolean"}` : "";
  return [{ indent: 0, text: `function ${name}(${parameter})${type} ${beginning === null ? "{}" : `{ return !(${beginning}); }`}`, origin: originOf(node) }];
}
