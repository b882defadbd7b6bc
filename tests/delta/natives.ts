// Rows of natives.test.ts: expressions of `x`, by the handler that they call. `digest`, `attempt`,
// `Own`, `OwnFloats`, `OwnMap`, `OwnSet` and `Point` are declared beside them. A text that
// begins with a statement is a body.

import { isLong } from "../breadth.ts";

const LISTS = {
  plain: "[x, 2, x * x, 3 - x]",
  holes: "[x, , x * x, , 5]",
  own: "Own.of(x, x * x, 2)",
  nan: "[x, NaN, undefined, x * x, -0]",
  one: "[x]",
  empty: "[]",
};
const FLOATS = {
  plain: "Float64Array.of(x, 2, x * x, 3 - x)",
  own: "OwnFloats.of(x, x * x, 2)",
  part: "new Float64Array([9, x, x * x, 8, x + 1]).subarray(1, 4)",
  nan: "Float64Array.of(x, NaN, x * x)",
  empty: "new Float64Array(0)",
};
/** Objects that the methods of arrays take, too. */
const LIKE = "{ length: 3, 0: x, 2: x * x }";

const PLACES = ["0", "-1", "NaN", "undefined", "1.6", "-99", "99", ""];
const RANGES = ["", "1", "-2", "0, -1", "NaN", "undefined, 2", "1, 99", "2, 1", "-99, 2"];
const CHANGES = [
  "1",
  "0, 1",
  "-1, 1, x",
  "1, 0, x, x * x",
  "",
  "NaN, 1",
  "undefined",
  "1, undefined, x",
  "0, 2, 'a', x",
];
const MADE = [
  "(v, k) => v * (k + 1) * x",
  "(v, k, all) => all.length * x",
  "function (v) { return v * this.k; }, { k: x }",
  "(v) => v > 1.5",
  "Math.sin",
];
const TESTS = [
  "(v) => v > 1.5",
  "(v, k) => k === 1",
  "() => true",
  "() => false",
  "function (v) { return v !== this.k; }, { k: 2 }",
];
const FOLDS = [
  "(a, v) => a * 0.5 + v",
  "(a, v) => a * 0.5 + v, x",
  "(a, v, k) => a + v * k, 0",
  "(a, v) => v, undefined",
  "(a, v) => [...a, v * x], []",
  "(a, v, k, all) => a + all.length * x, x",
];
const ORDERS = [
  "() => { throw x * x; }",
  "",
  "(a, b) => a - b",
  "(a, b) => b - a",
  "undefined",
  "() => 0",
  "(a, b) => NaN",
];

/** All pairs; in a short run, pairs that take each receiver and each list of arguments once. */
function crossed(
  lists: Readonly<Record<string, string>>,
  args: readonly string[],
  text: (list: string, args: string) => string,
): readonly string[] {
  const all = Object.values(lists);
  const count = Math.max(all.length, args.length);
  return all.flatMap((list, i) =>
    args
      .filter((_, j) => {
        const isPair = (k: number): boolean => k % all.length === i && k % args.length === j;
        return isLong || Array.from({ length: count }, (_, k) => k).some(isPair);
      })
      .map((each) => text(list, each)),
  );
}

/** `receiver.method(arguments)`; what is thrown, too. */
const calls = (
  lists: Readonly<Record<string, string>>,
  method: string,
  args: readonly string[],
): readonly string[] =>
  crossed(lists, args, (list, each) => `attempt(() => ${list}.${method}(${each}))`);

/** The same for a method that changes its receiver, which is looked at, too. */
const changes = (
  lists: Readonly<Record<string, string>>,
  method: string,
  args: readonly string[],
): readonly string[] =>
  crossed(
    lists,
    args,
    (list, each) =>
      `const a = ${list}; const b = attempt(() => a.${method}(${each})); return digest([a === b ? 1 : b, a]);`,
  );

const likes = (method: string, args: readonly string[]): readonly string[] =>
  args.map(
    (each) =>
      `const a = ${LIKE}; const b = attempt(() => Array.prototype.${method}.call(a${each === "" ? "" : `, ${each}`})); return digest([a === b ? 1 : b, a]);`,
  );

/** Of arrays and typed arrays. */
const both = (
  method: string,
  args: readonly string[],
  how: typeof calls = calls,
): Readonly<Record<string, readonly string[]>> => ({
  [`Array#${method}`]: [...how(LISTS, method, args), ...likes(method, args.slice(0, 4))],
  [`TypedArray#${method}`]: how(FLOATS, method, args),
});

const iterated = (method: string): Readonly<Record<string, readonly string[]>> => ({
  [`Array#${method}`]: [
    ...calls(LISTS, method, [""]),
    `Array.prototype.${method}.call(${LIKE})`,
    `const i = ${LISTS.plain}.${method}(); const a = i.next(); return digest([a.value, i.next().value, [...i]]);`,
    `const a = [x, 2]; const i = a.${method}(); i.next(); a.push(x * x); a[1] = x; return digest([...i]);`,
  ],
  [`TypedArray#${method}`]: [
    ...calls(FLOATS, method, [""]),
    `const i = ${FLOATS.part}.${method}(); const a = i.next(); return digest([a.value, i.next().value, [...i]]);`,
  ],
});

