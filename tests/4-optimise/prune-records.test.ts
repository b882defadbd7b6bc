import { expect, test } from "vitest";
import { optimise } from "../../transformer/4-optimise/index.ts";
import { pruneRecords } from "../../transformer/4-optimise/tapes/prune-records.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { run } from "../../transformer/ir/eval.ts";
import { parse } from "../../transformer/ir/parse.ts";
import type { Body, Func, Stmt } from "../../transformer/ir/types.ts";
import { mapBodies } from "../../transformer/ir/visit.ts";
import { printFunc } from "./print-func.ts";

/** A sweep in two functions: of each round it records x, the square and a cosine of it, and y where it is above 1. `back` reads x, and what it computes of the cosine nobody reads. */
const PROGRAM = parse(`func there(xs: num[], log: tape<num>) -> num {
  n: num = length xs
  for i = 0 < n step 1 carry (s: num = 0) -> (s.1) {
    x: num = load xs[i]
    x.1: num = mul x x
    x.2: num = cos x
    t: bool = gt x 1
    if t {
      y: num = mul x 3
      push log y
    } else {}
    push log x
    push log x.1
    push log x.2
    t.1: num = add s x.1
    yield t.1
  }
  yield s.1
}
func f(xs: num[]) -> num {
  log: tape<num> = newTape
  t: num = call there(xs, log)
  t.1: num = call back(xs, log)
  t.2: num = add t t.1
  yield t.2
}
func back(xs: num[], log: tape<num>) -> num {
  n: num = length xs
  n.1: num = sub n 1
  for i = n.1 >= 0 step -1 carry (d: num = 0) -> (d.1) {
    x.2: num = pop log
    x.1: num = pop log
    x: num = pop log
    t: bool = gt x 1
    if t {
      y: num = pop log
    } else {}
    t.1: num = mul x.2 x.2
    t.2: num = mul x 2
    t.3: num = add d t.2
    yield t.3
  }
  yield d.1
}
`);

/** Pushes and pops of equal names are of one record. */
function withRecords(body: Body): Body {
  const inStmt = (stmt: Stmt): Stmt => {
    if (stmt.kind === "push" && stmt.value.kind === "var")
      return { ...stmt, record: Symbol.for(stmt.value.name) };
    if (stmt.kind === "let" && stmt.expr.kind === "pop")
      return { ...stmt, expr: { ...stmt.expr, record: Symbol.for(stmt.bind.name) } };
    return mapBodies(stmt, withRecords);
  };
  return { stmts: body.stmts.map(inStmt), result: body.result };
}

const again = (func: Func): Func => optimise(func, { types: PROGRAM.types });

test("a record that no pop reads is neither pushed nor popped, in whatever function; the others are", () => {
  const funcs = [...PROGRAM.funcs.values()].map((func) =>
    again({ ...func, body: withRecords(func.body) }),
  );
  const after = pruneRecords(funcs, PROGRAM.types, again);
  const program = { ...PROGRAM, funcs: new Map(after.map((func) => [func.name, func])) };
  assertValid(program, "unread records");
  for (const xs of [[], [0.5], [2, 0.25, 3]])
    expect(run(program, "f", [xs]).value).toBe(run(PROGRAM, "f", [xs]).value);
  const texts = after.map(printFunc).join("\n");
  expect(texts.match(/push log \S+/g)).toEqual(["push log x"]);
  expect(texts.match(/\S+: num = pop log/g)).toEqual(["x: num = pop log"]);
  // what was computed to be recorded, and branches that did nothing else
  expect(texts).not.toMatch(/cos|if /);
});

