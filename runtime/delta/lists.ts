// Array methods (`map`, `reduce`, `forEach`) with an inline arrow function, which needs no function
// value. If the method is not the built-in one, it is called with a function value.

import { beyond } from "./general-hooks.ts";
import { isPlain } from "./handles.ts";
import { id, ret, setId } from "./register.ts";
import { handleOf, keepElements, NO_IDS } from "./store.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";

/** A separate allocation site for arrays of numbers, so that V8 does not box them. */
const numbersYet = (): Value[] => [];

/** list.map(x => e) */
export function mapped(list: Value, f: DeltaFunction): Value {
  if (!isPlain(list)) return beyond().method(list, "map", f, []);
  const { length } = list;
  const ids: Id[] = [];
  let made: Value[] = [];
  let given: readonly Id[] | undefined;
  // One array for all calls: a function reads its ids first.
  const own: Id[] = [0];
  let isActive = false;
  for (let k = 0; k < length; k++) {
    // See numbersIn in inputs.ts on why it is not `list[k]`.
    const value: Value = NO_IDS.at.call(list, k);
    if (value === undefined && !(k in list)) {
      made.length = k + 1;
      ids.push(0);
      continue;
    }
    // The array may get its first ids when the function writes to it.
    own[0] = typeof value === "number" ? ((given ??= handleOf(list)?.ids)?.[k] ?? 0) : 0;
    setId(0);
    const result: Value = f(own, value, k, list);
    const to = typeof result === "number" ? id : 0;
    isActive ||= to !== 0;
    if (k === 0 && typeof result === "number") made = numbersYet();
    made.push(result);
    ids.push(to);
  }
  if (isActive) keepElements(made, ids);
  return ret(made, 0);
}

const reduce: Value = /* @__PURE__ */ (() => Array.prototype.reduce)();
const forEach: Value = /* @__PURE__ */ (() => Array.prototype.forEach)();

const isOwnReduce = (list: Value): boolean => isPlain(list) && list.reduce === reduce;

/** list.reduce((x, z) => e, start) */
export function reduced(
  list: Value,
  f: DeltaFunction,
  ...start: readonly [] | readonly [Value, Id]
): Value {
  if (!isOwnReduce(list)) return beyond().method(list, "reduce", f, start);
  const { length } = list;
  const own: [Id, Id] = [0, 0];
  let given: readonly Id[] | undefined;
  let isStarted = start.length > 0;
  let [value, to = 0] = start;
  if (typeof value !== "number") to = 0;
  for (let k = 0; k < length; k++) {
    const next: Value = NO_IDS.at.call(list, k);
    if (next === undefined && !(k in list)) continue;
    const nextId = typeof next === "number" ? ((given ??= handleOf(list)?.ids)?.[k] ?? 0) : 0;
    if (isStarted) {
      own[0] = to;
      own[1] = nextId;
      setId(0);
      value = f(own, value, next, k, list);
      to = typeof value === "number" ? id : 0;
    } else {
      isStarted = true;
      value = next;
      to = nextId;
    }
  }
  // Throws the native error for an empty array.
  return isStarted ? ret(value, to) : list.reduce((x: Value) => x);
}

/** list.forEach(x => { … }) */
export function visited(list: Value, f: DeltaFunction): Value {
  if (!isPlain(list) || list.forEach !== forEach) return beyond().method(list, "forEach", f, []);
  const { length } = list;
  const own: Id[] = [0];
  let given: readonly Id[] | undefined;
  for (let k = 0; k < length; k++) {
    const value: Value = NO_IDS.at.call(list, k);
    if (value === undefined && !(k in list)) continue;
    own[0] = typeof value === "number" ? ((given ??= handleOf(list)?.ids)?.[k] ?? 0) : 0;
    setId(0);
    f(own, value, k, list);
  }
  return ret(undefined, 0);
}
