// Numbers that are written to an object of the host, which may compute from them in a setter.
// In: ways to write. Oracle: of a host with setters, an error, since no derivative is known of them;
// of a host with plain fields, differences of the function itself.

import { afterAll, describe, expect, test } from "vitest";
import { built } from "../nested/compiled.ts";

const WAYS: readonly string[] = [
  "host.m = x;",
  'host["m"] = x;',
  "host!.m = x;",
  "(host as { m: number }).m = x;",
  "host.part.m = x;",
  "host.parts[0]!.m = x;",
  "host.m += x;",
  "host.m -= -x;",
  "host.m &&= x;",
  "[host.m] = [x];",
  "({ m: host.m } = { m: x });",
  "for (host.m of [x]) break;",
  "const g = (v: number): void => { host.m = v; }; g(x);",
  "if (x > 0) host.m = x;",
  "const h = host; h.m = x;",
  "const { part } = host; part.m = x;",
  "const [first] = host.parts; first!.m = x;",
  "const h = x > 0 ? host : host.part; h.m = x;",
  "for (const h of host.parts) h.m = x;",
  "const box = { h: host }; box.h.m = x;",
  "const [h] = [host]; h.m = x;",
  "Object.assign(host, { m: x });",
  "put(host, x);",
  "later(host, x, 3);",
  "giveLater(x, 3);",
  "new Holder(host).put(x);",
  "const g = (h = host): void => { h.m = x; }; g();",
  "const g = (): Part => host.part; g().m = x;",
  "host.parts.forEach((h) => { h.m = x; });",
];

/** Each with the order of the derivative. */
const FORMS: Readonly<Record<string, readonly [(f: string) => string, 1 | 2]>> = {
  grad: [(f) => `grad(${f})(3)`, 1],
  jvp: [(f) => `jvp(${f})([3], [1])[1]`, 1],
  hvp: [(f) => `hvp(${f})([3], 1)`, 2],
};

/** A host whose `n` is twice what was last written to any `m`. */
function withSetters(): object {
  let written = 1; // `&&=` needs a number that is not 0
  const part = Object.defineProperty({}, "m", {
    get: () => 1,
    set: (value: number) => {
      written = value;
    },
  });
  return Object.defineProperty(
    Object.create(part, { part: { value: part }, parts: { value: [part] } }),
    "n",
    { get: () => 2 * written },
  );
}

const withFields = (): object => ({ m: 1, n: 2, part: { m: 1 }, parts: [{ m: 1 }] });

const HEAD = `import { grad, hvp, jvp } from "tsgrad";
interface Part { m: number }
declare const host: { m: number; n: number; part: Part; parts: Part[] };
function put(part: Part, v: number): void { part.m = v; }
function later(part: Part, v: number, n: number): void { if (n > 0) later(part, v, n - 1); else part.m = v; }
function giveLater(v: number, n: number): void { if (n > 0) giveLater(v, n - 1); else host.m = v; }
class Holder { constructor(readonly part: Part) {} put(v: number): void { this.part.m = v; } }
`;

describe.each(Object.entries(FORMS))("%s", (_form, [call, order]) => {
  const { exports } = built(
    HEAD +
      WAYS.map(
        (way, k) =>
          `export const f${k} = (x: number): number => { ${way} return (host.m + host.part.m + host.parts[0]!.m + host.n) * x; };\nexport const d${k} = (): unknown => ${call(`f${k}`)};\n`,
      ).join(""),
  );
  afterAll(() => {
    Reflect.deleteProperty(globalThis, "host");
  });
  const run = (host: object, name: string, ...args: readonly number[]): number => {
    Reflect.set(globalThis, "host", host);
    const f = exports[name];
    if (typeof f !== "function") throw new Error("no function");
    return Number(Reflect.apply(f, undefined, args));
  };

  test.each(WAYS.map((way, k): [string, number] => [way, k]))("%s", (_way, k) => {
    // the first if no call of the module needed accessors before
    expect(() => run(withSetters(), `d${k}`)).toThrow(/^TSG00(?:21|10):/);
    const at = (x: number): number => run(withFields(), `f${k}`, x);
    // differences of a polynomial of degree 2 are exact
    const expected = order === 1 ? at(3.5) - at(2.5) : 4 * (at(3.5) - 2 * at(3) + at(2.5));
    expect(run(withFields(), `d${k}`)).toBeCloseTo(expected, 12);
  });
});

test("a class of the host need not be there", () => {
  const { exports } = built(`import { grad } from "tsgrad";
declare class Device { m: number; make(): Device; }
class Own extends Array<Device> { first(): number { return this[0]?.m ?? 1; } }
const f = (d: Device | null, x: number): number => {
  try { return d === null ? x * x * new Own().first() : d.make().m * x; } catch { return x; }
};
export const df = (d: object | null): unknown => grad(f, { argnums: 1 })(d as Device | null, 3);`);
  const df = exports["df"] as (d: object | null) => unknown;
  expect(df(null)).toBe(6);
  // (its members are the host's, so constants)
  expect(df({ make: () => ({ m: 5 }) })).toBe(5);
});
