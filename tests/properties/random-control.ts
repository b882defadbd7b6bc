// Statements with blocks inside, and exits out of them. In: a pen, a scope and how deep blocks may still nest. Out: lines and the scope behind them.

import { type Kind, type Scope, withNames } from "./random-scope.ts";
import type { Choice, Maker } from "./random-statements.ts";

const branch: Maker = (pen, scope, depth) => {
  const lines = [`if (${pen.e.condition(scope)}) {`, ...pen.inner(scope, 2, depth)];
  if (pen.d.chance(0.3))
    lines.push(`} else if (${pen.e.condition(scope)}) {`, ...pen.inner(scope, 1, depth));
  if (pen.d.chance(0.5)) lines.push("} else {", ...pen.inner(scope, 2, depth));
  return { lines: [...lines, "}"], scope };
};

const exit: Maker = (pen, scope) => {
  const { d } = pen;
  const exits = [
    ...(scope.inLoop ? ["break;", "continue;"] : []),
    ...scope.labels.flatMap((label) => [`break ${label};`, `continue ${label};`]),
    ...(scope.inFunction ? [`return ${pen.value(scope, 2)};`] : []),
  ];
  return exits.length === 0
    ? null
    : { lines: [`if (${pen.e.condition(scope)}) ${d.of(exits, "{}")}`], scope };
};

const round = (scope: Scope, added: Partial<Record<Kind, readonly string[]>>): Scope => ({
  ...withNames(scope, added),
  loops: scope.loops + 1,
  inLoop: true,
});

const counted: Maker = (pen, scope, depth) => {
  const i = pen.name("i");
  const head = pen.d.of(
    [
      `let ${i} = 0; ${i} < n; ${i}++`,
      `let ${i} = n - 1; ${i} >= 0; ${i}--`,
      `let ${i} = 1; ${i} <= 4; ${i} += 2`,
      `let ${i} = 0; ${i} < ${pen.d.of(scope.names.array, "TABLE")}.length; ${i}++`,
      `let ${i} = 0, end = n + 1; ${i} < end; ++${i}`,
    ],
    "",
  );
  return {
    lines: [`for (${head}) {`, ...pen.inner(round(scope, { index: [i] }), 3, depth), "}"],
    scope,
  };
};

const forOf: Maker = (pen, scope, depth) => {
  const { d } = pen;
  const [v, i, array] = [pen.name("v"), pen.name("i"), pen.e.array(scope)];
  const rs = d.of(scope.names.records, "");
  const us = d.of(scope.names.shapes, "");
  if (rs !== "" && d.chance(0.4)) {
    const head = d.of([`const ${v} of ${rs}`, `const { a: ${v}, v: [${i}w] } of ${rs}`], "");
    return {
      lines: [
        `for (${head}) {`,
        ...pen.inner(
          round(
            scope,
            head.startsWith("const {") ? { number: [v, `${i}w`] } : { record: [v], ownRecord: [v] },
          ),
          2,
          depth,
        ),
        "}",
      ],
      scope,
    };
  }
  if (us !== "" && d.chance(0.5))
    return {
      lines: [
        `for (const ${v} of ${us}) {`,
        ...pen.inner(round(scope, { shape: [v] }), 2, depth),
        "}",
      ],
      scope,
    };
  if (d.chance(0.4))
    return {
      lines: [
        `for (const [${i}, ${v}] of ${array}.entries()) {`,
        ...pen.inner(round(scope, { number: [v], index: [i] }), 2, depth),
        "}",
      ],
      scope,
    };
  return {
    lines: [
      `for (const ${v} of ${array}) {`,
      ...pen.inner(round(scope, { number: [v] }), 2, depth),
      "}",
    ],
    scope,
  };
};

const whileLoop: Maker = (pen, scope, depth) => {
  const i = pen.name("i");
  const inside = round(scope, { index: [i] });
  const [step, body, condition] = [
    `  ${i}++;`,
    pen.inner(inside, 2, depth),
    pen.e.condition(scope),
  ];
  return {
    lines: pen.d.of<readonly string[]>(
      [
        [`let ${i} = 0;`, "do {", step, ...body, `} while (${i} < n && ${condition});`],
        [`let ${i} = 0;`, `while (${i} < n && ${condition}) {`, step, ...body, "}"],
        [`let ${i} = 0;`, "for (;;) {", `  if (${i}++ > n) break;`, ...body, "}"],
        [`let ${i} = 0;`, `while (${i}++ < n) {`, ...body, "}"],
      ],
      [],
    ),
    scope,
  };
};