/** A member without callbacks that reads what the row gives. */
const ARRAYS: Readonly<Record<string, readonly string[]>> = {
  ...both("at", [...PLACES, "x"]),
  ...both(
    "with",
    PLACES.map((place) => `${place === "" ? "undefined" : place}, x * 3`),
  ),
  ...both(
    "fill",
    ["x", "x, 1", "x, -1", "x, NaN, 2", "x, 1, -1", "undefined", "'7'", "{ valueOf: () => x }"],
    changes,
  ),
  ...both("slice", RANGES),
  ...both("reverse", [""], changes),
  ...both("toReversed", [""]),
  ...both(
    "copyWithin",
    ["0, 1", "1, 0, 2", "-1, 0", "0, -2, -1", "NaN, 1", "0, 1, undefined"],
    changes,
  ),
  ...both("sort", ORDERS, changes),
  ...both("toSorted", ORDERS),
  ...both("forEach", [
    "(v) => v * x",
    "function () { return this; }, { k: x }",
    "(v, k) => { if (k === 1) throw v * x; }",
  ]),
  ...both("map", MADE),
  ...both("filter", TESTS),
  ...both("find", TESTS),
  ...both("findLast", TESTS),
  ...both("findIndex", TESTS),
  ...both("findLastIndex", TESTS),
  ...both("some", TESTS),
  ...both("every", TESTS),
  ...both("reduce", FOLDS),
  ...both("reduceRight", FOLDS),
  ...both("join", ["", "';'"]),
  ...both("toLocaleString", [""]),
  ...iterated("values"),
  ...iterated("keys"),
  ...iterated("entries"),
  "Array#push": [
    ...changes(LISTS, "push", ["x", "x, 2, x * x", "", "'a', x"]),
    ...likes("push", ["x", "1, x"]),
  ],
  "Array#unshift": [
    ...changes(LISTS, "unshift", ["x", "x, 2, x * x", "", "'a', x"]),
    ...likes("unshift", ["x", "1, x"]),
  ],
  "Array#pop": [...changes(LISTS, "pop", [""]), ...likes("pop", [""])],
  "Array#shift": [...changes(LISTS, "shift", [""]), ...likes("shift", [""])],
  "Array#splice": [...changes(LISTS, "splice", CHANGES), ...likes("splice", CHANGES)],
  "Array#toSpliced": calls(LISTS, "toSpliced", CHANGES),
  "Array#concat": [
    ...calls(LISTS, "concat", [
      "[x, [x]]",
      "x, [x * x]",
      "",
      "Own.of(x, 2)",
      "Float64Array.of(x)",
      "[x, , x * x], x",
      `{ length: 2, 0: x, 1: 3, [Symbol.isConcatSpreadable]: true }`,
      "Object.assign([x, x], { [Symbol.isConcatSpreadable]: false })",
    ]),
    `const a = new Array(200000).fill(x); const b = a.concat(a); return b.length * b[399999];`,
  ],
  "Array#flat": [
    ...calls({ ...LISTS, deep: "[x, [x * x, [3 * x, , 1]], , 2]", own: "Own.of(x, [x])" }, "flat", [
      "",
      "0",
      "2",
      "Infinity",
      "NaN",
      "undefined",
    ]),
    `Array.prototype.flat.call({ length: 2, 0: [x], 1: x * x })`,
  ],
  "Array#flatMap": [
    ...calls(LISTS, "flatMap", [
      "(v, k) => [v * x, k]",
      "(v) => v * x",
      "(v) => []",
      "(v) => { const r = []; r[1] = v * x; r[3] = x; return r; }",
      "(v) => [[v * x]]",
      "function (v) { return [this.k, v]; }, { k: x }",
    ]),
    `Array.prototype.flatMap.call(${LIKE}, (v) => [v, x])`,
  ],
  "Array#toString": calls(LISTS, "toString", [""]),
  "TypedArray#subarray": calls(FLOATS, "subarray", RANGES),
  "TypedArray#set": changes({ plain: FLOATS.plain, own: FLOATS.own, part: FLOATS.part }, "set", [
    "[x * 3]",
    "[x * 3], 1",
    "[5, x], 1",
    "Float32Array.of(x * 3), NaN",
    "[x, x], 99",
    "new Int8Array([1])",
    `{ length: 1, 0: x * 3 }`,
    "[{ valueOf: () => x }]",
    "Own.of(x * 5), 1",
    "[x * 3], '1'",
  ]),
  "Array.from": [
    "Array.from([x, , x * x])",
    "Array.from([x, x * x], (v, k) => v * (k + 1) * x)",
    "Array.from(new Set([x, x * x, x]), (v) => v * v)",
    "Array.from(new Map([[x, x * x]]))",
    `Array.from(${LIKE}, (v) => v)`,
    "Array.from('ab', () => x)",
    "Array.from({ length: 2 }, function (v, k) { return this.k * k; }, { k: x })",
    "Own.from([x, x * x])",
    "Array.from.call(Own, [x, x * x])",
    "Array.from(Float64Array.of(x, 2))",
    "Array.from((function* () { yield x; yield x * x; })())",
    "attempt(() => Array.from(null))",
  ],
  "Array.of": [
    "Array.of(x, x * x)",
    "Array.of(x)",
    "Array.of()",
    "Own.of(x, x * x)",
    "Array.of.call(Own, x)",
    "[Array.of].map((f) => f(x, 'a', x * x))",
  ],
  "TypedArray.from": [
    "Float64Array.from([x, x * x])",
    "Float64Array.from([x, x * x], (v, k) => v * (k + 1) * x)",
    "OwnFloats.from(new Set([x, x * x]))",
    `Float32Array.from(${LIKE}, (v) => v)`,
    "Float64Array.from([{ valueOf: () => x * x }])",
    "Int16Array.from([x * 3])",
    "Float64Array.from([x, '2'], function (v) { return v * this.k; }, { k: x })",
  ],
  "TypedArray.of": [
    "Float64Array.of(x, x * x)",
    "OwnFloats.of(x)",
    "Float32Array.of()",
    "Float64Array.of({ valueOf: () => x * x }, '3')",
    "Int8Array.of(x * 3)",
  ],
  Array: [
    "Array(x, x * x)",
    "Array(3)",
    "[Array].map((f) => f(x, 'a'))",
    "Array.apply(null, [x, x * x])",
  ],
  "new Array": [
    "new Array(x, x * x)",
    "new Array(3).fill(x)",
    "new Own(x, x * x)",
    "Reflect.construct(Array, [x, 2], Own)",
    "new Array('a')",
  ],
  "ArrayIterator#next": [
    "const i = [x, x * x][Symbol.iterator](); const a = i.next().value; return digest([a, i.next(), i.next()]);",
    "const i = Float64Array.of(x, 2).values(); return digest([i.next(), i.next(), i.next()]);",
    "const i = [x, x * x].entries(); const [k, v] = i.next().value; return k + v * x;",
    "const n = [].values().next; const i = [x, x * x].values(); return digest([n.call(i), n.call(i)]);",
  ],
};

