// What a derivative returns is nobody else's: an argument, or an array that is returned twice, is copied. In: a body. Out: one whose result is fresh all
// the way down. Invariant: a copy is made only where something else could be reached through the result.

import { type ArrayBody, ArrayBuilder, type ArrayExpr, lambda } from "../../ir/array.ts";
import { num } from "../../ir/build.ts";
import type { Names } from "../../ir/names.ts";
import { resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Origin } from "../../ir/types.ts";

// return a  ->  return copy(a)        (a an argument, an element, a field, or returned before)
export function freshResult(body: ArrayBody, types: Types, names: Names): ArrayBody {
  const origin = body.lets.at(-1)?.origin ?? { file: "", start: 0, end: 0 };
  return freshen(body, types, names, origin);
}

function freshen(body: ArrayBody, types: Types, names: Names, origin: Origin): ArrayBody {
  const b = new ArrayBuilder(names, origin);
  b.lets.push(...body.lets);
  const given = new Set<string>();
  const result = fresh(b, body.result, given, types, names);
  return { lets: b.lets, result };
}

function fresh(b: ArrayBuilder, atom: Atom, given: Set<string>, types: Types, names: Names): Atom {
  const shape = resolve(atom.type, types);
  if (atom.kind !== "var" || (shape.kind !== "array" && shape.kind !== "record" && shape.kind !== "tuple")) return atom;
  const own = b.lets.find(({ bind }) => bind.name === atom.name);
  if (own === undefined || given.has(atom.name)) return copyOf(b, atom, types);
  const isOfNumbers = (array: Atom): boolean => { const own = resolve(array.type, types); return own.kind === "array" && resolve(own.elem, types).kind === "num"; };
  const made = parts(own.expr, isOfNumbers, (inner) => freshen(inner, types, names, own.origin), (inner) => fresh(b, inner, given, types, names));
  if (made === null) return copyOf(b, atom, types);
  given.add(atom.name);
  if (made !== own.expr) {
    // operands may have been copied behind it
    b.lets.splice(b.lets.indexOf(own), 1);
    b.lets.push({ ...own, expr: made });
  }
  return atom;
}

/** The expression where what it gives is fresh, as it is or with fresh parts; null where it is not. */
function parts(expr: ArrayExpr, isOfNumbers: (array: Atom) => boolean, inside: (body: ArrayBody) => ArrayBody, part: (atom: Atom) => Atom): ArrayExpr | null {
  switch (expr.kind) {
    case "map": case "scan": return { ...expr, fn: { params: expr.fn.params, body: inside(expr.fn.body) } };
    case "fold": return { ...expr, fn: { params: expr.fn.params, body: inside(expr.fn.body) }, first: part(expr.first) };
    case "choose": return { ...expr, then: inside(expr.then), else: inside(expr.else) };
    case "record": return { ...expr, fields: expr.fields.map((field) => ({ ...field, value: part(field.value) })) };
    case "tuple": return { ...expr, elems: expr.elems.map(part) };
    case "fill": case "copy": case "op": case "size": return expr;
    // of numbers: elements that are arrays are the array's own
    case "shift": return isOfNumbers(expr.array) ? expr : null;
    case "field": case "check": return null;
  }
}

function copyOf(b: ArrayBuilder, atom: Atom, types: Types): Atom {
  const shape = resolve(atom.type, types);
  if (shape.kind === "array") {
    if (resolve(shape.elem, types).kind === "num") return b.let("t", atom.type, { kind: "copy", of: atom });
    const fn = lambda(b.names, b.origin, [["x", shape.elem]], (inner, x) => copyOf(inner, x ?? num(0), types));
    return b.let("t", atom.type, { kind: "map", fn, arrays: [atom] });
  }
  if (shape.kind !== "record") return atom;
  const fields = shape.fields.map(({ name, type }) => ({ name, value: copyOf(b, b.let(name, type, { kind: "field", of: atom, name }), types) }));
  return b.let("t", atom.type, { kind: "record", fields });
}
