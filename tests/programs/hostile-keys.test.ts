// Keys are data: names of members of `Object.prototype`, `__proto__`, the empty string, quotes and code as keys of dictionaries, Maps, records, classes and discriminants. In: a table of programs,
// crossed with keys, engines and forms. Oracle: central differences of the program itself, of width 1e-4; their error is below 1e-6 for these polynomials.
// It cannot see a key that the program itself loses, such as `d["__proto__"] = v`.

import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { loader } from "./modules.ts";

const KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "",
  "a-b",
  "0",
  `it's "quoted"`,
  "new\nline \\ and `${a}`",
  "ünï",
  "$bar",
  "x; globalThis.hacked = 1; //",
];

const HEAD = `import { grad, hessian, hvp, jacrev, jvp, vjp } from "tsgrad";
type D = Record<string, number>;
type P = Record<string, { p: number }>;
function sum(d: D): number { let s = 0; for (const j of Object.keys(d)) s += d[j]! * d[j]! * (1 + j.length); return s; }
function sumP(d: P): number { let s = 0; for (const j in d) s += d[j]!.p * d[j]!.p * (1 + j.length); return s; }
`;

/** Bodies of `(a: number, b: number, k: string) => number`. */
const BY_VARIABLE: Readonly<Record<string, string>> = {
  written: `const d: D = {}; d[k] = a * b; d["z"] = a + b; return sum(d);`,
  literalThenWritten: `const d: D = { y: a }; d[k] = a * b; d["y"] = d["y"]! * b; return sum(d);`,
  computed: `const d: D = { z: a + b, [k]: a * b }; return sum(d);`,
  spread: `const e: D = { [k]: a * b, z: b }; const d: D = { ...e, y: a }; return sum(d);`,
  spreadObjects: `const e: P = { [k]: { p: a * b }, z: { p: b } }; const d: P = { ...e }; return sumP(d);`,
  entries: `const d: D = Object.fromEntries([k, "z"].map((j, i): [string, number] => [j, i === 0 ? a * b : a])); return sum(d);`,
  assigned: `const d: D = Object.assign({}, { [k]: a * b } as D, { z: a } as D); return sum(d);`,
  cloned: `const e: P = { [k]: { p: a * b }, z: { p: a } }; const d = structuredClone(e); d["z"]!.p *= b; return sumP(d);`,
  counted: `const d: D = {}; for (const w of [k, "z", k]) d[w] = (Object.hasOwn(d, w) ? d[w]! : 0) + a * b; let s = 0; for (const j in d) s += d[j]! * d[j]!; return s;`,
  deleted: `const d: D = { [k]: a * b, z: a }; delete d[k]; d[k] = b; return sum(d);`,
  rest: `const d: D = { [k]: a * b, z: a }; const { z, ...others } = d; return z! * sum(others);`,
  lists: `const d: Record<string, number[]> = { z: [a] }; for (const w of [k, "z"]) { if (!Object.hasOwn(d, w)) d[w] = []; d[w]!.push(a * b); } let s = 0; for (const j of Object.keys(d)) for (const v of d[j]!) s += v * v; return s;`,
  map: `const m = new Map<string, number>(); m.set(k, a * b); m.set("z", a); m.set(k, m.get(k)! * b); let s = 0; for (const [j, v] of m) s += v * v * (1 + j.length); return s;`,
  passed: `const d: D = { y: b }; put(d, k, a); return sum(d);`,
};

/** Programs that only the Delta engine takes; and one whose second derivative has the key `valueOf` by mistake. */
const FIRST_ORDER: ReadonlySet<string> = new Set(["assigned", "rest", "guarded"]);

/** Declarations, and the body of a function of `a` and `b`, with a key in the code. */
const BY_LITERAL: Readonly<
  Record<string, (key: string, n: number) => readonly [declared: string, body: string]>
