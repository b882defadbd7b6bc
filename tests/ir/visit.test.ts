// Walks, substitution and renaming, on the fixtures that hold every node, and on small bodies.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { num } from "../../transformer/ir/build.ts";
import { run } from "../../transformer/ir/eval.ts";
import { invariant } from "../../transformer/ir/invariant.ts";
import { baseName, Names } from "../../transformer/ir/names.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { print, printFunc } from "../../transformer/ir/print.ts";
import type { Body, Expr, Func, Program, Stmt } from "../../transformer/ir/types.ts";
import { renameBody, renameVars, substitute } from "../../transformer/ir/rename.ts";
import { isPure, readsMemory } from "../../transformer/ir/effects.ts";
import {
  definedVars,
  freeVars,
  innerBinds,
  mapAtoms,
  stmtBinds,
  stmtBodies,
  stmtFreeVars,
  walkAtoms,
  walkStmts,
} from "../../transformer/ir/visit.ts";

const fixture = (name: string): Program =>
  parse(readFileSync(new URL(`../../fixtures/ir/${name}`, import.meta.url), "utf8"));

function only(program: Program, name = "f"): Func {
  const func = program.funcs.get(name);
  invariant(func !== undefined, `no ${name}`);
  return func;
}

const bodyOf = (text: string): Body => only(parse(text)).body;

function first(body: Body): Stmt {
  const stmt = body.stmts[0];
  invariant(stmt !== undefined, "an empty body");
  return stmt;
}

describe.each(["every-node.ir", "raw.ir"])("%s", (name) => {
  const func = only(fixture(name));

  test("free are the parameters that are read", () => {
    expect(
      [...freeVars(func.body).keys()].filter(
        (free) => !func.params.some((param) => param.name === free),
      ),
    ).toEqual([]);
  });

  test("a map that changes nothing gives an equal copy", () => {
    expect(mapAtoms(func.body, (atom) => atom)).toEqual(func.body);
  });

  test("every binder has a new name, every read follows, and renaming back gives the same text", () => {
    const before = definedVars(func.body).map((one) => one.name);
    const renamed = renameBody(
      func.body,
      new Names([...before, ...func.params.map((param) => param.name)]),
    );
    const after = definedVars(renamed).map((one) => one.name);
    expect(after.filter((one) => before.includes(one))).toEqual([]);
    expect(after.map(baseName)).toEqual(before.map(baseName));
    expect([...freeVars(renamed).keys()]).toEqual([...freeVars(func.body).keys()]);
    const back = new Map(after.map((one, i) => [one, before[i] ?? ""]));
    expect(printFunc({ ...func, body: renameVars(renamed, back) })).toBe(printFunc(func));
  });

  test("walks see all statements and atoms in order", () => {
    let stmts = 0;
    walkStmts(func.body, () => {
      stmts++;
    });
    const count = (body: Body): number =>
      body.stmts.reduce(
        (sum, stmt) => sum + 1 + stmtBodies(stmt).reduce((inner, one) => inner + count(one), 0),
        0,
      );
    expect(stmts).toBe(count(func.body));
    // Every var, constant, global and undef that the text shows as an operand is one that the walk sees: poisoning all leaves none.
    const poisoned = mapAtoms(func.body, () => num(12345));
    const seen = new Set<string>();
    walkAtoms(poisoned, (atom) => seen.add(atom.kind === "const" ? String(atom.value) : atom.kind));
    expect([...seen]).toEqual(["12345"]);
  });
});

describe("binders", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["a = add x 1", ["a"], []],
    ["for i = 0 < x carry (s = x) -> (s.1) { yield i }", ["s.1"], ["i", "s"]],
    ["while carry (s = x) -> (s.1) { yield true } do { yield s }", ["s.1"], ["s"]],
    ["if true -> (y: num) { yield x } else { yield 1 }", ["y"], []],
    ["l = lambda (d: num) { yield d }", ["l"], ["d"]],
    ["declare s: num = x", ["s"], []],
    ["scope L -> (r: num) { return L x }", ["r"], []],
    ["loop L for i = 0 < x { }", [], ["i"]],
  ])("%s", (text, binds, inner) => {
    const stmt = first(bodyOf(`program raw\nfunc f(x: num) { ${text} }`));
    expect(stmtBinds(stmt).map((one) => one.name)).toEqual(binds);
    expect(innerBinds(stmt).map((one) => one.name)).toEqual(inner);
    expect([...stmtFreeVars(stmt).keys()].filter((free) => free !== "x")).toEqual([]);
  });

  test("an assigned name counts as free", () => {
    const body = bodyOf("program raw\nfunc f(s: num) { if true { s := 1 } }");
    expect([...freeVars(body).keys()]).toEqual(["s"]);
  });
});

test("substitution reaches nested bodies and results", () => {
  const text =
    "func f(x: num, y: num) {\n  for i = 0 < x carry (s = x) -> (s.1) { a = add s x; a$l = lambda () { yield x }\n yield x }\n yield x }";
  const replaced = substitute(
    bodyOf(text),
    new Map([["x", { kind: "var", name: "y", type: { kind: "num" } }]]),
  );
  expect([...freeVars(replaced).keys()]).toEqual(["y"]);
});

test("a renamed body computes the same", () => {
  const program = parse(
    "func f(n: num) { for i = 0 < n carry (s = 1, p = 0) -> (s.2, p.2) { s.1 = mul s 2; yield s.1 s }\n t = sub s.2 p.2; yield t }",
  );
  const func = only(program);
  const body = renameBody(func.body, new Names(["n", "s", "t"]));
  const renamed: Program = { ...program, funcs: new Map([["f", { ...func, body }]]) };
  expect(print(renamed)).not.toBe(print(program));
  expect(run(renamed, "f", [10])).toEqual(run(program, "f", [10]));
});

test.each<[string, boolean, boolean]>([
  ["add x 1", true, false],
  ["load a[0]", true, true],
  ["length a", true, true],
  ["slice a 0", true, true],
  ["zeros a", true, true],
  ["copy a", true, false],
  ["array [x]", true, false],
  ["array [...a]", true, true],
  ["alloc x", true, false],
  ["removeLast a", false, true],
  ["pop t", false, true],
  ["newTape", true, false],
  ["call f(x, a, t)", false, true],
  ['extern pure "g(" x ")"', true, false],
  ['extern reads "g(" x ")"', true, true],
  ['extern io "g(" x ")"', false, true],
])("%s: pure %s, reads memory %s", (text, pure, reads) => {
  const stmt = first(bodyOf(`func f(x: num, a: num[], t: tape<num>) -> num { y: num = ${text} }`));
  const expr: Expr | null = stmt.kind === "let" ? stmt.expr : null;
  expect(expr !== null && isPure(expr)).toBe(pure);
  expect(expr !== null && readsMemory(expr)).toBe(reads);
});
