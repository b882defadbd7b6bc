// Which places of a value hold what no derivative passes through: texts, dates, bigints. In: an aggregate and its memory. Out: their regions.
// Invariant: a place that may hold a number, too, is none of them. They matter because a text made of a number may be turned into a number again.

import { printType } from "../ir/print.ts";
import type { Atom, Type } from "../ir/types.ts";
import type { Memory } from "./memory.ts";
import { isAggregate, type Region } from "./region.ts";

export function textsIn(atom: Atom, memory: Memory): ReadonlySet<Region> {
  const texts = new Set<Region>(), others = new Set<Region>(), seen = new Set<string>();
  const numbers = new Map<Region, number>();
  const visit = (region: Region, type: Type | null): void => {
    const node = region.find();
    if (type !== null && isText(type)) return void texts.add(node);
    others.add(node);
    if (type === null) return;
    numbers.set(node, numbers.get(node) ?? numbers.size);
    // types and memory may lead back to where they were
    const key = `${numbers.get(node)} ${printType(type)}`;
    if (seen.has(key)) return;
    seen.add(key);
    for (const [place, inner] of memory.placesOf(node, type)) visit(place, inner);
  };
  const region = memory.region(atom);
  if (region !== null) visit(region, atom.type);
  return new Set([...texts].filter((text) => !others.has(text)));
}

export const isText = (type: Type): boolean => (type.kind === "leaf" && !isAggregate(type)) || (type.kind === "opt" && isText(type.of));
