// Emits straight-line functions without a tape: their partials are the gradient (Griewank's
// preaccumulation). In: accepted call sites. Out: such functions, which return the value and the
// requested cotangents. Invariant: only these sites call the function, and all request the same.

import type ts from "typescript";
import { code, type Code, id, list, NOTHING, ZERO } from "../code/code.ts";
import { printed } from "../code/own-names.ts";
import type { Item } from "./plan/items.ts";
import { ownParameters } from "./plan/lean.ts";
import { originOf } from "./plan/places.ts";
import type { RewrittenLine } from "./scope.ts";

/** A call site whose function takes numbers, one for each parameter. */
export interface NumbersSite {
  readonly item: Item;
  readonly node: ts.FunctionLikeDeclaration;
  /** Requested positions; `tuple`: as an array. */
  readonly asked: readonly number[];
  readonly tuple: boolean;
}

/** The items that qualify. `others`: items of other sites. `items`: everything that is emitted. */
export function preaccumulated(
  sites: readonly NumbersSite[],
  others: ReadonlySet<Item>,
  items: ReadonlySet<Item>,
  api: typeof ts,
): ReadonlyMap<Item, readonly RewrittenLine[]> {
  const called = new Set([...items].flatMap(({ needs, soft }) => [...needs, ...soft]));
  const found = new Map<Item, readonly RewrittenLine[]>();
  for (const site of sites) {
    const { item } = site;
    if (
      found.has(item) ||
      called.has(item) ||
      others.has(item) ||
      sites.some((other) => other.item === item && keyOf(other) !== keyOf(site))
    )
      continue;
    const lines = linesOf(site, api);
    if (lines !== null) found.set(item, lines);
  }
  return found;
}

const keyOf = ({ asked, tuple }: NumbersSite): string => `${tuple} ${asked.join()}`;

/** `function f$delta(x: any, k: any): any { …; return [value, x$bar]; }` */
function linesOf(
  { item, node, asked, tuple }: NumbersSite,
  api: typeof ts,
): readonly RewrittenLine[] | null {
  const { preaccumulated: known } = item;
  const own = ownParameters(node, api);
  const names = own.map(({ name }) => (api.isIdentifier(name) ? name.text : ""));
  if (
    known === undefined ||
    known === null ||
    [...known.partials.keys()].some((name) => !names.includes(name))
  )
    return null;
  const bars = asked.map((place) => known.partials.get(names[place] ?? "") ?? ZERO);
  const body = [
    ...known.lines,
    code`return [${known.value}, ${tuple ? code`[${list(bars)}]` : (bars[0] ?? NOTHING)}];`,
  ].map(printed);
  const words = new Set(body.flatMap((line) => line.split(/[^\p{ID_Continue}$]+/u)));
  if (words.has("this") || words.has("$d")) return null;
  // Untyped sources have no fused stretches.
  const parameters = list(
    names.map((name) => code`${words.has(name) ? NOTHING : code`_`}${id(name)}: any`),
  );
  const origin = originOf(node);
  const line = (indent: number, text: Code): RewrittenLine => ({ indent, text, origin });
  return [
    line(0, code`function ${id(item.name)}(${parameters}): any {`),
    ...body.map((text) => line(1, text)),
    line(0, code`}`),
  ];
}
