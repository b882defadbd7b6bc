// Statements on maps by number, maps of lists and records, sets, and queues. In: a pen and a scope. Out: lines and the scope behind them.
// Invariant: what is asked of a map may be missing, and has something in its place; a queue is worked off in a bounded number of rounds.

import { withNames } from "./random-scope.ts";
import { type Choice, line, type Maker, type Pen, type Written } from "./random-statements.ts";
import type { Scope } from "./random-scope.ts";

const reading = (pen: Pen, scope: Scope, text: string): Written => {
  const name = pen.name("z");
  return {
    lines: [`const ${name} = Math.sin(${text});`],
    scope: withNames(scope, { number: [name] }),
  };
};

const byNumber: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [known, value, other] = [
    d.of(scope.names.table, ""),
    pen.value(scope, 2),
    pen.value(scope, 1),
  ];
  const at = d.of(
    [d.of(scope.names.index, "n"), String(d.below(4)), `${d.of(scope.names.index, "n")} % 2`],
    "0",
  );
  if (known === "") {
    const name = pen.name("tb");
    return {
      lines: [
        `const ${name} = new Map<number, number>(${d.of(["", `${e.array(scope)}.entries()`, `[[0, ${value}], [2, ${other}]]`, `${e.array(scope)}.map((e, k): [number, number] => [k % 2, e])`], "")});`,
      ],
      scope: withNames(scope, { table: [name] }),
    };
  }
  if (d.chance(0.4))
    return reading(
      pen,
      scope,
      d.of(
        [
          `${known}.get(${at}) ?? ${value}`,
          `[...${known}.values()].reduce((p, q) => 0.5 * p + q, 0)`,
          `(${known}.has(${at}) ? ${known}.get(${at})! : ${value})`,
          `[...${known}].reduce((s, [k, v]) => s + 0.3 * k * v, ${other})`,
          `memo(${known}, ${1 + d.below(4)}, ${value})`,
          `${known}.size * ${other}`,
        ],
        "",
      ),
    );
  return line(
    scope,
    d.of(
      [
        `${known}.set(${at}, ${value});`,
        `for (const [k, e] of ${e.array(scope)}.entries()) ${known}.set(k % 2, Math.sin((${known}.get(k % 2) ?? ${other}) + e));`,
        `for (const [k, v] of ${known}) ${known}.set(k, Math.sin(v * ${other}));`,
        `${known}.forEach((v, k) => { ${known}.set(k, 0.5 * v + ${other}); });`,
        `${known}.delete(${at});`,
        `if (!${known}.has(${at})) ${known}.set(${at}, ${value});`,
        `for (const k of [...${known}.keys()]) if ((${known}.get(k) ?? 0) < ${other}) ${known}.delete(k);`,
        `memo(${known}, 3, ${value});`,
        `${known}.clear();`,
      ],
      "",
    ),
  );
};

const ofLists: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [known, value, other, key] = [
    d.of(scope.names.lists, ""),
    pen.value(scope, 2),
    pen.value(scope, 1),
    e.key(scope),
  ];
  if (known === "") {
    const name = pen.name("ls");
    return {
      lines: [
        `const ${name} = new Map<string, number[]>(${d.of(["", `[["a", ${e.array(scope)}.slice()], ["b", [${other}]]]`], "")});`,
        ...(d.chance(0.6)
          ? [
              `for (const [k, e] of ${e.array(scope)}.entries()) {`,
              `  const key = e > ${other} ? "a" : KEYS[k % 3];`,
              `  const held = ${name}.get(key);`,
              `  if (held === undefined) ${name}.set(key, [e]);`,
              "  else held.push(e);",
              "}",
            ]
          : []),
      ],
      scope: withNames(scope, { lists: [name] }),
    };
  }
  if (d.chance(0.35))
    return reading(
      pen,
      scope,
      d.of(
        [
          `${known}.get(${key})?.[0] ?? ${value}`,
          `[...${known}.values()].map((held) => held.reduce((p, q) => p + q, 0)).reduce((p, q) => p * 0.5 + q, 0)`,
          `(${known}.get(${key}) ?? [${value}]).reduce((p, q) => 0.5 * p + q, 0)`,
          `[...${known}].reduce((s, [key, held]) => s + (key === "a" ? held[0] ?? 0.1 : held.length * ${other}), 0)`,
        ],
        "",
      ),
    );
  return line(
    scope,
    d.of(
      [
        `${known}.get(${key})?.push(${value});`,
        `${known}.set(${key}, [${value}, ${other}]);`,
        `for (const held of ${known}.values()) for (let k = 0; k < held.length; k++) held[k] = Math.sin(held[k] + ${other});`,
        `(${known}.get(${key}) ?? []).fill(${value});`,
        `${known}.set("a", ${known}.get("b") ?? [${value}]);`,
        `for (const [key, held] of ${known}) ${known}.set(key, held.map((e) => e * ${other}));`,
        `${known}.get(${key})?.shift();`,
      ],
      "",
    ),
  );
};

