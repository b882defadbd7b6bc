// Shadows of typed arrays and of DataViews: ids by position in the buffer. In: a view and an index. Out: an id.
// Invariants: views of one kind share ids; integer kinds drop the id of what is written (rounding has no derivative); what another
// kind reads from active bytes throws, and what it writes takes them away.

import { run, type Elements, type Grid } from "./store.ts";
import { failure, type Id, type Value } from "./value.ts";

const TypedArray: Value = Object.getPrototypeOf(Float64Array);
export const isView = (o: Value): boolean => ArrayBuffer.isView(o) && o instanceof TypedArray;

const tagOf = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag);
const kindOf = (view: Value): string => tagOf?.get?.call(view) ?? "";
const holdsReals = (kind: string): boolean => kind.startsWith("Float");

const WIDTHS: Readonly<Record<string, number>> = {
  Float64Array: 8, Float32Array: 4, Float16Array: 2, Int8Array: 1, Uint8Array: 1, Uint8ClampedArray: 1, Int16Array: 2, Uint16Array: 2, Int32Array: 4,
  Uint32Array: 4, BigInt64Array: 8, BigUint64Array: 8,
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
  const grids = run.buffers.get(buffer);
  if (grids === undefined) return 0;
  const width = WIDTHS[kind] ?? 1, phase = at % width;
  const own = gridOf(grids, kind, phase);
  if (grids.length > 1 || own === undefined) {
    overlapping(grids, own, at, width, () => {
      throw failure("TSG0012", `bytes that hold a number with a derivative are read as ${kind}: no derivative passes from the bits of a number to another one`);
    });
  }
  return own?.ids[(at - phase) / width] ?? 0;
}

export function setBytesId(buffer: object, kind: string, at: number, to: Id): void {
  let grids = run.buffers.get(buffer);
  if (grids === undefined) {
    if (to === 0) return;
    run.buffers.set(buffer, (grids = []));
  }
  const width = WIDTHS[kind] ?? 1, phase = at % width;
  let own = gridOf(grids, kind, phase);
  if (grids.length > 1 || own === undefined) {
    overlapping(grids, own, at, width, (ids, place) => {
      ids[place] = 0;
    });
  }
  if (own === undefined) {
    if (to === 0) return;
    grids.push((own = { kind, width, phase, ids: [] }));
  }
  own.ids[(at - phase) / width] = to;
  if (to !== 0) run.touched = true;
}

function gridOf(grids: readonly Grid[], kind: string, phase: number): Grid | undefined {
  for (const grid of grids) if (grid.kind === kind && grid.phase === phase) return grid;
  return undefined;
}

/** Every id that another kind, or another alignment, keeps for some of the bytes. */
function overlapping(grids: readonly Grid[], own: Grid | undefined, at: number, width: number, found: (ids: Elements, place: number) => void): void {
  for (const grid of grids) {
    if (grid === own) continue;
    const first = Math.max(0, Math.floor((at - grid.phase - grid.width) / grid.width) + 1);
    for (let place = first; grid.phase + place * grid.width < at + width; place++) {
      if ((grid.ids[place] ?? 0) !== 0) found(grid.ids, place);
    }
  }
}
