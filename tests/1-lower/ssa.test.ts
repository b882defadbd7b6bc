import { describe, expect, it } from "vitest";
import { structure } from "../../transformer/1-lower/ssa/structure.ts";
import { toSsa } from "../../transformer/1-lower/ssa/ssa.ts";
import { assertValid } from "../../transformer/ir/check.ts";
import { print } from "../../transformer/ir/print.ts";
import type { Program, Stmt, Var } from "../../transformer/ir/types.ts";
import { innerBinds, stmtBinds, walkStmts } from "../../transformer/ir/visit.ts";
import { expectGolden, goldenNames, rawGolden } from "./golden.ts";
import { randomRaw } from "./random-raw.ts";
import { see } from "./same-run.ts";

/** Arguments for the goldens' parameter types: every branch of each program is taken by one of them. */
const ARGUMENTS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  "early-return": [[-1], [0.5], [2]],
  "return-in-one-branch": [
    [-1, -1],
    [-1, 2],
    [3, 4],
  ],
  "throw-stays-flat": [[-1], [2]],
  "break-in-counted-loop": [
    [[1, 2, 3, 4], 4],
    [[1, 2], 100],
    [[], 1],
  ],
  "return-from-nested-loops": [
    [[[1, 2], [3]], 3],
    [[[1], [1, 5, 6]], 5],
    [[[], []], 1],
  ],
  "continue-with-update": [[0], [1], [6]],
  "test-that-assigns": [[-1], [0], [3]],
  "inlined-closure": [[[1, -2, 3]], [[]]],
  "never-changes": [
    [5, 0],
    [5, 4],
  ],
  "user-names": [[2, 3]],
  "optional-variable": [[[]], [[3, 1, 2]]],
  "switch-with-fall-through": [
    [0, 5],
    [1, 5],
    [2, 5],
  ],
  "assigned-parameter": [
    [3, undefined],
    [3, 5],
  ],
  "closure-in-a-test": [
    [[40, 3], 1],
    [[100], 60],
    [[], 1],
    [[1000], 1],
  ],
  "nothing-returned": [
    [[1, 2], -1],
    [[1, 2], 6],
    [[1, 0, 2], 6],
  ],
  "do-while": [[200], [3], [5]],
};

const RANDOM_ARGUMENTS = [
  [0, 1],
  [2, -1],
  [1, 1],
  [3, 0],
].map(([x, y]) => [x, y, [1, 2, 3, 4], []]);

function stmtsOf(program: Program): readonly Stmt[] {
  const stmts: Stmt[] = [];
  for (const func of program.funcs.values()) walkStmts(func.body, (stmt) => stmts.push(stmt));
  return stmts;
}

describe("ssa", () => {
  it.each(goldenNames)("golden %s", (name) => {
    expectGolden(name, "ssa.ir", print(toSsa(structure(rawGolden(name)))));
  });

  it.each(goldenNames)("golden %s runs the same at each stage", (name) => {
    const raw = rawGolden(name);
    const func = [...raw.funcs.keys()][0] ?? "";
    const runs = ARGUMENTS[name];
    expect(runs, `no arguments for ${name}`).toBeDefined();
    const structured = structure(raw);
    assertValid(structured, "structure");
    assertValid(toSsa(structured), "ssa");
    for (const args of runs ?? []) {
      const seen = see(raw, func, args);
      expect(see(structured, func, args)).toEqual(seen);
      expect(see(toSsa(structured), func, args)).toEqual(seen);
    }
  });

  it("keeps value, exception, effects and their order of random programs", () => {
    for (let seed = 1; seed <= 600; seed++) {
      const raw = randomRaw(seed);
      const structured = structure(raw);
      const ssa = toSsa(structured);
      assertValid(structured, `structure, seed ${seed}`);
      assertValid(ssa, `ssa, seed ${seed}`);
      for (const args of RANDOM_ARGUMENTS) {
        const seen = see(raw, "f", args);
        expect(see(structured, "f", args), `structure, seed ${seed}`).toEqual(seen);
        expect(see(ssa, "f", args), `ssa, seed ${seed}`).toEqual(seen);
      }
    }
  });

  it("binds every name once and leaves no assignment", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const ssa = toSsa(structure(randomRaw(seed)));
      const bound: string[] = ["x", "y", "a", "log"];
      const bind = (vars: readonly Var[]): void => {
        for (const one of vars) bound.push(one.name);
      };
      for (const stmt of stmtsOf(ssa)) {
        expect(["declare", "assign", "break", "continue", "return", "scope", "loop"]).not.toContain(
          stmt.kind,
        );
        bind(innerBinds(stmt));
        bind(stmtBinds(stmt));
      }
      expect(new Set(bound).size, `seed ${seed}`).toBe(bound.length);
    }
  });

  it("joins and carries only what changes", () => {
    for (let seed = 1; seed <= 500; seed++) {
      for (const stmt of stmtsOf(toSsa(structure(randomRaw(seed))))) {
        if (stmt.kind === "if") {
          for (const at of stmt.binds.keys())
            expect(stmt.then.result[at], `seed ${seed}`).not.toEqual(stmt.else.result[at]);
        }
        if (stmt.kind !== "for" && stmt.kind !== "while") continue;
        for (const [at, { param }] of stmt.carried.entries())
          expect(stmt.body.result[at], `seed ${seed}`).not.toEqual(param);
      }
    }
  });
});