const KINDS = [
  "Float64Array",
  "Float32Array",
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
];
const ALLOCATIONS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    KINDS.map((kind) => [
      `new ${kind}`,
      [
        `new ${kind}([x * 3, 7, x * x])`,
        `new ${kind}(2).fill(x)`,
        `new ${kind}(new Set([x * 3]))`,
        `new ${kind}(${FLOATS.plain})`,
        `new ${kind}({ length: 2, 1: x * 3 })`,
        `new ${kind}([{ valueOf: () => x * 3 }])`,
        `new ${kind}(new ${kind}([x * 3, 1]).buffer)`,
        `const a = new ${kind}([x * 3, 1]); const b = new ${kind}(a); b[1] = x; return digest([a, b]);`,
      ],
    ]),
  ),
  "new BigInt64Array": [
    "const a = new BigInt64Array([1n, BigInt(Math.round(x))]); return x * Number(a[0]);",
  ],
  "new BigUint64Array": [
    "const a = new BigUint64Array([1n, BigInt(Math.round(x))]); return x * Number(a[0]);",
  ],
  "ArrayBuffer#slice": [
    "new Float64Array(Float64Array.of(x, x * x, 2).buffer.slice(8))",
    "new Float64Array(Float64Array.of(x, x * x).buffer.slice(-8))",
    "const b = Float64Array.of(x, x * x).buffer; const c = b.slice(0, 8); new Float64Array(b)[0] = 3; return digest([new Float64Array(c), new Float64Array(b)]);",
  ],
  "ArrayBuffer#resize": [
    "const b = new ArrayBuffer(16, { maxByteLength: 32 }); const a = new Float64Array(b); a[1] = x; b.resize(24); return digest(a) * x;",
    "const b = new ArrayBuffer(16, { maxByteLength: 32 }); const a = new Float64Array(b); a[1] = x; b.resize(8); b.resize(16); return digest(a) * x;",
  ],
  "new DataView": [
    "const v = new DataView(Float64Array.of(1, x).buffer, 8); return v.getFloat64(0, true) * x;",
  ],
};
const VIEWS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ["Float64", "Float32", "Int8", "Uint8", "Int16", "Uint16", "Int32", "Uint32"].flatMap((kind) => [
    [
      `DataView#get${kind}`,
      [
        `const v = new DataView(new ArrayBuffer(16)); v.set${kind}(0, x * 3, true); return digest(v.get${kind}(0, true)) * x;`,
        `const v = new DataView(new ArrayBuffer(24), 8); v.set${kind}(NaN, x * 3); v.set${kind}(8.9, x * 2); return digest([v.get${kind}(undefined), v.get${kind}(8), attempt(() => v.get${kind}(-1))]) * x;`,
        `const a = new ${kind}Array([x * 3, x * 5]); return digest(new DataView(a.buffer).get${kind}(a.BYTES_PER_ELEMENT, true)) * x;`,
      ],
    ],
    [
      `DataView#set${kind}`,
      [
        `const b = new ArrayBuffer(16); new DataView(b).set${kind}(8, x * 3, true); return digest(new ${kind}Array(b)) * x;`,
        `const v = new DataView(new ArrayBuffer(16)); v.set${kind}(0, x * 3); v.set${kind}(0, 2); return digest(v.get${kind}(0)) * x;`,
        `const v = new DataView(new ArrayBuffer(16)); v.set${kind}(0, { valueOf: () => x * 3 }); return digest(v.get${kind}(0)) * x;`,
      ],
    ],
  ]),
);
const BIG: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ["BigInt64", "BigUint64"].flatMap((kind) => [
    [
      `DataView#get${kind}`,
      [
        `const v = new DataView(new ArrayBuffer(8)); v.set${kind}(0, 5n); return Number(v.get${kind}(0)) * x;`,
      ],
    ],
    [
      `DataView#set${kind}`,
      [`const b = Float64Array.of(x); new DataView(b.buffer).set${kind}(0, 0n); return b[0] + x;`],
    ],
  ]),
);

