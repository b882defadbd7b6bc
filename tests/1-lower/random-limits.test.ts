// Loops whose limit is random. In: a limit that calls `Math.random` under some name. Out: the derivative asks for it as often as the primal does, once an iteration.

import { expect, it, vi } from "vitest";
import { variantsOf } from "../programs/variants.ts";

const NAMES: Readonly<Record<string, readonly [declared: string, call: string]>> = {
  "its own name": ["", "Math.random()"],
  "an alias": ["const rnd = Math.random;", "rnd()"],
  "an alias of an alias": ["const first = Math.random, rnd = first;", "rnd()"],
  "a destructured name": ["const { random } = Math;", "random()"],
  "a renamed one": ["const { random: dice } = Math;", "dice()"],
  "an alias of Math": ["const M = Math;", "M.random()"],
  "a name in brackets": ["const rnd = Math.random;", "(rnd)()"],
};
const LIMITS: Readonly<Record<string, (call: string) => string>> = {
  "a sum": (call) => `3 + ${call} * 0`,
  "a rounded product": (call) => `Math.floor(3.5 + ${call} * 0)`,
  "a maximum": (call) => `Math.max(3, ${call})`,
};
const cases = Object.keys(NAMES).flatMap((name) =>
  Object.keys(LIMITS).map((limit) => [name, limit] as const),
);
const variants = variantsOf(
  Object.fromEntries(
    cases.map(([name, limit]) => {
      const [declared, call] = NAMES[name] ?? ["", ""];
      return [
        `${name}, ${limit}`,
        `import { grad } from "tsgrad";\n${declared}\nexport const f = (x: number): number => { let s = 0; for (let i = 0; i < ${LIMITS[limit]?.(call) ?? ""}; i++) s += x * i; return s; };\nexport const g = grad(f);`,
      ];
    }),
  ),
);

it.each(cases)("%s, %s", (...each) => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
  try {
    const { errors, exports } = variants(each.join(", "));
    expect(errors).toEqual([]);
    const { f, g } = exports() as Record<"f" | "g", (x: number) => number>;
    random.mockClear();
    expect(f(2)).toBe(6);
    expect(random).toHaveBeenCalledTimes(4);
    random.mockClear();
    expect(g(2)).toBe(3);
    expect(random).toHaveBeenCalledTimes(4);
  } finally {
    random.mockRestore();
  }
});
