// Every node of the IR as text: what is parsed prints the same, and what is printed parses to the same program.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { IrSyntaxError } from "../../transformer/ir/lex.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { parseType } from "../../transformer/ir/parse-type.ts";
import { print, printAtom, printType } from "../../transformer/ir/print.ts";
import type { Atom } from "../../transformer/ir/types.ts";

const FIXTURES = new URL("../../fixtures/ir/", import.meta.url);
const fixtures = readdirSync(FIXTURES).filter((name) => name.endsWith(".ir"));

describe("fixtures are in printed form", () => {
  test.each(fixtures)("%s", (name) => {
    const text = readFileSync(new URL(name, FIXTURES), "utf8");
    const program = parse(text);
    expect(print(program)).toBe(text);
    expect(parse(print(program))).toEqual(program);
  });
  test("there are some", () => expect(fixtures.length).toBeGreaterThan(1));
});

describe("types", () => {
  test.each([
    "num",
    "bool",
    "void",
    'leaf"string"',
    'leaf"(() => void) | \\"a\\""',
    "num[]",
    "num[][]",
    "num?[]",
    "num[]?",
    "Float64Array",
    "Float32Array<bool>",
    "Array<num>",
    "[num, bool]",
    "[f: num, a.1: num[]]",
    "[]",
    "{}",
    '{a: num, "b-c": {d: bool?}}',
    "Model",
    "Model.2",
    "`Pair%3Cnumber%3E`",
    "tape<num>",
    "tape<ref>",
    "() => void",
    "(num, num[]) => [num, num]",
    "((num) => num)[]",
    "((num) => num)?",
    "cotangent<Model>",
    "cotangent<Model>[]",
    "`num`",
    "`MyArray`",
    'opaque"Map"',
    "A | B",
    "(A | B)[]",
    "(A | num[])?",
    '{kind: leaf"\\"a\\"", x: num} | {kind: leaf"\\"b\\""}',
    "cotangent<A | B>",
    "[A | B, num]",
    "(A | B) => num",
    'Map<leaf"string", num>',
    "Dict<num, num[]>[]",
  ])("%s", (text) => {
    const type = parseType(text);
    expect(parseType(printType(type))).toEqual(type);
    expect(printType(type)).toBe(text === "Array<num>" ? "num[]" : text);
  });
});

describe("atoms that say what their surroundings do not", () => {
  const NUM = { kind: "num" } as const;
  test.each<[string, Atom]>([
    ["(x: num)", { kind: "var", name: "x", type: NUM }],
    ["-0", { kind: "const", type: NUM, value: -0 }],
    ["-Infinity", { kind: "const", type: NUM, value: -Infinity }],
    ["NaN", { kind: "const", type: NUM, value: NaN }],
    ["1e-7", { kind: "const", type: NUM, value: 1e-7 }],
    ["1.5e+300", { kind: "const", type: NUM, value: 1.5e300 }],
    ['"a\\n\\"b"', { kind: "const", type: { kind: "leaf", text: "string" }, value: 'a\n"b' }],
    ["(undefined: num?)", { kind: "const", type: { kind: "opt", of: NUM }, value: undefined }],
    ["null", { kind: "const", type: { kind: "leaf", text: "null" }, value: null }],
    ["undef", { kind: "undef", type: NUM }],
    ["(undef: num[])", { kind: "undef", type: { kind: "array", store: "Array", elem: NUM } }],
    ["@E.A", { kind: "global", name: "E.A", type: NUM, file: "main.ts" }],
    [
      '(@K: bool from "other.ts")',
      { kind: "global", name: "K", type: { kind: "bool" }, file: "other.ts" },
    ],
    ['@"import.meta[0]"', { kind: "global", name: "import.meta[0]", type: NUM, file: "main.ts" }],
    ["(`true`: num)", { kind: "var", name: "true", type: NUM }],
  ])("%s", (text, atom) => {
    expect(printAtom(atom)).toBe(text);
    const program = parse(`func f() { y = copy ${text} }`);
    expect(program.funcs.get("f")?.body.stmts[0]).toMatchObject({
      kind: "let",
      expr: { kind: "copy", atom },
    });
  });
});

describe("written by hand", () => {
  test("types are told from operands", () => {
    const program = parse(`
      type Model = {w: num[], b: num}
      func g(x: num) -> bool { t = gt x 0; yield t }
      func f(m: Model, t.0: [num, Model], n: num) {
        w = load m.w; x = load w[n]; y = load t.0["1"]; c = call g(x); z = zeros m; k = select c x n
        p = array [x]; q = tuple [x, w]; r = record {a: q}; l = lambda (u: num) { yield u }
        yield k   // the function's result
      }`);
    const f = program.funcs.get("f");
    expect(
      f?.body.stmts.flatMap((stmt) =>
        stmt.kind === "let" ? [`${stmt.bind.name}: ${printType(stmt.bind.type)}`] : [],
      ),
    ).toEqual([
      "w: num[]",
      "x: num",
      "y: Model",
      "c: bool",
      "z: Model",
      "k: num",
      "p: num[]",
      "q: [num, num[]]",
      "r: {a: [num, num[]]}",
      "l: (num) => num",
    ]);
    expect(f?.result).toEqual({ kind: "num" });
    expect(program.stage).toBe("ssa");
  });

  test("variables may be called like statements", () => {
    const text =
      "push: num = add fill 1\n  fill: num = copy init\n  init[0] = push\n  append init push";
    const program = parse(`func f(fill: num, init: num[]) {\n  ${text}\n}`);
    expect(program.funcs.get("f")?.body.stmts.map((stmt) => stmt.kind)).toEqual([
      "let",
      "let",
      "store",
      "append",
    ]);
  });

  test.each([
    ["func f() { y = copy x }", "x is not bound here"],
    ["func f(x: num) { y = frob x }", "frob is neither"],
    ["func f(x: num) {\n y = add x x }\n}", "line 3"],
    ["func f(x: num) { for i = 0 == x { } }", "expected < <="],
    ["func f(t: tape<ref>) { y = pop t }", "write the type of y"],
    ["func f(x: num) { y = copy x % }", "unexpected"],
    ["program sa", "expected raw or ssa"],
  ])("%s", (text, message) => {
    expect(() => parse(text)).toThrow(IrSyntaxError);
    expect(() => parse(text)).toThrow(message);
  });
});
