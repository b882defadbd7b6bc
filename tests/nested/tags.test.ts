// Fields that tell the members of unions apart, in dense derivatives and linear maps, by both engines. Oracle: the derivative by hand.

import { describe, expect, it } from "vitest";
import { built, emittedErrors } from "./compiled.ts";

const DECLARATIONS = `import { jacfwd, jacrev, hessian, linearize } from "tsgrad";
type S = { kind: "a"; x: number } | { kind: "b"; y: number; z: number };
type N = { kind: 1; x: number } | { kind: 2; y: number; z: number };
type R = { tag: "one"; u: number[] } | { tag: "two"; v: number };
type M = { tag: 7; u: number[] } | { tag: 8; v: number };
const text = (s: S, k: number): R => (s.kind === "a" ? { tag: "two", v: s.x * s.x * k } : { tag: "one", u: [s.y * s.z, s.y * k] });
const whole = (s: N, k: number): M => (s.kind === 1 ? { tag: 8, v: s.x * s.x * k } : { tag: 7, u: [s.y * s.z, s.y * k] });
const textArea = (s: S): number => (s.kind === "a" ? s.x ** 3 : s.y * s.y * s.z);
const wholeArea = (s: N): number => (s.kind === 1 ? s.x ** 3 : s.y * s.y * s.z);
const sa: S = { kind: "a", x: 3 }, sb: S = { kind: "b", y: 2, z: 5 }, na: N = { kind: 1, x: 3 }, nb: N = { kind: 2, y: 2, z: 5 };
`;

const dense = (engine: string, form: string): string =>
  ["text", "whole"]
    .map(
      (f) =>
        `[${["a", "b"]
          .map(
            (which) =>
              `${form}(${f}${engine})(${f === "text" ? "s" : "n"}${which} as ${f === "text" ? "S" : "N"}, 10)`,
          )
          .join(", ")}]`,
    )
    .join(", ");

const expected = [
  [
    { tag: "two", v: { kind: "a", x: 60 } },
    {
      tag: "one",
      u: [
        { kind: "b", y: 5, z: 2 },
        { kind: "b", y: 10, z: 0 },
      ],
    },
  ],
  [
    { tag: 8, v: { kind: 1, x: 60 } },
    {
      tag: 7,
      u: [
        { kind: 2, y: 5, z: 2 },
        { kind: 2, y: 10, z: 0 },
      ],
    },
  ],
];

describe.each([
  ["static", ""],
  ["delta", `, { engine: "delta" }`],
])("%s", (name, engine) => {
  const { exports, text } = built(`${DECLARATIONS}
export const forward = [${dense(engine, "jacfwd")}];
export const reverse = [${dense(engine, "jacrev")}];
export const matrices = [linearize(text${engine})(sb as S, 10)[1].toMatrix(), linearize(whole${engine})(nb as N, 10)[1].toMatrix()];
export const sums = [linearize(whole${engine})(na as N, 10)[1]].map((m) => m.add(m.scale(2)).apply([{ kind: 1, x: 1 }, 0]));
${name === "static" ? "export const second = [hessian(textArea)(sb as S), hessian(wholeArea)(nb as N), hessian(wholeArea)(na as N)];" : ""}
`);
  it("keeps tags where they are, and has no entry for them", () => {
    expect(exports["forward"]).toEqual(expected);
    expect(exports["reverse"]).toEqual(expected);
    expect(emittedErrors(text)).toEqual([]);
  });
  it("has no row and no column for tags in matrices", () => {
    // columns y, z, k
    expect(exports["matrices"]).toEqual([
      [
        [5, 2, 0],
        [10, 0, 2],
      ],
      [
        [5, 2, 0],
        [10, 0, 2],
      ],
    ]);
    expect(exports["sums"]).toEqual([{ tag: 8, v: 180 }]);
  });
  it.runIf(name === "static")("has none in Hessians", () => {
    const by = (tag: string | number, y: readonly number[], z: readonly number[]): unknown => ({
      kind: tag,
      y: { kind: tag, y: y[0], z: y[1] },
      z: { kind: tag, y: z[0], z: z[1] },
    });
    expect(exports["second"]).toEqual([
      by("b", [10, 4], [4, 0]),
      by(2, [10, 4], [4, 0]),
      { kind: 1, x: { kind: 1, x: 18 } },
    ]);
  });
});
