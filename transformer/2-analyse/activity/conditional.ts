// Which values count in some cases only: a branch uses them that may not run, or a choice that may fall on something else. In: an ssa body.
// Out: their names. Their cotangent may be exactly 0 although they are used, so an infinite partial must not meet it (0 * Infinity).
// Invariant: a value with one use that always counts is not among them; comparisons, conditions and positions are no uses.

import type { ScalarOp } from "../../ir/ops.ts";
import type { Body, Expr, Stmt } from "../../ir/types.ts";
import { exprAtoms, innerBinds, stmtAtoms, stmtBinds, stmtBodies } from "../../ir/visit.ts";

/** One side of a branch. */
interface Arm {
  /** What both sides have in common; null: an operator that may leave the value out. */
  readonly branch: Stmt | null;
  readonly body: Body;
}

interface Use {
  /** The arms of branches that the use stands in, outermost first. */
  readonly arms: readonly Arm[];
  /** It only makes these values, and counts if all of them do; none: it counts by itself. */
  readonly makes: readonly string[];
}

/** Operators that drop the cotangent of an operand. */
const CHOICES: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["select", "max", "min"]);
/** Operators whose result has no derivative. */
const FLAT: ReadonlySet<ScalarOp> = new Set<ScalarOp>([
  "lt",
  "le",
  "gt",
  "ge",
  "eq",
  "ne",
  "looseEq",
  "looseNe",
  "isNaN",
  "isFinite",
  "isInteger",
  "isSafeInteger",
  "sign",
  "floor",
  "ceil",
  "round",
  "trunc",
]);

/**
 * `"joins"`: what comes out of a branch counts only if its name behind it does. `"records"`: what is put into a record may not be read, either. `"stores"`: nor what is stored or put into any
 * object, and a `while` loop may run no more rounds with what it carries. `isUnread`: what else keeps what it takes where nobody may read it.
 */
export function conditionalNames(
  body: Body,
  leavesOut: LeavesOut = "choices",
  isUnread: (stmt: Stmt) => boolean = () => false,
): ReadonlySet<string> {
  return namesIn(body, leavesOut, isUnread);
}

/**
 * Whether the result always says so (it is NaN) where a number is missing. What is stored, handed to a function, used in a loop that may have no rounds, or
 * carried out of a branch or a loop without being used behind it says nothing; nor does the result of a function that others call, which may not use it.
 */
export function absenceShows(body: Body, isCalled: boolean): (name: string) => boolean {
  let silent: ReadonlySet<string> | null = null;
  return (name) => !isCalled && !(silent ??= namesIn(body, "everything")).has(name);
}

const keepsUnread = (leavesOut: LeavesOut): boolean =>
  leavesOut === "stores" || leavesOut === "everything";

/** What else than branches and choices may leave a value out. */
type LeavesOut = "choices" | "joins" | "records" | "stores" | "everything";

function namesIn(
  body: Body,
  leavesOut: LeavesOut,
  isUnread: (stmt: Stmt) => boolean = () => false,
): ReadonlySet<string> {
  const uses = new Map<string, Use[]>();
  const homes = new Map<string, readonly Arm[]>();
  collect(
    body,
    { arms: [], leavesOut, isUnread, becomes: null, isLoop: false, isWhile: false },
    uses,
    homes,
  );
  const isUnused = (name: string): boolean => keepsUnread(leavesOut) && !uses.has(name);
  const conditional = new Set<string>();
  const isLeftOut = (name: string): boolean => {
    const depth = homes.get(name)?.length ?? 0;
    const all = uses.get(name) ?? [];
    const certain = all.filter(
      ({ makes }) => !makes.some((made) => isUnused(made) || conditional.has(made)),
    );
    return all.length > 0 && !isCovered(certain.map(({ arms }) => arms.slice(depth)));
  };
  // what a value makes stands behind it, but for what goes from round to round
  const names = [...new Set([...homes.keys(), ...uses.keys()])].reverse();
  for (let before = -1; before !== conditional.size;) {
    before = conditional.size;
    for (const name of names) if (!conditional.has(name) && isLeftOut(name)) conditional.add(name);
  }
  return new Set([...homes.keys()].filter((name) => conditional.has(name)));
}

