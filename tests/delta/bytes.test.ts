// Numbers that pass through the bytes of a buffer. In: ways from an array with one number to another array. Out: the derivative, where the bytes are copied or moved as they
// are; TSG0012 or TSG0010 where they are read as something else. Never 0.

import { expect, it } from "vitest";
import { variantsOf } from "../programs/variants.ts";

/** From `f`, a `Float64Array` of one number, to an expression of the number; the buffer is `f.buffer`. */
const RIGHT: Readonly<Record<string, string>> = {
  "a view": "new Float64Array(f.buffer)[0]!",
  "a slice": "new Float64Array(f.buffer.slice(0))[0]!",
  "a slice of a slice": "new Float64Array(f.buffer.slice(0).slice(-8, 8))[0]!",
  "a slice without arguments":
    "new Float64Array((f.buffer as { slice(): ArrayBuffer }).slice())[0]!",
  "slice by call": "new Float64Array(ArrayBuffer.prototype.slice.call(f.buffer, 0))[0]!",
  "a slice behind another number":
    "new Float64Array(new Float64Array([5, f[0]!]).buffer.slice(8))[0]!",
  "a slice by negative positions":
    "new Float64Array(new Float64Array([5, f[0]!]).buffer.slice(-8))[0]!",
  "a slice of an array's copy": "new Float64Array(f.slice().buffer)[0]!",
  "a slice of a part": "new Float64Array(f.subarray(0, 1).slice().buffer)[0]!",
  "a slice of single precision": "new Float32Array(new Float32Array([f[0]!]).buffer.slice(0))[0]!",
  "a slice that a DataView reads": "new DataView(f.buffer.slice(0)).getFloat64(0, true)",
  "a DataView": "new DataView(f.buffer).getFloat64(0, true)",
  "a clone": "structuredClone(f)[0]!",
  "a clone of the buffer": "new Float64Array(structuredClone(f.buffer))[0]!",
  "a clone of a record with the buffer": "new Float64Array(structuredClone({ b: f.buffer }).b)[0]!",
  "a clone of a list of buffers": "new Float64Array(structuredClone([f.buffer])[0]!)[0]!",
  "a clone of a Map of buffers":
    'new Float64Array(structuredClone(new Map([["b", f.buffer]])).get("b")!)[0]!',
  "a clone of a DataView": "structuredClone(new DataView(f.buffer)).getFloat64(0, true)",
  "a clone of two views":
    "((x: { a: Float64Array; b: Float64Array }) => x.b[0]!)(structuredClone({ a: new Float64Array(f.buffer), b: f }))",
  "a clone that transfers":
    "new Float64Array((structuredClone as (b: unknown, o: unknown) => ArrayBuffer)(f.buffer, { transfer: [f.buffer] }))[0]!",
  "a clone of a view that transfers":
    "(structuredClone as (b: unknown, o: unknown) => Float64Array)(f, { transfer: [f.buffer] })[0]!",
  "a transferred buffer":
    "(typeof Reflect.get(ArrayBuffer.prototype, 'transfer') === 'function' ? new Float64Array((f.buffer as unknown as { transfer(): ArrayBuffer }).transfer())[0]! : f[0]!)",
  set: "((g: Float64Array) => { g.set(f); return g[0]!; })(new Float64Array(1))",
  "set of a part":
    "((g: Float64Array) => { g.set(f.subarray(0), 1); return g[1]!; })(new Float64Array(2))",
};
const REFUSED: Readonly<Record<string, string>> = {
  bytes:
    "((g: Float64Array) => { new Uint8Array(g.buffer).set(new Uint8Array(f.buffer)); return g[0]!; })(new Float64Array(1))",
  "bytes of a slice":
    "((g: Float64Array) => { new Uint8Array(g.buffer).set(new Uint8Array(f.buffer.slice(0))); return g[0]!; })(new Float64Array(1))",
  "a part of a number": "new Uint8Array(f.buffer.slice(0, 4))[0]!",
  "a copy of bytes": "new Float64Array(Uint8Array.from(new Uint8Array(f.buffer)).buffer)[0]!",
  "big integers":
    "((g: Float64Array) => { new BigInt64Array(g.buffer)[0] = new BigInt64Array(f.buffer)[0]!; return g[0]!; })(new Float64Array(1))",
  "big integers of a slice":
    "((g: Float64Array) => { new BigInt64Array(g.buffer)[0] = new BigInt64Array(f.buffer.slice(0))[0]!; return g[0]!; })(new Float64Array(1))",
  "Buffer.from": "Buffer.from(f.buffer).readDoubleLE(0)",
  "Buffer.from, copied": "Buffer.from(Buffer.from(f.buffer.slice(0))).readDoubleLE(0)",
  "a shared buffer":
    "((s: SharedArrayBuffer) => { new Float64Array(s)[0] = f[0]!; return new Float64Array(s.slice(0))[0]!; })(new SharedArrayBuffer(8))",
  "a function of the host": "new TextDecoder().decode(f.buffer).length + f[0]! * 0",
};
const ENGINES = { automatic: "", delta: ', { engine: "delta" }' };
const textOf = (expression: string, engine: keyof typeof ENGINES): string =>
  `import { grad } from "tsgrad";
declare const Buffer: any; declare const TextDecoder: any;
export const g = grad((x: number): number => { const f = new Float64Array([x]); return ${expression} * 2; }${ENGINES[engine]});`;
const engines = ["automatic", "delta"] as const;
const cases = [...Object.keys(RIGHT), ...Object.keys(REFUSED)].flatMap((name) =>
  engines.map((engine) => [name, engine] as const),
);
const variants = variantsOf(
  Object.fromEntries(
    cases.map(([name, engine]) => [
      `${name}, ${engine}`,
      textOf(RIGHT[name] ?? REFUSED[name] ?? "", engine),
    ]),
  ),
);

it.each(cases)("%s, %s", (name, engine) => {
  const { errors, exports } = variants(`${name}, ${engine}`);
  expect(errors).toEqual([]);
  const { g } = exports() as { g: (x: number) => number };
  if (name in RIGHT) expect(g(3)).toBe(2);
  else expect(() => g(3)).toThrow(/^TSG001[02]: /);
});
