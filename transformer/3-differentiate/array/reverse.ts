// Reverse mode on array programs: cotangents are values, bound once; there is no shadow, no tape and no store. In: a body whose primal code stands in
// a builder, and the cotangent of its result. Out: the cotangents of the names asked for. Invariant: the rules are the paper's, each above its code;
// nothing is simplified here (4-optimise/array does that).
// Huot and Shaikhha, Figures 5 and 13 (free variables), 16 (`foldl`, `map`), 17 (elements that are records or arrays).

import {
  ArrayBuilder,
  type ArrayBody,
  type ArrayExpr,
  type ArrayLet,
  freeOf,
  freeVars,
  freshBody,
  freshLambda,
  type Lambda,
  lambda,
  operator,
  operatorOf,
  readsOf,
} from "../../ir/array.ts";
import { Builder, NUM, num } from "../../ir/build.ts";
import { bar as barName } from "../../ir/names.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import { isConstant, partialOf } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { certainNames } from "./certain.ts";
import { cotangentType, numericFields, sumOf, Unfit, zeroOf } from "./vector-space.ts";

/** What the reverse of all bodies of one program shares. */
export interface Setting {
  readonly types: Types;
}

/** An array, and what its elements are called. */
interface Element {
  readonly array: Atom;
  readonly param: Var;
}

type Get = (wanted: Var) => Atom | null;

/** Writes the reverse of `body` into `b`; gives the cotangents of `wanted`, null where there is none. */
export function reverse(
  b: ArrayBuilder,
  body: ArrayBody,
  seed: Atom,
  wanted: readonly Var[],
  setting: Setting,
): Get {
  const sweep = new Sweep(b, wanted, setting);
  return sweep.run(body, seed);
}

class Sweep {
  readonly #b: ArrayBuilder;
  readonly #setting: Setting;
  readonly #active: Set<string>;
  readonly #bars = new Map<string, Atom>();
  /** Of records: cotangents of their fields. */
  readonly #fields = new Map<string, Map<string, Atom>>();
  /** Names that count in any case: the cotangent of others may be 0 where a partial is infinite. */
  #certain: ReadonlySet<string> = new Set();

  constructor(b: ArrayBuilder, wanted: readonly Var[], setting: Setting) {
    this.#b = b;
    this.#setting = setting;
    this.#active = new Set(wanted.map(({ name }) => name));
  }

  run(body: ArrayBody, seed: Atom): Get {
    const { types } = this.#setting;
    for (const each of body.lets) {
      if (
        hasNumbers(each.bind.type, types) &&
        [...readsOf(each).keys()].some((name) => this.#active.has(name))
      )
        this.#active.add(each.bind.name);
    }
    this.#certain = certainNames(body);
    this.#add(body.result, seed);
    for (const each of [...body.lets].reverse()) this.#let(each);
    return (wanted) => this.#take(wanted);
  }

  /** What is a `fill` by how it was made. */
  #fillOf(atom: Atom): Atom | null {
    if (atom.kind !== "var") return null;
    const made = this.#b.lets.findLast(({ bind }) => bind.name === atom.name)?.expr;
    return made?.kind === "fill" ? made.value : null;
  }

  // -------------------------------------------------------------------------------------------------- cotangents

