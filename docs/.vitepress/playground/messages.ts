// What the page and its workers say to each other: plain data.

import type { BrowserFinding, CodePage, MappedText } from "../../../transformer/hosts/browser.ts";

/** A function that can be plotted: of one number, or of two in one of three forms. */
export interface Plottable {
  readonly name: string;
  readonly form: "curve" | "numbers" | "pair" | "record";
  /** Names of the two axes, or of the one. */
  readonly axes: readonly string[];
}

export interface Compiled {
  /** What was compiled. */
  readonly source: string;
  readonly module: MappedText;
  readonly derivatives: MappedText;
  readonly findings: readonly BrowserFinding[];
  readonly functions: readonly string[];
  readonly plottable: readonly Plottable[];
  /** The program to run; null after a syntax error. */
  readonly javascript: string | null;
  readonly milliseconds: number;
}

export interface Completion {
  readonly label: string;
  readonly type: string;
  readonly sortText: string;
}

export interface Hover {
  readonly start: number;
  readonly end: number;
  readonly signature: string;
  readonly documentation: string;
}

/** Requests to the compiler, by name, with their answers. */
export interface CompilerRequests {
  compile: { readonly ask: string; readonly answer: Compiled };
  /** A text to ask about, without its derivatives. */
  edit: { readonly ask: string; readonly answer: null };
  /** The program to run, with gradients of what can be plotted. */
  plots: { readonly ask: Pick<Compiled, "source" | "plottable">; readonly answer: string };
  explain: { readonly ask: string; readonly answer: string };
  complete: { readonly ask: number; readonly answer: readonly Completion[] };
  hover: { readonly ask: number; readonly answer: Hover | null };
  page: { readonly ask: string; readonly answer: CodePage | null };
}

export interface Line {
  readonly level: "log" | "info" | "warn" | "error";
  readonly text: string;
}

export interface RunResult {
  readonly lines: readonly Line[];
  /** Exported values that are no functions. */
  readonly exports: readonly (readonly [name: string, value: string])[];
  readonly error: string | null;
  readonly milliseconds: number;
}

/** A range of numbers. */
export type Range = readonly [from: number, to: number];

export interface PlotRequest {
  readonly javascript: string;
  readonly plottable: Plottable;
  readonly x: Range;
  readonly y: Range;
  /** Where the descent starts. */
  readonly from: Range;
}

export interface CurveSamples {
  readonly kind: "curve";
  readonly points: readonly { readonly x: number; readonly f: number; readonly d: number }[];
}

export interface Step {
  readonly x: number;
  readonly y: number;
  readonly f: number;
}

export interface SurfaceSamples {
  readonly kind: "surface";
  /** Row by row, from the lowest `y`. */
  readonly values: readonly number[];
  readonly columns: number;
  readonly path: readonly Step[];
  /** Length of the gradient at the end of the path. */
  readonly slope: number;
}

export type Samples = (CurveSamples | SurfaceSamples) & {
  /** Why there is no derivative, or no value. */
  readonly problem: string | null;
};

/** Requests to the worker that runs programs. */
export interface RunnerRequests {
  run: { readonly ask: string; readonly answer: RunResult };
  plot: { readonly ask: PlotRequest; readonly answer: Samples };
}
