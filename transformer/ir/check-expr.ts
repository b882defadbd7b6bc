// The type rules of expressions, for ir/check.ts: operands, arity and the type of the result.
// Scopes and the bodies of lambdas are checked in ir/check.ts.

import { assignable } from "./assignable.ts";
import { BOOL } from "./build.ts";
import { isDerivativeName } from "./names.ts";
import { OPS, takes, type ScalarOp } from "./ops.ts";
import { printType } from "./print.ts";
import { resolve } from "./shadow.ts";
import { placeType, typeOf } from "./type-of.ts";
import type { Atom, Expr, Func, Key, NamedType, Program, Type, TypeOf, Var } from "./types.ts";
import { unreachable } from "./visit.ts";

export class ExprCheck {
  readonly #types: ReadonlyMap<string, NamedType>;
  readonly #funcs: ReadonlyMap<string, Func>;
  readonly #knows: (callee: string) => boolean;
  readonly #report: (problem: string) => void;

  /** `knows`: whether a function outside the program may be called. */
  constructor(
    program: Program,
    knows: (callee: string) => boolean,
    report: (problem: string) => void,
  ) {
    this.#types = program.types;
    this.#funcs = program.funcs;
    this.#knows = knows;
    this.#report = report;
  }

  resolved(type: Type): Type {
    return resolve(type, this.#types);
  }

  fits(what: string, from: Type, to: Type): void {
    if (!assignable(from, to, this.#types))
      this.#report(`${what} is ${printType(from)}, not ${printType(to)}`);
  }

  wants(what: string, atom: Atom, kind: Type["kind"]): void {
    if (this.resolved(atom.type).kind !== kind)
      this.#report(`${what} is ${printType(atom.type)}, not ${kind}`);
  }

  /** The type of a place; reports if the object has no such place. */
  place(object: Atom, key: Key): Type | null {
    const aggregate = this.resolved(object.type);
    // The content of an opaque leaf is unknown.
    if (aggregate.kind === "leaf") return null;
    const type = placeType(object.type, key, this.#types);
    if (key.kind === "index" && aggregate.kind === "array") this.wants("an index", key.at, "num");
    const dynamic =
      key.kind === "index" &&
      (aggregate.kind === "tuple" || aggregate.kind === "record") &&
      key.at.kind !== "const";
    if (type === null && !dynamic)
      this.#report(
        `${printType(object.type)} has no ${key.kind === "field" ? `field ${key.name}` : "elements"}`,
      );
    return type;
  }

  /** The element type of an array. */
  elem(what: string, atom: Atom, growing: boolean): Type | null {
    const type = this.resolved(atom.type);
    if (type.kind !== "array" || (growing && type.store !== "Array")) {
      this.#report(
        `${what} is ${printType(atom.type)}, not ${growing ? "a growing array" : "an array"}`,
      );
      return null;
    }
    return type.elem;
  }

  // eslint-disable-next-line complexity -- flat exhaustive switch over Expr kinds
  expr(expr: Expr, { name, type: bind }: Var): void {
    switch (expr.kind) {
      case "op":
        this.#operands(expr.op, expr.args);
        break;
      case "load":
        return this.#load(expr, bind);
      case "array":
        return this.#array(expr, bind);
      case "tuple":
        return this.#tuple(expr, bind);
      case "record":
        return this.#record(expr, bind, isDerivativeName(name));
      case "alloc":
        return this.#alloc(expr, bind);
      case "slice":
        this.elem("what is sliced", expr.object, false);
        this.wants("a bound", expr.from, "num");
        if (expr.to !== null) this.wants("a bound", expr.to, "num");
        break;
      case "zeros":
        if (typeOf(expr, this.#types, this.#funcs) === null)
          this.#report(`${printType(expr.like.type)} has no shadow`);
        break;
      case "call":
        return this.#call(expr.callee, expr.args, bind);
      case "extern":
        if (expr.text.length !== expr.args.length + 1)
          this.#report("an extern's text is not cut at its operands");
        return;
      case "removeLast":
        this.elem("what shrinks", expr.object, true);
        break;
      case "newTape":
        if (this.resolved(bind).kind !== "tape")
          this.#report(`a tape is bound as ${printType(bind)}`);
        return;
      case "pop":
        return this.#pop(expr.tape, bind);
      case "rewind":
        this.wants("what is rewound", expr.tape, "tape");
        break;
      // Copy propagation leaves `present` and `unwrap` of values that are always defined.
      case "unwrap":
        if (this.resolved(expr.value.type).kind === "record") return;
        if (this.resolved(expr.value.type).kind === "union")
          this.fits("the variant", bind, expr.value.type);
        break;
      case "lambda":
      case "copy":
      case "length":
      case "clone":
      case "present":
        break;
      default:
        unreachable(expr);
    }
    const type = typeOf(expr, this.#types, this.#funcs);
    if (type !== null) this.fits("the value", type, bind);
  }

  #load({ object, key }: Expr & { readonly kind: "load" }, bind: Type): void {
    const type = this.place(object, key);
    if (type !== null) this.fits("the bound name's type does not hold: what is loaded", type, bind);
  }

  #alloc({ length, fill }: Expr & { readonly kind: "alloc" }, bind: Type): void {
    this.wants("the length", length, "num");
    const array = this.#freshType("array", bind);
    if (array?.kind === "array" && fill !== null) this.fits("the fill", fill.type, array.elem);
  }

  #pop(tape: Atom, bind: Type): void {
    this.wants("what is popped", tape, "tape");
    const isScalar = bind.kind === "num" || bind.kind === "bool";
    if (tape.type.kind === "tape" && tape.type.of === "num" && !isScalar)
      this.#report(`a num tape gives no ${printType(bind)}`);
  }

  #operands(op: ScalarOp, args: readonly Atom[]): void {
    if (!takes(op, args.length))
      this.#report(`${op} takes ${OPS[op].arity} operands, not ${args.length}`);
    switch (op) {
      case "eq":
      case "ne":
      case "looseEq":
      case "looseNe":
        return;
      case "and":
      case "or":
      case "not":
      case "boolToNum":
        args.forEach((arg) => this.wants(`an operand of ${op}`, arg, "bool"));
        return;
      case "select":
        this.#select(args);
        return;
      default:
        args.forEach((arg) => this.wants(`an operand of ${op}`, arg, "num"));
    }
  }

  #select([cond, x, z]: readonly Atom[]): void {
    if (cond === undefined || x === undefined || z === undefined) return;
    this.wants("the condition", cond, "bool");
    if (!assignable(z.type, x.type, this.#types) && !assignable(x.type, z.type, this.#types))
      this.#report("select of two types");
  }

  /** The bound type of a new aggregate, if it has that kind. An `opt` is looked into. */
  #freshType(kind: "array" | "tuple" | "record", bind: Type): Type | null {
    const outer = this.resolved(bind);
    const type = outer.kind === "opt" ? this.resolved(outer.of) : outer;
    if (type.kind === kind) return type;
    if (type.kind === "union" || (type.kind === "dict" && kind === "record")) return null;
    if (type.kind !== "leaf") this.#report(`a fresh ${kind} is bound as ${printType(bind)}`);
    return null;
  }

  #array(expr: Expr & { readonly kind: "array" }, bind: Type): void {
    const type = this.#freshType("array", bind);
    if (type?.kind !== "array") return;
    for (const { atom, spread } of expr.parts) {
      const given = this.resolved(atom.type);
      if (!spread) this.fits("an element", atom.type, type.elem);
      else if (given.kind === "array") this.fits("a spread element", given.elem, type.elem);
      else if (given.kind === "tuple")
        given.elems.forEach((elem) => this.fits("a spread element", elem, type.elem));
      else this.#report(`${printType(atom.type)} cannot be spread`);
    }
  }

