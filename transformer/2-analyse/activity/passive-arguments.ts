// Which arrays are data: they come from outside, nobody asks for their cotangent, and nobody writes them. In: an ssa function, its memory graphs, the
// arguments asked for. Out: whether a name is data, and whether reverse code can do without a shadow of it: never, always, or (a join of data with
// something active) as it came about. Invariant: what has no shadow has one that nobody would read, and none of its uses needs one.
// The graphs join what a loop hands on (`layer = next`) with what it starts from; here names are followed, which tells the two apart.

import type { Absence } from "../../ir/facts.ts";
import { variableOf } from "../../ir/names.ts";
import type { Atom, Expr, Func, Let, Stmt } from "../../ir/types.ts";
import { exprAtoms, stmtAtoms, walkStmts } from "../../ir/visit.ts";
import { joins } from "../memory/flow.ts";
import type { Memory } from "../memory/memory.ts";
import { writesArguments } from "../memory/objects.ts";
import { isAggregate } from "../memory/region.ts";

export interface DataRequest {
  readonly func: Func;
  readonly graphs: ReadonlyMap<string, Memory>;
  /** Positions of the arguments that have a cotangent. */
  readonly active: readonly number[];
}

export interface Data {
  isData(atom: Atom): boolean;
  /** Whether reverse code has no shadow of an aggregate. */
  absence(atom: Atom): Absence;
}

export function dataOf(request: DataRequest): Data {
  const sources = new Sources(request);
  sources.follow();
  if (sources.isWritten) return { isData: () => false, absence: () => "never" };
  const isData = (atom: Atom): boolean => sources.of(atom) === FROM_OUTSIDE;
  let uses: Uses | null = null;
  return {
    isData,
    absence: (atom) => {
      const name = nameOf(atom);
      if (name === null) return "never";
      const { needed, maybe } = (uses ??= usesIn(request.func, isData));
      if (needed.has(name)) return "never";
      return maybe.has(name) ? "maybe" : isData(atom) ? "always" : "never";
    },
  };
}

const nameOf = (atom: Atom): string | null =>
  isAggregate(atom.type)
    ? atom.kind === "var"
      ? atom.name
      : atom.kind === "global"
        ? `global ${variableOf(atom)}`
        : null
    : null;

// where objects come from -------------------------------------------------------------------------------------------

/** Sets of origins. */
type Origins = number;
const FROM_OUTSIDE: Origins = 1;
const ELSEWHERE: Origins = 2;

/** The origins of each name's object. An object of which nothing is known may come from anywhere. */
class Sources {
  /** Whether memory from outside may be written. */
  isWritten = false;
  /** Whether what comes from outside may be found in other objects, too. */
  #leaks = false;
  #changed = false;
  readonly #known = new Map<string, Origins>();
  readonly #request: DataRequest;

  constructor(request: DataRequest) {
    this.#request = request;
    request.func.params.forEach((param, i) =>
      this.#add(param, request.active.includes(i) ? ELSEWHERE : FROM_OUTSIDE),
    );
  }

  follow(): void {
    do {
      this.#changed = false;
      walkStmts(this.#request.func.body, (stmt) => {
        for (const [from, to] of joins(stmt)) this.#add(to, this.of(from));
        this.#statement(stmt);
      });
    } while (this.#changed && !this.isWritten);
  }

  of(atom: Atom): Origins {
    const name = nameOf(atom);
    if (name === null) return 0;
    return atom.kind === "global" ? FROM_OUTSIDE : (this.#known.get(name) ?? 0);
  }

  #add(to: Atom, origins: Origins): void {
    const name = nameOf(to);
    const before = this.of(to);
    if (name === null || (before | origins) === before) return;
    this.#known.set(name, before | origins);
    this.#changed = true;
  }

