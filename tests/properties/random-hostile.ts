// Statements on what a compiler easily takes for something else: keys that are names of Object.prototype, steep values that
// nobody reads, functions chosen at run time under a rule, inner derivatives of functions that capture their argument.
// An inner derivative stands beside its closed form, `/*= grad(…)(…) =*/closed form/*;*/`: the original computes the closed form.

import { type Scope, without, withNames } from "./random-scope.ts";
import type { Choice, Maker, Pen, Written } from "./random-statements.ts";

const reading = (pen: Pen, scope: Scope, before: readonly string[], text: string): Written => {
  const name = pen.name("z");
  return {
    lines: [...before, `const ${name} = Math.sin(${text});`],
    scope: withNames(scope, { number: [name] }),
  };
};

/** A dictionary by words, copied in every way, and read by its own keys. */
const dictionary: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [name, value, list] = [pen.name("dict"), pen.value(scope, 2), e.array(scope)];
  const word = `WORDS[${d.below(8)}]`;
  const start = d.of(
    [
      "{}",
      `{ constructor: ${value}, toString: 0.3 }`,
      `{ [${word}]: ${value}, "a-b": 0.2, "": ${value} }`,
      `Object.fromEntries(${list}.map((e, k): [string, number] => [WORDS[k % 8], e * ${value}]))`,
      `{ ...Object.fromEntries([["__proto__", ${value}], ["valueOf", 0.4]]) }`,
    ],
    "{}",
  );
  const filled = `for (const [k, e] of ${list}.entries()) { const w = WORDS[(k + ${d.below(8)}) % 8]; ${name}[w] = (Object.hasOwn(${name}, w) ? ${name}[w] : 0.1) + e * 0.5; }`;
  const copy = d.of(
    [name, `{ ...${name} }`, `Object.assign({}, ${name})`, `structuredClone(${name})`],
    name,
  );
  const own = pen.name("copy");
  const read = d.of(
    [
      `Object.keys(${own}).reduce((s, w) => 0.5 * s + ${own}[w], 0)`,
      `Object.values(${own}).reduce((p, q) => p - 0.3 * q, 0)`,
      `Object.entries(${own}).reduce((s, [w, v]) => s + v * w.length * 0.1, 0)`,
      `(Object.hasOwn(${own}, ${word}) ? ${own}[${word}] : ${value})`,
    ],
    "0",
  );
  const lines = [
    `const ${name}: Record<string, number> = ${start};`,
    ...(d.chance(0.6) ? [filled] : []),
    ...(d.chance(0.2) ? [`delete ${name}[${word}];`] : []),
    `const ${own}: Record<string, number> = ${copy};`,
  ];
  return reading(pen, scope, lines, read);
};

/** Values whose slope is infinite or no number, stored beside others and never read. */
const steep: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [name, value, list] = [pen.name("st"), pen.value(scope, 2), e.array(scope)];
  const root = d.of(
    [
      `Math.sqrt(0 * ${value})`,
      `Math.log(0 * ${value})`,
      `1 / (0 * ${value})`,
      `(0 * ${value}) ** 0.5`,
    ],
    "",
  );
  const [before, text] = d.of<readonly [string, string]>(
    [
      [
        `const ${name} = ${list}.map((e) => Math.sqrt((e - ${list}[0]) ** 2));`,
        `${name}[1] + ${name}[2]`,
      ],
      [`const ${name} = [${root}, ${value}];`, `${name}[1]`],
      [`const ${name} = { lost: ${root}, used: ${value} };`, `${name}.used`],
      [
        `const ${name} = new Map([["lost", ${root}], ["used", ${value}]]);`,
        `${name}.get("used") ?? 0.1`,
      ],
      [`const ${name} = ${root};`, `${value} > 1e6 ? ${name} : ${value}`],
      [`const ${name} = Float64Array.of(${root}, ${value}, 0.2);`, `${name}[1] * ${name}[2]`],
      [`const ${name} = (u: number): number[] => [${root} * u, u];`, `${name}(${value})[1]`],
      [
        `const ${name}: Record<string, number> = { constructor: ${root}, "a-b": ${value} };`,
        `${name}["a-b"]`,
      ],
      [
        `const ${name} = { at: { all: [[${root}], [${value}, 0.2]] } }; ${name}.at.all[1].push(${root});`,
        `${name}.at.all[1][0]`,
      ],
      [
        `const ${name} = [${value}, 0.2]; ${name}[1] = ${root}; ${name}[1] = ${value};`,
        `${name}[0] * ${name}[1]`,
      ],
      [
        `let ${name} = ${root}; for (const e of ${list}) { if (e > 1e6) continue; ${name} = e * ${value}; }`,
        name,
      ],
    ],
    ["", value],
  );
  return reading(pen, scope, before === "" ? [] : [before], text);
};

