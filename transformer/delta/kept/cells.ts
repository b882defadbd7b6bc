// Emits cells: functions that identify a persistent variable or field to the runtime, and that test
// whether an earlier execution has left a number there. In: declarations. Out: items, whose text is
// written when all functions are. Invariant: one cell per variable.

import type ts from "typescript";
import { type Code, code, id, list, NOTHING, source, unchecked } from "../../code/code.ts";
import { deltaCell } from "../../ir/names.ts";
import { isJavaScript, type Item, type Names } from "../plan/items.ts";
import { type KeptFields, OWN } from "./kept-fields.ts";
import { keyText } from "./puts.ts";
import type { Look } from "./kept-memos.ts";
import type { KeptVariables } from "./kept-variables.ts";
import { type Block, blockOf, originOf, type Place, placeIn } from "../plan/places.ts";
import type { RewrittenLine } from "../scope.ts";

export interface CellsHost {
  readonly ts: typeof ts;
  readonly names: Names;
  readonly kept: KeptVariables;
  readonly items: ReadonlyMap<ts.Node, Item>;
  readonly item: (node: ts.Node, name: Code, where: { readonly place: Place }) => Item;
}

export interface KeptCell extends KeptFields {
  readonly cell: Code;
}

export interface LookCell {
  readonly look: Look;
  readonly cell: Code;
}

export class Cells {
  readonly #host: CellsHost;
  /** The condition under which nothing is stale; null where nothing ever is. */
  readonly #beginnings = new Map<Item, () => string | null>();
  /** Cells of fields. */
  readonly #ofClasses = new Set<Item>();
  /** The properties that may be stale in each cell. */
  readonly #left = new Map<Item, readonly string[]>();

  constructor(host: CellsHost) {
    this.#host = host;
  }

  has(item: Item): boolean {
    return this.#beginnings.has(item);
  }

