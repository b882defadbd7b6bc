// The shadow store of a run: ids of elements, fields and entries, by the real object. In: an object and a key. Out: an id.
// Invariants: an absent shadow means that all is zero; every run has its own store. What an earlier run left in an object that is no argument is found as ids of that run,
// which no derivative passes through (TSG0015).

import { isAmong } from "./given.ts";
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
} from "./marks.ts";
import { LEFT, mark, markAgain, size, type Mark } from "./tape.ts";
import { rememberIn, type Id, type Memory, type Value } from "./value.ts";

/** Ids of elements: holes and what lies behind the end are 0. */
export type Elements = Id[];
/** Ids of a Map's entries by key. */
export type Entries = Map<unknown, Id>;
/** Ids of fields by name. A field that has one here, be it 0, was no accessor when it was written or read last. */
export type Fields = Record<PropertyKey, unknown>;

/** Ids of a buffer's elements of one kind (`Float64Array`), which begin at byte `phase + place * width`. */
export interface Grid {
  readonly kind: string;
  readonly width: number;
  readonly phase: number;
  readonly ids: Elements;
}

/** The grids of a buffer, and who has to know when it gets another one. */
export interface Bytes {
  readonly grids: Grid[];
  readonly handles: Handle[];
  isGiven: boolean;
}

/** The ids of a list's elements, for who looks often. */
export interface Handle {
  /** By index, while the run is its keeper's; nobody but `settle` in views.ts replaces it. */
  ids: Elements;
  /** The same where an element that has an id there may be given another one at once, else empty. */
  own: Elements;
  readonly of: Bytes;
  readonly list: Value;
  /** What is written there keeps its id: no whole numbers alone. */
  readonly isReal: boolean;
  /** It is an argument, or was handed out. */
  isGiven: boolean;
  keeper: Keeper;
}

/** Of lists that keep no ids of their own; nobody writes there. */
export const NO_IDS: Elements = [];

/** The ids that a run keeps, by the real object; of what is absent there are none. */
export interface Store extends Keeper {
  isLive: boolean;
  isOver: boolean;
  isUsed: boolean;
  /** Of array elements, and handles of typed arrays. */
  listsAside: WeakMap<object, Handle> | undefined;
  /** Ids of fields of anything but arrays and typed arrays. */
  fieldsAside: WeakMap<object, Fields> | undefined;
  /** Ids of Map values by key, and of Set members. */
  entries: WeakMap<object, Entries> | undefined;
  /** Ids of the numbers that are a Map's keys. */
  keys: WeakMap<object, Entries> | undefined;
  /** Ids of what typed arrays hold, by buffer, one grid for each kind of element: those that have no place in their buffer. */
  buffersAside: WeakMap<object, Bytes> | undefined;
  /** Ids that promises were fulfilled with, and of what generators and functions give that an earlier run has left. */
  promises: WeakMap<object, Id> | undefined;
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
});

/** The run of a store is over: what stands in objects that outlive it is recalled, never written. */
export function close(store: Store): void {
  store.isLive = false;
  store.isOver = true;
  store.listsAside =
    store.fieldsAside =
    store.entries =
    store.keys =
    store.buffersAside =
    store.promises =
      undefined;
}

export interface Run extends Memory {
  readonly outer: Run | undefined;
  readonly from: Mark;
  /** The first node behind the inputs. */
  computed: number;
  readonly store: Store;
  /** Whether any shadow holds an id: while not, nothing but numbers is active. */
  touched: boolean;
  /** What it was called with. */
  args: readonly Value[] | undefined;
  /** Whether tangents are pushed through it: nodes have partials. */
  isPushed?: boolean;
  /** Whether it shares the shadows of the run around it, and leaves its nodes to it. */
  readonly isInner: boolean;
  /** Whether it was suspended by an await, so that nodes of other runs may lie between its own, or what outlives it may have its ids: they are not given again. */
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
    args: undefined,
    failed: null,
  };
}

/** The run that is being recorded. Rewritten code that runs outside of every run has one, too, in which nothing is active. */
export let run: Run = newRun(undefined);

/** The run outside of every run. */
export const idle: Run = run;

/** A run that is over and kept nothing. */
let left: Run | undefined;

/** Keeps a run for the next one, where nobody can tell the two apart. */
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

/** A run for a derivative inside of what is recorded: it sees what is active around it. */
export function startInner(): Run {
  const own = {
    ...newRun(run),
    store: run.store,
    touched: run.touched,
    suspended: run.suspended,
    isInner: true,
  };
  resume(own);
  return own;
}

