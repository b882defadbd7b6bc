// Support for patterns and classes in rewritten code. Each function behaves like the JavaScript
// construct in its comment.

import { constructed, deltaOf } from "./dispatch.ts";
import { setOwn } from "./handles.ts";
import { id } from "./register.ts";
import { get, setKeyId } from "./shadows.ts";
import type { Value } from "./value.ts";

/** const { a, ...rest } = o */
export function restOf(o: Value, ...keys: Value[]): Value {
  const out = new Set(keys.map((key) => (typeof key === "symbol" ? key : String(key))));
  const made: Value = {};
  for (const key of Reflect.ownKeys(Object(o))) {
    if (out.has(key) || !Object.prototype.propertyIsEnumerable.call(o, key)) continue;
    setOwn(made, key, get(o, key));
    setKeyId(made, key, id);
  }
  return made;
}

/** class C extends P, for any P: a parent that is constructed with `super(ids, ...args)` */
export function parent(of: Value): Value {
  if (typeof of !== "function" || deltaOf(of) === of) return of;
  const made: Value = function (ids: Value, ...args: Value[]): Value {
    return constructed(of, args, ids, new.target);
  };
  made.prototype = of.prototype;
  return Object.setPrototypeOf(made, of);
}
