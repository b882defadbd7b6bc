// The active arguments of a run. Every number gets an id; a plan records the places as they were
// passed. Cotangents are built from it, with the aliasing of the argument.

import { enter } from "../tree/parts.ts";
import { isBuiltIn, isView, setOwn } from "./handles.ts";
import { dataOf, isRow, keysOfRow, rowOf, seed } from "./rows.ts";
import { setKeyId } from "./shadows.ts";
import { fillUp, isMarked, seedElements, setEntryId } from "./store.ts";
import { inputs } from "./tape.ts";
import { seedView, seedViewId } from "./views.ts";
import type { Id, Value } from "./value.ts";

/** The places of a value's numbers. `leaf`: none. */
export type Plan =
  | { readonly kind: "number"; readonly id: Id; readonly value: number }
  /** A typed array, or with `of` null an array of numbers only. */
  | { readonly kind: "view"; readonly of: Value; readonly length: number; readonly ids: Ids }
  | { readonly kind: "list"; readonly items: Plan[] }
  /** An array of records with the same fields, whose numbers have consecutive ids. */
  | {
      readonly kind: "rows";
      readonly keys: readonly string[];
      readonly count: number;
      readonly first: Id;
    }
  | { readonly kind: "record"; readonly fields: Map<Value, Plan> }
  | { readonly kind: "map"; readonly entries: Map<Value, Plan> }
  | { readonly kind: "leaf"; readonly value: Value };

/** Ids of elements: one each, or the first of consecutive inputs. */
export type Ids = readonly Id[] | { readonly first: Id; readonly count: number };

export const listed = (ids: Ids): readonly Id[] =>
  "first" in ids ? fillUp([], ids.first, ids.count) : ids;

/** What a walk does at a number: it assigns an id or reads it. */
export interface Places {
  number(value: number): Id;
  at(o: Value, key: Value, kind: "key" | "view" | "entry"): Id;
  /** The same for all elements of a typed array or an array of numbers. */
  all?(o: Value, kind: "key" | "view"): Ids;
  /** Called for functions and built-in objects. */
  other?(o: Value): void;
  /** Present: arrays of records with the same fields are walked row by row. */
  readonly rows?: Rows;
}

/** `isTwice`: a row is also at another place, so the walk must be repeated by object. */
export interface Rows {
  isTwice: boolean;
}

export const seeding: Places = {
  number: () => inputs(1),
  at: (o, key, kind) => {
    const to = inputs(1);
    seedAt(o, key, kind, to);
    return to;
  },
  all: (o, kind) => {
    if (o.length === 0) return [];
    const first = inputs(o.length);
    if (kind === "view") seedView(o, first);
    else seedElements(o, first);
    return { first, count: o.length };
  },
};

/** The same for plans that are only used for cotangents, in a run without outer ids. */
export const seedingRows = (): Places & { readonly rows: Rows } => ({
  ...seeding,
  rows: { isTwice: false },
});

/** Up to this many objects are visited without a check for repetition. */
const FEW = 2000;

/** Visits the objects in an object, as `planOf` walks; shared ones perhaps twice. */
export function meetObjects(value: object, meet: (o: object) => void): void {
  const todo: Value[] = [value];
  let met: Set<object> | undefined;
  for (let count = 0; todo.length > 0; count++) {
    const one: Value = todo.pop();
    // Too many objects, or a cycle.
    if (count === FEW) met = new Set();
    if (met?.has(one) === true) continue;
    met?.add(one);
    if (Array.isArray(one)) for (let i = numbersIn(one); i < one.length; i++) later(one[i], todo);
    else if (one instanceof Map) for (const inner of one.values()) later(inner, todo);
    else if (!isView(one)) {
      if (isBuiltIn(one)) continue;
      for (const key of Object.keys(one))
        later(Object.getOwnPropertyDescriptor(one, key)?.value, todo);
    }
    meet(one);
  }
}

function later(inner: Value, todo: Value[]): void {
  if (typeof inner === "object" && inner !== null) todo.push(inner);
}

function idsOfAll(o: Value, kind: "key" | "view", places: Places): Ids {
  if (places.all !== undefined) return places.all(o, kind);
  const ids: Id[] = [];
  for (let k = 0; k < o.length; k++) ids.push(places.at(o, k, kind));
  return ids;
}

/**
 * How many numbers an array begins with. If one site `list[k]` saw arrays of doubles and of
 * objects, V8 would box the doubles for good (`node --trace-elements-transitions`).
 */
function numbersIn(list: readonly unknown[]): number {
  let count = 0;
  if (typeof Reflect.get(list, 0) === "number")
    while (count < list.length && typeof list[count] === "number") count++;
  return count;
}

export type Met = Map<object, Plan>;

/** Does work now, or later where the walk is too deep. */
type Within = (work: () => void) => void;

/** Walks of objects. */
interface Walk {
  readonly places: Places;
  readonly met: Met;
  readonly within: Within;
}

/** Deeper objects, such as the rest of a linked list, are walked in a loop. */
const DEEPEST = 100;

