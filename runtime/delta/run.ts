// Derivatives through Delta: `grad`, `valueAndGrad`, `vjp`, `jvp`, `value`. In: a rewritten function, arguments, what is asked for. Out: cotangents.
// Invariants: a run leaves nothing behind, whether it returns, throws or is suspended; runs nest; the primal's value is its own.

import { restoreState, takeState } from "./module-state.ts";
import { cotangents, holdsTwice, idsOf, objectsOf, planOf, seedAt, seeding, seedsOf, tangentSeeds, type Met, type Places, type Plan } from "./inputs.ts";
import { promiseId } from "./async.ts";
import { pushed } from "./pushforward.ts";
import { id, setId } from "./register.ts";
import { keyId } from "./shadows.ts";
import { entryId, resume, run, startInner, startRun, type Run } from "./store.ts";
import { derivativeInside, evaluate, giveBack, input, keep, next, refuseOlder, release, restart, stretch, type Stretch } from "./tape.ts";
import { settleModules } from "./twins.ts";
import { viewId } from "./views.ts";
import { failure, takeFailure, type DeltaFunction, type Id, type Value } from "./value.ts";

/** What a call site asks for. */
export interface Spec {
  /** Absent: argument 0, for `vjp` and `jvp` all of them. */
  readonly argnums?: number | readonly number[];
  readonly hasAux?: boolean;
  /** Leaf fields that are kept because they tell the members of a union apart. */
  readonly leaves?: readonly string[];
  /** Number fields that do: their cotangent is the number itself. */
  readonly tags?: readonly string[];
  /** The same of the result, for its tangent. */
  readonly result?: { readonly leaves?: readonly string[]; readonly tags?: readonly string[] };
  /** An object may stand at several places of an argument: its type is recursive. */
  readonly isShared?: boolean;
  /** Asked inside of what is being recorded: nothing of that may depend on the derivative. */
  readonly isInner?: boolean;
}

const live: Run[] = [];

function beginInner(): Run {
  const own = startInner();
  live.push(own);
  return own;
}

export function begin(): Run {
  settleModules();
  if (live.length === 0) takeState();
  const own = startRun();
  live.push(own);
  return own;
}

/** Ends a run: its store is dropped, and its nodes are as soon as no suspended run can have nodes behind them. */
export function end(own: Run): void {
  if (live.at(-1) === own) live.pop();
  else if (live.includes(own)) live.splice(live.indexOf(own), 1);
  if (run !== own) resume(own);
  if (own.isInner && own.outer !== undefined) {
    own.outer.touched ||= own.touched;
    resume(own.outer);
    return setId(0);
  }
  restoreState(own.from, live.length === 0);
  own.store.close();
  if (own.outer !== undefined) resume(own.outer);
  setId(0);
  if (live.length === 0) restart();
  else if (!own.suspended) release(own.from);
}

interface Activated { readonly plans: (Plan | undefined)[]; readonly ids: Id[] }

/** The arguments' numbers get ids. */
function activate(args: Value[], active: readonly number[], isShared: boolean): Activated {
  const plans: (Plan | undefined)[] = [], ids: Id[] = [];
  let hasObjects = false;
  for (let place = 0; place < args.length; place++) {
    plans.push(undefined);
    ids.push(0);
    hasObjects ||= mayShare(args[place]);
  }
  for (let k = 0; k < active.length; k++) {
    const place = active[k] ?? 0, arg = args[place];
    if (typeof arg !== "number" || plans[place] !== undefined) continue;
    const own = input();
    plans[place] = { kind: "number", id: own, value: 0 }; // an argument is no tag
    ids[place] = own;
  }
  if (hasObjects) activateObjects(args, active, isShared, plans);
  return { plans, ids };
}

