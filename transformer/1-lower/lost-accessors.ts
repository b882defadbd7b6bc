// Where an instance of a class with accessors goes by a type that takes them for fields: `const h: { area: number } = square`. In: lowered functions. Out: the
// accessors, and where that is. Invariant: what is left reads as a field only what is one, or an object that comes from outside.

import { resolve, type Types } from "../ir/shadow.ts";
import { elementType, placeType } from "../ir/type-of.ts";
import type { Atom, Expr, Func, Stmt, Type } from "../ir/types.ts";
import { unreachable, walkStmts } from "../ir/visit.ts";

export interface LostAccessor {
  readonly func: string;
  readonly origin: Func["origin"];
  /** `Square.area` */
  readonly accessor: string;
}

/** `isAccessor`: whether instances of the class that a type names have an accessor of that name. */
export function lostAccessors(funcs: ReadonlyMap<string, Func>, types: Types, isAccessor: (of: Type, name: string) => boolean): readonly LostAccessor[] {
  const related = new Relation(types, isAccessor);
  return [...funcs].flatMap(([name, func]) => {
    const found: LostAccessor[] = [];
    const labels = new Map<string, Type>();
    const take = (origin: Func["origin"], value: Atom | null | undefined, to: Type | null | undefined): void => {
      const accessor = value === null || value === undefined || to === null || to === undefined ? null : related.lost(value.type, to);
      if (accessor !== null) found.push({ func: name, origin, accessor });
    };
    walkStmts(func.body, (stmt) => {
      if (stmt.kind === "scope" && stmt.bind !== null) labels.set(stmt.label, stmt.bind.type);
      takeStmt(stmt, types, funcs, (value, to) => take(stmt.origin, value, to));
      if (stmt.kind === "return") take(stmt.origin, stmt.value, labels.get(stmt.label) ?? func.result);
    });
    take(func.origin, func.body.result[0], func.result);
    return found;
  });
}

type Take = (value: Atom | null | undefined, to: Type | null | undefined) => void;

function takeStmt(stmt: Stmt, types: Types, funcs: ReadonlyMap<string, Func>, take: Take): void {
  switch (stmt.kind) {
    case "let": return takeExpr(stmt.expr, stmt.bind.type, types, funcs, take);
    case "store": return take(stmt.value, placeType(stmt.object.type, stmt.key, types));
    case "append": case "fill": return take(stmt.value, elementType(stmt.object.type, types));
    case "declare": return take(stmt.init, stmt.variable.type);
    case "assign": return take(stmt.value, stmt.variable.type);
    case "if": return stmt.binds.forEach(({ type }, i) => { take(stmt.then.result[i], type); take(stmt.else.result[i], type); });
    case "scope": return take(stmt.body.result[0], stmt.bind?.type);
    case "return": case "accum": case "push": case "reserve": case "for": case "while": case "throw": case "break": case "continue": case "loop": return;
    default: return unreachable(stmt);
  }
}

function takeExpr(expr: Expr, bind: Type, types: Types, funcs: ReadonlyMap<string, Func>, take: Take): void {
  const shape = resolve(bind, types);
  switch (expr.kind) {
    case "copy": return take(expr.atom, bind);
    case "call": return funcs.get(expr.callee)?.params.forEach(({ type }, i) => take(expr.args[i], type));
    case "array": return expr.parts.forEach(({ atom, spread }) => take(atom, spread ? bind : elementType(bind, types)));
    case "alloc": return take(expr.fill, elementType(bind, types));
    case "tuple": return expr.elems.forEach((elem, i) => take(elem, shape.kind === "tuple" ? shape.elems[i] : null));
    case "record": return expr.fields.forEach(({ name, value }) => take(value, placeType(bind, { kind: "field", name }, types)));
    case "op": case "load": case "length": case "present": case "unwrap": case "slice": case "zeros": case "clone": case "extern": case "removeLast": case "newTape": case "pop":
    case "rewind": case "lambda": return;
    default: return unreachable(expr);
  }
}

class Relation {
  readonly #types: Types;
  readonly #isAccessor: (of: Type, name: string) => boolean;

  constructor(types: Types, isAccessor: (of: Type, name: string) => boolean) {
    this.#types = types;
    this.#isAccessor = isAccessor;
  }

  /** The accessor that is a field to the other type, anywhere within; null where there is none. */
  lost(from: Type, to: Type, within: readonly string[] = []): string | null {
    if (from === to || (from.kind === "named" && to.kind === "named" && from.name === to.name)) return null;
    const pair = from.kind === "named" && to.kind === "named" ? `${from.name} ${to.name}` : null;
    if (pair !== null && within.includes(pair)) return null;
    const met = pair === null ? within : [...within, pair];
    const [x, z] = [resolve(from, this.#types), resolve(to, this.#types)];
    if (x.kind === "opt") return this.lost(x.of, z.kind === "opt" ? z.of : to, met);
    if (z.kind === "opt") return this.lost(from, z.of, met);
    if (x.kind === "union") return first(x.variants.map((variant) => this.lost(variant, to, met)));
    if (z.kind === "union") return z.variants.some((variant) => this.lost(from, variant, met) === null) ? null : first(z.variants.map((variant) => this.lost(from, variant, met)));
    if (x.kind === "array" && z.kind === "array") return this.lost(x.elem, z.elem, met);
    if (x.kind === "dict" && z.kind === "dict") return this.lost(x.value, z.value, met);
    if (x.kind === "tuple" && z.kind === "array") return first(x.elems.map((elem) => this.lost(elem, z.elem, met)));
    if (x.kind === "tuple" && z.kind === "tuple") return first(x.elems.map((elem, i) => { const other = z.elems[i]; return other === undefined ? null : this.lost(elem, other, met); }));
    if (x.kind !== "record" || z.kind !== "record") return null;
    return first(z.fields.map(({ name, type }) => {
      const field = x.fields.find((each) => each.name === name);
      if (field !== undefined) return this.lost(field.type, type, met);
      return from.kind === "named" && this.#isAccessor(from, name) ? `${from.name}.${name}` : null;
    }));
  }
}

const first = (found: readonly (string | null)[]): string | null => found.find((each) => each !== null) ?? null;
