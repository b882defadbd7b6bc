// Reverse mode on array programs: cotangents are immutable values; there is no shadow, tape or
// store. Input: a body whose primal code is already in a builder, and the cotangent of its result.
// Output: the cotangents of the requested names.
// Invariant: the rules are the paper's, each above its code; 4-optimise/array simplifies the
// result.
// Huot and Shaikhha, Figures 5 and 13 (free variables), 16 (`foldl`, `map`), 17 (elements that are
// records or arrays).

import {
  type ArrayBody,
  ArrayBuilder,
  type ArrayExpr,
  type ArrayLet,
  freeOf,
  freeVars,
  freshBody,
  freshLambda,
  type Lambda,
  operator,
  operatorOf,
  readsOf,
} from "../../ir/array.ts";
import { Builder, NUM, num, isConst } from "../../ir/build.ts";
import { bar as barName } from "../../ir/names.ts";
import { hasNumbers, resolve, type Types } from "../../ir/shadow.ts";
import type { Atom, Type, Var } from "../../ir/types.ts";
import { unreachable } from "../../ir/visit.ts";
import { partialOf } from "../../rules/rule.ts";
import { SCALAR } from "../../rules/scalar.ts";
import { isUnbounded, slopeOf } from "../../rules/slopes.ts";
import { certainNames } from "./unconditional-uses.ts";
import { cotangentType, numericFields, sumOf, NotExpressible, zeroOf } from "./vector-space.ts";
import { type ArrayCode, mapOver, sumItems, totalOf } from "./maps.ts";
import { hasUnboundedSlope, scaling } from "./zero-seeds.ts";

/** What the reverse of all bodies of one program shares. */
export interface Setting {
  readonly types: Types;
  /** Whether an execution may drop what the seed belongs to, so that the seed may be 0. */
  readonly isDropped?: boolean;
}

type Get = (requested: Var) => Atom | null;

/** Writes the reverse of `body`. Gives the cotangents of `requested` names, null for Zero. */
export function reverse(
  b: ArrayBuilder,
  body: ArrayBody,
  seed: Atom,
  requested: readonly Var[],
  setting: Setting,
): Get {
  const sweep = new Sweep(b, requested, setting);
  return sweep.run(body, seed);
}

/** What a map is over, the cotangent of its result, and the kind of array wanted. */
interface Mapping {
  readonly arrays: readonly Atom[];
  readonly bar: Atom;
  readonly like: Type;
  readonly setting: Setting;
}

class Sweep {
  readonly #b: ArrayBuilder;
  readonly #setting: Setting;
  readonly #active: Set<string>;
  readonly #bars = new Map<string, Atom>();
  /** By record: the cotangents of its fields. */
  readonly #fields = new Map<string, Map<string, Atom>>();
  /** See unconditional-uses.ts. */
  #certain: ReadonlySet<string> = new Set();

  constructor(b: ArrayBuilder, requested: readonly Var[], setting: Setting) {
    this.#b = b;
    this.#setting = setting;
    this.#active = new Set(requested.map(({ name }) => name));
  }

  get #code(): ArrayCode {
    return { b: this.#b, types: this.#setting.types };
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
    if (this.#setting.isDropped !== true) this.#certain = certainNames(body);
    this.#add(body.result, seed);
    for (const each of [...body.lets].reverse()) this.#let(each);
    return (requested) => this.#take(requested);
  }

  /** For bodies inside the expression that binds a name. */
  #settingOf({ name }: Var): Setting {
    return { ...this.#setting, isDropped: !this.#certain.has(name) };
  }

  /** The value of a `fill`; null for other atoms. */
  #fillOf(atom: Atom): Atom | null {
    if (atom.kind !== "var") return null;
    const made = this.#b.lets.findLast(({ bind }) => bind.name === atom.name)?.expr;
    return made?.kind === "fill" ? made.value : null;
  }

