// Values that count in some executions only: used in a branch that may not run, or by a choice that
// may fall on another operand. A value with one unconditional use is not listed. Comparisons,
// conditions and indices are no uses.

import { CHOICES, isFlat } from "../../ir/ops.ts";
import type { Body, Expr, Stmt, Var } from "../../ir/types.ts";
import { exprAtoms, innerBinds, stmtAtoms, stmtBinds, stmtBodies } from "../../ir/visit.ts";

/** One side of a branch. */
interface Arm {
  /** The `if` of both sides; null: an operator or a statement that may drop the value. */
  readonly branch: Stmt | null;
  readonly body: Body;
}

interface Use {
  /** The arms around the use, outermost first. */
  readonly arms: readonly Arm[];
  /** It only defines these values and counts if they all do; none: it counts by itself. */
  readonly makes: readonly string[];
}

/**
 * Whether a missing number always makes the result NaN. Values that are stored, passed to calls,
 * used in a loop that may not run, or joined without a later use need not show. Nor do results of
 * called functions.
 */
export function alwaysShowsMissing(body: Body, isCalled: boolean): (name: string) => boolean {
  let silent: ReadonlySet<string> | null = null;
  return (name) => !isCalled && !(silent ??= conditionalNames(body, "everything")).has(name);
}

/**
 * What may drop a value besides branches and choices. "joins": an unused bind of a branch.
 * "everything": also unread objects, calls, and loops that do not run.
 */
type LeavesOut = "joins" | "everything";

/** The names that count in some executions only. `isUnread`: statements that may stay unread. */
export function conditionalNames(
  body: Body,
  leavesOut: LeavesOut,
  isUnread: (stmt: Stmt) => boolean = () => false,
): ReadonlySet<string> {
  const found = new Uses(leavesOut, isUnread);
  found.collect(body, { arms: [], becomes: null, isLoop: false });
  const { byName: uses, homes } = found;
  const isUnused = (name: string): boolean => leavesOut === "everything" && !uses.has(name);
  const conditional = new Set<string>();
  const isLeftOut = (name: string): boolean => {
    const depth = homes.get(name)?.length ?? 0;
    const all = uses.get(name) ?? [];
    const certain = all.filter(
      ({ makes }) => !makes.some((made) => isUnused(made) || conditional.has(made)),
    );
    return all.length > 0 && !isCovered(certain.map(({ arms }) => arms.slice(depth)));
  };
  // a definition comes before its uses, except for carried values
  const names = [...new Set([...homes.keys(), ...uses.keys()])].reverse();
  for (let before = -1; before !== conditional.size;) {
    before = conditional.size;
    for (const name of names) if (!conditional.has(name) && isLeftOut(name)) conditional.add(name);
  }
  return new Set([...homes.keys()].filter((name) => conditional.has(name)));
}

/** Whether every execution takes one of the paths: the two sides of a branch together do. */
function isCovered(paths: readonly (readonly Arm[])[]): boolean {
  if (paths.some((path) => path.length === 0)) return true;
  const branches = new Set(paths.flatMap(([first]) => first?.branch ?? []));
  return [...branches].some((branch) => {
    const bodies = stmtBodies(branch);
    return bodies.every((body) =>
      isCovered(paths.flatMap(([first, ...rest]) => (first?.body === body ? [rest] : []))),
    );
  });
}

interface Place {
  readonly arms: readonly Arm[];
  /** The names each result of the body is bound to: after the statement, in the next iteration. */
  readonly becomes: readonly (readonly string[])[] | null;
  readonly isLoop: boolean;
}

class Uses {
  readonly byName = new Map<string, Use[]>();
  /** The arms in which each name is bound. */
  readonly homes = new Map<string, readonly Arm[]>();
  readonly #leavesOut: LeavesOut;
  readonly #isUnread: (stmt: Stmt) => boolean;

  constructor(leavesOut: LeavesOut, isUnread: (stmt: Stmt) => boolean) {
    this.#leavesOut = leavesOut;
    this.#isUnread = isUnread;
  }

