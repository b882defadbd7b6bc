import { describe, expect, it } from "vitest";
import { structure } from "../../transformer/1-lower/ssa/structure.ts";
import { print } from "../../transformer/ir/print.ts";
import { walkStmts } from "../../transformer/ir/visit.ts";
import { expectGolden, goldenNames, rawGolden } from "./golden.ts";
import { randomRaw } from "./random-raw.ts";

describe("structure", () => {
  it.each(goldenNames)("golden %s", (name) => {
    expectGolden(name, "structured.ir", print(structure(rawGolden(name))));
  });

  it("leaves no exits, and no code twice", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const raw = randomRaw(seed);
      const kinds = new Set<string>();
      let before = 0;
      let after = 0;
      for (const func of raw.funcs.values())
        walkStmts(func.body, () => {
          before++;
        });
      for (const func of structure(raw).funcs.values())
        walkStmts(func.body, (stmt) => {
          kinds.add(stmt.kind);
          after++;
        });
      for (const gone of ["break", "continue", "return", "scope", "loop"])
        expect(kinds.has(gone), `seed ${seed}: ${gone}`).toBe(false);
      // an exit costs at most a flag, its assignments and the guards on the way out, so growth is by a factor, not by copies
      expect(after, `seed ${seed}`).toBeLessThanOrEqual(3 * before + 8);
    }
  });
});
