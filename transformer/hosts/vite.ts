// The package entry `tsgrad/vite`. In: options. Out: a plugin for Vite and vitest, which Rollup and Rolldown accept as well.

import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { analyse } from "../analyse.ts";
import { remembered } from "./analysis-cache.ts";
import { vitePlugin } from "./vite-plugin.ts";

export interface Options {
  /** The project's tsconfig; by default the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Where relative names start; by default Vite's root. */
  readonly cwd?: string | undefined;
  /** Packages whose JavaScript is followed though they have no types; `packages` of the plugin in the tsconfig counts, too. */
  readonly packages?: readonly string[] | undefined;
}

/**
 * Replaces `grad(f)` and its kin by derivative code in Vite (build and dev) and vitest.
 *
 * @example
 * export default defineConfig({ plugins: [tsgrad()] });
 */
export default function tsgrad(options: Options = {}): Plugin {
  return vitePlugin(remembered(analyse, fileURLToPath(import.meta.url)), options);
}
