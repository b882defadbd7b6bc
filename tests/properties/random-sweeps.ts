// Statements on lists of a hundred numbers, in loops that do nothing but write elements: engines take these as a whole. In: a pen and a scope. Out: lines and the scope behind them.
// Invariant: no element leaves the range in which it began by much, however often loops go through it.

import { type Scope, withNames } from "./random-scope.ts";
import type { Choice, Maker, Pen } from "./random-statements.ts";

const COUNT = 120;

const made = (pen: Pen, scope: Scope, name: string): string => {
  const { d, e } = pen;
  const [list, value] = [
    e.array(scope),
    pen.value({ ...withNames(scope, { index: ["k"] }), loops: scope.loops + 1 }, 2),
  ];
  return d.of(
    [
      `const ${name} = Array.from({ length: ${COUNT} }, (_, k) => ${value});`,
      `const ${name} = new Float64Array(${COUNT});`,
      `const ${name}: number[] = [];\nfor (let k = 0; k < ${COUNT}; k++) ${name}.push(${list}[k % 3] * Math.cos(k));`,
      `const ${name} = new Array<number>(${COUNT}).fill(${pen.value(scope, 1)});`,
      `const ${name} = Float64Array.from({ length: ${COUNT} }, (_, k) => ${list}[k % 3] + 0.1 * Math.sin(k));`,
    ],
    "",
  );
};

/** An element at a place that the counters tell, of one of the lists, or a number that stays. */
const operand = (
  pen: Pen,
  scope: Scope,
  lists: readonly string[],
  counters: readonly string[],
): string => {
  const { d } = pen;
  const [list, counter] = [d.of(lists, "TABLE"), d.of(counters, "0")];
  return d.of(
    [
      `${list}[${counter}]`,
      `${list}[${counter}]`,
      `${list}[${counter} + 1]`,
      `${list}[${d.below(3)}]`,
      `${list}[${counter} - 1]`,
      d.of(scope.names.number, "0.7"),
      d.of(scope.names.variable, "0.7"),
      `0.${1 + d.below(9)}`,
      counters.length > 1 ? `${list}[${counters.join(" + ")}]` : `${list}[2 + ${counter}]`,
    ],
    "0.3",
  );
};

const written = (
  pen: Pen,
  scope: Scope,
  lists: readonly string[],
  counters: readonly string[],
): string => {
  const { d } = pen;
  const one = (): string => operand(pen, scope, lists, counters);
  const value = d.of(
    [
      `0.4 * ${one()} + 0.3 * ${one()}`,
      `${one()} * Math.sin(${one()})`,
      `Math.tanh(${one()} * ${one()} - ${one()})`,
      `(${one()} + ${one()}) / (2.5 + ${one()} * ${one()})`,
      `Math.sqrt(1 + ${one()} * ${one()}) - 1`,
      `Math.max(${one()}, ${one()}) * 0.5`,
      `Math.exp(-Math.abs(${one()})) * ${one()}`,
      `${one()} - 0.5 * ${one()}`,
      `mixed(${one()}, ${one()})`,
    ],
    "",
  );
  const target = `${d.of(lists, "")}[${d.of([d.of(counters, "0"), d.of(counters, "0"), `${d.of(counters, "0")} + 1`, String(d.below(3)), counters.length > 1 ? counters.join(" + ") : "1"], "0")}]`;
  return d.of(
    [
      `${target} = Math.sin(${value});`,
      `${target} = Math.tanh(${value});`,
      `${target} += 0.02 * Math.sin(${value});`,
      `${target} -= 0.01 * ${one()};`,
      `${target} *= Math.cos(${value});`,
      `${target} /= 1.1 + (${value}) ** 2;`,
    ],
    "",
  );
};

const sweep: Maker = (pen, scope) => {
  if (scope.loops > 1) return null;
  const { d } = pen;
  const names = [pen.name("long"), ...(d.chance(0.6) ? [pen.name("wide")] : [])];
  const [i, j, z] = [pen.name("i"), pen.name("j"), pen.name("z")];
  const lines = names.flatMap((name) => made(pen, scope, name).split("\n"));
  const writes = (counters: readonly string[]): readonly string[] =>
    Array.from({ length: 1 + d.below(3) }, () => written(pen, scope, names, counters));
  for (let k = 0; k <= d.below(3); k++) {
    const bounds = d.of(
      [
        `let ${i} = 1; ${i} < ${COUNT - 3}; ${i}++`,
        `let ${i} = 2; ${i} < ${names[0]}.length - 3; ${i}++`,
        `let ${i} = 1; ${i} < n + 80.5; ++${i}`,
        `let ${i} = n; ${i} < ${COUNT - 4}; ${i}++`,
      ],
      "",
    );
    const nested = d.of(
      [
        `let ${j} = 1; ${j} < 9; ${j}++`,
        `let ${j} = ${i}; ${j} < ${i} + 4; ${j}++`,
        `let ${j} = 1; ${j} < ${i}; ${j}++`,
      ],
      "",
    );
    lines.push(
      ...d.of<() => readonly string[]>(
        [
          () => [`for (${bounds}) {`, ...writes([i]).map((one) => `  ${one}`), "}"],
          () => [
            `for (let ${i} = 1; ${i} < 20; ${i}++) {`,
            ...(d.chance(0.5) ? writes([i]).map((one) => `  ${one}`) : []),
            `  for (${nested}) {`,
            ...writes([i, j]).map((one) => `    ${one}`),
            "  }",
            ...(d.chance(0.5) ? writes([i]).map((one) => `  ${one}`) : []),
            "}",
          ],
          () => [
            `for (${bounds}) smoothed(${names[0]}, ${names.at(-1)}, ${i}, ${d.of(scope.names.number, "0.4")});`,
          ],
          () => [
            `let ${i}At${k} = 1;`,
            `for (let ${i} = 2; ${i} < 100; ${i}++) ${names[0]}[${i}At${k}++] = Math.sin(${operand(pen, scope, names, [i])} + ${operand(pen, scope, names, [i])});`,
          ],
        ],
        () => [],
      )(),
    );
  }
  lines.push(
    `const ${z} = Math.sin(${names.map((name, k) => d.of([`${name}[${1 + d.below(9)}] + ${name}[${40 + d.below(60)}]`, `${name}[${COUNT - 3}] * ${name}[3]`, `0.1 * ${name}.reduce((p, q, k) => 0.9 * p + q * Math.cos(k), 0)`], name) + (k === 0 ? "" : " * 0.5")).join(" + ")});`,
  );
  return { lines, scope: withNames(scope, { number: [z] }) };
};

export const SWEEPS: readonly Choice[] = [{ feature: "sweeps", weight: 7, make: sweep }];