  #isActive(atom: Atom): atom is Var {
    return atom.kind === "var" && this.#active.has(atom.name);
  }

  #add(atom: Atom, value: Atom): void {
    if (!this.#isActive(atom) || isConst(value, 0)) return;
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
        : sumOf([known, value], atom.type, barName(atom.name), this.#code),
    );
  }

  #addField(record: Var, name: string, type: Type, value: Atom): void {
    const own = this.#fields.get(record.name) ?? new Map<string, Atom>();
    const known = own.get(name);
    own.set(
      name,
      known === undefined ? value : sumOf([known, value], type, barName(name), this.#code),
    );
    this.#fields.set(record.name, own);
  }

  #take(variable: Var): Atom | null {
    const { types } = this.#setting;
    const own = this.#fields.get(variable.name);
    if (own === undefined) return this.#bars.get(variable.name) ?? null;
    const fields = numericFields(variable.type, types).map(({ name, type }) => {
      const known = own.get(name);
      return {
        name,
        value:
          known ??
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

  // eslint-disable-next-line complexity -- flat exhaustive switch over expression kinds
  #let({ bind, expr, origin }: ArrayLet): void {
    const bar = this.#active.has(bind.name) ? this.#take(bind) : null;
    if (bar === null) return;
    this.#b.origin = origin;
    switch (expr.kind) {
      case "op":
        return this.#op(bind, expr, bar);
      case "map":
        return this.#map(expr, bar, this.#settingOf(bind));
      case "fold":
        return this.#fold(expr, bar, this.#settingOf(bind));
      case "choose":
        return this.#choose(expr, bar, this.#settingOf(bind));
      // y = o.f          o$bar += { f: y$bar }
      case "field":
        if (this.#isActive(expr.of)) this.#addField(expr.of, expr.name, bind.type, bar);
        return;
      case "record":
        return this.#record(expr, bar);
      // y = fill(x, a)   x$bar += sum(y$bar)
      case "fill":
        if (this.#isActive(expr.value)) this.#add(expr.value, sumItems(bar, this.#code));
        return;
      // y = x            x$bar += y$bar
      case "copy":
        return this.#add(expr.of, bar);
      case "size":
      case "check":
        return;
      case "scan":
      case "shift":
        throw new NotExpressible(`the derivative of \`${nameOf(expr)}\` is a loop`);
      case "tuple":
        throw new NotExpressible("a tuple inside the program");
      default:
        return unreachable(expr);
    }
  }

  // y = { f: x }    x$bar += y$bar.f
  #record({ fields }: ArrayExpr & { kind: "record" }, bar: Atom): void {
    for (const { name, value } of fields) {
      if (!this.#isActive(value)) continue;
      const type = cotangentType(value.type, this.#setting.types);
      this.#add(value, this.#b.let(name, type, { kind: "field", of: bar, name }));
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
          isConstant: (position, value) => isConst(expr.args[position], value),
          isLast: true,
        },
        bar,
      );
      const isGuarded =
        !this.#certain.has(bind.name) &&
        bar.kind !== "const" &&
        isUnbounded(slopeOf(expr.op, i, expr.args));
      const value = isGuarded ? b.select(b.op("eq", bar, num(0)), num(0), slope) : slope;
      for (const stmt of b.stmts) {
        if (stmt.kind !== "let" || stmt.expr.kind !== "op")
          throw new NotExpressible(`the rule of \`${expr.op}\` branches`);
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

  // y = map2(f, a, b)    a$bar += map2(*, map2(∂x f, a, b), y$bar) ; b$bar likewise
  //                      free w of f:  w$bar += sum(map2(*, map2(∂w f, a, b), y$bar))
  #map({ fn, arrays }: ArrayExpr & { kind: "map" }, bar: Atom, setting: Setting): void {
    arrays.forEach((array, i) => {
      const param = fn.params[i];
      if (param !== undefined && this.#isActive(array))
        this.#add(array, this.#each(fn, param, { arrays, bar, like: array.type, setting }));
    });
    for (const free of freeOf(fn).values()) {
      if (!this.#isActive(free)) continue;
      const elem = cotangentType(free.type, this.#setting.types);
      const first = arrays[0] === undefined ? null : resolve(arrays[0].type, this.#setting.types);
      // numbers are collected in the same kind of array as the first one
      const type: Type = {
        kind: "array",
        store: elem.kind === "num" && first?.kind === "array" ? first.store : "Array",
        elem,
      };
      this.#add(
        free,
        totalOf(free, this.#each(fn, free, { arrays, bar, like: type, setting }), this.#code),
      );
    }
  }

  /**
   * What each iteration adds to `target`, an element or free name, as an array of `like`'s kind.
   */
  #each(fn: Lambda, target: Var, { arrays, bar, like, setting }: Mapping): Atom {
    const { types } = this.#setting;
    const seed = this.#fillOf(bar);
    if (seed !== null)
      return mapOver(
        this.#slope(fn, target, () => seed, setting),
        arrays,
        like,
        this.#code,
      );
    const isScalar = (type: Type): boolean => resolve(type, types).kind === "num";
    const isGuarded = setting.isDropped === true && hasUnboundedSlope(fn.body);
    if (!isGuarded && isScalar(target.type) && isScalar(fn.body.result.type)) {
      const slopes = mapOver(
        this.#slope(fn, target, () => num(1), setting),
        arrays,
        like,
        this.#code,
      );
      const mul = operator(this.#b.names, this.#b.origin, "mul");
      return mapOver(mul, [slopes, bar], like, this.#code);
    }
    const z: Var = {
      kind: "var",
      name: this.#b.names.fresh("z"),
      type: cotangentType(fn.body.result.type, types),
    };
    const seeded = this.#slope(fn, target, () => z, setting);
    const fnOfSeed = { params: [...seeded.params, z], body: seeded.body };
    return mapOver(fnOfSeed, [...arrays, bar], like, this.#code);
  }

  /** `∂fn/∂target * seed`, as a function of the same elements. */
  #slope(fn: Lambda, target: Var, seed: () => Atom, setting: Setting): Lambda {
    const copy = freshLambda(fn, this.#b.names);
    const own = copy.params[fn.params.findIndex(({ name }) => name === target.name)] ?? target;
    const inner = new ArrayBuilder(this.#b.names, this.#b.origin);
    inner.lets.push(...copy.body.lets);
    const get = reverse(inner, copy.body, seed(), [own], setting);
    return {
      params: copy.params,
      body: { result: get(own) ?? zeroOf(inner, own, setting.types), lets: inner.lets },
    };
  }

  // y = reduce(+, v, a)   a$bar += fill(y$bar, a) ; v$bar += y$bar     Lemma A.5, a case of `foldl`
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

  // y = foldl(f, v, a)    A0 = shift1R(scanl(f, v, a)) ; A1 = map2(∂s f, A0, a)
  //                       A2 = map2(∂x f, A0, a) ; A3 = shift1L(scanr(*, y$bar, A1))
  //                       a$bar += map2(*, A3, A2) ; v$bar += reduce(*, y$bar, A1)
  //                       free w of f:  w$bar += sum(map2(*, A3, map2(∂w f, A0, a)))
  #fold(expr: ArrayExpr & { kind: "fold" }, bar: Atom, setting: Setting): void {
    const { fn, first, array } = expr;
    if (operatorOf(fn) === "add") return this.#addition(expr, bar);
    const b = this.#b;
    const { types } = this.#setting;
    const [s, x] = fn.params;
    if (s === undefined || x === undefined || s.type.kind !== "num")
      throw new NotExpressible("something else than a number goes from iteration to iteration");
    const shape = resolve(array.type, types);
    const store = shape.kind === "array" ? shape.store : "Array";
    const numbers: Type = { kind: "array", store, elem: NUM };
    const isGuarded = setting.isDropped === true && hasUnboundedSlope(fn.body);
    const mul = (): Lambda =>
      isGuarded ? scaling(b.names, b.origin) : operator(b.names, b.origin, "mul");
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
      mapOver(
        this.#slope(fn, target, () => num(1), setting),
        [former, array],
        numbers,
        this.#code,
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
    const through = (target: Var): Atom =>
      mapOver(mul(), [after, slopes(target)], numbers, this.#code);
    const targets = [
      ...(this.#isActive(array) ? [x] : []),
      ...[...freeOf(fn).values()].filter((free) => this.#isActive(free)),
    ];
    if (targets.some((target) => resolve(target.type, types).kind !== "num"))
      throw new NotExpressible(
        "a value goes from iteration to iteration over elements that are no numbers",
      );
    if (this.#isActive(array)) this.#add(array, through(x));
    if (this.#isActive(first))
      this.#add(first, b.let("t", NUM, { kind: "fold", fn: mul(), first: bar, array: bySum }));
    for (const free of freeOf(fn).values())
      if (this.#isActive(free)) this.#add(free, sumItems(through(free), this.#code));
  }

  // y = c ? p : q    w$bar += c ? (w$bar of p) : (w$bar of q), for each name w that either reads
  #choose(
    { cond, then, else: otherwise }: ArrayExpr & { kind: "choose" },
    bar: Atom,
    setting: Setting,
  ): void {
    const b = this.#b;
    const free = new Map([...freeVars(then), ...freeVars(otherwise)]);
    for (const each of free.values()) {
      if (!this.#isActive(each)) continue;
      const branch = (body: ArrayBody): ArrayBody => {
        const copy = freshBody(body, b.names);
        const inner = new ArrayBuilder(b.names, b.origin);
        inner.lets.push(...copy.lets);
        const get = reverse(inner, copy, bar, [each], setting);
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

const nameOf = (expr: ArrayExpr & { kind: "scan" | "shift" }): string =>
  expr.kind === "scan"
    ? { left: "scanl", right: "scanr" }[expr.from]
    : { left: "shift1L", right: "shift1R" }[expr.side];
