// The run time as an object, for code that gets it by `require`. Bundlers and compilers give such
// code a namespace whose members are getters, often around other getters, and each operation asks
// for two or three of them. Members of the object are data; `id` stays live.

import { id } from "./register.ts";

const made = new Map<unknown, object>();

/** Two families of operators have the same names: that of `add` tells which it is. */
export function asObject<T extends { readonly add: unknown }>(namespace: T): T {
  const known = made.get(namespace.add);
  // kept by the namespace's own operators
  if (known !== undefined) return known as T;
  const members = Object.defineProperty({ ...namespace }, "id", { get: () => id });
  // V8 keeps what is a prototype in its fast form, however many members it has
  const object: T = Object.create(members);
  made.set(namespace.add, object);
  return object;
}
