// Statements on records, lists of records, unions, instances, maps, optional values and closures. In: a pen and a scope. Out: lines and the scope behind them.

import { type Scope, withNames, without } from "./random-scope.ts";
import { type Choice, line, type Maker, type Pen, type Written } from "./random-statements.ts";

const recordOf = (pen: Pen, scope: Scope): string => {
  const { d, e } = pen;
  const own = d.of(scope.names.ownArray, "");
  const v = own === "" || d.chance(0.4) ? `${e.array(scope)}.slice()` : own;
  const from = d.of(scope.names.record, "");
  return from !== "" && d.chance(0.4)
    ? `{ ...${from}, b: ${pen.value(scope, 2)}, v: ${v} }`
    : `{ a: ${pen.value(scope, 2)}, b: ${pen.value(scope, 1)}, v: ${v} }`;
};

const record: Maker = (pen, scope) => {
  const { d, e } = pen;
  const known = d.of(scope.names.ownRecord, "");
  if (known === "" || d.chance(0.3)) {
    const name = pen.name("q");
    const other = known === "" ? [] : [known, `moved(${known}, ${pen.value(scope, 1)})`];
    return {
      lines: [`const ${name}: R = ${d.of([recordOf(pen, scope), ...other], "")};`],
      scope: withNames(scope, { record: [name], ownRecord: [name] }),
    };
  }
  const value = pen.value(scope, 2);
  const index = e.index(scope, `${known}.v`);
  return line(
    scope,
    d.of(
      [
        `${known}.a = ${value};`,
        `${known}.b += 0.5 * Math.sin(${value});`,
        `${known}.v[${index}] = ${value};`,
        `${known}.v[${index}] *= Math.sin(${value});`,
        `${known}.v = ${known}.v.map((e) => Math.sin(e + ${value}));`,
        `[${known}.a, ${known}.b] = [${known}.b, ${value}];`,
        `({ a: ${known}.b } = ${known});`,
        `nudge(${known}, ${value});`,
      ],
      "",
    ),
  );
};

const records: Maker = (pen, scope) => {
  const { d, e } = pen;
  const known = d.of(scope.names.records, "");
  if (known === "") {
    const name = pen.name("rs");
    const element = pen.value(
      { ...withNames(scope, { number: ["e"], index: ["k"] }), loops: scope.loops + 1 },
      2,
    );
    const value = d.of(
      [
        `[${recordOf(pen, scope)}, ${recordOf(pen, scope)}, ${recordOf(pen, scope)}]`,
        `${e.array(scope)}.map((e, k) => ({ a: e, b: ${element}, v: [e, 0.3, e * k] }))`,
      ],
      "",
    );
    return {
      lines: [`const ${name}: R[] = ${value};`],
      scope: withNames(scope, { records: [name] }),
    };
  }
  const [value, i, j] = [pen.value(scope, 2), e.index(scope, known), e.index(scope, known)];
  if (d.chance(0.2)) {
    const name = pen.name("q");
    return {
      lines: [`const ${name} = ${known}[${i}];`],
      scope: withNames(scope, { record: [name], ownRecord: [name] }),
    };
  }
  return line(
    scope,
    d.of(
      [
        `${known}[${i}].a = ${value};`,
        `${known}[${i}].v[${d.below(3)}] *= Math.cos(${value});`,
        `${known}[${i}] = { ...${known}[${j}], b: ${value} };`,
        `${known}[${i}] = ${known}[${j}];`,
        `for (const one of ${known}) one.b = Math.sin(one.a + ${value});`,
        `for (const { a, v } of ${known}) v[0] = Math.sin(a * ${value});`,
        `${known}.forEach((one, k) => { one.a += 0.1 * k * ${value}; });`,
        `${known}.sort((p, q) => p.a - q.a);`,
        `nudge(${known}[${i}], ${value});`,
      ],
      "",
    ),
  );
};

