// Objects that an assertion calls numbers, or that are `any` on their way to where a number is declared. In: small programs. Out: their derivatives where operators ask the objects for numbers; elsewhere an error, never a 0.

import { describe, expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { loader } from "../programs/modules.ts";
import { programOf } from "../program.ts";

const HEAD = `import { grad } from "tsgrad";
class Money { readonly amount: number; constructor(amount: number) { this.amount = amount; } valueOf(): number { return this.amount; } }
interface Anything { a: any }
class Holder { v: any; constructor(x: number) { this.v = [x]; } get n(): number { return this.v; } }
const any = (x: number): any => new Money(x * x);
const wrapped = <T>(t: T): T => [t] as any;
const twice = (n: number): number => n * 2;
const twiceOf = (f: (x: number) => number, x: number): number => f(x) * 2;
const money = (x: number): number => new Money(x * x) as unknown as number;
`;

/** The gradient of a function of one number, by its body, or the code of what the compiler says. */
function gradient(body: string, options: string): unknown {
  const source = `${HEAD}const f = (x: number): number => { ${body} };\nexport const value = grad(f${options})(3);\n`;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": source }));
  if (diagnostics.length > 0)
    throw new Error(diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  return loader(
    new Map([
      ["/src/input.ts", applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []).text],
    ]),
  )("/src/input.ts")["value"];
}

const ENGINES = ["", `, { engine: "delta" }`];
const MADE = "(new Money(x * x) as unknown as number)";

describe.each(ENGINES)("engine%s", (options) => {
  test.each([
    [`return ${MADE} * 2;`, 12],
    [`const m = ${MADE}; return m * 2 + m;`, 18],
    [`let m = ${MADE}; m = ${MADE}; return -m;`, -6],
    [`return Math.max(${MADE}, 1) + Number(${MADE});`, 12],
    [`return [x, x * x].map((each) => ((each as unknown) as number) * 2)[1]!;`, 12],
    [
      `const p: any = x * x; const n: number = p; return twice(n) + twice(p) + twiceOf((e): any => e * e, x);`,
      36,
    ],
    [
      `const o: any = { a: x, b: [x] }; const q: { a: number; b: number[]; c?: number } = o; const { a } = q; return a * q.b[0]!;`,
      6,
    ],
    [
      `const o: Anything = { a: x * x }; const ns: number[] = []; ns.push(o.a); ns[1] = o.a; return ns[0]! + ns[1]!;`,
      12,
    ],
    [
      `const p: any = new Money(x * x); const fs = new Float64Array(2); fs[0] = p; fs.fill(p, 1); return p * 2 + fs[0]! + fs[1]! + Math.max(p, 1);`,
      30,
    ],
    [`const p: any = [any(x)]; const ns: unknown[] = p; return (ns[0] as number) * 2;`, 12],
    [`const xs: unknown = [x * x]; return (xs as unknown as number[])[0]!;`, 6],
  ])("%s", (body, expected) => {
    expect(gradient(body, options)).toBe(expected);
  });

  test.each([
    `return ${MADE};`,
    `const m = ${MADE}; return m;`,
    `return [x].map((each) => new Money(each * each) as unknown as number)[0]! * 2;`,
    `const all = [${MADE}]; return all[0]! * 2;`,
    `const all: number[] = []; all.push(${MADE}); return all[0]! * 2;`,
    `const o = { a: ${MADE} }; return o.a * 2;`,
    `const twice = (m: number): number => m * 2; return twice(${MADE});`,
    `let m = 0; m = ${MADE}; return m * 2;`,
    `const m = x > 0 ? ${MADE} : x; return m * 2;`,
    `const [m] = [${MADE}]; return m! * 2;`,
    `const number = <T>(each: T): number => each as unknown as number; return number(new Money(x * x)) * 2;`,
    "return money(x) * 2;",
    "const p: any = new Money(x * x); const n: number = p; return n * 2;",
    "const p: any = [x]; let n = 0; n = p; return n * 2;",
    "const n: number = any(x); return n * 2;",
    "return any(x);",
    "return twice(any(x));",
    "return twiceOf(any, x);",
    "return twiceOf((e): any => [e * e], x);",
    "const o: Anything = { a: [x * x] }; const n: number = o.a; return n * 2;",
    "const o: Anything = { a: [x * x] }; const r: { a: number } = o; return r.a * 2;",
    "const o: any = { a: [x * x], b: x }; const q: { a: number; b: number } = o; return q.a * q.b;",
    "const o: any = { a: [x * x], b: x }; const { a, b }: { a: number; b: number } = o; return a * b;",
    "const { a = [x * x] as any }: { a?: number } = {}; return a * 2;",
    "const all: any[] = [[x * x]]; const ns: number[] = all; return ns[0]! * 2;",
    "const ns: number[] = [x].map((e): any => new Money(e * e)); return ns[0]! * 2;",
    "const o: any = [x]; const ns: number[] = []; ns.push(o); return ns[0]! * 2;",
    "const o: any = [x]; const r: { a: number } = { a: o }; return r.a * 2;",
    "const o: any = [x]; const n: number = x > 0 ? o : 1; return n * 2;",
    "const s: number = [x].reduce((a: any, e) => [a * e], 1); return s * 2;",
    "return wrapped(x) * 2;",
  ])("%s", (body) => {
    expect(() => gradient(body, options)).toThrow(
      /^TSG0021: an object that is asserted to be a number/,
    );
  });

  test("a getter gives what is any", () => {
    expect(() => gradient("return new Holder(x * x).n * 2;", options)).toThrow(/^TSG(?:0021|3001)/);
  });

  test.each([
    "const all = [new Money(x * x)] as unknown as number[]; return all[0]! * 2;",
    "const o = { a: new Money(x * x) } as unknown as { a: number }; return o.a * 2;",
    "const o = { all: [new Money(x * x)] } as unknown as { all: number[] }; return o.all[0]! * 2;",
  ])("%s", (body) => {
    expect(() => gradient(body, options)).toThrow(/^TSG\d+ .*assertion `/);
  });
});

/** What is said to be an object by each kind of assertion, and may be a number. */
const SAID: Readonly<Record<string, (type: string, value: string) => string>> = {
  assertion: (type, value) => `(${value} as unknown as ${type})`,
  "assertion of a union": (type, value) => `((${value} as Any) as ${type})`,
  brackets: (type, value) => `(<${type}><unknown>${value})`,
  any: (_, value) => `any(${value})`,
  "type parameter": (type, value) => `id<${type}>(${value})`,
  overload: (type, value) => `as${type === "Box" ? "Box" : "List"}(${value})`,
  "list of any": (type, value) => `([any(${value})] as ${type}[])[0]!`,
  "list by assertion": (type, value) => `([${value}] as unknown as ${type}[])[0]!`,
  "field by assertion": (type, value) => `({ a: ${value} } as unknown as { a: ${type} }).a`,
  "entry of a Map": (type, value) =>
    `(new Map<string, any>([["a", ${value}]]).get("a") as ${type})`,
  method: (type, value) => `new Giver().give<${type}>(${value})`,
};
const USED: Readonly<Record<string, (type: string, value: string) => string>> = {
  argument: (_, value) => `return use(${value});`,
  variable: (type, value) => `const v: ${type} = ${value}; return use(v);`,
  "assigned variable": (type, value) => `let v: ${type}; v = ${value}; return use(v);`,
  "parameter of that type": (type, value) =>
    `return take${type === "Box" ? "Box" : "List"}(${value});`,
  "element and field": (type, value) =>
    `const all: { a: ${type} }[] = [{ a: ${value} }]; return use(all[0]!.a);`,
  result: (type, value) => `const give = (): ${type} => ${value}; return use(give());`,
  "instance field": (type, value) => `return new Keeper<${type}>(${value}).use();`,
};
const TYPES = [
  { type: "Box", real: "{ v: x }" },
  { type: "number[]", real: "[x]" },
];
const OBJECTS = `import { grad } from "tsgrad";
interface Box { v: number }
type Any = number | number[] | Box;
const any = (v: unknown): any => v;
const id = <T>(v: unknown): T => v as T;
const use = (v: Any): number => typeof v === "number" ? 3 * v : Array.isArray(v) ? v[0]! : v.v;
const takeBox = (v: Box): number => use(v), takeList = (v: number[]): number => use(v);
function asBox(v: number): Box; function asBox(v: Box): Box; function asBox(v: Any): Any { return v; }
function asList(v: number): number[]; function asList(v: number[]): number[]; function asList(v: Any): Any { return v; }
class Giver { give<T>(v: unknown): T { return v as T; } }
class Keeper<T extends Any> { private readonly v: T; constructor(v: T) { this.v = v; } use(): number { return use(this.v); } }
`;
const SAYINGS = Object.entries(SAID).flatMap(([said, say]) =>
  Object.entries(USED).flatMap(([used, useOf]) =>
    TYPES.map(({ type, real }) => ({
      name: `${said} to ${type}: ${used}`,
      lie: useOf(type, say(type, "x")),
      truth: useOf(type, say(type, real)),
    })),
  ),
);

/** What either engine says at run time. */
const REFUSED =
  /^Error: TSG0021: a number (that is asserted|from `)|^TypeError: a value is not of the type that it is declared with/;

describe.each(ENGINES)("numbers that are said to be objects, engine%s", (options) => {
  const source = `${OBJECTS}${SAYINGS.map(({ lie, truth }, k) =>
    [lie, truth]
      .map(
        (body, i) =>
          `export const value${k}_${i} = grad((x: number): number => { ${body} }${options});`,
      )
      .join("\n"),
  ).join("\n")}
`;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": source }));
  const refused = diagnostics.filter(({ severity }) => severity === "error");
  const exports = loader(
    new Map([
      ["/src/input.ts", applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []).text],
    ]),
  )("/src/input.ts") as Readonly<Record<string, (x: number) => number>>; // exports are unknown

  test("are accepted", () => {
    expect(refused).toEqual([]);
  });

  test.each(SAYINGS.map(({ name }, k): [string, number] => [name, k]))("%s", (_, k) => {
    expect(exports[`value${k}_1`]?.(1.5)).toBe(1);
    let slope: unknown;
    try {
      slope = exports[`value${k}_0`]?.(1.5);
    } catch (error) {
      slope = String(error);
    }
    if (slope !== 3) expect(slope).toMatch(REFUSED);
  });
});

/** Values that types call objects without any assertion, since TypeScript compares both ways. */
const WIDENED: Readonly<Record<string, string>> = {
  "a parameter of an implementation":
    "class B implements A { m(v: number[]): number { return use(v); } } const a: A = new B(); return a.m(GIVEN);",
  "a parameter of a subclass":
    "class Base { m(v: Any): number { return use(v); } } class Sub extends Base { override m(v: number[]): number { return use(v); } } const a: Base = new Sub(); return a.m(GIVEN);",
  "a parameter of a literal's method":
    "const o: A = { m(v: number[]) { return use(v); } }; return o.m(GIVEN);",
  "an element":
    "const ls: number[][] = [[1]]; const all: Any[] = ls; all[0] = GIVEN; return use(ls[0]!);",
  "an element that is stored":
    "const ls: number[][] = [[1]]; const all: Any[] = ls; all[0] = GIVEN; const v: Any = ls[0]!; return use(v);",
  "a field":
    "const o: { a: number[] } = { a: [1] }; const p: { a: Any } = o; p.a = GIVEN; return use(o.a);",
  "a field of a result":
    "const o: { a: number[] } = { a: [1] }; const p: { a: Any } = o; p.a = GIVEN; const give = (): Any => o.a; return use(give());",
  "an instance's field":
    "class C { a: number[] = [1]; get(): Any { return this.a; } } const c = new C(); const p: { a: Any } = c; p.a = GIVEN; return use(c.get());",
  "an element of a literal":
    "const o: { a: number[] } = { a: [1] }; const p: { a: Any } = o; p.a = GIVEN; const all: Any[] = [o.a]; return use(all[0]!);",
  "a chosen one":
    "const o: { a: number[] } = { a: [1] }; const p: { a: Any } = o; p.a = GIVEN; return use(x > 0 ? o.a : 1);",
};

describe.each(ENGINES)("numbers where both directions are compared, engine%s", (options) => {
  const source = `import { grad } from "tsgrad";
type Any = number | number[];
interface A { m(v: Any): number }
const use = (v: Any): number => typeof v === "number" ? 3 * v : v[0]!;
${Object.values(WIDENED)
  .flatMap((body, k) =>
    ["x", "[x]"].map(
      (given, i) =>
        `export const value${k}_${i} = grad((x: number): number => { ${body.replace("GIVEN", given)} }${options});`,
    ),
  )
  .join("\n")}
`;
  const { edits, diagnostics } = analyse(programOf({ "input.ts": source }));
  const exports = loader(
    new Map([
      ["/src/input.ts", applyEdits("/src/input.ts", source, edits.get("/src/input.ts") ?? []).text],
    ]),
  )("/src/input.ts") as Readonly<Record<string, (x: number) => number>>; // exports are unknown

  test.each(Object.keys(WIDENED).map((name, k): [string, number] => [name, k]))("%s", (_, k) => {
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(exports[`value${k}_1`]?.(1.5)).toBe(1);
    let slope: unknown;
    try {
      slope = exports[`value${k}_0`]?.(1.5);
    } catch (error) {
      slope = String(error);
    }
    if (slope !== 3) expect(slope).toMatch(REFUSED);
  });
});
