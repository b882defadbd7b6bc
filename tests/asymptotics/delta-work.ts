// Counts what a gradient of the Delta engine does. In: the text of a module that exports `f`. Out: per call of its gradient the nodes on the tape, and how often rewritten
// code calls the run time, a shadow is looked up, and an id in one is read or written. Invariant: no clock. What it cannot see: the first filling of a new shadow.

import { vi } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import type * as Delta from "../../runtime/delta/index.ts";
import type * as Marks from "../../runtime/delta/object-data.ts";
import { type Exports, loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

export interface DeltaWork {
  /** Nodes, inputs included. */
  readonly recorded: number;
  readonly touched: number;
}

const counter = { touched: 0, size: 0 };

/** What a store keeps in the objects themselves counts what is done to it: the engine is loaded once more, for this file alone. */
const delta = await counted();

async function counted(): Promise<typeof Delta> {
  vi.resetModules();
  vi.doMock("../../runtime/delta/object-data.ts", async (original) => {
    const marks = await original<typeof Marks>();
    const listOf: typeof Marks.listOf = (o, keeper) => (counter.touched++, marks.listOf(o, keeper));
    const keepList: typeof Marks.keepList = (o, handle) => {
      const ids = seen(handle.ids);
      counter.touched++;
      marks.keepList(
        o,
        Object.assign(handle, handle.own === handle.ids ? { ids, own: ids } : { ids }),
      );
    };
    // every run begins with ids that count anew
    const lastOf: typeof Marks.lastOf = () => undefined;
    const fieldsOf: typeof Marks.fieldsOf = (o, keeper) => (
      counter.touched++,
      marks.fieldsOf(o, keeper)
    );
    const keepFields: typeof Marks.keepFields = (o, keeper, ids) => {
      counter.touched++;
      marks.keepFields(o, keeper, seen(ids));
    };
    return { ...marks, listOf, lastOf, keepList, fieldsOf, keepFields };
  });
  const made = await import("../../runtime/delta/index.ts");
  vi.doUnmock("../../runtime/delta/object-data.ts");
  vi.resetModules();
  return made;
}

/** The run time with each call counted; `id` stays live. */
function countedRunTime(): Exports {
  const counted = new Map<string | symbol, unknown>();
  for (const [name, value] of Object.entries(delta)) {
    const isPlain = typeof value === "function" && !/^class\b/.test(String(value));
    counted.set(
      name,
      !isPlain
        ? value
        : new Proxy(value, {
            apply: (f, self, args) => (counter.touched++, Reflect.apply(f, self, args)),
          }),
    );
  }
  const noted =
    (f: Delta.DeltaFunction): Delta.DeltaFunction =>
    (ids, ...args) => {
      const value: unknown = f(ids, ...args);
      counter.size = delta.size();
      return value;
    };
  counted.set("grad", (f: Delta.DeltaFunction, given: unknown[], spec?: Delta.Spec): unknown =>
    delta.grad(noted(f), given, spec),
  );
  counted.set("gradOf", (f: Delta.DeltaFunction, ...rest: ReadonlyArray<never>): unknown =>
    Reflect.apply(delta.gradOf, undefined, [noted(f), ...rest]),
  );
  counted.set(
    "gradOfNumbers",
    (asked: unknown[], call: (first: number) => unknown, cotangents: () => unknown): unknown =>
      delta.gradOfNumbers(
        asked,
        (first) => {
          const value = call(first);
          counter.size = delta.size();
          return value;
        },
        cotangents,
      ),
  );
  return new Proxy(
    {},
    {
      get: (_, name) =>
        name === "__esModule" ? true : name === "id" ? delta.id : counted.get(name),
      has: (_, name) => counted.has(name),
      ownKeys: () => [...counted.keys()],
    },
  );
}

/** So does what it keeps in its WeakMaps; natives keep their identity, by which they are known. */
function counting<T>(go: () => T): T {
  const { get, set } = WeakMap.prototype;
  Object.assign(WeakMap.prototype, {
    get(this: never, key: never): unknown {
      counter.touched++;
      return Reflect.apply(get, this, [key]);
    },
    set(this: never, key: never, value: unknown): unknown {
      counter.touched++;
      return Reflect.apply(set, this, [key, seenShadow(value)]);
    },
  });
  try {
    return go();
  } finally {
    Object.assign(WeakMap.prototype, { get, set });
  }
}

/** Ids of entries, and those of a buffer, whose grids are lists of their own. */
function seenShadow(value: unknown): unknown {
  if (value instanceof Map) return seenMap(value);
  return typeof value !== "object" || value === null || "grids" in value || "version" in value
    ? value
    : seen(value);
}

const seenMap = (ids: Map<unknown, unknown>): Map<unknown, unknown> =>
  Object.assign(ids, {
    get: (key: unknown): unknown => (counter.touched++, Map.prototype.get.call(ids, key)),
    set: (key: unknown, value: unknown): unknown => (
      counter.touched++,
      Map.prototype.set.call(ids, key, value)
    ),
  });

const seen = <T extends object>(ids: T): T =>
  new Proxy(ids, {
    get: (list, key) => (counter.touched++, Reflect.get(list, key)),
    set: (list, key, value) => (counter.touched++, Reflect.set(list, key, value)),
  });

export function deltaWorkOf(text: string): (args: readonly unknown[]) => DeltaWork {
  const whole = `import { grad } from "tsgrad";\n${text}\nexport const g = grad(f, { engine: "delta" });\n`;
  const host = programOf({ "main.ts": whole });
  const { edits, diagnostics } = analyse(host);
  const errors = diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message);
  if (errors.length > 0) throw new Error(errors.join("\n"));
  const edited = applyEdits("/src/main.ts", whole, edits.get("/src/main.ts") ?? []).text;
  const { g } = loader(new Map([["/src/main.ts", edited]]), countedRunTime())("/src/main.ts");
  if (typeof g !== "function") throw new Error("nothing was compiled");
  return (args) => {
    const own = structuredClone(args);
    counter.touched = 0;
    const before = delta.size();
    counting(() => {
      g(...own);
    });
    return { recorded: counter.size - before, touched: counter.touched };
  };
}
