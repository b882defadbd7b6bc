// Statements that look beyond the ends of lists, and at lists through the library's functions. In: a pen and a scope. Out: lines and the scope behind them.
// Invariant: a read that may miss has something in its place, by `??` or by a branch.

import { type Scope, withNames } from "./random-scope.ts";
import { type Choice, line, type Maker, type Pen } from "./random-statements.ts";

/** The neighbour of an element: what may miss is read under a test, or replaced. */
const neighbour = (pen: Pen, list: string, i: string, otherwise: string): string => {
  const by = 1 + pen.d.below(2);
  return pen.d.of(
    [
      `(${list}[${i} - ${by}] ?? ${otherwise})`,
      `(${list}[${i} + ${by}] ?? ${otherwise})`,
      `(${i} > ${by - 1} ? ${list}[${i} - ${by}] : ${otherwise})`,
      `(${i} + ${by} < ${list}.length ? ${list}[${i} + ${by}] : ${otherwise})`,
      `(${i} === 0 ? ${otherwise} : ${list}[${i} - 1])`,
      `(${i} === ${list}.length - 1 ? ${otherwise} : ${list}[${i} + 1])`,
      `(${list}.at(${i} - ${by}) ?? ${otherwise})`,
    ],
    otherwise,
  );
};

/** A loop over a list, in which each round reads its neighbours and writes an element or a variable. */
const stencil: Maker = (pen, scope, depth) => {
  const { d, e } = pen;
  const [own, i, x] = [d.of(scope.names.ownArray, ""), pen.name("i"), pen.name("v")];
  const read = own !== "" && d.chance(0.6) ? own : e.array(scope);
  const inside = {
    ...withNames(scope, { index: [i], number: d.chance(0.5) ? [x] : [] }),
    loops: scope.loops + 1,
    inLoop: true,
  };
  const named = inside.names.number.includes(x);
  const [one, other] = [
    neighbour(pen, read, i, pen.value(scope, 1)),
    neighbour(pen, read, i, d.of(["0", pen.value(inside, 1)], "0")),
  ];
  const name = d.of(scope.names.variable, "");
  const value = `Math.sin(${d.of([`${one} + 0.5 * ${other}`, `${one} - ${other}`, `${one} * ${other}`, one], one)})`;
  const targets = [
    ...(own === ""
      ? []
      : [
          `${own}[${i}] = ${value};`,
          `${own}[${i}] += 0.3 * ${value};`,
          `${own}[${own}.length - 1 - ${i}] = ${value};`,
        ]),
    ...(name === ""
      ? []
      : [
          `${name} = 0.5 * ${name} + ${value};`,
          `if (${i} % 2 === 0) ${name} -= ${value};`,
          `if (${read}[${i} + 1] !== undefined) ${name} += 0.5 * Math.sin(${read}[${i} + 1]);`,
        ]),
  ];
  if (targets.length === 0) return null;
  const heads = named
    ? [`for (const [${i}, ${x}] of ${read}.entries()) {`]
    : [
        `for (let ${i} = 0; ${i} < ${read}.length; ${i}++) {`,
        `for (let ${i} = ${read}.length - 1; ${i} >= 0; ${i}--) {`,
        `for (const ${i} of ${read}.keys()) {`,
      ];
  const before = d.chance(0.4) ? pen.inner(inside, 1, depth) : [];
  return {
    lines: [
      d.of(heads, ""),
      ...before,
      `  ${d.of(targets, "")}`,
      ...(d.chance(0.4) ? pen.inner(inside, 1, depth) : []),
      "}",
    ],
    scope,
  };
};

/** A number of a list that may be missing. */
const missed: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [list, value, m] = [e.array(scope), pen.value(scope, 1), d.of(scope.names.matrix, "")];
  const name = pen.name("z");
  const i = d.of(scope.names.index, "n");
  const texts = [
    neighbour(pen, list, i, value),
    `${list}.at(-1) ?? ${value}`,
    `${list}.find((e) => e > ${value}) ?? ${value}`,
    `${list}[${list}.findIndex((e) => e < ${value})] ?? ${value}`,
    `${list}[${list}.length] ?? ${value}`,
    `${list}.findLast((e, k) => e * k > ${value}) ?? 0.4`,
    `${list}[${list}.indexOf(Math.max(...${list}))]`,
    ...(m === ""
      ? []
      : [
          `${m}[${i} - 1]?.[1] ?? ${value}`,
          `${m}[${i} + 2]?.[${i}] ?? ${value}`,
          `(${m}.at(${i}) ?? ${m}[0])[0]`,
        ]),
  ];
  if (d.chance(0.3)) {
    const [read, variable] = [pen.name("z"), d.of(scope.names.variable, "")];
    if (variable !== "")
      return line(
        scope,
        d.of(
          [
            `{ const ${read} = ${list}[${i} - 1]; if (${read} !== undefined) ${variable} = Math.sin(${variable} * ${read}); }`,
            `{ const ${read} = ${list}[${i} + 1]; ${variable} += ${read} === undefined ? ${value} : 0.5 * ${read}; }`,
            `if (${i} in ${list}) ${variable} = Math.sin(${variable} + ${list}[${i}]);`,
          ],
          "",
        ),
      );
  }
  return {
    lines: [`const ${name} = Math.sin(${d.of(texts, value)});`],
    scope: withNames(scope, { number: [name] }),
  };
};

