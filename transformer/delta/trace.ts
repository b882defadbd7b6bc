// What was asked to make a result, so that it is made again only where an answer is another one: a
// verifying trace (Mokhov, Mitchell and Peyton Jones, "Build Systems à la Carte", 2018, §4.2.2).

interface Asked<Of> {
  readonly again: (of: Of) => unknown;
  readonly answer: unknown;
}

/** Questions to an `Of`, with their answers. Questions may have effects, which `holds` repeats. */
export class Trace<Of> {
  readonly #asked: Asked<Of>[] = [];

  /** ``trace.ask(map, (of) => of.get("x"))`` */
  ask<A>(of: Of, again: (of: Of) => A): A {
    const answer = again(of);
    this.#asked.push({ again, answer });
    return answer;
  }

  /** Asks everything again, up to the first answer that is another one. */
  holds(of: Of): boolean {
    return this.#asked.every(({ again, answer }) => isSame(again(of), answer, MOST_LEVELS));
  }
}

/** A record of lists. Anything deeper is the same only if it is the same object. */
const MOST_LEVELS = 2;

function isSame(x: unknown, z: unknown, levels: number): boolean {
  if (Object.is(x, z)) return true;
  if (levels === 0 || typeof x !== "object" || typeof z !== "object" || x === null || z === null)
    return false;
  const [all, others] = [Object.entries(x), new Map(Object.entries(z))];
  return (
    all.length === others.size &&
    all.every(([key, value]) => others.has(key) && isSame(value, others.get(key), levels - 1))
  );
}
