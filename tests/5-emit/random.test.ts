import { describe, expect, it } from "vitest";
import { structure } from "../../transformer/1-lower/ssa/structure.ts";
import { toSsa } from "../../transformer/1-lower/ssa/ssa.ts";
import type { Program } from "../../transformer/ir/types.ts";
import { randomRaw } from "../1-lower/random-raw.ts";
import { see, type Seen } from "../1-lower/same-run.ts";
import { randomCase } from "../4-optimise/random-adjoint.ts";
import { compiled, emittedProgram } from "./emitted.ts";
import { problemsOf } from "./type-check.ts";

const RANDOM_ARGUMENTS = [
  [0, 1],
  [2, -1],
  [1, 1],
  [3, 0],
].map(([x, y]) => [x, y, [1, 2, 3, 4], []]);

function seeText(source: string, args: readonly unknown[]): Seen {
  const copies = structuredClone(args);
  const f = compiled(source, ["f"])["f"];
  if (f === undefined) throw new Error("no f");
  try {
    return { value: f(...copies), thrown: null, args: copies };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ReferenceError) throw error;
    return { value: undefined, thrown: { error }, args: copies };
  }
}

function expectSame(program: Program, args: readonly unknown[], seed: number): void {
  const source = emittedProgram(program);
  expect(seeText(source, args), `seed ${seed}\n${source}`).toEqual(see(program, "f", args));
}

const exported = (source: string): string => source.replaceAll(/^function /gm, "export function ");

describe("random programs", () => {
  it("with every kind of control flow run as in the interpreter", () => {
    for (let seed = 1; seed <= 150; seed++) {
      const program = toSsa(structure(randomRaw(seed)));
      for (const args of RANDOM_ARGUMENTS) expectSame(program, args, seed);
    }
  });

  it.each([true, false])(
    "with shadows and tapes run as in the interpreter (floats: %s)",
    (floats) => {
      for (let seed = 1; seed <= 100; seed++) {
        const one = randomCase(seed, floats);
        expectSame(one.program, one.args(), seed);
      }
    },
  );

  it.each([true, false])(
    "type-check (noUncheckedIndexedAccess: %s)",
    (noUncheckedIndexedAccess) => {
      const files: Record<string, string> = {};
      for (let seed = 1; seed <= 30; seed++) {
        files[`raw${seed}.ts`] = exported(
          emittedProgram(toSsa(structure(randomRaw(seed))), { noUncheckedIndexedAccess }),
        );
        files[`adjoint${seed}.ts`] = exported(
          emittedProgram(randomCase(seed, seed % 2 === 0).program, { noUncheckedIndexedAccess }),
        );
      }
      // a random program compares again what a branch has just settled (TS2367); so would TypeScript say of the user's own text
      expect(
        problemsOf(files, { noUncheckedIndexedAccess }).filter((one) => !one.includes(" TS2367 ")),
      ).toEqual([]);
    },
  );
});
