// Loops that are reversed as a whole by one function, instead of one node per operation. The loop
// records partials in the terms' columns. The written elements get call nodes, which run the
// backward function once per evaluation. Written arrays share no memory with others, all arrays
// have the layout of their types, and no other code records terms meanwhile.

import { beyond } from "./general-hooks.ts";
import { isPlain, isView } from "./handles.ts";
import {
  ARRAY,
  fieldsOf,
  fillUp,
  keepElements,
  NO_IDS,
  run,
  seedElements,
  type Handle,
} from "./store.ts";
import { callNodes, leave, reserve, WT, type Contribute } from "./tape.ts";
import { failure, type Id, type Value } from "./value.ts";

/** Where a loop records partials. */
export const sweptTape: Float64Array = WT;

/** Runs a loop backwards from the end of its records, with arrays' adjoints and offsets. */
type Backward = (
  tape: Float64Array,
  behind: number,
  bars: readonly Float64Array[],
  from: readonly number[],
) => void;

const LEAST = 100;

/** `places` times the iterations of a loop that counts up from an integer; else NaN. */
export const trips = (from: number, below: number, places: number): number =>
  !(Number.isInteger(from) && from >= 0)
    ? NaN
    : below > from
      ? Math.ceil(below - from) * places
      : below <= from
        ? 0
        : NaN;

/** Whether a loop with that many records is worth the overhead. */
export const isLong = (count: number): boolean => count >= LEAST;

/** Whether an array has no holes, so that an array mapped from it has all elements. */
export const isDense = (list: Value): boolean => isPlain(list) && !list.includes(undefined);

/** Whether all are Float64Arrays of at least that length, so that reads give what was written. */
export function areDoubles(lists: readonly Value[], count: number): boolean {
  for (let k = 0; k < lists.length; k++)
    if (!(lists[k] instanceof Float64Array && lists[k].length >= count)) return false;
  return true;
}

// State of the running loop. A nested one, run by an accessor, records nodes.
let isBusy = false;
/** Handles of outer arrays: the written ones, then the read ones. */
const HANDLES: Handle[] = [];
/** Per array: length, first id before the loop (0: none; -1: not consecutive), earlier length. */
const LISTS: number[] = [];
/** Places per array. */
const EACH = 3;
/**
 * After a loop's records and ids: the number of arrays, the first node, the numbers of nodes and of
 * borrowed zeros, and whether no access was out of bounds. Then per array: the start of its
 * adjoints (an id, or ~place among zeros), length, first id before the loop, and length before it.
 */
const HEAD = 5;
const ROW = 4;
/** The numbers of written arrays, of these plus made and owned ones, and of all arrays. */
let written = 0;
let owned = 0;
let count = 0;
let room = 0;

/** Whether a loop may be swept. Its written, owned and read arrays are declared next. */
export function maySweep(): boolean {
  written = owned = count = 0;
  return !isBusy && !run.isInner && run.isPushed !== true && run.touched;
}

/** Declares a written array. False: it is not allowed. */
export const sweepWrites = (handle: Handle): boolean =>
  isApart(handle, true) && ++owned === ++written;

/** Declares an array that the loop allocates, or that nobody else reads. */
export function sweepOwns(length: number): boolean {
  noted(length, 0);
  owned++;
  return true;
}

/** Declares a read array. False: it is not allowed. */
export const sweepReads = (handle: Handle): boolean => isApart(handle, false);

/** Begins a loop with at most `most` records. Returns the first place; -1: it must record nodes. */
export function beginSwept(most: number): number {
  let places = most + HEAD + ROW * count;
  let isActive = false;
  room = most;
  for (let k = 0, at = 0; k < count; k++, at += EACH) {
    const length = LISTS[at] ?? 0;
    const first = LISTS[at + 1] ?? 0;
    if (k < owned) room += length;
    if (first < 0) places += length;
    if (first !== 0) isActive = true;
  }
  const at = isActive ? reserve(room, places) : -1;
  isBusy = at >= 0;
  return at;
}

