// Variants of a program, compiled as modules of one program. In: module texts by name. Out: the
// diagnostics of each module, its emitted text, and its exports.

import type ts from "typescript";
import { analyse } from "../../transformer/analyse.ts";
import { applyEdits } from "../../transformer/hosts/apply.ts";
import { programOf } from "../program.ts";
import { type Exports, loader } from "./modules.ts";

export interface Variant {
  /** `TSG1213`, of errors. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly text: string;
  readonly exports: () => Exports;
}

/** Names become file names, and may be any text; those that end in `.ts` or `.js` are file names. */
export function variantsOf(
  texts: Readonly<Record<string, string>>,
  options: ts.CompilerOptions = {},
): (name: string) => Variant {
  const names = Object.keys(texts);
  const fileOf = (name: string): string =>
    /\.[jt]s$/.test(name) ? `/src/${name}` : `/src/variant${names.indexOf(name)}.ts`;
  const files = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [fileOf(name), text]),
  );
  const { edits, diagnostics } = analyse(programOf(files, { allowJs: true, ...options }));
  const emitted = new Map(
    Object.entries(files).map(([file, text]) => [
      file,
      applyEdits(file, text, edits.get(file) ?? []).text,
    ]),
  );
  const load = loader(emitted);
  return (name) => {
    const file = fileOf(name);
    const codes = (severity: "error" | "warning"): readonly string[] =>
      diagnostics
        .filter((one) => one.severity === severity && one.span.file === file)
        .map(({ code }) => code);
    return {
      errors: codes("error"),
      warnings: codes("warning"),
      text: emitted.get(file) ?? "",
      exports: () => load(file),
    };
  };
}
