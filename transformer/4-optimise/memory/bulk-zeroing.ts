// Removes stores of 0 in a loop if the whole array is zeroed after the loop. Runs on code that is
// not differentiated any more.
//   for i { t = load a[i]; a[i] = 0; … }; fill a 0   ->   for i { t = load a[i]; … }; fill a 0
// Invariant: between the store and the fill nothing reads the element, as each iteration has its
// own.

import { mapList, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Fill, For, Func, Stmt, Store } from "../../ir/types.ts";
import { mapBodies, walkStmts } from "../../ir/visit.ts";
import { accesses, mayMeet, ownAccesses, type Access } from "./access.ts";
import { isNumber, sameAtom } from "../atoms.ts";
import { Memory } from "./memory.ts";
import { someStmt } from "../stmts.ts";

export const bulkZeroing = (func: Func, types: Types): Func =>
  someStmt(func.body, isClearing)
    ? withBody(func, inBody(func.body, Memory.of(func, types)))
    : func;

const isZero = ({ value }: Fill | Store): boolean => isNumber(value) && Object.is(value.value, 0);
const isClearing = (stmt: Stmt): stmt is Fill =>
  stmt.kind === "fill" &&
  stmt.adjoint === true &&
  stmt.from === null &&
  stmt.to === null &&
  isZero(stmt);

/** Walks backwards, so that the fills after a loop are known. Loops in nested bodies know none. */
function inBody(body: Body, memory: Memory): Body {
  let open: readonly Fill[] = [];
  const inStmt = (stmt: Stmt): Stmt => {
    const next =
      stmt.kind === "for"
        ? open.reduce((loop, fill) => withoutStores(loop, fill, memory), stmt)
        : stmt;
    const own = accesses(next);
    open = isClearing(next)
      ? [...open, next]
      : open.filter((fill) => !own.some((one) => mayMeet(one, everywhere(fill), memory)));
    return mapBodies(next, (inner) => inBody(inner, memory));
  };
  const last = mapList(body.stmts.toReversed(), inStmt);
  return withStmts(body, last.toReversed());
}

const everywhere = ({ object }: Fill): Access => ({
  write: true,
  object,
  part: { kind: "elements" },
  element: null,
});

/**
 * The loop without its stores of 0 into an array that is zeroed afterwards, if no iteration reads
 * what one has stored. It may load its own element before the store, and those of later iterations.
 */
function withoutStores(loop: For, fill: Fill, memory: Memory): For {
  const { stmts } = loop.body;
  const at = stmts.findIndex((stmt) => isStoreOf(stmt, fill, loop));
  const ahead = aheadIn(loop);
  const isElsewhere = ({ object, part }: Access, i: number): boolean =>
    object !== null &&
    sameAtom(object, fill.object) &&
    part.kind === "index" &&
    part.at.kind === "var" &&
    (ahead.has(part.at.name) || (i < at && part.at.name === loop.index.name));
  const readsCleared = (stmt: Stmt, i: number): boolean => {
    let reads = false;
    walkStmts({ stmts: [stmt], result: [] }, (inner) => {
      // Sums there are zeroed, too. Tapes hold no elements of shadows.
      const isHarmless =
        inner.kind === "store" ||
        inner.kind === "accum" ||
        (inner.kind === "let" && inner.expr.kind === "pop");
      reads ||=
        !isHarmless &&
        ownAccesses(inner).some(
          (one) => !isElsewhere(one, i) && mayMeet(one, everywhere(fill), memory),
        );
    });
    return reads;
  };
  return at >= 0 && !stmts.some(readsCleared)
    ? { ...loop, body: withStmts(loop.body, stmts.toSpliced(at, 1)) }
    : loop;
}

/** Names of elements that later iterations own: `i - 1` in a loop that counts down. */
function aheadIn({ body, index, step }: For): ReadonlySet<string> {
  const names = new Set<string>();
  walkStmts(body, (stmt) => {
    if (
      stmt.kind !== "let" ||
      stmt.expr.kind !== "op" ||
      stmt.expr.op !== (step < 0 ? "sub" : "add")
    )
      return;
    const [from, by] = stmt.expr.args;
    if (
      from !== undefined &&
      sameAtom(from, index) &&
      by !== undefined &&
      isNumber(by) &&
      by.value > 0
    )
      names.add(stmt.bind.name);
  });
  return names;
}

const isStoreOf = (stmt: Stmt, fill: Fill, { index }: For): boolean =>
  stmt.kind === "store" &&
  stmt.adjoint === true &&
  stmt.lengthens !== true &&
  stmt.initial !== true &&
  isZero(stmt) &&
  stmt.key.kind === "index" &&
  sameAtom(stmt.object, fill.object) &&
  sameAtom(stmt.key.at, index);
