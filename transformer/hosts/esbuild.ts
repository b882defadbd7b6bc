// The package entry `tsgrad/esbuild`: the esbuild plugin.

import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { analyse } from "../analyse.ts";
import { esbuildPlugin } from "./esbuild-plugin.ts";
import { withAnalysisCache } from "./analysis-cache.ts";

export interface Options {
  /** The project's tsconfig; by default esbuild's, then the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Base of relative names; by default esbuild's `absWorkingDir`. */
  readonly cwd?: string | undefined;
  /** Untyped packages to differentiate, besides those of the plugin in tsconfig. */
  readonly packages?: readonly string[] | undefined;
}

/**
 * Replaces `grad(f)` and its kin by derivative code in an esbuild build.
 *
 * @example
 * await build({ entryPoints: ["src/main.ts"], bundle: true, plugins: [tsgrad()] });
 */
export default function tsgrad(options: Options = {}): Plugin {
  return esbuildPlugin(withAnalysisCache(analyse, fileURLToPath(import.meta.url)), options);
}
