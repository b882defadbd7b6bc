// The package entry `tsgrad/bun`: the plugin for Bun's bundler and for Bun as a runtime.

import { fileURLToPath } from "node:url";
import { analyse } from "../analyse.ts";
import { withAnalysisCache } from "./analysis-cache.ts";
import { checkedOptions } from "./options.ts";
import { bunPlugin } from "./bun-plugin.ts";

export interface Options {
  /** The project's tsconfig; by default the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Base of relative names; by default the current folder. */
  readonly cwd?: string | undefined;
  /** Untyped packages to differentiate, besides those of the plugin in tsconfig. */
  readonly packages?: readonly string[] | undefined;
  /** `"static"`: a call that needs the Delta engine is an error, unless it asks for it. */
  readonly engine?: "static" | undefined;
  /** "nan": derivatives stop at the first number that is not finite, and say where it came from. */
  readonly debug?: "nan" | undefined;
}

/** A plugin as Bun takes it, without the rest of Bun's types. */
export interface Plugin {
  readonly name: string;
  setup(build: object): void;
}

/**
 * Replaces `grad(f)` and its kin by derivative code in Bun: in `Bun.build`, and in programs and
 * tests that Bun runs.
 *
 * @example
 * await Bun.build({ entrypoints: ["src/main.ts"], outdir: "dist", plugins: [tsgrad()] });
 * @example
 * // preload.ts, named in bunfig.toml: preload = ["./preload.ts"]
 * Bun.plugin(tsgrad());
 */
export default function tsgrad(options: Options = {}): Plugin {
  return bunPlugin(
    withAnalysisCache(analyse, fileURLToPath(import.meta.url)),
    checkedOptions("tsgrad/bun", options),
  );
}
