// Functions as values: call, apply, bind, and what `Function.prototype` says of them. In: a function and arguments. Out: what the call gives.
// Invariant: a bound function is linked with the binding of what its function is linked with.

import { applied, constructed, handle, inert } from "../dispatch.ts";
import { fn } from "../functions.ts";
import { ret } from "../register.ts";
import { keyId as keyOf } from "../shadows.ts";
import { idsOf } from "./elements.ts";
import type { Id, Value } from "../value.ts";

const f: Value = Function.prototype;

handle(f.call, (self, [thisArg, ...args], [, ...ids]) => applied(self, thisArg, args, ids));
handle(f.apply, (self, [thisArg, list]) => {
  if (list === null || list === undefined) return applied(self, thisArg, [], []);
  const args: Value[] = Array.from(list, (one) => one), ids = argumentIds(list);
  return applied(self, thisArg, args, ids);
});

/** Ids of a list of arguments: an array, or `arguments`. */
function argumentIds(list: Value): Id[] {
  return Array.isArray(list) || ArrayBuffer.isView(list) ? idsOf(list) : Array.from({ length: list.length }, (_, k) => keyOf(list, k));
}

handle(f.bind, (self, [thisArg, ...first], [, ...firstIds]) => {
  const bound = fn(function (this: Value, ids: Id[], ...args: Value[]): Value {
    const all = [...first.map((_, k) => firstIds[k] ?? 0), ...args.map((_, k) => ids[k] ?? 0)];
    return new.target === undefined ? applied(self, thisArg, [...first, ...args], all) : constructed(self, [...first, ...args], all);
  }, `bound ${self.name}`);
  Object.defineProperty(bound, "length", { value: Math.max(0, self.length - first.length), configurable: true });
  return ret(bound, 0);
});
inert(f.toString, f[Symbol.hasInstance], Function);
