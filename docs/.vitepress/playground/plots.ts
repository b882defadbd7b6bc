// Draws samples with Observable Plot: a curve with its derivative and the tangent at the pointer, or
// level lines with the path of gradient descent.

import * as Plot from "@observablehq/plot";
import type { CurveSamples, Range, SurfaceSamples } from "./messages.ts";
import type { PlotView } from "./plot-comment.ts";

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly isDark: boolean;
}

type Drawn = ReturnType<typeof Plot.plot>;
type Point = CurveSamples["points"][number];

const STYLE = {
  background: "transparent",
  color: "var(--vp-c-text-2)",
  fontFamily: "var(--vp-font-family-base)",
  fontSize: "12px",
  overflow: "visible",
};

/** The values that matter, without poles: some room around those between two quantiles. */
export function rangeOf(values: readonly number[]): Range {
  const finite = values.filter(Number.isFinite).sort((a, b) => a - b);
  const at = (share: number): number => finite[Math.round(share * (finite.length - 1))] ?? 0;
  const [low, high] = [at(0.03), at(0.97)];
  const room = high - low || Math.abs(high) || 1;
  return [
    Math.max(at(0), low - 0.5 * room) - 0.05 * room,
    Math.min(at(1), high + 0.5 * room) + 0.05 * room,
  ];
}

export function drawCurve(samples: CurveSamples, view: PlotView, frame: Frame): Drawn {
  const { points } = samples;
  const { name, axes } = view.plottable;
  const drawn = Plot.plot({
    width: frame.width,
    height: frame.height,
    marginLeft: 48,
    marginTop: 24,
    marginRight: 24,
    marginBottom: 38,
    style: STYLE,
    x: { domain: [...view.x], label: axes[0] ?? "x", grid: true },
    y: { domain: [...rangeOf(points.flatMap(({ f, d }) => [f, d]))], label: null, grid: true },
    marks: [
      Plot.ruleY([0], { stroke: "var(--vp-c-text-3)" }),
      Plot.line(points, { x: "x", y: "d", stroke: "var(--pg-slope)", strokeWidth: 2, clip: true }),
      Plot.line(points, {
        x: "x",
        y: "f",
        stroke: "var(--pg-value)",
        strokeWidth: 2.5,
        clip: true,
      }),
      Plot.ruleX(points, Plot.pointerX({ x: "x", stroke: "var(--vp-c-text-3)" })),
      ...(["f", "d"] as const).map((key) =>
        Plot.dot(
          points,
          Plot.pointerX({
            x: "x",
            y: key,
            px: "x",
            r: 4,
            fill: key === "f" ? "var(--pg-value)" : "var(--pg-slope)",
            clip: true,
          }),
        ),
      ),
      Plot.text(
        points,
        Plot.pointerX({
          px: "x",
          frameAnchor: "top-left",
          dx: 6,
          dy: -20,
          fill: "var(--vp-c-text-1)",
          text: ({ x, f, d }: Point) =>
            `${axes[0] ?? "x"} = ${short(x)}   ${name} = ${short(f)}   ${name}′ = ${short(d)}`,
        }),
      ),
    ],
  });
  return withTangent(drawn);
}

const short = (value: number): string => Number(value.toPrecision(4)).toString();

/** Adds the line through the point at the pointer whose slope is the derivative there. */
function withTangent(drawn: Drawn): Drawn {
  const svg = drawn instanceof SVGElement ? drawn : drawn.querySelector("svg");
  const [x, y] = [drawn.scale("x"), drawn.scale("y")];
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  line.setAttribute("class", "pg-tangent");
  line.style.display = "none";
  svg?.append(line);
  drawn.addEventListener("input", () => {
    const at = drawn.value as Point | null; // the data of the marks with pointers
    const hidden = at === null || !Number.isFinite(at.d) || !Number.isFinite(at.f);
    line.style.display = hidden ? "none" : "";
    if (hidden || x === undefined || y === undefined) return;
    const reach = ((x.domain as Range)[1] - (x.domain as Range)[0]) / 8; // of numbers
    const ends = [at.x - reach, at.x + reach].map((each) => [
      x.apply(each),
      y.apply(at.f + at.d * (each - at.x)),
    ]);
    ends.forEach(([left = 0, top = 0], i) => {
      line.setAttribute(`x${i + 1}`, String(left));
      line.setAttribute(`y${i + 1}`, String(top));
    });
  });
  return drawn;
}