function noted(length: number, first: Id): void {
  const at = EACH * count++;
  LISTS[at] = length;
  LISTS[at + 1] = first;
  LISTS[at + 2] = length;
}

/** Notes an outer array that shares no memory with written ones and has its type's layout. */
function isApart(handle: Handle, isWritten: boolean): boolean {
  const { list, ids, of } = handle;
  if (!isSteady(handle, isWritten)) return false;
  for (let k = 0; k < written; k++) {
    const other = HANDLES[k];
    if (other?.list === list || (other?.of === of && of !== ARRAY)) return false;
  }
  const length: number = list.length;
  HANDLES[count - owned + written] = handle;
  noted(length, firstOfRange(ids, length));
  return true;
}

/** The first of consecutive ids; 0: there are none; -1: they are not consecutive. */
function firstOfRange(ids: ArrayLike<Id>, length: number): Id {
  const first = ids[0] ?? 0;
  let k = 0;
  if (first === 0) while (k < length && (ids[k] ?? 0) === 0) k++;
  else while (k < length && ids[k] === first + k) k++;
  return k === length ? first : -1;
}

/** An array, or a typed array with ids of its own. */
function isSteady({ list, ids, own, isReal }: Handle, isWritten: boolean): boolean {
  if (Array.isArray(list))
    return fieldsOf(list) === undefined && (!isWritten || Object.isExtensible(list));
  return isView(list) && ids === own && (isReal || !isWritten);
}

/** Records an error that left the loop: the elements that it wrote have no derivative. */
export function unswept(at: number, error: unknown): unknown {
  isBusy = false;
  leave(at);
  failure(
    "TSG0021",
    "a loop that writes elements was left by an error, and the program went on with what it had written",
  );
  return error;
}

/** Ends the loop at `place`. `isInside`: no access out of bounds. `made`: visible new arrays. */
export function endSwept(
  place: number,
  isInside: boolean,
  made: readonly Value[],
  backward: Backward,
): void {
  isBusy = false;
  const total = grown(made);
  const head = idsKept(place);
  leave(head + HEAD + ROW * count);
  if (total > room)
    throw failure("TSG0021", "a loop writes an element far behind the end of a list");
  const first = callNodes((_adjoint, contribute, adjoints, start, tape) => {
    placed(tape, head, adjoints, start);
    backward(tape, place, BARS, FROM);
    contributed(tape, head, place, contribute, adjoints, start);
    cleared(tape, head, adjoints, start);
  }, total);
  listsKept(head, first, total, isInside, written + made.length);
  seedAll(first, made);
}

/** Updates the lengths of written arrays. Returns the number of visible elements. */
function grown(made: readonly Value[]): number {
  let total = 0;
  for (let k = 0, at = 0; k < written + made.length; k++, at += EACH) {
    const list: Value = k < written ? HANDLES[k]?.list : made[k - written];
    const length: number = list.length;
    LISTS[at] = length;
    total += length;
  }
  return total;
}

/** Records ids that are not consecutive. Returns the next free place. */
function idsKept(from: number): number {
  let next = from;
  for (let k = 0, at = 0; k < count; k++, at += EACH) {
    if ((LISTS[at + 1] ?? 0) >= 0) continue;
    const ids = HANDLES[k < written ? k : k - owned + written]?.ids ?? NO_IDS;
    const length = LISTS[at + 2] ?? 0;
    for (let j = 0; j < length; j++) WT[next++] = ids[j] ?? 0;
  }
  return next;
}

/** Records the facts about arrays. `nodes`: how many arrays have nodes. */
function listsKept(head: number, first: Id, total: number, isInside: boolean, nodes: number): void {
  let next = first;
  let zeros = 0;
  for (let k = 0, at = 0, row = head + HEAD; k < count; k++, at += EACH, row += ROW) {
    const length = LISTS[at] ?? 0;
    const id = LISTS[at + 1] ?? 0;
    const isLent = k >= nodes && (k < owned || id <= 0);
    WT[row] = isLent ? ~zeros : k < nodes ? next : id;
    WT[row + 1] = length;
    WT[row + 2] = id;
    WT[row + 3] = LISTS[at + 2] ?? 0;
    if (isLent) zeros += length;
    else if (k < nodes) next += length;
  }
  WT[head] = count;
  WT[head + 1] = first;
  WT[head + 2] = total;
  WT[head + 3] = isInside ? zeros : 0;
  WT[head + 4] = isInside ? 1 : 0;
}