const shape: Maker = (pen, scope) => {
  const { d, e } = pen;
  const known = d.of(scope.names.shape, "");
  const [value, other] = [pen.value(scope, 2), pen.value(scope, 1)];
  const roll = d.below(10);
  if (known === "" || roll < 3) {
    const name = pen.name("u");
    return {
      lines: [
        `const ${name}: Shape = ${d.of([`${e.condition(scope)} ? dot(${value}) : box(${value}, ${other})`, e.shape(scope, 2), `grown(${e.shape(scope, 1)}, ${other})`], "")};`,
      ],
      scope: withNames(scope, { shape: [name] }),
    };
  }
  if (roll < 4 && scope.names.shapes.length === 0) {
    const name = pen.name("us");
    return {
      lines: [`const ${name}: Shape[] = [${[1, 2, 3].map(() => e.shape(scope, 1)).join(", ")}];`],
      scope: withNames(scope, { shapes: [name] }),
    };
  }
  return line(
    scope,
    d.of(
      [
        `if (${known}.kind === "dot") ${known}.x = ${value};`,
        `if (${known}.kind !== "poly") ${known}.kind === "box" ? (${known}.w = ${value}) : (${known}.x += ${other});`,
        `if (${known}.kind === "poly") for (let k = 0; k < ${known}.pts.length; k++) ${known}.pts[k] *= ${other};`,
        `if ("h" in ${known}) ${known}.h = Math.sin(${known}.w * ${value});`,
      ],
      "",
    ),
  );
};

const cell: Maker = (pen, scope) => {
  const { d, e } = pen;
  const known = d.of(scope.names.cell, "");
  const value = pen.value(scope, 2);
  if (known === "" || d.chance(0.25)) {
    const name = pen.name("k");
    const made = [
      `new Cell(${value}, ${e.array(scope)}.slice())`,
      `new Damped(${value}, ${e.array(scope)}.slice())`,
      `Cell.of(${value})`,
      `new Gauge(${value}, ${e.array(scope)}.slice())`,
      `${e.condition(scope)} ? new Cell(${value}, [0.1, 0.2, ${pen.value(scope, 1)}]) : new Damped(0.3, ${e.array(scope)}.slice())`,
    ];
    return {
      lines: [`const ${name}: Cell = ${d.of([...made, ...(known === "" ? [] : [known])], "")};`],
      scope: withNames(scope, { cell: [name] }),
    };
  }
  return line(
    scope,
    d.of(
      [
        `${known}.add(${value});`,
        `${known}.add(${value}).add(${pen.value(scope, 1)});`,
        `${known}.total *= Math.cos(${value});`,
        `${known}.items[${d.below(3)}] = ${value};`,
        `${known}.mean = ${value};`,
      ],
      "",
    ),
  );
};

const optional: Maker = (pen, scope, depth) => {
  const { d, e } = pen;
  const known = d.of(scope.names.optional, "");
  const value = pen.value(scope, 2);
  if (known === "") {
    const name = pen.name("o");
    return {
      lines: [`let ${name}: number | undefined = pickOf(${e.condition(scope)}, ${value});`],
      scope: withNames(scope, { optional: [name] }),
    };
  }
  const [inside, held] = [`if (${known} !== undefined) {`, pen.name("held")];
  if (depth <= 0) return line(scope, `${known} = pickOf(${e.condition(scope)}, ${value});`);
  const lines = d.of<readonly string[]>(
    [
      [`${known} ??= ${value};`],
      [`${known} = pickOf(${e.condition(scope)}, ${value});`],
      [
        inside,
        `  const ${held} = ${known};`,
        ...pen.inner(withNames(without(scope, "optional"), { number: [held] }), 1, depth),
        "}",
      ],
    ],
    [],
  );
  return { lines, scope };
};

