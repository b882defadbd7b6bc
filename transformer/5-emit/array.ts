// Prints array programs as calls of the functions in `tsgrad/vector`. A program becomes an IR body:
// each vector call is an `extern`, a piece of source text around its operands.
// Invariant: parameters of callbacks have identifiers that no other name in the text has.

import {
  type ArrayBody,
  type ArrayExpr,
  type ArrayLet,
  type ArrayProgram,
  atomsOf,
  bodiesOf,
  freeVars,
  type Lambda,
  operatorOf,
} from "../ir/array.ts";
import { num } from "../ir/build.ts";
import { Sizes } from "../ir/array-sizes.ts";
import { baseName, preferredName } from "../ir/names.ts";
import { PREC } from "../ir/ops.ts";
import { BREAK } from "../code/marks.ts";
import { resolve, type Types } from "../ir/shadow.ts";
import { identifiersIn } from "../ir/identifiers.ts";
import type { Atom, Body, Expr, Func, Stmt, Var } from "../ir/types.ts";
import { unreachable } from "../ir/visit.ts";
import { claimName } from "./names/module-names.ts";
import type { Value } from "./code.ts";
import { printAtom, valueText } from "./expression.ts";
import { atLeast, atomText, type Writing } from "./writing.ts";

const NAMES = [
  "add",
  "dot",
  "foldl",
  "map",
  "map2",
  "mul",
  "onesLike",
  "prod",
  "reduce",
  "sameSize",
  "scanl",
  "scanr",
  "shift1L",
  "shift1R",
  "sum",
  "zerosLike",
] as const;
export type VectorName = (typeof NAMES)[number];

/** The function with the program as its body; `local` is the file's name for a function. */
export function arrayFunc(
  program: ArrayProgram,
  func: Func,
  types: Types,
  local: (name: VectorName) => string,
): Func {
  return { ...func, body: new ArrayWriter(program, types, local).body(program.body) };
}

/** Delimits the index of an operand from outside, within a text. */
const MARK = "\u0001";

class ArrayWriter {
  readonly #types: Types;
  readonly #local: (name: VectorName) => string;
  /** Names that occur in the text. */
  #taken: Set<string>;
  /** Identifiers of names that callbacks bind. */
  readonly #inside = new Map<string, string>();
  /** Values that are nested at their one use, in callbacks. */
  readonly #nested = new Map<string, Value>();
  /** Definitions of arrays, by name. */
  #made = new Map<string, ArrayExpr>();
  #operands: Var[] = [];
  readonly #outer = new Map<string, Var>();

