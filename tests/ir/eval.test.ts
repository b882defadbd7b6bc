// The interpreter on hand-written programs, one per kind of node at least; expected values are worked out by hand.

import { describe, expect, test } from "vitest";
import { run, type RunOptions } from "../../transformer/ir/eval.ts";
import { parse } from "../../transformer/ir/parse.ts";

const evaluate = (text: string, args: readonly unknown[], options?: RunOptions): unknown =>
  run(parse(text), "f", args, options).value;

/** A body of `f` with these parameters. */
const f = (params: string, body: string, head = ""): string =>
  `${head}\nfunc f(${params}) {\n${body}\n}`;

interface Case {
  readonly name: string;
  readonly text: string;
  readonly args: readonly unknown[];
  readonly gives: unknown;
  readonly options?: RunOptions;
}

const A = "a: num[]";
const cases: readonly Case[] = [
  {
    name: "straight line",
    text: f("x: num, y: num", "a = mul x y; s = sin a; b = mul a x; z = add s b; yield z"),
    args: [0, 3],
    gives: 0,
  },
  {
    name: "copy, negative zero",
    text: f("", "y = copy -0; z = div 1 y; yield z"),
    args: [],
    gives: -Infinity,
  },
  {
    name: "n-ary op without operands",
    text: f("", "y = max; yield y"),
    args: [],
    gives: -Infinity,
  },
  {
    name: "select, comparison",
    text: f("x: num", "c = lt x 0; n = neg x; y = select c n x; yield y"),
    args: [-3],
    gives: 3,
  },
  {
    name: "load misses",
    text: f(A, "x = load a[7]; y = add x 1; yield y"),
    args: [[1]],
    gives: NaN,
  },
  {
    name: "load of field, tuple position",
    text: f("m: {w: [num, num]}", 'w = load m.w; x = load w["1"]; yield x'),
    args: [{ w: [4, 5] }],
    gives: 5,
  },
  {
    name: "length",
    text: f("a: Float64Array", "n = length a; yield n"),
    args: [new Float64Array(3)],
    gives: 3,
  },
  {
    name: "present of null",
    text: f("o: num?", "c = present o; yield c"),
    args: [null],
    gives: false,
  },
  {
    name: "present of 0, unwrap",
    text: f("o: num?", "c = present o; x = unwrap o; y = select c x 9; yield y"),
    args: [0],
    gives: 0,
  },
  {
    name: "array with spread",
    text: f(A, "b = array [0, ...a, 9]; yield b"),
    args: [[1, 2]],
    gives: [0, 1, 2, 9],
  },
  {
    name: "array of a store",
    text: f("x: num", "b: Uint8Array = array [x, 257]; yield b"),
    args: [3.7],
    gives: Uint8Array.of(3, 1),
  },
  {
    name: "tuple, record",
    text: f("x: num", 't = tuple [x, 2]; r = record {a: t, "b c": x}; yield r'),
    args: [1],
    gives: { a: [1, 2], "b c": 1 },
  },
  {
    name: "alloc",
    text: f("n: num", "b = alloc n; init b[0] = 5; yield b"),
    args: [2],
    gives: [5, undefined],
  },
  {
    name: "alloc with fill",
    text: f("n: num", "b: Float32Array = alloc n fill 0.5; yield b"),
    args: [2],
    gives: Float32Array.of(0.5, 0.5),
  },
  { name: "slice", text: f(A, "b = slice a 1 -1; yield b"), args: [[1, 2, 3, 4]], gives: [2, 3] },
  {
    name: "slice to the end",
    text: f("a: Float64Array", "b = slice a -2; yield b"),
    args: [Float64Array.of(1, 2, 3)],
    gives: Float64Array.of(2, 3),
  },
  {
    name: "zeros drop leaf fields, keep leaf elements",
    text: f(
      "m: M",
      "z = zeros m; yield z",
      'type M = {w: num[], tag: leaf"string", p: [num, leaf"string"], o: num?, q: num[]?, b: bool, next: M?}',
    ),
    args: [
      {
        w: [1, 2],
        tag: "t",
        p: [1, "keep"],
        b: true,
        next: { w: [3], tag: "u", p: [2, "k"], o: 4, q: [1], b: false },
      },
    ],
    gives: {
      w: [0, 0],
      p: [0, "keep"],
      o: 0,
      q: undefined,
      next: { w: [0], p: [0, "k"], o: 0, q: [0], next: undefined },
    },
  },
  {
    name: "zeros of a union keep its tags, and members without numbers",
    text: f(
      "a: S[]",
      "z = zeros a; yield z",
      'type S = {k: leaf"\\"disc\\"", r: num} | {k: leaf"\\"box\\"", w: [num, num], name: leaf"string"} | {k: leaf"\\"none\\""}',
    ),
    args: [[{ k: "box", w: [1, 2], name: "b" }, { k: "none" }, { k: "disc", r: 3 }]],
    gives: [{ k: "box", w: [0, 0] }, { k: "none" }, { k: "disc", r: 0 }],
  },
  {
    name: "zeros of a union without tags, told apart by fields and kinds",
    text: f("a: (num[] | {r: num} | {w: num})[]", "z = zeros a; yield z"),
    args: [[{ w: 1 }, [1, 2], { r: 3 }]],
    gives: [{ w: 0 }, [0, 0], { r: 0 }],
  },
  {
    name: "zeros of a recursive union",
    text: f(
      "a: E",
      "z = zeros a; yield z",
      'type E = {k: leaf"\\"n\\"", v: num} | {k: leaf"\\"p\\"", l: E, r: E?}',
    ),
    args: [{ k: "p", l: { k: "n", v: 1 } }],
    gives: { k: "p", l: { k: "n", v: 0 }, r: undefined },
  },
  {
    name: "unwrap of a union",
    text: f(
      's: {k: leaf"\\"a\\"", x: num} | {k: leaf"\\"b\\""}',
      'v: {k: leaf"\\"a\\"", x: num} = unwrap s; x = load v.x; k: leaf"string" = load s.k; c = eq k "a"; y = select c x 0; yield y',
    ),
    args: [{ k: "a", x: 4 }],
    gives: 4,
  },
  {
    name: "by key: a miss, a sum, a store",
    text: f(
      'm: Map<leaf"string", num>',
      'a: num? = load m["x"]; m["x"] += 2; m["y"] = 5; b: num = load m["x"]; c = present a; t = tuple [c, b]; yield t',
    ),
    args: [new Map()],
    gives: [false, 2],
  },
  {
    name: "zeros of a Map and of an object",
    text: f(
      'm: Map<num, num[]>, o: Dict<leaf"string", num>',
      "a = zeros m; b = zeros o; t = tuple [a, b]; yield t",
    ),
    args: [new Map([[7, [1, 2]]]), { k: 3 }],
    gives: [new Map([[7, [0, 0]]]), { k: 0 }],
  },
  {
    name: "zeros of typed arrays",
    text: f("a: Float64Array[]", "z = zeros a; yield z"),
    args: [[Float64Array.of(1), Float64Array.of(2, 3)]],
    gives: [new Float64Array(1), new Float64Array(2)],
  },
  {
    name: "clone is deep",
    text: f("a: num[][]", "b = clone a; r = load b[0]; r[0] = 9; yield a"),
    args: [[[1]]],
    gives: [[1]],
  },
  {
    name: "store, accum through an alias",
    text: f(A, "b = copy a; b[0] = 5; a[0] += 2; x = load b[0]; yield x"),
    args: [[1]],
    gives: 7,
  },
  {
    name: "append, removeLast",
    text: f(A, "append a 8; append a 9; x = removeLast a; n = length a; t = tuple [x, n]; yield t"),
    args: [[1]],
    gives: [9, 2],
  },
  {
    name: "fill",
    text: f(A, "fill a 0; fill a 1 from 2; fill a 2 to 1; fill a 3 from 1 to 2; yield a"),
    args: [[9, 9, 9, 9]],
    gives: [2, 3, 1, 1],
  },
  {
    name: "if binds",
    text: f(
      "x: num",
      "c = gt x 0; if c -> (y: num, z: num) { a = mul x 2; yield a x } else { yield 0 1 }\n t = tuple [y, z]; yield t",
    ),
    args: [4],
    gives: [8, 4],
  },
  {
    name: "for sums",
    text: f(
      A,
      "n = length a; for i = 0 < n carry (s = 0) -> (s.2) { x = load a[i]; s.1 = add s x; yield s.1 }\n yield s.2",
    ),
    args: [[1, 2, 3.5]],
    gives: 6.5,
  },
  {
    name: "for that never runs",
    text: f("n: num", "for i = 0 < n carry (s = 7) -> (s.2) { yield i }\n yield s.2"),
    args: [0],
    gives: 7,
  },
  {
    name: "for to NaN",
    text: f("n: num", "for i = 0 < n carry (s = 7) -> (s.2) { yield i }\n yield s.2"),
    args: [NaN],
    gives: 7,
  },
  {
    name: "for downwards by two",
    text: f("n: num, a: num[]", "for i = n >= 1 step -2 { append a i }\n yield a"),
    args: [6, []],
    gives: [6, 4, 2],
  },
  {
    name: "carried values swap at once",
    text: f(
      "",
      "for i = 0 <= 2 carry (p = 1, q = 2) -> (p.2, q.2) { yield q p }\n t = tuple [p.2, q.2]; yield t",
    ),
    args: [],
    gives: [2, 1],
  },
  {
    name: "while",
    text: f(
      "x: num",
      "while carry (k = x) -> (k.2) { c = gt k 1; yield c } do { k.1 = div k 2; yield k.1 }\n yield k.2",
    ),
    args: [10],
    gives: 0.625,
  },
  {
    name: "call, recursion",
    text: f(
      "n: num",
      "c = le n 1; if c -> (r: num) { yield 1 } else { m = sub n 1; t: num = call f(m); p = mul n t; yield p }\n yield r",
    ),
    args: [5],
    gives: 120,
  },
  {
    name: "extern with a global",
    text: f("x: num", 'y = extern pure "K + " x " * 2"; yield y'),
    args: [4],
    gives: 11,
    options: { globals: { K: 3 } },
  },
  {
    name: "extern given",
    text: f("x: num", 'y = extern io "(" x " as number)"; yield y'),
    args: [4],
    gives: 5,
    options: { externs: { "($ as number)": (x) => Number(x) + 1 } },
  },
  {
    name: "globals",
    text: f("", "y = add @E.A @K; z = add y @Math.PI; yield z"),
    args: [],
    gives: 3 + Math.PI,
    options: { globals: { E: { A: 1 }, K: 2 } },
  },
  {
    name: "tapes",
    text: f(
      "",
      "t = newTape; push t 1; push t 2; r = rewind t; a = pop r; b = pop r; s = rewind t; c = pop s; z = tuple [a, b, c]; yield z",
    ),
    args: [],
    gives: [2, 1, 2],
  },
  {
    name: "a tape with room",
    text: f(
      "",
      "t = newTape; reserve t 1; push t 1; reserve t 0; reserve t 1; push t 2; a = pop t; push t 3; b = pop t; c = pop t; z = tuple [a, b, c]; yield z",
    ),
    args: [],
    gives: [2, 3, 1],
  },
  {
    name: "a tape popped and pushed again",
    text: f(
      "",
      "t = newTape; push t 1; push t 2; a = pop t; push t 3; push t 4; b = pop t; c = pop t; d = pop t; z = tuple [a, b, c, d]; yield z",
    ),
    args: [],
    gives: [2, 4, 3, 1],
  },
];