/** Whether one of the paths is taken whichever way the branches go: both sides of a branch count as one. */
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
  readonly leavesOut: LeavesOut;
  readonly isUnread: (stmt: Stmt) => boolean;
  /** What each of the body's results becomes behind its statement, and in the next round; null at the top. */
  readonly becomes: readonly (readonly string[])[] | null;
  readonly isLoop: boolean;
  readonly isWhile: boolean;
}

function collect(
  body: Body,
  place: Place,
  uses: Map<string, Use[]>,
  homes: Map<string, readonly Arm[]>,
): void {
  const { arms, leavesOut, isUnread, becomes, isLoop, isWhile } = place;
  const all = leavesOut === "everything";
  const out = [...arms, { branch: null, body }];
  const use = (name: string, makes: readonly string[], inside: readonly Arm[]): void => {
    uses.set(name, [...(uses.get(name) ?? []), { arms: inside, makes }]);
  };
  for (const stmt of body.stmts) {
    for (const bind of stmtBinds(stmt)) homes.set(bind.name, arms);
    const isKept =
      isUnread(stmt) ||
      (keepsUnread(leavesOut) && keeps(stmt)) ||
      (leavesOut === "records" && stmt.kind === "let" && stmt.expr.kind === "record") ||
      (all && handsOn(stmt));
    for (const [name, makes, chosen] of usesOf(stmt))
      use(name, makes, chosen || isKept ? out : arms);
    // there may be no rounds
    const branch = stmt.kind === "if" ? stmt : null;
    const round = all && (stmt.kind === "for" || stmt.kind === "while") ? stmt.body : null;
    for (const bind of innerBinds(stmt))
      homes.set(
        bind.name,
        round !== null && stmt.kind === "for" ? [...arms, { branch, body: round }] : arms,
      );
    for (const nested of stmtBodies(stmt))
      collect(
        nested,
        {
          arms: branch !== null || nested === round ? [...arms, { branch, body: nested }] : arms,
          leavesOut,
          isUnread,
          becomes: becomesOf(stmt),
          isLoop: branch === null,
          isWhile: stmt.kind === "while",
        },
        uses,
        homes,
      );
  }
  for (const [i, atom] of body.result.entries()) {
    if (atom.kind !== "var") continue;
    if (all)
      use(atom.name, becomes?.[i] ?? [], becomes === null && atom.type.kind === "opt" ? out : arms);
    // the last round's is for what stands behind the loop
    else
      use(
        atom.name,
        leavesOut === "stores" || (leavesOut !== "choices" && !isLoop)
          ? (becomes?.[i]?.slice(0, 1) ?? [])
          : [],
        leavesOut === "stores" && isWhile ? out : arms,
      );
  }
}

const becomesOf = (stmt: Stmt): readonly (readonly string[])[] =>
  stmtBinds(stmt).map(({ name }, i) =>
    stmt.kind === "for" || stmt.kind === "while"
      ? [name, stmt.carried[i]?.param.name ?? name]
      : [name],
  );

/** Others may leave it out: a function, code that is not lowered, or a loop's first round. */
const handsOn = (stmt: Stmt): boolean =>
  stmt.kind === "for" ||
  (stmt.kind === "let" && (stmt.expr.kind === "call" || stmt.expr.kind === "extern"));

/** What it takes goes on only if somebody reads it, or if there are rounds. */
const keeps = (stmt: Stmt): boolean =>
  stmt.kind === "store" ||
  stmt.kind === "append" ||
  stmt.kind === "while" ||
  (stmt.kind === "let" &&
    (stmt.expr.kind === "tuple" || stmt.expr.kind === "record" || stmt.expr.kind === "array"));

/** Names that a statement uses itself: what they make, and whether that may leave them out. */
function usesOf(
  stmt: Stmt,
): readonly (readonly [name: string, makes: readonly string[], chosen: boolean])[] {
  if (stmt.kind === "if") return [];
  if (stmt.kind !== "let")
    return stmtAtoms(stmt).flatMap((atom) =>
      atom.kind === "var" ? [[atom.name, [], false] as const] : [],
    );
  const { expr, bind } = stmt;
  if (expr.kind === "present" || (expr.kind === "op" && FLAT.has(expr.op))) return [];
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
