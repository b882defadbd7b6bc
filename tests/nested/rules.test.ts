// How a rule of `customVjp` may be written: exits, branches, lists and pullbacks under names. In: one rule per way. Out: the gradient by it, against numbers
// worked out by hand, and by the Delta engine, which runs the rule as it stands.

import { describe, expect, it } from "vitest";
import { built, emittedErrors } from "./compiled.ts";

const at = (
  exports: Readonly<Record<string, unknown>>,
  name: string,
  ...args: readonly unknown[]
): unknown => {
  const form = exports[name];
  if (typeof form !== "function") throw new Error(`no ${name}`);
  return Reflect.apply(form, undefined, args);
};

/** Each rule: of `f(x, y) = x * y`, with another derivative on both sides of 0. */
const RULES: Readonly<Record<string, string>> = {
  early:
    "(x, y) => { if (x > 0) return [x * y, (bar) => [bar * y, bar * x]]; return [x * y, (bar) => [-bar * y, bar * x]]; }",
  branches:
    "(x, y) => { if (x > 0) { const k = 1; return [x * y, (bar) => [k * bar * y, bar * x]]; } else { const k = -1; return [x * y, (bar) => [k * bar * y, bar * x]]; } }",
  chosen:
    "(x, y) => x > 0 ? [x * y, (bar) => [bar * y, bar * x]] : [x * y, (bar) => [-bar * y, bar * x]]",
  chosenPullback:
    "(x, y) => { const up = (bar: number): [number, number] => [bar * y, bar * x], down = (bar: number): [number, number] => [-bar * y, bar * x]; return [x * y, x > 0 ? up : down]; }",
  named:
    "(x, y) => { const pullback = (bar: number): [number, number] => [x > 0 ? bar * y : -bar * y, bar * x]; return [x * y, pullback]; }",
  pair: "(x, y) => { const k = x > 0 ? 1 : -1; const r = [x * y, (bar: number): [number, number] => [k * bar * y, bar * x]] as const; return r; }",
  declared:
    "(x, y) => { return [x * y, back]; function back(bar: number): [number, number] { return [x > 0 ? bar * y : -bar * y, bar * x]; } }",
  listed:
    "(x, y) => [x * y, (bar) => { const dx = x > 0 ? bar * y : -bar * y; const list = [dx, bar * x] as const; return list; }]",
  exits:
    "(x, y) => [x * y, (bar) => { if (x > 0) return [bar * y, bar * x]; return [-bar * y, bar * x]; }]",
  loop: "(x, y) => { for (let i = 0; i < 4; i++) if (i - 1.5 > -x) return [x * y, (bar) => [(i < 3 ? bar : bar) * y * (x > 0 ? 1 : -1), bar * x]]; return [x * y, (bar) => [-bar * y, bar * x]]; }",
  thrown:
    '(x, y) => { if (x === 0) throw new Error("no"); return [x * y, (bar) => [x > 0 ? bar * y : -bar * y, bar * x]]; }',
  helper: "(x, y) => rule(x, y)",
};
const HELPER =
  "const rule = (x: number, y: number): [number, (bar: number) => [number, number]] => [x * y, (bar) => [x > 0 ? bar * y : -bar * y, bar * x]];";

const text = `import { customVjp, grad, valueAndGrad } from "tsgrad";
${HELPER}
${Object.entries(RULES)
  .map(
    ([name, rule]) => `const ${name} = customVjp((x: number, y: number): number => x * y, ${rule});
export const ${name}Grad = valueAndGrad((x: number, y: number): number => ${name}(x, y) * x, { argnums: [0, 1] });
export const ${name}Second = grad((x: number, y: number): number => grad((z: number): number => ${name}(z, y) * z)(x), { argnums: [0, 1] });
export const ${name}Delta = valueAndGrad((x: number, y: number): number => ${name}(x, y) * x, { argnums: [0, 1], engine: "delta" });`,
  )
  .join("\n")}
`;
const { exports, text: emitted } = built(text);

describe("a rule may be written", () => {
  it("so that what is emitted type-checks", () => {
    expect(emittedErrors(emitted)).toEqual([]);
  });

  it.each(Object.keys(RULES))("%s", (name) => {
    for (const [x, y] of [
      [2, 3],
      [-2, 3],
      [-0.5, 7],
    ] as const) {
      const sign = x > 0 ? 1 : -1;
      const expected = [x * y * x, [sign * y * x + x * y, x * x]];
      expect(at(exports, `${name}Grad`, x, y)).toEqual(expected);
      expect(at(exports, `${name}Delta`, x, y)).toEqual(expected);
      // of x -> sign y x + f(x, y): by x sign y + sign y, by y sign x + x
      expect(at(exports, `${name}Second`, x, y)).toEqual([sign * y + sign * y, sign * x + x]);
    }
  });
});

describe("a rule may not", () => {
  const refused =
    (rule: string, more = ""): (() => unknown) =>
    () =>
      built(
        `import { customVjp, grad } from "tsgrad";\n${more}\nconst f = customVjp((x: number): number => x, ${rule});\nexport const d = grad(f);`,
      );
  it.each([
    [
      "choose a pullback while it runs",
      '(x) => [x, table[Math.random() > 0.5 ? "a" : "b"]]',
      'const table: Record<string, (bar: number) => [number]> = {};\ntable["a"] = (bar) => [bar];\ntable["b"] = (bar) => [bar];',
      /TSG1019|TSG1124/,
    ],
  ])("%s", (_, rule, more, expected) => {
    expect(refused(rule, more)).toThrow(expected);
  });
});

it("a rule that assigns its pair again is run by Delta", () => {
  const d = built(
    `import { customVjp, grad } from "tsgrad";
const f = customVjp((x: number): number => x, (x) => { let r: [number, (bar: number) => [number]] = [x, (bar) => [bar]]; if (x > 1) r = [x, (bar) => [2 * bar]]; return r; });
export const d = grad(f);`,
  ).exports;
  expect([at(d, "d", 2), at(d, "d", 0.5)]).toEqual([2, 1]);
});
