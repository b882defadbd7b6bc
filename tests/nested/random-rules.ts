// Random programs with rules of functions that take functions. In: a seed. Out: a module in which
// each rule is the true derivative of its function: a sum, product, square or chain of calls of what
// it is given. Functions with rules are called in each other, in loops, branches and callbacks; what
// they are given captures numbers, records, tuples, matrices, parameters and other functions.

/** A source of choices that a seed determines. */
class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  }

  of<T>(all: readonly T[]): T {
    const found = all[this.below(all.length)];
    if (found === undefined) throw new Error("nothing to choose from");
    return found;
  }

  number(): string {
    return this.of(["0.5", "1.5", "-0.7", "2", "0.3", "-1.2"]);
  }
}

type Kind = "one" | "two" | "list" | "pairs" | "tested";

/** A function with a rule, and whether its pullback calls `f.vjp`, which Delta refuses. */
interface Ruled {
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
  readonly isLate: boolean;
}

export interface RandomRules {
  readonly text: string;
  /** The same without rules. */
  readonly plain: string;
  readonly isLate: boolean;
}

const TYPES: Readonly<Record<Kind, string>> = {
  one: "(f: F, x: number): number",
  two: "(f: F, g: F, x: number): number",
  list: "(f: F, v: readonly number[]): number[]",
  pairs: "(f: G, x: number, y: number): number",
  tested: "(p: P, f: F, x: number): number",
};

/** A call of what the function is given: of `f` at `at`, which grows with x by `by`. */
interface Inner {
  readonly of: string;
  readonly at: string;
  readonly by: string;
}

/** What is added up, with its derivative by each call's value, and by x itself. */
interface Outer {
  readonly value: string;
  readonly by: readonly string[];
  readonly own: string;
}

function outerOf(c: Choices, count: number): Outer {
  const y = Array.from({ length: count }, (_, k) => `y${k}`);
  const factors = y.map(() => c.number());
  const direct = c.of([
    { value: "", own: "0" },
    { value: " + 0.3 * x * x", own: "0.6 * x" },
  ]);
  const sum = {
    value: y.map((one, k) => `${factors[k] ?? ""} * ${one}`).join(" + "),
    by: factors,
  };
  const product = { value: y.join(" * "), by: y.map((_, k) => others(y, k)) };
  const squares = {
    value: y.map((one) => `${one} * ${one}`).join(" + "),
    by: y.map((one) => `2 * ${one}`),
  };
  const sine = {
    value: `Math.sin(${y.join(" + ")})`,
    by: y.map(() => `Math.cos(${y.join(" + ")})`),
  };
  const { value, by } = c.of([sum, product, squares, sine]);
  return { value: `${value}${direct.value}`, by, own: direct.own };
}

const others = (all: readonly string[], k: number): string =>
  all.filter((_, i) => i !== k).join(" * ") || "1";

/** The sum of cotangents of one function. */
const added = (all: readonly string[]): string =>
  all.reduce((so, one) => `addCotangents(${so}, ${one})`);

function ruledOf(c: Choices, name: string, kind: Kind): Ruled {
  const isLate = c.below(5) === 0;
  const text = kind === "list" ? listRule(c, name, isLate) : numberRule(c, name, kind, isLate);
  return { name, kind, text, isLate };
}

function innersOf(c: Choices, kind: Kind): readonly Inner[] {
  const inner = (of: string): Inner => {
    const [by, shift] = [c.number(), c.number()];
    return { of, at: `${by} * x + ${shift}`.replace("+ -", "- "), by };
  };
  if (kind === "two") return [inner("f"), inner("g"), ...(c.below(2) === 0 ? [inner("f")] : [])];
  return Array.from({ length: 1 + c.below(3) }, () => inner("f"));
}

