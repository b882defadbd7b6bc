// Every combination of `argnums` and `hasAux`, asked in one program, through the whole build. In: calls of the forms. Out: numbers and shapes.
// Reference values are worked out by hand; all are sums and products of small integers and so exact. The build has to type-check, too.

import ts from "typescript";
import { expect, test } from "vitest";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { ownDiagnostics, programOf } from "../program.ts";
import { loader } from "./modules.ts";

const FILE = "/src/options.ts";
const TEXT = `import { grad, valueAndGrad, vjp } from "tsgrad";

const area = (x: number, y: number): number => x * x * y;
// a loop, so that the pair records; a string between, which has no cotangent
function scaled(x: number, name: string, ys: number[]): [number[], { name: string; seen: number }] {
  const out: number[] = [];
  let seen = 0;
  for (let i = 0; i < ys.length; i++) {
    out.push(x * ys[i]! * ys[i]!);
    seen += ys[i]!;
  }
  return [out, { name, seen }];
}
const counted = (x: number, y: number): [number, number] => [x * y * y, 7 * x];

export const grads = [grad(area, { argnums: 1 })(2, 3), grad(area, { argnums: [1] })(2, 3), grad(area)(2, 3), grad(area, { argnums: [0] })(2, 3), grad(area, { argnums: [1, 0] })(2, 3)] as const;
export const values = [valueAndGrad(area, { argnums: 1 })(2, 3), valueAndGrad(area, { argnums: [1] })(2, 3)] as const;

/** Results of two calls of the pullback. */
const twice = <V, C, R>([value, pullback]: [V, (cotangent: C) => R, ...rest: unknown[]], c: C): [V, R, R] => [value, pullback(c), pullback(c)];
export const whole = twice(vjp(area)(2, 3), 10);
export const one = twice(vjp(area, { argnums: 1 })(2, 3), 10);
export const listOfOne = twice(vjp(area, { argnums: [1] })(2, 3), 10);
export const zero = twice(vjp(area, { argnums: 0 })(2, 3), 10);
export const listOfZero = twice(vjp(area, { argnums: [0] })(2, 3), 10);
export const turned = twice(vjp(area, { argnums: [1, 0] })(2, 3), 10);

export const arrays = twice(vjp(scaled, { hasAux: true })(2, "s", [1, 3]), [1, 10]);
export const aux = vjp(scaled, { hasAux: true })(2, "s", [1, 3])[2];
export const arrayAlone = twice(vjp(scaled, { hasAux: true, argnums: 2 })(2, "s", [1, 3]), [1, 10]);
export const arrayFirst = twice(vjp(scaled, { hasAux: true, argnums: [2, 0] })(2, "s", [1, 3]), [1, 10]);
export const numberAlone = twice(vjp(scaled, { hasAux: true, argnums: 0 })(2, "s", [1, 3]), [1, 10]);

// aux holds numbers that depend on the arguments: with hasAux they have no cotangent, without it they have one
export const pair = twice(vjp(counted)(2, 3), [1, 1]);
export const value = twice(vjp(counted, { hasAux: true })(2, 3), 1);
export const valueOnly = twice(vjp(counted, { hasAux: true, argnums: [1] })(2, 3), 1);
`;

const host = programOf({ [FILE]: TEXT }, { strict: true, noUncheckedIndexedAccess: true });
const { edits, diagnostics } = analyse(host);
const emitted = applyEdits(FILE, TEXT, edits.get(FILE) ?? []).text;

test("the program compiles, before and after the build", () => {
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  for (const text of [TEXT, emitted]) {
    const { program } = programOf(
      { [FILE]: text },
      { strict: true, noUncheckedIndexedAccess: true },
    );
    expect(
      ownDiagnostics(program).map(({ messageText }) =>
        ts.flattenDiagnosticMessageText(messageText, "\n"),
      ),
    ).toEqual([]);
  }
});

test("each combination has a function of its own", () => {
  const names = [...emitted.matchAll(/^function (\w+\$(?:grad|vag|vjp)[\w$]*)/gm)].map(
    ([, name]) => name,
  );
  expect(names.toSorted()).toEqual(
    [
      "area$grad",
      "area$gradTuple$x",
      "area$gradTuple$y",
      "area$grad$y",
      "area$grad$y$x",
      "area$vagTuple$y",
      "area$vag$y",
      "area$vjp",
      "area$vjpTuple$x",
      "area$vjpTuple$y",
      "area$vjp$x",
      "area$vjp$y",
      "area$vjp$y$x",
      "counted$vjp",
      "counted$vjpAux",
      "counted$vjpAuxTuple$y",
      "scaled$vjpAux",
      "scaled$vjpAux$x",
      "scaled$vjpAux$ys",
      "scaled$vjpAux$ys$x",
    ].toSorted(),
  );
});

test("values and cotangents", () => {
  expect(loader(new Map([[FILE, emitted]]))(FILE)).toEqual({
    grads: [4, [4], 12, [12], [4, 12]],
    values: [
      [12, 4],
      [12, [4]],
    ],
    whole: [12, [120, 40], [120, 40]],
    one: [12, 40, 40],
    listOfOne: [12, [40], [40]],
    zero: [12, 120, 120],
    listOfZero: [12, [120], [120]],
    turned: [12, [40, 120], [40, 120]],
    arrays: [
      [2, 18],
      [91, undefined, [4, 120]],
      [91, undefined, [4, 120]],
    ],
    aux: { name: "s", seen: 4 },
    arrayAlone: [
      [2, 18],
      [4, 120],
      [4, 120],
    ],
    arrayFirst: [
      [2, 18],
      [[4, 120], 91],
      [[4, 120], 91],
    ],
    numberAlone: [[2, 18], 91, 91],
    pair: [
      [18, 14],
      [16, 12],
      [16, 12],
    ],
    value: [18, [9, 12], [9, 12]],
    valueOnly: [18, [12], [12]],
  });
});