  #isActive(atom: Atom): atom is Var {
    return atom.kind === "var" && this.#active.has(atom.name);
  }

  #add(atom: Atom, value: Atom): void {
    if (!this.#isActive(atom) || isZero(value)) return;
    const { types } = this.#setting;
    if (resolve(atom.type, types).kind === "record") {
      for (const { name, type } of numericFields(atom.type, types))
        this.#addField(
          atom,
          name,
          type,
          this.#b.let(name, cotangentType(type, types), { kind: "field", of: value, name }),
        );
      return;
    }
    const known = this.#bars.get(atom.name);
    this.#bars.set(
      atom.name,
      known === undefined
        ? value
        : sumOf(this.#b, barName(atom.name), atom.type, known, value, types),
    );
  }

  #addField(record: Var, name: string, type: Type, value: Atom): void {
    const own = this.#fields.get(record.name) ?? new Map<string, Atom>();
    const known = own.get(name);
    own.set(
      name,
      known === undefined
        ? value
        : sumOf(this.#b, barName(name), type, known, value, this.#setting.types),
    );
    this.#fields.set(record.name, own);
  }

  #take(variable: Var): Atom | null {
    const { types } = this.#setting;
    const own = this.#fields.get(variable.name);
    if (own === undefined) return this.#bars.get(variable.name) ?? null;
    const fields = numericFields(variable.type, types).map(({ name, type }) => {
      const there = own.get(name);
      return {
        name,
        value:
          there ??
          (type.kind === "num"
            ? num(0)
            : zeroOf(
                this.#b,
                this.#b.let(name, type, { kind: "field", of: variable, name }),
                types,
              )),
      };
    });
    return this.#b.let(barName(variable.name), cotangentType(variable.type, types), {
      kind: "record",
      fields,
    });
  }

  // -------------------------------------------------------------------------------------------------- rules

  #let({ bind, expr, origin }: ArrayLet): void {
    const bar = this.#active.has(bind.name) ? this.#take(bind) : null;
    if (bar === null) return;
    this.#b.origin = origin;
    switch (expr.kind) {
      case "op":
        return this.#op(bind, expr, bar);
      case "map":
        return this.#map(expr, bar);
      case "fold":
        return this.#fold(expr, bar);
      case "choose":
        return this.#choose(expr, bar);
      // y = o.f    o$bar += { f: y$bar }
      case "field":
        if (this.#isActive(expr.of)) this.#addField(expr.of, expr.name, bind.type, bar);
        return;
      // y = { f: x }    x$bar += y$bar.f
      case "record":
        for (const { name, value } of expr.fields)
          if (this.#isActive(value))
            this.#add(
              value,
              this.#b.let(name, cotangentType(value.type, this.#setting.types), {
                kind: "field",
                of: bar,
                name,
              }),
            );
        return;
      // y = fill(x, a)    x$bar += sum(y$bar)
      case "fill":
        if (this.#isActive(expr.value)) this.#add(expr.value, this.#sum(bar, NUM));
        return;
      case "copy":
        return this.#add(expr.of, bar);
      case "size":
      case "check":
        return;
      case "scan":
      case "shift":
        throw new Unfit(
          `the derivative of \`${expr.kind === "scan" ? (expr.from === "left" ? "scanl" : "scanr") : expr.side === "left" ? "shift1L" : "shift1R"}\` is a loop`,
        );
      case "tuple":
        throw new Unfit("a tuple inside the program");
      default:
        return unreachable(expr);
    }
  }

  // y = op x1 x2    x1$bar += ∂1op * y$bar ; x2$bar += ∂2op * y$bar
  #op(bind: Var, expr: ArrayExpr & { kind: "op" }, bar: Atom): void {
    const rule = SCALAR[expr.op];
    expr.args.forEach((arg, i) => {
      const partial = partialOf(rule, i, expr.args.length);
      if (partial === null || !this.#isActive(arg)) return;
      const at = (position: number): Atom => expr.args[position] ?? bind;
      const b = new Builder(this.#b.names, this.#b.origin, true);
      const slope = partial(
        b,
        {
          get x() {
            return at(0);
          },
          get z() {
            return at(1);
          },
          y: bind,
          arg: at,
          isConstant: (position, value) => isConstant(expr.args[position], value),
        },
        bar,
      );
      const masked =
        !this.#certain.has(bind.name) &&
        bar.kind !== "const" &&
        rule.unbounded?.(expr.args) === true;
      const value = masked ? b.select(b.op("eq", bar, num(0)), num(0), slope) : slope;
      for (const stmt of b.stmts) {
        if (stmt.kind !== "let" || stmt.expr.kind !== "op")
          throw new Unfit(`the rule of \`${expr.op}\` branches`);
        this.#b.lets.push({
          bind: stmt.bind,
          expr: stmt.expr,
          origin: this.#b.origin,
          adjoint: true,
        });
      }
      this.#add(arg, value);
    });
  }

  // y = map2(f, a, b)    a$bar += map2(*, map2(∂x f, a, b), y$bar) ; b$bar likewise ;
  //                      free w of f:  w$bar += sum(map2(*, map2(∂w f, a, b), y$bar))
  #map({ fn, arrays }: ArrayExpr & { kind: "map" }, bar: Atom): void {
    arrays.forEach((array, i) => {
      const param = fn.params[i];
      if (param !== undefined && this.#isActive(array))
        this.#add(array, this.#each(fn, param, arrays, bar, array.type));
    });
    for (const free of freeOf(fn).values()) {
      if (!this.#isActive(free)) continue;
      const elem = cotangentType(free.type, this.#setting.types);
      const first = arrays[0] === undefined ? null : resolve(arrays[0].type, this.#setting.types);
      // numbers are collected in an array of any kind
      const type: Type = {
        kind: "array",
        store: elem.kind === "num" && first?.kind === "array" ? first.store : "Array",
        elem,
      };
      this.#add(free, this.#total(free, this.#each(fn, free, arrays, bar, type)));
    }
  }

  /** What each round contributes to `target`, an element or a free name of `fn`, as an array of the kind of `like`. */
  #each(fn: Lambda, target: Var, arrays: readonly Atom[], bar: Atom, like: Type): Atom {
    const { types } = this.#setting;
    const seed = this.#fillOf(bar);
    if (seed !== null)
      return this.#over(
        this.#slope(fn, target, () => seed),
        arrays,
        like,
      );
    const isScalar = (type: Type): boolean => resolve(type, types).kind === "num";
    if (isScalar(target.type) && isScalar(fn.body.result.type)) {
      const slopes = this.#over(
        this.#slope(fn, target, () => num(1)),
        arrays,
        like,
      );
      return this.#over(operator(this.#b.names, this.#b.origin, "mul"), [slopes, bar], like);
    }
    const z: Var = {
      kind: "var",
      name: this.#b.names.fresh("z"),
      type: cotangentType(fn.body.result.type, types),
    };
    const seeded = this.#slope(fn, target, () => z);
    return this.#over({ params: [...seeded.params, z], body: seeded.body }, [...arrays, bar], like);
  }

  /** `∂fn/∂target * seed`, as a function of the same elements. */
  #slope(fn: Lambda, target: Var, seed: () => Atom): Lambda {
    const copy = freshLambda(fn, this.#b.names);
    const own = copy.params[fn.params.findIndex(({ name }) => name === target.name)] ?? target;
    const inner = new ArrayBuilder(this.#b.names, this.#b.origin);
    inner.lets.push(...copy.body.lets);
    const get = reverse(inner, copy.body, seed(), [own], this.#setting);
    return {
      params: copy.params,
      body: { result: get(own) ?? zeroOf(inner, own, this.#setting.types), lets: inner.lets },
    };
  }

  /** `map` over the arrays that the function reads, which are at most two; the first is of the kind of `like`. */
  #over(fn: Lambda, arrays: readonly Atom[], like: Type): Atom {
    const { types } = this.#setting;
    const free = freeVars(fn.body);
    const elem = resolve(like, types);
    const isLike = (array: Atom): boolean => {
      const shape = resolve(array.type, types);
      return shape.kind === "array" && elem.kind === "array" && shape.store === elem.store;
    };
    const all = arrays
      .map((array, i) => ({ array, param: fn.params[i] }))
      .filter((each): each is Element => each.param !== undefined);
    const read = all.filter(({ param }) => free.has(param.name));
    const head = read.find(({ array }) => isLike(array)) ?? all.find(({ array }) => isLike(array));
    if (head === undefined) throw new Unfit("arrays of two kinds");
    const chosen = [head, ...read.filter((each) => each !== head)];
    const [first, ...others] = chosen;
    const paired =
      first === undefined || others.length < 2
        ? { each: chosen, lets: [] }
        : this.#paired(first, others);
    const type = cotangentType(like, types);
    const body: ArrayBody = { lets: [...paired.lets, ...fn.body.lets], result: fn.body.result };
    return this.#b.let("t", type, {
      kind: "map",
      fn: { params: paired.each.map(({ param }) => param), body },
      arrays: paired.each.map(({ array }) => array),
    });
  }

  // map3(f, a, b, c)  =  map2((x, r) => f(x, r.x, r.y), a, map2((x, y) => ({ x, y }), b, c))
  #paired(
    first: Element,
    others: readonly Element[],
  ): { readonly each: readonly Element[]; readonly lets: readonly ArrayLet[] } {
    const isList = ({ array }: Element): boolean => {
      const shape = resolve(array.type, this.#setting.types);
      return shape.kind === "array" && shape.store === "Array";
    };
    const [p, q, ...more] = others.toSorted((a, b) => Number(isList(b)) - Number(isList(a)));
    if (p === undefined || q === undefined || more.length > 0 || !isList(p))
      throw new Unfit("a map of three arrays");
    const { origin, names } = this.#b;
    const type: Type = {
      kind: "record",
      fields: [
        { name: "x", type: p.param.type },
        { name: "y", type: q.param.type },
      ],
    };
    const pair = lambda(
      names,
      origin,
      [
        ["x", p.param.type],
        ["y", q.param.type],
      ],
      (b, x, y) =>
        b.let("t", type, {
          kind: "record",
          fields: [
            { name: "x", value: x ?? num(0) },
            { name: "y", value: y ?? num(0) },
          ],
        }),
    );
    const array = this.#b.let(
      "pairs",
      { kind: "array", store: "Array", elem: type },
      { kind: "map", fn: pair, arrays: [p.array, q.array] },
    );
    const r: Var = { kind: "var", name: names.fresh("r"), type };
    const read = (bind: Var, name: string): ArrayLet => ({
      bind,
      expr: { kind: "field", of: r, name },
      origin,
      adjoint: true,
    });
    return { each: [first, { array, param: r }], lets: [read(p.param, "x"), read(q.param, "y")] };
  }

  /** The sum of an array of cotangents of `of`. */
  #total(of: Var, items: Atom): Atom {
    const { types } = this.#setting;
    if (resolve(of.type, types).kind === "num") return this.#sum(items, NUM);
    const type = cotangentType(of.type, types);
    const fn = lambda(
      this.#b.names,
      this.#b.origin,
      [
        ["x", type],
        ["y", type],
      ],
      (b, x, y) => sumOf(b, "t", of.type, x ?? num(0), y ?? num(0), types),
    );
    return this.#b.let("t", type, {
      kind: "fold",
      fn,
      first: zeroOf(this.#b, of, types),
      array: items,
    });
  }

  #sum(items: Atom, type: Type): Atom {
    return this.#b.let("t", type, {
      kind: "fold",
      fn: operator(this.#b.names, this.#b.origin, "add"),
      first: num(0),
      array: items,
    });
  }

  // y = reduce(+, v, a)   a$bar += fill(y$bar, a) ; v$bar += y$bar        (Lemma A.5: what the rule below comes to)
  #addition({ first, array }: ArrayExpr & { kind: "fold" }, bar: Atom): void {
    if (this.#isActive(array))
      this.#add(
        array,
        this.#b.let("t", cotangentType(array.type, this.#setting.types), {
          kind: "fill",
          value: bar,
          like: array,
        }),
      );
    this.#add(first, bar);
  }

  // y = foldl(f, v, a)    A0 = shift1R(scanl(f, v, a)) ; A1 = map2(∂s f, A0, a) ; A2 = map2(∂x f, A0, a) ; R = scanr(*, y$bar, A1) ; A3 = shift1L(R)
  //                       a$bar += map2(*, A3, A2) ; v$bar += reduce(*, y$bar, A1) ; free w of f:  w$bar += sum(map2(*, A3, map2(∂w f, A0, a)))
  #fold(expr: ArrayExpr & { kind: "fold" }, bar: Atom): void {
    const { fn, first, array } = expr;
    if (operatorOf(fn) === "add") return this.#addition(expr, bar);
    const b = this.#b;
    const { types } = this.#setting;
    const [s, x] = fn.params;
    if (s === undefined || x === undefined || s.type.kind !== "num")
      throw new Unfit("something else than a number goes from round to round");
    const shape = resolve(array.type, types);
    const store = shape.kind === "array" ? shape.store : "Array";
    const numbers: Type = { kind: "array", store, elem: NUM };
    const mul = (): Lambda => operator(b.names, b.origin, "mul");
    const former = b.let("before", numbers, {
      kind: "shift",
      side: "right",
      array: b.let("t", numbers, {
        kind: "scan",
        from: "left",
        fn: freshLambda(fn, b.names),
        first,
        array,
      }),
    });
    const slopes = (target: Var): Atom =>
      this.#over(
        this.#slope(fn, target, () => num(1)),
        [former, array],
        numbers,
      );
    const bySum = slopes(s);
    const after = b.let("after", numbers, {
      kind: "shift",
      side: "left",
      array: b.let("t", numbers, {
        kind: "scan",
        from: "right",
        fn: mul(),
        first: bar,
        array: bySum,
      }),
    });
    const through = (target: Var): Atom => this.#over(mul(), [after, slopes(target)], numbers);
    const targets = [
      ...(this.#isActive(array) ? [x] : []),
      ...[...freeOf(fn).values()].filter((free) => this.#isActive(free)),
    ];
    if (targets.some((target) => resolve(target.type, types).kind !== "num"))
      throw new Unfit("a value goes from round to round over elements that are no numbers");
    if (this.#isActive(array)) this.#add(array, through(x));
    if (this.#isActive(first))
      this.#add(first, b.let("t", NUM, { kind: "fold", fn: mul(), first: bar, array: bySum }));
    for (const free of freeOf(fn).values())
      if (this.#isActive(free)) this.#add(free, this.#sum(through(free), NUM));
  }

  // y = c ? p : q    w$bar += c ? (w$bar of p) : (w$bar of q), for each name w that either reads
  #choose({ cond, then, else: otherwise }: ArrayExpr & { kind: "choose" }, bar: Atom): void {
    const b = this.#b;
    const free = new Map([...freeVars(then), ...freeVars(otherwise)]);
    for (const each of free.values()) {
      if (!this.#isActive(each)) continue;
      const branch = (body: ArrayBody): ArrayBody => {
        const copy = freshBody(body, b.names);
        const inner = new ArrayBuilder(b.names, b.origin);
        inner.lets.push(...copy.lets);
        const get = reverse(inner, copy, bar, [each], this.#setting);
        return { result: get(each) ?? zeroOf(inner, each, this.#setting.types), lets: inner.lets };
      };
      this.#add(
        each,
        b.let(barName(each.name), cotangentType(each.type, this.#setting.types), {
          kind: "choose",
          cond,
          then: branch(then),
          else: branch(otherwise),
        }),
      );
    }
  }
}

const isZero = (atom: Atom): boolean => atom.kind === "const" && atom.value === 0;
