// A `switch` of many clauses is a tree of ifs, whose halves are told apart by a test of all literals of the first. Oracle: what each
// clause says by its number.

import { describe, expect, test } from "vitest";
import { variantsOf } from "../programs/variants.ts";

const SIZE = 75;
const numbers = Array.from({ length: SIZE }, (_, i) => i);

/** The literals of the cases, and the type of the subject. `E` is an enum. */
const SUBJECTS: Readonly<
  Record<string, readonly [type: string, of: (i: number) => string, none: unknown]>
> = {
  numbers: ["number", (i) => String(i), 1000],
  "negative numbers": ["number", (i) => String(-i - 1), NaN],
  texts: ["string", (i) => `"k${i}"`, "other"],
  "members of an enum": ["E", (i) => `E.m${i}`, -1],
  "computed numbers": ["number", (i) => `${i} + one`, 0.5],
};

type Shape = (clause: (i: number) => string, last: string) => string;

/** How a clause gives x * x * (i + 1), and what is given without a match: x * 0.5. */
const SHAPES: Readonly<Record<string, Shape>> = {
  "break, default last": (of, rest) =>
    `let y = 0; switch (k) { ${numbers.map((i) => `${of(i)} y = x * x * ${i + 1}; break;`).join(" ")} ${rest} y = x * 0.5; } return y;`,
  "break, default first": (of, rest) =>
    `let y = 0; switch (k) { ${rest} y = x * 0.5; break; ${numbers.map((i) => `${of(i)} y = x * x * ${i + 1}; break;`).join(" ")} } return y;`,
  "break, default in the middle": (of, rest) =>
    `let y = 0; switch (k) { ${numbers.map((i) => `${i === 40 ? `${rest} y = x * 0.5; break;` : ""} ${of(i)} y = x * x * ${i + 1}; break;`).join(" ")} } return y;`,
  "no default": (of) =>
    `let y = x * 0.5; switch (k) { ${numbers.map((i) => `${of(i)} { y = x * x * ${i + 1}; break; }`).join(" ")} } return y;`,
  return: (of, rest) =>
    `switch (k) { ${numbers.map((i) => `${of(i)} return x * x * ${i + 1};`).join(" ")} ${rest} return x * 0.5; }`,
  "fall-through into a break": (of, rest) =>
    `let y = 0; switch (k) { ${numbers.map((i) => (i % 2 === 0 ? `${of(i)} y -= x * x;` : `${of(i)} y += x * x * ${i + 1}; break;`)).join(" ")} ${rest} y = x * 0.5; } return y;`,
  "many cases of one clause": (of, rest) =>
    `switch (k) { ${numbers.map(of).join(" ")} return x * x * 3; ${rest} return x * 0.5; }`,
  "a default with a case": (of, rest) =>
    `switch (k) { ${numbers.map((i) => (i === 9 ? `${of(i)} ${rest} return x * 0.5;` : `${of(i)} return x * x * ${i + 1};`)).join(" ")} }`,
};

/** The slope at x = 3. */
const slopeOf = (shape: string, i: number): number => {
  if (shape === "many cases of one clause") return 18;
  if (shape === "a default with a case" && i === 9) return 0.5;
  // an even clause subtracts x² and falls into the next, the last one into the default
  if (shape === "fall-through into a break" && i % 2 === 0)
    return i === SIZE - 1 ? 0.5 : 6 * (i + 1);
  return 6 * (i + 1);
};

const programs = Object.fromEntries(
  Object.entries(SUBJECTS).flatMap(([subject, [type, of]]) =>
    Object.entries(SHAPES).map(([shape, make]) => [
      `${subject}, ${shape}`,
      `import { grad } from "tsgrad";\nexport enum E { ${numbers.map((i) => `m${i} = ${i * 3}`).join(", ")} }\nconst one = 1;\nexport const keys: ${type}[] = [${numbers.map(of).join(", ")}];\nexport function f(x: number, k: ${type}): number { ${make((i) => `case ${of(i)}:`, "default:")} }\nexport const g = grad(f);\n`,
    ]),
  ),
);
const variant = variantsOf(programs);

describe.each(Object.entries(SUBJECTS))("of %s", (subject, [, , none]) => {
  test.each(Object.keys(SHAPES))("%s", (shape) => {
    const { errors, exports } = variant(`${subject}, ${shape}`);
    expect(errors).toEqual([]);
    const { keys, f, g } = exports() as {
      keys: unknown[];
      f: (x: number, k: unknown) => number;
      g: (x: number, k: unknown) => number;
    };
    expect(keys.map((k) => g(3, k))).toEqual(numbers.map((i) => slopeOf(shape, i)));
    expect([g(3, none), f(3, none)]).toEqual([0.5, 1.5]);
  });
});
