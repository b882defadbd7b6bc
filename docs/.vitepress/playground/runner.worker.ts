// The worker that runs programs. It has the run time of tsgrad, no network and no storage. The page
// ends it when a program takes too long.

import modules from "virtual:tsgrad-runtime";
import type { Line, PlotRequest, RunnerRequests, RunResult, Samples } from "./messages.ts";
import { PLOTS } from "./plottable.ts";
import { curve, type Sampled, surface } from "./sampling.ts";
import { showValue } from "./show-value.ts";
import { answerCalls } from "./worker-calls.ts";

type Exports = Record<string, unknown>;

const MOST_LINES = 500;

/** A shared link holds a stranger's program: it may compute, and nothing else. */
const FORBIDDEN = [
  ..."fetch XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource importScripts".split(
    " ",
  ),
  ..."indexedDB caches BroadcastChannel Worker SharedWorker navigator storage".split(" "),
];

function forbid(): void {
  for (let holder: unknown = self; holder !== null; holder = Object.getPrototypeOf(holder))
    for (const name of FORBIDDEN) Reflect.deleteProperty(holder as object, name);
}

/** Functions with `await`: a program may use it at its top level. */
const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: readonly string[]
) => (...args: readonly unknown[]) => Promise<void>; // the constructor has no name of its own

async function load(javascript: string, console: object): Promise<Exports> {
  const exports: Exports = {};
  const require = (name: string): unknown => {
    const found = modules[name];
    if (found === undefined)
      throw new Error(
        `The playground has no module '${name}'. It has ${Object.keys(modules).join(", ")}.`,
      );
    return found;
  };
  const program = new AsyncFunction("exports", "require", "console", javascript);
  await program(exports, require, console);
  return exports;
}

async function run(javascript: string): Promise<RunResult> {
  const lines: Line[] = [];
  const print =
    (level: Line["level"]) =>
    (...values: readonly unknown[]): void => {
      if (lines.length < MOST_LINES)
        lines.push({ level, text: values.map((value) => showValue(value)).join(" ") });
      else if (lines.length === MOST_LINES)
        lines.push({ level: "warn", text: `Only the first ${MOST_LINES} lines are shown.` });
    };
  const console = {
    log: print("log"),
    info: print("info"),
    warn: print("warn"),
    error: print("error"),
  };
  const start = performance.now();
  let exports: Exports = {};
  let error: string | null = null;
  try {
    exports = await load(javascript, console);
    await new Promise((resolve) => setTimeout(resolve)); // what promises still print
  } catch (thrown) {
    error = showValue(thrown);
  }
  return {
    lines,
    exports: Object.entries(exports)
      .filter(([name, value]) => name !== "__esModule" && typeof value !== "function")
      .map(([name, value]) => [name, showValue(value, 1)]),
    error,
    milliseconds: performance.now() - start,
  };
}

const SILENT = { log() {}, info() {}, warn() {}, error() {} };

/** The last program that was loaded for plots. */
let loaded: { readonly javascript: string; readonly exports: Exports } | null = null;

async function plot({ javascript, plottable, x, y, from }: PlotRequest): Promise<Samples> {
  if (loaded?.javascript !== javascript)
    loaded = { javascript, exports: await load(javascript, SILENT) };
  const plots = loaded.exports[PLOTS] as Readonly<
    Record<string, { readonly f: Sampled["f"]; readonly gradient: () => Sampled["gradient"] }>
  >; // see plotCode
  const own = plots[plottable.name];
  if (own === undefined) throw new Error(`There is no function ${plottable.name}.`);
  let problem: string | null = null;
  let gradient: Sampled["gradient"] = null;
  try {
    gradient = own.gradient();
  } catch {
    problem = `tsgrad cannot differentiate ${plottable.name}: see Problems and Explain.`;
  }
  const sampled: Sampled = { f: own.f, gradient };
  const samples =
    plottable.form === "curve" ? curve(sampled, x) : surface(sampled, plottable, { x, y, from });
  return { ...samples, problem };
}

const handlers: {
  readonly [K in keyof RunnerRequests]: (
    ask: RunnerRequests[K]["ask"],
  ) => Promise<RunnerRequests[K]["answer"]>;
} = { run, plot };

forbid();
answerCalls(handlers);
