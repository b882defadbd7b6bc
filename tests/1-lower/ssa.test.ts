import { describe, it } from "vitest";
import { structure } from "../../transformer/1-lower/structure.ts";
import { toSsa } from "../../transformer/1-lower/ssa.ts";
import { print } from "../../transformer/ir/print.ts";
import { expectGolden, goldenNames, rawGolden } from "./golden.ts";

describe("ssa", () => {
  it.each(goldenNames)("golden %s", (name) => {
    expectGolden(name, "ssa.ir", print(toSsa(structure(rawGolden(name)))));
  });
});
