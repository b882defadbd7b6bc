// Numbers that are written to an object of the host, which may compute from them in a setter.
// In: ways to write. Oracle: the gradient by hand, or an error; never the gradient without the way
// through the host.

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

const FORMS: Readonly<Record<string, (f: string) => string>> = {
  grad: (f) => `grad(${f})(3)`,
  jvp: (f) => `jvp(${f})([3], [1])[1]`,
  hvp: (f) => `hvp(${f})([3], 1)`,
};

/** Its `n` is twice what was last written to any `m`, so that f(x) is 2 x². */
function hostOf(): object {
  let written = 1e-12; // `&&=` needs a number that is not 0; this one is below the tolerance
  const part = Object.defineProperty({}, "m", {
    get: () => 1e-12,
    set: (value: number) => {
      written = value;
    },
  });
  return Object.defineProperty(
    Object.create(part, { part: { value: part }, parts: { value: [part] } }),
    "n",
    {
      get: () => 2 * written,
    },
  );
}

const HEAD = `import { grad, hvp, jvp } from "tsgrad";
interface Part { m: number }
declare const host: { m: number; n: number; part: Part; parts: Part[] };
function put(part: Part, v: number): void { part.m = v; }
function later(part: Part, v: number, n: number): void { if (n > 0) later(part, v, n - 1); else part.m = v; }
function giveLater(v: number, n: number): void { if (n > 0) giveLater(v, n - 1); else host.m = v; }
class Holder { constructor(readonly part: Part) {} put(v: number): void { this.part.m = v; } }
`;

describe.each(Object.entries(FORMS))("%s", (form, call) => {
  const { exports } = built(
    HEAD +
      WAYS.map(
        (way, k) =>
          `const f${k} = (x: number): number => { ${way} return host.n * x; };\nexport const d${k} = (): unknown => ${call(`f${k}`)};\n`,
      ).join(""),
  );
  afterAll(() => {
    Reflect.deleteProperty(globalThis, "host");
  });

  test.each(WAYS.map((way, k): [string, number] => [way, k]))("%s", (_, k) => {
    Reflect.set(globalThis, "host", hostOf());
    const run = exports[`d${k}`];
    if (typeof run !== "function") throw new Error("no function");
    let found: unknown;
    try {
      found = Reflect.apply(run, undefined, []);
    } catch (error) {
      expect(String(error)).toMatch(/TSG\d+/);
      return;
    }
    const value = Array.isArray(found) ? Number(found[0]) : Number(found);
    expect(value).toBeCloseTo(form === "hvp" ? 4 : 12, 6);
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