const keyed: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [known, value] = [d.of(scope.names.keyed, ""), pen.value(scope, 2)];
  if (known === "") {
    const name = pen.name("kr");
    return {
      lines: [
        `const ${name}: Record<string, number> = { a: ${value}, b: ${pen.value(scope, 1)}, c: 0.4 };`,
      ],
      scope: withNames(scope, { keyed: [name] }),
    };
  }
  const key = e.key(scope);
  return line(
    scope,
    d.of(
      [
        `${known}[${key}] = ${value};`,
        `${known}[${key}] += 0.5 * ${value};`,
        `for (const key in ${known}) ${known}[key] *= Math.cos(${value});`,
        `for (const [key, e] of Object.entries(${known})) ${known}[key] = Math.sin(e * ${value});`,
      ],
      "",
    ),
  );
};

const map: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [known, value, key] = [d.of(scope.names.map, ""), pen.value(scope, 2), e.key(scope)];
  if (known === "") {
    const name = pen.name("mp");
    return {
      lines: [
        `const ${name} = new Map<string, number>([["a", ${value}], ["b", ${pen.value(scope, 1)}]]);`,
      ],
      scope: withNames(scope, { map: [name] }),
    };
  }
  return line(
    scope,
    d.of(
      [
        `${known}.set(${key}, ${value});`,
        `${known}.set(${key}, 0.5 * (${known}.get(${key}) ?? 0.2) + ${value});`,
        `${known}.delete(${key});`,
        `for (const [key, e] of ${known}) ${known}.set(key, Math.sin(e * ${value}));`,
      ],
      "",
    ),
  );
};

const tree: Maker = (pen, scope) => {
  const name = pen.name("tr");
  const known = pen.d.of(scope.names.tree, "");
  const value =
    known !== "" && pen.d.chance(0.5)
      ? `{ left: ${known}, right: null, value: ${pen.value(scope, 2)} }`
      : `grow(${1 + pen.d.below(3)}, ${pen.value(scope, 2)})`;
  if (known !== "" && pen.d.chance(0.4))
    return line(scope, `if (${known} !== null) ${known}.value = ${pen.value(scope, 2)};`);
  return {
    lines: [`const ${name}: Tree | null = ${value};`],
    scope: withNames(scope, { tree: [name] }),
  };
};

const closure: Maker = (pen, scope, depth) => {
  if (depth < 0) return null;
  const { d } = pen;
  const name = pen.name("g");
  const inside = {
    ...without(withNames(scope, { number: ["u"] }), "closure"),
    loops: scope.loops + 1,
    inLoop: false,
    inFunction: true,
    labels: [],
  };
  const value = pen.value(inside, 3);
  const captured = d.of(scope.names.variable, "");
  const body = (): readonly string[] => [...pen.inner(inside, 2, depth), `  return ${value};`];
  const makers: (() => readonly string[])[] = [
    () => [`const ${name} = (u: number): number => ${value};`],
    () => [`function ${name}(u: number): number {`, ...body(), "}"],
    () => [`const ${name} = (u: number): number => {`, ...body(), "};"],
  ];
  if (captured !== "")
    makers.push(() => [
      `const ${name} = (u: number): number => {`,
      `  ${captured} = Math.sin(${captured} * 0.5 + u);`,
      `  return ${value};`,
      "};",
    ]);
  if (pen.on.has("higher"))
    makers.push(
      () => [`const ${name} = compose((u) => ${value}, (u) => 0.5 * u);`],
      () => [`const ${name} = scaled(${pen.value(scope, 2)});`],
      () => [`const ${name} = { go: (u: number): number => ${value} }.go;`],
    );
  return { lines: d.of(makers, () => [])(), scope: withNames(scope, { closure: [name] }) };
};

