// The text of loops that are swept as a whole. In: a loop and its steps. Out: lines that count what it keeps, that run it and keep partials, and that go through it backwards. Invariants: the
// primal's arithmetic stands as the user wrote it; partials that are made of what stays, elements of lists that the loop does not write among that, are computed again; the others are kept in order,
// in one column, and read from its end.

import type { ScalarOp } from "../../ir/types.ts";
import { partialsOf, type Partials } from "../run/adjoints.ts";
import { plainly } from "../run/expression.ts";
import type { Num } from "../run/graph.ts";
import { Text } from "../run/text.ts";
import type { List } from "../run/values.ts";
import { block, freshName, type Work } from "../work.ts";
import { reads, type Loop, type Step, type Swept, type Write } from "./loop.ts";

/** What is as soon computed as read. */
const CHEAP: ReadonlySet<ScalarOp | null> = new Set<ScalarOp | null>(["add", "sub", "mul", "neg"]);

/** A write with its partials, by what holds the adjoint of what it reads. */
interface Adjoint { readonly write: Write; readonly partials: Partials; readonly kept: readonly Num[] }

export interface SweptText {
  /** Declares how many places are needed. */
  readonly count: readonly string[];
  readonly forward: readonly string[];
  readonly backward: readonly string[];
}

export class Writer {
  readonly #work: Work;
  readonly #swept: Swept;
  readonly #adjoints = new Map<Write, Adjoint>();
  /** Partials that are the same in each round: their names. */
  readonly #steady = new Map<string, string>();
  readonly #moving: ReadonlySet<string>;
  readonly #tape: string;
  readonly #at: string;
  /** Lists that the loop does not write. */
  readonly copied: readonly List[];

  constructor(work: Work, swept: Swept, tape: string, at: string) {
    this.#work = work;
    this.#swept = swept;
    this.#moving = new Set([...countersOf(swept.loop), ...swept.counters]);
    this.#tape = tape;
    this.#at = at;
    this.copied = swept.lists.filter((list) => !swept.written.has(list));
  }

  text(count: string): SweptText {
    const { loop } = this.#swept, { any } = this.#work, backward = this.#backward(loop), product = this.#product(loop, []);
    const counted = product === null ? this.#counted(loop, count) : [], most = this.#most(loop), lines = most === null ? counted : [block(`if ($d.isLong(${most}))`, counted)];
    return { count: product === null ? [`let ${count}${any} = 0;`, ...lines] : [`const ${count}${any} = ${product};`], forward: this.#forward(loop), backward: [...[...this.#steady].map(([of, name]) => `const ${name} = ${of};`), ...backward] };
  }

  #adjointOf(write: Write): Adjoint {
    const known = this.#adjoints.get(write);
    if (known !== undefined) return known;
    const partials = partialsOf(this.#swept.run.graph, write.value), made = { write, partials, kept: [...new Set([...partials.values()].filter((partial) => !this.#stays(partial)))] };
    this.#adjoints.set(write, made);
    return made;
  }

  /** Whether it is the same number when the loop is gone through backwards, and as soon computed as read: elements of lists that the loop does not write, and little arithmetic of them. */
  #stays(partial: Num): boolean {
    const isElement = ({ op, id }: Num): boolean => op === null && this.copied.some(({ bar }) => id.startsWith(`${bar}[`));
    return !partial.varies || isElement(partial) || (CHEAP.has(partial.op) && partial.args.every((arg) => !arg.varies || isElement(arg)));
  }

  /** What a round keeps beside its loops. */
  #keptBy(steps: readonly Step[]): number {
    return steps.reduce((sum, step) => (step.kind === "write" ? sum + Math.max(1, this.#adjointOf(step).kept.length) : sum), 0);
  }

  /** `d * (2 + (d - 1) * 3)`: no more is kept, whichever rounds those of the loops around are. */
  #most({ most, steps }: Loop): string | null {
    const own = this.#keptBy(steps), inner = steps.flatMap((step) => (step.kind === "loop" ? [this.#most(step)] : [])), parts = [...(own === 0 ? [] : [String(own)]), ...inner];
    return most === null || parts.includes(null) ? null : `${most} * ${parts.length === 1 ? parts.join("") : `(${parts.join(" + ")})`}`;
  }

  /** `$d.trips(from, below, 2 + $d.trips(from, below, 3))`, where no loop's rounds depend on those of the loops around. */
  #product({ counter, from, below, steps }: Loop, around: readonly string[]): string | null {
    const own = this.#keptBy(steps), inner = steps.flatMap((step) => (step.kind === "loop" ? [this.#product(step, [...around, counter])] : []));
    const words = `${from} ${below}`.split(/[^\p{ID_Continue}$]+/u);
    if (inner.includes(null) || around.some((name) => words.includes(name))) return null;
    return `$d.trips(${from}, ${below}, ${[...(own === 0 ? [] : [String(own)]), ...inner].join(" + ")})`;
  }

