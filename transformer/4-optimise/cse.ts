// Common subexpression elimination. Drops a computation that a dominating one has done, and
// replaces a load of a place by what was last stored or loaded there. An arm of a branch knows what
// the same arm of an earlier branch on its condition has computed. Invariant: a write removes every
// known load that it may hit.

import { mapList, rebuilt, withBody, withStmts } from "../ir/rebuilt.ts";
import { type Types, resolve } from "../ir/shadow.ts";
import { OPS, type ScalarOp } from "../ir/ops.ts";
import { printType } from "../ir/print.ts";
import type { Atom, Body, Expr, Func, If, Let, Stmt, Store, Type, Var } from "../ir/types.ts";
import { givesFreshObject, isPure } from "../ir/effects.ts";
import { definedVars, mapExpr, mapKey, mapStmt, stmtBinds } from "../ir/visit.ts";
import { accesses, exprAccesses, interfere, objectsMeet, type Access } from "./memory/access.ts";
import { Replacements, atomKey, sameAtom } from "./atoms.ts";
import { Memory } from "./memory/memory.ts";

interface Read {
  readonly value: Atom;
  readonly from: Access;
}

type Reads = Map<string, Read>;

/** The values known at a point of the walk. An inner scope sees what the outer one knows. */
class Table {
  /** Distinguishes the bodies of a function. */
  readonly id: number;
  readonly #outer: Table | null;
  /** Values that no write changes. The outer scope has more of them. */
  readonly #values = new Map<string, Atom>();
  /** Values loaded from memory, by object: most writes miss an object altogether. */
  readonly #reads: Map<string, Reads>;
  /** Objects whose entry in `#reads` no other scope shares; others are copied before a change. */
  readonly #own = new Set<string>();
  /** By condition: the values that the two arms of an `if` on it have computed and yielded. */
  readonly #sides: Map<string, readonly Side[]>;

  constructor(
    id: number,
    outer: Table | null = null,
    reads: ReadonlyMap<string, Reads> = new Map(),
  ) {
    this.id = id;
    this.#outer = outer;
    this.#reads = new Map(reads);
    this.#sides = new Map(outer === null ? [] : outer.#sides);
  }