> = {
  literal: (key) => ["", `const d: D = { [${key}]: a * b, z: a }; return sum(d) * d[${key}]!;`],
  field: (key, n) => [
    `interface R${n} { [${key}]: number; z: number }`,
    `const r: R${n} = { [${key}]: a * b, z: a }; const q = { ...r, z: b }; return r[${key}] * r.z * q[${key}];`,
  ],
  destructured: (key, n) => [
    `interface Q${n} { [${key}]: { p: number }; z: number }`,
    `const q: Q${n} = { [${key}]: { p: a * b }, z: a }; const { [${key}]: { p }, z } = q; return p * z * p;`,
  ],
  discriminant: (key, n) => [
    `type S${n} = { [${key}]: "p"; v: number } | { [${key}]: "q | r"; w: number; v: number };
function area${n}(s: S${n}): number { return s[${key}] === "p" ? s.v * s.v : s.v * s.w; }`,
    `const list: S${n}[] = [{ [${key}]: "p", v: a }, { [${key}]: "q | r", v: a, w: b }]; let s = 0; for (const one of list) s += area${n}(one); return s;`,
  ],
  classField: (key, n) => [
    `class C${n} { [${key}]: number; z: number; constructor(p: number, z: number) { this[${key}] = p; this.z = z; } }`,
    `const c = new C${n}(a * b, a); return c[${key}] * c.z;`,
  ],
};

/** Functions of a dictionary and a key. */
const OF_DICTIONARY: Readonly<Record<string, string>> = {
  whole: `(d: D, k: string): number => sum(d)`,
  copied: `(d: D, k: string): number => { const e: D = { ...d }; e["z"] = e["z"]! * e[k]!; return sum(e); }`,
  atKey: `(d: D, k: string): number => d[k]! * d[k]! * d["z"]!`,
  guarded: `(d: D, k: string): number => { let s = 0; for (const j of [k, "valueOf", "none"]) { const v = d[j]; if (typeof v === "number") s += v * v; } return s; }`,
  mapped: `(d: D, k: string): number => sum(Object.fromEntries(Object.entries(d).map(([j, v]): [string, number] => [j, v * v])))`,
};

/** Dictionaries of a dictionary and a key. */
const TO_DICTIONARY: Readonly<Record<string, string>> = {
  squares: `(d: D, k: string): D => { const e: D = { ...d }; for (const j of Object.keys(d)) e[j] = d[j]! * d[j]! * d["z"]!; return e; }`,
  same: `(d: D, k: string): D => d`,
  picked: `(d: D, k: string): D => ({ [k]: d[k]! * d["z"]!, y: d["z"]! })`,
};

const ENGINES = { static: "", delta: `engine: "delta"` };
type Engine = keyof typeof ENGINES;
type Fn = (...args: readonly unknown[]) => unknown;

const optionsOf = (engine: Engine, more = ""): string =>
  `{ ${[more, ENGINES[engine]].filter((one) => one !== "").join(", ")} }`;

function source(engine: Engine): string {
  const both = optionsOf(engine, "argnums: [0, 1]");
  const one = optionsOf(engine);
  const lines = [
    `function put(d: D, k: string, x: number): void { d[k] = x * x; d[k] = d[k]! + x; }`,
  ];
  const ofNumbers = (name: string, params: string, body: string): void => {
    lines.push(
      `export function ${name}(${params}): number { ${body} }`,
      `export const ${name}_grad = grad(${name}, ${both}), ${name}_jvp = jvp(${name}, ${one});`,
    );
  };
  for (const [name, body] of Object.entries(BY_VARIABLE)) {
    ofNumbers(name, "a: number, b: number, k: string", body);
    if (engine === "static" && !FIRST_ORDER.has(name))
      lines.push(`export const ${name}_hessian = hessian(${name}, ${both});`);
  }
  for (const [name, program] of Object.entries(BY_LITERAL))
    KEYS.forEach((key, n) => {
      const [declared, body] = program(JSON.stringify(key), n);
      if (declared !== "") lines.push(declared);
      ofNumbers(`${name}${n}`, "a: number, b: number", body);
    });
  for (const [name, f] of Object.entries(OF_DICTIONARY))
    lines.push(
      `export const ${name} = ${f};`,
      `export const ${name}_grad = grad(${name}, ${one}), ${name}_vjp = vjp(${name}, ${optionsOf(engine, "argnums: 0")}), ${name}_jvp = jvp(${name}, ${one});`,
      engine === "static" && !FIRST_ORDER.has(name)
        ? `export const ${name}_hvp = hvp(${name}, ${one});`
        : "",
    );
  for (const [name, f] of Object.entries(TO_DICTIONARY))
    lines.push(
      `export const ${name} = ${f};`,
      `export const ${name}_jacrev = jacrev(${name}, ${one}), ${name}_vjp = vjp(${name}, ${optionsOf(engine, "argnums: 0")}), ${name}_jvp = jvp(${name}, ${one});`,
    );
  return HEAD + lines.join("\n");
}

