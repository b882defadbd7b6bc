// Branches that are taken where two active numbers are equal, `if (x === 0) return 1`: their
// derivative is that of single points. In: a function and its facts. Out: the comparisons whose
// branches differ in what is active, unless one branch throws or a loop ends by convergence.

import type { FunctionFacts } from "../ir/facts.ts";
import type { Atom, Body, Expr, Func, If, Let, Stmt } from "../ir/types.ts";
import { memoised, walkStmts } from "../ir/visit.ts";
import { partialOf } from "../rules/rule.ts";
import { SCALAR } from "../rules/scalar.ts";

type Op = Expr & { readonly kind: "op" };
export type Comparison = Let & { readonly expr: Op };

const EQUALITIES: ReadonlySet<string> = new Set(["eq", "ne", "looseEq", "looseNe"]);
const CONNECTIVES: ReadonlySet<string> = new Set(["not", "and", "or"]);

/** The comparisons of two numbers in a body that code of the user makes. */
export const equalitiesIn: (body: Body) => readonly Comparison[] = memoised((body) => {
  const found: Comparison[] = [];
  walkStmts(body, (stmt) => {
    if (stmt.kind === "let" && stmt.adjoint !== true && isEquality(stmt.expr))
      found.push({ ...stmt, expr: stmt.expr });
  });
  return found;
});

const isEquality = (expr: Expr): expr is Op =>
  expr.kind === "op" &&
  EQUALITIES.has(expr.op) &&
  expr.args.every(({ type }) => type.kind === "num") &&
  !isOfItself(expr.args) &&
  !expr.args.some((arg) => arg.kind === "const" && !Number.isFinite(arg.value));

/** `x !== x` tests for NaN. */
const isOfItself = ([x, z]: readonly Atom[]): boolean =>
  x !== undefined && z !== undefined && isSame(x, z);

export function equalityBranches(func: Func, facts: FunctionFacts): readonly Comparison[] {
  const comparisons = equalitiesIn(func.body);
  if (comparisons.length === 0) return [];
  const code = new Definitions(func, facts);
  const suspects = new Map(
    comparisons
      .filter(({ expr }) => expr.args.some((arg) => code.dependsOnActive(arg)))
      .map((one) => [one.bind.name, one]),
  );
  const found = new Set<Comparison>();
  if (suspects.size === 0) return [];
  walkStmts(func.body, (branch) => {
    if (branch.kind !== "if" || !code.differ(branch)) return;
    for (const name of code.conditionsOf(branch.cond)) {
      const comparison = suspects.get(name);
      if (comparison !== undefined && !code.isConvergence(branch, comparison))
        found.add(comparison);
    }
  });
  return [...found];
}

class Definitions {
  readonly #facts: FunctionFacts;
  readonly #lets = new Map<string, Expr>();
  /** Of a boolean that an `if` or a loop binds: the condition, and what the bodies give. */
  readonly #joins = new Map<string, readonly Atom[]>();
  readonly #loopBinds = new Set<string>();
  /** Booleans that loops carry from one iteration to the next. */
  readonly #exits: ReadonlySet<string>;

  constructor(func: Func, facts: FunctionFacts) {
    this.#facts = facts;
    const ends: Atom[] = [];
    walkStmts(func.body, (stmt) => {
      if (stmt.kind === "let") this.#lets.set(stmt.bind.name, stmt.expr);
      const isLoop = stmt.kind === "for" || stmt.kind === "while";
      if (!isLoop && stmt.kind !== "if") return;
      const [bodies, cond] = isLoop ? [[stmt.body], []] : [[stmt.then, stmt.else], [stmt.cond]];
      for (const [i, bind] of stmt.binds.entries()) {
        if (bind.type.kind !== "bool") continue;
        const results = bodies.flatMap(({ result }) => result[i] ?? []);
        this.#joins.set(bind.name, [...cond, ...results]);
        if (isLoop) {
          this.#loopBinds.add(bind.name);
          ends.push(...results);
        }
      }
    });
    this.#exits = new Set(ends.flatMap((end) => this.conditionsOf(end)));
  }

  /** Whether a number is active, or computed from active ones for a comparison alone. */
  dependsOnActive(given: Atom): boolean {
    return this.#reaches(given, (atom) => this.#facts.active(atom), this.#operandsWithSlopes);
  }

  /** The names of booleans that a condition is made of. */
  conditionsOf(cond: Atom): readonly string[] {
    const found: string[] = [];
    const visit = (atom: Atom): boolean => {
      if (atom.kind === "var") found.push(atom.name);
      return false;
    };
    this.#reaches(cond, visit, (name) => {
      const expr = this.#lets.get(name);
      const isJoined = expr?.kind === "op" && CONNECTIVES.has(expr.op);
      return isJoined ? expr.args : (this.#joins.get(name) ?? []);
    });
    return found;
  }

  readonly #operandsWithSlopes = (name: string): readonly Atom[] => {
    const expr = this.#lets.get(name);
    if (expr?.kind === "copy") return [expr.atom];
    if (expr?.kind !== "op") return [];
    const { op, args } = expr;
    return args.filter((_, i) => partialOf(SCALAR[op], i, args.length) !== null);
  };

  #reaches(
    from: Atom,
    isGoal: (atom: Atom) => boolean,
    next: (name: string) => readonly Atom[],
  ): boolean {
    const open = [from];
    const seen = new Set<string>();
    for (let atom = open.pop(); atom !== undefined; atom = open.pop()) {
      if (atom.kind !== "var" || seen.has(atom.name)) continue;
      seen.add(atom.name);
      if (isGoal(atom)) return true;
      open.push(...next(atom.name));
    }
    return false;
  }

  /** Whether both branches go on, with other active values. */
  differ({ then, else: other, binds }: If): boolean {
    if (endsInThrow(then) || endsInThrow(other)) return false;
    const isOther = binds.some((bind, i) => {
      const [x, z] = [then.result[i], other.result[i]];
      return this.#isActive(bind) && x !== undefined && z !== undefined && !isSame(x, z);
    });
    return isOther || [then, other].some((body) => this.#writesActive(body));
  }

  readonly #isActive = (atom: Atom): boolean =>
    this.#facts.active(atom) || this.#facts.shadowed(atom);

  #writesActive(body: Body): boolean {
    let found = false;
    walkStmts(body, (stmt) => {
      found ||= this.#isActiveWrite(stmt);
    });
    return found;
  }

  #isActiveWrite(stmt: Stmt): boolean {
    if (stmt.kind === "store") return this.#facts.placeActive(stmt.object, stmt.key);
    return stmt.kind === "append" && this.#isActive(stmt.object) && this.#isActive(stmt.value);
  }

  /** Whether equality ends a loop: of two iterates, or with everything as it is. */
  isConvergence({ cond, then, else: other, binds }: If, { bind, expr }: Comparison): boolean {
    if (!this.#exits.has(bind.name)) return false;
    if (!expr.args.some(({ kind }) => kind === "const")) return true;
    if (cond.kind === "var" && this.#loopBinds.has(cond.name)) return false;
    const isNegative = expr.op === "ne" || expr.op === "looseNe";
    const equal = isNegative ? other : then;
    return !binds.some((each, i) => this.#isActive(each) && equal.result[i]?.kind !== "var");
  }
}

const endsInThrow = ({ stmts }: Body): boolean => stmts.at(-1)?.kind === "throw";

const isSame = (x: Atom, z: Atom): boolean =>
  x === z ||
  (x.kind === "var" && z.kind === "var" && x.name === z.name) ||
  (x.kind === "const" && z.kind === "const" && Object.is(x.value, z.value));