  /** The cell of a variable; null where no function can be declared beside it. */
  of(item: Item, declaration: ts.Node, symbol: ts.Symbol, name: Code): Code | null {
    const own = this.#cell(item, declaration, declaration, name, () =>
      this.#host.kept.beginning(symbol),
    );
    return own === null ? null : this.#host.names.inFile(own, item);
  }

  /** The cells of a class's fields, for its instances or itself. */
  ofFields(item: Item, node: ts.ClassLikeDeclaration): readonly KeptCell[] {
    const { kept } = this.#host;
    const owner = node.name?.text ?? "Class";
    return kept.mayKeepFields(node).flatMap((one) => {
      const key = one.of?.initializer ?? one.fields[0]?.name;
      const { of, isStatic } = one;
      const beginning = (): string | null =>
        kept.keepsFields(node).some((other) => other.of === of && other.isStatic === isStatic)
          ? one.beginning
          : null;
      const own =
        key === undefined
          ? null
          : this.#cell(
              item,
              node,
              key,
              `${owner}${of === null ? "" : `$${of.name.text.replace("#", "")}`}`,
              beginning,
            );
      if (own === null) return [];
      this.#ofClasses.add(own);
      return [{ ...one, cell: this.#host.names.inFile(own, item) }];
    });
  }

  /** The cells of checks. Variables inside the item are new in each execution and need none. */
  ofLooks(item: Item, looks: readonly Look[]): readonly LookCell[] {
    const { ts: api } = this.#host;
    const isOutside = ({ beside }: Look): boolean =>
      (beside?.home ?? null) === null ||
      api.findAncestor(beside?.home ?? item.node, (at) => at === item.node) === undefined;
    return looks.filter(isOutside).map((look) => ({ look, cell: this.#ofLook(item, look) }));
  }

  #ofLook(item: Item, look: Look): Code {
    const { names, items, ts: api } = this.#host;
    const { of, name, beside } = look;
    const file = of.getSourceFile();
    const home = beside?.home ?? null;
    const block = (home === null ? null : blockOf(home, api)) ?? file;
    const own =
      items.get(of) ??
      this.#host.item(of, names.claim(file, deltaCell(identifierOf(name))), {
        place: placeIn(block, home ?? of, api),
      });
    this.#beginnings.set(own, () => {
      const left = this.#host.kept.leftAt(look);
      if (left !== null && left.places !== null) this.#left.set(own, left.places);
      return left?.beginning ?? null;
    });
    this.#ofClasses.add(own);
    item.needs.add(own);
    return names.inFile(own, item);
  }

  /** Writes the text of all cells, and removes checks that turn out to be unnecessary. */
  finish(): void {
    for (const [cell, beginning] of this.#beginnings) {
      const text = beginning();
      const isOfClass = this.#ofClasses.has(cell);
      cell.lines = linesOf(cell, text, isOfClass);
      if (isOfClass)
        for (const item of this.#host.items.values()) {
          if (!item.needs.has(cell)) continue;
          if (text === null) this.#forget(cell, item);
          else item.lines = item.lines.map(watched);
        }
      const left = this.#left.get(cell);
      if (text !== null && left !== undefined)
        for (const item of this.#host.items.values())
          if (item.needs.has(cell)) this.#keep(cell, item, left);
    }
  }

  #forget(cell: Item, item: Item): void {
    const name = this.#host.names.inFile(cell, item);
    const ask = `$d.unseen(${name}, `;
    item.lines = item.lines.filter(
      ({ text }) => !text.startsWith(ask) && !text.startsWith(`if (${ask}`),
    );
    item.needs.delete(cell);
  }

  /** Removes properties from checks that are now known never to be stale. */
  #keep(cell: Item, item: Item, places: readonly string[]): void {
    const ask = code`$d.keptIn(${this.#host.names.inFile(cell, item)}, `;
    item.lines = item.lines.map((line) => {
      const at = line.text.indexOf(ask);
      const object = at === -1 ? undefined : /^[^,]+/.exec(line.text.slice(at + ask.length))?.[0];
      return object === undefined
        ? line
        : {
            ...line,
            text: code`${unchecked(line.text.slice(0, at))}${ask}${list([unchecked(object), ...places.map((place) => source(keyText(place)))])});`,
          };
    });
  }

  #cell(
    item: Item,
    declaration: ts.Node,
    key: ts.Node,
    name: string,
    beginning: () => string | null,
  ): Item | null {
    const { ts: api, names, items } = this.#host;
    const block: Block | null = blockOf(declaration, api);
    const own =
      block === null
        ? null
        : (items.get(key) ??
          this.#host.item(key, names.claim(declaration.getSourceFile(), deltaCell(name)), {
            place: placeIn(block, declaration, api),
          }));
    if (own === null) return null;
    this.#beginnings.set(own, beginning);
    item.needs.add(own);
    return own;
  }
}

/** `$d.linkClass(C, C$delta);  ->  $d.linkClass(C, C$delta, true);` */
const watched = (line: RewrittenLine): RewrittenLine => ({
  ...line,
  text: unchecked(line.text.replace(/^(\$d\.linkClass\([^,]+, [^,]+)\);$/, "$1, true);")),
});

/** An identifier for a property name such as `my-key` or `[CACHE]`. */
function identifierOf(name: string): string {
  const text = name.replaceAll(/[^\p{ID_Continue}$]+/gu, "_").replaceAll(/^_|_$/g, "");
  return /^[\p{ID_Start}$_]/u.test(text) ? text : `place_${text}`;
}

/** `isOfClass`: the condition tests the object passed to the cell. */
function linesOf(
  { node, name, file }: Item,
  beginning: string | null,
  isOfClass: boolean,
): readonly RewrittenLine[] {
  const isTyped = !isJavaScript(file);
  const parameter =
    isOfClass && beginning?.includes(OWN) === true
      ? code`${id(OWN)}${isTyped ? code`: any` : NOTHING}`
      : NOTHING;
  const type = isTyped ? code`: ${beginning === null ? code`void` : code`boolean`}` : NOTHING;
  return [
    {
      indent: 0,
      text: code`function ${name}(${parameter})${type} ${beginning === null ? code`{}` : code`{ return !(${unchecked(beginning)}); }`}`,
      origin: originOf(node),
    },
  ];
}
