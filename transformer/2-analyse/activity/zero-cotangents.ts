// How a cotangent may be exactly 0 although reverse code computes it: such a zero must not meet a
// slope that is infinite or NaN. Input: a body. Output: by name, how its surest use counts.
// Invariant: the walk is backwards, so uses come before definitions. A place of an object is like a
// name if one statement writes it and it is read through the same variable.

import { field, index, num } from "../../ir/build.ts";
import type { SeedOrigin, ZeroCotangent } from "../../ir/facts.ts";
import type { ScalarOp } from "../../ir/ops.ts";
import type { Atom, Body, For, If, Key, Let, Stmt, Var, While } from "../../ir/types.ts";
import { walkStmts } from "../../ir/visit.ts";
import { partialOf } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import type { Bounds } from "../elements/bounds-proofs.ts";
import { elements, placeOfStore } from "../memory/flow.ts";
import type { Memory } from "../memory/memory.ts";
import type { Region } from "../memory/region.ts";

/**
 * 0: a choice may drop the value. 1: memory, a loop or a callee may. 2: a factor that may be 0
 * scales it. 3: it always counts.
 */
type Level = 0 | 1 | 2 | 3;
/** By name, or by place: `a[]` all elements, `a[i]`, `a.f`. */
type Levels = Map<string, Level>;

const KINDS = { 0: "dropped", 1: "stored", 2: "scaled", 3: "never" } as const satisfies Record<
  Level,
  ZeroCotangent
>;

interface ZeroRequest {
  readonly body: Body;
  readonly memory: Memory;
  readonly ranges: Bounds;
  /** Operators that may drop an operand. */
  readonly choices: ReadonlySet<ScalarOp>;
}

/** Operators that drop an operand even if it is NaN. */
export const DROPS_NAN: ReadonlySet<ScalarOp> = new Set<ScalarOp>(["select"]);

/** A seed that is given may be 0. One of a user counts as a choice does: rows of a Jacobian. */
export function zeroCotangentsIn(
  request: ZeroRequest,
): (name: string, seed: SeedOrigin) => ZeroCotangent {
  const walks = new Map<SeedOrigin, ReadonlyMap<string, Level>>();
  return (name, seed) => {
    if (seed === "user") return "dropped";
    const found = walks.get(seed) ?? levelsIn(request, seed === "one" ? 3 : 1);
    walks.set(seed, found);
    return KINDS[found.get(name) ?? 0];
  };
}

function levelsIn(request: ZeroRequest, level: Level): ReadonlyMap<string, Level> {
  const walk = new Walk(request);
  const given: Levels = new Map();
  // with aux, the first element of the result is the value
  for (const atom of request.body.result)
    if (atom.kind === "var") given.set(`${atom.name}.0`, level);
  walk.body(request.body, [level], given);
  return walk.levels;
}

class Walk {
  readonly levels = new Map<string, Level>();
  readonly #ranges: Bounds;
  readonly #memory: Memory;
  readonly #choices: ReadonlySet<ScalarOp>;
  /** How many statements write a place. */
  readonly #writes: ReadonlyMap<Region, number>;
  readonly #arrays = new Map<string, Var>();

  constructor({ body, memory, ranges, choices }: ZeroRequest) {
    this.#choices = choices;
    this.#ranges = ranges;
    this.#memory = memory;
    this.#writes = writesIn(body, memory);
  }

  /** The levels of all names and places that a body uses. `later`: of code after it. */
  body({ stmts, result }: Body, results: readonly Level[], later: Levels): Levels {
    const scope = new Scope(later);
    result.forEach((atom, i) => {
      scope.use(atom, results[i] ?? 0);
    });
    for (const stmt of [...stmts].reverse()) this.#stmt(stmt, scope);
    return scope.own;
  }

