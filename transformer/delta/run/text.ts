// Text of the numbers of a run. In: those that something needs. Out: `const` lines, and how each is named. Invariants: what is read more than once has a name; arithmetic has the
// brackets that keep its order; a line names only what stands above it.

import type { ScalarOp } from "../../ir/types.ts";
import type { Num } from "./graph.ts";

interface Infix { readonly sign: string; readonly level: number }

/** 4 names and calls, 3 `-x`, 2 products, 1 sums, 0 the rest. */
const INFIX: Partial<Record<ScalarOp, Infix>> = {
  add: { sign: "+", level: 1 }, sub: { sign: "-", level: 1 }, mul: { sign: "*", level: 2 }, div: { sign: "/", level: 2 }, mod: { sign: "%", level: 2 }, pow: { sign: "**", level: 2.5 },
  lt: { sign: "<", level: 0 }, le: { sign: "<=", level: 0 }, gt: { sign: ">", level: 0 }, ge: { sign: ">=", level: 0 }, eq: { sign: "===", level: 0 }, and: { sign: "&&", level: 0 }, or: { sign: "||", level: 0 },
};

interface Piece { readonly text: string; readonly level: number }

const bracketed = ({ text, level }: Piece, least: number): string => (level < least ? `(${text})` : text);

/** Longer lines are cut. */
const LONGEST = 160;

export class Text {
  readonly lines: string[] = [];
  readonly #names = new Map<Num, string>();
  /** What a name is declared as: `const x: any`. */
  readonly #wanted = new Map<Num, { readonly name: string; readonly declaration: string }>();
  readonly #freshName: () => string;
  readonly #written: ReadonlySet<string>;

  /** `written`: locals that are other numbers when the run is over. */
  constructor(freshName: () => string, written: ReadonlySet<string>) {
    this.#freshName = freshName;
    this.#written = written;
  }

  /** What it will be called, if it gets a name. */
  want(node: Num, name: string, declaration: string): void {
    if (node.op !== null && !this.#wanted.has(node)) this.#wanted.set(node, { name, declaration });
  }

  /** Names what more than one of these, or of what they are made of, reads. */
  define(needed: readonly Num[]): void {
    const reads = new Map<Num, number>();
    const visit = (node: Num): void => {
      const before = reads.get(node) ?? 0;
      reads.set(node, before + 1);
      if (before === 0) node.args.forEach(visit);
    };
    needed.forEach(visit);
    for (const [node, count] of [...reads].sort(([a], [b]) => a.at - b.at)) {
      if (node.value === null && (count > 1 || this.#piece(node).text.length > LONGEST) && !this.#isName(node)) this.#define(node);
    }
  }

  /** Gives it a name, if it is none. */
  named(node: Num): string {
    if (!this.#names.has(node) && node.value === null && !this.#isName(node)) this.#define(node);
    return this.of(node);
  }

  of(node: Num, least = 0): string {
    return bracketed(this.#piece(node), least);
  }

  #isName(node: Num): boolean {
    return this.#names.has(node) || (node.op === null && /^[\p{ID_Continue}$]+$/u.test(node.text) && !this.#written.has(node.text));
  }

  #define(node: Num): void {
    const text = this.#piece(node).text, wanted = this.#wanted.get(node), name = wanted?.name ?? this.#freshName();
    this.lines.push(`${wanted?.declaration ?? `const ${name}`} = ${text};`);
    this.#names.set(node, name);
  }

  #piece(node: Num): Piece {
    const { op, args } = node, [a, b, c] = args, known = this.#names.get(node);
    if (known !== undefined) return { text: known, level: 4 };
    if (op === null || a === undefined) return { text: node.text, level: node.text.startsWith("-") ? 3 : 4 };
    if (op === "neg" || op === "plus") return { text: `${op === "neg" ? "-" : "+"}${this.of(a, 4)}`, level: 3 };
    const infix = INFIX[op];
    if (infix !== undefined && b !== undefined) return { text: `${this.of(a, op === "pow" ? 4 : Math.max(infix.level, 0.5))} ${infix.sign} ${this.of(b, infix.level + 0.5)}`, level: infix.level };
    if (op === "select" && b !== undefined && c !== undefined) return { text: `${this.of(a, 0.5)} ? ${this.of(b, 0.5)} : ${this.of(c, 0.5)}`, level: 0 };
    return { text: `Math.${op}(${args.map((arg) => this.of(arg)).join(", ")})`, level: 4 };
  }
}
