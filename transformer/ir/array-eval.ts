// The reference interpreter of array programs. Computes what the functions of runtime/vector do,
// and writes no argument.

import { type ArrayBody, type ArrayExpr, type ArrayProgram, type Lambda } from "./array.ts";
import { invariant } from "./invariant.ts";
import { OPS } from "./ops.ts";
import { resolve, type Types } from "./shadow.ts";
import type { Atom, Type } from "./types.ts";

type Env = Map<string, unknown>;
type List = Float64Array | readonly unknown[];

export function evalArray(
  program: ArrayProgram,
  args: readonly unknown[],
  types: Types = new Map(),
): unknown {
  return new Interpreter(types).body(
    program.body,
    new Map(program.params.map(({ name }, i) => [name, args[i]])),
  );
}

class Interpreter {
  readonly #types: Types;

  constructor(types: Types) {
    this.#types = types;
  }

  body(body: ArrayBody, outer: Env): unknown {
    const env = new Map(outer);
    for (const { bind, expr } of body.lets) env.set(bind.name, this.#expr(expr, bind.type, env));
    return this.#atom(body.result, env);
  }

  #atom(atom: Atom, env: Env): unknown {
    if (atom.kind === "const") return atom.value;
    invariant(
      atom.kind === "var" && env.has(atom.name),
      `no value of ${atom.kind === "var" ? atom.name : atom.kind}`,
    );
    return env.get(atom.name);
  }

  #list(atom: Atom, env: Env): List {
    const value = this.#atom(atom, env);
    invariant(value instanceof Float64Array || Array.isArray(value), "no array");
    return value;
  }

  #call(fn: Lambda, env: Env, ...args: readonly unknown[]): unknown {
    return this.body(
      fn.body,
      new Map([...env, ...fn.params.map(({ name }, i): [string, unknown] => [name, args[i]])]),
    );
  }

  #arrayOf(values: readonly unknown[], type: Type): List {
    const shape = resolve(type, this.#types);
    return shape.kind === "array" && shape.store === "Float64Array"
      ? Float64Array.from(values.map(Number))
      : values;
  }

  #expr(expr: ArrayExpr, type: Type, env: Env): unknown {
    const at = (atom: Atom): unknown => this.#atom(atom, env);
    switch (expr.kind) {
      case "op":
        return OPS[expr.op].eval(expr.args.map(at));
      case "field":
        return Reflect.get(Object(at(expr.of)), expr.name);
      case "record":
        return Object.fromEntries(expr.fields.map(({ name, value }) => [name, at(value)]));
      case "tuple":
        return expr.elems.map(at);
      case "size":
        return this.#list(expr.of, env).length;
      case "map":
        return this.#map(expr, type, env);
      case "fold":
        return Array.from(this.#list(expr.array, env)).reduce(
          (s: unknown, x) => this.#call(expr.fn, env, s, x),
          at(expr.first),
        );
      case "scan":
        return this.#scan(expr, type, env);
      case "shift":
        return shifted(this.#list(expr.array, env), expr.side);
      case "fill":
        return filled(at(expr.like), at(expr.value));
      case "choose":
        return this.#choose(expr, env);
      case "copy":
        return structuredClone(at(expr.of));
      case "check":
        checkSizes(this.#list(expr.a, env), [this.#list(expr.b, env)]);
        return undefined;
    }
  }

  #choose(expr: ArrayExpr & { kind: "choose" }, env: Env): unknown {
    return this.body(this.#atom(expr.cond, env) === true ? expr.then : expr.else, env);
  }

  #map({ fn, arrays }: ArrayExpr & { kind: "map" }, type: Type, env: Env): List {
    const [first, ...others] = arrays.map((array) => this.#list(array, env));
    invariant(first !== undefined, "a map of no array");
    checkSizes(first, others);
    return this.#arrayOf(
      Array.from(first, (x: unknown, i) =>
        this.#call(fn, env, x, ...others.map((other) => other[i])),
      ),
      type,
    );
  }

  #scan({ fn, first, array, from }: ArrayExpr & { kind: "scan" }, type: Type, env: Env): List {
    const items = Array.from<unknown>(this.#list(array, env));
    const values = [this.#atom(first, env)];
    for (const item of from === "left" ? items : items.reverse())
      values.push(this.#call(fn, env, values.at(-1), item));
    return this.#arrayOf(from === "left" ? values : values.reverse(), type);
  }
}

function checkSizes(first: List, others: readonly List[]): void {
  if (others.some((other) => other.length !== first.length))
    throw new RangeError("arrays of different sizes");
}

const shifted = (array: List, side: "left" | "right"): List =>
  side === "left" ? array.slice(1) : array.slice(0, -1);

/** A copy of `like` with the value in place of each number. */
function filled(like: unknown, value: unknown): unknown {
  if (like instanceof Float64Array) return new Float64Array(like.length).fill(Number(value));
  return Array.isArray(like) ? like.map((item: unknown) => filled(item, value)) : value;
}
