import { describe, expect, it } from "vitest";
import { assertValid } from "../../transformer/ir/check.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { printFunc } from "../../transformer/ir/print.ts";
import type { Func, Program } from "../../transformer/ir/types.ts";
import { isWritten, memoryOf, overlap } from "../../transformer/2-analyse/index.ts";
import { joinFields } from "../../transformer/4-optimise/records/join-fields.ts";
import { seen } from "./same-meaning.ts";

function joined(program: Program, name: string): Func {
  const memory = memoryOf(program.funcs, program.types).get(name);
  const func = program.funcs.get(name);
  if (memory === undefined || func === undefined) throw new Error(`no ${name}`);
  return joinFields(func, {
    types: program.types,
    isWritten: (object) => isWritten(object, memory),
    overlap: (x, z) => overlap(x, z, memory),
  });
}

const STATE = 'type State = {x: num, v: num} text "State"\n';
const loop = (
  body: string,
  result = "t: num = load s.2.x\n  yield t",
  first = "s: State = record {x: x, v: 1}",
): string => `${STATE}func use(s: State) -> num {
  t = load s.x
  yield t
}
func f(x: num, given: State) -> num {
  ${first}
  for i = 0 < 3 step 1 carry (s.1: State = s) -> (s.2) {
${body}
  }
  ${result}
}`;

const STEP = `    a: num = load s.1.x
    b: num = load s.1.v
    c: num = add a b
    s.3: State = record {x: c, v: a}
    yield s.3`;

describe("joinFields", () => {
  it("carries fields for records", () => {
    const program = parse(loop(STEP));
    const func = joined(program, "f");
    assertValid({ ...program, funcs: new Map([...program.funcs, ["f", func]]) }, "joinFields");
    expect(printFunc(func)).toContain("carry (x.1: num = x, v: num = 1) -> (x.2, v.1)");
    expect(printFunc(func)).toContain("yield c a");
    const args = (): unknown[] => [0.5, { x: 1, v: 2 }];
    expect(seen(program, func, args)).toEqual(seen(program, program.funcs.get("f") ?? func, args));
  });

  it("reads the fields of an object from elsewhere where it joins, and makes one for a call", () => {
    const program = parse(
      loop(
        STEP.replace("c: num = add a b", "c: num = call use(s.1)"),
        undefined,
        "s: State = copy given",
      ),
    );
    const func = joined(program, "f");
    assertValid({ ...program, funcs: new Map([...program.funcs, ["f", func]]) }, "joinFields");
    expect(printFunc(func)).toMatch(/x\S*: num = load s\.x/);
    expect(printFunc(func)).toMatch(/= record \{x: \S+, v: \S+\}\n\s+c: num = call use/);
    const args = (): unknown[] => [0.5, { x: 1, v: 2 }];
    expect(seen(program, func, args)).toEqual(seen(program, program.funcs.get("f") ?? func, args));
  });

  const KEPT = "k: State[] = array []";
  /** The state of each round is kept in `k`, which is there in front of the loop. */
  const keeping = (behind: string): string =>
    loop(
      STEP.replace("    yield s.3", "    append k s.1\n    yield s.3"),
      behind,
      `s: State = record {x: x, v: 1}\n  ${KEPT}`,
    );
  const LAST = "o: State = load k[1]\n  t: num = load o.x";

  it("makes one for a place that nobody else sees", () => {
    const program = parse(keeping(`${LAST}\n  yield t`));
    const func = joined(program, "f");
    assertValid({ ...program, funcs: new Map([...program.funcs, ["f", func]]) }, "joinFields");
    expect(printFunc(func)).toMatch(/= record \{x: \S+, v: \S+\}\n\s+append k/);
    expect(printFunc(func)).toContain("carry (x.1: num = x, v: num = 1)");
    const args = (): unknown[] => [0.5, { x: 1, v: 2 }];
    expect(seen(program, func, args)).toEqual(seen(program, program.funcs.get("f") ?? func, args));
  });

  const RETURNED = (text: string): string =>
    text
      .replace("-> num {\n  s: State", "-> State {\n  s: State")
      .replace("t: num = load s.2.x\n  yield t", "yield s.2");

  it("makes one for the only place that it goes to", () => {
    const program = parse(RETURNED(loop(STEP)));
    const func = joined(program, "f");
    assertValid({ ...program, funcs: new Map([...program.funcs, ["f", func]]) }, "joinFields");
    expect(printFunc(func)).toMatch(
      /carry \(x\.1: num = x, v: num = 1\)[\s\S]*record \{x: \S+, v: \S+\}\n\s+yield/,
    );
    const args = (): unknown[] => [0.5, { x: 1, v: 2 }];
    expect(seen(program, func, args)).toEqual(seen(program, program.funcs.get("f") ?? func, args));
  });

  it.each([
    ["is returned, and came in", RETURNED(loop(STEP, undefined, "s: State = copy given"))],
    [
      "is returned, and given to a function that may keep it",
      RETURNED(loop(STEP))
        .replace("yield s.2", "o: State = call same(s.2)\n  yield s.2")
        .replace("func f", "func same(s: State) -> State {\n  yield s\n}\nfunc f"),
    ],
    [
      "is kept in each round, in what is returned",
      loop(
        STEP.replace("    yield s.3", "    append k s.1\n    yield s.3"),
        "yield k",
        `s: State = record {x: x, v: 1}\n  ${KEPT}`,
      ).replace("func f(x: num, given: State) -> num", "func f(x: num, given: State) -> State[]"),
    ],
    [
      "is compared where it is kept",
      keeping(
        `${LAST}\n  o.1: State = load k[2]\n  c: bool = eq o o.1\n  t.1: num = select c t 0\n  yield t.1`,
      ),
    ],
    [
      "is shown to code of the user's where it is kept",
      keeping(`${LAST}\n  c: num = extern reads "look(" k ")"\n  yield c`),
    ],
    [
      "is given to a function where it is kept",
      keeping(`${LAST}\n  c: num = call use(o)\n  yield c`),
    ],
    ["is kept with what came in", keeping(`${LAST}\n  append k given\n  yield t`)],
    ["is written", loop(STEP.replace("c: num = add a b", "c: num = add a b\n    s.1.v = c"))],
    [
      "is written under another name",
      loop(
        STEP.replace("c: num = add a b", "c: num = add a b\n    o: State = copy s.1\n    o.v = c"),
      ),
    ],
    [
      "is kept in an array",
      loop(
        STEP.replace(
          "c: num = add a b",
          "c: num = add a b\n    k: State[] = array [s.1]\n    k.1: State = load k[0]\n    k.1.x = 2",
        ),
      ),
    ],
    [
      "is compared",
      loop(
        STEP.replace("c: num = add a b", "c: num = add a b\n    o: bool = op eq s.1 given"),
      ).replace("op eq", "eq"),
    ],
    ["only points into data", loop("    yield given", undefined, "s: State = copy given")],
  ])("leaves an object alone that %s", (_, text) => {
    const program = parse(text);
    expect(joined(program, "f")).toBe(program.funcs.get("f"));
  });
});
