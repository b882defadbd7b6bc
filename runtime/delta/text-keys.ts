// Texts of active numbers. In: each such text. Out: whether a key consists of them, as that of a
// memo does: `known[x.toFixed(3)]`, `known.get(JSON.stringify([x, y]))`.

import { run, type Store } from "./store.ts";
import type { Value } from "./value.ts";

const texts = /* @__PURE__ */ new WeakMap<Store, Set<string>>();
let isAny = false;

export function noteText(made: string): void {
  const known = texts.get(run.store) ?? new Set();
  isAny = run.store.isUsed = true;
  texts.set(run.store, known.add(made.replace("-", "")));
}

/** Whether a key contains the text of an active number of this run. */
export function isTextOfActive(key: Value): boolean {
  const known = isAny && typeof key !== "symbol" ? texts.get(run.store) : undefined;
  return (
    known !== undefined &&
    (String(key).match(/\d[\d.]*(e[-+]?\d+)?/g) ?? []).some((one) => known.has(one))
  );
}
