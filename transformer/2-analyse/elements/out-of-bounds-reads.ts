// Finds element reads that may be out of bounds without the result showing it. A missing element
// makes what uses it NaN. So only reads that a branch or a choice may drop are checked, and stored
// reads at a constant, a parameter or beside the loop's own index (`a[i + 1]`). A loop counter
// below its bound is trusted to be in bounds unless the program examines the length of the array.

import type { BoundsTests, SeedOrigin, ZeroCotangent } from "../../ir/facts.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, Expr, Let, Stmt, Store } from "../../ir/types.ts";
import { stmtBodies, walkStmts } from "../../ir/visit.ts";
import { conditionalNames } from "../activity/conditional.ts";
import {
  exprOf,
  extreme,
  type Indices,
  indicesOf,
  isBelowBound,
  isNonnegative,
  sumOf,
} from "./index-ranges.ts";

const WITHIN: BoundsTests = { below: false, above: false };

interface Scope extends Indices {
  /** Loads in a branch within a loop iteration: the user has tested whether the element exists. */
  readonly guarded: ReadonlySet<string>;
  /** Loads in counted loops. */
  readonly repeated: ReadonlySet<string>;
  /** Arrays whose length is compared, with the names that it is compared with. */
  readonly measured: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether the program tests a number for being undefined although its type excludes that. */
  readonly asks: boolean;
}

interface BoundsRequest {
  readonly body: Body;
  readonly types: Types;
  readonly isWithin: (stmt: Let) => boolean;
  readonly isPositive: (atom: Atom, stmt: Let) => boolean;
  readonly isNonnegative: (atom: Atom, stmt: Store) => boolean;
  readonly isLeftUnread: (stmt: Let) => boolean;
  readonly isParam: (name: string) => boolean;
  /** How a number may not count. */
  readonly dropOf: (name: string, seed: SeedOrigin) => ZeroCotangent;
}

interface OutOfBounds {
  /** Reads of any array. */
  readonly read: (stmt: Let, seed: SeedOrigin) => BoundsTests;
  /** Reads whose adjoint accumulation would lengthen the shadow; typed arrays do not grow. */
  readonly write: (stmt: Let, seed: SeedOrigin) => BoundsTests;
  /** Stores at places that are no elements of the shadow. */
  readonly dropped: (stmt: Store) => boolean;
}

export function outOfBoundsIn(request: BoundsRequest): OutOfBounds {
  const search = new Search(request);
  return {
    read: (stmt, seed) => search.read(stmt, seed),
    write: (stmt, seed) => search.write(stmt, seed),
    dropped: (stmt) => search.isDropped(stmt),
  };
}

type IndexedLoad = Expr & { kind: "load"; key: { kind: "index" } };

const isIndexed = (expr: Expr): expr is IndexedLoad =>
  expr.kind === "load" && expr.key.kind === "index";

class Search {
  #scope: Scope | null = null;
  #unshown: ReadonlySet<string> | null = null;
  #copied: ReadonlySet<string> | null = null;
  readonly #request: BoundsRequest;

  constructor(request: BoundsRequest) {
    this.#request = request;
  }

  read(stmt: Let, seed: SeedOrigin): BoundsTests {
    const { expr } = stmt;
    if (!isIndexed(expr) || resolve(expr.object.type, this.#request.types).kind !== "array")
      return WITHIN;
    const scope = (this.#scope ??= scopeOf(this.#request.body));
    const { at } = expr.key;
    const drops = this.#request.dropOf(stmt.bind.name, seed);
    const isDropped = this.#mayBeDropped(stmt, at, drops, scope);
    const maybe =
      at.kind === "const" && (at.value === 0 || (!isDropped && drops !== "stored"))
        ? atConstant(at, expr.object, scope)
        : {
            below: at.kind === "const" ? Number(at.value) < 0 : !isNonnegative(at, scope),
            above: this.#mayBeNaN(stmt, at, scope) || !this.#request.isWithin(stmt),
          };
    if (!maybe.below && !maybe.above) return WITHIN;
    if (isDropped) return maybe;
    const beyond = this.#readUnconditionally(stmt, expr, maybe, scope);
    return beyond === WITHIN || this.#isUnshown(stmt.bind.name, seed) ? beyond : WITHIN;
  }

  /** Whether a branch, a choice or a place may drop the number because the element is missing. */
  #mayBeDropped(stmt: Let, at: Atom, drops: ZeroCotangent, scope: Scope): boolean {
    return (
      drops === "dropped" ||
      this.#request.isLeftUnread(stmt) ||
      (drops === "stored" && exceedsBound(at, scope))
    );
  }

  /** `i % xs.length`: NaN for an empty array, over which a counted loop does not run. */
  #mayBeNaN(stmt: Let, at: Atom, { lets, repeated }: Scope): boolean {
    const expr = exprOf(at, lets);
    const divisor = expr?.kind === "op" && expr.op === "mod" ? expr.args[1] : undefined;
    return (
      divisor !== undefined &&
      !repeated.has(stmt.bind.name) &&
      exprOf(divisor, lets)?.kind === "length" &&
      !this.#request.isPositive(divisor, stmt)
    );
  }

  #readUnconditionally(
    stmt: Let,
    { object, key: { at } }: IndexedLoad,
    maybe: BoundsTests,
    scope: Scope,
  ): BoundsTests {
    const mayBeNaN = this.#mayBeNaN(stmt, at, scope);
    const isTrusted =
      at.kind !== "const" &&
      !mayBeNaN &&
      isBelowBound(at, scope) &&
      !isUncertain(at, object, scope);
    const beyond = { below: maybe.below, above: maybe.above && !isTrusted };
    const { name } = stmt.bind;
    if ((!beyond.below && !beyond.above) || scope.guarded.has(name)) return WITHIN;
    const isSuspect =
      this.#isGiven(at) ||
      mayBeNaN ||
      isBesides(at, scope) ||
      reachesEnd(at, object, scope) ||
      isCompared(at, object, scope);
    return isSuspect ? beyond : WITHIN;
  }

