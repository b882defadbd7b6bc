// The bench's table and plot. In: docs/bench.json. Out: the README's part "bench", and docs/bench.svg. Invariant: nothing in them is not in the results.

import { geometricMean, type Results, type Row, type Spread } from "./bench-statistics.ts";

export const RESULTS = "docs/bench.json";
export const PLOT = "docs/bench.svg";

const named = ({ workload, size }: Row): string => `${workload} ${size}`;
const librariesOf = (rows: readonly Row[]): string[] => [
  ...new Set(rows.flatMap(({ peers }) => Object.keys(peers))),
];

/** A ratio, with the quartiles of its batches. */
const cell = (spread: Spread | undefined): string =>
  spread === undefined
    ? ""
    : `${short(spread.median)} <sub>${short(spread.low)}–${short(spread.high)}</sub>`;
const short = (number: number): string =>
  number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2);
const time = (nanoseconds: number): string =>
  nanoseconds >= 1e6
    ? `${short(nanoseconds / 1e6)} ms`
    : nanoseconds >= 1e3
      ? `${short(nanoseconds / 1e3)} µs`
      : `${short(nanoseconds)} ns`;

export function benchTable({ machine, rows }: Results): string {
  const libraries = librariesOf(rows);
  const heads = [
    "workload",
    "primal",
    "hand ÷ primal",
    "tsgrad ÷ primal",
    "**tsgrad ÷ hand**",
    "Delta ÷ tsgrad",
    ...libraries.map((library) => `${library} ÷ tsgrad`),
  ];
  const lines = rows.map((row) => [
    named(row),
    time(row.nanoseconds),
    cell(row.overPrimal["hand"]),
    cell(row.overPrimal["tsgrad"]),
    cell(row.overHand["tsgrad"]),
    ...["delta", ...libraries].map((variant) => cell(row.overTsgrad[variant])),
  ]);
  const gradients = rows.filter(({ isDense }) => !isDense);
  const mean = (of: readonly Row[], spread: (row: Row) => Spread | undefined): string => {
    const medians = of.flatMap((row) => spread(row)?.median ?? []);
    return medians.length === 0 ? "" : short(geometricMean(medians));
  };
  const means = [
    "geometric mean",
    "",
    mean(gradients, (row) => row.overPrimal["hand"]),
    mean(gradients, (row) => row.overPrimal["tsgrad"]),
    `**${mean(rows, (row) => row.overHand["tsgrad"])}**`,
    ...["delta", ...libraries].map((variant) => mean(rows, (row) => row.overTsgrad[variant])),
  ];
  const written = [heads, heads.map((_, k) => (k === 0 ? "---" : "---:")), ...lines, means].map(
    (cells) => `| ${cells.join(" | ")} |`,
  );
  const dense = rows.some(({ isDense }) => isDense)
    ? " Dense Jacobians are not in the means over the primal."
    : "";
  return `${written.join("\n")}\n\nMedians, and the quartiles of batches. ${machine}.${dense}`;
}

const LEFT = 215;
const WIDTH = 900;
const RIGHT = 36;
const LINE = 22;
const TOP = 46;
const COLOURS: Readonly<Record<string, string>> = {
  primal: "#9aa0a6",
  tsgrad: "#1a66d6",
  delta: "#e08a1e",
};
const OTHERS = ["#2c9c4b", "#b5403a", "#7a4fc0", "#0f9aa8", "#8c6d1f"];

/** Times over the time of the derivative by hand, one line for each workload, on a logarithmic scale. */
export function benchPlot({ machine, rows }: Results): string {
  const variants = ["primal", "tsgrad", "delta", ...librariesOf(rows)];
  const colour = (variant: string): string =>
    COLOURS[variant] ?? OTHERS[(variants.indexOf(variant) - 3) % OTHERS.length] ?? "#000";
  const medians = rows.flatMap(({ overHand }) =>
    Object.values(overHand).map(({ median }) => median),
  );
  const [low, high] = [
    Math.floor(Math.log10(Math.min(0.5, ...medians))),
    Math.ceil(Math.log10(Math.max(10, ...medians))),
  ];
  const x = (ratio: number): string =>
    (LEFT + ((Math.log10(ratio) - low) / (high - low)) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const bottom = TOP + rows.length * LINE;
  const grid = Array.from({ length: high - low + 1 }, (_, k) => 10 ** (low + k)).map(
    (ratio) =>
      `<line x1="${x(ratio)}" x2="${x(ratio)}" y1="${TOP - 8}" y2="${bottom}" stroke="${ratio === 1 ? "#444" : "#ddd"}"/><text x="${x(ratio)}" y="${bottom + 16}" text-anchor="middle">${ratio === 1 ? "hand" : `${ratio}×`}</text>`,
  );
  const dots = rows.flatMap((row, k) => {
    const y = TOP + k * LINE + LINE / 2;
    const points = variants.flatMap((variant) => {
      const spread = row.overHand[variant];
      return spread === undefined
        ? []
        : [
            `<circle cx="${x(spread.median)}" cy="${y}" r="4.5" fill="${colour(variant)}"><title>${variant}: ${short(spread.median)} × hand</title></circle>`,
          ];
    });
    return [
      `<text x="${LEFT - 12}" y="${y + 4}" text-anchor="end">${named(row)}</text>`,
      ...points,
    ];
  });
  const apart = (WIDTH - LEFT) / variants.length;
  const legend = variants.map(
    (variant, k) =>
      `<circle cx="${LEFT + k * apart}" cy="16" r="4.5" fill="${colour(variant)}"/><text x="${LEFT + k * apart + 9}" y="20">${variant}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${bottom + 44}" viewBox="0 0 ${WIDTH} ${bottom + 44}" font-family="sans-serif" font-size="12" fill="#222">
<rect width="100%" height="100%" fill="#fff"/>
${[...legend, ...grid, ...dots].join("\n")}
<text x="${LEFT}" y="${bottom + 36}" fill="#666">time over the derivative written by hand; ${machine}</text>
</svg>
`;
}