  #stmt(stmt: Stmt, scope: Scope): void {
    switch (stmt.kind) {
      case "let":
        return this.#let(stmt, scope);
      case "if":
        return this.#branch(stmt, scope);
      case "for":
      case "while":
        return this.#loop(stmt, scope);
      case "store":
        return this.#write(stmt, placeKeys(stmt.object, stmt.key), scope);
      case "append":
        return this.#write(stmt, placeKeys(stmt.object, null), scope);
      default:
    }
  }

  #write(stmt: Stmt & { readonly value: Atom }, keys: readonly string[], scope: Scope): void {
    const place = placeOfStore(stmt, this.#memory);
    if (place !== null && this.#writes.get(place.find()) === 1)
      scope.use(stmt.value, orStored(scope.levelOf(keys)));
    else scope.use(stmt.value, 1);
  }

  #let({ bind, expr }: Let, scope: Scope): void {
    const level = scope.levelOf([bind.name]);
    this.levels.set(bind.name, level);
    switch (expr.kind) {
      case "op": {
        const { op, args } = expr;
        const isChoice = this.#choices.has(op) && args.length > 1;
        args.forEach((arg, i) => {
          if (!isChoice && partialOf(SCALAR[op], i, args.length) !== null)
            scope.use(arg, op === "mul" && isScaled(args, i) ? least(level, 2) : level);
        });
        return;
      }
      case "call":
        expr.args.forEach((arg) => {
          scope.use(arg, 1);
        });
        return;
      case "copy":
        return scope.use(expr.atom, level);
      case "unwrap":
        return scope.use(expr.value, level);
      case "load":
        if (expr.object.kind === "var") this.#arrays.set(expr.object.name, expr.object);
        for (const key of placeKeys(expr.object, expr.key).slice(-1)) scope.raise(key, level);
        return;
      case "tuple":
        return this.#literal(
          bind,
          expr.elems.map((value, i) => [field(String(i)), value]),
          scope,
        );
      case "record":
        return this.#literal(
          bind,
          expr.fields.map(({ name, value }) => [field(name), value]),
          scope,
        );
      case "array":
        if (!expr.parts.some(({ spread }) => spread))
          this.#literal(
            bind,
            expr.parts.map(({ atom }, i) => [index(num(i)), atom]),
            scope,
          );
        return;
      default:
    }
  }

  #literal(bind: Var, parts: readonly (readonly [Key, Atom])[], scope: Scope): void {
    for (const [key, value] of parts) {
      const place = this.#memory.placeAt(bind, key);
      const isWritten = place !== null && this.#writes.has(place.find());
      scope.use(value, isWritten ? 1 : orStored(scope.levelOf(placeKeys(bind, key))));
    }
  }

  #branch({ binds, then, else: otherwise }: If, scope: Scope): void {
    const results = binds.map(({ name }) => scope.levelOf([name]));
    const arms = [then, otherwise]
      .filter(({ stmts }) => stmts.at(-1)?.kind !== "throw")
      .map((arm) => this.body(arm, results, scope.all));
    const [first = new Map<string, Level>(), second = first] = arms;
    for (const [key, level] of first) {
      const other = second.get(key) ?? 0;
      scope.raise(key, level < other ? level : other);
    }
  }

  // a carried value counts if it does in the next iteration, and after the last one
  #loop(loop: For | While, scope: Scope): void {
    const after = loop.binds.map(({ name }) => scope.levelOf([name]));
    const counted = this.#counted(loop, after, scope);
    let params: readonly Level[] = counted.map((counts) => (counts ? 3 : 0));
    for (;;) {
      const known = params;
      const results = after.map((level, i) =>
        counted[i] === true ? orStored(least(level, known[i] ?? 0)) : 0,
      );
      const inner = this.body(loop.body, results, scope.all);
      if (loop.kind === "while")
        for (const [key, level] of this.body(loop.test, [], scope.all)) raise(inner, key, level);
      params = loop.carried.map(({ param }, i) => least(inner.get(param.name) ?? 0, known[i] ?? 0));
      if (params.some((level, i) => level !== known[i])) continue;
      for (const [key, level] of inner) scope.raise(this.#outside(key, loop), level);
      loop.carried.forEach(({ init }, i) => {
        scope.use(init, params[i] ?? 0);
      });
      return;
    }
  }

  /** Which carried values count anywhere: after the loop, or for another one that does. */
  #counted(loop: For | While, after: readonly Level[], scope: Scope): readonly boolean[] {
    let counted = after.map((level) => level > 0);
    for (let before = -1; counted.includes(false) && before !== counted.filter(Boolean).length;) {
      before = counted.filter(Boolean).length;
      const results = counted.map((counts): Level => (counts ? 3 : 0));
      const inner = this.body(loop.body, results, scope.all);
      counted = loop.carried.map(
        ({ param }, i) => counted[i] === true || (inner.get(param.name) ?? 0) > 0,
      );
    }
    return counted;
  }

  // a[i] in a loop over all elements   ->   a[]
  #outside(key: string, loop: For | While): string {
    const ending = loop.kind === "for" ? `[${loop.index.name}]` : "";
    if (loop.kind === "while" || !key.endsWith(ending)) return key;
    const array = this.#arrays.get(key.slice(0, -ending.length));
    const isFromStart = loop.from.kind === "const" && loop.from.value === 0 && loop.step === 1;
    return array !== undefined && isFromStart && this.#ranges.reachesEnd(loop, array)
      ? `${array.name}[]`
      : key;
  }
}

