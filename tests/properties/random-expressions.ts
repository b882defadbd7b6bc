// Random numeric expressions and conditions. In: dice, features and a scope. Out: TypeScript text. Invariant: values stay small and smooth: products
// are damped, divisors and roots stay away from zero; what branches compare are values that are seldom close.

import { type Dice, type Feature, type Scope, withNames, without } from "./random-scope.ts";

export interface Expressions {
  number(scope: Scope, depth: number): string;
  condition(scope: Scope): string;
  index(scope: Scope, array: string): string;
  array(scope: Scope): string;
  shape(scope: Scope, depth: number): string;
  key(scope: Scope): string;
}

/** `helpers`: functions of the module of two numbers; `walkers`: of an array and a number. `deepest`: how deep expressions nest. */
export function expressions(
  d: Dice,
  on: ReadonlySet<Feature>,
  helpers: readonly string[],
  walkers: readonly string[],
  deepest = 2,
): Expressions {
  const pick = (names: readonly string[]): string => d.of(names, "");
  const constant = (): string => atomic(((d.below(37) - 18) / 8 + 0.0371).toFixed(4));
  const index = ({ names }: Scope, array: string): string => {
    const i = pick(names.index);
    if (i === "" || d.chance(0.4)) return String(d.below(3));
    return d.of(
      [
        `${i} % ${array}.length`,
        `(${i} + 1) % ${array}.length`,
        `(${i} * 2) % 3`,
        `Math.min(${i}, 2)`,
      ],
      "0",
    );
  };
  const array = ({ names }: Scope): string => {
    if (names.record.length > 0 && d.chance(0.2)) return `${pick(names.record)}.v`;
    if (names.cell.length > 0 && d.chance(0.1)) return `${pick(names.cell)}.items`;
    return d.of(names.array, "TABLE");
  };
  const key = ({ names }: Scope): string =>
    names.index.length > 0 && d.chance(0.5)
      ? `KEYS[${pick(names.index)} % 3]`
      : d.of(['"a"', '"b"', '"c"'], '"a"');
  const leaf = (scope: Scope): string => {
    const { names } = scope;
    const { number: numbers } = names;
    const plain = d.of(numbers, "0.7");
    if (d.chance(0.4)) return plain;
    const reads: readonly string[] = [
      constant(),
      at(array(scope), scope),
      at(array(scope), scope),
      ...named(names.record, (r) => `${r}.${d.of(["a", "b"], "a")}`),
      ...named(names.stack, (s) => `(${s}[${d.below(3)}] ?? ${plain})`),
      ...named(names.matrix, (m) => `${at(m, scope)}[${d.below(3)}]`),
      ...named(names.typed, (t) => at(t, scope)),
      ...named(names.records, (rs) => `${at(rs, scope)}.${d.of(["a", "b", "v[0]"], "a")}`),
      ...named(names.cell, (c) => `${c}.${d.of(["total", "mean", "items[1]"], "total")}`),
      ...named(names.optional, (o) => `(${o} ?? ${plain})`),
      ...named(names.map, (m) => `(${m}.get(${key(scope)}) ?? ${plain})`),
      ...named(names.keyed, (k) => `${k}[${key(scope)}]`),
      ...named(names.tree, (t) => `(${t}?.value ?? ${plain})`),
      ...named(names.shape, (s) => `widthOf(${s}, ${plain})`),
    ];
    return d.of(reads, plain);
  };
  const named = (names: readonly string[], make: (name: string) => string): readonly string[] =>
    names.length === 0 ? [] : [make(pick(names))];
  const at = (name: string, scope: Scope): string => `${name}[${index(scope, name)}]`;
  const number = (scope: Scope, depth: number): string => {
    if (depth <= 0) return leaf(scope);
    const one = (): string => number(scope, depth - 1);
    const { names } = scope;
    const smooth = [
      () => leaf(scope),
      () => leaf(scope),
      () => `(${one()} + ${one()})`,
      () => `(${one()} - ${one()})`,
      () => `(0.5 * ${one()} * ${one()})`,
      () => `(-${one()})`,
      () => `Math.${d.of(["sin", "cos", "tanh", "atan"], "sin")}(${one()})`,
      () => `(${one()} / (1.5 + ${one()} ** 2))`,
      () => `Math.sqrt(1 + ${one()} ** 2)`,
      () => `Math.exp(-(${one()} ** 2))`,
      () => `Math.log(3 + Math.sin(${one()}))`,
      () => `Math.hypot(${one()}, 1)`,
    ];
    const kinked = [
      () => `Math.${d.of(["max", "min"], "max")}(${one()}, ${one()})`,
      () => `Math.abs(${one()})`,
      () => `(${condition(scope)} ? ${one()} : ${one()})`,
    ];
    // both arguments zero, as `q - q` is: no derivative
    const apart = (name: string): string => (name.startsWith("Math.") ? "2.25 + " : "");
    const called = (name: string): string => `${name}(${one()}, ${apart(name)}${one()})`;
    const calls: (() => string)[] = helpers.length > 0 ? [() => called(d.of(helpers, "h0"))] : [];
    if (on.has("walkers"))
      calls.push(
        () =>
          `${d.of(walkers, "w0")}(${array(scope).replace(/^TABLE$/, "TABLE.slice()")}, ${one()})`,
      );
    if (names.closure.length > 0)
      calls.push(
        () => `${pick(names.closure)}(${one()})`,
        () => `${pick(names.closure)}(${one()})`,
      );
    if (on.has("callbacks"))
      calls.push(
        () => reduced(scope, depth),
        () => mapped(scope, depth),
      );
    if (on.has("inline")) calls.push(() => assigned(scope, depth));
    if (on.has("higher")) calls.push(() => higher(scope, depth));
    if (on.has("unions")) calls.push(() => `measure(${shape(scope, depth - 1)}, ${one()})`);
    if (names.tree.length > 0) calls.push(() => `sumTree(${pick(names.tree)}, ${one()})`);
    if (on.has("optional"))
      calls.push(
        () => `opt(${d.of([one(), `${one()}, ${one()}`, `${one()}, undefined, ${one()}`], one())})`,
      );
    const group = d.below(10);
    return d.of(group < 4 || calls.length === 0 ? smooth : group < 6 ? kinked : calls, () =>
      leaf(scope),
    )();
  };
  const inside = (scope: Scope, names: readonly string[], indices: readonly string[]): Scope => ({
    ...without(withNames(scope, { number: names, index: indices }), "variable"),
    loops: scope.loops + 1,
    inLoop: false,
    inFunction: false,
  });
  const reduced = (scope: Scope, depth: number): string =>
    `${array(scope)}.reduce((acc, e) => Math.tanh(acc * 0.5 + ${number(inside(scope, ["acc", "e"], []), depth - 2)}), ${number(scope, depth - 1)})`;
  const mapped = (scope: Scope, depth: number): string =>
    `${array(scope)}.map((e, k) => ${number(inside(scope, ["e"], ["k"]), depth - 1)})[${d.below(3)}]`;
  const higher = (scope: Scope, depth: number): string => {
    const lambda = (): string =>
      scope.names.closure.length > 0 && d.chance(0.5)
        ? pick(scope.names.closure)
        : `(u) => ${number(inside(scope, ["u"], []), depth - 1)}`;
    const one = number(scope, depth - 1);
    return d.of(
      [
        `twice(${lambda()}, ${one})`,
        `integrate(${lambda()}, ${one}, 3)`,
        `compose(${lambda()}, ${lambda()})(${one})`,
        `scaled(${one})(${leaf(scope)})`,
        `foldr(${array(scope)}, (e, acc) => Math.sin(e * acc + ${leaf(scope)}), ${one})`,
      ],
      one,
    );
  };
  /** An assignment in the middle of an expression. */
  const assigned = (scope: Scope, depth: number): string => {
    const name = pick(scope.names.variable);
    if (name === "") return leaf(scope);
    const own = pick(scope.names.ownArray);
    const value = number(scope, depth - 1);
    const onArray =
      own === "" ? [] : [`(${at(own, scope)} = Math.tanh(${value}))`, `(${at(own, scope)} *= 0.5)`];
    return d.of(
      [
        `(${name} = Math.sin(${value}))`,
        `(${name} += 0.25 * Math.sin(${leaf(scope)}))`,
        `(0.5 * ${name}++)`,
        `(0.25 * --${name})`,
        `(${name} = 0.3 * ${name}, ${name} + ${leaf(scope)})`,
        ...onArray,
      ],
      name,
    );
  };
  const shape = (scope: Scope, depth: number): string => {
    if (scope.names.shape.length > 0 && d.chance(0.5)) return pick(scope.names.shape);
    if (scope.names.shapes.length > 0 && d.chance(0.5)) return at(pick(scope.names.shapes), scope);
    const one = (): string => number(scope, depth - 1);
    return d.of(
      [`dot(${one()})`, `box(${one()}, ${one()})`, `poly([${one()}, ${one()}], ${one()})`],
      "dot(0.5)",
    );
  };
  const condition = (scope: Scope): string => {
    const compare = (): string =>
      `${leaf(scope)} ${d.of(["<", ">", "<=", ">="], "<")} ${d.chance(0.5) ? constant() : `Math.sin(${leaf(scope)})`}`;
    const { names } = scope;
    const roll = d.below(9);
    if (roll < 4) return compare();
    if (roll < 6 && names.index.length > 0)
      return `${pick(names.index)} % ${2 + d.below(2)} === ${d.below(2)}`;
    if (roll < 7) return `!(${compare()})`;
    const others = [
      ...named(names.optional, (o) => `${o} !== undefined`),
      ...named(names.cell, (c) => `${c} instanceof Damped`),
      ...named(names.shape, (s) => `isDot(${s})`),
      ...named(names.stack, (s) => `${s}.length > 1`),
    ];
    if (roll < 8 && others.length > 0) return d.of(others, compare());
    return `(${compare()} ${d.of(["&&", "||"], "&&")} ${compare()})`;
  };
  return {
    number: (scope, depth) => number(scope, Math.min(depth, deepest)),
    condition,
    index,
    array,
    shape,
    key,
  };
}

const atomic = (text: string): string => (text.startsWith("-") ? `(${text})` : text);