/** So long a tape grows with nodes that nobody but what outlives its run may know. */
const MOST = 2 ** 22;

/** A function or a generator of the run may outlive it, with ids of it. */
export function captured(): void {
  run.suspended ||= size() < MOST;
}

/** Whether something is being recorded. */
export const isRecording = (): boolean => run.outer !== undefined;

export function resume(other: Run): void {
  run = other;
  rememberIn(other);
}

/** What `f` gives in a run, whatever runs around it. */
export function inside<T>(own: Run, f: () => T): T {
  const before = run;
  resume(own);
  try {
    return f();
  } finally {
    resume(before);
  }
}

/** Of arrays: there is nothing that could change under them. */
export const ARRAY: Bytes = { grids: [], handles: [], isGiven: false };

/** Array elements, as `o[k]` finds them; `undefined`: no shadow. */
export const elementsOf = (o: object): Elements | undefined => handleOf(o)?.ids;

/** What is known of a list's elements. */
export const handleOf = (list: object): Handle | undefined =>
  listOf(list, run.store) ?? recalledList(list);

/** Whether what a run that is over left in an object would be taken for constants. What comes with the arguments is the caller's. */
export function isLeftOver(o: object): boolean {
  if (run.outer === undefined) return false;
  for (let at: Run | undefined = run; at !== undefined; at = at.isInner ? at.outer : undefined)
    if (at.args !== undefined && isAmong(o, at.args)) return false;
  return true;
}

/** Ids of a run that is over may have become another run's: those of numbers are no run's. */
export function asLeft(ids: Elements): Elements {
  for (let k = 0; k < ids.length; k++) if (ids[k] !== 0) ids[k] = LEFT;
  return ids;
}

/** The ids of an array that an earlier run left, which no derivative passes through any more (TSG0015): what is written gets new ones. */
function recalledList(list: Value): Handle | undefined {
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
  return newHandle(list, asLeft(last.ids));
}

/** Those of an argument are its caller's. */
function holdsId(left: Fields): boolean {
  if (Object.getPrototypeOf(left) === GivenFields.prototype) return false;
  for (const key in left) if (left[key] !== 0) return true;
  return Object.getOwnPropertySymbols(left).length > 0;
}

/** Nothing is recalled: the run does not look again. */
function emptied(o: object): Fields | undefined {
  if (run.outer === undefined) return undefined;
  const made = newFields();
  keepFields(o, run.store, made);
  return made;
}

/** The same of fields. */
function recalledFields(o: Value): Fields | undefined {
  const left = leftFields(o);
  if (left === undefined) return undefined;
  if (!holdsId(left)) return emptied(o);
  // what a field of a class (`#x`) holds is not seen from here
  const kept = Reflect.ownKeys(left).filter(
    (key) =>
      left[key] !== 0 &&
      (typeof Object.getOwnPropertyDescriptor(o, key)?.value === "number" ||
        (typeof key === "string" && key.startsWith("#"))),
  );
  if (kept.length === 0 || !isLeftOver(o)) return emptied(o);
  const made = newFields();
  for (const key of kept) made[key] = LEFT;
  run.touched = true;
  keepFields(o, run.store, made);
  return made;
}

/** The handle of an array, made where there is none. */
export function arrayHandle(o: object): Handle {
  const known = handleOf(o);
  if (known !== undefined) return known;
  const spare = spareIds(o);
  if (spare !== undefined && spare.length > 0) spare.length = 0;
  return newHandle(o, spare);
}

