// Derivatives by the Delta engine: `grad`, `valueAndGrad`, `vjp`, `jvp` and `value` of a rewritten
// function. Runs nest, and leave no state when they return, throw or are suspended.

import {
  cotangents,
  holdsTwice,
  idsOf,
  meetObjects,
  planOf,
  seedAt,
  seeding,
  seedingRows,
  type Met,
  type Places,
  type Plan,
} from "./inputs.ts";
import { seedsOf } from "./seeds.ts";
import { promiseId } from "./async.ts";
import { evaluate, giveBack } from "./evaluate.ts";
import { pushed } from "./pushforward.ts";
import { id, setId } from "./register.ts";
import { setGiving } from "./object-data.ts";
import { begin, beginInner, end } from "./runs.ts";
import { keyId } from "./shadows.ts";
import { entryId, handOut, isMarked, resume, run, type Run, noteUnseen } from "./store.ts";
import { foreign, input, keep, next, origin, refuseOlder, stretch, type Stretch } from "./tape.ts";
import { viewId } from "./views.ts";
import {
  failure,
  noNumber,
  throwCaught,
  type DeltaFunction,
  type Id,
  type Value,
} from "./value.ts";

export interface Spec {
  /** Default: argument 0; for `vjp` and `jvp`, all arguments. */
  readonly argnums?: number | readonly number[];
  readonly hasAux?: boolean;
  /** Leaf fields that stay, since they discriminate a union. */
  readonly leaves?: readonly string[];
  /** Number fields that discriminate a union; they stay in the cotangent. */
  readonly tags?: readonly string[];
  /** The same fields of the result, for its tangent. */
  readonly result?: { readonly leaves?: readonly string[]; readonly tags?: readonly string[] };
  /** An object may be at several places of an argument, since its type is recursive. */
  readonly isShared?: boolean;
  /** The derivative is within another one, whose active numbers must not influence it. */
  readonly isInner?: boolean;
  /** Such a derivative may depend on them. */
  readonly seesOlder?: boolean;
}

/** The arguments of a run: ids of requested numbers, plans of requested objects. */
export interface Activated {
  readonly ids: Id[];
  readonly plans: readonly (Plan | undefined)[];
}

const NO_PLANS: readonly undefined[] = [];

export function planAt({ ids, plans }: Activated, place: number): Plan | undefined {
  const id = ids[place] ?? 0;
  return id === 0 ? plans[place] : { kind: "number", id, value: 0 };
}

function activate(
  args: Value[],
  active: readonly number[],
  isShared: boolean,
  byRow: boolean,
): Activated {
  const ids: Id[] = [];
  const before = setGiving(true);
  try {
    return activated(args, active, isShared, byRow, ids);
  } finally {
    setGiving(before);
  }
}

function activated(
  args: Value[],
  active: readonly number[],
  isShared: boolean,
  byRow: boolean,
  ids: Id[],
): Activated {
  for (let place = 0; place < args.length; place++) ids.push(0);
  let isAsked = false;
  for (let k = 0; k < active.length; k++) {
    const place = active[k] ?? 0;
    const arg = args[place];
    if (typeof arg === "number" && ids[place] === 0) ids[place] = input();
    else isAsked ||= mayShare(arg);
  }
  // If only numbers are active, nothing can be shared.
  const rows = isAsked && byRow && !isShared ? seedingRows() : undefined;
  const plans = isAsked ? plansOf(args, active, isShared, rows ?? seeding) : NO_PLANS;
  return {
    ids,
    plans: rows?.rows.isTwice === true ? plansOf(args, active, isShared, seeding) : plans,
  };
}

/** No object may be part of two arguments, one of them active, since it has one shadow. */
export function plansOf(
  args: Value[],
  active: readonly number[],
  isShared: boolean,
  places: Places,
): (Plan | undefined)[] {
  const owners = new Map<object, number>();
  const plans = args.map((): Plan | undefined => undefined);
  for (const place of [...active, ...args.keys()]) {
    const arg = args[place];
    const isActive = active.includes(place);
    if (place >= args.length || plans[place] !== undefined || !mayShare(arg)) continue;
    const own = (o: object): void => {
      const identity = ArrayBuffer.isView(o) ? o.buffer : o;
      const other = owners.get(identity);
      if (places.rows !== undefined && !isActive && other === undefined && isMarked(o))
        places.rows.isTwice = true;
      if (other !== undefined && other !== place)
        throw failure(
          "TSG0004",
          `argument ${Math.min(other, place)} and argument ${Math.max(other, place)} are or share the same object; pass a copy, for instance \`a.slice()\``,
        );
      if (isActive) owners.set(identity, place);
    };
    const met: Met = new Map();
    const plan = isActive ? planOf(arg, 0, places, met) : undefined;
    if (plan === undefined) meetObjects(arg, own);
    else
      for (const [o, one] of met.entries()) {
        own(o);
        if (one.kind === "record" && one.fields.size === 0) noteUnseen(o);
      }
    if (plan !== undefined && !isShared && holdsTwice(plan))
      throw failure(
        "TSG0004",
        `argument ${place} holds one object twice; pass copies, for instance \`a.slice()\``,
      );
    if (isActive) plans[place] = plan;
  }
  return plans;
}