  /** An index that no loop bounds. */
  #isGiven = (at: Atom): boolean =>
    at.kind === "const" || (at.kind === "var" && this.#request.isParam(at.name));

  /** Whether the result, or a seed of 0 of the user, may hide that a number is missing. */
  #isUnshown(name: string, seed: SeedOrigin): boolean {
    if (seed === "user") return true;
    return (this.#unshown ??= conditionalNames(this.#request.body, "everything")).has(name);
  }

  /** A number that is copied into an array unchanged may stay unread, whatever bounds the loop. */
  write(stmt: Let, seed: SeedOrigin): BoundsTests {
    const { expr, bind } = stmt;
    if (!isGrowing(expr, this.#request.types)) return WITHIN;
    const beyond = this.read(stmt, seed);
    if (beyond !== WITHIN || !isIndexed(expr) || expr.key.at.kind === "const") return beyond;
    this.#copied ??= copiedNames(this.#request.body);
    return this.#copied.has(bind.name) &&
      !this.#request.isWithin(stmt) &&
      this.#isUnshown(bind.name, seed)
      ? { below: false, above: true }
      : WITHIN;
  }

  isDropped(store: Store): boolean {
    const { object, key } = store;
    const shape = resolve(object.type, this.#request.types);
    if (key.kind !== "index" || shape.kind !== "array") return false;
    const scope = (this.#scope ??= scopeOf(this.#request.body));
    const { at } = key;
    // `a[-1] = x` and `a[0.5] = x` make a property; a typed array ignores them
    if (at.kind === "const" && shape.store !== "Array")
      return !isPlaceOf(Number(at.value), exprOf(object, scope.lets));
    return (
      isFraction(at, scope) ||
      (!isNonnegative(at, scope) && !this.#request.isNonnegative(at, store)) ||
      (shape.store !== "Array" &&
        !isBelowBound(at, scope) &&
        (isBesides(at, scope) || isRounded(at, scope) || reachesEnd(at, object, scope)))
    );
  }
}

/** Names whose values are stored into objects unchanged. */
function copiedNames(body: Body): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (atom: Atom): void => {
    if (atom.kind === "var") found.add(atom.name);
  };
  walkStmts(body, (stmt) => {
    if (stmt.kind === "store" || stmt.kind === "append") add(stmt.value);
    if (stmt.kind === "let" && stmt.expr.kind === "record")
      for (const { value } of stmt.expr.fields) add(value);
    if (stmt.kind === "let" && stmt.expr.kind === "array")
      for (const { atom } of stmt.expr.parts) add(atom);
    if (stmt.kind === "let" && stmt.expr.kind === "tuple") stmt.expr.elems.forEach(add);
  });
  return found;
}

/** Whether an index is a quotient, or a sum, a difference or a product with one. */
const isFraction = (at: Atom, scope: Scope): boolean => {
  if (at.kind === "const") return !Number.isInteger(at.value);
  const expr = exprOf(at, scope.lets);
  return (
    expr?.kind === "op" &&
    (expr.op === "div" || (LINEAR.has(expr.op) && expr.args.some((arg) => isFraction(arg, scope))))
  );
};
const LINEAR: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["add", "sub", "mul"]);

/** An index rounded from a real number: `Math.floor(x / width)`. */
const isRounded = (at: Atom, { lets }: Scope): boolean => {
  const expr = exprOf(at, lets);
  return expr?.kind === "op" && ROUNDING.has(expr.op);
};
const ROUNDING: ReadonlySet<ScalarOp> = new Set<ScalarOp>([
  "floor",
  "ceil",
  "round",
  "trunc",
  "bor",
  "bnot",
]);

/** Whether an array has the place; unknown arrays are assumed to. */
const isPlaceOf = (at: number, made: Expr | null): boolean =>
  Number.isInteger(at) &&
  at >= 0 &&
  (made?.kind !== "alloc" || made.length.kind !== "const" || at < Number(made.length.value));

function isGrowing(expr: Expr, types: Types): boolean {
  const shape = expr.kind === "load" ? resolve(expr.object.type, types) : null;
  return shape?.kind === "array" && shape.store === "Array";
}

function scopeOf(body: Body): Scope {
  const indices = indicesOf(body);
  const { lets } = indices;
  const measured = new Map<string, Set<string>>();
  const measure = (atom: Atom, others: readonly Atom[]): void => {
    const expr = exprOf(atom, lets);
    if (expr?.kind !== "length" || expr.object.kind !== "var") return;
    const names = others.flatMap((other) => namesIn(other, lets));
    const known = measured.get(expr.object.name);
    measured.set(expr.object.name, new Set([...(known ?? []), ...names]));
  };
  let asks = false;
  for (const { expr } of lets.values()) {
    if (expr.kind === "op" && COMPARISONS.has(expr.op)) {
      expr.args.forEach((arg) => measure(arg, expr.args));
      asks ||= expr.args.some(isNil);
    }
    asks ||= expr.kind === "present" && expr.value.type.kind === "num";
  }
  // a read within an `if` of a loop is guarded, but not one in a loop within an `if`
  const guarded = readsIn(body, ({ kind }) => kind === "if");
  const repeated = readsIn(body, ({ kind }, isInside) => isInside || kind === "for");
  return { ...indices, guarded, repeated, measured, asks };
}

const COMPARISONS: ReadonlySet<string> = new Set("lt le gt ge eq ne looseEq looseNe".split(" "));

/** Loads in the bodies of statements for which `opens` holds. */
function readsIn(
  body: Body,
  opens: (stmt: Stmt, isInside: boolean) => boolean,
  isInside = false,
  found = new Set<string>(),
): ReadonlySet<string> {
  for (const stmt of body.stmts) {
    if (isInside && stmt.kind === "let" && stmt.expr.kind === "load") found.add(stmt.bind.name);
    for (const nested of stmtBodies(stmt)) readsIn(nested, opens, opens(stmt, isInside), found);
  }
  return found;
}

const isNil = (atom: Atom): boolean =>
  atom.kind === "const" && (atom.value === undefined || atom.value === null);

/** Names that a number is computed from, its own included. */
function namesIn(atom: Atom, lets: ReadonlyMap<string, Let>): readonly string[] {
  const expr = exprOf(atom, lets);
  return atom.kind !== "var"
    ? []
    : [atom.name, ...(expr?.kind === "op" ? expr.args.flatMap((arg) => namesIn(arg, lets)) : [])];
}

/** A constant index is trusted unless the program compares the length, or tests for undefined. */
const atConstant = (
  { value }: Atom & { kind: "const" },
  object: Atom,
  { measured, asks }: Scope,
): BoundsTests => ({
  below: typeof value !== "number" || value < 0,
  above: asks || (object.kind === "var" && measured.has(object.name)),
});

/** An index other than the loop's: `i + 1`, `i - k`, or a number that a `while` loop carries. */
const isBesides = (at: Atom, { lets, carried }: Scope): boolean => {
  const expr = exprOf(at, lets);
  return (
    (at.kind === "var" && carried.has(at.name)) ||
    (expr?.kind === "op" && (expr.op === "add" || expr.op === "sub"))
  );
};

/** Whether the loop's own bound is beyond the end: `i <= xs.length`. */
function reachesEnd(at: Atom, object: Atom, scope: Scope): boolean {
  const { terms, constant } = extreme(sumOf(at, scope), "most", scope);
  const [only] = terms;
  const length =
    only === undefined || only[1] !== 1 || terms.size > 1 || constant < 0
      ? undefined
      : scope.lets.get(only[0])?.expr;
  return (
    length?.kind === "length" &&
    length.object.kind === "var" &&
    object.kind === "var" &&
    length.object.name === object.name
  );
}

/** Whether an index goes further than below the bound of its loop: `i <= n`, `i < n + 2`. */
function exceedsBound(at: Atom, scope: Scope): boolean {
  const [counter, ...others] = sumOf(at, scope).terms.keys();
  if (counter === undefined || others.length > 0) return false;
  const isBounded = (scope.counters.get(counter)?.most ?? null) !== null;
  return isBounded && !isBelowBound(at, scope);
}

/** Whether the program compares the array's length with something the index is computed from. */
function isCompared(at: Atom, object: Atom, scope: Scope): boolean {
  const compared = object.kind === "var" ? scope.measured.get(object.name) : undefined;
  return compared !== undefined && namesIn(at, scope.lets).some((name) => compared.has(name));
}

/** Whether the program compares the array's length, or counts to the maximum of several lengths. */
function isUncertain(at: Atom, object: Atom, scope: Scope): boolean {
  if (object.kind === "var" && scope.measured.has(object.name)) return true;
  return [...extreme(sumOf(at, scope), "most", scope).terms.keys()].some((name) => {
    const expr = scope.lets.get(name)?.expr;
    return expr?.kind === "op" && expr.op === "max";
  });
}