/** A local function that calls itself a few times, between statements that read and write what is around it. */
const recursive: Maker = (pen, scope, depth) => {
  if (depth < 0) return null;
  const { d } = pen;
  const [name, left] = [pen.name("g"), pen.name("left")];
  const inside = {
    ...without(withNames(scope, { number: ["u"], index: [left] }), "closure"),
    loops: scope.loops + 1,
    inLoop: false,
    inFunction: true,
    labels: [],
  };
  const captured = d.of(scope.names.variable, "u");
  const again = (): string => `${name}(${pen.value(inside, 2)}, ${left} - 1)`;
  const [start, end] = [
    `${left} = ${1 + d.below(3)}`,
    d.of(
      [
        `  return ${left} > 0 ? 0.5 * ${again()} : ${pen.value(inside, 2)};`,
        `  if (${left} <= 0) return ${pen.value(inside, 2)};\n  return Math.sin(${again()} + ${captured});`,
      ],
      "",
    ),
  ];
  const body = [
    ...pen.inner(inside, 1, depth),
    ...(d.chance(0.3)
      ? [`  if (${left} > 1) ${captured} = Math.sin(${again()} + 0.5 * ${captured});`]
      : []),
    ...end.split("\n"),
  ];
  const lines = d.chance(0.4)
    ? [`function ${name}(u: number, ${start}): number {`, ...body, "}"]
    : [`const ${name} = (u: number, ${start}): number => {`, ...body, "};"];
  return { lines, scope: withNames(scope, { closure: [name] }) };
};

/** A name for what was read. */
const reading = (pen: Pen, scope: Scope, text: string): Written => {
  const name = pen.name("z");
  return {
    lines: [`const ${name} = Math.sin(${text});`],
    scope: withNames(scope, { number: [name] }),
  };
};

const tuples: Maker = (pen, scope, depth) => {
  const { d, e } = pen;
  const [known, value, other] = [
    d.of(scope.names.tuples, ""),
    pen.value(scope, 2),
    pen.value(scope, 1),
  ];
  if (known === "") {
    const name = pen.name("tp");
    const made = [
      `[[${value}, ${other}], [${other}, 0.4], [0.9, ${pen.value(scope, 2)}]]`,
      `${e.array(scope)}.map((e, k) => [e, 0.3 * k + ${other}])`,
      `${e.array(scope)}.map((e, k): [number, number] => [k, e]).filter(([, e]) => e < ${other} + 0.8)`,
    ];
    return {
      lines: [`const ${name}: [number, number][] = ${d.of(made, "")};`],
      scope: withNames(scope, { tuples: [name] }),
    };
  }
  const roll = d.below(9);
  if (roll < 3)
    return reading(
      pen,
      scope,
      d.of(
        [
          `${known}.reduce((sum, [p, q]) => sum + p * q, 0)`,
          `${known}.length > 0 ? ${known}[0][1] : 0.2`,
          `[...${known}].sort(([p], [q]) => q - p).reduce((sum, [, q], k) => sum + q * (k + 1), 0)`,
          `stepped([["add", ${value}], ["scale", ${other}], ["mix", { hi: ${other} }], ["scale", 0.4, ${value}]], ${other})`,
        ],
        "",
      ),
    );
  if (roll < 5 && depth > 0) {
    const [p, q, variable] = [pen.name("p"), pen.name("q"), d.of(scope.names.variable, "")];
    const inside = {
      ...withNames(scope, { number: [p, q] }),
      loops: scope.loops + 1,
      inLoop: true,
    };
    const lines = pen.inner(inside, 1, depth);
    return {
      lines: [
        `for (const [${p}, ${q} = 0.3] of ${known}) {`,
        ...lines,
        ...(variable === "" ? [] : [`  ${variable} = Math.sin(${variable} + ${p} * ${q});`]),
        "}",
      ],
      scope,
    };
  }
  return line(
    scope,
    d.of(
      [
        `${known}.sort((p, q) => p[0] - q[0]);`,
        `for (const one of ${known}) one[1] = Math.sin(one[0] + ${value});`,
        `for (const one of ${known}) [one[0], one[1]] = [one[1], 0.5 * one[0]];`,
        `${known}.push([${value}, ${other}]);`,
        `if (${known}.length > 1) [${known}[0], ${known}[1]] = [${known}[1], ${known}[0]];`,
        `if (${known}.length > 0) ${known}[0] = [${value}, ${known}[0][0]];`,
        `for (const i of ${known}.map((_, i) => i).sort((i, j) => ${known}[i][0] - ${known}[j][0])) ${known}[i][1] *= Math.cos(0.3 * i + ${other});`,
      ],
      "",
    ),
  );
};