export const mayShare = (value: Value): boolean => typeof value === "object" && value !== null;

/** Reads the ids of a value at the end of a run. */
export const reading: Places = {
  number: () => 0,
  at: (o, key, kind) =>
    kind === "view" ? viewId(o, key) : kind === "entry" ? entryId(o, key) : keyId(o, key),
};

export interface Outcome {
  readonly value: Value;
  readonly id: Id;
}

const NO_SPEC: Spec = {};

/** Computes the derivative at the end of a run, within it. */
export type Finish = (outcome: Outcome, given: Activated, own: Run, spec: Spec) => Value;

/** Runs `f`, perhaps as a promise, and then `finish`. `byRow`: plans serve cotangents only. */
export function within(
  f: DeltaFunction,
  args: Value[],
  active: readonly number[],
  finish: Finish,
  spec: Spec = NO_SPEC,
  byRow = false,
): Value {
  const isInner = spec.isInner === true;
  const own = isInner ? beginInner() : begin();
  let waiting = false;
  try {
    own.args = args;
    const given = activate(
      args,
      active,
      spec.isShared === true,
      byRow && !isInner && (spec.tags?.length ?? 0) === 0,
    );
    own.computed = next();
    setId(0);
    const value = f(given.ids, ...args);
    throwCaught(own);
    if (!isPromise(value)) {
      const outcome: Outcome = { value, id: typeof value === "number" ? id : 0 };
      if (spec.seesOlder === true) return finish(outcome, given, own, spec);
      if (isInner) refuseOlder(own.from);
      const finished = finish(outcome, given, own, spec);
      leave(own, args, value);
      return finished;
    }
    suspend(own, isInner);
    waiting = true;
    return later(value, own, (result) => {
      const finished = finish(result, given, own, spec);
      handedOut(result.value);
      return finished;
    });
  } finally {
    if (!waiting) end(own);
  }
}

/** What a run has computed is a constant for others. */
function leave(own: Run, args: readonly Value[], value: Value): void {
  if (own.isInner) for (const each of [...args, value]) forget(each, own);
  else handedOut(value);
}

/** Resumes the outer run while the promise of a run is pending. */
function suspend(own: Run, isInner: boolean): void {
  if (isInner)
    throw failure(
      "TSG0014",
      "a derivative of an asynchronous function is taken inside of a function that is itself being differentiated; take it outside",
    );
  own.suspended = true;
  if (own.outer !== undefined) resume(own.outer);
}

/** The numbers of a result are the caller's, and constants from then on. */
function handedOut(value: Value): void {
  if (mayShare(value)) meetObjects(value, handOut);
}

/** For the outer run, the numbers of an inner run that is over are constants. */
function forget(value: Value, own: Run): void {
  planOf(
    value,
    0,
    {
      number: () => 0,
      at: (o, key, kind) => {
        const at = reading.at(o, key, kind);
        if (at !== 0 && at < own.from.node) throw foreign(at, origin);
        if (at !== 0) seedAt(o, key, kind, 0);
        return 0;
      },
    },
    new Map(),
  );
}

async function later(
  promise: Promise<Value>,
  own: Run,
  finish: (outcome: Outcome) => Value,
): Promise<Value> {
  try {
    const value = await promise;
    resume(own);
    throwCaught(own);
    return finish({ value, id: typeof value === "number" ? promiseId(promise) : 0 });
  } finally {
    end(own);
  }
}

export const isPromise = (value: Value): boolean =>
  typeof value === "object" && value !== null && typeof value.then === "function";

export const listed = (
  argnums: number | readonly number[] | undefined,
  otherwise: readonly number[],
): readonly number[] =>
  argnums === undefined ? otherwise : typeof argnums === "number" ? [argnums] : argnums;

function differentiated({ value, id }: Outcome, given: Activated, own: Run, spec: Spec): Value {
  const result = spec.hasAux === true ? value?.[0] : value;
  const at = spec.hasAux === true ? keyId(value, 0) : id;
  if (typeof result !== "number") throw noNumber(result);
  return pulledBack(nodesOf(own), at === 0 ? [] : [[at, 1]], given, spec.argnums ?? 0, spec);
}

