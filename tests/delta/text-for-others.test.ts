// Texts of active numbers that code of others sees. In: ways to make a text, ways to hand it on.
// Oracle: an error of the run, since a gradient would lack what that code computes from the text;
// texts that stay in the program, or are only printed, give the gradient by hand.

import { describe, expect, test, vi } from "vitest";
import { built } from "../nested/compiled.ts";

/** Texts of `x`, of `{ x }` or of a list. */
const TEXTS: readonly string[] = [
  "`${x}px`",
  '"width: " + x',
  'x + ""',
  "x.toFixed(2)",
  "x.toPrecision(3).padStart(8)",
  "String(x)",
  "JSON.stringify({ x })",
  '[x, 1].join(",")',
  "`M0,1 L${x},2`.trim()",
  '"a".concat(`,${x}`)',
  "`${[x]}`",
];

/** How `s` reaches the host, whose numbers depend on it. */
const WAYS: Readonly<Record<string, string>> = {
  "an accessor": "host.text = s;",
  "an accessor by key": 'host["te" + "xt"] = s;',
  "a method": "host.put(s);",
  "a method, in an object": "host.take({ style: { width: s } });",
  "a method, in a list": "host.take([s]);",
  "a constructor": "new host.Box(s);",
  "Reflect.set": 'Reflect.set(host, "text", s);',
  "Object.assign": "Object.assign(host, { text: s });",
  "a field of data that a getter reads": "host.style.width = s;",
  "a field that the host gives no accessor": "host.named.width = s;",
  "a field of data that was read before": "host.style.width += s;",
  "a field of data that was read and written before":
    'host.style.width = ""; host.style.width += ""; host.style.width += s;',
  "a field of the host that was read before": 'host.named.width = ""; host.named.width += s;',
  "a field of data by key": 'const k = "wid" + "th"; host.style[k] += s;',
  "an element of its list": "host.items[0] = s;",
  "an element of its list that was read before": "host.items[0] += s;",
  "an element that is added to its list": "host.items.push(s);",
  "an element that replaces others": "host.items.splice(0, 1, s);",
  "an entry of its Map": 'host.byName.set("w", s);',
  "a Map that a method is given": 'host.takeAll(new Map([["w", s]]));',
  "keys of a Map that a method is given": "host.takeAll(new Map([[s, 1]]));",
  "a Set that a method is given": "host.takeAll(new Set([s]));",
  "an instance that a method is given": "class B { w = s; } host.take(new B());",
  "the last of many objects":
    "let all: any = { w: s }; for (let i = 0; i < 20000; i++) all = { all }; host.drop(all);",
};

const HOST = `
const host: any = new Function(\`
  const number = (s) => Number(/[0-9]+[.]?[0-9]*/.exec(s)?.[0] ?? 0);
  let all = "";
  class Named {}
  Object.defineProperty(Named.prototype, Symbol.toStringTag, { value: "Named" });
  class Host {
    style = { width: "" };
    items = [""];
    byName = new Map();
    named = new Named();
    Box = class { constructor(s) { all += s; } };
    get text() { return all; }
    set text(s) { all += s; }
    put(s) { all += s; }
    take(o) { all += JSON.stringify(o); }
    takeAll(o) { all += JSON.stringify([...o]); }
    drop(o) { while (o.all) o = o.all; all += o.w; }
    get width() { return number(all + this.style.width + (this.named.width ?? "") + this.items.join("") + [...this.byName.values()].join("")); }
  }
  return new Host();
\`)();`;

/** The gradients at 3.25 of functions with these bodies. */
function runsOf(bodies: readonly string[]): readonly (() => unknown)[] {
  const functions = bodies.map(
    (body, k) => `const f${k} = (x: number): number => { ${body} };
export const d${k} = (): number => grad(f${k}, { engine: "delta" })(3.25);`,
  );
  const { exports } = built(`import { grad, stopGradient } from "tsgrad";
${HOST}
const stop = stopGradient;
declare const process: any;
${functions.join("\n")}`);
  return bodies.map((_, k) => () => {
    const run = exports[`d${k}`];
    return typeof run === "function" ? Reflect.apply(run, undefined, []) : "no function";
  });
}

