// The shadow store of a run: ids of elements, fields and entries, by the real object. Without a
// shadow, all ids are 0. Ids that an earlier run left in an object, other than an argument, read as
// LEFT, and no derivative passes through them (TSG0015).

import { targetOf } from "./behind.ts";
import { isReachable } from "./reachable-arguments.ts";
import {
  fieldsOf as fieldsIn,
  forgetFields,
  isGiving,
  keepFields,
  keepList,
  lastOf,
  leftEntries,
  leftFields,
  listOf,
  noteEntries,
  type Keeper,
} from "./object-data.ts";
import { LEFT, mark, markAgain, size, type Mark } from "./tape.ts";
import { setErrorOwner, type Id, type Memory, type Value } from "./value.ts";

/** Ids of elements; 0 at holes and past the end. */
export type Elements = Id[];
/** Ids of a Map's entries by key. */
export type Entries = Map<unknown, Id>;
/** Ids of fields by name. A field with an id, even 0, was no accessor at its last access. */
export type Fields = Record<PropertyKey, unknown>;

/** Ids of a buffer's elements of one kind (`Float64Array`), from byte `phase` on. */
export interface Grid {
  readonly kind: string;
  readonly width: number;
  readonly phase: number;
  readonly ids: Elements;
}

/** The grids of a buffer, and the handles to update when a grid is added. */
export interface Bytes {
  readonly grids: Grid[];
  readonly handles: Handle[];
  isGiven: boolean;
}

/** The ids of an array's elements, for repeated access. */
export interface Handle {
  /** By index, in its keeper's run. Only `settle` in views.ts replaces it. */
  ids: Elements;
  /** The same if existing ids may be overwritten directly, else empty. */
  own: Elements;
  readonly of: Bytes;
  readonly list: Value;
  /** Whether elements keep their ids; integer arrays drop them. */
  readonly isReal: boolean;
  /** Whether it is an argument or a result. */
  isGiven: boolean;
  keeper: Keeper;
}

/** Ids of arrays without any; never written. */
export const NO_IDS: Elements = [];

/** The ids of a run, by the real object. A missing entry means none. */
export interface Store extends Keeper {
  isLive: boolean;
  isOver: boolean;
  isUsed: boolean;
  /** Of array elements, and handles of typed arrays. */
  listsAside: WeakMap<object, Handle> | undefined;
  /** Ids of fields, except those of arrays and typed arrays. */
  fieldsAside: WeakMap<object, Fields> | undefined;
  /** Ids of Map values by key, and of Set members. */
  entries: WeakMap<object, Entries> | undefined;
  /** Ids of the numbers that are a Map's keys. */
  keys: WeakMap<object, Entries> | undefined;
  /** Ids of typed arrays by buffer, if they have no place in the buffer itself. */
  buffersAside: WeakMap<object, Bytes> | undefined;
  /** Ids of what promises settle with, and LEFT for persistent generators and functions. */
  promises: WeakMap<object, Id> | undefined;
  /** Objects that plain code has left beside a key; private fields cannot be enumerated. */
  left: WeakSet<object> | undefined;
}

const newStore = (isLive: boolean): Store => ({
  isLive,
  isOver: false,
  isUsed: false,
  listsAside: undefined,
  fieldsAside: undefined,
  entries: undefined,
  keys: undefined,
  buffersAside: undefined,
  promises: undefined,
  left: undefined,
});

/** Ends a store. Its data in objects is only read from then on. */
export function close(store: Store): void {
  store.isLive = false;
  store.isOver = true;
  store.listsAside =
    store.fieldsAside =
    store.entries =
    store.keys =
    store.buffersAside =
    store.promises =
    store.left =
      undefined;
}

export interface Run extends Memory {
  readonly outer: Run | undefined;
  readonly from: Mark;
  /** The first node after the inputs. */
  computed: number;
  readonly store: Store;
  /** Whether a shadow holds an id; if not, only numbers are active. */
  touched: boolean;
  /** What it was called with. */
  args: readonly Value[] | undefined;
  /** Whether tangents are pushed through it, so that nodes need partials. */
  isPushed?: boolean;
  /** Whether it shares the shadows and nodes of the outer run. */
  readonly isInner: boolean;
  /** The number of derivatives around it that pass through it. */
  depth: number;
  /** It awaited, or a closure may retain its ids: nodes may interleave, ids are not reused. */
  suspended: boolean;
}