/** The nodes of a run. Nodes older than all outer runs belong to a run that is over. */
function nodesOf(own: Run): Stretch {
  const nodes = stretch(own.from, own.computed);
  if (nodes.origin >= nodes.start) return nodes;
  let first = own;
  while (first.outer?.outer !== undefined) first = first.outer;
  return { ...nodes, origin: first.from.node };
}

/** The cotangent of one argument, or an array of them. */
function pulledBack(
  nodes: Stretch,
  seeds: readonly (readonly [Id, number])[],
  { ids, plans }: Activated,
  places: number | readonly number[],
  { leaves, tags }: Spec,
): Value {
  const values = evaluate(nodes, seeds);
  const { start } = nodes;
  const made: Value[] = [];
  const isList = typeof places !== "number";
  const ofObjects = plans === NO_PLANS ? undefined : cotangents({ values, start }, leaves, tags);
  for (let k = 0; k < (isList ? places.length : 1); k++) {
    const place = isList ? (places[k] ?? 0) : places;
    const id = ids[place] ?? 0;
    const plan = plans[place];
    made.push(
      id !== 0
        ? (values[id - start] ?? 0)
        : plan === undefined || plan.kind === "leaf"
          ? undefined
          : ofObjects?.(plan),
    );
  }
  giveBack(values);
  return isList ? made : made[0];
}

const gradientOf: Finish = (outcome, given, own, spec) => {
  const cotangent = differentiated(outcome, given, own, spec);
  return spec.hasAux === true ? [cotangent, outcome.value[1]] : cotangent;
};

const valueAndGradientOf: Finish = (outcome, given, own, spec) => {
  const cotangent = differentiated(outcome, given, own, spec);
  return [outcome.value, cotangent];
};

const FIRST: readonly number[] = [0];

export const grad = (f: DeltaFunction, args: Value[], spec: Spec = NO_SPEC): Value =>
  within(f, args, listed(spec.argnums, FIRST), gradientOf, spec, true);

export const valueAndGrad = (f: DeltaFunction, args: Value[], spec: Spec = NO_SPEC): Value =>
  within(f, args, listed(spec.argnums, FIRST), valueAndGradientOf, spec, true);

/** The value, and a pullback that owns a copy of the nodes. */
export function vjp(f: DeltaFunction, args: Value[], spec: Spec = NO_SPEC): Value {
  const all = [...args.keys()];
  return within(
    f,
    args,
    listed(spec.argnums, all),
    (outcome, given, own) => {
      const { value, result } = resultOf(outcome, spec);
      const nodes = keep(own.from, own.computed);
      const pullback = (cotangent: Value): Value =>
        pulledBack(nodes, seedsOf(result, cotangent), given, spec.argnums ?? all, spec);
      return spec.hasAux === true ? [value, pullback, outcome.value[1]] : [value, pullback];
    },
    spec,
    true,
  );
}

/** The differentiated part of the function's result, with its plan. */
export function resultOf(
  outcome: Outcome,
  spec: Spec,
): { readonly value: Value; readonly result: Plan } {
  if (spec.hasAux !== true)
    return { value: outcome.value, result: planOf(outcome.value, outcome.id, reading, new Map()) };
  const value = outcome.value?.[0];
  return {
    value,
    result: planOf(
      value,
      typeof value === "number" ? keyId(outcome.value, 0) : 0,
      reading,
      new Map(),
    ),
  };
}

/** `[value, tangent]`, or `[[value, aux], [tangent, undefined]]`. */
export function jvp(f: DeltaFunction, args: Value[], tangents: Value[], spec: Spec = {}): Value {
  const active = listed(spec.argnums, [...args.keys()]);
  const recorded = (...all: Parameters<DeltaFunction>): Value => {
    run.isPushed = true;
    return f(...all);
  };
  return within(
    recorded,
    args,
    active,
    (outcome, given, own) => {
      const { result } = resultOf(outcome, spec);
      const met = new Map<Plan, Set<unknown>>();
      const seeds = active.flatMap((place, i) => {
        const plan = planAt(given, place);
        if (plan === undefined) return [];
        return seedsOf(plan, tangents[i], `tangent ${i}`, spec.tags, met);
      });
      const nodes = stretch(own.from);
      const dots = pushed(nodes, seeds, idsOf(result));
      const build = cotangents(
        { values: dots, start: nodes.start },
        spec.result?.leaves,
        spec.result?.tags,
      );
      const tangent = entryOf(result, build);
      return [outcome.value, spec.hasAux === true ? [tangent, undefined] : tangent];
    },
    spec,
  );
}

export function entryOf(plan: Plan | undefined, build: (plan: Plan) => Value): Value {
  if (plan === undefined || plan.kind === "leaf") return undefined;
  return build(plan);
}

/** `f(...args)` without active arguments. */
export function value(f: DeltaFunction, args: Value[]): Value {
  return within(f, args, [], (outcome) => outcome.value);
}