/** Each round records x under two names, and a new pair of zeros. */
const DOUBLED = parse(`func f(xs: num[]) -> num {
  log: tape<num> = newTape
  objects: tape<ref> = newTape
  n: num = length xs
  for i = 0 < n step 1 {
    x: num = load xs[i]
    pair: [num, num] = tuple [0, 0]
    push log x
    push log x
    push objects pair
  }
  n.1: num = sub n 1
  for j = n.1 >= 0 step -1 carry (d: num = 0) -> (d.1) {
    a: num = pop log
    b: num = pop log
    pair.1: [num, num] = pop objects
    pair.1[0] += a
    pair.1[1] += b
    t: num = load pair.1[0]
    t.1: num = load pair.1[1]
    t.2: num = mul t t.1
    t.3: num = add d t.2
    yield t.3
  }
  yield d.1
}
`);

/** Pushes and pops of a body in which each is of a record of its own, pops in the opposite order. */
function inTurn(body: Body, prefix: string): Body {
  const isPop = (stmt: Stmt): boolean =>
    stmt.kind === "let" && stmt.expr.kind === "pop" && stmt.bind.name !== "pair.1";
  let pushes = 0;
  let pops = body.stmts.filter(isPop).length;
  const inStmt = (stmt: Stmt): Stmt => {
    if (stmt.kind === "push")
      return {
        ...stmt,
        record: Symbol.for(
          stmt.value.kind === "var" && stmt.value.name === "pair" ? "pair" : `${prefix}${++pushes}`,
        ),
      };
    if (stmt.kind === "let" && stmt.expr.kind === "pop")
      return {
        ...stmt,
        expr: { ...stmt.expr, record: Symbol.for(isPop(stmt) ? `${prefix}${pops--}` : "pair") },
      };
    return mapBodies(stmt, (inner) => inTurn(inner, prefix));
  };
  return { stmts: body.stmts.map(inStmt), result: body.result };
}

test("what two records hold is held by one, and new objects of constants by none", () => {
  const funcs = [...DOUBLED.funcs.values()].map((func) => ({
    ...func,
    body: inTurn(func.body, "number "),
  }));
  const after = pruneRecords(funcs, DOUBLED.types, again);
  const program = { ...DOUBLED, funcs: new Map(after.map((func) => [func.name, func])) };
  assertValid(program, "slim records");
  for (const xs of [[], [0.5], [2, 0.25, 3]])
    expect(run(program, "f", [xs]).value).toBe(xs.reduce((sum, x) => sum + x * x, 0));
  const text = after.map(printFunc).join("\n");
  expect(text.match(/push/g)).toHaveLength(1);
  expect(text.match(/pop/g)).toHaveLength(1);
  expect(text).not.toMatch(/tuple|objects/);
});

test("where a body has a record twice, which of its pops belongs to which push is not guessed", () => {
  const funcs = [...DOUBLED.funcs.values()].map((func) => ({
    ...func,
    body: inTurn(func.body, ""),
  }));
  const twice = (body: Body): Body => ({
    stmts: body.stmts.map((stmt) => {
      if (stmt.kind === "push" && stmt.record !== Symbol.for("pair"))
        return { ...stmt, record: Symbol.for("both") };
      if (stmt.kind === "let" && stmt.expr.kind === "pop" && stmt.bind.name !== "pair.1")
        return { ...stmt, expr: { ...stmt.expr, record: Symbol.for("both") } };
      return mapBodies(stmt, twice);
    }),
    result: body.result,
  });
  const after = pruneRecords(
    funcs.map((func) => ({ ...func, body: twice(func.body) })),
    DOUBLED.types,
    again,
  );
  expect(
    after
      .map(printFunc)
      .join("\n")
      .match(/push log/g),
  ).toHaveLength(2);
});

test("without records, and where all are read, the functions are the same", () => {
  const bare = [...PROGRAM.funcs.values()];
  expect(pruneRecords(bare, PROGRAM.types, again)).toBe(bare);
  const [there] = bare;
  const pushing = there === undefined ? [] : [{ ...there, body: withRecords(there.body) }];
  // whose pops are somewhere else
  expect(pruneRecords(pushing, PROGRAM.types, again)).toBe(pushing);
});