/** Functions that a condition or a place in a list chooses, under a rule. */
const chosen: Maker = (pen, scope) => {
  const { d, e } = pen;
  const inside = {
    // the rule calls its function once where the function that it is for calls it twice: it must have no effects
    ...withNames(
      without(
        scope,
        "variable",
        "ownArray",
        "closure",
        "counter",
        "dial",
        "unit",
        "units",
        "tasks",
      ),
      { number: ["u"] },
    ),
    loops: scope.loops + 1,
    inLoop: false,
    labels: [],
  };
  const [one, other] = [pen.value(inside, 2), pen.value(inside, 2)];
  const name = pen.name("fs");
  const at = d.of(scope.names.index, "n");
  const x = d.of(scope.names.number, "0.4");
  const [before, g] = d.of<readonly [string, string]>(
    [
      ["", `${e.condition(scope)} ? (u) => ${one} : (u) => ${other}`],
      [
        `const ${name}: ((u: number) => number)[] = [(u) => ${one}, (u) => ${other}];`,
        `${name}[${at} % 2]`,
      ],
      [
        `let ${name} = (u: number): number => ${one}; if (${e.condition(scope)}) ${name} = (u) => ${other};`,
        name,
      ],
      [
        `const ${name} = { "a-b": (u: number): number => ${one}, toString: (u: number): number => ${other} };`,
        `${name}[${at} % 2 === 0 ? "a-b" : "toString"]`,
      ],
      [
        `const ${name} = new Map([[0, (u: number): number => ${one}], [1, (u: number): number => ${other}]]);`,
        `${name}.get(${at} % 2) ?? Math.sin`,
      ],
    ],
    ["", "Math.sin"],
  );
  return reading(pen, scope, before === "" ? [] : [before], `squared(${g}, ${x})`);
};

/** Derivatives inside, of functions that see the object that they are given. */
const inner: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [list, value, x] = [e.array(scope), pen.value(scope, 1), d.of(scope.names.number, "0.4")];
  const [held, k, box] = [pen.name("held"), pen.name("k"), pen.name("box")];
  const before = [
    `const ${held} = ${list};`,
    `const ${k} = ${value};`,
    `const ${box} = { p: ${held}, q: ${k} };`,
  ];
  const [derived, closed] = d.of<readonly [string, string]>(
    [
      [`grad((vs: number[]) => vs[0] * ${held}[0] * ${k})(${held})[0]`, `${held}[0] * ${k}`],
      [
        `grad((vs: number[]) => vs[1] * vs[1] + ${k} * ${held}[1] * vs[1])(${held})[1]`,
        `2 * ${held}[1] + ${k} * ${held}[1]`,
      ],
      [
        `grad((o: { p: number[]; q: number }) => o.q * o.p[0] * box.p[0] * ${k})(box).q`.replaceAll(
          "box",
          box,
        ),
        `${box}.p[0] * ${box}.p[0] * ${k}`,
      ],
      [
        `grad((o: { p: number[]; q: number }) => o.q * o.p[0] + box.q * box.p[1])(box).p[0] * ${k}`.replaceAll(
          "box",
          box,
        ),
        `${box}.q * ${k}`,
      ],
      [
        `grad((vs: number[][]) => vs[0][0] * ${box}.p[0] * vs[1][1])([${box}.p, ${held}.slice()])[1][1] * ${k}`,
        `${box}.p[0] * ${box}.p[0] * ${k}`,
      ],
      [`grad((w: number) => w * w * ${k})(${x})`, `2 * ${x} * ${k}`],
      [
        `grad((w: number) => Math.sin(w * ${k}) * ${x})(${x})`,
        `${k} * Math.cos(${x} * ${k}) * ${x}`,
      ],
      [`vjp((w: number) => w * w * ${k})(${x})[1](0.5)[0]`, `${x} * ${k}`],
    ],
    ["", ""],
  );
  return reading(pen, scope, before, `/*= ${derived} =*/${closed}/*;*/`);
};

export const HOSTILE: readonly Choice[] = [
  { feature: "words", weight: 8, make: dictionary },
  { feature: "steep", weight: 8, make: steep },
  { feature: "chosen", weight: 8, make: chosen },
  { feature: "inner", weight: 6, make: inner },
];