  /** `for (…) t += $d.trips(from, below, 3);` */
  #counted({ counter, from, below, steps }: Loop, count: string): readonly string[] {
    const own = this.#keptBy(steps);
    const inner = steps.flatMap((step) => (step.kind === "loop" ? this.#counted(step, count) : []));
    const trips = `${count} += $d.trips(${from}, ${below}, ${own});`;
    return inner.length === 0 ? [trips] : [trips, block(`for (let ${counter} = ${from}; ${counter} < ${below} && ${count} < Infinity; ${counter}++)`, inner)];
  }

  #forward({ counter, from, below, steps }: Loop): readonly string[] {
    return [block(`for (let ${counter} = ${from}; ${counter} < ${below}; ${counter}++)`, steps.flatMap((step) => (step.kind === "loop" ? this.#forward(step) : this.#written(step))))];
  }

  // FWD{ a[i] = e }   =   tape <- partials of e; a[i] = e
  #written(write: Write): readonly string[] {
    const { kept } = this.#adjointOf(write), { place: { list, text }, value, counted } = write, own = new Text(() => freshName(this.#work, "t"), new Set());
    own.define([value, ...kept]);
    // what the value reads is read before it is written
    const name = kept.length === 0 ? own.of(value) : own.named(value);
    const lines = [...own.lines, ...kept.map((partial) => `${this.#tape}[${this.#at}++] = ${own.of(partial)};`)];
    return [...lines, `${list.name}[${text}] = ${name};`, ...counted.map((counter) => `${counter}++;`)];
  }

  #backward({ counter, from, below, steps }: Loop): readonly string[] {
    const inner = [...steps].reverse().flatMap((step: Step) => (step.kind === "loop" ? this.#backward(step) : this.#reversed(step)));
    const last = Number.isNaN(Number(below)) ? `Math.ceil(${below}) - 1` : String(Math.ceil(Number(below)) - 1);
    return [block(`for (let ${counter} = ${last}; ${counter} >= ${from}; ${counter}--)`, inner)];
  }

  /** A partial that is computed again. */
  #again(partial: Num): string {
    const text = plainly(partial), known = this.#steady.get(text);
    if (partial.op === null) return text;
    // an element names its counter inside of its text
    if (partial.varies || reads(partial, this.#moving)) return `(${text})`;
    const name = known ?? freshName(this.#work, "t");
    this.#steady.set(text, name);
    return name;
  }

  // REV{ a[i] = e }   =   s = a$bar[i]; a$bar[i] = 0; x$bar += s e'(x);   REV{ a[i] += e }   =   s = a$bar[i]; x$bar += s e'(x)
  #reversed(write: Write): readonly string[] {
    const { partials, kept } = this.#adjointOf(write), { place: { list, text }, counted } = write, own = freshName(this.#work, "bar");
    const self = `${list.bar}[${text}]`, isAdded = partials.get(self)?.value === 1, others = [...partials].filter(([bar]) => !(isAdded && bar === self));
    const add = ([bar, partial]: readonly [string, Num]): string => {
      const at = kept.indexOf(partial), factor = at >= 0 ? `${this.#tape}[${this.#at}${at === 0 ? "" : ` + ${at}`}]` : this.#again(partial);
      return partial.value === 1 ? `${bar} += ${own};` : `${bar} += ${own} * ${factor};`;
    };
    return [
      ...[...counted].reverse().map((counter) => `${counter}--;`), ...(kept.length === 0 ? [] : [`${this.#at} -= ${kept.length};`]), `const ${own} = ${self} ?? 0;`,
      block(`if (${own} !== 0)`, [...(isAdded ? [] : [`${self} = 0;`]), ...others.map(add)]),
    ];
  }
}

const countersOf = ({ counter, steps }: Loop): readonly string[] => [counter, ...steps.flatMap((step) => (step.kind === "loop" ? countersOf(step) : []))];
