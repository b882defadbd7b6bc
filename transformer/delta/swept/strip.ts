// Fuses consecutive loops over the same elements into a strip, with elements in locals. In: steps.
// Out: steps with strips. Invariants: a strip writes Float64Arrays only, at `i`, and reads them at
// `i` and `i - 1`; guards test bounds and lengths. Arrays that only the strip uses disappear.

import type { Graph, Num } from "../run/graph.ts";
import { plainly } from "../run/expression.ts";
import type { List, Place } from "../run/values.ts";
import { reads, type Loop, type Step, type Swept, type Write } from "./loop.ts";

/** The value of an element after one write, or before all. */
export interface Def {
  readonly list: List;
  readonly name: string;
  readonly bar: string;
  readonly value: Num;
}

/** One iteration of a strip. */
export interface Round {
  /** The element's index, as source text. */
  readonly index: string;
  /** Elements that are read before they are written. */
  readonly loads: readonly Def[];
  readonly defs: readonly Def[];
  /** The values that are written to arrays. */
  readonly stores: readonly Def[];
}

/** A value that an iteration passes to the next one. */
export interface Carry {
  readonly name: string;
  readonly bar: string;
  readonly first: Def;
  readonly next: Def;
}

/** `first; for (let i = 1; i < below; i++) rest`, or only the loop if the first is no exception. */
export interface Strip {
  readonly kind: "strip";
  readonly counter: string;
  readonly below: string;
  readonly first: Round | null;
  readonly rest: Round;
  readonly carries: readonly Carry[];
}

/** A loop, or a write of a first element between loops. */
interface Item {
  readonly counter: string | null;
  readonly from: string;
  readonly below: string | null;
  readonly writes: readonly Write[];
}

export interface Fused {
  readonly steps: readonly Step[];
  /** Arrays that are no longer needed. */
  readonly gone: ReadonlySet<List>;
  /** The conditions that are tested before the sweep. */
  readonly guards: readonly string[];
}

type Sweep = Pick<Swept, "run" | "places" | "scratch" | "doubles" | "counters" | "bounds">;

export function fused(
  steps: readonly Step[],
  swept: Sweep,
  fresh: (wanted: string) => string,
): Fused {
  const fusing = new Fusing(steps, swept, fresh);
  return { steps: fusing.all(steps), gone: fusing.gone, guards: [...fusing.guards] };
}

class Fusing {
  readonly #swept: Sweep;
  readonly #fresh: (wanted: string) => string;
  /** The writes that mention each array. */
  readonly #named = new Map<List, Set<Write>>();
  readonly gone: Set<List> = new Set();
  readonly guards: Set<string> = new Set();

