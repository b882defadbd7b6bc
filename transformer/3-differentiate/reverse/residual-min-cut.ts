// Which values of a round to record so that all that the reverse code asks for can be had, at the least cost: a minimum cut through the values between
// what cannot be computed again and what is asked for. In: values with their prices and operands. Out: which of them to record.
// Invariant: what is not recorded and is needed can be computed from what is.

/** A value that the reverse code may need. */
export interface Candidate {
  /** Additions that computing it again takes once its operands are at hand; null if it cannot be computed again. */
  readonly again: number | null;
  /** Additions that recording it takes. */
  readonly record: number;
  /** Names of the candidates it is computed from. */
  readonly operands: readonly string[];
}

/**
 * Names of the candidates to record. Each of `asked` is recorded, or computed from candidates of which the same holds. Of choices that cost the same,
 * the one that records less.
 */
export function leastRecords(
  candidates: ReadonlyMap<string, Candidate>,
  asked: Iterable<string>,
): ReadonlySet<string> {
  const at = new Map([...candidates.keys()].map((name, k) => [name, k]));
  const places = (names: Iterable<string>): readonly number[] =>
    [...names].flatMap((name) => at.get(name) ?? []);
  const has = (k: number): number => 1 + 2 * k;
  const computes = (k: number): number => 2 + 2 * k;
  const network = new Network(1 + 2 * candidates.size);
  [...candidates.values()].forEach(({ again, record, operands }, k) => {
    network.join(has(k), computes(k), record);
    network.join(computes(k), SINK, again ?? Infinity);
    for (const operand of places(operands)) network.join(computes(k), has(operand), Infinity);
  });
  network.fill(places(asked).map(has));
  const beyond = network.reachingSink();
  return new Set(
    [...candidates.keys()].filter((_, k) => !beyond.has(has(k)) && beyond.has(computes(k))),
  );
}

const SINK = 0;

interface Edge {
  readonly to: number;
  room: number;
  /** Where the same edge stands the other way round. */
  readonly back: number;
}

/** What flows from anywhere to SINK (Ford and Fulkerson, along shortest paths). */
class Network {
  readonly #edges: Edge[][];

  constructor(size: number) {
    this.#edges = Array.from({ length: size }, () => []);
  }

  join(from: number, to: number, room: number): void {
    const there = this.#edges[from] ?? [];
    const back = this.#edges[to] ?? [];
    there.push({ to, room, back: back.length });
    back.push({ to: from, room: 0, back: there.length - 1 });
  }

  /** From one after the other: what one of them cannot send any more, no later one makes room for. */
  fill(sources: readonly number[]): void {
    const spent = new Set<number>();
    for (const source of sources) {
      for (
        let path = this.#pathFrom(source, spent);
        path !== null;
        path = this.#pathFrom(source, spent)
      ) {
        const room = Math.min(...path.map((edge) => edge.room));
        for (const edge of path) {
          edge.room -= room;
          const back = this.#edges[edge.to]?.[edge.back];
          if (back !== undefined) back.room += room;
        }
      }
    }
  }

  /** Null where there is none: then nothing that was visited leads to SINK. */
  #pathFrom(source: number, spent: Set<number>): readonly Edge[] | null {
    const by = new Map<number, { readonly from: number; readonly edge: Edge }>();
    const queue = [source];
    for (const node of queue) {
      if (spent.has(node)) continue;
      for (const edge of this.#edges[node] ?? []) {
        if (edge.room === 0 || edge.to === source || by.has(edge.to)) continue;
        by.set(edge.to, { from: node, edge });
        if (edge.to === SINK) return pathTo(SINK, by);
        queue.push(edge.to);
      }
    }
    for (const node of queue) spent.add(node);
    return null;
  }

  /** What could still send something to SINK. */
  reachingSink(): ReadonlySet<number> {
    const found = new Set([SINK]);
    for (const node of found) {
      for (const { to, back } of this.#edges[node] ?? [])
        if ((this.#edges[to]?.[back]?.room ?? 0) > 0) found.add(to);
    }
    return found;
  }
}

function pathTo(
  node: number,
  by: ReadonlyMap<number, { readonly from: number; readonly edge: Edge }>,
): readonly Edge[] {
  const path: Edge[] = [];
  for (let step = by.get(node); step !== undefined; step = by.get(step.from)) path.push(step.edge);
  return path;
}