function compiled(engine: Engine): Readonly<Record<string, unknown>> {
  const text = source(engine);
  const { edits, diagnostics } = analyse(programOf({ "keys.ts": text }));
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  const file = "/src/keys.ts";
  return loader(new Map([[file, applyEdits(file, text, edits.get(file) ?? []).text]]))(file);
}

const STEP = 1e-4;
const slope = (f: (x: number) => number, x: number): number =>
  (f(x + STEP) - f(x - STEP)) / (2 * STEP);

/** Whether two numbers or trees of own keys agree. */
function differs(got: unknown, wanted: unknown, path = ""): string[] {
  if (typeof wanted === "number")
    return typeof got === "number" && Math.abs(got - wanted) < 1e-5 * (1 + Math.abs(wanted))
      ? []
      : [`${path}: ${String(got)}, not ${wanted}`];
  if (typeof got !== "object" || got === null || typeof wanted !== "object" || wanted === null)
    return [`${path}: ${String(got)}`];
  const keys = Object.keys(wanted).sort();
  const own = Object.keys(got).sort();
  if (JSON.stringify(keys) !== JSON.stringify(own)) return [`${path}: keys ${JSON.stringify(own)}`];
  if (Object.getPrototypeOf(got) !== Object.getPrototypeOf(wanted)) return [`${path}: prototype`];
  return keys.flatMap((key) => differs(at(got, key), at(wanted, key), `${path}[${key}]`));
}
const at = (o: unknown, key: string): unknown => Object.getOwnPropertyDescriptor(o, key)?.value;
const mapValues = (d: object, to: (v: number, key: string) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.keys(d).map((key) => [key, to(at(d, key) as number, key)]));

const [A, B] = [1.3, 0.7];

/** What is wrong with a function of two numbers. */
function ofNumbers(module: Readonly<Record<string, unknown>>, name: string, key: string): string[] {
  const call = (form: string, ...args: readonly unknown[]): unknown =>
    (module[`${name}${form}`] as Fn)(...args);
  const f = (a: number, b: number): number => call("", a, b, key) as number;
  const [byA, byB] = [slope((a) => f(a, B), A), slope((b) => f(A, b), B)];
  const [, tangent] = call("_jvp", [A, B, key], [2, -1, undefined]) as [number, number];
  const found = [
    ...differs(call("_grad", A, B, key), [byA, byB], "grad"),
    ...differs(tangent, 2 * byA - byB, "jvp"),
  ];
  if (module[`${name}_hessian`] === undefined) return found;
  const by = (i: number) => (a: number, b: number) =>
    Number(at(call("_grad", a, b, key), String(i)));
  const hessian = [0, 1].map((i) => [slope((a) => by(i)(a, B), A), slope((b) => by(i)(A, b), B)]);
  return [...found, ...differs(call("_hessian", A, B, key), hessian, "hessian")];
}

const argument = (key: string): Record<string, unknown> =>
  JSON.parse(`{"z": 1.7, ${JSON.stringify(key)}: 0.9, "y": 0.3}`) as Record<string, unknown>;
const changed = (d: object, key: string, to: number): object =>
  mapValues(d, (v, own) => (own === key ? to : v));

