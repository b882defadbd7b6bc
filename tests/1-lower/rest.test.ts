// Rest parameters of callbacks that hold numbers and arrays at once. Oracle: what the array would have to hold.

import { expect, it } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { programOf } from "../program.ts";

const errorsOf = (callback: string): readonly string[] =>
  analyse(
    programOf({
      "/src/a.ts": `import { hvp } from "tsgrad";\nexport const f = (c: number[]): number => c.map(${callback}).reduce((a, b) => a + b, 0);\nexport const h = hvp(f);\n`,
    }),
  )
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);

it("as an array of both they are refused", () => {
  expect(
    errorsOf("(x, ...rest: (number | number[])[]) => x * (rest[1] as number[])[0]!"),
  ).toContain("TSG2002");
});
it("as a tuple they are not", () => {
  expect(errorsOf("(x, ...rest) => x * rest[1][0]!")).toEqual([]);
});