class Scope {
  readonly own: Levels = new Map();
  readonly #later: Levels;

  constructor(later: Levels) {
    this.#later = later;
  }

  /** What is known here, in bodies inside. */
  get all(): Levels {
    const all: Levels = new Map(this.#later);
    for (const [key, level] of this.own) raise(all, key, level);
    return all;
  }

  use(atom: Atom, level: Level): void {
    if (atom.kind === "var") this.raise(atom.name, level);
  }

  raise(key: string, level: Level): void {
    raise(this.own, key, level);
  }

  levelOf(keys: readonly string[]): Level {
    let found: Level = 0;
    for (const key of keys)
      for (const level of [this.own.get(key), this.#later.get(key)])
        if (level !== undefined && level > found) found = level;
    return found;
  }
}

/** What memory or a loop keeps, but does not hand on in each execution. */
const orStored = (level: Level): Level => (level === 0 ? 1 : level);

const least = (x: Level, z: Level): Level => (x < z ? x : z);

function raise(levels: Levels, key: string, level: Level): void {
  if (level > (levels.get(key) ?? 0)) levels.set(key, level);
}

/** Whether the other factor may be 0 on its own. */
function isScaled(args: readonly Atom[], i: number): boolean {
  const [own, other] = [args[i], args[1 - i]];
  return other?.kind === "var" && !(own?.kind === "var" && own.name === other.name);
}

/** The keys under which a place may be read; the last one is its own. Null: an appended element. */
function placeKeys(object: Atom, key: Key | null): readonly string[] {
  if (object.kind !== "var") return [];
  const { name } = object;
  if (key === null) return [`${name}[]`];
  if (key.kind === "field") return [`${name}.${key.name}`];
  const { at } = key;
  if (at.kind === "const") return [`${name}[]`, `${name}.${String(at.value)}`];
  return at.kind === "var" ? [`${name}[]`, `${name}[${at.name}]`] : [];
}

/** The array that loses elements: what they held is dropped. */
function shortenedBy(stmt: Stmt): Atom | null {
  if (stmt.kind === "let") return stmt.expr.kind === "removeLast" ? stmt.expr.object : null;
  const isLength = stmt.kind === "store" && stmt.key.kind === "field" && stmt.key.name === "length";
  return isLength ? stmt.object : null;
}

/** How many statements write each place. A call may write what it gets any number of times. */
function writesIn(body: Body, memory: Memory): ReadonlyMap<Region, number> {
  const found = new Map<Region, number>();
  const add = (place: Region | null, count: number): void => {
    if (place !== null) found.set(place.find(), (found.get(place.find()) ?? 0) + count);
  };
  walkStmts(body, (stmt) => {
    add(placeOfStore(stmt, memory), 1);
    const shortened = shortenedBy(stmt);
    if (shortened !== null) add(elements(shortened, memory), 2);
    if (stmt.kind !== "let") return;
    const { expr } = stmt;
    if (expr.kind !== "call" && !(expr.kind === "extern" && expr.effect === "io")) return;
    for (const arg of expr.args) {
      const region = memory.region(arg);
      if (region !== null) for (const place of memory.reachable(region)) add(place, 2);
    }
  });
  return found;
}