/** f(a x + b), …, of which a value is made. */
function numberRule(c: Choices, name: string, kind: Kind, isLate: boolean): string {
  const inners = innersOf(c, kind);
  const outer = outerOf(c, inners.length);
  const isPair = kind === "pairs";
  const params = { one: "f, x", two: "f, g, x", list: "", pairs: "f, x, y", tested: "p, f, x" }[
    kind
  ];
  const argsOf = ({ at }: Inner): string => (isPair ? `${at}, y` : at);
  const guard = kind === "tested" ? "if (!p(x)) return 0.5 * x; " : "";
  const plain = `const ${name}Plain = ${TYPES[kind]} => { ${guard}${inners
    .map((one, k) => `const y${k} = ${one.of}(${argsOf(one)}); `)
    .join("")}return ${outer.value}; };`;
  const calls = inners
    .map((one, k) => `const [y${k}, p${k}] = ${one.of}.vjp(${argsOf(one)}); `)
    .join("");
  // the factor before the pullback, or after it
  const pulled = inners.map((_, k) => {
    const d = isPair ? `dx${k}, dy${k}, s${k}` : `d${k}, s${k}`;
    return c.below(3) === 0 && !isPair
      ? `const [e${k}, r${k}] = p${k}(b); const [d${k}, s${k}] = [(${outer.by[k] ?? ""}) * e${k}, scaleCotangent(${outer.by[k] ?? ""}, r${k})]; `
      : `const [${d}] = p${k}(b * (${outer.by[k] ?? ""})); `;
  });
  const dx = inners.map(({ by }, k) => `${isPair ? "dx" : "d"}${k} * ${by}`).join(" + ");
  const self = (of: string): string =>
    added(inners.flatMap((one, k) => (one.of === of ? [`s${k}`] : [])));
  const bars = {
    one: self("f"),
    two: `${self("f")}, ${inners.some(({ of }) => of === "g") ? self("g") : ""}`,
    list: "",
    pairs: self("f"),
    tested: `undefined, ${self("f")}`,
  }[kind];
  const dy = isPair ? `, ${inners.map((_, k) => `dy${k}`).join(" + ")}` : "";
  const value = c.below(2) === 0 ? `${name}(${params})` : outer.value;
  const pullback = `(b) => { ${isLate ? calls : ""}${pulled.join("")}return [${bars}, ${dx} + b * (${outer.own})${dy}]; }`;
  const early = isLate && value !== outer.value ? "" : calls;
  const otherwise =
    kind === "tested"
      ? `if (!p(x)) { const [, q] = f.vjp(x); return [0.5 * x, (b) => [undefined, q(0)[1], 0.5 * b]]; } `
      : "";
  return `${plain}
const ${name}: typeof ${name}Plain = customVjp(${name}Plain, (${params}) => { ${otherwise}${early}return [${value}, ${pullback}]; });`;
}

/** map, with its pullbacks in a loop. */
function listRule(c: Choices, name: string, isLate: boolean): string {
  const [by, to] = [c.number(), c.number()];
  const value = c.below(2) === 0 ? `${name}(f, v)` : `v.map((x) => ${to} * f(${by} * x))`;
  void isLate;
  return `const ${name}Plain = ${TYPES.list} => v.map((x) => ${to} * f(${by} * x));
const ${name}: typeof ${name}Plain = customVjp(${name}Plain, (f, v) => [${value}, (bar) => {
  const [, p] = f.vjp(${by} * v[0]!);
  const [d, first] = p(${to} * bar[0]!);
  let self = first;
  const ds = [${by} * d];
  for (let i = 1; i < v.length; i++) { const [, q] = f.vjp(${by} * v[i]!); const [e, s] = q(${to} * bar[i]!); ds.push(${by} * e); self = addCotangents(self, s); }
  return [self, ds];
}]);`;
}

// programs ----------------------------------------------------------------------------------------

class Program {
  readonly #c: Choices;
  readonly #ruled: readonly Ruled[];
  readonly #fresh = { next: 0 };

  constructor(c: Choices, ruled: readonly Ruled[]) {
    this.#c = c;
    this.#ruled = ruled;
  }

