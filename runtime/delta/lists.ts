// Methods of lists with an arrow function that stands in the call. In: the list, the function in its rewritten form. Out: what the method gives. Invariant: nobody else sees the function, so it
// needs to be no value; where the method is not the array's own, it becomes one and the method is called.

import { callMethod, fn } from "./functions.ts";
import { id, ret, setId } from "./register.ts";
import { handleOf, keepElements } from "./store.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";

const nativeMap: Value = /* @__PURE__ */ (() => Array.prototype.map)();

/** list.map(x => e) */
export function mapped(list: Value, f: DeltaFunction): Value {
  if (!Array.isArray(list) || list.map !== nativeMap || list.constructor !== Array) return callMethod(list, "map", fn(f), 0);
  const { length } = list, made: Value[] = [], ids: Id[] = [];
  // a list that had none is given ids when the function writes to it
  let given = handleOf(list)?.ids;
  // one for all calls: a function reads its ids before it does anything else
  const own: Id[] = [0];
  let isActive = false;
  for (let k = 0; k < length; k++) {
    const value: Value = list[k];
    if (value === undefined && !(k in list)) {
      made.length = k + 1;
      ids.push(0);
      continue;
    }
    if (typeof value === "number") given ??= handleOf(list)?.ids;
    own[0] = given === undefined || typeof value !== "number" ? 0 : (given[k] ?? 0);
    setId(0);
    const result: Value = f(own, value, k, list);
    const to = typeof result === "number" ? id : 0;
    isActive ||= to !== 0;
    made.push(result);
    ids.push(to);
  }
  if (isActive) keepElements(made, ids);
  return ret(made, 0);
}
