// Shadows of typed arrays and DataViews: ids by position in the buffer. Integer kinds drop ids,
// since rounding has no derivative. Reading active bytes as another kind throws.

import { idAt, putId } from "./handles.ts";
import { isGiving, Itself, keepList } from "./object-data.ts";
import {
  asLeft,
  fillUp,
  handleOf,
  indexOf,
  isLeftOver,
  NO_IDS,
  run,
  spareIds,
  type Bytes,
  type Elements,
  type Grid,
  type Handle,
  type Store,
} from "./store.ts";
import { failure, type Id, type Value } from "./value.ts";

const kindGetter: Value = /* @__PURE__ */ (() =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Float64Array.prototype), Symbol.toStringTag)
    ?.get)();
const kindOf = (view: Value): string => kindGetter.call(view);
const holdsReals = (kind: string): boolean => kind.startsWith("Float");

const WIDTHS: Readonly<Record<string, number>> = {
  Float64Array: 8,
  Float32Array: 4,
  Float16Array: 2,
  Int8Array: 1,
  Uint8Array: 1,
  Uint8ClampedArray: 1,
  Int16Array: 2,
  Uint16Array: 2,
  Int32Array: 4,
  Uint32Array: 4,
  BigInt64Array: 8,
  BigUint64Array: 8,
};

export const viewId = (view: Value, index: number): Id =>
  run.touched || isLeft ? idAt(viewHandle(view), index) : 0;

export function viewHandle(view: Value): Handle {
  const known = handleOf(view);
  if (known !== undefined) return known;
  const of = bytesOf(view.buffer);
  const made: Handle = {
    ids: NO_IDS,
    own: NO_IDS,
    of,
    list: view,
    isReal: holdsReals(kindOf(view)),
    isGiven: isGiving,
    keeper: run.store,
  };
  of.handles.push(made);
  settle(made);
  keepList(view, made);
  return made;
}

/** A view of a whole buffer with one grid uses the grid's ids; others compute each id. */
function settle(handle: Handle): void {
  const {
    of: { grids },
    list: view,
  } = handle;
  const [only] = grids;
  if (only === undefined) return;
  const isOnly =
    grids.length === 1 &&
    only.phase === 0 &&
    only.kind === kindOf(view) &&
    view.byteLength === view.buffer.byteLength &&
    view.buffer.resizable !== true;
  handle.ids = isOnly
    ? only.ids
    : new Proxy<Elements>([], { get: (_ids, key) => idInBytes(view, indexOf(key)) });
  handle.own = isOnly && handle.isReal ? only.ids : NO_IDS;
}

const idInBytes = (view: Value, index: number): Id =>
  index >= 0 && index < view.length
    ? bytesId(view.buffer, kindOf(view), view.byteOffset + index * view.BYTES_PER_ELEMENT)
    : 0;

/** Whether a buffer other than an argument has or had ids. */
let isLeft = false;

/** Adds a grid and updates all handles of the buffer. */
function addGrid(bytes: Bytes, grid: Grid): Grid {
  const { grids, handles } = bytes;
  grids.push(grid);
  if (isGiving) bytes.isGiven = true;
  else isLeft = true;
  handles.forEach(settle);
  return grid;
}

/** A store's data about a buffer, in the buffer itself (see object-data.ts). */
class Buffered extends Itself {
  #store: Store;
  #bytes: Bytes;

  constructor(buffer: object, store: Store, bytes: Bytes) {
    super(buffer);
    this.#store = store;
    this.#bytes = bytes;
  }

  static of(buffer: object, store: Store): Bytes | undefined {
    return #store in buffer && buffer.#store === store ? buffer.#bytes : undefined;
  }

  static left(buffer: object): Bytes | undefined {
    return #store in buffer && buffer.#store.isOver && !buffer.#bytes.isGiven
      ? buffer.#bytes
      : undefined;
  }