  #tuple(expr: Expr & { readonly kind: "tuple" }, bind: Type): void {
    const type = this.#freshType("tuple", bind);
    if (type?.kind !== "tuple") return;
    if (type.elems.length !== expr.elems.length)
      this.#report(`a tuple of ${expr.elems.length} is bound as one of ${type.elems.length}`);
    if (type.labels !== undefined && type.labels.length !== type.elems.length)
      this.#report("a tuple's labels are not one per element");
    expr.elems.forEach((elem, i) =>
      this.fits(`element ${i}`, elem.type, type.elems[i] ?? elem.type),
    );
  }

  #record(expr: Expr & { readonly kind: "record" }, bind: Type, isWhole: boolean): void {
    const type = this.#freshType("record", bind);
    if (type?.kind !== "record") return;
    const given: TypeOf<"record"> = {
      kind: "record",
      fields: expr.fields.map(({ name, value }) => ({ name, type: value.type })),
    };
    // A user's literal may lack fields of its type. A literal of tsgrad's has a place for each
    // number.
    const isGiven = (name: string): boolean => given.fields.some((one) => one.name === name);
    const mayLack =
      !isWhole && given.fields.every(({ name }) => type.fields.some((one) => one.name === name));
    const expected = mayLack
      ? { ...type, fields: type.fields.filter(({ name }) => isGiven(name)) }
      : type;
    this.fits("the record", given, expected);
  }

  #call(callee: string, args: readonly Atom[], bind: Type): void {
    const func = this.#funcs.get(callee);
    if (func === undefined) {
      if (!this.#knows(callee)) this.#report(`there is no function ${callee}`);
      return;
    }
    if (args.length !== func.params.length)
      this.#report(`${callee} takes ${func.params.length} arguments, not ${args.length}`);
    func.params.forEach((param, i) =>
      this.fits(`argument ${param.name} of ${callee}`, args[i]?.type ?? param.type, param.type),
    );
    if (bind.kind !== "void") this.fits(`the result of ${callee}`, func.result, bind);
  }

  condition(what: string, atom: Atom): void {
    this.fits(what, atom.type, BOOL);
  }
}