function newRun(outer: Run | undefined): Run {
  const from = mark();
  return {
    outer,
    from,
    computed: from.node,
    store: newStore(outer !== undefined),
    touched: false,
    suspended: false,
    isInner: false,
    depth: 0,
    args: undefined,
    failed: null,
  };
}

/** The current run. Rewritten code outside of every run has the idle one. */
export let run: Run = newRun(undefined);

/** Arguments whose cotangent has no field, by the run that asks for it. */
const unseen = /* @__PURE__ */ new WeakMap<object, Store>();
export const noteUnseen = (o: object): void => void unseen.set(o, run.store);
export const isUnseen = (o: object): boolean => unseen.get(o) === run.store;

/** The run outside of all others. */
export const idle: Run = run;

/** An unused run for the next derivative. */
let left: Run | undefined;

/** Retains a run for reuse, if it left no trace. */
export function spare(own: Run): boolean {
  if (own.store.isUsed || own.suspended || own.touched) return false;
  own.args = undefined;
  left = own;
  return true;
}

export function startRun(): Run {
  const own = left !== undefined && left.outer === run ? left : newRun(run);
  if (own === left) {
    left = undefined;
    markAgain(own.from);
    own.computed = own.from.node;
    own.failed = null;
  }
  resume(own);
  return own;
}

/** A run for a derivative within another one; it sees the active numbers around it. */
export function startInner(depth = 0): Run {
  const own = {
    ...newRun(run),
    depth,
    store: run.store,
    touched: run.touched,
    suspended: run.suspended,
    isInner: true,
  };
  resume(own);
  return own;
}

/** Up to this size, the tape retains nodes that a closure may refer to. */
const MOST = 2 ** 22;

/** A function or generator may outlive the run, with its ids. */
export function captured(): void {
  run.suspended ||= size() < MOST;
}

export const isRecording = (): boolean => run.outer !== undefined;

export function resume(other: Run): void {
  run = other;
  setErrorOwner(other);
}

/** Calls `f` in another run. */
export function inside<T>(own: Run, f: () => T): T {
  const before = run;
  resume(own);
  try {
    return f();
  } finally {
    resume(before);
  }
}

/** The buffer of arrays, which have no grids. */
export const ARRAY: Bytes = { grids: [], handles: [], isGiven: false };

export const elementsOf = (o: object): Elements | undefined => handleOf(o)?.ids;

export const handleOf = (list: object): Handle | undefined =>
  listOf(list, run.store) ?? recalledList(list);

/** Whether ids of an earlier run in an object count; those in arguments do not. */
export function isLeftOver(o: object): boolean {
  if (run.outer === undefined) return false;
  for (let at: Run | undefined = run; at !== undefined; at = at.isInner ? at.outer : undefined)
    if (at.args !== undefined && isReachable(o, at.args)) return false;
  return true;
}

/** Whether plain code may have set it since: sums and states begin with such numbers. */
const isReset = (value: unknown): boolean =>
  typeof value === "number" &&
  (value === 0 || value === 1 || value === -1 || !Number.isFinite(value));

/** Replaces ids of a run that is over by LEFT, since they may be reused. */
export function asLeft(ids: Elements, list: Value): Elements {
  for (let k = 0; k < ids.length; k++) if (ids[k] !== 0) ids[k] = isReset(list[k]) ? 0 : LEFT;
  return ids;
}

/** The handle of an array with ids of an earlier run (TSG0015). Written elements get new ids. */
function recalledList(list: Value): Handle | undefined {
  const target = targetOf(list);
  if (target !== undefined) return handleOf(target);
  const last = lastOf(list);
  if (
    last === undefined ||
    !last.keeper.isOver ||
    last.isGiven ||
    last.ids.length === 0 ||
    !Array.isArray(list) ||
    !last.ids.some((id) => id !== 0) ||
    !isLeftOver(list)
  )
    return undefined;
  run.touched = true;
  if (last.ids.length > list.length) last.ids.length = list.length;
  return newHandle(list, asLeft(last.ids, list));
}

/** Whether persistent fields have ids. Those of an argument belong to its caller. */
function holdsId(left: Fields): boolean {
  if (Object.getPrototypeOf(left) === GivenFields.prototype) return false;
  for (const key in left) if (left[key] !== 0) return true;
  return Object.getOwnPropertySymbols(left).length > 0;
}

