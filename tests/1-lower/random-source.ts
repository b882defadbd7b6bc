// Random TypeScript functions for lowering: assignments inside expressions, closures, exits, arrays, records. In: a seed. Out: a module text.
// Invariant: every loop ends; the text type-checks but for unused names.

/** A small seeded generator (mulberry32): the same seed gives the same program on every machine. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

class Source {
  readonly #next: () => number;
  #loops = 0;
  #counter = 0;
  #depth = 0;
  /** Numbers that can be read, and those that can be assigned. */
  #readable = ["x", "y"];
  #assignable = ["s", "v"];

  constructor(seed: number) {
    this.#next = random(seed);
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#next() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  #chance(probability: number): boolean {
    return this.#next() < probability;
  }

  #variable(): string {
    return this.#pick([...this.#readable, ...this.#assignable, "s"]);
  }

  #target(): string {
    return this.#chance(0.3)
      ? this.#pick([`xs[${this.#index()}]!`, "o.p", "o.q[0]!"])
      : this.#pick(this.#assignable);
  }

  #index(): string {
    return this.#pick(["0", "1", "xs.length - 1", `Math.abs(Math.trunc(${this.#variable()})) % 3`]);
  }

  expression(depth: number): string {
    if (depth === 0)
      return this.#chance(0.7) ? this.#variable() : this.#pick(["1", "0.5", "2", "-3"]);
    const e = (): string => this.expression(depth - 1);
    switch (Math.floor(this.#next() * 18)) {
      case 0:
      case 1:
      case 2:
        return `(${e()} ${this.#pick(["+", "-", "*"])} ${e()})`;
      case 3:
        return `(${this.condition(depth - 1)} ? ${e()} : ${e()})`;
      case 4:
        return `(${this.#target()} ${this.#pick(["=", "+=", "-="])} ${e()})`;
      case 5:
        return this.#pick(["s++", "--s", "v--", "++v", "xs[0]!++"]);
      case 6:
        return `Math.${this.#pick(["sin", "abs", "floor", "cos"])}(${e()})`;
      case 7:
        return `Math.max(${e()}, ${e()})`;
      case 8:
        return `xs[${this.#index()}]!`;
      case 9:
        return this.#pick(["o.p", "o.q[0]!", "o.q.length", "xs.length"]);
      case 10:
        return `add(${e()}, ${e()})`;
      case 11:
        return `bump(${e()})`;
      case 12:
        return `(xs[${this.#index()}] ?? ${e()})`;
      case 13:
        return `xs.reduce((a, b) => a + b * ${this.#variable()}, ${e()})`;
      case 14:
        return `(${e()}, ${e()})`;
      case 15:
        return `(${e()} || ${e()})`;
      case 16:
        return `xs.map((m, k) => m * k - ${this.#variable()})[${this.#pick(["0", "1"])}]!`;
      default:
        return `-${this.#variable()}`;
    }
  }

  condition(depth: number): string {
    const compare = (): string =>
      `${this.expression(Math.max(0, depth - 1))} ${this.#pick(["<", ">", "<=", ">=", "===", "!=="])} ${this.expression(Math.max(0, depth - 1))}`;
    if (depth <= 0 || this.#chance(0.5)) return compare();
    return this.#pick([
      () => `(${this.condition(depth - 1)} && ${this.condition(depth - 1)})`,
      () => `(${this.condition(depth - 1)} || ${this.condition(depth - 1)})`,
      () => `!(${this.condition(depth - 1)})`,
    ])();
  }

  block(depth: number): string {
    const readable = this.#readable;
    const assignable = this.#assignable;
    const count = 1 + Math.floor(this.#next() * 3);
    const text = Array.from({ length: count }, () => this.statement(depth)).join(" ");
    this.#readable = readable;
    this.#assignable = assignable;
    return `{ ${text} }`;
  }

  statement(depth: number): string {
    const leaf = depth === 0;
    switch (Math.floor(this.#next() * (leaf ? 6 : 15))) {
      case 0:
      case 1:
        return `${this.#target()} ${this.#pick(["=", "+=", "*="])} ${this.expression(2)};`;
      case 2:
        return this.#declare("const");
      case 3:
        return this.#declare("let");
      case 4:
        return this.#exit();
      case 5:
        return `[s, v] = [${this.expression(1)}, s];`;
      case 6:
        return `if (${this.condition(2)}) ${this.block(depth - 1)}`;
      case 7:
        return `if (${this.condition(2)}) ${this.block(depth - 1)} else ${this.block(depth - 1)}`;
      case 8:
        return this.#loop(
          (name) =>
            `for (let ${name} = 0; ${name} < ${this.#pick(["3", "xs.length", "limit"])}; ${name}++)`,
          depth,
        );
      case 9:
        return this.#loop((name) => `for (const ${name} of xs.slice(0, 3))`, depth);
      case 10:
        return this.#loop(
          (name) => `for (let ${name} = xs.length - 1; ${name} >= 0; ${name} -= 2)`,
          depth,
        );
      case 11:
        return this.#while(depth);
      case 12:
        return this.#switch(depth);
      case 13:
        return `xs.forEach((m) => { ${this.#chance(0.5) ? `if (m > ${this.#variable()}) return;` : ""} s += m; });`;
      default:
        return `const { p: p${++this.#counter}, q: [r${this.#counter} = 1] } = o; s += p${this.#counter} * r${this.#counter};`;
    }
  }

  #declare(kind: "const" | "let"): string {
    const name = `d${++this.#counter}`;
    const text = `${kind} ${name} = ${this.expression(2)};`;
    if (kind === "const") this.#readable = [...this.#readable, name];
    else this.#assignable = [...this.#assignable, name];
    return text;
  }

  #exit(): string {
    if (this.#chance(0.2)) return `if (${this.condition(1)}) return ${this.expression(1)};`;
    if (this.#loops === 0) return "s -= 1;";
    return `if (${this.condition(1)}) ${this.#pick(["break", "continue"])};`;
  }

  #loop(head: (name: string) => string, depth: number): string {
    const name = `i${++this.#counter}`;
    const text = head(name);
    const readable = this.#readable;
    this.#readable = [...readable, name];
    this.#loops++;
    const body = this.block(depth - 1);
    this.#loops--;
    this.#readable = readable;
    return `${text} ${body}`;
  }

  #while(depth: number): string {
    const name = `w${++this.#counter}`;
    this.#loops++;
    const body = this.block(depth - 1);
    this.#loops--;
    return this.#chance(0.5)
      ? `let ${name} = 0; while (${name}++ < 3 && ${this.condition(1)}) ${body}`
      : `let ${name} = 0; do ${body} while (${name}++ < 2 && ${this.condition(1)});`;
  }

  #switch(depth: number): string {
    const inside = this.#loops;
    this.#loops = 0;
    const clause = (): string => `${this.block(depth - 1)}${this.#chance(0.6) ? " break;" : ""}`;
    const text = `switch (Math.trunc(${this.#variable()}) % 3) { case 0: ${clause()} case 1: ${clause()} ${this.#chance(0.5) ? `default: ${clause()}` : ""} }`;
    this.#loops = inside;
    return text;
  }

  module(): string {
    const body = Array.from({ length: 4 }, () => this.statement(this.#depth + 2)).join("\n  ");
    return `function add(a: number, b: number): number { if (a > b) return a - b; return a + b; }
function f(x: number, y: number, xs: number[]): number {
  let s = x; let v = y; const limit = 2; const o = { p: x, q: [y, 1] };
  const bump = (d: number): number => { s += d; if (s > 10) return v; return s; };
  ${body}
  return s + v * 2 + o.p + o.q[0]!;
}`;
  }
}

export const randomModule = (seed: number): string => new Source(seed).module();