const COLLECTIONS: Readonly<Record<string, readonly string[]>> = {
  "Map#get": [
    "new Map([['a', x * x]]).get('a')",
    "new Map([[x, x * x]]).get(x)",
    "new OwnMap([[NaN, x]]).get(NaN)",
    "new Map([[0, x]]).get(-0)",
    "new Map().get(x)",
  ],
  "Map#set": [
    "new Map().set('a', x)",
    "new Map().set(x, x * x)",
    "const m = new Map(); m.set(x * 2, 1); m.set(x + x, x * x); return digest(m);",
    "const m = new Map([[NaN, x]]); m.set(NaN, x * x); return digest(m);",
    "const m = new Map([[0, x]]); m.set(-0, x * x); return digest(m);",
    "const m = new Map([['a', x]]); m.set('a', 'b'); m.set('c', x); return digest(m);",
    "const m = new Map(); m.set(x, 1); m.delete(x); m.set(x * 1, x); return digest(m);",
    "new OwnMap().set(x, x * x)",
  ],
  "Map#delete": [
    "const m = new Map([['a', x], ['b', x * x]]); m.delete('a'); return digest(m);",
    "const m = new Map([[x, x]]); m.delete(x); m.set(1.3, 5); return digest(m) * x;",
    "const m = new Map([['a', x]]); return digest([m.delete('z'), m]);",
  ],
  "Map#clear": [
    "const m = new Map([['a', x], [x, x * x]]); m.clear(); m.set('a', 3); m.set(1.3, 2); return digest(m) * x;",
  ],
  "Map#forEach": [
    "let s = 0; new Map([[x, x * x], ['b', x]]).forEach((v, k) => { s += v * 2 + digest(k); }); return s;",
    "let s = 0; new OwnMap([['a', x]]).forEach(function (v) { s += v * this.k; }, { k: x }); return s;",
    "let s = 0; new Map([['a', x]]).forEach((v, k, m) => { s += m.get(k); }); return s;",
  ],
  "Map#values": [
    "new Map([['a', x], ['b', x * x]]).values()",
    "const i = new Map([['a', x], ['b', x * x]]).values(); i.next(); return digest([i.next(), i.next()]);",
  ],
  "Map#keys": [
    "new Map([[x, 1], [x * x, 2]]).keys()",
    "const i = new Map([[x, 1], [x * x, 2]]).keys(); i.next(); return digest([i.next(), i.next()]);",
  ],
  "Map#entries": [
    "new Map([[x, x * x], ['b', x]]).entries()",
    "const i = new Map([[x, x * x], ['b', x]])[Symbol.iterator](); return digest([i.next(), i.next(), i.next()]);",
  ],
  "MapIterator#next": [
    "const m = new Map([['a', x], ['b', 2]]); const i = m.values(); i.next(); m.set('c', x * x); m.set('b', x); return digest([i.next().value, i.next().value]);",
    "const m = new Map([['a', x], ['b', x * x], ['c', 3 * x]]); const i = m.values(); i.next(); m.delete('b'); return i.next().value;",
    "const m = new Map([['a', x], ['b', x * x], ['c', 3 * x]]); const i = m.values(); i.next(); m.delete('a'); return digest([...i]);",
  ],
  "Set#add": [
    "new Set().add(x).add(x * x)",
    "const s = new Set(); s.add(x * 2); s.add(x + x); return digest(s);",
    "new OwnSet().add(NaN).add(x)",
  ],
  "Set#delete": [
    "const s = new Set([x, x * x]); s.delete(x); return digest(s);",
    "const s = new Set([x]); s.delete(x); s.add(1.3); return digest(s) * x;",
    "const s = new Set([x]); return digest([s.delete(7), s]);",
  ],
  "Set#clear": ["const s = new Set([x, x * x]); s.clear(); s.add(1.3); return digest(s) * x;"],
  "Set#forEach": [
    "let s = 0; new Set([x, x * x]).forEach((v, k) => { s += v * k; }); return s;",
    "let s = 0; new OwnSet([x]).forEach(function (v) { s += v * this.k; }, { k: x }); return s;",
  ],
  "Set#values": [
    "new Set([x, x * x]).values()",
    "const i = new Set([x, x * x])[Symbol.iterator](); return digest([i.next(), i.next(), i.next()]);",
    "new Set([x, x * x]).keys()",
  ],
  "Set#entries": [
    "new Set([x, x * x]).entries()",
    "const i = new Set([x, x * x]).entries(); return digest([i.next(), i.next()]);",
  ],
  "SetIterator#next": [
    "const s = new Set([x, x * x, 3 * x]); const i = s.values(); i.next(); s.delete(x * x); return i.next().value;",
  ],
  "WeakMap#get": ["const k = {}; return new WeakMap([[k, x * x]]).get(k);"],
  "WeakMap#set": [
    "const k = {}; const m = new WeakMap(); m.set(k, x).set(k, x * x); return m.get(k);",
  ],
  "WeakMap#delete": [
    "const k = {}; const m = new WeakMap([[k, x]]); m.delete(k); m.set(k, 3); return m.get(k) * x;",
    "const k = {}; const m = new WeakMap([[k, x]]); return digest([m.delete({}), m.get(k)]);",
  ],
  "WeakSet#add": [
    "const k = { a: x }; const s = new WeakSet(); s.add(k); return s.has(k) ? k.a * x : 0;",
  ],
  "WeakSet#delete": [
    "const k = { a: x }; const s = new WeakSet([k]); return s.delete(k) ? k.a * x : 0;",
  ],
  "new Map": [
    "new Map([[x, x * x], ['a', x]])",
    "new Map(new Map([['a', x]]))",
    "new Map((function* () { yield ['a', x]; yield [x, 2]; })())",
    "new OwnMap([['a', x]])",
    "new Map(null)",
  ],
  "new Set": [
    "new Set([x, x * x, x])",
    "new Set(Float64Array.of(x, 2))",
    "new OwnSet([x])",
    "new Set(new Set([x]))",
    "new Set()",
  ],
  "new WeakMap": ["const k = [x]; return new WeakMap([[k, x * x]]).get(k) * k[0];"],
  "new WeakSet": ["const k = [x]; return new WeakSet([k]).has(k) ? k[0] * x : 0;"],
};