export function deeply<T>(start: (within: Within) => T): T {
  const later: (() => void)[] = [];
  let depth = 0;
  const result = start((work) => {
    if (depth === DEEPEST) later.push(work);
    else {
      depth++;
      work();
      depth--;
    }
  });
  for (let work = later.pop(); work !== undefined; work = later.pop()) work();
  return result;
}

export const planOf = (value: Value, own: Id, places: Places, met: Met): Plan =>
  deeply((within) => planIn(value, own, { places, met, within }));

function planIn(value: Value, own: Id, walk: Walk): Plan {
  const { places, met } = walk;
  if (typeof value === "number") return { kind: "number", id: own, value };
  if (typeof value === "function") places.other?.(value);
  if (typeof value !== "object" || value === null) return { kind: "leaf", value };
  const before = met.get(value);
  if (before !== undefined) return before;
  if (places.rows !== undefined && isMarked(value)) places.rows.isTwice = true;
  if (isView(value)) {
    const plan: Plan = {
      kind: "view",
      of: value.constructor,
      length: value.length,
      ids: typeof value[0] === "bigint" ? [] : idsOfAll(value, "view", places),
    };
    met.set(value, plan);
    return plan;
  }
  if (Array.isArray(value)) return listPlan(value, walk);
  if (value instanceof Map) return mapPlan(value, walk);
  if (isBuiltIn(value)) {
    places.other?.(value);
    return { kind: "leaf", value };
  }
  return recordPlan(value, walk);
}

function mapPlan(value: Map<Value, Value>, walk: Walk): Plan {
  const plan: Plan = { kind: "map", entries: new Map() };
  walk.met.set(value, plan);
  walk.within(() => {
    for (const [key, inner] of value) {
      const own = typeof inner === "number" ? walk.places.at(value, key, "entry") : 0;
      plan.entries.set(key, planIn(inner, own, walk));
    }
  });
  return plan;
}

function listPlan(value: Value[], walk: Walk): Plan {
  const { places, met } = walk;
  if (value.length > 0 && numbersIn(value) === value.length) {
    const numbers: Plan = {
      kind: "view",
      of: null,
      length: value.length,
      ids: idsOfAll(value, "key", places),
    };
    met.set(value, numbers);
    return numbers;
  }
  const rows = places.rows === undefined ? null : rowsPlan(value, places.rows);
  const plan: Plan = rows ?? { kind: "list", items: [] };
  met.set(value, plan);
  if (plan.kind === "list")
    walk.within(() => {
      for (let i = 0; i < value.length; i++) {
        const inner = value[i];
        const own = typeof inner === "number" ? places.at(value, i, "key") : 0;
        plan.items.push(planIn(inner, own, walk));
      }
    });
  return plan;
}

function rowsPlan(list: Value[], rows: Rows): Plan | null {
  const keys = keysOfRow(list[0]);
  const count = list.length;
  if (keys === null || isBuiltIn(list[0])) return null;
  const type: unknown = Object.getPrototypeOf(list[0]);
  for (let k = 1; k < count; k++)
    if (!isRow(list[k], keys) || Object.getPrototypeOf(list[k]) !== type) return null;
  const first = inputs(count * keys.length);
  for (let k = 0; k < count; k++) {
    if (isMarked(list[k])) rows.isTwice = true;
    seed(list[k], keys, first + k * keys.length);
  }
  return { kind: "rows", keys, count, first };
}

function recordPlan(value: Value, walk: Walk): Plan {
  const { places } = walk;
  const plan: Plan = { kind: "record", fields: new Map() };
  walk.met.set(value, plan);
  walk.within(() => {
    for (const [key, inner] of dataOf(value)) {
      const own = typeof inner === "number" ? places.at(value, key, "key") : 0;
      if (typeof inner === "function") places.other?.(inner);
      else plan.fields.set(key, planIn(inner, own, walk));
    }
  });
  return plan;
}

/**
 * Whether an object with numbers is at two places. The static engine differentiates these
 * separately; here is one shadow. Cyclic objects, which only this engine accepts, do not count.
 */
export function holdsTwice(root: Plan): boolean {
  const done = new Map<Plan, boolean>();
  let isTwice = false;
  let isCyclic = false;
  const open: Plan[] = [];
  // null: the parts of the last open plan are walked
  const stack: (Plan | null)[] = [root];
  for (let plan = stack.pop(); plan !== undefined; plan = stack.pop()) {
    if (plan === null) {
      const last = open.pop();
      if (last !== undefined) done.set(last, true);
      continue;
    }
    if (plan.kind === "number" || plan.kind === "leaf" || plan.kind === "rows") continue;
    const before = done.get(plan);
    if (before === false) isCyclic = true;
    else if (before === true) isTwice ||= bears(plan);
    else {
      done.set(plan, false);
      open.push(plan);
      stack.push(null);
      for (const part of partsOf(plan)) stack.push(part);
    }
  }
  return isTwice && !isCyclic;
}

