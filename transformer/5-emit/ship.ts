// Makes derivatives reachable from other programs. In: shipped functions, re-exports of their primals. Out: a marker `f$shipped` beside each pair,
// whose literal type says the format and what f writes, and re-exports. Invariant: where f can be imported from, so can its pair and marker.

import type { ReExport, Shipped } from "../ir/facts.ts";
import { revf, revr, shipped as marker, SHIPPED_FORMAT } from "../ir/names.ts";
import type { Program } from "../ir/types.ts";
import type { Edits } from "./edits.ts";

export interface ShipInput {
  readonly program: Program;
  readonly shipped?: readonly Shipped[];
  readonly reExports?: readonly ReExport[];
}

export function ship({ program, shipped = [], reExports = [] }: ShipInput, edits: Edits): void {
  for (const { target, writes } of shipped) {
    const home = program.homes.get(target);
    if (home === undefined) continue;
    const text = `export const ${marker(home.name)} = ${JSON.stringify([SHIPPED_FORMAT, ...writes].join(" "))};`;
    edits.code([{ home, lines: [{ indent: 0, text, origin: home.origin }] }]);
  }
  const targets = new Set(shipped.map(({ target }) => target));
  for (const { file, at, target, local, exported, specifier } of reExports) {
    const home = program.homes.get(target);
    if (!targets.has(target) || home === undefined) continue;
    const named = [(f: string) => revf(f, null), (f: string) => revr(f, null), marker].map(
      (name) => {
        const own = specifier === null ? name(home.name) : name(local);
        return own === name(exported) ? own : `${own} as ${name(exported)}`;
      },
    );
    const text = ` export { ${named.join(", ")} }${specifier === null ? "" : ` from ${JSON.stringify(specifier)}`};`;
    edits.insert(file, {
      start: at,
      end: at,
      text,
      mappings: [{ offset: 0, origin: home.origin }],
    });
  }
}
