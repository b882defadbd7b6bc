// Random statements. In: dice, expressions and a scope. Out: lines, and the scope behind them. Invariant: loops end, every array keeps at least
// three elements, arguments are not written, and what runs in a loop is damped, so that values stay small.

import type { Expressions } from "./random-expressions.ts";
import { type Dice, type Scope, withNames } from "./random-scope.ts";

interface Written {
  readonly lines: readonly string[];
  readonly scope: Scope;
}

export class Statements {
  readonly #d: Dice;
  readonly #e: Expressions;
  #names = 0;

  constructor(d: Dice, e: Expressions) {
    this.#d = d;
    this.#e = e;
  }

  block(outer: Scope, count: number, depth: number): Written {
    let scope = outer;
    const lines: string[] = [];
    for (let i = 0; i < count; i++) {
      const made = this.#statement(scope, depth);
      lines.push(...made.lines);
      scope = made.scope;
    }
    return { lines, scope };
  }

  #name(base: string): string {
    return `${base}${this.#names++}`;
  }

  /** Damped where it runs often. */
  #value(scope: Scope, depth = 3): string {
    const value = this.#e.number(scope, Math.max(1, depth - scope.loops));
    return scope.loops > 0 ? `Math.${this.#d.of(["tanh", "sin"], "tanh")}(${value})` : value;
  }

  #inner(scope: Scope, count: number, depth: number, changed: Partial<Scope> = {}): readonly string[] {
    return this.block({ ...scope, ...changed }, count, depth - 1).lines.map((line) => `  ${line}`);
  }

  #statement(scope: Scope, depth: number): Written {
    const flat = [
      () => this.#constant(scope), () => this.#variable(scope), () => this.#assignment(scope), () => this.#assignment(scope), () => this.#newArray(scope),
      () => this.#store(scope), () => this.#store(scope), () => this.#record(scope), () => this.#recordStore(scope), () => this.#stack(scope),
      () => this.#pattern(scope), () => this.#closure(scope),
    ];
    // what a round declares is mostly dead behind it; what it writes is not
    const writes = [() => this.#assignment(scope), () => this.#store(scope), () => this.#matrixStore(scope), () => this.#recordStore(scope)];
    if (scope.loops > 0) flat.push(...writes, ...writes, ...writes);
    flat.push(() => this.#matrix(scope), () => this.#matrixStore(scope));
    const nested = [() => this.#switch(scope, depth), () => this.#branch(scope, depth), () => this.#counted(scope, depth), () => this.#forOf(scope, depth), () => this.#while(scope, depth), () => this.#forEach(scope, depth), () => this.#exit(scope)];
    const choices = depth > 0 && this.#d.chance(0.45) ? nested : flat;
    return this.#d.of<() => Written>(choices, () => this.#constant(scope))();
  }

  #constant(scope: Scope): Written {
    const name = this.#name("c");
    return { lines: [`const ${name} = ${this.#value(scope)};`], scope: withNames(scope, { numbers: [name] }) };
  }

  #variable(scope: Scope): Written {
    const name = this.#name("s");
    return { lines: [`let ${name} = ${this.#value(scope)};`], scope: withNames(scope, { numbers: [name], variables: [name] }) };
  }

  #assignment(scope: Scope): Written {
    if (scope.variables.length === 0) return this.#variable(scope);
    const name = this.#d.of(scope.variables, "s");
    const [other, value] = [this.#d.of(scope.variables, name), this.#value(scope, 2)];
    if (other !== name && this.#d.chance(0.2)) return { lines: [`[${name}, ${other}] = [${other}, ${value}];`], scope };
    return { lines: [this.#d.of([`${name} = ${value};`, `${name} += 0.5 * Math.sin(${value});`, `${name} -= 0.3 * Math.tanh(${value});`, `${name} *= Math.cos(${value});`, `${name} /= 1.2 + (${value}) ** 2;`], `${name}++;`)], scope };
  }

  #newArray(scope: Scope): Written {
    const [name, from] = [this.#name("a"), this.#e.array(scope)];
    const element = (names: readonly string[]): string => this.#value({ ...withNames(scope, { numbers: names, indices: ["k"] }), loops: scope.loops + 1, variables: [] }, 3);
    if (scope.ownArrays.length > 0 && this.#d.chance(0.25)) {
      // another name for the same array, or for one of two
      const [one, two] = [this.#d.of(scope.ownArrays, name), this.#d.of(scope.ownArrays, name)];
      const value = this.#d.chance(0.5) ? one : `${this.#e.condition(scope)} ? ${one} : ${two}`;
      return { lines: [`const ${name} = ${value};`], scope: withNames(scope, { arrays: [name], ownArrays: [name] }) };
    }
    const value = this.#d.of([
      `${from}.slice()`, `[...${from}]`, `${from}.concat(${this.#value(scope, 2)})`, `[${this.#value(scope, 2)}, ...${from}, ${this.#value(scope, 1)}]`, `${from}.map((e, k) => ${element(["e"])})`,
      `Array.from({ length: 4 }, (_, k) => ${element([])})`, `[${this.#value(scope, 2)}, ${this.#value(scope, 2)}, ${this.#value(scope, 2)}]`, `new Array<number>(3).fill(${this.#value(scope, 2)})`,
      `Array.from(new Float64Array(${from}), (e) => e * ${this.#value(scope, 1)})`, `${from}.slice(0, 3).concat(${from}.filter((e) => e > 0.1371))`,
    ], `${from}.slice()`);
    return { lines: [`const ${name} = ${value};`], scope: withNames(scope, { arrays: [name], ownArrays: [name] }) };
  }

  #store(scope: Scope): Written {
    if (scope.ownArrays.length === 0) return this.#newArray(scope);
    const array = this.#d.of(scope.ownArrays, "a");
    const [i, j] = [this.#e.index(scope, array), this.#e.index(scope, array)];
    const value = this.#value(scope, 2);
    return { lines: [this.#d.of([
      `${array}[${i}] = ${value};`, `${array}[${i}] += 0.5 * Math.sin(${value});`, `${array}[${i}] *= Math.cos(${value});`, `[${array}[${i}], ${array}[${j}]] = [${array}[${j}], ${array}[${i}]];`,
      `scaleInPlace(${array}, Math.sin(${value}));`, `blend(${array}, ${this.#e.array(scope)}, 0.3);`, `${array}.fill(Math.sin(${value}), ${this.#d.below(3)});`,
    ], `${array}[0] = ${value};`)], scope };
  }

  /** Rows in an array: fresh ones, copies, and the same row twice. */
  #matrix(scope: Scope): Written {
    const [name, row] = [this.#name("m"), this.#d.of(scope.ownArrays, "")];
    const rows = [`${this.#e.array(scope)}.slice()`, `[${this.#value(scope, 1)}, ${this.#value(scope, 1)}, ${this.#value(scope, 1)}]`, ...(row === "" ? [] : [row, row])];
    const value = this.#d.chance(0.3) && row !== "" ? `${row}.map((e, k) => [e, ${this.#value({ ...withNames(scope, { numbers: ["e"], indices: ["k"] }), variables: [] }, 2)}, e * k])`
      : `[${[0, 1, 2].map(() => this.#d.of(rows, row)).join(", ")}]`;
    return { lines: [`const ${name} = ${value};`], scope: withNames(scope, { matrices: [name] }) };
  }

  #matrixStore(scope: Scope): Written {
    const name = this.#d.of(scope.matrices, "");
    if (name === "") return this.#store(scope);
    const [i, j, value] = [this.#e.index(scope, name), this.#d.below(3), this.#value(scope, 2)];
    const row = this.#name("row");
    return this.#d.of<() => Written>([
      () => ({ lines: [`${name}[${i}][${j}] = ${value};`], scope }), () => ({ lines: [`${name}[${i}][${j}] += 0.5 * Math.sin(${value});`], scope }),
      () => ({ lines: [`[${name}[0], ${name}[1]] = [${name}[1], ${name}[2]];`], scope }), () => ({ lines: [`${name}[${i}] = ${name}[${this.#d.below(3)}].map((e) => Math.sin(e * ${value}));`], scope }),
      () => ({ lines: [`const ${row} = ${name}[${i}];`, `${row}[${j}] *= Math.cos(${value});`], scope: withNames(scope, { arrays: [row], ownArrays: [row] }) }),
    ], () => ({ lines: [], scope }))();
  }

  #switch(scope: Scope, depth: number): Written {
    const on = this.#d.of(scope.indices, "n");
    const [one, two, rest] = [0, 1, 2].map(() => this.#inner({ ...scope, inLoop: false }, 1, depth).map((line) => `    ${line}`));
    const through = this.#d.chance(0.4) ? [] : ["    break;"];
    return { lines: [`switch (${on} % 3) {`, "  case 0: {", ...(one ?? []), "  }", ...through, "  case 1: {", ...(two ?? []), "    break;", "  }", "  default: {", ...(rest ?? []), "  }", "}"], scope };
  }

  #record(scope: Scope): Written {
    const name = this.#name("q");
    const own = this.#d.of(scope.ownArrays, "");
    const v = own === "" || this.#d.chance(0.3) ? `${this.#e.array(scope)}.slice()` : own;
    const from = this.#d.of(scope.records, "");
    const value = from !== "" && this.#d.chance(0.4) ? `{ ...${from}, b: ${this.#value(scope, 2)}, v: ${v} }` : `{ a: ${this.#value(scope, 2)}, b: ${this.#value(scope, 1)}, v: ${v} }`;
    return { lines: [`const ${name} = ${value};`], scope: withNames(scope, { records: [name], ownRecords: [name] }) };
  }

  #recordStore(scope: Scope): Written {
    if (scope.ownRecords.length === 0) return this.#record(scope);
    const name = this.#d.of(scope.ownRecords, "q");
    const value = this.#value(scope, 2);
    const index = this.#e.index(scope, `${name}.v`);
    return { lines: [this.#d.of([`${name}.a = ${value};`, `${name}.b += 0.5 * Math.sin(${value});`, `${name}.v[${index}] = ${value};`, `${name}.v[${index}] *= Math.sin(${value});`,
      `${name}.v = ${name}.v.map((e) => Math.sin(e + ${value}));`], `${name}.a = ${value};`)], scope };
  }

  #stack(scope: Scope): Written {
    const known = this.#d.of(scope.stacks, "");
    if (known === "") {
      const name = this.#name("st");
      return { lines: [`const ${name}: number[] = [];`, `${name}.push(${this.#value(scope, 2)});`], scope: withNames(scope, { stacks: [name] }) };
    }
    const variable = this.#d.of(scope.variables, "");
    const pop = variable === "" ? `${known}.pop();` : `${variable} += 0.5 * Math.sin(${known}.pop() ?? 0.5);`;
    return { lines: [this.#d.chance(0.6) ? `${known}.push(${this.#value(scope, 2)});` : pop], scope };
  }

  #pattern(scope: Scope): Written {
    const [one, two] = [this.#name("p"), this.#name("p")];
    const record = this.#d.of(scope.records, "");
    const line = record !== "" && this.#d.chance(0.5) ? `const { a: ${one}, v: [, ${two}] } = ${record};` : `const [${one}, , ${two}] = ${this.#e.array(scope)};`;
    return { lines: [line], scope: withNames(scope, { numbers: [one, two] }) };
  }

  #closure(scope: Scope): Written {
    const name = this.#name("g");
    const inside = { ...withNames(scope, { numbers: ["u"] }), loops: scope.loops + 1, inLoop: false, closures: [] };
    if (this.#d.chance(0.4)) return { lines: [`const ${name} = (u: number): number => ${this.#value(inside, 3)};`], scope: withNames(scope, { closures: [name] }) };
    const body = this.#inner(inside, 2, 1);
    return { lines: [`const ${name} = (u: number): number => {`, ...body, `  return ${this.#value(inside, 2)};`, "};"], scope: withNames(scope, { closures: [name] }) };
  }

  // --------------------------------------------------------------------------------------------- nested

  #branch(scope: Scope, depth: number): Written {
    const lines = [`if (${this.#e.condition(scope)}) {`, ...this.#inner(scope, 2, depth)];
    if (this.#d.chance(0.5)) lines.push("} else {", ...this.#inner(scope, 2, depth));
    return { lines: [...lines, "}"], scope };
  }

  #exit(scope: Scope): Written {
    const value = (): string => `return ${this.#value(scope, 2)};`;
    const exits = [...(scope.inLoop ? ["break;", "continue;"] : []), ...(scope.inFunction ? [value()] : [])];
    return { lines: exits.length === 0 ? [] : [`if (${this.#e.condition(scope)}) ${this.#d.of(exits, "{}")}`], scope };
  }

  #round(scope: Scope, added: { readonly numbers?: readonly string[]; readonly indices?: readonly string[] }): Scope {
    return { ...withNames(scope, added), loops: scope.loops + 1, inLoop: true };
  }

  #counted(scope: Scope, depth: number): Written {
    const i = this.#name("i");
    const head = this.#d.of([`let ${i} = 0; ${i} < n; ${i}++`, `let ${i} = n - 1; ${i} >= 0; ${i}--`, `let ${i} = 1; ${i} <= 4; ${i} += 2`, `let ${i} = 0; ${i} < ${this.#d.of(scope.arrays, "xs")}.length; ${i}++`], `let ${i} = 0; ${i} < 3; ${i}++`);
    return { lines: [`for (${head}) {`, ...this.#inner(this.#round(scope, { indices: [i] }), 3, depth), "}"], scope };
  }

  #forOf(scope: Scope, depth: number): Written {
    const [v, i, array] = [this.#name("v"), this.#name("i"), this.#d.of(scope.arrays, "xs")];
    if (this.#d.chance(0.4)) return { lines: [`for (const [${i}, ${v}] of ${array}.entries()) {`, ...this.#inner(this.#round(scope, { numbers: [v], indices: [i] }), 2, depth), "}"], scope };
    return { lines: [`for (const ${v} of ${array}) {`, ...this.#inner(this.#round(scope, { numbers: [v] }), 2, depth), "}"], scope };
  }

  #while(scope: Scope, depth: number): Written {
    const i = this.#name("i");
    const inside = this.#round(scope, { indices: [i] });
    const step = `  ${i}++;`;
    if (this.#d.chance(0.4)) return { lines: [`let ${i} = 0;`, "do {", step, ...this.#inner(inside, 2, depth), `} while (${i} < n && ${this.#e.condition(scope)});`], scope };
    return { lines: [`let ${i} = 0;`, `while (${i} < n && ${this.#e.condition(scope)}) {`, step, ...this.#inner(inside, 2, depth), "}"], scope };
  }

  #forEach(scope: Scope, depth: number): Written {
    const [v, i] = [this.#name("v"), this.#name("i")];
    const inside = { ...this.#round(scope, { numbers: [v], indices: [i] }), inLoop: false, inFunction: false };
    return { lines: [`${this.#d.of(scope.arrays, "xs")}.forEach((${v}, ${i}) => {`, ...this.#inner(inside, 2, depth), "});"], scope };
  }
}
