// Stores at a computed place of a tuple or a record, which lowering writes as a choice among all of its places (`chosen-field.ts`). In: an `if`, and what its conditions ask. Out: the stores.
//   t[k] = v    is    if k == 0 { t["0"] = v } else { if k == 1 { t["1"] = v } else { throw … } }
// or, when it is optimised,    if k == 0 { t["0"] = v } else { if k == 1 {} else { throw … }; t["1"] = v }

import type { Atom, Body, If, Stmt, Store } from "../../ir/types.ts";
import { printAtom } from "../../ir/print.ts";

/** What a condition asks of a key: `key == is`. */
export interface KeyTest {
  readonly key: Atom;
  readonly is: string;
}
type TestOf = (cond: Atom) => KeyTest | null;

/** Empty where it is no such choice. */
export function chosenStores(choice: If, testOf: TestOf): readonly Store[] {
  const key = testOf(choice.cond)?.key;
  const stores = key === undefined ? null : storesIn(choice, key, testOf);
  const [first, ...others] = stores ?? [];
  return first !== undefined &&
    others.every(
      ({ object, value }) => isSameAtom(object, first.object) && isSameAtom(value, first.value),
    )
    ? [first, ...others]
    : [];
}

function storesIn(
  { cond, then, else: otherwise }: If,
  key: Atom,
  testOf: TestOf,
): readonly Store[] | null {
  const test = testOf(cond);
  const store = onlyOf(then);
  const rest = otherwise.stmts.filter((stmt) => stmt.kind !== "let" && !isGuard(stmt));
  const [last] = rest;
  if (
    test === null ||
    !isSameAtom(test.key, key) ||
    store?.kind !== "store" ||
    store.key.kind !== "field" ||
    store.key.name !== test.is ||
    last === undefined ||
    rest.length > 1
  )
    return null;
  if (last.kind === "throw") return [store];
  if (last.kind === "store") return [store, last];
  const others = last.kind === "if" ? storesIn(last, key, testOf) : null;
  return others === null ? null : [store, ...others];
}

/** What throws for a key that is none: the last of the stores may stand behind it. */
const isGuard = (stmt: Stmt): boolean =>
  stmt.kind === "if" &&
  [stmt.then, stmt.else].every(({ stmts }) =>
    stmts.every(({ kind }) => kind === "let" || kind === "throw"),
  ) &&
  stmt.binds.length === 0;
const isSameAtom = (one: Atom, other: Atom): boolean => printAtom(one) === printAtom(other);
const onlyOf = ({ stmts }: Body): Stmt | undefined => (stmts.length === 1 ? stmts[0] : undefined);