  collect(body: Body, place: Place): void {
    const { arms } = place;
    const out = [...arms, { branch: null, body }];
    for (const stmt of body.stmts) {
      for (const bind of stmtBinds(stmt)) this.homes.set(bind.name, arms);
      const isOptional = this.#mayStayUnread(stmt);
      for (const [name, makes, chosen] of usesOf(stmt))
        this.#use(name, makes, chosen || isOptional ? out : arms);
      this.#inner(stmt, arms);
    }
    for (const [i, atom] of body.result.entries())
      if (atom.kind === "var") this.#result(atom, i, place, out);
  }

  #use(name: string, makes: readonly string[], arms: readonly Arm[]): void {
    this.byName.set(name, [...(this.byName.get(name) ?? []), { arms, makes }]);
  }

  #mayStayUnread(stmt: Stmt): boolean {
    return (
      this.#isUnread(stmt) ||
      (this.#leavesOut === "everything" && isStoring(stmt)) ||
      (this.#leavesOut === "everything" && passesOn(stmt))
    );
  }

  #inner(stmt: Stmt, arms: readonly Arm[]): void {
    const branch = stmt.kind === "if" ? stmt : null;
    const isLoop = stmt.kind === "for" || stmt.kind === "while";
    // a loop may have no iterations
    const optional = this.#leavesOut === "everything" && isLoop ? stmt.body : null;
    for (const bind of innerBinds(stmt))
      this.homes.set(
        bind.name,
        optional !== null && stmt.kind === "for" ? [...arms, { branch, body: optional }] : arms,
      );
    for (const body of stmtBodies(stmt))
      this.collect(body, {
        arms: branch !== null || body === optional ? [...arms, { branch, body }] : arms,
        becomes: becomesOf(stmt),
        isLoop: branch === null,
      });
  }

  #result({ name, type }: Var, i: number, place: Place, out: readonly Arm[]): void {
    const { arms, becomes, isLoop } = place;
    const names = becomes?.[i] ?? [];
    if (this.#leavesOut === "everything")
      return this.#use(name, names, becomes === null && type.kind === "opt" ? out : arms);
    // of a loop, the result of the last iteration is for the code after it
    this.#use(name, isLoop ? [] : names.slice(0, 1), arms);
  }
}

const becomesOf = (stmt: Stmt): readonly (readonly string[])[] =>
  stmtBinds(stmt).map(({ name }, i) =>
    stmt.kind === "for" || stmt.kind === "while"
      ? [name, stmt.carried[i]?.param.name ?? name]
      : [name],
  );

/** Statements whose operands may be dropped: calls, foreign code, loop bounds. */
const passesOn = (stmt: Stmt): boolean =>
  stmt.kind === "for" ||
  (stmt.kind === "let" && (stmt.expr.kind === "call" || stmt.expr.kind === "extern"));

/** Statements whose operands count only if someone reads the object, or if a loop continues. */
const isStoring = (stmt: Stmt): boolean =>
  stmt.kind === "store" ||
  stmt.kind === "append" ||
  stmt.kind === "while" ||
  (stmt.kind === "let" &&
    (stmt.expr.kind === "tuple" || stmt.expr.kind === "record" || stmt.expr.kind === "array"));

/** Names that a statement itself uses, what it defines from them, and whether it may drop them. */
function usesOf(
  stmt: Stmt,
): readonly (readonly [name: string, makes: readonly string[], chosen: boolean])[] {
  if (stmt.kind === "if") return [];
  if (stmt.kind !== "let")
    return stmtAtoms(stmt).flatMap((atom) =>
      atom.kind === "var" ? [[atom.name, [], false] as const] : [],
    );
  const { expr, bind } = stmt;
  if (expr.kind === "present" || (expr.kind === "op" && isFlat(expr.op))) return [];
  // `typeof x`
  if (
    expr.kind === "extern" &&
    expr.effect === "pure" &&
    (bind.type.kind === "leaf" || bind.type.kind === "bool")
  )
    return [];
  const chosen = expr.kind === "op" && CHOICES.has(expr.op) && expr.args.length > 1;
  return exprAtoms(expr).flatMap((atom) =>
    atom.kind === "var" ? [[atom.name, isPlain(expr) ? [bind.name] : [], chosen] as const] : [],
  );
}

const isPlain = (expr: Expr): boolean =>
  expr.kind === "op" || expr.kind === "copy" || expr.kind === "unwrap";
