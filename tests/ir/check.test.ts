// Each kind of damage to a program is named by the checker; the same program undamaged passes.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { assertValid, check } from "../../transformer/ir/check.ts";
import { InvariantError } from "../../transformer/ir/invariant.ts";
import { parse } from "../../transformer/ir/parse.ts";

const problems = (text: string): readonly string[] =>
  check(parse(text)).map((problem) => problem.message);

const FIXTURES = new URL("../../fixtures/ir/", import.meta.url);

test.each(readdirSync(FIXTURES).filter((name) => name.endsWith(".ir")))("%s is valid", (name) => {
  expect(problems(readFileSync(new URL(name, FIXTURES), "utf8"))).toEqual([]);
});

/** Name, a valid program, what replaces what in it, what the checker says of the result. */
const damage: readonly (readonly [string, string, string, string, string])[] = [
  [
    "bound twice",
    "func f(x: num) { a = add x 1; b = add a 1 }",
    "b = add",
    "a = add",
    "a is bound twice",
  ],
  [
    "bound twice, in two branches",
    "func f(c: bool) { if c { a = add 1 1 } else { b = add 1 1 } }",
    "b =",
    "a =",
    "a is bound twice",
  ],
  ["a parameter bound again", "func f(x: num) { a = add x 1 }", "a =", "x =", "x is bound twice"],
  [
    "read before bound",
    "func f(x: num) { a = add x 1; b = add a 1 }",
    "a = add x 1; b = add a 1",
    "b = add (a: num) 1; a = add x 1",
    "a is read before it is bound",
  ],
  [
    "out of a branch",
    "func f(c: bool) { if c { a = add 1 1 }\n b = add 1 1 }",
    "b = add 1 1",
    "b = add a 1",
    "a is out of scope",
  ],
  [
    "index behind its loop",
    "func f(n: num) { for i = 0 < n { a = add i 1 }\n b = add n 1 }",
    "b = add n",
    "b = add i",
    "i is out of scope",
  ],
  [
    "carried parameter behind its loop",
    "func f(n: num) { for i = 0 < n carry (s = 0) -> (s.1) { yield i }\n yield s.1 }",
    "\n yield s.1",
    "\n yield s",
    "s is out of scope",
  ],
  [
    "bind within its loop",
    "func f(n: num) { for i = 0 < n carry (s = 0) -> (s.1) { yield i } }",
    "yield i",
    "yield (s.1: num)",
    "s.1 is read before it is bound",
  ],
  [
    "a test's name in the body",
    "func f(n: num) { while { c = lt n 1; yield c } do { d = not true } }",
    "not true",
    "not c",
    "c is out of scope",
  ],
  [
    "atom against binder",
    "func f(x: num) { a = copy x }",
    "copy x",
    "copy (x: bool)",
    "x is read as bool and bound as num",
  ],
  [
    "constant against its type",
    "func f(x: num) { a = copy 1 }",
    "a = copy 1",
    "a: num = copy (true: num)",
    "the constant true is typed num",
  ],
  [
    "too many operands",
    "func f(x: num) { a = sin x }",
    "sin x",
    "sin x x",
    "sin takes 1 operands, not 2",
  ],
  [
    "an operand's type",
    "func f(x: num, c: bool) { a = sin x }",
    "sin x",
    "sin c",
    "an operand of sin is bool, not num",
  ],
  [
    "a logical operand",
    "func f(x: num, c: bool) { a = not c }",
    "not c",
    "not x",
    "an operand of not is num, not bool",
  ],
  [
    "an op's result",
    "func f(x: num) { a: num = add x x }",
    "a: num",
    "a: bool",
    "the value is num, not bool",
  ],
  [
    "select of two types",
    "func f(x: num, c: bool, a: num[]) { b = select c x x }",
    "c x x",
    "c x a",
    "select of two types",
  ],
  [
    "a load's type",
    "func f(a: num[]) { b: num = load a[0] }",
    "b: num",
    "b: num[]",
    "what is loaded is num, not num[]",
  ],
  [
    "no such field",
    "func f(m: {w: num}) { b: num = load m.w }",
    "m.w",
    "m.v",
    "{w: num} has no field v",
  ],
  [
    "an index that is none",
    "func f(a: num[], c: bool) { b = load a[0] }",
    "a[0]",
    "a[c]",
    "an index is bool, not num",
  ],
  [
    "a store's value",
    "func f(a: num[], c: bool) { a[0] = 1 }",
    "= 1",
    "= c",
    "the value is bool, not num",
  ],
  [
    "accumulate",
    "func f(a: num[][], x: num[]) { a[0] = x }",
    "=",
    "+=",
    "cannot accumulate into num[]",
  ],
  [
    "append to a typed array",
    "func f(a: num[], b: Float64Array) { append a 1 }",
    "append a",
    "append b",
    "what grows is Float64Array",
  ],
  [
    "fill",
    "func f(a: num[], m: {w: num}) { fill a 1 }",
    "fill a",
    "fill m",
    "what is filled is {w: num}, not an array",
  ],
  [
    "unwrap's type",
    "func f(o: num?, b: bool?) { a: num = unwrap o }",
    "unwrap o",
    "unwrap b",
    "the value is bool, not num",
  ],
  [
    "a fresh array",
    "func f(x: num) { a: num[] = array [x] }",
    "a: num[]",
    "a: num",
    "a fresh array is bound as num",
  ],
  [
    "an element",
    "func f(x: num) { a: num[] = array [x] }",
    "[x]",
    "[true]",
    "an element is bool, not num",
  ],
  [
    "a spread element",
    "func f(b: num[]) { a: num[][] = array [b] }",
    "[b]",
    "[...b]",
    "a spread element is num, not num[]",
  ],
  [
    "a tuple's length",
    "func f(x: num) { a: [num] = tuple [x] }",
    "[x]",
    "[x, x]",
    "a tuple of 2 is bound as one of 1",
  ],
  [
    "a record's field",
    "func f(x: num) { a: {u: num} = record {u: x} }",
    "record {u:",
    "record {v:",
    "the record is {v: num}, not {u: num}",
  ],
  // a literal of the user's may lack a field, a shadow may not
  [
    "a shadow's field",
    "func f(x: num) { a: {u: num, v: num} = record {u: x} }",
    "a:",
    "a$bar:",
    "the record is {u: num}, not {u: num, v: num}",
  ],
  [
    "a shadow of a leaf",
    "func f(x: num, c: bool) { a: num = zeros x }",
    "zeros x",
    "zeros c",
    "bool has no shadow",
  ],
  [
    "a shadow's type",
    "func f(m: {w: num, c: bool}) { a: {w: num} = zeros m }",
    "a: {w: num}",
    "a: {w: num, c: bool}",
    "the value is {w: num}, not {w: num, c: bool}",
  ],
  [
    "too few arguments",
    "func g(x: num) -> num { yield x }\nfunc f() { a = call g(1) }",
    "g(1)",
    "g()",
    "g takes 1 arguments, not 0",
  ],
  [
    "an argument",
    "func g(x: num) -> num { yield x }\nfunc f() { a = call g(1) }",
    "g(1)",
    "g(true)",
    "argument x of g is bool, not num",
  ],
  [
    "an unknown function",
    "func g(x: num) -> num { yield x }\nfunc f() { a: num = call g(1) }",
    "call g",
    "call h",
    "there is no function h",
  ],
  ["an unknown type", "type M = {w: num}\nfunc f(m: M) { }", "m: M", "m: N", "there is no type N"],
  [
    "a num tape",
    "func f(a: num[]) { t = newTape; push t 1 }",
    "push t 1",
    "push t a",
    "num[] is pushed to tape<num>",
  ],
  [
    "room by a number",
    "func f(a: num[]) { t = newTape; reserve t 2 }",
    "reserve t 2",
    "reserve t a",
    "room is num[], not num",
  ],
  [
    "a ref tape",
    "func f(a: num[]) { t: tape<ref> = newTape; push t a }",
    "push t a",
    "push t 1",
    "num is pushed to tape<ref>",
  ],
  [
    "no tape",
    "func f(x: num) { t = newTape; a: num = pop t }",
    "pop t",
    "pop x",
    "what is popped is num, not tape",
  ],
  [
    "an if's then",
    "func f(c: bool) { if c -> (x: num) { yield 1 } else { yield 2 } }",
    "yield 1",
    "",
    "then yields 0 values for 1 names",
  ],
  [
    "an if's else",
    "func f(c: bool) { if c -> (x: num) { yield 1 } else { yield 2 } }",
    " else { yield 2 }",
    "",
    "else yields 0 values for 1 names",
  ],
  [
    "a join's type",
    "func f(c: bool) { if c -> (x: num) { yield 1 } else { yield 2 } }",
    "yield 2",
    "yield c",
    "what else yields for x is bool, not num",
  ],
  [
    "a condition",
    "func f(c: bool, x: num) { if c { } }",
    "if c",
    "if x",
    "the condition is num, not bool",
  ],
  [
    "a loop's result",
    "func f(n: num) { for i = 0 < n carry (s = 0) -> (s.1) { yield i } }",
    "yield i",
    "",
    "the loop yields 0 values for 1 names",
  ],
  [
    "a loop's binds",
    "func f(n: num) { for i = 0 < n carry (s = 0) -> (s.1) { yield i } }",
    "-> (s.1)",
    "",
    "0 binds for 1 carried values",
  ],
  [
    "a carried type",
    "func f(n: num) { for i = 0 < n carry (s: num = 0) -> (s.1) { yield i } }",
    "= 0) ->",
    "= true) ->",
    "the first s is bool, not num",
  ],
  [
    "the step's sign",
    "func f(n: num) { for i = 0 < n step 1 { } }",
    "step 1",
    "step -1",
    "step -1 does not go with <",
  ],
  [
    "no step",
    "func f(n: num) { for i = 0 >= n step -1 { } }",
    "step -1",
    "step 0",
    "step 0 does not go with >=",
  ],
  [
    "half a step",
    "func f(n: num) { for i = 0 < n step 1 { } }",
    "step 1",
    "step 1.5",
    "step 1.5 does not go with <",
  ],
  [
    "half a start",
    "func f(n: num) { for i = 0 < n { } }",
    "i = 0",
    "i = 0.5",
    "a counted loop starts at an integer",
  ],
  [
    "a bound",
    "func f(n: num, c: bool) { for i = 0 < n { } }",
    "< n",
    "< c",
    "a loop's bound or index is bool, not num",
  ],
  [
    "a test's result",
    "func f(c: bool) { while { yield c } do { } }",
    "yield c",
    "",
    "a test yields one boolean, not 0 values",
  ],
  [
    "a test's type",
    "func f(c: bool, x: num) { while { yield c } do { } }",
    "yield c",
    "yield x",
    "the test is num, not bool",
  ],
  ["no result", "func f(x: num) -> num { yield x }", "yield x", "", "0 results, not 1"],
  [
    "the result's type",
    "func f(x: num, c: bool) -> num { yield x }",
    "yield x",
    "yield c",
    "the function's result is bool, not num",
  ],
  [
    "a void value",
    "func g() -> void { }\nfunc f() { a: void = call g(); b = add 1 1 }",
    "b = add 1 1",
    "b: void = copy a",
    "a void value is used",
  ],
  [
    "a name out of a lambda",
    "func f() { l = lambda (d: num) { e = neg d; yield e }\n b = neg 1 }",
    "b = neg 1",
    "b = neg e",
    "e is out of scope",
  ],
  [
    "raw in ssa",
    "program raw\nfunc f() { declare s: num = 0 }",
    "program raw",
    "program ssa",
    "declare belongs to stage raw",
  ],
  [
    "assignment to a let",
    "program raw\nfunc f() { declare s: num = 0; t = add 1 1; s := t }",
    "s := t",
    "t := s",
    "t is not declared as assignable",
  ],
  [
    "an assigned type",
    "program raw\nfunc f() { declare s: num = 0; s := 1 }",
    "s := 1",
    "s := true",
    "the value is bool, not num",
  ],
  [
    "a break to nowhere",
    "program raw\nfunc f() { scope L { break L } }",
    "break L",
    "break M",
    "nothing here is labelled M",
  ],
  [
    "continue of a block",
    "program raw\nfunc f() { scope L { break L } }",
    "break L",
    "continue L",
    "no loop here is labelled L",
  ],
];

