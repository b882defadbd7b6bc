// Seeds of the tape from a cotangent of the result or a tangent of an argument, by the plan of its
// numbers. A number that is missing counts as 0; a tangent of another shape is an error.

import { type Id, type Value } from "./value.ts";
import { enter, listed, notByRow, type Plan } from "./inputs.ts";

type Seed = [Id, number];

/** A part of a plan with the part of the seed. `isLeft`: its own parts are done. */
interface Visit {
  readonly plan: Plan;
  readonly at: Value;
  readonly path: string;
  readonly isLeft?: true;
}

/** Seeds by place; a shared object adds all its places. */
export function seedsOf(root: Plan, cotangent: Value): Seed[] {
  const seeds: Seed[] = [];
  // outer objects, for cycles
  const around = new Map<Plan, Set<unknown>>();
  const todo: Visit[] = [{ plan: root, at: cotangent, path: "" }];
  for (let visit = todo.pop(); visit !== undefined; visit = todo.pop()) {
    const { plan, at, isLeft } = visit;
    const outer = around.get(plan) ?? new Set();
    if (isLeft === true) outer.delete(at);
    else if (plan.kind === "number") {
      if (plan.id !== 0) seeds.push([plan.id, Number(at)]);
    } else if (plan.kind === "view" && at !== undefined && at !== null)
      listed(plan.ids).forEach((id, k) => id !== 0 && seeds.push([id, Number(at[k])]));
    else if (plan.kind !== "leaf" && at !== undefined && at !== null && !outer.has(at)) {
      around.set(plan, outer.add(at));
      todo.push({ ...visit, isLeft: true });
      enter(todo, partsAt(plan, at, ""));
    }
  }
  return seeds;
}

/** The parts of a plan that the seed has, too. */
function partsAt(plan: Plan, at: Value, path: string): readonly Visit[] {
  switch (plan.kind) {
    case "list":
      return plan.items.map((inner, k) => ({ plan: inner, at: at[k], path: `${path}[${k}]` }));
    case "map":
      return [...plan.entries].flatMap(([key, inner]) =>
        at.has(key) ? [{ plan: inner, at: at.get(key), path: `${path}.get(${String(key)})` }] : [],
      );
    case "record":
      return [...plan.fields].flatMap(([key, inner]) =>
        isPart(at, key) ? [{ plan: inner, at: at[key], path: `${path}.${String(key)}` }] : [],
      );
    case "rows":
      return notByRow();
    case "number":
    case "leaf":
    case "view":
      return [];
  }
}

/** Whether a seed or tangent has the field. A plain object inherits `constructor` and others. */
const isPart = (o: Value, key: Value): boolean =>
  key in o && (!(key in {}) || Object.hasOwn(o, key));

/** Seeds from an argument's tangent. A missing number is 0; another shape is an error. */
export function tangentSeeds(
  root: Plan | undefined,
  tangent: Value,
  tags: readonly string[],
  met: Set<Plan>,
  name: string,
): Seed[] {
  const seeds: Seed[] = [];
  const todo: Visit[] = root === undefined ? [] : [{ plan: root, at: tangent, path: name }];
  for (let visit = todo.pop(); visit !== undefined; visit = todo.pop()) {
    const { plan, at, path } = visit;
    if (plan.kind === "leaf" || at === undefined || at === null) continue;
    if (plan.kind === "number") {
      if (plan.id !== 0) seeds.push([plan.id, numberAt(at, path)]);
      continue;
    }
    if (met.has(plan)) continue;
    met.add(plan);
    fits(plan, at, path);
    if (plan.kind === "view")
      listed(plan.ids).forEach((id, k) => seeds.push([id, numberAt(at[k], `${path}[${k}]`)]));
    enter(
      todo,
      plan.kind === "record" ? partsAt(withoutTags(plan, tags), at, path) : partsAt(plan, at, path),
    );
  }
  return seeds;
}

/** Without the numbers that discriminate a union. */
const withoutTags = (plan: Extract<Plan, { kind: "record" }>, tags: readonly string[]): Plan =>
  tags.length === 0
    ? plan
    : {
        kind: "record",
        fields: new Map(
          [...plan.fields].filter(([key, { kind }]) => kind !== "number" || !tags.includes(key)),
        ),
      };

function fits(plan: Plan, tangent: Value, path: string): void {
  if (typeof tangent !== "object")
    throw misfit(path, "is no object, though the argument has one there");
  if (plan.kind === "view") sameLength(tangent, listed(plan.ids).length, path);
  if (plan.kind === "list") sameLength(tangent, plan.items.length, path);
  if (plan.kind === "map" && !(tangent instanceof Map))
    throw misfit(path, "is no Map, though the argument has one there");
}

function numberAt(tangent: Value, path: string): number {
  if (typeof tangent !== "number") throw misfit(path, "is no number");
  return tangent;
}

function sameLength(tangent: Value, length: number, path: string): void {
  if (tangent.length !== length)
    throw misfit(path, `has ${String(tangent.length)} elements, the argument has ${length} there`);
}

const misfit = (path: string, text: string): TypeError =>
  new TypeError(`${path} does not fit its argument: it ${text}`);