/** Stores empty ids, so that the run does not look again. */
function emptied(o: object): Fields | undefined {
  if (run.outer === undefined) return undefined;
  const made = newFields();
  keepFields(o, run.store, made);
  return made;
}

const isLeftNumber = (value: unknown): boolean => typeof value === "number" && !isReset(value);

/** The same for fields. */
function recalledFields(o: Value): Fields | undefined {
  const left = leftFields(o);
  if (left === undefined) return undefined;
  if (!holdsId(left)) return emptied(o);
  // A private field `#x` cannot be read here.
  const kept = Reflect.ownKeys(left).filter(
    (key) =>
      left[key] !== 0 &&
      (isLeftNumber(Object.getOwnPropertyDescriptor(o, key)?.value) ||
        (typeof key === "string" && key.startsWith("#"))),
  );
  if (kept.length === 0 || !isLeftOver(o)) return emptied(o);
  const made = newFields();
  for (const key of kept) made[key] = LEFT;
  run.touched = true;
  keepFields(o, run.store, made);
  return made;
}

/** The handle of an array, allocated if necessary. */
export function arrayHandle(o: object): Handle {
  const known = handleOf(o);
  if (known !== undefined) return known;
  const spare = spareIds(o);
  if (spare !== undefined && spare.length > 0) spare.length = 0;
  return newHandle(o, spare);
}

/** A handle of an array. `ids` may be reused from a run that is over. */
function newHandle(of: object, ids: Elements = []): Handle {
  const list = targetOf(of) ?? of;
  const made: Handle = {
    ids,
    own: ids,
    of: ARRAY,
    list,
    isReal: true,
    isGiven: isGiving,
    keeper: run.store,
  };
  keepList(list, made);
  return made;
}

/** Sets the ids of an array that had none. */
export function keepElements(list: object, ids: Elements): void {
  run.touched = true;
  newHandle(list, ids);
}

/** The ids array of a run that is over, for reuse: existing memory is faster than new. */
export function spareIds(list: object): Elements | undefined {
  const last = lastOf(list);
  return last === undefined || !last.keeper.isOver || last.own === NO_IDS ? undefined : last.own;
}

export function elementsFor(o: object): Elements {
  run.touched = true;
  return arrayHandle(o).ids;
}

/** Gives all elements of an array consecutive ids from `first` on. */
export function seedElements(o: Value, first: Id): void {
  run.touched = true;
  fillUp((handleOf(o) ?? newHandle(o, spareIds(o))).ids, first, o.length);
}

export function fillUp(ids: Elements, first: Id, count: number): Elements {
  if (ids.length > count) ids.length = count;
  const there = ids.length;
  for (let k = 0; k < there; k++) ids[k] = first + k;
  for (let k = there; k < count; k++) ids.push(first + k);
  return ids;
}

/** Ids of fields without inherited names. Those of arguments have a class of their own. */
const [OwnFields, GivenFields]: readonly [new () => object, new () => object] =
  /* @__PURE__ */ (() => {
    class OwnFields {}
    class GivenFields {}
    Object.setPrototypeOf(OwnFields.prototype, null);
    Object.setPrototypeOf(GivenFields.prototype, null);
    return [OwnFields, GivenFields];
  })();
export const newFields = (): Fields => new (isGiving ? GivenFields : OwnFields)() as Fields;

export const fieldsOf = (o: Value): Fields | undefined =>
  (typeof o === "object" && o !== null) || typeof o === "function"
    ? (fieldsIn(o, run.store) ?? recalledFields(o))
    : undefined;

const NONE: Fields = /* @__PURE__ */ newFields();

/** Whether this run has given ids to its fields. */
export const isMarked = (o: object): boolean => fieldsIn(o, run.store) !== undefined;

/** The ids of an object's fields, for repeated access. A field without one may be an accessor. */
export function fieldIds(o: Value): Fields {
  if ((typeof o !== "object" || o === null) && typeof o !== "function") return NONE;
  const known = fieldsIn(o, run.store) ?? recalledFields(o);
  if (known !== undefined) return known;
  const made = newFields();
  keepFields(o, run.store, made);
  return made;
}

/** Passes an object to the caller of a run that is over. */
export function handOut(o: object): void {
  forgetFields(o, NONE);
  if (o instanceof Map) noteEntries(o, run.store, NO_ENTRIES);
  const list = lastOf(o);
  if (list === undefined) return;
  list.isGiven = true;
  if (list.of !== ARRAY) list.of.isGiven = true;
}