/** No object may be part of two arguments of which one is active: it has one shadow. */
function activateObjects(args: Value[], active: readonly number[], isShared: boolean, plans: (Plan | undefined)[]): void {
  const owners = new Map<object, number>();
  // where numbers alone are active, nothing can be shared
  if (!active.some((place) => mayShare(args[place]))) return;
  for (const place of [...active, ...args.keys()]) {
    const arg = args[place], isActive = active.includes(place);
    if (place >= args.length || plans[place] !== undefined || !mayShare(arg)) continue;
    const met: Met = new Map(), seen = new Set<object>();
    const plan = isActive ? planOf(arg, 0, seeding, met) : undefined;
    if (plan === undefined) objectsOf(arg, seen);
    for (const o of plan === undefined ? seen : met.keys()) {
      const identity = ArrayBuffer.isView(o) ? o.buffer : o;
      const other = owners.get(identity);
      if (other !== undefined && other !== place) throw failure("TSG0004", `argument ${Math.min(other, place)} and argument ${Math.max(other, place)} are or share the same object; pass a copy, for instance \`a.slice()\``);
      if (isActive) owners.set(identity, place);
    }
    if (plan !== undefined && !isShared && holdsTwice(plan)) throw failure("TSG0004", `argument ${place} holds one object twice; pass copies, for instance \`a.slice()\``);
    if (isActive) plans[place] = plan;
  }
}

const mayShare = (value: Value): boolean => typeof value === "object" && value !== null;

/** Reads the ids that a value has at the end of a run. */
export const reading: Places = {
  number: () => 0,
  at: (o, key, kind) => (kind === "view" ? viewId(o, key) : kind === "entry" ? entryId(o, key) : keyId(o, key)),
};

/** A result and where its numbers are. */
export interface Outcome { readonly value: Value; readonly id: Id }

/** Runs to the end, at once or as a promise, and then `finish`, inside of the run. */
export function within(f: DeltaFunction, args: Value[], active: readonly number[], finish: (outcome: Outcome, plans: (Plan | undefined)[], own: Run) => Value, { isInner = false, isShared = false }: Spec = {}): Value {
  const outer = takeFailure();
  const own = isInner ? beginInner() : begin();
  let waiting = false;
  try {
    const { plans, ids } = activate(args, active, isShared);
    own.computed = next();
    setId(0);
    const value = f.call(undefined, ids, ...args);
    throwCaught();
    if (!isPromise(value)) {
      const outcome: Outcome = { value, id: typeof value === "number" ? id : 0 };
      if (isInner) refuseOlder(own.from);
      const finished = finish(outcome, plans, own);
      if (isInner) for (const each of [...args, value]) forget(each, own);
      return finished;
    }
    if (isInner) throw failure("TSG0014", "a derivative of an asynchronous function is taken inside of a function that is itself being differentiated; take it outside");
    own.suspended = true;
    waiting = true;
    if (own.outer !== undefined) resume(own.outer);
    return later(value, own, (result) => finish(result, plans, own));
  } finally {
    takeFailure(outer);
    if (!waiting) end(own);
  }
}

/** To the code around, the numbers of a run that is over are constants. */
function forget(value: Value, own: Run): void {
  planOf(value, 0, {
    number: () => 0,
    at: (o, key, kind) => {
      const at = reading.at(o, key, kind);
      if (at !== 0 && at < own.from.node) throw derivativeInside();
      if (at !== 0) seedAt(o, key, kind, 0);
      return 0;
    },
  }, new Map());
}

/** The user's code has caught an error of the derivative, and gone on without. */
function throwCaught(): void {
  const failed = takeFailure();
  if (failed !== null) throw failed;
}

async function later(promise: Promise<Value>, own: Run, finish: (outcome: Outcome) => Value): Promise<Value> {
  try {
    const value = await promise;
    throwCaught();
    resume(own);
    return finish({ value, id: typeof value === "number" ? promiseId(promise) : 0 });
  } finally {
    end(own);
  }
}

const isPromise = (value: Value): boolean => typeof value === "object" && value !== null && typeof value.then === "function";

const listed = (argnums: number | readonly number[] | undefined, otherwise: readonly number[]): readonly number[] =>
  argnums === undefined ? otherwise : typeof argnums === "number" ? [argnums] : argnums;

/** `f(...args)` and the cotangents asked for. */
function differentiated(f: DeltaFunction, args: Value[], spec: Spec, finish: (value: Value, cotangent: Value) => Value): Value {
  return within(f, args, listed(spec.argnums, [0]), (outcome, plans, own) => {
    const of: Outcome = spec.hasAux === true ? { value: outcome.value?.[0], id: keyId(outcome.value, 0) } : outcome;
    if (typeof of.value !== "number") throw failure("TSG0013", `a gradient is asked of a function that returned ${of.value === null ? "null" : `a value of type ${typeof of.value}`} in place of a number`);
    const cotangent = pulledBack(stretch(own.from, own.computed), of.id === 0 ? [] : [[of.id, 1]], spec, (build) => asked(plans, spec, [0], build));
    return finish(outcome.value, cotangent);
  }, spec);
}