const RESULT = "const log = []; const note = (v) => { log.push(v); };";
const ASYNC: Readonly<Record<string, readonly string[]>> = {
  "Promise#then": [
    "await Promise.resolve(x * x).then((v) => v * x)",
    "await Promise.resolve(x * x).then((v) => Promise.resolve(v * x))",
    "await Promise.resolve(x * x).then()",
    "await Promise.resolve(x * x).then(null, () => 5)",
    "await Promise.resolve(x).then(() => { throw x * x; }).then(() => 1, (e) => e * 3)",
    "await Promise.reject(x * x).then((v) => v, (e) => e * 3)",
    "await new Promise((_, no) => { no(x * x); }).then((v) => v, (e) => e)",
    "await Promise.reject([x, x * x]).then(() => 1, (e) => e)",
    "await Promise.reject(x * x).then((v) => 1).then((v) => 2, (e) => e)",
    "await Promise.resolve(x).then((v) => Promise.reject(v * x)).then(() => 1, (e) => e)",
    "await Promise.resolve(x * x).then((v) => ({ then(done) { done(v * x); } }))",
    "await Promise.resolve('a').then(() => x * x)",
  ],
  "Promise#catch": [
    "await Promise.reject(x * x).catch((e) => e * 3)",
    "await Promise.resolve(x * x).catch((e) => e * 3)",
    "await (async () => { throw x * x; })().catch((e) => e * 3)",
    "await (async () => { await null; throw x * x; })().catch((e) => e)",
    "await Promise.reject(x).catch((e) => { throw e * x; }).catch((e) => e * 2)",
    "await Promise.reject(x * x).catch().catch((e) => e)",
    "await Promise.reject(x).catch((e) => Promise.resolve(e * x))",
  ],
  "Promise#finally": [
    "await Promise.resolve(x * x).finally(() => 7)",
    "await Promise.resolve(x * x).finally()",
    "await Promise.reject(x * x).finally(() => 7).catch((e) => e * 3)",
    "await Promise.resolve(x).finally(() => { throw x * x; }).catch((e) => e)",
    "await Promise.resolve(x).finally(() => Promise.reject(x * x)).catch((e) => e)",
    `${RESULT} await Promise.resolve(x).finally(() => { note(x * x); }); return digest(log);`,
  ],
  "Promise.resolve": [
    "await Promise.resolve(x * x)",
    "await Promise.resolve(Promise.resolve(x * x))",
    "await Promise.resolve([x, x * x])",
    "await Promise.resolve({ then(done) { done(x * x); } })",
  ],
  "Promise.reject": [
    "try { for await (const v of [x, Promise.reject(x * x)]) digest(v); return 0; } catch (e) { return e * x; }",
    "let s = 0; for await (const v of { [Symbol.asyncIterator]() { let k = 0; return { next: async () => ({ done: k++ > 1, value: x * k }) }; } }) s += v; return s;",
    "try { for await (const v of { [Symbol.asyncIterator]() { return { next: () => Promise.reject(x * x) }; } }) digest(v); return 0; } catch (e) { return e * x; }",
    "try { await (async () => { try { await null; throw x; } finally { await null; } })(); return 0; } catch (e) { return e * x; }",
    "try { await (async () => { try { throw x; } catch (e) { await null; throw e * x; } })(); return 0; } catch (e) { return e * 2; }",
    "try { await { then(done, fail) { fail(x * x); } }; return 0; } catch (e) { return e * x; }",
    "const p = (async () => { throw x * x; })(); const [a] = await Promise.allSettled([p]); return a.reason * x;",
    "let s = 0; for (const v of [x, x * x]) { try { await Promise.reject(v * v); } catch (e) { s += e; } } return s;",
    "await Promise.reject(x * x).catch((e) => e)",
    "try { await Promise.reject(x * x); return 0; } catch (e) { return e * x; }",
    "try { await Promise.reject({ v: x * x }); return 0; } catch (e) { return e.v * x; }",
    "try { await Promise.reject(x * x).finally(() => 1); return 0; } catch (e) { return e * x; }",
    "try { await (async () => { await null; throw x * x; })(); return 0; } catch (e) { return e * x; }",
    "const p = Promise.reject(x * x); try { await p; return 0; } catch (e) { try { await p; return 0; } catch (e2) { return e * e2; } }",
    "try { await Promise.reject(1.3); return 0; } catch (e) { return e * x; }",
    "try { throw x; } catch (e) { try { await Promise.reject(1.3); return 0; } catch (e2) { return e2 + x; } }",
  ],
  "Promise.all": [
    "await Promise.all([x, Promise.resolve(x * x), 3])",
    "await Promise.all(new Set([Promise.resolve(x)]))",
    "await Promise.all([])",
    "await Promise.all([x, Promise.reject(x * x)]).catch((e) => e)",
    "await Promise.all([Promise.resolve([x]), { then(done) { done(x * x); } }])",
    "await Promise.all([x, 2]).then(([a, b]) => a * b)",
  ],
  "Promise.allSettled": [
    "await Promise.allSettled([x, Promise.resolve(x * x), Promise.reject(x * 3), 3])",
    "(await Promise.allSettled([Promise.reject(x * x)]))[0].reason",
    "(await Promise.allSettled([Promise.resolve(x * x)]))[0].value",
  ],
  "Promise.race": [
    "await Promise.race([Promise.resolve(x * x), new Promise(() => {})])",
    "await Promise.race([x * x])",
    "await Promise.race([Promise.reject(x * x)]).catch((e) => e)",
    "await Promise.race([new Promise(() => {}), new Promise((done) => { setTimeout(() => { done(x * x); }, 1); })])",
  ],
  "Promise.any": [
    "await Promise.any([Promise.reject(3), Promise.resolve(x * x)])",
    "await Promise.any([x * x])",
    "await Promise.any([Promise.reject(x * x), Promise.reject(x)]).catch((e) => e.errors)",
  ],
  "new Promise": [
    "await new Promise((done) => { done(x * x); })",
    "await new Promise((done) => { done(x * x); done(3); })",
    "await new Promise((done) => { done(3); done(x); })",
    "await new Promise((done, no) => { no(x * x); done(3); }).catch((e) => e)",
    "await new Promise(() => { throw x * x; }).catch((e) => e)",
    "await new Promise((done) => { done(Promise.resolve(x * x)); })",
    "await new Promise((done) => { done(Promise.reject(x * x)); }).catch((e) => e)",
    "await new Promise((done) => { setTimeout(() => { done(x * x); }, 1); })",
    "await new Promise((_, no) => { setTimeout(() => { no(x * x); }, 1); }).catch((e) => e)",
    "await new Promise((done) => { [x * x].forEach(done); })",
  ],
  queueMicrotask: [
    `${RESULT} queueMicrotask(() => { note(x * x); }); await null; await null; return digest(log);`,
  ],
  setTimeout: [
    `${RESULT} await new Promise((done) => { setTimeout((v) => { note(v * x); done(1); }, 1, x); }); return digest(log);`,
  ],
  setImmediate: [
    `${RESULT} await new Promise((done) => { setImmediate((v) => { note(v * x); done(1); }, x); }); return digest(log);`,
  ],
  setInterval: [
    `${RESULT} await new Promise((done) => { const id = setInterval((v) => { note(v * x); clearInterval(id); done(1); }, 1, x); }); return digest(log);`,
  ],
};

