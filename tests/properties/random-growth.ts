// Statements on lists that grow by stores, pointers into them, lists of unequal lengths, and nodes that lead to each other. In: a pen and a scope. Out: lines and the scope behind them.
// Invariant: a list has at least the elements that it began with; a walk along nodes ends.

import { type Scope, withNames } from "./random-scope.ts";
import type { Choice, Maker } from "./random-statements.ts";

const round = (scope: Scope, ...index: readonly string[]): Scope => ({
  ...withNames(scope, { index }),
  loops: scope.loops + 1,
  inLoop: true,
});

/** A copy, or what is made of another list, that is filled behind its end. */
const counted: Maker = (pen, scope, depth) => {
  const { d, e } = pen;
  const [name, n, i] = [pen.name("a"), pen.name("n"), pen.name("i")];
  const from = e.array(scope);
  const inside = round(scope, i);
  const value = (): string =>
    pen.value({ ...inside, names: { ...inside.names, array: [...inside.names.array, name] } }, 2);
  const made = d.of(
    [
      `${from}.slice()`,
      `${from}.map((e) => Math.sin(e))`,
      `[...${from}]`,
      `Array.from({ length: 3 }, (_, k) => 0.2 * k + ${pen.value(scope, 1)})`,
      `new Array<number>(3).fill(${pen.value(scope, 1)})`,
      `${from}.slice(0, 3)`,
      `${from}.concat()`,
    ],
    "",
  );
  const write = d.of(
    [
      `${name}[${n}++] = ${value()};`,
      `${name}[${n}] = ${value()}; ${n}++;`,
      `${name}[${name}.length] = ${value()};`,
      `${name}[${i} + 3] = ${value()};`,
      `if (${e.condition(inside)}) ${name}[${n}++] = ${value()};`,
      `${name}[${n}++] = Math.sin(${name}[${n} - 2] * ${value()});`,
      `${name}[Math.min(${i} * 2, ${name}.length)] = ${value()};`,
      `${name}[${n}++] = ${name}[${n}++ - 1] = ${value()};`,
    ],
    "",
  );
  const body = pen.inner(inside, d.below(2), depth);
  return {
    lines: [
      `const ${name} = ${made};`,
      `let ${n} = ${name}.length;`,
      `for (let ${i} = 0; ${i} < ${d.of(["3", "n"], "3")}; ${i}++) {`,
      ...body,
      `  ${write}`,
      "}",
      ...(d.chance(0.5)
        ? [
            `for (let k = 0; k < ${name}.length; k++) ${name}[k] = Math.sin((${name}[k] ?? 0.3) * 1.1);`,
          ]
        : []),
    ],
    scope: withNames(scope, { array: [name], ownArray: [name] }),
  };
};

/** A stack in a list of its own, with a pointer; places by data, with effects in the index. */
const pointers: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [name, sp, i, z] = [pen.name("st"), pen.name("sp"), pen.name("i"), pen.name("z")];
  const inside = round(scope, i);
  const value = (): string => pen.value(inside, 2);
  const fill = pen.value(scope, 1);
  const made = d.of(
    [
      `new Array<number>(6).fill(${fill})`,
      "new Float64Array(8)",
      `[${fill}, 0.1, 0.2]`,
      "Array.from({ length: 4 }, (_, k) => 0.1 * k)",
    ],
    "",
  );
  const steps = [
    `${name}[${sp}++] = ${value()};`,
    `${name}[--${sp}] *= Math.cos(${value()});`,
    `${name}[${sp} - 1] += 0.3 * Math.sin(${value()});`,
    `[${name}[${sp} - 1], ${name}[0]] = [${name}[0], ${name}[${sp} - 1]];`,
    `if (${sp} > 1) { const top = ${name}[--${sp}]; ${name}[${sp} - 1] = Math.sin(${name}[${sp} - 1] * top); }`,
    `${name}[[0, 2, 0, 1][${i} % 4]] += Math.tanh(${value()});`,
    `${name}[${sp}++ % 3] *= Math.sin(${value()});`,
    `${name}[${sp}] = ${name}[${sp}++ - 1] * 0.5;`,
    `${name}[(${i} + ${sp}) % ${name}.length] = ${value()};`,
  ];
  return {
    lines: [
      `const ${name} = ${made};`,
      `let ${sp} = 2;`,
      `for (let ${i} = 0; ${i} < ${d.of(["4", "n"], "4")}; ${i}++) {`,
      ...Array.from({ length: 1 + d.below(3) }, () => `  ${d.of(steps, "")}`),
      `  ${sp} = Math.max(1, Math.min(${sp}, 5));`,
      ...(d.chance(0.3)
        ? [`  if (${e.condition(inside)}) ${d.of(["break", "continue"], "break")};`]
        : []),
      "}",
      `const ${z} = Math.sin(${name}[0] + ${name}[1] * ${name}[2]);`,
    ],
    scope: withNames(scope, { number: [z] }),
  };
};