test.each(cases)("$name", ({ text, args, gives, options }) =>
  expect(evaluate(text, args, options)).toStrictEqual(gives),
);

test("lambda gives a closure that runs more than once", () => {
  const pull = evaluate(
    f(
      "x: num",
      "t = newTape; push t x; l = lambda (d: num) { r = rewind t; y = pop r; z = mul d y; yield z }\n yield l",
    ),
    [3],
  );
  expect(typeof pull === "function" && [2, 5].map((d) => Number(pull(d)))).toEqual([6, 15]);
});

test("a store into the argument is the caller's", () => {
  const a = [1, 2];
  evaluate(f("a: num[]", "a[1] = 7"), [a]);
  expect(a).toEqual([1, 7]);
});

test("counts", () => {
  const text = f(
    "a: num[]",
    "t = newTape; for i = 0 < 3 { x = load a[i]; y = mul x x; a[i] = y; a[i] += 1; push t y }\n g: num = call g(); yield g",
    "func g() -> num { y = neg 1; yield y }",
  );
  expect(run(parse(text), "f", [[1, 2, 3]])).toEqual({
    value: -1,
    counts: { ops: 4, loads: 3, stores: 6, calls: 1, pushes: 3, elements: 0 },
  });
});

describe("what stops a run", () => {
  test("throw throws the value", () => {
    const error = new Error("mine");
    expect(() => evaluate(f('e: leaf"Error"', "throw e"), [error])).toThrow(error);
  });
  test.each([
    ["a field of undefined", f("m: {w: num}?", "w: num = load m.w"), "Cannot read properties"],
    ["unwrap of nothing", f("m: num?", "w = unwrap m"), "unwrap of an absent value"],
    ["an empty tape", f("m: num?", "t = newTape; x = pop t"), "empty tape"],
    ["an unknown function", f("m: num?", "x: num = call nobody(1)"), "no function nobody"],
    ["an unbound name", f("m: num?", "x = copy (y: num)"), "y is read before it is bound"],
    ["an unknown global", f("m: num?", "x = copy @nowhere"), "no global nowhere"],
    ["an endless loop", f("m: num?", "while { yield true } do {}"), "runs for too long"],
    [
      "a tape without room",
      f("", "t = newTape; reserve t 1; push t 1; push t 2"),
      "push behind the end of a tape",
    ],
  ])("%s", (_, text, message) =>
    expect(() => evaluate(text, [undefined], { fuel: 1000 })).toThrow(message),
  );
});