const GENERATORS: Readonly<Record<string, readonly string[]>> = {
  "Generator#next": [
    "function* g() { yield 1; throw x * x; } const i = g(); i.next(); try { i.next(); return 0; } catch (e) { return e * 3; }",
    "function* g() { throw x; } try { for (const v of g()) digest(v); return 0; } catch (e) { return e * e; }",
    "function* g() { yield x; throw x * x; } function* h() { try { yield* g(); } catch (e) { yield e * 3; } } return digest([...h()]);",
    "function* g() { yield x; yield x * x; } for (const v of g()) return v * 3; return 0;",
    "function* g() { try { yield x; } finally { digest(x); } } const [a] = g(); return a * a;",
    "function* g() { const a = yield x; yield a * x; } const i = g(); const a = i.next(); const b = i.next(x * x); return digest([a, b, i.next()]);",
    "function* g() { const a = yield 1; const b = yield a * 2; return a * b; } function* h() { return (yield* g()) * 3; } const i = h(); i.next(0); const one = i.next(x); const two = i.next(x * x); return one.value + two.value;",
    "function* g() { yield* [x, x * x]; } return digest([...g()]);",
    "function* g() { yield x; return x * x; } const i = g(); i.next(); return i.next().value;",
  ],
  "Generator#return": [
    "function* g() { yield x; } const i = g(); i.next(); return i.return(x * x).value;",
    "function* g() { try { yield x; } finally { yield x * 3; } } const i = g(); i.next(); return digest([i.return(x * x), i.next()]);",
    "function* g() { try { yield x; } finally { return x * 3; } } const i = g(); i.next(); return i.return(5).value;",
    "function* g() { yield x; } function* h() { yield* g(); } const i = h(); i.next(); return i.return(x * x).value;",
    "function* g() { yield x; } return g().return(x * x).value;",
  ],
  "Generator#throw": [
    "function* g() { let s = 0; for (;;) { try { const v = yield s; if (v < 0) return s; s += v; } catch (e) { s += e * 2; } } } const i = g(); i.next(0); i.next(x); const r = i.throw(x * x); return r.value * x;",
    "function* g() { yield x; } const i = g(); i.next(); return attempt(() => i.throw(x * x));",
    "function* g() { try { yield x; } catch (e) { yield e.v * x; } } const i = g(); i.next(); return digest(i.throw({ v: x * x }));",
    "function* g() { try { yield x; } catch (e) { yield e; } } function* h() { yield* g(); } const i = h(); i.next(); return digest(i.throw(x * x));",
    "function* g() { yield x; } return attempt(() => g().throw(x * x));",
    "function* g() { try { yield x; } finally { yield 4; } } const i = g(); i.next(); i.throw(x * x); return attempt(() => i.next());",
    "function* g() { try { yield 1; } catch (e) { yield e; } } const h = { [Symbol.iterator]: () => g() }; function* k() { yield* h; } const i = k(); i.next(); return digest(i.throw(x * x));",
    "const own = { next: () => ({ done: false, value: 1 }), throw: (e) => ({ done: true, value: e * x }) }; function* g() { return yield* { [Symbol.iterator]: () => own }; } const i = g(); i.next(); return digest(i.throw(x * x).value);",
  ],
  "Generator#iterator": [
    "function* g() { yield x; yield x * x; } return digest([...g()[Symbol.iterator]()]);",
  ],
};

