// Statements on numbers, arrays, typed arrays, rows and stacks. In: a pen and a scope. Out: lines and the scope behind them.

import { type Scope, withNames } from "./random-scope.ts";
import { type Choice, line, type Maker } from "./random-statements.ts";

const constant: Maker = (pen, scope) => {
  const name = pen.name("c");
  return {
    lines: [`const ${name} = ${pen.value(scope)};`],
    scope: withNames(scope, { number: [name] }),
  };
};

const variable: Maker = (pen, scope) => {
  const name = pen.name("s");
  return {
    lines: [`let ${name} = ${pen.value(scope)};`],
    scope: withNames(scope, { number: [name], variable: [name] }),
  };
};

const assignment: Maker = (pen, scope) => {
  const name = pen.d.of(scope.names.variable, "");
  if (name === "") return null;
  const [other, value] = [pen.d.of(scope.names.variable, name), pen.value(scope, 2)];
  if (other !== name && pen.d.chance(0.3))
    return line(
      scope,
      pen.d.of(
        [`[${name}, ${other}] = [${other}, ${value}];`, `${name} = ${other} = ${value};`],
        "",
      ),
    );
  return line(
    scope,
    pen.d.of(
      [
        `${name} = ${value};`,
        `${name} += 0.5 * Math.sin(${value});`,
        `${name} -= 0.3 * Math.tanh(${value});`,
        `${name} *= Math.cos(${value});`,
        `${name} /= 1.2 + (${value}) ** 2;`,
        `${name}++;`,
      ],
      "",
    ),
  );
};

/** A number under a second name, which stays as it was; two variables change places. */
const kept: Maker = (pen, scope) => {
  const [one, two] = [pen.d.of(scope.names.variable, ""), pen.d.of(scope.names.variable, "")];
  if (one === "") return null;
  const name = pen.name("c");
  return {
    lines: [
      `const ${name} = ${one};`,
      ...(one === two ? [] : [`${one} = ${two};`, `${two} = ${name};`]),
    ],
    scope: withNames(scope, { number: [name] }),
  };
};

/** Arrays under names that are given to others: as they are, copied, or in turn. */
const arrayVariable: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [one, two] = [d.of(scope.names.arrayVariable, ""), d.of(scope.names.arrayVariable, "")];
  if (one === "" || (one === two && d.chance(0.5))) {
    const name = pen.name("a");
    return {
      lines: [`let ${name} = ${e.array(scope)}.slice();`],
      scope: withNames(scope, { array: [name], ownArray: [name], arrayVariable: [name] }),
    };
  }
  if (one === two || d.chance(0.3))
    return line(
      scope,
      `${one} = ${e.array(scope)}.map((e, k) => ${pen.value({ ...withNames(scope, { number: ["e"], index: ["k"] }), loops: scope.loops + 1 }, 2)});`,
    );
  const name = pen.name("c");
  return d.chance(0.3)
    ? line(scope, d.of([`${one} = ${two};`, `[${one}, ${two}] = [${two}, ${one}];`], ""))
    : {
        lines: [`const ${name} = ${one};`, `${one} = ${two};`, `${two} = ${name};`],
        scope: withNames(scope, { array: [name], ownArray: [name] }),
      };
};

/** A state that a step copies, writes, and hands on: what the step reads of the last one stays as it is. */
const step: Maker = (pen, scope, depth) => {
  const { d } = pen;
  const state = d.of(scope.names.arrayVariable, "");
  if (state === "") return arrayVariable(pen, scope, depth);
  const name = pen.name("a");
  const inside = {
    ...withNames(scope, { array: [name], ownArray: [name], number: ["e"], index: ["k"] }),
    loops: scope.loops + 1,
  };
  const made = d.of(
    [`${state}.slice()`, `[...${state}]`, `new Array<number>(${state}.length).fill(0.1)`],
    "",
  );
  const stores = [
    `${name}[k] += 0.3 * e * ${pen.value(inside, 2)};`,
    `${name}[k] = Math.sin(e + ${pen.value(inside, 2)});`,
    `${name}[k] *= Math.cos(${state}[(k + 1) % 3] + ${pen.value(inside, 1)});`,
  ];
  const lines = [
    `const ${name} = ${made};`,
    `for (const [k, e] of ${state}.entries()) {`,
    `  ${d.of(stores, "")}`,
    "}",
    ...(d.chance(0.3) ? pen.inner(inside, 1, depth).map((each) => each.slice(2)) : []),
  ];
  return { lines: [...lines, `${state} = ${name};`], scope };
};

