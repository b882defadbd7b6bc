// Random trees, and what a plain recursive walk finds in them. In: a seed. Out: values of all
// kinds that a cotangent can be, with shared objects and hostile keys. Shares nothing with
// runtime/tree/.

/** A generator of numbers in [0, 1): mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const KEYS = ["w", "b", "__proto__", "constructor", "hasOwnProperty", "length", "0", "a b", ""];

class Body {
  readonly mass: number;
  readonly at: unknown;
  constructor(mass: number, at: unknown) {
    this.mass = mass;
    this.at = at;
  }
  weight(): number {
    return 9.81 * this.mass;
  }
}

const define = (into: object, key: string, value: unknown): void => {
  Object.defineProperty(into, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
};

const LEAVES = [
  () => "text",
  () => null,
  () => undefined,
  () => true,
  () => 5n,
  () => new Date(7),
  () => new Set([1, 2]),
  () => /x/,
  () => BigInt64Array.of(4n),
];

/** A random tree. Numbers are of size 1 and representable in single precision. */
export function randomTree(random: () => number, depth: number = 3): unknown {
  const made: object[] = [];
  const number = (): number => Math.fround(Math.round((random() * 4 - 2) * 64) / 64);
  const count = (): number => Math.floor(random() * 4);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const several = <T>(one: () => T): T[] => Array.from({ length: count() }, one);
  const aggregate = (left: number): object => {
    const inner = (): unknown => tree(left - 1);
    switch (Math.floor(random() * 8)) {
      case 0:
        return several(number);
      case 1:
        return Float64Array.from(several(number));
      case 2:
        return Float32Array.from(several(number));
      case 3:
        return new Map(several(() => [pick([...KEYS, 3, true, null]), inner()] as const));
      case 4:
        return new Body(number(), inner());
      case 5:
        return several(inner);
      default: {
        const record: object = random() < 0.2 ? (Object.create(null) as object) : {};
        for (const key of several(() => pick(KEYS))) define(record, key, inner());
        if (random() < 0.2) define(record, "call", () => 1);
        if (random() < 0.2)
          Object.defineProperty(record, "own", { get: () => 8, enumerable: true });
        return record;
      }
    }
  };
  const tree = (left: number): unknown => {
    const chance = random();
    if (left <= 0 || chance < 0.25) return number();
    if (chance < 0.4) return pick(LEAVES)();
    if (chance < 0.55 && made.length > 0) return pick(made);
    const found = aggregate(left);
    made.push(found);
    return found;
  };
  return tree(depth + 1);
}

type Parts = readonly (readonly [key: unknown, value: unknown])[];

/** The parts of an aggregate; null for what is none. */
export function partsOf(value: unknown): Parts | null {
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof Map) return [...value];
  if (Array.isArray(value) || value instanceof Float64Array || value instanceof Float32Array)
    return Array.from(value, (part: unknown, i) => [i, part] as const);
  const name = Object.prototype.toString.call(value);
  if (name !== "[object Object]") return null;
  return Object.entries(Object.getOwnPropertyDescriptors(value))
    .filter(([, { value: own, enumerable }]) => enumerable === true && typeof own !== "function")
    .filter(([, property]) => "value" in property)
    .map(([key, { value: own }]) => [key, own] as const);
}

/** Each number, once per way to it: the object and key that hold it. */
export function waysToNumbers(value: unknown): (readonly [holder: unknown, key: unknown])[] {
  const found: (readonly [unknown, unknown])[] = [];
  const walk = (at: unknown, holder: unknown, key: unknown): void => {
    if (typeof at === "number") found.push([holder, key]);
    for (const [inner, part] of partsOf(at) ?? []) walk(part, at, inner);
  };
  walk(value, null, null);
  return found;
}

/** For each way to a number its index among distinct numbers, in order of the first way. */
export function indicesOf(value: unknown): number[] {
  const known = new Map<unknown, Map<unknown, number>>();
  let count = 0;
  return waysToNumbers(value).map(([holder, key]) => {
    const keys = known.get(holder) ?? new Map<unknown, number>();
    known.set(holder, keys);
    const index = keys.get(key) ?? count++;
    keys.set(key, index);
    return index;
  });
}

/** A cotangent with a part for each way: nothing is shared, and fields without numbers are out. */
export function apart(value: unknown, number: () => number): unknown {
  if (typeof value === "number") return number();
  const parts = partsOf(value);
  if (parts === null || value === null) return value;
  if (value instanceof Float64Array) return value.map(number);
  if (value instanceof Float32Array) return value.map(number);
  if (Array.isArray(value)) return value.map((part) => apart(part, number));
  const inner = parts.map(([key, part]) => [key, apart(part, number)] as const);
  if (value instanceof Map) return new Map(inner);
  const record = {};
  for (const [key, part] of inner)
    if (partsOf(part) !== null || typeof part === "number") define(record, String(key), part);
  return record;
}
