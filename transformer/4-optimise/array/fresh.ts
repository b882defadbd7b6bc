// Copies what a derivative returns unless it is fresh: an argument, or an array that is returned
// twice. Invariant: the result is fresh all the way down, and each copy is necessary.

import {
  type ArrayBody,
  ArrayBuilder,
  type ArrayExpr,
  type ArrayLet,
  lambda,
} from "../../ir/array.ts";
import type { Names } from "../../ir/names.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Origin } from "../../ir/types.ts";

// return a   ->   return copy(a), where a is an argument, an element, a field, or returned before
export function freshResult(body: ArrayBody, types: Types, names: Names): ArrayBody {
  const origin = body.lets.at(-1)?.origin ?? { file: "", start: 0, end: 0 };
  return freshen(body, types, names, origin);
}

function freshen(body: ArrayBody, types: Types, names: Names, origin: Origin): ArrayBody {
  const lets = [...body.lets];
  const result = new Freshening(lets, types, names, origin).atom(body.result, null);
  return { lets, result };
}

class Freshening {
  readonly #lets: ArrayLet[];
  readonly #types: Types;
  readonly #names: Names;
  readonly #origin: Origin;
  readonly #given = new Set<string>();

  constructor(lets: ArrayLet[], types: Types, names: Names, origin: Origin) {
    this.#lets = lets;
    this.#types = types;
    this.#names = names;
    this.#origin = origin;
  }

  /** The replacement of a value that `reader` returns or stores; null stands for the result. */
  atom(atom: Atom, reader: string | null): Atom {
    const shape = resolve(atom.type, this.#types);
    if (
      atom.kind !== "var" ||
      (shape.kind !== "array" && shape.kind !== "record" && shape.kind !== "tuple")
    )
      return atom;
    const own = this.#lets.find(({ bind }) => bind.name === atom.name);
    const fresh = own === undefined || this.#given.has(atom.name) ? null : this.#parts(own);
    if (own === undefined || fresh === null) return this.#copy(atom, reader);
    this.#given.add(atom.name);
    this.#lets[this.#lets.indexOf(own)] = { ...own, expr: fresh };
    return atom;
  }

  /** The expression with fresh parts, or null if its value is not fresh. */
  #parts({ bind, expr, origin }: ArrayLet): ArrayExpr | null {
    const inside = (body: ArrayBody): ArrayBody => freshen(body, this.#types, this.#names, origin);
    const part = (atom: Atom): Atom => this.atom(atom, bind.name);
    switch (expr.kind) {
      case "map":
      case "scan":
        return { ...expr, fn: { params: expr.fn.params, body: inside(expr.fn.body) } };
      case "fold":
        return {
          ...expr,
          fn: { params: expr.fn.params, body: inside(expr.fn.body) },
          first: part(expr.first),
        };
      case "choose":
        return { ...expr, then: inside(expr.then), else: inside(expr.else) };
      case "record":
        return {
          ...expr,
          fields: expr.fields.map((field) => ({ ...field, value: part(field.value) })),
        };
      case "tuple":
        return { ...expr, elems: expr.elems.map(part) };
      case "fill":
      case "copy":
      case "op":
      case "size":
        return expr;
      // Shares its elements with the array, which matters unless they are numbers.
      case "shift":
        return this.#isOfNumbers(expr.array) ? expr : null;
      case "field":
      case "check":
        return null;
    }
  }

  #isOfNumbers(array: Atom): boolean {
    const shape = resolve(array.type, this.#types);
    return shape.kind === "array" && resolve(shape.elem, this.#types).kind === "num";
  }

  /** A copy, inserted before its reader. */
  #copy(atom: Atom, reader: string | null): Atom {
    const b = new ArrayBuilder(this.#names, this.#origin);
    const copy = copyOf(b, atom, this.#types);
    const at = this.#lets.findIndex(({ bind }) => bind.name === reader);
    this.#lets.splice(at < 0 ? this.#lets.length : at, 0, ...b.lets);
    return copy;
  }
}

function copyOf(b: ArrayBuilder, atom: Atom, types: Types): Atom {
  const shape = resolve(atom.type, types);
  if (shape.kind === "array") {
    if (resolve(shape.elem, types).kind === "num")
      return b.let("t", atom.type, { kind: "copy", of: atom });
    const fn = lambda(b.names, b.origin, [["x", shape.elem]], (inner, x) =>
      copyOf(inner, x, types),
    );
    return b.let("t", atom.type, { kind: "map", fn, arrays: [atom] });
  }
  if (shape.kind !== "record") return atom;
  const fields = shape.fields.map(({ name, type }) => ({
    name,
    value: copyOf(b, b.let(name, type, { kind: "field", of: atom, name }), types),
  }));
  return b.let("t", atom.type, { kind: "record", fields });
}
