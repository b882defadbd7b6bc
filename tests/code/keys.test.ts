// Keys of the user's that are no identifiers, or mean something in JavaScript, through both engines.
// In: programs with such a key in several places. Oracle: the closed form.

import { describe, expect, test } from "vitest";
import { call, compiled, problemsOf } from "./compiled.ts";

const KEYS: readonly string[] = [
  ...[
    "",
    "my-key",
    "a b",
    "1",
    "01",
    "007",
    "00",
    "1e3",
    "12345678901234567890",
    "-1",
    "0.5",
    "@type",
    "x;y",
    "k: 1, j",
    "*/",
    "//",
  ],
  ...["it's", 'say "no"', "`", "${x}", "\\", "\n", "\u2028", "\u00e9", "\u{1F600}", "\u200c"],
  ...["class", "default", "constructor", "toString", "hasOwnProperty", "length", "name", "valueOf"],
  ...["$d.get", "$d", "x$id", "v && (globalThis.HACKED = 1) && x.v", "]", "}", "a.b", "#k"],
];

/** `@` is the key as a string; the value is 3x² where x is 1.5. */
const KINDS: Readonly<Record<string, string>> = {
  "a literal": "const o = { @: x * x }; return 3 * o[@];",
  "a literal with others":
    "const o = { a: x, @: x * x, b: 1 }; return (o.a * o.a + 2 * o[@]) * o.b;",
  "a literal of data": "const o = { @: 3 }; return o[@] * x * x;",
  "a computed key": "const o: Record<string, number> = { [@]: x * x }; return 3 * o[@]!;",
  "a write": "const o = { @: 0 }; o[@] = x * x; o[@] += 2 * x * x; return o[@];",
  "a pattern": "const o = { @: x * x }; const { @: y } = o; return 3 * y;",
  "a pattern with a default":
    "const o: { @?: number } = { @: x * x }; const { @: y = 1 } = o; return 3 * y;",
  "a pattern that is assigned": "let y = 0; ({ @: y } = { @: x * x }); return 3 * y;",
  "what a pattern leaves":
    "const { a, ...others } = { a: x, @: x * x }; return a * a + 2 * others[@];",
  "a method": "const o = { @(y: number): number { return y * y; } }; return 3 * o[@](x);",
  "an arrow function": "const o = { @: (y: number): number => y * y }; return 3 * o[@](x);",
  "a getter": "const o = { get @(): number { return x * x; } }; return 3 * o[@];",
  "a field of a class": "class C { @ = x * x; } return 3 * new C()[@];",
  "a method of a class":
    "class C { @(y: number): number { return y * y; } } return 3 * new C()[@](x);",
  "a static member":
    "class C { static @(y: number): number { return y * y; } } return 3 * C[@](x);",
  "an optional chain":
    "const o: { @?: number } | null = x > 0 ? { @: x * x } : null; return 3 * (o?.[@] ?? 0);",
  "a deletion":
    "const o: { @?: number } = { @: x * x }; const y = o[@] ?? 0; delete o[@]; return 3 * y;",
  "in a loop": "let s = 0; for (const o of [{ @: x }, { @: 2 * x }]) s += o[@] * x; return s;",
  "in a list of records":
    "return [{ @: x * x }, { @: 2 * x * x }].map((o) => o[@]).reduce((a, b) => a + b, 0);",
  "a Map": "const m = new Map([[@, x * x]]); return 3 * m.get(@)!;",
  text: "const all = [@].map((k) => k.length + 1); return (3 * x * x * all[0]!) / (@.length + 1);",
};

/** Names of classes that a static member may not have. */
const isForbidden = (kind: string, key: string): boolean =>
  (kind === "a static member" && ["length", "name", "constructor"].includes(key)) ||
  (/class/.test(kind) && key === "constructor");

const OUTSIDE = (key: string): string =>
  `
const TABLE = { @: (y: number): number => 3 * y * y };
const BOTH = { inner: { @(y: number): number { return 3 * y * y; } } };
const h0 = (x: number): number => TABLE[@](x);
const h1 = (x: number): number => BOTH.inner[@](x);
export const outside: readonly unknown[] = [grad(h0, { engine: "delta" })(1.5), grad(h1, { engine: "delta" })(1.5)];
`.replaceAll("@", () => JSON.stringify(key));

const ENGINES: Readonly<Record<string, string>> = { delta: `, { engine: "delta" }`, chosen: "" };

const textOf = (key: string, engine: string): string =>
  `import { grad } from "tsgrad";\n${Object.entries(KINDS)
    .filter(([kind]) => !isForbidden(kind, key))
    .map(
      ([, body], i) =>
        `const f${i} = (x: number): number => { ${body.replaceAll("@", () => JSON.stringify(key))} };
export const g${i} = grad(f${i}${engine});\n`,
    )
    .join("")}${OUTSIDE(key)}`;

describe("keys", () => {
  const files = Object.entries(ENGINES).flatMap(([name, engine]) =>
    KEYS.map((key, i): [string, string] => [`${name}${i}.ts`, textOf(key, engine)]),
  );
  const all = compiled(Object.fromEntries(files));
  const rows = Object.keys(ENGINES).flatMap((engine) =>
    KEYS.map((key, i) => ({ key, engine, file: `${engine}${i}` })),
  );
  test.each(rows)("$key, $engine", ({ key, file }) => {
    expect(problemsOf(all, `${file}.`)).toEqual([]);
    const { outside, ...exports } = all.load(`/src/${file}.ts`);
    const kinds = Object.keys(KINDS).filter((kind) => !isForbidden(kind, key));
    const got = kinds.map((kind, k) => [kind, Number(call(exports[`g${k}`], 1.5))] as const);
    // products of 1.5 and small integers are exact
    expect(got.filter(([, value]) => Math.abs(value - 9) > 1e-12)).toEqual([]);
    expect(outside).toEqual([9, 9]);
  });
  test("no key becomes code", () => {
    expect("HACKED" in globalThis).toBe(false);
  });
});
