// Loops of a sweep that go through the same elements one behind the other, as one loop in which elements are names. In: the steps of a sweep. Out: the same, with a strip in place of such loops and of
// writes of first elements between them. Invariants: a strip writes lists of doubles alone, of which each loop writes element `i` and reads elements `i` and `i - 1`; within a round each name means one
// number; what it takes for granted of bounds and lengths is asked before the sweep; a list that nobody else names leaves nothing but names.

import type { Graph, Num } from "../run/graph.ts";
import { plainly } from "../run/expression.ts";
import type { List, Place } from "../run/values.ts";
import { reads, type Loop, type Step, type Swept, type Write } from "./loop.ts";

/** An element as it is from one write on, or before all of them. */
export interface Def {
  readonly list: List;
  readonly name: string;
  readonly bar: string;
  readonly value: Num;
}

/** One round of a strip. */
export interface Round {
  /** Which element it is about, as text. */
  readonly index: string;
  /** Elements that are read before they are written. */
  readonly loads: readonly Def[];
  readonly defs: readonly Def[];
  /** What goes back into lists. */
  readonly stores: readonly Def[];
}

/** What a round hands on to the next one. */
export interface Carry {
  readonly name: string;
  readonly bar: string;
  readonly first: Def;
  readonly next: Def;
}

/** `first; for (let i = 1; i < below; i++) rest`, or `for (let i = 0; …) rest` where nothing tells the first round from the others. */
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
  /** Lists that are gone. */
  readonly gone: ReadonlySet<List>;
  /** What has to hold before the sweep. */
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
  /** Where each list is named. */
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

  /** As many items from a step on as can be one strip. */
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

  /** A bound that is the same in all rounds of the loops around: what says that it is another one's. */
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
    // what a round of a loop reads of the one before is what that left behind
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

  /** A value in a round: elements of lists that the strip writes are names, the loop's counter is the strip's. */
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

/** A round while it is made. */
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

  /** An element as it is now. */
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

/** Without what nothing reads. */
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

/** Nothing stands in front of the first element. */
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
