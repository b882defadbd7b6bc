// The worker that compiles. It holds TypeScript, the compiler of tsgrad, and the last text. A second
// compiler adds gradients of what can be plotted, so that the first one's text is what the user sees.

import ts from "typescript";
import library from "virtual:tsgrad-library";
import { BrowserCompiler, pageOfCode } from "../../../transformer/hosts/browser.ts";
import type { Compiled, Completion, CompilerRequests, Hover } from "./messages.ts";
import { plotCode, plottableIn } from "./plottable.ts";
import { answerCalls } from "./worker-calls.ts";

const MAIN = "/main.ts";
const PLOTTED = "/plotted.ts";

const documents = ts.createDocumentRegistry(true, "/");
const compiler = new BrowserCompiler({ ts, library, documents });
const plotter = new BrowserCompiler({ ts, library, documents });

function compile(text: string): Compiled {
  const start = performance.now();
  const { modules, findings } = compiler.compile({ [MAIN]: text });
  const milliseconds = performance.now() - start;
  const main = modules.get(MAIN);
  if (main === undefined) throw new Error("There is no module.");
  const program = compiler.service.getProgram();
  const isBroken =
    program === undefined || compiler.service.getSyntacticDiagnostics(MAIN).length > 0;
  const plottable = isBroken ? [] : plottableIn(ts, program, MAIN);
  return {
    source: text,
    module: { text: main.text, mappings: main.mappings },
    derivatives: main.derivatives,
    findings: findings.filter(({ span }) => span.file === MAIN),
    functions: main.functions,
    plottable,
    javascript: isBroken ? null : compiler.javascript(main.text),
    milliseconds,
  };
}

function plots({ source, plottable }: CompilerRequests["plots"]["ask"]): string {
  const { modules } = plotter.compile({ [PLOTTED]: source + plotCode(plottable) });
  return plotter.javascript(modules.get(PLOTTED)?.text ?? "");
}

const KINDS: Readonly<Record<string, string>> = {
  "local function": "function",
  method: "method",
  const: "constant",
  let: "variable",
  var: "variable",
  parameter: "variable",
  alias: "variable",
  property: "property",
  getter: "property",
  warning: "text",
  module: "namespace",
};

function complete(position: number): readonly Completion[] {
  const found = compiler.service.getCompletionsAtPosition(MAIN, position, {
    includeCompletionsForModuleExports: false,
    includeCompletionsWithInsertText: false,
  });
  return (found?.entries ?? []).map(({ name, kind, sortText }) => ({
    label: name,
    type: KINDS[kind] ?? kind,
    sortText,
  }));
}

function hover(position: number): Hover | null {
  const info = compiler.service.getQuickInfoAtPosition(MAIN, position);
  if (info === undefined) return null;
  return {
    start: info.textSpan.start,
    end: info.textSpan.start + info.textSpan.length,
    signature: ts.displayPartsToString(info.displayParts),
    documentation: ts.displayPartsToString(info.documentation),
  };
}

type Handlers = {
  readonly [K in keyof CompilerRequests]: (
    ask: CompilerRequests[K]["ask"],
  ) => CompilerRequests[K]["answer"];
};

const handlers: Handlers = {
  compile,
  plots,
  edit: (text) => {
    compiler.edit({ [MAIN]: text });
    return null;
  },
  explain: (name) => compiler.explain(MAIN, name),
  complete,
  hover,
  page: pageOfCode,
};

answerCalls(handlers);
