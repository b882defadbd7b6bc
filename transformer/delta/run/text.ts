// Prints numbers of a fused stretch. In: the needed numbers. Out: `const` lines and names.
// Invariant: shared numbers are named before use; parentheses keep the order of arithmetic; what
// only one side of a choice reads is computed where that side is chosen.

import { OPS, PREC } from "../../ir/ops.ts";
import type { Num } from "./graph.ts";
import { madeOf, sidesOf, type Sides } from "./sides.ts";

interface Piece {
  readonly text: string;
  readonly prec: number;
}

const bracketed = ({ text, prec }: Piece, least: number): string =>
  prec < least ? `(${text})` : text;

/** Longest line. */
const LONGEST = 160;

export class Text {
  readonly lines: string[] = [];
  readonly #names = new Map<Num, string>();
  /** A requested name and its declaration: `const x: any`. */
  readonly #wanted = new Map<Num, { readonly name: string; readonly declaration: string }>();
  #repeated: ReadonlySet<Num> = new Set();
  #sides: ReadonlyMap<Num, Sides> = new Map();
  readonly #freshName: () => string;
  readonly #written: ReadonlySet<string>;

  /** `written`: locals that the stretch reassigns. `names`: existing names of numbers. */
  constructor(
    freshName: () => string,
    written: ReadonlySet<string>,
    names: ReadonlyMap<Num, string> = new Map(),
  ) {
    this.#freshName = freshName;
    this.#written = written;
    for (const [node, name] of names) this.#names.set(node, name);
  }

  /** Requests a name, used if it gets one. */
  want(node: Num, name: string, declaration: string): void {
    if (node.op !== null && !this.#wanted.has(node)) this.#wanted.set(node, { name, declaration });
  }

  /** Names shared operands of all numbers that are ever needed. */
  defineAll(needed: readonly Num[]): void {
    this.#sides = sidesOf(needed);
    this.define(needed);
  }

  /** Names operands that are read more than once. */
  define(needed: readonly Num[]): void {
    const reads = new Map<Num, number>();
    const todo = [...needed];
    for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
      const before = reads.get(node) ?? 0;
      reads.set(node, before + 1);
      if (before === 0) todo.push(...node.args);
    }
    this.#repeated = new Set([...reads].flatMap(([node, count]) => (count > 1 ? [node] : [])));
    for (const [node, count] of [...reads].sort(([a], [b]) => a.at - b.at)) {
      if (
        node.value === null &&
        (count > 1 || this.#piece(node).text.length > LONGEST) &&
        !this.#isName(node)
      )
        this.#define(node);
    }
  }

  /** Its name, which is declared if needed. */
  named(node: Num): string {
    if (!this.#names.has(node) && node.value === null && !this.#isName(node)) this.#define(node);
    return this.of(node);
  }

  /** Whether it is expensive or reads memory. */
  #isMuch(node: Num): boolean {
    if (node.op === null) return /[.[]/.test(node.text) && node.value === null;
    return (
      OPS[node.op].expensive || node.args.some((arg) => !this.#names.has(arg) && this.#isMuch(arg))
    );
  }

  of(node: Num, least = 0): string {
    return bracketed(this.#piece(node), least);
  }

  #isName(node: Num): boolean {
    return (
      this.#names.has(node) ||
      (node.op === null &&
        /^[\p{ID_Continue}$]+$/u.test(node.text) &&
        !this.#written.has(node.text))
    );
  }

  #define(node: Num): void {
    const text = this.#behind(node);
    const wanted = this.#wanted.get(node);
    const name = wanted?.name ?? this.#freshName();
    this.lines.push(`${wanted?.declaration ?? `const ${name}`} = ${text};`);
    this.#names.set(node, name);
  }

  /** `e`, or `c ? e : 0` if only read under `c` and more expensive than a comparison. */
  #behind(node: Num): string {
    const all = this.#sides.get(node) ?? [];
    const sides = all.length > 0 && this.#isMuch(node) ? all : [];
    // A condition may be younger.
    for (const { condition } of sides)
      for (const inner of madeOf([condition]))
        if (inner === condition || this.#repeated.has(inner)) this.named(inner);
    const conditions = sides.map(
      ({ condition, isYes }) => `${isYes ? "" : "!"}${this.named(condition)}`,
    );
    return sides.length === 0
      ? this.#piece(node).text
      : `${conditions.join(" && ")} ? ${this.of(node, OPS.select.js.prec)} : 0`;
  }

  #piece(node: Num): Piece {
    const { op, args } = node;
    const [a, b, c] = args;
    const known = this.#names.get(node);
    if (known !== undefined) return { text: known, prec: PREC.atom };
    if (op === null || a === undefined)
      return { text: node.text, prec: node.text.startsWith("-") ? PREC.unary : PREC.atom };
    const { js } = OPS[op];
    const { prec } = js;
    switch (js.kind) {
      // Two signs must not become one.
      case "prefix":
        return { text: `${js.token}${this.of(a, PREC.postfix)}`, prec };
      case "infix":
        return {
          text: `${this.of(a, js.left)} ${js.token} ${b === undefined ? "" : this.of(b, js.right)}`,
          prec,
        };
      case "ternary":
        return {
          text: `${this.of(a, js.test)} ? ${b === undefined ? "" : this.of(b, js.branch)} : ${c === undefined ? "" : this.of(c, js.branch)}`,
          prec,
        };
      case "call":
        return { text: `${js.callee}(${args.map((arg) => this.of(arg)).join(", ")})`, prec };
    }
  }
}
