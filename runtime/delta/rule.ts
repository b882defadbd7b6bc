// Functions with a user's rule: `customVjp(f, rule)` and `customJvp(f, rule)`. `f` computes the
// value on constants and records nothing; the rule gets the arguments as they were. Active values
// that `f` captures throw, since a rule has no derivative for them.

import { namedSeeds, valueAround } from "./captures.ts";
import { applied, deltaOf, link } from "./dispatch.ts";
import { CapturedCotangent, givenFunction } from "./given-functions.ts";
import { isView } from "./handles.ts";
import { idsOf, planOf, seedAt, type Met, type Places, type Plan } from "./inputs.ts";
import { seedsOf } from "./seeds.ts";
import { id, ret, setId } from "./register.ts";
import { reading, vjp } from "./run.ts";
import { begin, end } from "./runs.ts";
import { isActive } from "./shadows.ts";
import { run } from "./store.ts";
import { callNode, derivativeInside, mark, type Contribute, type Reverse } from "./tape.ts";
import { failure, type DeltaFunction, type Id, type Value } from "./value.ts";
import { copied, isSame } from "./copy.ts";

export type Mode = "vjp" | "jvp";

type Pull = (bar: Value) => Value;

export interface Ruled {
  readonly f: Value;
  readonly rule: Value;
  readonly mode: Mode;
  readonly name: string;
  /** The variables that `f` captures, with the ids of numbers. */
  readonly captures?: () => readonly (readonly [name: string, value: Value, id: Id])[];
}

/** Links `made` to the rule, for calls in rewritten code. */
export function ruled(
  made: Value,
  f: Value,
  rule: Value,
  mode: Mode,
  captures?: Ruled["captures"],
): Value {
  const own: Ruled = {
    f,
    rule,
    mode,
    ...(captures === undefined ? {} : { captures }),
    name: typeof f === "function" && f.name !== "" ? `\`${f.name}\`` : "a function",
  };
  return link(made, (ids: Id[], ...args: Value[]) => byRule(own, ids, args));
}

export const refused = ({ name, mode }: Ruled, what: string): Error =>
  failure(
    "TSG0010",
    `${name} has a rule by \`${mode === "vjp" ? "customVjp" : "customJvp"}\`, and ${what}`,
  );

interface Held {
  readonly o: Value;
  readonly key: Value;
  readonly kind: "key" | "view" | "entry";
  readonly id: Id;
}

type ByRule = (own: Ruled, ids: Id[], args: Value[]) => Value;
let within: ByRule = () => {
  throw derivativeInside();
};

/** Installed by the code that differentiates derivatives. */
export function rulesWithin(by: ByRule): void {
  within = by;
}

function byRule(own: Ruled, ids: Id[], given: Value[]): Value {
  if (run.depth > 0) return within(own, ids, given);
  const taken = givenTo(own, given);
  const { args } = taken;
  const held: Held[] = [];
  const met: Met = new Map();
  const places: Places = {
    number: () => 0,
    at: (o, key, kind) => {
      const at = reading.at(o, key, kind);
      if (at !== 0) held.push({ o, key, kind, id: at });
      return at;
    },
  };
  const plans = args.map((arg, k) =>
    planOf(arg, typeof arg === "number" ? (ids[k] ?? 0) : 0, places, met),
  );
  const copies = copied(args);
  const around = own.captures === undefined ? null : valueAround(own, args);
  const value: Value = around === null ? constantOf(own, args, met, held) : around.value;
  if (!isSame(args, copies))
    throw refused(own, "writes its arguments; let it write copies of them");
  const isActiveCall =
    taken.active.some(Boolean) ||
    (around?.captures.older.length ?? 0) > 0 ||
    plans.some((plan) => idsOf(plan).some((each) => each !== 0));
  if (!isActiveCall) return ret(value, 0);
  const pull = own.mode === "vjp" ? pullbackOf(own, copies) : transposeOf(own, copies);
  return recorded(value, (bar) => {
    const bars = pull(bar);
    const ofArguments = contributionsOf(own, plans, taken.active, bars);
    if (around === null) return ofArguments;
    const record: Value = bars[plans.length];
    const ofNames = namedSeeds(own, around.captures, record, (plan, name) =>
      seedsOf(plan, record[name]),
    );
    return [...ofArguments, ...ofNames];
  });
}