/** What `use` makes of the cotangents of arguments. */
function pulledBack(nodes: Stretch, seeds: readonly (readonly [Id, number])[], spec: Spec, use: (build: (plan: Plan) => Value) => Value): Value {
  const adjoints = evaluate(nodes, seeds);
  let aggregates: ((plan: Plan) => Value) | undefined;
  const made = use((plan) => {
    if (plan.kind === "number") return adjoints[plan.id - nodes.start] ?? 0;
    aggregates ??= cotangents({ values: adjoints, start: nodes.start }, spec.leaves, spec.tags);
    return aggregates(plan);
  });
  giveBack(adjoints);
  return made;
}

/** One cotangent, or a list of them. */
function asked(plans: readonly (Plan | undefined)[], { argnums }: Spec, otherwise: readonly number[], build: (plan: Plan) => Value): Value {
  if (typeof argnums === "number") return entryOf(plans[argnums], build);
  if (argnums === undefined && otherwise.length === 1) return entryOf(plans[otherwise[0] ?? 0], build);
  const all: Value[] = [], places = argnums ?? otherwise;
  for (let k = 0; k < places.length; k++) all.push(entryOf(plans[places[k] ?? 0], build));
  return all;
}

export function grad(f: DeltaFunction, args: Value[], spec: Spec = {}): Value {
  return differentiated(f, args, spec, (value, cotangent) => (spec.hasAux === true ? [cotangent, value[1]] : cotangent));
}

export function valueAndGrad(f: DeltaFunction, args: Value[], spec: Spec = {}): Value {
  return differentiated(f, args, spec, (value, cotangent) => [value, cotangent]);
}

/** The value, and a pullback that holds a copy of the nodes. */
export function vjp(f: DeltaFunction, args: Value[], spec: Spec = {}): Value {
  const all = [...args.keys()];
  const active = listed(spec.argnums, all);
  return within(f, args, active, (outcome, plans, own) => {
    const { value, result } = resultOf(outcome, spec);
    const nodes = keep(own.from, own.computed);
    const pullback = (cotangent: Value): Value => {
      return pulledBack(nodes, seedsOf(result, cotangent), spec, (build) => (spec.argnums === undefined ? all.map((place) => entryOf(plans[place], build)) : asked(plans, spec, all, build)));
    };
    return spec.hasAux === true ? [value, pullback, outcome.value[1]] : [value, pullback];
  }, spec);
}

/** What is differentiated of what the function returned, and where its numbers are. */
function resultOf(outcome: Outcome, spec: Spec): { readonly value: Value; readonly result: Plan } {
  if (spec.hasAux !== true) return { value: outcome.value, result: planOf(outcome.value, outcome.id, reading, new Map()) };
  const value = outcome.value?.[0];
  return { value, result: planOf(value, typeof value === "number" ? keyId(outcome.value, 0) : 0, reading, new Map()) };
}

/** The value and its tangent, for one tangent for each argument asked for: `[value, tangent]`, `[[value, aux], [tangent, undefined]]`. */
export function jvp(f: DeltaFunction, args: Value[], tangents: Value[], spec: Spec = {}): Value {
  const active = listed(spec.argnums, [...args.keys()]);
  return within(f, args, active, (outcome, plans, own) => {
    const { result } = resultOf(outcome, spec);
    const met = new Set<Plan>();
    const seeds = active.flatMap((place, i) => tangentSeeds(plans[place], tangents[i], spec.tags ?? [], met, `tangent ${i}`));
    const nodes = stretch(own.from);
    const dots = pushed(nodes, seeds, idsOf(result));
    const build = cotangents({ values: dots, start: nodes.start }, spec.result?.leaves, spec.result?.tags);
    const tangent = entryOf(result, build);
    return [outcome.value, spec.hasAux === true ? [tangent, undefined] : tangent];
  }, spec);
}

function entryOf(plan: Plan | undefined, build: (plan: Plan) => Value): Value {
  if (plan === undefined || plan.kind === "leaf") return undefined;
  return build(plan);
}

/** `f(...args)`, nothing being active. */
export function value(f: DeltaFunction, args: Value[]): Value {
  return within(f, args, [], (outcome) => outcome.value);
}

export { run };