  constructor(steps: readonly Step[], swept: Sweep, fresh: (wanted: string) => string) {
    this.#swept = swept;
    this.#fresh = fresh;
    for (const write of writesIn(steps))
      for (const { list } of [write.place, ...this.#placesIn(write)])
        this.#named.set(list, (this.#named.get(list) ?? new Set()).add(write));
  }

  all(steps: readonly Step[]): readonly Step[] {
    const made: Step[] = [];
    for (let k = 0; k < steps.length;) {
      const items = this.#run(steps, k);
      const strip = items.length === 0 ? null : this.#strip(items);
      const step = steps[k];
      if (step !== undefined)
        made.push(
          strip ?? (step.kind === "loop" ? { ...step, steps: this.all(step.steps) } : step),
        );
      k += strip === null ? 1 : items.length;
    }
    return made;
  }

  /** The longest run of steps that can be one strip. */
  #run(steps: readonly Step[], from: number): readonly Item[] {
    let items: readonly Item[] = [];
    for (const step of steps.slice(from)) {
      const item = this.#item(step);
      const more = item === null ? null : [...items, item];
      if (more === null || !this.#isStrip(more)) break;
      items = more;
    }
    const last = items.findLastIndex(({ counter }) => counter !== null);
    return items.slice(0, last + 1);
  }

  #item(step: Step): Item | null {
    const isPlain = (write: Write): boolean =>
      write.counted.length === 0 &&
      !reads(write.value, this.#swept.counters) &&
      [write.place, ...this.#placesIn(write)].every(
        ({ index }) => !reads(index, this.#swept.counters),
      );
    if (step.kind === "write")
      return step.place.index.value === 0 && isPlain(step)
        ? { counter: null, from: "0", below: null, writes: [step] }
        : null;
    if (
      step.kind !== "loop" ||
      (step.from !== "0" && step.from !== "1") ||
      this.#bound(step) === null
    )
      return null;
    const writes = step.steps.filter((inner) => inner.kind === "write");
    return writes.length === step.steps.length && writes.every(isPlain)
      ? { counter: step.counter, from: step.from, below: step.below, writes }
      : null;
  }

  /** The key of a loop-invariant bound: bounds with the same key are equal. */
  #bound({ below }: Pick<Loop, "below">): string | null {
    return this.#swept.bounds.get(below) ?? (/^\d+$/.test(below) ? below : null);
  }

  #placesIn({ value }: Write): readonly Place[] {
    const found = new Map<Num, Place>();
    const visit = (node: Num): void => {
      const place = this.#swept.places.get(node);
      if (place !== undefined) found.set(node, place);
      node.args.forEach(visit);
    };
    visit(value);
    return [...found.values()];
  }

  #isStrip(items: readonly Item[]): boolean {
    const bounds = new Set(
      items.flatMap(({ below }) => (below === null ? [] : [this.#bound({ below })])),
    );
    const written = listsOf(items);
    if (bounds.size > 1 || ![...written].every((list) => this.#swept.doubles.has(list)))
      return false;
    return items.every((item) =>
      item.writes.every(
        (write) =>
          isOwn(item, write.place) &&
          this.#placesIn(write).every(
            (place) => !written.has(place.list) || isOwn(item, place) || isPrevious(item, place),
          ),
      ),
    );
  }

  #strip(items: readonly Item[]): Strip | null {
    const { graph } = this.#swept.run;
    const loops = items.filter(({ counter }) => counter !== null);
    const hasFirst = loops.length < items.length || loops.some(({ from }) => from === "1");
    const counter = this.#fresh("i");
    const written = listsOf(items);
    const writes = new Set(items.flatMap((item) => item.writes));
    const first = hasFirst ? new Rounds(graph, "0", this.#fresh) : null;
    const rest = new Rounds(graph, counter, this.#fresh);
    const carries: Carry[] = [];
    // what an iteration reads of the previous one becomes a carry
    let open: (Carry & { readonly list: List })[] = [];
    const carried = (list: List): Num => {
      const before = first?.of(list) ?? rest.of(list);
      const known = open.find((carry) => carry.list === list);
      const carry = known ?? {
        list,
        name: this.#fresh(list.name),
        bar: this.#fresh(`${list.name}Bar`),
        first: before,
        next: before,
      };
      if (known === undefined) open.push(carry);
      return graph.leaf(carry.name, carry.bar);
    };
    for (const item of items) {
      for (const write of item.writes)
        for (const round of [first, rest]) {
          if (round === null || (round === first ? item.from === "1" : item.counter === null))
            continue;
          round.define(write.place.list, this.#within(write.value, item, round, written, carried));
        }
      carries.push(...open.map(({ list, ...carry }) => ({ ...carry, next: rest.of(list) })));
      open = [];
    }
    const isGone = (list: List): boolean =>
      this.#swept.scratch.has(list) &&
      first?.loads.has(list) !== true &&
      !rest.loads.has(list) &&
      [...(this.#named.get(list) ?? [])].every((write) => writes.has(write));
    const gone = [...written].filter(isGone);
    const below = loops[0]?.below ?? "0";
    if (loops.length < 2 && gone.length === 0 && carries.length === 0) return null;
    for (const list of gone) this.gone.add(list);
    for (const other of loops)
      if (other.below !== below && other.below !== null)
        this.guards.add(`${below} === ${other.below}`);
    if (hasFirst) this.guards.add(`${below} > 0`);
    this.guards.add(
      `$d.areDoubles([${[...written].map(({ name }) => name).join(", ")}], ${below})`,
    );
    return pruned({
      kind: "strip",
      counter,
      below,
      first: first?.round(new Set(gone)) ?? null,
      rest: rest.round(new Set(gone)),
      carries,
    });
  }

  /** Rewrites a value for the strip: written elements become locals; the counter is the strip's. */
  #within(
    value: Num,
    item: Item,
    round: Rounds,
    written: ReadonlySet<List>,
    carried: (list: List) => Num,
  ): Num {
    const { graph } = this.#swept.run;
    const known = new Map<Num, Num>();
    const of = (node: Num): Num => {
      const made = known.get(node) ?? madeOf(node);
      known.set(node, made);
      return made;
    };
    const madeOf = (node: Num): Num => {
      if (node.op !== null) return graph.primal(node.op, node.args.map(of));
      const place = this.#swept.places.get(node);
      if (place === undefined)
        return node.text === item.counter ? graph.leaf(round.index, "0") : node;
      if (written.has(place.list))
        return isPrevious(item, place) ? carried(place.list) : round.read(place.list);
      const index = plainly(of(place.index));
      return graph.leaf(
        `${place.list.name}[${index}]`,
        place.list.isData ? "0" : `${place.list.bar}[${index}]`,
      );
    };
    return of(value);
  }
}

/** Builds an iteration. */
class Rounds {
  readonly index: string;
  readonly loads: Map<List, Def> = new Map();
  readonly #graph: Graph;
  readonly #fresh: (wanted: string) => string;
  readonly #defs: Def[] = [];
  readonly #now = new Map<List, Def>();

  constructor(graph: Graph, index: string, fresh: (wanted: string) => string) {
    this.#graph = graph;
    this.index = index;
    this.#fresh = fresh;
  }

  /** The current value of an element. */
  of(list: List): Def {
    const known =
      this.#now.get(list) ??
      this.#made(
        list,
        this.#graph.leaf(`${list.name}[${this.index}]`, `${list.bar}[${this.index}]`),
      );
    if (!this.#now.has(list)) this.loads.set(list, known);
    this.#now.set(list, known);
    return known;
  }

  read(list: List): Num {
    const { name, bar } = this.of(list);
    return this.#graph.leaf(name, bar);
  }

  define(list: List, value: Num): void {
    const made = this.#made(list, value);
    this.#defs.push(made);
    this.#now.set(list, made);
  }

  #made(list: List, value: Num): Def {
    return { list, name: this.#fresh(list.name), bar: this.#fresh(`${list.name}Bar`), value };
  }

  round(gone: ReadonlySet<List>): Round {
    const stores = [...this.#now.values()].filter(
      (def) => !gone.has(def.list) && this.loads.get(def.list) !== def,
    );
    return { index: this.index, loads: [...this.loads.values()], defs: this.#defs, stores };
  }
}

/** Removes unused definitions and carries. */
function pruned(strip: Strip): Strip {
  const rounds = [strip.first, strip.rest].filter((round) => round !== null);
  const defs = new Map(
    rounds.flatMap(({ loads, defs: own }) => [...loads, ...own]).map((def) => [def.name, def]),
  );
  const carries = new Map(strip.carries.map((carry) => [carry.name, carry]));
  const needed = new Set<string>();
  const need = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    const carry = carries.get(name);
    const def = defs.get(name);
    for (const other of carry === undefined ? [] : [carry.first, carry.next]) need(other.name);
    if (def !== undefined) visit(def.value);
  };
  const visit = (node: Num): void => {
    if (node.op === null && (defs.has(node.text) || carries.has(node.text))) need(node.text);
    node.args.forEach(visit);
  };
  for (const { stores } of rounds) for (const { name } of stores) need(name);
  const ofRound = (round: Round): Round => ({
    ...round,
    loads: round.loads.filter(({ name }) => needed.has(name)),
    defs: round.defs.filter(({ name }) => needed.has(name)),
  });
  return {
    ...strip,
    first: strip.first === null ? null : ofRound(strip.first),
    rest: ofRound(strip.rest),
    carries: strip.carries.filter(({ name }) => needed.has(name)),
  };
}

const listsOf = (items: readonly Item[]): ReadonlySet<List> =>
  new Set(items.flatMap(({ writes }) => writes.map(({ place }) => place.list)));

const isOwn = ({ counter }: Item, { index }: Place): boolean =>
  counter === null ? index.value === 0 : index.op === null && index.text === counter;

/** Whether it is element `i - 1`, in a loop that starts after the first element. */
function isPrevious(
  { counter, from }: Item,
  {
    index: {
      op,
      args: [i, one],
    },
  }: Place,
): boolean {
  return (
    counter !== null && from === "1" && op === "sub" && i?.text === counter && one?.value === 1
  );
}

function* writesIn(steps: readonly Step[]): Iterable<Write> {
  for (const step of steps) {
    if (step.kind === "write") yield step;
    else if (step.kind === "loop") yield* writesIn(step.steps);
  }
}