/** Gives ids to written and allocated arrays. */
function seedAll(first: Id, made: readonly Value[]): void {
  let next = first;
  for (let k = 0; k < written; k++) {
    const handle = HANDLES[k];
    if (handle !== undefined) next = seeded(handle, next);
  }
  for (let k = 0; k < made.length; k++) {
    const length: number = made[k].length;
    keepElements(made[k], fillUp([], next, length));
    next += length;
  }
}

/** Adjoints of arrays and their offsets, for the backward function, which calls no other code. */
const BARS: Float64Array[] = [];
const FROM: number[] = [];

/** Zeros for adjoints without nodes. */
let spare: Float64Array = /* @__PURE__ */ new Float64Array(64);

const whole = (tape: Float64Array, at: number): number => (tape[at] ?? 0) | 0;

/** Sets BARS and FROM: adjoints in place where ids are consecutive, else zeros or copies. */
function placed(tape: Float64Array, head: number, adjoints: Float64Array, start: Id): void {
  const lists = whole(tape, head);
  const zeros = whole(tape, head + 3);
  const isInside = whole(tape, head + 4) === 1;
  if (zeros > spare.length) spare = new Float64Array(2 * zeros);
  for (let k = 0, row = head + HEAD; k < lists; k++, row += ROW) {
    const where = whole(tape, row);
    const length = whole(tape, row + 1);
    const from = where < 0 ? -1 : where - start;
    const isLent = isInside && where < 0;
    FROM[k] = isLent ? ~where : isInside && from >= 0 ? from : 0;
    BARS[k] = isLent
      ? spare
      : from < 0
        ? new Float64Array(length)
        : isInside
          ? adjoints
          : adjoints.subarray(from, from + length);
  }
}

/** Passes the remaining adjoints to the ids that the arrays had before the loop. */
// eslint-disable-next-line complexity -- the hot loop of swept loops
function contributed(
  tape: Float64Array,
  head: number,
  place: number,
  contribute: Contribute,
  adjoints: Float64Array,
  start: Id,
): void {
  const lists = whole(tape, head);
  for (let k = 0, row = head + HEAD, ids = place; k < lists; k++, row += ROW) {
    const first = whole(tape, row + 2);
    const to = first - start;
    // The adjoints of read arrays are in place already.
    if (first === 0 || (first === whole(tape, row) && to >= 0)) continue;
    const length = whole(tape, row + 3);
    const bar = BARS[k] ?? adjoints;
    const begin = FROM[k] ?? 0;
    if (first > 0 && to >= 0)
      for (let j = 0; j < length; j++)
        adjoints[to + j] = (adjoints[to + j] ?? 0) + (bar[begin + j] ?? 0);
    else
      for (let j = 0; j < length; j++)
        if (bar[begin + j] !== 0)
          contribute(first > 0 ? first + j : (tape[ids + j] ?? 0), bar[begin + j] ?? 0);
    if (first < 0) ids += length;
  }
}

/** Clears the adjoints of the loop's nodes and the borrowed zeros. */
function cleared(tape: Float64Array, head: number, adjoints: Float64Array, start: Id): void {
  const from = whole(tape, head + 1) - start;
  const behind = from + whole(tape, head + 2);
  const zeros = whole(tape, head + 3);
  for (let k = from; k < behind; k++) adjoints[k] = 0;
  for (let k = 0; k < zeros; k++) spare[k] = 0;
}

/** Gives the elements consecutive ids from `first` on. Returns the next id. */
function seeded({ list, own }: Handle, first: Id): Id {
  if (Array.isArray(list) && own.length === list.length) fillUp(own, first, list.length);
  else if (Array.isArray(list)) seedElements(list, first);
  else if (own !== NO_IDS) fillUp(own, first, list.length);
  else beyond().seedView(list, first);
  return first + list.length;
}
