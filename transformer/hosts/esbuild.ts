// The package entry `tsgrad/esbuild`. In: options. Out: an esbuild plugin.

import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { analyse } from "../analyse.ts";
import { esbuildPlugin } from "./esbuild-plugin.ts";
import { remembered } from "./analysis-cache.ts";

export interface Options {
  /** The project's tsconfig; by default esbuild's own `tsconfig`, then the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Where relative names start; by default esbuild's `absWorkingDir`. */
  readonly cwd?: string | undefined;
  /** Packages whose JavaScript is followed though they have no types; `packages` of the plugin in the tsconfig counts, too. */
  readonly packages?: readonly string[] | undefined;
}

/**
 * Replaces `grad(f)` and its kin by derivative code in an esbuild build.
 *
 * @example
 * await build({ entryPoints: ["src/main.ts"], bundle: true, plugins: [tsgrad()] });
 */
export default function tsgrad(options: Options = {}): Plugin {
  return esbuildPlugin(remembered(analyse, fileURLToPath(import.meta.url)), options);
}