const newArray: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [name, from] = [pen.name("a"), e.array(scope)];
  const element = (names: readonly string[]): string =>
    pen.value({ ...withNames(scope, { number: names, index: ["k"] }), loops: scope.loops + 1 }, 3);
  const { ownArray } = scope.names;
  const [one, two] = [d.of(ownArray, ""), d.of(ownArray, "")];
  // another name for the same array, or for one of two
  const alias =
    one !== "" && d.chance(0.3)
      ? d.chance(0.5)
        ? one
        : `${e.condition(scope)} ? ${one} : ${two}`
      : null;
  const value =
    alias ??
    d.of(
      [
        `${from}.slice()`,
        `[...${from}]`,
        `${from}.concat(${pen.value(scope, 2)})`,
        `[${pen.value(scope, 2)}, ...${from}, ${pen.value(scope, 1)}]`,
        `${from}.map((e, k) => ${element(["e"])})`,
        `Array.from({ length: 4 }, (_, k) => ${element([])})`,
        `[${pen.value(scope, 2)}, ${pen.value(scope, 2)}, ${pen.value(scope, 2)}]`,
        `new Array<number>(3).fill(${pen.value(scope, 2)})`,
        `${from}.slice(0, 3).concat(${from}.filter((e) => e > 0.1371))`,
        `${from}.slice().reverse()`,
        `${from}.slice().sort((p, q) => p - q)`,
        `[${from}, ${d.of(scope.names.array, "TABLE")}].flat()`,
      ],
      "",
    );
  return {
    lines: [`const ${name} = ${value};`],
    scope: withNames(scope, { array: [name], ownArray: [name] }),
  };
};

const store: Maker = (pen, scope) => {
  const { d, e } = pen;
  const array = d.of(scope.names.ownArray, "");
  if (array === "") return newArray(pen, scope, 0);
  const [i, j] = [e.index(scope, array), e.index(scope, array)];
  const value = pen.value(scope, 2);
  return line(
    scope,
    d.of(
      [
        `${array}[${i}] = ${value};`,
        `${array}[${i}] += 0.5 * Math.sin(${value});`,
        `${array}[${i}] *= Math.cos(${value});`,
        `[${array}[${i}], ${array}[${j}]] = [${array}[${j}], ${array}[${i}]];`,
        `scaleInPlace(${array}, Math.sin(${value}));`,
        `blend(${array}, ${e.array(scope)}, 0.3);`,
        `${array}.fill(Math.sin(${value}), ${d.below(3)});`,
        `${array}[${i}] = ${array}[${j}] = ${value};`,
        `${array}.copyWithin(0, 1);`,
        `${array}.reverse();`,
        `${array}.splice(${d.below(2)}, 1, ${value});`,
      ],
      "",
    ),
  );
};

const typed: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [known, from] = [d.of(scope.names.typed, ""), e.array(scope)];
  if (known === "" || d.chance(0.3)) {
    const name = pen.name("t");
    const value = d.of(
      [
        `Float64Array.from(${from})`,
        `new Float64Array(${from})`,
        `new Float64Array(4).fill(${pen.value(scope, 2)})`,
        known === ""
          ? "new Float64Array(3)"
          : `${known}.map((e, k) => Math.sin(e * (k + ${pen.value(scope, 1)})))`,
        known === ""
          ? `Float64Array.of(${pen.value(scope, 1)}, ${pen.value(scope, 2)}, 0.3)`
          : `${known}.slice()`,
      ],
      "",
    );
    return { lines: [`const ${name} = ${value};`], scope: withNames(scope, { typed: [name] }) };
  }
  const [i, value] = [e.index(scope, known), pen.value(scope, 2)];
  return line(
    scope,
    d.of(
      [
        `${known}[${i}] = ${value};`,
        `${known}[${i}] += ${value};`,
        `${known}[${i}] *= Math.cos(${value});`,
        `${known}.set(${from}.slice(0, 2), 1);`,
        `${known}.subarray(1).fill(${value});`,
        `${known}.subarray(0, 2)[1] = ${value};`,
      ],
      "",
    ),
  );
};

/** Rows in an array: fresh ones, copies, and the same row twice. */
const matrix: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [name, row] = [pen.name("m"), d.of(scope.names.ownArray, "")];
  const rows = [
    `${e.array(scope)}.slice()`,
    `[${pen.value(scope, 1)}, ${pen.value(scope, 1)}, ${pen.value(scope, 1)}]`,
    ...(row === "" ? [] : [row, row]),
  ];
  const value =
    d.chance(0.3) && row !== ""
      ? `${row}.map((e, k) => [e, ${pen.value(withNames(scope, { number: ["e"], index: ["k"] }), 2)}, e * k])`
      : `[${[0, 1, 2].map(() => d.of(rows, row)).join(", ")}]`;
  return { lines: [`const ${name} = ${value};`], scope: withNames(scope, { matrix: [name] }) };
};