/** What the library makes of a list. */
const library: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [list, other, value] = [e.array(scope), e.array(scope), pen.value(scope, 1)];
  const inside = {
    ...withNames(scope, { number: ["e"], index: ["k"] }),
    loops: scope.loops + 1,
    inLoop: false,
    inFunction: false,
    labels: [],
  };
  const element = pen.value(inside, 2);
  const own = d.of(scope.names.ownArray, "");
  if (d.chance(0.45)) {
    const name = pen.name("a");
    const lists = [
      `${list}.flatMap((e, k) => [e, ${element}])`,
      `${list}.toSorted((p, q) => p - q)`,
      `${list}.toReversed()`,
      `${list}.with(1, ${value})`,
      `Array.from(${list}, (e, k) => ${element})`,
      `Array.of(...${list}, ${value})`,
      `[...${list}.entries()].map(([k, e]) => ${element})`,
      `${list}.slice(-3).concat(${other}.slice(1, -1))`,
      `${list}.reduce<number[]>((made, e, k) => { made.push(${element} + (made[k - 1] ?? 0.2)); return made; }, [])`,
      `Object.values([...${list}])`,
      `${list}.toSpliced(1, 1, ${value}, 0.4)`,
      `Array.from({ length: ${list}.length }, (_, k) => ${list}[k - 1] ?? ${value})`,
    ];
    return {
      lines: [`const ${name}: number[] = ${d.of(lists, "")};`],
      scope: withNames(scope, { array: [name], ownArray: [name] }),
    };
  }
  if (own !== "" && d.chance(0.4)) {
    const name = d.of(scope.names.variable, own + "[0]");
    return line(
      scope,
      d.of(
        [
          `${own}.sort((p, q) => q - p);`,
          `for (const e of ${own}) ${own}[0] = Math.sin(e + ${own}[0]);`,
          `for (const [k, e] of ${own}.entries()) ${own}[(k + 1) % ${own}.length] = Math.sin(e * ${value});`,
          `${own}.forEach((e, k, all) => { all[k] = Math.sin(e + (all[k - 1] ?? ${value})); });`,
          `Object.assign(${own}, [${value}]);`,
          `[${own}[0], ${own}[1], ${own}[2]] = [${own}[2], ${own}[0], ${value}];`,
          `[${own}[0] = 0.3, ${name}] = [${own}[1], ${own}[0]];`,
          `${own}.fill(${value}, 1, 2);`,
          `for (let lo = 0, hi = ${own}.length - 1; lo < hi; lo++, hi--) [${own}[lo], ${own}[hi]] = [${own}[hi], ${own}[lo]];`,
          `for (let k = 1; k < ${own}.length; k++) for (let j = k; j > 0 && ${own}[j - 1] > ${own}[j]; j--) [${own}[j - 1], ${own}[j]] = [${own}[j], ${own}[j - 1]];`,
        ],
        "",
      ),
    );
  }
  const name = pen.name("z");
  const numbers = [
    `Math.max(...${list})`,
    `Math.min(...${list}, ${value})`,
    `Math.max(${value}, ...${list}.slice(1), ${list}[1])`,
    `Math.hypot(...${list})`,
    `${list}.reduce((p, q) => 0.5 * p + q)`,
    `${list}.reduceRight((s, e, k) => s * 0.5 + ${element}, 0)`,
    `${list}.map((e, k) => ${element}).reduce((p, q) => Math.max(p, q))`,
    `total(...${list})`,
    `total(${value}, ...${list}.slice(1))`,
    `${list}.map((e) => Math.max(e, 0.2)).reduce((p, q) => p + q, 0)`,
    `Math.max(...${list}.map((e, k) => ${element}))`,
    `spread({ lo: ${value} }, ${list})`,
    `spread({ hi: ${value}, lo: 0.1 }, [...${list}])`,
    `Math.max(...[${value}, ${value}])`,
  ];
  return {
    lines: [`const ${name} = Math.sin(${d.of(numbers, value)});`],
    scope: withNames(scope, { number: [name] }),
  };
};

/** A typed array, parts of which have names of their own. */
const views: Maker = (pen, scope) => {
  const { d } = pen;
  const known = d.of(scope.names.typed, "");
  if (known === "") return null;
  const [value, view] = [pen.value(scope, 2), pen.name("view")];
  const head = `const ${view} = ${known}.subarray(${d.of(["1", "1, 3", "-2", "n % 2, 3"], "1")});`;
  if (d.chance(0.3))
    return {
      lines: [
        `const ${view} = ${d.of([known, `${known}.subarray(0)`, `${known}.subarray(0).subarray(0, 3)`], known)};`,
      ],
      scope: withNames(scope, { typed: [view] }),
    };
  const reads = [
    `${known}[1] += 0.5 * Math.sin(${view}[0] * ${value});`,
    `for (let k = 0; k < ${view}.length; k++) ${view}[k] = Math.sin(${known}[k] + ${value});`,
    `for (const [k, e] of ${view}.entries()) ${known}[k] = Math.sin(e + ${value});`,
    `${known}.set(${view});`,
    `${known}[2] = ${value}; ${known}[0] = Math.sin(${view}[1] + ${view}[0]);`,
    `${view}.reverse();`,
    `${known}.copyWithin(0, 1); ${view}[0] *= Math.cos(${value});`,
    `${view}.sort();`,
    `${view}.fill(${value}); ${known}[0] = Math.sin(${view}.reduce((p, q) => p + q, 0));`,
  ];
  return { lines: [head, d.of(reads, "")], scope };
};

const inRound =
  (make: Maker): Maker =>
  (pen, scope: Scope, depth) =>
    scope.loops > 0 ? make(pen, scope, depth) : null;

export const EDGES: readonly Choice[] = [
  { feature: "edges", weight: 5, make: stencil },
  { feature: "edges", weight: 4, make: missed },
  { feature: "edges", weight: 4, make: inRound(missed) },
  { feature: "edges", weight: 6, make: stencil, nested: true },
  { feature: "library", weight: 7, make: library },
  { feature: "typed", weight: 4, make: views },
];