/** Two lists side by side, one of which may end before the other. */
const unequal: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [one, other, i, z] = [e.array(scope), pen.name("ws"), pen.name("i"), pen.name("z")];
  const value = pen.value(round(scope, i), 1);
  const made = d.of(
    [
      `[${pen.value(scope, 1)}]`,
      `${one}.slice(0, n - 1)`,
      `${one}.filter((e) => e > ${pen.value(scope, 1)})`,
      `[${value.includes(i) ? "0.2" : value}, ...${one}, 0.3]`,
    ],
    "",
  );
  const bound = d.of(
    [`Math.max(${one}.length, ${other}.length)`, `${one}.length`, `${other}.length + 1`],
    "",
  );
  const body = d.of(
    [
      `${z} += ${i} < ${other}.length ? w * ${value} : 0.1;`,
      `${z} += (x || 0.2) * (w || 0);`,
      `if (${i} < ${other}.length && ${i} < ${one}.length) ${z} += x * w;`,
      `${z} += w > x ? w * ${value} : x > w ? x : 0.2;`,
      `if (!(${i} < ${other}.length)) break; ${z} = Math.sin(${z} + w);`,
      `for (let j = ${i}; j < ${other}.length; j++) ${z} += 0.1 * w * ${other}[j];`,
      `const both = { x, w, there: ${i} < Math.min(${one}.length, ${other}.length) }; if (both.there) ${z} += both.x * Math.sin(both.w);`,
    ],
    "",
  );
  return {
    lines: [
      `const ${other} = ${made};`,
      `let ${z} = 0.1;`,
      `for (let ${i} = 0; ${i} < ${bound}; ${i}++) {`,
      `  const x = ${one}[${i}], w = ${other}[${i}];`,
      `  ${body}`,
      "}",
      `${z} = Math.sin(${z});`,
    ],
    scope: withNames(scope, { number: [z], variable: [z] }),
  };
};

/** Nodes that lead to each other and share a list. */
const linked: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [head, node, one, i, z] = [
    pen.name("head"),
    pen.name("at"),
    pen.name("one"),
    pen.name("i"),
    pen.name("z"),
  ];
  const inside = round(scope, i);
  const value = (): string => pen.value(inside, 2);
  const own = d.of(scope.names.ownArray, "");
  const made = `{ v: ${value()}, w: ${own === "" || d.chance(0.5) ? `[${value()}]` : own}, next: ${head}, prev: null }`;
  const visit = d.of(
    [
      `${node}.v = Math.sin(${node}.v + ${pen.value(scope, 1)});`,
      `${node}.w[0] *= 0.7;`,
      `if (${node}.prev) ${node}.prev.v += 0.2 * Math.sin(${node}.v);`,
      `if (${node}.next?.next) { const gone: Link = ${node}.next; ${node}.next = gone.next; ${node}.v += 0.3 * gone.v; }`,
      `${node}.w = ${node}.next?.w ?? ${node}.w;`,
      `if (${node}.v > ${pen.value(scope, 1)}) break;`,
      `${z} += 0.1 * (${node}.prev ?? ${node}).w[0];`,
    ],
    "",
  );
  return {
    lines: [
      `let ${head}: Link | null = null;`,
      `for (let ${i} = 0; ${i} < ${d.of(["3", "n"], "3")}; ${i}++) {`,
      `  const ${one}: Link = ${made};`,
      `  if (${head}) ${head}.prev = ${one};`,
      ...(d.chance(0.3) ? [`  if (${e.condition(inside)}) continue;`] : []),
      `  ${head} = ${one};`,
      "}",
      `let ${z} = 0.1;`,
      `for (let ${node}: Link | null = ${head}; ${node} !== null; ${node} = ${node}.next) {`,
      ...(d.chance(0.6) ? [`  ${visit}`] : []),
      `  ${z} = 0.6 * ${z} + Math.sin(${node}.v * ${node}.w[0]);`,
      "}",
    ],
    scope: withNames(scope, { number: [z], variable: [z] }),
  };
};

/** Two lists of one object that change places. */
const twoSided: Maker = (pen, scope, depth) => {
  const { d, e } = pen;
  const [name, i, z] = [pen.name("sides"), pen.name("i"), pen.name("z")];
  const inside = round(scope, i);
  const from = e.array(scope);
  const body = [
    `${name}.now[k] = Math.sin(${name}.then[k] + ${pen.value(inside, 1)});`,
    `${name}.now[k] = 0.5 * ${name}.then[(k + 1) % 3] + 0.3 * ${name}.now[k];`,
    `${name}.now[k] += 0.2 * ${name}.then[k] * ${name}.now[0];`,
  ];
  const swap = d.of(
    [
      `[${name}.now, ${name}.then] = [${name}.then, ${name}.now];`,
      `if (${e.condition(inside)}) [${name}.now, ${name}.then] = [${name}.then, ${name}.now];`,
      `const kept = ${name}.now; ${name}.now = ${name}.then; ${name}.then = kept;`,
      `${name}.then = ${name}.now; ${name}.now = ${name}.now.map((e) => 0.9 * e);`,
    ],
    "",
  );
  const head = d.of(
    [
      `for (let ${i} = 0; ${i} < n; ${i}++) {`,
      `for (let ${i} = 0; ${i} < 4 && ${name}.now[0] < 0.9; ${i}++) {`,
    ],
    "",
  );
  return {
    lines: [
      `const ${name} = { now: ${from}.slice(0, 3), then: ${from}.slice(0, 3).map((e) => 0.5 * e) };`,
      head,
      ...pen.inner(inside, d.below(2), depth),
      `  for (let k = 0; k < 3; k++) ${d.of(body, "")}`,
      `  ${swap}`,
      "}",
      `const ${z} = Math.sin(${name}.now[0] * ${name}.then[1] + ${name}.then[2]);`,
    ],
    scope: withNames(scope, { number: [z] }),
  };
};

export const GROWTH: readonly Choice[] = [
  { feature: "growth", weight: 5, make: counted },
  { feature: "growth", weight: 4, make: pointers },
  { feature: "growth", weight: 4, make: unequal },
  { feature: "links", weight: 5, make: linked },
  { feature: "links", weight: 4, make: twoSided },
];
