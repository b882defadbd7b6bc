// Seeds of the tape from a cotangent of the result or a tangent of an argument, by the plan of its
// numbers. A number that is missing counts as 0; a tangent of another shape is an error.

import { type Id, type Value } from "./value.ts";
import { listed, notByRow, type Plan } from "./inputs.ts";

/** Seeds by place; a shared object adds all its places. `around`: outer objects, for cycles. */
export function seedsOf(
  plan: Plan,
  cotangent: Value,
  around: Map<Plan, Set<unknown>> = new Map(),
): [Id, number][] {
  if (plan.kind === "number") return plan.id === 0 ? [] : [[plan.id, Number(cotangent)]];
  if (plan.kind === "leaf" || cotangent === undefined || cotangent === null) return [];
  const before = around.get(plan) ?? new Set();
  if (before.has(cotangent)) return [];
  around.set(plan, before.add(cotangent));
  const seeds = seedsInside(plan, cotangent, around);
  before.delete(cotangent);
  return seeds;
}

/** Whether a seed or tangent has the field. A plain object inherits `constructor` and others. */
const isPart = (o: Value, key: Value): boolean =>
  key in o && (!(key in {}) || Object.hasOwn(o, key));

function seedsInside(
  plan: Exclude<Plan, { readonly kind: "number" | "leaf" }>,
  cotangent: Value,
  around: Map<Plan, Set<unknown>>,
): [Id, number][] {
  switch (plan.kind) {
    case "view":
      return listed(plan.ids).flatMap((i, k): [Id, number][] =>
        i === 0 ? [] : [[i, Number(cotangent[k])]],
      );
    case "rows":
      return notByRow();
    case "list":
      return plan.items.flatMap((inner, k) => seedsOf(inner, cotangent[k], around));
    case "map":
      return [...plan.entries].flatMap(([key, inner]) =>
        cotangent.has(key) ? seedsOf(inner, cotangent.get(key), around) : [],
      );
    case "record":
      return [...plan.fields].flatMap(([key, inner]) =>
        isPart(cotangent, key) ? seedsOf(inner, cotangent[key], around) : [],
      );
  }
}

/** Seeds from an argument's tangent. A missing number is 0; another shape is an error. */
export function tangentSeeds(
  plan: Plan | undefined,
  tangent: Value,
  tags: readonly string[],
  met: Set<Plan>,
  path: string,
): [Id, number][] {
  if (plan === undefined || plan.kind === "leaf" || tangent === undefined || tangent === null)
    return [];
  if (plan.kind === "number") return plan.id === 0 ? [] : [[plan.id, numberAt(tangent, path)]];
  if (met.has(plan)) return [];
  met.add(plan);
  if (typeof tangent !== "object")
    throw misfit(path, "is no object, though the argument has one there");
  switch (plan.kind) {
    case "view":
      sameLength(tangent, listed(plan.ids).length, path);
      return listed(plan.ids).map((i, k) => [i, numberAt(tangent[k], `${path}[${k}]`)]);
    case "rows":
      return notByRow();
    case "list":
      sameLength(tangent, plan.items.length, path);
      return plan.items.flatMap((inner, k) =>
        tangentSeeds(inner, tangent[k], tags, met, `${path}[${k}]`),
      );
    case "map":
      if (!(tangent instanceof Map))
        throw misfit(path, "is no Map, though the argument has one there");
      return [...plan.entries].flatMap(([key, inner]) =>
        tangentSeeds(inner, tangent.get(key), tags, met, `${path}.get(${String(key)})`),
      );
    case "record":
      return [...plan.fields].flatMap(([key, inner]) =>
        (inner.kind === "number" && tags.includes(key)) || !isPart(tangent, key)
          ? []
          : tangentSeeds(inner, tangent[key], tags, met, `${path}.${String(key)}`),
      );
  }
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
