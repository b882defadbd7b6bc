// Rest parameters of callbacks that hold numbers and arrays at once. Oracle: what the array would have to hold.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

/** Whose code a second derivative is: the static engine refuses what the Delta engine then takes. */
function engineOf(callback: string): string {
  const { diagnostics, edits } = analyse(
    programOf({
      "/src/a.ts": `import { hvp } from "tsgrad";\nexport const f = (c: number[]): number => c.map(${callback}).reduce((a, b) => a + b, 0);\nexport const h = hvp(f);\n`,
    }),
  );
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect(errors.map(({ code }) => code)).toEqual([]);
  const inserted = [...edits.values()].flat().map((edit) => edit.text);
  expect(inserted).not.toEqual([]);
  return inserted.some((one) => one.includes("f$delta")) ? "delta" : "static";
}

it("as an array of both they are left to Delta", () => {
  expect(engineOf("(x, ...rest: (number | number[])[]) => x * (rest[1] as number[])[0]!")).toBe(
    "delta",
  );
});
it("as a tuple they are not", () => {
  expect(engineOf("(x, ...rest) => x * rest[1][0]!")).toBe("static");
});
