import { describe, expect, it } from "vitest";
import { assertValid } from "../../transformer/ir/check.ts";
import { parse } from "../../transformer/ir/parse.ts";
import { printFunc } from "../../transformer/ir/print.ts";
import type { Program } from "../../transformer/ir/types.ts";
import { structure } from "../../transformer/1-lower/ssa/structure.ts";
import { toSsa } from "../../transformer/1-lower/ssa/ssa.ts";
import { inline } from "../../transformer/4-optimise/calls/inline.ts";
import { randomRaw } from "../1-lower/random-raw.ts";
import { see } from "../1-lower/same-run.ts";

const inlined = (text: string, name: string, maxSize = 20): string => {
  const func = inline(parse(text), { maxSize }).funcs.get(name);
  return func === undefined ? "" : printFunc(func);
};

const SQUARE = `func square(x: num) -> num {
  t = mul x x
  yield t
}
`;

/** Text of `f` calling `g`, with `g`'s home in the same file or another. */
const twoFiles = (
  body: string,
  at = 0,
): string => `home "g" file "g.ts" name "g" at ${at} module indent ""
func g(x: num) -> num {
${body}
}
func f(x: num) -> num {
  a: num = call g(x)
  yield a
}
`;

describe("inline", () => {
  it("gives the result the call's name", () => {
    expect(
      inlined(
        `${SQUARE}
func f(x: num) -> num {
  a: num = call square(x)
  t: num = call square(a)
  t.1 = add t x
  yield t.1
}`,
        "f",
      ),
    ).toBe(`func f(x: num) -> num {
  a: num = mul x x
  t: num = mul a a
  t.1: num = add t x
  yield t.1
}`);
  });

  it("uses an argument or constant result as it is, and keeps unused and void bodies", () => {
    expect(
      inlined(
        `func first(x: num, y: num) -> num { yield x }
func put(a: num[], x: num) -> void { a[0] = x }
func f(x: num, a: num[]) -> num {
  p: num = call first(x, 2)
  u: void = call put(a, p)
  q: num = call first(p, 1)
  yield p
}`,
        "f",
      ),
    ).toBe(`func f(x: num, a: num[]) -> num {
  a[0] = x
  yield x
}`);
  });

  it("renames what clashes", () => {
    expect(
      inlined(
        `func g(y: num, x: num) -> num {
  x.1 = mul x y
  if true -> (y.1) {
    x.2 = add x.1 y
    yield x.2
  } else { yield y }
  yield y.1
}
func f(x: num, y: num) -> num {
  x.1: num = call g(x, y)
  x.2: num = call g(x.1, x)
  yield x.2
}`,
        "f",
      ),
    ).toMatchInlineSnapshot(`
  "func f(x: num, y: num) -> num {
    x.4: num = mul y x
    if true -> (x.1) {
      x.5: num = add x.4 x
      yield x.5
    } else { yield x }
    x.7: num = mul x x.1
    if true -> (x.2) {
      x.8: num = add x.7 x.1
      yield x.8
    } else { yield x.1 }
    yield x.2
  }"
`);
  });

  it("inlines inside branches and loops, innermost functions first, not in a loop's test", () => {
    expect(
      inlined(
        `${SQUARE}
func fourth(x: num) -> num {
  s: num = call square(x)
  t: num = call square(s)
  yield t
}
func f(x: num, n: num) -> num {
  while carry (s: num = x) -> (s.2) {
    q: num = call square(s)
    c = lt q n
    yield c
  } do {
    c.1 = gt s 1
    if c.1 -> (s.1) {
      r: num = call fourth(s)
      yield r
    } else { yield s }
    yield s.1
  }
  yield s.2
}`,
        "f",
      ),
    ).toMatchInlineSnapshot(`
  "func f(x: num, n: num) -> num {
    while carry (s: num = x) -> (s.2) {
      q: num = call square(s)
      c: bool = lt q n
      yield c
    } do {
      c.1: bool = gt s 1
      if c.1 -> (s.1) {
        s.3: num = mul s s
        r: num = mul s.3 s.3
        yield r
      } else { yield s }
      yield s.1
    }
    yield s.2
  }"
`);
  });

  it("copies an argument of another type", () => {
    expect(
      inlined(
        `func or0(x: num?) -> num {
  c = present x
  if c -> (r: num) {
    v = unwrap x
    yield v
  } else { yield 0 }
  yield r
}
func f(y: num) -> num {
  a: num = call or0(y)
  yield a
}`,
        "f",
      ),
    ).toMatchInlineSnapshot(`
  "func f(y: num) -> num {
    x: num? = copy y
    c: bool = present x
    if c -> (a) {
      v: num = unwrap x
      yield v
    } else { yield 0 }
    yield a
  }"
`);
  });

  const stays = "  a: num = call g(x)";

  it("leaves large and recursive functions", () => {
    expect(inlined(twoFiles("  t = mul x x\n  t.1 = add t x\n  yield t.1"), "f", 1)).toContain(
      stays,
    );
    expect(inlined(twoFiles("  t = mul x x\n  t.1 = add t x\n  yield t.1"), "f", 2)).not.toContain(
      stays,
    );
    expect(inlined(twoFiles("  t: num = call g(x)\n  yield t"), "f")).toContain(stays);
    expect(
      inlined(
        `func g(x: num) -> num {
  t: num = call h(x)
  yield t
}
func h(x: num) -> num {
  t: num = call g(x)
  yield t
}
func f(x: num) -> num {
  a: num = call g(x)
  yield a
}`,
        "f",
      ),
    ).toContain(stays);
  });

  it("leaves functions of another module or block that need names of their scope", () => {
    expect(inlined(twoFiles('  t = add x (@k: num from "g.ts")\n  yield t'), "f")).toContain(stays);
    expect(inlined(twoFiles('  t: num = extern pure "k * " x ""\n  yield t'), "f")).toContain(
      stays,
    );
    const here = (body: string, at: number): string =>
      twoFiles(body, at).replace('"g.ts" name', '"main.ts" name');
    expect(inlined(here("  t = add x @k\n  yield t", 9), "f")).toContain(stays);
    expect(inlined(here("  t = add x @k\n  yield t", 0), "f")).not.toContain(stays);
  });

  it("leaves a function whose outer name a local of the caller hides, and the reverse", () => {
    const callee = `func g(x: num) -> num {
  t = add x @k
  yield t
}
`;
    expect(
      inlined(
        `${callee}func f(k: num) -> num {
  a: num = call g(k)
  yield a
}`,
        "f",
      ),
    ).toContain("call g(k)");
    const caller = `func f(x: num) -> num {
  a: num = call g(x)
  b = add a @k
  yield b
}`;
    expect(
      inlined(
        `func g(x: num) -> num {\n  k = add x 1\n  t = mul k k\n  yield t\n}\n${caller}`,
        "f",
      ),
    ).toContain(stays);
    // of a parameter that an argument stands for no name is left
    expect(
      inlined(`func g(k: num) -> num {\n  t = add k 1\n  yield t\n}\n${caller}`, "f"),
    ).toContain("a: num = add x 1");
  });

  it("looks at the roots and what they call only", () => {
    const program = parse(`${SQUARE}
func f(x: num) -> num {
  a: num = call square(x)
  yield a
}
func h(x: num) -> num {
  a: num = call square(x)
  yield a
}`);
    const out = inline(program, { roots: ["f"], maxSize: 5 });
    expect(printFunc(out.funcs.get("f") ?? expect.fail("f is gone"))).not.toContain("call");
    expect(out.funcs.get("h")).toBe(program.funcs.get("h"));
    expect([...out.funcs.keys()]).toEqual([...program.funcs.keys()]);
  });

  /** `main` calls a random `f` in a branch, in a loop, and on its own results. */
  const calling = (seed: number): Program => {
    const callee = toSsa(structure(randomRaw(seed)));
    const gives = seed % 7 !== 0;
    const call = (name: string, args: string): string =>
      gives
        ? `${name}: num = call f(${args})`
        : `${name}.9: void = call f(${args})\n${name}: num = copy x`;
    const main = parse(`func f(x: num, y: num, a: num[], log: num[]) -> ${gives ? "num" : "void"} {}
func main(x: num, y: num, a: num[], log: num[]) -> num {
  ${call("s", "x, y, a, log")}
  c = lt x 2
  if c -> (u: num) {
    ${call("v", "y, 1, a, log")}
    t = add y v
    yield t
  } else { yield y }
  for i = 0 < 3 step 1 carry (k: num = u) -> (k.2) {
    ${call("w", "i, k, a, log")}
    k.1 = sub w 1
    yield k.1
  }
  append log s
  yield k.2
}`);
    return { ...main, funcs: new Map([...main.funcs, ...callee.funcs]) };
  };

  it("keeps value, exception and effects of random programs", () => {
    let calls = 0;
    for (let seed = 1; seed <= 250; seed++) {
      const program = calling(seed);
      const out = inline(program, { maxSize: 60 });
      assertValid(out, `inline, seed ${seed}`);
      const main = out.funcs.get("main") ?? expect.fail("main is gone");
      if (printFunc(main).includes("call f")) calls++;
      for (const [x, y] of [
        [0, 1],
        [2, -1],
        [3, 0],
      ]) {
        const args = [x, y, [1, 2, 3, 4], []];
        expect(see(out, "main", args), `seed ${seed}`).toEqual(see(program, "main", args));
      }
    }
    // nearly all are small enough; if none were inlined the test would say nothing
    expect(calls).toBeLessThan(50);
  });
});
