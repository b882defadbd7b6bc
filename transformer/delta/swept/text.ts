// Emits loops that are one tape node. In: a loop and its steps. Out: the tape size, the forward and
// the reverse loop. Invariants: the primal's arithmetic is the user's; partials of unchanged values
// are recomputed; others are on the tape, in order, and are read from its end.

import type { ScalarOp } from "../../ir/ops.ts";
import { partialsOf, type Partials } from "../run/adjoints.ts";
import type { Num } from "../run/graph.ts";
import { Text } from "../run/text.ts";
import type { List } from "../run/values.ts";
import { freshName, type Work } from "../work.ts";
import { block } from "../unchecked.ts";
import { reads, type Loop, type Step, type Swept, type Write } from "./loop.ts";
import { StripText } from "./strip-text.ts";
import type { Strip } from "./strip.ts";

/** Operations that are as cheap as a read. */
const CHEAP: ReadonlySet<ScalarOp | null> = new Set<ScalarOp | null>(["add", "sub", "mul", "neg"]);

/** A write with its partials, keyed by the adjoint's name; `kept`: those on the tape. */
interface Adjoint {
  readonly write: Write;
  readonly partials: Partials;
  readonly kept: readonly Num[];
}

export interface SweptText {
  /** Declares the tape size. */
  readonly count: readonly string[];
  readonly forward: readonly string[];
  readonly backward: readonly string[];
}

export class Writer {
  readonly #work: Work;
  readonly #swept: Swept;
  readonly #adjoints = new Map<Write, Adjoint>();
  readonly #strips = new Map<Strip, StripText>();
  /** Names of loop-invariant partials. */
  readonly #steady = new Map<string, string>();
  readonly #moving: ReadonlySet<string>;
  readonly #tape: string;
  readonly #at: string;
  /** Unwritten arrays with elements that are read repeatedly: copied as a whole. */
  readonly copied: readonly List[];
  /** Where the adjoints of each array begin. */
  readonly from: ReadonlyMap<List, string>;
  /** Elements that have a local in the current loop. */
  #names: ReadonlyMap<Num, string> = new Map();
  /** Adjoints that the current loop accumulates in a local. */
  #held: ReadonlyMap<string, string> = new Map();

  constructor(work: Work, swept: Swept, tape: string, at: string) {
    this.#work = work;
    this.#swept = swept;
    this.#moving = new Set([...swept.steps.flatMap(countersOf), ...swept.counters]);
    this.#tape = tape;
    this.#at = at;
    this.copied = readAgain(swept);
    this.from = new Map(swept.lists.map((list) => [list, freshName(work, `${list.name}From`)]));
  }

