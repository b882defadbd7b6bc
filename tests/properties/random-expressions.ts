// Random numeric expressions and conditions. In: dice and a scope. Out: TypeScript text. Invariant: values stay small and smooth: products are damped,
// divisors and roots stay away from zero; what branches compare are values that are seldom close.

import type { Dice, Scope } from "./random-scope.ts";

export interface Expressions {
  number(scope: Scope, depth: number): string;
  condition(scope: Scope): string;
  index(scope: Scope, array: string): string;
  array(scope: Scope): string;
}

/** `helpers`: functions of the module of two numbers; `walkers`: of an array and a number. */
export function expressions(d: Dice, helpers: readonly string[], walkers: readonly string[]): Expressions {
  const constant = (): string => atomic(((d.below(37) - 18) / 8 + 0.0371).toFixed(4));
  const index = (scope: Scope, array: string): string => {
    if (scope.indices.length === 0 || d.chance(0.4)) return String(d.below(3));
    const i = d.of(scope.indices, "0");
    return d.of([`${i} % ${array}.length`, `(${i} + 1) % ${array}.length`, `(${i} * 2) % 3`, `Math.min(${i}, 2)`], "0");
  };
  const array = (scope: Scope): string => {
    if (scope.records.length > 0 && d.chance(0.2)) return `${d.of(scope.records, "r")}.v`;
    return d.of(scope.arrays, "xs");
  };
  const leaf = (scope: Scope): string => {
    const roll = d.below(10);
    if (roll < 5 && scope.numbers.length > 0) return d.of(scope.numbers, "x");
    if (roll < 7) {
      const from = array(scope);
      const matrix = d.of(scope.matrices, "");
      if (matrix !== "" && d.chance(0.4)) return `${matrix}[${index(scope, matrix)}][${d.below(3)}]`;
      return `${from}[${index(scope, from)}]`;
    }
    if (roll < 8 && scope.records.length > 0) return `${d.of(scope.records, "r")}.${d.of(["a", "b"], "a")}`;
    if (roll < 9 && scope.stacks.length > 0) return `(${d.of(scope.stacks, "st")}[${d.below(3)}] ?? ${d.of(scope.numbers, "x")})`;
    return constant();
  };
  const number = (scope: Scope, depth: number): string => {
    if (depth <= 0) return leaf(scope);
    const one = (): string => number(scope, depth - 1);
    const made: readonly (() => string)[] = [
      () => leaf(scope), () => leaf(scope),
      () => `(${one()} + ${one()})`, () => `(${one()} - ${one()})`, () => `(0.5 * ${one()} * ${one()})`, () => `(-${one()})`,
      () => `Math.${d.of(["sin", "cos", "tanh", "atan"], "sin")}(${one()})`, () => `Math.${d.of(["sin", "tanh"], "sin")}(${one()})`,
      () => `(${one()} / (1.5 + ${one()} ** 2))`, () => `Math.sqrt(1 + ${one()} ** 2)`, () => `Math.exp(-(${one()} ** 2))`, () => `Math.log(3 + Math.sin(${one()}))`,
      () => `Math.${d.of(["max", "min"], "max")}(${one()}, ${one()})`, () => `Math.abs(${one()})`, () => `Math.hypot(${one()}, 1)`,
      () => `(${condition(scope)} ? ${one()} : ${one()})`,
      () => `${d.of(helpers, "h0")}(${one()}, ${one()})`,
      () => `${d.of(walkers, "w0")}(${array(scope)}, ${one()})`,
      () => (scope.closures.length > 0 ? `${d.of(scope.closures, "g")}(${one()})` : leaf(scope)),
      () => reduced(scope, depth), () => mapped(scope, depth), () => assigned(scope, depth),
    ];
    return d.of(made, () => leaf(scope))();
  };
  const inside = (scope: Scope, names: readonly string[], indices: readonly string[]): Scope =>
    ({ ...scope, numbers: [...scope.numbers, ...names], indices: [...scope.indices, ...indices], loops: scope.loops + 1, inLoop: false, inFunction: false, variables: [] });
  const reduced = (scope: Scope, depth: number): string =>
    `${array(scope)}.reduce((acc, e) => Math.tanh(acc * 0.5 + ${number(inside(scope, ["acc", "e"], []), depth - 2)}), ${number(scope, depth - 1)})`;
  const mapped = (scope: Scope, depth: number): string =>
    `${array(scope)}.map((e, k) => ${number(inside(scope, ["e"], ["k"]), depth - 1)})[${d.below(3)}]`;
  /** An assignment in the middle of an expression. */
  const assigned = (scope: Scope, depth: number): string => {
    if (scope.variables.length === 0) return leaf(scope);
    const name = d.of(scope.variables, "s");
    return d.of([`(${name} = Math.sin(${number(scope, depth - 1)}))`, `(${name} += 0.25 * Math.sin(${leaf(scope)}))`, `(0.5 * ${name}++)`, `(0.25 * --${name})`], name);
  };
  const condition = (scope: Scope): string => {
    const compare = (): string => `${leaf(scope)} ${d.of(["<", ">", "<=", ">="], "<")} ${d.chance(0.5) ? constant() : `Math.sin(${leaf(scope)})`}`;
    const roll = d.below(8);
    if (roll < 4) return compare();
    if (roll < 5 && scope.indices.length > 0) return `${d.of(scope.indices, "i")} % 2 === ${d.below(2)}`;
    if (roll < 6) return `!(${compare()})`;
    return `(${compare()} ${d.of(["&&", "||"], "&&")} ${compare()})`;
  };
  return { number, condition, index, array };
}

const atomic = (text: string): string => (text.startsWith("-") ? `(${text})` : text);
