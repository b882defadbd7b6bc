// The run time as JavaScript, for projects of tests. As modules of the program's language each of its files would be analysed.

import path from "node:path";
import { buildSync } from "esbuild";

const ROOT = path.resolve(import.meta.dirname, "../..");

const { outputFiles } = buildSync({
  entryPoints: {
    index: `${ROOT}/runtime/index.ts`,
    captured: `${ROOT}/runtime/captured.ts`,
    delta: `${ROOT}/runtime/delta/index.ts`,
    "delta-higher": `${ROOT}/runtime/delta/higher/index.ts`,
  },
  outdir: "/runtime",
  bundle: true,
  splitting: true,
  format: "esm",
  write: false,
});

/** By name in the project. */
export const RUNTIME: Readonly<Record<string, string>> = Object.fromEntries(
  outputFiles.map(({ path: file, text }) => [`runtime/${path.basename(file)}`, text]),
);

export const aliasOf = (at: (name: string) => string): Record<string, string> => ({
  tsgrad: at("runtime/index.js"),
  "tsgrad/captured": at("runtime/captured.js"),
  "tsgrad/delta": at("runtime/delta.js"),
  "tsgrad/delta-higher": at("runtime/delta-higher.js"),
});
