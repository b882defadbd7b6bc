// Functions among the arguments of a rule whose derivatives are differentiated. The pullback of
// `f.vjp(x)` is recorded, and what it gives to older nodes, the variables that `f` captures, has
// ids. In: a function. Out: the same with `vjp`.

import { applied, deltaOf, link } from "../dispatch.ts";
import { CapturedCotangent } from "../given-functions.ts";
import { ret } from "../register.ts";
import type { DeltaFunction, Id, Value } from "../value.ts";
import { vjp } from "./nested.ts";
import { higher2 } from "./nodes.ts";
import type { Seed } from "./sweeps.ts";

/** The cotangent of captured variables, by their ids: numbers with ids. */
export class CapturedPairs extends CapturedCotangent {
  readonly #values: Map<Id, number>;
  readonly #ids: Map<Id, Id>;

  constructor(of?: CapturedPairs) {
    const values = new Map(of?.byId);
    super(values);
    this.#values = values;
    this.#ids = new Map(of?.seeds().map(([at, , own]) => [at, own]));
  }

  add([at, value, own]: Seed): void {
    this.#values.set(at, (this.#values.get(at) ?? 0) + value);
    this.#ids.set(at, higher2(this.#ids.get(at) ?? 0, 1, 0, own, 1, 0));
  }

  seeds(): readonly Seed[] {
    return [...this.#values].map(([at, value]): Seed => [at, value, this.#ids.get(at) ?? 0]);
  }

  override times(factor: number, factorId: Id, plus?: CapturedCotangent): CapturedPairs {
    const sum = new CapturedPairs(plus instanceof CapturedPairs ? plus : undefined);
    for (const [at, value, own] of this.seeds())
      sum.add([at, factor * value, higher2(own, factor, factorId, factorId, value, own)]);
    return sum;
  }
}

export function givenFunction(f: Value): Value {
  const delta: DeltaFunction = deltaOf(f) ?? ((ids, ...args) => applied(f, undefined, args, ids));
  const given = link((...args: Value[]): Value => Reflect.apply(f, undefined, args), delta);
  const pair = (ids: Id[], ...args: Value[]): Value =>
    ret(
      vjp(delta, args, ids, {}, () => new CapturedPairs()),
      0,
    );
  return Object.defineProperty(given, "vjp", {
    value: link((...args: Value[]): Value => pair([], ...args), pair),
  });
}
