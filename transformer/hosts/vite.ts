// The package entry `tsgrad/vite`: the plugin for Vite, vitest, Rollup and Rolldown.

import { fileURLToPath } from "node:url";
import { analyse } from "../analyse.ts";
import { withAnalysisCache } from "./analysis-cache.ts";
import { checkedOptions } from "./options.ts";
import { vitePlugin } from "./vite-plugin.ts";

export interface Options {
  /** The project's tsconfig; by default the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Base of relative names; by default Vite's root. */
  readonly cwd?: string | undefined;
  /** Untyped packages to differentiate, besides those of the plugin in tsconfig. */
  readonly packages?: readonly string[] | undefined;
  /** `"static"`: a call that needs the Delta engine is an error, unless it asks for it. */
  readonly engine?: "static" | undefined;
  /** "nan": derivatives stop at the first number that is not finite, and say where it came from. */
  readonly debug?: "nan" | undefined;
}

/** A plugin as Vite, Rollup and Rolldown take it, without the rest of their types. */
export interface Plugin {
  readonly name: string;
  readonly enforce: "pre";
}

/**
 * Replaces `grad(f)` and its kin by derivative code in Vite (build and dev) and vitest.
 *
 * @example
 * export default defineConfig({ plugins: [tsgrad()] });
 */
export default function tsgrad(options: Options = {}): Plugin {
  const plugin = vitePlugin(
    withAnalysisCache(analyse, fileURLToPath(import.meta.url)),
    checkedOptions("tsgrad/vite", options),
  );
  return Object.assign(plugin, { enforce: "pre" } as const);
}
