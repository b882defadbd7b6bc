// Before differentiation: one loop of several that go through the same arrays one behind the other, so that their elements are names, whose cotangents are names,
// too. In: an ssa function. Out: the same meaning, to the bit. Invariant: it pays: some loop reads what another one has written, in an array
// that is gone then, or is written over, so that its elements had to be recorded; what is written once and stays is read again in the reverse sweep. See iterations.ts for the rewrite, run.ts for when it is allowed.

import { Names } from "../../ir/names.ts";
import { withBody, withStmts } from "../../ir/rebuilt.ts";
import type { Types } from "../../ir/shadow.ts";
import type { Body, Func, Stmt } from "../../ir/types.ts";
import { definedVars, mapBodies, stmtFreeVars, walkAtoms, walkStmts } from "../../ir/visit.ts";
import { isValue } from "../atoms.ts";
import { writeRun } from "./iterations.ts";
import { type Known, knownOf, type Run, runOf, storesIn } from "./run.ts";

/** Statements of a round: it may stand there twice, and what it keeps in names needs registers. */
const MOST_STATEMENTS = 100;

interface State {
  readonly known: Known;
  readonly names: Names;
  /** How often the function reads each name: an array that a run alone reads is gone behind it. */
  readonly uses: ReadonlyMap<string, number>;
}

export function fuseElements(func: Func, types: Types): Func {
  const names = new Names([...func.params, ...definedVars(func.body)].map(({ name }) => name));
  const state: State = { known: knownOf(func, types), names, uses: usesIn(func.body) };
  return withBody(func, fuseBody(func.body, false, state));
}

/** `repeated`: a loop runs the body, so that what its statements write is written again and again. */
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

/** Saves the work where a run ends in any case. */
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
  const isOneRound = found.run.items.every(
    (item) => item.kind === "loop" && isValue(item.loop.from, 0),
  );
  const pays = (name: string): boolean =>
    isRewritten(name, own, repeated && !isMadeIn(name, body)) ||
    ((repeated || isOneRound) && usesIn(own).get(name) === uses.get(name));
  return [...passed].some(pays) ? { stmts, until: found.until } : null;
}

/** Whether the array is written over, so that what it held had to be recorded. */
const isRewritten = (name: string, { stmts }: Body, again: boolean): boolean =>
  again ||
  stmts.filter((stmt) =>
    storesIn(stmt).some(({ object }) => object.kind === "var" && object.name === name),
  ).length > 1;

const isMadeIn = (name: string, { stmts }: Body): boolean =>
  stmts.some((stmt) => stmt.kind === "let" && stmt.bind.name === name);

/** How often each name is read. */
function usesIn(body: Body): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  walkAtoms(body, (atom) => {
    if (atom.kind === "var") uses.set(atom.name, (uses.get(atom.name) ?? 0) + 1);
  });
  return uses;
}

/** Whether nothing behind the run reads what it binds between its loops for the first elements. */
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
