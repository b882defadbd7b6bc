// One module of user code, built. In: its text. Out: its exports, with derivatives. Invariant: what tsgrad reports is an error here.

import { transformSync } from "esbuild";
import * as captured from "../../runtime/captured.ts";
import * as deltaHigher from "../../runtime/delta/higher/index.ts";
import * as delta from "../../runtime/delta/index.ts";
import * as implicit from "../../runtime/implicit/index.ts";
import * as runtime from "../../runtime/index.ts";
import * as testing from "../../runtime/testing.ts";
import * as vector from "../../runtime/vector/index.ts";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";

const FILE = "/src/nested.ts";

export interface Built {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export function built(text: string): Built {
  const host = programOf({ [FILE]: text });
  const wrong = host.program
    .getSemanticDiagnostics(host.program.getSourceFile(FILE))
    .map(({ messageText }) => JSON.stringify(messageText));
  if (wrong.length > 0) throw new Error(`no valid TypeScript: ${wrong.join("\n")}`);
  const { edits, diagnostics } = analyse(host);
  const errors = diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, message }) => `${code} ${message}`);
  if (errors.length > 0) throw new Error(errors.join("\n"));
  const emitted = applyEdits(FILE, text, edits.get(FILE) ?? []).text;
  return { exports: loaded(emitted), text: emitted };
}

/** The exports of a module of emitted text. */
export function loaded(text: string): Readonly<Record<string, unknown>> {
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const { code } = transformSync(text, {
    loader: "ts",
    format: "cjs",
    target: "node20",
    logLevel: "silent",
  });
  const modules = new Map<string, unknown>([
    ["tsgrad", runtime],
    ["tsgrad/captured", captured],
    ["tsgrad/delta", delta],
    ["tsgrad/delta-higher", deltaHigher],
    ["tsgrad/testing", testing],
    ["tsgrad/implicit", implicit],
    ["tsgrad/vector", vector],
  ]);
  new Function("require", "module", "exports", code)(
    (name: string) => modules.get(name),
    module,
    module.exports,
  );
  return module.exports;
}

/** What TypeScript says about emitted text. */
export function emittedErrors(text: string): readonly string[] {
  const { program } = programOf({ [FILE]: text });
  return program
    .getSemanticDiagnostics(program.getSourceFile(FILE))
    .map(({ messageText }) => JSON.stringify(messageText));
}