  static put(buffer: object, store: Store, bytes: Bytes): void {
    if (#store in buffer) {
      const before = buffer.#store;
      if (before !== store && before.isLive)
        (before.buffersAside ??= new WeakMap()).set(buffer, buffer.#bytes);
      buffer.#store = store;
      buffer.#bytes = bytes;
    } else new Buffered(buffer, store, bytes);
  }
}

const knownBytes = (buffer: object): Bytes | undefined =>
  Buffered.of(buffer, run.store) ?? run.store.buffersAside?.get(buffer) ?? recalledBytes(buffer);

/** Ids of an earlier run in a buffer, as store.ts recalls them for other objects. */
function recalledBytes(buffer: object): Bytes | undefined {
  const left = isLeft ? Buffered.left(buffer) : undefined;
  if (
    left === undefined ||
    !left.grids.some(({ ids }) => ids.some((id) => id !== 0)) ||
    !isLeftOver(buffer)
  )
    return undefined;
  run.touched = true;
  for (const grid of left.grids) asLeft(grid.ids, numbersOf(grid, buffer));
  return keptBytes(buffer, { grids: left.grids, handles: [], isGiven: false });
}

function numbersOf({ kind, width, phase }: Grid, buffer: Value): Value {
  const of: Value = Reflect.get(globalThis, kind);
  return typeof of === "function" && phase % width === 0
    ? new of(buffer, phase, Math.floor((buffer.byteLength - phase) / width))
    : [];
}

/** Whether some number in a buffer has an id. */
export const areActive = (buffer: object): boolean =>
  knownBytes(buffer)?.grids.some(({ ids }) => ids.some((id) => id !== 0)) === true;

/** Gives a copy of a buffer, from byte `first` on, the ids of the original; both may be one. */
export function copyBytes(buffer: object, copy: ArrayBufferLike, first = 0): void {
  for (const { kind, width, phase, ids } of knownBytes(buffer)?.grids ?? [])
    ids.forEach((id, k) => {
      const at = phase + k * width - first;
      if (id === 0) return;
      if (at >= 0 && at + width <= copy.byteLength) setBytesId(copy, kind, at, id);
      else if (at + width > 0 && at < copy.byteLength)
        throw failure("TSG0012", "a part of a number with a derivative is copied");
      else if (copy === buffer) ids[k] = 0;
    });
}

function bytesOf(buffer: object): Bytes {
  const known = knownBytes(buffer);
  if (known !== undefined) return known;
  return keptBytes(buffer, { grids: [], handles: [], isGiven: false });
}

function keptBytes(buffer: object, bytes: Bytes): Bytes {
  const { store } = run;
  store.isUsed = true;
  try {
    Buffered.put(buffer, store, bytes);
  } catch {
    (store.buffersAside ??= new WeakMap()).set(buffer, bytes);
  }
  return bytes;
}

export function setViewId(view: Value, index: number, to: Id): void {
  if (index >= view.length || (to === 0 && !run.touched)) return;
  const { own } = viewHandle(view);
  if (own !== NO_IDS) {
    if (to !== 0 || index < own.length) putId(own, index, to);
    if (to !== 0) run.touched = true;
    return;
  }
  const kind = kindOf(view);
  setBytesId(
    view.buffer,
    kind,
    view.byteOffset + index * view.BYTES_PER_ELEMENT,
    holdsReals(kind) ? to : 0,
  );
}

/** Sets the id of an argument's element. Integers have one, too, since they are inputs. */
export const seedViewId = (view: Value, index: number, to: Id): void =>
  setBytesId(view.buffer, kindOf(view), view.byteOffset + index * view.BYTES_PER_ELEMENT, to);

/** `kind` as in `Float64Array`; `at` in bytes. */
export function bytesId(buffer: object, kind: string, at: number): Id {
  const grids = knownBytes(buffer)?.grids ?? [];
  if (grids.length === 0) return 0;
  const width = WIDTHS[kind] ?? 1;
  const phase = at % width;
  const own = gridOf(grids, kind, phase);
  if (grids.length > 1 || own === undefined) {
    overlapping(grids, own, at, width, () => {
      throw failure(
        "TSG0012",
        `bytes that hold a number with a derivative are read as ${kind}: no derivative passes from the bits of a number to another one`,
      );
    });
  }
  return own?.ids[(at - phase) / width] ?? 0;
}

export function setBytesId(buffer: object, kind: string, at: number, to: Id): void {
  const bytes = bytesOf(buffer);
  const { grids } = bytes;
  const width = WIDTHS[kind] ?? 1;
  const phase = at % width;
  let own = gridOf(grids, kind, phase);
  if (grids.length > 1 || own === undefined) {
    overlapping(grids, own, at, width, (ids, place) => {
      ids[place] = 0;
    });
  }
  if (own === undefined) {
    if (to === 0) return;
    own = addGrid(bytes, { kind, width, phase, ids: [] });
  }
  putId(own.ids, (at - phase) / width, to);
  if (to !== 0) run.touched = true;
}

/** Gives all elements of a typed array consecutive ids from `first` on. */
export function seedView(view: Value, first: Id): void {
  const bytes = bytesOf(view.buffer);
  const kind = kindOf(view);
  if (bytes.grids.length > 0 || view.byteOffset !== 0) {
    for (let k = 0; k < view.length; k++) seedViewId(view, k, first + k);
    return;
  }
  addGrid(bytes, {
    kind,
    width: view.BYTES_PER_ELEMENT,
    phase: 0,
    ids: fillUp(spareIds(view) ?? [], first, view.length),
  });
  run.touched = true;
}

function gridOf(grids: readonly Grid[], kind: string, phase: number): Grid | undefined {
  for (const grid of grids) if (grid.kind === kind && grid.phase === phase) return grid;
  return undefined;
}

/** Finds the ids of other kinds or alignments that overlap some bytes. */
function overlapping(
  grids: readonly Grid[],
  own: Grid | undefined,
  at: number,
  width: number,
  found: (ids: Elements, place: number) => void,
): void {
  for (const grid of grids) {
    if (grid === own) continue;
    const first = Math.max(0, Math.floor((at - grid.phase - grid.width) / grid.width) + 1);
    for (let place = first; grid.phase + place * grid.width < at + width; place++) {
      if ((grid.ids[place] ?? 0) !== 0) found(grid.ids, place);
    }
  }
}
