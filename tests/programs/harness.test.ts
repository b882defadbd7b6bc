// The harness notices what it is there to notice. In: programs of the corpus with derived functions that were tampered with. Each kind of
// damage must be reported, and the untouched programs must not.

import { describe, expect, it } from "vitest";
import { type Built, corpusOf } from "./corpus.ts";
import { field, mapNumbers } from "./numbers.ts";
import { problemsOf } from "./run.ts";
import { corpusSources } from "./sources.ts";

type Call = (...args: readonly unknown[]) => unknown;

const corpus = corpusOf(
  corpusSources(
    (name) =>
      name === "horner-polynomial" || name === "array-writes-argument" || name === "array-result",
  ),
);

function tampered(name: string, form: string, wrap: (f: Call) => Call): readonly string[] {
  const built: Built | undefined = corpus.programs.get(name);
  if (built === undefined || "failure" in built.derived) throw new Error(`${name} did not compile`);
  const f = built.derived.exports[form];
  if (typeof f !== "function") throw new Error(`no form ${form}`);
  const call: Call = (...args) => Reflect.apply(f, undefined, args);
  return problemsOf({
    ...built,
    derived: { classes: {}, exports: { ...built.derived.exports, [form]: wrap(call) } },
  });
}

const moved =
  (by: number) =>
  (value: unknown): unknown =>
    mapNumbers(value, (x) => x + by);

/** What is done to a form, and a word of what must be said about it. */
const DAMAGE: readonly (readonly [
  what: string,
  program: string,
  form: string,
  wrap: (f: Call) => Call,
  said: RegExp,
])[] = [
  [
    "gradient off by 1e-5",
    "array-writes-argument",
    "g",
    (f) =>
      (...args) =>
        moved(1e-5)(f(...args)),
    /differences give|closed form/,
  ],
  [
    "gradient off by 1e-9, closed form known",
    "horner-polynomial",
    "g",
    (f) =>
      (...args) =>
        moved(1e-9)(f(...args)),
    /closed form/,
  ],
  [
    "gradient of one argument zero",
    "horner-polynomial",
    "g1",
    (f) =>
      (...args) =>
        mapNumbers(f(...args), () => 0),
    /closed form/,
  ],
  ["gradient without a shape", "horner-polynomial", "g1", () => () => 1, /for Array/],
  [
    "gradient of another length",
    "horner-polynomial",
    "g1",
    (f) =>
      (...args) => [...[f(...args)].flat(), 0],
    /another length/,
  ],
  [
    "gradient with a place before the first",
    "horner-polynomial",
    "g1",
    (f) =>
      (...args) =>
        Object.assign([f(...args)].flat(), { "-1": NaN }),
    /further keys -1/,
  ],
  [
    "value off by one unit in the last place",
    "horner-polynomial",
    "vg",
    (f) =>
      (...args) => [
        Number(field(f(...args), "0")) * (1 + 2 ** -52) || 1e-300,
        field(f(...args), "1"),
      ],
    /vg value/,
  ],
  [
    "arguments not written",
    "array-writes-argument",
    "g",
    (f) =>
      (...args) =>
        f(...structuredClone(args)),
    /writes its arguments/,
  ],
  [
    "arguments written",
    "horner-polynomial",
    "g",
    (f) =>
      (...args) => {
        const result = f(...args);
        if (Array.isArray(args[1])) args[1].push(1);
        return result;
      },
    /writes its arguments/,
  ],
  [
    "throws",
    "horner-polynomial",
    "g",
    () => () => {
      throw new Error("no");
    },
    /throws as f does/,
  ],
  [
    "pullback that accumulates",
    "array-result",
    "v",
    (f) =>
      (...args) => {
        const result = f(...args);
        let calls = 0;
        return [
          field(result, "0"),
          (seed: unknown) =>
            moved(calls++)(Reflect.apply(Object(field(result, "1")), undefined, [seed])),
        ];
      },
    /pullback twice/,
  ],
  [
    "pullback that writes its seed",
    "array-result",
    "v",
    (f) =>
      (...args) => {
        const result = f(...args);
        return [
          field(result, "0"),
          (seed: unknown) => {
            const pulled: unknown = Reflect.apply(Object(field(result, "1")), undefined, [seed]);
            if (Array.isArray(seed)) seed.fill(0);
            return pulled;
          },
        ];
      },
    /writes its seed/,
  ],
];

describe("the harness", () => {
  it("accepts what is right", () => {
    expect([...corpus.programs.values()].flatMap(problemsOf)).toEqual([]);
  });

  it.each(DAMAGE)("notices: %s", (_what, program, form, wrap, said) => {
    expect(tampered(program, form, wrap).join("\n")).toMatch(said);
  });
});
