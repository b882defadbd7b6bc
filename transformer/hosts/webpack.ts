// The package entry `tsgrad/webpack`. In: options. Out: a plugin for webpack, which Rspack accepts as well.

import { fileURLToPath } from "node:url";
import { analyse } from "../analyse.ts";
import { remembered } from "./analysis-cache.ts";
import { webpackPlugin } from "./webpack-plugin.ts";

export interface Options {
  /** The project's tsconfig; by default the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Where relative names start; by default webpack's `context`. */
  readonly cwd?: string | undefined;
  /** Packages whose JavaScript is followed though they have no types; `packages` of the plugin in the tsconfig counts, too. */
  readonly packages?: readonly string[] | undefined;
}

/** A plugin as webpack takes it, with no more said of webpack's types than it needs. */
export interface Plugin {
  readonly apply: (compiler: { readonly context: string }) => void;
}

/**
 * Replaces `grad(f)` and its kin by derivative code in webpack, before the loader that strips types (ts-loader, esbuild-loader, swc-loader).
 *
 * @example
 * export default { entry: "./src/main.ts", plugins: [tsgrad()] };
 */
export default function tsgrad(options: Options = {}): Plugin {
  return webpackPlugin(
    remembered(analyse, fileURLToPath(import.meta.url)),
    options,
    fileURLToPath(new URL("./webpack-loader.js", import.meta.url)),
  );
}
