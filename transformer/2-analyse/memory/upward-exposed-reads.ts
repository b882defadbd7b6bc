// Upward-exposed reads of persistent memory: what a function may read, by access path, before the
// same execution writes it. Also what it surely writes, so that a call can be summarised. A loop
// counts as run, and a write of any element as one of all, unless earlier state decides whether it
// happens. Memory that is reached by no known path is left out.

import type {
  Append,
  ArrayPart,
  Atom,
  Body,
  Expr,
  For,
  Func,
  Global,
  If,
  Let,
  Origin,
  Stmt,
  Var,
  While,
} from "../../ir/types.ts";
import type { Types } from "../../ir/shadow.ts";
import { exprAtoms, walkStmts } from "../../ir/visit.ts";
import { activityOf } from "../activity/activity.ts";
import { computedStores, KeyTests } from "../elements/computed-place-stores.ts";
import {
  type AccessPath,
  ANY_ENTRY,
  anyPosition,
  isAllocated,
  mayHaveStored,
  OUTSIDE,
  pathText,
  singlePath,
  withoutMarks,
} from "./access-path.ts";
import { joins } from "./flow.ts";
import type { Memory } from "./memory.ts";
import { NamePaths } from "./name-paths.ts";
import { ELEMENTS, isAggregate } from "./region.ts";
import { DefiniteWrites } from "./definite-writes.ts";

interface ReadFirst {
  readonly path: AccessPath;
  readonly origin: Origin;
}

interface OutsideUse {
  readonly reads: readonly ReadFirst[];
  readonly writes: DefiniteWrites;
  /** Everything that it may write. */
  readonly stores: readonly AccessPath[];
  /** Paths to the objects that it returns. */
  readonly result: readonly AccessPath[];
  readonly globals: ReadonlyMap<string, Global>;
  /** Whether a value depends on what an earlier execution left. */
  readonly dependsOnPast: boolean;
}

interface Context {
  readonly funcs: ReadonlyMap<string, Func>;
  readonly graphs: ReadonlyMap<string, Memory>;
  readonly types: Types;
}

const NO_USE: OutsideUse = {
  reads: [],
  writes: new DefiniteWrites(),
  stores: [],
  result: [],
  globals: new Map(),
  dependsOnPast: false,
};

/** Recursive calls count as calls without effect. */
export function externalUseOf(
  func: Func,
  context: Context,
  known: Map<string, OutsideUse> = new Map(),
): OutsideUse {
  const before = known.get(func.name);
  if (before !== undefined) return before;
  known.set(func.name, NO_USE);
  const memory = context.graphs.get(func.name);
  if (memory === undefined) return NO_USE;
  const made = new UseScan(func, memory, context, (callee) => {
    const of = context.funcs.get(callee);
    return of === undefined ? NO_USE : externalUseOf(of, context, known);
  }).use();
  known.set(func.name, made);
  return made;
}

/** Walks a function in execution order until the paths of its names no longer change. */
class UseScan {
  readonly #paths: NamePaths;
  /** Names whose values depend on what an earlier execution left. */
  readonly #pastDependent = new Set<string>();
  readonly #useful: ReadonlySet<string>;
  readonly #stores = new Map<string, AccessPath>();
  /** By the name of a length: path texts of the arrays that it may measure. */
  readonly #lengths = new Map<string, readonly string[]>();
  readonly #tests = new KeyTests();
  #reads: ReadFirst[] = [];
  #writes = new DefiniteWrites();
  #changed = false;
  readonly #func: Func;
  readonly #useOf: (callee: string) => OutsideUse;