/** The value, while the arguments count as constants. */
function constantOf(own: Ruled, args: Value[], met: Met, held: readonly Held[]): Value {
  for (const { o, key, kind } of held) seedAt(o, key, kind, 0);
  try {
    return valueOf(own, args, met);
  } finally {
    for (const { o, key, kind, id: at } of held) seedAt(o, key, kind, at);
  }
}

export interface Taken {
  readonly args: Value[];
  /** By argument: whether it is a function that gave an active number. */
  readonly active: boolean[];
}

/** The arguments as `f` and the rule get them. */
export function givenTo(own: Ruled, args: Value[]): Taken {
  if (own.mode === "jvp" && args.some((arg) => typeof arg === "function"))
    throw refused(own, "takes a function, of which a tangent says nothing; give it a `customVjp`");
  const active = args.map(() => false);
  const given = args.map((arg, k) =>
    typeof arg === "function"
      ? givenFunction(arg, () => {
          active[k] = true;
        })
      : arg,
  );
  return { args: given, active };
}

/** The value of `f`. It must not depend on active numbers or share objects with the arguments. */
export function valueOf(own: Ruled, args: Value[], met: Met): Value {
  if (args.some((arg) => isActive(arg)))
    throw refused(
      own,
      "an argument holds active numbers where a rule cannot say anything of them; pass arrays and plain records",
    );
  const value = applied(
    own.f,
    undefined,
    args,
    args.map(() => 0),
  );
  const shared: Met = new Map();
  const plan = planOf(value, typeof value === "number" ? id : 0, reading, shared);
  if (idsOf(plan).some((each) => each !== 0))
    throw refused(
      own,
      "depends on a variable around it that a derivative has to pass through, of which the rule says nothing; make it an argument",
    );
  refuseShared(own, value, met, shared);
  return value;
}

/** Refuses a promise, and objects that were there before. `shared`: the objects of the value. */
export function refuseShared(own: Ruled, value: Value, met: Met, shared?: Met): void {
  if (typeof value === "object" && value !== null && typeof value.then === "function")
    throw refused(own, "is asynchronous");
  const objects: Met = shared ?? new Map();
  if (shared === undefined) planOf(value, 0, reading, objects);
  for (const [o, inner] of objects)
    if (met.has(o) && idsOf(inner).length > 0)
      throw refused(own, "returns an object that it was given; let it return a copy");
}

/** The rule runs with the call, its pullback in every reverse sweep. */
function pullbackOf(own: Ruled, copies: Value[]): Pull {
  const pair = applied(
    own.rule,
    undefined,
    copies,
    copies.map(() => 0),
  );
  const pullback: Value = Array.isArray(pair) ? pair[1] : undefined;
  if (typeof pullback !== "function")
    throw refused(own, "the rule returned something else than `[value, pullback]`");
  const { isInner } = run;
  return (bar) => quietly(isInner, () => applied(pullback, undefined, [bar], [0]));
}

/** Runs a pullback unrecorded. Within another derivative it must not depend on active numbers. */
export function quietly(isInner: boolean, work: () => Value): Value {
  setId(0);
  if (isInner) {
    const from = mark().node;
    const result = work();
    if (
      mark().node !== from ||
      idsOf(planOf(result, id, reading, new Map())).some((each) => each !== 0)
    )
      throw derivativeInside();
    return result;
  }
  const own = begin();
  try {
    return work();
  } finally {
    end(own);
  }
}