  #statement(stmt: Stmt): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt);
      case "store":
      case "accum":
      case "append":
      case "fill":
        this.#written(stmt.object);
        return this.#kept(stmt.value);
      case "push":
        return this.#kept(stmt.value);
      default:
    }
  }

  #let({ bind, expr }: Let): void {
    switch (expr.kind) {
      case "copy":
        return this.#add(bind, this.of(expr.atom));
      case "unwrap":
        return this.#add(bind, this.of(expr.value));
      case "load":
        return this.#add(bind, this.#inside(this.of(expr.object)));
      case "array":
      case "tuple":
      case "record":
      case "alloc":
      case "slice":
      case "zeros":
      case "clone":
        for (const atom of exprAtoms(expr)) this.#kept(atom);
        return this.#add(bind, ELSEWHERE);
      case "call":
        this.#call(expr);
        break;
      case "extern":
        if (expr.effect === "io") for (const atom of expr.args) this.#kept(atom);
        break;
      case "removeLast":
        this.#written(expr.object);
        break;
      default:
    }
    this.#add(bind, FROM_OUTSIDE | ELSEWHERE);
  }

  /** Of an object that lies in one of these. */
  #inside(origins: Origins): Origins {
    return (
      (origins & FROM_OUTSIDE) |
      (origins & ELSEWHERE) |
      ((origins & ELSEWHERE) !== 0 && this.#leaks ? FROM_OUTSIDE : 0)
    );
  }

  #written(object: Atom): void {
    if ((this.of(object) & FROM_OUTSIDE) !== 0) this.isWritten = true;
  }

  /** The object goes where other names may find it. */
  #kept(atom: Atom): void {
    if ((this.of(atom) & FROM_OUTSIDE) === 0 || this.#leaks) return;
    this.#leaks = true;
    this.#changed = true;
  }

  #call(expr: Expr & { kind: "call" }): void {
    const graph = this.#request.graphs.get(expr.callee);
    if (graph !== undefined && graph.writtenGlobals().length > 0) this.isWritten = true;
    if (!writesArguments(expr, this.#request.graphs)) return;
    expr.args.forEach((arg) => this.#written(arg));
    if (!this.#leaks) this.#changed = this.#leaks = true;
  }
}

// who can do without a shadow ---------------------------------------------------------------------------------------

type Flow = readonly [from: string, to: string];

interface Uses {
  /** Names with a use that needs a shadow, and what those come from. */
  readonly needed: ReadonlySet<string>;
  /** Joins of data with something else, and what comes from them. */
  readonly maybe: ReadonlySet<string>;
}

function usesIn(func: Func, isData: (atom: Atom) => boolean): Uses {
  const flows = flowsOf(func);
  const needed = neededIn(func, isData, flows);
  return { needed, maybe: joinedWithData(func, isData, needed, flows) };
}

/** Pairs of what an aggregate's shadow is made of, and whose it is. */
function flowsOf(func: Func): readonly Flow[] {
  const flows: Flow[] = [];
  const add = (from: Atom, to: Atom): void => {
    const [source, target] = [nameOf(from), nameOf(to)];
    if (source !== null && target !== null) flows.push([source, target]);
  };
  walkStmts(func.body, (stmt) => {
    for (const [from, to] of joins(stmt)) add(from, to);
    if (stmt.kind !== "let") return;
    if (stmt.expr.kind === "copy") add(stmt.expr.atom, stmt.bind);
    if (stmt.expr.kind === "load") add(stmt.expr.object, stmt.bind);
    if (stmt.expr.kind === "unwrap") add(stmt.expr.value, stmt.bind);
  });
  return flows;
}

function neededIn(
  func: Func,
  isData: (atom: Atom) => boolean,
  flows: readonly Flow[],
): ReadonlySet<string> {
  const needed = new Set<string>();
  const note = (atom: Atom): void => {
    const name = nameOf(atom);
    if (name !== null) needed.add(name);
  };
  walkStmts(func.body, (stmt) =>
    (stmt.kind === "let"
      ? shadowsUsed(stmt, isData)
      : stmt.kind === "for" || stmt.kind === "while"
        ? []
        : stmtAtoms(stmt)
    ).forEach(note),
  );
  func.body.result.forEach(note);
  // the last ones first: that way most of them are followed in one round
  return closed(needed, flows.map(([from, to]): Flow => [to, from]).reverse());
}

/** Operands whose shadows a statement has a use for. A join of data with something else may be read and handed on, no more. */
function shadowsUsed({ bind, expr }: Let, isData: (atom: Atom) => boolean): readonly Atom[] {
  switch (expr.kind) {
    case "load":
    case "length":
    case "present":
    case "copy":
      return [];
    case "unwrap":
      return isData(expr.value) ? [] : [expr.value];
    case "slice":
      return isData(expr.object) && holdsNumbers(bind) ? [] : [expr.object];
    case "array":
      return expr.parts.flatMap(({ atom, spread }) =>
        spread && isData(atom) && holdsNumbers(bind) ? [] : [atom],
      );
    default:
      return exprAtoms(expr);
  }
}

const holdsNumbers = ({ type }: Atom): boolean => type.kind === "array" && type.elem.kind === "num";

function joinedWithData(
  func: Func,
  isData: (atom: Atom) => boolean,
  needed: ReadonlySet<string>,
  all: readonly Flow[],
): ReadonlySet<string> {
  const data = new Set<string>();
  const note = (atom: Atom): void => {
    const name = nameOf(atom);
    if (name !== null && isData(atom)) data.add(name);
  };
  func.params.forEach(note);
  walkStmts(func.body, (stmt) => {
    for (const pair of joins(stmt)) pair.forEach(note);
    if (stmt.kind === "let") [stmt.bind, ...exprAtoms(stmt.expr)].forEach(note);
  });
  const flows = all.filter(([, to]) => !data.has(to));
  return closed(
    new Set(flows.flatMap(([from, to]) => (data.has(from) && !needed.has(from) ? [to] : []))),
    flows,
  );
}

/** `names`, and where the flows lead from them. */
function closed(names: Set<string>, flows: readonly Flow[]): ReadonlySet<string> {
  for (let size = -1; size !== names.size;) {
    size = names.size;
    for (const [from, to] of flows) if (names.has(from)) names.add(to);
  }
  return names;
}
