// Every handler of the standard library, called with numbers that a derivative passes through: as
// receivers, arguments, results of callbacks and keys. In: a table of expressions of `x`, compiled
// with types and without. Oracles: the plain call for the value, central differences for the
// derivative. A handler without a row fails. `HANDLER=Promise` runs the rows of those.

import { describe, expect, it } from "vitest";
import { type Analysis, analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { handle, handled, handleNew } from "../../runtime/delta/dispatch.ts";
import * as $d from "../../runtime/delta/index.ts";
import * as forms from "../../runtime/index.ts";
import * as operators from "../../runtime/operators.ts";
import type { Value } from "../../runtime/delta/value.ts";
import { isLong } from "../breadth.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";
import { KEPT, ROWS } from "./natives.ts";

/** Sums up whatever is given, with another weight at each place; `any` for the typed file. */
const HELPERS = (any: string): string => `
class Own extends Array${any === "" ? "" : "<any>"} {}
class OwnFloats extends Float64Array {}
class OwnMap extends Map${any === "" ? "" : "<any, any>"} {}
class OwnSet extends Set${any === "" ? "" : "<any>"} {}
class Point { constructor(a${any}, b${any}) { Object.assign(this, { a, b }); } }
function digest(v${any}, w${any === "" ? "" : ": number"} = 1)${any === "" ? "" : ": number"} {
  if (typeof v === "number") return v === v && v !== Infinity && v !== -Infinity ? v * w : w;
  if (typeof v !== "object" || v === null) return typeof v === "string" ? w : v === true ? 2 * w : 0.5 * w;
  let s = 0, k = 0.3;
  if (v instanceof Map) {
    for (const [a, b] of v) { s += digest(a, w * k) + digest(b, w * (k + 0.1)); k += 0.17; }
    return s;
  }
  if (v instanceof Set) { for (const a of v) { s += digest(a, w * k); k += 0.17; } return s; }
  if (Array.isArray(v) || ArrayBuffer.isView(v)) {
    const list${any} = v;
    for (let i = 0; i < list.length; i++) { if (i in list) s += digest(list[i], w * k); k += 0.17; }
    const kinds${any} = [Array, Own, Float64Array, OwnFloats];
    return s + (list.length + kinds.indexOf(list.constructor)) * w;
  }
  if (typeof v.next === "function") { for (const a of v) { s += digest(a, w * k); k += 0.17; } return s; }
  for (const key of Object.keys(v)) { s += digest(v[key], w * k); k += 0.17; }
  return s;
}
function attempt(f${any})${any} { try { return f(); } catch (e) { return typeof e === "number" ? e : "thrown"; } }
`;

const AT = 1.3;
const wanted = process.env["HANDLER"] ?? "";

interface Row {
  readonly name: string;
  readonly text: string;
  readonly isAsync: boolean;
}

/** A short run takes a sixth with types. */
const isIn = (isTyped: boolean, k: number): boolean => isLong || !isTyped || k % 6 === 0;

/** A text that begins with a statement is a body. */
function source(isTyped: boolean): string {
  const any = isTyped ? ": any" : "";
  const number = isTyped ? ": number" : "";
  return [
    `import { grad, valueAndGrad } from "tsgrad";`,
    HELPERS(any),
    ...rows.flatMap(({ text, isAsync }, k) => {
      if (!isIn(isTyped, k)) return [];
      const body = /^(const|let|function\*?|try) /.test(text)
        ? `{ ${text} }`
        : `{ return digest(${text}); }`;
      const head = `${isAsync ? "async " : ""}(x${number})${isTyped ? (isAsync ? ": Promise<number>" : ": number") : ""} =>`;
      return [
        `export const f${k} = ${head} ${body};`,
        `export const g${k} = valueAndGrad(f${k}, { engine: "delta" });`,
      ];
    }),
  ].join("\n");
}

type Exports = Readonly<Record<string, (x: number) => unknown>>;

function compiled(isTyped: boolean): Exports {
  const name = isTyped ? "input.ts" : "input.js";
  const text = source(isTyped);
  const { edits, diagnostics } = analyse(
    programOf({ [name]: text }, { allowJs: true, lib: ["lib.esnext.d.ts"], strict: isTyped }),
  );
  const lines = text.split("\n");
  expect(
    diagnostics.map(
      ({ code, message, span }) =>
        `${code} ${message} ${span.file} ${lines[text.slice(0, span.start).split("\n").length - 1] ?? ""}`,
    ),
  ).toEqual([]);
  return loaded(name, text, edits);
}

const loaded = (name: string, text: string, edits: Analysis["edits"]): Exports =>
  loader(
    new Map([
      ["/src/input.ts", applyEdits(`/src/${name}`, text, edits.get(`/src/${name}`) ?? []).text],
    ]),
  )("/src/input.ts") as Exports; // exports are unknown

/** Names of the functions that JavaScript has. */
function namesOfNatives(): ReadonlyMap<Value, string> {
  const names = new Map<Value, string>();
  const name = (f: Value, as: string): void => {
    if (typeof f === "function" && !names.has(f)) names.set(f, as);
  };
  const members = (o: Value, head: string): void => {
    for (const key of Reflect.ownKeys(o)) {
      if (key === "constructor") continue;
      const value: Value = Object.getOwnPropertyDescriptor(o, key)?.value;
      name(value, `${head}${typeof key === "symbol" ? "iterator" : key}`);
    }
  };
  const prototypeOf = Object.getPrototypeOf;
  const iterators: Readonly<Record<string, Value>> = {
    ArrayIterator: prototypeOf([].values()),
    MapIterator: prototypeOf(new Map().values()),
    SetIterator: prototypeOf(new Set().values()),
    Generator: prototypeOf(function* () {}.prototype),
  };
  const TypedArray: Value = prototypeOf(Float64Array);
  name(parseFloat, "parseFloat");
  members(Array.prototype, "Array#");
  members(TypedArray.prototype, "TypedArray#");
  members(TypedArray, "TypedArray.");
  for (const [head, prototype] of Object.entries(iterators)) members(prototype, `${head}#`);
  name(prototypeOf(iterators["Generator"])[Symbol.iterator], "Generator#iterator");
  members(Function.prototype, "Function#");
  for (const key of Object.getOwnPropertyNames(globalThis)) {
    const value: Value = Object.getOwnPropertyDescriptor(globalThis, key)?.value;
    if (value === null || (typeof value !== "object" && typeof value !== "function")) continue;
    name(value, key);
    if (value === globalThis) continue;
    if (/^[A-Z]/.test(key)) members(value, `${key}.`);
    if (typeof value === "function" && typeof value.prototype === "object")
      members(value.prototype, `${key}#`);
  }
  return names;
}

/** What tsgrad itself exports: tests/nested, tests/delta/{rules,linear-maps}.test.ts call it. */
const exportsOf = (module: object): readonly Value[] => Object.values(module);
const membersOf = (holder: object): readonly Value[] =>
  Object.values(Object.getOwnPropertyDescriptors(holder)).map(({ value }): Value => value);
const OWN: ReadonlySet<Value> = new Set([
  ...exportsOf(forms),
  ...exportsOf(operators),
  ...membersOf(forms.LinearMap),
  ...membersOf(forms.LinearMap.prototype),
]);

/** Counts the calls of each handler at which some number is active. */
function counted(): ReadonlyMap<string, { count: number }> {
  $d.end($d.begin()); // fills the tables
  const names = namesOfNatives();
  const counts = new Map<string, { count: number }>();
  const [calls, constructions] = handled();
  for (const [table, register, head] of [
    [calls, handle, ""],
    [constructions, handleNew, "new "],
  ] as const)
    for (const [f, handler] of [...table]) {
      if (OWN.has(f)) continue;
      const seen = { count: 0 };
      counts.set(`${head}${names.get(f) ?? f.name}`, seen);
      register(f, (self, args, ids) => {
        const isFed =
          ids.some((id) => id !== 0) ||
          [self, ...args].some((value) => typeof value === "function" || $d.isActive(value));
        const value = handler(self, args, ids);
        if (isFed || $d.id !== 0 || $d.isActive(value)) seen.count++;
        return value;
      });
    }
  return counts;
}

/** Integers have no ids, and a generator's own iterator is itself. */
const WITHOUT = /^(DataView#(get(Int|Uint)|[gs]etBig)\w+|Math\.random|Generator#iterator)$/;

/** What Node 20 lacks. */
const NEWER: ReadonlySet<string> = new Set(["Object.groupBy", "Map.groupBy"]);

const counts = counted();
const rows: readonly Row[] = Object.entries(ROWS)
  .filter(([name]) => counts.has(name) && name.includes(wanted))
  .flatMap(([name, texts]) =>
    texts.map((text): Row => ({ name, text, isAsync: /\bawait\b/.test(text) })),
  );

const FILES = [true, false] as const;

/** What a call gives, or how it fails. */
async function outcome(f: (x: number) => unknown, x: number): Promise<unknown> {
  try {
    return await f(x);
  } catch (error) {
    return String(error);
  }
}

/** Central differences leave about 1e-9 of curvature and 1e-10 of rounding; of singles 1e-5 and 1e-4. */
const NEAR = { width: 1e-5, tolerance: 1e-6 };
const COARSE = { width: 1e-3, tolerance: 1e-3 };

describe.each(FILES)("typed: %s", (isTyped) => {
  const all = compiled(isTyped);
  it.each(
    rows.flatMap((row, k): [string, string, number][] =>
      isIn(isTyped, k) ? [[row.name, row.text, k]] : [],
    ),
  )("%s: %s", async (_name, text, k) => {
    const f = all[`f${k}`];
    const g = all[`g${k}`];
    if (f === undefined || g === undefined) throw new Error("not compiled");
    const value = await outcome(f, AT);
    const found = await outcome(g, AT);
    if (!Array.isArray(found))
      throw new Error(`f is ${String(value)}, its derivative ${String(found)}`);
    expect(found[0]).toBe(value);
    const { width, tolerance } = /Float32|fround/.test(text) ? COARSE : NEAR;
    const [left, right] = [await f(AT - width), await f(AT + width)].map(Number);
    const slope = ((right ?? NaN) - (left ?? NaN)) / (2 * width);
    expect(slope).not.toBeNaN();
    expect(Math.abs(found[1] - slope)).toBeLessThan(tolerance * Math.max(1, Math.abs(slope)));
  });
});

it("the first of equal keys stays, with its derivative", () => {
  for (const [text, wantedSlope] of KEPT) {
    const name = "input.js";
    const file = `import { grad } from "tsgrad";${HELPERS("")}\nexport const g = grad((x) => { ${text} }, { engine: "delta" });`;
    const { edits } = analyse(programOf({ [name]: file }, { allowJs: true }));
    const { g } = loaded(name, file, edits);
    expect(g?.(AT)).toBeCloseTo(wantedSlope, 12);
  }
});

it.runIf(wanted === "")("every handler is called with an active number", () => {
  const silent = [...counts].filter(([name, { count }]) => count === 0 && !WITHOUT.test(name));
  expect(silent.map(([name]) => name)).toEqual([]);
});

it("every handler has a row, and every row a handler", () => {
  expect([...counts.keys()].filter((name) => !(name in ROWS))).toEqual([]);
  expect(Object.keys(ROWS).filter((name) => !counts.has(name) && !NEWER.has(name))).toEqual([]);
});
