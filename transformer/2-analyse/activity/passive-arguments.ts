// Finds passive arguments and values loaded from them: from outside, without a requested cotangent,
// never written. Output: whether a name is passive, and whether reverse code needs no shadow of it:
// never, always, or (a join of passive and active) depending on which came. Follows names, as the
// points-to graph merges carried values (`layer = next`) with their initial ones.

import type { Absence } from "../../ir/facts.ts";
import { variableOf } from "../../ir/names.ts";
import type { Atom, Expr, Func, Let, Stmt } from "../../ir/types.ts";
import { exprAtoms, stmtAtoms, walkStmts } from "../../ir/visit.ts";
import { joins } from "../memory/flow.ts";
import type { Memory } from "../memory/memory.ts";
import { writesArguments } from "../memory/alias-queries.ts";
import { isAggregate } from "../memory/region.ts";

interface DataRequest {
  readonly func: Func;
  readonly graphs: ReadonlyMap<string, Memory>;
  /** Positions of the arguments that have a cotangent. */
  readonly active: readonly number[];
}

interface Data {
  isData(atom: Atom): boolean;
  /** Whether reverse code has no shadow of an aggregate. */
  absence(atom: Atom): Absence;
}

export function passivityOf(request: DataRequest): Data {
  const sources = new Sources(request);
  sources.follow();
  if (sources.isWritten) return { isData: () => false, absence: () => "never" };
  const isPassive = (atom: Atom): boolean => sources.of(atom) === FROM_OUTSIDE;
  let uses: Uses | null = null;
  return {
    isData: isPassive,
    absence: (atom) => {
      const name = nameOf(atom);
      if (name === null) return "never";
      const { needed, maybe } = (uses ??= usesIn(request.func, isPassive));
      if (needed.has(name)) return "never";
      return maybe.has(name) ? "maybe" : isPassive(atom) ? "always" : "never";
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

// where objects come from ------------------------------------------------------------------------

/** A bit set of origins. */
type Origins = number;
const FROM_OUTSIDE: Origins = 1;
const ELSEWHERE: Origins = 2;

/** The origins of each name's object; loads, calls and foreign code may return any. */
class Sources {
  /** Whether memory from outside may be written. */
  isWritten = false;
  /** Whether objects from outside may be found inside local ones. */
  #escaped = false;
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
      /* eslint-disable-next-line @typescript-eslint/no-unnecessary-condition --
         set by the walk above */
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
        return this.#stored(stmt.value);
      case "push":
        return this.#stored(stmt.value);
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
        this.#storeAll(exprAtoms(expr));
        return this.#add(bind, ELSEWHERE);
      case "call":
        this.#call(expr);
        break;
      case "extern":
        if (expr.effect === "io") this.#storeAll(expr.args);
        break;
      case "removeLast":
        this.#written(expr.object);
        break;
      default:
    }
    this.#add(bind, FROM_OUTSIDE | ELSEWHERE);
  }

  /** The origins of an object loaded from one of these. */
  #inside(origins: Origins): Origins {
    return (
      (origins & FROM_OUTSIDE) |
      (origins & ELSEWHERE) |
      ((origins & ELSEWHERE) !== 0 && this.#escaped ? FROM_OUTSIDE : 0)
    );
  }

  #written(object: Atom): void {
    if ((this.of(object) & FROM_OUTSIDE) !== 0) this.isWritten = true;
  }

  /** Records that the object is stored where other names may find it. */
  #stored(atom: Atom): void {
    if ((this.of(atom) & FROM_OUTSIDE) === 0 || this.#escaped) return;
    this.#escaped = true;
    this.#changed = true;
  }

  #storeAll(atoms: readonly Atom[]): void {
    for (const atom of atoms) this.#stored(atom);
  }

  #call(expr: Expr & { kind: "call" }): void {
    const graph = this.#request.graphs.get(expr.callee);
    if (graph !== undefined && graph.writtenGlobals().length > 0) this.isWritten = true;
    if (!writesArguments(expr, this.#request.graphs)) return;
    expr.args.forEach((arg) => this.#written(arg));
    if (!this.#escaped) this.#changed = this.#escaped = true;
  }
}

// uses that need a shadow ------------------------------------------------------------------------

type Flow = readonly [from: string, to: string];

interface Uses {
  /** Names with a use that needs their shadow, and what these derive from. */
  readonly needed: ReadonlySet<string>;
  /** Joins of passive with other values, and what derives from them. */
  readonly maybe: ReadonlySet<string>;
}

function usesIn(func: Func, isPassive: (atom: Atom) => boolean): Uses {
  const flows = flowsOf(func);
  const needed = neededIn(func, isPassive, flows);
  return { needed, maybe: joinedWithData(func, isPassive, needed, flows) };
}

/** Pairs (source, target) in which the target's shadow is derived from the source's. */
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
  isPassive: (atom: Atom) => boolean,
  flows: readonly Flow[],
): ReadonlySet<string> {
  const needed = new Set<string>();
  const note = (atom: Atom): void => {
    const name = nameOf(atom);
    if (name !== null) needed.add(name);
  };
  walkStmts(func.body, (stmt) =>
    (stmt.kind === "let"
      ? shadowsUsed(stmt, isPassive)
      : stmt.kind === "for" || stmt.kind === "while"
        ? []
        : stmtAtoms(stmt)
    ).forEach(note),
  );
  func.body.result.forEach(note);
  // last flows first: most names are reached in one iteration
  return closed(needed, flows.map(([from, to]): Flow => [to, from]).reverse());
}

/** Operands whose shadows a statement uses; loading from a join and passing it on uses none. */
function shadowsUsed({ bind, expr }: Let, isPassive: (atom: Atom) => boolean): readonly Atom[] {
  switch (expr.kind) {
    case "load":
    case "length":
    case "present":
    case "copy":
      return [];
    case "unwrap":
      return isPassive(expr.value) ? [] : [expr.value];
    case "slice":
      return isPassive(expr.object) && holdsNumbers(bind) ? [] : [expr.object];
    case "array":
      return expr.parts.flatMap(({ atom, spread }) =>
        spread && isPassive(atom) && holdsNumbers(bind) ? [] : [atom],
      );
    default:
      return exprAtoms(expr);
  }
}

const holdsNumbers = ({ type }: Atom): boolean => type.kind === "array" && type.elem.kind === "num";

function joinedWithData(
  func: Func,
  isPassive: (atom: Atom) => boolean,
  needed: ReadonlySet<string>,
  all: readonly Flow[],
): ReadonlySet<string> {
  const data = new Set<string>();
  const note = (atom: Atom): void => {
    const name = nameOf(atom);
    if (name !== null && isPassive(atom)) data.add(name);
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

/** Adds the names that the flows lead to. */
function closed(names: Set<string>, flows: readonly Flow[]): ReadonlySet<string> {
  for (let size = -1; size !== names.size;) {
    size = names.size;
    for (const [from, to] of flows) if (names.has(from)) names.add(to);
  }
  return names;
}
