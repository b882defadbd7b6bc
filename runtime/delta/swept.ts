// Loops that are swept as a whole. In: lists, what a loop kept, and what goes through it backwards. Out: ids for the elements that it wrote, whose nodes are one step of an evaluation.
// Invariants: lists that are written are apart from all others, and they all are what types say; meanwhile nobody else records terms; what goes backwards reads nothing but what was kept.

import { beyond } from "./beyond.ts";
import { idsOf, isView } from "./handles.ts";
import { ARRAY, fieldsOf, fillUp, NO_IDS, run, seedElements, type Handle } from "./store.ts";
import { callNodes, leave, reserve, WT, type Contribute } from "./tape.ts";
import { failure, type Id, type Value } from "./value.ts";

/** Where a loop keeps partials. */
export const sweptTape: Float64Array = WT;

/** What goes through a loop backwards: the place behind what it kept, the lists' adjoints, and what stays. */
type Backward = (tape: Float64Array, given: readonly Value[]) => void;

interface Swept {
  /** The first place of what it keeps. */
  readonly at: number;
  readonly handles: readonly Handle[];
  /** So many of the lists are written: the first ones. */
  readonly written: number;
  /** The ids before the loop. */
  readonly before: readonly (readonly Id[] | null)[];
}

/** Shorter loops have their nodes. */
const LEAST = 100;

/** `places` for each round of a loop that counts up from a whole number; else NaN. */
export const trips = (from: number, below: number, places: number): number => (!(Number.isInteger(from) && from >= 0) ? NaN : below > from ? Math.ceil(below - from) * places : below <= from ? 0 : NaN);

/** Whether a loop that keeps so many numbers is worth asking for. */
export const isLong = (count: number): boolean => count >= LEAST;

/** Whether they are lists of doubles, each with so many elements at least: what is written there is what is read. */
export function areDoubles(lists: readonly Value[], count: number): boolean {
  for (let k = 0; k < lists.length; k++) if (!(lists[k] instanceof Float64Array && lists[k].length >= count)) return false;
  return true;
}

/** The loop may run as one step: it keeps at most `count` numbers, and they are many. Or null. */
export function beginSwept(lists: readonly Value[], written: number, count: number): Swept | null {
  if (run.isInner || run.isPushed === true || !run.touched) return null;
  const handles = lists.map(idsOf);
  let size = count, isActive = false;
  for (let k = 0; k < handles.length; k++) {
    const handle = handles[k];
    if (handle === undefined || !isPlain(handle, k < written) || !isApart(handle, handles, Math.min(k, written))) return null;
    if (k < written) size += handle.list.length;
    isActive ||= handle.ids.some((id) => id !== 0);
  }
  const at = isActive ? reserve(size, count) : -1;
  return at < 0 ? null : { at, handles, written, before: handles.map(({ ids }) => (ids.length === 0 ? null : ids.slice())) };
}

/** An array, or a typed array whose ids are its own. */
function isPlain({ list, ids, own, isReal }: Handle, isWritten: boolean): boolean {
  if (Array.isArray(list)) return fieldsOf(list) === undefined && (!isWritten || (Object.isExtensible(list) && !Object.isFrozen(list)));
  return isView(list) && ids === own && (isReal || !isWritten);
}

/** Whether it is none of the first ones, and shares no memory with them. */
function isApart({ list, of }: Handle, handles: readonly Handle[], count: number): boolean {
  for (let k = 0; k < count; k++) {
    const other = handles[k];
    if (other?.list === list || (other?.of === of && of !== ARRAY)) return false;
  }
  return true;
}

/** An error that the loop did not end because of: the elements that it wrote have no derivative. */
export function unswept({ at }: Swept, error: unknown): unknown {
  leave(at);
  failure("TSG0021", "a loop that writes elements was left by an error, and the program went on with what it had written");
  return error;
}

/** The loop is over; `behind` is the place behind what it kept. */
export function endSwept({ handles, written, before }: Swept, behind: number, given: readonly Value[], backward: Backward): void {
  leave(behind);
  const lengths = handles.map(({ list }): number => list.length), total = lengths.reduce((sum, length, k) => (k < written ? sum + length : sum), 0);
  const first = callNodes((_adjoint, contribute, adjoints, start, tape) => {
    const bars = lengths.map((length, k) => barOf(length, offsets[k] ?? -1, adjoints, start));
    backward(tape, [behind, ...bars, ...given]);
    bars.forEach((bar, k) => { contributed(before[k] ?? null, bar, contribute); });
    // the other nodes of the loop have nothing left to hand on
    adjoints.fill(0, first - start, first - start + total);
  }, total);
  const offsets: number[] = [];
  let next = first;
  for (let k = 0; k < written; k++) {
    offsets.push(next);
    const handle = handles[k];
    if (handle !== undefined) next = seeded(handle, next);
  }
}

/** Adjoints of a list's elements behind the loop, which become those before it. */
function barOf(length: number, from: Id, adjoints: Float64Array, start: Id): Float64Array {
  return from < 0 ? new Float64Array(length) : adjoints.subarray(from - start, from - start + length);
}

/** Adjoints of a list's elements before the loop. */
function contributed(ids: readonly Id[] | null, bar: Float64Array, contribute: Contribute): void {
  if (ids !== null) for (let k = 0; k < ids.length; k++) if ((ids[k] ?? 0) !== 0 && bar[k] !== 0) contribute(ids[k] ?? 0, bar[k] ?? 0);
}

/** Gives the elements ids, from `first` upwards. Returns the next one. */
function seeded({ list, own }: Handle, first: Id): Id {
  if (Array.isArray(list)) seedElements(list, first);
  else if (own !== NO_IDS) fillUp(own, first, list.length);
  else beyond().seedView(list, first);
  return first + list.length;
}
