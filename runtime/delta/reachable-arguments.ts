// Whether an object is reachable from the arguments of a run. Runs no user code.

import type { Value } from "./value.ts";

/** Reachable objects, by argument array. */
const reached = /* @__PURE__ */ new WeakMap<readonly Value[], ReadonlySet<Value>>();

/** Called only if an earlier run stored ids in the object, which is rare. */
export function isReachable(o: object, args: readonly Value[]): boolean {
  const known = reached.get(args) ?? reachedFrom(args);
  reached.set(args, known);
  return known.has(o);
}

function reachedFrom(args: readonly Value[]): ReadonlySet<Value> {
  const met = new Set<Value>();
  const todo: Value[] = args.slice();
  while (todo.length > 0) {
    const one: Value = todo.pop();
    if (typeof one === "function") met.add(one);
    if (typeof one !== "object" || one === null || met.has(one)) continue;
    met.add(one);
    if (ArrayBuffer.isView(one)) met.add(one.buffer);
    else if (one instanceof Map || one instanceof Set) todo.push(...one.values());
    else
      for (const key of Object.keys(one))
        todo.push(Object.getOwnPropertyDescriptor(one, key)?.value);
  }
  return met;
}