  constructor(program: ArrayProgram, types: Types, local: (name: VectorName) => string) {
    this.#types = types;
    this.#local = local;
    this.#taken = new Set([
      ...NAMES,
      ...globalsIn(program.body),
      ...program.params.map(({ name }) => name),
      ...program.body.lets
        .map(({ bind }) => preferredName(bind.name))
        .filter((name) => name !== "t"),
    ]);
    for (const param of program.params) this.#outer.set(param.name, param);
  }

  // -------------------------------------------------------------------------------------
  // statements

  body(body: ArrayBody, outer: Sizes | null = null): Body {
    const stmts: Stmt[] = [];
    const sizes = new Sizes(outer);
    const former = this.#made;
    this.#made = new Map([
      ...former,
      ...body.lets.map(({ bind, expr }): [string, ArrayExpr] => [bind.name, expr]),
    ]);
    // `dot` computes the products itself
    const fused = new Set(
      body.lets.flatMap(({ expr }) =>
        expr.kind === "fold" && this.#isDot(expr, body) && expr.array.kind === "var"
          ? [expr.array.name]
          : [],
      ),
    );
    let compares = false;
    for (const each of body.lets) {
      this.#outer.set(each.bind.name, each.bind);
      const around = new Sizes(sizes);
      compares = sizes.note(each.bind, each.expr) || compares;
      if (fused.has(each.bind.name)) continue;
      stmts.push(this.#stmt(each, body, compares, around));
      compares = false;
    }
    this.#made = former;
    return { stmts, result: [body.result] };
  }

  /** `compares`: it throws on unequal sizes, so it has an effect. */
  #stmt(each: ArrayLet, around: ArrayBody, compares: boolean, sizes: Sizes): Stmt {
    const { bind, expr, origin } = each;
    if (expr.kind === "choose")
      return {
        kind: "if",
        cond: expr.cond,
        then: this.body(expr.then, sizes),
        else: this.body(expr.else, sizes),
        binds: [bind],
        origin,
      };
    return { kind: "let", bind, expr: this.#expr(expr, around, compares), origin };
  }

  #expr(expr: Exclude<ArrayExpr, { kind: "choose" }>, around: ArrayBody, compares: boolean): Expr {
    const scalar = scalarValue(expr);
    if (scalar !== null) return scalar;
    this.#operands = [];
    const text = this.#call(expr, around, (atom) => this.#mark(atom));
    return { kind: "extern", effect: compares ? "io" : "pure", ...this.#cut(text) };
  }

  /** A place-holder for a variable, which `#cut` replaces by an operand. */
  #mark(atom: Atom): string {
    if (atom.kind !== "var") return atomText(atom, this.#writing()).text;
    this.#operands.push(atom);
    return `${MARK}${this.#operands.length - 1}${MARK}`;
  }

  #cut(text: string): { readonly text: readonly string[]; readonly args: readonly Atom[] } {
    const parts = text.split(MARK);
    return {
      text: parts.filter((_, i) => i % 2 === 0),
      args: parts.flatMap((part, i) => (i % 2 === 1 ? (this.#operands[Number(part)] ?? []) : [])),
    };
  }

  // ------------------------------------------------------------------------------- vector
  // functions

  // eslint-disable-next-line complexity -- flat exhaustive switch over ArrayExpr kinds
  #call(expr: ArrayExpr, around: ArrayBody, operand: (atom: Atom) => string): string {
    const call = (name: VectorName, ...args: readonly string[]): string =>
      `${this.#local(name)}(${args.join(", ")})`;
    switch (expr.kind) {
      case "map":
        return call(
          expr.arrays.length === 1 ? "map" : "map2",
          this.#lambda(expr.fn),
          ...expr.arrays.map(operand),
        );
      case "fold":
        return this.#fold(expr, around, operand);
      case "scan":
        return call(
          expr.from === "left" ? "scanl" : "scanr",
          this.#lambda(expr.fn),
          operand(expr.first),
          operand(expr.array),
        );
      case "shift":
        return call(expr.side === "left" ? "shift1L" : "shift1R", operand(expr.array));
      case "fill": {
        const value = expr.value.kind === "const" ? expr.value.value : undefined;
        if (value === 0 || value === 1)
          return call(value === 0 ? "zerosLike" : "onesLike", operand(expr.like));
        return call("map", `() => ${operand(expr.value)}`, operand(expr.like));
      }
      case "check":
        return call("sameSize", operand(expr.a), operand(expr.b));
      case "copy":
      case "op":
      case "field":
      case "record":
      case "tuple":
      case "size":
      case "choose":
        return "";
      default:
        return unreachable(expr);
    }
  }

  /** `sum(a)`, `dot(a, b)`, `prod(a)`, `reduce(f, z, a)` or `foldl(f, z, a)` */
  #fold(
    expr: ArrayExpr & { kind: "fold" },
    around: ArrayBody,
    operand: (atom: Atom) => string,
  ): string {
    const op = operatorOf(expr.fn);
    const starts = (value: number): boolean =>
      expr.first.kind === "const" && expr.first.value === value;
    if (op === "add" && starts(0)) {
      const products =
        this.#isDot(expr, around) && expr.array.kind === "var"
          ? this.#made.get(expr.array.name)
          : undefined;
      if (products?.kind !== "map") return `${this.#local("sum")}(${operand(expr.array)})`;
      const [a, b = a] = products.arrays;
      const factors = [a, b].flatMap((array) => (array === undefined ? [] : [operand(array)]));
      return `${this.#local("dot")}(${factors.join(", ")})`;
    }
    if (op === "mul" && starts(1)) return `${this.#local("prod")}(${operand(expr.array)})`;
    const isSymmetric =
      op !== null || expr.fn.params.every(({ type }) => resolve(type, this.#types).kind !== "num");
    return `${this.#local(isSymmetric ? "reduce" : "foldl")}(${[this.#lambda(expr.fn), operand(expr.first), operand(expr.array)].join(", ")})`;
  }

  // sum(map2(mul, a, b))  ->  dot(a, b)     sum(map((x) => x * x, a))  ->  dot(a, a)
  #isDot({ fn, first, array }: ArrayExpr & { kind: "fold" }, around: ArrayBody): boolean {
    const products =
      array.kind === "var"
        ? around.lets.find(({ bind }) => bind.name === array.name)?.expr
        : undefined;
    return (
      products?.kind === "map" &&
      (products.arrays.length === 2 ? operatorOf(products.fn) === "mul" : isSquare(products.fn)) &&
      operatorOf(fn) === "add" &&
      first.kind === "const" &&
      first.value === 0 &&
      array.kind === "var" &&
      countReads(around, array.name) === 1
    );
  }

  // --------------------------------------------------------------------------------------
  // callbacks

  #lambda(fn: Lambda): string {
    const op = operatorOf(fn);
    if (op === "add" || op === "mul") return this.#local(op);
    const outside = new Set(this.#taken);
    const read = freeVars(fn.body);
    const lastRead = fn.params.findLastIndex(({ name }) => read.has(name));
    const params = fn.params
      .slice(0, lastRead + 1)
      .map((param) =>
        this.#claim(
          param,
          read.has(param.name) ? baseName(param.name) : `_${baseName(param.name)}`,
        ),
      );
    const head = `(${params.join(", ")}) =>`;
    this.#depth++;
    const lines = this.#lines(fn.body);
    const result = atLeast(PREC.conditional, atomText(fn.body.result, this.#writing()));
    this.#depth--;
    // callbacks beside this one may have the same parameters
    this.#taken = outside;
    if (lines.length === 0) return `${head} ${result.startsWith("{") ? `(${result})` : result}`;
    const margin = BREAK + "  ".repeat(this.#depth);
    const block = [...lines, `return ${result};`].map((line) => `${margin}  ${line}`).join("");
    return `${head} {${block}${margin}}`;
  }

  #claim(variable: Var, wanted: string): string {
    const identifier = claimName(wanted.replaceAll(/[^\p{ID_Continue}$]/gu, "_"), this.#taken);
    this.#inside.set(variable.name, identifier);
    return identifier;
  }

  /** Statements of a callback's body. A value with one use is nested there. */
  #lines(body: ArrayBody): readonly string[] {
    const lines: string[] = [];
    for (const each of body.lets) {
      const { bind, expr } = each;
      if (expr.kind === "check") {
        lines.push(`${this.#call(expr, body, (atom) => this.#inner(atom))};`);
        continue;
      }
      if (expr.kind === "choose") lines.push(...this.#lines(expr.then), ...this.#lines(expr.else));
      if (this.#isFused(bind, body)) {
        this.#madeInside.set(bind.name, expr);
        continue;
      }
      const value = this.#value(expr, body);
      // a value that throws on unequal sizes is evaluated even without a use
      const compares = new Sizes().note(bind, expr);
      if (compares && countReads(body, bind.name) === 0) {
        lines.push(`${valueText(value, bind.type, this.#writing()).text};`);
        continue;
      }
      const isOnce = countReads(body, bind.name) === 1 && !isReadInside(body, bind.name);
      if (isOnce && !(compares && isReadInBranch(body, bind.name))) {
        this.#nested.set(bind.name, value);
        continue;
      }
      const text = atLeast(PREC.conditional, valueText(value, bind.type, this.#writing()));
      lines.push(`const ${this.#claim(bind, preferredName(bind.name))} = ${text};`);
    }
    return lines;
  }

  readonly #madeInside = new Map<string, ArrayExpr>();
  /** Nesting depth of callbacks. */
  #depth = 0;

  /** Whether the value is the products that a `dot` of the body computes. */
  #isFused(bind: Var, body: ArrayBody): boolean {
    return body.lets.some(
      ({ expr }) =>
        expr.kind === "fold" &&
        expr.array.kind === "var" &&
        expr.array.name === bind.name &&
        this.#isDot(expr, body),
    );
  }

  #value(expr: Exclude<ArrayExpr, { kind: "check" }>, around: ArrayBody): Value {
    if (expr.kind === "choose")
      return { kind: "choose", cond: expr.cond, then: expr.then.result, else: expr.else.result };
    const scalar = scalarValue(expr);
    if (scalar !== null) return scalar;
    const former = this.#made;
    this.#made = new Map([...former, ...this.#madeInside]);
    const text = this.#call(expr, around, (atom) => this.#inner(atom));
    this.#made = former;
    return { kind: "extern", text: [text], args: [], effect: "pure" };
  }

  #inner(atom: Atom): string {
    return atLeast(PREC.conditional, atomText(atom, this.#writing()));
  }

  /** The context of a callback's text: its names are its own, or operands from outside. */
  #writing(): Writing {
    const of = (name: string): string => {
      const own = this.#inside.get(name);
      const outer = this.#outer.get(name);
      return own ?? (outer === undefined ? name : this.#mark(outer));
    };
    const writing: Writing = {
      atom: (atom) => printAtom(atom, writing),
      nested: this.#nested,
      types: this.#types,
      identifiers: { of, cursorOf: of, fresh: (wanted) => wanted },
      typeWriter: {
        text: () => "unknown",
        listed: () => "unknown",
        hasTags: () => false,
        usesCotangent: false,
      },
      callee: (name) => name,
      member: () => null,
      saysLess: () => false,
      extraArguments: () => 0,
      parameterTypes: () => [],
      isStructural: () => false,
      givesReadonly: () => false,
      helper: ({ verb }) => verb,
      readonlyNames: new Set(),
      readonlyTypes: new Set(),
      packed: new Set(),
      zeros: (length) => `new Array(${length}).fill(0)`,
      library: (text) => text,
      reserved: (tape) => tape,
      pointless: new Set(),
      narrowed: new Set(),
      nulledFields: new Set(),
      literalNames: new Set(),
      defined: () => "",
      noUncheckedIndexedAccess: false,
      lacksFromEntries: false,
    };
    return writing;
  }
}

/** The value of an expression that is no call of a vector function; null for such a call. */
function scalarValue(expr: ArrayExpr): Exclude<Value, { kind: "choose" | "closure" }> | null {
  switch (expr.kind) {
    case "op":
    case "record":
    case "tuple":
      return expr;
    case "field":
      return { kind: "load", object: expr.of, key: { kind: "field", name: expr.name } };
    case "size":
      return { kind: "length", object: expr.of };
    case "copy":
      return { kind: "slice", object: expr.of, from: num(0), to: null };
    case "map":
    case "fold":
    case "scan":
    case "shift":
    case "fill":
    case "check":
    case "choose":
      return null;
    default:
      return unreachable(expr);
  }
}

/** Words in the names of globals that the code reads. */
function globalsIn(body: ArrayBody): readonly string[] {
  const atoms = [body.result, ...body.lets.flatMap(({ expr }) => atomsOf(expr))];
  return [
    ...atoms.flatMap((atom) => (atom.kind === "global" ? identifiersIn(atom.name) : [])),
    ...body.lets.flatMap(({ expr }) => bodiesOf(expr).flatMap(globalsIn)),
  ];
}

/** `(x) => x * x` */
const isSquare = ({
  params: [x],
  body: {
    lets: [only, ...more],
    result,
  },
}: Lambda): boolean =>
  only?.expr.kind === "op" &&
  only.expr.op === "mul" &&
  more.length === 0 &&
  only.expr.args.every((arg) => arg.kind === "var" && arg.name === x?.name) &&
  result.kind === "var" &&
  result.name === only.bind.name;

/** Whether a branch reads the name, which need not execute. */
const isReadInBranch = (body: ArrayBody, name: string): boolean =>
  body.lets.some(
    ({ expr }) =>
      expr.kind === "choose" && bodiesOf(expr).some((inner) => countReads(inner, name) > 0),
  );

/** Number of reads of the name in the body and the bodies within it. */
function countReads(body: ArrayBody, name: string): number {
  const is = (atom: Atom): number => (atom.kind === "var" && atom.name === name ? 1 : 0);
  const inExpr = (expr: ArrayExpr): number =>
    atomsOf(expr).reduce((sum, atom) => sum + is(atom), 0) +
    bodiesOf(expr).reduce((sum, inner) => sum + countReads(inner, name), 0);
  return body.lets.reduce((sum, { expr }) => sum + inExpr(expr), 0) + is(body.result);
}

/** Whether a callback in the body reads the name, once per element. */
const isReadInside = (body: ArrayBody, name: string): boolean =>
  body.lets.some(({ expr }) =>
    expr.kind === "choose"
      ? bodiesOf(expr).some((inner) => isReadInside(inner, name))
      : bodiesOf(expr).some((inner) => countReads(inner, name) > 0),
  );