  inner(id: number): Table {
    this.#own.clear();
    return new Table(id, this, this.#reads);
  }

  /**
   * The values known after a loop's `test`, a scope inside this one, before differentiation. A test
   * is not reversed, so its numbers have no cotangent and its objects no shadow: both stay out.
   */
  afterTest(test: Table): Table {
    const isShared = (value: Atom, known: Atom | undefined): boolean =>
      known !== undefined || value.type.kind === "bool" || value.type.kind === "leaf";
    const reads = new Map(
      [...test.#reads].map(([object, of]): [string, Reads] => [
        object,
        new Map(
          [...of].filter(([key, read]) =>
            isShared(read.value, this.#reads.get(object)?.get(key)?.value),
          ),
        ),
      ]),
    );
    const after = new Table(test.id, this, reads);
    for (const [key, value] of test.#values)
      if (isShared(value, undefined)) after.#values.set(key, value);
    for (const [condition, sides] of test.#sides) after.#sides.set(condition, sides);
    return after;
  }

  withoutReads(id: number): Table {
    return new Table(id, this);
  }

  /** What an arm of an earlier branch on the condition computed is known in the same arm here. */
  enter(inner: Table, condition: string, side: 0 | 1): void {
    for (const [key, value] of this.#sides.get(condition)?.[side] ?? [])
      if (inner.get(key, []) === undefined) inner.set(key, value, []);
  }

  leave(condition: string, sides: readonly Side[]): void {
    const before = this.#sides.get(condition);
    this.#sides.set(
      condition,
      sides.map((side, i) => new Map([...side, ...(before?.[i] ?? [])])),
    );
  }

  get(key: string, reads: readonly Access[]): Atom | undefined {
    const from = reads[0];
    return from === undefined ? this.#value(key) : this.#reads.get(groupOf(from))?.get(key)?.value;
  }

  #value(key: string): Atom | undefined {
    let value = this.#values.get(key);
    for (let at = this.#outer; value === undefined && at !== null; at = at.#outer)
      value = at.#values.get(key);
    return value;
  }

  set(key: string, value: Atom, reads: readonly Access[]): void {
    const from = reads[0];
    if (from === undefined) this.#values.set(key, value);
    else this.#ownReads(groupOf(from)).set(key, { value, from });
  }

  #ownReads(object: string): Reads {
    const known = this.#reads.get(object);
    if (known !== undefined && this.#own.has(object)) return known;
    const own: Reads = new Map(known ?? []);
    this.#reads.set(object, own);
    this.#own.add(object);
    return own;
  }

  /** Forgets what the writes among these accesses may change. */
  forget(done: readonly Access[], memory: Memory): void {
    for (const write of done) {
      if (!write.write) continue;
      for (const [object, group] of this.#reads) {
        const [any] = group.values();
        if (any === undefined || !objectsMeet(any.from, write, memory)) continue;
        for (const [key, read] of group)
          if (interfere(read.from, write, memory)) this.#ownReads(object).delete(key);
      }
    }
  }
}

/** Operator applications by key, and the names that hold them wherever that arm has run. */
type Side = ReadonlyMap<string, Atom>;

// if c { } else { x = sin y; yield x y } -> (u, v)   ->   in later else arms, sin v is u
function sidesOf({ then, else: otherwise, binds }: If): readonly Side[] {
  return [then, otherwise].map((body) => {
    const inside = new Set(definedVars(body).map(({ name }) => name));
    const yielded = new Map<string, Var>();
    const found = new Map<string, Atom>();
    body.result.forEach((atom, i) => {
      const bind = binds[i];
      if (atom.kind === "var" && bind !== undefined && !yielded.has(atom.name))
        yielded.set(atom.name, bind);
    });
    const outer = (atom: Atom): Atom | null =>
      atom.kind !== "var" || !inside.has(atom.name) ? atom : (yielded.get(atom.name) ?? null);
    for (const stmt of body.stmts) {
      const bind =
        stmt.kind === "let" && inside.has(stmt.bind.name) ? yielded.get(stmt.bind.name) : undefined;
      // Not a join of another kind, such as `number | null`: a reader would have to unwrap it.
      if (
        stmt.kind !== "let" ||
        stmt.expr.kind !== "op" ||
        bind === undefined ||
        bind.type.kind !== stmt.bind.type.kind ||
        stmt.expr.args.some((arg) => outer(arg) === null)
      )
        continue;
      found.set(
        exprKey(
          mapExpr(stmt.expr, (arg) => outer(arg) ?? arg),
          bind.type,
        ),
        bind,
      );
    }
    return found;
  });
}

/** Loads of one group are of one object. */
const groupOf = (read: Access): string => (read.object === null ? "" : atomKey(read.object));

interface State {
  readonly replaced: Replacements;
  readonly memory: Memory;
  /** Whether operators are shared within one body only. */
  readonly apart: boolean;
  readonly bodies: { count: number };
}

/**
 * `apart`: no operator is shared between bodies. Needed before differentiation: an untaken arm has
 * a cotangent of 0, which must not meet an unbounded slope (`sqrt` at 0) of a value shared with it.
 */
export function cse(func: Func, types: Types, apart = false): Func {
  const state: State = {
    replaced: new Replacements(),
    memory: Memory.of(func, types),
    apart,
    bodies: { count: 0 },
  };
  const body = walkBody(func.body, new Table(0), state);
  return withBody(func, state.replaced.finish(body));
}

function walkBody(body: Body, table: Table, state: State): Body {
  const stmts = body.stmts.flatMap((stmt) => walkStmt(stmt, table, state));
  return withStmts(body, stmts, mapList(body.result, state.replaced.resolve));
}

function walkStmt(stmt: Stmt, table: Table, state: State): readonly Stmt[] {
  if (stmt.kind === "let" && stmt.expr.kind !== "lambda") return walkLet(stmt, table, state);
  if (stmt.kind === "store" && isRewrite(stmt, table, state)) return [];
  const isLoop = stmt.kind === "for" || stmt.kind === "while";
  // A later iteration may have written what the first one loads.
  if (isLoop) table.forget(accesses(stmt), state.memory);
  // A lambda runs later, when memory may have changed.
  const inner = (id: number): Table =>
    stmt.kind === "let" ? table.withoutReads(id) : table.inner(id);
  let test: Table | null = null;
  let side: 0 | 1 = 0;
  const mapped = mapStmt(stmt, state.replaced.resolve, (nested) => {
    // The body of a loop runs after its test, so it knows what the test computed.
    const known = stmt.kind === "while" && test !== null ? test : null;
    const start = known === null ? inner(++state.bodies.count) : afterTest(known, table, state);
    if (stmt.kind === "if" && !state.apart) {
      table.enter(start, atomKey(state.replaced.resolve(stmt.cond)), side);
      side = 1;
    }
    const result = walkBody(nested, start, state);
    test = start;
    return result;
  });
  for (const bind of stmtBinds(mapped)) state.replaced.keep(bind, mapped.adjoint === true);
  if (mapped.kind !== "let") table.forget(accesses(mapped), state.memory);
  remember(mapped, table, state);
  if (mapped.kind === "if" && !state.apart) table.leave(atomKey(mapped.cond), sidesOf(mapped));
  return [mapped];
}

const afterTest = (test: Table, table: Table, { apart }: State): Table =>
  apart ? table.afterTest(test) : test;

// x = e; …; y = e   ->   x = e; …; y is x
function walkLet(stmt: Let, table: Table, state: State): readonly Stmt[] {
  const expr = mapExpr(stmt.expr, state.replaced.resolve);
  const scope = state.apart && expr.kind === "op" ? `${table.id} ` : "";
  const key =
    givesFreshObject(expr) || !isPure(expr) || expr.kind === "copy"
      ? null
      : scope + exprKey(expr, stmt.bind.type);
  const reads = exprAccesses(expr, stmt.bind.type);
  const known = key === null ? undefined : table.get(key, reads);
  // t = load a[i] (possibly undefined); …; u = load a[i]   ->   u = unwrap t
  const isOptional =
    known !== undefined && known.type.kind === "opt" && stmt.bind.type.kind !== "opt";
  if (isOptional && expr.kind === "load")
    return walkLet(rebuilt(stmt, { expr: { kind: "unwrap", value: known } }), table, state);
  if (known !== undefined) {
    state.replaced.replace(stmt.bind, known);
    return [];
  }
  const resolved: Let = rebuilt(stmt, { expr });
  state.replaced.keep(stmt.bind, stmt.adjoint === true);
  table.forget(reads, state.memory);
  if (key !== null) table.set(key, stmt.bind, reads);
  return [resolved];
}

// t = load a$bar[i]; …; a$bar[i] = t   ->   (nothing)
function isRewrite(stmt: Store, table: Table, state: State): boolean {
  if (stmt.adjoint !== true) return false;
  const object = state.replaced.resolve(stmt.object);
  const expr: Expr = { kind: "load", object, key: mapKey(stmt.key, state.replaced.resolve) };
  const held = table.get(exprKey(expr, stmt.value.type), exprAccesses(expr, stmt.value.type));
  return (
    held !== undefined && sameAtom(state.replaced.resolve(held), state.replaced.resolve(stmt.value))
  );
}

// a[i] = v; …; t = load a[i]   ->   t is v, where the store keeps every bit and `v` is defined
function remember(stmt: Stmt, table: Table, state: State): void {
  if (stmt.kind !== "store" || !keepsBits(stmt, state.memory)) return;
  const expr: Expr = { kind: "load", object: stmt.object, key: stmt.key };
  table.set(exprKey(expr, stmt.value.type), stmt.value, exprAccesses(expr, stmt.value.type));
}

/** Typed arrays round, and drop out-of-bounds writes; the places of cotangents are in bounds. */
function keepsBits({ object, key, adjoint }: Store, memory: Memory): boolean {
  const type = resolve(object.type, memory.types);
  if (key.kind === "field")
    return type.kind === "record" || type.kind === "tuple" || type.kind === "union";
  return (
    type.kind === "array" &&
    (type.store === "Array" || (type.store === "Float64Array" && adjoint === true))
  );
}

const COMMUTES: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["add", "mul", "eq", "ne"]);

/** A string that two expressions share exactly when they compute the same from the same memory. */
// eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
function exprKey(expr: Expr, type: Type): string {
  switch (expr.kind) {
    case "op": {
      const args = expr.args.map(atomKey);
      const isSorted = COMMUTES.has(expr.op) && OPS[expr.op].arity === 2;
      return `${expr.op} ${(isSorted ? args.sort() : args).join(" ")}`;
    }
    case "load": {
      const place = expr.key.kind === "index" ? `[${atomKey(expr.key.at)}]` : `.${expr.key.name}`;
      return `load ${atomKey(expr.object)} ${place}`;
    }
    case "extern":
      return `extern ${JSON.stringify(expr.text)} ${expr.args.map(atomKey).join(" ")}`;
    case "length":
      return `length ${atomKey(expr.object)}`;
    case "present":
      return `present ${atomKey(expr.value)}`;
    // The type selects the variant of a union.
    case "unwrap":
      return `unwrap ${atomKey(expr.value)} as ${printType(type)}`;
    case "copy":
    case "array":
    case "tuple":
    case "record":
    case "alloc":
    case "slice":
    case "zeros":
    case "clone":
    case "call":
    case "removeLast":
    case "newTape":
    case "pop":
    case "rewind":
    case "lambda":
      return "";
  }
}