const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  "Object.assign": [
    "Object.assign({ a: 1 }, { a: x }, null, { b: x * x })",
    "Object.assign([1, 2], [x])",
    "const o = {}; return Object.assign(o, { a: x }) === o ? o.a * x : 0;",
    "Object.assign(new Point(1, 2), { a: x })",
    "Object.assign({ set a(v) { this.b = v * x; } }, { a: x })",
  ],
  "Object.values": [
    "Object.values({ a: x, b: 'b', c: x * x })",
    "Object.values([x, , 2])",
    "Object.values(new Point(x, x * x))",
    "Object.values(Float64Array.of(x, 2))",
  ],
  "Object.entries": [
    "Object.entries({ a: x, b: 'b', c: x * x })",
    "Object.entries([x, , 2])",
    "Object.entries(new Point(x, 1))",
  ],
  "Object.fromEntries": [
    "Object.fromEntries([['a', x], ['b', x * x]])",
    "Object.fromEntries(new Map([['a', x]]))",
    "Object.fromEntries(Object.entries({ a: x }).map(([k, v]) => [k, v * x]))",
  ],
  "Object.defineProperty": [
    "Object.defineProperty({}, 'a', { value: x * x, enumerable: true })",
    "Object.defineProperty({ a: x }, 'a', { get: () => x * x, enumerable: true })",
    "Object.defineProperty([1, x], 0, { value: x * x })",
    "Object.defineProperty({ a: x }, 'a', { enumerable: true })",
    "Object.defineProperty({ a: 1 }, 'a', Object.create({ value: x, enumerable: true }))",
    "Object.defineProperty({ a: 1 }, 'a', { get value() { return x * x; } })",
  ],
  "Object.defineProperties": [
    "Object.defineProperties({ c: 1 }, { a: { value: x, enumerable: true }, b: { get: () => x * x, enumerable: true }, c: { value: x * 3 } })",
  ],
  "Object.create": [
    "Object.create(null, { a: { value: x, enumerable: true } })",
    "Object.create({ a: x }).a",
    "Object.create({ f() { return this.k * x; } }, { k: { value: x } }).f()",
  ],
  "Object.getOwnPropertyDescriptor": [
    "Object.getOwnPropertyDescriptor({ a: x * x }, 'a').value",
    "Object.getOwnPropertyDescriptor([x, x * x], 1)",
    "Object.getOwnPropertyDescriptor({ get a() { return x; } }, 'a').get.call(null)",
    "attempt(() => Object.getOwnPropertyDescriptor({ a: x }, 'b'))",
    "Object.getOwnPropertyDescriptor(Object.assign(() => 1, { a: x }), 'a').value",
  ],
  "Object.getOwnPropertyDescriptors": [
    "Object.getOwnPropertyDescriptors({ a: x * x, b: 2 })",
    "Object.defineProperties({}, Object.getOwnPropertyDescriptors({ a: x, b: x * x }))",
  ],
  "Object.groupBy": [
    "Object.groupBy([x, 2, x * x], (v, k) => (k === 1 ? 'a' : 'b'))",
    "Object.groupBy(new Set([x, x * x]), (v) => (v > 1.5 ? 'a' : 'b'))",
  ],
  "Map.groupBy": [
    "Map.groupBy([x, 2, x * x], (v, k) => (k === 1 ? 'a' : 'b'))",
    "Map.groupBy([x, 2, x * x], (v) => v * 0 + x)",
  ],
  "Object.freeze": ["Object.freeze({ a: x * x }).a", "Object.freeze([x, x * x])"],
  "Object.seal": ["const o = Object.seal({ a: x }); o.a *= x; return o.a;"],
  "Object.preventExtensions": [
    "const o = Object.preventExtensions({ a: x }); o.a *= x; return o.a;",
  ],
  "Object.setPrototypeOf": [
    "const o = Object.setPrototypeOf({ a: x }, { b: x * x }); return o.a * o.b;",
    "Object.setPrototypeOf({ a: x }, { get b() { return this.a * 2; } }).b",
  ],
  "Object#valueOf": ["({ a: x * x }).valueOf().a", "[x, x * x].valueOf()"],
  Object: ["Object({ a: x }).a", "Object([x, x * x])"],
  "new Object": ["new Object({ a: x }).a * x"],
  "new Proxy": [
    "const p = new Proxy({ a: x }, {}); p.b = p.a * x; return p.a * p.b;",
    "const o = { a: x }; new Proxy(o, {}).a = x * x; return o.a;",
    "new Proxy({ a: x }, { get: (t, k) => t[k] * x }).a",
    "const p = new Proxy({}, { set(t, k, v) { t[k] = v * x; return true; } }); p.a = x; return p.a;",
    "new Proxy((v) => v * x, { apply: (f, self, [v]) => f(v) * 2 })(x)",
    "new (new Proxy(Point, { construct: (C, [a, b]) => new C(a * x, b) }))(x, 2)",
    "const p = new Proxy([x, x * x], {}); p[0] = p[1] * x; return digest([p.length, p[0], p[1]]);",
  ],
  "Proxy.revocable": [
    "const { proxy } = Proxy.revocable({ a: x }, {}); proxy.b = proxy.a * x; return proxy.b;",
    "Proxy.revocable({ a: x }, { get: (t, k) => t[k] * x }).proxy.a",
    "const r = Proxy.revocable({ a: x }, {}); r.revoke(); try { return r.proxy.a; } catch { return x * x; }",
  ],
  "Reflect.get": [
    "try { Reflect.get({ get a() { throw x * x; } }, 'a'); return 0; } catch (e) { return e; }",
    "Reflect.get({ a: x * x }, 'a')",
    "Reflect.get([x, x * x], 1)",
    "Reflect.get({ get a() { return this.b * x; } }, 'a', { b: x })",
    "Reflect.get({ get a() { return this.b * x; }, b: x }, 'a')",
  ],
  "Reflect.set": [
    "const o = {}; return Reflect.set(o, 'a', x * x) ? o.a : 0;",
    "const o = [1]; Reflect.set(o, 1, x); return digest(o);",
    "const o = { set a(v) { this.b = v * x; } }; Reflect.set(o, 'a', x); return o.b;",
    "const o = { set a(v) { this.b = v * x; } }, p = {}; Reflect.set(o, 'a', x, p); return digest([o, p]);",
    "const o = Object.freeze({ a: x }); return digest([Reflect.set(o, 'a', 3), o.a]);",
    "const o = { a: 1 }, p = {}; Reflect.set(o, 'a', x, p); return digest([o, p]);",
  ],
  "Reflect.deleteProperty": [
    "const o = { a: x, b: x * x }; return digest([Reflect.deleteProperty(o, 'a'), o]);",
    "const o = Object.freeze({ a: x }); return digest([Reflect.deleteProperty(o, 'a'), o]);",
  ],
  "Reflect.apply": [
    "Reflect.apply((a, b) => a * b, null, [x, x * x])",
    "Reflect.apply(function (a) { return this.k * a; }, { k: x }, [x])",
    "Reflect.apply(Math.max, null, { length: 2, 0: x, 1: 0 })",
    "Reflect.apply(Math.hypot, null, Float64Array.of(x, 2))",
  ],
  "Reflect.construct": [
    "try { Reflect.construct(class { constructor() { throw x * x; } }, []); return 0; } catch (e) { return e * 3; }",
    "Reflect.construct(Point, [x, x * x])",
    "Reflect.construct(Point, { length: 2, 0: x, 1: 3 })",
    "Reflect.construct(Array, [x, 2], Own)",
  ],
  "Reflect.defineProperty": [
    "const o = {}; Reflect.defineProperty(o, 'a', { value: x * x }); return o.a;",
    "const o = Object.freeze({ a: x }); return digest([Reflect.defineProperty(o, 'a', { value: 3 }), o.a]);",
  ],
  "Reflect.getOwnPropertyDescriptor": ["Reflect.getOwnPropertyDescriptor({ a: x * x }, 'a').value"],
  structuredClone: [
    "structuredClone({ a: [x, { b: x * x }], c: new Map([[x, x]]), d: new Set([x]), e: Float64Array.of(x) })",
    "structuredClone(x * x)",
    "structuredClone([x, , 2])",
  ],
  "JSON.stringify": [
    "JSON.parse(JSON.stringify({ a: x, b: [x * x] }))",
    "JSON.stringify([x]).length * 0 + x",
  ],
  "JSON.parse": [
    "JSON.parse(JSON.stringify([x, x * x]))",
    "JSON.parse(JSON.stringify({ a: { b: x } })).a.b",
  ],
};

const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  "Function#call": [
    "try { (() => { throw x * x; }).call(null); return 0; } catch (e) { return e * 3; } finally { digest(x); }",
    "let s = 0; for (const v of [x, x * x, 3 * x]) { try { throw v * v; } catch (e) { s += e; } } return s;",
    "try { try { throw x; } finally { try { throw x * x; } catch { digest(1); } } } catch (e) { return e * x; }",
    "try { try { throw x; } catch (e) { throw e * x; } finally { digest(2); } } catch (e) { return e * x; }",
    "((a, b) => a * b).call(null, x, x * x)",
    "(function (a) { return this.k * a; }).call({ k: x }, x)",
    "Math.atan2.call(null, x, 2)",
  ],
  "Function#apply": [
    "((a, b) => a * b).apply(null, [x, x * x])",
    "(function (a) { return this.k * a; }).apply({ k: x }, { length: 1, 0: x })",
    "Math.max.apply(null, Float64Array.of(x, 1))",
    "(() => x).apply(null, undefined)",
    "(function () { return Math.hypot.apply(null, arguments); })(x, 2)",
  ],
  "Function#bind": [
    "((a, b) => a * b).bind(null, x)(x * x)",
    "new (Point.bind(null, x))(x * x)",
    "Math.pow.bind(null, x)(x)",
    "((a, b, c) => a * b + c).bind(null, x).bind(null, x)(x)",
  ],
};