  #name(base: string): string {
    return `${base}${this.#fresh.next++}`;
  }

  /** A number: of the arguments, or of a name in scope. */
  #number(scope: readonly string[]): string {
    const outside = ["m.a", "m.b", "m.w[0]![1]!", "m.in.c", "m.in.d[1]!", "v[0]!", "v[1]!", "t[1]"];
    return this.#c.of([...outside, ...scope, ...scope]);
  }

  #expression(scope: readonly string[], depth: number): string {
    const c = this.#c;
    const inner = (): string =>
      depth > 0 ? this.#expression(scope, depth - 1) : this.#number(scope);
    switch (c.below(6)) {
      case 0:
        return `${inner()} * ${this.#number(scope)}`;
      case 1:
        return `(${inner()} + ${this.#number(scope)})`;
      case 2:
        return `Math.sin(${inner()})`;
      case 3:
        return `Math.tanh(${inner()})`;
      default:
        return this.#number(scope);
    }
  }

  /** A function of one number. */
  #function(scope: readonly string[], depth: number): string {
    const c = this.#c;
    const x = this.#name("x");
    const own = [...scope, x, x];
    switch (c.below(depth > 0 ? 9 : 5)) {
      case 0:
        return c.of(["Math.sin", "named", "named", "made(m.a)", `made(${this.#number(scope)})`]);
      case 1:
        return `(${this.#number(scope)} > 0.35 ? (${x}: number): number => ${this.#expression(own, 1)} : named)`;
      case 2:
      case 3:
      case 4:
        return `(${x}) => ${x} * ${this.#expression(own, 1)}`;
      default:
        return `(${x}) => ${this.call(own, depth - 1)}`;
    }
  }

  /** A call that gives a number, of a function with a rule. */
  call(scope: readonly string[], depth: number): string {
    const c = this.#c;
    const { name, kind } = c.of(this.#ruled);
    const at = this.#expression(scope, 1);
    switch (kind) {
      case "one":
        return `${name}(${this.#function(scope, depth)}, ${at})`;
      case "two":
        return `${name}(${this.#function(scope, depth)}, ${this.#function(scope, 0)}, ${at})`;
      case "tested":
        return `${name}((y) => y < ${this.#number(scope)}, ${this.#function(scope, depth)}, ${at})`;
      case "pairs": {
        const [x, y] = [this.#name("x"), this.#name("y")];
        return `${name}((${x}, ${y}) => ${x} * ${y} + ${this.#expression([...scope, x, y], 1)}, ${at}, ${this.#number(scope)})`;
      }
      case "list":
        return `${name}(${this.#function(scope, depth)}, [${at}, ${this.#number(scope)}])[${c.below(2)}]!`;
    }
  }

  statement(scope: string[], depth: number): string {
    const c = this.#c;
    const call = (...more: readonly string[]): string => this.call([...scope, ...more], depth);
    const x = this.#name("e");
    switch (c.below(11)) {
      case 0:
        return `for (const ${x} of v) s += ${call(x)};`;
      case 1:
        return `for (let i = 0; i < 3; i++) s += ${call("i")} * 0.3;`;
      case 2:
        return `v.forEach((${x}) => { s += ${call(x)}; });`;
      case 3:
        return `s += v.map((${x}) => ${call(x)}).reduce((p, q) => p + q, 0);`;
      case 4:
        return `s += v.reduce((so, ${x}) => so + 0.5 * ${call(x, "so")}, ${this.#number(scope)});`;
      case 5:
        return `if (${this.#number(scope)} > 0.35) s += ${call()}; else s -= ${call()};`;
      case 6:
        return `{ let k = 0; while (k < 2) { const now = s; s = Math.sin(${call("now")} + now); k++; } }`;
      case 7: {
        const name = this.#name("c");
        const text = `const ${name} = Math.sin(s + ${call()});`;
        scope.push(name);
        return text;
      }
      case 8: {
        const name = this.#name("g");
        return `const ${name} = (${x}: number): number => ${call(x)}; s += ${name}(${this.#number(scope)}) * ${name}(0.4);`;
      }
      default:
        return `s += ${call()};`;
    }
  }
}

const HEAD = `import { addCotangents, customVjp, grad, hvp, jvp, scaleCotangent } from "tsgrad";
type F = (x: number) => number;
type G = (x: number, y: number) => number;
type P = (x: number) => boolean;
export interface M { a: number; b: number; w: number[][]; in: { c: number; d: number[] } }
void [addCotangents, scaleCotangent];
`;

export function randomRules(seed: number): RandomRules {
  const c = new Choices(seed);
  const kinds: readonly Kind[] = ["one", "one", "two", "list", "pairs", "tested"];
  const ruled = ["h0", "h1", "h2"].map((name) => ruledOf(c, name, c.of(kinds)));
  const program = new Program(c, ruled);
  const scope: string[] = [];
  const statements = Array.from({ length: 2 + c.below(3) }, () =>
    program.statement(scope, 1 + c.below(2)),
  );
  const isLate = ruled.some((one) => one.isLate || one.kind === "list");
  const main = `const named = (x: number): number => Math.sin(x) * 0.8;
const made = (k: number): F => (x) => x * k;
const f = (v: number[], m: M): number => {
  const t: [number, number] = [v[0]!, m.a];
  let s = 0;
  ${statements.join("\n  ")}
  return s;
};
export const value = f;
export const first = grad(f, { argnums: [0, 1] });
export const second = (v: number[], m: M, dv: number[]): unknown => hvp(f)([v, m], dv);
export const pushed = (v: number[], m: M, dv: number[], dm: M): [number, number] => jvp(f)([v, m], [dv, dm]);
${isLate ? "" : 'export const byDelta = grad(f, { argnums: [0, 1], engine: "delta" });\n'}`;
  const withoutRules = ruled
    .map(({ name, text }) => `${text.split("\nconst ")[0] ?? ""}\nconst ${name} = ${name}Plain;`)
    .join("\n");
  return {
    text: `${HEAD}${ruled.map(({ text }) => text).join("\n")}\n${main}`,
    plain: `${HEAD}void customVjp;\n${withoutRules}\n${main}`,
    isLate,
  };
}
