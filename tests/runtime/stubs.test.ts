// The stubs at run time: what the build has added comes back; without it, TSG0001 says what is wrong and what to do.

import { describe, expect, test } from "vitest";
import { grad, valueAndGrad, vjp } from "../../runtime/index.ts";
import { derivativeSource } from "../../runtime/testing.ts";

const loss = (x: number, y: number): number => x * y;
const pair = (x: number): [number, string] => [x, "aux"];
const derivative = (x: number): number => x;

describe("a compiled call returns what the build added", () => {
  test("behind the function", () => {
    expect(grad(loss, derivative)).toBe(derivative);
    expect(valueAndGrad(loss, derivative)).toBe(derivative);
    expect(vjp(loss, derivative)).toBe(derivative);
  });

  test("behind the options", () => {
    expect(grad(loss, { argnums: 1 }, derivative)).toBe(derivative);
    expect(grad(loss, undefined, derivative)).toBe(derivative);
    expect(valueAndGrad(pair, { hasAux: true }, derivative)).toBe(derivative);
    expect(vjp(loss, { argnums: [1] }, derivative)).toBe(derivative);
  });

  test("also the source", () => {
    expect(derivativeSource(loss, "function loss$grad() {}")).toBe("function loss$grad() {}");
    expect(derivativeSource(loss, "")).toBe("");
  });
});

describe("an uncompiled call throws TSG0001", () => {
  const calls: readonly (readonly [string, () => unknown])[] = [
    ["grad(loss)", () => grad(loss)],
    ["grad(loss)", () => grad(loss, { argnums: 1 })],
    ["grad(pair)", () => grad(pair, { hasAux: true })],
    ["valueAndGrad(loss)", () => valueAndGrad(loss)],
    ["vjp(loss)", () => vjp(loss)],
    ["vjp(loss)", () => vjp(loss, { argnums: 1 })],
    ["derivativeSource(loss)", () => derivativeSource(loss)],
    // a function without a name
    [
      "grad(…)",
      () =>
        grad(
          (
            () => (x: number) =>
              x
          )(),
        ),
    ],
  ];

  test.each(calls)("%s", (call, run) => {
    const message = messageOf(run);
    expect(message.startsWith("TSG0001: ")).toBe(true);
    expect(traceOf(run)[0]).toContain("stubs.test.ts");
    expect(message).toContain(`\`${call}\``);
    for (const remedy of ["npx tsgrad doctor", "npx tsgrad init", "npx tsgrad explain TSG0001"])
      expect(message).toContain(remedy);
  });
});

const messageOf = (run: () => unknown): string => errorOf(run).message;

/** The lines of the trace: the first is what Node shows. */
const traceOf = (run: () => unknown): readonly string[] =>
  (errorOf(run).stack ?? "").split("\n").filter((line) => /^ +at /.test(line));

function errorOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it did not throw an Error");
}