describe.each(Object.entries(WAYS))("a text that code of others sees by %s", (_, way) => {
  const texts = [...TEXTS, "`${stop(x)}px`"];
  const runs = runsOf(texts.map((text) => `const s = ${text}; ${way} return host.width * x;`));

  test.each(TEXTS.map((text, k): [string, number] => [text, k]))("%s", (_, k) => {
    expect(() => runs[k]?.()).toThrow(/^TSG0012.*stopGradient/);
  });

  test("the text of a constant", () => {
    expect(runs.at(-1)?.()).toBeCloseTo(3.25, 10);
  });
});

test("a number that a function makes of a text", () => {
  const [run] = runsOf([
    "const parse: any = new Function('s', 'return +s'); return parse(`${x}`) * x;",
  ]);
  expect(() => run?.()).toThrow(/^TSG0012/);
});

test.each([
  "host.named.width = 1; host.named.width += x;",
  "host.named.width = 1; const w = host.named.width; host.named.width = x * w;",
  "host.named.width = x;",
])("a number in a field of the host: %s", (way) => {
  const [run] = runsOf([`${way} return host.width * x;`]);
  expect(() => run?.()).toThrow(/^TSG0012/);
});

test("an object of many objects, which unknown code is given", () => {
  const many = "let all: any = {}; for (let i = 0; i < 20000; i++) all = { all };";
  const [active, constant] = runsOf([
    `${many.replace("{};", "{ x };")} host.drop(all); return x * x;`,
    `${many} host.drop(all); return x * x;`,
  ]);
  expect(() => active?.()).toThrow(/^TSG0010/);
  expect(constant?.()).toBe(6.5);
});

const KEPT: readonly string[] = [
  "console.log(`x ${x}`); return x * x;",
  "console.log([`${x}`]); return x * x;",
  "process.stdout.write(`${x}`); return x * x;",
  "const m = new Map<string, number>(); m.set(`${x}`, x * x); return m.get(`${x}`)!;",
  "const m: Record<string, number> = {}; m[x.toFixed(1)] = x * x; return m[x.toFixed(1)]!;",
  "if (x < 0) throw new RangeError(`bad ${x}`); return x * x;",
  "try { throw new RangeError(`bad ${x}`); } catch (e) { console.warn(e); } return x * x;",
  "const log: string[] = []; log.push(`x ${x}`); return x * x + log.length;",
  "const o = { label: '' }; o.label = `x ${x}`; return x * x + o.label.length;",
  "class A { label = ''; } const o = new A(); o.label = `x ${x}`; host.put('3'); return x * x;",
  "class Bad extends Error { constructor(v: number) { super(`bad ${v}`); } } try { throw new Bad(x); } catch { return x * x; }",
  "return /^3/.test(`${x}`) ? x * x : 0;",
  "console.log(`${x}`); host.put('box3'); host.put('h1'); return x * x;",
  "const tell: any = new Function('s', ''); tell(`x ${x}`); ({ tell }).tell(`${x}`); return x * x;",
  "return new Date(`2000-01-0${Math.floor(x)}`).getFullYear() * 0 + x * x;",
];

test("texts of the program, and such as are printed", () => {
  const mocks = [
    vi.spyOn(process.stdout, "write").mockReturnValue(true),
    vi.spyOn(console, "log").mockReturnValue(undefined),
    vi.spyOn(console, "warn").mockReturnValue(undefined),
  ];
  try {
    for (const [k, run] of runsOf(KEPT).entries()) expect(run(), KEPT[k]).toBe(6.5);
  } finally {
    for (const each of mocks) each.mockRestore();
  }
});
