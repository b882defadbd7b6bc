// Shadows of typed arrays and of DataViews: ids by position in the buffer. In: a view and an index. Out: an id.
// Invariants: views of one kind share ids; integer kinds drop the id of what is written (rounding has no derivative); what another
// kind reads from active bytes throws, and what it writes takes them away.

import { run, type Elements } from "./store.ts";
import { failure, type Id, type Value } from "./value.ts";

const TypedArray: Value = Object.getPrototypeOf(Float64Array);
export const isView = (o: Value): boolean => ArrayBuffer.isView(o) && o instanceof TypedArray;

const tagOf = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag);
const kindOf = (view: Value): string => tagOf?.get?.call(view) ?? "";
const holdsReals = (kind: string): boolean => kind.startsWith("Float");

const sizeOf = (kind: string): number => {
  const bits = /\d+/.exec(kind)?.[0];
  return bits === undefined ? 1 : Math.max(1, Number(bits) / 8);
};

export const viewId = (view: Value, index: number): Id => {
  if (!run.touched || index >= view.length) return 0;
  return bytesId(view.buffer, kindOf(view), view.byteOffset + index * view.BYTES_PER_ELEMENT);
};

export function setViewId(view: Value, index: number, to: Id): void {
  if (index >= view.length) return;
  const kind = kindOf(view);
  setBytesId(view.buffer, kind, view.byteOffset + index * view.BYTES_PER_ELEMENT, holdsReals(kind) ? to : 0);
}

/** Gives an element of an argument its id, integers too: they are inputs. */
export const seedViewId = (view: Value, index: number, to: Id): void =>
  setBytesId(view.buffer, kindOf(view), view.byteOffset + index * view.BYTES_PER_ELEMENT, to);

/** `kind` as in `Float64Array`; `at` in bytes. */
export function bytesId(buffer: object, kind: string, at: number): Id {
  const kinds = run.buffers.get(buffer);
  if (kinds === undefined) return 0;
  const own = kinds.get(kind)?.[at / sizeOf(kind)] ?? 0;
  if (own === 0 || kinds.size > 1) {
    overlapping(kinds, kind, at, () => {
      throw failure("TSG0012", `bytes that hold a number with a derivative are read as ${kind}: no derivative passes from the bits of a number to another one`);
    });
  }
  return own;
}

export function setBytesId(buffer: object, kind: string, at: number, to: Id): void {
  let kinds = run.buffers.get(buffer);
  if (kinds === undefined) {
    if (to === 0) return;
    run.buffers.set(buffer, (kinds = new Map()));
  }
  overlapping(kinds, kind, at, (ids, place) => {
    ids[place] = 0;
  });
  const ids = kinds.get(kind);
  if (ids !== undefined) ids[at / sizeOf(kind)] = to;
  else if (to !== 0) {
    const made: Elements = [];
    made[at / sizeOf(kind)] = to;
    kinds.set(kind, made);
  }
  if (to !== 0) run.touched = true;
}

/** Every id that another kind, or another alignment, keeps for bytes of this element. */
function overlapping(kinds: Map<string, Elements>, kind: string, at: number, found: (ids: Elements, place: number) => void): void {
  const size = sizeOf(kind);
  for (const [other, ids] of kinds) {
    const width = sizeOf(other);
    for (let place = Math.ceil((at - width + 1) / width); place * width < at + size; place++) {
      if (other === kind && place * width === at) continue;
      if (place >= 0 && (ids[place] ?? 0) !== 0) found(ids, place);
    }
    // a DataView may have written off the grid of its kind
    for (const key of offGrid(ids, at / width, width, size)) found(ids, key);
  }
}

function offGrid(ids: Elements, place: number, width: number, size: number): number[] {
  const keys: number[] = [];
  const parts = width;
  for (let part = 1 - parts; part < size; part++) {
    const key = place + part / parts;
    if (part !== 0 && !Number.isInteger(key) && (ids[key] ?? 0) !== 0) keys.push(key);
  }
  return keys;
}
