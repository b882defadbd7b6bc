// The package entry `tsgrad/esbuild`: the esbuild plugin.

import { fileURLToPath } from "node:url";
import type { Plugin as EsbuildPlugin } from "esbuild";
import { analyse } from "../analyse.ts";
import { esbuildPlugin } from "./esbuild-plugin.ts";
import { withAnalysisCache } from "./analysis-cache.ts";
import { checkedOptions } from "./options.ts";

export interface Options {
  /** The project's tsconfig; by default esbuild's, then the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Base of relative names; by default esbuild's `absWorkingDir`. */
  readonly cwd?: string | undefined;
  /** Untyped packages to differentiate, besides those of the plugin in tsconfig. */
  readonly packages?: readonly string[] | undefined;
  /** `"static"`: a call that needs the Delta engine is an error, unless it asks for it. */
  readonly engine?: "static" | undefined;
  /** "nan": derivatives stop at the first number that is not finite, and say where it came from. */
  readonly debug?: "nan" | undefined;
}

/** A plugin as esbuild takes it, without the rest of esbuild's types. */
export interface Plugin {
  readonly name: string;
  setup(build: { readonly initialOptions: object }): void | Promise<void>;
}

/** A build script shows what is thrown with a stack, and what a build reports without one. */
const failing = (text: string): EsbuildPlugin => ({
  name: "tsgrad",
  setup: (build) => {
    build.onStart(() => ({ errors: [{ text }] }));
  },
});

/**
 * Replaces `grad(f)` and its kin by derivative code in an esbuild build.
 *
 * @example
 * await build({ entryPoints: ["src/main.ts"], bundle: true, plugins: [tsgrad()] });
 */
export default function tsgrad(options: Options = {}): Plugin {
  try {
    checkedOptions("tsgrad/esbuild", options);
  } catch (error) {
    return failing(error instanceof Error ? error.message : String(error));
  }
  return esbuildPlugin(withAnalysisCache(analyse, fileURLToPath(import.meta.url)), options);
}