describe("damage", () => {
  test.each(damage)("%s", (_, valid, before, after, message) => {
    expect(problems(valid)).toEqual([]);
    expect(valid).toContain(before);
    expect(problems(valid.replace(before, after)).join("\n")).toContain(message);
  });
});

test("what TypeScript lets pass, passes", () => {
  const text = `
    type Named = {w: num[], o: num?}
    func g(m: Named, o: num?, a: num[]) -> num { yield 1 }
    func f(pair: [num, num], full: {w: num[], o: num?, more: bool}, u: opaque"any") {
      a = call g(full, 1, pair); t: [x: num, y: num] = tuple [1, 2]; r: Named = record {w: pair}; v: num = copy u
    }`;
  expect(problems(text)).toEqual([]);
});

test("assertValid names the pass and shows the function", () => {
  const program = parse("func f(x: num) { a = sin x x }");
  expect(() => {
    assertValid(program, "simplify");
  }).toThrow(InvariantError);
  expect(() => {
    assertValid(program, "simplify");
  }).toThrow(/after simplify\n {2}f: sin takes 1 operands, not 2, at `a: num = sin x x`\nfunc f/u);
});

test("functions elsewhere, if the caller knows them", () => {
  const program = parse("func f(x: num) { a: num = call g(x) }");
  expect(check(program)).toHaveLength(1);
  expect(check(program, { knows: (callee) => callee === "g" })).toEqual([]);
});