/** A handle of an array, whose ids may be what a run that is over left. */
function newHandle(list: object, ids: Elements = []): Handle {
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

/** The ids of an array that had none. */
export function keepElements(list: object, ids: Elements): void {
  run.touched = true;
  newHandle(list, ids);
}

/** What a run that is over kept of a list, to be written anew: memory that is there is faster than new. */
export function spareIds(list: object): Elements | undefined {
  const last = lastOf(list);
  return last === undefined || !last.keeper.isOver || last.own === NO_IDS ? undefined : last.own;
}

/** The shadow of an array, made where there is none. */
export function elementsFor(o: object): Elements {
  run.touched = true;
  return arrayHandle(o).ids;
}

/** Ids for all elements of an array, from `first` upwards. */
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

/** Ids of fields, in which no name is inherited; those of an argument are of another class. */
const [OwnFields, GivenFields]: readonly [new () => object, new () => object] =
  /* @__PURE__ */ (() => {
    class OwnFields {}
    class GivenFields {}
    Object.setPrototypeOf(OwnFields.prototype, null);
    Object.setPrototypeOf(GivenFields.prototype, null);
    return [OwnFields, GivenFields];
  })();
export const newFields = (): Fields => new (isGiving ? GivenFields : OwnFields)() as Fields; // a class without members has no index signature

export const fieldsOf = (o: Value): Fields | undefined =>
  (typeof o === "object" && o !== null) || typeof o === "function"
    ? (fieldsIn(o, run.store) ?? recalledFields(o))
    : undefined;

const NONE: Fields = /* @__PURE__ */ newFields();

/** Whether the run has given ids to fields of it. */
export const isMarked = (o: object): boolean => fieldsIn(o, run.store) !== undefined;

/** The ids of an object's fields, for who looks often; made where there are none. A field that has none may be an accessor. What is no object has none at all. */
export function fieldIds(o: Value): Fields {
  if ((typeof o !== "object" || o === null) && typeof o !== "function") return NONE;
  const known = fieldsIn(o, run.store) ?? recalledFields(o);
  if (known !== undefined) return known;
  const made = newFields();
  keepFields(o, run.store, made);
  return made;
}

/** The object goes to the caller of the run, which is over. */
export function handOut(o: object): void {
  forgetFields(o, NONE);
  if (o instanceof Map) noteEntries(o, run.store, NO_ENTRIES);
  const list = lastOf(o);
  if (list === undefined) return;
  list.isGiven = true;
  if (list.of !== ARRAY) list.of.isGiven = true;
}

/** The fields of a literal that was just written. */
export function setFields(o: object, ids: Fields): void {
  keepFields(o, run.store, ids);
  run.touched = true;
}

export function fieldId(o: object, key: PropertyKey): Id {
  const known = fieldsOf(o)?.[key];
  return typeof known === "number" ? known : 0;
}

export function setFieldId(o: object, key: PropertyKey, to: Id): void {
  const fields = fieldsOf(o);
  if (to !== 0) run.touched = true;
  else if (fields === undefined) return;
  putField(o, fields, key, to);
}

/** Says that a field is the object's own and no accessor. */
export function noteField(o: object, key: PropertyKey): void {
  const fields = fieldsOf(o);
  if (fields?.[key] === undefined) putField(o, fields, key, 0);
}

function putField(o: object, known: Fields | undefined, key: PropertyKey, to: Id): void {
  let fields = known;
  if (fields === undefined) keepFields(o, run.store, (fields = newFields()));
  // a literal's fields inherit the accessor of that name
  if (key === "__proto__")
    Object.defineProperty(fields, key, {
      value: to,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else fields[key] = to;
  // `a[0.5]` is no element; who looks by a handle finds its id all the same
  if (Array.isArray(o) && typeof key === "string" && key === String(Number(key)))
    Reflect.set(elementsFor(o), key, to);
}

/** Nothing is known of a field any more: it is gone, or an accessor. */
export function dropField(o: object, key: PropertyKey): void {
  const fields = fieldsOf(o);
  if (fields !== undefined) delete fields[key];
}

function recalledEntries(o: object): Entries | undefined {
  const left = leftEntries(o);
  return left !== undefined && left.size > 0 && isLeftOver(o) ? left : undefined;
}

export const entryId = (o: object, key: unknown): Id =>
  run.store.entries?.get(o)?.get(key) ?? (recalledEntries(o)?.has(key) === true ? LEFT : 0);
export const setEntryId = (o: object, key: unknown, to: Id): void => put("entries", o, key, to);

/** The id of a number that is a key: a Set's members are values, a Map's keys stand beside them. */
export const mapKeyId = (o: object, key: unknown): Id =>
  typeof key === "number" ? (run.store.keys?.get(o)?.get(key) ?? 0) : 0;
export const setMapKeyId = (o: object, key: unknown, to: Id): void => put("keys", o, key, to);

/** What a caller gives leaves nothing. */
const NO_ENTRIES: Entries = /* @__PURE__ */ new Map();

/** A table of the run, made where there is none. */
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

/** Array index of a key as it is written in code, or -1: `a[1]`, `a["1"]`. */
export function indexOf(key: Value): number {
  if (typeof key === "number") return key >= 0 && Number.isInteger(key) ? key : -1;
  if (typeof key !== "string") return -1;
  const index = Number(key);
  return index >= 0 && Number.isInteger(index) && String(index) === key ? index : -1;
}

/** The name under which a field is kept: numbers are names, too. */
export const nameOf = (key: Value): Value => (typeof key === "symbol" ? key : String(key));