const options: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [known, value, other] = [
    d.of(scope.names.options, ""),
    pen.value(scope, 2),
    pen.value(scope, 1),
  ];
  if (known === "" || d.chance(0.15)) {
    const name = pen.name("op");
    const made = [
      `{ lo: ${value}, mode: "up" }`,
      `{ inner: { k: ${value}, w: ${e.array(scope)}.slice() }, mode: "down" }`,
      `{ inner: null, mode: "flat" }`,
      `${e.condition(scope)} ? { mode: "down", inner: { k: ${other} } } : { mode: "up", lo: ${value} }`,
      ...(known === "" ? [] : [`{ ...${known}, lo: ${value} }`, known]),
    ];
    return {
      lines: [`const ${name}: Options = ${d.of(made, "")};`],
      scope: withNames(scope, { options: [name] }),
    };
  }
  if (d.chance(0.4))
    return reading(
      pen,
      scope,
      d.of(
        [
          `${known}.inner?.k ?? ${known}.lo ?? ${value}`,
          `(${known}.inner?.w?.[0] ?? 0.4) * (${known}.lo ?? ${other})`,
          `(({ lo = ${value}, inner }: Options) => lo + (inner?.k ?? 0.3))(${known})`,
          `${known}.mode === "up" ? ${known}.lo ?? ${other} : ${value}`,
        ],
        "",
      ),
    );
  return line(
    scope,
    d.of(
      [
        `${known}.lo = ${value};`,
        `if (${known}.inner) ${known}.inner.k = Math.sin(${known}.inner.k + ${value});`,
        `${known}.lo ??= ${value};`,
        `${known}.inner = { k: ${value} };`,
        `${known}.inner?.w?.push(${value});`,
        `if (${known}.inner?.w) ${known}.inner.w = ${known}.inner.w.map((e) => e * ${other});`,
        `switch (${known}.mode) { case "up": ${known}.lo = ${value}; break; case "down": if (${known}.inner) ${known}.inner.k *= ${other}; default: ${known}.mode = "up"; }`,
      ],
      "",
    ),
  );
};

const counting: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [known, value] = [d.of(scope.names.counter, ""), pen.value(scope, 2)];
  if (known === "") {
    const name = pen.name("ct");
    return {
      lines: [`const ${name} = counter(${value});`],
      scope: withNames(scope, { counter: [name] }),
    };
  }
  if (d.chance(0.4)) return reading(pen, scope, d.of([`${known}.peek()`, `${known}.mean()`], ""));
  return line(
    scope,
    d.of(
      [
        `${known}.add(${value});`,
        `for (const e of ${e.array(scope)}) ${known}.add(e);`,
        `${known}.scale *= Math.cos(${value});`,
        `if (${known}.peek() > ${value}) ${known}.add(0.3);`,
      ],
      "",
    ),
  );
};

export const OBJECTS: readonly Choice[] = [
  { feature: "records", weight: 5, make: record },
  { feature: "records", weight: 4, make: records },
  { feature: "unions", weight: 6, make: shape },
  { feature: "classes", weight: 6, make: cell },
  { feature: "optional", weight: 4, make: optional },
  { feature: "keyed", weight: 4, make: keyed },
  { feature: "map", weight: 6, make: map },
  { feature: "tree", weight: 4, make: tree },
  { feature: "closures", weight: 5, make: closure },
  { feature: "recursion", weight: 5, make: recursive },
  { feature: "pattern", weight: 9, make: tuples },
  { feature: "optional", weight: 6, make: options },
  { feature: "closures", weight: 6, make: counting },
];
