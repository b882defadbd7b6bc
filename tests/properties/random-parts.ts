// Statements on lists of records whose numbers are missing at first, on buffers that change places, and on lists that get shorter. In: a pen and a scope. Out: lines and the
// scope behind them. Invariant: as in random-statements; of a part each field but `x` may be missing at any time.

import { withNames } from "./random-scope.ts";
import { type Choice, line, type Maker } from "./random-statements.ts";

const MAKERS = ["part", "bare", "half"];

/** Made by a callback, by a named function, or one by one; some functions make less than a part, or more. */
const newParts: Maker = (pen, scope) => {
  const { d, e } = pen;
  const name = pen.name("ps");
  const known = d.of(scope.names.parts, "");
  const maker = (): string => d.of(MAKERS, "");
  const inside = { ...withNames(scope, { number: ["e"], index: ["k"] }), loops: scope.loops + 1 };
  const made = [
    `${e.array(scope)}.map((e) => ({ x: e, z: null, w: null, u: undefined }))`,
    `${e.array(scope)}.map((e, k) => ({ x: ${pen.value(inside, 2)}, z: ${d.of(["null", "e"], "")}, w: ${d.of(["null", "[e]"], "")}, u: TABLE[k + 1] }))`,
    `${e.array(scope)}.map(part)`,
    `${e.array(scope)}.map(bare)`,
    `${e.array(scope)}.map((e) => half(e, ${pen.value(scope, 1)}))`,
    `[${maker()}(${pen.value(scope, 1)}), ${maker()}(${pen.value(scope, 2)}), ${maker()}(0.4)]`,
    `Array.from({ length: 3 }, (_, k) => { return { x: 0.2 * k, z: null, w: null, u: undefined }; })`,
    ...(known === ""
      ? []
      : [
          known,
          `${known}.slice()`,
          `[...${known}].reverse()`,
          `${known}.map((e) => ({ ...e, z: null }))`,
          `${known}.filter(({ x }) => x < ${pen.value(scope, 1)} + 0.9)`,
        ]),
  ];
  if (d.chance(0.25))
    return {
      lines: [
        `const ${name}Made = ${e.array(scope)}.map(${maker()});`,
        `const ${name}: Part[] = ${name}Made;`,
        `${name}Made.push(${maker()}(${pen.value(scope, 1)}));`,
      ].map((one) => one.replaceAll("half", "part").replaceAll("bare", "part")),
      scope: withNames(scope, { parts: [name] }),
    };
  return {
    lines: [`const ${name}: Part[] = ${d.of(made, "")};`],
    scope: withNames(scope, { parts: [name] }),
  };
};

const parts: Maker = (pen, scope, depth) => {
  const { d, e } = pen;
  const known = d.of(scope.names.parts, "");
  if (known === "" || d.chance(0.2)) return newParts(pen, scope, depth);
  const [value, other, maker, at] = [
    pen.value(scope, 2),
    pen.value(scope, 1),
    d.of(MAKERS, ""),
    String(d.below(3)),
  ];
  if (d.chance(0.25)) {
    const name = pen.name("z");
    return {
      lines: [
        `const ${name} = ${d.of([`${known}.reduce((s, one) => 0.5 * s + worth(one, ${other}), 0)`, `Math.sin(${known}[${at}]?.z ?? ${other})`, `Math.sin(${known}[${at}]?.w?.[0] ?? ${other})`, `Math.sin(${known}.find((one) => one.z !== null)?.z ?? ${other})`], "")};`,
      ],
      scope: withNames(scope, { number: [name] }),
    };
  }
  return line(
    scope,
    d.of(
      [
        `for (const one of ${known}) one.z = Math.sin(one.x + ${value});`,
        `for (const one of ${known}) { one.y ??= one.x * ${other}; if (one.y > 0.8) break; one.z = one.y; }`,
        `${known}.forEach((one, k) => { one.w = [${value}, one.x * k]; });`,
        `for (const one of ${known}) one.w?.push(${value});`,
        `if (${known}.length > ${at}) ${known}[${at}].u = ${e.array(scope)}[${at} + 2];`,
        `if (${known}.length > 1) ${known}[0] = ${known}[1];`,
        `if (${known}.length > 1) [${known}[0], ${known}[1]] = [${known}[1], ${known}[0]];`,
        `${known}.push(${maker}(${value}${maker === "half" ? `, ${other}` : ""}));`,
        `if (${known}.length > 1) ${known}.pop();`,
        `for (const one of ${known}) complete(one, ${value});`,
        `if (${known}.length > 0) complete(${known}[${known}.length - 1], ${value});`,
        `for (const one of ${known}) if (one.z !== null) one.z *= Math.cos(${other}); else one.u = ${value};`,
        `for (const { w } of ${known}) if (w !== null) w[0] = Math.sin(w[0] * ${value});`,
        `${known}.sort((p, q) => p.x - q.x);`,
        `for (const one of ${known}) [one.x, one.z] = [Math.sin(one.z ?? ${other}), one.x];`,
        `for (const one of ${known}) if (one.x > ${other}) one.z = null;`,
        `if (${known}.length > 0) ${known}[0] = { ...${known}[0], z: ${value}, w: ${d.of(["null", `[${other}]`, `${e.array(scope)}.slice()`], "")} };`,
      ],
      "",
    ),
  );
};

