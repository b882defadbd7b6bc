import { expect, test } from "vitest";
import { dropDeadParams } from "../../transformer/4-optimise/calls/dead-params.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { run } from "../../transformer/ir/eval.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { printFunc } from "./print-func.ts";

/** `odd` and `even` hand `k` round and nobody reads it; `w` is read at the end only; `f` makes a shadow for them. */
const PROGRAM = parse(`func even(n: num, k: num, w: num, a$bar: num[]) -> num {
  t: bool = le n 0
  if t -> (t.1) { yield w } else {
    t.2: num = sub n 1
    t.3: num = call odd(k, t.2, w, a$bar)
    yield t.3
  }
  yield t.1
}
func odd(k: num, n: num, w: num, a$bar: num[]) -> num {
  t: bool = le n 0
  if t -> (t.1) { yield 1 } else {
    t.2: num = sub n 1
    t.3: num = call even(t.2, k, w, a$bar)
    t.4: num = mul t.3 2
    yield t.4
  }
  yield t.1
}
func f(n: num, k: num, a: num[]) -> num {
  ~ a$bar: num[] = zeros a
  t: num = call even(n, k, 3, a$bar)
  yield t
}
`);

const changed = (asked: readonly string[]): ReadonlyMap<string, string> => {
  const funcs = [...PROGRAM.funcs.values()].map((func) =>
    func.name === "f" ? func : { ...func, isSweep: true as const },
  );
  const after = dropDeadParams(funcs, (name) => asked.includes(name), PROGRAM.types);
  const program = { ...PROGRAM, funcs: new Map(after.map((func) => [func.name, func])) };
  assertValid(program, "unread parameters");
  for (const n of [0, 1, 2, 5])
    expect(run(program, "f", [n, 0.5, [1, 2]]).value).toBe(
      run(PROGRAM, "f", [n, 0.5, [1, 2]]).value,
    );
  return new Map(after.map((func) => [func.name, printFunc(func)]));
};

test("what is handed round and not read is gone, and what was made for it", () => {
  const after = changed(["f"]);
  expect(after.get("even")).toContain("func even(n: num, w: num) -> num");
  expect(after.get("even")).toContain("call odd(t.2, w)");
  expect(after.get("odd")).toContain("func odd(n: num, w: num) -> num");
  expect(after.get("f")).toContain("func f(n: num, k: num, a: num[]) -> num");
  expect(after.get("f")).not.toContain("zeros");
});

test("who is called from outside keeps its parameters, and so do those that fill them", () => {
  const after = changed(["f", "even"]);
  expect(after.get("even")).toContain("func even(n: num, k: num, w: num, a$bar: num[]) -> num");
  expect(after.get("odd")).toContain("func odd(k: num, n: num, w: num, a$bar: num[]) -> num");
  expect(after.get("f")).toContain("zeros");
});

test("where nothing is unread the functions are the same", () => {
  const funcs = [...PROGRAM.funcs.values()];
  expect(dropDeadParams(funcs, () => true, PROGRAM.types)).toBe(funcs);
});