const POSITIVE = "x";
/** A place in the domain of each. */
const DOMAINS: Readonly<Record<string, string>> = { acos: "x / 2", asin: "x / 2", atanh: "x / 2" };
const UNARY =
  "abs acos acosh asin asinh atan atanh cbrt ceil clz32 cos cosh exp expm1 floor fround log log10 log1p log2 round sign sin sinh sqrt tan tanh trunc";
const MATHEMATICS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    UNARY.split(" ").map((name) => {
      const of = DOMAINS[name] ?? POSITIVE;
      return [
        `Math.${name}`,
        [
          `[${of}, ${of} * 0.9].map(Math.${name})`,
          `[Math.${name}].map((f) => f(${of}))`,
          `const o = { f: Math.${name} }; return digest(o.f({ valueOf: () => ${of} })) * x;`,
          `[Math.${name}].map((f) => f())`,
          `[Math.${name}].map((f) => f('1', x))`,
        ],
      ];
    }),
  ),
  "Math.atan2": [
    "[Math.atan2].map((f) => f(x, 2))",
    "[Math.atan2].map((f) => f(2, x, 5))",
    "[Math.atan2].map((f) => f(x))",
  ],
  "Math.imul": ["[Math.imul].map((f) => f(x * 3, 2) * x)", "[Math.imul].map((f) => f(x))"],
  "Math.max": [
    "[Math.max].map((f) => f(x, 1, x * x))",
    "Math.max(...[x, x * x])",
    "[Math.max].map((f) => f())",
    "Math.max(...new Set([x]))",
  ],
  "Math.min": [
    "[Math.min].map((f) => f(x, 9, x * x))",
    "Math.min(...Float64Array.of(x, x * x))",
    "[Math.min].map((f) => f({ valueOf: () => x }))",
  ],
  "Math.hypot": [
    "[Math.hypot].map((f) => f(x, 1, x * x))",
    "Math.hypot(...[x, 2])",
    "[Math.hypot].map((f) => f())",
  ],
  "Math.pow": ["[Math.pow].map((f) => f(x, x))", "[2, 3].map((v) => [Math.pow][0](v, x))"],
  "Math.random": ["[Math.random].map((f) => f() * 0 + x)"],
};

const SCALARS: Readonly<Record<string, readonly string[]>> = {
  Number: [
    "Number(x * x)",
    "[x, x * x].map(Number)",
    "Number({ valueOf: () => x * x })",
    "Number()",
    "Number('3') * x",
  ],
  "new Number": ["attempt(() => new Number(3)) * x"],
  parseFloat: ["parseFloat(x * x)", "[x].map(parseFloat)", "parseFloat('3') * x"],
  String: ["String(x).length * 0 + x", "[x].map(String).length * x"],
  "new String": ["new String('ab').length * x"],
  "String#concat": ["'a'.concat(x, [x]).length * 0 + x"],
  "String#padStart": ["'a'.padStart(3, x).length * x"],
  "String#padEnd": ["'a'.padEnd(3, x).length * x"],
  "String#replace": [
    "'ab'.replace('b', x).length * 0 + x",
    "let s = 0; 'ab'.replace('b', (m, at) => { s = at * x; return m; }); return s;",
  ],
  "String#replaceAll": ["'ab'.replaceAll('b', x).length * 0 + x"],
  "String#match": ["('ab'.match(x) === null ? 1 : 2) * x"],
  "String#matchAll": ["(Array.from('ab'.matchAll(x)).length + 1) * x"],
  "String#search": ["'ab'.search(x) * x"],
  "String#split": ["'ab'.split(x).length * x"],
  "String.raw": [
    "String.raw`a${x}`.length * 0 + x",
    "String.raw({ raw: ['a', 'b'] }, x).length * 0 + x",
  ],
  encodeURIComponent: ["encodeURIComponent(x).length * 0 + x"],
  encodeURI: ["encodeURI(x).length * 0 + x"],
};

export const ROWS: Readonly<Record<string, readonly string[]>> = {
  ...ARRAYS,
  ...ALLOCATIONS,
  ...VIEWS,
  ...BIG,
  ...COLLECTIONS,
  ...ASYNC,
  ...GENERATORS,
  ...OBJECTS,
  ...FUNCTIONS,
  ...MATHEMATICS,
  ...SCALARS,
};

/** At 1.3, where a second key is equal to the first one: no differences tell what counts. */
export const KEPT: readonly (readonly [string, number])[] = [
  [
    "const m = new Map(); m.set(x, 1); m.set(1.3, x); let s = 0; for (const k of m.keys()) s += k * k; return s;",
    2.6,
  ],
  [
    "const m = new Map(); m.set(1.3, 1); m.set(x, x); let s = 0; for (const k of m.keys()) s += k * k; return s;",
    0,
  ],
  [
    "const m = new Map([[x, 1], [1.3, x]]); let s = 0; for (const [k, v] of m) s += k * v; return s;",
    2.6,
  ],
  ["const s = new Set(); s.add(x); s.add(1.3); return digest(s);", 0.3],
  ["const s = new Set([1.3, x]); return digest(s);", 0],
  ["const s = new Set([1.3]); s.delete(x); s.add(x); return digest(s);", 0.3],
  [
    "try { try { throw x; } finally { try { throw 1.3; } catch (e) { digest(e); } } } catch (e) { return e * x; }",
    2.6,
  ],
  [
    "try { try { throw 1.3; } finally { try { throw x; } catch (e) { digest(e); } } } catch (e) { return e * x; }",
    1.3,
  ],
];