  constructor(
    func: Func,
    memory: Memory,
    { graphs, types }: Context,
    useOf: (callee: string) => OutsideUse,
  ) {
    this.#func = func;
    this.#paths = new NamePaths(types);
    this.#useOf = useOf;
    this.#useful = activityOf({
      func,
      memory,
      types,
      graphs,
      active: [],
      writesAreOutputs: true,
    }).usefulNames;
  }

  use(): OutsideUse {
    this.#func.params.forEach((param, i) => {
      this.#paths.bind(param, [[String(i)]]);
    });
    do {
      this.#changed = false;
      this.#paths.changed = false;
      this.#reads = [];
      this.#writes = new DefiniteWrites();
      this.#body(this.#func.body);
      /* eslint-disable-next-line @typescript-eslint/no-unnecessary-condition --
         set by the walk above */
    } while (this.#changed || this.#paths.changed);
    return {
      reads: this.#reads,
      writes: this.#writes,
      stores: [...this.#stores.values()],
      result: this.#func.body.result.flatMap((atom) => this.#paths.to(atom)),
      globals: this.#paths.globals,
      dependsOnPast: this.#pastDependent.size > 0,
    };
  }

  #dependsOnPast(atom: Atom | undefined): boolean {
    return atom?.kind === "var" && this.#pastDependent.has(atom.name);
  }

  #markPastDependent(name: Var): void {
    if (this.#pastDependent.has(name.name)) return;
    this.#pastDependent.add(name.name);
    this.#changed = true;
  }

  #stored(to: AccessPath): void {
    const path = withoutMarks(to);
    const text = pathText(path);
    if (this.#stores.has(text) || isAllocated(path)) return;
    this.#stores.set(text, path);
    this.#changed = true;
  }

  #body(body: Body): void {
    for (const stmt of body.stmts) this.#stmt(stmt);
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over Stmt kinds
  #stmt(stmt: Stmt): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt);
      case "store":
        return this.#store(this.#paths.at(stmt.object, stmt.key), stmt.value);
      case "fill":
        return this.#store(this.#paths.placesIn(stmt.object, ELEMENTS), stmt.value);
      case "append":
        return this.#append(stmt);
      case "if":
        return this.#if(stmt);
      case "for":
      case "while":
        return this.#loop(stmt);
      case "throw":
        return this.#writes.leave();
      case "accum":
      case "push":
      case "reserve":
      case "declare":
      case "assign":
      case "break":
      case "continue":
      case "return":
      case "scope":
      case "loop":
        return;
    }
  }

  #append({ object, value }: Append): void {
    for (const path of this.#paths.placesIn(object, ELEMENTS)) {
      this.#stored(path);
      this.#paths.hold(path, value);
      this.#writes.append(path);
    }
  }

  /** An object moved within persistent memory counts as written where its contents were written. */
  #store(paths: readonly AccessPath[], value: Atom): void {
    for (const path of paths) {
      this.#stored(path);
      this.#paths.hold(path, value);
    }
    const path = singlePath(paths);
    if (path === null) return;
    const from = isAggregate(value.type) ? this.#paths.to(value) : [];
    const moved = from.filter(([root = ""]) => root.startsWith(OUTSIDE) || root === path[0]);
    if (moved.length > 0 && moved.length === from.length && this.#writes.move(path, from)) return;
    if (moved.every((from) => this.#writes.hasBelow(from))) this.#writes.store(path);
  }

  #if(stmt: If): void {
    const { cond, then, else: otherwise } = stmt;
    const before = this.#writes;
    const branch = (body: Body): DefiniteWrites => {
      this.#writes = before.copy();
      this.#body(body);
      return this.#writes;
    };
    const one = branch(then);
    const other = branch(otherwise);
    const isPastDependent = this.#dependsOnPast(cond);
    this.#writes = DefiniteWrites.either(one, other, isPastDependent);
    if (isPastDependent)
      for (const path of DefiniteWrites.lacking(one, other, before))
        this.#reads.push({ path, origin: stmt.origin });
    this.#join(stmt);
    if (isPastDependent) for (const bind of stmt.binds) this.#markPastDependent(bind);
    else
      for (const { object, key } of computedStores(stmt, this.#tests))
        for (const path of this.#paths.at(object, key)) this.#writes.store(path);
  }

  /** The next iteration reads carried objects after the writes of this one. */
  #loop(stmt: For | While): void {
    const before = this.#writes.copy();
    const { carried } = stmt;
    for (const { param, init } of carried) this.#paths.bind(param, this.#paths.to(init));
    for (
      let known = -1, count = 0, moves = this.#writes.moves;
      count > known || moves < this.#writes.moves;
    ) {
      known = count;
      moves = this.#writes.moves;
      if (stmt.kind === "while") this.#body(stmt.test);
      this.#body(stmt.body);
      carried.forEach(({ param }, i) => {
        const next = stmt.body.result[i];
        if (next !== undefined)
          this.#paths.bind(param, [...this.#paths.to(param), ...this.#paths.to(next)]);
      });
      count = carried.reduce((sum, { param }) => sum + this.#paths.to(param).length, 0);
    }
    this.#join(stmt);
    const isPastDependent =
      stmt.kind === "for"
        ? this.#dependsOnPast(stmt.to) || this.#dependsOnPast(stmt.from)
        : this.#dependsOnPast(stmt.test.result[0]);
    const cleared = this.#clearedBy(stmt);
    if (isPastDependent && cleared.length === 0) {
      for (const path of DefiniteWrites.lacking(this.#writes, before, before))
        this.#reads.push({ path, origin: stmt.origin });
      this.#writes = DefiniteWrites.either(this.#writes, before, true);
    }
    for (const path of cleared) this.#writes.store(path);
  }

  #join(stmt: Stmt): void {
    const paths = new Map<Var, AccessPath[]>();
    for (const [from, to] of joins(stmt)) {
      if (to.kind !== "var") continue;
      paths.set(to, [...(paths.get(to) ?? []), ...this.#paths.to(from)]);
      if (this.#dependsOnPast(from)) this.#markPastDependent(to);
    }
    for (const [to, all] of paths) this.#paths.bind(to, all);
  }

  /**
   * Arrays that a loop empties: `for (i < xs.length) xs.pop()`, `while (xs.length > 0) xs.pop()`.
   */
  #clearedBy(stmt: For | While): readonly AccessPath[] {
    const popped: AccessPath[] = [];
    const measured = new Set<string>();
    walkStmts(stmt.body, (inner) => {
      if (inner.kind === "let" && inner.expr.kind === "removeLast")
        popped.push(...this.#paths.to(inner.expr.object));
    });
    if (popped.length === 0) return [];
    if (stmt.kind === "for")
      for (const name of stmt.to.kind === "var" ? (this.#lengths.get(stmt.to.name) ?? []) : [])
        measured.add(name);
    else
      walkStmts(stmt.test, (inner) => {
        if (inner.kind === "let" && inner.expr.kind === "length")
          for (const path of this.#paths.to(inner.expr.object)) measured.add(pathText(path));
      });
    return popped.filter((path) => measured.has(pathText(path)));
  }

  #let(stmt: Let): void {
    const { bind, expr } = stmt;
    this.#tests.note(stmt);
    switch (expr.kind) {
      case "copy":
        this.#paths.bind(bind, this.#paths.to(expr.atom));
        break;
      case "unwrap":
        this.#paths.bind(bind, this.#paths.to(expr.value));
        break;
      case "load":
        return this.#read(stmt, this.#paths.at(expr.object, expr.key));
      case "removeLast":
        this.#paths.addStack(expr.object);
        return this.#read(stmt, this.#paths.placesIn(expr.object, ELEMENTS));
      case "slice":
        return this.#read(stmt, this.#paths.placesIn(expr.object, ELEMENTS));
      case "array":
        return this.#array(stmt, expr.parts);
      case "tuple":
        return this.#fields(
          bind,
          expr.elems.map((value, i) => ({ name: String(i), value })),
        );
      case "record":
        return this.#fields(bind, expr.fields);
      case "alloc":
        return this.#paths.allocate(bind);
      case "length":
        this.#lengths.set(
          bind.name,
          this.#paths.to(expr.object).map((path) => pathText(path)),
        );
        return this.#query(bind, expr.object);
      case "extern":
        this.#extern(bind, expr);
        break;
      case "call":
        return this.#call(stmt, expr);
      default:
        break;
    }
    if (operandsOf(expr).some((atom) => this.#dependsOnPast(atom))) this.#markPastDependent(bind);
  }

  #array(stmt: Let, parts: readonly ArrayPart[]): void {
    for (const { atom, spread } of parts)
      if (spread) this.#read(stmt, this.#paths.placesIn(atom, ELEMENTS));
    this.#paths.allocate(stmt.bind);
    for (const { atom, spread } of parts)
      for (const path of this.#paths.to(stmt.bind))
        if (!spread) this.#paths.hold([...path, ELEMENTS], atom);
  }

  #fields(bind: Var, fields: readonly { readonly name: string; readonly value: Atom }[]): void {
    this.#paths.allocate(bind);
    for (const path of this.#paths.to(bind))
      for (const { name, value } of fields) this.#paths.hold([...path, name], value);
  }

  #extern(bind: Var, { effect, text, args }: Expr & { kind: "extern" }): void {
    if (effect === "io" && text.some((part) => part.includes(".clear()")))
      for (const arg of args) for (const path of this.#paths.to(arg)) this.#writes.store(path);
    for (const arg of args) this.#query(bind, arg);
  }

  /** A length or a query of a dict depends on earlier executions unless this one wrote there. */
  #query(bind: Var, object: Atom): void {
    const isChanged = (path: AccessPath): boolean =>
      [ELEMENTS, ANY_ENTRY].some((key) => mayHaveStored([...path, key], this.#stores.values()));
    if (this.#paths.to(object).some((path) => isChanged(path) && !this.#writes.hasBelow(path)))
      this.#markPastDependent(bind);
  }

  #read({ bind, expr, origin }: Let, paths: readonly AccessPath[]): void {
    if (isAggregate(bind.type))
      this.#paths.bind(
        bind,
        paths.flatMap((path) => this.#paths.objectsAt(path, this.#writes)),
      );
    const isStack = (path: AccessPath): boolean => this.#paths.isStack(path);
    const isUseful = this.#useful.has(bind.name) || expr.kind === "slice" || expr.kind === "array";
    const reached = new Set(
      paths
        .filter((path) => this.#writes.reaches(path, isStack(path)))
        .map((path) => pathText(anyPosition(path))),
    );
    for (const path of paths) {
      if (isUseful && !reached.has(pathText(anyPosition(path)))) this.#reads.push({ path, origin });
      if (
        mayHaveStored(path, this.#stores.values()) &&
        !this.#writes.covers(path) &&
        !(isStack(path) && this.#writes.reaches(path, true))
      )
        this.#markPastDependent(bind);
    }
    if (
      expr.kind === "load" &&
      (this.#dependsOnPast(expr.object) ||
        (expr.key.kind === "index" && this.#dependsOnPast(expr.key.at)))
    )
      this.#markPastDependent(bind);
  }

  #call({ bind }: Let, expr: Expr & { kind: "call" }): void {
    const { reads, writes, stores, result, dependsOnPast, globals } = this.#useOf(expr.callee);
    for (const [name, global] of globals) this.#paths.globals.set(name, global);
    const before = this.#writes.copy();
    const here = (path: AccessPath): readonly AccessPath[] =>
      this.#paths.inCaller(path, expr.args, before);
    for (const { path, origin } of reads)
      for (const one of here(path))
        if (!this.#writes.reaches(one, this.#paths.isStack(one)))
          this.#reads.push({ path: one, origin });
    for (const path of stores) for (const one of here(path)) this.#stored(one);
    this.#writes.add(writes, here);
    this.#paths.bind(bind, result.flatMap(here));
    if (dependsOnPast || expr.args.some((arg) => this.#dependsOnPast(arg)))
      this.#markPastDependent(bind);
  }
}

/** Operands that determine the value without reading memory. */
const operandsOf = (expr: Expr): readonly Atom[] =>
  expr.kind === "copy" ||
  expr.kind === "op" ||
  expr.kind === "extern" ||
  expr.kind === "present" ||
  expr.kind === "unwrap"
    ? exprAtoms(expr)
    : [];
