// Statements on functions that fields and lists hold, and on objects with accessors. In: a pen and a scope. Out: lines and the scope behind them.
// Invariant: what such functions give is bounded; a list of functions may be empty.

import { type Scope, withNames, without } from "./random-scope.ts";
import { type Choice, line, type Maker, type Pen, type Written } from "./random-statements.ts";

const within = (scope: Scope, names: readonly string[]): Scope => ({
  ...without(withNames(scope, { number: names }), "closure", "unit", "units", "tasks"),
  loops: scope.loops + 1,
  inLoop: false,
  inFunction: true,
  labels: [],
});

/** A function of one number: a literal that sees what is around it, or one of the module's. */
const act = (pen: Pen, scope: Scope): string => {
  const { d } = pen;
  const value = (): string => pen.value(within(scope, ["u"]), 2);
  const variable = d.of(scope.names.variable, "");
  return d.of(
    [
      `(u) => ${value()}`,
      `(u) => ${value()}`,
      "soft",
      "Math.sin",
      "cubed",
      `(u) => { if (u > 0.4) return 0.5 * u; return ${value()}; }`,
      ...(variable === "" || !pen.on.has("free")
        ? []
        : [`(u) => { ${variable} = Math.sin(${variable} + u); return ${value()}; }`]),
    ],
    "soft",
  );
};

const unitOf = (pen: Pen, scope: Scope): string => {
  const { d, e } = pen;
  const [known, value] = [d.of(scope.names.unit, ""), pen.value(scope, 1)];
  const free = pen.on.has("free")
    ? [
        `new Soft(${value})`,
        `new Own(${value}, ${act(pen, scope)})`,
        `{ k: ${value}, act(u) { return Math.sin(u * this.k); } }`,
      ]
    : [];
  return d.of(
    [
      `{ k: ${value}, act: ${act(pen, scope)} }`,
      `{ k: ${value}, act: ${act(pen, scope)} }`,
      `unitFrom(${value})`,
      ...free,
      ...(known === ""
        ? []
        : [
            known,
            `{ ...${known}, k: ${value} }`,
            `${e.condition(scope)} ? ${known} : { k: 0.3, act: soft }`,
          ]),
    ],
    "unitFrom(0.4)",
  );
};

const reading = (pen: Pen, scope: Scope, text: string): Written => {
  const name = pen.name("z");
  return {
    lines: [`const ${name} = Math.sin(${text});`],
    scope: withNames(scope, { number: [name] }),
  };
};

const unit: Maker = (pen, scope) => {
  const { d } = pen;
  const [known, value, other] = [
    d.of(scope.names.unit, ""),
    pen.value(scope, 2),
    pen.value(scope, 1),
  ];
  if (known === "" || d.chance(0.25)) {
    const name = pen.name("un");
    return {
      lines: [`const ${name}: Unit = ${unitOf(pen, scope)};`],
      scope: withNames(scope, { unit: [name] }),
    };
  }
  if (d.chance(0.15)) {
    const name = pen.name("g");
    return {
      lines: [`const ${name} = (u: number): number => ${known}.act(u) * ${known}.k;`],
      scope: withNames(scope, { closure: [name] }),
    };
  }
  if (d.chance(0.5))
    return reading(
      pen,
      scope,
      d.of(
        [
          `${known}.act(${value})`,
          `${known}.act(${known}.act(${value})) * ${known}.k`,
          `apply(${known}, ${value})`,
          `${known}.k * ${known}.act(${known}.k)`,
        ],
        "",
      ),
    );
  return line(
    scope,
    d.of(
      [
        `${known}.k = ${value};`,
        `${known}.k += 0.3 * ${known}.act(${value});`,
        `tune(${known}, ${other});`,
        `for (let k = 0; k < n; k++) ${known}.k = Math.sin(${known}.act(${known}.k + 0.2 * k));`,
      ],
      "",
    ),
  );
};

