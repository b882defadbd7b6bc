// Removes the exits of one region from statements whose loops contain no exits.
// Output: statements without a `break` of the region's key; exits of other regions stay.
// Invariant: the output completes normally exactly where the input completes or leaves the region.
// No statement is duplicated.

import { bool, BOOL } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import type { Exit, If, Origin, Stmt, Var } from "../../ir/types.ts";

/** Exit flags of one function, for exits that nested ifs cannot express. */
export interface Flags {
  readonly names: Names;
  /** By region key. A region whose key is here must declare the flag at its entry. */
  readonly byKey: Map<string, Var>;
  /** Exits after a loop whose body has already set the flag. */
  readonly alreadySet: Set<Stmt>;
}

/** The internal form of an exit: a `break` whose label is the region's key. */
export const exitTo = (key: string, origin: Origin): Exit => ({
  kind: "break",
  label: key,
  origin,
});

export function flagFor(key: string, flags: Flags): Var {
  const known = flags.byKey.get(key);
  if (known !== undefined) return known;
  const flag: Var = {
    kind: "var",
    name: flags.names.fresh(key.startsWith("continue") ? "skip" : "done"),
    type: BOOL,
  };
  flags.byKey.set(key, flag);
  return flag;
}

/** The keys of all exits in `stmts`, outside of loops. */
export function exitKeys(stmts: readonly Stmt[], into: Set<string> = new Set()): Set<string> {
  for (const stmt of stmts) {
    if (stmt.kind === "break") into.add(stmt.label);
    if (stmt.kind === "if") {
      exitKeys(stmt.then.stmts, into);
      exitKeys(stmt.else.stmts, into);
    }
  }
  return into;
}

/** Whether control can reach the end of `stmts`. */
export function completes(stmts: readonly Stmt[]): boolean {
  return stmts.every((stmt) => {
    if (stmt.kind === "break" || stmt.kind === "throw") return false;
    return stmt.kind !== "if" || completes(stmt.then.stmts) || completes(stmt.else.stmts);
  });
}

/** `mark`: later code reads the flag of `key`, so each exit must set it. */
export function eliminate(
  stmts: readonly Stmt[],
  key: string,
  mark: boolean,
  flags: Flags,
): Stmt[] {
  const out: Stmt[] = [];
  for (const [at, stmt] of stmts.entries()) {
    if (stmt.kind === "break") {
      if (stmt.label !== key) out.push(stmt);
      else if (mark && !flags.alreadySet.has(stmt)) out.push(setFlag(key, stmt.origin, flags));
      return out;
    }
    if (stmt.kind === "if" && exitKeys([stmt]).has(key)) {
      out.push(...nest(stmt, stmts.slice(at + 1), key, mark, flags));
      return out;
    }
    out.push(stmt);
    if (!completes([stmt])) return out;
  }
  return out;
}

/** An `if` that may leave the region, and the statements after it. */
function nest(stmt: If, rest: readonly Stmt[], key: string, mark: boolean, flags: Flags): Stmt[] {
  const thenEnds = completes(stmt.then.stmts);
  const elseEnds = completes(stmt.else.stmts);
  const branches = (onThen: readonly Stmt[], onElse: readonly Stmt[], marked: boolean): Stmt[] =>
    branch({
      ...stmt,
      then: { ...stmt.then, stmts: eliminate(onThen, key, marked, flags) },
      else: { ...stmt.else, stmts: eliminate(onElse, key, marked, flags) },
    });

  if (rest.length === 0 || (!thenEnds && !elseEnds))
    return branches(stmt.then.stmts, stmt.else.stmts, mark);
  // if c { ...; exit } else { q } ; rest  ->  if c { ... } else { q; rest }
  if (!thenEnds) return branches(stmt.then.stmts, [...stmt.else.stmts, ...rest], mark);
  if (!elseEnds) return branches([...stmt.then.stmts, ...rest], stmt.else.stmts, mark);
  // if c { if d { exit } } else { q } ; rest
  //   ->  if c { if d { done = true } } else { q } ; if done {} else { rest }
  const flag = flagFor(key, flags);
  const guarded: If = {
    kind: "if",
    cond: flag,
    origin: stmt.origin,
    binds: [],
    then: { stmts: [], result: [] },
    else: { stmts: eliminate(rest, key, mark, flags), result: [] },
  };
  return [...branches(stmt.then.stmts, stmt.else.stmts, true), ...branch(guarded)];
}

/** The `if`, or nothing where both branches are empty. */
function branch(stmt: If): Stmt[] {
  return stmt.then.stmts.length === 0 && stmt.else.stmts.length === 0 && stmt.binds.length === 0
    ? []
    : [stmt];
}

function setFlag(key: string, origin: Origin, flags: Flags): Stmt {
  return { kind: "assign", variable: flagFor(key, flags), value: bool(true), origin };
}
