// The package entry `tsgrad/jest`: the Jest transformer.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { analyse } from "../analyse.ts";
import { jestTransformer, transformerNamed } from "./jest-transformer.ts";
import { checkedOptions } from "./options.ts";
import { withAnalysisCache } from "./analysis-cache.ts";

export interface Options {
  /** What compiles TypeScript: `"ts-jest"`, `["ts-jest", { … }]`, `"babel-jest"`, `"@swc/jest"`. */
  readonly transformer?: string | readonly [name: string, options?: unknown];
  /** The project's tsconfig; by default the nearest tsconfig.json. */
  readonly tsconfig?: string | undefined;
  /** Base of relative names; by default Jest's `rootDir`. */
  readonly cwd?: string | undefined;
  /** Untyped packages to differentiate, besides those of the plugin in tsconfig. */
  readonly packages?: readonly string[] | undefined;
  /** `"static"`: a call that needs the Delta engine is an error, unless it asks for it. */
  readonly engine?: "static" | undefined;
  /** "nan": derivatives stop at the first number that is not finite, and say where it came from. */
  readonly debug?: "nan" | undefined;
}

/** A transformer as Jest takes it, without the rest of Jest's types. */
export interface Factory {
  readonly createTransformer: (options?: Options) => Promise<object>;
}

/**
 * Replaces `grad(f)` and its kin by derivative code in Jest, before the transformer that compiles
 * TypeScript. Throws if the options name none. Where `transformIgnorePatterns` leaves a package
 * out, its functions are differentiated by copies, which do not share its state.
 *
 * @example
 * // jest.config.js
 * export default {
 *   transform: { "^.+\\.[jt]sx?$": ["tsgrad/jest", { transformer: "ts-jest" }] },
 *   transformIgnorePatterns: ["/node_modules/(?!.*tsgrad/)"],
 * };
 */
const factory: Factory = {
  async createTransformer(given = {}) {
    const { transformer, ...options } = checkedOptions("tsgrad/jest", given, ["transformer"]);
    if (transformer === undefined)
      throw new Error(
        'tsgrad/jest needs the name of what compiles TypeScript in this project\'s tests\nwrite for instance ["tsgrad/jest", { transformer: "ts-jest" }]',
      );
    const [name, inner] = typeof transformer === "string" ? [transformer, undefined] : transformer;
    const own = fileURLToPath(import.meta.url);
    const made = await transformerNamed(name, inner, options.cwd ?? process.cwd());
    return jestTransformer(
      withAnalysisCache(analyse, own),
      { ...options, own: path.dirname(own) },
      { name, options: inner ?? {}, made },
    );
  },
};

export default factory;
