// Functions among the arguments of a rule. `f.vjp(x)` records `f` on the tape of the run around it;
// the pullback evaluates these nodes alone. What they give to older nodes is the cotangent of the
// variables that `f` captures (Estep §3.4), by id.

import { applied, deltaOf, link } from "./dispatch.ts";
import { copied } from "./copy.ts";
import { cotangents, idsOf, planOf } from "./inputs.ts";
import { id, ret } from "./register.ts";
import { planAt, reading, within } from "./run.ts";
import { seedsOf } from "./seeds.ts";
import { run } from "./store.ts";
import { CHUNK, keep, parentsAt, type Stretch } from "./tape.ts";
import { failure, type DeltaFunction, type Id, type Value } from "./value.ts";

/** The cotangent of the variables that a function captures, by their ids. */
export class CapturedCotangent {
  readonly byId: ReadonlyMap<Id, number>;

  constructor(byId: ReadonlyMap<Id, number>) {
    this.byId = byId;
  }

  /** The multiple of it, and another one. */
  times(factor: number, _factorId: Id, plus?: CapturedCotangent): CapturedCotangent {
    const sum = new Map(plus?.byId);
    for (const [at, amount] of this.byId) sum.set(at, (sum.get(at) ?? 0) + factor * amount);
    return new CapturedCotangent(sum);
  }
}

/** `f` as a rule gets it: it returns constants. `noteActive`: called if `f` itself returns none. */
export function givenFunction(f: Value, noteActive: () => void): Value {
  const delta: DeltaFunction = deltaOf(f) ?? ((ids, ...args) => applied(f, undefined, args, ids));
  const given = link(
    (...args: Value[]): Value => Reflect.apply(f, undefined, args),
    (ids: Id[], ...args: Value[]) => {
      const value = delta(ids, ...args);
      const plan = planOf(value, typeof value === "number" ? id : 0, reading, new Map());
      if (!idsOf(plan).some((each) => each !== 0)) return ret(value, 0);
      noteActive();
      return ret(copied([value])[0], 0);
    },
  );
  const owner = run;
  const pair = (args: Value[]): Value => {
    if (run !== owner)
      throw failure(
        "TSG0010",
        "a rule calls `vjp` of a function in its pullback, when what the function captures may have changed; call it in the rule, before the pullback",
      );
    return pullbackOf(delta, copied(args));
  };
  const vjp = link(
    (...args: Value[]): Value => pair(args),
    (_ids: Id[], ...args: Value[]) => ret(pair(args), 0),
  );
  return Object.defineProperty(given, "vjp", { value: vjp });
}

/** The value, and a pullback that also gives the cotangent of older nodes. */
export function pullbackOf(delta: DeltaFunction, args: Value[]): Value {
  const all = [...args.keys()];
  return within(
    delta,
    args,
    all,
    ({ value, id: at }, given, own) => {
      const result = planOf(value, at, reading, new Map());
      const nodes = keep(own.from, own.computed);
      const pullback = (bar: Value): Value => {
        const { values, older } = evaluated(nodes, seedsOf(result, bar));
        const build = cotangents({ values, start: nodes.start });
        const bars = all.map((place) => {
          const plan = planAt(given, place);
          return plan === undefined || plan.kind === "leaf" ? undefined : build(plan);
        });
        return [...bars, new CapturedCotangent(older)];
      };
      return [
        copied([value])[0],
        link(pullback, (_ids: Id[], bar: Value) => ret(pullback(bar), 0)),
      ];
    },
    { isInner: true, seesOlder: true },
  );
}

/** Adjoints of the nodes of a stretch, and what they contribute to older ones. */
function evaluated(
  { start, end, computed, first, chunks, reverses }: Stretch,
  seeds: readonly (readonly [Id, number])[],
): { readonly values: Float64Array; readonly older: Map<Id, number> } {
  const values = new Float64Array(end - start);
  const older = new Map<Id, number>();
  const contribute = (to: Id, amount: number): void => {
    if (to >= start) values[to - start] = (values[to - start] ?? 0) + amount;
    else if (to !== 0) older.set(to, (older.get(to) ?? 0) + amount);
  };
  for (const [to, seed] of seeds) contribute(to, seed);
  for (let at = end - 1; at >= computed; at--) {
    const adjoint = values[at - start] ?? 0;
    const chunk = chunks[Math.floor((at - first) / CHUNK)];
    // 0 x Infinity is 0
    if (adjoint === 0 || chunk === undefined) continue;
    const n = (at - first) % CHUNK;
    const call = chunk.p0[n] ?? 0;
    if (call < 0) reverses[-call - 1]?.(adjoint, contribute, values, start);
    for (const [to, partial] of parentsAt(chunk, n)) contribute(to, adjoint * partial);
  }
  return { values, older };
}