export function seedAt(o: Value, key: Value, kind: "key" | "view" | "entry", to: Id): void {
  if (kind === "view") seedViewId(o, key, to);
  else if (kind === "entry") setEntryId(o, key, to);
  else setKeyId(o, key, to);
}

/**
 * Whether a value's cotangent is non-empty. Empty arrays and Maps might hold numbers. The nearest
 * number decides, so that a list is not walked to its end for each of its nodes.
 */
function bears(root: Plan): boolean {
  const met = new Set([root]);
  for (const plan of met) {
    if (plan.kind === "number" || plan.kind === "rows" || plan.kind === "view") return true;
    if (plan.kind === "list" && plan.items.length === 0) return true;
    if (plan.kind === "map" && plan.entries.size === 0) return true;
    for (const part of partsOf(plan)) met.add(part);
  }
  return false;
}

function partsOf(plan: Plan): Iterable<Plan> {
  if (plan.kind === "list") return plan.items;
  if (plan.kind === "map") return plan.entries.values();
  return plan.kind === "record" ? plan.fields.values() : [];
}

/** Adjoints by id; `start` is the id of the first. */
export interface Adjoints {
  readonly values: Float64Array;
  readonly start: Id;
  /** Called for each number that is built, with the id of its adjoint. */
  readonly built?: (o: Value, key: Value, kind: "key" | "view" | "entry", of: Id) => void;
}

/** Builds cotangents. `leaves` and `tags`: fields that discriminate unions, and are copied. */
export function cotangents(
  { values, start, built }: Adjoints,
  leaves: readonly string[] = [],
  tags: readonly string[] = [],
): (plan: Plan) => Value {
  const adjointOf = (id: Id): number => values[id - start] ?? 0;
  const made = new Map<Plan, Value>();
  return (root) =>
    deeply((within) => {
      const build = (plan: Plan): Value => {
        if (plan.kind === "number") return adjointOf(plan.id);
        if (plan.kind === "leaf") return plan.value;
        const before = made.get(plan);
        if (before !== undefined) return before;
        const empty = emptyFor(plan);
        made.set(plan, empty);
        within(() => {
          fill(plan, empty);
        });
        return empty;
      };
      const fill = (plan: Plan, into: Value): void => {
        if (plan.kind === "view") {
          fillList(plan.ids, into, values, start);
          if (built !== undefined)
            listed(plan.ids).forEach((id, k) => {
              built(into, k, plan.of === null ? "key" : "view", id);
            });
        } else if (plan.kind === "rows")
          for (let k = 0, from = plan.first - start; k < plan.count; k++, from += plan.keys.length)
            into.push(rowOf(plan.keys, values, from));
        else if (plan.kind === "list")
          plan.items.forEach((inner, k) => {
            into[k] = build(inner);
            if (inner.kind === "number") built?.(into, k, "key", inner.id);
          });
        else if (plan.kind === "map") {
          for (const [key, inner] of plan.entries) {
            if (bears(inner)) into.set(key, build(inner));
            if (inner.kind === "number") built?.(into, key, "entry", inner.id);
          }
        } else if (plan.kind === "record")
          for (const [key, inner] of plan.fields) fillField(key, inner, into);
      };
      const fillField = (key: Value, inner: Plan, into: Value): void => {
        const isTag =
          (inner.kind === "leaf" && leaves.includes(key)) ||
          (inner.kind === "number" && tags.includes(key));
        if (isTag || inner.kind === "number" || bears(inner))
          setOwn(into, key, isTag && "value" in inner ? inner.value : build(inner));
        if (inner.kind === "number" && !isTag) built?.(into, key, "key", inner.id);
      };
      return build(root);
    });
}

function emptyFor(plan: Plan): Value {
  if (plan.kind === "view") return plan.of === null ? [] : new plan.of(plan.length);
  if (plan.kind === "map") return new Map();
  return plan.kind === "record" ? {} : [];
}

function fillList(ids: Ids, into: Value, values: Float64Array, start: Id): void {
  if (!("first" in ids))
    for (let k = 0; k < ids.length; k++) into[k] = values[(ids[k] ?? 0) - start] ?? 0;
  else {
    const from = ids.first - start;
    if (into instanceof Float64Array) into.set(values.subarray(from, from + ids.count));
    else for (let k = 0; k < ids.count; k++) into[k] = values[from + k] ?? 0;
  }
}

/** Rows have no places, which only cotangents can do without. */
export function notByRow(): never {
  throw new Error("tsgrad: rows are walked for cotangents alone");
}

/** The ids of all numbers, in order. */
export function idsOf(root: Plan): readonly Id[] {
  const ids: Id[] = [];
  const met = new Set<Plan>();
  const todo = [root];
  for (let plan = todo.pop(); plan !== undefined; plan = todo.pop()) {
    if (plan.kind === "rows") return notByRow();
    if (plan.kind === "number") ids.push(plan.id);
    else if (plan.kind !== "leaf" && !met.has(plan)) {
      met.add(plan);
      if (plan.kind === "view") for (const id of listed(plan.ids)) ids.push(id);
      enter(todo, [...partsOf(plan)]);
    }
  }
  return ids;
}
