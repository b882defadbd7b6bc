// The package entry `tsgrad/webpack`: the plugin for webpack and Rspack.

import { fileURLToPath } from "node:url";
import { analyse } from "../analyse.ts";
import { withAnalysisCache } from "./analysis-cache.ts";
import { checkedOptions } from "./options.ts";
import { webpackPlugin } from "./webpack-plugin.ts";

export interface Options {
  /** The project's tsconfig; by default the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Base of relative names; by default webpack's `context`. */
  readonly cwd?: string | undefined;
  /** Untyped packages to differentiate, besides those of the plugin in tsconfig. */
  readonly packages?: readonly string[] | undefined;
  /** `"static"`: a call that needs the Delta engine is an error, unless it asks for it. */
  readonly engine?: "static" | undefined;
  /** "nan": derivatives stop at the first number that is not finite, and say where it came from. */
  readonly debug?: "nan" | undefined;
}

/** A plugin as webpack takes it, without the rest of webpack's types. */
export interface Plugin {
  readonly apply: (compiler: { readonly context: string }) => void;
}

/**
 * Replaces `grad(f)` and its kin by derivative code in webpack, before the loader that strips types
 * (ts-loader, esbuild-loader, swc-loader).
 *
 * @example
 * export default { entry: "./src/main.ts", plugins: [tsgrad()] };
 */
export default function tsgrad(options: Options = {}): Plugin {
  return webpackPlugin(
    withAnalysisCache(analyse, fileURLToPath(import.meta.url)),
    checkedOptions("tsgrad/webpack", options),
    fileURLToPath(new URL("./webpack-loader.cjs", import.meta.url)),
  );
}