  text(count: string): SweptText {
    const { steps } = this.#swept;
    const { any } = this.#work;
    const backward = this.#reversedAll(steps);
    const product = this.#product(steps);
    return {
      count:
        product === null
          ? [`let ${count}${any} = 0;`, ...this.#counted(steps, count)]
          : [`const ${count}${any} = ${product};`],
      forward: this.#run(steps),
      backward: [...[...this.#steady].map(([of, name]) => `const ${name} = ${of};`), ...backward],
    };
  }

  #stripText(strip: Strip): StripText {
    const known = this.#strips.get(strip);
    if (known !== undefined) return known;
    const made = new StripText(strip, {
      graph: this.#swept.run.graph,
      any: this.#work.any,
      tape: this.#tape,
      at: this.#at,
      fresh: (wanted) => freshName(this.#work, wanted),
      stays: (partial) => this.#stays(partial),
      again: (partial) => this.#again(partial),
      placeOf: (id) => this.#barAt(id),
      lastOf,
    });
    this.#strips.set(strip, made);
    return made;
  }

  #adjointOf(write: Write): Adjoint {
    const known = this.#adjoints.get(write);
    if (known !== undefined) return known;
    const partials = partialsOf(this.#swept.run.graph, write.value);
    const made = {
      write,
      partials,
      kept: [...new Set([...partials.values()].filter((partial) => !this.#stays(partial)))],
    };
    this.#adjoints.set(write, made);
    return made;
  }

  /** Whether it can be recomputed in the reverse loop: cheap arithmetic of copied elements. */
  #stays(partial: Num): boolean {
    return (
      isAgain(partial) &&
      elementsIn(partial).every((text) =>
        this.copied.some(({ name }) => text.startsWith(`${name}[`)),
      )
    );
  }

  /** The tape values of an iteration, without inner loops. */
  #keptBy(steps: readonly Step[]): number {
    return steps.reduce(
      (sum, step) =>
        step.kind === "write" ? sum + Math.max(1, this.#adjointOf(step).kept.length) : sum,
      0,
    );
  }

  /** An upper bound of the tape size, `2 + $d.trips(from, below, 3)`; null where it is unknown. */
  #product(steps: readonly Step[]): string | null {
    const own = this.#keptBy(steps);
    const inner = steps.flatMap((step) => (step.kind === "write" ? [] : [this.#productOf(step)]));
    return inner.includes(null)
      ? null
      : [...(own === 0 ? [] : [String(own)]), ...inner].join(" + ");
  }

  #productOf(step: Loop | Strip): string | null {
    if (step.kind === "strip") return this.#placesOf(step);
    const { low, high, steps } = step;
    const inner = low === null || high === null ? null : this.#product(steps);
    return inner === null ? null : `$d.trips(${low}, ${high}, ${inner})`;
  }

  #placesOf(strip: Strip): string {
    const { first, rest } = this.#stripText(strip).places;
    return strip.first === null
      ? `$d.trips(0, ${strip.below}, ${rest})`
      : `${first} + $d.trips(1, ${strip.below}, ${rest})`;
  }

  /** The exact count: `for (…) t += $d.trips(from, below, 3);` */
  #counted(steps: readonly Step[], count: string): readonly string[] {
    return steps.flatMap((step) => {
      if (step.kind === "write") return [];
      if (step.kind === "strip") return [`${count} += ${this.#placesOf(step)};`];
      const { counter, from, below } = step;
      const inner = this.#counted(step.steps, count);
      const trips = `${count} += $d.trips(${from}, ${below}, ${this.#keptBy(step.steps)});`;
      return inner.length === 0
        ? [trips]
        : [
            trips,
            block(
              `for (let ${counter} = ${from}; ${counter} < ${below} && ${count} < Infinity; ${counter}++)`,
              inner,
            ),
          ];
    });
  }

  #run(steps: readonly Step[]): readonly string[] {
    return steps.flatMap((step) => {
      if (step.kind === "write") return this.#written(step);
      return step.kind === "strip" ? this.#stripText(step).forward() : this.#rounds(step);
    });
  }

  #rounds(loop: Loop): readonly string[] {
    const { counter, from, below, steps } = loop;
    const writes = steps.filter((step) => step.kind === "write");
    const read = writes.flatMap((write) => [write.value, ...this.#adjointOf(write).kept]);
    const [steady, inner] = this.#steadily(loop, read, () => this.#run(steps));
    return [
      ...steady,
      block(`for (let ${counter} = ${from}; ${counter} < ${below}; ${counter}++)`, inner),
    ];
  }

  /** Lines of an innermost loop, and before it the declarations of its invariant elements. */
  #steadily(
    { counter, steps }: Loop,
    read: readonly Num[],
    lines: () => readonly string[],
  ): readonly [before: readonly string[], inside: readonly string[]] {
    const outer = this.#names;
    const { places, counters } = this.#swept;
    const moving = new Set([counter, ...counters]);
    const found = new Set<Num>();
    const written = steps.map((step) => (step.kind === "write" ? step.place.list : null));
    const visit = (node: Num): void => {
      const place = places.get(node);
      if (
        place !== undefined &&
        !outer.has(node) &&
        !written.includes(place.list) &&
        !reads(place.index, moving)
      )
        found.add(node);
      node.args.forEach(visit);
    };
    if (!written.includes(null)) read.forEach(visit);
    const named = [...found].map((node): [Num, string] => [node, freshName(this.#work, "t")]);
    this.#names = new Map([...outer, ...named]);
    const inside = lines();
    this.#names = outer;
    return [named.map(([node, name]) => `const ${name}${this.#work.any} = ${node.text};`), inside];
  }

  // FWD{ a[i] = e }  =  tape <- partials of e; a[i] = e
  #written(write: Write): readonly string[] {
    const { kept } = this.#adjointOf(write);
    const {
      place: { list, text },
      value,
      counted,
    } = write;
    const own = new Text(() => freshName(this.#work, "t"), new Set(), this.#names);
    own.define([value, ...kept]);
    // read the value's operands before the write
    const name = kept.length === 0 ? own.of(value) : own.named(value);
    const lines = [
      ...own.lines,
      ...kept.map((partial) => `${this.#tape}[${this.#at}++] = ${own.of(partial)};`),
    ];
    return [
      ...lines,
      write.isPushed ? `${list.name}.push(${name});` : `${list.name}[${text}] = ${name};`,
      ...counted.map((counter) => `${counter}++;`),
    ];
  }

  #reversedAll(steps: readonly Step[]): readonly string[] {
    return [...steps]
      .reverse()
      .flatMap((step) =>
        step.kind === "write"
          ? this.#reversed(step)
          : step.kind === "strip"
            ? this.#stripText(step).backward()
            : this.#backward(step),
      );
  }

  #backward(loop: Loop): readonly string[] {
    const { counter, from, below, steps } = loop;
    const { any } = this.#work;
    const last = lastOf(below);
    const outer = this.#held;
    this.#held = new Map(this.#stayedAt(loop).map((id) => [id, freshName(this.#work, "bar")]));
    const held = [...this.#held];
    const again = steps.flatMap((step) =>
      step.kind === "write"
        ? [...this.#adjointOf(step).partials.values()].filter((partial) => this.#stays(partial))
        : [],
    );
    const [steady, inner] = this.#steadily(loop, again, () => this.#reversedAll(steps));
    this.#held = outer;
    return [
      ...steady,
      ...held.map(([, name]) => `let ${name}${any} = 0;`),
      block(`for (let ${counter} = ${last}; ${counter} >= ${from}; ${counter}--)`, inner),
      ...held.map(([id, name]) => `${this.#barAt(id)} += ${name};`),
    ];
  }

  /** Loop-invariant elements of unwritten arrays that an innermost loop reads. */
  #stayedAt({ counter, steps }: Loop): readonly string[] {
    const writes = steps.filter((step) => step.kind === "write");
    const written = new Set(writes.map(({ place }) => place.list.bar));
    if (writes.length < steps.length) return [];
    const moving = new Set([counter, ...this.#swept.counters]);
    const ids = new Set(writes.flatMap((write) => [...this.#adjointOf(write).partials.keys()]));
    return [...ids].filter(
      (id) =>
        !written.has(id.slice(0, id.indexOf("["))) && !wordsOf(id).some((word) => moving.has(word)),
    );
  }

  /** `bar[i]  ->  bar[from + i]` */
  #barAt(id: string): string {
    const at = id.indexOf("[");
    const bar = id.slice(0, at);
    const index = id.slice(at + 1, -1);
    const list = this.#swept.lists.find((one) => one.bar === bar);
    const from = list === undefined ? undefined : this.from.get(list);
    return at < 0 || from === undefined
      ? id
      : `${bar}[${from}${index === "0" ? "" : ` + ${index}`}]`;
  }

  /** Whether it varies between iterations. */
  #moves({ op, args, text }: Num): boolean {
    return op === null
      ? text.includes("[") || this.#moving.has(text)
      : args.some((arg) => this.#moves(arg));
  }

  /** The text that recomputes a partial. */
  #again(partial: Num): string {
    const text = new Text(() => "", new Set(), this.#names).of(partial);
    const known = this.#steady.get(text);
    if (partial.op === null) return text;
    // an element's text mentions its counter
    if (this.#moves(partial)) return `(${text})`;
    const name = known ?? freshName(this.#work, "t");
    this.#steady.set(text, name);
    return name;
  }

  // REV{ a[i] = e }   =  s = a$bar[i]; a$bar[i] = 0; x$bar += s e'(x)
  // REV{ a[i] += e }  =  s = a$bar[i]; x$bar += s e'(x)
  #reversed(write: Write): readonly string[] {
    const { partials, kept } = this.#adjointOf(write);
    const {
      place: { list, text },
      counted,
    } = write;
    const own = freshName(this.#work, "bar");
    const id = `${list.bar}[${text}]`;
    const self = this.#barAt(id);
    const isAdded = partials.get(id)?.value === 1;
    const others = [...partials].filter(([bar]) => !(isAdded && bar === id));
    const add = ([of, partial]: readonly [string, Num]): string => {
      const bar = this.#held.get(of) ?? this.#barAt(of);
      const at = kept.indexOf(partial);
      const factor =
        at >= 0 ? `${this.#tape}[${this.#at}${at === 0 ? "" : ` + ${at}`}]` : this.#again(partial);
      return partial.value === 1 || partial.value === -1
        ? `${bar} ${partial.value === 1 ? "+" : "-"}= ${own};`
        : `${bar} += ${own} * ${factor};`;
    };
    return [
      ...[...counted].reverse().map((counter) => `${counter}--;`),
      ...(kept.length === 0 ? [] : [`${this.#at} -= ${kept.length};`]),
      `const ${own} = ${self} ?? 0;`,
      // a pushed element had no earlier value, so that its adjoint needs no clearing
      block(`if (${own} !== 0)`, [
        ...(isAdded || write.isPushed ? [] : [`${self} = 0;`]),
        ...others.map(add),
      ]),
    ];
  }
}

/** The last iteration as an integer, since a retained bound may be any number. */
const lastOf = (below: string): string =>
  Number.isNaN(Number(below))
    ? `Math.ceil(${below}) - 1 | 0`
    : String(Math.ceil(Number(below)) - 1);

/** Whether it is a leaf, loop-invariant, or cheap arithmetic of these. */
function isAgain(partial: Num): boolean {
  const isLeaf = ({ op, id, varies }: Num): boolean => op === null && (!varies || id.includes("["));
  return (
    isLeaf(partial) ||
    (isSteady(partial) && elementsIn(partial).length === 0) ||
    (CHEAP.has(partial.op) &&
      partial.args.every((arg) => isLeaf(arg) || (isSteady(arg) && elementsIn(arg).length === 0)))
  );
}

const isSteady = ({ varies }: Num): boolean => !varies;

/** The array elements that a number reads. */
function elementsIn({ op, text, args }: Num): readonly string[] {
  return op === null ? (text.includes("[") ? [text] : []) : args.flatMap(elementsIn);
}

/** Unwritten arrays with partials that are read repeatedly. Those read once go on the tape. */
function readAgain({ run, steps, lists, written, counters }: Swept): readonly List[] {
  const found = new Set<List>();
  const visit = (all: readonly Step[], around: readonly string[]): void => {
    for (const step of all) {
      if (step.kind === "loop") visit(step.steps, [...around, step.counter]);
      else if (step.kind === "write") note(step.value, around, step.counted);
      else
        for (const round of [step.first, step.rest])
          round?.defs.forEach(({ value }) => {
            note(value, round === step.rest ? [...around, step.counter] : around, []);
          });
    }
  };
  const note = (value: Num, around: readonly string[], counted: readonly string[]): void => {
    for (const partial of partialsOf(run.graph, value).values())
      if (isAgain(partial))
        for (const text of elementsIn(partial)) {
          const words = wordsOf(text);
          const list = lists.find(({ name }) => text.startsWith(`${name}[`));
          const isOnce =
            words.some((word) => counted.includes(word)) ||
            (around.every((counter) => words.includes(counter)) &&
              !words.some((word) => counters.has(word)));
          if (list !== undefined && !written.has(list) && !isOnce) found.add(list);
        }
  };
  visit(steps, []);
  return [...found];
}

const wordsOf = (text: string): readonly string[] => text.split(/[^\p{ID_Continue}$]+/u);

const countersOf = (step: Step): readonly string[] =>
  step.kind === "write"
    ? []
    : [step.counter, ...(step.kind === "loop" ? step.steps.flatMap(countersOf) : [])];