describe("raw", () => {
  const early = `program raw
    func f(xs: num[], limit: num) -> num {
      scope f -> (result: num) {
        declare s: num = 0
        n = length xs
        loop outer for i = 0 < n { x = load xs[i]; c = lt x 0; if c { continue outer }
          s.1 = add s x; s := s.1; d = gt s limit; if d { return f s } }
        t = neg s; return f t
      }
      yield result
    }`;
  test.each([
    [[1, -5, 2], 100, -3],
    [[1, -5, 2, 4, 8], 6, 7],
    [[], 0, -0],
  ])("early exits %j", (xs, limit, gives) => expect(evaluate(early, [xs, limit])).toBe(gives));

  test("a return of the function's own label", () =>
    expect(evaluate("program raw\nfunc f(x: num) -> num { return f x; yield 0 }", [4])).toBe(4));

  test("while with an update, which continue runs and break does not", () => {
    const text = f(
      A,
      `declare k: num = 0
      loop l while { c = lt k 9; yield c } do { d = eq k 1; if d { continue l }
        e = eq k 3; if e { break l }
        append a k } update { k.1 = add k 1; k := k.1 }
      append a k; yield a`,
      "program raw",
    );
    expect(evaluate(text, [[]])).toEqual([0, 2, 3]);
  });

  test("an inner loop that leaves the outer one, and a labelled block", () => {
    const text = f(
      A,
      `scope block { loop outer for i = 0 < 3 { loop inner for j = 0 < 3 { append a j; c = eq j 1; if c { continue outer }
      d = eq i 1; if d { break outer } } }
      append a 100; break block; append a 200 }
      append a 300; yield a`,
      "program raw",
    );
    expect(evaluate(text, [[]])).toEqual([0, 1, 0, 100, 300]);
  });
});
