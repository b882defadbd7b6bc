// Whether an object comes with the arguments of a run. In: an object, the arguments. Out: yes or no. Invariant: no code of the user's runs.

import type { Value } from "./value.ts";

/** By list of arguments, what they reach. */
const reached = /* @__PURE__ */ new WeakMap<readonly Value[], ReadonlySet<Value>>();

/** Asked where an earlier run left something in the object, which is rare. */
export function isAmong(o: object, args: readonly Value[]): boolean {
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
