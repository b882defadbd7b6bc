// Variables that a function with a rule captures. The rewritten code lists them, and the rule's
// pullback gives their cotangents by name, after those of the arguments. Invariant: the value
// depends on no active number that is neither an argument nor named.

import { copied, isSame } from "./copy.ts";
import { applied } from "./dispatch.ts";
import { CapturedCotangent, pullbackOf } from "./given-functions.ts";
import { idsOf, planOf, type Met, type Plan } from "./inputs.ts";
import { reading } from "./run.ts";
import { barOf, refused, refuseShared, type Ruled } from "./rule.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";

export interface Captures {
  readonly names: readonly string[];
  readonly plans: readonly Plan[];
  /** What the value depends on, besides the arguments. */
  readonly older: readonly Id[];
  /** Throws if a variable has another value than at the call. */
  readonly check: () => void;
}

export interface Around {
  readonly value: Value;
  readonly captures: Captures;
}

/** The value on constants, and the captured variables. */
export function valueAround(own: Ruled, args: Value[]): Around {
  const listed = own.captures?.() ?? [];
  const values = (): Value[] => (own.captures?.() ?? []).map(([, value]) => value);
  const met: Met = new Map();
  const plans = listed.map(([, value, id]) => planOf(value, id, reading, met));
  const before = copied(values());
  const mine: Value[] = copied(args);
  const delta: DeltaFunction = (ids, ...all) => {
    all.forEach((arg) => planOf(arg, 0, reading, met));
    const value = applied(own.f, undefined, all, ids);
    refuseShared(own, value, met);
    return value;
  };
  const [value, pull]: Value = pullbackOf(delta, mine);
  if (!isSame(mine, args)) throw refused(own, "writes its arguments; let it write copies of them");
  const bars: Value = pull(seedOf(value));
  const last: Value = bars.at(-1);
  const older = last instanceof CapturedCotangent ? [...last.byId] : [];
  return {
    value,
    captures: {
      names: listed.map(([name]) => name),
      plans,
      older: older.filter(([, amount]) => amount !== 0).map(([at]) => at),
      check: () => {
        if (!isSame(before, values()))
          throw refused(
            own,
            "captures a variable that changes after the call; let it capture a copy",
          );
      },
    },
  };
}

/** A cotangent whose parts do not cancel. */
function seedOf(value: Value): Value {
  const size = idsOf(planOf(value, 0, reading, new Map())).length;
  const order = Array.from({ length: size }, (_, k) => k + 1);
  return typeof value === "number" ? 1 : barOf(value, order, (k) => 1 + ((k * 0.618) % 1));
}

/** What the record of cotangents by name gives. `seeds`: those of one variable. */
export function namedSeeds<S>(
  own: Ruled,
  { names, plans, older, check }: Captures,
  record: Value,
  seeds: (plan: Plan, name: string) => readonly S[],
): readonly S[] {
  check();
  const given = new Map(Object.entries(record ?? {}));
  const unknown = [...given.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw refused(own, `its rule names \`${unknown}\`, which the function does not capture`);
  const left = new Set(older);
  const found = names.flatMap((name, k) => {
    const plan = plans[k];
    if (plan === undefined || !given.has(name)) return [];
    for (const id of idsOf(plan)) left.delete(id);
    return given.get(name) === undefined ? [] : seeds(plan, name);
  });
  if (left.size > 0) {
    const without = names.find((_, k) => {
      const plan = plans[k];
      return plan !== undefined && idsOf(plan).some((id) => left.has(id));
    });
    throw refused(
      own,
      `depends on ${without === undefined ? "a variable around it" : `\`${without}\``} that a derivative has to pass through, of which the rule says nothing; let its pullback return a record with that cotangent after those of the arguments, or make it an argument`,
    );
  }
  return found;
}
