// Removes tape records that are not needed: those that nothing reads, those that duplicate another
// record of the same iteration or a field of a recorded BOG, and new objects of constants.
//   push t x; push t y; …; y' = pop t; x' = pop t (unused)   ->   push t y; …; y' = pop t
//   push t x; push t x; …; x1 = pop t; x2 = pop t            ->   push t x; …; x1 = pop t; x2 = x1
//   z = [0, 0]; push t z; …; z' = pop t                      ->   …; z' = [0, 0]
// Invariant: a record keeps all of its pushes and pops, or loses all of them.

import { invariant } from "../../ir/invariant.ts";
import { revfOfBog } from "../../ir/names.ts";
import { mapList, rebuilt, withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, Func, Let, Push, Stmt, Var } from "../../ir/types.ts";
import { exprAtoms, mapBodies, stmtBodies } from "../../ir/visit.ts";
import { countReads, sameAtom } from "../atoms.ts";
import { dce } from "../dce.ts";
import { alike } from "../value-identity.ts";
import { letsIn, definition } from "../../ir/lets.ts";

/** `again` optimises functions that have lost records. */
export function pruneRecords(
  funcs: readonly Func[],
  types: Types,
  again: (func: Func) => Func,
): readonly Func[] {
  for (let current = funcs; ;) {
    const instead = insteadOf(current);
    if (instead.size === 0)
      return mapList(current, (func) => (funcs.includes(func) ? func : again(func)));
    // A value that was loaded only for a removed record may itself be a record.
    current = mapList(current, (func) => {
      const next = withBody(func, changed(func.body, instead));
      return next === func ? func : dce(next, types);
    });
  }
}

interface Place<Of extends Stmt> {
  readonly stmt: Of;
  readonly at: number;
  /** The pushes and pops of its body. */
  readonly beside: Beside;
  readonly own: Own;
}

/** By record. Null where the body has the record twice, as in an unrolled loop. */
interface Beside {
  readonly pushes: ReadonlyMap<symbol, Place<Push> | null>;
  readonly pops: ReadonlyMap<symbol, Place<Let> | null>;
}

/** The definitions and numbers of uses of a function's names. */
interface Own {
  readonly defs: ReadonlyMap<string, Let>;
  readonly uses: ReadonlyMap<string, number>;
}

interface Pushed {
  readonly record: symbol;
  readonly pushes: readonly Place<Push>[];
  readonly pops: readonly Place<Let>[];
}
interface Places {
  readonly pushes: Map<symbol, Place<Push>[]>;
  readonly pops: Map<symbol, Place<Let>[]>;
}

/** The expression that replaces a pop, given the other pops of its body; null drops the pop. */
type Instead = (pops: ReadonlyMap<symbol, Var>) => Expr | null;

function insteadOf(funcs: readonly Func[]): ReadonlyMap<symbol, Instead> {
  const places: Places = { pushes: new Map(), pops: new Map() };
  for (const { body } of funcs) gather(body, ownOf(body), places);
  const all = [...places.pops].map(([record, pops]): Pushed => ({
    record,
    pushes: places.pushes.get(record) ?? [],
    pops,
  }));
  const unread = all.filter(({ pops }) =>
    pops.every(({ stmt, own }) => !own.uses.has(stmt.bind.name)),
  );
  // Other records may hold values that only unread records need, so they wait.
  if (unread.length > 0) return new Map(unread.map(({ record }) => [record, () => null]));
  return new Map(
    all.flatMap((one): [symbol, Instead][] => {
      const instead = sharedBy(one) ?? literalOf(one);
      return instead === null ? [] : [[one.record, instead]];
    }),
  );
}

