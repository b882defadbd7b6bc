// The types of rules and of solvers: a rule of another signature does not compile, and the error says what was expected. The assertions are types: the type
// checker reads this file (`npm test` begins with it); the texts of errors are those of a program of its own.

import { expectTypeOf, describe, expect, test } from "vitest";
import {
  customJvp,
  customVjp,
  defineDerivative,
  type DerivativeRule,
  inspect,
  scan,
} from "../../runtime/index.ts";
import { argmin, fixedPoint, rootFind } from "../../runtime/implicit/index.ts";
import { programOf, typeErrors } from "../program.ts";

declare const scale: (xs: number[], unit: string, k: number) => number[];
declare const erf: (x: number) => number;
declare const circle: (x: number[], p: { r: number }) => number[];

/** Never runs: what it says is checked by the compiler. */
const types = (name: string, _: () => void): void => {
  test(name, () => {});
};

types("defineDerivative", () => {
  expectTypeOf<ReturnType<typeof defineDerivative>>().toEqualTypeOf<void>();
  defineDerivative(erf, { vjp: (x) => [x, (bar) => [bar]] });
  defineDerivative(scale, {
    vjp: (xs, _unit, k) => [xs.map((x) => x * k), (bar) => [bar, undefined, k]],
  });
  defineDerivative(scale, {
    jvp: ([xs, _unit, k], [dxs, , dk]) => [xs, xs.map((x, i) => x * dk + (dxs[i] ?? 0) * k)],
  });
  expectTypeOf<DerivativeRule<typeof erf>["vjp"]>().not.toBeAny();
  // @ts-expect-error a rule is asked for
  defineDerivative(erf);
  // @ts-expect-error and not two
  defineDerivative(erf, { vjp: (x) => [x, (bar) => [bar]], jvp: ([x], [dx]) => [x, dx] });
  // @ts-expect-error the value is a number
  defineDerivative(erf, { vjp: (x) => [`${x}`, (bar: number) => [bar]] });
  // @ts-expect-error there is one argument
  defineDerivative(erf, { vjp: (x) => [x, (bar) => [bar, bar]] });
  // @ts-expect-error the cotangent is a list
  defineDerivative(scale, { vjp: (xs) => [xs, (bar: number) => [xs, undefined, bar]] });
  // @ts-expect-error there are three arguments
  defineDerivative(scale, { vjp: (xs, unit, k, _more) => [xs, (bar) => [bar, undefined, k]] });
  // @ts-expect-error the tangent is a number
  defineDerivative(erf, { jvp: ([x], [dx]) => [x, [dx]] });
  // @ts-expect-error this has no derivative
  defineDerivative(3, { vjp: () => [3, () => []] });
});

types("customVjp and customJvp", () => {
  expectTypeOf(customVjp(erf, (x) => [x, (bar) => [bar]])).toEqualTypeOf<(x: number) => number>();
  const polar = (r: number, t: number): [number, number] => [r * t, r + t];
  const area = (v: [number, number]): number => v[0] * v[1];
  customVjp(polar, (r, t) => [[r * t, r + t], ([a, b]) => [a * t + b, a * r + b]]);
  customVjp(area, (v) => [area(v), (bar) => [[bar * v[1], bar * v[0]]]]);
  customJvp(polar, ([r, t], [dr, dt]) => [
    [r * t, r + t],
    [dr * t + dt * r, dr + dt],
  ]);
  // @ts-expect-error a tuple of two is asked for
  customVjp(polar, (r) => [[r], ([a, b]) => [a, b]]);
  // @ts-expect-error the pullback gives a number
  customVjp(erf, (x) => [x, (bar) => [String(bar)]]);
  // @ts-expect-error the tangent is a number
  customJvp(erf, ([x], [dx]) => [x, String(dx)]);
});

types("solvers", () => {
  expectTypeOf(rootFind((x) => x * x - 2, 1)).toBeNumber();
  expectTypeOf(rootFind(circle, [1, 1], { r: 2 })).toEqualTypeOf<number[]>();
  expectTypeOf(
    fixedPoint((x) => x.map((each) => each / 2), new Float64Array(2), undefined, { maxSteps: 3 }),
  ).toExtend<Float64Array>();
  expectTypeOf(argmin((x, k) => (x - k) ** 2, 0, 3, { tolerance: 1e-6 })).toBeNumber();
  // @ts-expect-error the parameters are another record
  rootFind(circle, [1, 1], { k: 2 });
  // @ts-expect-error the state is a number
  rootFind((x) => [x], 1);
  // @ts-expect-error what is minimised is a number
  argmin((x) => [x], 1);
  // @ts-expect-error a misspelt option
  fixedPoint((x) => x / 2, 1, undefined, { steps: 3 });
});

describe("what TypeScript says of a rule", () => {
  test.each([
    [
      "a value of another type",
      `defineDerivative(erf, { vjp: (x) => ["", (bar: number) => [bar]] });`,
      /'string' is not assignable to type 'number \| Tuple'/,
    ],
    [
      "a pullback of another cotangent",
      `defineDerivative(norm, { vjp: (xs) => [0, (bar) => [bar]] });`,
      /'number' is not assignable to type 'Tuple \| number\[\]'/,
    ],
    [
      "too many cotangents",
      `defineDerivative(erf, { vjp: (x) => [x, (bar) => [bar, 0, 1]] });`,
      /Source has 3 element\(s\) but target allows only 2/,
    ],
    [
      "a number where captured variables have their cotangents",
      `defineDerivative(erf, { vjp: (x) => [x, (bar) => [bar, 0]] });`,
      /'number' is not assignable to type 'Readonly<Record<string, unknown>>'/,
    ],
    [
      "a rule of the other kind",
      `defineDerivative(erf, { jvp: (x: number) => [x, (bar: number) => [bar]] });`,
      /'\[x: number\]' is not assignable to type 'number'/,
    ],
  ])("%s", (_, text, message) => {
    const errors = typeErrors(
      programOf({
        "a.ts": `import { defineDerivative } from "tsgrad";\ndeclare const erf: (x: number) => number, norm: (xs: number[]) => number;\n${text}`,
      }),
    );
    expect(errors).toHaveLength(1);
    expect(errors.join()).toMatch(message);
  });
});

types("inspect", () => {
  expectTypeOf(inspect(3, () => {})).toEqualTypeOf<number>();
  inspect(3, (value, kind) => {
    expectTypeOf(value).toEqualTypeOf<number>();
    expectTypeOf(kind).toEqualTypeOf<"cotangent" | "tangent">();
  });
  // @ts-expect-error of an array, the elements are inspected
  inspect([3], () => {});
  // @ts-expect-error something has to be shown
  inspect(3);
  // @ts-expect-error it gets a number
  inspect(3, (value: string) => value);
});

types("scan", () => {
  expectTypeOf(scan((c, x) => [c + x, `${x}`], 0, [1, 2])).toEqualTypeOf<
    [carry: number, ys: string[]]
  >();
  expectTypeOf(scan((c, x) => [c + x, c], 0, Float64Array.of(1))[1]).toEqualTypeOf<number[]>();
  expectTypeOf(scan((c) => [c + 1, { c }], 0, { length: 3 })[1]).toEqualTypeOf<{ c: number }[]>();
  // @ts-expect-error a pair is returned
  scan((c: number, x: number) => c + x, 0, [1, 2]);
  // @ts-expect-error the carried value keeps its type
  scan((c: number, x: number): [string, number] => [`${c}`, x], 0, [1, 2]);
});
