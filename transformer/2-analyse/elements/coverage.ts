// Which arrays inside the arguments a function iterates over, and in how many nested loops. Output:
// places of arrays ("0" is the first argument, "0.rows" its field, "0.rows[]" that array's
// elements) with their loop depth. An array whose element is read at an index from outside is left
// out. Unsure means not iterated.

import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Body, Expr, Func, Program, Stmt, Type } from "../../ir/types.ts";

/** The places of all arrays in a value at `place`. */
export function arraysIn(type: Type, place: string, types: Types): readonly string[] {
  const shape = resolve(type, types);
  switch (shape.kind) {
    case "array":
      return [place, ...arraysIn(shape.elem, `${place}[]`, types)];
    case "record":
      return shape.fields.flatMap((field) => arraysIn(field.type, `${place}.${field.name}`, types));
    case "tuple":
      return shape.elems.flatMap((elem, k) => arraysIn(elem, `${place}.${k}`, types));
    default:
      return [];
  }
}

interface Covered {
  /** The loop depth of each place. */
  readonly arrays: ReadonlyMap<string, number>;
  /** The deepest nesting of loops. */
  readonly depth: number;
}

const NOTHING: Covered = { arrays: new Map(), depth: 0 };

/** The number of loops needed to visit an array and what contains it. */
export const dimensionsOf = (array: string): number => array.split("[]").length;

export class Coverage {
  readonly #funcs: Program["funcs"];
  readonly #known = new Map<string, Covered>();

  constructor(funcs: Program["funcs"]) {
    this.#funcs = funcs;
  }

  of(func: Func): Covered {
    const known = this.#known.get(func.name);
    if (known !== undefined) return known;
    this.#known.set(func.name, NOTHING); // of recursion nothing is known
    const walk = new Walk(func, (callee) => {
      const own = this.#funcs.get(callee);
      return own === undefined ? NOTHING : this.of(own);
    });
    const found = walk.covered();
    this.#known.set(func.name, found);
    return found;
  }
}

/** Walks one function. */
class Walk {
  readonly #func: Func;
  readonly #calleeCovers: (callee: string) => Covered;
  /** By name: the place of its value in the arguments. */
  readonly #places = new Map<string, string>();
  /** Loop indices that start at a constant and end at a variable. */
  readonly #counters = new Set<string>();
  readonly #covered = new Map<string, number>();
  #depth = 0;
  #deepest = 0;
  /** Arrays indexed by a value from the arguments. */
  readonly #chosen = new Set<string>();

  constructor(func: Func, calleeCovers: (callee: string) => Covered) {
    this.#func = func;
    this.#calleeCovers = calleeCovers;
  }

  covered(): Covered {
    this.#func.params.forEach(({ name }, k) => {
      this.#places.set(name, String(k));
    });
    this.#body(this.#func.body);
    return {
      arrays: new Map([...this.#covered].filter(([array]) => !this.#chosen.has(array))),
      depth: this.#deepest,
    };
  }

  #placeOf(atom: Atom): string | undefined {
    return atom.kind === "var" ? this.#places.get(atom.name) : undefined;
  }

  #body({ stmts }: Body): void {
    for (const stmt of stmts) this.#statement(stmt);
  }

  #statement(stmt: Stmt): void {
    if (stmt.kind === "let") {
      const place = this.#expression(stmt.expr);
      if (place !== undefined) this.#places.set(stmt.bind.name, place);
    } else if (stmt.kind === "for") {
      if (stmt.from.kind !== "var" && stmt.to.kind !== "const") this.#counters.add(stmt.index.name);
      this.#loop(stmt.body);
    } else if (stmt.kind === "while") {
      this.#loop(stmt.test);
      this.#loop(stmt.body);
    } else if (stmt.kind === "if") {
      this.#body(stmt.then);
      this.#body(stmt.else);
    }
  }

  #loop(body: Body): void {
    this.#deepest = Math.max(this.#deepest, ++this.#depth);
    this.#body(body);
    this.#depth--;
  }

  #cover(array: string | undefined, loops: number): void {
    if (array !== undefined)
      this.#covered.set(array, Math.max(this.#covered.get(array) ?? 0, loops));
  }

  /** The place of the value; undefined: none. */
  #expression(expr: Expr): string | undefined {
    if (expr.kind === "copy") return this.#placeOf(expr.atom);
    if (expr.kind === "unwrap") return this.#placeOf(expr.value);
    if (expr.kind === "slice") this.#cover(this.#placeOf(expr.object), this.#depth + 1);
    if (expr.kind === "array")
      for (const { atom, spread } of expr.parts)
        if (spread) this.#cover(this.#placeOf(atom), this.#depth + 1);
    if (expr.kind === "call") this.#call(expr.callee, expr.args);
    if (expr.kind !== "load") return undefined;
    const owner = this.#placeOf(expr.object);
    const { key } = expr;
    if (owner === undefined) return undefined;
    if (key.kind === "field") return `${owner}.${key.name}`;
    if (key.at.kind === "var" && this.#counters.has(key.at.name)) this.#cover(owner, this.#depth);
    else if (this.#placeOf(key.at) !== undefined) this.#chosen.add(owner);
    return `${owner}[]`;
  }

  #call(callee: string, args: readonly Atom[]): void {
    const { arrays, depth } = this.#calleeCovers(callee);
    this.#deepest = Math.max(this.#deepest, this.#depth + depth);
    for (const [array, loops] of arrays) {
      const [, at = "", rest = ""] = /^(\d+)(.*)$/.exec(array) ?? [];
      const arg = args[Number(at)];
      const place = arg === undefined ? undefined : this.#placeOf(arg);
      if (place !== undefined) this.#cover(place + rest, this.#depth + loops);
    }
  }
}
