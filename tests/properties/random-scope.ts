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
  return {
    below,
    chance: (p) => next() < p,
    of: (items, otherwise) => items[below(items.length)] ?? otherwise,
  };
}

export type Kind =
  | "number"
  /** A number that may be assigned. */
  | "variable"
  | "array"
  /** An array that is nobody's argument, so that it may be written. */
  | "ownArray"
  /** One whose name may be given to another array. */
  | "arrayVariable"
  /** A Float64Array that may be written. */
  | "typed"
  /** A record `{ a: number; b: number; v: number[] }`. */
  | "record"
  | "ownRecord"
  /** Two or more such records, which may be written. */
  | "records"
  /** Three rows or more, of three numbers or more. */
  | "matrix"
  /** An array that grows and shrinks, of any length. */
  | "stack"
  | "index"
  /** A local function of one number. */
  | "closure"
  /** A member of the union `Shape`, which may be written. */
  | "shape"
  /** Two or more of them. */
  | "shapes"
  /** An instance of `Cell` or of its child, which may be written. */
  | "cell"
  /** A `Map<string, number>`; a record with string keys. */
  | "map"
  | "keyed"
  /** A number or undefined. */
  | "optional"
  /** A tree or null. */
  | "tree"
  /** A list of tuples. */
  | "tuples"
  /** A record of optional parts. */
  | "options"
  /** A record of functions that share what they see. */
  | "counter"
  /** A list of records of which all numbers but one may be missing. */
  | "parts"
  /** An object that holds a function of one number and a number; a list of two or more; a list of such functions. */
  | "unit"
  | "units"
  | "tasks"
  /** An object whose `level` is read and written through functions. */
  | "dial"
  /** A `Map<number, number>`; a `Map<string, number[]>`; a `Set<number>` of places. */
  | "table"
  | "lists"
  | "seen";

/** What a program is made of: a program has some of these, so that they meet each other. */
export const FEATURES = [
  "arrays",
  "matrix",
  "stack",
  "records",
  "typed",
  "closures",
  "higher",
  "unions",
  "classes",
  "optional",
  "tree",
  "pattern",
  "switch",
  "labels",
  "exits",
  "callbacks",
  "inline",
  "keyed",
  "map",
  "recursion",
  "walkers",
  "beyond",
  "parts",
  "buffers",
  "edges",
  "library",
  "held",
  "free",
  "tasks",
  "accessors",
  "tables",
  "sets",
  "queue",
  "escapes",
  "sweeps",
  "growth",
  "links",
  "words",
  "steep",
  "chosen",
  "inner",
] as const;

export type Feature = (typeof FEATURES)[number];

export interface Scope {
  readonly names: Readonly<Record<Kind, readonly string[]>>;
  readonly labels: readonly string[];
  /** How many loops and callbacks stand around: what is inside runs often, so it must stay small. */
  readonly loops: number;
  /** `break` and `continue` are allowed. */
  readonly inLoop: boolean;
  /** `return` gives a number here. */
  readonly inFunction: boolean;
}

type Added = Partial<Record<Kind, readonly string[]>>;

export const scopeOf = (added: Added): Scope =>
  withNames(
    { names: mapKinds(() => []), labels: [], loops: 0, inLoop: false, inFunction: true },
    added,
  );

export function withNames(scope: Scope, added: Added): Scope {
  return { ...scope, names: mapKinds((kind) => [...scope.names[kind], ...(added[kind] ?? [])]) };
}

/** The same without the names of these kinds. */
export const without = (scope: Scope, ...kinds: readonly Kind[]): Scope => ({
  ...scope,
  names: mapKinds((kind) => (kinds.includes(kind) ? [] : scope.names[kind])),
});

function mapKinds(
  make: (kind: Kind) => readonly string[],
): Readonly<Record<Kind, readonly string[]>> {
  return {
    number: make("number"),
    variable: make("variable"),
    array: make("array"),
    ownArray: make("ownArray"),
    arrayVariable: make("arrayVariable"),
    typed: make("typed"),
    record: make("record"),
    ownRecord: make("ownRecord"),
    records: make("records"),
    matrix: make("matrix"),
    stack: make("stack"),
    index: make("index"),
    closure: make("closure"),
    shape: make("shape"),
    shapes: make("shapes"),
    cell: make("cell"),
    map: make("map"),
    keyed: make("keyed"),
    optional: make("optional"),
    tree: make("tree"),
    tuples: make("tuples"),
    options: make("options"),
    counter: make("counter"),
    parts: make("parts"),
    unit: make("unit"),
    units: make("units"),
    tasks: make("tasks"),
    dial: make("dial"),
    table: make("table"),
    lists: make("lists"),
    seen: make("seen"),
  };
}
