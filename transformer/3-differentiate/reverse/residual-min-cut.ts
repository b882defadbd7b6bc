// Chooses which values each iteration records. It is a minimum cut in the graph of values, between
// those that cannot be recomputed and those that reverse code needs. Input: values with their costs
// and operands. Output: the names to record.
// Invariant: what is needed and not recorded can be computed from what is recorded.

/** A value that the reverse code may need. */
export interface Candidate {
  /** Cost of recomputing it from its operands, in additions; null if it cannot be recomputed. */
  readonly again: number | null;
  /** Cost of recording it, in additions. */
  readonly record: number;
  /** Names of the candidates that it is computed from. */
  readonly operands: readonly string[];
}

/**
 * Names of the candidates to record. Each of `asked` is recorded, or computed from candidates of
 * which the same holds. Of equally cheap choices, the one with fewer records wins.
 */
export function minimumRecords(
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
  capacity: number;
  /** The position of the opposite edge in the target's list. */
  readonly backward: number;
}

/** A flow network (Ford and Fulkerson, along shortest paths). */
class Network {
  readonly #edges: Edge[][];

  constructor(size: number) {
    this.#edges = Array.from({ length: size }, () => []);
  }

  join(from: number, to: number, capacity: number): void {
    const forward = this.#edges[from] ?? [];
    const backward = this.#edges[to] ?? [];
    forward.push({ to, capacity, backward: backward.length });
    backward.push({ to: from, capacity: 0, backward: forward.length - 1 });
  }

  /** Maximises the flow, one source after the other. A node that cannot send more stays so. */
  fill(sources: readonly number[]): void {
    const spent = new Set<number>();
    for (const source of sources) {
      for (
        let path = this.#pathFrom(source, spent);
        path !== null;
        path = this.#pathFrom(source, spent)
      ) {
        const capacity = Math.min(...path.map((edge) => edge.capacity));
        for (const edge of path) {
          edge.capacity -= capacity;
          const backward = this.#edges[edge.to]?.[edge.backward];
          if (backward !== undefined) backward.capacity += capacity;
        }
      }
    }
  }

  /** A path with free capacity; null if nothing that was visited leads to SINK. */
  #pathFrom(source: number, spent: Set<number>): readonly Edge[] | null {
    const by = new Map<number, { readonly from: number; readonly edge: Edge }>();
    const queue = [source];
    for (const node of queue) {
      if (spent.has(node)) continue;
      for (const edge of this.#edges[node] ?? []) {
        if (edge.capacity === 0 || edge.to === source || by.has(edge.to)) continue;
        by.set(edge.to, { from: node, edge });
        if (edge.to === SINK) return pathTo(SINK, by);
        queue.push(edge.to);
      }
    }
    for (const node of queue) spent.add(node);
    return null;
  }

  /** Nodes that could still send something to SINK. */
  reachingSink(): ReadonlySet<number> {
    const found = new Set([SINK]);
    for (const node of found) {
      for (const { to, backward } of this.#edges[node] ?? [])
        if ((this.#edges[to]?.[backward]?.capacity ?? 0) > 0) found.add(to);
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
