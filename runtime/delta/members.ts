// Accessors, typed arrays and general iterables: the implementation of general-hooks.ts. Accessors
// run as methods do, in their rewritten form.

import { goBeyond } from "./general-hooks.ts";
import { applied, isInert, ofNumber } from "./dispatch.ts";
import type { Family } from "./families.ts";
import { fn } from "./by-others.ts";
import { callMethod } from "./functions.ts";
import { elements } from "./iterables.ts";
import { leaveAll } from "./persistent-state.ts";
import { primitive } from "./primitive.ts";
import { id } from "./register.ts";
import type { DeltaFunction, Id, Value } from "./value.ts";
import { areActive, seedView, setViewId, viewHandle, viewId } from "./views.ts";

function getter(f: Value, receiver: Value, key: Value): Value {
  if (typeof receiver === "number" && !isInert(f)) throw ofNumber(key);
  return applied(f, receiver, [], []);
}

function setter(f: Value, o: Value, value: Value, valueId: Id): void {
  applied(f, o, [value], [valueId]);
}

/** Converts an object to a number, as a typed array does. */
function setView(o: Value, index: number, value: Value, valueId: Id): void {
  const stored = typeof value === "number" ? value : primitive(value, 0, "number");
  const own = typeof value === "number" ? valueId : id;
  o[index] = stored;
  setViewId(o, index, typeof stored === "number" ? own : 0);
}

const method = (
  o: Value,
  name: string,
  f: DeltaFunction,
  start: readonly [] | readonly [Value, Id],
): Value => callMethod(o, name, fn(f), 0, ...start);

export const members: Family = () => {
  goBeyond({
    getter,
    setter,
    viewId,
    setView,
    setViewId,
    seedView,
    areActive,
    leave: leaveAll,
    viewHandle,
    elements,
    method,
  });
};
