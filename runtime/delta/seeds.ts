// Seeds of the tape from a cotangent of the result or a tangent of an argument, by the plan of its
// numbers. A number that is missing counts as 0; a tangent of another shape is an error.

import { enter } from "../tree/parts.ts";
import { type Id, type Value } from "./value.ts";
import { listed, notByRow, type Plan } from "./inputs.ts";

/** A part of a plan with the part of the seed. `isLeft`: its own parts are done. */
type Visit = readonly [plan: Plan, at: Value, path: string, isLeft?: true];

/**
 * Seeds by place. In a cotangent a shared object adds all its places; in a tangent, which has a
 * `name` and is checked, it counts once. `tags`: numbers that discriminate unions.
 * `met`: what the objects around, or before, were seeded with.
 */
export function seedsOf(
  root: Plan,
  seed: Value,
  name = "",
  tags: readonly string[] = [],
  met: Map<Plan, Set<unknown>> = new Map(),
): [Id, number][] {
  const isChecked = name !== "";
  const seeds: [Id, number][] = [];
  const number = (id: Id, at: Value, path: string): void => {
    if (isChecked && typeof at !== "number") throw misfit(path, "is no number");
    if (id !== 0) seeds.push([id, Number(at)]);
  };
  const todo: Visit[] = [[root, seed, name]];
  for (let visit = todo.pop(); visit !== undefined; visit = todo.pop()) {
    const [plan, at, path, isLeft] = visit;
    if (isLeft === true) met.get(plan)?.delete(at);
    else if (isChecked && isMissing(at)) continue;
    else if (plan.kind === "number") number(plan.id, at, path);
    else if (isNew(plan, at, isChecked || at, met)) {
      if (isChecked) fits(plan, at, path);
      else todo.push([plan, at, path, true]);
      if (plan.kind === "view")
        listed(plan.ids).forEach((id, k) => {
          number(id, at[k], `${path}[${k}]`);
        });
      enter(todo, partsAt(plan, at, path, tags));
    }
  }
  return seeds;
}

const isMissing = (at: Value): boolean => at === undefined || at === null;

/** Whether a part has seeds and is visited for the first time. */
function isNew(plan: Plan, at: Value, mark: unknown, met: Map<Plan, Set<unknown>>): boolean {
  const before = met.get(plan) ?? new Set();
  if (plan.kind === "leaf" || isMissing(at) || before.has(mark)) return false;
  met.set(plan, before.add(mark));
  return true;
}

/** The parts of a plan that the seed has, too. */
function partsAt(plan: Plan, at: Value, path: string, tags: readonly string[]): Visit[] {
  if (plan.kind === "rows") return notByRow();
  if (plan.kind === "list") return plan.items.map((inner, k) => [inner, at[k], `${path}[${k}]`]);
  if (plan.kind === "map")
    return [...plan.entries].flatMap(([key, inner]): Visit[] =>
      at.has(key) ? [[inner, at.get(key), `${path}.get(${String(key)})`]] : [],
    );
  if (plan.kind !== "record") return [];
  return [...plan.fields].flatMap(([key, inner]): Visit[] =>
    isPart(at, key) && !(inner.kind === "number" && tags.includes(key))
      ? [[inner, at[key], `${path}.${String(key)}`]]
      : [],
  );
}

/** Whether a seed or tangent has the field. A plain object inherits `constructor` and others. */
const isPart = (o: Value, key: Value): boolean =>
  key in o && (!(key in {}) || Object.hasOwn(o, key));

function fits(plan: Plan, tangent: Value, path: string): void {
  if (typeof tangent !== "object")
    throw misfit(path, "is no object, though the argument has one there");
  if (plan.kind === "view") sameLength(tangent, listed(plan.ids).length, path);
  if (plan.kind === "list") sameLength(tangent, plan.items.length, path);
  if (plan.kind === "map" && !(tangent instanceof Map))
    throw misfit(path, "is no Map, though the argument has one there");
}

function sameLength(tangent: Value, length: number, path: string): void {
  if (tangent.length !== length)
    throw misfit(path, `has ${String(tangent.length)} elements, the argument has ${length} there`);
}

const misfit = (path: string, text: string): TypeError =>
  new TypeError(`${path} does not fit its argument: it ${text}`);
