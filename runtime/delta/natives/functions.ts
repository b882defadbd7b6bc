// Methods of functions: call, apply, bind. A bound function is linked to the bound rewritten form.

import { applied, constructed, handle, inert, isInert, ofNumber } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { fn } from "../functions.ts";
import { ret } from "../register.ts";
import { keyId as keyOf } from "../shadows.ts";
import { idsOf } from "./elements.ts";
import type { Id, Value } from "../value.ts";

/** `f.call(5)` is harmless if `this` is unused, as in `Math.max.apply(0, list)`. */
function checked(self: Value, thisArg: Value, thisId: Id | undefined): void {
  if (typeof thisArg === "number" && (thisId ?? 0) !== 0 && !isInert(self))
    throw ofNumber(self.name);
}

/** Ids of an argument array, or of `arguments`. */
function argumentIds(list: Value): Id[] {
  return Array.isArray(list) || ArrayBuffer.isView(list)
    ? idsOf(list)
    : Array.from({ length: list.length }, (_, k) => keyOf(list, k));
}

export const functions: Family = () => {
  const f: Value = Function.prototype;
  handle(f.call, (self, [thisArg, ...args], [thisId, ...ids]) => {
    checked(self, thisArg, thisId);
    return applied(self, thisArg, args, ids);
  });
  handle(f.apply, (self, [thisArg, list], [thisId]) => {
    checked(self, thisArg, thisId);
    if (list === null || list === undefined) return applied(self, thisArg, [], []);
    const args: Value[] = Array.from(list, (one) => one);
    const ids = argumentIds(list);
    return applied(self, thisArg, args, ids);
  });
  handle(f.bind, (self, [thisArg, ...first], [thisId, ...firstIds]) => {
    checked(self, thisArg, thisId);
    const bound = fn(function (this: Value, ids: Id[], ...args: Value[]): Value {
      const all = [...first.map((_, k) => firstIds[k] ?? 0), ...args.map((_, k) => ids[k] ?? 0)];
      return new.target === undefined
        ? applied(self, thisArg, [...first, ...args], all)
        : constructed(self, [...first, ...args], all);
    }, `bound ${self.name}`);
    Object.defineProperty(bound, "length", {
      value: Math.max(0, self.length - first.length),
      configurable: true,
    });
    return ret(bound, 0);
  });
  inert(f.toString, f[Symbol.hasInstance], Function);
};