/** The rule of `customJvp` is linear in the tangents, so its recorded nodes give its transpose. */
function transposeOf(own: Ruled, copies: Value[]): Pull {
  const zeros = copied(copies, 0).map((tangent: Value) =>
    idsOf(planOf(tangent, 0, reading, new Map())).length === 0 ? undefined : tangent,
  );
  const rule: DeltaFunction =
    deltaOf(own.rule) ?? ((ids, ...args) => applied(own.rule, undefined, args, ids));
  const pulled = (isInner: boolean): Pull => vjp(rule, [copies, zeros], { argnums: 1, isInner })[1];
  // Within another derivative it runs now, while the active numbers are known.
  let pullback: Pull | null = run.isInner ? pulled(true) : null;
  return (bar) => (pullback ??= pulled(false))([undefined, bar]);
}

function contributionsOf(
  own: Ruled,
  plans: readonly Plan[],
  active: readonly boolean[],
  bars: Value,
): (readonly [Id, number])[] {
  if (!Array.isArray(bars)) throw refused(own, "its pullback returned no list");
  return plans.flatMap((plan, k): readonly (readonly [Id, number])[] => {
    if (bars[k] instanceof CapturedCotangent) return [...bars[k].byId];
    const isFunction = active[k] === true;
    if (!isFunction && !idsOf(plan).some((each) => each !== 0)) return [];
    if (isFunction || bars[k] === undefined || bars[k] === null)
      throw refused(own, `its pullback returned no cotangent of argument ${k}`);
    return seedsOf(plan, bars[k]);
  });
}

/** Call nodes for the numbers of a result. An aggregate calls the pullback once for all. */
function recorded(value: Value, pull: (bar: Value) => readonly (readonly [Id, number])[]): Value {
  const spread = (bar: Value, contribute: Contribute): void => {
    for (const [to, amount] of pull(bar)) contribute(to, amount);
  };
  if (typeof value === "number") return ret(value, callNode(spread));
  let sweep: Contribute | null = null;
  let bars = new Map<Id, number>();
  const like = copied([value])[0];
  const all = callNode((_adjoint, contribute) => {
    spread(
      barOf(like, order, (at) => bars.get(at) ?? 0),
      contribute,
    );
  });
  const order: Id[] = [];
  const add = (at: () => Id): Reverse =>
    Object.assign(
      (adjoint: number, contribute: Contribute) => {
        if (sweep !== contribute) [sweep, bars] = [contribute, new Map()];
        bars.set(at(), (bars.get(at()) ?? 0) + adjoint);
        contribute(all, 1);
      },
      {
        row: (adjoint: number, contribute: Contribute) => {
          spread(
            barOf(like, order, (each) => (each === at() ? adjoint : 0)),
            contribute,
          );
        },
      },
    );
  planOf(
    value,
    0,
    {
      number: () => 0,
      at: (o, key, kind) => {
        const at: Id = callNode(add(() => at));
        order.push(at);
        seedAt(o, key, kind, at);
        return at;
      },
    },
    new Map(),
  );
  return ret(value, 0);
}

/** A cotangent of the result, with numbers in the order of their ids, and sums at first places. */
export function barOf(like: Value, order: readonly Id[], adjointOf: (at: Id) => number): Value {
  const bar = copied([like])[0];
  let next = 0;
  planOf(
    bar,
    0,
    {
      number: () => 0,
      at: (o, key, kind) => {
        const adjoint = adjointOf(order[next++] ?? 0);
        if (kind === "entry") o.set(key, adjoint);
        else o[key] = adjoint;
        return 0;
      },
    },
    new Map(),
  );
  return onceOnly(bar, new Set());
}

/** Replaces repeated objects by zeros. */
function onceOnly(value: Value, met: Set<unknown>): Value {
  if (typeof value !== "object" || value === null) return value;
  if (met.has(value)) return copied(value, 0);
  met.add(value);
  if (isView(value)) return value;
  if (value instanceof Map) for (const [key, inner] of value) value.set(key, onceOnly(inner, met));
  else
    for (const key of Object.keys(value)) {
      const own = Object.getOwnPropertyDescriptor(value, key);
      const inner = onceOnly(own?.value, met);
      if (own !== undefined && inner !== own.value)
        Object.defineProperty(value, key, { ...own, value: inner });
    }
  return value;
}
