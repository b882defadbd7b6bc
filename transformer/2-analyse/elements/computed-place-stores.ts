// Recognises a store at a computed place of a tuple or a record. Lowering expands it into a choice
// among all places; the input is the outermost `if`, the output the stores of all branches:
//   t[k] = v    is    if k == 0 { t["0"] = v } else { if k == 1 { t["1"] = v } else { throw … } }
// or, optimised,    if k == 0 { t["0"] = v } else { if k == 1 {} else { throw … }; t["1"] = v }

import type { Atom, Body, If, Let, Stmt, Store } from "../../ir/types.ts";
import { printAtom } from "../../ir/print.ts";

/** A condition `key == is`. */
interface KeyTest {
  readonly key: Atom;
  readonly is: string;
}

/** The conditions seen so far that compare a key with a constant. */
export class KeyTests {
  readonly #byName = new Map<string, KeyTest>();

  note({ bind, expr }: Let): void {
    if (expr.kind !== "op" || expr.op !== "eq") return;
    const [key, value] = expr.args;
    if (key !== undefined && value?.kind === "const")
      this.#byName.set(bind.name, { key, is: String(value.value) });
  }

  of(cond: Atom): KeyTest | null {
    return cond.kind === "var" ? (this.#byName.get(cond.name) ?? null) : null;
  }
}

/** The stores of all branches; empty where the `if` is not such a choice. */
export function computedStores(choice: If, tests: KeyTests): readonly Store[] {
  const key = tests.of(choice.cond)?.key;
  const stores = key === undefined ? null : storesIn(choice, key, tests);
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
  tests: KeyTests,
): readonly Store[] | null {
  const test = tests.of(cond);
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
  const others = last.kind === "if" ? storesIn(last, key, tests) : null;
  return others === null ? null : [store, ...others];
}

/** The check that throws for any other key; the last store may come after it. */
const isGuard = (stmt: Stmt): boolean =>
  stmt.kind === "if" &&
  [stmt.then, stmt.else].every(({ stmts }) =>
    stmts.every(({ kind }) => kind === "let" || kind === "throw"),
  ) &&
  stmt.binds.length === 0;
const isSameAtom = (one: Atom, other: Atom): boolean => printAtom(one) === printAtom(other);
const onlyOf = ({ stmts }: Body): Stmt | undefined => (stmts.length === 1 ? stmts[0] : undefined);