/** Where a record that is pushed and popped beside this one holds its value, alone or in a BOG. */
function sharedBy({ record, pushes, pops }: Pushed): Instead | null {
  const [first] = pushes;
  const isOnce =
    pushes.every(({ beside }) => beside.pushes.get(record) !== null) &&
    pops.every(({ beside }) => beside.pops.get(record) !== null);
  if (first === undefined || !isOnce) return null;
  for (const [other, place] of first.beside.pushes) {
    if (other === record || place === null) continue;
    const field = fieldIn(first, place.stmt.value);
    const holds = (push: Place<Push>, value: Atom | undefined): boolean =>
      value !== undefined &&
      (field === null ? sameAtom(value, push.stmt.value) : fieldIn(push, value) === field);
    if (
      !pushes.every((push) => holds(push, push.beside.pushes.get(other)?.stmt.value)) ||
      !pops.every(({ at, beside }) => (beside.pops.get(other)?.at ?? at) < at)
    )
      continue;
    return (beside) => {
      const value = beside.get(other);
      invariant(
        value !== undefined,
        "a record that holds another one's value is not popped beside it",
      );
      return field === null
        ? { kind: "copy", atom: value }
        : { kind: "load", object: value, key: { kind: "field", name: field } };
    };
  }
  return null;
}

/** The field of `bog` that a push records. BOGs are constant. */
function fieldIn({ stmt: { value }, own }: Place<Push>, bog: Atom): string | null {
  const expr = definition(value, own.defs);
  return expr?.kind === "load" &&
    expr.key.kind === "field" &&
    bog.type.kind === "named" &&
    revfOfBog(bog.type.name) !== null &&
    sameAtom(expr.object, bog)
    ? expr.key.name
    : null;
}

/** Where each push records a new object of constants that nothing else uses. */
function literalOf({ pushes }: Pushed): Instead | null {
  const values = pushes.map(({ stmt: { value }, own }) =>
    value.kind === "var" && own.uses.get(value.name) === 1
      ? own.defs.get(value.name)?.expr
      : undefined,
  );
  const [first] = values;
  if (
    first === undefined ||
    !LITERALS.has(first.kind) ||
    !exprAtoms(first).every(({ kind }) => kind === "const")
  )
    return null;
  return values.every((expr) => alike(expr, first)) ? () => first : null;
}

const LITERALS: ReadonlySet<Expr["kind"]> = new Set(["array", "tuple", "record"]);

function ownOf(body: Body): Own {
  return { defs: letsIn(body), uses: countReads(body) };
}

function gather({ stmts }: Body, own: Own, places: Places): void {
  const pushes = new Map<symbol, Place<Push> | null>();
  const pops = new Map<symbol, Place<Let> | null>();
  const beside = { pushes, pops };
  stmts.forEach((stmt, at) => {
    const record = recordIn(stmt);
    if (record !== undefined && stmt.kind === "push")
      put(record, { stmt, at, beside, own }, pushes, places.pushes);
    if (record !== undefined && stmt.kind === "let")
      put(record, { stmt, at, beside, own }, pops, places.pops);
    for (const inner of stmtBodies(stmt)) gather(inner, own, places);
  });
}

function put<P>(
  record: symbol,
  place: P,
  beside: Map<symbol, P | null>,
  all: Map<symbol, P[]>,
): void {
  beside.set(record, beside.has(record) ? null : place);
  all.set(record, [...(all.get(record) ?? []), place]);
}

const recordIn = (stmt: Stmt): symbol | undefined =>
  stmt.kind === "push"
    ? stmt.record
    : stmt.kind === "let" && stmt.expr.kind === "pop"
      ? stmt.expr.record
      : undefined;

function changed(body: Body, instead: ReadonlyMap<symbol, Instead>): Body {
  const pops = new Map(
    body.stmts.flatMap((stmt): [symbol, Var][] => {
      const record = recordIn(stmt);
      return record !== undefined && stmt.kind === "let" ? [[record, stmt.bind]] : [];
    }),
  );
  return withStmts(
    body,
    body.stmts.flatMap((stmt) => {
      const record = recordIn(stmt);
      const by = record === undefined ? undefined : instead.get(record);
      if (by === undefined) return [mapBodies(stmt, (inner) => changed(inner, instead))];
      const expr = stmt.kind === "let" ? by(pops) : null;
      return stmt.kind === "let" && expr !== null ? [rebuilt(stmt, { expr })] : [];
    }),
  );
}