const sets: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [known, value, i] = [
    d.of(scope.names.seen, ""),
    pen.value(scope, 1),
    d.of(scope.names.index, "n"),
  ];
  const variable = d.of(scope.names.variable, "");
  if (known === "") {
    const name = pen.name("sn");
    return {
      lines: [`const ${name} = new Set<number>(${d.of(["", "[0, 2]", `[${i}]`], "")});`],
      scope: withNames(scope, { seen: [name] }),
    };
  }
  if (variable !== "" && d.chance(0.6))
    return line(
      scope,
      d.of(
        [
          `if (!${known}.has(${i})) { ${known}.add(${i}); ${variable} = Math.sin(${variable} + ${value}); }`,
          `for (const k of ${known}) ${variable} += 0.3 * Math.sin((${e.array(scope)}[k] ?? ${value}) * k);`,
          `for (const [k, e] of ${e.array(scope)}.entries()) { if (${known}.has(k)) continue; if (e > ${value}) ${known}.add(k); ${variable} = Math.sin(${variable} * e); }`,
        ],
        "",
      ),
    );
  return line(
    scope,
    d.of(
      [
        `${known}.add(${i});`,
        `${known}.delete(${i});`,
        `for (const [k, e] of ${e.array(scope)}.entries()) if (e < ${value}) ${known}.add(k);`,
      ],
      "",
    ),
  );
};

/** Work that makes more work: what is taken from one end goes back in parts. */
const queue: Maker = (pen, scope, depth) => {
  const { d, e } = pen;
  const [name, one, left] = [pen.name("queue"), pen.name("one"), pen.name("left")];
  const variable = d.of(scope.names.variable, "");
  if (variable === "") return null;
  const records = d.chance(0.4);
  const inside = {
    ...withNames(
      scope,
      records ? { number: [`${one}.x`], index: [`${one}.level`] } : { number: [one] },
    ),
    loops: scope.loops + 1,
    inLoop: true,
  };
  const [take, value, other] = [
    d.of(["shift", "pop"], "shift"),
    pen.value(inside, 2),
    pen.value(inside, 1),
  ];
  const start = records
    ? `const ${name}: { x: number; level: number }[] = ${d.of([`[{ x: ${pen.value(scope, 2)}, level: 0 }]`, `${e.array(scope)}.map((e, k) => ({ x: e, level: k }))`], "")};`
    : `const ${name}: number[] = ${d.of([`[${pen.value(scope, 2)}]`, `${e.array(scope)}.slice()`, `[...${e.array(scope)}, ${pen.value(scope, 1)}]`], "")};`;
  const more = records
    ? [
        `if (${one}.level < 2) ${name}.push({ x: ${value}, level: ${one}.level + 1 });`,
        `if (${one}.level < 2 && ${one}.x > ${other}) ${name}.push({ x: 0.5 * ${one}.x, level: ${one}.level + 1 }, { x: ${value}, level: 2 });`,
        `if (${one}.level < 1) ${name}.unshift({ ...${one}, level: 1 });`,
      ]
    : [
        `if (${left} > 2) ${name}.push(${value});`,
        `if (${one} > ${other}) ${name}.push(0.5 * ${one}, ${value});`,
        `if (${name}.length > 0) ${name}[0] = Math.sin(${name}[0] + ${one});`,
        `${name}.unshift(${value}); if (${left} < 3) break;`,
      ];
  const heads = [
    [`while (${name}.length > 0 && ${left}-- > 0) {`, `  const ${one} = ${name}.${take}()!;`],
    [
      `while (${left}-- > 0) {`,
      `  const ${one} = ${name}.${take}();`,
      `  if (${one} === undefined) break;`,
    ],
    [
      `for (let ${one} = ${name}.${take}(); ${one} !== undefined && ${left}-- > 0; ${one} = ${name}.${take}()) {`,
    ],
    [`for (const ${one} of ${name}) {`, `  if (${left}-- <= 0) break;`],
  ];
  return {
    lines: [
      start,
      `let ${left} = ${4 + d.below(4)};`,
      ...d.of(heads, []),
      ...(d.chance(0.4) ? pen.inner(inside, 1, depth) : []),
      `  ${variable} = Math.sin(${variable} + ${records ? `${one}.x` : one});`,
      `  ${d.of(more, "")}`,
      "}",
    ],
    scope,
  };
};

export const TABLES: readonly Choice[] = [
  { feature: "tables", weight: 7, make: byNumber },
  { feature: "tables", weight: 6, make: ofLists },
  { feature: "sets", weight: 6, make: sets },
  { feature: "queue", weight: 5, make: queue },
  { feature: "queue", weight: 5, make: queue, nested: true },
];
