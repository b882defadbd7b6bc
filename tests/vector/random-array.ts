// Random array programs. In: a seeded generator. Out: the text of a function of `(w, a, b, rows)` and what it uses.
// Invariant: defined and smooth wherever its arguments are, but at choices that random numbers do not hit; values stay moderate.

export type Random = () => number;

/** A generator of numbers in [0, 1) that a seed fixes (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

class Writer {
  readonly #random: Random;
  #next = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  #pick<T>(...items: readonly (() => T)[]): T {
    const item = items[Math.floor(this.#random() * items.length)] ?? items[0];
    if (item === undefined) throw new Error("nothing to pick");
    return item();
  }

  #name(wanted: string): string {
    return `${wanted}${this.#next++}`;
  }

  #constant(): string {
    return (this.#random() * 2 - 1).toFixed(2);
  }

  /** A number, of numbers by name. */
  scalar(vars: readonly string[], depth: number): string {
    const leaf = (): string =>
      this.#pick(
        () => this.#variable(vars),
        () => this.#variable(vars),
        () => this.#constant(),
      );
    if (depth <= 0) return leaf();
    const part = (): string => this.scalar(vars, depth - 1);
    return this.#pick(
      leaf,
      () => `(${part()} + ${part()})`,
      () => `(${part()} - ${part()})`,
      () => `${part()} * ${part()}`.replace(/^(.*)$/, "($1)"),
      () => `Math.sin(${part()})`,
      () => `Math.tanh(${part()})`,
      () => `Math.exp(-Math.abs(${part()}))`,
      () => `(${part()} / (2 + Math.cos(${part()})))`,
      () => `(${part()} > 0.1 ? ${part()} : ${part()})`,
      () => `Math.max(${part()}, ${part()})`,
      () => `Math.sqrt(1.5 + Math.sin(${part()}))`,
    );
  }

  #variable(vars: readonly string[]): string {
    return vars[Math.floor(this.#random() * vars.length)] ?? "0.5";
  }

  #lambda1(free: readonly string[]): string {
    const x = this.#name("x");
    return this.#pick(
      () => `(${x}) => ${this.scalar([x, x, ...free], 2)}`,
      () =>
        `(${x}) => { const t = ${this.scalar([x, ...free], 1)}; return ${this.scalar([x, "t", "t"], 1)}; }`,
    );
  }

  #lambda2(free: readonly string[]): string {
    const [x, y] = [this.#name("x"), this.#name("y")];
    return this.#pick(
      () => "mul",
      () => "add",
      () => `(${x}, ${y}) => ${this.scalar([x, y, ...free], 2)}`,
    );
  }

  /** An array of the size that `arrays` have. */
  array(arrays: readonly string[], free: readonly string[], depth: number): string {
    const leaf = (): string => this.#variable(arrays);
    if (depth <= 0) return leaf();
    const part = (): string => this.array(arrays, free, depth - 1);
    return this.#pick(
      leaf,
      () => `map(${this.#lambda1(free)}, ${part()})`,
      () => `map2(${this.#lambda2(free)}, ${part()}, ${part()})`,
      () => `onesLike(${part()})`,
    );
  }

  /** A number, of arrays. */
  reduced(arrays: readonly string[], free: readonly string[], depth: number): string {
    const part = (): string => this.array(arrays, free, depth);
    const [s, x] = [this.#name("s"), this.#name("x")];
    return this.#pick(
      () => `sum(${part()})`,
      () => `dot(${part()}, ${part()})`,
      () => `prod(map((x) => 1 + 0.3 * Math.sin(x), ${part()}))`,
      () =>
        `foldl((${s}, ${x}) => Math.tanh(${this.scalar([s, s, x, ...free], 2)}), ${this.scalar(free, 1)}, ${part()})`,
      () => `reduce((${s}, ${x}) => Math.max(${s}, ${x}), -5, ${part()})`,
      () =>
        `foldl((${s}, ${x}) => ${s} + ${this.scalar([x, ...free], 2)}, ${this.#constant()}, ${part()})`,
    );
  }

  /** A body of `(w, a, b, rows)`. */
  body(): string {
    const lines: string[] = [];
    const arrays = ["a", "b"];
    const free = ["w"];
    const outer: string[] = [];
    for (let i = 0; i < 3; i++) {
      this.#pick(
        () => {
          const name = this.#name("v");
          lines.push(`const ${name} = ${this.array(arrays, free, 2)};`);
          arrays.push(name);
        },
        () => {
          const name = this.#name("k");
          lines.push(`const ${name} = ${this.reduced(arrays, free, 1)};`);
          free.push(name);
        },
        () => {
          const name = this.#name("r");
          lines.push(`const ${name} = map((row) => ${this.reduced(["row", "b"], free, 1)}, rows);`);
          outer.push(name);
        },
      );
    }
    const results = [
      this.reduced(arrays, free, 1),
      ...outer.map((name) => `sum(${name})`),
      this.scalar(free, 1),
    ];
    return `${lines.join(" ")} return ${results.join(" + ")};`;
  }
}

export const randomBody = (random: Random): string => new Writer(random).body();