/** Two buffers by turns: each round reads one and writes the other. */
const buffers: Maker = (pen, scope) => {
  const { d, e } = pen;
  const [now, then, i] = [pen.name("now"), pen.name("then"), pen.name("i")];
  const around = { ...withNames(scope, { index: [i] }), loops: scope.loops + 1 };
  const inside = withNames(around, { index: ["k"] });
  const start = d.of(
    [
      [`${e.array(scope)}.slice()`, `${e.array(scope)}.map(() => 0)`],
      [`[${pen.value(scope, 1)}, 0.3, ${pen.value(scope, 2)}]`, "[0, 0, 0]"],
      [`[...${e.array(scope)}]`, `new Array<number>(4).fill(${pen.value(scope, 1)})`],
    ],
    ["TABLE", "TABLE"],
  );
  const swap = d.of(
    [
      `[${now}, ${then}] = [${then}, ${now}];`,
      `const kept = ${now}; ${now} = ${then}; ${then} = kept;`,
      `if (${e.condition(around)}) [${now}, ${then}] = [${then}, ${now}];`,
      `${now} = ${then}.slice();`,
      `${now} = ${then};`,
      `if (${e.condition(around)}) break; [${now}, ${then}] = [${then}, ${now}];`,
    ],
    "",
  );
  const write = d.of(
    [
      `${then}[k] = Math.sin(${now}[k] + 0.5 * ${now}[(k + 1) % 3] + ${pen.value(inside, 1)});`,
      `${then}[k] += 0.3 * Math.sin(${now}[k] * ${pen.value(inside, 1)});`,
      `if (k !== ${i}) ${then}[k] = Math.tanh(${now}[k] * ${now}[0]);`,
    ],
    "",
  );
  return {
    lines: [
      `let ${now}: number[] = ${start[0]};`,
      `let ${then}: number[] = ${start[1]};`,
      `for (let ${i} = 0; ${i} < n + 1; ${i}++) {`,
      `  for (let k = 0; k < 3; k++) ${write}`,
      `  ${swap}`,
      "}",
    ],
    scope: withNames(scope, { array: [now, then], ownArray: [now], arrayVariable: [then] }),
  };
};

/** A list loses elements, which may be read before or have been copied. */
const shorter: Maker = (pen, scope) => {
  const { d, e } = pen;
  const known = d.of(scope.names.stack, "");
  if (known === "") return null;
  const value = pen.value(scope, 2);
  if (d.chance(0.3)) {
    const name = pen.name("z");
    return {
      lines: [
        d.of(
          [
            `const ${name} = Math.sin(${known}.splice(0, 2).reduce((s, e) => s + e, 0));`,
            `const ${name} = Math.sin((${known}.pop() ?? ${value}) * (${known}.at(-1) ?? 0.3));`,
            `const [${name} = 0.2] = ${known}.splice(-1);`,
          ],
          "",
        ),
      ],
      scope: withNames(scope, { number: [name] }),
    };
  }
  return line(
    scope,
    d.of(
      [
        `${known}.length = Math.min(${known}.length, ${d.below(3)});`,
        `${known}.splice(${d.below(2)}, 1);`,
        `${known}.splice(0, ${1 + d.below(2)}, ${value});`,
        `${known}.splice(1, 0, ${value}, 0.2);`,
        `while (${known}.length > 2) ${known}.pop();`,
        `if (${known}.length > 1) ${known}.splice(1);`,
        `${known}.push(...${e.array(scope)}); ${known}.length -= 1;`,
        `for (const e of ${known}.splice(0)) if (e < ${value}) ${known}.push(Math.sin(e));`,
        `${known}.length = 0;`,
        `${known}.splice(${known}.length >> 1, 1);`,
      ],
      "",
    ),
  );
};

export const PARTS: readonly Choice[] = [
  { feature: "parts", weight: 10, make: parts },
  { feature: "buffers", weight: 4, make: buffers },
  { feature: "stack", weight: 4, make: shorter },
];
