// Loops that are swept as a whole. In: lists, what a loop kept, and what goes through it backwards. Out: ids for the elements that it wrote, whose nodes are one step of an evaluation.
// Invariants: lists that are written are apart from all others, and they all are what types say; meanwhile nobody else records terms; what goes backwards reads nothing but what was kept.

import { beyond } from "./beyond.ts";
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

/** Where a loop keeps partials. */
export const sweptTape: Float64Array = WT;

/** What goes through a loop backwards: by the place behind what it kept, the adjoints of each list and where they begin. */
type Backward = (
  tape: Float64Array,
  behind: number,
  bars: readonly Float64Array[],
  from: readonly number[],
) => void;

/** Shorter loops have their nodes. */
const LEAST = 100;

/** `places` for each round of a loop that counts up from a whole number; else NaN. */
export const trips = (from: number, below: number, places: number): number =>
  !(Number.isInteger(from) && from >= 0)
    ? NaN
    : below > from
      ? Math.ceil(below - from) * places
      : below <= from
        ? 0
        : NaN;

/** Whether a loop that keeps so many numbers is worth asking for. */
export const isLong = (count: number): boolean => count >= LEAST;

/** Whether a list that is made of it has an element for each of its own. */
export const isDense = (list: Value): boolean => isPlain(list) && !list.includes(undefined);

/** Whether they are lists of doubles, each with so many elements at least: what is written there is what is read. */
export function areDoubles(lists: readonly Value[], count: number): boolean {
  for (let k = 0; k < lists.length; k++)
    if (!(lists[k] instanceof Float64Array && lists[k].length >= count)) return false;
  return true;
}

// Of the loop that runs. A loop that runs inside of it, by way of an accessor, has its nodes.
let isBusy = false;
/** Lists from outside: those that are written, and those that are read. */
const HANDLES: Handle[] = [];
/**
 * Of all lists, those that are written first, then those that the loop makes, those that it alone reads and those that it reads: how long each is, the first of its ids before the loop (0: there are none; -1: they do not follow
 * each other), and how long it was then.
 */
const LISTS: number[] = [];
/** Places for each list. */
const EACH = 3;
/**
 * What stands behind what a loop kept, and behind ids: how many lists there are, the first node, how many there are of them and of zeros that are lent, and whether the loop goes beyond no list's end. Then for each list where its
 * adjoints begin (an id, or from below 0 a place among zeros), how long it is, the first of its ids before the loop, as above, and how long it was then.
 */
const HEAD = 5;
const ROW = 4;
/** So many lists are written, so many are that, made or the loop's own, and so many there are. */
let written = 0;
let owned = 0;
let count = 0;
/** The nodes that there is room for. */
let room = 0;

/** Whether a loop may run as one step, as far as the run says. What it writes, owns and reads is told next, in this order. */
export function maySweep(): boolean {
  written = owned = count = 0;
  return !isBusy && !run.isInner && run.isPushed !== true && run.touched;
}

/** Whether it may write the list of this handle. */
export const sweepWrites = (handle: Handle): boolean =>
  isApart(handle, true) && ++owned === ++written;

/** It makes a list of so many elements, or has one that nobody else reads. */
export function sweepOwns(length: number): boolean {
  noted(length, 0);
  owned++;
  return true;
}

/** Whether it may read the list of this handle. */
export const sweepReads = (handle: Handle): boolean => isApart(handle, false);

/** The loop runs, and keeps at most `most` numbers. The first place of what it keeps; -1 where it has its nodes after all. */
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

/** Notes a list from outside, if it is none of those that are written, shares no memory with them, and is what types say. */
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

/** An array, or a typed array whose ids are its own. */
function isSteady({ list, ids, own, isReal }: Handle, isWritten: boolean): boolean {
  if (Array.isArray(list))
    return fieldsOf(list) === undefined && (!isWritten || Object.isExtensible(list));
  return isView(list) && ids === own && (isReal || !isWritten);
}

/** An error that the loop did not end because of: the elements that it wrote have no derivative. */
export function unswept(at: number, error: unknown): unknown {
  isBusy = false;
  leave(at);
  failure(
    "TSG0021",
    "a loop that writes elements was left by an error, and the program went on with what it had written",
  );
  return error;
}

/** The loop is over; `place` is the one behind what it kept. `isInside`: it goes beyond no list's end. `made`: lists that it made, and that others see. */
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

/** Lists that were written may be longer. Returns how many elements those have that others see. */
function grown(made: readonly Value[]): number {
  let total = 0;
  for (let k = 0, at = 0; k < written + made.length; k++, at += EACH) {
    const length: number = (k < written ? HANDLES[k]?.list : made[k - written]).length;
    LISTS[at] = length;
    total += length;
  }
  return total;
}

/** Keeps ids that do not follow each other. Returns the next place. */
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

/** Keeps what there is to know of lists. `nodes`: so many have nodes. */
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

/** Gives ids to what was written and made. */
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

/** Adjoints of lists, and where they begin: for what goes backwards, which calls nobody. */
const BARS: Float64Array[] = [];
const FROM: number[] = [];

/** Zeros, for adjoints that have no place among those of nodes. */
let spare: Float64Array = /* @__PURE__ */ new Float64Array(64);

const whole = (tape: Float64Array, at: number): number => (tape[at] ?? 0) | 0;

/** Adjoints of what others see of what the loop wrote are those of its nodes, those of what it reads stand where they belong, if the ids follow each other. */
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

/** Hands on what is left to the ids that the lists had before. */
// eslint-disable-next-line max-params, complexity -- the hot loop of swept loops
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
    // adjoints of lists that are read are where they belong
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

/** Nodes of which nothing is left, and zeros that are lent again. */
function cleared(tape: Float64Array, head: number, adjoints: Float64Array, start: Id): void {
  const from = whole(tape, head + 1) - start;
  const behind = from + whole(tape, head + 2);
  const zeros = whole(tape, head + 3);
  for (let k = from; k < behind; k++) adjoints[k] = 0;
  for (let k = 0; k < zeros; k++) spare[k] = 0;
}

/** Gives the elements ids, from `first` upwards. Returns the next one. */
function seeded({ list, own }: Handle, first: Id): Id {
  if (Array.isArray(list) && own.length === list.length) fillUp(own, first, list.length);
  else if (Array.isArray(list)) seedElements(list, first);
  else if (own !== NO_IDS) fillUp(own, first, list.length);
  else beyond().seedView(list, first);
  return first + list.length;
}
