// Statements that leave early what also writes: labelled blocks and loops, switches in loops, callbacks, closures, recursion. In: a pen and a scope.
// Out: lines and the scope behind them.

import { type Scope, withNames, without } from "./random-scope.ts";
import { type Choice, line, type Maker, type Pen } from "./random-statements.ts";

/** What is written at a place where others may leave. */
const write = (pen: Pen, scope: Scope): string => {
  const { d, e } = pen;
  const [own, record, variable, value] = [
    d.of(scope.names.ownArray, ""),
    d.of(scope.names.ownRecord, ""),
    d.of(scope.names.variable, ""),
    pen.value(scope, 2),
  ];
  const texts = [
    ...(own === ""
      ? []
      : [
          `${own}[${e.index(scope, own)}] = Math.sin(${value});`,
          `${own}[${e.index(scope, own)}] *= Math.cos(${value});`,
        ]),
    ...(record === ""
      ? []
      : [`${record}.a = Math.sin(${record}.b + ${value});`, `${record}.v[0] *= 0.5;`]),
    ...(variable === ""
      ? []
      : [`${variable} = Math.sin(${variable} + ${value});`, `${variable} *= Math.cos(${value});`]),
  ];
  return d.of(texts, "");
};

const round = (scope: Scope, ...index: readonly string[]): Scope => ({
  ...withNames(scope, { index }),
  loops: scope.loops + 1,
  inLoop: true,
});

/** Loops in loops, in which each write stands between two exits. */
const nest: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [label, i, j] = [pen.name("outer"), pen.name("i"), pen.name("j")];
  const [one, two] = [round(scope, i), round(round(scope, i), j)];
  const leave = (inside: Scope, deep: boolean): string =>
    `if (${e.condition(inside)}) ${d.of([`continue ${label};`, `break ${label};`, ...(deep ? ["break;", "continue;"] : []), ...(scope.inFunction ? [`return ${pen.value(inside, 1)};`] : [])], "")}`;
  const inner = d.of(
    [
      `for (let ${j} = 0; ${j} < 3; ${j}++) {`,
      `for (let ${j} = ${i}; ${j} >= 0; ${j}--) {`,
      `for (const ${j} of [2, 0, 1]) {`,
      `for (let ${j} = 0; ${j} < ${i} + 1; ${j}++) {`,
    ],
    "",
  );
  const outer = d.of(
    [
      `${label}: for (let ${i} = 0; ${i} < n; ${i}++) {`,
      `${label}: for (let ${i} = n; ${i} > 0; ${i}--) {`,
      `${label}: for (const ${i} of TABLE.keys()) {`,
    ],
    "",
  );
  return {
    lines: [
      outer,
      `  ${write(pen, one)}`,
      `  ${inner}`,
      `    ${leave(two, true)}`,
      `    ${write(pen, two)}`,
      `    ${leave(two, true)}`,
      `    ${write(pen, two)}`,
      "  }",
      `  ${d.chance(0.5) ? leave(one, false) : ""}`,
      `  ${write(pen, one)}`,
      "}",
    ],
    scope,
  };
};

/** A block with a name, which is left from within loops and branches inside. */
const named: Maker = (pen, scope, depth) => {
  const { d, e } = pen;
  const [label, i] = [pen.name("part"), pen.name("i")];
  const inside = round(scope, i);
  return {
    lines: [
      `${label}: {`,
      `  ${write(pen, scope)}`,
      `  if (${e.condition(scope)}) break ${label};`,
      ...(depth > 0 && d.chance(0.6)
        ? [
            `  for (let ${i} = 0; ${i} < n; ${i}++) {`,
            `    ${write(pen, inside)}`,
            `    if (${e.condition(inside)}) ${d.of([`break ${label};`, "continue;", "break;"], "")}`,
            `    ${write(pen, inside)}`,
            "  }",
          ]
        : pen.inner({ ...scope, inLoop: false, labels: [] }, 1, depth)),
      `  ${write(pen, scope)}`,
      "}",
    ],
    scope,
  };
};

/** A switch in a loop: clauses fall through, leave the switch, or go on with the loop. */
const switched: Maker = (pen, scope) => {
  const { d } = pen;
  const i = pen.name("i");
  const inside = round(scope, i);
  const end = (): string =>
    d.of(
      [
        "",
        "",
        " break;",
        " continue;",
        ...(scope.inFunction ? [` return ${pen.value(inside, 1)};`] : []),
        ` if (${pen.e.condition(inside)}) break;`,
        ` if (${pen.e.condition(inside)}) continue;`,
      ],
      "",
    );
  const clause = (head: string): string => `    ${head} ${write(pen, inside)}${end()}`;
  const order = d.of(
    [
      ["case 0:", "case 1:", "case 2:", "default:"],
      ["default:", "case 1:", "case 0:"],
      ["case 1:", "case 0: case 3:"],
      ["case 2:", "default:", "case 1:", "case 3:"],
    ],
    [],
  );
  return {
    lines: [
      `for (let ${i} = 0; ${i} < n + 2; ${i}++) {`,
      `  switch (${d.of([i, `${i} % 3`, `n - ${i}`], i)}) {`,
      ...order.map(clause),
      "  }",
      `  ${write(pen, inside)}`,
      "}",
    ],
    scope,
  };
};