/** A loop that ends by what it computes: its rounds say again what its test says. */
const settling: Maker = (pen, scope, depth) => {
  const [x, i] = [pen.name("x"), pen.name("i")];
  const inside = round(scope, { number: [x] });
  if (pen.d.chance(0.5)) {
    const grown = pen.d.of(
      [
        `${x} * ${x} * ${i} + ${x}`,
        `Math.exp(${x} * 0.5) * ${x} + ${i} * 0.1`,
        `Math.sqrt(${x} * ${i} + ${x}) + ${x}`,
      ],
      "",
    );
    // a round that is cut short would be the next one, too
    const rest = pen.d.chance(0.5) ? [] : pen.inner({ ...inside, inLoop: false }, 1, depth);
    return {
      lines: [
        `const ${i} = Math.abs(${pen.value(scope, 1)});`,
        `let ${x} = 0.1 + Math.abs(${pen.value(scope, 1)});`,
        `while (${grown} < 2.5) {`,
        ...rest,
        `  ${x} = ${grown} + 0.4;`,
        "}",
      ],
      scope: withNames(scope, { number: [x, i] }),
    };
  }
  const value = pen.value(inside, 2);
  const next = `${x} = Math.sin(${pen.d.of([value, `${value} + ${x}`, `${x} * 0.5 - ${value}`], "")});`;
  const body = pen.d.chance(0.3) ? ["{", ...pen.inner(inside, 1, depth), `  ${next}`, "}"] : [next];
  return {
    lines: [
      `let ${x} = ${pen.value(scope, 1)}, ${i} = 0;`,
      `while (${i}++ < 4 && ${value} < 0.9) ${body[0] ?? ""}`,
      ...body.slice(1),
    ],
    scope: withNames(scope, { number: [x] }),
  };
};

/** A list that rounds append to, and that later rounds read. */
const trajectory: Maker = (pen, scope, depth) => {
  const { d } = pen;
  const [xs, i, last] = [pen.name("xs"), pen.name("i"), pen.name("last")];
  if (d.chance(0.4)) {
    const inside = round(scope, { records: [xs], record: [last], index: [i] });
    const first = (): string =>
      `{ a: ${pen.value(scope, 1)}, b: ${pen.value(scope, 1)}, v: [0.3, 0.1, ${pen.value(scope, 1)}] }`;
    // what stands in the round may take records off, but for three
    const body = pen.inner(inside, d.below(2), depth);
    const places = [`${xs}.length - 1`, ...(body.length === 0 ? [i, `${i} + 1`] : [`${i} % 2`])];
    const read = `  const ${last} = ${xs}[${d.of(places, "")}];`;
    const append = `  ${xs}.push({ a: Math.sin(${last}.a + ${pen.value(inside, 1)}), b: ${last}.b * 0.5 + ${pen.value(inside, 1)}, v: [0.2, ${last}.a, ${last}.v[1] * 0.5] });`;
    return {
      lines: [
        `const ${xs} = [${first()}, ${first()}, ${first()}];`,
        `for (let ${i} = 0; ${i} < 3; ${i}++) {`,
        read,
        ...body,
        append,
        "}",
      ],
      scope: withNames(scope, { records: [xs] }),
    };
  }
  const inside = round(scope, { array: [xs], index: [i] });
  const before = d.of(
    [`${xs}[${xs}.length - 1]`, `${xs}[${i}]`, `${xs}[${i} + 1] * ${xs}[${i}]`],
    "",
  );
  const append = `  ${xs}.push(Math.sin(${before} + ${pen.value(inside, 2)}));`;
  const head = d.of(
    [
      `for (let ${i} = 0; ${i} < 4; ${i}++) {`,
      `for (let ${i} = 0; ${i} < ${xs}.length && ${xs}.length < 6 && ${xs}[${xs}.length - 1] < 0.8; ${i}++) {`,
    ],
    "",
  );
  const lines = [
    `const ${xs} = [${pen.value(scope, 1)}, ${pen.value(scope, 1)}, 0.4];`,
    head,
    ...pen.inner(inside, d.below(2), depth),
    append,
    "}",
  ];
  return {
    lines,
    scope: withNames(scope, d.chance(0.5) ? { array: [xs], ownArray: [xs] } : { array: [xs] }),
  };
};

const labelled: Maker = (pen, scope, depth) => {
  const [label, i, j] = [pen.name("outer"), pen.name("i"), pen.name("j")];
  const inside = round({ ...scope, labels: [...scope.labels, label] }, { index: [i] });
  const deeper = round(inside, { index: [j] });
  const leave = `    if (${pen.e.condition(deeper)}) ${pen.d.of([`continue ${label};`, `break ${label};`], "")}`;
  return {
    lines: [
      `${label}: for (let ${i} = 0; ${i} < n; ${i}++) {`,
      ...pen.inner(inside, 1, depth),
      `  for (let ${j} = 0; ${j} < 3; ${j}++) {`,
      leave,
      ...pen.inner(deeper, 2, depth).map((one) => `  ${one}`),
      "  }",
      ...pen.inner(inside, 1, 1),
      "}",
    ],
    scope,
  };
};

