// Emits the results of a fused stretch. In: values of locals that are read later, and of a result.
// Out: lines that allocate nodes and records, and then write. Invariant: all is computed before any
// write; a loop accumulator still gets terms.

import type ts from "typescript";
import { entry, unchecked } from "../../code/code.ts";
import type { Variable } from "../binding.ts";
import { freshName } from "../work.ts";
import { partialsOf, type Partials } from "./adjoints.ts";
import type { Num } from "./graph.ts";
import type { Run } from "./state.ts";
import { Text } from "./text.ts";
import type { Made, Value } from "./values.ts";

export interface Output {
  readonly variable: Variable;
  readonly value: Value;
  /** Its id is read. */
  readonly hasId: boolean;
  readonly target: ts.Identifier | null;
}

/** An operand of a node. */
interface Parent {
  readonly id: Num;
  readonly partial: Num;
}

const NONE: Partials = new Map();

export class Leaves {
  readonly #run: Run;
  readonly #text: Text;
  /** Locals that the stretch reassigns. */
  readonly #written: ReadonlySet<string>;
  readonly #numbers = new Map<Num, Partials>();
  readonly #ids = new Map<Num, string>();
  readonly #records = new Map<Made, string>();
  readonly #objects = new Map<string, string>();
  /** Lines that allocate nodes and records, once the numbers exist. */
  readonly #made: string[] = [];
  readonly #steps: string[] = [];

  constructor(run: Run, written: ReadonlySet<string>) {
    this.#run = run;
    this.#written = written;
    this.#text = new Text(() => freshName(run.work, "t"), written);
  }

  add(value: Value, hasId: boolean): void {
    if (value.kind === "made") for (const inner of value.fields.values()) this.add(inner, true);
    if (value.kind !== "num") return;
    const known = this.#numbers.get(value);
    if (known === undefined || (known === NONE && hasId))
      this.#numbers.set(value, hasId && value.varies ? partialsOf(this.#run.graph, value) : NONE);
  }

  /** Declares a local that is unused before the end of the stretch together with its value. */
  declare({ name, how }: Variable, value: Value): void {
    if (value.kind === "num")
      this.#text.want(
        value,
        name,
        `${how === "const" ? "const" : "let"} ${name}${this.#run.work.any}`,
      );
  }

  /** Names shared subexpressions. */
  settle(): void {
    this.#text.defineAll(
      [...this.#numbers].flatMap(([number, partials]) => [
        number,
        ...this.#parents(partials).flatMap(({ id, partial }) =>
          id.op === null ? [partial] : [id, partial],
        ),
      ]),
    );
  }

  /** A parent on an unchosen side gets no adjoint, whatever its value: `c ? x$id : 0`. */
  #parents = (partials: Iterable<readonly [string, Num]>): readonly Parent[] =>
    [...partials].map(([text, partial]) => {
      const { graph } = this.#run;
      const id = graph.leaf(text, "0");
      const { guards } = graph;
      return guards.mayBeUntaken(partial)
        ? { id: guards.mapped(partial, () => id), partial: guards.literalOf(partial) ?? partial }
        : { id, partial };
    });

  get lines(): readonly string[] {
    return [...this.#text.lines, ...this.#made, ...this.#steps];
  }

  /** Counts terms, and operations of the partials. */
  get terms(): number {
    return [...this.#numbers.values()].reduce((sum, { size }) => sum + size, 0);
  }
  get leaving(): readonly Num[] {
    return [...this.#numbers].filter(([, { size }]) => size > 0).map(([number]) => number);
  }

  /** The value, in a temporary where others are written before it. */
  value(value: Value, isAlone: boolean): string {
    if (value.kind === "made") return this.#record(value);
    if (value.kind === "outside") return isAlone ? value.text : this.#object(value.text);
    return isAlone ? this.#text.of(value) : this.#text.named(value);
  }

  /** An outside object, in a temporary where its local is reassigned. */
  #object(text: string): string {
    if (!this.#written.has(text)) return text;
    const name = this.#objects.get(text) ?? freshName(this.#run.work, "t");
    if (!this.#objects.has(text)) this.#made.push(`const ${name} = ${text};`);
    this.#objects.set(text, name);
    return name;
  }

  /** The id of a number, in a temporary where others are written before it. */
  id(value: Value, isAlone: boolean): string {
    if (value.kind !== "num") return "0";
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    const text = this.#node([...(this.#numbers.get(value) ?? NONE)]);
    if (isAlone || text === "0") return text;
    const name = freshName(this.#run.work, "t");
    this.#keepId(value, name, `const ${name}`, text);
    return name;
  }

  #keepId(value: Num, name: string, declaration: string, text: string): void {
    this.#made.push(`${declaration} = ${text};`);
    this.#ids.set(value, name);
  }

  declareId({ variable: { id: own, how }, value }: Output): void {
    const declaration = `${how === "const" ? "const" : "let"} ${own}${this.#run.work.any}`;
    if (value.kind === "num") this.#keepId(value, own, declaration, this.id(value, true));
    else this.#made.push(`${declaration} = 0;`);
  }

  #node(partials: readonly (readonly [string, Num])[]): string {
    const [first] = partials;
    if (first === undefined) return "0";
    const [only] = this.#parents(partials);
    if (partials.length === 1 && only?.partial.value === 1) return this.#text.of(only.id);
    if (partials.length <= 3) return `$d.linear${partials.length}(${this.#pairs(partials)})`;
    const start = freshName(this.#run.work, "t");
    this.#made.push(`const ${start} = $d.firstTerm();`);
    return `$d.summed(0, ${start}, ${this.#inPairs(partials).reduce<string>((at, pair) => `$d.addTerm${pair.length === 2 ? "s" : ""}(${at}, ${this.#pairs(pair)})`, start)})`;
  }

  #pairs = (partials: readonly (readonly [string, Num])[]): string =>
    this.#parents(partials)
      .map(({ id, partial }) => `${this.#text.of(id)}, ${this.#text.of(partial)}`)
      .join(", ");

  #inPairs = <T>(all: readonly T[]): T[][] =>
    all.reduce<T[][]>(
      (pairs, one, k) =>
        k % 2 === 0 ? [...pairs, [one]] : [...pairs.slice(0, -1), [...(pairs.at(-1) ?? []), one]],
      [],
    );

  /** `$d.record({ a: e }, { a: id of e })` */
  #record(record: Made): string {
    const known = this.#records.get(record);
    if (known !== undefined) return known;
    const values: string[] = [];
    const ids: string[] = [];
    for (const [key, value] of record.fields) {
      values.push(entry(key, unchecked(this.value(value, true))));
      ids.push(entry(key, unchecked(this.id(value, false))));
    }
    const name = freshName(this.#run.work, "t");
    this.#made.push(`const ${name} = $d.record({ ${values.join(", ")} }, { ${ids.join(", ")} });`);
    this.#records.set(record, name);
    return name;
  }
}

/** Whether it can be a result: a record with unknown fields cannot. */
export const canLeave = (value: Value): boolean =>
  value.kind === "num" ||
  value.kind === "outside" ||
  (value.isWhole && [...value.fields.values()].every(canLeave));