/** Spreads values so that valleys show: the logarithm above the least one. */
function spread(values: readonly number[]): readonly number[] {
  const finite = values.filter(Number.isFinite).sort((a, b) => a - b);
  const least = finite[0] ?? 0;
  const unit = ((finite[finite.length >> 1] ?? 1) - least) / 20 || 1;
  return values.map((value) => Math.log1p((value - least) / unit));
}

/** Level lines, and above them the path: its first point, its steps and its end. */
function surfaceMarks(
  { values, columns, path }: SurfaceSamples,
  { x, y }: PlotView,
  isDark: boolean,
): Plot.Markish[] {
  const inside = path.filter((step) => step.x >= x[0] && step.x <= x[1]);
  return [
    Plot.contour(spread(values), {
      width: columns,
      height: columns,
      x1: x[0],
      x2: x[1],
      y1: y[0],
      y2: y[1],
      fill: Plot.identity,
      stroke: isDark ? "#ffffff30" : "#00000026",
      strokeWidth: 0.7,
      thresholds: 22,
      clip: true,
    }),
    Plot.line(path, {
      x: "x",
      y: "y",
      stroke: "var(--pg-path-edge)",
      strokeWidth: 4,
      clip: true,
    }),
    Plot.line(path, {
      x: "x",
      y: "y",
      stroke: "var(--pg-path)",
      strokeWidth: 2,
      clip: true,
      className: "pg-path",
    }),
    Plot.dot(inside.slice(0, 80), { x: "x", y: "y", r: 2, fill: "var(--pg-path)", clip: true }),
    Plot.dot(path.slice(0, 1), {
      x: "x",
      y: "y",
      r: 5.5,
      fill: "var(--vp-c-bg)",
      stroke: "var(--pg-path)",
      strokeWidth: 2.5,
    }),
    Plot.dot(path.slice(-1), {
      x: "x",
      y: "y",
      r: 6,
      symbol: "star",
      fill: "var(--pg-path)",
      stroke: "var(--pg-path-edge)",
      clip: true,
    }),
    Plot.frame({ stroke: "var(--vp-c-divider)" }),
  ];
}

export function drawSurface(
  samples: SurfaceSamples,
  view: PlotView,
  frame: Frame,
  onStart: (from: Range) => void,
): Drawn {
  const { x, y } = view;
  const drawn = Plot.plot({
    width: frame.width,
    height: frame.height,
    marginLeft: 48,
    marginTop: 24,
    marginRight: 24,
    marginBottom: 38,
    style: STYLE,
    x: { domain: [...x], label: view.plottable.axes[0] ?? "x" },
    y: { domain: [...y], label: view.plottable.axes[1] ?? "y" },
    color: { scheme: frame.isDark ? "viridis" : "YlGnBu", reverse: !frame.isDark },
    marks: surfaceMarks(samples, view, frame.isDark),
  });
  drawn.addEventListener("click", (event) => {
    if (!(event instanceof MouseEvent)) return;
    const { left, top } = drawn.getBoundingClientRect();
    const at = [
      drawn.scale("x")?.invert?.(event.clientX - left),
      drawn.scale("y")?.invert?.(event.clientY - top),
    ].map(Number);
    const [atX = NaN, atY = NaN] = at;
    if (atX >= x[0] && atX <= x[1] && atY >= y[0] && atY <= y[1]) onStart([atX, atY]);
  });
  return drawn;
}