/** What is wrong with a number of a dictionary. */
function ofDictionary(
  module: Readonly<Record<string, unknown>>,
  name: string,
  key: string,
): string[] {
  const call = (form: string, ...args: readonly unknown[]): unknown =>
    (module[`${name}${form}`] as Fn)(...args);
  const d = argument(key);
  const gradient = (d: object): Record<string, unknown> =>
    mapValues(d, (v, own) => slope((x) => call("", changed(d, own, x), key) as number, v));
  const wanted = gradient(d);
  const direction = mapValues(d, (_, own) => (own === key ? 2 : -1));
  const along = Object.keys(d).reduce(
    (total, own) => total + (at(wanted, own) as number) * (at(direction, own) as number),
    0,
  );
  const less = mapValues(d, (_, own) => (own === key ? 0 : -1));
  delete less[key];
  const without = along - 2 * (at(wanted, key) as number);
  const [, back] = call("_vjp", d, key) as [number, Fn];
  const moved = (h: number): object =>
    call(
      "_grad",
      mapValues(d, (v, own) => v + h * (at(direction, own) as number)),
      key,
    ) as object;
  const [up, down] = [moved(STEP), moved(-STEP)];
  const second = mapValues(
    d,
    (_, own) => ((at(up, own) as number) - (at(down, own) as number)) / (2 * STEP),
  );
  return [
    ...differs(call("_grad", d, key), wanted, "grad"),
    ...differs(back(1), wanted, "vjp"),
    ...differs((call("_jvp", [d, key], [direction, undefined]) as unknown[])[1], along, "jvp"),
    ...differs((call("_jvp", [d, key], [less, undefined]) as unknown[])[1], without, "partial jvp"),
    ...(module[`${name}_hvp`] === undefined
      ? []
      : differs(call("_hvp", [d, key], direction), second, "hvp")),
  ];
}

/** What is wrong with a dictionary of a dictionary. */
function toDictionary(
  module: Readonly<Record<string, unknown>>,
  name: string,
  key: string,
): string[] {
  const call = (form: string, ...args: readonly unknown[]): unknown =>
    (module[`${name}${form}`] as Fn)(...args);
  const d = argument(key);
  const result = call("", d, key) as object;
  const jacobian = mapValues(result, (_, row) =>
    mapValues(d, (v, own) => slope((x) => at(call("", changed(d, own, x), key), row) as number, v)),
  );
  const seed = mapValues(result, (_, row) => (row === key ? 3 : -1));
  const partial = mapValues(result, (_, row) => (row === key ? 3 : 0));
  for (const row of Object.keys(partial)) if (row === key) delete partial[row];
  const pulled = (seed: object): Record<string, unknown> =>
    mapValues(d, (_, own) =>
      Object.keys(jacobian).reduce(
        (total, row) =>
          total +
          ((at(seed, row) as number | undefined) ?? 0) * (at(at(jacobian, row), own) as number),
        0,
      ),
    );
  const pushed = mapValues(result, (_, row) =>
    Object.keys(d).reduce((total, own) => total + (at(at(jacobian, row), own) as number), 0),
  );
  const back = (call("_vjp", d, key) as [object, Fn])[1];
  return [
    ...differs(call("_jacrev", d, key), jacobian, "jacrev"),
    ...differs(back(seed), pulled(seed), "vjp"),
    ...differs(back(partial), pulled(partial), "vjp of a seed without the key"),
    ...differs(
      (call("_jvp", [d, key], [mapValues(d, () => 1), undefined]) as unknown[])[1],
      pushed,
      "jvp",
    ),
  ];
}

test.each(Object.keys(ENGINES) as Engine[])("keys are data (%s)", (engine) => {
  const module = compiled(engine);
  const found: string[] = [];
  const note = (what: string, key: string, check: () => string[]): void => {
    let problems: string[];
    try {
      problems = check();
    } catch (error) {
      problems = [String(error)];
    }
    found.push(...problems.map((each) => `${what} ${JSON.stringify(key)}: ${each}`));
  };
  KEYS.forEach((key, n) => {
    for (const name of Object.keys(BY_VARIABLE))
      note(name, key, () => ofNumbers(module, name, key));
    for (const name of Object.keys(BY_LITERAL))
      note(name, key, () => ofNumbers(module, `${name}${n}`, key));
    for (const name of Object.keys(OF_DICTIONARY))
      note(name, key, () => ofDictionary(module, name, key));
    for (const name of Object.keys(TO_DICTIONARY))
      note(name, key, () => toDictionary(module, name, key));
  });
  expect(found).toEqual([]);
  expect("hacked" in globalThis).toBe(false);
});