const switchOn: Maker = (pen, scope, depth) => {
  const { d } = pen;
  const shape = d.of(scope.names.shape, "");
  const clause = (added: Partial<Record<Kind, readonly string[]>> = {}): readonly string[] =>
    pen.inner({ ...withNames(scope, added), inLoop: false }, 1, depth).map((one) => `    ${one}`);
  const through = d.chance(0.4) ? [] : ["    break;"];
  if (shape !== "" && d.chance(0.6)) {
    return {
      lines: [
        `switch (${shape}.kind) {`,
        '  case "dot": {',
        ...clause({ number: [`${shape}.x`] }),
        "  }",
        ...through,
        '  case "poly": {',
        ...clause(),
        "    break;",
        "  }",
        '  case "box": {',
        ...clause({ number: [`${shape}.w`, `${shape}.h`] }),
        "  }",
        "}",
      ],
      scope,
    };
  }
  const on = d.of(scope.names.index, "n");
  if (d.chance(0.3))
    return {
      lines: [
        `switch (KEYS[${on} % 3]) {`,
        '  case "a":',
        '  case "b": {',
        ...clause(),
        "    break;",
        "  }",
        "  default: {",
        ...clause(),
        "  }",
        "}",
      ],
      scope,
    };
  return {
    lines: [
      `switch (${on} % 3) {`,
      "  case 0: {",
      ...clause(),
      "  }",
      ...through,
      "  case 1: {",
      ...clause(),
      "    break;",
      "  }",
      "  default: {",
      ...clause(),
      "  }",
      "}",
    ],
    scope,
  };
};

const forEach: Maker = (pen, scope, depth) => {
  const [v, i] = [pen.name("v"), pen.name("i")];
  const inside = {
    ...round(scope, { number: [v], index: [i] }),
    inLoop: false,
    inFunction: false,
    labels: [],
  };
  return {
    lines: [
      `${pen.e.array(scope)}.forEach((${v}, ${i}) => {`,
      ...pen.inner(inside, 2, depth),
      "});",
    ],
    scope,
  };
};

/** What no structure of the program tells: exceptions, generators, functions chosen while it runs. */
const beyond: Maker = (pen, scope, depth) => {
  const { d } = pen;
  const name = d.of(scope.names.variable, "");
  if (name === "") return null;
  const v = pen.name("v");
  const texts: readonly (readonly string[])[] = [
    [
      "try {",
      ...pen.inner(scope, 2, depth),
      `  if (${pen.e.condition(scope)}) throw new RangeError("far");`,
      ...pen.inner(scope, 1, depth),
      "} catch {",
      ...pen.inner(scope, 1, depth),
      "}",
    ],
    [
      "try {",
      ...pen.inner(scope, 2, depth),
      "} finally {",
      `  ${name} = Math.sin(${name} + ${pen.value(scope, 1)});`,
      "}",
    ],
    [
      "try {",
      `  if (${pen.e.condition(scope)}) throw ${pen.value(scope, 2)};`,
      ...pen.inner(scope, 1, depth),
      "} catch (thrown) {",
      `  if (typeof thrown === "number") ${name} += Math.sin(thrown);`,
      "}",
    ],
    [
      `for (const ${v} of walk(${pen.e.array(scope)}, ${pen.value(scope, 1)})) {`,
      ...pen.inner(round(scope, { number: [v] }), 2, depth),
      "}",
    ],
    [`${name} = OPS[n % OPS.length](${name}, ${pen.value(scope, 2)});`],
    [`for (const op of OPS) ${name} = Math.sin(op(${name}, ${pen.value(scope, 1)}));`],
  ];
  return { lines: d.of(texts, []), scope };
};

export const CONTROL: readonly Choice[] = [
  { feature: null, weight: 4, make: branch, nested: true },
  { feature: null, weight: 4, make: counted, nested: true },
  { feature: null, weight: 3, make: forOf, nested: true },
  { feature: null, weight: 3, make: whileLoop, nested: true },
  { feature: null, weight: 2, make: settling, nested: true },
  { feature: null, weight: 3, make: trajectory, nested: true },
  { feature: "labels", weight: 4, make: labelled, nested: true },
  { feature: "switch", weight: 5, make: switchOn, nested: true },
  { feature: "callbacks", weight: 3, make: forEach, nested: true },
  { feature: "exits", weight: 5, make: exit },
  { feature: "exits", weight: 4, make: exit, nested: true },
  { feature: "beyond", weight: 8, make: beyond, nested: true },
];
