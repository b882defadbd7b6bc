// Array methods (`map`, `reduce`, `forEach`) with an inline arrow function, which needs no function
// value. If the method is not the built-in one, it is called with a function value.

import { beyond } from "./general-hooks.ts";
import { unforeseen } from "./families.ts";
import { isPlain } from "./handles.ts";
import { id, ret, setId } from "./register.ts";
import { handleOf, keepElements, NO_IDS } from "./store.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";

/** Processes the elements of a range, with their ids, and appends the results and theirs. */
type Loop = (
  list: readonly Value[],
  ids: ArrayLike<Id>,
  made: Value[],
  madeIds: Id[],
  from: number,
  behind: number,
) => void;

/** list.map(x => e) of numbers, with arithmetic `e` */
export function mappedNumbers(list: Value, loop: Loop): Value {
  // `includes` also finds holes.
  if (!isPlain(list) || list.includes(undefined))
    return mapped(list, ([own = 0], value, k): Value => alone(loop, value, own, k));
  const made: Value[] = [];
  const ids: Id[] = [];
  loop(list, handleOf(list)?.ids ?? NO_IDS, made, ids, 0, list.length);
  if (ids.some((each) => each !== 0)) keepElements(made, ids);
  return ret(made, 0);
}

/** The same for one element. A user-defined `map` may not pass the index, which `e` may read. */
function alone(loop: Loop, value: Value, own: Id, at: Value): Value {
  if (typeof at !== "number") throw unforeseen("an array's `map` that gives no places");
  const list: Value[] = [];
  const given: Id[] = [];
  const made: Value[] = [];
  const ids: Id[] = [];
  list[at] = value;
  given[at] = own;
  loop(list, given, made, ids, at, at + 1);
  return ret(made[0], ids[0] ?? 0);
}

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

/** Continues a sum over a range, and returns it with its id. */
type Fold = (
  list: readonly Value[],
  ids: ArrayLike<Id>,
  value: Value,
  to: Id,
  from: number,
  behind: number,
) => Value;

/** list.reduce((s, x) => e, start) of numbers, with arithmetic `e` */
export function reducedNumbers(list: Value, fold: Fold, start: Value, startId: Id): Value {
  if (isOwnReduce(list) && !list.includes(undefined))
    return fold(list, handleOf(list)?.ids ?? NO_IDS, start, startId, 0, list.length);
  return reduced(
    list,
    ([to = 0, own = 0], value, next, at): Value => {
      if (typeof at !== "number") throw unforeseen("an array's `reduce` that gives no places");
      const one: Value[] = [];
      const given: Id[] = [];
      one[at] = next;
      given[at] = own;
      return fold(one, given, value, to, at, at + 1);
    },
    start,
    startId,
  );
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
