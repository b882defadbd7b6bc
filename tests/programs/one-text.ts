// One module, compiled and loaded. In: its text, and options of TypeScript. Out: the codes of errors, what does not type-check in the emitted code, and the module's exports.

import type ts from "typescript";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { type Exports, loader } from "./modules.ts";
import { newProblems } from "./strict.ts";

interface Loaded {
  readonly errors: readonly string[];
  readonly problems: readonly string[];
  readonly exports: Exports;
}

export function loadedText(text: string, options: ts.CompilerOptions = {}): Loaded {
  const original = programOf({ "a.ts": text }, options);
  const { edits, diagnostics } = analyse(original);
  const edited = applyEdits("/src/a.ts", text, edits.get("/src/a.ts") ?? []).text;
  return {
    errors: diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ code, message }) => `${code} ${message}`),
    problems: newProblems({ programs: new Map(), original, options, edits }),
    exports: loader(new Map([["/src/a.ts", edited]]))("/src/a.ts"),
  };
}
