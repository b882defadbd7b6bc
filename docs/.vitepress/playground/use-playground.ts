// The state of the playground, and what happens when the program changes: it is compiled, then run,
// then plotted. Answers about an older text are dropped.

import { computed, onBeforeUnmount, ref, type Ref, shallowRef, watch } from "vue";
import type { CodePage } from "../../../transformer/hosts/browser.ts";
import { EXAMPLES } from "./examples.ts";
import type {
  Compiled,
  CompilerRequests,
  Range,
  RunnerRequests,
  RunResult,
  Samples,
} from "./messages.ts";
import { type PlotView, viewOf } from "./plot-comment.ts";
import { hashOf, textIn } from "./share.ts";
import { Stopped, Superseded, WorkerCalls } from "./worker-calls.ts";

/** How long a program, or a plot, may take. */
const LIMIT = 4000;

/** How long the compiler waits for the next key stroke. */
const PAUSE = 180;

const startCompiler = (): Worker =>
  new Worker(new URL("./compiler.worker.ts", import.meta.url), { type: "module" });
const startRunner = (): Worker =>
  new Worker(new URL("./runner.worker.ts", import.meta.url), { type: "module" });

/** What a program, or a plot, ended with when it gave no answer. */
function messageOf(error: unknown): string {
  if (error instanceof Stopped)
    return `Stopped after ${error.milliseconds / 1000} seconds. Is there a loop that does not end?`;
  return error instanceof Error ? error.message : String(error);
}

/** Compiles the text: at once, or when the user pauses. */
function useCompiler(compiler: WorkerCalls<CompilerRequests>, text: Ref<string>) {
  const compiled = shallowRef<Compiled | null>(null);
  const failure = ref("");
  const isBusy = ref(true);
  let version = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function compile(): Promise<void> {
    clearTimeout(timer);
    version += 1;
    const own = version;
    isBusy.value = true;
    const [answer, problem] = await compiler.call("compile", text.value).then(
      (value) => [value, ""] as const,
      (error: unknown) => [null, messageOf(error)] as const,
    );
    if (own !== version) return;
    if (answer !== null) compiled.value = answer;
    failure.value = problem;
    isBusy.value = false;
  }

  function compileSoon(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void compile(), PAUSE);
  }

  onBeforeUnmount(() => clearTimeout(timer));
  return { compiled, failure, isBusy, compile, compileSoon };
}

export function usePlayground() {
  const compiler = new WorkerCalls<CompilerRequests>(startCompiler);
  const runner = new WorkerCalls<RunnerRequests>(startRunner);
  const plotter = new WorkerCalls<RunnerRequests>(startRunner);
  const [first = { id: "", title: "", text: "" }] = EXAMPLES;

  const text = ref(first.text);
  /** The text that `reset` goes back to. */
  const original = ref(first.text);
  const example = ref(first.id);
  const { compile, compileSoon, ...state } = useCompiler(compiler, text);
  const output = useOutput(runner, state.compiled);
  const plot = usePlot(compiler, plotter, state.compiled);
  const explained = useExplain(compiler, state.compiled);

  /** The editor's text has changed. */
  function changed(now: string): void {
    if (now === text.value) return;
    text.value = now;
    compileSoon();
  }

  function open(now: string, id: string): void {
    text.value = now;
    original.value = now;
    example.value = id;
    plot.forget();
    void compile();
  }

  function choose(id: string): void {
    const found = EXAMPLES.find((each) => each.id === id);
    if (found === undefined) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    open(found.text, id);
  }

  /** Opens the program of the link, or the first example. */
  async function begin(): Promise<void> {
    const shared = await textIn(location.hash);
    if (shared === null) open(first.text, first.id);
    else open(shared, "");
  }

  /** Puts the program into the address; returns the address. */
  async function share(): Promise<string> {
    history.replaceState(history.state, "", await hashOf(text.value));
    return location.href;
  }

  const listen = (): void => void begin();
  window.addEventListener("hashchange", listen);
  onBeforeUnmount(() => {
    window.removeEventListener("hashchange", listen);
    for (const calls of [compiler, runner, plotter]) calls.close();
  });

  return {
    ...{ text, original, example, ...state, output, plot, explained },
    ...{ changed, choose, begin, share },
    reset: (): void => open(original.value, example.value),
    complete: async (position: number) => await afterText(compiler, text, "complete", position),
    hover: async (position: number) => await afterText(compiler, text, "hover", position),
    page: async (code: string): Promise<CodePage | null> => await compiler.call("page", code),
  };
}

/** Asks about the current text, which the compiler may not have yet. */
async function afterText<K extends "complete" | "hover">(
  compiler: WorkerCalls<CompilerRequests>,
  text: Ref<string>,
  kind: K,
  position: number,
): Promise<CompilerRequests[K]["answer"]> {
  await compiler.call("edit", text.value);
  return await compiler.call(kind, position);
}