/** Callbacks that write what is around them and tell their caller when to stop. */
const callbacks: Maker = (pen, scope) => {
  const { e, d } = pen;
  const [name, list] = [pen.name("z"), e.array(scope)];
  const inside: Scope = {
    ...without(withNames(scope, { number: ["e"], index: ["k"] }), "closure"),
    loops: scope.loops + 1,
    inLoop: false,
    inFunction: false,
    labels: [],
  };
  const [one, two, stop] = [write(pen, inside), write(pen, inside), e.condition(inside)];
  const body = d.of(
    [
      `{ ${one} return ${stop}; }`,
      `{ if (${stop}) return true; ${one} return false; }`,
      `{ if (k > 1) return false; ${one} if (${stop}) return true; ${two} return false; }`,
    ],
    "",
  );
  const texts = [
    `const ${name} = ${list}.some((e, k) => ${body}) ? ${pen.value(scope, 1)} : 0.3;`,
    `const ${name} = ${list}.find((e, k) => ${body}) ?? ${pen.value(scope, 1)};`,
    `const ${name} = ${list}.every((e, k) => ${body}) ? 0.2 : ${pen.value(scope, 1)};`,
    `const ${name} = ${list}.filter((e, k) => ${body}).reduce((p, q) => p + q, ${pen.value(scope, 1)});`,
    `const ${name} = ${list}.findIndex((e, k) => ${body}) * 0.1;`,
    `const ${name} = Math.sin(${list}.map((e, k) => { ${one} if (${stop}) return e; ${two} return ${pen.value(inside, 1)}; }).reduce((p, q) => 0.5 * p + q, 0));`,
  ];
  return { lines: [d.of(texts, "")], scope: withNames(scope, { number: [name] }) };
};

/** A closure that writes, called in a loop that is left early, by what it gives or by itself. */
const writer: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [name, i] = [pen.name("put"), pen.name("i")];
  const inside: Scope = {
    ...without(withNames(scope, { number: ["u"] }), "closure"),
    loops: scope.loops + 1,
    inLoop: false,
    inFunction: false,
    labels: [],
  };
  const loop = round(scope, i);
  const variable = d.of(scope.names.variable, "");
  const body = [
    `const ${name} = (u: number): boolean => {`,
    `  ${write(pen, inside)}`,
    `  if (${e.condition(inside)}) return ${d.of(["true", "false"], "true")};`,
    `  ${write(pen, inside)}`,
    `  return ${e.condition(inside)};`,
    "};",
  ];
  const value = pen.value(loop, 1);
  const heads = [
    `for (let ${i} = 0; ${i} < n && !${name}(${value}); ${i}++) { ${write(pen, loop)} }`,
    `for (let ${i} = 0; ${i} < n; ${i}++) { if (${name}(${value})) break; ${write(pen, loop)} }`,
    `for (const [${i}, e] of ${e.array(scope)}.entries()) { if (${i} > 2 || ${name}(e)) continue; ${write(pen, loop)} }`,
    `let ${i} = 0; while (${i}++ < 3 && (${e.condition(loop)} || ${name}(${value}))) { ${write(pen, loop)} }`,
    ...(variable === ""
      ? []
      : [
          `for (let ${i} = 0; ${i} < n; ${i}++) ${variable} += ${name}(${value}) ? 0.3 * Math.sin(${variable}) : ${pen.value(loop, 1)};`,
        ]),
  ];
  return { lines: [...body, d.of(heads, "")], scope };
};

/** Functions of the module that call themselves and write what they are given. */
const recursion: Maker = (pen, scope) => {
  const { d } = pen;
  const [own, record, matrix, typed] = [
    d.of(scope.names.ownArray, ""),
    d.of(scope.names.ownRecord, ""),
    d.of(scope.names.matrix, ""),
    d.of(scope.names.typed, ""),
  ];
  const [value, name] = [pen.value(scope, 1), pen.name("z")];
  const calls = [
    ...(own === ""
      ? []
      : [
          `sift(${own}, ${value}, 0)`,
          `halves(${own}, 0, ${own}.length)`,
          `eliminate(${own}, ${value}, [${value}])[0]`,
        ]),
    ...(record === ""
      ? []
      : [`deepen(${record}, ${value}, 3).b`, `deepen(${record}, ${value}, n).v[0]`]),
    ...(matrix === "" ? [] : [`sift(${matrix}[1], ${value}, 1)`]),
    ...(typed === "" ? [] : [`spun(${typed}, ${value}, n)`]),
  ];
  if (calls.length === 0) return null;
  const call = d.of(calls, "");
  return d.chance(0.2) && !call.includes("?")
    ? line(scope, `${call};`)
    : {
        lines: [`const ${name} = Math.sin(${call});`],
        scope: withNames(scope, { number: [name] }),
      };
};

export const ESCAPES: readonly Choice[] = [
  { feature: "escapes", weight: 4, make: nest, nested: true },
  { feature: "escapes", weight: 3, make: named, nested: true },
  { feature: "escapes", weight: 4, make: switched, nested: true },
  { feature: "escapes", weight: 4, make: callbacks },
  { feature: "escapes", weight: 4, make: writer },
  { feature: "recursion", weight: 8, make: recursion },
];