/** Sets the fields of a new literal. */
export function setFields(o: object, ids: Fields): void {
  keepFields(o, run.store, ids);
  run.touched = true;
}

export function fieldId(o: object, key: PropertyKey): Id {
  const known = fieldsOf(o)?.[key];
  if (typeof known === "number") return known;
  const target = targetOf(o);
  if (target !== undefined) return fieldId(target, key);
  const isLeft = run.store.left?.has(o) === true && typeof key === "string" && key.startsWith("#");
  return isLeft ? LEFT : 0;
}

export function setFieldId(of: object, key: PropertyKey, to: Id): void {
  const o = targetOf(of) ?? of;
  const fields = fieldsOf(o);
  if (to !== 0) run.touched = true;
  else if (fields === undefined) return;
  putField(o, fields, key, to);
}

/** Notes that a field is an own one without accessor. */
export function noteField(o: object, key: PropertyKey): void {
  const fields = fieldsOf(o);
  if (fields?.[key] === undefined) putField(o, fields, key, 0);
}

function putField(o: object, known: Fields | undefined, key: PropertyKey, to: Id): void {
  let fields = known;
  if (fields === undefined) keepFields(o, run.store, (fields = newFields()));
  // Otherwise this would call an inherited accessor.
  if (key === "__proto__")
    Object.defineProperty(fields, key, {
      value: to,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else fields[key] = to;
  // `a[0.5]` is a field, but a handle must find its id.
  if (Array.isArray(o) && typeof key === "string" && key === String(Number(key)))
    Reflect.set(elementsFor(o), key, to);
}

/** Forgets a field that was deleted or became an accessor. */
export function dropField(o: object, key: PropertyKey): void {
  const fields = fieldsOf(o);
  if (fields !== undefined) delete fields[key];
}

function recalledEntries(o: object): Entries | undefined {
  const left = leftEntries(o);
  return left !== undefined && left.size > 0 && isLeftOver(o) ? left : undefined;
}

export const entryId = (o: object, key: unknown): Id =>
  run.store.entries?.get(o)?.get(key) ??
  (recalledEntries(o)?.has(key) === true && !(o instanceof Map && isReset(o.get(key))) ? LEFT : 0);
export const setEntryId = (o: object, key: unknown, to: Id): void => put("entries", o, key, to);

/** The id of a number that is a Map's key. Set members are values instead. */
export const mapKeyId = (o: object, key: unknown): Id =>
  typeof key === "number" ? (run.store.keys?.get(o)?.get(key) ?? 0) : 0;
export const setMapKeyId = (o: object, key: unknown, to: Id): void => put("keys", o, key, to);

/** For arguments, which leave no persistent ids. */
const NO_ENTRIES: Entries = /* @__PURE__ */ new Map();

function kept(kind: "entries" | "keys"): WeakMap<object, Entries> {
  run.store.isUsed = true;
  return (run.store[kind] ??= new WeakMap());
}

function put(kind: "entries" | "keys", o: object, key: unknown, to: Id): void {
  const left =
    kind === "entries" && run.store.entries?.get(o) === undefined ? recalledEntries(o) : undefined;
  const ids = left ?? run.store[kind]?.get(o);
  if (to === 0) {
    ids?.delete(key);
    return;
  }
  run.touched = true;
  if (ids !== undefined && left === undefined) {
    ids.set(key, to);
    return;
  }
  const made: Entries = new Map(
    left === undefined ? [] : Array.from(left.keys(), (each) => [each, LEFT]),
  ).set(key, to);
  kept(kind).set(o, made);
  if (kind === "entries") noteEntries(o, run.store, isGiving ? NO_ENTRIES : made);
}

/** The array index of a key in source code (`a[1]`, `a["1"]`), or -1. */
export function indexOf(key: Value): number {
  if (typeof key === "number") return key >= 0 && Number.isInteger(key) ? key : -1;
  if (typeof key !== "string") return -1;
  const index = Number(key);
  return index >= 0 && Number.isInteger(index) && String(index) === key ? index : -1;
}

/** The name of a field in the shadow: numbers become strings. */
export const nameOf = (key: Value): Value => (typeof key === "symbol" ? key : String(key));