export type Playground = ReturnType<typeof usePlayground>;

/** Runs each program that compiles. */
function useOutput(runner: WorkerCalls<RunnerRequests>, compiled: Ref<Compiled | null>) {
  const result = shallowRef<RunResult | null>(null);
  const problem = ref("");
  const isRunning = ref(false);

  async function run(): Promise<void> {
    const now = compiled.value;
    if (now === null) return;
    const wrong = now.findings.find(
      ({ code, severity }) => severity === "error" && code.startsWith("TSG"),
    );
    if (now.javascript === null || wrong !== undefined) {
      result.value = null;
      problem.value = `Not run: ${wrong?.code ?? "a syntax error"} has to be mended first. See Problems.`;
      return;
    }
    isRunning.value = true;
    try {
      const answer = await runner.within(LIMIT, "run", now.javascript);
      result.value = answer;
      problem.value = "";
    } catch (error) {
      if (error instanceof Superseded) return;
      result.value = null;
      problem.value = messageOf(error);
    }
    isRunning.value = false;
  }

  watch(compiled, () => void run());
  return { result, problem, isRunning, run };
}

/** The program of a compiled text that has what can be plotted, made once. */
function plotPrograms(
  compiler: WorkerCalls<CompilerRequests>,
): (compiled: Compiled) => Promise<string> {
  let made: { readonly of: Compiled; readonly javascript: Promise<string> } | null = null;
  return async (compiled) => {
    const { source, plottable } = compiled;
    const ask = { source, plottable: plottable.map((one) => ({ ...one, axes: [...one.axes] })) };
    if (made?.of !== compiled) made = { of: compiled, javascript: compiler.call("plots", ask) };
    return await made.javascript;
  };
}

/** Samples the function to plot, over ranges that the user may change. */
function usePlot(
  compiler: WorkerCalls<CompilerRequests>,
  plotter: WorkerCalls<RunnerRequests>,
  compiled: Ref<Compiled | null>,
) {
  const chosen = ref<string>();
  const changes = shallowRef<Partial<Pick<PlotView, "x" | "y" | "from">>>({});
  const samples = shallowRef<Samples | null>(null);
  /** What `samples` are of. */
  const sampled = shallowRef<PlotView | null>(null);
  const problem = ref("");
  const isShown = ref(true);
  const programOf = plotPrograms(compiler);

  const view = computed<PlotView | null>(() => {
    const found = viewOf(
      compiled.value?.source ?? "",
      compiled.value?.plottable ?? [],
      chosen.value,
    );
    return found === null ? null : { ...found, ...changes.value };
  });

  async function sample(): Promise<void> {
    const [now, of] = [view.value, compiled.value];
    if (now === null || of === null) {
      samples.value = null;
      problem.value = "";
      return;
    }
    if (!isShown.value) return;
    try {
      const javascript = await programOf(of);
      if (view.value !== now) return;
      const answer = await plotter.within(LIMIT, "plot", { javascript, ...plain(now) });
      samples.value = answer;
      sampled.value = now;
      problem.value = answer.problem ?? "";
    } catch (error) {
      if (error instanceof Superseded || view.value !== now) return;
      samples.value = null;
      problem.value = messageOf(error);
    }
  }

  watch([compiled, changes, chosen, isShown], () => void sample());
  const change = (to: Partial<Pick<PlotView, "x" | "y" | "from">>): void => {
    changes.value = { ...changes.value, ...to };
  };
  return {
    ...{ view, samples, sampled, problem, isShown, change },
    choose: (name: string): void => {
      changes.value = {};
      chosen.value = name;
    },
    startAt: (from: Range): void => change({ from }),
    forget: (): void => {
      changes.value = {};
      chosen.value = undefined;
    },
  };
}

/** Without the proxies of Vue, which no worker takes. */
const plain = ({ plottable, x, y, from }: PlotView): PlotView => ({
  plottable: { ...plottable, axes: [...plottable.axes] },
  x: [...x],
  y: [...y],
  from: [...from],
});

/** What `tsgrad explain` says about the chosen function. */
function useExplain(compiler: WorkerCalls<CompilerRequests>, compiled: Ref<Compiled | null>) {
  const chosen = ref("");
  const answer = ref("");
  const isShown = ref(false);

  async function explain(): Promise<void> {
    const names = compiled.value?.functions ?? [];
    if (!names.includes(chosen.value)) chosen.value = names.at(-1) ?? "";
    if (!isShown.value) return;
    answer.value =
      chosen.value === "" ? "There is no function." : await compiler.call("explain", chosen.value);
  }

  watch([compiled, chosen, isShown], () => void explain());
  return { chosen, answer, isShown };
}
