// Tables of handlers by kind of syntax. In: entries. Out: a function that calls the handler of a
// node. Invariant: a handler takes the nodes of its kinds; TypeScript cannot check this.

import type ts from "typescript";

type Kinds = typeof ts.SyntaxKind;
type Entry<C, R> = readonly [
  ts.SyntaxKind | readonly ts.SyntaxKind[],
  (context: C, node: never) => R,
];

/** `otherwise` takes the nodes of all other kinds. */
export function byKind<C extends { readonly api: typeof ts }, N extends ts.Node, R>(
  otherwise: (context: C, node: N) => R,
  entries: (kinds: Kinds) => readonly Entry<C, R>[],
): (context: C, node: N) => R {
  // versions of TypeScript number their kinds differently
  const tables = new WeakMap<Kinds, ReadonlyMap<ts.SyntaxKind, (context: C, node: N) => R>>();
  return (context, node) => {
    const kinds = context.api.SyntaxKind;
    let table = tables.get(kinds);
    if (table === undefined) {
      table = new Map(
        entries(kinds).flatMap(([own, handler]) =>
          // it takes the nodes of its kinds
          [own].flat().map((kind) => [kind, handler as (context: C, node: N) => R] as const),
        ),
      );
      tables.set(kinds, table);
    }
    return (table.get(node.kind) ?? otherwise)(context, node);
  };
}
