// The package entry `tsgrad/loader`: a loader for tools that take webpack's loaders, but not its
// plugins, such as Next's Turbopack.

import { fileURLToPath } from "node:url";
import { analyse } from "../analyse.ts";
import { withAnalysisCache } from "./analysis-cache.ts";
import { standaloneLoader } from "./standalone-loader.ts";

export interface Options {
  /** The project's tsconfig; by default the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Base of relative names; by default the tool's root folder. */
  readonly cwd?: string | undefined;
  /** Untyped packages to differentiate, besides those of the plugin in tsconfig. */
  readonly packages?: readonly string[] | undefined;
  /** `"static"`: a call that needs the Delta engine is an error, unless it asks for it. */
  readonly engine?: "static" | undefined;
  /** "nan": derivatives stop at the first number that is not finite, and say where it came from. */
  readonly debug?: "nan" | undefined;
}

/** The part of a loader's context that is used. */
export interface Context {
  readonly resourcePath: string;
  readonly rootContext?: string;
  getOptions(): object;
  addDependency(file: string): void;
  emitWarning?(warning: Error): void;
  callback(error: Error | null, text?: string, map?: object): void;
}

const run = standaloneLoader(withAnalysisCache(analyse, fileURLToPath(import.meta.url)));

/**
 * Replaces `grad(f)` and its kin by derivative code, before the tool strips types. With webpack and
 * Rspack use the plugin of `tsgrad/webpack`.
 *
 * @example
 * // next.config.ts
 * export default { turbopack: { rules: { "*.{ts,tsx}": { loaders: ["tsgrad/loader"] } } } };
 */
export default function tsgrad(this: Context, text: string, map?: object): void {
  run(this, text, map);
}