const units: Maker = (pen, scope) => {
  const { d } = pen;
  const [known, value, other] = [
    d.of(scope.names.units, ""),
    pen.value(scope, 2),
    pen.value(scope, 1),
  ];
  if (known === "") {
    const name = pen.name("uns");
    const made = [
      `[${[1, 2, 3]
        .slice(d.below(2))
        .map(() => unitOf(pen, scope))
        .join(", ")}]`,
      `${pen.e.array(scope)}.map((e) => ({ k: e, act: (u) => Math.sin(u * e + ${other}) }))`,
      `${pen.e.array(scope)}.map((e, k) => k % 2 === 0 ? ${pen.on.has("free") ? "new Soft(e)" : "{ k: 0.3, act: soft }"} : unitFrom(e))`,
    ];
    return {
      lines: [`const ${name}: Unit[] = ${d.of(made, "")};`],
      scope: withNames(scope, { units: [name] }),
    };
  }
  if (d.chance(0.2)) {
    const name = pen.name("un");
    return {
      lines: [`const ${name} = ${known}[${d.below(2)}];`],
      scope: withNames(scope, { unit: [name] }),
    };
  }
  const variable = d.of(scope.names.variable, "");
  if (d.chance(0.5))
    return reading(
      pen,
      scope,
      d.of(
        [
          `${known}.reduce((p, one) => one.act(p) * one.k, ${value})`,
          `chain(${known}, ${value})`,
          `${known}.map((one) => one.act(${other})).reduce((p, q) => p + q, 0)`,
          `${known}[n % ${known}.length].act(${value})`,
        ],
        "",
      ),
    );
  if (variable !== "" && d.chance(0.5))
    return line(
      scope,
      d.of(
        [
          `for (const one of ${known}) { ${variable} = Math.sin(one.act(${variable}) + ${other}); if (${variable} > 0.7) break; }`,
          `for (const { act, k } of ${known}) ${variable} = Math.sin(act(${variable}) * k);`,
          `for (const one of ${known}) { if (one.k < ${other}) continue; ${variable} += 0.3 * one.act(${value}); one.k = ${variable}; }`,
        ],
        "",
      ),
    );
  return line(
    scope,
    d.of(
      [
        `for (const one of ${known}) tune(one, ${other});`,
        `${known}.push(${unitOf(pen, scope)});`,
        `[${known}[0], ${known}[1]] = [${known}[1], ${known}[0]];`,
        `${known}.reverse();`,
        `for (const one of ${known}) one.k = Math.sin(one.act(one.k));`,
        `${known}.sort((p, q) => p.k - q.k);`,
      ],
      "",
    ),
  );
};

/** Functions that a loop collects, called behind it: each sees its own round, and what all share. */
const tasks: Maker = (pen, scope) => {
  const { d, e } = pen;
  const known = d.of(scope.names.tasks, "");
  const [value, variable, i] = [pen.value(scope, 1), d.of(scope.names.variable, ""), pen.name("i")];
  if (known === "") {
    const name = pen.name("ts");
    const inside = withNames(within(scope, ["u", "e"]), { index: [i] });
    const body =
      variable !== "" && d.chance(0.5)
        ? `{ ${variable} = Math.sin(${variable} * 0.5 + u * e); return ${pen.value(inside, 2)}; }`
        : pen.value(inside, 2);
    return {
      lines: [
        `const ${name}: ((u: number) => number)[] = [];`,
        `for (const [${i}, e] of ${e.array(scope)}.entries()) {`,
        `  ${d.of([`if (e > ${value}) continue;`, `if (${i} > n) break;`, ""], "")}`,
        `  ${name}.push((u) => ${body});`,
        "}",
      ],
      scope: withNames(scope, { tasks: [name] }),
    };
  }
  if (d.chance(0.4))
    return reading(
      pen,
      scope,
      d.of(
        [
          `${known}.reduce((p, g) => g(p), ${value})`,
          `${known}.map((g, k) => g(${value} * k)).reduce((p, q) => p + q, 0)`,
          `${known}[1]?.(${value}) ?? ${value}`,
          `(${known}.length > 0 ? ${known}[0] : soft)(${value})`,
        ],
        "",
      ),
    );
  if (variable !== "")
    return line(
      scope,
      d.of(
        [
          `for (const g of ${known}) ${variable} = Math.sin(g(${variable}));`,
          `for (const g of ${known}) { if (${variable} > 0.5) break; ${variable} += 0.4 * g(${value}); }`,
        ],
        "",
      ),
    );
  return line(scope, d.of([`${known}.push(${act(pen, scope)});`, `${known}.reverse();`], ""));
};

/** An object literal with accessors, which see each other and what is around them. */
const accessors: Maker = (pen, scope) => {
  const { d } = pen;
  const [known, value] = [d.of(scope.names.dial, ""), pen.value(scope, 2)];
  if (known === "") {
    const name = pen.name("dl");
    const inside = within(scope, ["this.low"]);
    return {
      lines: [
        `const ${name} = ${d.of([...(pen.on.has("free") ? [`dialOf(${value})`, `{ low: ${value}, get level(): number { return Math.sin(${pen.value(inside, 1)} + this.low); }, set level(v: number) { this.low = v > 0.6 ? 0.6 + 0.1 * v : v; } }`] : []), `new Dial(${value})`], "")};`,
      ],
      scope: withNames(scope, { dial: [name] }),
    };
  }
  if (d.chance(0.4))
    return reading(
      pen,
      scope,
      d.of([`${known}.level`, `${known}.level * ${known}.low`, `read(${known})`], ""),
    );
  return line(
    scope,
    d.of(
      [
        `${known}.level = ${value};`,
        `${known}.level += 0.3 * ${value};`,
        `${known}.level *= 0.5;`,
        `${known}.low = ${value};`,
        `[${known}.low, ${known}.level] = [${known}.level, ${value}];`,
        `for (let k = 0; k < n; k++) ${known}.level -= 0.2 * Math.sin(${known}.low + k);`,
        `read(${known});`,
      ],
      "",
    ),
  );
};

export const HELD: readonly Choice[] = [
  { feature: "held", weight: 7, make: unit },
  { feature: "held", weight: 7, make: units },
  { feature: "tasks", weight: 7, make: tasks },
  { feature: "accessors", weight: 6, make: accessors },
];