const matrixStore: Maker = (pen, scope) => {
  const { d, e } = pen;
  const name = d.of(scope.names.matrix, "");
  if (name === "") return null;
  const [i, j, value, row] = [
    e.index(scope, name),
    d.below(3),
    pen.value(scope, 2),
    pen.name("row"),
  ];
  if (d.chance(0.2))
    return {
      lines: [`const ${row} = ${name}[${i}];`, `${row}[${j}] *= Math.cos(${value});`],
      scope: withNames(scope, { array: [row], ownArray: [row] }),
    };
  return line(
    scope,
    d.of(
      [
        `${name}[${i}][${j}] = ${value};`,
        `${name}[${i}][${j}] += 0.5 * Math.sin(${value});`,
        `[${name}[0], ${name}[1]] = [${name}[1], ${name}[2]];`,
        `${name}[${i}] = ${name}[${d.below(3)}].map((e) => Math.sin(e * ${value}));`,
      ],
      "",
    ),
  );
};

const stack: Maker = (pen, scope) => {
  const { d } = pen;
  const known = d.of(scope.names.stack, "");
  if (known === "") {
    const name = pen.name("st");
    return {
      lines: [`const ${name}: number[] = [];`, `${name}.push(${pen.value(scope, 2)});`],
      scope: withNames(scope, { stack: [name] }),
    };
  }
  const value = pen.value(scope, 2);
  const name = d.of(scope.names.variable, "");
  const take = (method: string): string =>
    name === ""
      ? `${known}.${method}();`
      : `${name} += 0.5 * Math.sin(${known}.${method}() ?? 0.5);`;
  return line(
    scope,
    d.of(
      [
        `${known}.push(${value});`,
        `${known}.push(${value}, ${pen.value(scope, 1)});`,
        `${known}.unshift(${value});`,
        `if (${known}.length > 0) ${known}[${known}.length - 1] *= Math.cos(${value});`,
        take("pop"),
        take("shift"),
      ],
      "",
    ),
  );
};

const pattern: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [one, two] = [pen.name("p"), pen.name("p")];
  const record = d.of(scope.names.record, "");
  const texts = [
    `const [${one}, , ${two}] = ${e.array(scope)};`,
    `const [${one}, ...[, ${two} = ${pen.value(scope, 1)}]] = ${e.array(scope)};`,
    `const [${one} = 0.4, ${two}] = [${pen.value(scope, 2)}, ${pen.value(scope, 1)}];`,
  ];
  const onRecord =
    record === ""
      ? []
      : [
          `const { a: ${one}, v: [, ${two}] } = ${record};`,
          `const { b: ${one}, v: [${two} = 0.3] } = { ...${record}, b: ${pen.value(scope, 1)} };`,
        ];
  return {
    lines: [d.of([...texts, ...onRecord], "")],
    scope: withNames(scope, { number: [one, two] }),
  };
};

/** In a loop, what a round declares is mostly dead behind it; what it writes is not. */
const inLoop =
  (make: Maker): Maker =>
  (pen, scope: Scope, depth) =>
    scope.loops > 0 ? make(pen, scope, depth) : null;

export const MEMORY: readonly Choice[] = [
  { feature: null, weight: 2, make: constant },
  { feature: null, weight: 3, make: variable },
  { feature: null, weight: 4, make: assignment },
  { feature: null, weight: 6, make: inLoop(assignment) },
  { feature: null, weight: 1, make: kept },
  { feature: null, weight: 1, make: inLoop(kept) },
  { feature: "arrays", weight: 2, make: arrayVariable },
  { feature: "arrays", weight: 3, make: inLoop(arrayVariable) },
  { feature: "arrays", weight: 1, make: step },
  { feature: "arrays", weight: 3, make: inLoop(step) },
  { feature: "arrays", weight: 3, make: newArray },
  { feature: "arrays", weight: 4, make: store },
  { feature: "arrays", weight: 6, make: inLoop(store) },
  { feature: "typed", weight: 5, make: typed },
  { feature: "matrix", weight: 2, make: matrix },
  { feature: "matrix", weight: 4, make: matrixStore },
  { feature: "stack", weight: 5, make: stack },
  { feature: "pattern", weight: 4, make: pattern },
];
