// What a random program may mention at a place, and the dice. In: a seed. Out: choices and names. Invariant: equal seeds give equal programs;
// a name in scope means a value of its kind, and arrays never have fewer than three elements.

export interface Dice {
  /** An integer from 0 up to, not including, n. */
  below(n: number): number;
  chance(p: number): boolean;
  of<T>(items: readonly T[], otherwise: T): T;
}

/** Mulberry32: 32 bits of state, good enough to choose with. */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return { below, chance: (p) => next() < p, of: (items, otherwise) => items[below(items.length)] ?? otherwise };
}

export interface Scope {
  readonly numbers: readonly string[];
  /** Numbers that may be assigned. */
  readonly variables: readonly string[];
  readonly arrays: readonly string[];
  /** Arrays that are nobody's argument, so that they may be written. */
  readonly ownArrays: readonly string[];
  /** Records `{ a: number; b: number; v: number[] }`. */
  readonly records: readonly string[];
  readonly ownRecords: readonly string[];
  /** Three rows or more, of three numbers or more. */
  readonly matrices: readonly string[];
  /** Arrays that grow and shrink, of any length. */
  readonly stacks: readonly string[];
  readonly indices: readonly string[];
  /** Local functions of one number. */
  readonly closures: readonly string[];
  /** How many loops and callbacks stand around: what is inside runs often, so it must stay small. */
  readonly loops: number;
  /** `break` and `continue` are allowed. */
  readonly inLoop: boolean;
  /** `return` gives a number here. */
  readonly inFunction: boolean;
}

export const EMPTY: Scope = {
  numbers: [], variables: [], arrays: [], ownArrays: [], records: [], ownRecords: [], matrices: [], stacks: [], indices: [], closures: [], loops: 0, inLoop: false, inFunction: true,
};

type Lists = { [K in keyof Scope as Scope[K] extends readonly string[] ? K : never]?: readonly string[] };

export function withNames(scope: Scope, added: Lists): Scope {
  const join = (old: readonly string[], more: readonly string[] = []): readonly string[] => [...old, ...more];
  return {
    ...scope,
    numbers: join(scope.numbers, added.numbers), variables: join(scope.variables, added.variables), arrays: join(scope.arrays, added.arrays),
    ownArrays: join(scope.ownArrays, added.ownArrays), records: join(scope.records, added.records), ownRecords: join(scope.ownRecords, added.ownRecords),
    matrices: join(scope.matrices, added.matrices), stacks: join(scope.stacks, added.stacks), indices: join(scope.indices, added.indices), closures: join(scope.closures, added.closures),
  };
}
