// Fuses consecutive loops over the same arrays before differentiation. Elements become names, and
// so do their cotangents. iterations.ts has the rewrite, run.ts its conditions.
//   for i { a[i] = v }; for k { b[k] = w(load a[k]) }   ->   for i { a[i] = v; b[i] = w(v) }
// Invariant: fusion pays. Some loop reads what another has written, into an array that is dead
// afterwards, or is overwritten, so that its elements had to be recorded.

import type { Names } from "../../ir/names.ts";
import { withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Func, Stmt } from "../../ir/types.ts";
import { mapBodies, namesOf, stmtFreeVars, walkStmts } from "../../ir/visit.ts";
import { countReads, isValue } from "../atoms.ts";
import { writeRun } from "./iterations.ts";
import { type Known, knownOf, type Run, runOf, storesIn } from "./run.ts";

/** Limit on the statements of an iteration. It may be duplicated, and its names need registers. */
const MOST_STATEMENTS = 100;

interface State {
  readonly known: Known;
  readonly names: Names;
  /** How often the function reads each name. An array that only a run reads is gone after it. */
  readonly uses: ReadonlyMap<string, number>;
}

export function fuseElements(func: Func, types: Types): Func {
  const uses = countReads(func.body);
  const state: State = { known: knownOf(func, types), names: namesOf(func), uses };
  return withBody(func, fuseBody(func.body, false, state));
}

/** `repeated`: a loop runs the body, so that its statements overwrite what they wrote before. */
function fuseBody(body: Body, repeated: boolean, state: State): Body {
  const stmts: Stmt[] = [];
  for (let at = 0; at < body.stmts.length;) {
    const fused = fuseAt(body, at, repeated, state);
    const stmt = body.stmts[at];
    if (fused !== null) stmts.push(...fused.stmts);
    else if (stmt !== undefined)
      stmts.push(
        mapBodies(stmt, (nested) =>
          fuseBody(nested, repeated || stmt.kind === "for" || stmt.kind === "while", state),
        ),
      );
    at = fused?.until ?? at + 1;
  }
  return withStmts(body, stmts);
}

/** Whether a run may contain the statement. A quick test. */
const mayBelong = (stmt: Stmt): boolean =>
  stmt.kind === "let" ||
  stmt.kind === "for" ||
  (stmt.kind === "store" && stmt.key.kind === "index" && isValue(stmt.key.at, 0));

/** The longest run that begins at `at`, as one loop. */
function fuseAt(
  body: Body,
  at: number,
  repeated: boolean,
  { known, names, uses }: State,
): { readonly stmts: readonly Stmt[]; readonly until: number } | null {
  if (body.stmts[at]?.kind === "let") return null;
  let found: { readonly run: Run; readonly until: number } | null = null;
  for (let until = at + 1; until <= body.stmts.length; until++) {
    const last = body.stmts[until - 1];
    if (last === undefined || !mayBelong(last)) break;
    if (last.kind !== "for") continue;
    const run = runOf(body.stmts.slice(at, until), known);
    if (run === null) break;
    if (isClosed(run, { ...body, stmts: body.stmts.slice(until) })) found = { run, until };
  }
  if (
    found === null ||
    found.run.items.filter(({ kind }) => kind === "loop").length < 2 ||
    isLong(found.run)
  )
    return null;
  const { stmts, passed } = writeRun(found.run, names, known);
  const own: Body = { stmts: body.stmts.slice(at, found.until), result: [] };
  const isUniform = found.run.items.every(
    (item) => item.kind === "loop" && isValue(item.loop.from, 0),
  );
  const pays = (name: string): boolean =>
    isRewritten(name, own, repeated && !isAllocatedIn(name, body)) ||
    ((repeated || isUniform) && countReads(own).get(name) === uses.get(name));
  return [...passed].some(pays) ? { stmts, until: found.until } : null;
}

/** Whether the array is overwritten, so that its content had to be recorded. */
const isRewritten = (name: string, { stmts }: Body, again: boolean): boolean =>
  again ||
  stmts.filter((stmt) =>
    storesIn(stmt).some(({ object }) => object.kind === "var" && object.name === name),
  ).length > 1;

const isAllocatedIn = (name: string, { stmts }: Body): boolean =>
  stmts.some((stmt) => stmt.kind === "let" && stmt.bind.name === name);

/** Whether nothing after the run reads names bound by its statements for the first elements. */
function isClosed({ items }: Run, rest: Body): boolean {
  const bound = new Set(
    items.flatMap((item) =>
      item.kind === "first" && item.stmt.kind === "let" ? [item.stmt.bind.name] : [],
    ),
  );
  const isBound = (name: string): boolean => bound.has(name);
  return (
    bound.size === 0 ||
    !(
      rest.stmts.some((stmt) => [...stmtFreeVars(stmt).keys()].some(isBound)) ||
      rest.result.some((atom) => atom.kind === "var" && isBound(atom.name))
    )
  );
}

function isLong({ items }: Run): boolean {
  let size = 0;
  for (const item of items)
    if (item.kind === "loop")
      walkStmts(item.loop.body, () => {
        size++;
      });
  return size > MOST_STATEMENTS;
}
