// Methods of functions: call, apply, bind. A bound function is linked to the bound rewritten form.

import { applied, constructed, handle, inert, isInert, ofNumber } from "../dispatch.ts";
import type { Family } from "../families.ts";
import { seeing } from "../apart.ts";
import { fn } from "../by-others.ts";
import { methodOfActive } from "../functions.ts";
import { ret } from "../register.ts";
import { keyId as keyOf } from "../shadows.ts";
import { idsOf } from "./elements.ts";
import type { Id, Value } from "../value.ts";

/** `f.call(x, …)`. Code that knows methods of numbers finds the id of `x`. */
const appliedTo = (
  f: Value,
  self: Value,
  selfId: Id | undefined,
  args: Value[],
  ids: Id[],
): Value =>
  isOfActive(self, selfId) && !isInert(f)
    ? methodOfActive(f, self, selfId ?? 0, f.name, args, ids)
    : applied(f, self, args, ids);

const isOfActive = (self: Value, selfId: Id | undefined): boolean =>
  typeof self === "number" && (selfId ?? 0) !== 0;

/** A bound number has no place for its id. */
function checked(self: Value, thisArg: Value, thisId: Id | undefined): void {
  if (isOfActive(thisArg, thisId) && !isInert(self)) throw ofNumber(self.name);
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
    return appliedTo(self, thisArg, thisId, args, ids);
  });
  handle(f.apply, (self, [thisArg, list], [thisId]) => {
    if (list === null || list === undefined) return appliedTo(self, thisArg, thisId, [], []);
    const args: Value[] = Array.from(list, (one) => one);
    return appliedTo(self, thisArg, thisId, args, argumentIds(list));
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
    seeing(bound, () => [thisArg, self, ...first]);
    return ret(bound, 0);
  });
  inert(f.toString, f[Symbol.hasInstance], Function);
};
