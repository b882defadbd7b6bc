// Loops that are swept as a whole. In: lists, what a loop kept, and what goes through it backwards. Out: ids for the elements that it wrote, whose nodes are one step of an evaluation.
// Invariants: lists that are written are apart from all others, and they all are what types say; meanwhile nobody else records terms; what goes backwards reads nothing but what was kept.

import { beyond } from "./beyond.ts";
import { idsOf, isView } from "./handles.ts";
import { ARRAY, fieldsOf, fillUp, NO_IDS, run, seedElements, type Handle } from "./store.ts";
import { callNodes, leave, reserve, WT, type Contribute } from "./tape.ts";
import { failure, type Id, type Value } from "./value.ts";

/** Where a loop keeps partials. */
export const sweptTape: Float64Array = WT;

/** What goes through a loop backwards: by the place behind what it kept, the adjoints of each list and where they begin, and what stays. */
type Backward = (tape: Float64Array, behind: number, bars: readonly Float64Array[], from: readonly number[], given: readonly Value[]) => void;

interface Swept {
  /** The first place of what it keeps. */
  readonly at: number;
  /** The nodes that there is room for. */
  readonly room: number;
  /** Of the lists that are written, those that the loop alone reads left out. */
  readonly handles: readonly Handle[];
  /** Of all lists: those that are written, those that the loop alone reads, those that it reads. */
  readonly lengths: number[];
  /** So many are written, or the loop's own. */
  readonly owned: number;
  /** The ids before the loop: the first of those that follow each other; 0 where there are none, -1 where they are listed. */
  readonly firsts: readonly Id[];
  readonly listed: readonly (readonly Id[] | null)[];
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

/** The loop may run as one step: it keeps at most `count` numbers, and they are many. `own`: lists that it writes and that nobody else reads. Or null. */
export function beginSwept(written: readonly Value[], own: readonly Value[], read: readonly Value[], count: number): Swept | null {
  if (run.isInner || run.isPushed === true || !run.touched) return null;
  const handles: Handle[] = [], lengths: number[] = [], firsts: Id[] = [], listed: (readonly Id[] | null)[] = [];
  let room = count, isActive = false;
  for (let k = 0; k < written.length; k++) {
    const handle = idsOf(written[k]);
    if (!isPlain(handle, true) || !isApart(handle, handles)) return null;
    handles.push(handle);
    isActive = known(handle, lengths, firsts, listed) || isActive;
    room += lengths[k] ?? 0;
  }
  for (let k = 0; k < own.length; k++) {
    const length: number = own[k].length;
    lengths.push(length);
    firsts.push(0);
    listed.push(null);
    room += length;
  }
  for (let k = 0; k < read.length; k++) {
    const handle = idsOf(read[k]);
    if (!isPlain(handle, false) || !isApart(handle, handles)) return null;
    isActive = known(handle, lengths, firsts, listed) || isActive;
  }
  const at = isActive ? reserve(room, count) : -1;
  return at < 0 ? null : { at, room, handles, lengths, owned: written.length + own.length, firsts, listed };
}

/** Notes the ids of a list. Says whether it has any. */
function known({ list, ids }: Handle, lengths: number[], firsts: Id[], listed: (readonly Id[] | null)[]): boolean {
  const length: number = list.length, first = ids[0] ?? 0;
  let k = 0;
  if (first === 0) while (k < length && (ids[k] ?? 0) === 0) k++;
  else while (k < length && ids[k] === first + k) k++;
  lengths.push(length);
  firsts.push(k === length ? first : -1);
  listed.push(k === length ? null : ids.slice());
  return k < length || first !== 0;
}

/** An array, or a typed array whose ids are its own. */
function isPlain({ list, ids, own, isReal }: Handle, isWritten: boolean): boolean {
  if (Array.isArray(list)) return fieldsOf(list) === undefined && (!isWritten || Object.isExtensible(list));
  return isView(list) && ids === own && (isReal || !isWritten);
}

/** Whether it is none of the lists that are written, and shares no memory with them. */
function isApart({ list, of }: Handle, written: readonly Handle[]): boolean {
  for (let k = 0; k < written.length; k++) {
    const other = written[k];
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

/** The loop is over; `behind` is the place behind what it kept. `isInside`: it goes beyond no list's end. */
export function endSwept(step: Swept, behind: number, isInside: boolean, given: readonly Value[], backward: Backward): void {
  const { handles, lengths, owned, room } = step;
  leave(behind);
  for (let k = 0; k < handles.length; k++) lengths[k] = handles[k]?.list.length;
  let total = 0;
  for (let k = 0; k < owned; k++) total += lengths[k] ?? 0;
  if (total > room) throw failure("TSG0021", "a loop writes an element far behind the end of a list");
  const first = callNodes((_adjoint, contribute, adjoints, start, tape) => {
    placed(step, first - start, isInside, adjoints, start);
    backward(tape, behind, BARS, FROM, given);
    contributed(step, first - start, contribute, adjoints, start);
  }, total);
  let next = first;
  for (let k = 0; k < handles.length; k++) {
    const handle = handles[k];
    if (handle !== undefined) next = seeded(handle, next);
  }
}

/** Adjoints of lists, and where they begin: for what goes backwards, which calls nobody. */
const BARS: Float64Array[] = [], FROM: number[] = [];

/** Adjoints of what the loop wrote are those of its nodes, from `at` on; others have a place of their own where their ids do not follow each other. */
function placed({ lengths, owned, firsts }: Swept, at: number, isInside: boolean, adjoints: Float64Array, start: Id): void {
  let next = at;
  for (let k = 0; k < lengths.length; k++) {
    const length = lengths[k] ?? 0, from = k < owned ? next : (firsts[k] ?? 0) - start, isThere = isInside && from >= 0;
    if (k < owned) next += length;
    BARS[k] = isThere ? adjoints : from < 0 ? new Float64Array(length) : adjoints.subarray(from, from + length);
    FROM[k] = isThere ? from : 0;
  }
}

/** What is left is handed on to the ids that the lists had before; the loop's other nodes have nothing to hand on. */
function contributed({ lengths, owned, firsts, listed }: Swept, at: number, contribute: Contribute, adjoints: Float64Array, start: Id): void {
  let next = at;
  for (let k = 0; k < lengths.length; k++) {
    const length = lengths[k] ?? 0, first = firsts[k] ?? 0, to = first - start, bar = BARS[k] ?? adjoints, from = FROM[k] ?? 0, ids = listed[k];
    if (k < owned) next += length;
    if (first === 0 || (k >= owned && to >= 0)) continue;
    if (to >= 0) for (let j = 0; j < length; j++) adjoints[to + j] = (adjoints[to + j] ?? 0) + (bar[from + j] ?? 0);
    else for (let j = 0; j < length; j++) if (bar[from + j] !== 0) contribute(ids?.[j] ?? (first > 0 ? first + j : 0), bar[from + j] ?? 0);
  }
  for (let k = at; k < next; k++) adjoints[k] = 0;
}

/** Gives the elements ids, from `first` upwards. Returns the next one. */
function seeded({ list, own }: Handle, first: Id): Id {
  if (Array.isArray(list) && own.length === list.length) fillUp(own, first, list.length);
  else if (Array.isArray(list)) seedElements(list, first);
  else if (own !== NO_IDS) fillUp(own, first, list.length);
  else beyond().seedView(list, first);
  return first + list.length;
}
