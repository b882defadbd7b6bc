// Whether a function is linear in its active arguments, as far as its derivative shows: then what
// the pullback reads, and how often loops run, does not depend on them. In: a function, its facts,
// and the values that its reverse code reads. Out: where the first that depends on them is made.

import type { FunctionFacts } from "../ir/facts.ts";
import { isScalarType } from "../ir/shadow.ts";
import type { Atom, Expr, Func, Origin, Stmt, Type, Var } from "../ir/types.ts";
import { exprAtoms, stmtBodies, walkStmts } from "../ir/visit.ts";

/** `param`: the value is this argument itself. */
export interface ActiveRead {
  readonly origin: Origin;
  readonly param: string | null;
}

/** Null if all are constants. */
export function readOfActive(
  func: Func,
  facts: FunctionFacts,
  read: readonly Var[],
): ActiveRead | null {
  const sources = new Map<string, readonly Atom[]>();
  const origins = new Map<string, Origin>();
  const tests: Stmt[] = [];
  // booleans in memory are not followed by place: any may be what any load gives
  const stored: Atom[] = [];
  const loaded: string[] = [];
  walkStmts(func.body, (stmt) => {
    if (stmt.kind === "while") tests.push(stmt);
    stored.push(...storedIn(stmt).filter(isTruth));
    if (stmt.kind === "let" && stmt.expr.kind === "load" && isTruth(stmt.bind))
      loaded.push(stmt.bind.name);
    for (const [bind, from] of flowsOf(stmt)) {
      sources.set(bind.name, [...(sources.get(bind.name) ?? []), ...from]);
      origins.set(bind.name, stmt.origin);
    }
  });
  for (const name of loaded) sources.set(name, stored);
  const depends = (atom: Atom): boolean => dependsOnActive(atom, facts, sources);
  const loop = tests.find((stmt) => stmt.kind === "while" && stmt.test.result.some(depends));
  const value = read.find((each) => isOne(each) && depends(each));
  if (value === undefined) return loop === undefined ? null : { origin: loop.origin, param: null };
  const origin = origins.get(value.name);
  return origin === undefined
    ? { origin: func.origin, param: value.name }
    : { origin, param: null };
}

/** What a statement puts into memory. */
function storedIn(stmt: Stmt): readonly Atom[] {
  switch (stmt.kind) {
    case "store":
    case "append":
    case "fill":
      return [stmt.value];
    case "let":
      return MAKES.has(stmt.expr.kind) ? exprAtoms(stmt.expr) : [];
    default:
      return [];
  }
}

const MAKES: ReadonlySet<Expr["kind"]> = new Set(["array", "tuple", "record", "alloc", "call"]);

/** Each name that a statement binds, with what its value is made of. */
function flowsOf(stmt: Stmt): readonly (readonly [Var, readonly Atom[]])[] {
  switch (stmt.kind) {
    case "let":
      return [[stmt.bind, exprAtoms(stmt.expr)]];
    case "if":
    case "for":
    case "while": {
      const bodies = stmt.kind === "if" ? stmtBodies(stmt) : [stmt.body];
      const tests = stmt.kind === "if" ? [stmt.cond] : [];
      const carried = stmt.kind === "if" ? [] : stmt.carried;
      const ends = (i: number): readonly Atom[] => bodies.flatMap(({ result }) => result[i] ?? []);
      return [
        ...stmt.binds.map((bind, i): readonly [Var, readonly Atom[]] => [
          bind,
          [...tests, ...ends(i)],
        ]),
        ...carried.map(({ param, init }, i): readonly [Var, readonly Atom[]] => [
          param,
          [init, ...ends(i)],
        ]),
      ];
    }
    default:
      return [];
  }
}

/** A number, a test, or a string; it may be missing. */
const isOne = (atom: Atom): boolean => {
  const type = bare(atom);
  return isScalarType(type) || type.kind === "bool" || type.kind === "leaf";
};

const isTruth = (atom: Atom): boolean => bare(atom).kind === "bool";

const bare = ({ type }: Atom): Type => (type.kind === "opt" ? type.of : type);

/** Aggregates count by the numbers that are read from them. */
function dependsOnActive(
  from: Atom,
  facts: FunctionFacts,
  sources: ReadonlyMap<string, readonly Atom[]>,
): boolean {
  const open = [from];
  const seen = new Set<string>();
  for (let atom = open.pop(); atom !== undefined; atom = open.pop()) {
    if (atom.kind !== "var" || seen.has(atom.name) || !isOne(atom)) continue;
    if (facts.varied(atom)) return true;
    seen.add(atom.name);
    open.push(...(sources.get(atom.name) ?? []));
  }
  return false;
}
